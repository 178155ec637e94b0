/*
 * cu.h: the driver's functions that the test programs call, found in the ways
 * that programs find them. Declared here, from the CUDA 13 driver API, so that
 * the tests build without a toolkit; the same programs run on a real driver.
 */
#ifndef CU_H
#define CU_H

#include <stddef.h>
#include <stdint.h>

typedef void *P;
typedef unsigned U;

struct cu_config {
	U grid[3], block[3], shared;
	P stream, attrs;
	U nattrs;
};
struct cu_multi {
	P function;
	U grid[3], block[3], shared;
	P stream, *params;
};
struct cu_kernel {
	P func;
	U grid[3], block[3], shared;
	P *params, *extra, kern, ctx;
};
struct cu_memset {
	uint64_t dst;
	size_t pitch;
	U value, size;
	size_t width, height;
};
struct cu_copy3 {
	size_t src_x, src_y, src_z, src_lod;
	U src_type;
	P src_host;
	uint64_t src_device;
	P src_array, reserved0;
	size_t src_pitch, src_height;
	size_t dst_x, dst_y, dst_z, dst_lod;
	U dst_type;
	P dst_host;
	uint64_t dst_device;
	P dst_array, reserved1;
	size_t dst_pitch, dst_height;
	size_t width, height, depth;
};
struct cu_copy2 {
	size_t src_x, src_y;
	U src_type;
	P src_host;
	uint64_t src_device;
	P src_array;
	size_t src_pitch;
	size_t dst_x, dst_y;
	U dst_type;
	P dst_host;
	uint64_t dst_device;
	P dst_array;
	size_t dst_pitch;
	size_t width, height;
};
struct cu_conditional {
	uint64_t handle;
	int type;
	U size;
	P *out, ctx;
};
struct cu_node {
	int type, reserved[3];
	union {
		struct cu_kernel kernel;
		struct cu_conditional conditional;
		P graph;
		long long words[29];
	} u;
	long long reserved2;
};
struct cu_instantiate {
	uint64_t flags;
	P stream, error;
	int result;
};
struct cu_attributes { /* CUmemcpyAttributes, of cuMemcpyBatchAsync */
	int order;
	int src_type, src_id, dst_type, dst_id;
	U flags;
};

/* F(exported name, name for cuGetProcAddress, first version, flavours, params)
 * flavours: 0 none, 'z' _ptsz, 'd' _ptds. */
