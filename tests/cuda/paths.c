/*
 * paths: does what its arguments say to a CUDA driver and prints what a counter
 * must have counted, which is worked out here step by step.
 *
 *	paths WAY [SCENARIO...]
 *
 * WAY is how the driver's functions are found (cu.h). At the end it prints
 * "launches N memset N memcpy N captured N" and, for a lower bound, " bound".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cu.h"

/* What is to be counted. */
static struct {
	long launches, memset, memcpy, captured;
	bool bound;
} want;

static P context, module, first, second, stream, other;
static uint64_t memory;
static P host;

/* Two kernels without parameters; every target that CUDA 13 knows runs it. */
static const char image[] = ".version 7.0\n"
			    ".target sm_75\n"
			    ".address_size 64\n"
			    ".visible .entry first()\n"
			    "{\n\tret;\n}\n"
			    ".visible .entry _Z6secondv()\n"
			    "{\n\tret;\n}\n";

static void
start(const char *way)
{
	int device;

	cu_find(way);
	OK(cu.cuInit(0));
	OK(cu.cuDeviceGet(&device, 0));
	OK(cu.cuDevicePrimaryCtxRetain(&context, device));
	OK(cu.cuCtxSetCurrent(context));
	OK(cu.cuModuleLoadData(&module, image));
	OK(cu.cuModuleGetFunction(&first, module, "first"));
	OK(cu.cuModuleGetFunction(&second, module, "_Z6secondv"));
	OK(cu.cuStreamCreate(&stream, 1)); /* not blocking */
	OK(cu.cuStreamCreate(&other, 1));
	OK(cu.cuMemAlloc_v2(&memory, 4096));
	OK(cu.cuMemAllocHost_v2(&host, 4096));
}

static int
launch(P f, P in)
{
	return cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, in, NULL, NULL);
}

static int
launch_ex(P f, P in)
{
	struct cu_config c = {{1, 1, 1}, {1, 1, 1}, 0, in, NULL, 0};

	return cu.cuLaunchKernelEx(&c, f, NULL, NULL);
}

static void
s_direct(void)
{
	OK(launch(first, NULL));
	OK(launch(first, stream));
	OK(launch(second, (P)1)); /* CU_STREAM_LEGACY */
	OK(launch(second, (P)2)); /* CU_STREAM_PER_THREAD */
	want.launches += 4;
}

static void
s_ex(void)
{
	OK(launch_ex(first, NULL));
	OK(launch_ex(second, stream));
	OK(launch_ex(second, (P)2));
	want.launches += 3;
}

static void
s_cooperative(void)
{
	OK(cu.cuLaunchCooperativeKernel(first, 1, 1, 1, 1, 1, 1, 0, NULL,
					NULL));
	OK(cu.cuLaunchCooperativeKernel(second, 1, 1, 1, 1, 1, 1, 0, stream,
					NULL));
	want.launches += 2;
}

/* One call for one device; a second in the list is not here. */
static void
s_multi(void)
{
	struct cu_multi m = {first, {1, 1, 1}, {1, 1, 1}, 0, stream, NULL};
	int rc;

	if (cu.cuLaunchCooperativeKernelMultiDevice == NULL) {
		puts("# no cuLaunchCooperativeKernelMultiDevice");
		return;
	}
	rc = cu.cuLaunchCooperativeKernelMultiDevice(&m, 1, 0);
	if (rc == 0)
		want.launches += 1;
	else /* newer devices refuse it */
		printf("# cuLaunchCooperativeKernelMultiDevice: %d\n", rc);
}

static void
s_oldest(void)
{
	if (cu.cuLaunch == NULL || cu.cuFuncSetBlockShape == NULL) {
		puts("# no cuLaunch");
		return;
	}
	OK(cu.cuFuncSetBlockShape(first, 1, 1, 1));
	OK(cu.cuLaunch(first));
	OK(cu.cuLaunchGrid(first, 2, 2));
	OK(cu.cuLaunchGridAsync(first, 1, 1, stream));
	want.launches += 3;
}

