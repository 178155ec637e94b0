/*
 * kc-diff: two results in, what changed out, judged. See LICENSE.
 *
 * The gate. Each count of one result is compared with its counterpart in the
 * other, whatever order they stand in, and judged by the rule for it: no more
 * launches than before where there is none. What cannot be said is never called
 * equal. compare.c judges, here it is shown; kc-diff(1) has it all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "kc.h"
#include "md.h"
#include "row.h"
#include "text.h"

static const struct kc_program program = {
	"kc-diff",
	"[-fhkmpVwx] [-a rules] [-c cases] ... [-l configs] ... [-r old=new] "
	"old new",
	"Compares two results; ends with 0 when nothing grew, 1 when something "
	"did,\n2 when it cannot say.",
};

static struct kc_compare d;

/* Whether a pair is shown by itself: not what is equal, nor what a condition
 * of its configuration, which is named, keeps from being compared. */
static bool
shown(const struct kc_pair *p)
{
	bool barred = p->old != NULL && p->new != NULL &&d.differs[p->config] &&
		      !d.force;

	return p->kind != KC_EQUAL && !(p->kind == KC_UNKNOWN && barred);
}

/* The configuration of a pair, which is two of them with -r. */
static struct kc_field
config_name(const struct kc_pair *p)
{
	static struct kc_field two;

	if (d.renamed == NULL)
		return d.vocab.configs.at[p->config];
	if (two.data == NULL)
		two = (struct kc_field){kc_copy(d.renamed, strlen(d.renamed)),
					strlen(d.renamed)};
	return two;
}

/* Text that the forms of output share. */

static void
add_number(struct kc_str *out, const char *before, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	kc_str_puts(out, before);
	kc_str_puts(out, text);
}

/* "24 kernels", "1 kernel" */
static void
add_kernels(struct kc_str *out, const char *before, size_t n)
{
	add_number(out, before, n);
	kc_str_puts(out, n == 1 ? " kernel" : " kernels");
}

static void
add_count(struct kc_str *out, const struct kc_count *count)
{
	if (count == NULL)
		kc_str_puts(out, "none");
	else if (count->verdict == KC_REFUSED)
		kc_str_puts(out, "-");
	else
		add_number(out, count->verdict == KC_BOUND ? ">=" : "",
			   count->launches);
}

/* "+24" or "-24" */
static void
add_delta(struct kc_str *out, uint64_t old, uint64_t new)
{
	add_number(out, new > old ? "+" : "-",
		   new > old ? new - old : old - new);
}

/* "+24 (+32.0%)", where there are two numbers that may be compared. */
static void
add_change(struct kc_str *out, const struct kc_pair *p)
{
	long double old, new, percent;
	char text[64];

	kc_str_puts(out, "");
	if (!kc_comparable(&d, p) || p->old->launches == p->new->launches)
		return;
	add_delta(out, p->old->launches, p->new->launches);
	if (p->old->launches == 0)
		return;
	old = (long double)p->old->launches;
	new = (long double)p->new->launches;
	percent = 100.0L * (new - old) / old;
	if (percent < 0.05L && percent > -0.05L)
		snprintf(text, sizeof(text), " (%s<0.1%%)",
			 new > old ? "+" : "-");
	else
		snprintf(text, sizeof(text), " (%+.1Lf%%)", percent);
	kc_str_puts(out, text);
}

static void
add_part(struct kc_str *out, const char *text)
{
	kc_str_puts(out, out->len > 0 ? "; " : "");
	kc_str_puts(out, text);
}

/* Why one side has no exact count. */
static void
add_why(struct kc_str *out, const char *side, const struct kc_count *count)
{
	if (count == NULL || kc_exact(count))
		return;
	add_part(out, side);
	kc_str_puts(out, count->verdict == KC_BOUND ? "bound: " : "refused: ");
	kc_text(out, count->why.data, count->why.len);
}