#define CU_LIST(F)                                                             \
	F(cuInit, cuInit, 2000, 0, (U))                                        \
	F(cuDriverGetVersion, cuDriverGetVersion, 2020, 0, (int *))            \
	F(cuDeviceGet, cuDeviceGet, 2000, 0, (int *, int))                     \
	F(cuDeviceGetCount, cuDeviceGetCount, 2000, 0, (int *))                \
	F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, 0,         \
	  (P *, int))                                                          \
	F(cuCtxSetCurrent, cuCtxSetCurrent, 4000, 0, (P))                      \
	F(cuCtxSynchronize, cuCtxSynchronize, 2000, 0, (void))                 \
	F(cuModuleLoadData, cuModuleLoadData, 2000, 0, (P *, const void *))    \
	F(cuModuleGetFunction, cuModuleGetFunction, 2000, 0,                   \
	  (P *, P, const char *))                                              \
	F(cuModuleUnload, cuModuleUnload, 2000, 0, (P))                        \
	F(cuLibraryLoadData, cuLibraryLoadData, 12000, 0,                      \
	  (P *, const void *, P, P, U, P, P, U))                               \
	F(cuLibraryGetKernel, cuLibraryGetKernel, 12000, 0,                    \
	  (P *, P, const char *))                                              \
	F(cuKernelGetFunction, cuKernelGetFunction, 12000, 0, (P *, P))        \
	F(cuStreamCreate, cuStreamCreate, 2000, 0, (P *, U))                   \
	F(cuStreamDestroy_v2, cuStreamDestroy, 4000, 0, (P))                   \
	F(cuStreamSynchronize, cuStreamSynchronize, 2000, 'z', (P))            \
	F(cuStreamWaitEvent, cuStreamWaitEvent, 3020, 'z', (P, P, U))          \
	F(cuEventCreate, cuEventCreate, 2000, 0, (P *, U))                     \
	F(cuEventRecord, cuEventRecord, 2000, 'z', (P, P))                     \
	F(cuEventSynchronize, cuEventSynchronize, 2000, 0, (P))                \
	F(cuLaunchKernel, cuLaunchKernel, 4000, 'z',                           \
	  (P, U, U, U, U, U, U, U, P, P *, P *))                               \
	F(cuLaunchKernelEx, cuLaunchKernelEx, 11060, 'z',                      \
	  (const struct cu_config *, P, P *, P *))                             \
	F(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, 'z',     \
	  (P, U, U, U, U, U, U, U, P, P *))                                    \
	F(cuLaunchCooperativeKernelMultiDevice,                                \
	  cuLaunchCooperativeKernelMultiDevice, 9000, 0,                       \
	  (struct cu_multi *, U, U))                                           \
	F(cuFuncSetBlockShape, cuFuncSetBlockShape, 2000, 0,                   \
	  (P, int, int, int))                                                  \
	F(cuLaunch, cuLaunch, 2000, 0, (P))                                    \
	F(cuLaunchGrid, cuLaunchGrid, 2000, 0, (P, int, int))                  \
	F(cuLaunchGridAsync, cuLaunchGridAsync, 2000, 0, (P, int, int, P))     \
	F(cuLaunchHostFunc, cuLaunchHostFunc, 10000, 'z',                      \
	  (P, void (*)(void *), void *))                                       \
	F(cuStreamBeginCapture_v2, cuStreamBeginCapture, 10010, 'z', (P, int)) \
	F(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030,     \
	  'z', (P, P, const P *, const void *, size_t, int))                   \
	F(cuStreamEndCapture, cuStreamEndCapture, 10000, 'z', (P, P *))        \
	F(cuGraphCreate, cuGraphCreate, 10000, 0, (P *, U))                    \
	F(cuGraphDestroy, cuGraphDestroy, 10000, 0, (P))                       \
	F(cuGraphAddKernelNode_v2, cuGraphAddKernelNode, 12000, 0,             \
	  (P *, P, const P *, size_t, const struct cu_kernel *))               \
	F(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000, 0,                \
	  (P *, P, const P *, size_t, const struct cu_memset *, P))            \
	F(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000, 0,                \
	  (P *, P, const P *, size_t, const struct cu_copy3 *, P))             \
	F(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000, 0,                  \
	  (P *, P, const P *, size_t))                                         \
	F(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000, 0,        \
	  (P *, P, const P *, size_t, P))                                      \
	F(cuGraphAddNode_v2, cuGraphAddNode, 12030, 0,                         \
	  (P *, P, const P *, const void *, size_t, struct cu_node *))         \
	F(cuGraphConditionalHandleCreate, cuGraphConditionalHandleCreate,      \
	  12030, 0, (uint64_t *, P, P, U, U))                                  \
	F(cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, 11000, \
	  0, (P, int, const void *))                                           \
	F(cuGraphInstantiate_v2, cuGraphInstantiate, 11000, 0,                 \
	  (P *, P, P *, char *, size_t))                                       \
	F(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, 0,  \
	  (P *, P, unsigned long long))                                        \
	F(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000,   \
	  'z', (P *, P, struct cu_instantiate *))                              \
	F(cuGraphUpload, cuGraphUpload, 11010, 'z', (P, P))                    \
	F(cuGraphLaunch, cuGraphLaunch, 10000, 'z', (P, P))                    \
	F(cuGraphExecDestroy, cuGraphExecDestroy, 10000, 0, (P))               \
	F(cuGraphExecUpdate_v2, cuGraphExecUpdate, 12000, 0, (P, P, P))        \
	F(cuGraphExecKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams,   \
	  12000, 0, (P, P, const struct cu_kernel *))                          \
	F(cuGraphExecNodeSetParams, cuGraphExecNodeSetParams, 12020, 0,        \
	  (P, P, struct cu_node *))                                            \
	F(cuGraphExecChildGraphNodeSetParams,                                  \
	  cuGraphExecChildGraphNodeSetParams, 11010, 0, (P, P, P))             \
	F(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060, 0, (P, P, U))   \
	F(cuMemAlloc_v2, cuMemAlloc, 3020, 0, (uint64_t *, size_t))            \
	F(cuMemFree_v2, cuMemFree, 3020, 0, (uint64_t))                        \
	F(cuMemAllocHost_v2, cuMemAllocHost, 3020, 0, (P *, size_t))           \
	F(cuMemcpy, cuMemcpy, 4000, 'd', (uint64_t, uint64_t, size_t))         \
	F(cuMemcpyHtoD_v2, cuMemcpyHtoD, 3020, 'd',                            \
	  (uint64_t, const void *, size_t))                                    \
	F(cuMemcpyDtoH_v2, cuMemcpyDtoH, 3020, 'd',                            \
	  (void *, uint64_t, size_t))                                          \
	F(cuMemcpyDtoD_v2, cuMemcpyDtoD, 3020, 'd',                            \
	  (uint64_t, uint64_t, size_t))                                        \
	F(cuMemcpy2D_v2, cuMemcpy2D, 3020, 'd', (const struct cu_copy2 *))     \
	F(cuMemcpy3D_v2, cuMemcpy3D, 3020, 'd', (const struct cu_copy3 *))     \
	F(cuMemcpyAsync, cuMemcpyAsync, 4000, 'z',                             \
	  (uint64_t, uint64_t, size_t, P))                                     \
	F(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync, 3020, 'z',                  \
	  (uint64_t, const void *, size_t, P))                                 \
	F(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync, 3020, 'z',                  \
	  (void *, uint64_t, size_t, P))                                       \
	F(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync, 3020, 'z',                  \
	  (uint64_t, uint64_t, size_t, P))                                     \
	F(cuMemcpy2DAsync_v2, cuMemcpy2DAsync, 3020, 'z',                      \
	  (const struct cu_copy2 *, P))                                        \
	F(cuMemcpy3DAsync_v2, cuMemcpy3DAsync, 3020, 'z',                      \
	  (const struct cu_copy3 *, P))                                        \
	F(cuMemcpyBatchAsync, cuMemcpyBatchAsync, 12080, 'z',                  \
	  (uint64_t *, uint64_t *, size_t *, size_t, struct cu_attributes *,   \
	   size_t *, size_t, size_t *, P))                                     \
	F(cuMemcpyBatchAsync_v2, cuMemcpyBatchAsync, 13000, 'z',               \
	  (uint64_t *, uint64_t *, size_t *, size_t, struct cu_attributes *,   \
	   size_t *, size_t, P))                                               \
	F(cuMemsetD8_v2, cuMemsetD8, 3020, 'd',                                \
	  (uint64_t, unsigned char, size_t))                                   \
	F(cuMemsetD16_v2, cuMemsetD16, 3020, 'd',                              \
	  (uint64_t, unsigned short, size_t))                                  \
	F(cuMemsetD32_v2, cuMemsetD32, 3020, 'd', (uint64_t, U, size_t))       \
	F(cuMemsetD2D8_v2, cuMemsetD2D8, 3020, 'd',                            \
	  (uint64_t, size_t, unsigned char, size_t, size_t))                   \
	F(cuMemsetD2D32_v2, cuMemsetD2D32, 3020, 'd',                          \
	  (uint64_t, size_t, U, size_t, size_t))                               \
	F(cuMemsetD8Async, cuMemsetD8Async, 3020, 'z',                         \
	  (uint64_t, unsigned char, size_t, P))                                \
	F(cuMemsetD32Async, cuMemsetD32Async, 3020, 'z',                       \
	  (uint64_t, U, size_t, P))                                            \
	F(cuMemsetD2D8Async, cuMemsetD2D8Async, 3020, 'z',                     \
	  (uint64_t, size_t, unsigned char, size_t, size_t, P))

#define CU_POINTER(name, base, since, flavour, params) int(*name) params;
struct cu {
	CU_LIST(CU_POINTER)
};
#undef CU_POINTER

/* Call through the pointers as if they were the functions. */
extern struct cu cu;

/*
 * Finds the functions. `way` is one of
 *   linked          the program is linked to libcuda.so.1
 *   dlsym, dlvsym   dlopen of libcuda.so.1, then either
 *   plain           dlopen of libcuda.so
 *   local, global   dlsym with the handle of the whole program, RTLD_DEFAULT:
 *                   after dlopen with RTLD_GLOBAL
 *   next            dlsym with RTLD_NEXT, likewise
 *   proc, proc2     cuGetProcAddress, cuGetProcAddress_v2
 * with "+pt" after it for the per-thread default stream's flavour. Ends the
 * program when it cannot. A function that this driver lacks is NULL.
 */
void cu_find(const char *way);

/* Ends the program unless `rc` is 0. */
void cu_ok(int rc, const char *what, int line);
#define OK(call) cu_ok((call), #call, __LINE__)

#endif
