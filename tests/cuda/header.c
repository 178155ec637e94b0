/*
 * header: compares what filters/cuda/count-cu.h declares with a real cuda.h,
 * where there is one. It compiles, or it does not.
 */
#include <cuda.h>
#include <stddef.h>

#include "../../filters/cuda/count-cu.h"

#define SAME(ours, theirs) \
	_Static_assert((long long)(ours) == (long long)(theirs), #ours)
#define AT(a, x, b, y) SAME(offsetof(a, x), offsetof(b, y))

SAME(CU_OK, CUDA_SUCCESS);
SAME(CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(CU_NOT_INITIALIZED, CUDA_ERROR_NOT_INITIALIZED);
SAME(CU_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED);
SAME(CU_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY);
SAME((uintptr_t)CU_LEGACY, (uintptr_t)CU_STREAM_LEGACY);
SAME((uintptr_t)CU_PER_THREAD, (uintptr_t)CU_STREAM_PER_THREAD);
SAME(CU_CAPTURE_NONE, CU_STREAM_CAPTURE_STATUS_NONE);
SAME(CU_NODE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL);
SAME(CU_NODE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY);
SAME(CU_NODE_MEMSET, CU_GRAPH_NODE_TYPE_MEMSET);
SAME(CU_NODE_GRAPH, CU_GRAPH_NODE_TYPE_GRAPH);
SAME(CU_NODE_CONDITIONAL, CU_GRAPH_NODE_TYPE_CONDITIONAL);
SAME(CU_INSTANTIATE_DEVICE_LAUNCH, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
SAME(CU_ATTR_DEVICE_UPDATABLE,
     CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE);
SAME(CU_ATTR_VALUE_SIZE, sizeof(CUlaunchAttributeValue));
SAME(CU_PROC_PER_THREAD, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
SAME(sizeof(struct cu_launch_config), sizeof(CUlaunchConfig));
AT(struct cu_launch_config, stream, CUlaunchConfig, hStream);
AT(struct cu_launch_config, nattrs, CUlaunchConfig, numAttrs);
SAME(sizeof(struct cu_kernel_node), sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
AT(struct cu_kernel_node, params, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
AT(struct cu_kernel_node, kern, CUDA_KERNEL_NODE_PARAMS_v2, kern);
SAME(sizeof(struct cu_node_params), sizeof(CUgraphNodeParams));
AT(struct cu_node_params, u.kernel.kern, CUgraphNodeParams, kernel.kern);
AT(struct cu_node_params, u.graph, CUgraphNodeParams, graph.graph);
SAME(sizeof(struct cu_instantiate_params),
     sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
