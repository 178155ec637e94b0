/*
 * fuzz-count.c: a bench of the input's making, damage to its logs, and the
 * count that comes of them. See LICENSE.
 *
 * The input is a recipe: what the bench launches, which form its logs have
 * (../exhaustive/forms.h), and up to three damages to each of two logs, not the
 * same ones. Two logs that agree by chance on a number that is not the bench's
 * would each need the same change in a row, in a total and in a launch line,
 * which is more than three: so the count is true, or refused.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "sandbox.h"

enum { DAMAGES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *at, *end;

/* The next byte of the recipe, below `n`. */
static unsigned
next(unsigned n)
{
	return at < end ? *at++ % n : 0;
}

static size_t
place(size_t n)
{
	size_t a = next(256), b = next(256);

	return n > 0 ? (a * 256 + b) % n : 0;
}

static void
make_sync(struct sync *sync)
{
	static const char *const names[] = {"Gemm | f32", "Total",	 "Cast",
					    "Name",	  "Total | f32", "x"};
	unsigned i, n = next(4);

	memset(sync, 0, sizeof(*sync));
	/* Each name once: a table has one row for it. */
	for (i = 0; i < n; i++)
		sync->kernel[i] = (struct launched){names[(i * 2 + n) % 6],
						    1 + next(3), NULL};
}

static void
make_form(struct form *form)
{
	static const unsigned styles[] = {
		LAUNCHES,	   ZEROES,
		LAUNCHES | LATE,   LAUNCHES | PENDING,
		LAUNCHES | BEFORE, LAUNCHES | CRLF | BOM,
		LAUNCHES | MERGED, ZEROES | BEFORE};

	memset(form, 0, sizeof(*form));
	form->style = styles[next(8)];
	form->n = 1;
	form->bench[0].id = "forward/a";
	make_sync(&form->bench[0].setup);
	make_sync(&form->bench[0].first);
	make_sync(&form->bench[0].warm);
	make_sync(&form->bench[0].measured);
}

/* Where the line that holds byte `i` begins, and where the next does. */
static void
line_of(const struct kc_str *log, size_t i, size_t *from, size_t *to)
{
	for (*from = i; *from > 0 && log->data[*from - 1] != '\n'; --*from)
		;
	for (*to = i; *to < log->len && log->data[*to] != '\n'; ++*to)
		;
	*to += *to < log->len;
}

static void
damage(struct kc_str *log)
{
	static const char *const texts[] = {
		"\n",
		"progress ",
		"7",
		"bench-config: a=1\n",
		"| ",
		"\r\n",
		"thread 'main' (1) panicked at a.rs:1:1:\n",
		"error\n"};
	struct kc_str out = {0};
	size_t a = place(log->len + 1), b = place(log->len + 1), a0, a1, b0, b1;
	const char *text;

	kc_str_puts(&out, "");
	line_of(log, a, &a0, &a1);
	line_of(log, b, &b0, &b1);
	switch (next(6)) {
	case 0: /* a foreign text */
		text = texts[next(8)];
		kc_str_add(&out, log->data, a);
		kc_str_puts(&out, text);
		kc_str_add(&out, log->data + a, log->len - a);
		break;
	case 1: /* a line less */
		kc_str_add(&out, log->data, a0);
		kc_str_add(&out, log->data + a1, log->len - a1);
		break;
	case 2: /* a line again, somewhere */
		kc_str_add(&out, log->data, b0);
		kc_str_add(&out, log->data + a0, a1 - a0);
		kc_str_add(&out, log->data + b0, log->len - b0);
		break;
	case 3: /* another digit */
		kc_str_add(&out, log->data, log->len);
		for (; a < out.len; a++)
			if (out.data[a] >= '0' && out.data[a] <= '9') {
				out.data[a] = (char)('0' + next(10));
				break;
			}
		break;
	case 4: /* the end is lost */
		kc_str_add(&out, log->data, a);
		break;
	default: /* a byte less */
		kc_str_add(&out, log->data, a);
		if (a < log->len)
			kc_str_add(&out, log->data + a + 1, log->len - a - 1);
		break;
	}
	kc_str_free(log);
	*log = out;
}

static void
totals(struct sb_run *run, const struct kc_str *log)
{
	static char name[] = "kc-totals", c[] = "-c", id[] = "forward/a",
		    path[] = "log";
	char *argv[] = {name, c, id, path, NULL};
	struct sb_file file = {"log", log->data, log->len};

	*run = (struct sb_run){
		.filter = sb_kc_totals, .argv = argv, .files = &file, .n = 1};
	sb_run(run);
	sb_check(run->status == 0, "a log that cannot be read", run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "kc-pair", l[] = "-lx", ids[] = "ids", one[] = "1",
	     two[] = "2";
	char *argv[] = {name, l, ids, one, two, NULL};
	struct sb_file files[] = {
		{"ids", "forward/a\n", 10}, {"1", NULL, 0}, {"2", NULL, 0}};
	struct sb_run rows[2], judge = {.filter = sb_kc_pair,
					.argv = argv,
					.files = files,
					.n = 3};
	struct kc_str log[2] = {{0}, {0}};
	struct form form;
	uint64_t n = 0;
	size_t i, k, times[2];
	const char *row, *tab;

	at = data;
	end = data + size;
	make_form(&form);
	/* The measured iteration's count must be seen, and nobody else's be
	 * taken for it: see ../exhaustive/README.md. */
	times[0] = next(DAMAGES + 1);
	times[1] = next(DAMAGES + 1);
	if (form.bench[0].measured.kernel[0].name == NULL &&
	    !(form.style & ZEROES))
		return 0;
	for (i = 0; i < 2; i++) {
		compose(&log[i], &form, (unsigned)i + 1);
		for (k = 0; k < times[i]; k++)
			damage(&log[i]);
		totals(&rows[i], &log[i]);
		files[i + 1].data = rows[i].out;
		files[i + 1].len = rows[i].out_len;
	}
	sb_run(&judge);
	row = judge.out;
	while (*row == '#')
		row = strchr(row, '\n') + 1;
	if (judge.status == 0) {
		tab = strchr(row, '\t');
		sb_check(tab != NULL && kc_number(row, (size_t)(tab - row),
						  &n) == NULL,
			 "status 0 and no number", &judge);
		if (n != launches_of(&form.bench[0].measured)) {
			sb_check(0, log[0].data, NULL);
			sb_check(0, log[1].data, &judge);
		}
	} else {
		sb_check(judge.status == 2 && judge.err_len > 0 &&
				 *row != '\0' && *row == '-',
			 "refused in another way", &judge);
	}
	for (i = 0; i < 2; i++) {
		sb_free(&rows[i]);
		kc_str_free(&log[i]);
	}
	sb_free(&judge);
	return 0;
}
