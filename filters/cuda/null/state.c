/*
 * state: cuInit and the contexts. Every call asks kn_ready() or kn_ctx()
 * first and so answers as the driver does before cuInit, after fork and
 * without a context. See LICENSE.
 */
#include <stdlib.h>
#include <string.h>

#include "null.h"

enum { COLD, WARM, FORKED };

static int state;
static CUresult failure;
static uint64_t next_ctx_id = 1;

/* The thread's stack of current contexts, handles, the top one last. */
static _Thread_local struct {
	CUcontext *v;
	size_t n, cap;
} stack;

static _Thread_local unsigned this_thread;

/* A number of this thread's own; never 0. */
unsigned
kn_thread(void)
{
	static unsigned last;

	if (this_thread == 0)
		this_thread = ++last;
	return this_thread;
}

/* A child of fork has no driver: CUDA cannot be used after fork when the
 * parent called cuInit. The lock may have been held by a thread that the
 * child does not have.
 */
static void
in_child(void)
{
	pthread_mutex_init(&kn_mutex, NULL);
	if (state == WARM)
		state = FORKED;
}

/* Read the profiles and open the record, once. Before cuInit programs already
 * ask for the driver's version and for functions. Returns what cuInit is to
 * answer.
 */
CUresult
kn_wake(void)
{
	static bool awake;
	const char *list;

	if (awake)
		return failure;
	awake = true;
	list = getenv("KC_NULL_PROFILE");
	if (list == NULL || *list == '\0') {
		/* Found by accident: answer as a machine without a GPU. */
		kn_say("KC_NULL_PROFILE is not set: no device");
		failure = CUDA_ERROR_NO_DEVICE;
	} else {
		failure = kn_profiles(list);
		if (failure == CUDA_SUCCESS)
			failure = kn_record_open();
	}
	return failure;
}

API CUresult
cuInit(unsigned int flags)
{
	GUARD;

	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (state == FORKED)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (state != COLD || kn_wake() != CUDA_SUCCESS)
		return failure;
	if (pthread_atfork(NULL, NULL, in_child))
		kn_fatal("pthread_atfork failed");
	kn_record_own();
	state = WARM;
	return CUDA_SUCCESS;
}

/* Whether the driver may be asked at all. */
CUresult
kn_ready(void)
{
	if (state == WARM)
		return CUDA_SUCCESS;
	return CUDA_ERROR_NOT_INITIALIZED;
}

/* The device of a number. */
CUresult
kn_dev(CUdevice d, struct dev **out)
{
	CUresult rc = kn_ready();

	if (rc == CUDA_SUCCESS && (d < 0 || d >= kn_ndevs))
		rc = CUDA_ERROR_INVALID_DEVICE;
	if (rc == CUDA_SUCCESS)
		*out = &kn_devs[d];
	return rc;
}

/* The thread's current context; NULL and an error in *rc if there is none
 * that lives.
 */
struct ctx *
kn_ctx(CUresult *rc)
{
	struct ctx *c;

	*rc = kn_ready();
	if (*rc != CUDA_SUCCESS)
		return NULL;
	if (stack.n == 0 || stack.v[stack.n - 1] == NULL) {
		*rc = CUDA_ERROR_INVALID_CONTEXT;
		return NULL;
	}
	c = kn_get(stack.v[stack.n - 1], K_CTX);
	if (c == NULL || !c->active) {
		*rc = CUDA_ERROR_CONTEXT_IS_DESTROYED;
		return NULL;
	}
	return c;
}

static void
push(CUcontext c)
{
	stack.v = kn_grow(stack.v, &stack.cap, stack.n + 1, sizeof(*stack.v));
	stack.v[stack.n++] = c;
}

static struct ctx *
new_ctx(struct dev *d, unsigned flags, bool primary)
{
	struct ctx *c = kn_alloc(sizeof(*c));

	kn_new(&c->o, K_CTX, NULL);
	c->dev = d;
	c->primary = primary;
	c->flags = flags;
	return c;
}

