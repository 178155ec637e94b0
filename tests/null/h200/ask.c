/*
 * ask: the same questions to any driver, an answer a line, so that the null
 * driver's can be compared with a real one's:
 *
 *	QUESTION <tab> CODE [<tab> MORE]
 *
 * CODE is the driver's CUresult. Each group of questions has a process of its
 * own, as some leave a context that can only be thrown away. A question that
 * kills the process is an answer too, with the signal as -CODE: the group is
 * asked anew without it, up to where it was. Builds with a C compiler alone.
 * See LICENSE.
 *
 * usage: ask [GROUP...]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../driver.h"

static const char *group;
static CUdevice dev;
static CUcontext ctx;

#define MOST_DEADLY 64

/* What is left of a process that died: how many lines it printed, which
 * question it was at; and those that are not asked any more.
 */
static struct progress {
	int lines, at, ndeadly;
	struct deadly {
		int question, sig;
	} deadly[MOST_DEADLY];
} * so_far;
static int line, question;

/* Answer a question. */
static void
say(const char *question, int code, const char *fmt, ...)
{
	va_list ap;

	if (++line <= so_far->lines)
		return;
	so_far->lines = line;
	printf("%s: %s\t%d", group, question, code);
	if (fmt != NULL) {
		putchar('\t');
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
	}
	putchar('\n');
	fflush(stdout);
}

/* Whether a question is to be asked: not if it killed a process before. */
static bool
survives(const char *name)
{
	so_far->at = ++question;
	for (int i = 0; i < so_far->ndeadly; i++)
		if (so_far->deadly[i].question == question) {
			say(name, -so_far->deadly[i].sig, NULL);
			return false;
		}
	return true;
}

/* The same, with what the call answered: the call comes first. */
#define ANSWER(question, call, ...)                             \
	do {                                                    \
		if (survives(question)) {                       \
			CUresult code_ = (call);                \
                                                                \
			say(question, (int)code_, __VA_ARGS__); \
		}                                               \
	} while (0)
#define NAMED(name, call)                             \
	do {                                          \
		if (survives(name))                   \
			say(name, (int)(call), NULL); \
	} while (0)
#define Q(call) NAMED(#call, call)

static void
must(CUresult rc, const char *what)
{
	if (rc == CUDA_SUCCESS)
		return;
	say(what, (int)rc, "cannot go on");
	exit(1);
}

#define MUST(call) must(call, #call)

static void
start(void)
{
	MUST(cuInit(0));
	MUST(cuDeviceGet(&dev, 0));
	MUST(cuDevicePrimaryCtxRetain(&ctx, dev));
	MUST(cuCtxSetCurrent(ctx));
}

static const char ptx[] =
	".version 7.0\n"
	".target sm_80\n"
	".address_size 64\n"
	".extern .shared .align 16 .b8 dynamic[];\n"
	".visible .entry none()\n{\n\tret;\n}\n"
	".visible .entry two(.param .u64 a, .param .u32 b)\n{\n\tret;\n}\n"
	".visible .entry bounds()\n.maxntid 256, 1, 1\n{\n\tret;\n}\n"
	".visible .entry shape()\n.reqntid 32, 2, 1\n{\n\tret;\n}\n"
	".visible .entry fixed()\n{\n"
	"\t.shared .align 4 .b8 s[1024];\n\t.reg .b32 r<3>;\n"
	"\tmov.u32 r1, s;\n\tst.shared.u32 [r1], r1;\n\tret;\n}\n"
	".visible .entry dyn()\n{\n\t.reg .b32 r<3>;\n"
	"\tmov.u32 r1, dynamic;\n\tst.shared.u32 [r1], r1;\n\tret;\n}\n";

static CUmodule mod;
static CUfunction none, two, bounds, shape, fixed, dyn;

static void
load(void)
{
	MUST(cuModuleLoadData(&mod, ptx));
	MUST(cuModuleGetFunction(&none, mod, "none"));
	MUST(cuModuleGetFunction(&two, mod, "two"));
	MUST(cuModuleGetFunction(&bounds, mod, "bounds"));
	MUST(cuModuleGetFunction(&shape, mod, "shape"));
	MUST(cuModuleGetFunction(&fixed, mod, "fixed"));
	MUST(cuModuleGetFunction(&dyn, mod, "dyn"));
}

static CUresult
launch(CUfunction f, CUstream s)
{
	return cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL);
}

static void *const bad = (void *)(uintptr_t)0x1000;

/* --- the device --- */

static const struct {
	int number;
	const char *name;
} attributes[] = {
#define A(number, name) {number, #name},
#include "../../../filters/cuda/null/attr.def"
#undef A
};

static void
device(void)
{
	int v = 0, least = -1, greatest = -1;
	size_t total = 0, empty = 0;
	char name[256] = "";

	MUST(cuInit(0));
	MUST(cuDeviceGet(&dev, 0));
	ANSWER("name", cuDeviceGetName(name, sizeof(name), dev), "%s", name);
	ANSWER("total memory", cuDeviceTotalMem_v2(&total, dev), "%zu", total);
	ANSWER("driver version", cuDriverGetVersion(&v), "%d", v);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		CUresult rc;

		v = -1;
		rc = cuDeviceGetAttribute(&v, attributes[i].number, dev);
		say(attributes[i].name, (int)rc, "%d", v);
	}
	for (int i = 148; i < 170; i++) {
		char no[16];
		CUresult rc;

		snprintf(no, sizeof(no), "number %d", i);
		v = -1;
		rc = cuDeviceGetAttribute(&v, i, dev);
		say(no, (int)rc, "%d", v);
	}
	start();
	ANSWER("priorities", cuCtxGetStreamPriorityRange(&least, &greatest),
	       "%d %d", least, greatest);
	ANSWER("free memory", cuMemGetInfo_v2(&empty, &total), "%zu %zu", empty,
	       total);
	for (int i = 0; i < 12; i++) {
		char no[16];
		size_t limit = 0;
		CUresult rc = cuCtxGetLimit(&limit, i);

		snprintf(no, sizeof(no), "limit %d", i);
		say(no, (int)rc, "%zu", limit);
	}
}

/* --- errors in words --- */

static void
words(void)
{
	for (int i = 0; i < 1000; i++) {
		const char *name = NULL, *text = NULL;
		char no[16];
		CUresult rc = cuGetErrorName((CUresult)i, &name);

		cuGetErrorString((CUresult)i, &text);
		snprintf(no, sizeof(no), "error %d", i);
		if (name != NULL && strcmp(name, "CUDA_ERROR_UNKNOWN") != 0)
			say(no, (int)rc, "%s: %s", name, text);
	}
	{
		const char *name = (const char *)1;

		ANSWER("error 12345", cuGetErrorName((CUresult)12345, &name),
		       "%s",
		       name == NULL		 ? "NULL"
		       : name == (const char *)1 ? "untouched"
						 : name);
	}
	Q(cuGetErrorName(CUDA_SUCCESS, NULL));
}

/* --- names --- */

static const struct {
	const char *base;
	int since;
} entries[] = {
#define E(base, since, symbol) {#base, since},
#define P(base, since, symbol) {#base, since},
#include "../../../filters/cuda/null/entry.def"
#undef E
#undef P
};

static void
ask_name(const char *base, int version, unsigned long long flags)
{
	void *p = NULL;
	int status = -1;
	Dl_info at = {0};
	CUresult rc = cuGetProcAddress_v2(base, &p, version, flags, &status);
	char q[128];

	snprintf(q, sizeof(q), "%s %d flags %llu", base, version, flags);
	if (p != NULL)
		dladdr(p, &at);
	say(q, (int)rc, "status %d %s", status,
	    p == NULL		   ? "NULL"
	    : at.dli_sname == NULL ? "unnamed"
				   : at.dli_sname);
}

static void
names(void)
{
	static const char *const odd[] = {
		"cuNoSuchThing",       "",
		"cuMemAlloc_v2",       "cuGetProcAddress_v2",
		"cuLaunchKernel_ptsz", "cudaMalloc",
		"cuGraphInstantiate"};
	static const int later[] = {13001, 13010, 13020, 14000, 20000, 99999};
	void *p;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		for (unsigned f = 0; f < 3; f++)
			ask_name(odd[i], 13000, f);
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		for (unsigned f = 0; f < 3; f++)
			ask_name(entries[i].base, entries[i].since, f);
		ask_name(entries[i].base, entries[i].since - 1, 1);
		ask_name(entries[i].base, 13000, 1);
		ask_name(entries[i].base, 13000, 2);
	}
	ask_name("cuInit", 2000, 3);
	ask_name("cuInit", 2000, 4);
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		ask_name("cuInit", later[i], 0);
	ask_name("cuInit", 0, 0);
	Q(cuGetProcAddress_v2(NULL, &p, 13000, 0, NULL));
	Q(cuGetProcAddress_v2("cuInit", NULL, 13000, 0, NULL));
	Q(cuGetProcAddress_v2("cuNoSuchThing", &p, 13000, 0, NULL));
}

/* --- before cuInit, and without a context --- */

