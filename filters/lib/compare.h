/* compare.h: two results, count by count, judged by rules. */
#ifndef KC_COMPARE_H
#define KC_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kc.h"
#include "result.h"
#include "rules.h"

/* What a pair of counts comes to, in the order of the output. */
enum kc_kind {
	KC_MORE,    /* more launches than the rule for it allows */
	KC_GONE,    /* only in the old result */
	KC_NEW,	    /* only in the new result, and no rule that suffices */
	KC_UNKNOWN, /* a count is refused or a bound, or not comparable */
	KC_WITHIN,  /* not equal, and within what is allowed */
	KC_LESS,    /* fewer launches */
	KC_OTHER_VERDICT, /* the same count */
	KC_OTHER_KERNELS, /* the same count, as often as asked for */
	KC_IGNORED,	  /* not equal, and not judged */
	KC_EQUAL,
	KC_KINDS,
};

/* A case in a configuration: its counts on both sides, NULL where it has none,
 * and the rule for it, or NULL. */
struct kc_pair {
	const struct kc_count *old;
	const struct kc_count *new;
	const struct kc_rule *rule;
	size_t of;
	size_t config;
	enum kc_kind kind;
};

/*
 * A comparison. The caller zeroes it and sets what stands before `vocab`, the
 * rest is kc_compare's.
 */
struct kc_compare {
	const char *rules_path; /* NULL: none */
	struct kc_patterns cases;
	struct kc_patterns configs;
	const char *renamed; /* "A=B": the old side's A with the new side's B */
	bool force;	     /* compare in spite of conditions that differ */
	bool kernels;	     /* tell counts of other kernels apart */
	bool partial;	     /* leave out what only the old result has */

	struct kc_vocab vocab;
	struct kc_result old;
	struct kc_result new;
	struct kc_rules rules;
	struct kc_pair *pair; /* by kind, the largest change first */
	size_t n;
	size_t cap;
	struct kc_str *condition; /* a text for each that differs */
	size_t conditions;
	size_t conditions_cap;
	bool *differs; /* by configuration: a condition of it does */
	size_t count[KC_KINDS];
	size_t left_out; /* because of `partial` */
};

/*
 * Reads the results at `old` and `new` ("-" is standard input) and the rules,
 * and compares. Bad input ends the program with KC_TROUBLE.
 */
void kc_compare(struct kc_compare *c, char *old, char *new);

/* The one-word name of a kind. */
const char *kc_kind_name(enum kc_kind kind);

/* Whether there is a count, exact: not NULL, refused, nor a bound. */
bool kc_exact(const struct kc_count *count);

/* Whether the two sides of a pair are two exact numbers that may be compared.
 */
bool kc_comparable(const struct kc_compare *c, const struct kc_pair *pair);

/* A kernel that the two sides of a pair launch not equally often. */
struct kc_shift {
	const struct kc_field *name;
	uint64_t old;
	uint64_t new;
};

/*
 * The shifts of a pair of two counts, the largest first and, of those equal in
 * size, the ones with fewer launches first, so that what was replaced stands
 * above what replaced it. The array is the caller's to free.
 */
struct kc_shift *kc_shifts(const struct kc_compare *c,
			   const struct kc_pair *pair, size_t *n);

/* By how much it shifted, whatever the direction. */
uint64_t kc_shift_size(const struct kc_shift *shift);

#endif
