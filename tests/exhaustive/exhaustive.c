/*
 * exhaustive.c: every damage of a kind, done to logs of every form; the count
 * stays right or is refused. See LICENSE.
 *
 * For each form (forms.c) the logs of one and of two warm-ups are composed, and
 * then one of them, or both alike, is damaged: cut at each byte, at its end and
 * at its front; a foreign line, or one without its newline, at each byte; each
 * line left out, said again anywhere, changed for any other; each digit made
 * each other; each byte left out. kc-totals and kc-pair then judge the pair of
 * logs, as `make` runs them, and with -1 the damaged log alone.
 *
 * With -w N it writes every Nth of what it judged instead, for a second
 * opinion.
 *
 * Prints TAP: a line for each form. With -a also what was accepted, by the kind
 * of the damage and of the line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forms.h"
#include "sandbox.h"

enum { PREFIX, SUFFIX, FOREIGN, DROP, REPEAT, SWAP, DIGIT, BYTE, KINDS };

static const char *const kinds[KINDS] = {
	"prefixes",	  "suffixes",	   "insertions",     "lines dropped",
	"lines repeated", "lines swapped", "digits changed", "bytes dropped",
};

/* What stderr, a panic or a progress print puts into a log, anywhere. */
static const char *const foreign[] = {
	"bench-config: batch=1 seq=8\n",
	"thread 'main' (4242) panicked at src/lib.rs:3:9:\n",
	"\nthread '<unnamed>' panicked at src/server.rs:1:1:\nattempt to "
	"divide "
	"by zero\n",
	"warming up... ",
	"7",
	"\n",
	"error: no 7 | 8 | 9 %\n",
};
enum { FOREIGN_N = sizeof(foreign) / sizeof(*foreign) };

struct line {
	size_t at;
	size_t len; /* with its newline */
};

/* The kinds of lines, for what was accepted. */
enum { OTHER, LAUNCH, RULER, HEAD, ROW, ANNOUNCE, END, WHOLE, EMPTY, LINES };

static const char *const line_kinds[LINES] = {
	"another line", "a launch line", "a ruler",   "a header",      "a row",
	"Testing",	"Success",	 "kc: whole", "an empty line",
};

struct log {
	struct kc_str text;
	struct line *line;
	size_t lines;
	size_t cap;
};

/* Which log is damaged. */
enum { FIRST, SECOND, BOTH };

static struct {
	const struct form *form;
	struct log log[2];
	struct kc_str rows[2]; /* of the undamaged logs */
	struct kc_str damaged[2];
	struct kc_str ids;
	size_t which;
	int kind;
	bool newline; /* that is the byte at the damage */
	uint64_t unseen;
	bool damaging;
	uint64_t write; /* a record of every so many, or 0 */
	uint64_t judged;
	bool alone;
	uint64_t n[KINDS];
	uint64_t right[KINDS];
	uint64_t wrong;
	bool failed; /* any form */
	uint64_t accepted[KINDS][LINES];
	uint64_t total;
	uint64_t total_right;
	size_t plan;
} x;

static int
kind_of(const char *line, size_t len)
{
	static const char top[] = "|\xE2\x8E";

	if (len > 0 && line[len - 1] == '\n')
		len--;
	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (len == 0)
		return EMPTY;
	if (len > 3 && memcmp(line, top, 3) == 0)
		return RULER;
	if (len > 6 && memcmp(line, "| Name", 6) == 0)
		return HEAD;
	if (line[0] == '|' && line[len - 1] == '|')
		return ROW;
	if (line[0] == '|')
		return LAUNCH;
	if (len > 8 && memcmp(line, "Testing ", 8) == 0)
		return ANNOUNCE;
	if (kc_same(line, len, "Success", 7))
		return END;
	if (kc_same(line, len, "kc: whole", 9))
		return WHOLE;
	return OTHER;
}

static void
totals(struct kc_str *rows, const struct kc_str *log)
{
	char name[] = "kc-totals", k[] = "-k", c[] = "-c", end[] = "--",
	     path[] = "1.log";
	char *id = kc_copy(x.form->bench[0].id, strlen(x.form->bench[0].id));
	char *one[] = {name, k, c, id, end, path, NULL};
	char *many[] = {name, k, path, NULL};
	struct sb_file file = {"1.log", log->data, log->len};
	struct sb_run run = {.filter = sb_kc_totals,
			     .argv = x.form->many ? many : one,
			     .files = &file,
			     .n = 1};

	sb_run(&run);
	sb_check(run.status == 0, "kc-totals failed on a log", &run);
	rows->len = 0;
	kc_str_add(rows, run.out, run.out_len);
	sb_free(&run);
	free(id);
}

