/* launch: kernels that are accepted, and not run. See LICENSE. */
#include <limits.h>
#include <string.h>

#include "image.h"
#include "null.h"

/* Let at least so much time pass since a start. The lock must not be held.
 * No time at all would be wrong: programs divide by it.
 */
void
kn_spend(uint64_t start, uint64_t ns)
{
	while (kn_now() - start < ns)
		;
}

static unsigned
warps(const struct dev *d, unsigned threads)
{
	unsigned w = (unsigned)d->attr[CU_DEVICE_ATTRIBUTE_WARP_SIZE];

	return (threads + w - 1) / w;
}

/* Blocks of so many threads and bytes of shared memory that one
 * multiprocessor holds. Registers are not known, and not counted.
 */
static unsigned
blocks_per_sm(const struct func *f, unsigned threads, uint64_t smem)
{
	const struct dev *d = f->o.ctx->dev;
	const int *a = d->attr;
	unsigned w = warps(d, threads), n, by_smem;

	if (w == 0)
		return 0;
	n = (unsigned)(a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] /
		       a[CU_DEVICE_ATTRIBUTE_WARP_SIZE]) /
	    w;
	if (n > (unsigned)a[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR])
		n = (unsigned)
			a[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR];
	smem += f->entry->smem +
		(unsigned)
			a[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK];
	smem = (smem + 127) & ~(uint64_t)127;
	if (smem != 0) {
		uint64_t all = (unsigned)a
			[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR];

		by_smem = (unsigned)(all / smem);
		if (by_smem < n)
			n = by_smem;
	}
	return n;
}

/* A cluster's size against the grid and the device. */
static CUresult
check_cluster(const struct func *f, const struct launch *l)
{
	const int *a = f->o.ctx->dev->attr;
	unsigned size = 1;

	/* What the function asks for is what the launch must have. */
	if (f->cluster[0] > 0 || f->cluster[1] > 0 || f->cluster[2] > 0)
		for (int i = 0; i < 3; i++)
			if (f->cluster[i] > 0 &&
			    (unsigned)f->cluster[i] != l->cluster[i])
				return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	if (l->cluster[0] == 0)
		return CUDA_SUCCESS;
	if (!a[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH])
		return CUDA_ERROR_NOT_SUPPORTED;
	for (int i = 0; i < 3; i++) {
		if (l->cluster[i] == 0 || l->cluster[i] > 16)
			return CUDA_ERROR_INVALID_CLUSTER_SIZE;
		if (l->grid[i] % l->cluster[i] != 0)
			return CUDA_ERROR_INVALID_CLUSTER_SIZE;
		size *= l->cluster[i];
	}
	/* Eight blocks are portable; more have to be asked for. */
	if (size > (f->nonportable ? 16u : 8u))
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	return CUDA_SUCCESS;
}

/* Whether the parameters given in a buffer are more than the kernel has. */
static bool
too_many(const struct entry *e, void *const *extra)
{
	size_t size = 0, all = 0;

	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
		if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			size = *(const size_t *)extra[1];
	if (e->nparams != 0 && e->param != NULL)
		all = e->param[e->nparams - 1].offset +
		      e->param[e->nparams - 1].size;
	return e->param != NULL && size > all;
}

/* Whether the driver would take the launch. */
CUresult
kn_launch_check(struct func *f, const struct launch *l)
{
	const struct entry *e = f->entry;
	const int *a = f->o.ctx->dev->attr;
	uint64_t threads = 1;

	for (int i = 0; i < 3; i++) {
		if (l->grid[i] == 0 || l->block[i] == 0 ||
		    l->grid[i] >
			    (unsigned)
				    a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i] ||
		    l->block[i] >
			    (unsigned)
				    a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i])
			return CUDA_ERROR_INVALID_VALUE;
		if (e->reqntid[0] != 0 && l->block[i] != e->reqntid[i])
			return CUDA_ERROR_INVALID_VALUE;
		threads *= l->block[i];
	}
	if (threads > kn_func_threads(f) ||
	    l->smem > (unsigned)kn_func_dynamic(f))
		return CUDA_ERROR_INVALID_VALUE;
	if (l->params != NULL && l->extra != NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (l->params == NULL && l->extra == NULL && !l->legacy &&
	    e->nparams != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (l->extra != NULL && too_many(e, l->extra))
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	if (l->cooperative) {
		uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1], most;

		most = (uint64_t)blocks_per_sm(f, (unsigned)threads, l->smem) *
		       (unsigned)a[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
		if (!a[CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH])
			return CUDA_ERROR_NOT_SUPPORTED;
		if (blocks > most || blocks * l->grid[2] > most)
			return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	}
	return check_cluster(f, l);
}

/* stream.c */
CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned int flags);

