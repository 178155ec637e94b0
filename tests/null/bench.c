/*
 * bench: a bench that launches through the driver and prints as criterion and
 * cubecl's logger do, for null-graph.t. BENCH_CASES names a file with a case a
 * line: ID, launches of an iteration, and what else it does, by tabs
 *(STUB_TRACE gets the arguments):
 *
 *	reads		reads a value in the middle of each iteration
 *	reads-last	at the end of each iteration
 *	reads-once	once, when all is done
 *	decides		launches one more kernel if the value read is not 0
 *	graph		one more launch by a graph, which cubecl does not log
 *	tunes		keeps the fastest kernel where cubecl does
 *	dies		ends without passing by the exit handlers
 *
 * See LICENSE.
 */
#include <regex.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
			  ".visible .entry k()\n{\n\tret;\n}\n";

static CUstream stream;
static CUfunction kernel;
static CUdeviceptr memory;
static CUgraphExec replay;
static long logged;

static void
must(CUresult rc, const char *what)
{
	if (rc == CUDA_SUCCESS)
		return;
	fprintf(stderr, "thread 'main' panicked at bench.rs:1:\n%s: %d\n", what,
		(int)rc);
	exit(101);
}

#define MUST(call) must(call, #call)

static void
launch(void)
{
	MUST(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
	printf("| %-10s | Kernel\n", "1.5µs");
	logged++;
}

static int
get(void)
{
	int v = 1;

	MUST(cuMemcpyDtoHAsync_v2(&v, memory, sizeof(v), stream));
	MUST(cuStreamSynchronize(stream));
	return v;
}

static void
synced(void)
{
	MUST(cuStreamSynchronize(stream));
	if (logged == 0)
		return;
	printf("|⎺⎺⎺⎺⎺⎺| \n| Name | Duration | Num Computed | Ratio |\n"
	       "|⎼⎼⎼⎼⎼⎼| \n| Kernel | 1.5µs | %ld | 100 %% |\n"
	       "|⎼⎼⎼⎼⎼⎼| \n| Total | 1.5µs | %ld | 100 %% |\n|⎯⎯⎯⎯⎯⎯| \n\n",
	       logged, logged);
	logged = 0;
}

static void
iteration(long n, const char *mode)
{
	int decided = 0;

	for (long i = 0; i < n; i++) {
		if (i == n / 2 && (strcmp(mode, "reads") == 0 ||
				   strcmp(mode, "decides") == 0))
			decided = get();
		launch();
	}
	if (strcmp(mode, "decides") == 0 && decided != 0)
		launch();
	if (strcmp(mode, "reads-last") == 0)
		get();
	if (strcmp(mode, "graph") == 0)
		MUST(cuGraphLaunch(replay, stream));
}

static void
set_up(void)
{
	CUdevice dev;
	CUcontext ctx;
	CUmodule mod;
	CUgraph g;

	if (open_driver() != 0)
		exit(101);
	MUST(cuInit(0));
	MUST(cuDeviceGet(&dev, 0));
	MUST(cuDevicePrimaryCtxRetain(&ctx, dev));
	MUST(cuCtxSetCurrent(ctx));
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	MUST(cuModuleLoadData(&mod, ptx));
	MUST(cuModuleGetFunction(&kernel, mod, "k"));
	MUST(cuMemAlloc_v2(&memory, 4096));
	MUST(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	MUST(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
	MUST(cuStreamEndCapture(stream, &g));
	MUST(cuGraphInstantiateWithFlags(&replay, g, 0));
}

static void
tune(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cubecl", cache != NULL ? cache : ".");
	f = fopen(path, "we");
	if (f == NULL || fputs("x autotune/0/matmul fastest 1", f) < 0 ||
	    fclose(f) != 0)
		exit(101);
}

static void
run(const char *id, long n, const char *mode)
{
	const char *text = getenv("BENCH_WARMUP_ITERS");
	long warmups = text != NULL ? atol(text) : 1;

	printf("Testing %s\n", id);
	set_up();
	if (strcmp(mode, "tunes") == 0)
		tune();
	launch();
	synced();
	for (long i = 0; i <= warmups; i++) {
		iteration(n, mode);
		synced();
	}
	if (strcmp(mode, "reads-once") == 0)
		get();
	printf("Success\n\n");
}

int
main(int argc, char **argv)
{
	const char *filter = NULL, *cases = getenv("BENCH_CASES");
	FILE *trace =
		fopen(getenv("STUB_TRACE") ? getenv("STUB_TRACE") : "/dev/null",
		      "ae");
	bool list = false;
	char line[256];
	regex_t regex;
	FILE *f;

	for (int i = 1; i < argc; i++) {
		if (trace != NULL)
			fprintf(trace, "<%s>%s", argv[i],
				i + 1 < argc ? "" : "\n");
		if (strcmp(argv[i], "--list") == 0)
			list = true;
		else if (argv[i][0] != '-')
			filter = argv[i];
	}
	if (trace != NULL)
		fclose(trace);
	f = cases != NULL ? fopen(cases, "re") : NULL;
	if (f == NULL ||
	    (filter != NULL && regcomp(&regex, filter, REG_EXTENDED) != 0))
		return 101;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *rest = line, *id = strsep(&rest, "\t\n");
		char *n = strsep(&rest, "\t\n"), *mode = strsep(&rest, "\t\n");

		if (n == NULL ||
		    (filter != NULL && regexec(&regex, id, 0, NULL, 0) != 0))
			continue;
		if (list) {
			printf("%s: benchmark\n", id);
			continue;
		}
		run(id, atol(n), mode != NULL ? mode : "");
		if (mode != NULL && strcmp(mode, "dies") == 0) {
			fflush(stdout);
			_exit(0);
		}
	}
	fclose(f);
	return 0;
}
