/* forms.c: logs of every form that benches print. See LICENSE. */
#include <stdio.h>
#include <string.h>

#include "forms.h"

#define FULL_REST                                                            \
	"\n    KernelSettings {\n        mappings: [],\n        cube_dim: "  \
	"CubeDim {\n            x: 32,\n            y: 8,\n        },\n    " \
	"},\n    Some(\"Success\"),\n) CubeCount 12 x 1 x 1"

#define NAME_100                                                               \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* clang-format off */
const struct form forms[] = {
	{.name = "cubecl 0.3 to 0.5: no launch lines",
	 .style = ZEROES, .n = 1,
	 .bench = {{.id = "forward/a",
		.first = {{{"ElemwiseFuse", 4, NULL}, {"CmmaLaunch", 2, NULL}}},
		.warm = {{{"ElemwiseFuse", 3, NULL}, {"CmmaLaunch", 2, NULL}}},
		.measured = {{{"ElemwiseFuse", 3, NULL}, {"CmmaLaunch", 2, NULL}}}}}},
	{.name = "cubecl 0.3 to 0.5: an iteration that launches nothing",
	 .style = ZEROES, .n = 1,
	 .bench = {{.id = "forward/nothing",
		.first = {{{"CastKernel", 1, NULL}}}}}},
	{.name = "cubecl 0.6 and later, basic",
	 .style = LAUNCHES, .n = 1,
	 .bench = {{.id = "forward/mamba2",
		.first = {{{"MatmulEntry | f32 | Lhs", 4, NULL}, {"UnaryNumeric | f32", 3, NULL}}},
		.warm = {{{"MatmulEntry | f32 | Lhs", 2, NULL}, {"UnaryNumeric | f32", 3, NULL}}},
		.measured = {{{"MatmulEntry | f32 | Lhs", 2, NULL}, {"UnaryNumeric | f32", 3, NULL}}}}}},
	{.name = "set-up that syncs, before the announcement and after it",
	 .style = LAUNCHES | BEFORE, .n = 1,
	 .bench = {{.id = "train/a",
		.setup = {{{"FillKernel | f32", 3, NULL}}},
		.first = {{{"Gemm | f32", 2, NULL}, {"CastKernel | f16", 2, NULL}}},
		.warm = {{{"Gemm | f32", 2, NULL}, {"CastKernel | f16", 1, NULL}}},
		.measured = {{{"Gemm | f32", 2, NULL}, {"CastKernel | f16", 1, NULL}}}}}},
	{.name = "a last table after Success, launches never synced",
	 .style = LAUNCHES | LATE | PENDING, .n = 1,
	 .bench = {{.id = "step/a",
		.first = {{{"Gemm | f32", 2, NULL}}},
		.warm = {{{"Gemm | f32", 2, NULL}}},
		.measured = {{{"Gemm | f32", 2, NULL}}}}}},
	{.name = "level full: launch lines over several lines",
	 .style = LAUNCHES, .n = 1,
	 .bench = {{.id = "forward/full",
		.first = {{{"x::Kernel<f32, C>: (", 1, FULL_REST}, {"y::Other<f16>: (", 1, FULL_REST}}},
		.warm = {{{"x::Kernel<f32, C>: (", 1, FULL_REST}}},
		.measured = {{{"x::Kernel<f32, C>: (", 1, FULL_REST}, {"y::Other<f16>: (", 1, FULL_REST}}}}}},
	{.name = "compilation and autotune lines in between",
	 .style = LAUNCHES | NOISE, .n = 1,
	 .bench = {{.id = "forward/tuned",
		.first = {{{"MatmulA | f32", 7, NULL}, {"MatmulB | f32", 4, NULL}}},
		.warm = {{{"MatmulB | f32", 2, NULL}}},
		.measured = {{{"MatmulB | f32", 2, NULL}}}}}},
	{.name = "stdout and stderr in one file",
	 .style = LAUNCHES | MERGED, .n = 1,
	 .bench = {{.id = "forward/merged",
		.first = {{{"Gemm | f32", 3, NULL}}},
		.warm = {{{"Gemm | f32", 2, NULL}}},
		.measured = {{{"Gemm | f32", 2, NULL}}}}}},
	{.name = "carriage returns and a byte-order mark",
	 .style = LAUNCHES | CRLF | BOM, .n = 1,
	 .bench = {{.id = "forward/crlf",
		.first = {{{"Gemm | f32", 2, NULL}}},
		.warm = {{{"Gemm | f32", 2, NULL}}},
		.measured = {{{"Gemm | f32", 2, NULL}}}}}},
	{.name = "kernels named as the table's own words",
	 .style = LAUNCHES, .n = 1, .rises = true,
	 .bench = {{.id = "forward/words",
		.first = {{{"Total", 1, NULL}, {"Name", 2, NULL}}},
		.warm = {{{"Total", 1, NULL}, {"Total | f32", 2, NULL}}},
		.measured = {{{"Total", 1, NULL}, {"Name", 2, NULL},
			{"Total | f32", 1, NULL}, {"Ratio | 1ns | 7 | 100 %", 1, NULL},
			{"|\xE2\x8E\xAF\xE2\x8E\xAF|", 1, NULL}}}}}},
	{.name = "an id called Testing forward/a",
	 .style = LAUNCHES, .n = 1,
	 .bench = {{.id = "Testing forward/a",
		.first = {{{"Gemm", 2, NULL}}},
		.warm = {{{"Gemm", 1, NULL}}},
		.measured = {{{"Gemm", 1, NULL}}}}}},
	{.name = "an id called Success",
	 .style = ZEROES, .n = 1,
	 .bench = {{.id = "Success",
		.first = {{{"Gemm", 2, NULL}}},
		.warm = {{{"Gemm", 1, NULL}}},
		.measured = {{{"Gemm", 1, NULL}}}}}},
	{.name = "an id with bars, spaces and Unicode",
	 .style = LAUNCHES, .n = 1,
	 .bench = {{.id = "group | x/\xC3\xA9t\xC3\xA9: 1\\2 \xE2\x8E\xAF#",
		.first = {{{"Gemm", 2, NULL}}},
		.warm = {{{"Gemm", 1, NULL}}},
		.measured = {{{"Gemm", 1, NULL}}}}}},
	{.name = "an id that the harness cuts at 100 bytes",
	 .style = LAUNCHES, .n = 1,
	 .bench = {{.id = NAME_100 "...",
		.first = {{{"Gemm", 2, NULL}}},
		.warm = {{{"Gemm", 1, NULL}}},
		.measured = {{{"Gemm", 1, NULL}}}}}},
	{.name = "cubecl 0.12: a launch that its table leaves out",
	 .style = LAUNCHES | UNKNOWN, .n = 1, .refused = true,
	 .bench = {{.id = "forward/unmeasured",
		.first = {{{"Gemm", 2, NULL}}},
		.warm = {{{"Gemm", 1, NULL}}},
		.measured = {{{"Gemm", 1, NULL}}}}}},
	{.name = "two devices, synced one after the other",
	 .style = LAUNCHES | TWO, .n = 1, .refused = true,
	 .bench = {{.id = "forward/two",
		.first = {{{"Gemm", 2, NULL}}},
		.warm = {{{"Gemm", 1, NULL}}},
		.measured = {{{"Gemm", 1, NULL}}}}}},
	{.name = "an iteration that launches nothing",
	 .style = LAUNCHES, .n = 1, .refused = true,
	 .bench = {{.id = "forward/nothing", .first = {{{"CastKernel", 1, NULL}}}}}},
	{.name = "two tables a case: many cases, tables that lag",
	 .style = LAUNCHES | LATE | NOT_WHOLE, .many = true, .n = 3,
	 .bench = {
		{.id = "forward/a",
		.first = {{{"Gemm | f32", 3, NULL}}},
		.measured = {{{"Gemm | f32", 2, NULL}}}},
		{.id = "forward/b",
		.first = {{{"Gemm | f32", 5, NULL}, {"Cast", 1, NULL}}},
		.measured = {{{"Gemm | f32", 4, NULL}}}},
		{.id = "step/a",
		.first = {{{"Gemv", 1, NULL}}},
		.measured = {{{"Gemv", 1, NULL}, {"Cast", 2, NULL}}}}}},
	{.name = "two tables a case: before 0.6",
	 .style = ZEROES | MERGED | NOT_WHOLE, .many = true, .n = 2,
	 .bench = {
		{.id = "forward/a",
		.first = {{{"Gemm", 3, NULL}}},
		.measured = {{{"Gemm", 2, NULL}}}},
		{.id = "forward/b",
		.first = {{{"Gemm", 5, NULL}, {"Cast", 1, NULL}}},
		.measured = {{{"Gemm", 4, NULL}}}}}},
};
/* clang-format on */
const size_t forms_n = sizeof(forms) / sizeof(*forms);