/* One launch. The time it takes is spent by the caller, without the lock. */
static CUresult
launch(CUfunction func, struct launch *l, CUstream stream, unsigned *ns)
{
	CUresult rc;
	struct func *f;
	struct stream *s;
	struct capture *cap;

	*ns = 0;
	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS ||
	    (rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (s->o.ctx != f->o.ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	if (l->cluster[0] == 0 && f->cluster[0] > 0 && f->cluster[1] > 0 &&
	    f->cluster[2] > 0)
		for (int i = 0; i < 3; i++)
			l->cluster[i] = (unsigned)f->cluster[i];
	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS ||
	    (rc = kn_spoilt(cap, kn_launch_check(f, l))) != CUDA_SUCCESS)
		return rc;
	if (cap != NULL) {
		kn_captured(s, kn_graph_kernel(cap, s, f, l));
		return CUDA_SUCCESS;
	}
	kn_count(KN_LAUNCH, 1);
	*ns = f->o.ctx->dev->launch_ns;
	return CUDA_SUCCESS;
}

static CUresult
launch_and_spend(CUfunction func, struct launch *l, CUstream stream)
{
	uint64_t start = kn_now();
	unsigned ns;
	CUresult rc;
	{
		GUARD;

		rc = launch(func, l, stream, &ns);
	}
	kn_spend(start, ns);
	return rc;
}

API CUresult
cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
	       unsigned int bx, unsigned int by, unsigned int bz,
	       unsigned int smem, CUstream s, void **params, void **extra)
{
	struct launch l = {.grid = {gx, gy, gz},
			   .block = {bx, by, bz},
			   .smem = smem,
			   .params = params,
			   .extra = extra};

	return launch_and_spend(f, &l, s);
}

API CUresult
cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy,
			  unsigned int gz, unsigned int bx, unsigned int by,
			  unsigned int bz, unsigned int smem, CUstream s,
			  void **params)
{
	struct launch l = {.grid = {gx, gy, gz},
			   .block = {bx, by, bz},
			   .smem = smem,
			   .cooperative = true,
			   .params = params};

	return launch_and_spend(f, &l, s);
}

#define NEWEST_ATTRIBUTE 16 /* of CUDA 13.0 */

API CUresult
cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params,
		 void **extra)
{
	struct launch l = {.params = params, .extra = extra};
	CUevent record[8];
	unsigned nrecord = 0;
	CUresult rc;

	if (c == NULL || (c->numAttrs != 0 && c->attrs == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	l.grid[0] = c->gridDimX;
	l.grid[1] = c->gridDimY;
	l.grid[2] = c->gridDimZ;
	l.block[0] = c->blockDimX;
	l.block[1] = c->blockDimY;
	l.block[2] = c->blockDimZ;
	l.smem = c->sharedMemBytes;
	for (unsigned i = 0; i < c->numAttrs; i++) {
		const CUlaunchAttribute *a = &c->attrs[i];

		switch (a->id) {
		case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
			l.cooperative = a->value.cooperative != 0;
			break;
		case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
			l.cluster[0] = a->value.clusterDim.x;
			l.cluster[1] = a->value.clusterDim.y;
			l.cluster[2] = a->value.clusterDim.z;
			if (l.cluster[0] == 0 &&
			    (l.cluster[1] | l.cluster[2]) != 0)
				return CUDA_ERROR_INVALID_CLUSTER_SIZE;
			break;
		case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
		case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
			if (nrecord == sizeof(record) / sizeof(*record))
				return CUDA_ERROR_INVALID_VALUE;
			record[nrecord++] = a->value.programmaticEvent.event;
			break;
		default:
			/* 3 is a stream's, and 15 nobody's. */
			if (a->id < 0 || a->id == 3 || a->id == 15 ||
			    a->id > NEWEST_ATTRIBUTE)
				return CUDA_ERROR_INVALID_VALUE;
		}
	}
	rc = launch_and_spend(f, &l, c->hStream);
	for (unsigned i = 0; i < nrecord && rc == CUDA_SUCCESS; i++)
		rc = cuEventRecordWithFlags(record[i], c->hStream, 0);
	return rc;
}

/* One call, a launch a device: each in a stream of its own device. */
API CUresult
cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned int n,
				     unsigned int flags)
{
	uint64_t start = kn_now();
	unsigned ns = 0;
	CUresult rc = CUDA_SUCCESS;
	{
		GUARD;

		if (kn_ctx(&rc) == NULL)
			return rc;
		if (list == NULL || n == 0 || n > (unsigned)kn_ndevs ||
		    flags > 3)
			return CUDA_ERROR_INVALID_VALUE;
		for (unsigned i = 0; i < n; i++) {
			struct func *f = kn_get(list[i].function, K_FUNC);
			struct stream *s = kn_get(list[i].hStream, K_STREAM);

			if (f == NULL || s == NULL || s->o.ctx != f->o.ctx)
				return CUDA_ERROR_INVALID_HANDLE;
			if (s->cap != NULL)
				return kn_may_wait(s);
			for (unsigned j = 0; j < i; j++) {
				struct stream *t =
					kn_get(list[j].hStream, K_STREAM);

				if (t->o.ctx->dev == s->o.ctx->dev)
					return CUDA_ERROR_INVALID_DEVICE;
			}
		}
		for (unsigned i = 0; i < n && rc == CUDA_SUCCESS; i++) {
			const CUDA_LAUNCH_PARAMS *p = &list[i];
			struct launch l = {
				.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
				.block = {p->blockDimX, p->blockDimY,
					  p->blockDimZ},
				.smem = p->sharedMemBytes,
				.cooperative = true,
				.params = p->kernelParams};

			rc = kn_launch_check(kn_get(p->function, K_FUNC), &l);
		}
		if (rc != CUDA_SUCCESS)
			return rc;
		kn_count(KN_LAUNCH, n);
		ns = kn_devs[0].launch_ns;
	}
	kn_spend(start, ns);
	return CUDA_SUCCESS;
}

/* --- the calls of before CUDA 4: the shape is kept by the function --- */

API CUresult
cuFuncSetBlockShape(CUfunction func, int x, int y, int z)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	if (x <= 0 || y <= 0 || z <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	f->shape[0] = (unsigned)x;
	f->shape[1] = (unsigned)y;
	f->shape[2] = (unsigned)z;
	return CUDA_SUCCESS;
}

API CUresult
cuFuncSetSharedSize(CUfunction func, unsigned int bytes)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	f->shared = bytes;
	return CUDA_SUCCESS;
}

