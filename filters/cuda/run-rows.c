/*
 * run-rows: from counts to rows and tables. See run.h, kc-rows(5), kc-log(5),
 * LICENSE.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "row.h"
#include "run.h"

/* ---- what a count is worth ------------------------------------------- */

static void
reason(struct kc_str *s, const char *text, const char *about)
{
	if (s->len > 0)
		kc_str_puts(s, "; ");
	kc_str_puts(s, text);
	if (about != NULL) {
		kc_str_puts(s, ": ");
		kc_str_puts(s, about);
	}
}

static const char *
about(const struct kc_process *p, unsigned flag)
{
	int bit;

	for (bit = 0; flag > 1; bit++)
		flag >>= 1;
	return p->about[bit];
}

/* Why no number can be given, or an empty text. */
static void
refusals(struct kc_str *s, const struct kc_process *p, unsigned flags)
{
	if ((flags & KC_F_MEMORY) != 0)
		reason(s, "the counter had no memory", NULL);
	if ((flags & KC_F_UNKNOWN_GRAPH) != 0)
		reason(s,
		       "a graph was changed by a way the counter cannot "
		       "follow",
		       about(p, KC_F_UNKNOWN_GRAPH));
	if ((flags & KC_F_CIG) != 0)
		reason(s, "work was recorded for a graphics API", NULL);
}

/* Why a number is only a lower bound, or an empty text. */
static void
bounds(struct kc_str *s, const struct kc_process *p, const struct kc_counts *c,
       const char *not_whole)
{
	if (not_whole != NULL)
		reason(s, "not whole", not_whole);
	if (c->n[KC_B_COND] > 0)
		reason(s, "a graph has conditional nodes", NULL);
	if (c->n[KC_B_DEVICE] > 0)
		reason(s, "a graph has nodes that the device may change", NULL);
	if (c->n[KC_B_UNKNOWN] > 0)
		reason(s, "a graph has nodes that cannot be seen", NULL);
	if ((c->flags & KC_F_DEVICE_GRAPH) != 0)
		reason(s, "a graph may be launched by the device", NULL);
	if ((c->flags & KC_F_DEVICE_KERNEL) != 0)
		reason(s, "kernels of a loaded module can launch kernels",
		       NULL);
	if ((c->flags & KC_F_UNKNOWN) != 0)
		reason(s,
		       "an entry point that the counter does not know was "
		       "called",
		       about(p, KC_F_UNKNOWN));
	if ((c->flags & KC_F_SECOND) != 0)
		reason(s, "a second driver library was used",
		       about(p, KC_F_SECOND));
	if ((c->flags & KC_F_BYPASS) != 0)
		reason(s, "the driver was reached around the counter",
		       about(p, KC_F_BYPASS));
}

/* The kernels launched. Where names are kept it is their sum, since another
 * thread may have launched between the reading of the two. */
static uint64_t
launches(const struct kc_output *out, const struct kc_counts *c)
{
	uint64_t n = 0;
	size_t i;

	if ((!out->names && out->cut != KC_CUT_SYNC) ||
	    (c->flags & KC_F_NAMES) != 0)
		return c->n[KC_DIRECT] + c->n[KC_NODES];
	for (i = 0; i < c->shares; i++)
		n += c->share[i].n;
	return n;
}

/* ---- rows ------------------------------------------------------------ */

static void
put_case(const struct kc_output *out, const struct kc_scope *s,
	 uint64_t instance)
{
	kc_put_text("\t");
	kc_put_field(out->config, strlen(out->config), false);
	kc_put_text("\t");
	if (s == NULL || s->kind == KC_PROCESS) {
		kc_put_field(out->name, strlen(out->name), false);
	} else if (s->kind == KC_THREAD) {
		kc_put_field(out->name, strlen(out->name), false);
		kc_put_text("/");
		kc_put_field(s->name, s->len, false);
	} else {
		kc_put_field(s->name, s->len, false);
	}
	if (instance > 0)
		printf(" #%" PRIu64, instance);
}

static void
put_number(uint64_t n, bool bound)
{
	if (bound)
		kc_put_text(">=");
	kc_put_number(n);
	kc_put_text("\t");
}

static int
by_launches(const void *a, const void *b)
{
	const struct kc_share *x = a, *y = b;
	const char *p, *q;
	size_t m, n;
	int c;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	p = kc_kernel_name(x->kernel, &m);
	q = kc_kernel_name(y->kernel, &n);
	c = memcmp(p, q, m < n ? m : n);
	return c != 0 ? c : m < n ? -1 : m > n;
}