static const char *const durations[] = {
	"12.5\xC2\xB5s", "1.25ms", "870ns", "1s", "2.000001ms", "41.7\xC2\xB5s",
};
enum { DURATIONS = sizeof(durations) / sizeof(*durations) };

/* Characters, which Rust's padding counts; cubecl's widths count bytes. */
static size_t
chars(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void
column(struct kc_str *out, const char *text, size_t width)
{
	size_t n = chars(text);

	kc_str_puts(out, text);
	for (; n < width; n++)
		kc_str_puts(out, " ");
	kc_str_puts(out, " |");
}

static void
ruler(struct kc_str *out, const char *c, size_t n)
{
	kc_str_puts(out, "|");
	for (; n > 0; n--)
		kc_str_puts(out, c);
	kc_str_puts(out, "| \n");
}

struct columns {
	size_t width[4];
};

static void
row(struct kc_str *out, const struct columns *c, const char *name,
    const char *duration, const char *launches, const char *ratio)
{
	const char *text[4] = {name, duration, launches, ratio};
	size_t i;

	kc_str_puts(out, "|");
	for (i = 0; i < 4; i++) {
		kc_str_puts(out, " ");
		column(out, text[i], c->width[i]);
	}
	kc_str_puts(out, "\n");
}

static void
widen(size_t *width, const char *text)
{
	if (strlen(text) > *width)
		*width = strlen(text);
}

uint64_t
launches_of(const struct sync *sync)
{
	const struct launched *k;
	uint64_t n = 0;

	for (k = sync->kernel; k->name != NULL; k++)
		n += k->times;
	return n;
}

static void
put_table(struct kc_str *out, const struct sync *sync)
{
	struct columns c = {{5, 8, 12, 5}};
	const struct launched *k;
	char number[32];
	size_t length, i = 0;

	for (k = sync->kernel; k->name != NULL; k++) {
		widen(&c.width[0], k->name);
		widen(&c.width[1], durations[i++ % DURATIONS]);
	}
	length = c.width[0] + c.width[1] + c.width[2] + c.width[3] + 11;
	ruler(out, "\xE2\x8E\xBA", length);
	row(out, &c, "Name", "Duration", "Num Computed", "Ratio");
	ruler(out, "\xE2\x8E\xBC", length);
	i = 0;
	for (k = sync->kernel; k->name != NULL; k++) {
		(void)snprintf(number, sizeof(number), "%u", k->times);
		row(out, &c, k->name, durations[i % DURATIONS], number,
		    i == 0 ? "75 %" : "8 %");
		i++;
	}
	ruler(out, "\xE2\x8E\xBC", length);
	(void)snprintf(number, sizeof(number), "%u",
		       (unsigned)launches_of(sync));
	row(out, &c, "Total", i > 0 ? "14.625ms" : "0ns", number, "100 %");
	ruler(out, "\xE2\x8E\xAF", length);
	kc_str_puts(out, "\n");
}

static void
put_launches(struct kc_str *out, const struct form *form,
	     const struct sync *sync)
{
	const struct launched *k;
	size_t i = 0;
	unsigned n;

	if (!(form->style & LAUNCHES))
		return;
	for (k = sync->kernel; k->name != NULL; k++)
		for (n = 0; n < k->times; n++) {
			kc_str_puts(out, "| ");
			column(out, durations[i++ % DURATIONS], 10);
			kc_str_puts(out, " ");
			kc_str_puts(out, k->name);
			if (k->rest != NULL)
				kc_str_puts(out, k->rest);
			kc_str_puts(out, "\n");
			if (n == 0 && (form->style & NOISE))
				kc_str_puts(out,
					    "Fastest result Matmul-Key { m: 8 "
					    "}. \n"
					    "Top 3 times: [12.5\xC2\xB5s, "
					    "1ms]\n"
					    "[compilation] \xE2\x80\xA6\n"
					    "    | not a launch\n");
		}
}

static void
put_sync(struct kc_str *out, const struct form *form, const struct sync *sync)
{
	put_launches(out, form, sync);
	if (sync->kernel[0].name != NULL || (form->style & ZEROES))
		put_table(out, sync);
}

static void
put_stderr(struct kc_str *out, const struct form *form, const char *text)
{
	if (form->style & MERGED)
		kc_str_puts(out, text);
}

static const struct sync before = {{{"SetUp | f32", 2, NULL}}};
static const struct sync second = {{{"Gemm | CudaRuntime", 2, NULL}}};

static void
put_warmups(struct kc_str *out, const struct form *form, const struct bench *b,
	    unsigned warmups)
{
	unsigned i;

	if (b->setup.kernel[0].name != NULL)
		put_sync(out, form, &b->setup);
	for (i = 0; i < warmups; i++) {
		put_sync(out, form, i == 0 ? &b->first : &b->warm);
		if (form->style & TWO)
			put_sync(out, form, &second);
	}
}

static void
put_one(struct kc_str *out, const struct form *form, unsigned warmups)
{
	const struct bench *b = form->bench;

	put_stderr(out, form, "error: XDG_RUNTIME_DIR is not set.\n");
	kc_str_puts(out, "Testing ");
	kc_str_puts(out, b->id);
	kc_str_puts(out, "\n");
	put_stderr(out, form, "bench-config: batch=2 seq=64\n");
	put_warmups(out, form, b, warmups);
	put_stderr(out, form, "warming up is done: 3 | 4\n");
	put_launches(out, form, &b->measured);
	if (form->style & UNKNOWN)
		kc_str_puts(out, "| not measured | Gemm\n");
	if (form->style & LATE)
		kc_str_puts(out, "Success\n\n");
	if (b->measured.kernel[0].name != NULL || (form->style & ZEROES))
		put_table(out, &b->measured);
	if (form->style & TWO)
		put_sync(out, form, &second);
	if (form->style & PENDING)
		put_launches(out, form, &before);
	if (!(form->style & LATE))
		kc_str_puts(out, "Success\n\n");
}

/* All cases in one process; with LATE each case's last table comes after the
 * next case's announcement, as when the logger is behind. */
static void
put_many(struct kc_str *out, const struct form *form)
{
	const struct sync *behind = NULL;
	size_t i;

	put_stderr(out, form, "bench-config: batch=2 seq=64\n");
	for (i = 0; i < form->n; i++) {
		const struct bench *b = &form->bench[i];

		kc_str_puts(out, "Testing ");
		kc_str_puts(out, b->id);
		kc_str_puts(out, "\n");
		if (behind != NULL)
			put_sync(out, form, behind);
		put_sync(out, form, &b->first);
		put_stderr(out, form, "a word on stderr\n");
		if (form->style & LATE)
			behind = &b->measured;
		else
			put_sync(out, form, &b->measured);
		kc_str_puts(out, "Success\n\n");
	}
	if (behind != NULL)
		put_sync(out, form, behind);
}

/* Each newline becomes a carriage return and a newline. */
static void
add_returns(struct kc_str *text)
{
	struct kc_str out = {0};
	size_t i;

	for (i = 0; i < text->len; i++) {
		if (text->data[i] == '\n')
			kc_str_puts(&out, "\r");
		kc_str_add(&out, text->data + i, 1);
	}
	kc_str_free(text);
	*text = out;
}

void
compose(struct kc_str *out, const struct form *form, unsigned warmups)
{
	if (form->style & BOM)
		kc_str_puts(out, "\xEF\xBB\xBF");
	if (form->style & BEFORE)
		put_sync(out, form, &before);
	if (form->many)
		put_many(out, form);
	else
		put_one(out, form, warmups);
	if (!(form->style & NOT_WHOLE))
		kc_str_puts(out, "kc: whole\n");
	if (form->style & CRLF)
		add_returns(out);
}
