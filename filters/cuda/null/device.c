/* device: what a program may ask of a device; the profile answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "null.h"

API CUresult
cuDriverGetVersion(int *out)
{
	GUARD;

	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = kn_wake() == CUDA_SUCCESS ? kn_devs[0].driver_version
					 : CUDA_VERSION;
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetCount(int *out)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = kn_ndevs;
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGet(CUdevice *out, int ordinal)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = kn_dev(ordinal, &d)) == CUDA_SUCCESS)
		*out = ordinal;
	return rc;
}

API CUresult
cuDeviceGetName(char *name, int len, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (name == NULL || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(name, (size_t)len, "%s", d->name);
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetUuid_v2(CUuuid *out, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(out->bytes, "kc-null-device-", 15);
	out->bytes[15] = (char)dev;
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetUuid(CUuuid *out, CUdevice dev)
{
	return cuDeviceGetUuid_v2(out, dev);
}

API CUresult
cuDeviceTotalMem_v2(size_t *out, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = d->memory;
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetAttribute(int *out, int attr, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attr) {
#define A(number, name) case number:
#include "attr.def"
#undef A
		*out = d->attr[attr];
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

API CUresult
cuDeviceGetProperties(CUdevprop *out, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	out->maxThreadsPerBlock =
		d->attr[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
	for (int i = 0; i < 3; i++) {
		out->maxThreadsDim[i] =
			d->attr[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i];
		out->maxGridSize[i] =
			d->attr[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i];
	}
	out->sharedMemPerBlock =
		d->attr[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK];
	out->totalConstantMemory =
		d->attr[CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY];
	out->SIMDWidth = d->attr[CU_DEVICE_ATTRIBUTE_WARP_SIZE];
	out->memPitch = d->attr[CU_DEVICE_ATTRIBUTE_MAX_PITCH];
	out->regsPerBlock =
		d->attr[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK];
	out->clockRate = d->attr[CU_DEVICE_ATTRIBUTE_CLOCK_RATE];
	out->textureAlign = d->attr[CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT];
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (major == NULL || minor == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*major = d->attr[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR];
	*minor = d->attr[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
	return CUDA_SUCCESS;
}

/* Two devices of one machine never share a bus: the ordinal is added. */
static void
bus_id(char *out, size_t len, CUdevice dev)
{
	const int *a = kn_devs[dev].attr;

	snprintf(out, len, "%04x:%02x:%02x.0",
		 (unsigned)a[CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID] & 0xffff,
		 (unsigned)(a[CU_DEVICE_ATTRIBUTE_PCI_BUS_ID] + dev) & 0xff,
		 (unsigned)a[CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID] & 0xff);
}

API CUresult
cuDeviceGetPCIBusId(char *out, int len, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || len < 13)
		return CUDA_ERROR_INVALID_VALUE;
	bus_id(out, (size_t)len, dev);
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetByPCIBusId(CUdevice *out, const char *id)
{
	CUresult rc;
	char own[16];
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || id == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < kn_ndevs; i++) {
		bus_id(own, sizeof(own), i);
		if (strcmp(own, id) == 0) {
			*out = i;
			return CUDA_SUCCESS;
		}
	}
	return CUDA_ERROR_INVALID_DEVICE;
}

API CUresult
cuDeviceCanAccessPeer(int *out, CUdevice dev, CUdevice peer)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS ||
	    (rc = kn_dev(peer, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = dev != peer;
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetP2PAttribute(int *out, int attr, CUdevice src, CUdevice dst)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(src, &d)) != CUDA_SUCCESS ||
	    (rc = kn_dev(dst, &d)) != CUDA_SUCCESS)
		return rc;
	if (src == dst)
		return CUDA_ERROR_INVALID_DEVICE;
	/* Performance rank, access, native atomics, array access. */
	if (out == NULL || attr < 1 || attr > 4)
		return CUDA_ERROR_INVALID_VALUE;
	*out = attr != 1;
	return CUDA_SUCCESS;
}

API CUresult
cuDeviceGetExecAffinitySupport(int *out, int type, CUdevice dev)
{
	CUresult rc;
	struct dev *d;
	GUARD;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || type != 0)
		return CUDA_ERROR_INVALID_VALUE;
	*out = 0;
	return CUDA_SUCCESS;
}
