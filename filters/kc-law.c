/*
 * kc-law: counts at several sizes in, the law they follow out. See LICENSE.
 *
 * A sweep is a result whose configurations end in a size, "cuda BENCH_SEQ=64".
 * For each case the simplest integer law that gives every count exactly is
 * looked for (law.h); it is determined by some sizes and must predict the
 * others. A law can be a gate too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "law.h"
#include "map.h"
#include "md.h"
#include "result.h"
#include "row.h"
#include "rules.h"
#include "rx.h"
#include "text.h"

static const struct kc_program program = {
	"kc-law",
	"[-hmV] [-a rules] [-c cases] ... [-g limit] [-l configs] ... [rows "
	"...]",
	"Reads counts at several sizes; writes the law that they follow "
	"exactly.",
};

#define GROWTH "constant|log|linear|quadratic"
#define LIMIT GROWTH "|any|=\\s*[^#\\s][^#]*?"
#define LIMIT_TEXT                                                           \
	"a limit ('constant', 'log', 'linear', 'quadratic', '= EXPRESSION' " \
	"or 'any')"

static const char *const growths[] = {
	[KC_CONSTANT] = "constant",
	[KC_LOG] = "log",
	[KC_LINEAR] = "linear",
	[KC_QUADRATIC] = "quadratic",
};

/* A configuration of a sweep: "cuda BENCH_SEQ=64" is `base`, `name`, `n`. */
struct sized {
	struct kc_field base;
	char *name; /* as it is shown: "seq" */
	uint64_t n;
	size_t sweep; /* the first configuration of the same base and name */
	size_t first; /* of that one: where its sizes begin in l.order */
};

/* A sweep's count. */
struct sample {
	const struct kc_count *count;
	size_t sweep;
	uint64_t n;
};

/* What is known of one case in one sweep. */
struct answer {
	struct kc_law law;
	char *unknown; /* why there is none, or NULL */
	struct kc_point *point;
	size_t points;
	size_t once;	    /* points that nothing confirms */
	const char *judged; /* "ok", "over", "unknown", "any"; NULL: no gate */
	const char *why;    /* NULL, or what of the limit was not kept */
	const struct kc_rule *rule;
	size_t of, sweep;
};

static struct {
	struct kc_vocab vocab;
	struct kc_result result;
	struct kc_rules rules;
	struct kc_rule gate; /* -g; its limit is NULL without it */
	struct sized *sized; /* by configuration */
	size_t *order;	     /* configurations, see order_sizes */
	size_t ordered;
	struct kc_patterns cases, configs;
	struct kc_md_table md;
	struct kc_table table;
	size_t answers, over, unknown;
	bool markdown, judges;
} l;

static uint64_t
size_of(const char *data, size_t len, const struct kc_field *config)
{
	const char *why;
	uint64_t n;

	why = kc_number(data, len, &n);
	if (why == NULL && n > KC_LAW_MAX)
		why = "too large for a law";
	if (why != NULL)
		kc_die("%s: bad size of configuration %s: %s", l.result.name,
		       kc_quote(config->data, config->len), why);
	return n;
}

/* "BENCH_SEQ" is shown as "seq". */
static char *
short_name(const char *data, size_t len)
{
	char *name;
	size_t i;

	if (len > 6 && memcmp(data, "BENCH_", 6) == 0) {
		data += 6;
		len -= 6;
	}
	name = kc_copy(data, len);
	for (i = 0; i < len; i++)
		if (name[i] >= 'A' && name[i] <= 'Z')
			name[i] = (char)(name[i] - 'A' + 'a');
	return name;
}

