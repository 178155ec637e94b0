/* result.c: counts, their kernels and facts, read and checked. See LICENSE. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "result.h"

enum { NONE = 0 }; /* in maps: absent; numbers are stored plus one */

static const char *const verdict_names[] = {
	[KC_REPEATED] = "repeated", [KC_CONFIRMED] = "confirmed",
	[KC_ONCE] = "once",	    [KC_BOUND] = "bound",
	[KC_REFUSED] = "refused",
};

const char *
kc_verdict_name(enum kc_verdict verdict)
{
	return verdict_names[verdict];
}

static int
compare_fields(const struct kc_field *a, const struct kc_field *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int c = len > 0 ? memcmp(a->data, b->data, len) : 0;

	return c != 0 ? c : (a->len > b->len) - (a->len < b->len);
}

/* The place of a name among those asked for of late: by its length and bytes of
 * its middle, as names share their ends, multiplied as Knuth does it (The Art
 * of Computer Programming, 6.4). Any place is right; a good one is just fast.
 */
static size_t
recent_place(const struct kc_field *name)
{
	uint64_t middle = 0;

	if (name->len >= sizeof(middle))
		memcpy(&middle, name->data + (name->len - sizeof(middle)) / 2,
		       sizeof(middle));
	middle += name->len;
	return (size_t)(middle * UINT64_C(0x9E3779B97F4A7C15) >> 56);
}

static uint32_t
number_of(struct kc_names *names, const struct kc_field *name)
{
	uint32_t *recent = &names->recent[recent_place(name)];
	struct kc_field copy;
	size_t at;

	if (*recent < names->n && kc_field_same(&names->at[*recent], name))
		return *recent;
	at = kc_map_get(&names->index, name->data, name->len, NONE);
	if (at != NONE)
		return *recent = (uint32_t)(at - 1);
	if (names->n == UINT32_MAX)
		kc_die("more names than 32 bits can number");
	copy = kc_field_copy(name);
	names->at = kc_grow(names->at, &names->cap, names->n + 1,
			    sizeof(*names->at));
	names->at[names->n] = copy;
	*kc_map_at(&names->index, copy.data, copy.len, NONE) = ++names->n;
	return *recent = (uint32_t)(names->n - 1);
}

/* Rows of one case stand together as a rule. */
static uint32_t
number_near(struct kc_names *names, const struct kc_field *name, uint32_t last)
{
	if (last < names->n && kc_field_same(&names->at[last], name))
		return last;
	return number_of(names, name);
}

size_t
kc_vocab_config(struct kc_vocab *vocab, const struct kc_field *name)
{
	return number_of(&vocab->configs, name);
}

/* A line's number and verdict. NULL, or what is wrong with them. */
static const char *
read_count(const struct kc_row *row, struct kc_part *part, struct kc_field *why)
{
	const struct kc_field *number = &row->field[0];
	const struct kc_field *verdict = &row->field[1];
	size_t skip = 0, i;

	*why = (struct kc_field){NULL, 0};
	part->least = false;
	part->launches = 0;
	if (kc_field_starts(verdict, "refused: ")) {
		part->verdict = KC_REFUSED;
		*why = *verdict;
		why->data += strlen("refused: ");
		why->len -= strlen("refused: ");
		return kc_field_is(number, "-")
			       ? NULL
			       : "expected '-' where a count is refused";
	}
	if (kc_field_starts(verdict, "bound: ")) {
		part->verdict = KC_BOUND;
		*why = *verdict;
		why->data += strlen("bound: ");
		why->len -= strlen("bound: ");
		/* A kernel of a bound case may itself be counted in full. */
		part->least = kc_field_starts(number, ">=");
		skip = part->least ? 2 : 0;
		if (!part->least && row->n < 5)
			return "expected '>=' and digits for a bound";
		return kc_number(number->data + skip, number->len - skip,
				 &part->launches);
	}
	for (i = KC_REPEATED; i <= KC_ONCE; i++)
		if (kc_field_is(verdict, verdict_names[i])) {
			part->verdict = (uint8_t)i;
			return kc_number(number->data, number->len,
					 &part->launches);
		}
	return "unknown verdict, expected repeated, confirmed, once, bound: "
	       "REASON or refused: REASON";
}

