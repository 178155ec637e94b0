/* in-kc-pair.c: kc-pair's main for the sandbox. See LICENSE. */
#define main kc_pair_main
int kc_pair_main(int argc, char **argv);
#include "../../filters/kc-pair.c"
#undef main

#include "sandbox.h"

int
sb_kc_pair(int argc, char **argv)
{
	memset(&p, 0, sizeof(p));
	return kc_pair_main(argc, argv);
}
