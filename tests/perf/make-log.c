/*
 * make-log: writes a log as a profiled bench would, for benchmarks. See
 *LICENSE.
 *
 *	make-log BYTES
 *
 * Writes cases to stdout until about BYTES are written, then `kc: whole`.
 * Each case is what criterion and cubecl's profiling logger print (kc-log(5)):
 * `Testing ID`, then three times launch lines and their table (set-up, a
 * warm-up iteration, the measured one), then `Success`. An iteration has from
 * a hundred to thirty thousand launches, of up to forty kernels with the long
 * generic names that real logs have. The same BYTES give the same log on every
 * machine: the only source of chance is the generator below.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KERNELS = 40,
	TABLES = 3,
	LINE = 68,    /* bytes of a launch line, about */
	FEWEST = 100, /* launches of an iteration */
	MOST = 30000,
	NAME_MAX_ = 160,
	TIME_MAX = 32,
};

struct kernel {
	char name[NAME_MAX_];
	uint64_t ns;
	uint64_t launches;
};

static const char *const ops[] = {
	"Unary",       "Binary",     "Scalar",	   "ReduceDim",	  "Matmul",
	"Gather",      "Scatter",    "Softmax",	   "LayerNorm",	  "Transpose",
	"SliceAssign", "MaskFill",   "RepeatDim",  "Interpolate", "Embedding",
	"CumSum",      "ConvDirect", "RandomFill", "CastElement", "ArgMax",
};
static const char *const kinds[] = {"Kernel", "EagerKernel", "Launch", "Fuse"};
static const char *const types[] = {"f32", "f16", "bf16", "i32", "u8"};
static const char *const traits[] = {
	"CubeTensor | Copy",
	"TensorArgs",
	"Const | 4",
	"AddOp",
	"Sum | TensorArgs",
	"SimpleUnit | TuneInput",
	"CubeTensor | BasicFloatUnary",
	"OptionTensor | ReadOnce",
};
static const char *const groups[] = {"forward", "train", "step"};
static const char *const models[] = {"attention", "encoder", "mlp", "mamba",
				     "rnn"};

static uint64_t written;
static uint64_t state = 1;

#define PICK(list, n) (list)[(n) % (sizeof(list) / sizeof *(list))]

/* Knuth's 64-bit linear congruential generator (MMIX); its high bits. */
static uint32_t
chance(void)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33);
}

/* From `low` to `high`, small values as often as large: each doubling is as
 * likely as the next, and inside it all values are. */
static uint32_t
spread(uint32_t low, uint32_t high)
{
	uint32_t n = low;

	while (n < high && chance() % 8 != 0)
		n *= 2;
	n += chance() % n;
	return n < high ? n : low + chance() % (high - low);
}

static void
put(const char *data, size_t len)
{
	if (fwrite(data, 1, len, stdout) != len) {
		perror("make-log: <stdout>: write failed");
		exit(2);
	}
	written += len;
}

static void
puts_(const char *text)
{
	put(text, strlen(text));
}

static void
fill(const char *text, size_t n)
{
	while (n-- > 0)
		puts_(text);
}

/* A duration as Rust's Debug prints it: the largest unit, and no zeros at the
 * end. Returns its length in characters, of which the micro sign is one. */
static size_t
duration(char *out, uint64_t ns)
{
	static const struct {
		uint64_t unit;
		int digits;
		const char *name;
	} units[] = {{1000000000, 9, "s"},
		     {1000000, 6, "ms"},
		     {1000, 3, "\xC2\xB5s"},
		     {1, 0, "ns"}};
	size_t i = 0, n;

	while (ns < units[i].unit && i < 3)
		i++;
	n = (size_t)sprintf(out, "%" PRIu64 ".%0*" PRIu64, ns / units[i].unit,
			    units[i].digits, ns % units[i].unit);
	while (out[n - 1] == '0' && strchr(out, '.') < out + n - 1)
		n--;
	if (out[n - 1] == '.')
		n--;
	else if (units[i].digits == 0)
		n = (size_t)(strchr(out, '.') - out);
	strcpy(out + n, units[i].name);
	return n + (i == 0 || i == 3 ? strlen(units[i].name) : 2);
}

static void
make_kernels(struct kernel *kernels)
{
	size_t i;

	for (i = 0; i < KERNELS; i++) {
		int n = sprintf(kernels[i].name, "%s%s | %s", PICK(ops, i),
				PICK(kinds, i + i / 20), PICK(types, chance()));
		size_t more = chance() % 3;

		while (more-- > 0)
			n += sprintf(kernels[i].name + n, " | %s",
				     PICK(traits, chance()));
		sprintf(kernels[i].name + n, " | CudaRuntime");
	}
}

