/*
 * tensor: descriptions of tensors for the device's copy engine. Nothing reads
 * them here; they are checked by the rules of the CUDA Driver API reference
 * (Tensor Map Object Management) and written as zeros. See LICENSE.
 */
#include <string.h>

#include "null.h"

/* Bytes of an element, by CUtensorMapDataType; the packed types, from 13 on,
 * are counted by their 16 elements.
 */
static unsigned
element(int type)
{
	static const unsigned char size[] = {1, 2, 4, 4, 8, 8, 2,
					     4, 8, 2, 4, 4, 4};

	if (type >= 0 && type < (int)sizeof(size))
		return size[type];
	return type <= 15 ? 1 : 0;
}

static bool
integer(int type)
{
	return type < 6 || type > 12;
}

static CUresult
check(const CUtensorMap *out, int type, unsigned rank, const void *address,
      const uint64_t *dim, const uint64_t *stride, const unsigned *step,
      int interleave, int swizzle, int l2, int fill)
{
	struct dev *d;
	struct ctx *c;
	CUresult rc;
	uintptr_t align = interleave == 2 ? 32 : 16;
	bool newer; /* the packed types and wider atoms need sm_100 */

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	c = kn_ctx(&rc);
	d = c != NULL ? c->dev : &kn_devs[0];
	if (!d->attr[CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED])
		return CUDA_ERROR_NOT_SUPPORTED;
	if (out == NULL || (uintptr_t)out % 64 != 0 || element(type) == 0 ||
	    rank == 0 || rank > 5 || (uintptr_t)address % align != 0 ||
	    dim == NULL || step == NULL || (stride == NULL && rank > 1) ||
	    interleave < 0 || interleave > 2 || swizzle < 0 || swizzle > 6 ||
	    l2 < 0 || l2 > 3 || fill < 0 || fill > 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (interleave != 0 && rank < 3)
		return CUDA_ERROR_INVALID_VALUE;
	newer = d->attr[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] >= 10;
	if ((type > 12 || swizzle > 3) && !newer)
		return CUDA_ERROR_INVALID_VALUE;
	if (fill == 1 && integer(type)) /* no integer is not a number */
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < rank; i++) {
		if (dim[i] == 0 || dim[i] > (uint64_t)1 << 32 || step[i] == 0 ||
		    step[i] > 8)
			return CUDA_ERROR_INVALID_VALUE;
		if (i + 1 < rank &&
		    (stride[i] % align != 0 || stride[i] >= (uint64_t)1 << 40))
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

API CUresult
cuTensorMapEncodeTiled(CUtensorMap *out, int type, unsigned int rank,
		       void *address, const uint64_t *dim,
		       const uint64_t *stride, const unsigned int *box,
		       const unsigned int *step, int interleave, int swizzle,
		       int l2, int fill)
{
	static const unsigned most[] = {0, 32, 64, 128, 128, 128, 128};
	CUresult rc;
	GUARD;

	rc = check(out, type, rank, address, dim, stride, step, interleave,
		   swizzle, l2, fill);
	if (rc != CUDA_SUCCESS)
		return rc;
	if (box == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < rank; i++)
		if (box[i] == 0 || box[i] > 256)
			return CUDA_ERROR_INVALID_VALUE;
	if (interleave == 0 && box[0] * element(type) % 16 != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (interleave == 0 && swizzle != 0 &&
	    box[0] * element(type) > most[swizzle])
		return CUDA_ERROR_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	return CUDA_SUCCESS;
}

API CUresult
cuTensorMapEncodeIm2col(CUtensorMap *out, int type, unsigned int rank,
			void *address, const uint64_t *dim,
			const uint64_t *stride, const int *lower,
			const int *upper, unsigned int channels,
			unsigned int pixels, const unsigned int *step,
			int interleave, int swizzle, int l2, int fill)
{
	static const int least[] = {-32768, -128, -16};
	static const int most[] = {32767, 127, 15};
	CUresult rc;
	GUARD;

	rc = check(out, type, rank, address, dim, stride, step, interleave,
		   swizzle, l2, fill);
	if (rc != CUDA_SUCCESS)
		return rc;
	if (rank < 3 || lower == NULL || upper == NULL || channels > 256 ||
	    pixels > 1024)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i + 2 < rank; i++)
		if (lower[i] < least[rank - 3] || lower[i] > most[rank - 3] ||
		    upper[i] < least[rank - 3] || upper[i] > most[rank - 3])
			return CUDA_ERROR_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	return CUDA_SUCCESS;
}

API CUresult
cuTensorMapEncodeIm2colWide(CUtensorMap *out, int type, unsigned int rank,
			    void *address, const uint64_t *dim,
			    const uint64_t *stride, int lower, int upper,
			    unsigned int channels, unsigned int pixels,
			    const unsigned int *step, int interleave, int mode,
			    int swizzle, int l2, int fill)
{
	CUresult rc;
	struct ctx *c;
	GUARD;

	rc = check(out, type, rank, address, dim, stride, step, interleave,
		   swizzle, l2, fill);
	if (rc != CUDA_SUCCESS)
		return rc;
	c = kn_ctx(&rc);
	if (c != NULL &&
	    c->dev->attr[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] < 10)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (rank < 3 || channels > 256 || pixels > 1024 || mode < 0 ||
	    mode > 1 || lower < -32768 || lower > 32767 || upper < -32768 ||
	    upper > 32767)
		return CUDA_ERROR_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	return CUDA_SUCCESS;
}

API CUresult
cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (map == NULL || address == NULL || (uintptr_t)address % 16 != 0)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