/* What is to be said of a pair beside its numbers. */
static void
add_note(struct kc_str *out, const struct kc_pair *p)
{
	bool allowed = p->kind == KC_WITHIN || p->kind == KC_IGNORED;

	kc_str_puts(out, "");
	if (kc_exact(p->old) && kc_exact(p->new) &&
	    p->old->verdict != p->new->verdict) {
		kc_str_puts(out, kc_verdict_name(p->old->verdict));
		kc_str_puts(out, " -> ");
		kc_str_puts(out, kc_verdict_name(p->new->verdict));
	} else if (kc_exact(p->new)
			   ? p->new->verdict == KC_ONCE
			   : kc_exact(p->old) && p->old->verdict == KC_ONCE) {
		/* No plain number in either result. */
		kc_str_puts(out, "once");
	}
	add_why(out, "before ", p->old);
	add_why(out, "", p->new);
	if (p->rule == NULL || (!allowed && p->kind > KC_UNKNOWN))
		return;
	add_part(out, allowed ? "allowed: " : "limit: ");
	kc_str_puts(out, p->rule->limit);
	kc_str_puts(out, " (");
	kc_text(out, p->rule->reason, strlen(p->rule->reason));
	kc_str_puts(out, ")");
}

/* "1 more, 2 less, 39 equal" */
static void
add_summary(struct kc_str *out)
{
	size_t i;

	kc_str_puts(out, "");
	for (i = 0; i < KC_KINDS; i++) {
		if (d.count[i] == 0)
			continue;
		add_number(out, out->len > 0 ? ", " : "", d.count[i]);
		kc_str_puts(out, " ");
		kc_str_puts(out, i == KC_OTHER_VERDICT
					 ? "equal with another verdict"
				 : i == KC_OTHER_KERNELS
					 ? "equal with other kernels"
					 : kc_kind_name((enum kc_kind)i));
	}
	if (d.left_out > 0) {
		add_number(out,
			   "; left out, only in the old result: ", d.left_out);
	}
}

/*
 * How shifts of one size read together: "10 each: 3 kernels became 1", where
 * some are fewer launches and some are more; nothing else.
 */
static void
add_became(struct kc_str *out, const struct kc_shift *shift, size_t n)
{
	size_t i, less = 0;

	for (i = 0; i < n; i++)
		less += shift[i].new < shift[i].old;
	if (less == 0 || less == n)
		return;
	add_number(out, "", kc_shift_size(&shift[0]));
	add_kernels(out, " each: ", less);
	add_number(out, " became ", n - less);
}

/* "in all: -30 in 3 kernels, +10 in 1 kernel"; nothing where all went one
 * way. */
static void
add_in_all(struct kc_str *out, const struct kc_shift *shift, size_t n)
{
	uint64_t less = 0, more = 0;
	size_t i, less_n = 0;

	/* No overflow: these are parts of sums that 64 bits hold. */
	for (i = 0; i < n; i++) {
		if (shift[i].new < shift[i].old) {
			less += shift[i].old - shift[i].new;
			less_n++;
		} else {
			more += shift[i].new - shift[i].old;
		}
	}
	if (less_n == 0 || less_n == n)
		return;
	add_number(out, "in all: -", less);
	add_kernels(out, " in ", less_n);
	add_number(out, ", +", more);
	add_kernels(out, " in ", n - less_n);
}

/* Where the run of shifts of one size that starts at `i` ends. */
static size_t
run_end(const struct kc_shift *shift, size_t i, size_t n)
{
	size_t j = i + 1;

	while (j < n && kc_shift_size(&shift[j]) == kc_shift_size(&shift[i]))
		j++;
	return j;
}

/* Whether the kernels of a pair are to be shown. */
static bool
shows_kernels(const struct kc_pair *p)
{
	return d.kernels && kc_comparable(&d, p) &&
	       (p->old->launches != p->new->launches ||
		(p->old->parts > 0 && p->new->parts > 0));
}

