/*
 * kc-pair: the rows of a configuration's logs in, a count for each case out.
 * See LICENSE.
 *
 * This is the judge. A count leaves it only when the log it comes from is whole
 * and nothing in it speaks against it; two logs, of processes that warmed up
 * once and twice, prove that an iteration is one table and that its count
 * repeats. Everything else is refused, with the reason. kc-pair(1) has the
 * rules in full.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "map.h"
#include "row.h"

static const struct kc_program program = {
	"kc-pair",
	"[-hV] [-t tables] -l config cases [rows ...]",
	"Judges the tables of each case; writes its count, or why there is "
	"none.",
};

enum { NONE = 0 }; /* in maps: absent; indices are stored plus one */

/* The most tables of one log that are looked at, which bounds the memory. */
enum { TABLES_MAX = 1 << 20 };

/* The most bytes of somebody's text in a reason. */
enum { REASON_MAX = 400 };

struct kernel {
	struct kc_field name;
	uint64_t launches;
	size_t rows; /* of its table that have this name: as many kernels */
};

struct kernels {
	struct kernel *at;
	size_t n;
	size_t cap;
};

/* One process's log, as far as its case is concerned. */
struct log {
	uint64_t *launches; /* of each table */
	size_t tables;
	size_t cap;
	size_t before;		/* so many are before the announcement */
	struct kernels kernels; /* of the last table */
	char *bad;		/* what makes it unfit, or NULL */
	size_t begins;
	size_t ends;
	bool whole;
};

struct kc_case {
	struct kc_field id;
	struct log *log;
	size_t n;
	size_t cap;
	char *refused; /* the reason, once there is one */
	char *bound;   /* why its count is a lower bound, or NULL */
	char *witness; /* who else has counted it, or NULL */
	uint64_t witnessed;
	uint64_t launches;
	const char *verdict;
	const struct kernels *kernels;
};

/* For -t: the tables of one log of many cases, in order. */
struct table {
	uint64_t launches;
	struct kernels kernels;
	size_t begins; /* cases announced when it came */
};

static struct {
	const char *config;
	uint64_t per_case; /* -t, or 0 */
	struct kc_case *cases;
	size_t n;
	size_t cap;
	struct kc_map ids;
	struct kernels pending; /* kernels of the table that is coming */
	struct log log;		/* the log being read */
	struct kc_field of;	/* the case it is of, once known */
	bool known;
	bool mixed;  /* it is of other cases too */
	size_t rows; /* since the last log ended */
	/* For -t. */
	struct table *tables;
	size_t tables_n;
	size_t tables_cap;
	struct kc_field *begun;
	size_t begun_n;
	size_t begun_cap;
	struct kc_field *ended;
	size_t ended_n;
	size_t ended_cap;
	size_t logs;
	bool after; /* rows came after a log's end */
	bool config_passed;
	int status;
} p;

static char *
say(const char *format, ...)
{
	va_list ap, again;
	char *text;
	int n;

	va_start(ap, format);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0)
		kc_die("cannot format a message");
	text = kc_alloc((size_t)n + 1);
	(void)vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	return text;
}

static char *
quoted(const struct kc_field *field)
{
	return kc_quote(field->data, field->len);
}

static void
read_cases(struct kc_in *in, void *data)
{
	struct kc_line line;
	struct kc_row row;
	size_t *at;

	(void)data;
	while (kc_in_line(in, &line)) {
		if (line.len > 0 && line.data[line.len - 1] == '\r')
			line.len--;
		if (kc_is_fact(&line) || line.len == 0)
			continue;
		kc_row_split(&row, &line, in);
		if (row.n != 1)
			kc_die("%s:%" PRIu64 ": a tab in a list of cases, "
			       "expected one id a line",
			       in->name, in->line);
		p.cases = kc_grow(p.cases, &p.cap, p.n + 1, sizeof(*p.cases));
		p.cases[p.n] =
			(struct kc_case){.id = kc_field_copy(&row.field[0])};
		at = kc_map_at(&p.ids, p.cases[p.n].id.data,
			       p.cases[p.n].id.len, NONE);
		if (*at != NONE)
			kc_die("%s:%" PRIu64 ": case %s is listed twice, "
			       "expected each once",
			       in->name, in->line, quoted(&row.field[0]));
		*at = ++p.n;
	}
}

