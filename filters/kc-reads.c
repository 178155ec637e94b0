/*
 * kc-reads: did an iteration read a value back? See LICENSE.
 *
 * Reads what the null driver recorded of two runs of a case, the second with
 * one warm-up iteration more, and writes facts for kc-pair. A value read from
 * the null driver is zero, so a program that decides on one may launch other
 * kernels than on a GPU: its count is refused. Otherwise the difference in
 * the runs' kernels is one iteration's, a witness for the count.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "row.h"

static const struct kc_program program = {
	"kc-reads",
	"[-hV] -c case record [record]",
	"Reads the null driver's records of a case; writes facts for kc-pair.",
};

/* A place where the program read: after so many kernels, so many times. */
struct place {
	uint64_t after;
	uint64_t times;
	char *entry;
};

/* What a run did. */
struct record {
	const char *name;
	char *profile;
	const char *wrong; /* why it tells nothing, or NULL */
	size_t whole;
	uint64_t kernels;
	uint64_t reads; /* after the first kernel */
	struct place *place;
	size_t n, cap;
};

struct state {
	const char *id;
	struct record run[2];
	size_t nruns;
};

enum { FIELDS = 8 };

struct fields {
	char *data[FIELDS];
	size_t len[FIELDS];
	size_t n;
};

/* Splits a line at its tabs; more than there is room for are left off. */
static void
split(struct fields *f, const struct kc_line *line)
{
	char *at = line->data, *end = line->data + line->len;

	for (f->n = 0; f->n < FIELDS; f->n++) {
		char *tab = memchr(at, '\t', (size_t)(end - at));

		f->data[f->n] = at;
		f->len[f->n] = (size_t)((tab != NULL ? tab : end) - at);
		if (tab == NULL) {
			f->n++;
			break;
		}
		at = tab + 1;
	}
}

static bool
is(const struct fields *f, size_t i, const char *text)
{
	return i < f->n && kc_same(f->data[i], f->len[i], text, strlen(text));
}

static bool
number(const struct fields *f, size_t i, uint64_t *out)
{
	return i < f->n && kc_number(f->data[i], f->len[i], out) == NULL;
}

static void
add_place(struct record *r, const struct fields *f)
{
	struct place *p;

	r->place = kc_grow(r->place, &r->cap, r->n + 1, sizeof(*r->place));
	p = &r->place[r->n];
	if (!number(f, 2, &p->after) || !number(f, 3, &p->times) || f->n < 6) {
		r->wrong = "has a line that cannot be read";
		return;
	}
	p->entry = kc_copy(f->data[5], f->len[5]);
	r->n++;
	/* What is read before any kernel ran was not computed. */
	if (p->after != 0 && !kc_add(&r->reads, p->times))
		r->wrong = "has more reads than can be counted";
}

/* One line of a record. */
static void
take(struct record *r, const struct fields *f)
{
	uint64_t kernels;

	if (is(f, 0, "kc-null")) {
		if (!is(f, 1, "1") || f->n < 4)
			r->wrong = "is of another version of the null driver";
		else if (r->profile == NULL)
			r->profile = kc_copy(f->data[3], f->len[3]);
	} else if (is(f, 0, "read")) {
		add_place(r, f);
	} else if (is(f, 0, "whole")) {
		if (!number(f, 2, &kernels)) {
			r->wrong = "has a line that cannot be read";
			return;
		}
		if (kernels == 0)
			return;
		if (r->whole++ != 0)
			r->wrong = "has kernels of several processes";
		r->kernels = kernels;
	} else if (!is(f, 0, "missing")) {
		r->wrong = "has a line that cannot be read";
	}
}

static void
read_record(struct record *r, const char *path)
{
	struct kc_in in;
	struct kc_line line;
	struct fields f;

	r->name = path;
	if (access(path, F_OK) != 0 && errno == ENOENT) {
		r->wrong = "is not there: the bench did not use the null "
			   "driver";
		return;
	}
	kc_in_open(&in, path);
	while (r->wrong == NULL && kc_in_line(&in, &line)) {
		split(&f, &line);
		if (!line.whole)
			r->wrong = "is cut";
		else
			take(r, &f);
	}
	kc_in_close(&in);
	if (r->wrong == NULL && r->profile == NULL)
		r->wrong = "is empty: the bench did not use the null driver";
	if (r->wrong == NULL && r->whole == 0)
		r->wrong = "has no end, or no kernel";
}

