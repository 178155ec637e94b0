/*
 * kc-kernels: a result in, the kernels of each case out. See LICENSE.
 *
 * A table a case: kernels as rows, the one with the most launches first,
 * configurations as columns. The numbers are those of the result; what it does
 * not have is never shown as 0.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "map.h"
#include "md.h"
#include "result.h"
#include "row.h"
#include "rules.h"
#include "text.h"

static const struct kc_program program = {
	"kc-kernels",
	"[-hmV] [-c cases] ... [-l configs] ... [rows ...]",
	"Reads a result; writes a table of kernels and configurations for each "
	"case.",
};

/* A kernel of the case, and why its name may stand for several. */
struct line {
	const struct kc_field *name;
	size_t kernel;
	uint64_t most; /* launches of any configuration */
	bool shared;   /* several kernels of one table had the name */
	bool cut;
};

static struct {
	struct kc_vocab vocab;
	struct kc_result result;
	struct kc_map names_shared; /* of a case and a kernel */
	struct kc_patterns cases, configs;
	bool markdown;
	bool shared, cut; /* a mark was used, which has to be explained */
	size_t shown;	  /* cases */
} k;

/* The part of a count that is of a kernel, or NULL. */
static const struct kc_part *
part_of(const struct kc_count *c, size_t kernel)
{
	size_t low = 0, high = c->parts;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->part[mid].kernel < kernel)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->parts && c->part[low].kernel == kernel ? &c->part[low]
							       : NULL;
}

/* What a kernel of a case is called in k.names_shared. */
static struct kc_str
shared_key(const struct kc_field *of, const struct kc_field *kernel)
{
	struct kc_str key = {0};

	kc_str_add(&key, of->data, of->len);
	kc_str_add(&key, "\0", 1);
	kc_str_add(&key, kernel->data, kernel->len);
	return key;
}

static void
read_shared(void)
{
	size_t i;

	for (i = 0; i < k.result.facts; i++) {
		const struct kc_row *row = &k.result.fact[i].row;
		struct kc_str key;

		if (row->n != 5 || !kc_field_is(&row->field[0], "#shared"))
			continue;
		/* The map keeps the key. */
		key = shared_key(&row->field[2], &row->field[3]);
		*kc_map_at(&k.names_shared, key.data, key.len, 0) = 1;
	}
}

/* Whether a fact says that several kernels of this case had this name. */
static bool
is_shared(size_t of, const struct kc_field *kernel)
{
	struct kc_str key = shared_key(&k.vocab.cases.at[of], kernel);
	bool found = kc_map_get(&k.names_shared, key.data, key.len, 0) != 0;

	kc_str_free(&key);
	return found;
}

/* Whether a name ends where a log at level full cuts it: in the middle of an
 * opened value (kc-log(5)). */
static bool
is_cut(const struct kc_field *name)
{
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): three bytes */
	char last = name->len > 0 ? name->data[name->len - 1] : ' ';

	return last == '(' || last == '[' || last == '{';
}

static int
by_most(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->most != y->most)
		return x->most < y->most ? 1 : -1;
	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static int
by_kernel(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* The kernels of `n` counts of one case. */
static struct line *
lines_of(const struct kc_count *const *counts, size_t n, size_t *lines)
{
	struct line *line = NULL;
	size_t cap = 0, all = 0, i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < counts[i]->parts; j++) {
			const struct kc_part *p = &counts[i]->part[j];

			line = kc_grow(line, &cap, all + 1, sizeof(*line));
			line[all++] = (struct line){
				.name = &k.vocab.kernels.at[p->kernel],
				.kernel = p->kernel,
				.most = p->launches};
		}
	if (all > 0)
		qsort(line, all, sizeof(*line), by_kernel);
	for (i = j = 0; i < all; i++) {
		if (j > 0 && line[j - 1].kernel == line[i].kernel) {
			if (line[i].most > line[j - 1].most)
				line[j - 1].most = line[i].most;
			continue;
		}
		line[j++] = line[i];
	}
	*lines = j;
	for (i = 0; i < j; i++) {
		line[i].shared = is_shared(counts[0]->of, line[i].name);
		line[i].cut = is_cut(line[i].name);
		k.shared = k.shared || line[i].shared;
		k.cut = k.cut || line[i].cut;
	}
	if (j > 0)
		qsort(line, j, sizeof(*line), by_most);
	return line;
}