/* Why the kernels of a pair cannot be told apart, or NULL. */
static const char *
no_kernels(const struct kc_pair *p)
{
	if (p->old->parts == 0 && p->new->parts == 0)
		return "the results do not have the kernels of it";
	if (p->old->parts == 0 && p->old->launches > 0)
		return "the old result does not have the kernels of it";
	if (p->new->parts == 0 && p->new->launches > 0)
		return "the new result does not have the kernels of it";
	return NULL;
}

/* Plain text. */

static const char indent[] = "        ";

static void
put_shifts(const struct kc_shift *shift, size_t n)
{
	struct kc_table table = {0};
	struct kc_str text = {0};
	size_t i, j;

	for (i = 0; i < n; i++) {
		add_delta(&text, shift[i].old, shift[i].new);
		kc_table_cell(&table, text.data);
		text.len = 0;
		add_number(&text, "", shift[i].old);
		kc_table_cell(&table, text.data);
		text.len = 0;
		add_number(&text, "-> ", shift[i].new);
		kc_table_cell(&table, text.data);
		text.len = 0;
		kc_text(&text, shift[i].name->data, shift[i].name->len);
		kc_table_cell(&table, text.data);
		text.len = 0;
		kc_table_end(&table);
	}
	for (i = 0; i < n;) {
		size_t end = run_end(shift, i, n);

		for (j = i; j < end; j++) {
			fputs(indent, stdout);
			kc_table_put(&table, j, 0, 2);
		}
		text.len = 0;
		add_became(&text, shift + i, end - i);
		if (text.len > 0)
			printf("%s%s\n", indent, text.data);
		i = end;
	}
	text.len = 0;
	kc_str_puts(&text, "");
	add_in_all(&text, shift, n);
	if (text.len > 0)
		printf("%s%s\n", indent, text.data);
	kc_table_free(&table);
	kc_str_free(&text);
}

static void
put_kernels(const struct kc_pair *p)
{
	struct kc_shift *shift;
	size_t n;

	if (!shows_kernels(p))
		return;
	if (no_kernels(p) != NULL) {
		printf("%s%s\n", indent, no_kernels(p));
		return;
	}
	shift = kc_shifts(&d, p, &n);
	put_shifts(shift, n);
	free(shift);
}

static void
plain_cells(struct kc_table *table, const struct kc_pair *p)
{
	const struct kc_field config = config_name(p);
	const struct kc_field *of = &d.vocab.cases.at[p->of];
	struct kc_str text = {0};

	kc_table_cell(table, kc_kind_name(p->kind));
	kc_text(&text, config.data, config.len);
	kc_table_cell(table, text.data);
	text.len = 0;
	kc_text(&text, of->data, of->len);
	kc_table_cell(table, text.data);
	text.len = 0;
	add_count(&text, p->old);
	kc_table_cell(table, text.data);
	text.len = 0;
	kc_str_puts(&text, "-> ");
	add_count(&text, p->new);
	kc_table_cell(table, text.data);
	text.len = 0;
	add_change(&text, p);
	kc_table_cell(table, text.data);
	text.len = 0;
	add_note(&text, p);
	kc_table_cell(table, text.data);
	kc_table_end(table);
	kc_str_free(&text);
}

static void
put_plain(void)
{
	struct kc_table table = {0};
	struct kc_str text = {0};
	size_t i, row = 0;

	for (i = 0; i < d.conditions; i++)
		printf("%s: %s\n",
		       d.force ? "compared in spite of" : "not comparable",
		       d.condition[i].data);
	for (i = 0; i < d.n; i++)
		if (shown(&d.pair[i]))
			plain_cells(&table, &d.pair[i]);
	for (i = 0; i < d.n; i++) {
		if (!shown(&d.pair[i]))
			continue;
		kc_table_put(&table, row++, 3, 4);
		put_kernels(&d.pair[i]);
	}
	add_summary(&text);
	puts(text.data);
	kc_table_free(&table);
	kc_str_free(&text);
}

/* Markdown, for a comment on a pull request. */

static void
cell_text(struct kc_md_table *table, struct kc_str *text)
{
	kc_md_cell(table, text->data);
	text->len = 0;
}

