/*
 * fuzz-log.c: any bytes as a log. See LICENSE.
 *
 * kc-totals must read the same rows from a log however its bytes arrive, say
 * only what it saw (a good table's kernels add up to its total), and stay
 * within its memory. Inputs are small, so a byte 0xFE, which is in no UTF-8,
 * repeats the line before it: the fast path over launch lines starts at blocks
 * of 4 KiB.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "sandbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
expand(struct kc_str *out, const char *data, size_t len)
{
	size_t i, line = 0, n;

	kc_str_puts(out, "");
	for (i = 0; i < len; i++) {
		if ((unsigned char)data[i] != 0xfe) {
			kc_str_add(out, data + i, 1);
			if (data[i] != '\n')
				continue;
			if (i + 1 >= len || (unsigned char)data[i + 1] != 0xfe)
				line = out->len;
			continue;
		}
		n = out->len - line;
		if (n > 0 && n < 4096 && out->len < (1 << 14)) {
			char *copy = kc_copy(out->data + line, n);
			size_t times;

			for (times = 0; times * n < 6000; times++)
				kc_str_add(out, copy, n);
			free(copy);
		}
		line = out->len;
	}
}

/* Every `ok` row of a table is the sum of the kernel rows before it. */
static void
check_sums(const struct sb_run *run)
{
	const char *at = run->out, *end = run->out + run->out_len;
	uint64_t sum = 0;
	bool any = false;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *t1, *t2, *t3;
		uint64_t n;

		sb_check(nl != NULL, "a row without its newline", run);
		t1 = memchr(at, '\t', (size_t)(nl - at));
		if (*at != '#' && *at != '-') {
			sb_check(t1 != NULL, "a row without fields", run);
			t2 = memchr(t1 + 1, '\t', (size_t)(nl - t1 - 1));
			sb_check(t2 != NULL, "a row without a state", run);
			t3 = memchr(t2 + 1, '\t', (size_t)(nl - t2 - 1));
			sb_check(kc_number(at, (size_t)(t1 - at), &n) == NULL,
				 "a row's number is none", run);
			if (t3 != NULL) {
				sb_check(kc_add(&sum, n), "too large", run);
				any = true;
			} else {
				sb_check(!any || sum == n,
					 "kernels do not add up", run);
				sum = 0;
				any = false;
			}
		}
		at = nl + 1;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "kc-totals", k[] = "-k", c[] = "-c", id[] = "a/b",
	     log[] = "log", end[] = "--";
	char *kernels[] = {name, k, log, NULL};
	char *plain[] = {name, log, NULL};
	char *given[] = {name, c, id, end, log, NULL};
	struct kc_str text = {0};
	struct sb_file file = {"log", NULL, 0};
	size_t steps[4], i;
	struct sb_run whole = {.filter = sb_kc_totals, .files = &file, .n = 1},
		      parts;
	unsigned flags;

	if (size < 3)
		return 0;
	flags = data[0];
	for (i = 0; i < 4; i++)
		steps[i] = (data[1 + i / 2] >> 4 * (i % 2)) & 15;
	/* Not only EINTR, and one step that is larger than a block. */
	steps[0]++;
	if (flags & 4)
		steps[3] *= 700;
	expand(&text, (const char *)data + 3, size - 3);
	for (i = 0; text.len > 4096 && i < 4; i++)
		steps[i] *= 61;
	file.data = text.data;
	file.len = text.len;
	whole.argv = flags & 1 ? kernels : flags & 2 ? given : plain;
	parts = whole;
	parts.steps = steps;
	parts.steps_n = 4;
	sb_run(&whole);
	sb_check(whole.status == 0, "a log that can be read is no trouble",
		 &whole);
	check_sums(&whole);
	sb_run(&parts);
	sb_check(parts.status == whole.status &&
			 kc_same(parts.out, parts.out_len, whole.out,
				 whole.out_len),
		 "other rows when the log arrives in parts", &whole);
	sb_check(whole.peak < (4 << 20) && parts.peak < (4 << 20),
		 "more memory than such a log needs", NULL);
	sb_free(&whole);
	sb_free(&parts);
	kc_str_free(&text);
	return 0;
}