/* Prints what went wrong, and the damaged log. */
static void
complain(const struct sb_run *run, const char *what)
{
	if (x.wrong++ > 3)
		return;
	printf("# %s: %s%s\n# ---\n", kinds[x.kind], what,
	       x.alone ? ", alone" : "");
	if (x.which != SECOND)
		fwrite(x.damaged[0].data, 1, x.damaged[0].len, stdout);
	if (x.which != FIRST)
		fwrite(x.damaged[1].data, 1, x.damaged[1].len, stdout);
	printf("# --- rows, status %d\n%s# ---\n", run->status, run->out);
}

/*
 * What no reader of the logs can see, and tests/exhaustive/README.md says so: a
 * `not measured` line that both logs lost whole, or have after the last table,
 * or at the end of another launch's line.
 */
static bool
unseen(void)
{
	if (!(x.form->style & UNKNOWN) || x.which != BOTH ||
	    (x.kind != DROP && x.kind != SWAP &&
	     (x.kind != BYTE || !x.newline)))
		return false;
	x.unseen++;
	return true;
}

/*
 * The one case's rows are `N VERDICT CONFIG CASE [KERNEL]`: true, each of them,
 * to the measured iteration, or one refusal. Returns whether it was a count.
 */
static bool
check_case(const struct sb_run *run, const char **at, const struct bench *b)
{
	uint64_t n = 0, kernels = 0, all = launches_of(&b->measured);
	bool refused = **at == '-', any = false;
	const struct launched *k;
	const char *end, *tab;

	for (;; *at = end + 1) {
		end = strchr(*at, '\n');
		if (end == NULL) {
			complain(run, "no row of a case");
			return false;
		}
		if (refused) {
			*at = end + 1;
			return false;
		}
		tab = strchr(*at, '\t');
		if (tab == NULL || tab > end ||
		    kc_number(*at, (size_t)(tab - *at), &n) != NULL) {
			complain(run, "no number");
			return false;
		}
		/* The kernel is what stands after the id, if anything. */
		tab = strchr(strchr(strchr(tab + 1, '\t') + 1, '\t') + 1, '\t');
		if (tab == NULL || tab > end)
			break;
		any = true;
		for (k = b->measured.kernel; k->name != NULL; k++)
			if (kc_same(k->name, strlen(k->name), tab + 1,
				    (size_t)(end - tab - 1)))
				break;
		if (!x.alone && !x.form->many && x.which != BOTH &&
		    (k->name == NULL || k->times != n))
			complain(run, "a kernel's launches are wrong");
		kernels += n;
	}
	*at = end + 1;
	if ((n != all || x.form->refused) && !unseen())
		complain(run, "a wrong count");
	if (any && kernels != n)
		complain(run, "kernels that do not add up to the count");
	return true;
}

static void
put_blob(const char *word, const char *data, size_t len)
{
	printf("%s %zu\n", word, len);
	fwrite(data, 1, len, stdout);
	putchar('\n');
}

/* What was judged, for tests/second-opinion.pl to judge as well. */
static void
put_record(const struct sb_run *run)
{
	size_t i;

	put_blob("cases", x.ids.data, x.ids.len);
	if (x.form->many)
		put_blob("many", "1", 1);
	for (i = 0; i < (x.form->many || x.alone ? 1u : 2u); i++) {
		const struct kc_str *log =
			x.damaging && (x.which == i || x.which == BOTH)
				? &x.damaged[i]
				: &x.log[i].text;

		put_blob("log", log->data, log->len);
	}
	put_blob("rows", run->out, run->out_len);
	puts("end 0");
}

static bool
judge(const struct kc_str *first, const struct kc_str *other)
{
	char name[] = "kc-pair", l[] = "-lx", t[] = "-t2", ids[] = "ids",
	     one[] = "1", two[] = "2";
	char *pair[] = {name, l, ids, one, two, NULL};
	char *alone[] = {name, l, ids, one, NULL};
	char *many[] = {name, l, t, ids, one, NULL};
	struct sb_file files[] = {
		{"ids", x.ids.data, x.ids.len},
		{"1", first->data, first->len},
		{"2", other != NULL ? other->data : "",
		 other != NULL ? other->len : 0},
	};
	struct sb_run run = {.filter = sb_kc_pair,
			     .argv = x.form->many    ? many
				     : other == NULL ? alone
						     : pair,
			     .files = files,
			     .n = 3};
	const char *at;
	size_t i, counts = 0;

	sb_run(&run);
	if (x.write > 0 && x.judged++ % x.write == 0)
		put_record(&run);
	at = run.out;
	for (i = 0; i < x.form->n && *at != '\0'; i++) {
		while (*at == '#')
			at = strchr(at, '\n') + 1;
		counts += check_case(&run, &at, &x.form->bench[i]);
	}
	if (run.status != 0 && run.err_len == 0)
		complain(&run, "trouble without a word");
	if ((run.status == 0) != (counts == x.form->n))
		complain(&run, "a status that does not fit the rows");
	sb_free(&run);
	return counts > 0;
}

