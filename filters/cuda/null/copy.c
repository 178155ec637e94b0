/*
 * copy: copies and memsets. What goes to the device is checked and dropped;
 * what comes from it is zeros, and is recorded as a read. Between places that
 * the program sees, bytes do move. See LICENSE.
 */
#define _GNU_SOURCE /* process_vm_readv */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "null.h"

struct array {
	struct obj o;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	CUdeviceptr mem;
};

/* --- bytes that move --- */

/* Zeros over whole pages of the driver's own host memory need no pages. */
static void
zero(char *p, size_t n)
{
	struct block *b;
	const size_t page = 4096;
	size_t head;

	if (n >= (size_t)1 << 20 &&
	    (b = kn_block((uint64_t)(uintptr_t)p)) != NULL &&
	    (b->where == W_PINNED || b->where == W_MANAGED)) {
		head = -(uintptr_t)p & (page - 1);
		if (madvise(p + head, (n - head) & ~(page - 1),
			    MADV_DONTNEED) == 0) {
			memset(p, 0, head);
			p += head + ((n - head) & ~(page - 1));
			n = (n - head) & (page - 1);
		}
	}
	memset(p, 0, n);
}

static void
fill(char *p, size_t n, unsigned value, unsigned elem)
{
	if (value == 0) {
		zero(p, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		p[i] = (char)(value >> 8 * (i % elem));
}

void
kn_move(const struct move *m)
{
	for (size_t k = 0; k < m->depth; k++)
		for (size_t j = 0; j < m->height; j++) {
			char *d = m->dst + k * m->dslice + j * m->dpitch;

			if (m->src == NULL)
				fill(d, m->width, m->value, m->elem);
			else
				memmove(d,
					m->src + k * m->sslice + j * m->spitch,
					m->width);
		}
}

/* --- what is on a side of a copy --- */

struct side {
	bool shows; /* to the program */
	char *p;
	size_t pitch, slice;
};

/* Whether a byte of the program's can be read; asked of the system, so that a
 * pointer that is neither the program's nor the device's is an error and no
 * fault.
 */
static bool
readable(const void *p)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {(void *)(uintptr_t)p, 1};

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1)
		return true;
	return errno != EFAULT;
}

/* A device pointer: an allocation's, with so many bytes in it. */
CUresult
kn_range(CUdeviceptr p, uint64_t size, bool *shows)
{
	struct block *b = kn_block(p);

	if (b == NULL || size > b->addr + b->size - p ||
	    (b->where == W_RESERVED && !b->mapped))
		return CUDA_ERROR_INVALID_VALUE;
	*shows = b->where != W_DEVICE && b->where != W_RESERVED;
	return CUDA_SUCCESS;
}