/* Those beyond the number of cases are counted, which is enough to refuse. */
static void
push(struct kc_field **list, size_t *n, size_t *cap,
     const struct kc_field *field)
{
	if ((*n)++ >= p.n)
		return;
	*list = kc_grow(*list, cap, *n, sizeof(**list));
	(*list)[*n - 1] = kc_field_copy(field);
}

static struct kc_case *
find_case(const struct kc_field *id)
{
	size_t at = kc_map_get(&p.ids, id->data, id->len, NONE);

	return at == NONE ? NULL : &p.cases[at - 1];
}

/* A log of several cases says of none of them which table is whose. */
static void
refuse_for(const struct kc_field *id, const struct kc_field *other)
{
	struct kc_case *c = find_case(id);

	if (c != NULL && c->refused == NULL)
		c->refused = say("its log is of case %s too, expected one case "
				 "a log, or -t",
				 quoted(other));
}

/* Notes that the log being read is of this case, and perhaps of others. */
static void
mention(const struct kc_field *id)
{
	if (id->len == 0)
		return;
	if (!p.known) {
		p.of = kc_field_copy(id);
		p.known = true;
	} else if (p.per_case == 0 && !kc_field_same(id, &p.of)) {
		p.mixed = true;
		refuse_for(&p.of, id);
		refuse_for(id, &p.of);
	}
}

static void
free_kernels(struct kernels *kernels)
{
	size_t i;

	for (i = 0; i < kernels->n; i++)
		free(kernels->at[i].name.data);
	free(kernels->at);
	*kernels = (struct kernels){0};
}

static void
refuse(struct kc_case *c, char *why)
{
	if (c->refused == NULL)
		c->refused = why;
}

/* Gives the log to its case; false when the list does not have it. */
static bool
add_log(const struct kc_field *id)
{
	struct kc_case *c = find_case(id);

	if (c == NULL) {
		kc_warn("rows of case %s, expected only cases of the list",
			quoted(id));
		p.status = KC_TROUBLE;
		return false;
	}
	c->log = kc_grow(c->log, &c->cap, c->n + 1, sizeof(*c->log));
	c->log[c->n++] = p.log;
	return true;
}

static void
end_log(void)
{
	p.logs++;
	p.after = false;
	if (p.per_case > 0)
		return;
	if (p.mixed || !p.known || !add_log(&p.of)) {
		free_kernels(&p.log.kernels);
		free(p.log.launches);
		free(p.log.bad);
	}
	free(p.of.data);
	p.of = (struct kc_field){NULL, 0};
	p.log = (struct log){0};
	p.known = false;
	p.mixed = false;
	p.rows = 0;
}

static void
bad_row(const struct kc_in *in, const char *what)
{
	kc_die("%s:%" PRIu64 ": %s", in->name, in->line, what);
}

/* For -t. Tables that are too many are counted and forgotten, as are the
 * kernels of those that are not the measured one. */
static void
take_in_order(uint64_t launches, struct kernels *kernels)
{
	if (p.begun_n > 0 && p.tables_n++ / p.per_case < p.n) {
		p.tables = kc_grow(p.tables, &p.tables_cap, p.tables_n,
				   sizeof(*p.tables));
		p.tables[p.tables_n - 1] =
			(struct table){launches, {0}, p.begun_n};
		if (p.tables_n % p.per_case == 0) {
			p.tables[p.tables_n - 1].kernels = *kernels;
			return;
		}
	}
	free_kernels(kernels);
}

static void
take_table(const struct kc_in *in, uint64_t launches)
{
	struct kernels kernels = p.pending;
	uint64_t sum = 0;
	size_t i;

	p.pending = (struct kernels){0};
	for (i = 0; i < kernels.n; i++)
		if (!kc_add(&sum, kernels.at[i].launches))
			bad_row(in, "kernels add up to more than 64 bits hold");
	if (kernels.n > 0 && sum != launches)
		bad_row(in, "kernels do not add up to the table after them");
	if (p.per_case > 0) {
		take_in_order(launches, &kernels);
		return;
	}
	free_kernels(&p.log.kernels);
	p.log.kernels = kernels;
	if (p.log.tables == TABLES_MAX) {
		if (p.log.bad == NULL)
			p.log.bad = say("more than %d tables in one log",
					TABLES_MAX);
		return;
	}
	p.log.launches = kc_grow(p.log.launches, &p.log.cap, p.log.tables + 1,
				 sizeof(*p.log.launches));
	p.log.launches[p.log.tables++] = launches;
}

