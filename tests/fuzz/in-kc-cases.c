/* in-kc-cases.c: kc-cases's main for the sandbox. See LICENSE. */
#define main kc_cases_main
int kc_cases_main(int argc, char **argv);
#include "../../filters/kc-cases.c"
#undef main

#include "sandbox.h"

int
sb_kc_cases(int argc, char **argv)
{
	return kc_cases_main(argc, argv);
}