/* Look at one side: its kind of memory, base and offset, and its extent. */
static CUresult
look(struct side *out, int type, const void *host, CUdeviceptr dev,
     CUarray array, const size_t at[3], size_t pitch, size_t rows,
     const size_t size[3])
{
	uint64_t base, off, end;
	struct block *b;

	memset(out, 0, sizeof(*out));
	if (type == CU_MEMORYTYPE_ARRAY) {
		return kn_get(array, K_ARRAY) != NULL
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;
	}
	if (pitch == 0)
		pitch = at[0] + size[0];
	if (rows == 0)
		rows = at[1] + size[1];
	if (at[0] + size[0] > pitch || at[1] + size[1] > rows)
		return CUDA_ERROR_INVALID_VALUE;
	out->pitch = pitch;
	out->slice = pitch * rows;
	off = at[2] * out->slice + at[1] * pitch + at[0];
	end = (size[2] - 1) * out->slice + (size[1] - 1) * pitch + size[0];
	switch (type) {
	case CU_MEMORYTYPE_HOST:
		base = (uint64_t)(uintptr_t)host;
		break;
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED:
		base = dev;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (base == 0)
		return CUDA_ERROR_INVALID_VALUE;
	base += off;
	out->p = (char *)(uintptr_t)base;
	b = kn_block(base);
	if (b != NULL)
		return kn_range(base, end, &out->shows);
	/* Not the driver's: the program's own memory. */
	if (type == CU_MEMORYTYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_MEMORYTYPE_UNIFIED &&
	    (!readable(out->p) || !readable(out->p + end - 1)))
		return CUDA_ERROR_INVALID_VALUE;
	out->shows = true;
	return CUDA_SUCCESS;
}

/* Check a copy, and tell what of it is to be done. */
CUresult
kn_copy_check(const CUDA_MEMCPY3D *c, struct copy *out)
{
	const size_t size[3] = {c->WidthInBytes, c->Height, c->Depth};
	const size_t from[3] = {c->srcXInBytes, c->srcY, c->srcZ};
	const size_t to[3] = {c->dstXInBytes, c->dstY, c->dstZ};
	struct side src, dst;
	CUresult rc;

	memset(out, 0, sizeof(*out));
	if (size[0] == 0 || size[1] == 0 || size[2] == 0)
		return CUDA_SUCCESS;
	for (int i = 0; i < 3; i++)
		if ((size[i] | from[i] | to[i]) >> 47 != 0)
			return CUDA_ERROR_INVALID_VALUE;
	rc = look(&src, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
		  from, c->srcPitch, c->srcHeight, size);
	if (rc == CUDA_SUCCESS)
		rc = look(&dst, c->dstMemoryType, c->dstHost, c->dstDevice,
			  c->dstArray, to, c->dstPitch, c->dstHeight, size);
	if (rc != CUDA_SUCCESS)
		return rc;
	out->bytes = size[0] * size[1] * size[2];
	if (!dst.shows)
		return CUDA_SUCCESS;
	out->shows = true;
	out->read = !src.shows;
	out->move = (struct move){
		.dst = dst.p,
		.src = src.shows ? src.p : NULL,
		.width = size[0],
		.height = size[1],
		.depth = size[2],
		.dpitch = dst.pitch,
		.dslice = dst.slice,
		.spitch = src.pitch,
		.sslice = src.slice,
		.elem = 1,
	};
	return CUDA_SUCCESS;
}

/* Do a checked copy in a stream, and record it. */
void
kn_copy_do(struct stream *s, const struct copy *c, const char *entry)
{
	if (c->bytes == 0)
		return;
	kn_count(KN_MEMCPY, 1);
	if (c->read)
		kn_record_read(c->bytes, entry);
	if (c->shows)
		kn_op_move(s, &c->move);
}

/* --- the calls --- */

/* An asynchronous copy: recorded by a capture, or done. */
static CUresult
copy_async(const CUDA_MEMCPY3D *c, CUstream stream, const char *entry)
{
	CUresult rc;
	struct stream *s;
	struct capture *cap;
	struct copy copy;

	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS ||
	    (rc = kn_copy_check(c, &copy)) != CUDA_SUCCESS)
		return rc;
	if (cap == NULL)
		kn_copy_do(s, &copy, entry);
	else if (copy.bytes != 0)
		kn_captured(s, kn_graph_copy(cap, s, c));
	return CUDA_SUCCESS;
}

/* A copy that is done when the call returns. */
static CUresult
copy_sync(const CUDA_MEMCPY3D *c, CUstream stream, const char *entry)
{
	CUresult rc;
	struct stream *s;
	struct copy copy;
	struct op *op;

	if ((rc = kn_sync_call(&s, stream)) != CUDA_SUCCESS ||
	    (rc = kn_copy_check(c, &copy)) != CUDA_SUCCESS)
		return rc;
	kn_copy_do(s, &copy, entry);
	op = kn_op_mark(s);
	kn_op_wait(op);
	kn_op_unref(op);
	return CUDA_SUCCESS;
}

/* A copy of one row. */
static CUDA_MEMCPY3D
row(int to, uint64_t dst, int from, uint64_t src, size_t n)
{
	CUDA_MEMCPY3D c = {0};

	c.dstMemoryType = to;
	c.dstDevice = dst;
	c.dstHost = (void *)(uintptr_t)dst;
	c.srcMemoryType = from;
	c.srcDevice = src;
	c.srcHost = (void *)(uintptr_t)src;
	c.WidthInBytes = n;
	c.Height = c.Depth = 1;
	return c;
}

#define H CU_MEMORYTYPE_HOST
#define D CU_MEMORYTYPE_DEVICE
#define U CU_MEMORYTYPE_UNIFIED
#define ADDR(p) ((uint64_t)(uintptr_t)(p))

