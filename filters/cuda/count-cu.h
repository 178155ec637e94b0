/*
 * count-cu.h: the CUDA driver interface, as far as the counter has to read it.
 *
 * Declared here so that no CUDA toolkit is needed. Names, numbers and layouts
 * are those of the driver's public header, cuda.h, which keeps them stable: an
 * entry point whose layout changes gets a new name (_v2, _v3). They were
 * compared with the headers of CUDA 12.9, 13.0 and 13.5; tests/cuda/header.c
 * compares them again wherever a cuda.h is found.
 */
#ifndef KC_COUNT_CU_H
#define KC_COUNT_CU_H

#include <stddef.h>
#include <stdint.h>

/* CUresult. */
enum {
	CU_OK = 0,
	CU_INVALID_VALUE = 1,
	CU_NOT_INITIALIZED = 3,
	CU_DEINITIALIZED = 4,
	CU_STUB_LIBRARY = 34, /* what a call gets that no driver can answer */
};

/* CUstream values that are not handles, CU_STREAM_LEGACY and _PER_THREAD. */
#define CU_LEGACY ((void *)(uintptr_t)1)
#define CU_PER_THREAD ((void *)(uintptr_t)2)

/* CUstreamCaptureStatus: anything but this one is a stream in capture. */
enum { CU_CAPTURE_NONE = 0 };

/* CUgraphNodeType. Types up to CU_NODE_KNOWN are known to run no kernel unless
 * they are KERNEL, GRAPH or CONDITIONAL. */
enum {
	CU_NODE_KERNEL = 0,
	CU_NODE_MEMCPY = 1,
	CU_NODE_MEMSET = 2,
	CU_NODE_GRAPH = 4,
	CU_NODE_CONDITIONAL = 13,
	CU_NODE_MEMCPY_BATCH = 14, /* from 13.5 on */
	CU_NODE_KNOWN = 14,
};

/* CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH. */
#define CU_INSTANTIATE_DEVICE_LAUNCH 4ULL

/* CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, and the size of the union
 * CUlaunchAttributeValue, whose first int answers it. */
enum { CU_ATTR_DEVICE_UPDATABLE = 13, CU_ATTR_VALUE_SIZE = 64 };

/* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM. */
#define CU_PROC_PER_THREAD 2ULL

/* CUlaunchConfig, of cuLaunchKernelEx. */
struct cu_launch_config {
	unsigned grid[3], block[3], shared;
	void *stream;
	void *attrs;
	unsigned nattrs;
};

/* CUDA_LAUNCH_PARAMS, of cuLaunchCooperativeKernelMultiDevice. */
struct cu_launch_params {
	void *function;
	unsigned grid[3], block[3], shared;
	void *stream;
	void **params;
};

/* CUDA_KERNEL_NODE_PARAMS_v2; the first version ends before `kern`. */
struct cu_kernel_node {
	void *func;
	unsigned grid[3], block[3], shared;
	void **params, **extra;
	void *kern; /* used when func is NULL */
	void *ctx;
};

/* CUgraphNodeParams, of cuGraphExecNodeSetParams: a type, then a union of 29
 * 8-byte words of which the kernel's parameters are one member, and a child
 * graph's handle the first word of another. */
struct cu_node_params {
	int type;
	int reserved[3];
	union {
		struct cu_kernel_node kernel;
		void *graph;
		long long words[29];
	} u;
	long long reserved2;
};

/* CUDA_GRAPH_INSTANTIATE_PARAMS. */
struct cu_instantiate_params {
	uint64_t flags;
	void *stream, *error_node;
	int result;
};

/*
 * nvtxEventAttributes_v2, as NVTX 3's nvtxTypes.h has it: `message` counts when
 * `size` reaches past it; its kinds are NVTX_MESSAGE_TYPE_*.
 */
struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

enum { NVTX_ASCII = 1, NVTX_UNICODE = 2, NVTX_REGISTERED = 3 };

#endif
