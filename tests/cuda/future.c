/*
 * future: a driver with entry points that are not known today, as small as can
 * be, and with -DMAIN a program that uses them. The null driver has no such
 * thing, by its nature.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#ifndef MAIN
static int capturing;

int
cuInit(unsigned flags)
{
	(void)flags;
	return 0;
}

int
cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
	       unsigned by, unsigned bz, unsigned shared, void *stream,
	       void **params, void **extra)
{
	(void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz;
	(void)shared, (void)stream, (void)params, (void)extra;
	return 0;
}

int
cuLaunchTomorrow(int a, int b, int c)
{
	return a + b + c - 6;
}

int
cuStreamBeginCapture_v9(void *stream)
{
	(void)stream;
	capturing = 1;
	return 0;
}

int
cuStreamIsCapturing(void *stream, int *status)
{
	*status = stream != NULL && capturing;
	return 0;
}

int
cuGraphNodeSetEnabled_v2(void *exec, void *node)
{
	(void)exec, (void)node;
	return 0;
}

int
cuGetProcAddress_v2(const char *name, void **fn, int version, uint64_t flags,
		    int *status)
{
	(void)version, (void)flags;
	*fn = strcmp(name, "cuLaunchTomorrow") == 0 ? (void *)cuLaunchTomorrow
	      : strcmp(name, "cuLaunchKernel") == 0 ? (void *)cuLaunchKernel
						    : NULL;
	if (status != NULL)
		*status = *fn == NULL;
	return *fn == NULL ? 500 : 0;
}
#else
int
main(int argc, char **argv)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW), *p = NULL;
	int (*init)(unsigned), (*tomorrow)(int, int, int);
	int (*proc)(const char *, void **, int, uint64_t, int *);
	int (*capture)(void *), (*enable)(void *, void *), status;
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
		      unsigned, unsigned, void *, void **, void **);
	const char *what = argc > 1 ? argv[1] : "";

	if (lib == NULL)
		return 3;
	*(void **)&init = dlsym(lib, "cuInit");
	*(void **)&proc = dlsym(lib, "cuGetProcAddress_v2");
	*(void **)&capture = dlsym(lib, "cuStreamBeginCapture_v9");
	*(void **)&enable = dlsym(lib, "cuGraphNodeSetEnabled_v2");
	if (init(0) != 0 ||
	    proc("cuLaunchTomorrow", &p, 99000, 0, &status) != 0)
		return 4;
	*(void **)&tomorrow = p;
	if (proc("cuLaunchKernel", &p, 4000, 0, &status) != 0)
		return 5;
	*(void **)&launch = p;
	launch(&p, 1, 1, 1, 1, 1, 1, 0, &p, NULL, NULL);
	if (strcmp(what, "call") == 0 && tomorrow(1, 2, 3) != 0)
		return 6;
	if (strcmp(what, "enable") == 0)
		enable(NULL, NULL);
	if (strcmp(what, "capture") == 0) {
		capture(&p);
		launch(&p, 1, 1, 1, 1, 1, 1, 0, &p, NULL, NULL);
	}
	return 0;
}
#endif