/* One linear copy has four entry points: it waits or not, and its default
 * stream is the legacy one or the thread's own.
 */
#define LINEAR(NAME, V, DT, ST, TO, FROM)                                      \
	API CUresult cuMemcpy##NAME##V(DT dst, ST src, size_t n)               \
	{                                                                      \
		CUDA_MEMCPY3D c = row(TO, ADDR(dst), FROM, ADDR(src), n);      \
		GUARD;                                                         \
                                                                               \
		return copy_sync(&c, NULL, "cuMemcpy" #NAME);                  \
	}                                                                      \
	API CUresult cuMemcpy##NAME##V##_ptds(DT dst, ST src, size_t n)        \
	{                                                                      \
		CUDA_MEMCPY3D c = row(TO, ADDR(dst), FROM, ADDR(src), n);      \
		GUARD;                                                         \
                                                                               \
		return copy_sync(&c, CU_STREAM_PER_THREAD, "cuMemcpy" #NAME);  \
	}                                                                      \
	API CUresult cuMemcpy##NAME##Async##V(DT dst, ST src, size_t n,        \
					      CUstream s)                      \
	{                                                                      \
		CUDA_MEMCPY3D c = row(TO, ADDR(dst), FROM, ADDR(src), n);      \
		GUARD;                                                         \
                                                                               \
		return copy_async(&c, s, "cuMemcpy" #NAME "Async");            \
	}                                                                      \
	API CUresult cuMemcpy##NAME##Async##V##_ptsz(DT dst, ST src, size_t n, \
						     CUstream s)               \
	{                                                                      \
		CUDA_MEMCPY3D c = row(TO, ADDR(dst), FROM, ADDR(src), n);      \
		GUARD;                                                         \
                                                                               \
		return copy_async(&c, PTS(s), "cuMemcpy" #NAME "Async");       \
	}

LINEAR(HtoD, _v2, CUdeviceptr, const void *, D, H)
LINEAR(DtoH, _v2, void *, CUdeviceptr, H, D)
LINEAR(DtoD, _v2, CUdeviceptr, CUdeviceptr, D, D)
LINEAR(, , CUdeviceptr, CUdeviceptr, U, U)

/* Copies between contexts: both pointers say whose they are. */
#define PEER(SUFFIX, PROTO, CALL, STREAM)                  \
	API CUresult cuMemcpyPeer##SUFFIX PROTO            \
	{                                                  \
		CUDA_MEMCPY3D c = row(D, dst, D, src, n);  \
		GUARD;                                     \
                                                           \
		if (kn_get(dctx, K_CTX) == NULL ||         \
		    kn_get(sctx, K_CTX) == NULL)           \
			return CUDA_ERROR_INVALID_CONTEXT; \
		return CALL(&c, STREAM, "cuMemcpyPeer");   \
	}

PEER(,
     (CUdeviceptr dst, CUcontext dctx, CUdeviceptr src, CUcontext sctx,
      size_t n),
     copy_sync, NULL)
PEER(_ptds,
     (CUdeviceptr dst, CUcontext dctx, CUdeviceptr src, CUcontext sctx,
      size_t n),
     copy_sync, CU_STREAM_PER_THREAD)
PEER(Async,
     (CUdeviceptr dst, CUcontext dctx, CUdeviceptr src, CUcontext sctx,
      size_t n, CUstream s),
     copy_async, s)
PEER(Async_ptsz,
     (CUdeviceptr dst, CUcontext dctx, CUdeviceptr src, CUcontext sctx,
      size_t n, CUstream s),
     copy_async, PTS(s))

/* A pitched copy as a copy of one slice. */
static CUDA_MEMCPY3D
slice(const CUDA_MEMCPY2D *p)
{
	CUDA_MEMCPY3D c = {0};

	c.srcXInBytes = p->srcXInBytes;
	c.srcY = p->srcY;
	c.srcMemoryType = p->srcMemoryType;
	c.srcHost = p->srcHost;
	c.srcDevice = p->srcDevice;
	c.srcArray = p->srcArray;
	c.srcPitch = p->srcPitch;
	c.dstXInBytes = p->dstXInBytes;
	c.dstY = p->dstY;
	c.dstMemoryType = p->dstMemoryType;
	c.dstHost = p->dstHost;
	c.dstDevice = p->dstDevice;
	c.dstArray = p->dstArray;
	c.dstPitch = p->dstPitch;
	c.WidthInBytes = p->WidthInBytes;
	c.Height = p->Height;
	c.Depth = 1;
	return c;
}

#define PITCHED(NAME, PROTO, TYPE, AS3D, CALL, STREAM)   \
	API CUresult NAME PROTO                          \
	{                                                \
		CUDA_MEMCPY3D c;                         \
		GUARD;                                   \
                                                         \
		if (p == NULL)                           \
			return CUDA_ERROR_INVALID_VALUE; \
		c = AS3D;                                \
		return CALL(&c, STREAM, #NAME);          \
	}

PITCHED(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *p), 2D, slice(p), copy_sync, NULL)
PITCHED(cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D *p), 2D, slice(p), copy_sync,
	CU_STREAM_PER_THREAD)
PITCHED(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *p), 2D, slice(p),
	copy_sync, NULL)
