/* in-kc-md.c: kc-md's main for the sandbox. See LICENSE. */
#define main kc_md_main
int kc_md_main(int argc, char **argv);
#include "../../filters/kc-md.c"
#undef main

#include "sandbox.h"

int
sb_kc_md(int argc, char **argv)
{
	memset(&r, 0, sizeof(r));
	return kc_md_main(argc, argv);
}