static void
take_row(struct kc_result *r, const struct kc_row *row, const struct kc_in *in,
	 struct kc_part *last)
{
	struct kc_vocab *v = r->vocab;
	struct kc_part part = {.line = in->line, .input = in->name};
	struct kc_field why;
	const char *wrong;

	if (row->n < 4)
		kc_die("%s:%" PRIu64 ": %zu fields, expected LAUNCHES, "
		       "VERDICT, CONFIG, CASE and perhaps KERNEL",
		       in->name, in->line, row->n);
	wrong = read_count(row, &part, &why);
	if (wrong != NULL)
		kc_die("%s:%" PRIu64 ": bad count %s %s: %s", in->name,
		       in->line,
		       kc_quote(row->field[0].data, row->field[0].len),
		       kc_quote(row->field[1].data, row->field[1].len), wrong);
	part.config = number_near(&v->configs, &row->field[2], last->config);
	part.of = number_near(&v->cases, &row->field[3], last->of);
	*last = part;
	if (row->n == 5) {
		if (part.verdict == KC_REFUSED)
			kc_die("%s:%" PRIu64 ": a kernel of a refused count, "
			       "expected the case alone",
			       in->name, in->line);
		part.kernel = number_of(&v->kernels, &row->field[4]);
		r->part = kc_grow(r->part, &r->parts_cap, r->parts + 1,
				  sizeof(*r->part));
		r->part[r->parts++] = part;
		return;
	}
	r->count = kc_grow(r->count, &r->cap, r->n + 1, sizeof(*r->count));
	r->count[r->n++] = (struct kc_count){
		.launches = part.launches,
		.of = part.of,
		.config = part.config,
		.why = why.len > 0 ? kc_field_copy(&why) : why,
		.line = part.line,
		.input = part.input,
		.verdict = part.verdict,
	};
}

static void
take_fact(struct kc_result *r, const struct kc_line *line,
	  const struct kc_in *in)
{
	struct kc_line copy = *line;
	struct kc_fact *fact;

	r->fact =
		kc_grow(r->fact, &r->facts_cap, r->facts + 1, sizeof(*r->fact));
	fact = &r->fact[r->facts++];
	fact->line = *line;
	fact->line.data = kc_copy(line->data, line->len);
	copy.data = kc_copy(line->data, line->len);
	kc_row_split(&fact->row, &copy, in);
}

void
kc_result_read(struct kc_in *in, void *data)
{
	struct kc_result *r = data;
	struct kc_part last = {0};
	struct kc_line line;
	struct kc_row row;

	r->name = in->name;
	while (kc_in_line(in, &line)) {
		if (!line.whole)
			kc_die("%s:%" PRIu64 ": the last row is cut, expected "
			       "a newline",
			       in->name, in->line);
		if (kc_is_fact(&line)) {
			take_fact(r, &line, in);
			continue;
		}
		kc_row_split(&row, &line, in);
		take_row(r, &row, in, &last);
	}
}

struct ranked {
	struct kc_field name;
	size_t was;
};

static int
by_name(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return compare_fields(&x->name, &y->name);
}

static void
sort_names(struct kc_names *names)
{
	struct ranked *order;
	size_t i;

	if (names->n == 0)
		return;
	order = kc_alloc(names->n * sizeof(*order));
	names->rank = kc_alloc(names->n * sizeof(*names->rank));
	for (i = 0; i < names->n; i++)
		order[i] = (struct ranked){names->at[i], i};
	qsort(order, names->n, sizeof(*order), by_name);
	for (i = 0; i < names->n; i++) {
		names->at[i] = order[i].name;
		names->rank[order[i].was] = (uint32_t)i;
	}
	free(order);
	/* Its numbers are the old ones. */
	kc_map_free(&names->index);
}