/* Fresh books for a context: at its creation, or a primary one's revival. */
static CUresult
open_ctx(struct ctx *c)
{
	struct dev *d = c->dev;

	if (d->used + d->overhead > d->memory)
		return CUDA_ERROR_OUT_OF_MEMORY;
	d->used += d->overhead;
	if (d->used > d->used_high)
		d->used_high = d->used;
	d->nctx++;
	c->active = true;
	c->id = next_ctx_id++;
	/* As an H200 answers. */
	c->limit[CU_LIMIT_STACK_SIZE] = 1024;
	c->limit[CU_LIMIT_PRINTF_FIFO_SIZE] = 8650752;
	c->limit[CU_LIMIT_MALLOC_HEAP_SIZE] = 8388608;
	c->limit[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
	c->limit[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
	c->limit[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 11796480;
	c->limit[CU_LIMIT_SHMEM_SIZE] =
		(size_t)d->attr
			[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN];
	c->smem_config = 1;
	return CUDA_SUCCESS;
}

/* Everything that lives in the context goes. */
static void
close_ctx(struct ctx *c)
{
	while (c->objs != NULL) {
		struct obj *o = c->objs;

		switch (o->kind) {
		case K_STREAM:
			kn_capture_drop((struct stream *)o);
			kn_stream_free((struct stream *)o);
			break;
		case K_EVENT:
			kn_event_free((struct event *)o);
			break;
		case K_MODULE:
			kn_module_free((struct module *)o);
			break;
		case K_FUNC:
			kn_func_free((struct func *)o);
			break;
		default:
			kn_drop(o);
			free(o);
		}
	}
	c->legacy = NULL;
	kn_free_ctx_memory(c);
	c->dev->used -= c->dev->overhead;
	c->dev->nctx--;
	c->active = false;
	memset(c->peer, 0, sizeof(c->peer));
}

static CUresult
flags_ok(unsigned flags)
{
	unsigned sched = flags & CU_CTX_SCHED_MASK;

	if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (sched != 0 && sched != 1 && sched != 2 && sched != 4)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* --- primary contexts --- */

static struct ctx *
primary(struct dev *d)
{
	if (d->primary == NULL)
		d->primary = new_ctx(d, 0, true);
	return d->primary;
}

API CUresult
cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice dev)
{
	struct dev *d;
	struct ctx *c;
	CUresult rc;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	c = primary(d);
	if (!c->active && (rc = open_ctx(c)) != CUDA_SUCCESS)
		return rc;
	c->retained++;
	*out = HANDLE(c);
	return CUDA_SUCCESS;
}

API CUresult
cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	struct dev *d;
	CUresult rc;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (d->primary == NULL || d->primary->retained == 0)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (--d->primary->retained == 0)
		close_ctx(d->primary);
	return CUDA_SUCCESS;
}

API CUresult
cuDevicePrimaryCtxRelease(CUdevice dev)
{
	return cuDevicePrimaryCtxRelease_v2(dev);
}

API CUresult
cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
	struct dev *d;
	CUresult rc;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (d->primary != NULL && d->primary->active)
		close_ctx(d->primary);
	if (d->primary != NULL)
		d->primary->flags = 0;
	return CUDA_SUCCESS;
}

API CUresult
cuDevicePrimaryCtxReset(CUdevice dev)
{
	return cuDevicePrimaryCtxReset_v2(dev);
}

API CUresult
cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	struct dev *d;
	CUresult rc;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (flags == NULL || active == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = d->primary != NULL ? d->primary->flags : 0;
	*active = d->primary != NULL && d->primary->active;
	return CUDA_SUCCESS;
}

API CUresult
cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
	struct dev *d;
	CUresult rc;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS ||
	    (rc = flags_ok(flags)) != CUDA_SUCCESS)
		return rc;
	primary(d)->flags = flags;
	return CUDA_SUCCESS;
}

API CUresult
cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
	return cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

/* --- contexts of the program's own --- */

static CUresult
create(CUcontext *out, unsigned flags, CUdevice dev, unsigned api)
{
	struct dev *d;
	struct ctx *c;
	CUresult rc;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = flags_ok(flags)) != CUDA_SUCCESS)
		return rc;
	c = new_ctx(d, flags, false);
	c->api = api;
	if ((rc = open_ctx(c)) != CUDA_SUCCESS) {
		kn_drop(&c->o);
		free(c);
		return rc;
	}
	push(HANDLE(c));
	*out = HANDLE(c);
	return CUDA_SUCCESS;
}