/*
 * A damage. `a` and `b` are bytes or lines counted from the log's end, so that
 * one damage can be done to both logs, which end alike.
 */
struct damage {
	int kind;
	size_t a, b;
	const char *text; /* that is put in */
	char digit;
};

static void
add(struct kc_str *out, const struct kc_str *log, size_t from, size_t to)
{
	kc_str_add(out, log->data + from, to - from);
}

static void
add_line(struct kc_str *out, const struct kc_str *log, const struct line *l)
{
	add(out, log, l->at, l->at + l->len);
}

static void
apply_to_lines(struct kc_str *out, const struct log *log,
	       const struct damage *d)
{
	size_t a = log->lines - 1 - d->a, b = log->lines - 1 - d->b, k;

	for (k = 0; k < log->lines; k++) {
		const struct line *l = &log->line[k];

		if (d->kind == DROP && k == a)
			continue;
		if (d->kind == SWAP && k == a)
			l = &log->line[b];
		else if (d->kind == SWAP && k == b)
			l = &log->line[a];
		add_line(out, &log->text, l);
		if (d->kind == REPEAT && k == b)
			add_line(out, &log->text, &log->line[a]);
	}
}

/* The damaged log, in x.damaged[which]. */
static void
apply(size_t which, const struct damage *d)
{
	struct kc_str *out = &x.damaged[which];
	const struct log *log = &x.log[which];
	size_t len = log->text.len, at = len - d->a;

	out->len = 0;
	kc_str_puts(out, "");
	if (d->kind == DROP || d->kind == REPEAT || d->kind == SWAP) {
		apply_to_lines(out, log, d);
		return;
	}
	if (d->kind == SUFFIX) {
		add(out, &log->text, at, len);
		return;
	}
	add(out, &log->text, 0, at);
	if (d->kind == FOREIGN)
		kc_str_puts(out, d->text);
	else if (d->kind == DIGIT)
		kc_str_add(out, &d->digit, 1);
	if (d->kind == FOREIGN)
		add(out, &log->text, at, len);
	else if (d->kind == DIGIT || d->kind == BYTE)
		add(out, &log->text, at + 1, len);
}

static const struct log *
log_of(size_t which)
{
	return &x.log[which == SECOND ? 1 : 0];
}

static void
check(const struct damage *d, int of)
{
	static struct kc_str rows[2];
	bool counted;
	size_t i;

	x.kind = d->kind;
	x.newline =
		d->a > 0 &&
		log_of(x.which)->text.data[log_of(x.which)->text.len - d->a] ==
			'\n';
	for (i = 0; i < 2; i++) {
		if (x.which != i && x.which != BOTH)
			continue;
		apply(i, d);
		totals(&rows[i], &x.damaged[i]);
	}
	x.n[d->kind]++;
	x.damaging = true;
	if (x.form->many || x.alone)
		counted = judge(&rows[0], NULL);
	else
		counted = judge(x.which == 1 ? &x.rows[0] : &rows[0],
				x.which == 0 ? &x.rows[1] : &rows[1]);
	if (counted) {
		x.right[d->kind]++;
		x.accepted[d->kind][of]++;
	}
}

static int
kind_at(const struct log *log, size_t at)
{
	size_t i = 0;

	while (i + 1 < log->lines && log->line[i + 1].at <= at)
		i++;
	return kind_of(log->text.data + log->line[i].at, log->line[i].len);
}

static void
damage_bytes(const struct log *log, size_t step)
{
	size_t i, f;

	for (i = 1; i <= log->text.len; i += step) {
		struct damage d = {PREFIX, i, 0, NULL, 0};
		int of = kind_at(log, log->text.len - i);

		check(&d, of);
		d.kind = SUFFIX;
		if (i < log->text.len)
			check(&d, of);
		d.kind = BYTE;
		check(&d, of);
		d.kind = FOREIGN;
		for (f = 0; f < FOREIGN_N; f++) {
			d.text = foreign[f];
			check(&d, of);
		}
	}
}

static void
damage_digits(const struct log *log)
{
	size_t i;

	for (i = 1; i <= log->text.len; i++) {
		char old = log->text.data[log->text.len - i];
		struct damage d = {DIGIT, i, 0, NULL, '0'};

		for (; old >= '0' && old <= '9' && d.digit <= '9'; d.digit++)
			if (d.digit != old)
				check(&d, kind_at(log, log->text.len - i));
	}
}

