/*
 * fuzz-rows.c: any bytes as rows, into kc-pair and kc-md. See LICENSE.
 *
 * kc-pair writes a row for each case or dies without one, and no number that
 * is not in its input. What it writes kc-md takes. What kc-md writes is a
 * report whose every line has a form that the report has, whatever the rows
 * hold: no HTML but <code>, no cell too many, no line of somebody's making.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "sandbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The cells of a table's line: bars that no backslash is before. GFM splits
 * cells before it reads code spans. */
static size_t
cells(const char *line, size_t len)
{
	size_t n = 0, i;

	for (i = 0; i < len; i++)
		if (line[i] == '\\')
			i++;
		else if (line[i] == '|')
			n++;
	return n;
}

static bool
begins(const char *line, size_t len, const char *text)
{
	return len >= strlen(text) && memcmp(line, text, strlen(text)) == 0;
}

/*
 * The tags in a line are <code> and </code>, in turn; what is inside backticks
 * is code. No control characters.
 */
static void
check_line(const char *line, size_t len, const struct sb_run *run)
{
	bool code = false, ticks = false;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)line[i];

		sb_check(c >= 0x20 && c != 0x7f, "a control character", run);
		sb_check(kc_utf8(line + i, len - i) > 0 || (c & 0xc0) == 0x80,
			 "bytes that are not UTF-8", run);
		if (ticks) {
			ticks = c != '`';
		} else if (c == '\\') {
			i++;
		} else if (c == '`') {
			ticks = true;
		} else if (c == '<') {
			const char *tag = code ? "</code>" : "<code>";

			sb_check(begins(line + i, len - i, tag), "a tag", run);
			code = !code;
		} else if (c == '>') {
			sb_check(i >= 5 && (memcmp(line + i - 5, "<code", 5) ==
						    0 ||
					    memcmp(line + i - 5, "/code", 5) ==
						    0),
				 "an angle bracket", run);
		} else if (c == '[' && !ticks && !code) {
			/* Our own [n] of notes is the only one. */
			size_t j = i + 1;

			while (j < len && line[j] >= '0' && line[j] <= '9')
				j++;
			sb_check(j > i + 1 && j < len && line[j] == ']' &&
					 (j + 1 >= len || line[j + 1] != '('),
				 "a bracket", run);
		}
	}
	sb_check(!ticks && !code, "code that does not end", run);
}

static void
check_report(const struct sb_run *run)
{
	const char *at = run->out, *end = run->out + run->out_len;
	size_t columns = 0, n;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));

		sb_check(nl != NULL, "no newline at the end", run);
		n = (size_t)(nl - at);
		check_line(at, n, run);
		if (begins(at, n, "| ")) {
			sb_check(columns == 0 || cells(at, n) == columns,
				 "a table whose lines differ in cells", run);
			columns = cells(at, n);
		} else {
			columns = 0;
		}
		at = nl + 1;
	}
}

/* The lines of the output that are not facts. */
static size_t
rows_of(const struct sb_run *run)
{
	const char *at = run->out, *end = run->out + run->out_len;
	size_t n = 0;

	for (; at < end;
	     at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1)
		n += *at != '#';
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char pair[] = "kc-pair", md[] = "kc-md", l[] = "-lc|f<g>", t[] = "-t2",
	     ids[] = "ids", rows[] = "rows", counts[] = "counts";
	char *alone[] = {pair, l, ids, rows, NULL};
	char *many[] = {pair, l, t, ids, rows, NULL};
	char *report[] = {md, counts, NULL};
	char *direct[] = {md, rows, NULL};
	struct sb_file files[] = {
		{"ids", "", 0}, {"rows", "", 0}, {"counts", "", 0}};
	size_t steps[4] = {3, 1, 500, 2};
	struct sb_run judge = {.filter = sb_kc_pair, .files = files, .n = 3};
	struct sb_run writer = {.filter = sb_kc_md, .files = files, .n = 3};
	const uint8_t *cut;

	if (size < 2)
		return 0;
	/* FLAGS LIST 0xFE ROWS */
	cut = memchr(data + 1, 0xfe, size - 1);
	if (cut != NULL) {
		files[0].data = (const char *)data + 1;
		files[0].len = (size_t)(cut - data - 1);
		files[1].data = (const char *)cut + 1;
		files[1].len = size - 2 - files[0].len;
		judge.argv = data[0] & 1 ? many : alone;
		if (data[0] & 2) {
			judge.steps = steps;
			judge.steps_n = 4;
		}
		sb_run(&judge);
		sb_check(judge.status == 0 || judge.status == 2,
			 "a status that it does not have", &judge);
		sb_check(judge.status == 0 || judge.err_len > 0,
			 "trouble without a word", &judge);
		/* Rows are written when all is read: every one of them, or
		 * only facts where what was read is not rows. */
		sb_check(judge.status != 0 || rows_of(&judge) > 0,
			 "no row, and no trouble", &judge);
		if (rows_of(&judge) > 0) {
			files[2].data = judge.out;
			files[2].len = judge.out_len;
			writer.argv = report;
			sb_run(&writer);
			/* Facts that pass through are whatever they are. */
			sb_check(writer.status == 0 ||
					 strstr(writer.err, "bad fact") ||
					 strstr(writer.err, ": a second ") ||
					 strstr(writer.err, "too many fields"),
				 "kc-md does not take kc-pair's rows", &writer);
			if (writer.status == 0)
				check_report(&writer);
			sb_free(&writer);
		}
		sb_free(&judge);
	} else {
		files[1].data = (const char *)data + 1;
		files[1].len = size - 1;
		writer.argv = direct;
		if (data[0] & 2) {
			writer.steps = steps;
			writer.steps_n = 4;
		}
		sb_run(&writer);
		sb_check(writer.status == 0 || writer.err_len > 0,
			 "trouble without a word", &writer);
		if (writer.status == 0)
			check_report(&writer);
		sb_free(&writer);
	}
	return 0;
}
