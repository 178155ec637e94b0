/*
 * memory: addresses without memory. A device allocation is a range of
 * addresses reserved with no access: nothing backs it, no other mapping can
 * land on it, and a program that reads it as if it were its own faults, as it
 * would with a GPU. Sizes are kept, so allocation fails where the profile's
 * device would be full. Host memory is real. See LICENSE.
 */
#define _GNU_SOURCE /* MAP_NORESERVE, tsearch's family */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "null.h"

/* Device memory is aligned to 512 bytes at least; cubecl and others rely on
 * 256. A small block's class is a power of two; what is freed is given out
 * again for the same class, so that addresses do not run out. A block of an
 * arena's size or more is reserved by itself.
 */
#define MIN_CLASS 9
#define ARENA_CLASS 26
#define ARENA ((uint64_t)1 << ARENA_CLASS)
#define LARGE_PAGE ((uint64_t)1 << 21)
#define LARGEST ((uint64_t)1 << 46)

static void *tree; /* of blocks, by address */
static struct block *spare[ARENA_CLASS + 1];
static uint64_t arena, arena_end;
static uint64_t next_id = 1;
unsigned kn_managed;

/* Blocks that overlap are equal: a lookup is a block of one byte. */
static int
order(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->addr + x->size <= y->addr)
		return -1;
	return x->addr >= y->addr + y->size;
}

/* The block that an address lies in, or NULL. */
struct block *
kn_block(uint64_t addr)
{
	struct block key = {.addr = addr, .size = 1};
	struct block **found = tfind(&key, &tree, order);

	return found != NULL ? *found : NULL;
}

static void
insert(struct block *b)
{
	if (tsearch(b, &tree, order) == NULL)
		kn_fatal("out of host memory");
	b->id = next_id++;
	b->prev = NULL;
	b->next = b->ctx->blocks;
	if (b->next != NULL)
		b->next->prev = b;
	b->ctx->blocks = b;
	if (b->where == W_MANAGED)
		kn_managed++;
}

static void
extract(struct block *b)
{
	tdelete(b, &tree, order);
	if (b->prev != NULL)
		b->prev->next = b->next;
	else
		b->ctx->blocks = b->next;
	if (b->next != NULL)
		b->next->prev = b->prev;
	if (b->where == W_MANAGED || (b->where == W_PINNED && b->mapped))
		kn_managed--;
}

/* Reserve so many bytes of addresses, aligned to a power of two. Returns 0 if
 * the system has none.
 */
static uint64_t
reserve(uint64_t size, uint64_t align)
{
	uint64_t p, at, end;
	void *m;

	/* More, to cut an aligned part out of it. */
	m = mmap(NULL, size + align, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m == MAP_FAILED)
		return 0;
	at = (uint64_t)(uintptr_t)m;
	end = at + size + align;
	p = (at + align - 1) & ~(align - 1);
	if (p != at)
		munmap(m, p - at);
	if (p + size != end)
		munmap((void *)(uintptr_t)(p + size), end - (p + size));
	return p;
}

/* What a large block's addresses take: whole pages of the largest kind. */
static uint64_t
whole(uint64_t size)
{
	return (size + LARGE_PAGE - 1) & ~(uint64_t)(LARGE_PAGE - 1);
}

/* Addresses of a class: small ones are cut from an arena. */
static uint64_t
addresses(unsigned class, uint64_t size)
{
	uint64_t p;

	if (class == ARENA_CLASS)
		return reserve(whole(size), LARGE_PAGE);
	size = (uint64_t)1 << class;
	p = (arena + size - 1) & ~(size - 1);
	if (arena == 0 || p + size > arena_end) {
		p = reserve(ARENA, ARENA);
		if (p == 0)
			return 0;
		arena_end = p + ARENA;
	}
	arena = p + size;
	return p;
}

static unsigned
class_of(uint64_t size)
{
	unsigned c = MIN_CLASS;

	while (c < ARENA_CLASS && ((uint64_t)1 << c) < size)
		c++;
	return c;
}

/* A range of device addresses, without an account of its bytes. */
static struct block *
range(uint64_t size)
{
	unsigned class = class_of(size);
	struct block *b = spare[class];
	uint64_t addr;

	if (size > LARGEST)
		return NULL;
	if (b != NULL) {
		addr = b->addr;
		spare[class] = b->next;
		memset(b, 0, sizeof(*b));
	} else {
		addr = addresses(class, size);
		if (addr == 0)
			return NULL;
		b = kn_alloc(sizeof(*b));
	}
	b->addr = addr;
	b->class = class;
	b->size = size;
	return b;
}