static void
header(struct kc_md_table *table, const char *const *titles)
{
	for (; *titles != NULL; titles++)
		kc_md_cell(table, *titles);
	kc_md_end_row(table);
}

/* "`forward/a`, `cuda`" */
static void
md_name(struct kc_str *out, const struct kc_pair *p)
{
	const struct kc_field config = config_name(p);
	const struct kc_field *of = &d.vocab.cases.at[p->of];

	kc_md_code(out, of->data, of->len);
	kc_str_puts(out, ", ");
	kc_md_code(out, config.data, config.len);
}

static void
md_count(struct kc_md_table *table, const struct kc_count *count)
{
	struct kc_str text = {0};

	if (count == NULL)
		kc_str_puts(&text, "none");
	else if (count->verdict == KC_REFUSED)
		kc_str_puts(&text, "—");
	else
		add_number(&text, count->verdict == KC_BOUND ? "≥" : "",
			   count->launches);
	kc_md_cell(table, text.data);
	kc_str_free(&text);
}

static void
md_cells(struct kc_md_table *table, const struct kc_pair *p)
{
	struct kc_str text = {0};

	md_name(&text, p);
	cell_text(table, &text);
	md_count(table, p->old);
	md_count(table, p->new);
	add_change(&text, p);
	cell_text(table, &text);
	kc_md_cell(table, kc_kind_name(p->kind));
	kc_md_end_row(table);
	kc_str_free(&text);
}

static void
md_notes(void)
{
	struct kc_str text = {0}, line = {0};
	size_t i, n = 0;

	for (i = 0; i < d.n; i++) {
		if (!shown(&d.pair[i]))
			continue;
		text.len = line.len = 0;
		add_note(&text, &d.pair[i]);
		if (text.len == 0)
			continue;
		md_name(&line, &d.pair[i]);
		kc_str_puts(&line, ": ");
		kc_md_text(&line, text.data, text.len);
		printf("%s- %s\n", n++ == 0 ? "\n" : "", line.data);
	}
	kc_str_free(&text);
	kc_str_free(&line);
}

static void
md_shifts(const struct kc_shift *shift, size_t n)
{
	static const char *const titles[] = {"kernel", "before", "after",
					     "change", NULL};
	struct kc_md_table table = {0};
	struct kc_str text = {0};
	size_t i, end;

	header(&table, titles);
	for (i = 0; i < n; i++) {
		kc_md_code(&text, shift[i].name->data, shift[i].name->len);
		cell_text(&table, &text);
		add_number(&text, "", shift[i].old);
		cell_text(&table, &text);
		add_number(&text, "", shift[i].new);
		cell_text(&table, &text);
		add_delta(&text, shift[i].old, shift[i].new);
		cell_text(&table, &text);
		kc_md_end_row(&table);
	}
	kc_md_print(&table, true);
	for (i = 0; i < n; i = end) {
		size_t before = text.len;

		end = run_end(shift, i, n);
		add_became(&text, shift + i, end - i);
		if (text.len > before)
			kc_str_puts(&text, "; ");
	}
	add_in_all(&text, shift, n);
	if (text.len > 0)
		printf("\n%s.\n", text.data);
	kc_str_free(&text);
}

static void
md_kernels(const struct kc_pair *p)
{
	struct kc_str text = {0};
	struct kc_shift *shift;
	size_t n;

	if (!shown(p) || !shows_kernels(p))
		return;
	md_name(&text, p);
	printf("\n#### %s: %" PRIu64 " → %" PRIu64 "\n\n", text.data,
	       p->old->launches, p->new->launches);
	kc_str_free(&text);
	if (no_kernels(p) != NULL) {
		printf("No kernels: %s.\n", no_kernels(p));
		return;
	}
	shift = kc_shifts(&d, p, &n);
	md_shifts(shift, n);
	free(shift);
}