/* A kernel of a library, given in place of a function. */
static void
s_library(void)
{
	P library, kernel, function;

	OK(cu.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
	OK(cu.cuLibraryGetKernel(&kernel, library, "_Z6secondv"));
	OK(launch(kernel, stream));
	OK(cu.cuKernelGetFunction(&function, kernel));
	OK(launch(function, stream));
	want.launches += 2;
}

/* Refused by the driver, so not counted. */
static void
s_failed(void)
{
	if (cu.cuLaunchKernel(first, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) ==
		    0 ||
	    cu.cuLaunchKernel(first, 1, 1, 1, 1 << 20, 1, 1, 0, NULL, NULL,
			      NULL) == 0)
		cu_ok(-1, "a bad launch was taken", __LINE__);
}

static void
nothing(void *data)
{
	(void)data;
}

static void
s_host(void)
{
	OK(cu.cuLaunchHostFunc(stream, nothing, NULL));
}

/* ---- captures -------------------------------------------------------- */

/* Captures 4 kernels on two streams, a memset and a copy; launches one more
 * meanwhile in a stream of its own. */
static P
capture(void)
{
	P event, back, third, graph;

	OK(cu.cuEventCreate(&event, 2));
	OK(cu.cuEventCreate(&back, 2));
	OK(cu.cuStreamCreate(&third, 1));
	OK(cu.cuStreamBeginCapture_v2(stream, 2)); /* relaxed */
	OK(launch(first, stream));
	OK(launch_ex(second, stream));
	OK(cu.cuMemsetD32Async(memory, 0, 16, stream));
	OK(cu.cuMemcpyDtoDAsync_v2(memory + 64, memory, 64, stream));
	OK(cu.cuEventRecord(event, stream));
	OK(cu.cuStreamWaitEvent(other, event, 0));
	OK(launch(second, other)); /* the capture has spread to it */
	OK(cu.cuEventRecord(back, other));
	OK(cu.cuStreamWaitEvent(stream, back, 0));
	OK(launch(first, stream));
	OK(launch(first, third)); /* runs */
	OK(cu.cuStreamEndCapture(stream, &graph));
	OK(launch(first, stream)); /* runs */
	OK(launch(first, other));
	want.captured += 4;
	want.launches += 3;
	return graph;
}

static void
s_capture(void)
{
	OK(cu.cuGraphDestroy(capture())); /* never instantiated */
}

static void
s_replay(void)
{
	P graph = capture(), exec;
	int i;

	OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cu.cuGraphDestroy(graph));
	OK(cu.cuGraphUpload(exec, stream));
	for (i = 0; i < 5; i++)
		OK(cu.cuGraphLaunch(exec, stream));
	want.launches += 5 * 4;
	want.memset += 5;
	want.memcpy += 5;
	OK(cu.cuGraphExecDestroy(exec));
}

/* A graph launched into a capture: refused (900, as by driver 580 on an H200),
 * which spoils the capture; or recorded, as a child. */
static void
s_nested(void)
{
	P graph = capture(), exec, outer;
	int rc;

	OK(cu.cuGraphInstantiate_v2(&exec, graph, NULL, NULL, 0));
	OK(cu.cuStreamBeginCapture_v2(stream, 2));
	OK(launch(first, stream));
	want.captured += 1;
	rc = cu.cuGraphLaunch(exec, stream);
	printf("# a graph launched into a capture: %d\n", rc);
	if (rc == 0)
		want.captured += 1;
	rc = cu.cuStreamEndCapture(stream, &outer);
	if (rc == 0) {
		OK(cu.cuGraphInstantiateWithFlags(&exec, outer, 0));
		OK(cu.cuGraphLaunch(exec, other));
		want.launches += 4 + 1;
		want.memset += 1;
		want.memcpy += 1;
	}
	OK(launch(first, stream)); /* runs */
	want.launches += 1;
}

/* Into a graph that has a node already. */
static void
s_tograph(void)
{
	struct cu_kernel k = {
		.func = first, .grid = {1, 1, 1}, .block = {1, 1, 1}};
	P graph, node, same, exec;

	if (cu.cuStreamBeginCaptureToGraph == NULL) {
		puts("# no cuStreamBeginCaptureToGraph");
		return;
	}
	OK(cu.cuGraphCreate(&graph, 0));
	OK(cu.cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &k));
	OK(cu.cuStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, 2));
	OK(launch(second, stream));
	OK(cu.cuStreamEndCapture(stream, &same));
	want.captured += 1;
	OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cu.cuGraphLaunch(exec, stream));
	want.launches += 2;
}

