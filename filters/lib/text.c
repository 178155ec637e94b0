/* text.c: text and tables for a terminal. See LICENSE. */
#include <stdio.h>
#include <stdlib.h>

#include "md.h"
#include "text.h"

void
kc_text(struct kc_str *out, const char *data, size_t len)
{
	size_t i, n;
	char hex[8];

	kc_str_puts(out, "");
	for (i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)data[i];

		n = kc_utf8(data + i, len - i);
		/* The controls after ASCII are U+0080 to U+009F. */
		if (n > 0 && c >= 0x20 && c != 0x7f && c != '\\' &&
		    !(c == 0xc2 && (unsigned char)data[i + 1] < 0xa0)) {
			kc_str_add(out, data + i, n);
			continue;
		}
		n = 1;
		if (c == '\t' || c == '\n' || c == '\\')
			snprintf(hex, sizeof(hex), "\\%c",
				 c == '\t'   ? 't'
				 : c == '\n' ? 'n'
					     : '\\');
		else
			snprintf(hex, sizeof(hex), "\\x%02X", c);
		kc_str_puts(out, hex);
	}
}

void
kc_table_cell(struct kc_table *table, const char *text)
{
	size_t first = table->rows > 0 ? table->end[table->rows - 1] : 0;
	size_t column = table->n - first, width;
	struct kc_str *cell;

	if (column == table->columns) {
		table->width =
			kc_grow(table->width, &table->columns_cap,
				table->columns + 1, sizeof(*table->width));
		table->width[table->columns++] = 0;
	}
	table->cell = kc_grow(table->cell, &table->cap, table->n + 1,
			      sizeof(*table->cell));
	cell = &table->cell[table->n++];
	*cell = (struct kc_str){0};
	kc_str_puts(cell, text);
	width = kc_md_width(cell->data, cell->len);
	if (width > table->width[column])
		table->width[column] = width;
}

void
kc_table_end(struct kc_table *table)
{
	table->end = kc_grow(table->end, &table->rows_cap, table->rows + 1,
			     sizeof(*table->end));
	table->end[table->rows++] = table->n;
}

void
kc_table_put(const struct kc_table *table, size_t row, size_t from, size_t to)
{
	size_t first = row > 0 ? table->end[row - 1] : 0, i, last = first;

	/* No spaces at the end of a line. */
	for (i = first; i < table->end[row]; i++)
		if (table->cell[i].len > 0)
			last = i;
	for (i = first; i <= last && i < table->end[row]; i++) {
		const struct kc_str *cell = &table->cell[i];
		size_t column = i - first;
		size_t pad = table->width[column] -
			     kc_md_width(cell->data, cell->len);
		bool to_right = column >= from && column < to;

		printf("%s%*s%s%*s", i > first ? "  " : "",
		       to_right ? (int)pad : 0, "", cell->data,
		       to_right || i == last ? 0 : (int)pad, "");
	}
	putchar('\n');
}

void
kc_table_free(struct kc_table *table)
{
	size_t i;

	for (i = 0; i < table->n; i++)
		kc_str_free(&table->cell[i]);
	free(table->cell);
	free(table->end);
	free(table->width);
	*table = (struct kc_table){0};
}
