/*
 * row.h: rows and facts, the text that the filters hand on.
 *
 * kc-rows(5) describes the format: a row is fields separated by tabs, the
 * number first; inside a field a tab, a newline and a backslash are written
 * \t, \n and \\, and '#' at the very start of a line is written \#. A line
 * that starts with '#' is a fact: its word, then fields.
 */
#ifndef KC_ROW_H
#define KC_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "in.h"

/* The most fields that any row or fact has. */
enum { KC_FIELDS = 5 };

struct kc_field {
	char *data;
	size_t len;
};

struct kc_row {
	struct kc_field field[KC_FIELDS];
	size_t n;
};

/* Whether the line is a fact. */
bool kc_is_fact(const struct kc_line *line);

/*
 * Splits a line into fields and takes the escapes back, in place: the line's
 * bytes change and the fields point into them. A '#' of a fact stays in its
 * first field. An unknown escape is left as it is, so that lists written by
 * hand may hold a backslash. More than KC_FIELDS fields end the program with
 * KC_TROUBLE and a message that names the input and its line.
 */
void kc_row_split(struct kc_row *row, struct kc_line *line,
		  const struct kc_in *in);

/* Whether a field is exactly `text`; whether it starts with it. */
bool kc_field_is(const struct kc_field *field, const char *text);
bool kc_field_starts(const struct kc_field *field, const char *text);

/* Whether two fields hold the same bytes. */
bool kc_field_same(const struct kc_field *a, const struct kc_field *b);

/* A copy of a field that lasts until exit. */
struct kc_field kc_field_copy(const struct kc_field *field);

/*
 * Writes a field, escaped. `first` is for the first field of a line.
 * kc_put_number writes `n`, kc_put_none the "-" of a row without a number.
 * Failures stay in the stream's error flag, which kc_finish reads.
 */
void kc_put_field(const char *data, size_t len, bool first);
void kc_put_text(const char *text);
void kc_put_number(uint64_t n);

/* Hands a fact on as it came, with its newline. */
void kc_put_line(const struct kc_line *line);

#endif