API CUresult
cuCtxCreate_v2(CUcontext *out, unsigned int flags, CUdevice dev)
{
	GUARD;

	return create(out, flags, dev, 3020);
}

/* Affinity parameters: execution affinity is not modelled; asking for it is
 * refused, not granted in silence.
 */
API CUresult
cuCtxCreate_v3(CUcontext *out, void *params, int n, unsigned int flags,
	       CUdevice dev)
{
	GUARD;

	if (params != NULL || n != 0)
		return CUDA_ERROR_NOT_SUPPORTED;
	return create(out, flags, dev, 3021);
}

API CUresult
cuCtxCreate_v4(CUcontext *out, void *params, unsigned int flags, CUdevice dev)
{
	GUARD;

	/* CUctxCreateParams: a pointer, a count, a pointer. */
	if (params != NULL) {
		static const char none[3 * sizeof(void *)];

		if (memcmp(params, none, sizeof(none)) != 0)
			return CUDA_ERROR_NOT_SUPPORTED;
	}
	return create(out, flags, dev, 3022);
}

API CUresult
cuCtxDestroy_v2(CUcontext ctx)
{
	struct ctx *c;
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (ctx == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	c = kn_get(ctx, K_CTX);
	if (c == NULL || c->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	close_ctx(c);
	if (stack.n > 0 && stack.v[stack.n - 1] == ctx)
		stack.n--;
	kn_drop(&c->o);
	free(c);
	return CUDA_SUCCESS;
}

API CUresult
cuCtxPushCurrent_v2(CUcontext ctx)
{
	struct ctx *c;
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (ctx == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	c = kn_get(ctx, K_CTX);
	if (c == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	push(ctx);
	return CUDA_SUCCESS;
}

API CUresult
cuCtxPopCurrent_v2(CUcontext *out)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (stack.n == 0)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack.n--;
	if (out != NULL)
		*out = stack.v[stack.n];
	return CUDA_SUCCESS;
}

API CUresult
cuCtxSetCurrent(CUcontext ctx)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (ctx == NULL) {
		if (stack.n > 0)
			stack.n--;
		return CUDA_SUCCESS;
	}
	if (kn_get(ctx, K_CTX) == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (stack.n > 0)
		stack.v[stack.n - 1] = ctx;
	else
		push(ctx);
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetCurrent(CUcontext *out)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = stack.n > 0 ? stack.v[stack.n - 1] : NULL;
	return CUDA_SUCCESS;
}

/* A context a call names, or the current one where it names none. */
static struct ctx *
named(CUcontext ctx, CUresult *rc)
{
	struct ctx *c;

	if (ctx == NULL)
		return kn_ctx(rc);
	if ((*rc = kn_ready()) != CUDA_SUCCESS)
		return NULL;
	c = kn_get(ctx, K_CTX);
	if (c == NULL)
		*rc = CUDA_ERROR_INVALID_CONTEXT;
	else if (!c->active)
		*rc = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return *rc == CUDA_SUCCESS ? c : NULL;
}

API CUresult
cuCtxGetDevice_v2(CUdevice *out, CUcontext ctx)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = named(ctx, &rc)) == NULL)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (int)(c->dev - kn_devs);
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetDevice(CUdevice *out)
{
	return cuCtxGetDevice_v2(out, NULL);
}

API CUresult
cuCtxGetFlags(unsigned int *out)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = c->flags;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxSetFlags(unsigned int flags)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL || (rc = flags_ok(flags)) != CUDA_SUCCESS)
		return rc;
	c->flags = flags;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetId(CUcontext ctx, unsigned long long *out)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = named(ctx, &rc)) == NULL)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = c->id;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetApiVersion(CUcontext ctx, unsigned int *out)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = named(ctx, &rc)) == NULL)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = c->api != 0 ? c->api : 3020;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetLimit(size_t *out, int limit)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (out == NULL || limit < 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (limit > CU_LIMIT_CIG_SHMEM_FALLBACK)
		return CUDA_ERROR_INVALID_VALUE;
	if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH ||
	    limit == CU_LIMIT_CIG_SHMEM_FALLBACK)
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*out = c->limit[limit];
	return CUDA_SUCCESS;
}

