/* text.h: somebody's text, and tables, as plain text for a terminal. */
#ifndef KC_TEXT_H
#define KC_TEXT_H

#include <stddef.h>

#include "kc.h"

/*
 * Adds `data` to `out` as text that a terminal shows and does not obey: what is
 * a control character or not UTF-8 is written \xNN, a tab, a newline and a
 * backslash as in a row (kc-rows(5)).
 */
void kc_text(struct kc_str *out, const char *data, size_t len);

/*
 * A table in columns that two spaces part. Zeroed at first; kc_table_cell adds
 * the next cell of the current row, kc_table_end ends it; rows may differ in
 * length. kc_table_free forgets it.
 */
struct kc_table {
	struct kc_str *cell;
	size_t n;
	size_t cap;
	size_t *end; /* of each row: the cells before its end */
	size_t rows;
	size_t rows_cap;
	size_t *width; /* of each column, in characters */
	size_t columns;
	size_t columns_cap;
};

void kc_table_cell(struct kc_table *table, const char *text);
void kc_table_end(struct kc_table *table);

/*
 * Writes row `row` on stdout with its newline, padded to the columns of all
 * rows; the columns from `from` to before `to` are set to the right.
 */
void kc_table_put(const struct kc_table *table, size_t row, size_t from,
		  size_t to);

void kc_table_free(struct kc_table *table);

#endif