static void
give_back(struct block *b)
{
	extract(b);
	if (b->class == ARENA_CLASS) {
		munmap((void *)(uintptr_t)b->addr, whole(b->size));
		free(b);
		return;
	}
	b->next = spare[b->class];
	spare[b->class] = b;
}

/* What an allocation costs of the device's memory. */
static uint64_t
cost(uint64_t size)
{
	return (size + 511) & ~(uint64_t)511;
}

/* Allocate device memory. Zero bytes are an error, as in the driver. */
CUresult
kn_take(struct dev *d, struct ctx *c, struct pool *p, uint64_t size,
	CUdeviceptr *out)
{
	struct block *b;

	if (out == NULL || size == 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (size > d->memory || d->used + cost(size) > d->memory)
		return CUDA_ERROR_OUT_OF_MEMORY;
	b = range(size);
	if (b == NULL) {
		kn_say("out of addresses for %llu bytes of device memory; "
		       "is there a limit on virtual memory?",
		       (unsigned long long)size);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	b->where = W_DEVICE;
	b->dev = d;
	b->ctx = c;
	b->pool = p;
	insert(b);
	d->used += cost(size);
	if (d->used > d->used_high)
		d->used_high = d->used;
	if (p != NULL) {
		p->used += cost(size);
		if (p->used > p->high)
			p->high = p->used;
	}
	*out = b->addr;
	return CUDA_SUCCESS;
}

static void
release(struct block *b)
{
	b->dev->used -= cost(b->size);
	if (b->pool != NULL) {
		b->pool->used -= cost(b->size);
		if (b->pool->used == 0 && b->pool->o.kind == K_FREE)
			free(b->pool);
	}
	give_back(b);
}

/* Free what kn_take gave; the address must be the allocation's own. */
CUresult
kn_release(CUdeviceptr p)
{
	struct block *b = kn_block(p);

	if (b == NULL || b->addr != p || b->where != W_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	release(b);
	return CUDA_SUCCESS;
}

/* --- host memory --- */

static CUresult
host_take(struct ctx *c, uint64_t size, enum where where, unsigned flags,
	  void **out)
{
	struct block *b;
	void *m;

	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (size == 0) {
		*out = NULL;
		return CUDA_SUCCESS;
	}
	if (size > LARGEST)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	b = kn_alloc(sizeof(*b));
	b->addr = (uint64_t)(uintptr_t)m;
	b->size = size;
	b->where = where;
	b->dev = c->dev;
	b->ctx = c;
	b->flags = flags;
	insert(b);
	*out = m;
	return CUDA_SUCCESS;
}

static void
host_release(struct block *b)
{
	extract(b);
	if (b->where != W_REGISTERED)
		munmap((void *)(uintptr_t)b->addr, b->size);
	free(b);
}

/* The program may reach the block through the device's address: it can read
 * what kernels write there with no call that tells.
 */
static void
map(struct block *b)
{
	if (b->where == W_PINNED && !b->mapped) {
		b->mapped = true;
		kn_managed++;
	}
}

API CUresult
cuMemHostAlloc(void **out, size_t size, unsigned int flags)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if ((flags & ~7u) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	return host_take(c, size, W_PINNED, flags, out);
}

API CUresult
cuMemAllocHost_v2(void **out, size_t size)
{
	return cuMemHostAlloc(out, size, 0);
}

API CUresult
cuMemFreeHost(void *p)
{
	CUresult rc;
	struct block *b;
	GUARD;

	if (kn_ctx(&rc) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (p == NULL)
		return CUDA_SUCCESS;
	b = kn_block((uint64_t)(uintptr_t)p);
	if (b == NULL || b->addr != (uint64_t)(uintptr_t)p ||
	    b->where != W_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	host_release(b);
	return CUDA_SUCCESS;
}

API CUresult
cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *p, unsigned int flags)
{
	CUresult rc;
	struct block *b;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	b = kn_block((uint64_t)(uintptr_t)p);
	if (out == NULL || flags != 0 || b == NULL || b->where == W_DEVICE ||
	    b->where == W_RESERVED)
		return CUDA_ERROR_INVALID_VALUE;
	map(b);
	*out = (uint64_t)(uintptr_t)p;
	return CUDA_SUCCESS;
}

API CUresult
cuMemHostGetFlags(unsigned int *out, void *p)
{
	CUresult rc;
	struct block *b;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	b = kn_block((uint64_t)(uintptr_t)p);
	if (out == NULL || b == NULL ||
	    (b->where != W_PINNED && b->where != W_REGISTERED))
		return CUDA_ERROR_INVALID_VALUE;
	/* With unified addressing all pinned memory is mapped. */
	*out = b->flags | CU_MEMHOSTALLOC_DEVICEMAP;
	return CUDA_SUCCESS;
}

API CUresult
cuMemHostRegister_v2(void *p, size_t size, unsigned int flags)
{
	CUresult rc;
	struct ctx *c;
	struct block *b, key;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (p == NULL || size == 0 ||
	    (flags & ~(unsigned)CU_MEMHOSTREGISTER_MASK) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	key.addr = (uint64_t)(uintptr_t)p;
	key.size = size;
	if (tfind(&key, &tree, order) != NULL)
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	b = kn_alloc(sizeof(*b));
	b->addr = key.addr;
	b->size = size;
	b->where = W_REGISTERED;
	b->dev = c->dev;
	b->ctx = c;
	b->flags = flags;
	insert(b);
	return CUDA_SUCCESS;
}

API CUresult
cuMemHostUnregister(void *p)
{
	CUresult rc;
	struct block *b;
	GUARD;

	if (kn_ctx(&rc) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (p == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	b = kn_block((uint64_t)(uintptr_t)p);
	if (b == NULL || b->where != W_REGISTERED)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	if (b->addr != (uint64_t)(uintptr_t)p)
		return CUDA_ERROR_INVALID_VALUE;
	host_release(b);
	return CUDA_SUCCESS;
}

API CUresult
cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned int flags)
{
	CUresult rc;
	struct ctx *c;
	void *p;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || size == 0 ||
	    (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = host_take(c, size, W_MANAGED, flags, &p)) == CUDA_SUCCESS)
		*out = (uint64_t)(uintptr_t)p;
	return rc;
}

/* --- device memory --- */

API CUresult
cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	return kn_take(c->dev, c, NULL, size, out);
}

API CUresult
cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
		   unsigned int element)
{
	CUresult rc;
	struct ctx *c;
	size_t row, all;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || pitch == NULL || width == 0 || height == 0 ||
	    (element != 4 && element != 8 && element != 16) ||
	    width > (size_t)c->dev->attr[CU_DEVICE_ATTRIBUTE_MAX_PITCH])
		return CUDA_ERROR_INVALID_VALUE;
	row = (width + 511) & ~(size_t)511;
	if (__builtin_mul_overflow(row, height, &all))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if ((rc = kn_take(c->dev, c, NULL, all, out)) == CUDA_SUCCESS)
		*pitch = row;
	return rc;
}

API CUresult
cuMemFree_v2(CUdeviceptr p)
{
	CUresult rc;
	struct block *b;
	GUARD;

	/* An address says by itself whose it is: no context need be current. */
	if ((rc = kn_ready()) != CUDA_SUCCESS ||
	    (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (p == 0)
		return CUDA_SUCCESS;
	b = kn_block(p);
	if (b != NULL && b->addr == p && b->where == W_MANAGED) {
		host_release(b);
		return CUDA_SUCCESS;
	}
	return kn_release(p);
}

API CUresult
cuMemGetInfo_v2(size_t *unused, size_t *total)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (unused != NULL)
		*unused = c->dev->memory - c->dev->used;
	if (total != NULL)
		*total = c->dev->memory;
	return CUDA_SUCCESS;
}

API CUresult
cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
	CUresult rc;
	struct block *b;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	b = kn_block(p);
	if (b == NULL)
		return CUDA_ERROR_NOT_FOUND;
	if (base != NULL)
		*base = b->addr;
	if (size != NULL)
		*size = b->size;
	return CUDA_SUCCESS;
}

/* --- stream-ordered allocation and its pools --- */

static struct pool *
new_pool(struct dev *d, const CUmemPoolProps *props)
{
	struct pool *p = kn_alloc(sizeof(*p));

	kn_new(&p->o, K_POOL, NULL);
	p->dev = d;
	p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
	if (props != NULL)
		p->props = *props;
	return p;
}

static struct pool *
default_pool(struct dev *d)
{
	if (d->default_pool == NULL)
		d->default_pool = new_pool(d, NULL);
	if (d->current_pool == NULL)
		d->current_pool = d->default_pool;
	return d->default_pool;
}

static CUresult
take_async(CUdeviceptr *out, size_t size, struct pool *p, CUstream stream)
{
	CUresult rc;
	struct stream *s;
	struct capture *cap;

	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = 0;
	if (size == 0)
		return CUDA_SUCCESS;
	if (p == NULL) {
		default_pool(s->o.ctx->dev);
		p = s->o.ctx->dev->current_pool;
	}
	rc = kn_take(p->dev, s->o.ctx, p, size, out);
	if (rc == CUDA_SUCCESS && cap != NULL)
		kn_captured(s, kn_graph_simple(cap, s,
					       CU_GRAPH_NODE_TYPE_MEM_ALLOC,
					       NULL, *out, size));
	return rc;
}

API CUresult
cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream)
{
	GUARD;

	return take_async(out, size, NULL, stream);
}

API CUresult
cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size, CUmemoryPool pool,
			CUstream stream)
{
	CUresult rc;
	struct pool *p;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	if ((p = kn_get(pool, K_POOL)) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return take_async(out, size, p, stream);
}

API CUresult
cuMemFreeAsync(CUdeviceptr p, CUstream stream)
{
	CUresult rc;
	struct stream *s;
	struct capture *cap;
	struct block *b;
	GUARD;

	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS)
		return rc;
	if (p == 0)
		return CUDA_SUCCESS;
	b = kn_block(p);
	if (b == NULL || b->addr != p || b->where != W_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (cap == NULL)
		return kn_release(p);
	/* The address stays the graph's: its nodes may name it. */
	kn_captured(s, kn_graph_simple(cap, s, CU_GRAPH_NODE_TYPE_MEM_FREE,
				       NULL, p, 0));
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(default_pool(d));
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetMemPool(CUmemoryPool *out, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	default_pool(d);
	*out = HANDLE(d->current_pool);
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	CUresult rc;
	struct dev *d;
	struct pool *p;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	p = kn_get(pool, K_POOL);
	if (p == NULL || p->dev != d)
		return CUDA_ERROR_INVALID_VALUE;
	default_pool(d);
	d->current_pool = p;
	return CUDA_SUCCESS;
}

API CUresult
cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || props == NULL ||
	    props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    props->handleTypes != 0)
		return CUDA_ERROR_NOT_SUPPORTED;
	if ((rc = kn_dev(props->location.id, &d)) != CUDA_SUCCESS)
		return rc;
	*out = HANDLE(new_pool(d, props));
	return CUDA_SUCCESS;
}

