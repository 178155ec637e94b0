/* basic: one of everything, for null.t; prints a line a step. See LICENSE. */
#include <string.h>

#include "driver.h"

static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry one(.param .u64 a, .param .u32 b)\n"
	"{\n\tret;\n}\n"
	".visible .entry none()\n.maxntid 256\n{\n\tret;\n}\n";

#define DO(what) printf("%s: %d\n", #what, (int)(what))

int
main(void)
{
	int dev, x = 7;
	char name[200];
	CUcontext ctx;
	CUdeviceptr p = 0;
	CUmodule mod;
	CUfunction one, none;
	CUstream s;
	CUgraph g;
	CUgraphExec e;
	void *params[2];

	if (open_driver() != 0)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	DO(cuCtxGetCurrent(&ctx));
	DO(cuInit(0));
	DO(cuDeviceGet(&dev, 0));
	DO(cuDeviceGetName(name, sizeof(name), dev));
	printf("name: %s\n", name);
	DO(cuDevicePrimaryCtxRetain(&ctx, dev));
	DO(cuCtxSetCurrent(ctx));
	DO(cuMemAlloc_v2(&p, (size_t)80 << 30));
	DO(cuMemcpyHtoD_v2(p, &x, sizeof(x)));
	DO(cuMemcpyDtoH_v2(&x, p, sizeof(x)));
	printf("read: %d\n", x);
	DO(cuModuleLoadData(&mod, ptx));
	DO(cuModuleGetFunction(&one, mod, "one"));
	DO(cuModuleGetFunction(&none, mod, "none"));
	DO(cuModuleGetFunction(&none, mod, "nothing"));
	DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	params[0] = &p;
	params[1] = &x;
	DO(cuLaunchKernel(one, 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
	DO(cuLaunchKernel(none, 1, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL));
	DO(cuLaunchKernel(none, 1, 1, 1, 257, 1, 1, 0, NULL, NULL, NULL));
	DO(cuLaunchKernel(none, 0, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL));
	DO(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	DO(cuLaunchKernel(one, 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
	DO(cuLaunchKernel(none, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
	DO(cuStreamEndCapture(s, &g));
	DO(cuGraphInstantiateWithFlags(&e, g, 0));
	DO(cuGraphDestroy(g));
	DO(cuGraphLaunch(e, s));
	DO(cuGraphLaunch(e, s));
	DO(cuMemcpyDtoHAsync_v2(&x, p, sizeof(x), s));
	DO(cuStreamSynchronize(s));
	DO(cuGraphExecDestroy(e));
	DO(cuMemFree_v2(p));
	DO(cuStreamDestroy_v2(s));
	DO(cuStreamDestroy_v2(s));
	DO(cuModuleUnload(mod));
	DO(cuDevicePrimaryCtxRelease_v2(dev));
	DO(cuCtxSynchronize());
	return 0;
}
