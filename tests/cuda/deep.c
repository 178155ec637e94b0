/* deep: with -DMAIN, opens a library so that it finds libc's dlsym before any
 * other; the library launches once through the driver. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#ifdef MAIN
int
main(int argc, char **argv)
{
	void *lib =
		argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND) : NULL;
	int (*run)(void);

	if (lib == NULL)
		return 3;
	*(void **)&run = dlsym(lib, "run");
	return run();
}
#else
int
run(void)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned);

	if (cuda == NULL)
		return 4;
	*(void **)&init = dlsym(cuda, "cuInit");
	return init(0);
}
#endif