static void
put_launches(struct kernel *kernels, uint32_t launches)
{
	char line[TIME_MAX + NAME_MAX_ + 8];
	char time[TIME_MAX];

	while (launches-- > 0) {
		/* The product makes the first kernels the common ones. */
		struct kernel *k = &kernels[(uint64_t)(chance() % KERNELS) *
					    (chance() % KERNELS) / KERNELS];
		uint64_t ns = spread(800, 4000000);
		size_t n, shown = duration(time, ns);

		n = (size_t)sprintf(line, "| %s%*s | %s\n", time,
				    shown < 10 ? (int)(10 - shown) : 0, "",
				    k->name);
		put(line, n);
		k->ns += ns;
		k->launches++;
	}
}

static int
by_time(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1)
			      : strcmp(x->name, y->name);
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void
put_row(const char *name, uint64_t ns, uint64_t launches, uint64_t all,
	const size_t *width)
{
	char time[TIME_MAX], number[TIME_MAX], ratio[TIME_MAX];
	size_t shown = duration(time, ns);

	sprintf(number, "%" PRIu64, launches);
	sprintf(ratio, "%" PRIu64 " %%", ns * 100 / all);
	puts_("| ");
	puts_(name);
	fill(" ", width[0] - strlen(name));
	puts_(" | ");
	puts_(time);
	fill(" ", width[1] - shown);
	puts_(" | ");
	puts_(number);
	fill(" ", width[2] - strlen(number));
	puts_(" | ");
	puts_(ratio);
	fill(" ", width[3] - strlen(ratio));
	puts_(" |\n");
}

static void
put_ruler(const char *one, const size_t *width)
{
	puts_("|");
	fill(one, width[0] + width[1] + width[2] + width[3] + 11);
	puts_("| \n");
}

/* The table of what was launched since the last one. Column widths count
 * bytes, as cubecl's do. */
static void
put_table(const struct kernel *kernels)
{
	struct kernel sorted[KERNELS];
	size_t width[4] = {strlen("Total"), strlen("Duration"),
			   strlen("Num Computed"), strlen("Ratio")};
	uint64_t ns = 0, launches = 0;
	char time[TIME_MAX];
	size_t i;

	memcpy(sorted, kernels, sizeof(sorted));
	qsort(sorted, KERNELS, sizeof(*sorted), by_time);
	for (i = 0; i < KERNELS && sorted[i].launches > 0; i++) {
		ns += sorted[i].ns;
		launches += sorted[i].launches;
		width[0] = larger(width[0], strlen(sorted[i].name));
		duration(time, sorted[i].ns);
		width[1] = larger(width[1], strlen(time));
	}
	duration(time, ns);
	width[1] = larger(width[1], strlen(time));
	put_ruler("\xE2\x8E\xBA", width);
	puts_("| Name");
	fill(" ", width[0] - 4);
	puts_(" | Duration");
	fill(" ", width[1] - 8);
	puts_(" | Num Computed | Ratio |\n");
	put_ruler("\xE2\x8E\xBC", width);
	for (i = 0; i < KERNELS && sorted[i].launches > 0; i++)
		put_row(sorted[i].name, sorted[i].ns, sorted[i].launches, ns,
			width);
	put_ruler("\xE2\x8E\xBC", width);
	put_row("Total", ns, launches, ns, width);
	put_ruler("\xE2\x8E\xAF", width);
	puts_("\n");
}

static void
put_case(struct kernel *kernels, uint32_t number, uint64_t left)
{
	uint32_t launches = spread(FEWEST, MOST);
	char id[100];
	size_t i, table;

	sprintf(id, "%s/%s-%" PRIu32, PICK(groups, number),
		PICK(models, number), number);
	/* The last case is no larger than what is left. */
	if (launches > left / (2 * LINE))
		launches = (uint32_t)(left / (2 * LINE));
	if (launches < FEWEST)
		launches = FEWEST;
	puts_("Testing ");
	puts_(id);
	puts_("\n");
	for (table = 0; table < TABLES; table++) {
		put_launches(kernels, table == 0 ? FEWEST : launches);
		put_table(kernels);
		for (i = 0; i < KERNELS; i++)
			kernels[i].ns = kernels[i].launches = 0;
	}
	puts_("Success\n\n");
}

int
main(int argc, char **argv)
{
	static struct kernel kernels[KERNELS];
	uint64_t bytes;
	uint32_t number;
	char *end;

	bytes = argc == 2 ? strtoull(argv[1], &end, 10) : 0;
	if (argc != 2 || *argv[1] == '\0' || *end != '\0') {
		fputs("usage: make-log BYTES\n", stderr);
		return 2;
	}
	make_kernels(kernels);
	for (number = 1; written < bytes; number++)
		put_case(kernels, number, bytes - written);
	puts_("kc: whole\n");
	if (fflush(stdout) != 0 || fclose(stdout) != 0) {
		perror("make-log: <stdout>: write failed");
		return 2;
	}
	return 0;
}