static void
read_sizes(void)
{
	struct kc_rx *rx =
		kc_rx_new("(?s)\\A(.*) ([A-Za-z_][A-Za-z0-9_]*)=([0-9]+)\\z",
			  KC_RX_BYTES);
	size_t n = l.vocab.configs.n, i;
	struct kc_map sweeps = {0};
	struct kc_str key;

	l.sized = kc_alloc(n * sizeof(*l.sized));
	memset(l.sized, 0, n * sizeof(*l.sized));
	for (i = 0; i < n; i++) {
		const struct kc_field *config = &l.vocab.configs.at[i];
		struct sized *s = &l.sized[i];
		const char *data;
		size_t len;

		if (!kc_rx_match(rx, config->data, config->len))
			kc_die("%s: configuration %s has no size, expected one "
			       "like 'cuda BENCH_SEQ=64'",
			       l.result.name,
			       kc_quote(config->data, config->len));
		data = kc_rx_group(rx, 1, &len);
		s->base = (struct kc_field){kc_copy(data, len), len};
		data = kc_rx_group(rx, 2, &len);
		s->name = short_name(data, len);
		data = kc_rx_group(rx, 3, &len);
		s->n = size_of(data, len, config);
		/* The first one of its base and name; the map keeps the key. */
		key = (struct kc_str){0};
		kc_str_add(&key, s->base.data, s->base.len);
		kc_str_add(&key, "\0", 1);
		kc_str_puts(&key, s->name);
		s->sweep = *kc_map_at(&sweeps, key.data, key.len, i);
	}
}

