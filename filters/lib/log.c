/*
 * log.c: the grammar of a bench's log. See LICENSE.
 *
 * The forms come from cubecl's runtime/src/logging/{profiling,server}.rs
 * (releases 0.3 to 0.12.0-pre.1) and criterion's src/report.rs (0.3 to 0.8):
 *
 *	Testing ID
 *	| DURATION | NAME
 *	|⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺⎺|
 *	| Name | Duration | Num Computed | Ratio |
 *	|⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼|
 *	| NAME | DURATION | LAUNCHES | RATIO %|
 *	|⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼⎼|
 *	| Total | DURATION | LAUNCHES | 100 %|
 *	|⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯|
 *	Success
 *
 * Columns are padded, but to widths that count bytes in one place and
 * characters in another, and names hold " | ": a row is read from the right.
 * Which line of a table is its total follows from the rulers around it, never
 * from a name, since a kernel may be called Total.
 */
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "log.h"
#include "rx.h"
#include "scan.h"

/* The most bytes of names that one table may make us keep. */
enum { KEPT_MAX = 16 << 20 };

/* The longest row that is read: it bounds what a pattern can cost. Launch
 * lines and what else stands in a log may be longer. */
enum { ROW_MAX = 1 << 20 };

/* Durations as Rust's Debug prints them; the letter before `s` may be the
 * micro sign, U+00B5. */
#define DURATION "[0-9][0-9.]*(?:n|\\xC2\\xB5|m)?s"

enum ruler { NO_RULER, TOP, MIDDLE, BOTTOM };

/* Where in a table the next line stands. */
enum place {
	OUTSIDE,
	HEADER,
	FIRST_MIDDLE,
	ROWS,
	TOTAL,
	CLOSE,
	BROKEN, /* in a table that has been reported as bad */
};

struct reader {
	struct kc_in *in;
	const struct kc_log_events *events;
	void *data;
	struct kc_rx *header;
	struct kc_rx *row;
	struct kc_table table;
	struct kc_kernel *kernels;
	size_t cap;
	size_t kept;	   /* bytes of names */
	size_t ruler;	   /* the length of the table's top ruler */
	uint64_t sum;	   /* of the rows */
	uint64_t launches; /* lines since the last table closed */
	enum place place;
	bool keep;
	bool prints_launches; /* this log has had a launch line */
	bool silent;	 /* a table had launches and the log no launch line */
	bool unmeasured; /* a launch since the last table was not measured */
	bool strange; /* a line since it begins as a launch line and is none */
	bool whole;
};

/*
 * Whether a line is a ruler, and how many characters long: a bar, one of three
 * characters repeated, a bar, and in every release a space.
 */
static enum ruler
ruler_of(const char *data, size_t len, size_t *length)
{
	/* U+23BA, U+23BC and U+23AF; the first two bytes are shared. */
	size_t i;
	char kind;

	while (len > 0 && data[len - 1] == ' ')
		len--;
	if (len < 5 || data[0] != '|' || data[len - 1] != '|' ||
	    (len - 2) % 3 != 0)
		return NO_RULER;
	kind = data[3];
	for (i = 1; i < len - 1; i += 3)
		if (memcmp(data + i, "\xE2\x8E", 2) != 0 || data[i + 2] != kind)
			return NO_RULER;
	*length = (len - 2) / 3;
	switch ((unsigned char)kind) {
	case 0xba:
		return TOP;
	case 0xbc:
		return MIDDLE;
	case 0xaf:
		return BOTTOM;
	default:
		return NO_RULER;
	}
}

/* Whether the line holds the bytes of `text` anywhere. */
static bool
holds(const char *data, size_t len, const char *text)
{
	size_t n = strlen(text);
	const char *at = data, *end = data + len;

	while ((size_t)(end - at) >= n) {
		at = memchr(at, text[0], (size_t)(end - at) - n + 1);
		if (at == NULL)
			return false;
		if (memcmp(at, text, n) == 0)
			return true;
		at++;
	}
	return false;
}

static bool
starts(const char *data, size_t len, const char *text)
{
	size_t n = strlen(text);

	return len >= n && memcmp(data, text, n) == 0;
}

static void
forget_kernels(struct reader *r)
{
	size_t i;

	for (i = 0; i < r->table.n; i++)
		free(r->kernels[i].name);
	r->table.n = 0;
	r->kept = 0;
}

/* Tells of the table, whatever came of it, and counts launches anew. */
static void
report(struct reader *r, enum kc_table_state state, const char *why)
{
	r->table.state = state;
	r->table.why = why;
	r->table.kernels = r->kernels;
	if (state != KC_TABLE_OK)
		forget_kernels(r);
	r->events->table(r->data, &r->table);
	forget_kernels(r);
	r->launches = 0;
	r->unmeasured = false;
	r->strange = false;
}