/* The kernels in the order they are shown: most launches first. */
static struct kc_share *
ordered(const struct kc_counts *c)
{
	struct kc_share *s = kc_alloc((c->shares + 1) * sizeof *s);

	if (c->shares > 0) {
		memcpy(s, c->share, c->shares * sizeof *s);
		qsort(s, c->shares, sizeof *s, by_launches);
	}
	return s;
}

static void
put_fact(const char *word, uint64_t n, const struct kc_output *out,
	 const struct kc_scope *s, uint64_t instance)
{
	printf("#%s\t", word);
	kc_put_field(out->config, strlen(out->config), false);
	printf("\t%" PRIu64 "\t", n);
	if (s == NULL || s->kind != KC_RANGE)
		kc_put_field(out->name, strlen(out->name), false);
	if (s != NULL && s->kind == KC_THREAD)
		kc_put_text("/");
	if (s != NULL && s->kind != KC_PROCESS)
		kc_put_field(s->name, s->len, false);
	if (instance > 0)
		printf(" #%" PRIu64, instance);
	kc_put_text("\n");
}

static void
put_refused(const struct kc_output *out, const struct kc_scope *s,
	    uint64_t instance, const char *why)
{
	kc_put_text("-\trefused: ");
	kc_put_field(why, strlen(why), false);
	put_case(out, s, instance);
	kc_put_text("\n");
	if (s != NULL && s->kind != KC_PROCESS) {
		char *name = kc_quote(s->name, s->len);

		kc_warn("%s: refused: %s", name, why);
		free(name);
	} else {
		kc_warn("%s: refused: %s", out->name, why);
	}
}

/* A count's facts and rows; KC_TROUBLE when it is refused. */
static int
put_counts(const struct kc_output *out, const struct kc_process *p,
	   const struct kc_scope *s, const struct kc_counts *c,
	   const char *verdict, uint64_t instance)
{
	struct kc_str why = {0};
	struct kc_share *share;
	bool bound;
	size_t i;

	refusals(&why, p, c->flags);
	if (why.len > 0) {
		put_refused(out, s, instance, why.data);
		kc_str_free(&why);
		return KC_TROUBLE;
	}
	bounds(&why, p, c, out->not_whole);
	bound = why.len > 0;
	put_fact("memset", c->n[KC_MEMSET], out, s, instance);
	put_fact("memcpy", c->n[KC_MEMCPY], out, s, instance);
	if (out->verbose) {
		put_fact("direct", c->n[KC_DIRECT], out, s, instance);
		put_fact("in-graphs", c->n[KC_NODES], out, s, instance);
		put_fact("graphs", c->n[KC_GRAPHS], out, s, instance);
		put_fact("captured", c->n[KC_CAPTURED], out, s, instance);
	}
	share = ordered(c);
	for (i = 0; out->names && i < c->shares; i++) {
		size_t len;
		const char *name = kc_kernel_name(share[i].kernel, &len);

		put_number(share[i].n, bound);
		kc_put_text(bound ? "bound: " : verdict);
		if (bound)
			kc_put_field(why.data, why.len, false);
		put_case(out, s, instance);
		kc_put_text("\t");
		kc_put_field(name, len, false);
		kc_put_text("\n");
	}
	free(share);
	put_number(launches(out, c), bound);
	kc_put_text(bound ? "bound: " : verdict);
	if (bound)
		kc_put_field(why.data, why.len, false);
	put_case(out, s, instance);
	kc_put_text("\n");
	kc_str_free(&why);
	return KC_OK;
}

static bool
same_kernels(const struct kc_counts *a, const struct kc_counts *b)
{
	size_t i;

	if (a->shares != b->shares)
		return false;
	for (i = 0; i < a->shares; i++)
		if (a->share[i].kernel != b->share[i].kernel ||
		    a->share[i].n != b->share[i].n)
			return false;
	return true;
}