/* A kernel's launches in a configuration; "?" where the result does not have
 * them, "-" where the count is refused. */
static void
add_launches(struct kc_str *out, const struct kc_count *c,
	     const struct line *line)
{
	const struct kc_part *part = part_of(c, line->kernel);
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRIu64,
		 part != NULL && part->least ? ">=" : "",
		 part != NULL ? part->launches : 0);
	if (c->verdict == KC_REFUSED)
		kc_str_puts(out, "-");
	else if (c->parts == 0 && c->launches > 0)
		kc_str_puts(out, "?");
	else if (part == NULL && c->verdict == KC_BOUND)
		kc_str_puts(out, "?");
	else
		kc_str_puts(out, text);
}

static void
add_total(struct kc_str *out, const struct kc_count *c)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRIu64,
		 c->verdict == KC_BOUND ? ">=" : "", c->launches);
	kc_str_puts(out, c->verdict == KC_REFUSED ? "-" : text);
}

static void
add_name(struct kc_str *out, const struct line *line)
{
	if (k.markdown)
		kc_md_code(out, line->name->data, line->name->len);
	else
		kc_text(out, line->name->data, line->name->len);
	kc_str_puts(out, line->shared ? " [1]" : "");
	kc_str_puts(out, line->cut ? " [2]" : "");
}

/* Cells in either form; the name is the last one in text, which is easier to
 * read under each other, and the first in Markdown. */
struct tables {
	struct kc_table text;
	struct kc_md_table md;
};

static void
cell(struct tables *t, struct kc_str *text)
{
	if (k.markdown) {
		struct kc_str cell = {0};

		kc_md_text(&cell, text->data, text->len);
		kc_md_cell(&t->md, cell.data);
		kc_str_free(&cell);
	} else {
		kc_table_cell(&t->text, text->data);
	}
	text->len = 0;
}

/* A cell that is fit for its form already. */
static void
name_cell(struct tables *t, const char *text, bool first)
{
	if (k.markdown && first)
		kc_md_cell(&t->md, text);
	else if (!k.markdown && !first)
		kc_table_cell(&t->text, text);
}

static void
end_row(struct tables *t)
{
	if (k.markdown)
		kc_md_end_row(&t->md);
	else
		kc_table_end(&t->text);
}

static void
fill(struct tables *t, const struct kc_count *const *counts, size_t n,
     const struct line *line, size_t lines)
{
	struct kc_str text = {0}, name = {0};
	size_t i, j;

	name_cell(t, "kernel", true);
	for (j = 0; j < n; j++) {
		const struct kc_field *config =
			&k.vocab.configs.at[counts[j]->config];

		if (k.markdown)
			kc_str_add(&text, config->data, config->len);
		else
			kc_text(&text, config->data, config->len);
		cell(t, &text);
	}
	name_cell(t, "kernel", false);
	end_row(t);
	for (i = 0; i < lines; i++) {
		name.len = 0;
		add_name(&name, &line[i]);
		name_cell(t, name.data, true);
		for (j = 0; j < n; j++) {
			add_launches(&text, counts[j], &line[i]);
			cell(t, &text);
		}
		name_cell(t, name.data, false);
		end_row(t);
	}
	name_cell(t, "in all", true);
	for (j = 0; j < n; j++) {
		add_total(&text, counts[j]);
		cell(t, &text);
	}
	name_cell(t, "in all", false);
	end_row(t);
	kc_str_free(&text);
	kc_str_free(&name);
}