static void
break_table(struct reader *r, const char *why)
{
	report(r, KC_TABLE_BAD, why);
	r->place = BROKEN;
}

static void
open_table(struct reader *r, size_t length)
{
	r->table.line = r->in->line;
	r->table.launches = 0;
	r->ruler = length;
	r->sum = 0;
	r->place = HEADER;
}

/*
 * The name and the number of a row. NULL, or what is wrong with it. The name
 * is what is left when the three last columns and the padding are gone.
 */
static const char *
read_row(struct reader *r, const char *data, size_t len, const char **name,
	 size_t *name_len, uint64_t *launches, bool *all)
{
	const char *number, *ratio;
	size_t n;

	if (len > ROW_MAX)
		return "a row longer than 1 MiB";
	if (!kc_rx_match(r->row, data, len))
		return "a line that is not a row of the table";
	*name = kc_rx_group(r->row, 1, name_len);
	while (*name_len > 0 && (*name)[*name_len - 1] == ' ')
		(*name_len)--;
	number = kc_rx_group(r->row, 2, &n);
	if (kc_number(number, n, launches) != NULL)
		return "a row's number is too large for 64 bits";
	ratio = kc_rx_group(r->row, 3, &n);
	*all = kc_same(ratio, n, "100", 3);
	return NULL;
}

static const char *
take_row(struct reader *r, const char *data, size_t len)
{
	const char *name, *why;
	size_t name_len;
	uint64_t launches;
	bool all;

	why = read_row(r, data, len, &name, &name_len, &launches, &all);
	if (why != NULL)
		return why;
	/* A kernel gets its row by being launched. */
	if (launches == 0)
		return "a row without launches";
	if (!kc_add(&r->sum, launches))
		return "the rows add up to more than 64 bits hold";
	if (!r->keep)
		return NULL;
	r->kept += name_len + sizeof(struct kc_kernel);
	if (r->kept > KEPT_MAX)
		return "more kernels than can be kept, expected 16 MiB of "
		       "names";
	r->kernels = kc_grow(r->kernels, &r->cap, r->table.n + 1,
			     sizeof(*r->kernels));
	r->kernels[r->table.n++] =
		(struct kc_kernel){kc_copy(name, name_len), name_len, launches};
	return NULL;
}

static const char *
take_total(struct reader *r, const char *data, size_t len)
{
	const char *name, *why;
	size_t name_len;
	bool all;

	why = read_row(r, data, len, &name, &name_len, &r->table.launches,
		       &all);
	if (why != NULL || !kc_same(name, name_len, "Total", 5) || !all)
		return "no total where the table should have it";
	return NULL;
}

/*
 * What a closed table must satisfy. Launch lines are asked for as soon as the
 * log has shown one: releases before 0.6 print none at this level, and then
 * none for any table of the log.
 */
static const char *
check_table(struct reader *r)
{
	uint64_t total = r->table.launches;

	if (r->sum != total)
		return "its rows do not add up to its total";
	if (r->unmeasured)
		return "it leaves out launches that were not measured";
	if (r->strange)
		return "a line before it begins as a launch line and is none";
	if (r->launches == 0 && !r->prints_launches && total > 0) {
		r->silent = true;
		return NULL;
	}
	if (r->launches != total)
		return "its total is not the number of launch lines before it";
	if (r->silent && total > 0)
		return "launch lines before it, and none before earlier tables";
	return NULL;
}

/* A line inside a table; false when it ended the table without being of it. */
static bool
inside(struct reader *r, const char *data, size_t len)
{
	size_t length = 0;
	enum ruler ruler = ruler_of(data, len, &length);
	const char *why = NULL;

	if (ruler == TOP || starts(data, len, "Testing ") ||
	    kc_same(data, len, "Success", 7) ||
	    kc_same(data, len, "kc: whole", 9)) {
		report(r, KC_TABLE_CUT, "it was never closed");
		r->place = OUTSIDE;
		return false;
	}
	if (ruler != NO_RULER && length != r->ruler) {
		break_table(r, "its rulers differ in length");
		if (ruler == BOTTOM)
			r->place = OUTSIDE;
		return true;
	}
	switch (r->place) {
	case HEADER:
		if (len <= ROW_MAX && kc_rx_match(r->header, data, len))
			r->place = FIRST_MIDDLE;
		else
			why = "no header where the table should have it";
		break;
	case FIRST_MIDDLE:
		if (ruler == MIDDLE)
			r->place = ROWS;
		else
			why = "no ruler under its header";
		break;
	case ROWS:
		if (ruler == MIDDLE)
			r->place = TOTAL;
		else if (ruler == BOTTOM)
			why = "no ruler above its total";
		else
			why = take_row(r, data, len);
		break;
	case TOTAL:
		why = take_total(r, data, len);
		if (why == NULL)
			r->place = CLOSE;
		break;
	default:
		if (ruler != BOTTOM) {
			why = "no bottom ruler under its total";
			break;
		}
		why = check_table(r);
		report(r, why == NULL ? KC_TABLE_OK : KC_TABLE_BAD, why);
		r->place = OUTSIDE;
		return true;
	}
	if (why != NULL) {
		break_table(r, why);
		if (ruler == BOTTOM)
			r->place = OUTSIDE;
	}
	return true;
}