static void
damage_lines(const struct log *log, size_t step)
{
	size_t i, j;

	for (i = 0; i < log->lines; i++) {
		const struct line *l = &log->line[log->lines - 1 - i];
		int of = kind_of(log->text.data + l->at, l->len);
		struct damage d = {DROP, i, 0, NULL, 0};

		check(&d, of);
		d.kind = REPEAT;
		for (j = i % step; j < log->lines; j += step) {
			d.b = j;
			check(&d, of);
		}
		d.kind = SWAP;
		for (j = i + 1 + i % step; j < log->lines; j += step) {
			d.b = j;
			check(&d, of);
		}
	}
}

static void
split(struct log *log)
{
	size_t at = 0;

	log->lines = 0;
	while (at < log->text.len) {
		const char *nl =
			memchr(log->text.data + at, '\n', log->text.len - at);
		size_t end = nl == NULL ? log->text.len
					: (size_t)(nl - log->text.data) + 1;

		log->line = kc_grow(log->line, &log->cap, log->lines + 1,
				    sizeof(*log->line));
		log->line[log->lines++] = (struct line){at, end - at};
		at = end;
	}
}

static void
set_up(const struct form *form)
{
	size_t i;

	x.form = form;
	x.ids.len = 0;
	for (i = 0; i < form->n; i++) {
		/* As kc-cases writes them: a backslash is escaped. */
		const char *c = form->bench[i].id;

		for (; *c != '\0'; c++)
			kc_str_puts(&x.ids,
				    *c == '\\' ? "\\\\" : (char[]){*c, '\0'});
		kc_str_puts(&x.ids, "\n");
	}
	for (i = 0; i < 2; i++) {
		x.log[i].text.len = 0;
		compose(&x.log[i].text, form, (unsigned)i + 1);
		split(&x.log[i]);
		totals(&x.rows[i], &x.log[i].text);
	}
}

/* All damage to one log, or to both. */
static void
do_form(const struct form *form, size_t which, bool alone, size_t step)
{
	static const char *const ways[] = {", the first log", ", the second",
					   ", both alike"};
	uint64_t n = 0, right = 0;
	bool counted;
	size_t i;

	memset(x.n, 0, sizeof(x.n));
	memset(x.right, 0, sizeof(x.right));
	x.which = which;
	x.alone = alone;
	x.wrong = 0;
	/* Undamaged first: a test that refuses all would pass all. */
	x.damaging = false;
	x.judged = 0;
	counted = judge(&x.rows[0], alone || form->many ? NULL : &x.rows[1]);
	if (counted == (form->refused || (alone && form->rises)))
		x.wrong++;
	damage_bytes(log_of(which), step);
	damage_digits(log_of(which));
	damage_lines(log_of(which), step);
	x.failed = x.failed || x.wrong > 0;
	if (x.write > 0)
		return;
	printf("%sok - %s%s:", x.wrong > 0 ? "not " : "", form->name,
	       alone	    ? ", one run"
	       : form->many ? ""
			    : ways[which]);
	for (i = 0; i < KINDS; i++) {
		printf(" %" PRIu64 " %s,", x.n[i], kinds[i]);
		n += x.n[i];
		right += x.right[i];
	}
	printf(" %" PRIu64 " right, %" PRIu64 " refused, %" PRIu64 " wrong\n",
	       right, n - right, x.wrong);
	fflush(stdout);
	x.plan++;
	x.total += n;
	x.total_right += right;
}

int
main(int argc, char **argv)
{
	size_t i, j, step = 1;
	bool show = false;
	int opt;

	while ((opt = getopt(argc, argv, "as:w:")) != -1) {
		if (opt == 'a')
			show = true;
		else if (opt == 'w')
			x.write = strtoul(optarg, NULL, 10);
		else if (opt != 's' || (step = strtoul(optarg, NULL, 10)) == 0)
			return 2;
	}
	kc_str_puts(&x.ids, "");
	for (i = 0; i < forms_n; i++) {
		set_up(&forms[i]);
		do_form(&forms[i], FIRST, false, step);
		if (forms[i].many)
			continue;
		do_form(&forms[i], SECOND, false, step);
		do_form(&forms[i], BOTH, false, step);
		if (!forms[i].refused)
			do_form(&forms[i], FIRST, true, step);
	}
	if (x.write > 0)
		return x.failed ? 1 : kc_finish(KC_OK);
	printf("1..%zu\n", x.plan);
	printf("# %" PRIu64 " damaged logs: %" PRIu64 " counted right, %" PRIu64
	       " refused, %" PRIu64 " that nobody can see\n",
	       x.total, x.total_right - x.unseen, x.total - x.total_right,
	       x.unseen);
	for (i = 0; show && i < KINDS; i++)
		for (j = 0; j < LINES; j++)
			if (x.accepted[i][j] > 0)
				printf("# %s, %s: %" PRIu64 " right\n",
				       kinds[i], line_kinds[j],
				       x.accepted[i][j]);
	return x.failed ? 1 : kc_finish(KC_OK);
}
