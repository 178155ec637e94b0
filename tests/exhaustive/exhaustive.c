/*
 * exhaustive.c: every damage of a kind, done to logs of every form; the count
 * stays right or is refused. See LICENSE.
 *
 * For each form (forms.c) the logs of one and of two warm-ups are composed, and
 * then one of them is damaged: cut at each byte, at its end and at its front;
 * a foreign line, or one without its newline, at each byte; each line left
 * out, said again anywhere, changed for any other; each digit made each other;
 * each byte left out. kc-totals and kc-pair then judge the pair of logs, as
 * `make` runs them, and with -1 the damaged log alone.
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

static struct {
	const struct form *form;
	struct kc_str log[2];
	struct kc_str rows[2]; /* of the undamaged logs */
	struct kc_str ids;
	struct line *line;
	size_t lines;
	struct kc_str damaged;
	size_t which; /* the log that is damaged */
	int kind;
	int of; /* the kind of line */
	bool alone;
	uint64_t n[KINDS];
	uint64_t right[KINDS];
	uint64_t wrong;
	bool failed; /* any form */
	uint64_t accepted[KINDS][LINES];
	bool show;
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
	fwrite(x.damaged.data, 1, x.damaged.len, stdout);
	printf("# --- rows, status %d\n%s# ---\n", run->status, run->out);
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
		if (!x.alone && !x.form->many &&
		    (k->name == NULL || k->times != n))
			complain(run, "a kernel's launches are wrong");
		kernels += n;
	}
	*at = end + 1;
	if (n != all || x.form->refused)
		complain(run, "a wrong count");
	if (any && kernels != n)
		complain(run, "kernels that do not add up to the count");
	return true;
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

static void
check(void)
{
	struct kc_str rows = {0};
	bool counted;

	totals(&rows, &x.damaged);
	x.n[x.kind]++;
	if (x.form->many || x.alone)
		counted = judge(&rows, NULL);
	else if (x.which == 0)
		counted = judge(&rows, &x.rows[1]);
	else
		counted = judge(&x.rows[0], &rows);
	if (counted) {
		x.right[x.kind]++;
		x.accepted[x.kind][x.of]++;
	}
	kc_str_free(&rows);
}

static void
begin(int kind, int of)
{
	x.kind = kind;
	x.of = of;
	x.damaged.len = 0;
	kc_str_puts(&x.damaged, "");
}

static void
add(const struct kc_str *log, size_t from, size_t to)
{
	kc_str_add(&x.damaged, log->data + from, to - from);
}

static size_t
line_at(size_t at)
{
	size_t i = 0;

	while (i + 1 < x.lines && x.line[i + 1].at <= at)
		i++;
	return i;
}

static int
kind_at(const struct kc_str *log, size_t at)
{
	const struct line *l = &x.line[line_at(at)];

	return kind_of(log->data + l->at, l->len);
}

static void
damage_bytes(const struct kc_str *log, size_t step)
{
	size_t i, f;

	for (i = 0; i < log->len; i += step) {
		int of = kind_at(log, i);

		begin(PREFIX, of);
		add(log, 0, i);
		check();
		begin(SUFFIX, of);
		add(log, i, log->len);
		if (i > 0)
			check();
		begin(BYTE, of);
		add(log, 0, i);
		add(log, i + 1, log->len);
		check();
		for (f = 0; f < FOREIGN_N; f++) {
			begin(FOREIGN, of);
			add(log, 0, i);
			kc_str_puts(&x.damaged, foreign[f]);
			add(log, i, log->len);
			check();
		}
	}
}

static void
damage_digits(const struct kc_str *log)
{
	size_t i;
	char d;

	for (i = 0; i < log->len; i++) {
		if (log->data[i] < '0' || log->data[i] > '9')
			continue;
		for (d = '0'; d <= '9'; d++) {
			if (d == log->data[i])
				continue;
			begin(DIGIT, kind_at(log, i));
			add(log, 0, log->len);
			x.damaged.data[i] = d;
			check();
		}
	}
}