PITCHED(cuMemcpy2DUnaligned_v2_ptds, (const CUDA_MEMCPY2D *p), 2D, slice(p),
	copy_sync, CU_STREAM_PER_THREAD)
PITCHED(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *p, CUstream s), 2D, slice(p),
	copy_async, s)
PITCHED(cuMemcpy2DAsync_v2_ptsz, (const CUDA_MEMCPY2D *p, CUstream s), 2D,
	slice(p), copy_async, PTS(s))
PITCHED(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *p), 3D, *p, copy_sync, NULL)
PITCHED(cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D *p), 3D, *p, copy_sync,
	CU_STREAM_PER_THREAD)
PITCHED(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *p, CUstream s), 3D, *p,
	copy_async, s)
PITCHED(cuMemcpy3DAsync_v2_ptsz, (const CUDA_MEMCPY3D *p, CUstream s), 3D, *p,
	copy_async, PTS(s))
/* The peer's form differs in two words that are not looked at. */
PITCHED(cuMemcpy3DPeer, (const CUDA_MEMCPY3D *p), 3D, *p, copy_sync, NULL)
PITCHED(cuMemcpy3DPeer_ptds, (const CUDA_MEMCPY3D *p), 3D, *p, copy_sync,
	CU_STREAM_PER_THREAD)
PITCHED(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D *p, CUstream s), 3D, *p,
	copy_async, s)
PITCHED(cuMemcpy3DPeerAsync_ptsz, (const CUDA_MEMCPY3D *p, CUstream s), 3D, *p,
	copy_async, PTS(s))

/* Many copies in one call; it fails at the first that is wrong. */
static CUresult
batch(CUdeviceptr *dst, CUdeviceptr *src, size_t *size, size_t n, size_t *bad,
      CUstream stream)
{
	CUresult rc;
	struct stream *s;
	struct capture *cap;

	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS)
		return rc;
	/* The default streams cannot take a batch. */
	if (dst == NULL || src == NULL || size == NULL || n == 0 ||
	    s->what != S_NORMAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (cap != NULL)
		return kn_may_wait(s);
	for (size_t i = 0; i < n; i++) {
		CUDA_MEMCPY3D c = row(U, dst[i], U, src[i], size[i]);
		struct copy copy;

		rc = kn_copy_check(&c, &copy);
		if (rc != CUDA_SUCCESS) {
			if (bad != NULL)
				*bad = i;
			return rc;
		}
		kn_copy_do(s, &copy, "cuMemcpyBatchAsync");
	}
	return CUDA_SUCCESS;
}

API CUresult
cuMemcpyBatchAsync(CUdeviceptr *dst, CUdeviceptr *src, size_t *size, size_t n,
		   void *attrs, size_t *index, size_t nattrs, size_t *bad,
		   CUstream s)
{
	GUARD;

	(void)attrs;
	(void)index;
	(void)nattrs;
	return batch(dst, src, size, n, bad, s);
}

API CUresult
cuMemcpyBatchAsync_ptsz(CUdeviceptr *dst, CUdeviceptr *src, size_t *size,
			size_t n, void *attrs, size_t *index, size_t nattrs,
			size_t *bad, CUstream s)
{
	return cuMemcpyBatchAsync(dst, src, size, n, attrs, index, nattrs, bad,
				  PTS(s));
}