static void
put_fact(const struct state *s, const char *word)
{
	kc_put_text(word);
	kc_put_text("\t");
	kc_put_field(s->id, strlen(s->id), false);
	kc_put_text("\t");
}

static void
put_void(const struct state *s, struct kc_str *why)
{
	put_fact(s, "#void");
	kc_put_field(why->data, why->len, false);
	kc_put_text("\n");
}

static void
add(struct kc_str *str, const char *text, uint64_t n, const char *more)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, n);
	kc_str_puts(str, text);
	kc_str_puts(str, digits);
	kc_str_puts(str, more);
}

/* Why the records give no answer; empty where they do. */
static void
unusable(const struct state *s, struct kc_str *why)
{
	const struct record *a = &s->run[0], *b = &s->run[1];

	for (size_t i = 0; i < s->nruns; i++)
		if (s->run[i].wrong != NULL) {
			add(why, "the null driver's record of run ", i + 1,
			    " ");
			kc_str_puts(why, s->run[i].wrong);
			return;
		}
	if (s->nruns < 2)
		return;
	if (strcmp(a->profile, b->profile) != 0)
		kc_str_puts(why, "the two runs were on different profiles of "
				 "the null driver");
	else if (b->kernels <= a->kernels) {
		add(why, "the null driver counted ", a->kernels, " kernels, ");
		add(why, "and with one iteration more ", b->kernels, "");
	}
}

/* A read between two kernels of the last `iteration` of a run. */
static const struct place *
inside(const struct record *r, uint64_t iteration)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->place[i].after > r->kernels - iteration &&
		    r->place[i].after < r->kernels)
			return &r->place[i];
	return NULL;
}

/* The entry that a run read by, after its first kernel. */
static const char *
read_by(const struct record *r)
{
	for (size_t i = r->n; i > 0; i--)
		if (r->place[i - 1].after != 0)
			return r->place[i - 1].entry;
	return "nothing";
}

static void
judge(const struct state *s)
{
	const struct record *a = &s->run[0], *b = &s->run[1];
	const struct place *p = NULL;
	struct kc_str why = {0};
	uint64_t one = 0;

	unusable(s, &why);
	if (why.len == 0 && s->nruns == 2) {
		one = b->kernels - a->kernels;
		if (one <= a->kernels)
			p = inside(a, one);
		if (p == NULL)
			p = inside(b, one);
		if (p != NULL || a->reads != b->reads) {
			kc_str_puts(&why, "the iteration reads from the "
					  "device (");
			kc_str_puts(&why, p != NULL ? p->entry : read_by(b));
			kc_str_puts(&why, "), and the null driver has only "
					  "zeros");
		}
	} else if (why.len == 0 && a->reads != 0) {
		kc_str_puts(&why, "it reads from the device (");
		kc_str_puts(&why, read_by(a));
		kc_str_puts(&why, "), the null driver has only zeros, and one "
				  "run does not tell where");
	}
	if (why.len != 0) {
		put_void(s, &why);
	} else if (s->nruns == 2) {
		put_fact(s, "#witness");
		kc_put_number(one);
		kc_put_text("\tthe null driver\n");
	}
	kc_str_free(&why);
}

int
main(int argc, char **argv)
{
	struct state s = {0};
	int opt;

	kc_start(&program);
	opterr = 0;
	while ((opt = getopt(argc, argv, ":c:hV")) != -1) {
		switch (opt) {
		case 'c':
			s.id = optarg;
			break;
		default:
			kc_common_option(opt);
		}
	}
	if (s.id == NULL)
		kc_usage("no case, expected -c");
	s.nruns = (size_t)(argc - optind);
	if (s.nruns < 1 || s.nruns > 2)
		kc_usage("%zu records, expected one or two", s.nruns);
	for (size_t i = 0; i < s.nruns; i++)
		read_record(&s.run[i], argv[optind + (int)i]);
	judge(&s);
	return kc_finish(KC_OK);
}
