/*
 * rt: the CUDA runtime's ways to launch, and what must be counted, worked out
 * here. Built with the static and the shared runtime, and with the per-thread
 * default stream.
 *
 *	rt SCENARIO...	prints "launches N memset N memcpy N captured N[ bound]"
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nvtx3/nvToolsExt.h>
#include <thread>

namespace cg = cooperative_groups;

#define OK(call)                                                            \
	do {                                                                \
		cudaError_t e = (call);                                     \
		if (e != cudaSuccess) {                                     \
			fprintf(stderr, "line %d: %s: %s\n", __LINE__,      \
				#call, cudaGetErrorString(e));              \
			exit(3);                                            \
		}                                                           \
	} while (0)

static struct {
	long launches, memset, memcpy, captured;
	bool bound;
} want;

__device__ int sink;
__global__ void empty() {}
__global__ void add(int n) { atomicAdd(&sink, n); }
template <typename T> __global__ void templated(T *p) { *p = T(1); }
__global__ void grid_sync()
{
	cg::this_grid().sync();
}
__global__ void decide(cudaGraphConditionalHandle h, unsigned v)
{
	cudaGraphSetConditional(h, v);
}

static cudaStream_t a, b;
static float *memory;

static void direct()
{
	for (int i = 0; i < 100; i++)
		empty<<<1, 32>>>();
	add<<<2, 32, 0, a>>>(1);
	templated<float><<<1, 1, 0, b>>>(memory);
	void *args[] = {};
	OK(cudaLaunchKernel((void *)empty, 1, 1, args, 0, a));
	cudaLaunchConfig_t c = {};
	c.gridDim = 1;
	c.blockDim = 1;
	c.stream = a;
	OK(cudaLaunchKernelEx(&c, add, 2));
	want.launches += 104;
}

static void cooperative()
{
	OK(cudaLaunchCooperativeKernel((void *)grid_sync, 2, 32, nullptr, 0,
				       a));
	want.launches += 1;
}

static void failed()
{
	empty<<<1, 4096>>>();
	if (cudaGetLastError() == cudaSuccess)
		exit(4);
}

static void copies()
{
	float host[64] = {};
	OK(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice));
	OK(cudaMemcpyAsync(memory + 64, memory, 256, cudaMemcpyDeviceToDevice,
			   a));
	OK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
	OK(cudaMemset(memory, 0, 256));
	OK(cudaMemsetAsync(memory, 0, 256, a));
	OK(cudaMemset2DAsync(memory, 64, 0, 16, 4, b));
	want.memcpy += 3;
	want.memset += 3;
}

/* 5 kernels on two streams, a memset and a copy; not replayed, then 10 times. */
static void capture(bool replay)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaEvent_t fork, join;

	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&join));
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	empty<<<1, 1, 0, a>>>();
	add<<<1, 1, 0, a>>>(3);
	OK(cudaMemsetAsync(memory, 0, 64, a));
	OK(cudaMemcpyAsync(memory + 64, memory, 64, cudaMemcpyDeviceToDevice,
			   a));
	OK(cudaEventRecord(fork, a));
	OK(cudaStreamWaitEvent(b, fork, 0));
	empty<<<1, 1, 0, b>>>();
	empty<<<1, 1, 0, b>>>();
	OK(cudaEventRecord(join, b));
	OK(cudaStreamWaitEvent(a, join, 0));
	empty<<<1, 1, 0, a>>>();
	OK(cudaStreamEndCapture(a, &graph));
	want.captured += 5;
	if (!replay)
		return;
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	for (int i = 0; i < 10; i++)
		OK(cudaGraphLaunch(exec, i % 2 ? a : b));
	want.launches += 50;
	want.memset += 10;
	want.memcpy += 10;
}

static cudaGraphNode_t node(cudaGraph_t g, void *f, void **args)
{
	cudaKernelNodeParams p = {};
	cudaGraphNode_t n;

	p.func = f;
	p.gridDim = 1;
	p.blockDim = 1;
	p.kernelParams = args;
	OK(cudaGraphAddKernelNode(&n, g, nullptr, 0, &p));
	return n;
}

