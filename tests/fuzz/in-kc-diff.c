/* in-kc-diff.c: kc-diff's main for the sandbox. See LICENSE. */
#define main kc_diff_main
int kc_diff_main(int argc, char **argv);
#include "../../filters/kc-diff.c"
#undef main

#include "sandbox.h"

int
sb_kc_diff(int argc, char **argv)
{
	memset(&d, 0, sizeof(d));
	return kc_diff_main(argc, argv);
}
