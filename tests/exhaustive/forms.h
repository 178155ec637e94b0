/*
 * forms.h: logs of every form that benches print, with their true counts.
 *
 * Composed from cubecl's and criterion's sources as kc-log(5) names them, and
 * not with the filters' code: what each log must count to is written here by
 * hand, as lists of kernels.
 */
#ifndef FORMS_H
#define FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kc.h"

enum { KERNELS_MAX = 8, TABLES_MAX = 4, CASES_MAX = 4 };

/* A kernel as the bench launches it; `rest` is what follows the first line of
 * its name in a launch line of level full. */
struct launched {
	const char *name;
	unsigned times;
	const char *rest;
};

/* What one sync sums up; ends at a name that is NULL. */
struct sync {
	struct launched kernel[KERNELS_MAX];
};

enum style {
	LAUNCHES = 1 << 0, /* a line for each launch: 0.6 and later */
	ZEROES = 1 << 1,   /* a table for an empty sync: before 0.6 */
	CRLF = 1 << 2,
	BOM = 1 << 3,
	MERGED = 1 << 4,  /* stderr in the same file, between lines */
	NOISE = 1 << 5,	  /* compilation and autotune lines in between */
	LATE = 1 << 6,	  /* the last table comes after Success */
	PENDING = 1 << 7, /* launches after the last sync */
	BEFORE = 1 << 8,  /* launches and a sync before the announcement */
	UNKNOWN = 1 << 9, /* a launch not measured: 0.12.0-pre.1 */
	TWO = 1 << 10,	  /* a second device's logger, in the iteration */
	NOT_WHOLE = 1 << 11,
};

struct bench {
	const char *id;	   /* as the harness prints it */
	struct sync setup; /* after the announcement, before the warm-up */
	struct sync first; /* the first warm-up: it initialises, it tunes */
	struct sync warm;  /* each further warm-up */
	struct sync measured;
};

/*
 * One form. `many` is a log of all of `bench`, made elsewhere, without `kc:
 * whole` and always with two tables a case; else the one bench has a log for
 * each process. `refused`: no count is right for this bench; `rises`: its
 * measured iteration launches more than its warm-up, and one log is refused.
 */
struct form {
	const char *name;
	unsigned style;
	bool many;
	bool refused;
	bool rises;
	struct bench bench[CASES_MAX];
	size_t n;
};

extern const struct form forms[];
extern const size_t forms_n;

/* Adds the log of the form's process that warms up `warmups` times. */
void compose(struct kc_str *out, const struct form *form, unsigned warmups);

/* The launches of one sync. */
uint64_t launches_of(const struct sync *sync);

#endif