API CUresult
cuMemPoolDestroy(CUmemoryPool pool)
{
	CUresult rc;
	struct pool *p;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	p = kn_get(pool, K_POOL);
	if (p == NULL || p == p->dev->default_pool)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->dev->current_pool == p)
		p->dev->current_pool = p->dev->default_pool;
	/* What was allocated from it lives on: the pool's books must too. */
	kn_drop(&p->o);
	if (p->used == 0)
		free(p);
	return CUDA_SUCCESS;
}

API CUresult
cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	CUresult rc;
	GUARD;

	(void)keep;
	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	return kn_get(pool, K_POOL) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult
cuMemPoolGetAttribute(CUmemoryPool pool, int attr, void *out)
{
	CUresult rc;
	struct pool *p;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	p = kn_get(pool, K_POOL);
	if (p == NULL || out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attr) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		*(int *)out = p->reuse[attr - 1];
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		*(uint64_t *)out = p->threshold;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		*(uint64_t *)out = p->used;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		*(uint64_t *)out = p->high;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

API CUresult
cuMemPoolSetAttribute(CUmemoryPool pool, int attr, void *value)
{
	CUresult rc;
	struct pool *p;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	p = kn_get(pool, K_POOL);
	if (p == NULL || value == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attr) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		p->reuse[attr - 1] = *(int *)value != 0;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		p->threshold = *(uint64_t *)value;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (*(uint64_t *)value != 0)
			return CUDA_ERROR_INVALID_VALUE;
		p->high = p->used;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

API CUresult
cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t n)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (kn_get(pool, K_POOL) == NULL || (map == NULL && n != 0))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

API CUresult
cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *where)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (kn_get(pool, K_POOL) == NULL || flags == NULL || where == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return CUDA_SUCCESS;
}