/* The thread's own default stream can be captured. */
static void
s_ownstream(void)
{
	P graph;

	OK(cu.cuStreamBeginCapture_v2((P)2, 2));
	OK(launch(first, (P)2));
	OK(launch(first, stream));
	OK(cu.cuStreamEndCapture((P)2, &graph));
	OK(launch(first, (P)2));
	want.captured += 1;
	want.launches += 2;
}

/* ---- graphs ---------------------------------------------------------- */

static P
kernel_node(P graph, P f)
{
	struct cu_kernel k = {.func = f, .grid = {1, 1, 1}, .block = {1, 1, 1}};
	P node;

	OK(cu.cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &k));
	return node;
}

static struct cu_memset set16 = {0, 0, 0, 1, 16, 1};

/* 2 kernels, a memset, a copy, an empty node, and a child of 3 kernels and a
 * memset, whose own child has 1 kernel: 6 kernels, 2 memsets, a copy. */
struct made {
	P graph, kernel, memset, child, inner, exec;
};

static struct made
make(P f)
{
	struct made m;
	struct cu_copy3 copy = {.src_type = 2,
				.src_device = memory,
				.dst_type = 2,
				.dst_device = memory + 1024,
				.width = 16,
				.height = 1,
				.depth = 1};
	P node, innermost;

	set16.dst = memory;
	OK(cu.cuGraphCreate(&innermost, 0));
	kernel_node(innermost, first);
	OK(cu.cuGraphCreate(&m.inner, 0));
	kernel_node(m.inner, f);
	kernel_node(m.inner, f);
	kernel_node(m.inner, second);
	OK(cu.cuGraphAddMemsetNode(&node, m.inner, NULL, 0, &set16, context));
	OK(cu.cuGraphAddChildGraphNode(&node, m.inner, NULL, 0, innermost));
	OK(cu.cuGraphCreate(&m.graph, 0));
	m.kernel = kernel_node(m.graph, f);
	kernel_node(m.graph, second);
	OK(cu.cuGraphAddMemsetNode(&m.memset, m.graph, NULL, 0, &set16,
				   context));
	OK(cu.cuGraphAddMemcpyNode(&node, m.graph, NULL, 0, &copy, context));
	OK(cu.cuGraphAddEmptyNode(&node, m.graph, NULL, 0));
	OK(cu.cuGraphAddChildGraphNode(&m.child, m.graph, NULL, 0, m.inner));
	OK(cu.cuGraphInstantiateWithFlags(&m.exec, m.graph, 0));
	return m;
}

static void
s_graph(void)
{
	struct made m = make(first);
	struct cu_instantiate p = {0};
	P exec;

	OK(cu.cuGraphLaunch(m.exec, stream));
	OK(cu.cuGraphLaunch(m.exec, NULL));
	OK(cu.cuGraphInstantiateWithParams(&exec, m.graph, &p));
	OK(cu.cuGraphLaunch(exec, stream));
	want.launches += 3 * 6;
	want.memset += 3 * 2;
	want.memcpy += 3;
}

static void
s_disabled(void)
{
	struct made m = make(first);

	OK(cu.cuGraphNodeSetEnabled(m.exec, m.kernel, 0));
	OK(cu.cuGraphLaunch(m.exec, stream));
	OK(cu.cuGraphNodeSetEnabled(m.exec, m.memset, 0));
	OK(cu.cuGraphLaunch(m.exec, stream));
	OK(cu.cuGraphNodeSetEnabled(m.exec, m.kernel, 1));
	OK(cu.cuGraphLaunch(m.exec, stream));
	want.launches += 5 + 5 + 6;
	want.memset += 2 + 1 + 1;
	want.memcpy += 3;
}

/* Kernels change, their number does not: 7 launches of 6. By name, with `first`
 * at the start: of 6, first has 4 and second 2. */