API CUresult
cuParamSetSize(CUfunction func, unsigned int bytes)
{
	CUresult rc;
	struct func *f;
	GUARD;

	(void)bytes;
	rc = kn_func(func, NULL, &f);
	return rc;
}

API CUresult
cuParamSeti(CUfunction func, int offset, unsigned int value)
{
	CUresult rc;
	struct func *f;
	GUARD;

	(void)value;
	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return offset < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API CUresult
cuParamSetf(CUfunction func, int offset, float value)
{
	CUresult rc;
	struct func *f;
	GUARD;

	(void)value;
	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return offset < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API CUresult
cuParamSetv(CUfunction func, int offset, void *p, unsigned int bytes)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return offset < 0 || (p == NULL && bytes != 0)
		       ? CUDA_ERROR_INVALID_VALUE
		       : CUDA_SUCCESS;
}

API CUresult
cuLaunchGridAsync(CUfunction func, int width, int height, CUstream stream)
{
	struct launch l = {.legacy = true};
	{
		struct func *f;
		CUresult rc;
		GUARD;

		if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
			return rc;
		if (width <= 0 || height <= 0)
			return CUDA_ERROR_INVALID_VALUE;
		l.grid[0] = (unsigned)width;
		l.grid[1] = (unsigned)height;
		l.grid[2] = 1;
		for (int i = 0; i < 3; i++)
			l.block[i] = f->shape[i] != 0 ? f->shape[i] : 1;
		l.smem = f->shared;
	}
	return launch_and_spend(func, &l, stream);
}

API CUresult
cuLaunchGrid(CUfunction func, int width, int height)
{
	return cuLaunchGridAsync(func, width, height, NULL);
}

API CUresult
cuLaunch(CUfunction func)
{
	return cuLaunchGridAsync(func, 1, 1, NULL);
}

/* --- occupancy --- */

API CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, CUfunction func,
						     int threads, size_t smem,
						     unsigned int flags)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || threads <= 0 || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	*out = threads > f->o.ctx->dev->attr
				       [CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK]
		       ? 0
		       : (int)blocks_per_sm(f, (unsigned)threads, smem);
	return CUDA_SUCCESS;
}

API CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction func,
					    int threads, size_t smem)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		out, func, threads, smem, 0);
}

/* The block size, in whole warps, that keeps most threads on a
 * multiprocessor; the larger of equals.
 */
API CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
					  CUfunction func,
					  CUoccupancyB2DSize smem_of,
					  size_t smem, int limit,
					  unsigned int flags)
{
	CUresult rc;
	struct func *f;
	unsigned most, best = 0, best_blocks = 0, warp, sms;
	{
		GUARD;

		if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
			return rc;
		if (grid == NULL || block == NULL || flags > 1 || limit < 0)
			return CUDA_ERROR_INVALID_VALUE;
		most = kn_func_threads(f);
		warp = (unsigned)f->o.ctx->dev
			       ->attr[CU_DEVICE_ATTRIBUTE_WARP_SIZE];
		sms = (unsigned)f->o.ctx->dev
			      ->attr[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
	}
	if (limit != 0 && (unsigned)limit < most)
		most = (unsigned)limit;
	for (unsigned t = most / warp * warp; t >= warp; t -= warp) {
		size_t bytes = smem_of != NULL ? smem_of((int)t) : smem;
		int n;

		rc = cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, func,
								 (int)t, bytes);
		if (rc != CUDA_SUCCESS)
			return rc;
		if ((unsigned)n * t > best * best_blocks) {
			best = t;
			best_blocks = (unsigned)n;
		}
	}
	*block = (int)best;
	*grid = (int)(best_blocks * sms);
	return CUDA_SUCCESS;
}

API CUresult
cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction func,
				 CUoccupancyB2DSize smem_of, size_t smem,
				 int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(
		grid, block, func, smem_of, smem, limit, 0);
}

API CUresult
cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, CUfunction func,
					int blocks, int threads)
{
	CUresult rc;
	struct func *f;
	const int *a;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || blocks <= 0 || threads <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if ((unsigned)blocks > blocks_per_sm(f, (unsigned)threads, 0))
		return CUDA_ERROR_INVALID_VALUE;
	a = f->o.ctx->dev->attr;
	*out = (size_t)(a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] /
				blocks / 128 * 128 -
			a[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK]) -
	       f->entry->smem;
	if (*out > (size_t)kn_func_dynamic(f))
		*out = (size_t)kn_func_dynamic(f);
	return CUDA_SUCCESS;
}

static CUresult
cluster_query(int *out, CUfunction func, const CUlaunchConfig *c, bool size)
{
	CUresult rc;
	struct func *f;
	struct launch l = {.grid = {1, 1, 1}};
	unsigned n, blocks;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || c == NULL || (c->numAttrs != 0 && c->attrs == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	if (!f->o.ctx->dev->attr[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH])
		return CUDA_ERROR_NOT_SUPPORTED;
	for (unsigned i = 0; i < c->numAttrs; i++)
		if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
			l.cluster[0] = c->attrs[i].value.clusterDim.x;
			l.cluster[1] = c->attrs[i].value.clusterDim.y;
			l.cluster[2] = c->attrs[i].value.clusterDim.z;
		}
	if (size) {
		*out = f->nonportable ? 16 : 8;
		return CUDA_SUCCESS;
	}
	l.grid[0] = c->gridDimX;
	l.grid[1] = c->gridDimY;
	l.grid[2] = c->gridDimZ;
	if (l.cluster[0] == 0)
		l.cluster[0] = l.cluster[1] = l.cluster[2] = 1;
	if ((rc = check_cluster(f, &l)) != CUDA_SUCCESS)
		return rc;
	n = l.cluster[0] * l.cluster[1] * l.cluster[2];
	blocks = blocks_per_sm(f, c->blockDimX * c->blockDimY * c->blockDimZ,
			       c->sharedMemBytes) *
		 (unsigned)f->o.ctx->dev
			 ->attr[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
	*out = (int)(blocks / n);
	return CUDA_SUCCESS;
}

API CUresult
cuOccupancyMaxPotentialClusterSize(int *out, CUfunction func,
				   const CUlaunchConfig *c)
{
	GUARD;

	return cluster_query(out, func, c, true);
}

API CUresult
cuOccupancyMaxActiveClusters(int *out, CUfunction func, const CUlaunchConfig *c)
{
	GUARD;

	return cluster_query(out, func, c, false);
}

/* --- the flavours whose default stream is the thread's own --- */

API CUresult
cuLaunchKernel_ptsz(CUfunction f, unsigned int gx, unsigned int gy,
		    unsigned int gz, unsigned int bx, unsigned int by,
		    unsigned int bz, unsigned int smem, CUstream s,
		    void **params, void **extra)
{
	return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, smem, PTS(s), params,
			      extra);
}

API CUresult
cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gx, unsigned int gy,
			       unsigned int gz, unsigned int bx,
			       unsigned int by, unsigned int bz,
			       unsigned int smem, CUstream s, void **params)
{
	return cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, smem,
					 PTS(s), params);
}

API CUresult
cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction f, void **params,
		      void **extra)
{
	CUlaunchConfig own;

	if (c == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	own = *c;
	own.hStream = PTS(c->hStream);
	return cuLaunchKernelEx(&own, f, params, extra);
}
