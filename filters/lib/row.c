/* row.c: rows and facts, the text that the filters hand on. See LICENSE. */
#include <inttypes.h>
#include <string.h>

#include "kc.h"
#include "row.h"

bool
kc_is_fact(const struct kc_line *line)
{
	return line->len > 0 && line->data[0] == '#';
}

/* Takes the escapes of one field back, in place. */
static void
unescape(struct kc_field *field, bool first)
{
	char *from = field->data, *to = field->data;
	char *end = field->data + field->len;

	while (from < end) {
		char c = *from++;

		if (c == '\\' && from < end) {
			if (*from == 't' || *from == 'n' || *from == '\\') {
				c = *from == 't'   ? '\t'
				    : *from == 'n' ? '\n'
						   : '\\';
				from++;
			} else if (*from == '#' && first &&
				   from == field->data + 1) {
				c = *from++;
			}
		}
		*to++ = c;
	}
	field->len = (size_t)(to - field->data);
}

void
kc_row_split(struct kc_row *row, struct kc_line *line, const struct kc_in *in)
{
	char *at = line->data, *end = line->data + line->len;
	bool escaped = memchr(at, '\\', line->len) != NULL;

	row->n = 0;
	for (;;) {
		char *tab = memchr(at, '\t', (size_t)(end - at));
		struct kc_field *field;

		if (row->n == KC_FIELDS)
			kc_die("%s:%" PRIu64 ": too many fields, expected at "
			       "most %d",
			       in->name, in->line, KC_FIELDS);
		field = &row->field[row->n++];
		field->data = at;
		field->len = (size_t)((tab != NULL ? tab : end) - at);
		if (escaped)
			unescape(field, row->n == 1);
		if (tab == NULL)
			return;
		at = tab + 1;
	}
}

bool
kc_field_is(const struct kc_field *field, const char *text)
{
	return kc_same(field->data, field->len, text, strlen(text));
}

bool
kc_field_starts(const struct kc_field *field, const char *text)
{
	size_t len = strlen(text);

	return field->len >= len && memcmp(field->data, text, len) == 0;
}

bool
kc_field_same(const struct kc_field *a, const struct kc_field *b)
{
	return kc_same(a->data, a->len, b->data, b->len);
}

struct kc_field
kc_field_copy(const struct kc_field *field)
{
	return (struct kc_field){kc_copy(field->data, field->len), field->len};
}

void
kc_put_field(const char *data, size_t len, bool first)
{
	size_t i, done = 0;

	if (first && len > 0 && data[0] == '#')
		fputc('\\', stdout);
	for (i = 0; i < len; i++) {
		char c = data[i];

		if (c != '\t' && c != '\n' && c != '\\')
			continue;
		fwrite(data + done, 1, i - done, stdout);
		fputc('\\', stdout);
		fputc(c == '\t' ? 't' : c == '\n' ? 'n' : '\\', stdout);
		done = i + 1;
	}
	fwrite(data + done, 1, len - done, stdout);
}

void
kc_put_text(const char *text)
{
	fputs(text, stdout);
}

void
kc_put_number(uint64_t n)
{
	printf("%" PRIu64, n);
}

void
kc_put_line(const struct kc_line *line)
{
	fwrite(line->data, 1, line->len, stdout);
	fputc('\n', stdout);
}
