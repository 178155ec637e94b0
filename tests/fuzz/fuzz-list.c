/*
 * fuzz-list.c: any bytes as a harness's list. See LICENSE.
 *
 * Each line that ends in `: benchmark` or `: bench` after something else is a
 * case, nothing else is; the ids come back from kc-pair as they went in.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "sandbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * What kc-cases should write: its contract, said another way. `cr` is whether
 * an id ends in a carriage return, which kc-pair takes for the end of a line of
 * a list written by hand; such a case has no rows there.
 */
static size_t
expected(struct kc_str *out, const char *data, size_t len, bool *cr)
{
	size_t n = 0, i = 0, j, k;

	*cr = false;

	kc_str_puts(out, "");
	while (i < len) {
		for (j = i; j < len && data[j] != '\n'; j++)
			;
		k = j;
		if (k > i && data[k - 1] == '\r')
			k--;
		if (k - i > 11 && memcmp(data + k - 11, ": benchmark", 11) == 0)
			k -= 11;
		else if (k - i > 7 && memcmp(data + k - 7, ": bench", 7) == 0)
			k -= 7;
		else
			k = i;
		if (k > i) {
			n++;
			*cr = *cr || data[k - 1] == '\r';
			if (data[i] == '#')
				kc_str_puts(out, "\\");
			for (; i < k; i++)
				if (data[i] == '\t')
					kc_str_puts(out, "\\t");
				else if (data[i] == '\\')
					kc_str_puts(out, "\\\\");
				else
					kc_str_add(out, data + i, 1);
			kc_str_puts(out, "\n");
		}
		i = j + 1;
	}
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "kc-cases", pair[] = "kc-pair", l[] = "-lcfg",
	     list[] = "list", ids[] = "ids", rows[] = "rows";
	char *cases_argv[] = {name, list, NULL};
	char *pair_argv[] = {pair, l, ids, rows, NULL};
	struct sb_file files[] = {{"list", (const char *)data, size},
				  {"ids", "", 0},
				  {"rows", "", 0}};
	size_t steps[3] = {1, 7, 300}, n;
	struct sb_run cases = {.filter = sb_kc_cases,
			       .argv = cases_argv,
			       .files = files,
			       .n = 3,
			       .steps = steps,
			       .steps_n = 3};
	struct sb_run judge = {.filter = sb_kc_pair,
			       .argv = pair_argv,
			       .files = files,
			       .n = 3};
	struct kc_str want = {0};
	bool cr;

	n = expected(&want, (const char *)data, size, &cr);
	sb_run(&cases);
	sb_check(cases.status == (n > 0 ? 0 : 2), "the wrong status", &cases);
	sb_check(kc_same(cases.out, cases.out_len, want.data, want.len),
		 "other ids than listed", &cases);
	if (n > 0) {
		size_t got = 0, i;

		files[1].data = cases.out;
		files[1].len = cases.out_len;
		sb_run(&judge);
		/* 2 in any case: no log, or a case that is listed twice. */
		sb_check(judge.status == 2, "a count out of nothing", &judge);
		for (i = 0; i < judge.out_len; i++)
			got += judge.out[i] == '\n';
		sb_check(got == n || cr ||
				 (got == 0 && strstr(judge.err, "twice")),
			 "not a row for each case", &judge);
		sb_free(&judge);
	}
	sb_free(&cases);
	kc_str_free(&want);
	return 0;
}
