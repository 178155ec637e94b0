/* compare.c: two results, count by count, judged by rules. See LICENSE. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "text.h"

/* A limit: a ceiling, a tolerance of launches or of percent, both, or none. */
#define DECIMAL "[0-9]+(?:\\.[0-9]{1,2})?"
#define MORE "\\+\\s*(?:" DECIMAL "%|[0-9]+)"
#define LIMIT "any|<=\\s*[0-9]+(?:\\s+" MORE ")?|" MORE
#define LIMIT_TEXT \
	"a limit ('<= N', '+N', '+N%', '<= N' and one of these, or 'any')"

struct limit {
	bool any; /* whatever it is */
	bool has_ceiling;
	bool has_more;
	bool percent; /* `more` is in hundredths of a percent */
	uint64_t ceiling;
	uint64_t more;
};

const char *
kc_kind_name(enum kc_kind kind)
{
	static const char *const names[KC_KINDS] = {
		[KC_MORE] = "more",
		[KC_GONE] = "gone",
		[KC_NEW] = "new",
		[KC_UNKNOWN] = "unknown",
		[KC_WITHIN] = "within",
		[KC_LESS] = "less",
		[KC_OTHER_VERDICT] = "verdict",
		[KC_OTHER_KERNELS] = "kernels",
		[KC_IGNORED] = "ignored",
		[KC_EQUAL] = "equal",
	};

	return names[kind];
}

static uint64_t
number(const struct kc_compare *c, const struct kc_rule *rule, const char *data,
       size_t len)
{
	const char *why;
	uint64_t n;

	why = kc_number(data, len, &n);
	if (why != NULL)
		kc_die("%s:%" PRIu64 ": bad number %s: %s", c->rules.path,
		       rule->line, kc_quote(data, len), why);
	return n;
}

/* The "1.5" of "1.5%", in hundredths. */
static uint64_t
hundredths(const struct kc_compare *c, const struct kc_rule *rule,
	   const char *data, size_t len)
{
	const char *dot = memchr(data, '.', len);
	size_t whole = dot != NULL ? (size_t)(dot - data) : len;
	uint64_t n = number(c, rule, data, whole), part = 0;

	if (dot != NULL)
		part = number(c, rule, dot + 1, len - whole - 1) *
		       (len - whole == 2 ? 10 : 1);
	if (n > 1000000)
		kc_die("%s:%" PRIu64 ": bad tolerance %s, expected at most "
		       "1000000%%",
		       c->rules.path, rule->line, kc_quote(data, len + 1));
	return n * 100 + part;
}

static const char *
skip_space(const char *at)
{
	return at + strspn(at, " \t\f\v\r");
}

/* Its form was checked when the rule was read. */
static struct limit
limit_of(const struct kc_compare *c, const struct kc_rule *rule)
{
	struct limit limit = {0};
	const char *at;
	size_t len;

	if (rule == NULL)
		return (struct limit){.has_more = true};
	if (strcmp(rule->limit, "any") == 0)
		return (struct limit){.any = true};
	at = rule->limit;
	if (*at == '<') {
		at = skip_space(at + strlen("<="));
		len = strspn(at, "0123456789");
		limit.has_ceiling = true;
		limit.ceiling = number(c, rule, at, len);
		at = skip_space(at + len);
	}
	if (*at == '+') {
		at = skip_space(at + 1);
		len = strcspn(at, "%");
		limit.has_more = true;
		limit.percent = at[len] == '%';
		limit.more = limit.percent ? hundredths(c, rule, at, len)
					   : number(c, rule, at, len);
	}
	return limit;
}

/* The most launches that a tolerance allows over `old`. */
static uint64_t
most_over(const struct limit *limit, uint64_t old)
{
	uint64_t most = old, more = limit->more, whole;

	if (limit->percent) {
		/* old * more / 10000, rounded down, in 64 bits. */
		whole = old / 10000;
		if (more > 0 && whole > UINT64_MAX / more)
			return UINT64_MAX;
		more = old % 10000 * more / 10000;
		if (!kc_add(&more, whole * limit->more))
			return UINT64_MAX;
	}
	return kc_add(&most, more) ? most : UINT64_MAX;
}