static void
outside(struct reader *r, const char *data, size_t len)
{
	size_t length = 0;

	if (kc_is_launch(data, len)) {
		r->launches++;
		r->prints_launches = true;
		return;
	}
	if (holds(data, len, "not measured | ")) {
		/* Since 0.12.0-pre.1: printed, and left out of the table. */
		r->unmeasured = true;
		r->prints_launches = true;
		return;
	}
	switch (ruler_of(data, len, &length)) {
	case TOP:
		open_table(r, length);
		return;
	case MIDDLE:
	case BOTTOM:
		/* A piece of a table whose top is gone, once for the table. */
		if (r->place != BROKEN) {
			r->table.line = r->in->line;
			break_table(r, "it has no top ruler");
		}
		if (ruler_of(data, len, &length) == BOTTOM)
			r->place = OUTSIDE;
		return;
	default:
		/* A launch that lost a part of its line, or a form to come. */
		if (len > 0 && data[0] == '|')
			r->strange = true;
		break;
	}
	if (starts(data, len, "Testing ") && len > 8)
		r->events->begin(r->data, data + 8, len - 8);
	else if (kc_same(data, len, "Success", 7))
		r->events->end(r->data);
	else if (kc_same(data, len, "kc: whole", 9))
		r->whole = true;
	else if (holds(data, len, "thread '") &&
		 holds(data, len, " panicked at "))
		/* Not only at the start: a print without a newline may come
		 * before it where stderr is in the same file. */
		r->events->panic(r->data, r->in->line);
	else if (starts(data, len, "bench-config: "))
		r->events->config(r->data, data + 14, len - 14);
	else
		return;
	r->place = OUTSIDE;
}

static void
take_line(struct reader *r, const struct kc_line *line)
{
	const char *data = line->data;
	size_t len = line->len;

	/* Logs that went through another system: a byte-order mark before the
	 * first line, a carriage return after each. */
	if (r->in->line == 1 && starts(data, len, "\xEF\xBB\xBF")) {
		data += 3;
		len -= 3;
	}
	if (len > 0 && data[len - 1] == '\r')
		len--;
	r->whole = false;
	if (r->place != OUTSIDE && r->place != BROKEN && inside(r, data, len))
		return;
	outside(r, data, len);
}

/*
 * Takes launch lines from the buffer's front while they come in long runs; all
 * that kc_is_launch asks of a line is asked here of each as well.
 */
static void
take_launches(struct reader *r)
{
	struct kc_in *in = r->in;
	size_t len = in->end - in->beg;
	uint64_t lines;

	/* No line over the limit is taken here either. */
	if (len > KC_LINE_MAX)
		len = KC_LINE_MAX;
	if (len < KC_SCAN_STEP + KC_SCAN_AHEAD ||
	    !kc_is_launch(in->buf + in->beg, len))
		return;
	in->beg += kc_scan_launches(in->buf + in->beg, len, &lines);
	if (lines == 0)
		return;
	in->line += lines;
	r->launches += lines;
	r->prints_launches = true;
	r->whole = false;
}

void
kc_log_read(struct kc_in *in, const struct kc_log_events *events,
	    bool keep_kernels, void *data)
{
	static struct kc_rx *header, *row;
	struct reader r = {
		.in = in, .events = events, .data = data, .keep = keep_kernels};
	struct kc_line line;
	bool more;

	if (row == NULL) {
		header = kc_rx_new("\\A\\| Name ++\\| Duration ++\\| "
				   "Num Computed ++\\| Ratio ++\\|\\z",
				   KC_RX_BYTES);
		row = kc_rx_new("(?s)\\A\\| (.*)\\| " DURATION
				" *+\\| ([0-9]+) *+\\| ([0-9]+) % *+\\|\\z",
				KC_RX_BYTES);
	}
	r.header = header;
	r.row = row;
	kc_in_map(in);
	do {
		if (r.place == OUTSIDE || r.place == BROKEN)
			take_launches(&r);
		more = kc_in_line(in, &line);
		if (more)
			take_line(&r, &line);
	} while (more);
	if (r.place != OUTSIDE && r.place != BROKEN)
		report(&r, KC_TABLE_CUT, "it was never closed");
	events->eof(data, r.whole);
	free(r.kernels);
}
