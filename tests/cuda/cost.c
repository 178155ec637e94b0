/*
 * cost: what the counter adds to an empty launch. See LICENSE.
 *
 *	cost N [graph]
 *
 * Prints the nanoseconds that the driver's own entry point takes, and those of
 * the one that the program was given when it asked for it: the counter's, under
 * kc-run, else the same. N launches of each, in turns of a hundred, so that
 * both have the same machine; a wait between the turns, which is not timed. A
 * turn's median is printed, since an interrupt can make a turn longer and
 * nothing can make it shorter. With "graph" each is a graph of one kernel.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cu.h"

enum { TURN = 100 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * The function of that name in libcuda itself, whatever stands before dlsym(3):
 * from the library's own table of symbols, which linkers put right before its
 * strings.
 */
static void *
driver_own(const char *name)
{
	struct link_map *map = dlopen("libcuda.so.1", RTLD_NOW);
	const ElfW(Sym) *symbol = NULL;
	const char *strings = NULL;
	const ElfW(Dyn) * d;

	if (map == NULL)
		return NULL;
	for (d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			symbol = (const ElfW(Sym) *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
	}
	if (symbol == NULL || strings == NULL)
		return NULL;
	for (; (const char *)symbol < strings; symbol++)
		if (symbol->st_shndx != SHN_UNDEF &&
		    strcmp(strings + symbol->st_name, name) == 0)
			return (char *)map->l_addr + symbol->st_value;
	return NULL;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *turn, size_t n)
{
	qsort(turn, n, sizeof *turn, by_size);
	return turn[n / 2] / TURN;
}

int
main(int argc, char **argv)
{
	static const char image[] = ".version 7.0\n.target sm_75\n"
				    ".address_size 64\n"
				    ".visible .entry empty()\n{\n\tret;\n}\n";
	size_t turns = argc > 1 ? strtoul(argv[1], NULL, 10) / TURN : 0, n;
	P context, module, f, stream, graph, node, exec;
	struct cu_kernel k = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
	__typeof__(cu.cuLaunchKernel) launch[2];
	__typeof__(cu.cuGraphLaunch) replay[2];
	double *turn[2];
	int device, side, i;

	if (turns == 0)
		return 2;
	cu_find("proc2");
	launch[1] = cu.cuLaunchKernel;
	replay[1] = cu.cuGraphLaunch;
	*(void **)&launch[0] = driver_own("cuLaunchKernel");
	*(void **)&replay[0] = driver_own("cuGraphLaunch");
	turn[0] = calloc(turns, sizeof *turn[0]);
	turn[1] = calloc(turns, sizeof *turn[1]);
	if (launch[0] == NULL || replay[0] == NULL || turn[0] == NULL ||
	    turn[1] == NULL) {
		fputs("cost: the driver's own functions are not found\n",
		      stderr);
		return 3;
	}
	OK(cu.cuInit(0));
	OK(cu.cuDeviceGet(&device, 0));
	OK(cu.cuDevicePrimaryCtxRetain(&context, device));
	OK(cu.cuCtxSetCurrent(context));
	OK(cu.cuModuleLoadData(&module, image));
	OK(cu.cuModuleGetFunction(&f, module, "empty"));
	OK(cu.cuStreamCreate(&stream, 1));
	k.func = f;
	OK(cu.cuGraphCreate(&graph, 0));
	OK(cu.cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &k));
	OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (i = 0; i < 2000; i++) /* warm up */
		OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL,
				     NULL));
	OK(cu.cuGraphLaunch(exec, stream));
	OK(cu.cuStreamSynchronize(stream));
	for (n = 0; n < turns; n++)
		for (side = 0; side < 2; side++) {
			double begin = now();

			for (i = 0; i < TURN; i++)
				if (argc > 2)
					OK(replay[side](exec, stream));
				else
					OK(launch[side](f, 1, 1, 1, 1, 1, 1, 0,
							stream, NULL, NULL));
			turn[side][n] = now() - begin;
			OK(cu.cuStreamSynchronize(stream));
		}
	printf("%.1f\t%.1f\n", median(turn[0], turns), median(turn[1], turns));
	free(turn[0]);
	free(turn[1]);
	return 0;
}