static void
s_updated(void)
{
	struct made m = make(first), n;
	struct cu_kernel k = {
		.func = second, .grid = {1, 1, 1}, .block = {1, 1, 1}};
	struct {
		int result;
		P a, b;
	} info = {0};

	OK(cu.cuGraphExecKernelNodeSetParams_v2(m.exec, m.kernel, &k));
	OK(cu.cuGraphLaunch(m.exec, stream)); /* first 3, second 3 */
	n = make(second);
	OK(cu.cuGraphExecUpdate_v2(m.exec, n.graph, &info));
	OK(cu.cuGraphLaunch(m.exec, stream)); /* first 1, second 5 */
	n = make(first);
	OK(cu.cuGraphExecChildGraphNodeSetParams(m.exec, m.child, n.inner));
	OK(cu.cuGraphLaunch(m.exec, stream)); /* first 3, second 3 */
	OK(cu.cuGraphDestroy(m.graph));
	OK(cu.cuGraphLaunch(m.exec, stream)); /* the same */
	want.launches += 4 * 6;
	want.memset += 4 * 2;
	want.memcpy += 4;
}

/* A kernel, and another if a value on the device says so. */
static void
s_conditional(void)
{
	struct cu_node p = {.type = 13};
	P graph, node, exec, *body;
	uint64_t handle;

	if (cu.cuGraphConditionalHandleCreate == NULL) {
		puts("# no conditional nodes");
		return;
	}
	OK(cu.cuGraphCreate(&graph, 0));
	kernel_node(graph, first);
	OK(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
	p.u.conditional.handle = handle;
	p.u.conditional.type = 0;
	p.u.conditional.size = 1;
	p.u.conditional.ctx = context;
	OK(cu.cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &p));
	body = p.u.conditional.out;
	kernel_node(body[0], second);
	OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cu.cuGraphLaunch(exec, stream));
	want.launches += 1;
	want.bound = true;
}

/* Of two kernels the device may switch one off. */
static void
s_updatable(void)
{
	union {
		int on;
		char size[64];
	} value = {1};
	P graph, node, exec;
	int rc;

	OK(cu.cuGraphCreate(&graph, 0));
	kernel_node(graph, first);
	node = kernel_node(graph, second);
	rc = cu.cuGraphKernelNodeSetAttribute(node, 13, &value);
	if (rc != 0) {
		printf("# no device-updatable nodes: %d\n", rc);
		return;
	}
	OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cu.cuGraphUpload(exec, stream));
	OK(cu.cuGraphLaunch(exec, stream));
	want.launches += 1;
	want.bound = true;
}

/* A graph that the device may launch, too. */
static void
s_devicelaunch(void)
{
	P graph, exec;
	int rc;

	OK(cu.cuGraphCreate(&graph, 0));
	kernel_node(graph, first);
	rc = cu.cuGraphInstantiateWithFlags(&exec, graph, 4);
	if (rc != 0) {
		printf("# no graphs for device launch: %d\n", rc);
		return;
	}
	OK(cu.cuGraphUpload(exec, stream));
	OK(cu.cuGraphLaunch(exec, stream));
	want.launches += 1;
	want.bound = true;
}

/* ---- copies ---------------------------------------------------------- */