static void
take_begin(const struct kc_field *id)
{
	/* Tables before the first announcement are set-up, not the case's. */
	if (p.log.begins == 0)
		p.log.before = p.log.tables;
	p.log.begins++;
	if (p.per_case > 0)
		push(&p.begun, &p.begun_n, &p.begun_cap, id);
}

/* Somebody's text in a reason, which goes to a terminal as well. */
static char *
printable(const struct kc_field *field)
{
	struct kc_str out = {0};
	size_t i, n;

	kc_str_puts(&out, "");
	for (i = 0; i < field->len && i<REASON_MAX; i += n> 0 ? n : 1) {
		n = kc_utf8(field->data + i, field->len - i);
		if (n == 0 || (unsigned char)field->data[i] < 0x20 ||
		    field->data[i] == 0x7f ||
		    (n == 2 && field->data[i] == (char)0xc2 &&
		     (unsigned char)field->data[i + 1] < 0xa0))
			kc_str_puts(&out, "?");
		else
			kc_str_add(&out, field->data + i, n);
	}
	if (i < field->len)
		kc_str_puts(&out, "...");
	return out.data;
}

static void
take_row(const struct kc_in *in, const struct kc_row *row)
{
	const struct kc_field *number = &row->field[0];
	const struct kc_field *state = &row->field[1];
	const struct kc_field *id = &row->field[2];
	const char *why;
	uint64_t launches;

	if (row->n < 3 || row->n > 4)
		bad_row(in,
			"expected LAUNCHES, STATE, CASE and perhaps KERNEL");
	p.rows++;
	p.after = true;
	mention(id);
	if (kc_field_is(state, "ok")) {
		why = kc_number(number->data, number->len, &launches);
		if (why != NULL)
			kc_die("%s:%" PRIu64 ": bad number %s: %s", in->name,
			       in->line, quoted(number), why);
		if (row->n == 4) {
			p.pending.at =
				kc_grow(p.pending.at, &p.pending.cap,
					p.pending.n + 1, sizeof(*p.pending.at));
			p.pending.at[p.pending.n++] = (struct kernel){
				kc_field_copy(&row->field[3]), launches, 1};
			return;
		}
		take_table(in, launches);
		return;
	}
	if (row->n != 3 || !kc_field_is(number, "-"))
		bad_row(in, "expected '-', STATE and CASE");
	if (kc_field_is(state, "begin")) {
		take_begin(id);
	} else if (kc_field_is(state, "end")) {
		p.log.ends++;
		if (p.per_case > 0)
			push(&p.ended, &p.ended_n, &p.ended_cap, id);
	} else if (kc_field_is(state, "whole") || kc_field_is(state, "eof")) {
		p.log.whole = kc_field_is(state, "whole");
		end_log();
	} else if (kc_field_is(state, "bad") || kc_field_is(state, "cut") ||
		   kc_field_is(state, "panic")) {
		if (p.log.bad == NULL)
			p.log.bad = say("a table that is %.*s", (int)state->len,
					state->data);
	} else {
		kc_die("%s:%" PRIu64 ": unknown state %s", in->name, in->line,
		       quoted(state));
	}
}

static void
take_bad(const struct kc_row *row)
{
	p.rows++;
	if (p.log.bad != NULL)
		return;
	p.log.bad = say("%s: %s%s", printable(&row->field[2]),
			kc_field_is(&row->field[3], "a panic")
				? ""
				: "a table is unfit: ",
			printable(&row->field[3]));
}

/* The bench's own line, which gets its configuration's name here. */
static void
take_config(const struct kc_row *row)
{
	if (p.config_passed)
		return;
	p.config_passed = true;
	kc_put_text("#config\t");
	kc_put_field(p.config, strlen(p.config), false);
	kc_put_text("\t");
	kc_put_field(row->field[1].data, row->field[1].len, false);
	kc_put_text("\n");
}

