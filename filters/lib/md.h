/* md.h: somebody's text as Markdown that shows just that text. */
#ifndef KC_MD_H
#define KC_MD_H

#include <stddef.h>

#include "kc.h"

/*
 * Adds `data` to `out` as text of GitHub Flavored Markdown, fit for a cell of a
 * table: what would be markup, HTML, a link, a mention or the end of the cell
 * is escaped, white space is one space, and bytes that are not UTF-8, control
 * characters and those that reorder text are U+FFFD.
 */
void kc_md_text(struct kc_str *out, const char *data, size_t len);

/*
 * The same as a code span, which reads better in a terminal: in backticks where
 * these can hold it, as <code> with entities where they cannot.
 */
void kc_md_code(struct kc_str *out, const char *data, size_t len);

/*
 * The columns that a text takes on a terminal, counted as one for each
 * character.
 */
size_t kc_md_width(const char *data, size_t len);

/*
 * A table that pads its columns. Cells are Markdown already. Zeroed at first;
 * kc_md_cell adds the next cell of the current row, kc_md_end_row ends it, the
 * first row is the header. kc_md_print writes it on stdout, with a column that
 * holds numbers (`right` true) set to the right, and forgets it.
 */
struct kc_md_table {
	struct kc_str *cell;
	size_t n;
	size_t cap;
	size_t columns; /* of the first row; 0 until it has ended */
};

void kc_md_cell(struct kc_md_table *table, const char *markdown);
void kc_md_end_row(struct kc_md_table *table);
void kc_md_print(struct kc_md_table *table, bool right);

#endif