static void
s_copies(void)
{
	struct cu_copy2 c2 = {.src_type = 2,
			      .src_device = memory,
			      .src_pitch = 64,
			      .dst_type = 2,
			      .dst_device = memory + 1024,
			      .dst_pitch = 64,
			      .width = 16,
			      .height = 2};
	struct cu_copy3 c3 = {.src_type = 2,
			      .src_device = memory,
			      .dst_type = 2,
			      .dst_device = memory + 1024,
			      .width = 16,
			      .height = 1,
			      .depth = 1};

	OK(cu.cuMemcpyHtoD_v2(memory, host, 64));
	OK(cu.cuMemcpyDtoH_v2(host, memory, 64));
	OK(cu.cuMemcpyDtoD_v2(memory + 64, memory, 64));
	OK(cu.cuMemcpy(memory + 64, memory, 64));
	OK(cu.cuMemcpy2D_v2(&c2));
	OK(cu.cuMemcpy3D_v2(&c3));
	OK(cu.cuMemcpyAsync(memory + 64, memory, 64, stream));
	OK(cu.cuMemcpyHtoDAsync_v2(memory, host, 64, stream));
	OK(cu.cuMemcpyDtoHAsync_v2(host, memory, 64, stream));
	OK(cu.cuMemcpyDtoDAsync_v2(memory + 64, memory, 64, stream));
	OK(cu.cuMemcpy2DAsync_v2(&c2, stream));
	OK(cu.cuMemcpy3DAsync_v2(&c3, stream));
	want.memcpy += 12;
	if (cu.cuMemcpyHtoD_v2(0, host, 64) == 0)
		cu_ok(-1, "a copy to 0 was taken", __LINE__);
	OK(cu.cuMemsetD8_v2(memory, 0, 64));
	OK(cu.cuMemsetD16_v2(memory, 0, 32));
	OK(cu.cuMemsetD32_v2(memory, 0, 16));
	OK(cu.cuMemsetD2D8_v2(memory, 64, 0, 16, 2));
	OK(cu.cuMemsetD2D32_v2(memory, 64, 0, 4, 2));
	OK(cu.cuMemsetD8Async(memory, 0, 64, stream));
	OK(cu.cuMemsetD32Async(memory, 0, 16, stream));
	OK(cu.cuMemsetD2D8Async(memory, 64, 0, 16, 2, stream));
	want.memset += 8;
}

/* One call, three copies. */
static void
s_batch(void)
{
	uint64_t to[3] = {memory, memory + 64, memory + 128};
	uint64_t from[3] = {memory + 1024, memory + 1088, memory + 1152};
	size_t size[3] = {64, 64, 64}, at = 0, fail = 0;
	struct cu_attributes a = {.order = 1};
	int rc;

	if (cu.cuMemcpyBatchAsync_v2 != NULL)
		rc = cu.cuMemcpyBatchAsync_v2(to, from, size, 3, &a, &at, 1,
					      stream);
	else if (cu.cuMemcpyBatchAsync != NULL)
		rc = cu.cuMemcpyBatchAsync(to, from, size, 3, &a, &at, 1, &fail,
					   stream);
	else
		rc = -1;
	if (rc == 0)
		want.memcpy += 3;
	else
		printf("# no batched copies: %d\n", rc);
}

/* ---- threads, processes, ends ---------------------------------------- */

static void *
thread(void *data)
{
	int i;

	(void)data;
	OK(cu.cuCtxSetCurrent(context));
	for (i = 0; i < 1000; i++)
		OK(launch(i % 2 == 0 ? first : second, (P)2));
	return NULL;
}

static void
s_threads(void)
{
	pthread_t t[8];
	int i;

	for (i = 0; i < 8; i++)
		if (pthread_create(&t[i], NULL, thread, NULL) != 0)
			exit(3);
	for (i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	want.launches += 8 * 1000;
}

/* Forks while others launch; the children do nothing. */
static void
s_forks(void)
{
	pthread_t t[4];
	int i, status;
	pid_t child;

	for (i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, thread, NULL) != 0)
			exit(3);
	for (i = 0; i < 50; i++) {
		child = fork();
		if (child == 0)
			_exit(i % 2);
		if (child < 0 || waitpid(child, &status, 0) != child ||
		    !WIFEXITED(status) || WEXITSTATUS(status) != i % 2)
			exit(3);
	}
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	want.launches += 4 * 1000;
}

/* Closes what is open, as a daemon does, and opens files of its own. */
static void
s_close(void)
{
	char name[40];
	int i, fd;

	for (i = 3; i < 1024; i++)
		close(i);
	for (i = 0; i < 800; i++) {
		snprintf(name, sizeof name, "/tmp/paths.%ld", (long)getpid());
		fd = open(name, O_RDWR | O_CREAT, 0600);
		unlink(name);
		if (fd < 0)
			exit(3);
	}
	OK(launch(first, stream));
	OK(cu.cuStreamSynchronize(stream));
	for (i = 3; i < 803; i++)
		if (lseek(i, 0, SEEK_END) > 0)
			exit(8); /* somebody wrote to our file */
	want.launches += 1;
}

static void
s_sync(void)
{
	P event;

	OK(cu.cuEventCreate(&event, 2));
	OK(cu.cuEventRecord(event, stream));
	OK(cu.cuEventSynchronize(event));
	OK(cu.cuStreamSynchronize(stream));
	OK(cu.cuCtxSynchronize());
}

