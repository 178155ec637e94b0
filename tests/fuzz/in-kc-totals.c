/* in-kc-totals.c: kc-totals's main for the sandbox. See LICENSE. */
#define main kc_totals_main
int kc_totals_main(int argc, char **argv);
#include "../../filters/kc-totals.c"
#undef main

#include "sandbox.h"

int
sb_kc_totals(int argc, char **argv)
{
	return kc_totals_main(argc, argv);
}
