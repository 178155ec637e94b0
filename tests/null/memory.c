/*
 * memory: as much as a large model takes, and what that costs the process.
 * usage: memory GIB; prints how many kilobytes the process grew by.
 */
#include <string.h>
#include <sys/resource.h>

#include "driver.h"

enum { LAYERS = 80 };

static long
peak(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_maxrss : -1;
}

static void
must(CUresult rc, const char *what)
{
	if (rc == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", what, (int)rc);
	exit(1);
}

#define MUST(call) must(call, #call)

int
main(int argc, char **argv)
{
	const size_t chunk = 1 << 20;
	size_t all = (size_t)(argc > 1 ? atol(argv[1]) : 1) << 30, layer;
	size_t left, total;
	CUdeviceptr p[LAYERS], moment[LAYERS], big;
	CUcontext ctx;
	CUstream s;
	char *buffer = malloc(chunk);
	void *pinned;
	long before;

	if (open_driver() != 0 || buffer == NULL)
		return 2;
	memset(buffer, 1, chunk);
	MUST(cuInit(0));
	MUST(cuDevicePrimaryCtxRetain(&ctx, 0));
	MUST(cuCtxSetCurrent(ctx));
	MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	before = peak();
	/* Weights and moments, written whole; then one tensor of half of it,
	 * and all of that read back into pinned memory.
	 */
	layer = all / 4 / LAYERS & ~(size_t)511;
	for (int i = 0; i < LAYERS; i++) {
		MUST(cuMemAlloc_v2(&p[i], layer));
		MUST(cuMemAllocAsync(&moment[i], layer, s));
		for (size_t at = 0; at + chunk <= layer; at += chunk)
			MUST(cuMemcpyHtoDAsync_v2(p[i] + at, buffer, chunk, s));
		MUST(cuMemsetD8Async(moment[i], 0, layer, s));
	}
	MUST(cuMemAlloc_v2(&big, all / 2));
	MUST(cuMemAllocHost_v2(&pinned, all / 2));
	MUST(cuMemcpyDtoH_v2(pinned, big, all / 2));
	if (((char *)pinned)[all / 4] != 0)
		return 3;
	MUST(cuMemGetInfo_v2(&left, &total));
	fprintf(stderr, "%zu bytes in use\n", total - left);
	printf("%ld\n", peak() - before);
	MUST(cuMemFreeHost(pinned));
	MUST(cuMemFree_v2(big));
	for (int i = 0; i < LAYERS; i++) {
		MUST(cuMemFree_v2(p[i]));
		MUST(cuMemFreeAsync(moment[i], s));
	}
	free(buffer);
	return 0;
}
