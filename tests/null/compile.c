/*
 * compile: a source through NVRTC into a module, and which kernels it has.
 * usage: compile SOURCE NAME...; a line a name: the driver's code, the most
 * threads of a block, and the code of a launch without parameters.
 */
#include <string.h>

#include "driver.h"

static char *
contents(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = calloc(1, 1 << 20);

	if (f == NULL || text == NULL)
		exit(2);
	if (fread(text, 1, (1 << 20) - 1, f) == 0 || ferror(f))
		exit(2);
	fclose(f);
	return text;
}

int
main(int argc, char **argv)
{
	const char *options[] = {"--gpu-architecture=sm_90a",
				 "--include-path=/nowhere", "-lineinfo"};
	int (*create)(void **, const char *, const char *, int,
		      const char *const *, const char *const *);
	int (*compile)(void *, int, const char *const *);
	int (*size_of)(void *, size_t *);
	int (*get)(void *, char *);
	int (*destroy)(void **);
	void *lib = dlopen("libnvrtc.so", RTLD_NOW), *program;
	char *source, *ptx;
	size_t size;
	CUcontext ctx;
	CUmodule mod;

	if (argc < 2 || lib == NULL || open_driver() != 0)
		return 2;
	*(void **)&create = dlsym(lib, "nvrtcCreateProgram");
	*(void **)&compile = dlsym(lib, "nvrtcCompileProgram");
	*(void **)&size_of = dlsym(lib, "nvrtcGetPTXSize");
	*(void **)&get = dlsym(lib, "nvrtcGetPTX");
	*(void **)&destroy = dlsym(lib, "nvrtcDestroyProgram");
	source = contents(argv[1]);
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) ||
	    cuCtxSetCurrent(ctx) ||
	    create(&program, source, NULL, 0, NULL, NULL) ||
	    compile(program, 3, options) || size_of(program, &size))
		return 2;
	ptx = malloc(size);
	if (ptx == NULL || get(program, ptx) || destroy(&program))
		return 2;
	if (getenv("SHOW") != NULL)
		fputs(ptx, stderr);
	if (cuModuleLoadData(&mod, ptx) != CUDA_SUCCESS)
		return 3;
	for (int i = 2; i < argc; i++) {
		CUfunction f = NULL;
		int threads = -1, launched = -1;
		CUresult rc = cuModuleGetFunction(&f, mod, argv[i]);

		if (rc == CUDA_SUCCESS) {
			cuFuncGetAttribute(
				&threads,
				CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
			launched = (int)cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0,
						       NULL, NULL, NULL);
		}
		printf("%s %d %d %d\n", argv[i], (int)rc, threads, launched);
	}
	free(source);
	free(ptx);
	return 0;
}
