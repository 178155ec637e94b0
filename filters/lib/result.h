/*
 * result.h: a result: counts, their kernels and facts, read and checked.
 *
 * The rows are kc-pair's, LAUNCHES VERDICT CONFIG CASE, with a row for each
 * kernel before them or not; kc-rows(5) has the format. Rows may come in any
 * order. What cannot be a result ends the program with KC_TROUBLE and the
 * place: a row of the wrong width, a number that is none, two rows of one case,
 * kernels that do not add up.
 */
#ifndef KC_RESULT_H
#define KC_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "in.h"
#include "map.h"
#include "row.h"

/* What a count's second field says. */
enum kc_verdict {
	KC_REPEATED,
	KC_CONFIRMED,
	KC_ONCE,
	KC_BOUND,   /* at least so many launches */
	KC_REFUSED, /* no count */
};

/* Names of the last rows are asked for again and again; so many are kept. */
enum { KC_RECENT = 256 };

/* Names, each once. Numbers stand for them: in the order of first mention until
 * kc_vocab_sort, in the order of their bytes after it. */
struct kc_names {
	struct kc_field *at;
	size_t n;
	size_t cap;
	struct kc_map index;
	uint32_t *rank;		    /* from the first order to the second */
	uint32_t recent[KC_RECENT]; /* names that were asked for, by a hash */
};

/* The names that results share when they are to be compared. */
struct kc_vocab {
	struct kc_names configs;
	struct kc_names cases;
	struct kc_names kernels;
};

/* One kernel's share of a count. A result can have very many. */
struct kc_part {
	uint64_t launches;
	uint64_t line;
	const char *input;
	uint32_t of; /* its case */
	uint32_t config;
	uint32_t kernel;
	uint8_t verdict; /* an enum kc_verdict */
	bool least;	 /* `launches` is a lower bound */
};

/*
 * A count row. `launches` is a lower bound with KC_BOUND and 0 with KC_REFUSED;
 * `why` is the reason of these two. The parts, sorted by kernel, are none when
 * the rows had no kernels of the case.
 */
struct kc_count {
	uint64_t launches;
	size_t of;
	size_t config;
	struct kc_field why;
	const struct kc_part *part;
	size_t parts;
	uint64_t line;
	const char *input;
	enum kc_verdict verdict;
};

/* A fact: its line as it came, and its fields. */
struct kc_fact {
	struct kc_line line;
	struct kc_row row;
};

/* Starts as all zeros but for the vocabulary. */
struct kc_result {
	struct kc_vocab *vocab;
	const char *name; /* of the last input, for messages */
	struct kc_count *count;
	size_t n;
	size_t cap;
	struct kc_part *part;
	size_t parts;
	size_t parts_cap;
	struct kc_fact *fact;
	size_t facts;
	size_t facts_cap;
};

/* Adds the rows of one input, read to its end, to the result `data`. It fits
 * kc_in_each. An input's name must last until exit. */
void kc_result_read(struct kc_in *in, void *data);

/* The number of a configuration's name, also of one that no row has yet, before
 * the names are sorted. */
size_t kc_vocab_config(struct kc_vocab *vocab, const struct kc_field *name);

/* Numbers the names by their bytes, once all results are read. */
void kc_vocab_sort(struct kc_vocab *vocab);

/*
 * Ends the reading, after kc_vocab_sort: counts are then sorted by case and
 * configuration, parts by kernel, facts by word, name and then their bytes and
 * each there once.
 */
void kc_result_end(struct kc_result *result);

/*
 * The facts of a result of which the first field is `word` and the second
 * `name`: the first of them, and how many there are in `*n`, which may be 0.
 * After kc_result_end.
 */
const struct kc_fact *kc_result_facts(const struct kc_result *result,
				      const struct kc_field *word,
				      const struct kc_field *name, size_t *n);

/* The number of a name, or SIZE_MAX. After kc_vocab_sort. */
size_t kc_names_find(const struct kc_names *names, const struct kc_field *name);

/* The name of a verdict, without a reason. */
const char *kc_verdict_name(enum kc_verdict verdict);

/*
 * kc_put_field's text of a count as a row: "99", ">=99" or "-", and the
 * verdict with its reason.
 */
void kc_put_count(const struct kc_count *count);
void kc_put_verdict(const struct kc_count *count);

#endif