/* What somebody who ran the case says of it, whatever its logs say. */
static void
take_word(const struct kc_row *row, const struct kc_in *in)
{
	const struct kc_field *word = &row->field[0];
	struct kc_case *c = find_case(&row->field[1]);
	uint64_t launches;
	const char *why;

	if (c == NULL)
		kc_die("%s:%" PRIu64 ": a fact about case %s, expected only "
		       "cases of the list",
		       in->name, in->line, quoted(&row->field[1]));
	if (kc_field_is(word, "#void")) {
		refuse(c, printable(&row->field[2]));
		return;
	}
	if (kc_field_is(word, "#bound")) {
		if (c->bound == NULL)
			c->bound = printable(&row->field[2]);
		return;
	}
	why = kc_number(row->field[2].data, row->field[2].len, &launches);
	if (why != NULL)
		kc_die("%s:%" PRIu64 ": bad number %s: %s", in->name, in->line,
		       quoted(&row->field[2]), why);
	if (c->witness != NULL && c->witnessed != launches)
		refuse(c,
		       say("%s counts %" PRIu64 " and %s %" PRIu64 " launches",
			   c->witness, c->witnessed, printable(&row->field[3]),
			   launches));
	c->witness = printable(&row->field[3]);
	c->witnessed = launches;
}

/* The facts that are for the judge alone, and how many fields they have. */
static const struct {
	const char *word;
	size_t fields;
	const char *form;
} words[] = {
	{"#bad", 4, "#bad, CASE, LOG:LINE and a reason"},
	{"#bench-config", 2, "#bench-config and its text"},
	{"#bound", 3, "#bound, CASE and a reason"},
	{"#void", 3, "#void, CASE and a reason"},
	{"#witness", 4, "#witness, CASE, LAUNCHES and who counted"},
};

static void
take_fact(struct kc_line *line, const struct kc_in *in)
{
	const char *tab = memchr(line->data, '\t', line->len);
	size_t len = tab != NULL ? (size_t)(tab - line->data) : line->len;
	struct kc_row row;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (kc_same(line->data, len, words[i].word,
			    strlen(words[i].word)))
			break;
	if (i == sizeof(words) / sizeof(*words)) {
		kc_put_line(line);
		if (!kc_same(line->data, len, "#config", 7))
			return;
		/* Who ran the bench knows its line; the log's is not needed. */
		kc_row_split(&row, line, in);
		if (row.n == 3 && kc_field_is(&row.field[1], p.config))
			p.config_passed = true;
		return;
	}
	kc_row_split(&row, line, in);
	if (row.n != words[i].fields)
		kc_die("%s:%" PRIu64 ": bad fact: expected %s", in->name,
		       in->line, words[i].form);
	if (kc_field_is(&row.field[0], "#bad"))
		take_bad(&row);
	else if (kc_field_is(&row.field[0], "#bench-config"))
		take_config(&row);
	else
		take_word(&row, in);
}

static void
read_rows(struct kc_in *in, void *data)
{
	struct kc_line line;
	struct kc_row row;

	(void)data;
	while (kc_in_line(in, &line)) {
		if (!line.whole)
			bad_row(in, "the last row is cut, expected a newline");
		if (kc_is_fact(&line)) {
			take_fact(&line, in);
			continue;
		}
		kc_row_split(&row, &line, in);
		take_row(in, &row);
	}
	/* What another input says is of another log. */
	if (p.rows > 0 && p.per_case == 0)
		kc_die("%s: the rows end in the middle of a log, expected "
		       "'whole' or 'eof' last",
		       in->name);
}