enum answer { NO, MAYBE, YES };

/* Whether a count is at most `most`. */
static enum answer
at_most(const struct kc_count *count, uint64_t most)
{
	if (count->launches > most)
		return NO;
	return count->verdict == KC_BOUND ? MAYBE : YES;
}

/*
 * Whether the new side keeps to the limit. A side that is refused, missing or
 * not comparable answers nothing. The old side's bound is the least that it can
 * have been: a new count that keeps to the limit over that keeps to it over
 * whatever it was.
 */
static enum answer
keeps(const struct kc_pair *p, const struct limit *limit, bool comparable)
{
	const struct kc_count *old = comparable ? p->old : NULL;
	enum answer a = YES, b = YES;

	if (p->new == NULL || p->new->verdict == KC_REFUSED)
		return MAYBE;
	if (limit->has_ceiling)
		a = at_most(p->new, limit->ceiling);
	if (limit->has_more && (old == NULL || old->verdict == KC_REFUSED)) {
		b = MAYBE;
	} else if (limit->has_more) {
		b = at_most(p->new, most_over(limit, old->launches));
		if (b == NO && old->verdict == KC_BOUND)
			b = MAYBE;
	}
	if (a == NO || b == NO)
		return NO;
	return a == YES && b == YES ? YES : MAYBE;
}

bool
kc_exact(const struct kc_count *count)
{
	return count != NULL && count->verdict != KC_BOUND &&
	       count->verdict != KC_REFUSED;
}

static bool
conditions_met(const struct kc_compare *c, const struct kc_pair *p)
{
	return c->force || !c->differs[p->config];
}

bool
kc_comparable(const struct kc_compare *c, const struct kc_pair *p)
{
	return kc_exact(p->old) && kc_exact(p->new) && conditions_met(c, p);
}

/* Whether both have kernels, and not the same ones as often. */
static bool
other_kernels(const struct kc_count *a, const struct kc_count *b)
{
	size_t i;

	if (a->parts == 0 || b->parts == 0)
		return false;
	if (a->parts != b->parts)
		return true;
	for (i = 0; i < a->parts; i++)
		if (a->part[i].kernel != b->part[i].kernel ||
		    a->part[i].launches != b->part[i].launches)
			return true;
	return false;
}

static enum kc_kind
judge(const struct kc_compare *c, const struct kc_pair *p)
{
	struct limit limit = limit_of(c, p->rule);
	bool both = kc_comparable(c, p);
	bool same = both && p->old->launches == p->new->launches;

	if (limit.any && !same)
		return KC_IGNORED;
	switch (limit.any ? YES : keeps(p, &limit, conditions_met(c, p))) {
	case NO:
		return KC_MORE;
	case MAYBE:
		return p->new == NULL	? KC_GONE
		       : p->old == NULL ? KC_NEW
					: KC_UNKNOWN;
	case YES:
		break;
	}
	if (same && p->old->verdict != p->new->verdict)
		return KC_OTHER_VERDICT;
	if (same)
		return c->kernels && other_kernels(p->old, p->new)
			       ? KC_OTHER_KERNELS
			       : KC_EQUAL;
	return both && p->new->launches < p->old->launches ? KC_LESS
							   : KC_WITHIN;
}

static bool
selected(const struct kc_compare *c, const struct kc_count *count)
{
	return kc_patterns_match(&c->cases, &c->vocab.cases.at[count->of]) &&
	       kc_patterns_match(&c->configs,
				 &c->vocab.configs.at[count->config]);
}

static void
add_pair(struct kc_compare *c, const struct kc_count *old,
	 const struct kc_count *new)
{
	const struct kc_count *any = old != NULL ? old : new;
	struct kc_pair *p;

	if (any == NULL || !selected(c, any))
		return;
	if (new == NULL && c->partial) {
		c->left_out++;
		return;
	}
	c->pair = kc_grow(c->pair, &c->cap, c->n + 1, sizeof(*c->pair));
	p = &c->pair[c->n++];
	*p = (struct kc_pair){
		.old = old, .new = new, .of = any->of, .config = any->config};
	p->rule = kc_rules_for(&c->rules, p->config, p->of);
	p->kind = judge(c, p);
	c->count[p->kind]++;
}