static void
put_markdown(void)
{
	static const char *const titles[] = {"case, configuration",
					     "before",
					     "after",
					     "change",
					     "judged",
					     NULL};
	struct kc_md_table table = {0};
	struct kc_str text = {0};
	size_t i, n = 0;

	add_summary(&text);
	printf("### Kernel launches: %s\n", text.data);
	for (i = 0; i < d.conditions; i++) {
		text.len = 0;
		kc_md_text(&text, d.condition[i].data, d.condition[i].len);
		printf("%s- %s: %s\n", i == 0 ? "\n" : "",
		       d.force ? "Compared in spite of" : "Not comparable",
		       text.data);
	}
	kc_str_free(&text);
	header(&table, titles);
	for (i = 0; i < d.n; i++) {
		if (!shown(&d.pair[i]))
			continue;
		md_cells(&table, &d.pair[i]);
		n++;
	}
	if (n == 0)
		return;
	putchar('\n');
	kc_md_print(&table, true);
	md_notes();
	for (i = 0; i < d.n; i++)
		md_kernels(&d.pair[i]);
}

/* Facts for the report, which show the change beside each number. */

static void
put_was(const struct kc_pair *p)
{
	const struct kc_field *config = &d.vocab.configs.at[p->config];
	const struct kc_field *of = &d.vocab.cases.at[p->of];

	kc_put_text("#was\t");
	kc_put_field(config->data, config->len, false);
	kc_put_text("\t");
	kc_put_field(of->data, of->len, false);
	kc_put_text("\t");
	if (p->old == NULL)
		kc_put_text("new");
	else if (d.differs[p->config] && !d.force)
		kc_put_text("other");
	else
		kc_put_count(p->old);
	kc_put_text("\n");
}

static void
put_facts(void)
{
	size_t i;

	kc_put_text("#baseline\t");
	kc_put_field(d.old.name, strlen(d.old.name), false);
	kc_put_text("\n");
	for (i = 0; i < d.n; i++)
		if (d.pair[i].new != NULL)
			put_was(&d.pair[i]);
	for (i = 0; i < d.conditions; i++) {
		kc_put_text("#about\t");
		kc_put_text(d.force ? "compared in spite of"
				    : "not compared with the baseline");
		kc_put_text("\t");
		kc_put_field(d.condition[i].data, d.condition[i].len, false);
		kc_put_text("\n");
	}
}

static int
status(bool exact)
{
	if (d.count[KC_MORE] > 0 || (exact && d.count[KC_LESS] > 0))
		return KC_DIFFERENT;
	if (d.count[KC_GONE] + d.count[KC_NEW] + d.count[KC_UNKNOWN] > 0)
		return KC_TROUBLE;
	return KC_OK;
}

int
main(int argc, char **argv)
{
	bool markdown = false, facts = false, exact = false;
	int opt;

	kc_start(&program);
	kc_bound_memory();
	opterr = 0;
	while ((opt = getopt(argc, argv, ":a:c:fhkl:mpr:Vwx")) != -1) {
		switch (opt) {
		case 'a':
			d.rules_path = optarg;
			break;
		case 'c':
			kc_patterns_add(&d.cases, optarg);
			break;
		case 'f':
			d.force = true;
			break;
		case 'k':
			d.kernels = true;
			break;
		case 'l':
			kc_patterns_add(&d.configs, optarg);
			break;
		case 'm':
			markdown = true;
			break;
		case 'p':
			d.partial = true;
			break;
		case 'r':
			d.renamed = optarg;
			if (strchr(optarg, '=') == NULL)
				kc_usage("bad value %s for -r, expected the "
					 "old side's configuration, '=' and "
					 "the new side's",
					 kc_quote(optarg, strlen(optarg)));
			break;
		case 'w':
			facts = true;
			break;
		case 'x':
			exact = true;
			break;
		default:
			kc_common_option(opt);
		}
	}
	if (argc - optind != 2)
		kc_usage("%d files, expected the old result and the new one",
			 argc - optind);
	kc_compare(&d, argv[optind], argv[optind + 1]);
	if (facts)
		put_facts();
	else if (markdown)
		put_markdown();
	else
		put_plain();
	return kc_finish(facts ? KC_OK : status(exact));
}
