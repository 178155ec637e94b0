/*
 * when.c: where the time of one bench process goes. See LICENSE.
 *
 * Preloaded (LD_PRELOAD), it times what the program asks of CUDA's driver and
 * of NVRTC, whose functions it looks up with dlsym, and the opening of
 * libraries. At exit the file that WHEN names gets a line for each function
 * that was called: NAME, calls, milliseconds in all, the longest call; and one
 * for the process from its start to there. Threads add up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uintptr_t word;
typedef word (*function)(word, word, word, word, word, word, word, word, word,
			 word, word);

/* All take words, eleven at most (cuLaunchKernel), and return one. */
#define EACH(X)                       \
	X(cuInit)                     \
	X(cuDevicePrimaryCtxRetain)   \
	X(cuStreamCreate)             \
	X(cuStreamCreateWithPriority) \
	X(cuMemAlloc_v2)              \
	X(cuMemAllocAsync)            \
	X(cuMemAllocHost_v2)          \
	X(cuMemFree_v2)               \
	X(cuMemFreeAsync)             \
	X(cuMemFreeHost)              \
	X(cuMemcpyHtoDAsync_v2)       \
	X(cuMemcpyDtoHAsync_v2)       \
	X(cuModuleLoadData)           \
	X(cuModuleLoadDataEx)         \
	X(cuModuleGetFunction)        \
	X(cuFuncSetAttribute)         \
	X(cuLaunchKernel)             \
	X(cuStreamSynchronize)        \
	X(cuEventSynchronize)         \
	X(cuCtxSynchronize)           \
	X(nvrtcCreateProgram)         \
	X(nvrtcCompileProgram)        \
	X(nvrtcGetPTX)

struct entry {
	const char *name;
	function real;
	function ours;
	atomic_long calls;
	atomic_llong ns;
	atomic_llong longest;
};

static long long begun;
static void *(*real_dlsym)(void *, const char *);
static struct entry opening = {.name = "dlopen"};

static long long
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void
add(struct entry *e, long long ns)
{
	long long seen = atomic_load(&e->longest);

	atomic_fetch_add(&e->calls, 1);
	atomic_fetch_add(&e->ns, ns);
	while (ns > seen &&
	       !atomic_compare_exchange_weak(&e->longest, &seen, ns))
		continue;
}

#define DECLARE(FN)                                                        \
	static struct entry e_##FN;                                        \
	static word w_##FN(word a, word b, word c, word d, word e, word f, \
			   word g, word h, word i, word j, word k)         \
	{                                                                  \
		long long t = now();                                       \
		word r = e_##FN.real(a, b, c, d, e, f, g, h, i, j, k);     \
		add(&e_##FN, now() - t);                                   \
		return r;                                                  \
	}                                                                  \
	static struct entry e_##FN = {.name = #FN, .ours = w_##FN};
EACH(DECLARE)

#define POINT(FN) &e_##FN,
static struct entry *entries[] = {&opening, EACH(POINT)};
enum { ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static void
find_dlsym(void)
{
	if (real_dlsym != NULL)
		return;
	*(void **)&real_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (real_dlsym == NULL)
		*(void **)&real_dlsym =
			dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	if (real_dlsym == NULL)
		abort();
}

void *
dlsym(void *handle, const char *name)
{
	void *found;
	int i;

	find_dlsym();
	found = real_dlsym(handle, name);
	for (i = 0; found != NULL && i < ENTRIES; i++)
		if (entries[i]->ours != NULL &&
		    strcmp(name, entries[i]->name) == 0) {
			*(void **)&entries[i]->real = found;
			*(function *)&found = entries[i]->ours;
		}
	return found;
}

void *
dlopen(const char *file, int flags)
{
	static void *(*next)(const char *, int);
	long long t = now();
	void *handle;

	find_dlsym();
	if (next == NULL)
		*(void **)&next = real_dlsym(RTLD_NEXT, "dlopen");
	handle = next(file, flags);
	add(&opening, now() - t);
	return handle;
}

__attribute__((constructor)) static void
begin(void)
{
	begun = now();
}

__attribute__((destructor)) static void
end(void)
{
	const char *to = getenv("WHEN");
	FILE *f = to == NULL ? NULL : fopen(to, "w");
	int i;

	if (f == NULL)
		return;
	fprintf(f, "%-28s %8s %10.1f\n", "process", "", (now() - begun) / 1e6);
	for (i = 0; i < ENTRIES; i++)
		if (atomic_load(&entries[i]->calls) > 0)
			fprintf(f, "%-28s %8ld %10.1f %10.1f\n",
				entries[i]->name,
				atomic_load(&entries[i]->calls),
				atomic_load(&entries[i]->ns) / 1e6,
				atomic_load(&entries[i]->longest) / 1e6);
	fclose(f);
}
