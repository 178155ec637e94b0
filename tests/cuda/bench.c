/*
 * bench: a bench that prints as criterion and cubecl's logger do and launches,
 * through libcuda, as many kernels as it says, or not.
 *
 *	bench --bench --list [REGEX]
 *	bench --bench --test REGEX
 *
 * BENCH_CASES names a file with a case a line: ID and launches of an iteration,
 * and launches that cubecl does not see (another library's), separated by tabs;
 * a fourth field "on" hides them only while profiling. Like cubecl it logs only
 * when ./cubecl.toml says so and CUBECL_DEBUG_LOG is not 0.
 */
#define _GNU_SOURCE
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cu.h"

static P function, stream;
static bool logging;

static void
start(void)
{
	static const char image[] = ".version 7.0\n.target sm_75\n"
				    ".address_size 64\n"
				    ".visible .entry first()\n{\n\tret;\n}\n";
	P context, module;
	int device;

	cu_find("dlsym");
	OK(cu.cuInit(0));
	OK(cu.cuDeviceGet(&device, 0));
	OK(cu.cuDevicePrimaryCtxRetain(&context, device));
	OK(cu.cuCtxSetCurrent(context));
	OK(cu.cuModuleLoadData(&module, image));
	OK(cu.cuModuleGetFunction(&function, module, "first"));
	OK(cu.cuStreamCreate(&stream, 1));
}

static void
launch(void)
{
	OK(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL,
			     NULL));
}

static void
ruler(const char *mark)
{
	int i;

	printf("|");
	for (i = 0; i < 42; i++)
		printf("%s", mark);
	printf("| \n");
}

static void
iteration(long n, long hidden)
{
	long i;

	for (i = 0; i < n; i++) {
		launch();
		if (logging)
			printf("| 12.5ms     | Kernel\n");
	}
	for (i = 0; i < hidden; i++)
		launch();
	OK(cu.cuStreamSynchronize(stream));
	if (!logging || n == 0)
		return;
	ruler("\xe2\x8e\xba");
	printf("| Name   | Duration | Num Computed | Ratio |\n");
	ruler("\xe2\x8e\xbc");
	printf("| Kernel | 12.5ms   | %-12ld | 100 %% |\n", n);
	ruler("\xe2\x8e\xbc");
	printf("| Total  | 12.5ms   | %-12ld | 100 %% |\n", n);
	ruler("\xe2\x8e\xaf");
	printf("\n");
}

static bool
matches(const char *id, const char *pattern)
{
	regex_t re;
	bool found;

	if (pattern == NULL)
		return true;
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		exit(101);
	found = regexec(&re, id, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

int
main(int argc, char **argv)
{
	const char *path = getenv("BENCH_CASES"), *off, *warm, *pattern = NULL;
	char *line = NULL;
	size_t size = 0;
	bool list = false;
	FILE *f = path != NULL ? fopen(path, "r") : NULL;
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "--list") == 0)
			list = true;
		else if (argv[i][0] != '-')
			pattern = argv[i];
	if (f == NULL)
		return 2;
	off = getenv("CUBECL_DEBUG_LOG");
	logging = access("cubecl.toml", R_OK) == 0 &&
		  (off == NULL || strcmp(off, "0") != 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!list)
		start();
	while (getline(&line, &size, f) > 0) {
		char id[200] = "", when[8] = "";
		long n = 0, hidden = 0, times;

		line[strcspn(line, "\n")] = '\0';
		sscanf(line, "%199[^\t]\t%ld\t%ld\t%7s", id, &n, &hidden, when);
		if (!matches(id, pattern))
			continue;
		if (list) {
			printf("%s: benchmark\n", id);
			continue;
		}
		if (strcmp(when, "on") == 0 && !logging)
			hidden = 0;
		printf("Testing %s\n", id);
		warm = getenv("BENCH_WARMUP_ITERS");
		times = 1 + (warm != NULL ? atol(warm) : 0);
		for (i = 0; i < times; i++)
			iteration(n, hidden);
		printf("Success\n\n");
	}
	free(line);
	fclose(f);
	return 0;
}
