/*
 * cost: N empty launches, a wait after each thousand; prints the nanoseconds of
 * one.
 *
 *	cost N [graph]
 *
 * With "graph" each is a graph of one kernel instead.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cu.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int
main(int argc, char **argv)
{
	static const char image[] = ".version 7.0\n.target sm_75\n"
				    ".address_size 64\n"
				    ".visible .entry empty()\n{\n\tret;\n}\n";
	long n = argc > 1 ? atol(argv[1]) : 0, i;
	P context, module, f, stream, graph, node, exec;
	struct cu_kernel k = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
	double begin;
	int device;

	if (n <= 0)
		return 2;
	cu_find("proc2");
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
	begin = now();
	for (i = 0; i < n; i++) {
		if (argc > 2)
			OK(cu.cuGraphLaunch(exec, stream));
		else
			OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream,
					     NULL, NULL));
		if (i % 1000 == 999)
			OK(cu.cuStreamSynchronize(stream));
	}
	OK(cu.cuStreamSynchronize(stream));
	printf("%.1f\n", (now() - begin) / (double)n);
	return 0;
}
