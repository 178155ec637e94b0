/*
 * kc-json: a result in, JSON for github-action-benchmark out. See LICENSE.
 *
 * The shape is that tool's "customSmallerIsBetter": an array, not empty, of
 * objects with a name, a unit and a value, and perhaps an extra text
 * (benchmark-action/github-action-benchmark, src/extract.ts). What has no exact
 * count has no value there, so it is left out and named.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "result.h"
#include "row.h"
#include "text.h"

static const struct kc_program program = {
	"kc-json",
	"[-hV] [rows ...]",
	"Reads a result; writes JSON for github-action-benchmark.",
};

/* Numbers in that tool are IEEE 754 doubles: whole ones are exact up to 2^53
 * (ECMA-262, Number.MAX_SAFE_INTEGER). */
#define VALUE_MAX ((UINT64_C(1) << 53) - 1)

/* Text inside a JSON string (RFC 8259, section 7). Bytes that are not UTF-8,
 * which JSON cannot hold, are U+FFFD. */
static void
put_text(const char *data, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)data[i];

		n = kc_utf8(data + i, len - i);
		if (n == 0) {
			fputs("\xEF\xBF\xBD", stdout);
			n = 1;
		} else if (c == '"' || c == '\\') {
			printf("\\%c", c);
		} else if (c < 0x20) {
			printf("\\u%04x", c);
		} else {
			fwrite(data + i, 1, n, stdout);
		}
	}
}

static const struct kc_field *
device_of(const struct kc_result *r, const struct kc_field *config)
{
	static char word[] = "#device";
	const struct kc_field device = {word, strlen(word)};
	const struct kc_field *found = NULL;
	const struct kc_fact *fact;
	size_t i, n;

	fact = kc_result_facts(r, &device, config, &n);
	for (i = 0; i < n; i++) {
		const struct kc_row *row = &fact[i].row;

		if (row->n != 3)
			continue;
		/* Counts of two devices are not to be shown as one's. */
		if (found != NULL && !kc_field_same(found, &row->field[2]))
			kc_die("%s: configuration %s is of two devices, %s and "
			       "%s, expected one",
			       r->name, kc_quote(config->data, config->len),
			       kc_quote(found->data, found->len),
			       kc_quote(row->field[2].data, row->field[2].len));
		found = &row->field[2];
	}
	return found;
}

/* Why a count has no value, or NULL. */
static const char *
no_value(const struct kc_count *c)
{
	if (c->verdict == KC_REFUSED)
		return "refused";
	if (c->verdict == KC_BOUND)
		return "a lower bound";
	return c->launches > VALUE_MAX ? "too large for a JSON number" : NULL;
}

static void
put_entry(const struct kc_result *r, const struct kc_count *c,
	  const struct kc_field *device, bool first)
{
	const struct kc_field *config = &r->vocab->configs.at[c->config];
	const struct kc_field *of = &r->vocab->cases.at[c->of];

	fputs(first ? "\n  {\"name\": \"" : ",\n  {\"name\": \"", stdout);
	put_text(of->data, of->len);
	fputs(" (", stdout);
	put_text(config->data, config->len);
	printf(")\", \"unit\": \"launches\", \"value\": %" PRIu64
	       ", \"extra\": \"%s",
	       c->launches, kc_verdict_name(c->verdict));
	if (device != NULL) {
		fputs("\\n", stdout);
		put_text(device->data, device->len);
	}
	fputs("\"}", stdout);
}

int
main(int argc, char **argv)
{
	struct kc_vocab vocab = {0};
	struct kc_result result = {.vocab = &vocab};
	const struct kc_field **device;
	int status = KC_OK, opt;
	size_t i, n = 0;

	kc_start(&program);
	kc_bound_memory();
	opterr = 0;
	while ((opt = getopt(argc, argv, ":hV")) != -1)
		kc_common_option(opt);
	kc_in_each(argv + optind, kc_result_read, &result);
	kc_vocab_sort(&vocab);
	kc_result_end(&result);
	/* What is wrong with them is said before anything is written. */
	device = kc_alloc(vocab.configs.n * sizeof(*device));
	for (i = 0; i < vocab.configs.n; i++)
		device[i] = device_of(&result, &vocab.configs.at[i]);
	for (i = 0; i < result.n; i++) {
		const struct kc_count *c = &result.count[i];
		const struct kc_field *of = &vocab.cases.at[c->of];
		const struct kc_field *config = &vocab.configs.at[c->config];

		if (no_value(c) != NULL) {
			kc_warn("%s of %s left out: %s",
				kc_quote(of->data, of->len),
				kc_quote(config->data, config->len),
				no_value(c));
			status = KC_TROUBLE;
			continue;
		}
		if (n == 0)
			putchar('[');
		put_entry(&result, c, device[c->config], n++ == 0);
	}
	if (n == 0)
		kc_die("%s: no exact count, expected one at least",
		       result.name);
	fputs("\n]\n", stdout);
	return kc_finish(status);
}