static int
by_place(const struct kc_count *a, const struct kc_count *b)
{
	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return (a->config > b->config) - (a->config < b->config);
}

/* Both results are sorted by case and configuration: one walk pairs them. */
static void
pair_up(struct kc_compare *c)
{
	const struct kc_count *old = c->old.count, *new = c->new.count;
	size_t i = 0, j = 0;

	while (i < c->old.n && j < c->new.n) {
		int order = by_place(&old[i], &new[j]);

		add_pair(c, order <= 0 ? &old[i] : NULL,
			 order >= 0 ? &new[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
	while (i < c->old.n)
		add_pair(c, &old[i++], NULL);
	while (j < c->new.n)
		add_pair(c, NULL, &new[j++]);
}

/*
 * Conditions are the facts that say what was counted, on what and of which
 * versions. Both sides must have the same ones: a fact that only one side has
 * is a difference too.
 */

/* Whether a fact is a condition, and the number of the configuration that it
 * is one of, SIZE_MAX for all of them. */
static bool
condition_of(const struct kc_compare *c, const struct kc_fact *fact,
	     size_t *config)
{
	const struct kc_field *word = &fact->row.field[0];

	*config = SIZE_MAX;
	if (fact->row.n != 3)
		return false;
	if (kc_field_is(word, "#about"))
		return kc_field_is(&fact->row.field[1], "versions");
	/* Who compares two configurations means their features to differ. */
	if (!kc_field_is(word, "#config") && !kc_field_is(word, "#device") &&
	    (!kc_field_is(word, "#features") || c->renamed != NULL))
		return false;
	*config = kc_names_find(&c->vocab.configs, &fact->row.field[1]);
	return *config != SIZE_MAX;
}

static bool
same_subject(const struct kc_fact *a, const struct kc_fact *b)
{
	return a->row.n == 3 && b->row.n == 3 &&
	       kc_field_same(&a->row.field[0], &b->row.field[0]) &&
	       kc_field_same(&a->row.field[1], &b->row.field[1]);
}

/* All that a result says of a fact's subject; "none" when it says nothing. */
static void
add_texts(struct kc_str *out, const struct kc_result *r,
	  const struct kc_fact *subject)
{
	const struct kc_fact *fact;
	size_t facts, i, n = 0;

	fact = kc_result_facts(r, &subject->row.field[0],
			       &subject->row.field[1], &facts);
	for (i = 0; i < facts; i++) {
		if (!same_subject(&fact[i], subject))
			continue;
		kc_str_puts(out, n++ > 0 ? ", '" : "'");
		kc_text(out, fact[i].row.field[2].data,
			fact[i].row.field[2].len);
		kc_str_puts(out, "'");
	}
	if (n == 0)
		kc_str_puts(out, "none");
}

/* For each configuration, whether both results have a count of it. */
static bool *
in_both(const struct kc_compare *c)
{
	size_t n = c->vocab.configs.n, i;
	bool *old = kc_alloc(n * sizeof(*old));
	bool *both = kc_alloc(n * sizeof(*both));

	for (i = 0; i < n; i++)
		old[i] = both[i] = false;
	for (i = 0; i < c->old.n; i++)
		old[c->old.count[i].config] = true;
	for (i = 0; i < c->new.n; i++)
		both[c->new.count[i].config] = old[c->new.count[i].config];
	free(old);
	return both;
}

/* Compares what both sides say of a fact's subject. */
static void
compare_condition(struct kc_compare *c, const struct kc_fact *fact,
		  size_t config, const bool *both)
{
	const struct kc_field *word = &fact->row.field[0];
	const struct kc_field *name = &fact->row.field[1];
	struct kc_str old = {0}, new = {0}, *text;
	size_t i;

	/* A configuration that one side has not has nothing to compare. */
	if (config != SIZE_MAX && !both[config])
		return;
	add_texts(&old, &c->old, fact);
	add_texts(&new, &c->new, fact);
	if (!kc_same(old.data, old.len, new.data, new.len)) {
		c->condition =
			kc_grow(c->condition, &c->conditions_cap,
				c->conditions + 1, sizeof(*c->condition));
		text = &c->condition[c->conditions++];
		*text = (struct kc_str){0};
		kc_str_add(text, word->data + 1, word->len - 1);
		kc_str_puts(text, " of ");
		kc_text(text, name->data, name->len);
		kc_str_puts(text, ": ");
		kc_str_puts(text, old.data);
		kc_str_puts(text, " -> ");
		kc_str_puts(text, new.data);
		for (i = 0; i < c->vocab.configs.n; i++)
			if (config == SIZE_MAX || config == i)
				c->differs[i] = true;
	}
	kc_str_free(&old);
	kc_str_free(&new);
}

/* Whether the subject of fact `i` was that of the fact before it, which is
 * enough as facts are sorted, or is one of the other result's. */
static bool
seen(const struct kc_result *r, size_t i, const struct kc_result *other)
{
	const struct kc_fact *fact;
	size_t j, n;

	if (i > 0 && same_subject(&r->fact[i - 1], &r->fact[i]))
		return true;
	if (other == NULL)
		return false;
	fact = kc_result_facts(other, &r->fact[i].row.field[0],
			       &r->fact[i].row.field[1], &n);
	for (j = 0; j < n; j++)
		if (same_subject(&fact[j], &r->fact[i]))
			return true;
	return false;
}

static void
compare_conditions(struct kc_compare *c)
{
	bool *both = in_both(c);
	size_t i, config;

	c->differs = kc_alloc(c->vocab.configs.n * sizeof(*c->differs));
	for (i = 0; i < c->vocab.configs.n; i++)
		c->differs[i] = false;
	for (i = 0; i < c->old.facts; i++)
		if (condition_of(c, &c->old.fact[i], &config) &&
		    !seen(&c->old, i, NULL))
			compare_condition(c, &c->old.fact[i], config, both);
	for (i = 0; i < c->new.facts; i++)
		if (condition_of(c, &c->new.fact[i], &config) &&
		    !seen(&c->new, i, &c->old))
			compare_condition(c, &c->new.fact[i], config, both);
	free(both);
}

/* The size of a change, for the order of the pairs. */
static uint64_t
size_of(const struct kc_pair *p)
{
	uint64_t a, b;

	if (p->old == NULL || p->new == NULL)
		return 0;
	a = p->old->launches;
	b = p->new->launches;
	return a > b ? a - b : b - a;
}

static int
by_weight(const void *a, const void *b)
{
	const struct kc_pair *x = a, *y = b;
	uint64_t m = size_of(x), n = size_of(y);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (m != n)
		return m < n ? 1 : -1;
	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	return (x->config > y->config) - (x->config < y->config);
}

/* Leaves of a result what is of configuration `name`, as configuration `as`;
 * facts of other configurations go too, facts of none stay. */
static void
keep_config(struct kc_compare *c, struct kc_result *r,
	    const struct kc_field *name, const struct kc_field *as)
{
	size_t from = kc_vocab_config(&c->vocab, name);
	size_t to = kc_vocab_config(&c->vocab, as), i, n;

	for (i = n = 0; i < r->n; i++)
		if (r->count[i].config == from) {
			r->count[n] = r->count[i];
			r->count[n++].config = to;
		}
	r->n = n;
	if (n == 0)
		kc_die("%s: no count of configuration %s, expected some for -r",
		       r->name, kc_quote(name->data, name->len));
	for (i = n = 0; i < r->parts; i++)
		if (r->part[i].config == from) {
			r->part[n] = r->part[i];
			r->part[n++].config = to;
		}
	r->parts = n;
	for (i = n = 0; i < r->facts; i++) {
		struct kc_row *row = &r->fact[i].row;

		if (row->n == 3 && !kc_field_is(&row->field[0], "#about")) {
			if (!kc_field_same(&row->field[1], name))
				continue;
			row->field[1] = *as;
		}
		r->fact[n++] = r->fact[i];
	}
	r->facts = n;
}

/* -r: one configuration's counts beside another's. */
static void
rename_configs(struct kc_compare *c)
{
	const char *equals = strchr(c->renamed, '=');
	size_t len = (size_t)(equals - c->renamed);
	struct kc_field old = {kc_copy(c->renamed, len), len};
	struct kc_field new = {kc_copy(equals + 1, strlen(equals + 1)),
			       strlen(equals + 1)};

	keep_config(c, &c->old, &old, &old);
	keep_config(c, &c->new, &new, &old);
}

static void
read_result(struct kc_compare *c, struct kc_result *result, char *path)
{
	char *paths[2] = {path, NULL};

	result->vocab = &c->vocab;
	kc_in_each(paths, kc_result_read, result);
	if (result->n == 0)
		kc_die("%s: no count row, expected LAUNCHES, VERDICT, CONFIG, "
		       "CASE",
		       result->name);
}

void
kc_compare(struct kc_compare *c, char *old, char *new)
{
	const struct kc_result *const both[] = {&c->old, &c->new};
	size_t i;

	if (c->rules_path != NULL)
		kc_rules_read(&c->rules, c->rules_path, LIMIT, LIMIT_TEXT);
	for (i = 0; i < c->rules.n; i++)
		(void)limit_of(c, &c->rules.at[i]);
	read_result(c, &c->old, old);
	read_result(c, &c->new, new);
	if (c->renamed != NULL)
		rename_configs(c);
	kc_vocab_sort(&c->vocab);
	kc_result_end(&c->old);
	kc_result_end(&c->new);
	kc_rules_apply(&c->rules, &c->vocab, both, 2);
	compare_conditions(c);
	pair_up(c);
	if (c->n == 0 && c->left_out > 0)
		kc_die("%s: no count of a case of %s, expected one at least",
		       c->new.name, c->old.name);
	if (c->n == 0)
		kc_die("no count matches, expected a case and a configuration "
		       "of %s or %s",
		       c->old.name, c->new.name);
	qsort(c->pair, c->n, sizeof(*c->pair), by_weight);
}

uint64_t
kc_shift_size(const struct kc_shift *s)
{
	return s->old > s->new ? s->old - s->new : s->new - s->old;
}

static int
by_shift(const void *a, const void *b)
{
	const struct kc_shift *x = a, *y = b;
	uint64_t m = kc_shift_size(x), n = kc_shift_size(y);
	bool x_more = x->new > x->old, y_more = y->new > y->old;

	if (m != n)
		return m < n ? 1 : -1;
	if (x_more != y_more)
		return x_more ? 1 : -1;
	/* Names point into one array that is sorted by name. */
	return (x->name > y->name) - (x->name < y->name);
}

struct kc_shift *
kc_shifts(const struct kc_compare *c, const struct kc_pair *p, size_t *n)
{
	const struct kc_part *a = p->old->part, *b = p->new->part;
	size_t i = 0, j = 0, a_n = p->old->parts, b_n = p->new->parts;
	struct kc_shift *shift = kc_alloc((a_n + b_n) * sizeof(*shift));

	*n = 0;
	while (i < a_n || j < b_n) {
		int order = i == a_n   ? 1
			    : j == b_n ? -1
				       : (a[i].kernel > b[j].kernel) -
						 (a[i].kernel < b[j].kernel);
		size_t kernel = order <= 0 ? a[i].kernel : b[j].kernel;
		struct kc_shift s = {&c->vocab.kernels.at[kernel],
				     order <= 0 ? a[i].launches : 0,
				     order >= 0 ? b[j].launches : 0};

		if (s.old != s.new)
			shift[(*n)++] = s;
		i += order <= 0;
		j += order >= 0;
	}
	if (*n > 0)
		qsort(shift, *n, sizeof(*shift), by_shift);
	return shift;
}