/* Why a configuration has no numbers here, or no plain ones, a line each. */
static void
put_reasons(const struct kc_count *const *counts, size_t n)
{
	struct kc_str text = {0};
	size_t i;

	for (i = 0; i < n; i++) {
		const struct kc_field *config =
			&k.vocab.configs.at[counts[i]->config];
		struct kc_str why = {0};

		if (counts[i]->verdict == KC_ONCE) {
			kc_str_puts(&why, "once: nothing confirms the count");
			if (counts[i]->parts == 0 && counts[i]->launches > 0)
				kc_str_puts(&why, "; the result does not have "
						  "its kernels");
		} else if (counts[i]->verdict == KC_REFUSED ||
			   counts[i]->verdict == KC_BOUND) {
			kc_str_puts(&why, kc_verdict_name(counts[i]->verdict));
			kc_str_puts(&why, ": ");
			kc_str_add(&why, counts[i]->why.data,
				   counts[i]->why.len);
		} else if (counts[i]->parts == 0 && counts[i]->launches > 0) {
			kc_str_puts(&why, "the result does not have its "
					  "kernels");
		} else {
			continue;
		}
		text.len = 0;
		if (k.markdown) {
			kc_md_code(&text, config->data, config->len);
			kc_str_puts(&text, ": ");
			kc_md_text(&text, why.data, why.len);
			printf("\n%s\n", text.data);
		} else {
			kc_text(&text, config->data, config->len);
			kc_str_puts(&text, ": ");
			kc_text(&text, why.data, why.len);
			puts(text.data);
		}
		kc_str_free(&why);
	}
	kc_str_free(&text);
}

static void
put_case(const struct kc_count *const *counts, size_t n)
{
	const struct kc_field *of = &k.vocab.cases.at[counts[0]->of];
	struct tables tables = {0};
	struct kc_str text = {0};
	struct line *line;
	size_t lines, i;

	line = lines_of(counts, n, &lines);
	fill(&tables, counts, n, line, lines);
	if (k.shown++ > 0)
		putchar('\n');
	if (k.markdown) {
		kc_md_code(&text, of->data, of->len);
		printf("### %s\n\n", text.data);
		kc_md_print(&tables.md, true);
	} else {
		kc_text(&text, of->data, of->len);
		puts(text.data);
		for (i = 0; i < tables.text.rows; i++)
			kc_table_put(&tables.text, i, 0, n);
	}
	put_reasons(counts, n);
	kc_table_free(&tables.text);
	kc_str_free(&text);
	free(line);
}

static void
put_marks(void)
{
	const char *start = k.markdown ? "- " : "";

	if (k.shared || k.cut)
		putchar('\n');
	if (k.shared)
		printf("%s[1] several kernels of one table have this name: it "
		       "stands for all of them.\n",
		       start);
	if (k.cut)
		printf("%s[2] the log cuts the name here: it may stand for "
		       "several kernels.\n",
		       start);
}

static bool
selected(const struct kc_count *c)
{
	return kc_patterns_match(&k.cases, &k.vocab.cases.at[c->of]) &&
	       kc_patterns_match(&k.configs, &k.vocab.configs.at[c->config]);
}

int
main(int argc, char **argv)
{
	const struct kc_count **counts;
	size_t i, n = 0;
	int opt;

	kc_start(&program);
	kc_bound_memory();
	opterr = 0;
	while ((opt = getopt(argc, argv, ":c:hl:mV")) != -1) {
		switch (opt) {
		case 'c':
			kc_patterns_add(&k.cases, optarg);
			break;
		case 'l':
			kc_patterns_add(&k.configs, optarg);
			break;
		case 'm':
			k.markdown = true;
			break;
		default:
			kc_common_option(opt);
		}
	}
	k.result.vocab = &k.vocab;
	kc_in_each(argv + optind, kc_result_read, &k.result);
	kc_vocab_sort(&k.vocab);
	kc_result_end(&k.result);
	read_shared();
	if (k.result.n > 0 && k.result.parts == 0)
		kc_die("%s: no kernel in any row, expected what 'kc-totals -k' "
		       "adds",
		       k.result.name);
	counts = kc_alloc((k.result.n + 1) * sizeof(*counts));
	for (i = 0; i < k.result.n; i++) {
		const struct kc_count *c = &k.result.count[i];

		if (n > 0 && counts[0]->of != c->of) {
			put_case(counts, n);
			n = 0;
		}
		if (selected(c))
			counts[n++] = c;
	}
	if (n > 0)
		put_case(counts, n);
	if (k.shown == 0)
		kc_die("%s: no count of such a case, expected a name or a "
		       "pattern of one",
		       k.result.name);
	put_marks();
	return kc_finish(KC_OK);
}
