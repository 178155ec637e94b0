/*
 * driver: the functions of libcuda as the null driver's test programs call
 * them: opened by name at run time, so that one executable asks the null
 * driver and a real one. See LICENSE.
 */
#ifndef KC_TEST_DRIVER_H
#define KC_TEST_DRIVER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../filters/cuda/null/abi.h"

#define U unsigned int
#define P CUdeviceptr
#define S CUstream
#define Z size_t
#define DRIVER(F)                                                              \
	F(cuInit, (U))                                                         \
	F(cuDriverGetVersion, (int *))                                         \
	F(cuDeviceGet, (CUdevice *, int))                                      \
	F(cuDeviceGetCount, (int *))                                           \
	F(cuDeviceGetName, (char *, int, CUdevice))                            \
	F(cuDeviceTotalMem_v2, (Z *, CUdevice))                                \
	F(cuDeviceGetAttribute, (int *, int, CUdevice))                        \
	F(cuDeviceGetPCIBusId, (char *, int, CUdevice))                        \
	F(cuDeviceGetDefaultMemPool, (CUmemoryPool *, CUdevice))               \
	F(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                   \
	F(cuDevicePrimaryCtxRelease_v2, (CUdevice))                            \
	F(cuDevicePrimaryCtxGetState, (CUdevice, U *, int *))                  \
	F(cuDevicePrimaryCtxSetFlags_v2, (CUdevice, U))                        \
	F(cuDevicePrimaryCtxReset_v2, (CUdevice))                              \
	F(cuCtxCreate_v2, (CUcontext *, U, CUdevice))                          \
	F(cuCtxDestroy_v2, (CUcontext))                                        \
	F(cuCtxSetCurrent, (CUcontext))                                        \
	F(cuCtxGetCurrent, (CUcontext *))                                      \
	F(cuCtxPushCurrent_v2, (CUcontext))                                    \
	F(cuCtxPopCurrent_v2, (CUcontext *))                                   \
	F(cuCtxSynchronize, (void))                                            \
	F(cuCtxGetDevice, (CUdevice *))                                        \
	F(cuCtxGetLimit, (Z *, int))                                           \
	F(cuCtxSetLimit, (int, Z))                                             \
	F(cuCtxGetApiVersion, (CUcontext, U *))                                \
	F(cuCtxGetStreamPriorityRange, (int *, int *))                         \
	F(cuCtxGetSharedMemConfig, (int *))                                    \
	F(cuCtxGetCacheConfig, (int *))                                        \
	F(cuStreamCreate, (S *, U))                                            \
	F(cuStreamCreateWithPriority, (S *, U, int))                           \
	F(cuStreamDestroy_v2, (S))                                             \
	F(cuStreamSynchronize, (S))                                            \
	F(cuStreamQuery, (S))                                                  \
	F(cuStreamGetPriority, (S, int *))                                     \
	F(cuStreamGetFlags, (S, U *))                                          \
	F(cuStreamGetCtx, (S, CUcontext *))                                    \
	F(cuStreamWaitEvent, (S, CUevent, U))                                  \
	F(cuStreamAddCallback, (S, CUstreamCallback, void *, U))               \
	F(cuLaunchHostFunc, (S, CUhostFn, void *))                             \
	F(cuEventCreate, (CUevent *, U))                                       \
	F(cuEventDestroy_v2, (CUevent))                                        \
	F(cuEventRecord, (CUevent, S))                                         \
	F(cuEventRecordWithFlags, (CUevent, S, U))                             \
	F(cuEventQuery, (CUevent))                                             \
	F(cuEventSynchronize, (CUevent))                                       \
	F(cuEventElapsedTime, (float *, CUevent, CUevent))                     \
	F(cuStreamBeginCapture_v2, (S, int))                                   \
	F(cuStreamBeginCaptureToGraph,                                         \
	  (S, CUgraph, const CUgraphNode *, const CUgraphEdgeData *, Z, int))  \
	F(cuStreamEndCapture, (S, CUgraph *))                                  \
	F(cuStreamIsCapturing, (S, int *))                                     \
	F(cuStreamGetCaptureInfo_v2, (S, int *, unsigned long long *,          \
				      CUgraph *, const CUgraphNode **, Z *))   \
	F(cuThreadExchangeStreamCaptureMode, (int *))                          \
	F(cuMemAlloc_v2, (P *, Z))                                             \
	F(cuMemAllocPitch_v2, (P *, Z *, Z, Z, U))                             \
	F(cuMemFree_v2, (P))                                                   \
	F(cuMemAllocAsync, (P *, Z, S))                                        \
	F(cuMemFreeAsync, (P, S))                                              \
	F(cuMemAllocHost_v2, (void **, Z))                                     \
	F(cuMemHostAlloc, (void **, Z, U))                                     \
	F(cuMemFreeHost, (void *))                                             \
	F(cuMemHostRegister_v2, (void *, Z, U))                                \
	F(cuMemHostUnregister, (void *))                                       \
	F(cuMemHostGetFlags, (U *, void *))                                    \
	F(cuMemHostGetDevicePointer_v2, (P *, void *, U))                      \
	F(cuMemAllocManaged, (P *, Z, U))                                      \
	F(cuMemGetInfo_v2, (Z *, Z *))                                         \
	F(cuMemGetAddressRange_v2, (P *, Z *, P))                              \
	F(cuPointerGetAttribute, (void *, int, P))                             \
	F(cuPointerGetAttributes, (U, int *, void **, P))                      \
	F(cuMemPoolGetAttribute, (CUmemoryPool, int, void *))                  \
	F(cuMemcpyHtoD_v2, (P, const void *, Z))                               \
	F(cuMemcpyDtoH_v2, (void *, P, Z))                                     \
	F(cuMemcpyDtoD_v2, (P, P, Z))                                          \
	F(cuMemcpy, (P, P, Z))                                                 \
	F(cuMemcpyAsync, (P, P, Z, S))                                         \
	F(cuMemcpyHtoDAsync_v2, (P, const void *, Z, S))                       \
	F(cuMemcpyDtoHAsync_v2, (void *, P, Z, S))                             \
	F(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *))                              \
	F(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *))                     \
	F(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *, S))                      \
	F(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *))                              \
	F(cuMemsetD8_v2, (P, unsigned char, Z))                                \
	F(cuMemsetD16_v2, (P, unsigned short, Z))                              \
	F(cuMemsetD32_v2, (P, U, Z))                                           \
	F(cuMemsetD8Async, (P, unsigned char, Z, S))                           \
	F(cuMemsetD2D32_v2, (P, Z, U, Z, Z))                                   \
	F(cuModuleLoadData, (CUmodule *, const void *))                        \
	F(cuModuleLoad, (CUmodule *, const char *))                            \
	F(cuModuleUnload, (CUmodule))                                          \
	F(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))         \
	F(cuModuleGetFunctionCount, (U *, CUmodule))                           \
	F(cuLibraryLoadData,                                                   \
	  (CUlibrary *, const void *, int *, void **, U, int *, void **, U))   \
	F(cuLibraryUnload, (CUlibrary))                                        \
	F(cuLibraryGetModule, (CUmodule *, CUlibrary))                         \
	F(cuLibraryGetKernel, (CUkernel *, CUlibrary, const char *))           \
	F(cuKernelGetFunction, (CUfunction *, CUkernel))                       \
	F(cuKernelGetName, (const char **, CUkernel))                          \
	F(cuKernelGetAttribute, (int *, int, CUkernel, CUdevice))              \
	F(cuKernelSetAttribute, (int, int, CUkernel, CUdevice))                \
	F(cuFuncGetName, (const char **, CUfunction))                          \
	F(cuFuncGetModule, (CUmodule *, CUfunction))                           \
	F(cuFuncGetAttribute, (int *, int, CUfunction))                        \
	F(cuFuncSetAttribute, (CUfunction, int, int))                          \
	F(cuFuncGetParamInfo, (CUfunction, Z, Z *, Z *))                       \
	F(cuFuncSetBlockShape, (CUfunction, int, int, int))                    \
	F(cuLaunchKernel,                                                      \
	  (CUfunction, U, U, U, U, U, U, U, S, void **, void **))              \
	F(cuLaunchKernelEx,                                                    \
	  (const CUlaunchConfig *, CUfunction, void **, void **))              \
	F(cuLaunchCooperativeKernel,                                           \
	  (CUfunction, U, U, U, U, U, U, U, S, void **))                       \
	F(cuLaunch, (CUfunction))                                              \
	F(cuOccupancyMaxActiveBlocksPerMultiprocessor,                         \
	  (int *, CUfunction, int, Z))                                         \
	F(cuOccupancyMaxPotentialBlockSize,                                    \
	  (int *, int *, CUfunction, CUoccupancyB2DSize, Z, int))              \
	F(cuOccupancyAvailableDynamicSMemPerBlock,                             \
	  (Z *, CUfunction, int, int))                                         \
	F(cuOccupancyMaxPotentialClusterSize,                                  \
	  (int *, CUfunction, const CUlaunchConfig *))                         \
	F(cuGraphCreate, (CUgraph *, U))                                       \
	F(cuGraphDestroy, (CUgraph))                                           \
	F(cuGraphClone, (CUgraph *, CUgraph))                                  \
	F(cuGraphAddKernelNode_v2,                                             \
	  (CUgraphNode *, CUgraph, const CUgraphNode *, Z,                     \
	   const CUDA_KERNEL_NODE_PARAMS *))                                   \
	F(cuGraphAddMemsetNode,                                                \
	  (CUgraphNode *, CUgraph, const CUgraphNode *, Z,                     \
	   const CUDA_MEMSET_NODE_PARAMS *, CUcontext))                        \
	F(cuGraphAddMemcpyNode, (CUgraphNode *, CUgraph, const CUgraphNode *,  \
				 Z, const CUDA_MEMCPY3D *, CUcontext))         \
	F(cuGraphAddHostNode, (CUgraphNode *, CUgraph, const CUgraphNode *, Z, \
			       const CUDA_HOST_NODE_PARAMS *))                 \
	F(cuGraphAddEmptyNode,                                                 \
	  (CUgraphNode *, CUgraph, const CUgraphNode *, Z))                    \
	F(cuGraphAddChildGraphNode,                                            \
	  (CUgraphNode *, CUgraph, const CUgraphNode *, Z, CUgraph))           \
	F(cuGraphAddDependencies,                                              \
	  (CUgraph, const CUgraphNode *, const CUgraphNode *, Z))              \
	F(cuGraphGetNodes, (CUgraph, CUgraphNode *, Z *))                      \
	F(cuGraphGetRootNodes, (CUgraph, CUgraphNode *, Z *))                  \
	F(cuGraphGetEdges, (CUgraph, CUgraphNode *, CUgraphNode *, Z *))       \
	F(cuGraphNodeGetType, (CUgraphNode, int *))                            \
	F(cuGraphDestroyNode, (CUgraphNode))                                   \
	F(cuGraphKernelNodeGetParams_v2,                                       \
	  (CUgraphNode, CUDA_KERNEL_NODE_PARAMS *))                            \
	F(cuGraphKernelNodeSetParams_v2,                                       \
	  (CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *))                      \
	F(cuGraphChildGraphNodeGetGraph, (CUgraphNode, CUgraph *))             \
	F(cuGraphInstantiateWithFlags,                                         \
	  (CUgraphExec *, CUgraph, unsigned long long))                        \
	F(cuGraphExecDestroy, (CUgraphExec))                                   \
	F(cuGraphExecUpdate_v2,                                                \
	  (CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *))               \
	F(cuGraphExecKernelNodeSetParams_v2,                                   \
	  (CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *))         \
	F(cuGraphNodeSetEnabled, (CUgraphExec, CUgraphNode, U))                \
	F(cuGraphNodeGetEnabled, (CUgraphExec, CUgraphNode, U *))              \
	F(cuGraphUpload, (CUgraphExec, S))                                     \
	F(cuGraphLaunch, (CUgraphExec, S))                                     \
	F(cuTensorMapEncodeTiled,                                              \
	  (CUtensorMap *, int, U, void *, const uint64_t *, const uint64_t *,  \
	   const U *, const U *, int, int, int, int))                          \
	F(cuGetErrorName, (CUresult, const char **))                           \
	F(cuGetErrorString, (CUresult, const char **))                         \
	F(cuGetProcAddress_v2,                                                 \
	  (const char *, void **, int, unsigned long long, int *))

#define DECLARE(name, args) static CUresult(*name) args;
DRIVER(DECLARE)
#undef DECLARE

static void *driver;

/* A function the driver does not have answers so, whatever it is given. */
static inline CUresult
absent(void)
{
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* Open libcuda and find the functions above. Returns how many are missing,
 * each named on standard error; ends the program without a library.
 */
static inline int
open_driver(void)
{
	int missing = 0;
	void (*none)(void) = (void (*)(void))absent;

	driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (driver == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
#define FIND(name, args)                           \
	*(void **)&name = dlsym(driver, #name);    \
	if (name == NULL) {                        \
		fprintf(stderr, "no " #name "\n"); \
		*(void (**)(void)) & name = none;  \
		missing++;                         \
	}
	DRIVER(FIND)
#undef FIND
	return missing;
}

#undef U
#undef P
#undef S
#undef Z

#endif