/* A name for a handle that may have had another one. */
static void
s_reload(void)
{
	static const char again[] = ".version 7.0\n.target sm_75\n"
				    ".address_size 64\n"
				    ".visible .entry third()\n{\n\tret;\n}\n";
	P m, f;
	int i;

	for (i = 0; i < 10; i++) {
		OK(cu.cuModuleLoadData(&m, i % 2 == 0 ? again : image));
		OK(cu.cuModuleGetFunction(&f, m,
					  i % 2 == 0 ? "third" : "first"));
		OK(launch(f, stream));
		OK(cu.cuStreamSynchronize(stream));
		OK(cu.cuModuleUnload(m));
	}
	want.launches += 10; /* third 5, first 5 */
}

static void
print(void)
{
	printf("launches %ld memset %ld memcpy %ld captured %ld%s\n",
	       want.launches, want.memset, want.memcpy, want.captured,
	       want.bound ? " bound" : "");
	if (fflush(stdout) != 0)
		exit(3);
}

/* Launches when the program has ended. */
static void
late(void)
{
	OK(launch(first, stream));
}

static void
s_late(void)
{
	atexit(late);
	want.launches += 1;
}

static void
s_underscore(void)
{
	print();
	_exit(0);
}

static void
s_kill(void)
{
	print();
	raise(SIGKILL);
}

static void
s_abort(void)
{
	print();
	abort();
}

static void
s_fail(void)
{
	print();
	exit(17);
}

/* Becomes a program that launches `direct`, then ends. */
static void
s_exec(void)
{
	char *const argv[] = {(char[]){"paths"}, (char[]){"dlsym"},
			      (char[]){"direct"}, NULL};

	print();
	execv("/proc/self/exe", argv);
	exit(3);
}

/* An exec that fails changes nothing. */
static void
s_noexec(void)
{
	char *const argv[] = {(char[]){"nothing"}, NULL};

	execv("/nowhere/nothing", argv);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenario[] = {
	{"direct", s_direct},
	{"ex", s_ex},
	{"cooperative", s_cooperative},
	{"multi", s_multi},
	{"oldest", s_oldest},
	{"library", s_library},
	{"failed", s_failed},
	{"host", s_host},
	{"capture", s_capture},
	{"replay", s_replay},
	{"nested", s_nested},
	{"tograph", s_tograph},
	{"ownstream", s_ownstream},
	{"graph", s_graph},
	{"disabled", s_disabled},
	{"updated", s_updated},
	{"conditional", s_conditional},
	{"updatable", s_updatable},
	{"devicelaunch", s_devicelaunch},
	{"copies", s_copies},
	{"batch", s_batch},
	{"threads", s_threads},
	{"forks", s_forks},
	{"close", s_close},
	{"sync", s_sync},
	{"reload", s_reload},
	{"late", s_late},
	{"_exit", s_underscore},
	{"kill", s_kill},
	{"abort", s_abort},
	{"fail", s_fail},
	{"exec", s_exec},
	{"noexec", s_noexec},
};

/* "fork": a child that does the rest of the arguments, as this process does. */
static bool
forked(void)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		exit(3);
	if (child == 0)
		return true;
	if (waitpid(child, &status, 0) != child || status != 0)
		exit(3);
	return false;
}

int
main(int argc, char **argv)
{
	int i, at = 2;
	size_t k;

	if (argc < 2)
		return 2;
	if (argc > 2 && strcmp(argv[2], "fork") == 0) {
		/* Before the driver is used: a driver that was is of no use
		 * to a child. */
		at = 3;
		forked();
	}
	start(argv[1]);
	for (i = at; i < argc; i++) {
		for (k = 0; k < sizeof scenario / sizeof *scenario; k++)
			if (strcmp(argv[i], scenario[k].name) == 0)
				break;
		if (k == sizeof scenario / sizeof *scenario) {
			fprintf(stderr, "%s: no such scenario\n", argv[i]);
			return 2;
		}
		scenario[k].run();
	}
	OK(cu.cuCtxSynchronize());
	print();
	return 0;
}