API CUresult
cuMemcpyBatchAsync_v2(const CUdeviceptr *dst, const CUdeviceptr *src,
		      const size_t *size, size_t n, void *attrs, size_t *index,
		      size_t nattrs, CUstream s)
{
	GUARD;

	(void)attrs;
	(void)index;
	(void)nattrs;
	return batch((CUdeviceptr *)(uintptr_t)dst,
		     (CUdeviceptr *)(uintptr_t)src, (size_t *)(uintptr_t)size,
		     n, NULL, s);
}

API CUresult
cuMemcpyBatchAsync_v2_ptsz(const CUdeviceptr *dst, const CUdeviceptr *src,
			   const size_t *size, size_t n, void *attrs,
			   size_t *index, size_t nattrs, CUstream s)
{
	return cuMemcpyBatchAsync_v2(dst, src, size, n, attrs, index, nattrs,
				     PTS(s));
}

/* --- memset --- */

/* Check a memset; what of it shows is done by move. */
CUresult
kn_memset_check(const CUDA_MEMSET_NODE_PARAMS *m, struct move *out, bool *shows)
{
	uint64_t row_bytes, all, pitch;
	CUresult rc;

	*shows = false;
	memset(out, 0, sizeof(*out));
	if ((m->elementSize != 1 && m->elementSize != 2 &&
	     m->elementSize != 4) ||
	    m->dst % m->elementSize != 0 || m->width >> 45 != 0 ||
	    m->height >> 45 != 0)
		return CUDA_ERROR_INVALID_VALUE;
	row_bytes = m->width * m->elementSize;
	pitch = m->height > 1 ? m->pitch : row_bytes;
	if (m->width == 0 || m->height == 0)
		return CUDA_SUCCESS;
	if (pitch < row_bytes || pitch % m->elementSize != 0 ||
	    __builtin_mul_overflow(pitch, m->height - 1, &all) ||
	    __builtin_add_overflow(all, row_bytes, &all))
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = kn_range(m->dst, all, shows)) != CUDA_SUCCESS)
		return rc;
	*out = (struct move){
		.dst = (char *)(uintptr_t)m->dst,
		.width = row_bytes,
		.height = m->height,
		.depth = 1,
		.dpitch = pitch,
		.value = m->value,
		.elem = m->elementSize,
	};
	return CUDA_SUCCESS;
}

static CUresult
set(CUdeviceptr p, size_t pitch, unsigned value, unsigned elem, size_t width,
    size_t height, CUstream stream, bool sync)
{
	const CUDA_MEMSET_NODE_PARAMS m = {p,	  pitch,  value, elem,
					   width, height, NULL};
	CUresult rc;
	struct stream *s;
	struct capture *cap = NULL;
	struct move move;
	bool shows;

	rc = sync ? kn_sync_call(&s, stream) : kn_enqueue(stream, &s, &cap);
	if (rc != CUDA_SUCCESS ||
	    (rc = kn_memset_check(&m, &move, &shows)) != CUDA_SUCCESS)
		return rc;
	if (width == 0 || height == 0)
		return CUDA_SUCCESS;
	if (cap != NULL) {
		kn_captured(s, kn_graph_memset(cap, s, &m));
		return CUDA_SUCCESS;
	}
	kn_count(KN_MEMSET, 1);
	if (shows)
		kn_op_move(s, &move);
	return CUDA_SUCCESS;
}