static void
cold(void)
{
	int n = -1;
	CUcontext c = (CUcontext)1;
	CUdeviceptr p;
	CUstream s;
	CUevent e;
	CUgraph g;
	CUmodule m;
	CUlibrary lib;
	size_t z;
	void *v;
	pid_t child;

	Q(cuDeviceGetCount(&n));
	Q(cuDeviceGet(&dev, 0));
	Q(cuDriverGetVersion(&n));
	Q(cuDriverGetVersion(NULL));
	Q(cuCtxGetCurrent(&c));
	Q(cuMemAlloc_v2(&p, 16));
	Q(cuMemAlloc_v2(NULL, 0));
	Q(cuStreamSynchronize(NULL));
	Q(cuCtxSynchronize());
	Q(cuEventCreate(&e, 0));
	Q(cuGraphCreate(&g, 0));
	Q(cuModuleLoadData(&m, ptx));
	Q(cuInit(1));
	Q(cuInit(0));
	Q(cuInit(0));
	fflush(stdout);
	if ((child = fork()) == 0) {
		alarm(5);
		NAMED("after fork: cuInit", cuInit(0));
		NAMED("after fork: cuDeviceGetCount", cuDeviceGetCount(&n));
		NAMED("after fork: cuDeviceGet", cuDeviceGet(&dev, 0));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	Q(cuDeviceGet(&dev, -1));
	Q(cuDeviceGet(&dev, 99));
	Q(cuDeviceGet(NULL, 0));
	Q(cuDeviceGetCount(NULL));
	MUST(cuDeviceGet(&dev, 0));
	{
		char name[4] = "xyz";

		ANSWER("cuDeviceGetName(name, 4)",
		       cuDeviceGetName(name, 4, dev), "%s", name);
		ANSWER("cuDeviceGetName(name, 1)",
		       cuDeviceGetName(name, 1, dev), "%s", name);
		Q(cuDeviceGetName(name, 0, dev));
		Q(cuDeviceGetName(NULL, 4, dev));
		Q(cuDeviceGetName(name, 4, 99));
		Q(cuDeviceGetPCIBusId(name, 4, dev));
	}
	Q(cuDeviceGetAttribute(&n, 0, dev));
	Q(cuDeviceGetAttribute(&n, -1, dev));
	Q(cuDeviceGetAttribute(NULL, 1, dev));
	Q(cuDeviceGetAttribute(&n, 1, 99));
	Q(cuDeviceTotalMem_v2(NULL, dev));
	ANSWER("cuCtxGetCurrent", cuCtxGetCurrent(&c), "%s",
	       c == NULL ? "NULL" : "other");
	Q(cuCtxGetCurrent(NULL));
	Q(cuCtxPopCurrent_v2(&c));
	Q(cuCtxPushCurrent_v2(NULL));
	Q(cuCtxSetCurrent(NULL));
	Q(cuCtxSynchronize());
	Q(cuCtxGetDevice(&dev));
	Q(cuCtxGetLimit(&z, 0));
	Q(cuCtxGetApiVersion(NULL, (unsigned *)&n));
	Q(cuMemAlloc_v2(&p, 16));
	Q(cuMemFree_v2(0));
	Q(cuMemFree_v2(512));
	Q(cuMemAllocHost_v2(&v, 16));
	Q(cuMemGetInfo_v2(&z, &z));
	Q(cuMemcpyHtoD_v2(512, &n, 4));
	Q(cuStreamCreate(&s, 0));
	Q(cuStreamSynchronize(NULL));
	Q(cuStreamQuery(NULL));
	Q(cuEventCreate(&e, 0));
	Q(cuModuleLoadData(&m, ptx));
	Q(cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0));
	Q(cuGraphCreate(&g, 0));
	Q(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	Q(cuDevicePrimaryCtxRelease_v2(dev));
	Q(cuDevicePrimaryCtxRetain(NULL, dev));
	Q(cuDevicePrimaryCtxSetFlags_v2(dev, 0x1000));
	Q(cuDevicePrimaryCtxSetFlags_v2(dev, 3));
}

/* --- contexts --- */

static void
contexts(void)
{
	CUcontext c, d, e;
	CUstream s = NULL, t = NULL;
	CUevent ev;
	CUdeviceptr p = 0, q = 0;
	unsigned flags = 0;
	int active = -1;

	start();
	load();
	MUST(cuStreamCreate(&s, 0));
	MUST(cuEventCreate(&ev, 0));
	MUST(cuMemAlloc_v2(&p, 1024));
	Q(cuCtxCreate_v2(&c, 3, dev));
	Q(cuCtxCreate_v2(&c, 0x1000, dev));
	Q(cuCtxCreate_v2(NULL, 0, dev));
	Q(cuCtxCreate_v2(&c, 0, 99));
	Q(cuCtxDestroy_v2(ctx));
	Q(cuCtxDestroy_v2(NULL));
	Q(cuCtxCreate_v2(&c, 0, dev));
	cuCtxGetCurrent(&d);
	say("a new context is current", 0, "%d", c == d);
	NAMED("another context's stream: launch", launch(none, s));
	NAMED("another context's stream: synchronize", cuStreamSynchronize(s));
	NAMED("another context's stream: query", cuStreamQuery(s));
	NAMED("another context's function, null stream", launch(none, NULL));
	NAMED("another context's event, null stream", cuEventRecord(ev, NULL));
	NAMED("another context's event, its stream", cuEventRecord(ev, s));
	NAMED("another context's event: query", cuEventQuery(ev));
	NAMED("another context's memory: memset", cuMemsetD8_v2(p, 0, 16));
	NAMED("another context's memory: copy", cuMemcpyDtoH_v2(&active, p, 4));
	NAMED("another context's memory: free", cuMemFree_v2(p));
	MUST(cuStreamCreate(&t, 0));
	MUST(cuMemAlloc_v2(&q, 1024));
	Q(cuCtxDestroy_v2(c));
	ANSWER("after destroy: current", cuCtxGetCurrent(&e), "%s",
	       e == ctx	   ? "the one before"
	       : e == NULL ? "NULL"
			   : "other");
	NAMED("after destroy: its memory", cuMemFree_v2(q));
	NAMED("after destroy: set current", cuCtxSetCurrent(c));
	cuCtxSetCurrent(ctx);
	NAMED("no context: stream synchronize",
	      (cuCtxSetCurrent(NULL), cuStreamSynchronize(s)));
	NAMED("no context: stream query", cuStreamQuery(s));
	NAMED("no context: launch", launch(none, s));
	NAMED("no context: event record", cuEventRecord(ev, s));
	NAMED("no context: event query", cuEventQuery(ev));
	NAMED("no context: event synchronize", cuEventSynchronize(ev));
	NAMED("no context: event destroy", cuEventDestroy_v2(ev));
	NAMED("no context: memory free", cuMemFree_v2(p));
	NAMED("no context: wait event", cuStreamWaitEvent(s, ev, 0));
	NAMED("no context: stream destroy", cuStreamDestroy_v2(s));
	NAMED("no context: module get function",
	      cuModuleGetFunction(&none, mod, "none"));
	NAMED("no context: module unload", cuModuleUnload(mod));
	ANSWER("cuCtxSetCurrent(NULL): current", cuCtxGetCurrent(&e), "%s",
	       e == NULL ? "NULL" : "other");
	Q(cuCtxPopCurrent_v2(&e));
	Q(cuCtxPopCurrent_v2(&e));
	cuCtxSetCurrent(ctx);
	Q(cuCtxSetLimit(0, 4096));
	Q(cuCtxSetLimit(99, 4096));
	Q(cuCtxGetLimit(NULL, 0));
	ANSWER("cuDevicePrimaryCtxGetState",
	       cuDevicePrimaryCtxGetState(dev, &flags, &active), "%u %d", flags,
	       active);
	Q(cuDevicePrimaryCtxRelease_v2(dev));
	ANSWER("cuDevicePrimaryCtxGetState, released",
	       cuDevicePrimaryCtxGetState(dev, &flags, &active), "%u %d", flags,
	       active);
	NAMED("released: allocate", cuMemAlloc_v2(&p, 16));
	NAMED("released: synchronize", cuCtxSynchronize());
	ANSWER("released: current", cuCtxGetCurrent(&e), "%s",
	       e == ctx	   ? "the same"
	       : e == NULL ? "NULL"
			   : "other");
	Q(cuDevicePrimaryCtxRelease_v2(dev));
	Q(cuDevicePrimaryCtxRetain(&c, dev));
	say("retained again: the same handle", 0, "%d", c == ctx);
	NAMED("retained again: allocate", cuMemAlloc_v2(&p, 16));
	Q(cuDevicePrimaryCtxReset_v2(dev));
	NAMED("reset: allocate", cuMemAlloc_v2(&p, 16));
}

/* --- launches --- */

#define L(f, gx, gy, gz, bx, by, bz, smem)                                  \
	NAMED(#f " grid " #gx " " #gy " " #gz " block " #bx " " #by " " #bz \
		 " shared " #smem,                                          \
	      cuLaunchKernel(f, gx, gy, gz, bx, by, bz, smem, NULL, NULL,   \
			     NULL))

static CUresult
cluster(unsigned gx, unsigned x, unsigned y, unsigned z)
{
	CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
	CUlaunchConfig c = {gx, 1, 1, 32, 1, 1, 0, NULL, &a, 1};

	a.value.clusterDim.x = x;
	a.value.clusterDim.y = y;
	a.value.clusterDim.z = z;
	return cuLaunchKernelEx(&c, none, NULL, NULL);
}

static CUresult
with_attribute(int id)
{
	CUlaunchAttribute a = {.id = id};
	CUlaunchConfig c = {1, 1, 1, 32, 1, 1, 0, NULL, &a, 1};

	return cuLaunchKernelEx(&c, none, NULL, NULL);
}

static void
show_function(const char *name, CUfunction f)
{
	for (int i = 0; i < 18; i++) {
		char q[64];
		int v = -9;
		CUresult rc = cuFuncGetAttribute(&v, i, f);

		snprintf(q, sizeof(q), "%s attribute %d", name, i);
		say(q, (int)rc, "%d", v);
	}
}

static void
launches(void)
{
	CUdeviceptr p = 0;
	int n = 0, optin = 0;
	void *params[2] = {&p, &n}, *extra[5];
	size_t size = 16;
	char buffer[16] = "";
	CUstream s;
	CUlaunchConfig c = {1, 1, 1, 32, 1, 1, 0, NULL, NULL, 0};

	start();
	load();
	MUST(cuStreamCreate(&s, 0));
	L(none, 1, 1, 1, 32, 1, 1, 0);
	L(none, 0, 1, 1, 32, 1, 1, 0);
	L(none, 1, 0, 1, 32, 1, 1, 0);
	L(none, 1, 1, 0, 32, 1, 1, 0);
	L(none, 1, 1, 1, 0, 1, 1, 0);
	L(none, 1, 1, 1, 1, 0, 1, 0);
	L(none, 1, 1, 1, 1, 1, 0, 0);
	L(none, 1, 1, 1, 1024, 1, 1, 0);
	L(none, 1, 1, 1, 1025, 1, 1, 0);
	L(none, 1, 1, 1, 1024, 2, 1, 0);
	L(none, 1, 1, 1, 1, 1024, 1, 0);
	L(none, 1, 1, 1, 1, 1, 64, 0);
	L(none, 1, 1, 1, 1, 1, 65, 0);
	L(none, 1, 65535, 1, 1, 1, 1, 0);
	L(none, 1, 65536, 1, 1, 1, 1, 0);
	L(none, 1, 1, 65536, 1, 1, 1, 0);
	L(none, 2147483648u, 1, 1, 1, 1, 1, 0);
	L(none, 1, 1, 1, 1, 1, 1, 49152);
	L(none, 1, 1, 1, 1, 1, 1, 49153);
	L(fixed, 1, 1, 1, 1, 1, 1, 0);
	L(fixed, 1, 1, 1, 1, 1, 1, 48128);
	L(fixed, 1, 1, 1, 1, 1, 1, 48129);
	L(fixed, 1, 1, 1, 1, 1, 1, 49152);
	L(bounds, 1, 1, 1, 256, 1, 1, 0);
	L(bounds, 1, 1, 1, 257, 1, 1, 0);
	L(bounds, 1, 1, 1, 1024, 1, 1, 0);
	L(shape, 1, 1, 1, 32, 2, 1, 0);
	L(shape, 1, 1, 1, 64, 1, 1, 0);
	L(shape, 1, 1, 1, 32, 1, 1, 0);
	L(dyn, 1, 1, 1, 32, 1, 1, 1024);
	NAMED("parameters given",
	      cuLaunchKernel(two, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
	NAMED("parameters missing",
	      cuLaunchKernel(two, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	extra[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
	extra[1] = buffer;
	extra[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
	extra[3] = &size;
	extra[4] = CU_LAUNCH_PARAM_END;
	NAMED("parameters in a buffer",
	      cuLaunchKernel(two, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
	size = 12;
	NAMED("parameters in a buffer of 12",
	      cuLaunchKernel(two, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
	size = 8;
	NAMED("parameters in a buffer of 8",
	      cuLaunchKernel(two, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
	NAMED("parameters both ways",
	      cuLaunchKernel(two, 1, 1, 1, 32, 1, 1, 0, NULL, params, extra));
	NAMED("parameters for a kernel without",
	      cuLaunchKernel(none, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
	NAMED("no function", launch(NULL, NULL));
	NAMED("stream 1", launch(none, CU_STREAM_LEGACY));
	NAMED("stream 2", launch(none, CU_STREAM_PER_THREAD));
	NAMED("synchronize", cuCtxSynchronize());
	/* Shared memory beyond the default has to be asked for. */
	cuDeviceGetAttribute(
		&optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
		dev);
	NAMED("shared memory: most", cuFuncSetAttribute(dyn, 8, optin));
	NAMED("shared memory: more", cuFuncSetAttribute(dyn, 8, optin + 1));
	NAMED("shared memory: -1", cuFuncSetAttribute(dyn, 8, -1));
	NAMED("shared memory: launch with most",
	      cuLaunchKernel(dyn, 1, 1, 1, 32, 1, 1, (unsigned)optin, NULL,
			     NULL, NULL));
	NAMED("shared memory: launch with more",
	      cuLaunchKernel(dyn, 1, 1, 1, 32, 1, 1, (unsigned)optin + 1, NULL,
			     NULL, NULL));
	NAMED("shared memory: set to 2048", cuFuncSetAttribute(dyn, 8, 2048));
	NAMED("shared memory: launch with 2048",
	      cuLaunchKernel(dyn, 1, 1, 1, 32, 1, 1, 2048, NULL, NULL, NULL));
	NAMED("shared memory: launch with 2049",
	      cuLaunchKernel(dyn, 1, 1, 1, 32, 1, 1, 2049, NULL, NULL, NULL));
	NAMED("shared memory: launch with 49152 after 2048",
	      cuLaunchKernel(dyn, 1, 1, 1, 32, 1, 1, 49152, NULL, NULL, NULL));
	NAMED("shared memory: set to 0", cuFuncSetAttribute(dyn, 8, 0));
	NAMED("shared memory: launch with 1024 after 0",
	      cuLaunchKernel(dyn, 1, 1, 1, 32, 1, 1, 1024, NULL, NULL, NULL));
	NAMED("shared memory: most beside a fixed array",
	      cuFuncSetAttribute(fixed, 8, optin));
	NAMED("shared memory: most but a fixed array",
	      cuFuncSetAttribute(fixed, 8, optin - 1024));
	Q(cuFuncSetAttribute(none, 0, 128));
	Q(cuFuncSetAttribute(none, 1, 128));
	Q(cuFuncSetAttribute(none, 9, 50));
	Q(cuFuncSetAttribute(none, 9, 101));
	Q(cuFuncSetAttribute(none, 9, -1));
	Q(cuFuncSetAttribute(none, 9, -2));
	Q(cuFuncSetAttribute(none, 11, 2));
	NAMED("cluster 2 of 4, as is asked for", cluster(4, 2, 1, 1));
	NAMED("cluster 4 of 4, for the 2 asked for", cluster(4, 4, 1, 1));
	NAMED("no cluster, for the 2 asked for", launch(none, NULL));
	Q(cuFuncSetAttribute(none, 12, 1));
	Q(cuFuncSetAttribute(none, 13, 1));
	NAMED("no cluster, for the 2 1 1 asked for", launch(none, NULL));
	NAMED("no cluster, 4 blocks for the 2 1 1 asked for",
	      cuLaunchKernel(none, 4, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	Q(cuFuncSetAttribute(none, 11, -1));
	Q(cuFuncSetAttribute(none, 11, 0));
	Q(cuFuncSetAttribute(none, 12, 0));
	Q(cuFuncSetAttribute(none, 13, 0));
	NAMED("none is asked for again", launch(none, NULL));
	Q(cuFuncSetAttribute(none, 14, 1));
	Q(cuFuncSetAttribute(none, 14, 0));
	Q(cuFuncSetAttribute(none, 15, 1));
	Q(cuFuncSetAttribute(none, 99, 1));
	Q(cuFuncGetAttribute(NULL, 0, none));
	/* Clusters. */
	NAMED("cluster 2 of 4", cluster(4, 2, 1, 1));
	NAMED("cluster 8 of 8", cluster(8, 8, 1, 1));
	NAMED("cluster 16 of 16", cluster(16, 16, 1, 1));
	NAMED("cluster 2 of 3", cluster(3, 2, 1, 1));
	NAMED("cluster 0", cluster(4, 0, 1, 1));
	NAMED("cluster 2 2 of 4 1", cluster(4, 2, 2, 1));
	NAMED("cluster 0 0 0", cluster(4, 0, 0, 0));
	cuFuncSetAttribute(none, 14, 1);
	NAMED("cluster 16 of 16, not portable", cluster(16, 16, 1, 1));
	NAMED("cluster 32 of 32, not portable", cluster(32, 32, 1, 1));
	Q(cuLaunchKernelEx(NULL, none, NULL, NULL));
	Q(cuLaunchKernelEx(&c, none, NULL, NULL));
	Q(cuLaunchKernelEx(&c, NULL, NULL, NULL));
	c.numAttrs = 1;
	NAMED("attributes, but no list",
	      cuLaunchKernelEx(&c, none, NULL, NULL));
	for (int i = 0; i < 22; i++) {
		char q[32];

		/* Those that hold an event or a cluster are asked above. */
		if (i == 4 || i == 7 || i == 11 || i == 12 || i == 13)
			continue;
		snprintf(q, sizeof(q), "attribute %d, zero", i);
		NAMED(q, with_attribute(i));
	}
	NAMED("attribute 99", with_attribute(99));
	NAMED("attribute -1", with_attribute(-1));
	/* Cooperative: all blocks at once. */
	for (unsigned g = 132; g < 20000; g *= 2) {
		char q[64];

		snprintf(q, sizeof(q), "cooperative grid %u block 1024", g);
		NAMED(q, cuLaunchCooperativeKernel(none, g, 1, 1, 1024, 1, 1, 0,
						   NULL, NULL));
	}
	NAMED("cooperative grid 0",
	      cuLaunchCooperativeKernel(none, 0, 1, 1, 32, 1, 1, 0, NULL,
					NULL));
	/* Before CUDA 4. */
	NAMED("cuLaunch without a shape", cuLaunch(bounds));
	Q(cuFuncSetBlockShape(bounds, 0, 1, 1));
	Q(cuFuncSetBlockShape(bounds, 32, 1, 1));
	Q(cuLaunch(bounds));
	NAMED("synchronize", cuCtxSynchronize());
	show_function("none", none);
	show_function("two", two);
	show_function("bounds", bounds);
	show_function("shape", shape);
	show_function("fixed", fixed);
	show_function("dyn", dyn);
	/* Occupancy. */
	for (int t = 32; t <= 1024; t += t < 256 ? 32 : 128)
		for (size_t m = 0; m < 3; m++) {
			static const size_t bytes[] = {0, 20000, 49152};
			char q[64];
			CUresult rc;

			n = -1;
			snprintf(q, sizeof(q), "occupancy %d threads %zu bytes",
				 t, bytes[m]);
			rc = cuOccupancyMaxActiveBlocksPerMultiprocessor(
				&n, none, t, bytes[m]);
			say(q, (int)rc, "%d", n);
		}
	Q(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, none, 0, 0));
	ANSWER("occupancy 2000 threads",
	       cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, none, 2000, 0),
	       "%d", n);
	ANSWER("occupancy 400000 bytes",
	       cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, none, 32,
							   400000),
	       "%d", n);
	ANSWER("occupancy of bounds, 512 threads",
	       cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounds, 512, 0),
	       "%d", n);
	{
		int grid = 0, block = 0;
		size_t bytes = 0;
		CUlaunchAttribute a = {
			.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
		CUlaunchConfig k = {1, 1, 1, 32, 1, 1, 0, NULL, NULL, 0};
		CUresult rc;

		(void)a;
		rc = cuOccupancyMaxPotentialBlockSize(&grid, &block, none, NULL,
						      0, 0);
		say("best block size", (int)rc, "%d %d", grid, block);
		rc = cuOccupancyMaxPotentialBlockSize(&grid, &block, none, NULL,
						      49152, 0);
		say("best block size, 49152 bytes", (int)rc, "%d %d", grid,
		    block);
		rc = cuOccupancyMaxPotentialBlockSize(&grid, &block, bounds,
						      NULL, 0, 0);
		say("best block size of bounds", (int)rc, "%d %d", grid, block);
		rc = cuOccupancyAvailableDynamicSMemPerBlock(&bytes, none, 2,
							     256);
		say("available shared memory, 2 blocks of 256", (int)rc, "%zu",
		    bytes);
		rc = cuOccupancyMaxPotentialClusterSize(&n, bounds, &k);
		say("largest cluster", (int)rc, "%d", n);
	}
	/* A stream that is no more. */
	MUST(cuStreamDestroy_v2(s));
}

static void
stale(void)
{
	CUstream s;
	CUevent e;
	CUfunction f;

	start();
	load();
	MUST(cuStreamCreate(&s, 0));
	MUST(cuEventCreate(&e, 0));
	MUST(cuStreamDestroy_v2(s));
	NAMED("destroyed stream: launch", launch(none, s));
	NAMED("destroyed stream: synchronize", cuStreamSynchronize(s));
	NAMED("destroyed stream: destroy", cuStreamDestroy_v2(s));
	MUST(cuEventDestroy_v2(e));
	NAMED("destroyed event: query", cuEventQuery(e));
	NAMED("destroyed event: destroy", cuEventDestroy_v2(e));
	f = none;
	MUST(cuModuleUnload(mod));
	NAMED("unloaded module: get function",
	      cuModuleGetFunction(&none, mod, "none"));
	NAMED("unloaded module: launch", launch(f, NULL));
}

/* Handles that never were. */
static void
garbage(void)
{
	start();
	load();
	Q(cuStreamSynchronize(bad));
	Q(cuEventQuery(bad));
	Q(launch(bad, NULL));
	Q(cuModuleGetFunction(&none, bad, "none"));
	Q(cuGraphDestroy(bad));
	Q(cuGraphLaunch(bad, NULL));
	Q(cuCtxSetCurrent(bad));
	Q(launch(none, bad));
}

/* --- modules --- */

static CUresult
try_image(const char *text)
{
	CUmodule m;

	return cuModuleLoadData(&m, text);
}

static void
modules(void)
{
	CUmodule m;
	CUfunction f;
	CUlibrary lib = NULL;
	CUkernel k = NULL;
	const char *name = "";
	unsigned n = 0;
	int have = -1;
	size_t offset, size;
	static const char head[] = ".version 7.0\n.target sm_80\n"
				   ".address_size 64\n";
	char text[512];

	start();
	load();
	Q(cuModuleLoadData(NULL, ptx));
	Q(cuModuleLoadData(&m, NULL));
	NAMED("an empty image", try_image(""));
	NAMED("an image of words", try_image("this is no image at all"));
	NAMED("PTX without kernels", try_image(head));
	NAMED("PTX with a comment first",
	      (snprintf(text, sizeof(text), "// hello\n%s", head),
	       try_image(text)));
	snprintf(text, sizeof(text),
		 "%s.visible .entry x()\n{\n\tnonsense r1;\n}\n", head);
	NAMED("PTX with nonsense in it", try_image(text));
	snprintf(text, sizeof(text), "%s.visible .entry x(\n", head);
	NAMED("PTX that ends early", try_image(text));
	NAMED("PTX for sm_121",
	      try_image(".version 8.8\n.target sm_121\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	NAMED("PTX for sm_50",
	      try_image(".version 7.0\n.target sm_50\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	NAMED("PTX for sm_20",
	      try_image(".version 7.0\n.target sm_20\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	NAMED("PTX for sm_90a",
	      try_image(".version 8.0\n.target sm_90a\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	NAMED("PTX for sm_80a",
	      try_image(".version 8.0\n.target sm_80a\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	NAMED("PTX for sm_90f",
	      try_image(".version 8.8\n.target sm_90f\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	for (int v = 87; v < 95; v++) {
		char q[32];

		snprintf(q, sizeof(q), "PTX of version %d.%d", v / 10, v % 10);
		snprintf(text, sizeof(text),
			 ".version %d.%d\n.target sm_80\n.address_size 64\n"
			 ".visible .entry x()\n{\n\tret;\n}\n",
			 v / 10, v % 10);
		NAMED(q, try_image(text));
	}
	NAMED("PTX of version 7.0 for sm_90",
	      try_image(".version 7.0\n.target sm_90\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	NAMED("PTX for sm_100a",
	      try_image(".version 8.8\n.target sm_100a\n.address_size 64\n"
			".visible .entry x()\n{\n\tret;\n}\n"));
	NAMED("PTX of version 99.9",
	      try_image(".version 99.9\n.target sm_80\n.address_size 64\n"));
	NAMED("PTX without a target", try_image(".version 7.0\n"));
	NAMED("PTX, a kernel twice",
	      (snprintf(text, sizeof(text),
			"%s.visible .entry x()\n{\n\tret;\n}\n"
			".visible .entry x()\n{\n\tret;\n}\n",
			head),
	       try_image(text)));
	NAMED("a kernel with 70000 bytes of shared memory",
	      (snprintf(text, sizeof(text),
			"%s.visible .entry x()\n{\n"
			"\t.shared .align 4 .b8 s[70000];\n\t.reg .b32 r<3>;\n"
			"\tmov.u32 r1, s;\n\tst.shared.u32 [r1], r1;\n"
			"\tret;\n}\n",
			head),
	       try_image(text)));
	Q(cuModuleLoad(&m, "/no/such/file"));
	Q(cuModuleLoad(&m, NULL));
	Q(cuModuleGetFunction(&f, mod, "nothing"));
	Q(cuModuleGetFunction(&f, mod, ""));
	Q(cuModuleGetFunction(&f, mod, NULL));
	Q(cuModuleGetFunction(NULL, mod, "none"));
	Q(cuModuleGetFunction(&f, NULL, "none"));
	ANSWER("cuModuleGetFunctionCount", cuModuleGetFunctionCount(&n, mod),
	       "%u", n);
	ANSWER("cuFuncGetName", cuFuncGetName(&name, two), "%s", name);
	Q(cuFuncGetName(NULL, two));
	Q(cuFuncGetName(&name, NULL));
	for (size_t i = 0; i < 3; i++) {
		char q[32];
		CUresult rc;

		offset = size = 0;
		rc = cuFuncGetParamInfo(two, i, &offset, &size);
		snprintf(q, sizeof(q), "parameter %zu of two", i);
		say(q, (int)rc, "%zu %zu", offset, size);
	}
	Q(cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0));
	Q(cuLibraryGetKernel(&k, lib, "nothing"));
	Q(cuLibraryGetKernel(&k, lib, "none"));
	ANSWER("cuKernelGetName", cuKernelGetName(&name, k), "%s", name);
	NAMED("a kernel launched as a function",
	      launch((CUfunction)(void *)k, NULL));
	ANSWER("the name of a kernel as a function",
	       cuFuncGetName(&name, (CUfunction)(void *)k), "%s", name);
	Q(cuKernelGetFunction(&f, k));
	NAMED("a kernel's function launched", launch(f, NULL));
	ANSWER("the name of a kernel's function", cuFuncGetName(&name, f), "%s",
	       name);
	NAMED("the module of a kernel's function", cuFuncGetModule(&m, f));
	NAMED("the module of a function", cuFuncGetModule(&m, two));
	say("the module of a function is its own", 0, "%d", m == mod);
	Q(cuLibraryGetModule(&m, lib));
	Q(cuLibraryGetModule(NULL, lib));
	NAMED("a function of a library's module",
	      cuModuleGetFunction(&f, m, "none"));
	NAMED("a function of a library's module launched", launch(f, NULL));
	NAMED("unload a library's module", cuModuleUnload(m));
	NAMED("a function of it after that",
	      cuModuleGetFunction(&f, m, "none"));
	NAMED("what a kernel's attribute is",
	      cuKernelGetAttribute(&have, 8, k, dev));
	NAMED("set a kernel's attribute",
	      cuKernelSetAttribute(8, 65536, k, dev));
	ANSWER("its function has it",
	       (cuKernelGetFunction(&f, k), cuFuncGetAttribute(&have, 8, f)),
	       "%d", have);
	Q(cuLibraryUnload(lib));
	Q(cuModuleUnload(NULL));
	Q(cuModuleUnload(mod));
}

/* --- memory --- */

static void
memory(void)
{
	CUdeviceptr p = 0, q = 0, base = 0;
	size_t total = 0, left = 0, size = 0, pitch = 0;
	void *h = NULL;
	char *mine = malloc(1 << 20);
	unsigned flags = 0;
	CUstream s;
	int type = 0;

	start();
	MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	MUST(cuDeviceTotalMem_v2(&total, dev));
	Q(cuMemAlloc_v2(&p, 0));
	Q(cuMemAlloc_v2(NULL, 16));
	Q(cuMemAlloc_v2(&p, (size_t)1 << 62));
	Q(cuMemAlloc_v2(&p, (size_t)-1));
	NAMED("all memory of the device", cuMemAlloc_v2(&p, total));
	NAMED("one byte more", cuMemAlloc_v2(&p, total + 1));
	Q(cuMemGetInfo_v2(&left, &total));
	NAMED("free memory less 1 GiB", cuMemAlloc_v2(&p, left - (1 << 30)));
	NAMED("2 GiB more", cuMemAlloc_v2(&q, (size_t)2 << 30));
	Q(cuMemFree_v2(p));
	Q(cuMemFree_v2(p));
	Q(cuMemFree_v2(0));
	Q(cuMemFree_v2(0x1000));
	Q(cuMemFree_v2((CUdeviceptr)(uintptr_t)mine));
	MUST(cuMemAlloc_v2(&p, 1000));
	MUST(cuMemAlloc_v2(&q, 1000));
	say("alignment of 1000 bytes", 0, "%d", p % 512 == 0 && q % 512 == 0);
	NAMED("free an inner address", cuMemFree_v2(p + 512));
	ANSWER("address range", cuMemGetAddressRange_v2(&base, &size, p + 7),
	       "%d %zu", base == p, size);
	NAMED("address range past the end",
	      cuMemGetAddressRange_v2(&base, &size, p + 1000));
	NAMED("address range of host memory",
	      cuMemGetAddressRange_v2(&base, &size,
				      (CUdeviceptr)(uintptr_t)mine));
	ANSWER("pitch", cuMemAllocPitch_v2(&base, &pitch, 100, 10, 4), "%zu",
	       pitch);
	Q(cuMemAllocPitch_v2(&base, &pitch, 100, 10, 3));
	Q(cuMemAllocPitch_v2(&base, &pitch, 0, 10, 4));
	Q(cuMemAllocPitch_v2(&base, &pitch, 100, 0, 4));
	/* Host memory. */
	Q(cuMemAllocHost_v2(&h, 0));
	Q(cuMemAllocHost_v2(NULL, 16));
	Q(cuMemAllocHost_v2(&h, 4096));
	ANSWER("flags of pinned memory", cuMemHostGetFlags(&flags, h), "%u",
	       flags);
	Q(cuMemHostGetFlags(&flags, mine));
	Q(cuMemHostGetDevicePointer_v2(&base, h, 0));
	say("device pointer of pinned memory is the same", 0, "%d",
	    base == (CUdeviceptr)(uintptr_t)h);
	Q(cuMemHostGetDevicePointer_v2(&base, h, 1));
	Q(cuMemHostGetDevicePointer_v2(&base, mine, 0));
	NAMED("free pinned memory as device memory",
	      cuMemFree_v2((CUdeviceptr)(uintptr_t)h));
	Q(cuMemFreeHost(mine));
	Q(cuMemFreeHost((char *)h + 1));
	Q(cuMemFreeHost(h));
	Q(cuMemFreeHost(h));
	Q(cuMemFreeHost(NULL));
	Q(cuMemHostAlloc(&h, 16, 8));
	Q(cuMemHostAlloc(&h, 16, 7));
	Q(cuMemHostRegister_v2(mine, 0, 0));
	Q(cuMemHostRegister_v2(NULL, 16, 0));
	Q(cuMemHostRegister_v2(mine, 8192, 0));
	Q(cuMemHostRegister_v2(mine, 8192, 0));
	Q(cuMemHostRegister_v2(mine + 4096, 100, 0));
	Q(cuMemHostUnregister(mine + 1));
	Q(cuMemHostUnregister(mine));
	Q(cuMemHostUnregister(mine));
	Q(cuMemHostRegister_v2(mine, 8192, 0x100));
	/* Managed. */
	Q(cuMemAllocManaged(&base, 4096, 0));
	Q(cuMemAllocManaged(&base, 0, 1));
	Q(cuMemAllocManaged(&base, 4096, 1));
	ANSWER("type of managed memory", cuPointerGetAttribute(&type, 2, base),
	       "%d", type);
	NAMED("free managed memory as host memory",
	      cuMemFreeHost((void *)(uintptr_t)base));
	NAMED("free managed memory", cuMemFree_v2(base));
	/* What a pointer is. */
	for (int i = 0; i < 23; i++) {
		unsigned long long v[64] = {0};
		char no[40];

		snprintf(no, sizeof(no), "attribute %d of a pointer", i);
		/* Those that are not addresses or numbers of this run. */
		if (i == 2 || i == 8 || i == 9 || (i >= 12 && i <= 16) ||
		    i == 21)
			ANSWER(no, cuPointerGetAttribute(v, i, p + 8), "%d",
			       (int)*v);
		else
			NAMED(no, cuPointerGetAttribute(v, i, p + 8));
	}
	Q(cuPointerGetAttribute(&type, 2, (CUdeviceptr)(uintptr_t)mine));
	Q(cuPointerGetAttribute(&type, 2, 0));
	Q(cuPointerGetAttribute(NULL, 2, p));
	{
		int attrs[3] = {2, 9, 8}, a = -5, b = -5, c = -5;
		void *out[3] = {&a, &b, &c};
		CUresult rc = cuPointerGetAttributes(
			3, attrs, out, (CUdeviceptr)(uintptr_t)mine);

		say("attributes of the program's own memory", (int)rc,
		    "%d %d %d", a, b, c);
		rc = cuPointerGetAttributes(3, attrs, out, p);
		say("attributes of device memory", (int)rc, "%d %d %d", a, b,
		    c);
		Q(cuPointerGetAttributes(0, attrs, out, p));
		attrs[0] = 99;
		Q(cuPointerGetAttributes(3, attrs, out, p));
	}
	/* In a stream's order. */
	Q(cuMemAllocAsync(&base, 0, s));
	Q(cuMemAllocAsync(NULL, 16, s));
	Q(cuMemAllocAsync(&base, (size_t)1 << 62, s));
	NAMED("all memory, in a stream's order",
	      cuMemAllocAsync(&base, total, s));
	Q(cuMemAllocAsync(&base, 4096, s));
	Q(cuMemFreeAsync(base, s));
	Q(cuMemFreeAsync(base, s));
	Q(cuMemFreeAsync(0, s));
	NAMED("free plain memory in a stream's order", cuMemFreeAsync(p, s));
	MUST(cuMemAllocAsync(&base, 4096, s));
	NAMED("free a stream's memory plainly", cuMemFree_v2(base));
	{
		CUmemoryPool pool;
		uint64_t v;

		MUST(cuDeviceGetDefaultMemPool(&pool, dev));
		for (int i = 0; i < 16; i++) {
			char no[40];
			CUresult rc;

			v = 0;
			rc = cuMemPoolGetAttribute(pool, i, &v);
			snprintf(no, sizeof(no), "attribute %d of a pool", i);
			if (i <= 4)
				say(no, (int)rc, "%llu", (unsigned long long)v);
			else
				say(no, (int)rc, NULL);
		}
	}
	NAMED("synchronize", cuCtxSynchronize());
	free(mine);
}

/* --- copies and memsets --- */

static CUDA_MEMCPY2D
rect(CUdeviceptr dst, size_t dpitch, void *src, size_t spitch, size_t w,
     size_t h)
{
	CUDA_MEMCPY2D c = {0};

	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = src;
	c.srcPitch = spitch;
	c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.dstDevice = dst;
	c.dstPitch = dpitch;
	c.WidthInBytes = w;
	c.Height = h;
	return c;
}

static void
copies(void)
{
	CUdeviceptr p = 0, big = 0;
	char *mine = calloc(1, 1 << 20), *huge = calloc(1, 9 << 20);
	CUstream s;
	CUDA_MEMCPY2D c;

	start();
	MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	MUST(cuMemAlloc_v2(&p, 1000));
	MUST(cuMemAlloc_v2(&big, 64 << 20));
	Q(cuMemcpyHtoD_v2(p, mine, 1000));
	Q(cuMemcpyHtoD_v2(p, mine, 0));
	Q(cuMemcpyHtoD_v2(0, mine, 0));
	Q(cuMemcpyHtoD_v2(0, mine, 4));
	Q(cuMemcpyHtoD_v2(p, NULL, 4));
	Q(cuMemcpyHtoD_v2(p, NULL, 0));
	Q(cuMemcpyHtoD_v2(p, mine, 1001));
	Q(cuMemcpyHtoD_v2(p + 996, mine, 4));
	Q(cuMemcpyHtoD_v2(p + 996, mine, 8));
	Q(cuMemcpyHtoD_v2(p, mine, 1 << 20));
	Q(cuMemcpyHtoD_v2(0x1000, mine, 4));
	Q(cuMemcpyDtoH_v2(mine, p, 1000));
	Q(cuMemcpyDtoH_v2(mine, p, 1001));
	Q(cuMemcpyDtoH_v2(mine, 0, 4));
	Q(cuMemcpyDtoH_v2(NULL, p, 4));
	Q(cuMemcpyDtoH_v2(mine, 0x1000, 4));
	Q(cuMemcpyDtoD_v2(p, p + 500, 100));
	Q(cuMemcpyDtoD_v2(p, p + 1, 500));
	Q(cuMemcpyDtoD_v2(p, 0x1000, 4));
	Q(cuMemcpyDtoD_v2(0x1000, p, 4));
	Q(cuMemcpyDtoD_v2(p, p, 1001));
	NAMED("to device, from a device pointer",
	      cuMemcpyHtoD_v2(p, (void *)(uintptr_t)big, 4));
	NAMED("to host, to a device pointer",
	      cuMemcpyDtoH_v2((void *)(uintptr_t)big, p, 4));
	NAMED("device to device, from host memory",
	      cuMemcpyDtoD_v2(p, (CUdeviceptr)(uintptr_t)mine, 4));
	NAMED("device to device, to host memory",
	      cuMemcpyDtoD_v2((CUdeviceptr)(uintptr_t)mine, p, 4));
	NAMED("to device, to host memory",
	      cuMemcpyHtoD_v2((CUdeviceptr)(uintptr_t)mine, mine + 64, 4));
	NAMED("any: host to device",
	      cuMemcpy(p, (CUdeviceptr)(uintptr_t)mine, 4));
	NAMED("any: device to host",
	      cuMemcpy((CUdeviceptr)(uintptr_t)mine, p, 4));
	mine[64] = 42;
	NAMED("any: host to host",
	      cuMemcpy((CUdeviceptr)(uintptr_t)mine,
		       (CUdeviceptr)(uintptr_t)(mine + 64), 4));
	say("any: host to host moved", 0, "%d", mine[0]);
	NAMED("any: from nowhere", cuMemcpy(p, 0x1000, 4));
	NAMED("any: null", cuMemcpy(p, 0, 4));
	Q(cuMemcpyHtoDAsync_v2(p, mine, 1000, s));
	Q(cuMemcpyHtoDAsync_v2(p, mine, 1001, s));
	Q(cuMemcpyHtoDAsync_v2(0x1000, mine, 4, s));
	Q(cuMemcpyHtoDAsync_v2(p, NULL, 0, s));
	Q(cuMemcpyDtoHAsync_v2(mine, p, 1001, s));
	Q(cuMemcpyDtoHAsync_v2(mine, 0x1000, 4, s));
	Q(cuStreamSynchronize(s));
	/* Rectangles. */
#define RECT(dpitch, spitch, w, h)                                          \
	c = rect(big, dpitch, huge, spitch, w, h);                          \
	NAMED("2D pitch " #dpitch " " #spitch " size " #w " " #h,           \
	      cuMemcpy2D_v2(&c));                                           \
	NAMED("2D unaligned pitch " #dpitch " " #spitch " size " #w " " #h, \
	      cuMemcpy2DUnaligned_v2(&c));                                  \
	NAMED("2D async pitch " #dpitch " " #spitch " size " #w " " #h,     \
	      cuMemcpy2DAsync_v2(&c, s));                                   \
	cuStreamSynchronize(s)
	RECT(512, 100, 100, 10);
	RECT(99, 100, 100, 10);
	RECT(512, 99, 100, 10);
	RECT(0, 100, 100, 1);
	RECT(512, 0, 100, 1);
	RECT(0, 0, 100, 1);
	RECT(0, 0, 100, 10);
	RECT(512, 100, 0, 10);
	RECT(512, 100, 100, 0);
	RECT(512, 64, 64, 65535);
	RECT(512, 64, 64, 65536);
	RECT(512, 64, 64, 131072);
	RECT(64, 64, 64, 131072);
	RECT(512, 4, 4, 131072);
	RECT(512, 64, 64, 131073);
	c = rect(big, (size_t)1 << 31, huge, 64, 64, 1);
	NAMED("2D pitch 2^31", cuMemcpy2D_v2(&c));
	c = rect(big, ((size_t)1 << 31) - 1, huge, 64, 64, 1);
	NAMED("2D pitch 2^31-1", cuMemcpy2D_v2(&c));
	c = rect(p, 512, huge, 100, 100, 2);
	NAMED("2D past the end", cuMemcpy2D_v2(&c));
	c = rect(p, 512, huge, 100, 100, 1);
	c.dstMemoryType = 9;
	NAMED("2D of a type nobody knows", cuMemcpy2D_v2(&c));
	c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
	NAMED("2D unified", cuMemcpy2D_v2(&c));
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	NAMED("2D to no array", cuMemcpy2D_v2(&c));
	Q(cuMemcpy2D_v2(NULL));
	/* Memsets. */
	Q(cuMemsetD8_v2(p, 1, 1000));
	Q(cuMemsetD8_v2(p, 1, 1001));
	Q(cuMemsetD8_v2(p, 1, 0));
	Q(cuMemsetD8_v2(0, 1, 0));
	Q(cuMemsetD8_v2(0, 1, 4));
	Q(cuMemsetD8_v2(0x1000, 1, 4));
	Q(cuMemsetD16_v2(p + 1, 1, 4));
	Q(cuMemsetD16_v2(p, 1, 500));
	Q(cuMemsetD16_v2(p, 1, 501));
	Q(cuMemsetD32_v2(p, 1, 250));
	Q(cuMemsetD32_v2(p, 1, 251));
	Q(cuMemsetD32_v2(p + 2, 1, 4));
	Q(cuMemsetD2D32_v2(big, 512, 1, 100, 10));
	Q(cuMemsetD2D32_v2(big, 100, 1, 100, 10));
	Q(cuMemsetD2D32_v2(big, 402, 1, 100, 10));
	Q(cuMemsetD2D32_v2(big, 0, 1, 100, 1));
	Q(cuMemsetD2D32_v2(big, 0, 1, 100, 2));
	Q(cuMemsetD2D32_v2(big, 512, 1, 0, 2));
	Q(cuMemsetD2D32_v2(p, 512, 1, 100, 3));
	NAMED("memset of host memory",
	      cuMemsetD8_v2((CUdeviceptr)(uintptr_t)mine, 1, 4));
	Q(cuMemsetD8Async(p, 1, 1001, s));
	NAMED("synchronize", cuCtxSynchronize());
	free(mine);
	free(huge);
}

/* --- streams and events --- */

static void
nothing(void *p)
{
	(void)p;
}

static void
sleep_a_bit(void *p)
{
	(void)p;
	usleep(200000);
}

static void
callback(CUstream s, CUresult rc, void *p)
{
	(void)s;
	(void)rc;
	(void)p;
}

static void
streams(void)
{
	CUstream s, t, u;
	CUevent a, b, quiet, other;
	unsigned flags = 9;
	int pri = 99, n = 0;
	float ms = -1;
	CUcontext c = NULL;
	CUdeviceptr p;

	start();
	load();
	MUST(cuMemAlloc_v2(&p, 64));
	Q(cuStreamCreate(&s, 2));
	Q(cuStreamCreate(NULL, 0));
	Q(cuStreamCreate(&s, 0));
	Q(cuStreamCreate(&t, 1));
	ANSWER("flags of a stream", cuStreamGetFlags(t, &flags), "%u", flags);
	ANSWER("flags of the null stream", cuStreamGetFlags(NULL, &flags), "%u",
	       flags);
	ANSWER("priority of the null stream", cuStreamGetPriority(NULL, &pri),
	       "%d", pri);
	Q(cuStreamCreateWithPriority(&u, 1, -99));
	ANSWER("priority -99 is", cuStreamGetPriority(u, &pri), "%d", pri);
	Q(cuStreamCreateWithPriority(&u, 1, 99));
	ANSWER("priority 99 is", cuStreamGetPriority(u, &pri), "%d", pri);
	ANSWER("context of a stream", cuStreamGetCtx(s, &c), "%d", c == ctx);
	Q(cuStreamDestroy_v2(NULL));
	Q(cuStreamDestroy_v2(CU_STREAM_LEGACY));
	Q(cuStreamDestroy_v2(CU_STREAM_PER_THREAD));
	Q(cuStreamSynchronize(NULL));
	Q(cuStreamSynchronize(CU_STREAM_LEGACY));
	Q(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	Q(cuStreamQuery(s));
	Q(cuLaunchHostFunc(s, NULL, NULL));
	Q(cuLaunchHostFunc(s, nothing, NULL));
	Q(cuStreamAddCallback(s, NULL, NULL, 0));
	Q(cuStreamAddCallback(s, callback, NULL, 1));
	Q(cuStreamAddCallback(s, callback, NULL, 0));
	Q(cuStreamSynchronize(s));
	/* Events. */
	Q(cuEventCreate(&a, 8));
	Q(cuEventCreate(&a, 4));
	Q(cuEventCreate(NULL, 0));
	Q(cuEventCreate(&a, 0));
	Q(cuEventCreate(&b, 1));
	Q(cuEventCreate(&quiet, 2));
	Q(cuEventQuery(a));
	Q(cuEventSynchronize(a));
	NAMED("elapsed between events never recorded",
	      cuEventElapsedTime(&ms, a, b));
	Q(cuStreamWaitEvent(s, a, 0));
	Q(cuStreamWaitEvent(s, a, 2));
	Q(cuStreamWaitEvent(s, NULL, 0));
	Q(cuEventRecord(a, s));
	Q(launch(none, s));
	Q(cuEventRecord(b, s));
	Q(cuEventSynchronize(b));
	ANSWER("elapsed over a launch", cuEventElapsedTime(&ms, a, b), "%d",
	       ms > 0);
	ANSWER("elapsed backwards", cuEventElapsedTime(&ms, b, a), "%d",
	       ms < 0);
	Q(cuEventElapsedTime(NULL, a, b));
	Q(cuEventElapsedTime(&ms, NULL, b));
	Q(cuEventRecord(quiet, s));
	Q(cuEventSynchronize(quiet));
	NAMED("elapsed with an event without timing",
	      cuEventElapsedTime(&ms, a, quiet));
	MUST(cuEventCreate(&other, 0));
	NAMED("elapsed with one never recorded",
	      cuEventElapsedTime(&ms, a, other));
	Q(cuEventRecordWithFlags(a, s, 1));
	Q(cuEventRecordWithFlags(a, s, 2));
	Q(cuEventRecord(NULL, s));
	Q(cuEventQuery(NULL));
	Q(cuEventDestroy_v2(NULL));
	/* Order: a host function holds its stream up, and no other. */
	Q(cuLaunchHostFunc(s, sleep_a_bit, NULL));
	Q(cuEventRecord(a, s));
	NAMED("busy stream: query", cuStreamQuery(s));
	NAMED("busy stream: event", cuEventQuery(a));
	NAMED("busy stream: elapsed", cuEventElapsedTime(&ms, b, a));
	NAMED("a free stream: query", cuStreamQuery(t));
	NAMED("a free stream waits for the event", cuStreamWaitEvent(t, a, 0));
	NAMED("a free stream: query", cuStreamQuery(t));
	NAMED("the null stream: query", cuStreamQuery(NULL));
	Q(cuStreamSynchronize(t));
	NAMED("then the event", cuEventQuery(a));
	NAMED("then the stream", cuStreamQuery(s));
	MUST(cuLaunchHostFunc(t, sleep_a_bit, NULL));
	NAMED("busy non-blocking stream, null stream: query",
	      cuStreamQuery(NULL));
	Q(cuStreamDestroy_v2(t));
	MUST(cuLaunchHostFunc(s, sleep_a_bit, NULL));
	NAMED("a synchronous memset waits for nothing",
	      cuMemsetD8_v2(p, 0, 64));
	NAMED("busy stream after it: query", cuStreamQuery(s));
	NAMED("a synchronous read", cuMemcpyDtoH_v2(&n, p, 4));
	NAMED("blocking stream after it: query", cuStreamQuery(s));
	Q(cuCtxSynchronize());
}

/* --- capture --- */

enum call {
	C_NOTHING,
	C_ALLOC,
	C_FREE,
	C_ALLOC_ASYNC,
	C_ALLOC_HOST,
	C_FREE_HOST,
	C_REGISTER,
	C_ALLOC_MANAGED,
	C_MEM_INFO,
	C_EVENT_CREATE,
	C_EVENT_QUERY,
	C_EVENT_SYNC,
	C_EVENT_QUERY_NEW,
	C_EVENT_RECORD_OTHER,
	C_EVENT_ELAPSED,
	C_STREAM_QUERY,
	C_STREAM_QUERY_OTHER,
	C_STREAM_QUERY_NULL,
	C_STREAM_SYNC,
	C_STREAM_SYNC_OTHER,
	C_STREAM_SYNC_NULL,
	C_CTX_SYNC,
	C_HTOD,
	C_DTOH,
	C_DTOD,
	C_HTOD_ASYNC,
	C_DTOH_ASYNC,
	C_DTOH_ASYNC_PINNED,
	C_HTOD_ASYNC_OTHER,
	C_HTOD_ASYNC_NULL,
	C_MEMSET,
	C_MEMSET_ASYNC,
	C_LAUNCH_NULL,
	C_LAUNCH_OTHER,
	C_LAUNCH_BAD,
	C_LAUNCH_COOPERATIVE,
	C_MODULE_LOAD,
	C_MODULE_GET,
	C_MODULE_UNLOAD,
	C_FUNC_SET,
	C_LIBRARY_LOAD,
	C_STREAM_CREATE,
	C_STREAM_DESTROY_OTHER,
	C_HOST_FUNC,
	C_CALLBACK,
	C_GRAPH_LAUNCH,
	C_GRAPH_LAUNCH_OTHER,
	C_GRAPH_UPLOAD,
	C_INSTANTIATE,
	C_BEGIN_AGAIN,
	C_BEGIN_OTHER,
	C_IS_CAPTURING_NULL,
	C_CAPTURED_QUERY,
	C_CAPTURED_SYNC,
	C_CAPTURED_WAIT_HOST,
	C_WAIT_OUTSIDE,
	C_WAIT_NEW,
	C_FORK,
	C_FORK_WORK,
	C_FORK_JOIN,
	C_FORK_NULL,
	C_END_OTHER,
	C_SET_CURRENT,
	C_RETAIN,
	C_POINTER,
	C_COPY_BAD,
	C_MEMSET_BAD,
	C_HOST_FUNC_BAD,
	C_CONTEXT,
	C_EXEC_DESTROY,
	C_EVENT_DESTROY,
	C_END
};

static const char *const call_names[C_END] = {
	"nothing",
	"allocate",
	"free",
	"allocate in the stream",
	"allocate host memory",
	"free host memory",
	"register host memory",
	"allocate managed memory",
	"memory info",
	"create an event",
	"query an event",
	"wait for an event",
	"query a new event",
	"record in another stream",
	"elapsed time",
	"query the stream",
	"query another stream",
	"query the null stream",
	"wait for the stream",
	"wait for another stream",
	"wait for the null stream",
	"wait for the context",
	"copy to the device",
	"copy to the host",
	"copy on the device",
	"copy to the device in the stream",
	"copy to the host in the stream",
	"copy to pinned memory in the stream",
	"copy in another stream",
	"copy in the null stream",
	"memset",
	"memset in the stream",
	"launch in the null stream",
	"launch in another stream",
	"a bad launch",
	"a cooperative launch",
	"load a module",
	"get a function",
	"unload a module",
	"set a function's attribute",
	"load a library",
	"create a stream",
	"destroy another stream",
	"a host function",
	"a callback",
	"launch a graph",
	"launch a graph in another stream",
	"upload a graph",
	"instantiate a graph",
	"begin again",
	"begin in another stream",
	"is the null stream capturing",
	"query a captured event",
	"wait for a captured event",
	"elapsed time of a captured event",
	"depend on an outside event",
	"depend on a new event",
	"fork",
	"fork and work",
	"fork, work and join",
	"fork to the null stream",
	"end in another stream",
	"set the context",
	"retain the context",
	"ask what a pointer is",
	"a bad copy in the stream",
	"a bad memset in the stream",
	"a host function that is none",
	"create a context",
	"destroy an executable graph",
	"destroy an event"};

static struct {
	CUstream other;
	CUevent done, fresh, inner, join;
	CUdeviceptr p;
	void *pinned;
	char *mine;
	CUmodule spare;
	CUgraphExec exec;
	CUgraph graph;
} k;

static CUresult
do_call(enum call call, CUstream s)
{
	CUdeviceptr p;
	void *v;
	size_t a, b;
	int n = 0;
	float ms;
	CUevent e;
	CUmodule m;
	CUfunction f;
	CUlibrary lib;
	CUstream t;
	CUgraph g;
	CUgraphExec x;
	CUcontext c;
	CUresult rc;

	switch (call) {
	case C_NOTHING:
		return CUDA_SUCCESS;
	case C_ALLOC:
		return cuMemAlloc_v2(&p, 4096);
	case C_FREE:
		return cuMemFree_v2(k.p);
	case C_ALLOC_ASYNC:
		return cuMemAllocAsync(&p, 4096, s);
	case C_ALLOC_HOST:
		return cuMemAllocHost_v2(&v, 4096);
	case C_FREE_HOST:
		return cuMemFreeHost(k.pinned);
	case C_REGISTER:
		return cuMemHostRegister_v2(k.mine, 4096, 0);
	case C_ALLOC_MANAGED:
		return cuMemAllocManaged(&p, 4096, 1);
	case C_MEM_INFO:
		return cuMemGetInfo_v2(&a, &b);
	case C_EVENT_CREATE:
		return cuEventCreate(&e, 0);
	case C_EVENT_QUERY:
		return cuEventQuery(k.done);
	case C_EVENT_SYNC:
		return cuEventSynchronize(k.done);
	case C_EVENT_QUERY_NEW:
		return cuEventQuery(k.fresh);
	case C_EVENT_RECORD_OTHER:
		return cuEventRecord(k.done, k.other);
	case C_EVENT_ELAPSED:
		return cuEventElapsedTime(&ms, k.done, k.done);
	case C_STREAM_QUERY:
		return cuStreamQuery(s);
	case C_STREAM_QUERY_OTHER:
		return cuStreamQuery(k.other);
	case C_STREAM_QUERY_NULL:
		return cuStreamQuery(NULL);
	case C_STREAM_SYNC:
		return cuStreamSynchronize(s);
	case C_STREAM_SYNC_OTHER:
		return cuStreamSynchronize(k.other);
	case C_STREAM_SYNC_NULL:
		return cuStreamSynchronize(NULL);
	case C_CTX_SYNC:
		return cuCtxSynchronize();
	case C_HTOD:
		return cuMemcpyHtoD_v2(k.p, k.mine, 4);
	case C_DTOH:
		return cuMemcpyDtoH_v2(k.mine, k.p, 4);
	case C_DTOD:
		return cuMemcpyDtoD_v2(k.p, k.p + 64, 4);
	case C_HTOD_ASYNC:
		return cuMemcpyHtoDAsync_v2(k.p, k.mine, 4, s);
	case C_DTOH_ASYNC:
		return cuMemcpyDtoHAsync_v2(k.mine, k.p, 4, s);
	case C_DTOH_ASYNC_PINNED:
		return cuMemcpyDtoHAsync_v2(k.pinned, k.p, 4, s);
	case C_HTOD_ASYNC_OTHER:
		return cuMemcpyHtoDAsync_v2(k.p, k.mine, 4, k.other);
	case C_HTOD_ASYNC_NULL:
		return cuMemcpyHtoDAsync_v2(k.p, k.mine, 4, NULL);
	case C_MEMSET:
		return cuMemsetD8_v2(k.p, 0, 4);
	case C_MEMSET_ASYNC:
		return cuMemsetD8Async(k.p, 0, 4, s);
	case C_LAUNCH_NULL:
		return launch(none, NULL);
	case C_LAUNCH_OTHER:
		return launch(none, k.other);
	case C_LAUNCH_BAD:
		return cuLaunchKernel(none, 0, 1, 1, 1, 1, 1, 0, s, NULL, NULL);
	case C_LAUNCH_COOPERATIVE:
		return cuLaunchCooperativeKernel(none, 1, 1, 1, 32, 1, 1, 0, s,
						 NULL);
	case C_MODULE_LOAD:
		return cuModuleLoadData(&m, ptx);
	case C_MODULE_GET:
		return cuModuleGetFunction(&f, mod, "two");
	case C_MODULE_UNLOAD:
		return cuModuleUnload(k.spare);
	case C_FUNC_SET:
		return cuFuncSetAttribute(dyn, 8, 65536);
	case C_LIBRARY_LOAD:
		return cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL,
					 0);
	case C_STREAM_CREATE:
		return cuStreamCreate(&t, 0);
	case C_STREAM_DESTROY_OTHER:
		return cuStreamDestroy_v2(k.other);
	case C_HOST_FUNC:
		return cuLaunchHostFunc(s, nothing, NULL);
	case C_CALLBACK:
		return cuStreamAddCallback(s, callback, NULL, 0);
	case C_GRAPH_LAUNCH:
		return cuGraphLaunch(k.exec, s);
	case C_GRAPH_LAUNCH_OTHER:
		return cuGraphLaunch(k.exec, k.other);
	case C_GRAPH_UPLOAD:
		return cuGraphUpload(k.exec, s);
	case C_INSTANTIATE:
		return cuGraphInstantiateWithFlags(&x, k.graph, 0);
	case C_BEGIN_AGAIN:
		return cuStreamBeginCapture_v2(s, 0);
	case C_BEGIN_OTHER:
		rc = cuStreamBeginCapture_v2(k.other, 0);
		if (rc == CUDA_SUCCESS)
			cuStreamEndCapture(k.other, &g);
		return rc;
	case C_IS_CAPTURING_NULL:
		return cuStreamIsCapturing(NULL, &n);
	case C_CAPTURED_QUERY:
		cuEventRecord(k.inner, s);
		return cuEventQuery(k.inner);
	case C_CAPTURED_SYNC:
		cuEventRecord(k.inner, s);
		return cuEventSynchronize(k.inner);
	case C_CAPTURED_WAIT_HOST:
		cuEventRecord(k.inner, s);
		return cuEventElapsedTime(&ms, k.inner, k.done);
	case C_WAIT_OUTSIDE:
		return cuStreamWaitEvent(s, k.done, 0);
	case C_WAIT_NEW:
		return cuStreamWaitEvent(s, k.fresh, 0);
	case C_FORK:
	case C_FORK_WORK:
	case C_FORK_JOIN:
		cuEventRecord(k.inner, s);
		rc = cuStreamWaitEvent(k.other, k.inner, 0);
		if (call == C_FORK || rc != CUDA_SUCCESS)
			return rc;
		rc = launch(none, k.other);
		if (call == C_FORK_WORK || rc != CUDA_SUCCESS)
			return rc;
		cuEventRecord(k.join, k.other);
		return cuStreamWaitEvent(s, k.join, 0);
	case C_FORK_NULL:
		cuEventRecord(k.inner, s);
		return cuStreamWaitEvent(NULL, k.inner, 0);
	case C_END_OTHER:
		cuEventRecord(k.inner, s);
		cuStreamWaitEvent(k.other, k.inner, 0);
		return cuStreamEndCapture(k.other, &g);
	case C_SET_CURRENT:
		return cuCtxSetCurrent(ctx);
	case C_RETAIN:
		return cuDevicePrimaryCtxRetain(&c, dev);
	case C_POINTER:
		return cuPointerGetAttribute(&n, 2, k.p);
	case C_COPY_BAD:
		return cuMemcpyHtoDAsync_v2(k.p, k.mine, 8192, s);
	case C_MEMSET_BAD:
		return cuMemsetD8Async(k.p, 0, 8192, s);
	case C_HOST_FUNC_BAD:
		return cuLaunchHostFunc(s, NULL, NULL);
	case C_CONTEXT:
		rc = cuCtxCreate_v2(&c, 0, dev);
		if (rc == CUDA_SUCCESS)
			cuCtxDestroy_v2(c);
		return rc;
	case C_EXEC_DESTROY:
		rc = cuGraphInstantiateWithFlags(&x, k.graph, 0);
		return rc != CUDA_SUCCESS ? rc : cuGraphExecDestroy(x);
	case C_EVENT_DESTROY:
		return cuEventDestroy_v2(k.fresh);
	default:
		return CUDA_ERROR_UNKNOWN;
	}
}

/* One call within one capture; everything it may spoil is made anew. */
static void
captured(enum call call, int mode, unsigned flags)
{
	static const char *const modes[] = {"global", "thread", "relaxed"};
	CUstream s;
	CUgraph g = NULL;
	CUresult rc, end;
	char q[160];
	int status = -1, after_query;
	size_t n = 0;

	snprintf(q, sizeof(q), "%s, %s: %s", modes[mode],
		 flags ? "non-blocking" : "blocking", call_names[call]);
	if (!survives(q))
		return;
	MUST(cuStreamCreate(&s, flags));
	MUST(cuStreamCreate(&k.other, flags));
	MUST(cuMemAlloc_v2(&k.p, 4096));
	MUST(cuMemAllocHost_v2(&k.pinned, 4096));
	MUST(cuModuleLoadData(&k.spare, ptx));
	MUST(cuEventCreate(&k.done, 0));
	MUST(cuEventCreate(&k.fresh, 0));
	MUST(cuEventCreate(&k.inner, 0));
	MUST(cuEventCreate(&k.join, 0));
	MUST(cuEventRecord(k.done, k.other));
	MUST(cuEventSynchronize(k.done));
	MUST(cuStreamBeginCapture_v2(s, mode));
	MUST(launch(none, s));
	rc = do_call(call, s);
	cuStreamIsCapturing(s, &status);
	end = cuStreamEndCapture(s, &g);
	if (g != NULL) {
		cuGraphGetNodes(g, NULL, &n);
		cuGraphDestroy(g);
	}
	after_query = (int)cuEventQuery(k.inner);
	say(q, (int)rc, "status %d end %d nodes %zu event %d", status, (int)end,
	    n, after_query);
	cuStreamDestroy_v2(s);
	if (call != C_STREAM_DESTROY_OTHER)
		cuStreamDestroy_v2(k.other);
	cuEventDestroy_v2(k.done);
	if (call != C_EVENT_DESTROY)
		cuEventDestroy_v2(k.fresh);
	cuEventDestroy_v2(k.inner);
	cuEventDestroy_v2(k.join);
	cuMemFree_v2(k.p);
	if (call != C_FREE_HOST || rc != CUDA_SUCCESS)
		cuMemFreeHost(k.pinned);
	cuMemHostUnregister(k.mine);
}

static void *
elsewhere(void *arg)
{
	CUdeviceptr p;
	CUgraph g;
	CUstream s = arg;
	int mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	cuCtxSetCurrent(ctx);
	NAMED("another thread, relaxed: exchange",
	      cuThreadExchangeStreamCaptureMode(&mode));
	say("another thread: the mode before", 0, "%d", mode);
	NAMED("another thread, relaxed: allocate", cuMemAlloc_v2(&p, 4096));
	mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
	cuThreadExchangeStreamCaptureMode(&mode);
	NAMED("another thread, thread-local: allocate", cuMemAlloc_v2(&p, 64));
	NAMED("another thread: end", cuStreamEndCapture(s, &g));
	mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
	cuThreadExchangeStreamCaptureMode(&mode);
	NAMED("another thread, global: allocate", cuMemAlloc_v2(&p, 64));
	return NULL;
}

static void
captures(void)
{
	CUgraphNode node;

	start();
	load();
	k.mine = aligned_alloc(4096, 8192);
	MUST(cuGraphCreate(&k.graph, 0));
	MUST(cuGraphAddEmptyNode(&node, k.graph, NULL, 0));
	MUST(cuGraphInstantiateWithFlags(&k.exec, k.graph, 0));
	for (int flags = 1; flags >= 0; flags--)
		for (int mode = 0; mode < 3; mode++)
			for (int c = 0; c < C_END; c++)
				captured((enum call)c, mode, (unsigned)flags);
}

static void
capture_rules(void)
{
	CUstream s;
	CUgraph g = NULL;
	CUgraphNode node;
	CUevent e;
	pthread_t t;
	int status = -1, mode;
	unsigned long long id = 0;
	const CUgraphNode *deps = NULL;
	size_t n = 0;

	start();
	load();
	MUST(cuStreamCreate(&s, 1));
	MUST(cuEventCreate(&e, 0));
	Q(cuStreamBeginCapture_v2(s, 3));
	Q(cuStreamBeginCapture_v2(NULL, 0));
	Q(cuStreamBeginCapture_v2(CU_STREAM_LEGACY, 0));
	Q(cuStreamEndCapture(s, &g));
	Q(cuStreamIsCapturing(s, NULL));
	NAMED("begin in the thread's stream",
	      cuStreamBeginCapture_v2(CU_STREAM_PER_THREAD, 0));
	NAMED("end in the thread's stream",
	      cuStreamEndCapture(CU_STREAM_PER_THREAD, &g));
	MUST(cuStreamBeginCapture_v2(s, 0));
	Q(cuStreamEndCapture(s, NULL));
	ANSWER("after it", cuStreamIsCapturing(s, &status), "%d", status);
	if (status != 0)
		cuStreamEndCapture(s, &g);
	MUST(cuStreamBeginCapture_v2(s, 0));
	ANSWER("info",
	       cuStreamGetCaptureInfo_v2(s, &status, &id, &g, &deps, &n),
	       "%d %d %d %zu", status, id != 0, g != NULL, n);
	launch(none, s);
	ANSWER("info after a launch",
	       cuStreamGetCaptureInfo_v2(s, &status, &id, &g, &deps, &n),
	       "%d %zu", status, n);
	NAMED("destroy the graph of a capture", cuGraphDestroy(g));
	MUST(cuEventRecord(e, s));
	MUST(cuStreamEndCapture(s, &g));
	NAMED("an empty wait on an event of a capture that ended",
	      cuStreamWaitEvent(s, e, 0));
	NAMED("query an event of a capture that ended", cuEventQuery(e));
	NAMED("record it again", cuEventRecord(e, s));
	NAMED("query it then", cuEventQuery(e));
	Q(cuStreamSynchronize(s));
	ANSWER("info outside",
	       cuStreamGetCaptureInfo_v2(s, &status, &id, NULL, NULL, NULL),
	       "%d", status);
	MUST(cuStreamBeginCapture_v2(s, 0));
	pthread_create(&t, NULL, elsewhere, s);
	pthread_join(t, NULL);
	say("capture after another thread's call",
	    (int)cuStreamEndCapture(s, &g), NULL);
	MUST(cuStreamBeginCapture_v2(s, 0));
	mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	MUST(cuThreadExchangeStreamCaptureMode(&mode));
	{
		CUdeviceptr p;

		NAMED("this thread relaxed: allocate", cuMemAlloc_v2(&p, 64));
	}
	NAMED("this thread relaxed: end", cuStreamEndCapture(s, &g));
	mode = 3;
	Q(cuThreadExchangeStreamCaptureMode(&mode));
	Q(cuThreadExchangeStreamCaptureMode(NULL));
	mode = 0;
	cuThreadExchangeStreamCaptureMode(&mode);
	/* Into a graph that is there. */
	MUST(cuGraphCreate(&g, 0));
	MUST(cuGraphAddEmptyNode(&node, g, NULL, 0));
	Q(cuStreamBeginCaptureToGraph(s, g, &node, NULL, 1, 0));
	launch(none, s);
	{
		CUgraph out = NULL;

		Q(cuStreamEndCapture(s, &out));
		say("it is the same graph", 0, "%d", out == g);
		cuGraphGetNodes(g, NULL, &n);
		say("its nodes", 0, "%zu", n);
	}
	Q(cuStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, 0));
	/* A stream destroyed while it is captured. */
	MUST(cuStreamBeginCapture_v2(s, 0));
	NAMED("destroy the stream that is captured", cuStreamDestroy_v2(s));
	{
		CUdeviceptr p;

		NAMED("allocate after it", cuMemAlloc_v2(&p, 64));
	}
}

/* --- graphs --- */

static CUDA_KERNEL_NODE_PARAMS
kernel_of(CUfunction f, unsigned grid)
{
	CUDA_KERNEL_NODE_PARAMS p = {0};

	p.func = f;
	p.gridDimX = grid;
	p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
	p.blockDimX = 32;
	return p;
}

static void
graphs(void)
{
	CUgraph g, h, child, clone, other;
	CUgraphNode a, b, c, list[8], m;
	CUgraphExec x, y;
	CUDA_KERNEL_NODE_PARAMS p = {0};
	CUDA_MEMSET_NODE_PARAMS set = {0};
	CUDA_HOST_NODE_PARAMS host = {0};
	CUgraphExecUpdateResultInfo info = {0};
	CUdeviceptr mem;
	size_t n;
	int type = -1;
	unsigned on = 9;
	void *params[2];
	int arg = 0;

	start();
	load();
	MUST(cuMemAlloc_v2(&mem, 4096));
	Q(cuGraphCreate(&g, 1));
	Q(cuGraphCreate(NULL, 0));
	Q(cuGraphCreate(&g, 0));
	Q(cuGraphCreate(&h, 0));
	p = kernel_of(none, 1);
	Q(cuGraphAddKernelNode_v2(&a, g, NULL, 0, &p));
	Q(cuGraphAddKernelNode_v2(NULL, g, NULL, 0, &p));
	Q(cuGraphAddKernelNode_v2(&b, NULL, NULL, 0, &p));
	Q(cuGraphAddKernelNode_v2(&b, g, NULL, 0, NULL));
	NAMED("one dependency, no list",
	      cuGraphAddKernelNode_v2(&b, g, NULL, 1, &p));
	p.gridDimX = 0;
	NAMED("a kernel node with a grid of zero",
	      cuGraphAddKernelNode_v2(&b, g, NULL, 0, &p));
	p = kernel_of(none, 1);
	p.blockDimX = 2048;
	NAMED("a kernel node with 2048 threads",
	      cuGraphAddKernelNode_v2(&b, g, NULL, 0, &p));
	p = kernel_of(none, 1);
	p.sharedMemBytes = 100000;
	NAMED("a kernel node with 100000 bytes",
	      cuGraphAddKernelNode_v2(&b, g, NULL, 0, &p));
	p = kernel_of(NULL, 1);
	NAMED("a kernel node without a function",
	      cuGraphAddKernelNode_v2(&b, g, NULL, 0, &p));
	p = kernel_of(two, 1);
	NAMED("a kernel node without its parameters",
	      cuGraphAddKernelNode_v2(&b, g, NULL, 0, &p));
	params[0] = &mem;
	params[1] = &arg;
	p.kernelParams = params;
	NAMED("a kernel node with parameters",
	      cuGraphAddKernelNode_v2(&b, g, &a, 1, &p));
	memset(&p, 0, sizeof(p));
	ANSWER("its parameters", cuGraphKernelNodeGetParams_v2(b, &p),
	       "%d %d %d", p.func == two, p.kernelParams != NULL,
	       p.kernelParams != params);
	NAMED("set as they were", cuGraphKernelNodeSetParams_v2(b, &p));
	set.dst = mem;
	set.elementSize = 4;
	set.width = 16;
	set.height = 1;
	NAMED("a memset node", cuGraphAddMemsetNode(&m, g, &b, 1, &set, ctx));
	set.elementSize = 3;
	NAMED("a memset node of elements of 3",
	      cuGraphAddMemsetNode(&c, g, NULL, 0, &set, ctx));
	set.elementSize = 4;
	set.width = 0;
	NAMED("a memset node of nothing",
	      cuGraphAddMemsetNode(&c, g, NULL, 0, &set, ctx));
	set.width = 2000;
	NAMED("a memset node past the end",
	      cuGraphAddMemsetNode(&c, g, NULL, 0, &set, ctx));
	set.width = 4;
	NAMED("a memset node without a context",
	      cuGraphAddMemsetNode(&c, g, NULL, 0, &set, NULL));
	NAMED("a host node without a function",
	      cuGraphAddHostNode(&c, g, NULL, 0, &host));
	host.fn = nothing;
	NAMED("a host node", cuGraphAddHostNode(&c, g, &m, 1, &host));
	NAMED("a node that depends on itself",
	      cuGraphAddDependencies(g, &c, &c, 1));
	NAMED("an edge that is there", cuGraphAddDependencies(g, &a, &b, 1));
	list[0] = list[1] = a;
	NAMED("a dependency twice", cuGraphAddEmptyNode(&c, g, list, 2));
	NAMED("a dependency of another graph",
	      cuGraphAddEmptyNode(&c, h, &a, 1));
	NAMED("a graph as its own child",
	      cuGraphAddChildGraphNode(&c, g, NULL, 0, g));
	n = 8;
	ANSWER("nodes", cuGraphGetNodes(g, list, &n), "%zu %d", n,
	       list[7] == NULL);
	n = 2;
	ANSWER("nodes, room for 2", cuGraphGetNodes(g, list, &n), "%zu", n);
	ANSWER("nodes, none asked for", cuGraphGetNodes(g, NULL, &n), "%zu", n);
	Q(cuGraphGetNodes(g, NULL, NULL));
	ANSWER("roots", cuGraphGetRootNodes(g, NULL, &n), "%zu", n);
	ANSWER("edges", cuGraphGetEdges(g, NULL, NULL, &n), "%zu", n);
	ANSWER("type", cuGraphNodeGetType(m, &type), "%d", type);
	Q(cuGraphNodeGetType(NULL, &type));
	Q(cuGraphKernelNodeGetParams_v2(m, &p));
	/* Children. */
	MUST(cuGraphCreate(&child, 0));
	p = kernel_of(none, 1);
	MUST(cuGraphAddKernelNode_v2(&c, child, NULL, 0, &p));
	NAMED("a child", cuGraphAddChildGraphNode(&c, g, NULL, 0, child));
	NAMED("its graph", cuGraphChildGraphNodeGetGraph(c, &other));
	say("is a copy", 0, "%d", other != child);
	NAMED("destroy a child's graph", cuGraphDestroy(other));
	Q(cuGraphChildGraphNodeGetGraph(a, &other));
	Q(cuGraphClone(&clone, g));
	cuGraphGetNodes(clone, NULL, &n);
	say("nodes of the clone", 0, "%zu", n);
	/* Executable graphs. */
	Q(cuGraphInstantiateWithFlags(&x, NULL, 0));
	Q(cuGraphInstantiateWithFlags(NULL, g, 0));
	Q(cuGraphInstantiateWithFlags(&x, g, 1 << 20));
	NAMED("an empty graph", cuGraphInstantiateWithFlags(&y, h, 0));
	NAMED("an empty graph: launch", cuGraphLaunch(y, NULL));
	Q(cuGraphInstantiateWithFlags(&x, g, 0));
	Q(cuGraphUpload(x, NULL));
	Q(cuGraphLaunch(x, NULL));
	Q(cuGraphLaunch(NULL, NULL));
	Q(cuStreamSynchronize(NULL));
	NAMED("disable a kernel", cuGraphNodeSetEnabled(x, a, 0));
	ANSWER("is it enabled", cuGraphNodeGetEnabled(x, a, &on), "%u", on);
	NAMED("disable a memset", cuGraphNodeSetEnabled(x, m, 0));
	cuGraphGetNodes(g, NULL, &n);
	n = n < 8 ? n : 8;
	cuGraphGetNodes(g, list, &n);
	NAMED("disable a host node", cuGraphNodeSetEnabled(x, list[3], 0));
	NAMED("disable a child", cuGraphNodeSetEnabled(x, c, 0));
	NAMED("disable a clone's node",
	      (n = 1, cuGraphGetNodes(clone, list, &n),
	       cuGraphNodeSetEnabled(x, list[0], 0)));
	p = kernel_of(bounds, 3);
	NAMED("change a kernel", cuGraphExecKernelNodeSetParams_v2(x, a, &p));
	p.gridDimX = 0;
	NAMED("change a kernel to a grid of zero",
	      cuGraphExecKernelNodeSetParams_v2(x, a, &p));
	p = kernel_of(none, 1);
	NAMED("change a memset to a kernel",
	      cuGraphExecKernelNodeSetParams_v2(x, m, &p));
	ANSWER("update with itself", cuGraphExecUpdate_v2(x, g, &info), "%d",
	       info.result);
	ANSWER("update with an empty graph", cuGraphExecUpdate_v2(x, h, &info),
	       "%d %d", info.result, info.errorNode != NULL);
	ANSWER("update with a clone", cuGraphExecUpdate_v2(x, clone, &info),
	       "%d", info.result);
	{
		CUgraph k1, k2;
		CUgraphExec z;

		MUST(cuGraphCreate(&k1, 0));
		MUST(cuGraphCreate(&k2, 0));
		p = kernel_of(none, 1);
		MUST(cuGraphAddKernelNode_v2(&a, k1, NULL, 0, &p));
		MUST(cuGraphAddEmptyNode(&b, k2, NULL, 0));
		MUST(cuGraphInstantiateWithFlags(&z, k1, 0));
		ANSWER("update with another type of node",
		       cuGraphExecUpdate_v2(z, k2, &info), "%d %d", info.result,
		       info.errorNode == b);
		MUST(cuGraphDestroyNode(b));
		p = kernel_of(bounds, 2);
		MUST(cuGraphAddKernelNode_v2(&b, k2, NULL, 0, &p));
		ANSWER("update with another function",
		       cuGraphExecUpdate_v2(z, k2, &info), "%d %d", info.result,
		       info.errorNode == b);
		NAMED("a node of the updating graph",
		      cuGraphNodeSetEnabled(z, b, 1));
		NAMED("a node of the first graph",
		      cuGraphNodeSetEnabled(z, a, 0));
		ANSWER("update with another function, one disabled",
		       cuGraphExecUpdate_v2(z, k2, &info), "%d", info.result);
		ANSWER("is it still disabled", cuGraphNodeGetEnabled(z, a, &on),
		       "%u", on);
		MUST(cuGraphAddEmptyNode(&c, k2, &b, 1));
		ANSWER("update with one node more",
		       cuGraphExecUpdate_v2(z, k2, &info), "%d", info.result);
		NAMED("launch after it all", cuGraphLaunch(z, NULL));
	}
	{
		CUgraph round;

		MUST(cuGraphCreate(&round, 0));
		MUST(cuGraphAddEmptyNode(&a, round, NULL, 0));
		MUST(cuGraphAddEmptyNode(&b, round, &a, 1));
		NAMED("an edge that makes a circle",
		      cuGraphAddDependencies(round, &b, &a, 1));
		NAMED("a graph with a circle",
		      cuGraphInstantiateWithFlags(&y, round, 0));
	}
	NAMED("destroy the template", cuGraphDestroy(g));
	NAMED("launch without its template", cuGraphLaunch(x, NULL));
	NAMED("destroy the executable", cuGraphExecDestroy(x));
	Q(cuGraphExecDestroy(NULL));
	Q(cuGraphDestroy(NULL));
	Q(cuCtxSynchronize());
}

/* --- tensor maps --- */

static void
tensors(void)
{
	static CUtensorMap map;
	CUdeviceptr p;
	uint64_t dim[5] = {64, 64, 4, 2, 2},
		 stride[4] = {256, 16384, 65536, 131072};
	unsigned box[5] = {16, 16, 1, 1, 1}, step[5] = {1, 1, 1, 1, 1};

	start();
	MUST(cuMemAlloc_v2(&p, 1 << 20));
#define T(name, type, rank, addr, inter, swizzle, l2, fill)                   \
	NAMED(name, cuTensorMapEncodeTiled(                                   \
			    &map, type, rank, (void *)(uintptr_t)(addr), dim, \
			    stride, box, step, inter, swizzle, l2, fill))
	T("plain", 7, 2, p, 0, 0, 0, 0);
	T("rank 1", 7, 1, p, 0, 0, 0, 0);
	T("rank 0", 7, 0, p, 0, 0, 0, 0);
	T("rank 5", 7, 5, p, 0, 0, 0, 0);
	T("rank 6", 7, 6, p, 0, 0, 0, 0);
	T("no address", 7, 2, 0, 0, 0, 0, 0);
	T("address not aligned to 16", 7, 2, p + 8, 0, 0, 0, 0);
	T("address of nothing", 7, 2, 0x10000, 0, 0, 0, 0);
	T("a type nobody knows", 99, 2, p, 0, 0, 0, 0);
	for (int t = 0; t < 18; t++) {
		char q[32];

		snprintf(q, sizeof(q), "type %d", t);
		T(q, t, 2, p, 0, 0, 0, 0);
	}
	T("interleave 1, rank 2", 7, 2, p, 1, 0, 0, 0);
	T("interleave 1, rank 3", 7, 3, p, 1, 0, 0, 0);
	T("interleave 2, swizzle 0", 7, 3, p, 2, 0, 0, 0);
	T("interleave 2, swizzle 1", 7, 3, p, 2, 1, 0, 0);
	T("interleave 3", 7, 3, p, 3, 0, 0, 0);
	for (int w = 0; w < 8; w++) {
		char q[32];

		snprintf(q, sizeof(q), "swizzle %d", w);
		T(q, 7, 2, p, 0, w, 0, 0);
	}
	box[0] = 32;
	T("swizzle 1, 128 bytes", 7, 2, p, 0, 1, 0, 0);
	T("swizzle 3, 128 bytes", 7, 2, p, 0, 3, 0, 0);
	box[0] = 64;
	T("swizzle 3, 256 bytes", 7, 2, p, 0, 3, 0, 0);
	box[0] = 2;
	T("a box of 8 bytes", 7, 2, p, 0, 0, 0, 0);
	box[0] = 0;
	T("a box of nothing", 7, 2, p, 0, 0, 0, 0);
	box[0] = 256;
	T("a box of 256", 7, 2, p, 0, 0, 0, 0);
	box[0] = 260;
	T("a box of 260", 7, 2, p, 0, 0, 0, 0);
	box[0] = 16;
	T("promotion 4", 7, 2, p, 0, 0, 4, 0);
	T("fill 1", 7, 2, p, 0, 0, 0, 1);
	T("fill 1 of integers", 4, 2, p, 0, 0, 0, 1);
	T("fill 2", 7, 2, p, 0, 0, 0, 2);
	stride[0] = 260;
	T("a stride of 260", 7, 2, p, 0, 0, 0, 0);
	stride[0] = 128;
	T("a stride below the row", 7, 2, p, 0, 0, 0, 0);
	stride[0] = 0;
	T("a stride of 0", 7, 2, p, 0, 0, 0, 0);
	stride[0] = (uint64_t)1 << 40;
	T("a stride of 2^40", 7, 2, p, 0, 0, 0, 0);
	stride[0] = 256;
	dim[0] = 0;
	T("a dimension of 0", 7, 2, p, 0, 0, 0, 0);
	dim[0] = (uint64_t)1 << 32;
	T("a dimension of 2^32", 7, 1, p, 0, 0, 0, 0);
	dim[0] = ((uint64_t)1 << 32) + 1;
	T("a dimension of 2^32+1", 7, 1, p, 0, 0, 0, 0);
	dim[0] = 64;
	step[0] = 2;
	T("an inner step of 2", 7, 2, p, 0, 0, 0, 0);
	step[0] = 1;
	step[1] = 8;
	T("a step of 8", 7, 2, p, 0, 0, 0, 0);
	step[1] = 9;
	T("a step of 9", 7, 2, p, 0, 0, 0, 0);
	step[1] = 0;
	T("a step of 0", 7, 2, p, 0, 0, 0, 0);
}

static const struct {
	const char *name;
	void (*ask)(void);
} groups[] = {
	{"device", device},
	{"words", words},
	{"names", names},
	{"cold", cold},
	{"contexts", contexts},
	{"launches", launches},
	{"modules", modules},
	{"memory", memory},
	{"copies", copies},
	{"streams", streams},
	{"capture rules", capture_rules},
	{"graphs", graphs},
	{"tensors", tensors},
	{"stale", stale},
	{"garbage", garbage},
	{"captures", captures},
};

/* Ask a group in a process. Returns the signal that ended it, or 0. */
static int
ask_once(size_t i)
{
	int status;
	pid_t child = fork();

	if (child == -1) {
		perror("fork");
		exit(2);
	}
	if (child == 0) {
		group = groups[i].name;
		alarm(20);
		open_driver();
		groups[i].ask();
		exit(0);
	}
	if (waitpid(child, &status, 0) != child) {
		perror("waitpid");
		exit(2);
	}
	fflush(stdout);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
ask(size_t i)
{
	int sig, last = 0;

	memset(so_far, 0, sizeof(*so_far));
	while ((sig = ask_once(i)) != 0) {
		struct deadly *d = &so_far->deadly[so_far->ndeadly];

		if (so_far->at == last || so_far->ndeadly == MOST_DEADLY) {
			printf("%s: ended\t%d\n", groups[i].name, -sig);
			return;
		}
		last = so_far->at;
		d->question = last;
		d->sig = sig;
		so_far->ndeadly++;
	}
}

int
main(int argc, char **argv)
{
	const size_t n = sizeof(groups) / sizeof(*groups);

	so_far = mmap(NULL, sizeof(*so_far), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (so_far == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	for (size_t i = 0; i < n; i++) {
		bool wanted = argc < 2;

		for (int j = 1; j < argc; j++)
			wanted = wanted || strcmp(argv[j], groups[i].name) == 0;
		if (wanted)
			ask(i);
	}
	return 0;
}