static int
by_name(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;
	size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
	int c = n > 0 ? memcmp(x->name.data, y->name.data, n) : 0;

	if (c != 0)
		return c;
	return (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

static int
by_launches(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;

	if (x->launches != y->launches)
		return x->launches < y->launches ? 1 : -1;
	return by_name(a, b);
}

/* Sorts by name and adds up rows of one name. */
static void
tidy(struct kernels *k)
{
	size_t i, n = 0;

	if (k->n == 0)
		return;
	qsort(k->at, k->n, sizeof(*k->at), by_name);
	for (i = 1; i < k->n; i++) {
		if (by_name(&k->at[n], &k->at[i]) != 0) {
			k->at[++n] = k->at[i];
			continue;
		}
		k->at[n].launches += k->at[i].launches;
		k->at[n].rows += k->at[i].rows;
	}
	k->n = n + 1;
}

/* The first difference between two tables' kernels, or NULL. */
static char *
differ(const struct kernels *a, const struct kernels *b)
{
	size_t i = 0, j = 0;

	while (i < a->n || j < b->n) {
		int c = i == a->n   ? 1
			: j == b->n ? -1
				    : by_name(&a->at[i], &b->at[j]);
		const struct kernel *k = c <= 0 ? &a->at[i] : &b->at[j];
		uint64_t x = c <= 0 ? a->at[i].launches : 0;
		uint64_t y = c >= 0 ? b->at[j].launches : 0;

		if (x != y)
			return say("kernel %s: %" PRIu64 " and %" PRIu64
				   " launches in two runs",
				   quoted(&k->name), x, y);
		i += c <= 0;
		j += c >= 0;
	}
	return NULL;
}

/* What speaks against one log, or NULL. */
static char *
fault(const struct log *log)
{
	if (log->bad != NULL)
		return log->bad;
	if (!log->whole)
		return say("its log is not whole: the run did not end well, "
			   "or its logger had not finished");
	if (log->begins > 1)
		return say("announced %zu times in one log, expected once",
			   log->begins);
	if (log->begins != log->ends)
		return say("announced %zu times and ended %zu times, "
			   "expected once each",
			   log->begins, log->ends);
	if (log->tables == log->before)
		return say("no table in its log: not a cubecl device, its "
			   "settings ignored, or no sync");
	return NULL;
}

/*
 * Whether tables that are before the announcement in one log may be those after
 * it in the other: the logger is a thread of its own and may be behind. Then
 * both logs are looked at from their beginning.
 */
static bool
shifted(const struct log *a, const struct log *b)
{
	const struct log *late = a->before < b->before ? a : b;
	const struct log *early = late == a ? b : a;

	return late->before < early->before && early->before <= late->tables &&
	       memcmp(late->launches, early->launches,
		      early->before * sizeof(*early->launches)) == 0;
}

/* Two logs as one case's, `b` with `warmups` warm-up iterations more. */
struct match {
	size_t a, b; /* their tables */
	bool same, more;
	char *why; /* what speaks against them, or NULL */
};

/*
 * One table more in the second log speaks of the iteration only when the tables
 * before the warm-up's are the same: something that synced in one process and
 * not in the other, a tuner for instance, could as well hide an iteration that
 * syncs twice. The first warm-up itself may differ, as it is what initialises
 * and tunes.
 */
static struct match
match(const struct log *a, const struct log *b, size_t warmups)
{
	bool late = shifted(a, b);
	const uint64_t *x = a->launches + (late ? 0 : a->before);
	const uint64_t *y = b->launches + (late ? 0 : b->before);
	struct match m = {a->tables - (late ? 0 : a->before),
			  b->tables - (late ? 0 : b->before), 0, 0, NULL};

	m.same = m.b == m.a;
	m.more = m.b == m.a + warmups;
	if (!m.same && !m.more)
		m.why = say("%zu and %zu tables for one and two warm-up "
			    "iterations, expected one more: an iteration must "
			    "sync once, at its end",
			    m.a, m.b);
	else if (x[m.a - 1] != y[m.b - 1])
		m.why = say("%" PRIu64 " and %" PRIu64
			    " launches in two runs, expected the same",
			    x[m.a - 1], y[m.b - 1]);
	else if (m.a > 2 && memcmp(x, y, (m.a - 2) * sizeof(*x)) != 0)
		m.why = say("the tables before the warm-up's differ in two "
			    "runs, expected the same: something synced in one "
			    "of them only");
	/*
	 * As many tables: the bench warms up as it likes, or an iteration
	 * launches nothing and the last table is the first warm-up's, which
	 * made what is made once. The former's has no more than its warm-up.
	 */
	else if (m.same && m.a > 1 && x[m.a - 1] > x[m.a - 2])
		m.why = say("as many tables for one and two warm-up "
			    "iterations, and more launches in the last than in "
			    "the one before it: it may be the warm-up's, since "
			    "an iteration that launches nothing prints none");
	else
		m.why = differ(&a->kernels, &b->kernels);
	return m;
}

/*
 * One case from its logs. The measured table is the last of a log, which is
 * known to be the measured iteration's only when another is before it: an
 * iteration that launches nothing prints no table, and then the last one is
 * the warm-up's.
 */
static void
judge(struct kc_case *c)
{
	struct log *first = c->log;
	bool same = true, more = true;
	struct match m;
	size_t i;
	char *why;

	if (c->n == 0)
		refuse(c, say("no log of it"));
	for (i = 0; i < c->n && c->refused == NULL; i++) {
		why = fault(&c->log[i]);
		if (why != NULL)
			refuse(c, why);
		tidy(&c->log[i].kernels);
	}
	for (i = 1; i < c->n && c->refused == NULL; i++) {
		m = match(first, &c->log[i], i);
		if (m.why != NULL)
			refuse(c, m.why);
		same = same && m.same;
		more = more && m.more;
	}
	for (i = 0; i < c->n && c->refused == NULL; i++)
		if (c->log[i].tables - c->log[i].before < 2)
			refuse(c, say("one table in its log, expected the "
				      "warm-up's and the measured iteration's: "
				      "an iteration that launches nothing "
				      "prints none"));
	/* As of logs that have as many tables, see match(). */
	if (c->n == 1 && c->refused == NULL &&
	    first->launches[first->tables - 1] >
		    first->launches[first->tables - 2])
		refuse(c, say("one log, and more launches in its last table "
			      "than in the one before it: it may be the "
			      "warm-up's, since an iteration that launches "
			      "nothing prints none; expected a second log with "
			      "one warm-up iteration more"));
	if (c->refused != NULL)
		return;
	if (!same && !more) {
		refuse(c, say("some logs have one table more than the one "
			      "before and some have not"));
		return;
	}
	c->launches = first->launches[first->tables - 1];
	c->kernels = &first->kernels;
	c->verdict = c->n > 1 && more ? "repeated" : "once";
}

/* What speaks against pairing tables with cases by their order, or NULL. */
static char *
fault_in_order(void)
{
	size_t i;

	if (p.logs != 1 || p.after)
		return say("rows of %zu logs%s, expected one log for -t",
			   p.logs, p.after ? " and of a part of one" : "");
	if (p.log.bad != NULL)
		return p.log.bad;
	for (i = 0; i < p.n; i++) {
		if (i >= p.begun_n ||
		    !kc_field_same(&p.begun[i], &p.cases[i].id))
			return say("case %zu of the log is %s, expected %s",
				   i + 1,
				   i < p.begun_n ? quoted(&p.begun[i]) : "none",
				   quoted(&p.cases[i].id));
		if (i >= p.ended_n ||
		    !kc_field_same(&p.ended[i], &p.cases[i].id))
			return say("case %s did not end before the next",
				   quoted(&p.cases[i].id));
	}
	if (p.begun_n != p.n || p.ended_n != p.n)
		return say("%zu cases announced and %zu ended, expected %zu",
			   p.begun_n, p.ended_n, p.n);
	if (p.tables_n / p.per_case != p.n || p.tables_n % p.per_case != 0)
		return say("%zu tables for %zu cases, expected %" PRIu64
			   " each",
			   p.tables_n, p.n, p.per_case);
	for (i = 0; i < p.tables_n; i++)
		if (p.tables[i].begins < i / p.per_case + 1)
			return say("a table of case %s came before it was "
				   "announced: another case has too many",
				   quoted(&p.cases[i / p.per_case].id));
	return NULL;
}

static void
judge_in_order(void)
{
	char *why = fault_in_order();
	size_t i;

	for (i = 0; i < p.n; i++) {
		struct kc_case *c = &p.cases[i];
		struct table *t;

		if (why != NULL) {
			refuse(c, why);
			continue;
		}
		t = &p.tables[(i + 1) * (size_t)p.per_case - 1];
		tidy(&t->kernels);
		c->launches = t->launches;
		c->kernels = &t->kernels;
		c->verdict = "once";
	}
}

static void
put_row(const struct kc_case *c, const struct kernel *kernel)
{
	if (c->refused != NULL) {
		kc_put_text("-\trefused: ");
		kc_put_field(c->refused, strlen(c->refused), false);
	} else {
		if (c->bound != NULL)
			kc_put_text(">=");
		kc_put_number(kernel != NULL ? kernel->launches : c->launches);
		kc_put_text(c->bound != NULL ? "\tbound: " : "\t");
		kc_put_text(c->bound != NULL ? "" : c->verdict);
		if (c->bound != NULL)
			kc_put_field(c->bound, strlen(c->bound), false);
	}
	kc_put_text("\t");
	kc_put_field(p.config, strlen(p.config), false);
	kc_put_text("\t");
	kc_put_field(c->id.data, c->id.len, false);
	if (kernel != NULL) {
		kc_put_text("\t");
		kc_put_field(kernel->name.data, kernel->name.len, false);
	}
	kc_put_text("\n");
}

/* That one name of a case stands for several kernels. */
static void
put_shared(const struct kc_case *c, const struct kernel *kernel)
{
	kc_put_text("#shared\t");
	kc_put_field(p.config, strlen(p.config), false);
	kc_put_text("\t");
	kc_put_field(c->id.data, c->id.len, false);
	kc_put_text("\t");
	kc_put_field(kernel->name.data, kernel->name.len, false);
	kc_put_text("\t");
	kc_put_number(kernel->rows);
	kc_put_text("\n");
}

/*
 * Another count of the same case, taken without its tables: a count that was
 * repeated and agrees is confirmed, one that disagrees is refused.
 */
static void
hear_witness(struct kc_case *c)
{
	if (c->witness == NULL || c->refused != NULL)
		return;
	if (c->witnessed != c->launches)
		refuse(c, say("%" PRIu64 " launches in its table, %s counts "
			      "%" PRIu64,
			      c->launches, c->witness, c->witnessed));
	else if (strcmp(c->verdict, "repeated") == 0)
		c->verdict = "confirmed";
}

static void
put_case(const struct kc_case *c)
{
	size_t i;

	if (c->refused == NULL && c->kernels->n > 0) {
		qsort(c->kernels->at, c->kernels->n, sizeof(*c->kernels->at),
		      by_launches);
		for (i = 0; i < c->kernels->n; i++)
			if (c->kernels->at[i].rows > 1)
				put_shared(c, &c->kernels->at[i]);
		for (i = 0; i < c->kernels->n; i++)
			put_row(c, &c->kernels->at[i]);
	}
	put_row(c, NULL);
	if (c->refused == NULL)
		return;
	p.status = KC_TROUBLE;
	kc_warn("%s: %s refused: %s", p.config, quoted(&c->id), c->refused);
}

int
main(int argc, char **argv)
{
	char *cases[2] = {NULL, NULL};
	size_t i;
	int opt;

	kc_start(&program);
	kc_bound_memory();
	opterr = 0;
	while ((opt = getopt(argc, argv, ":hl:t:V")) != -1) {
		switch (opt) {
		case 'l':
			p.config = optarg;
			break;
		case 't':
			if (kc_number(optarg, strlen(optarg), &p.per_case) !=
				    NULL ||
			    p.per_case == 0 || p.per_case > UINT32_MAX)
				kc_usage("bad number %s for -t, expected the "
					 "tables of a case",
					 kc_quote(optarg, strlen(optarg)));
			break;
		default:
			kc_common_option(opt);
		}
	}
	if (p.config == NULL || p.config[0] == '\0')
		kc_usage("no configuration, expected -l");
	if (optind == argc)
		kc_usage("no list of cases");
	cases[0] = argv[optind];
	kc_in_each(cases, read_cases, NULL);
	if (p.n == 0)
		kc_die("%s: no case in the list, expected one id a line",
		       argv[optind]);
	kc_in_each(argv + optind + 1, read_rows, NULL);
	if (p.per_case > 0)
		judge_in_order();
	else
		for (i = 0; i < p.n; i++)
			judge(&p.cases[i]);
	for (i = 0; i < p.n; i++) {
		hear_witness(&p.cases[i]);
		put_case(&p.cases[i]);
	}
	return kc_finish(p.status);
}