#define MEMSET(BITS, V, TYPE)                                                 \
	API CUresult cuMemsetD##BITS##_v2(CUdeviceptr p, TYPE v, size_t n)    \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, 0, v, BITS / 8, n, 1, NULL, true);              \
	}                                                                     \
	API CUresult cuMemsetD##BITS##_v2_ptds(CUdeviceptr p, TYPE v,         \
					       size_t n)                      \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, 0, v, BITS / 8, n, 1, CU_STREAM_PER_THREAD,     \
			   true);                                             \
	}                                                                     \
	API CUresult cuMemsetD##BITS##Async(CUdeviceptr p, TYPE v, size_t n,  \
					    CUstream s)                       \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, 0, v, BITS / 8, n, 1, s, false);                \
	}                                                                     \
	API CUresult cuMemsetD##BITS##Async_ptsz(CUdeviceptr p, TYPE v,       \
						 size_t n, CUstream s)        \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, 0, v, BITS / 8, n, 1, PTS(s), false);           \
	}                                                                     \
	API CUresult cuMemsetD2D##BITS##_v2(CUdeviceptr p, size_t pitch,      \
					    TYPE v, size_t w, size_t h)       \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, pitch, v, BITS / 8, w, h, NULL, true);          \
	}                                                                     \
	API CUresult cuMemsetD2D##BITS##_v2_ptds(CUdeviceptr p, size_t pitch, \
						 TYPE v, size_t w, size_t h)  \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, pitch, v, BITS / 8, w, h, CU_STREAM_PER_THREAD, \
			   true);                                             \
	}                                                                     \
	API CUresult cuMemsetD2D##BITS##Async(CUdeviceptr p, size_t pitch,    \
					      TYPE v, size_t w, size_t h,     \
					      CUstream s)                     \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, pitch, v, BITS / 8, w, h, s, false);            \
	}                                                                     \
	API CUresult cuMemsetD2D##BITS##Async_ptsz(                           \
		CUdeviceptr p, size_t pitch, TYPE v, size_t w, size_t h,      \
		CUstream s)                                                   \
	{                                                                     \
		GUARD;                                                        \
                                                                              \
		return set(p, pitch, v, BITS / 8, w, h, PTS(s), false);       \
	}

MEMSET(8, _v2, unsigned char)
MEMSET(16, _v2, unsigned short)
MEMSET(32, _v2, unsigned int)

/* --- arrays: the device's alone --- */

static size_t
element_size(int format, unsigned channels)
{
	size_t one;

	switch (format) {
	case 0x01: /* 8 bits, without and with sign */
	case 0x08:
		one = 1;
		break;
	case 0x02: /* 16 bits, and half */
	case 0x09:
	case 0x10:
		one = 2;
		break;
	case 0x03: /* 32 bits, and float */
	case 0x0a:
	case 0x20:
		one = 4;
		break;
	default:
		return 0;
	}
	return channels == 1 || channels == 2 || channels == 4 ? one * channels
							       : 0;
}

API CUresult
cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	CUresult rc;
	struct ctx *c;
	struct array *a;
	size_t size, h, d;
	CUdeviceptr mem;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || desc == NULL || desc->Width == 0)
		return CUDA_ERROR_INVALID_VALUE;
	size = element_size(desc->Format, desc->NumChannels);
	h = desc->Height ? desc->Height : 1;
	d = desc->Depth ? desc->Depth : 1;
	if (size == 0 || __builtin_mul_overflow(size, desc->Width, &size) ||
	    __builtin_mul_overflow(size, h, &size) ||
	    __builtin_mul_overflow(size, d, &size))
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = kn_take(c->dev, c, NULL, size, &mem)) != CUDA_SUCCESS)
		return rc;
	a = kn_alloc(sizeof(*a));
	kn_new(&a->o, K_ARRAY, c);
	a->desc = *desc;
	a->mem = mem;
	*out = HANDLE(a);
	return CUDA_SUCCESS;
}

API CUresult
cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *desc)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {0};

	if (desc == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	d.Width = desc->Width;
	d.Height = desc->Height;
	d.Format = desc->Format;
	d.NumChannels = desc->NumChannels;
	return cuArray3DCreate_v2(out, &d);
}

API CUresult
cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array)
{
	CUresult rc;
	struct array *a;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	if ((a = kn_get(array, K_ARRAY)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = a->desc;
	return CUDA_SUCCESS;
}

API CUresult
cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	CUresult rc = cuArray3DGetDescriptor_v2(&d, array);

	if (rc != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	out->Width = d.Width;
	out->Height = d.Height;
	out->Format = d.Format;
	out->NumChannels = d.NumChannels;
	return CUDA_SUCCESS;
}

API CUresult
cuArrayDestroy(CUarray array)
{
	CUresult rc;
	struct array *a;
	GUARD;

	if (kn_ctx(&rc) == NULL || (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if ((a = kn_get(array, K_ARRAY)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	kn_release(a->mem);
	kn_drop(&a->o);
	free(a);
	return CUDA_SUCCESS;
}