static void
add_line(const struct kc_str *log, size_t i)
{
	add(log, x.line[i].at, x.line[i].at + x.line[i].len);
}

static void
damage_lines(const struct kc_str *log, size_t step)
{
	size_t i, j, k;

	for (i = 0; i < x.lines; i++) {
		int of = kind_of(log->data + x.line[i].at, x.line[i].len);

		begin(DROP, of);
		for (k = 0; k < x.lines; k++)
			if (k != i)
				add_line(log, k);
		check();
		for (j = i % step; j < x.lines; j += step) {
			begin(REPEAT, of);
			for (k = 0; k < x.lines; k++) {
				add_line(log, k);
				if (k == j)
					add_line(log, i);
			}
			check();
		}
		for (j = i + 1 + i % step; j < x.lines; j += step) {
			begin(SWAP, of);
			for (k = 0; k < x.lines; k++)
				add_line(log, k == i ? j : k == j ? i : k);
			check();
		}
	}
}

static void
split(const struct kc_str *log)
{
	static size_t cap;
	size_t at = 0;

	x.lines = 0;
	while (at < log->len) {
		const char *nl = memchr(log->data + at, '\n', log->len - at);
		size_t end =
			nl == NULL ? log->len : (size_t)(nl - log->data) + 1;

		x.line = kc_grow(x.line, &cap, x.lines + 1, sizeof(*x.line));
		x.line[x.lines++] = (struct line){at, end - at};
		at = end;
	}
}

static void
do_form(const struct form *form, size_t step, bool alone)
{
	uint64_t n = 0, right = 0;
	size_t i;
	bool counted;

	memset(x.n, 0, sizeof(x.n));
	memset(x.right, 0, sizeof(x.right));
	x.form = form;
	x.alone = alone;
	x.wrong = 0;
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
		x.log[i].len = 0;
		compose(&x.log[i], form, (unsigned)i + 1);
		totals(&x.rows[i], &x.log[i]);
	}
	/* Undamaged first: a test that refuses all would pass all. */
	begin(PREFIX, OTHER);
	add(&x.log[0], 0, x.log[0].len);
	counted = judge(&x.rows[0], alone || form->many ? NULL : &x.rows[1]);
	if (counted == form->refused)
		x.wrong++;
	for (x.which = 0; x.which < (alone || form->many ? 1u : 2u);
	     x.which++) {
		split(&x.log[x.which]);
		damage_bytes(&x.log[x.which], step);
		damage_digits(&x.log[x.which]);
		damage_lines(&x.log[x.which], step);
	}
	x.failed = x.failed || x.wrong > 0;
	printf("%sok - %s%s:",
	       x.wrong > 0 || counted == form->refused ? "not " : "",
	       form->name, alone ? ", one run" : "");
	for (i = 0; i < KINDS; i++) {
		printf(" %" PRIu64 " %s,", x.n[i], kinds[i]);
		n += x.n[i];
		right += x.right[i];
	}
	printf(" %" PRIu64 " right, %" PRIu64 " refused, %" PRIu64 " wrong\n",
	       right, n - right, x.wrong);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	size_t i, j, step = 1, plan = 0;
	int opt;

	while ((opt = getopt(argc, argv, "as:")) != -1) {
		if (opt == 'a')
			x.show = true;
		else if (opt != 's' || (step = strtoul(optarg, NULL, 10)) == 0)
			return 2;
	}
	kc_str_puts(&x.ids, "");
	for (i = 0; i < forms_n; i++) {
		do_form(&forms[i], step, false);
		plan++;
		if (!forms[i].many && !forms[i].refused) {
			do_form(&forms[i], step, true);
			plan++;
		}
	}
	printf("1..%zu\n", plan);
	for (i = 0; x.show && i < KINDS; i++)
		for (j = 0; j < LINES; j++)
			if (x.accepted[i][j] > 0)
				printf("# %s, %s: %" PRIu64 " right\n",
				       kinds[i], line_kinds[j],
				       x.accepted[i][j]);
	return x.failed ? 1 : kc_finish(KC_OK);
}
