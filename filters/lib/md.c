/* md.c: somebody's text as Markdown that shows just that text. See LICENSE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/*
 * Reads the next character of a text: its bytes in `*at` and `*n`, made
 * harmless where it is a control character, invalid, or one that changes the
 * direction of what follows (UAX #9: U+200E, U+200F, U+202A to U+202E, U+2066
 * to U+2069) and so could make a number read backwards.
 */
static void
next(const char **data, size_t *len, const char **at, size_t *n)
{
	unsigned char c = (unsigned char)**data;
	const char *p = *data;

	*n = kc_utf8(p, *len);
	*at = p;
	*data += *n > 0 ? *n : 1;
	*len -= *n > 0 ? *n : 1;
	if (c == ' ' || (c >= '\t' && c <= '\r')) {
		*at = " ";
		*n = 1;
	} else if (*n == 0 || c < 0x20 || c == 0x7f ||
		   (*n == 2 && c == 0xc2 && (unsigned char)p[1] < 0xa0) ||
		   (*n == 3 && (memcmp(p, "\xE2\x80\x8E", 3) == 0 ||
				memcmp(p, "\xE2\x80\x8F", 3) == 0 ||
				(memcmp(p, "\xE2\x80", 2) == 0 &&
				 (unsigned char)p[2] >= 0xa8 &&
				 (unsigned char)p[2] <= 0xae) ||
				(memcmp(p, "\xE2\x81", 2) == 0 &&
				 (unsigned char)p[2] >= 0xa6 &&
				 (unsigned char)p[2] <= 0xa9)))) {
		*at = REPLACEMENT;
		*n = 3;
	}
}

/*
 * Adds a byte of ASCII that may be markup. A backslash takes the meaning from
 * most; an entity is for what is read before backslashes are (a cell's end,
 * HTML) or outside Markdown (mentions, links and emoji of the site that shows
 * it): a colon only before something, and the dot of a bare `www.`.
 */
static void
add_escaped(struct kc_str *out, size_t start, char c, char after)
{
	char text[8];

	if ((c == ':' && after != ' ' && after != '\0') ||
	    strchr("<>&|@$", c) != NULL ||
	    (c == '.' && out->len - start >= 3 &&
	     memcmp(out->data + out->len - 3, "www", 3) == 0)) {
		snprintf(text, sizeof(text), "&#%d;", (unsigned char)c);
		kc_str_puts(out, text);
		return;
	}
	if (strchr("\\`*_[]~#", c) != NULL)
		kc_str_puts(out, "\\");
	kc_str_add(out, &c, 1);
}

void
kc_md_text(struct kc_str *out, const char *data, size_t len)
{
	const char *at;
	size_t n, start = out->len;

	kc_str_puts(out, "");
	while (len > 0) {
		next(&data, &len, &at, &n);
		if (*at == ' ' &&
		    (out->len == start || out->data[out->len - 1] == ' '))
			continue;
		if (n == 1)
			add_escaped(out, start, *at, len > 0 ? *data : '\0');
		else
			kc_str_add(out, at, n);
	}
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* Whether backticks can hold the text: no backtick, bar or backslash in it, no
 * space at its ends or two together, and something at all. */
static bool
plain(const char *data, size_t len)
{
	size_t i;

	if (len == 0 || data[0] == ' ' || data[len - 1] == ' ')
		return false;
	for (i = 0; i < len; i++)
		if (strchr("`|\\", data[i]) != NULL ||
		    (i > 0 && data[i] == ' ' && data[i - 1] == ' '))
			return false;
	return true;
}

void
kc_md_code(struct kc_str *out, const char *data, size_t len)
{
	bool ticks = plain(data, len);
	size_t n, start;
	const char *at;

	kc_str_puts(out, ticks ? "`" : "<code>");
	start = out->len;
	while (len > 0) {
		next(&data, &len, &at, &n);
		/* Inside <code> the text is Markdown still. */
		if (!ticks && n == 1)
			add_escaped(out, start, *at, len > 0 ? *data : '\0');
		else
			kc_str_add(out, at, n);
	}
	kc_str_puts(out, ticks ? "`" : "</code>");
}

size_t
kc_md_width(const char *data, size_t len)
{
	size_t i, width = 0;

	for (i = 0; i < len; i++)
		width += ((unsigned char)data[i] & 0xc0) != 0x80;
	return width;
}

void
kc_md_cell(struct kc_md_table *table, const char *markdown)
{
	table->cell = kc_grow(table->cell, &table->cap, table->n + 1,
			      sizeof(*table->cell));
	table->cell[table->n] = (struct kc_str){0};
	kc_str_puts(&table->cell[table->n++], markdown);
}

void
kc_md_end_row(struct kc_md_table *table)
{
	if (table->columns == 0)
		table->columns = table->n;
}

/* The widest that a column is padded to: one long cell must not multiply the
 * size of the report. */
enum { PADDED_MAX = 120 };

static void
put_padded(const struct kc_str *cell, size_t width, bool right)
{
	size_t own = kc_md_width(cell->data, cell->len);
	size_t pad = own < width ? width - own : 0;

	printf("| %*s%s%*s ", right ? (int)pad : 0, "", cell->data,
	       right ? 0 : (int)pad, "");
}

void
kc_md_print(struct kc_md_table *table, bool right)
{
	size_t columns = table->columns, i, j;
	size_t *width;

	/* No row was ended, so there is none. */
	if (columns == 0)
		return;
	width = kc_alloc(columns * sizeof(*width));
	for (j = 0; j < columns; j++)
		width[j] = 3;
	for (i = 0; i < table->n; i++) {
		size_t w = kc_md_width(table->cell[i].data, table->cell[i].len);

		if (w > PADDED_MAX)
			w = PADDED_MAX;
		if (w > width[i % columns])
			width[i % columns] = w;
	}
	for (i = 0; i < table->n; i++) {
		j = i % columns;
		put_padded(&table->cell[i], width[j], right && j > 0);
		if (j == columns - 1)
			fputs("|\n", stdout);
		if (i != columns - 1)
			continue;
		for (j = 0; j < columns; j++) {
			size_t k;

			fputs("| ", stdout);
			for (k = 1; k < width[j]; k++)
				fputc('-', stdout);
			fputs(right && j > 0 ? ": " : "- ", stdout);
		}
		fputs("|\n", stdout);
	}
	for (i = 0; i < table->n; i++)
		kc_str_free(&table->cell[i]);
	free(table->cell);
	free(width);
	*table = (struct kc_md_table){0};
}
