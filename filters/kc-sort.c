/*
 * kc-sort: rows and facts in any order in, the result as it is kept out.
 * See LICENSE.
 *
 * The same counts give the same bytes, whatever order they came in, so the file
 * can be committed and a version control system shows what changed. Facts come
 * first, by their bytes; then the counts by case and configuration, each after
 * its kernels, the largest first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "result.h"
#include "row.h"

static const struct kc_program program = {
	"kc-sort",
	"[-hV] [rows ...]",
	"Reads count rows and facts; writes them checked and in one order.",
};

/* The largest first; equal ones by name. */
static int
by_launches(const void *a, const void *b)
{
	const struct kc_part *x = a, *y = b;

	if (x->launches != y->launches)
		return x->launches < y->launches ? 1 : -1;
	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void
put_place(const struct kc_vocab *v, const struct kc_count *c)
{
	const struct kc_field *config = &v->configs.at[c->config];
	const struct kc_field *of = &v->cases.at[c->of];

	kc_put_text("\t");
	kc_put_verdict(c);
	kc_put_text("\t");
	kc_put_field(config->data, config->len, false);
	kc_put_text("\t");
	kc_put_field(of->data, of->len, false);
}

static void
put_parts(const struct kc_vocab *v, const struct kc_count *c)
{
	struct kc_part *part = kc_alloc(c->parts * sizeof(*part));
	size_t i;

	for (i = 0; i < c->parts; i++)
		part[i] = c->part[i];
	qsort(part, c->parts, sizeof(*part), by_launches);
	for (i = 0; i < c->parts; i++) {
		const struct kc_field *kernel = &v->kernels.at[part[i].kernel];

		if (part[i].least)
			kc_put_text(">=");
		kc_put_number(part[i].launches);
		put_place(v, c);
		kc_put_text("\t");
		kc_put_field(kernel->data, kernel->len, false);
		kc_put_text("\n");
	}
	free(part);
}

int
main(int argc, char **argv)
{
	struct kc_vocab vocab = {0};
	struct kc_result result = {.vocab = &vocab};
	size_t i;
	int opt;

	kc_start(&program);
	kc_bound_memory();
	opterr = 0;
	while ((opt = getopt(argc, argv, ":hV")) != -1)
		kc_common_option(opt);
	kc_in_each(argv + optind, kc_result_read, &result);
	kc_vocab_sort(&vocab);
	kc_result_end(&result);
	if (result.n == 0)
		kc_die("%s: no count row, expected LAUNCHES, VERDICT, CONFIG, "
		       "CASE",
		       result.name);
	for (i = 0; i < result.facts; i++)
		kc_put_line(&result.fact[i].line);
	for (i = 0; i < result.n; i++) {
		if (result.count[i].parts > 0)
			put_parts(&vocab, &result.count[i]);
		kc_put_count(&result.count[i]);
		put_place(&vocab, &result.count[i]);
		kc_put_text("\n");
	}
	return kc_finish(KC_OK);
}