API CUresult
cuCtxSetLimit(int limit, size_t value)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (limit < 0 || limit > CU_LIMIT_CIG_SHMEM_FALLBACK)
		return CUDA_ERROR_INVALID_VALUE;
	if (limit > CU_LIMIT_PERSISTING_L2_CACHE_SIZE ||
	    limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH)
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	c->limit[limit] = value;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetCacheConfig(int *out)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = c->cache_config;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxSetCacheConfig(int config)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (config < 0 || config > 3)
		return CUDA_ERROR_INVALID_VALUE;
	c->cache_config = config;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetSharedMemConfig(int *out)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = c->smem_config;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxSetSharedMemConfig(int config)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (config < 0 || config > 2)
		return CUDA_ERROR_INVALID_VALUE;
	c->smem_config = config != 0 ? config : 1;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (least != NULL)
		*least = c->dev->prio_least;
	if (greatest != NULL)
		*greatest = c->dev->prio_greatest;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxResetPersistingL2Cache(void)
{
	CUresult rc;
	GUARD;

	kn_ctx(&rc);
	return rc;
}

/* Wait for all that was given to the context's streams. */
static CUresult
synchronize(CUcontext ctx)
{
	CUresult rc;
	struct ctx *c;
	uintptr_t self;

	if ((c = named(ctx, &rc)) == NULL ||
	    (rc = kn_wait_all(c)) != CUDA_SUCCESS ||
	    (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	self = c->o.handle;
again:
	for (struct obj *o = c->objs; o != NULL; o = o->next) {
		struct op *op;

		if (o->kind != K_STREAM)
			continue;
		op = kn_op_tail((struct stream *)o);
		if (op == NULL)
			continue;
		kn_op_ref(op);
		kn_op_wait(op);
		kn_op_unref(op);
		/* The list may have changed while the lock was given up. */
		if (kn_get((void *)self, K_CTX) != c || !c->active)
			return CUDA_ERROR_CONTEXT_IS_DESTROYED;
		goto again;
	}
	kn_record_sync();
	return CUDA_SUCCESS;
}

API CUresult
cuCtxSynchronize(void)
{
	GUARD;

	return synchronize(NULL);
}

API CUresult
cuCtxSynchronize_v2(CUcontext ctx)
{
	GUARD;

	return synchronize(ctx);
}

/* --- peers --- */

API CUresult
cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CUresult rc;
	struct ctx *c, *p;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	p = kn_get(peer, K_CTX);
	if (p == NULL || !p->active)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (p->dev == c->dev || p->dev - kn_devs >= (long)sizeof(c->peer))
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	if (c->peer[p->dev - kn_devs])
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	c->peer[p->dev - kn_devs] = 1;
	return CUDA_SUCCESS;
}

API CUresult
cuCtxDisablePeerAccess(CUcontext peer)
{
	CUresult rc;
	struct ctx *c, *p;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	p = kn_get(peer, K_CTX);
	if (p == NULL || !p->active)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (p->dev - kn_devs >= (long)sizeof(c->peer) ||
	    !c->peer[p->dev - kn_devs])
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	c->peer[p->dev - kn_devs] = 0;
	return CUDA_SUCCESS;
}

/* The first forms of these calls differ from the second in name alone. */
API CUresult
cuCtxCreate(CUcontext *out, unsigned int flags, CUdevice dev)
{
	return cuCtxCreate_v2(out, flags, dev);
}

API CUresult
cuCtxDestroy(CUcontext ctx)
{
	return cuCtxDestroy_v2(ctx);
}

API CUresult
cuCtxPushCurrent(CUcontext ctx)
{
	return cuCtxPushCurrent_v2(ctx);
}

API CUresult
cuCtxPopCurrent(CUcontext *out)
{
	return cuCtxPopCurrent_v2(out);
}