/* A range's times, as one count where they agree. */
static int
put_range(const struct kc_output *out, const struct kc_process *p,
	  const struct kc_scope *s)
{
	const struct kc_counts *first;
	struct kc_counts all;
	uint64_t min, max, n, total = 0, i;
	bool same = true, kernels = true;
	char *why;
	int rc = KC_OK;

	if (out->skip >= s->counts) {
		if (asprintf(&why,
			     "the range ended %zu times, expected more "
			     "than the %" PRIu64 " to leave out",
			     s->counts, out->skip) < 0)
			kc_die("no memory");
		put_refused(out, s, 0,
			    s->counts == 0 && s->open
				    ? "the range was never closed"
				    : why);
		free(why);
		return KC_TROUBLE;
	}
	if (out->each) {
		for (i = out->skip; i < s->counts; i++)
			if (put_counts(out, p, s, &s->count[i], "once",
				       i + 1) != KC_OK)
				rc = KC_TROUBLE;
		return rc;
	}
	first = &s->count[out->skip];
	all = *first;
	min = max = launches(out, first);
	for (i = out->skip; i < s->counts; i++) {
		const struct kc_counts *c = &s->count[i];
		size_t w;

		n = launches(out, c);
		total += n;
		min = n < min ? n : min;
		max = n > max ? n : max;
		same = same && n == min && n == max;
		kernels = kernels && same_kernels(first, c);
		all.flags |= c->flags;
		/* Copies may differ where launches agree: the most. */
		for (w = 0; w < KC_WHAT; w++)
			if (c->n[w] > all.n[w])
				all.n[w] = c->n[w];
	}
	n = s->counts - out->skip;
	put_fact("times", n, out, s, 0);
	put_fact("total", total, out, s, 0);
	if (s->open) {
		put_refused(out, s, 0, "the range was open at the end");
		return KC_TROUBLE;
	}
	if (same && kernels)
		return put_counts(out, p, s, &all, n > 1 ? "repeated" : "once",
				  0);
	if (same) {
		put_refused(out, s, 0,
			    "the same number of launches each time, but not "
			    "of the same kernels");
		return KC_TROUBLE;
	}
	if (asprintf(&why,
		     "%" PRIu64 " to %" PRIu64 " launches in %" PRIu64
		     " ranges, %" PRIu64 " in the last",
		     min, max, n, launches(out, &s->count[s->counts - 1])) < 0)
		kc_die("no memory");
	put_refused(out, s, 0, why);
	free(why);
	return KC_TROUBLE;
}

/* A number for a whole scope that was never written: nothing happened there. */
static const struct kc_counts nothing;

static int
put_ranges(const struct kc_output *out, const struct kc_process *p)
{
	size_t i, k, ranges = 0;
	int rc = KC_OK;

	for (i = 0; i < p->scopes; i++) {
		const struct kc_scope *s = &p->scope[i];

		if (s->kind != KC_RANGE || (s->counts == 0 && !s->open))
			continue;
		ranges++;
		for (k = 0; k < p->scopes; k++)
			if (k != i && p->scope[k].kind == KC_RANGE &&
			    kc_same(s->name, s->len, p->scope[k].name,
				    p->scope[k].len))
				break;
		if (k < p->scopes) {
			put_refused(out, s, 0,
				    "ranges nested differently have this name");
			rc = KC_TROUBLE;
		} else if (put_range(out, p, s) != KC_OK) {
			rc = KC_TROUBLE;
		}
	}
	/* A helper process need not have ranges. */
	if (ranges > 0 || out->helper)
		return rc;
	put_refused(out, NULL, 0, "no NVTX range was seen");
	return KC_TROUBLE;
}

/* Whether the process used CUDA; if not, a row that says so. */
static bool
used(const struct kc_output *out, const struct kc_process *p, int *rc)
{
	char *why;

	if (p->cuda == 0)
		return true;
	*rc = KC_TROUBLE;
	if (p->cuda > 0) {
		if (asprintf(&why, "cuInit failed with error %d", p->cuda) < 0)
			kc_die("no memory");
		put_refused(out, NULL, 0, why);
		free(why);
	} else if (out->not_whole != NULL) {
		if (asprintf(&why, "not whole: %s", out->not_whole) < 0)
			kc_die("no memory");
		put_refused(out, NULL, 0, why);
		free(why);
	} else if (out->unseen) {
		put_refused(out, NULL, 0,
			    "no CUDA seen, but programs were started without "
			    "the counter");
	} else {
		/* A fact, not a failure; and not a zero. */
		if (!out->others)
			kc_warn("%s: no CUDA used", out->name);
		kc_put_text("-\trefused: no CUDA used");
		put_case(out, NULL, 0);
		kc_put_text("\n");
		*rc = KC_OK;
	}
	return false;
}

int
kc_put_process(const struct kc_output *out, const struct kc_process *p)
{
	size_t i;
	int rc = KC_OK;

	if (!used(out, p, &rc))
		return rc;
	if (out->cut == KC_CUT_RANGE) {
		rc = put_ranges(out, p);
	} else {
		bool any = false;

		for (i = 0; i < p->scopes; i++) {
			const struct kc_scope *s = &p->scope[i];

			if (s->counts == 0)
				continue;
			any = true;
			if (put_counts(out, p, s, s->count, "once", 0) != KC_OK)
				rc = KC_TROUBLE;
		}
		if (!any) {
			struct kc_counts none = nothing;

			none.flags = p->flags;
			rc = put_counts(out, p, NULL, &none, "once", 0);
		}
	}
	return rc;
}