static int
by_size(const void *a, const void *b)
{
	const struct sized *x = &l.sized[*(const size_t *)a];
	const struct sized *y = &l.sized[*(const size_t *)b];

	if (x->sweep != y->sweep)
		return x->sweep < y->sweep ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

/* Rules name configurations without their sizes. */
static void
apply_rules(void)
{
	const struct kc_result *const results[] = {&l.result};
	struct kc_vocab bases = l.vocab;
	size_t i;

	bases.configs.at =
		kc_alloc(bases.configs.n * sizeof(*bases.configs.at));
	for (i = 0; i < bases.configs.n; i++)
		bases.configs.at[i] = l.sized[i].base;
	kc_rules_apply(&l.rules, &bases, results, 1);
	free(bases.configs.at);
}

static int
by_sweep(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->count->of != y->count->of)
		return x->count->of < y->count->of ? -1 : 1;
	if (x->sweep != y->sweep)
		return x->sweep < y->sweep ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

static void
add_number(struct kc_str *out, const char *before, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	kc_str_puts(out, before);
	kc_str_puts(out, text);
}

static char *
at_size(const char *text, const char *name, uint64_t n, const char *why,
	size_t len)
{
	struct kc_str out = {0};
	char number[32];

	kc_str_puts(&out, text);
	kc_str_puts(&out, " at ");
	kc_str_puts(&out, name);
	snprintf(number, sizeof(number), "=%" PRIu64, n);
	kc_str_puts(&out, number);
	if (len > 0) {
		kc_str_puts(&out, ": ");
		kc_text(&out, why, len);
	}
	return out.data;
}

/* By its name with the size or without. */
static bool
config_selected(size_t config)
{
	return kc_patterns_match(&l.configs, &l.vocab.configs.at[config]) ||
	       kc_patterns_match(&l.configs, &l.sized[config].base);
}

/* The sizes of each sweep that are selected, each once, the smallest first. */
static void
order_sizes(void)
{
	size_t n = 0, i;

	l.order = kc_alloc(l.vocab.configs.n * sizeof(*l.order));
	for (i = 0; i < l.vocab.configs.n; i++)
		if (config_selected(i))
			l.order[n++] = i;
	if (n > 0)
		qsort(l.order, n, sizeof(*l.order), by_size);
	for (i = 0; i < n; i++) {
		if (l.ordered > 0 &&
		    by_size(&l.order[l.ordered - 1], &l.order[i]) == 0)
			continue;
		l.order[l.ordered] = l.order[i];
		if (l.ordered == 0 || l.sized[l.order[l.ordered - 1]].sweep !=
					      l.sized[l.order[i]].sweep)
			l.sized[l.sized[l.order[i]].sweep].first = l.ordered;
		l.ordered++;
	}
}

/* A size of the sweep at which there is no sample, or one too many. The samples
 * are sorted by size. */
static char *
size_fault(const struct sample *sample, size_t n, size_t sweep)
{
	size_t i, j = 0;

	for (i = 1; i < n; i++)
		if (sample[i].n == sample[i - 1].n)
			return at_size("two counts", l.sized[sweep].name,
				       sample[i].n, NULL, 0);
	for (i = l.sized[sweep].first; i < l.ordered; i++) {
		const struct sized *s = &l.sized[l.order[i]];

		if (s->sweep != sweep)
			break;
		while (j < n && sample[j].n < s->n)
			j++;
		if (j == n || sample[j].n != s->n)
			return at_size("no count", l.sized[sweep].name, s->n,
				       NULL, 0);
	}
	return NULL;
}

static struct answer
answer_for(const struct sample *sample, size_t n)
{
	struct answer a = {.of = sample[0].count->of,
			   .sweep = sample[0].sweep,
			   .points = n};
	const char *name = l.sized[a.sweep].name;
	size_t i;

	a.point = kc_alloc(n * sizeof(*a.point));
	a.unknown = size_fault(sample, n, a.sweep);
	for (i = 0; i < n; i++) {
		const struct kc_count *c = sample[i].count;

		a.point[i] = (struct kc_point){sample[i].n, c->launches};
		a.once += c->verdict == KC_ONCE;
		if (a.unknown != NULL)
			continue;
		if (c->verdict == KC_REFUSED || c->verdict == KC_BOUND)
			a.unknown =
				at_size(kc_verdict_name(c->verdict), name,
					sample[i].n, c->why.data, c->why.len);
		else if (c->launches > KC_LAW_MAX)
			a.unknown = at_size("a count too large for a law", name,
					    sample[i].n, NULL, 0);
	}
	if (a.unknown == NULL)
		a.law = kc_law_find(a.point, n);
	return a;
}

/* Whether no larger size has more launches than a smaller one. */
static bool
never_grows(const struct answer *a)
{
	size_t i;

	for (i = 1; i < a->points; i++)
		if (a->point[i].launches > a->point[i - 1].launches)
			return false;
	return true;
}

/* An expression that cannot be computed is a mistake in the rule. */
static uint64_t
expected_at(const struct answer *a, uint64_t n)
{
	const char *expression = a->rule->limit + 1, *why;
	const char *name = l.sized[a->sweep].name;
	uint64_t value;

	if (kc_law_value(expression, name, n, &value, &why))
		return value;
	if (a->rule == &l.gate)
		kc_die("bad law %s at %s=%" PRIu64 ": %s",
		       kc_quote(expression, strlen(expression)), name, n, why);
	kc_die("%s:%" PRIu64 ": bad law %s at %s=%" PRIu64 ": %s", l.rules.path,
	       a->rule->line, kc_quote(expression, strlen(expression)), name, n,
	       why);
}

static void
judge_expression(struct answer *a)
{
	struct kc_str text = {0};
	size_t i;

	a->judged = "ok";
	for (i = 0; i < a->points; i++) {
		uint64_t expected = expected_at(a, a->point[i].n);

		if (expected == a->point[i].launches || a->why != NULL)
			continue;
		add_number(&text, "", a->point[i].launches);
		kc_str_puts(&text, " at ");
		kc_str_puts(&text, l.sized[a->sweep].name);
		add_number(&text, "=", a->point[i].n);
		add_number(&text, ", not ", expected);
		a->why = text.data;
		a->judged = "over";
	}
}

static void
judge(struct answer *a)
{
	const struct kc_rule *rule = kc_rules_for(&l.rules, a->sweep, a->of);
	const char *limit;
	enum kc_growth most = KC_CONSTANT;

	if (rule == NULL && l.gate.limit != NULL)
		rule = &l.gate;
	a->rule = rule;
	if (rule == NULL)
		return;
	limit = rule->limit;
	if (strcmp(limit, "any") == 0) {
		a->judged = "any";
		return;
	}
	if (a->unknown != NULL) {
		a->judged = "unknown";
		return;
	}
	if (*limit == '=') {
		judge_expression(a);
		return;
	}
	while (strcmp(growths[most], limit) != 0)
		most++;
	/* That nothing grows can be said without a law. */
	if (most == KC_CONSTANT)
		a->judged = never_grows(a) ? "ok" : "over";
	else if (!a->law.checked)
		a->judged = never_grows(a) ? "ok" : "unknown";
	else
		a->judged = a->law.growth <= most ? "ok" : "over";
}

/* "counted at seq=64: 21, 128: 29" */
static void
add_points(struct kc_str *out, const struct answer *a)
{
	size_t i;

	kc_str_puts(out, "counted at ");
	kc_str_puts(out, l.sized[a->sweep].name);
	for (i = 0; i < a->points; i++) {
		add_number(out, i == 0 ? "=" : ", ", a->point[i].n);
		add_number(out, ": ", a->point[i].launches);
	}
}

/* "from seq=64 96, predicts 128 256"; and what else fits. */
static void
add_evidence(struct kc_str *out, const struct answer *a)
{
	const struct kc_law *law = &a->law;
	const char *name = l.sized[a->sweep].name;
	struct kc_law other = *law;
	size_t i;

	kc_str_puts(out, "");
	if (a->unknown != NULL) {
		kc_str_puts(out, a->unknown);
		return;
	}
	if (!law->checked) {
		add_points(out, a);
		if (law->growth == KC_NO_LAW)
			return;
		kc_str_puts(out, "; ");
		kc_law_text(out, law, name);
		kc_str_puts(out, " fits, with no size left to check it");
		return;
	}
	kc_str_puts(out, "from ");
	kc_str_puts(out, name);
	for (i = 0; i < a->points; i++) {
		if (i == law->fitted)
			kc_str_puts(out, ", predicts");
		add_number(out, i == 0 ? "=" : " ", a->point[i].n);
	}
	if (law->others == 0)
		return;
	other.c = law->other;
	add_number(out, "; ", law->others);
	kc_str_puts(out, law->others == 1 ? " other fits too, with "
					  : " others fit too, one with ");
	kc_str_puts(out, name);
	add_number(out, "/", other.c);
	if (law->tells == 0)
		return;
	kc_str_puts(out, ": ");
	kc_str_puts(out, name);
	add_number(out, "=", law->tells);
	kc_str_puts(out, " would tell");
}

static void
cell(struct kc_str *text, bool code)
{
	struct kc_str out = {0};

	if (l.markdown && code)
		kc_md_code(&out, text->data, text->len);
	else if (l.markdown)
		kc_md_text(&out, text->data, text->len);
	else
		kc_str_add(&out, text->data, text->len);
	if (l.markdown)
		kc_md_cell(&l.md, out.data);
	else
		kc_table_cell(&l.table, out.data);
	kc_str_free(&out);
	text->len = 0;
}

/* A cell with somebody's text. */
static void
name_cell(const struct kc_field *name)
{
	struct kc_str text = {0};

	if (l.markdown)
		kc_str_add(&text, name->data, name->len);
	else
		kc_text(&text, name->data, name->len);
	cell(&text, true);
	kc_str_free(&text);
}

static void
end_row(void)
{
	if (l.markdown)
		kc_md_end_row(&l.md);
	else
		kc_table_end(&l.table);
}

static void
add_judgement(struct kc_str *out, const struct answer *a)
{
	if (a->rule == NULL)
		return;
	kc_str_puts(out, out->len > 0 ? "; " : "");
	if (a->why != NULL) {
		kc_str_puts(out, a->why);
		kc_str_puts(out, "; ");
	}
	kc_str_puts(out, "limit: ");
	kc_text(out, a->rule->limit, strlen(a->rule->limit));
	if (a->rule->reason == NULL)
		return;
	kc_str_puts(out, " (");
	kc_text(out, a->rule->reason, strlen(a->rule->reason));
	kc_str_puts(out, ")");
}

static void
put_answer(const struct answer *a)
{
	struct kc_str text = {0};

	if (l.judges) {
		kc_str_puts(&text, a->judged != NULL ? a->judged : "-");
		cell(&text, false);
	}
	name_cell(&l.sized[a->sweep].base);
	name_cell(&l.vocab.cases.at[a->of]);
	if (a->unknown != NULL)
		kc_str_puts(&text, "unknown");
	else if (!a->law.checked)
		kc_str_puts(&text, "none");
	else
		kc_law_text(&text, &a->law, l.sized[a->sweep].name);
	cell(&text, a->law.checked);
	add_evidence(&text, a);
	if (a->once > 0) {
		add_number(&text, "; counted once: ", a->once);
		add_number(&text, " of ", a->points);
	}
	add_judgement(&text, a);
	cell(&text, false);
	end_row();
	kc_str_free(&text);
}

static void
take(const struct sample *sample, size_t n)
{
	struct answer a = answer_for(sample, n);

	judge(&a);
	l.answers++;
	if (a.judged != NULL && strcmp(a.judged, "over") == 0)
		l.over++;
	else if (a.judged != NULL ? strcmp(a.judged, "unknown") == 0
				  : a.unknown != NULL)
		l.unknown++;
	put_answer(&a);
	free(a.point);
	free(a.unknown);
}

static void
header(void)
{
	static const char *const titles[] = {"configuration", "case", "law",
					     "evidence"};
	size_t i;

	if (!l.markdown)
		return;
	if (l.judges)
		kc_md_cell(&l.md, "judged");
	for (i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		kc_md_cell(&l.md, titles[i]);
	kc_md_end_row(&l.md);
}

static bool
selected(const struct kc_count *c)
{
	return kc_patterns_match(&l.cases, &l.vocab.cases.at[c->of]) &&
	       config_selected(c->config);
}

static void
take_all(void)
{
	struct sample *sample = kc_alloc(l.result.n * sizeof(*sample));
	size_t i, first, n = 0;

	for (i = 0; i < l.result.n; i++) {
		const struct kc_count *c = &l.result.count[i];
		const struct sized *s = &l.sized[c->config];

		if (selected(c))
			sample[n++] = (struct sample){c, s->sweep, s->n};
	}
	if (n == 0)
		kc_die("%s: no count matches, expected a case and a "
		       "configuration of it",
		       l.result.name);
	qsort(sample, n, sizeof(*sample), by_sweep);
	header();
	for (first = 0; first < n; first = i) {
		for (i = first + 1;
		     i < n && sample[i].count->of == sample[first].count->of &&
		     sample[i].sweep == sample[first].sweep;
		     i++)
			;
		take(sample + first, i - first);
	}
	free(sample);
}

static void
put_all(void)
{
	size_t i;

	if (l.markdown) {
		kc_md_print(&l.md, false);
		return;
	}
	for (i = 0; i < l.table.rows; i++)
		kc_table_put(&l.table, i, 0, 0);
}

/* -g: the limit of all cases that no rule is for. */
static void
set_gate(char *limit)
{
	struct kc_rx *rx = kc_rx_new("\\A(?:" LIMIT ")\\z", KC_RX_BYTES);

	if (!kc_rx_match(rx, limit, strlen(limit)))
		kc_usage("bad limit %s for -g, expected 'constant', 'log', "
			 "'linear', 'quadratic', '= EXPRESSION' or 'any'",
			 kc_quote(limit, strlen(limit)));
	l.gate.limit = limit;
}

int
main(int argc, char **argv)
{
	const char *rules = NULL;
	int opt;

	kc_start(&program);
	kc_bound_memory();
	opterr = 0;
	while ((opt = getopt(argc, argv, ":a:c:g:hl:mV")) != -1) {
		switch (opt) {
		case 'a':
			rules = optarg;
			break;
		case 'c':
			kc_patterns_add(&l.cases, optarg);
			break;
		case 'g':
			set_gate(optarg);
			break;
		case 'l':
			kc_patterns_add(&l.configs, optarg);
			break;
		case 'm':
			l.markdown = true;
			break;
		default:
			kc_common_option(opt);
		}
	}
	l.judges = rules != NULL || l.gate.limit != NULL;
	if (rules != NULL)
		kc_rules_read(&l.rules, rules, LIMIT, LIMIT_TEXT);
	l.result.vocab = &l.vocab;
	kc_in_each(argv + optind, kc_result_read, &l.result);
	if (l.result.n == 0)
		kc_die("%s: no count row, expected LAUNCHES, VERDICT, CONFIG, "
		       "CASE",
		       l.result.name);
	kc_vocab_sort(&l.vocab);
	kc_result_end(&l.result);
	read_sizes();
	order_sizes();
	apply_rules();
	take_all();
	put_all();
	if (l.over > 0)
		return kc_finish(KC_DIFFERENT);
	return kc_finish(l.unknown > 0 ? KC_TROUBLE : KC_OK);
}