/* 2 kernels, a memset and a child of 2; one disabled, one exchanged, updated. */
static void graph()
{
	cudaGraph_t g, child;
	cudaGraphExec_t exec;
	cudaGraphNode_t first, n;
	cudaMemsetParams m = {};
	int one = 1;
	void *args[] = {&one};

	OK(cudaGraphCreate(&child, 0));
	node(child, (void *)empty, nullptr);
	node(child, (void *)add, args);
	OK(cudaGraphCreate(&g, 0));
	first = node(g, (void *)empty, nullptr);
	node(g, (void *)add, args);
	m.dst = memory;
	m.elementSize = 4;
	m.width = 16;
	m.height = 1;
	OK(cudaGraphAddMemsetNode(&n, g, nullptr, 0, &m));
	OK(cudaGraphAddChildGraphNode(&n, g, nullptr, 0, child));
	OK(cudaGraphInstantiate(&exec, g, 0));
	OK(cudaGraphLaunch(exec, a));
	OK(cudaGraphNodeSetEnabled(exec, first, 0));
	OK(cudaGraphLaunch(exec, a));
	OK(cudaGraphNodeSetEnabled(exec, first, 1));
	cudaKernelNodeParams p = {};
	p.func = (void *)add;
	p.gridDim = 2;
	p.blockDim = 1;
	p.kernelParams = args;
	OK(cudaGraphExecKernelNodeSetParams(exec, first, &p));
	OK(cudaGraphLaunch(exec, a));
	cudaGraphExecUpdateResultInfo info;
	OK(cudaGraphExecUpdate(exec, g, &info));
	OK(cudaGraphLaunch(exec, a));
	want.launches += 4 + 3 + 4 + 4;
	want.memset += 4;
	/* Does an update switch a disabled node on again? Ask, then launch. */
	unsigned on;
	OK(cudaGraphNodeSetEnabled(exec, first, 0));
	OK(cudaGraphExecUpdate(exec, g, &info));
	OK(cudaGraphNodeGetEnabled(exec, first, &on));
	printf("# a disabled node after cudaGraphExecUpdate: %u\n", on);
	OK(cudaGraphLaunch(exec, a));
	want.launches += on ? 4 : 3;
	want.memset += 1;
}

/* The body runs or not as a kernel says. */
static void conditional()
{
	cudaGraph_t g;
	cudaGraphExec_t exec;
	cudaGraphConditionalHandle h;
	cudaGraphNodeParams p = {};
	cudaGraphNode_t before, n;

	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
	unsigned yes = 1;
	void *args[] = {&h, &yes};
	before = node(g, (void *)decide, args);
	p.type = cudaGraphNodeTypeConditional;
	p.conditional.handle = h;
	p.conditional.type = cudaGraphCondTypeIf;
	p.conditional.size = 1;
	OK(cudaGraphAddNode(&n, g, &before, nullptr, 1, &p));
	node(p.conditional.phGraph_out[0], (void *)empty, nullptr);
	OK(cudaGraphInstantiate(&exec, g, 0));
	OK(cudaGraphLaunch(exec, a));
	want.launches += 1; /* and the one in the body, which is not certain */
	want.bound = true;
}

static void devicegraph()
{
	cudaGraph_t g;
	cudaGraphExec_t exec;

	OK(cudaGraphCreate(&g, 0));
	node(g, (void *)empty, nullptr);
	OK(cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagDeviceLaunch));
	OK(cudaGraphUpload(exec, a));
	OK(cudaGraphLaunch(exec, a));
	want.launches += 1;
	want.bound = true;
}

static void threads()
{
	std::thread t[8];

	for (auto &x : t)
		x = std::thread([] {
			for (int i = 0; i < 1000; i++)
				empty<<<1, 1>>>();
			OK(cudaStreamSynchronize(0));
		});
	for (auto &x : t)
		x.join();
	want.launches += 8000;
}

/* With kc-run -n: "step" 3 times 5, "step/inner" 3 times 2, "across" 7. */
static void ranges()
{
	nvtxDomainHandle_t d = nvtxDomainCreateA("dom");
	nvtxEventAttributes_t e = {};
	nvtxRangeId_t id = nvtxRangeStartA("across");

	for (int i = 0; i < 7; i++)
		empty<<<1, 1>>>();
	nvtxRangeEnd(id);
	for (int i = 0; i < 3; i++) {
		nvtxRangePushA("step");
		empty<<<1, 1>>>();
		nvtxRangePushA("inner");
		empty<<<1, 1>>>();
		empty<<<1, 1>>>();
		nvtxRangePop();
		empty<<<1, 1>>>();
		empty<<<1, 1>>>();
		nvtxRangePop();
	}
	e.version = NVTX_VERSION;
	e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	e.message.registered = nvtxDomainRegisterStringA(d, "reg");
	nvtxDomainRangePushEx(d, &e);
	empty<<<1, 1>>>();
	nvtxDomainRangePop(d);
	want.launches += 7 + 15 + 1;
}

int main(int argc, char **argv)
{
	OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	OK(cudaMalloc(&memory, 1 << 16));
	for (int i = 1; i < argc; i++) {
		const char *s = argv[i];

		if (!strcmp(s, "direct"))
			direct();
		else if (!strcmp(s, "cooperative"))
			cooperative();
		else if (!strcmp(s, "failed"))
			failed();
		else if (!strcmp(s, "copies"))
			copies();
		else if (!strcmp(s, "capture"))
			capture(false);
		else if (!strcmp(s, "replay"))
			capture(true);
		else if (!strcmp(s, "graph"))
			graph();
		else if (!strcmp(s, "conditional"))
			conditional();
		else if (!strcmp(s, "devicegraph"))
			devicegraph();
		else if (!strcmp(s, "threads"))
			threads();
		else if (!strcmp(s, "ranges"))
			ranges();
		else
			return 2;
	}
	OK(cudaDeviceSynchronize());
	printf("launches %ld memset %ld memcpy %ld captured %ld%s\n",
	       want.launches, want.memset, want.memcpy, want.captured,
	       want.bound ? " bound" : "");
	return 0;
}
