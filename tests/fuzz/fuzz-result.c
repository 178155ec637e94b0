/*
 * fuzz-result.c: any bytes as two results, into kc-diff and kc-kernels. See
 * LICENSE.
 *
 * Results are posted by strangers. Nothing in them makes a gate pass that
 * should not: kc-diff ends with 0 only where each count of both sides is exact
 * and none grew, as a simple reading of the same rows says; a result beside
 * itself has never grown. Nothing in them reaches a terminal as a control
 * character, or a comment as HTML.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "sandbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A count row of four fields: `LAUNCHES VERDICT CONFIG CASE`. */
struct row {
	uint64_t launches;
	bool exact;
	const char *place; /* CONFIG, tab, CASE, as they stand there */
	size_t len;
};

/* The next row at `*at`; false at the end. Other lines are passed over. */
static bool
next_row(const char **at, const char *end, struct row *row)
{
	while (*at < end) {
		const char *nl = memchr(*at, '\n', (size_t)(end - *at));
		const char *line = *at, *tab[4];
		size_t i;

		if (nl == NULL)
			return false;
		*at = nl + 1;
		tab[0] = line - 1;
		for (i = 1; i < 4; i++) {
			tab[i] = memchr(tab[i - 1] + 1, '\t',
					(size_t)(nl - tab[i - 1] - 1));
			if (tab[i] == NULL)
				break;
		}
		if (i < 4 || *line == '#' ||
		    memchr(tab[3] + 1, '\t', (size_t)(nl - tab[3] - 1)))
			continue;
		row->exact = kc_number(line, (size_t)(tab[1] - line),
				       &row->launches) == NULL;
		row->place = tab[2] + 1;
		row->len = (size_t)(nl - row->place);
		return true;
	}
	return false;
}

/* That kc-diff's 0 is right. Names that are escaped in two ways are one to it,
 * and so not looked at here. */
static void
check_equal(const struct sb_file *old, const struct sb_file *new,
	    const struct sb_run *run)
{
	const char *at = old->data, *then;
	struct row a, b;

	if (memchr(old->data, '\\', old->len) != NULL ||
	    memchr(new->data, '\\', new->len) != NULL)
		return;
	while (next_row(&at, old->data + old->len, &a)) {
		bool found = false;

		then = new->data;
		while (next_row(&then, new->data + new->len, &b)) {
			if (!kc_same(a.place, a.len, b.place, b.len))
				continue;
			found = true;
			sb_check(b.exact, "0 and a count that is none", run);
			sb_check(!a.exact || b.launches <= a.launches,
				 "0 and a count that grew", run);
		}
		sb_check(found, "0 and a count that is gone", run);
	}
}

static void
check_text(const struct sb_run *run, bool markdown)
{
	size_t i;

	for (i = 0; i < run->out_len; i++) {
		unsigned char c = (unsigned char)run->out[i];

		sb_check((c >= 0x20 && c != 0x7f) || c == '\n',
			 "a control character", run);
		if (markdown && c == '<')
			sb_check(strncmp(run->out + i, "<code>", 6) == 0 ||
					 strncmp(run->out + i, "</code>", 7) ==
						 0 ||
					 memchr(run->out, '`', i) != NULL,
				 "a tag", run);
	}
}

static int
compare(const struct sb_file *files, char *old, char *new, char *options)
{
	static char name[] = "kc-diff";
	char *argv[] = {name, options, old, new, NULL};
	struct sb_run run = {
		.filter = sb_kc_diff, .argv = argv, .files = files, .n = 2};
	int status;

	sb_run(&run);
	status = run.status;
	sb_check(status >= 0 && status <= 2, "a status of no meaning", &run);
	check_text(&run, strchr(options, 'm') != NULL);
	if (status == 0)
		check_equal(&files[*old == 'o' ? 0 : 1],
			    &files[*new == 'o' ? 0 : 1], &run);
	if (old == new)
		sb_check(status != 1, "more than itself", &run);
	sb_free(&run);
	return status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char old[] = "old", new[] = "new", k[] = "-k", km[] = "-kmf",
		    kernels[] = "kc-kernels", md[] = "-m";
	const uint8_t *cut = size > 0 ? memchr(data, 0xfe, size) : NULL;
	size_t len = cut != NULL ? (size_t)(cut - data) : size;
	struct sb_file files[] = {{"old", (const char *)data, len},
				  {"new",
				   cut != NULL ? (const char *)cut + 1 : "",
				   cut != NULL ? size - len - 1 : 0}};
	char *tables[] = {kernels, new, NULL};
	char *marked[] = {kernels, md, new, NULL};
	struct sb_run run = {.filter = sb_kc_kernels,
			     .argv = tables,
			     .files = files,
			     .n = 2};

	if (size == 0)
		return 0;
	(void)compare(files, old, new, k);
	(void)compare(files, old, new, km);
	(void)compare(files, old, old, k);
	sb_run(&run);
	check_text(&run, false);
	sb_free(&run);
	run.argv = marked;
	sb_run(&run);
	check_text(&run, true);
	sb_free(&run);
	return 0;
}
