/*
 * sandbox.h: a filter's main as a function, for tests that run it a million
 * times in one process.
 *
 * The filters' sources are compiled a second time with sandbox-names.h, which
 * gives exit, open, read, close and the allocator other names; sandbox.c has
 * those. Input comes from memory, in reads as short as the test likes; output
 * lands in memory; what a filter leaves to exit(3) to free is freed here.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stddef.h>

/* A file that the filter may open; "-" is its standard input. */
struct sb_file {
	const char *path;
	const char *data;
	size_t len;
};

/*
 * One run. `steps` are the most bytes that each read returns, used in a circle;
 * a step of 0 makes the read fail once with EINTR. None: as much as is asked
 * for. sb_run fills in the rest; the texts end with a NUL that is not counted
 * and are sb_free's to free.
 */
struct sb_run {
	int (*filter)(int argc, char **argv);
	char **argv; /* ends with NULL */
	const struct sb_file *files;
	size_t n;
	const size_t *steps;
	size_t steps_n;

	int status;
	char *out;
	size_t out_len;
	char *err;
	size_t err_len;
	size_t peak; /* the most bytes that were allocated at once */
};

void sb_run(struct sb_run *run);
void sb_free(struct sb_run *run);

/* The filters, each with its state as at the start of a process. */
int sb_kc_cases(int argc, char **argv);
int sb_kc_totals(int argc, char **argv);
int sb_kc_pair(int argc, char **argv);
int sb_kc_md(int argc, char **argv);
int sb_kc_diff(int argc, char **argv);
int sb_kc_kernels(int argc, char **argv);

/* Stops the process as a crash does when `ok` is false: a fuzzer's verdict. */
void sb_check(int ok, const char *what, const struct sb_run *run);

#endif