void
kc_vocab_sort(struct kc_vocab *vocab)
{
	sort_names(&vocab->configs);
	sort_names(&vocab->cases);
	sort_names(&vocab->kernels);
}

static int
compare_places(size_t of, size_t config, size_t other_of, size_t other_config)
{
	if (of != other_of)
		return of < other_of ? -1 : 1;
	return (config > other_config) - (config < other_config);
}

/* By case and configuration; equal ones by where they stand, so that messages
 * name the later. */
static int
by_count(const void *a, const void *b)
{
	const struct kc_count *x = a, *y = b;
	int c = compare_places(x->of, x->config, y->of, y->config);

	return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

static int
by_place(const void *a, const void *b)
{
	const struct kc_part *x = a, *y = b;

	return compare_places(x->of, x->config, y->of, y->config);
}

/* For the parts of one count. */
static int
by_kernel(const void *a, const void *b)
{
	const struct kc_part *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* A fact's place by its word and its name, which may be escaped in more than
 * one way; a fact without a name is of an empty one. */
static int
compare_subject(const struct kc_row *row, const struct kc_field *word,
		const struct kc_field *name)
{
	static const struct kc_field none = {NULL, 0};
	int c = compare_fields(&row->field[0], word);

	return c != 0 ? c
		      : compare_fields(row->n > 1 ? &row->field[1] : &none,
				       name);
}

static int
by_line(const void *a, const void *b)
{
	const struct kc_fact *x = a, *y = b;
	struct kc_field p = {x->line.data, x->line.len};
	struct kc_field q = {y->line.data, y->line.len};

	return compare_fields(&p, &q);
}

/* By subject, so that what is said of one stands together; then those of as
 * many fields. */
static int
by_fact(const void *a, const void *b)
{
	static const struct kc_field none = {NULL, 0};
	const struct kc_fact *x = a, *y = b;
	int c = compare_subject(&x->row, &y->row.field[0],
				y->row.n > 1 ? &y->row.field[1] : &none);

	if (c == 0)
		c = (x->row.n > y->row.n) - (x->row.n < y->row.n);
	return c != 0 ? c : by_line(a, b);
}

const struct kc_fact *
kc_result_facts(const struct kc_result *r, const struct kc_field *word,
		const struct kc_field *name, size_t *n)
{
	size_t low = 0, high = r->facts, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare_subject(&r->fact[mid].row, word, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < r->facts; ++*n)
		if (compare_subject(&r->fact[low + *n].row, word, name) != 0)
			break;
	return *n > 0 ? r->fact + low : NULL;
}

size_t
kc_names_find(const struct kc_names *names, const struct kc_field *name)
{
	size_t low = 0, high = names->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare_fields(&names->at[mid], name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < names->n && kc_field_same(&names->at[low], name)
		       ? low
		       : SIZE_MAX;
}

/* Sorts, unless it is sorted already, as what kc-sort wrote is. */
static void
sort(void *array, size_t n, size_t size,
     int (*compare)(const void *a, const void *b))
{
	char *at = array;
	size_t i;

	for (i = 1; i < n; i++)
		if (compare(at + (i - 1) * size, at + i * size) > 0)
			break;
	if (i < n)
		qsort(array, n, size, compare);
}

/* What names a count in a message: its case and configuration, quoted. */
static char *
place(const struct kc_result *r, size_t of, size_t config)
{
	const struct kc_field *c = &r->vocab->cases.at[of];
	const struct kc_field *l = &r->vocab->configs.at[config];
	struct kc_str text = {0};
	char *a = kc_quote(c->data, c->len), *b = kc_quote(l->data, l->len);

	kc_str_puts(&text, a);
	kc_str_puts(&text, " in ");
	kc_str_puts(&text, b);
	free(a);
	free(b);
	return text.data;
}

/* That the parts of a count are of it and add up to it. */
static void
check_parts(const struct kc_result *r, const struct kc_count *c)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < c->parts; i++) {
		const struct kc_part *p = &c->part[i];

		if (i > 0 && p->kernel == p[-1].kernel)
			kc_die("%s:%" PRIu64 ": a second row of this kernel "
			       "of %s, the first is %s:%" PRIu64,
			       p->input, p->line, place(r, c->of, c->config),
			       p[-1].input, p[-1].line);
		if (p->verdict != c->verdict)
			kc_die("%s:%" PRIu64 ": a kernel's verdict is '%s', "
			       "expected '%s' as of %s",
			       p->input, p->line, kc_verdict_name(p->verdict),
			       kc_verdict_name(c->verdict),
			       place(r, c->of, c->config));
		if (!kc_add(&sum, p->launches))
			kc_die("%s:%" PRIu64 ": the kernels of %s add up to "
			       "more than 64 bits hold",
			       p->input, p->line, place(r, c->of, c->config));
	}
	if (c->parts > 0 && sum != c->launches)
		kc_die("%s:%" PRIu64 ": the kernels of %s add up to %" PRIu64
		       ", expected %" PRIu64,
		       c->input, c->line, place(r, c->of, c->config), sum,
		       c->launches);
}

/* Gives each count its parts; both are sorted by place. */
static void
join_parts(struct kc_result *r)
{
	size_t i, j = 0, first;

	for (i = 0; i < r->n; i++) {
		struct kc_count *c = &r->count[i];

		first = j;
		while (j < r->parts &&
		       compare_places(r->part[j].of, r->part[j].config, c->of,
				      c->config) == 0)
			j++;
		if (j == first)
			continue;
		c->part = &r->part[first];
		c->parts = j - first;
		sort(&r->part[first], c->parts, sizeof(*r->part), by_kernel);
		check_parts(r, c);
	}
	/* Parts of a case without a row stop the walk at the first of them. */
	if (j < r->parts)
		kc_die("%s:%" PRIu64 ": a kernel of %s, expected a row of the "
		       "case too",
		       r->part[j].input, r->part[j].line,
		       place(r, r->part[j].of, r->part[j].config));
}

void
kc_result_end(struct kc_result *r)
{
	const struct kc_vocab *v = r->vocab;
	size_t i, n;

	for (i = 0; i < r->n; i++) {
		r->count[i].of = v->cases.rank[r->count[i].of];
		r->count[i].config = v->configs.rank[r->count[i].config];
	}
	for (i = 0; i < r->parts; i++) {
		r->part[i].of = v->cases.rank[r->part[i].of];
		r->part[i].config = v->configs.rank[r->part[i].config];
		r->part[i].kernel = v->kernels.rank[r->part[i].kernel];
	}
	sort(r->count, r->n, sizeof(*r->count), by_count);
	for (i = 1; i < r->n; i++)
		if (compare_places(r->count[i - 1].of, r->count[i - 1].config,
				   r->count[i].of, r->count[i].config) == 0)
			kc_die("%s:%" PRIu64 ": a second row of %s, the first "
			       "is %s:%" PRIu64,
			       r->count[i].input, r->count[i].line,
			       place(r, r->count[i].of, r->count[i].config),
			       r->count[i - 1].input, r->count[i - 1].line);
	sort(r->part, r->parts, sizeof(*r->part), by_place);
	join_parts(r);
	sort(r->fact, r->facts, sizeof(*r->fact), by_fact);
	for (i = n = 0; i < r->facts; i++)
		if (n == 0 || by_line(&r->fact[n - 1], &r->fact[i]) != 0)
			r->fact[n++] = r->fact[i];
	r->facts = n;
}

void
kc_put_count(const struct kc_count *count)
{
	if (count->verdict == KC_REFUSED) {
		kc_put_text("-");
		return;
	}
	if (count->verdict == KC_BOUND)
		kc_put_text(">=");
	kc_put_number(count->launches);
}

void
kc_put_verdict(const struct kc_count *count)
{
	kc_put_text(kc_verdict_name(count->verdict));
	if (count->verdict != KC_BOUND && count->verdict != KC_REFUSED)
		return;
	kc_put_text(": ");
	kc_put_field(count->why.data, count->why.len, false);
}