void
kc_put_not_loaded(const struct kc_output *out)
{
	kc_put_text("-\trefused: the counter was not loaded");
	put_case(out, NULL, 0);
	kc_put_text("\n");
}

/* ---- tables ---------------------------------------------------------- */

static size_t
digits(uint64_t n)
{
	size_t d = 1;

	while (n > 9) {
		n /= 10;
		d++;
	}
	return d;
}

static void
put_ruler(const char *mark, size_t n)
{
	kc_put_text("|");
	while (n-- > 0)
		kc_put_text(mark);
	kc_put_text("| \n");
}

/* Text cut at the first newline, padded to `width` characters. */
static void
put_padded(const char *text, size_t len, size_t width)
{
	size_t chars = 0, i;

	for (i = 0; i < len; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			chars++;
	fwrite(text, 1, len, stdout);
	for (; chars < width; chars++)
		kc_put_text(" ");
}

static void
put_row(const char *name, size_t len, size_t width, const char *count,
	size_t count_width, const char *ratio)
{
	kc_put_text("| ");
	put_padded(name, len, width);
	kc_put_text(" | ");
	put_padded("0ns", 3, strlen("Duration"));
	kc_put_text(" | ");
	put_padded(count, strlen(count), count_width);
	kc_put_text(" | ");
	put_padded(ratio, strlen(ratio), 5);
	kc_put_text(" |\n");
}

static size_t
first_line(const char *name, size_t len)
{
	const char *end = memchr(name, '\n', len);

	return end != NULL ? (size_t)(end - name) : len;
}

/*
 * The form is cubecl's (profiling.rs of 0.6 to 0.11): a launch line each, then,
 * at a wait, the table. There are no times here, so every duration is 0ns.
 */
void
kc_put_wait(const struct kc_output *out, const struct kc_process *p,
	    const struct kc_scope *s, const struct kc_counts *c, bool waited)
{
	struct kc_share *share = ordered(c);
	size_t width = strlen("Name"), count_width = strlen("Num Computed"), i;
	size_t ruler;
	struct kc_str why = {0};
	char text[24];
	uint64_t total = 0, k;

	(void)s;
	for (i = 0; i < c->shares; i++) {
		size_t len, cut;
		const char *name = kc_kernel_name(share[i].kernel, &len);

		cut = first_line(name, len);
		width = cut > width ? cut : width;
		total += share[i].n;
		for (k = 0; k < share[i].n; k++) {
			kc_put_text("| 0ns        | ");
			fwrite(name, 1, cut, stdout);
			kc_put_text("\n");
		}
	}
	refusals(&why, p, c->flags);
	bounds(&why, p, c, NULL);
	if (launches(out, c) != total || (c->flags & KC_F_NAMES) != 0)
		reason(&why, "not every kernel's name could be kept", NULL);
	if (!waited || total == 0) {
		kc_str_free(&why);
		free(share);
		return;
	}
	width = width < strlen("Total") ? strlen("Total") : width;
	count_width = digits(total) > count_width ? digits(total) : count_width;
	ruler = width + strlen("Duration") + count_width + strlen("Ratio") + 11;
	put_ruler("\xe2\x8e\xba", ruler); /* U+23BA */
	put_padded("| Name", 6, width + 2);
	kc_put_text(" | Duration | ");
	put_padded("Num Computed", 12, count_width);
	kc_put_text(" | Ratio |\n");
	put_ruler("\xe2\x8e\xbc", ruler); /* U+23BC */
	for (i = 0; i < c->shares; i++) {
		size_t len;
		const char *name = kc_kernel_name(share[i].kernel, &len);

		snprintf(text, sizeof text, "%" PRIu64, share[i].n);
		put_row(name, first_line(name, len), width, text, count_width,
			"0 %");
	}
	free(share);
	if (why.len > 0) {
		/* Left open, so that no reader takes it for a count. */
		printf("kc-run: not a count: %s\n", why.data);
		kc_str_free(&why);
		return;
	}
	put_ruler("\xe2\x8e\xbc", ruler);
	snprintf(text, sizeof text, "%" PRIu64, total);
	put_row("Total", 5, width, text, count_width, "100 %");
	put_ruler("\xe2\x8e\xaf", ruler); /* U+23AF */
	kc_put_text("\n");
}
