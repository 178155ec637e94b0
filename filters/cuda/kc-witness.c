/*
 * kc-witness: what kc-run counted of a case with one warm-up iteration and with
 * two, as a witness for kc-pair(1): the difference is one iteration. See
 * LICENSE.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kc.h"
#include "row.h"

static const struct kc_program program = {
	"kc-witness",
	"[-hV] [-c case] [-w who] one two",
	"Tell how many kernels one iteration launches, from two processes' "
	"totals.",
};

static struct {
	const char *name; /* of the case */
	const char *who;
} run = {NULL, "libcuda"};

/* What a file says of the case: a number, a lower bound, or neither and why. */
struct total {
	bool seen, counted, bound;
	uint64_t n;
	char *verdict;
};

static void
read_row(struct total *t, const struct kc_row *row, const struct kc_in *in)
{
	const struct kc_field *n = &row->field[0];
	const char *digits = n->data, *why;
	size_t len = n->len;

	if (row->n < 4)
		kc_die("%s:%" PRIu64 ": not a row of kc-run's, expected "
		       "LAUNCHES VERDICT CONFIG CASE",
		       in->name, in->line);
	if (row->n > 4) /* of a kernel */
		return;
	if (run.name != NULL && !kc_field_is(&row->field[3], run.name))
		return;
	if (t->seen)
		kc_die("%s:%" PRIu64 ": a second row of the case, expected one",
		       in->name, in->line);
	t->seen = true;
	t->verdict = kc_copy(row->field[1].data, row->field[1].len);
	if (kc_field_is(n, "-"))
		return;
	t->bound = kc_field_starts(n, ">=");
	if (t->bound) {
		digits += 2;
		len -= 2;
	}
	why = kc_number(digits, len, &t->n);
	if (why != NULL)
		kc_die("%s:%" PRIu64 ": bad count: %s", in->name, in->line,
		       why);
	t->counted = true;
}

static struct total
read_total(const char *path)
{
	struct total t = {0};
	struct kc_in in;
	struct kc_line line;
	struct kc_row row;

	kc_in_open(&in, path);
	while (kc_in_line(&in, &line)) {
		if (kc_is_fact(&line))
			continue;
		kc_row_split(&row, &line, &in);
		read_row(&t, &row, &in);
	}
	kc_in_close(&in);
	if (!t.seen)
		kc_die("%s: no row of the case, expected one", path);
	return t;
}

static void
put(const char *word)
{
	kc_put_text(word);
	kc_put_text("\t");
	if (run.name != NULL)
		kc_put_field(run.name, strlen(run.name), false);
	kc_put_text("\t");
}

int
main(int argc, char **argv)
{
	struct total one, two;
	int opt;

	kc_start(&program);
	opterr = 0;
	while ((opt = getopt(argc, argv, ":c:hVw:")) != -1) {
		switch (opt) {
		case 'c':
			run.name = optarg;
			break;
		case 'w':
			run.who = optarg;
			break;
		default:
			kc_common_option(opt);
		}
	}
	if (argc - optind != 2)
		kc_usage("expected two files");
	one = read_total(argv[optind]);
	two = read_total(argv[optind + 1]);
	if (!one.counted || !two.counted)
		kc_die("%s: %s", argv[optind + (one.counted ? 1 : 0)],
		       one.counted ? two.verdict : one.verdict);
	if (one.bound || two.bound) {
		/* Then the case's own count is one, too. */
		const char *why = two.bound ? two.verdict : one.verdict;
		const char *skip = "bound: ";

		if (strncmp(why, skip, strlen(skip)) == 0)
			why += strlen(skip);
		put("#bound");
		kc_put_field(why, strlen(why), false);
	} else if (two.n < one.n) {
		kc_die("%s: %" PRIu64 " launches with more iterations than "
		       "the %" PRIu64 " of '%s'",
		       argv[optind + 1], two.n, one.n, argv[optind]);
	} else {
		put("#witness");
		kc_put_number(two.n - one.n);
		kc_put_text("\t");
		kc_put_field(run.who, strlen(run.who), false);
	}
	kc_put_text("\n");
	return kc_finish(KC_OK);
}
