/* in-kc-kernels.c: kc-kernels's main for the sandbox. See LICENSE. */
#define main kc_kernels_main
int kc_kernels_main(int argc, char **argv);
#include "../../filters/kc-kernels.c"
#undef main

#include "sandbox.h"

int
sb_kc_kernels(int argc, char **argv)
{
	memset(&k, 0, sizeof(k));
	return kc_kernels_main(argc, argv);
}