/* --- what a pointer is --- */

static CUresult
attribute(void *out, int attr, CUdeviceptr p, struct block *b)
{
	bool host = b->where != W_DEVICE && b->where != W_RESERVED;

	switch (attr) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)out = HANDLE(b->ctx);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)out = host && b->where != W_MANAGED
					   ? CU_MEMORYTYPE_HOST
					   : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		map(b);
		*(CUdeviceptr *)out = p;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (!host)
			return CUDA_ERROR_INVALID_VALUE;
		*(void **)out = (void *)(uintptr_t)p;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
		if (host)
			return CUDA_ERROR_INVALID_VALUE;
		memset(out, 0, 2 * sizeof(uint64_t)); /* no peer has a use */
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		*(unsigned *)out = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*(unsigned *)out =
			!host &&
			b->dev->attr
				[CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED];
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
		*(unsigned *)out = !host; /* the memory is, not the device */
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(unsigned *)out = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(unsigned long long *)out = b->id;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)out = b->where == W_MANAGED;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)out = (int)(b->dev - kn_devs);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)out = b->addr;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)out = b->size;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(unsigned *)out = b->where != W_RESERVED || b->mapped;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(unsigned long long *)out = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)out = b->pool ? HANDLE(b->pool) : NULL;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

API CUresult
cuPointerGetAttribute(void *out, int attr, CUdeviceptr p)
{
	CUresult rc;
	struct block *b;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	b = kn_block(p);
	if (out == NULL || b == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return attribute(out, attr, p, b);
}

/* A pointer of no allocation is answered too: zero, or "no such device". */
API CUresult
cuPointerGetAttributes(unsigned int n, int *attrs, void **out, CUdeviceptr p)
{
	CUresult rc;
	struct block *b;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	if (n == 0 || attrs == NULL || out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	b = kn_block(p);
	for (unsigned i = 0; i < n; i++) {
		if (b != NULL &&
		    attribute(out[i], attrs[i], p, b) == CUDA_SUCCESS)
			continue;
		switch (attrs[i]) {
		case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
			*(int *)out[i] = -2;
			break;
		case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		case CU_POINTER_ATTRIBUTE_MAPPED:
			*(unsigned *)out[i] = 0;
			break;
		case CU_POINTER_ATTRIBUTE_CONTEXT:
		case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
			*(unsigned long long *)out[i] = 0;
			break;
		default:
			return CUDA_ERROR_INVALID_VALUE;
		}
	}
	return CUDA_SUCCESS;
}

/* Advice and prefetching have nothing to act on. */
API CUresult
cuMemAdvise(CUdeviceptr p, size_t n, int advice, CUdevice dev)
{
	CUresult rc;
	struct block *b;
	GUARD;

	(void)advice;
	(void)dev;
	if (kn_ctx(&rc) == NULL)
		return rc;
	b = kn_block(p);
	if (b == NULL || b->where != W_MANAGED || n == 0)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

API CUresult
cuMemPrefetchAsync(CUdeviceptr p, size_t n, CUdevice dev, CUstream stream)
{
	CUresult rc;
	struct block *b;
	struct stream *s;
	struct capture *cap;
	GUARD;

	(void)dev;
	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS)
		return rc;
	b = kn_block(p);
	if (b == NULL || b->where != W_MANAGED || n == 0)
		return CUDA_ERROR_INVALID_VALUE;
	return cap != NULL ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

API CUresult
cuMemAdvise_v2(CUdeviceptr p, size_t n, int advice, CUmemLocation where)
{
	return cuMemAdvise(p, n, advice, where.id);
}

API CUresult
cuMemPrefetchAsync_v2(CUdeviceptr p, size_t n, CUmemLocation where,
		      unsigned int flags, CUstream stream)
{
	return flags != 0 ? CUDA_ERROR_INVALID_VALUE
			  : cuMemPrefetchAsync(p, n, where.id, stream);
}

API CUresult
cuMemAllocAsync_ptsz(CUdeviceptr *out, size_t size, CUstream s)
{
	return cuMemAllocAsync(out, size, PTS(s));
}

API CUresult
cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *out, size_t size, CUmemoryPool pool,
			     CUstream s)
{
	return cuMemAllocFromPoolAsync(out, size, pool, PTS(s));
}

API CUresult
cuMemFreeAsync_ptsz(CUdeviceptr p, CUstream s)
{
	return cuMemFreeAsync(p, PTS(s));
}

API CUresult
cuMemPrefetchAsync_ptsz(CUdeviceptr p, size_t n, CUdevice dev, CUstream s)
{
	return cuMemPrefetchAsync(p, n, dev, PTS(s));
}

API CUresult
cuMemPrefetchAsync_v2_ptsz(CUdeviceptr p, size_t n, CUmemLocation where,
			   unsigned int flags, CUstream s)
{
	return cuMemPrefetchAsync_v2(p, n, where, flags, PTS(s));
}

/* The first form differs from the second in name alone. */
API CUresult
cuMemHostRegister(void *p, size_t size, unsigned int flags)
{
	return cuMemHostRegister_v2(p, size, flags);
}

/* A context's memory goes with it. */
void
kn_free_ctx_memory(struct ctx *c)
{
	while (c->blocks != NULL) {
		struct block *b = c->blocks;

		if (b->where == W_DEVICE)
			release(b);
		else if (b->where == W_RESERVED)
			give_back(b);
		else
			host_release(b);
	}
}
