/*
 * kc-md: count rows and facts in, the Markdown report out. See LICENSE.
 *
 * The rows are kc-pair's. Everything that comes from a row or a fact is
 * somebody's text and is escaped; cases, groups and configurations stand in the
 * order in which they are first seen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "map.h"
#include "md.h"
#include "row.h"

static const struct kc_program program = {
	"kc-md",
	"[-hV] [rows ...]",
	"Reads count rows and facts; writes the report in Markdown.",
};

/* Group titles where no #group fact gives one. */
static const struct {
	const char *name, *title;
} titles[] = {
	{"forward", "chunkwise prefill / inference"},
	{"train", "forward + backward (autodiff device)"},
	{"step", "one recurrent decode step"},
};

enum { NONE = 0 }; /* in maps: absent; indices are stored plus one */

/* The most configurations: each case has a cell and perhaps a note for every
 * one, which must not make a large report of a small input. */
enum { CONFIGS_MAX = 64 };

/* A name and what facts say of it. */
struct thing {
	struct kc_field name;
	struct kc_field title;
	struct kc_field config;
	struct kc_field device;
	bool used;    /* a row is of it */
	size_t first; /* of a group: its cases, a list through r.next_of */
	size_t last;
};

struct things {
	struct thing *at;
	size_t n;
	size_t cap;
	struct kc_map index;
};

/* A count row; where it comes from is for messages. */
struct count {
	struct kc_field launches;
	struct kc_field verdict;
	bool there;
};

/* A free line of the report: a name, which may be empty, and a text. */
struct about {
	struct kc_field name;
	struct kc_field text;
};

static struct {
	struct things configs;
	struct things groups;
	struct things cases;
	struct things was;	  /* by cell: an earlier count in `title` */
	struct things said;	  /* the sentences at the top */
	struct kc_field baseline; /* where these are from */
	size_t *next_of; /* of each case: the next of its group, plus 1 */
	size_t next_cap;
	struct count *counts; /* by row order; see `cell` */
	size_t n;
	size_t cap;
	struct kc_map cell; /* CONFIG, newline, CASE: index in counts plus 1 */
	struct about *abouts;
	size_t abouts_n;
	size_t abouts_cap;
	struct kc_str *notes;
	size_t notes_n;
	size_t notes_cap;
	struct kc_field kernels_of; /* a cell whose row is to come, or none */
	uint64_t kernels_sum;
	bool once, bound, proven, confirmed;
} r;

static struct thing *
thing(struct things *list, const struct kc_field *name)
{
	struct kc_field copy;
	size_t at;

	at = kc_map_get(&list->index, name->data, name->len, NONE);
	if (at != NONE)
		return &list->at[at - 1];
	copy = kc_field_copy(name);
	list->at =
		kc_grow(list->at, &list->cap, list->n + 1, sizeof(*list->at));
	list->at[list->n] = (struct thing){.name = copy};
	*kc_map_at(&list->index, copy.data, copy.len, NONE) = ++list->n;
	return &list->at[list->n - 1];
}

static bool
has(const struct kc_field *field)
{
	return field->data != NULL;
}

static void
set(struct kc_field *field, const struct kc_field *to)
{
	/* The first one stands: later ones are of later runs, whose warm-up is
	 * another. */
	if (!has(field))
		*field = kc_field_copy(to);
}

/* What names a cell in maps: its configuration, NUL, its case. */
static struct kc_str
cell_key(const struct kc_field *config, const struct kc_field *id)
{
	struct kc_str key = {0};

	kc_str_add(&key, config->data, config->len);
	kc_str_add(&key, "\0", 1);
	kc_str_add(&key, id->data, id->len);
	return key;
}

/* The configuration of that name; at most CONFIGS_MAX of them. */
static struct thing *
config(const struct kc_field *name, const struct kc_in *in)
{
	struct thing *t = thing(&r.configs, name);

	if (r.configs.n > CONFIGS_MAX)
		kc_die("%s:%" PRIu64 ": too many configurations, expected at "
		       "most %d",
		       in->name, in->line, CONFIGS_MAX);
	return t;
}

/* What a configuration's counts were taken on, or at: counts of two devices, or
 * of two sizes, are not to be shown as one's. */
static void
set_one(struct kc_field *to, const char *what, const struct kc_row *row,
	const struct kc_in *in)
{
	const struct kc_field *config = &row->field[1], *text = &row->field[2];

	if (has(to) && !kc_field_same(to, text))
		kc_die("%s:%" PRIu64 ": a second %s of configuration %s, %s, "
		       "expected %s as before",
		       in->name, in->line, what,
		       kc_quote(config->data, config->len),
		       kc_quote(text->data, text->len),
		       kc_quote(to->data, to->len));
	set(to, text);
}

static void
add_about(const struct kc_field *name, const struct kc_field *text)
{
	r.abouts = kc_grow(r.abouts, &r.abouts_cap, r.abouts_n + 1,
			   sizeof(*r.abouts));
	r.abouts[r.abouts_n++] = (struct about){
		name == NULL ? (struct kc_field){NULL, 0} : kc_field_copy(name),
		kc_field_copy(text)};
}

static void
take_fact(struct kc_line *line, const struct kc_in *in)
{
	const struct kc_field *word, *name, *text;
	struct kc_row row;

	kc_row_split(&row, line, in);
	word = &row.field[0];
	name = &row.field[1];
	text = &row.field[row.n - 1];
	if (kc_field_is(word, "#was") && row.n == 4) {
		struct kc_str key = cell_key(name, &row.field[2]);
		struct kc_field place = {key.data, key.len};

		set(&thing(&r.was, &place)->title, text);
		kc_str_free(&key);
		return;
	}
	if (kc_field_is(word, "#baseline") && row.n == 2) {
		set(&r.baseline, text);
		return;
	}
	if (kc_field_is(word, "#note") && row.n == 2) {
		size_t said = r.said.n;

		/* Each configuration's rows may say it. */
		thing(&r.said, text);
		if (r.said.n != said)
			add_about(NULL, text);
		return;
	}
	if (row.n != 3) {
		if (kc_field_is(word, "#config") ||
		    kc_field_is(word, "#heading") ||
		    kc_field_is(word, "#group") ||
		    kc_field_is(word, "#device") ||
		    kc_field_is(word, "#about") || kc_field_is(word, "#note"))
			kc_die("%s:%" PRIu64 ": bad fact %s: expected a word, "
			       "a name and a text",
			       in->name, in->line,
			       kc_quote(word->data, word->len));
		return;
	}
	if (kc_field_is(word, "#config"))
		set_one(&config(name, in)->config, "setting", &row, in);
	else if (kc_field_is(word, "#heading"))
		set(&config(name, in)->title, text);
	else if (kc_field_is(word, "#device"))
		set_one(&config(name, in)->device, "device", &row, in);
	else if (kc_field_is(word, "#group"))
		set(&thing(&r.groups, name)->title, text);
	else if (kc_field_is(word, "#about"))
		add_about(name, text);
}

/* What stands before the first slash; all of it where there is none. */
static struct kc_field
group_name(const struct kc_field *id)
{
	char *slash = memchr(id->data, '/', id->len);

	return (struct kc_field){
		id->data, slash != NULL ? (size_t)(slash - id->data) : id->len};
}

static void
check_count(const struct kc_row *row, const struct kc_in *in)
{
	const struct kc_field *n = &row->field[0], *verdict = &row->field[1];
	const char *why = NULL;
	uint64_t number;

	if (kc_field_starts(verdict, "refused: ")) {
		if (!kc_field_is(n, "-"))
			why = "expected '-' where a count is refused";
	} else if (kc_field_starts(verdict, "bound: ")) {
		if (!kc_field_starts(n, ">="))
			why = "expected '>=' and digits for a bound";
		else
			why = kc_number(n->data + 2, n->len - 2, &number);
		r.bound = true;
	} else if (kc_field_is(verdict, "repeated") ||
		   kc_field_is(verdict, "confirmed") ||
		   kc_field_is(verdict, "once")) {
		why = kc_number(n->data, n->len, &number);
		if (kc_field_is(verdict, "once"))
			r.once = true;
		else if (kc_field_is(verdict, "confirmed"))
			r.confirmed = true;
		else
			r.proven = true;
	} else {
		kc_die("%s:%" PRIu64 ": unknown verdict %s", in->name, in->line,
		       kc_quote(verdict->data, verdict->len));
	}
	if (why != NULL)
		kc_die("%s:%" PRIu64 ": bad count %s: %s", in->name, in->line,
		       kc_quote(n->data, n->len), why);
}

/* Puts the new case `index` at the end of its group. */
static void
join_group(const struct kc_field *id, size_t index)
{
	struct kc_field name = group_name(id);
	struct thing *group = thing(&r.groups, &name);

	r.next_of =
		kc_grow(r.next_of, &r.next_cap, index + 1, sizeof(*r.next_of));
	r.next_of[index] = NONE;
	if (group->last != NONE)
		r.next_of[group->last - 1] = index + 1;
	else
		group->first = index + 1;
	group->last = index + 1;
	group->used = true;
}

/* Says that a row of a case is missing after those of its kernels. */
static noreturn void
no_case(const struct kc_in *in)
{
	/* What follows the configuration and its NUL. */
	const char *id = memchr(r.kernels_of.data, '\0', r.kernels_of.len);

	id = id != NULL ? id + 1 : r.kernels_of.data;
	kc_die("%s:%" PRIu64
	       ": kernels of %s, expected a row of the case after "
	       "them",
	       in->name, in->line,
	       kc_quote(id,
			(size_t)(r.kernels_of.data + r.kernels_of.len - id)));
}

/* One kernel of a case. Its number is not shown, but a case whose own row was
 * lost must not be missing without a word. */
static void
take_kernel(const struct kc_row *row, const struct kc_in *in)
{
	const struct kc_field *n = &row->field[0];
	size_t skip = kc_field_starts(n, ">=") ? 2 : 0;
	struct kc_str key = cell_key(&row->field[2], &row->field[3]);
	struct kc_field place = {key.data, key.len};
	uint64_t launches;
	const char *why;

	if (has(&r.kernels_of) && !kc_field_same(&r.kernels_of, &place))
		no_case(in);
	why = kc_number(n->data + skip, n->len - skip, &launches);
	if (why == NULL && !kc_add(&r.kernels_sum, launches))
		why = "the kernels add up to more than 64 bits hold";
	if (why != NULL)
		kc_die("%s:%" PRIu64 ": bad count %s: %s", in->name, in->line,
		       kc_quote(n->data, n->len), why);
	set(&r.kernels_of, &place);
	kc_str_free(&key);
}

/* The kernels before a case's row are its own, and all of them. */
static void
check_kernels(const struct kc_row *row, const struct kc_in *in)
{
	const struct kc_field *n = &row->field[0];
	size_t skip = kc_field_starts(n, ">=") ? 2 : 0;
	struct kc_str key;
	struct kc_field place;
	uint64_t launches;

	if (!has(&r.kernels_of))
		return;
	key = cell_key(&row->field[2], &row->field[3]);
	place = (struct kc_field){key.data, key.len};
	if (!kc_field_same(&r.kernels_of, &place))
		no_case(in);
	kc_str_free(&key);
	if (kc_number(n->data + skip, n->len - skip, &launches) != NULL ||
	    launches != r.kernels_sum)
		kc_die("%s:%" PRIu64 ": the kernels of %s add up to %" PRIu64
		       ", expected %s",
		       in->name, in->line,
		       kc_quote(row->field[3].data, row->field[3].len),
		       r.kernels_sum, kc_quote(n->data, n->len));
	free(r.kernels_of.data);
	r.kernels_of = (struct kc_field){NULL, 0};
	r.kernels_sum = 0;
}

static void
take_row(const struct kc_row *row, const struct kc_in *in)
{
	struct kc_str key;
	size_t before = r.cases.n, *at;

	if (row->n < 4)
		kc_die("%s:%" PRIu64 ": %zu fields, expected LAUNCHES, "
		       "VERDICT, CONFIG, CASE",
		       in->name, in->line, row->n);
	if (row->n == 5) {
		take_kernel(row, in);
		return;
	}
	check_count(row, in);
	check_kernels(row, in);
	config(&row->field[2], in)->used = true;
	thing(&r.cases, &row->field[3]);
	if (r.cases.n > before)
		join_group(&row->field[3], before);
	key = cell_key(&row->field[2], &row->field[3]);
	at = kc_map_at(&r.cell, key.data, key.len, NONE);
	if (*at != NONE)
		kc_die("%s:%" PRIu64 ": a second row of %s in %s, expected one",
		       in->name, in->line,
		       kc_quote(row->field[3].data, row->field[3].len),
		       kc_quote(row->field[2].data, row->field[2].len));
	r.counts = kc_grow(r.counts, &r.cap, r.n + 1, sizeof(*r.counts));
	r.counts[r.n] = (struct count){kc_field_copy(&row->field[0]),
				       kc_field_copy(&row->field[1]), true};
	*at = ++r.n;
}

static void
read_rows(struct kc_in *in, void *data)
{
	struct kc_line line;
	struct kc_row row;

	(void)data;
	while (kc_in_line(in, &line)) {
		if (!line.whole)
			kc_die("%s:%" PRIu64 ": the last row is cut, expected "
			       "a newline",
			       in->name, in->line);
		if (kc_is_fact(&line)) {
			take_fact(&line, in);
			continue;
		}
		kc_row_split(&row, &line, in);
		take_row(&row, in);
	}
	if (has(&r.kernels_of))
		no_case(in);
}

static void
add_text(struct kc_str *out, const struct kc_field *field)
{
	kc_md_text(out, field->data, field->len);
}

static void
add_code(struct kc_str *out, const struct kc_field *field)
{
	kc_md_code(out, field->data, field->len);
}

/* The number of a new note: why this case has no plain count here. */
static size_t
note(const struct kc_field *id, const struct kc_field *config, const char *text,
     size_t len)
{
	struct kc_str *out;

	r.notes =
		kc_grow(r.notes, &r.notes_cap, r.notes_n + 1, sizeof(*r.notes));
	out = &r.notes[r.notes_n++];
	*out = (struct kc_str){0};
	add_code(out, id);
	kc_str_puts(out, ", ");
	add_code(out, config);
	kc_str_puts(out, ": ");
	kc_md_text(out, text, len);
	return r.notes_n;
}

static const struct count *
find_count(const struct thing *config, const struct thing *c)
{
	struct kc_str key = cell_key(&config->name, &c->name);
	size_t at;

	at = kc_map_get(&r.cell, key.data, key.len, NONE);
	kc_str_free(&key);
	return at == NONE ? NULL : &r.counts[at - 1];
}

/* A count of a row or of a #was fact, as the report shows it. */
static void
add_number(struct kc_str *out, const struct kc_field *count)
{
	bool bound = kc_field_starts(count, ">=");

	if (kc_field_is(count, "-")) {
		kc_str_puts(out, "—");
		return;
	}
	kc_str_puts(out, bound ? "≥" : "");
	kc_str_add(out, count->data + (bound ? 2 : 0),
		   count->len - (bound ? 2 : 0));
}

/* How a count changed since the baseline: " (+24)", " (new)", " (was —)". */
static void
add_change(struct kc_str *out, const struct thing *config,
	   const struct thing *c, const struct count *count)
{
	static char none[] = "-";
	struct kc_field now = {none, 1};
	struct kc_str key = cell_key(&config->name, &c->name);
	size_t at = kc_map_get(&r.was.index, key.data, key.len, NONE);
	const struct kc_field *was;
	uint64_t a, b;
	char text[32];

	kc_str_free(&key);
	if (at == NONE)
		return;
	was = &r.was.at[at - 1].title;
	if (count != NULL)
		now = count->launches;
	if (kc_field_same(was, &now) || kc_field_is(was, "other"))
		return;
	if (kc_field_is(was, "new")) {
		kc_str_puts(out, " (new)");
	} else if (kc_number(was->data, was->len, &a) == NULL &&
		   kc_number(now.data, now.len, &b) == NULL) {
		snprintf(text, sizeof(text), " (%c%" PRIu64 ")",
			 b > a ? '+' : '-', b > a ? b - a : a - b);
		kc_str_puts(out, text);
	} else if (kc_field_is(was, "-") ||
		   kc_number(was->data, was->len, &a) == NULL ||
		   (kc_field_starts(was, ">=") &&
		    kc_number(was->data + 2, was->len - 2, &a) == NULL)) {
		kc_str_puts(out, " (was ");
		add_number(out, was);
		kc_str_puts(out, ")");
	}
}

static void
add_count(struct kc_md_table *table, const struct thing *config,
	  const struct thing *c)
{
	static const char absent[] = "no row for it";
	const struct count *count = find_count(config, c);
	struct kc_str cell = {0};
	char number[32];
	size_t skip, n;

	if (count == NULL || kc_field_is(&count->launches, "-")) {
		skip = strlen("refused: ");
		n = count == NULL ? note(&c->name, &config->name, absent,
					 strlen(absent))
				  : note(&c->name, &config->name,
					 count->verdict.data + skip,
					 count->verdict.len - skip);
		snprintf(number, sizeof(number), "— [%zu]", n);
		kc_str_puts(&cell, number);
	} else if (kc_field_starts(&count->launches, ">=")) {
		skip = strlen("bound: ");
		n = note(&c->name, &config->name, count->verdict.data + skip,
			 count->verdict.len - skip);
		add_number(&cell, &count->launches);
		snprintf(number, sizeof(number), " [%zu]", n);
		kc_str_puts(&cell, number);
	} else {
		add_number(&cell, &count->launches);
		if (kc_field_is(&count->verdict, "once"))
			kc_str_puts(&cell, " (once)");
	}
	add_change(&cell, config, c, count);
	kc_md_cell(table, cell.data);
	kc_str_free(&cell);
}

/* A configuration's heading: a fact's, else its name. */
static void
add_heading(struct kc_md_table *table, const struct thing *config)
{
	struct kc_str cell = {0};

	add_text(&cell, has(&config->title) ? &config->title : &config->name);
	kc_md_cell(table, cell.data);
	kc_str_free(&cell);
}

static void
print_group(size_t index)
{
	const struct thing *group = &r.groups.at[index];
	struct kc_md_table table = {0};
	struct kc_str line = {0};
	size_t i, j;

	add_code(&line, &group->name);
	if (has(&group->title)) {
		kc_str_puts(&line, " — ");
		add_text(&line, &group->title);
	} else {
		for (i = 0; i < sizeof(titles) / sizeof(*titles); i++)
			if (kc_field_is(&group->name, titles[i].name)) {
				kc_str_puts(&line, " — ");
				kc_str_puts(&line, titles[i].title);
			}
	}
	printf("\n## %s\n\n", line.data);
	kc_md_cell(&table, "case");
	for (j = 0; j < r.configs.n; j++)
		if (r.configs.at[j].used)
			add_heading(&table, &r.configs.at[j]);
	kc_md_end_row(&table);
	for (i = group->first; i != NONE; i = r.next_of[i - 1]) {
		const struct thing *c = &r.cases.at[i - 1];
		struct kc_field rest = c->name;

		if (rest.len > group->name.len) {
			rest.data += group->name.len + 1;
			rest.len -= group->name.len + 1;
		}
		line.len = 0;
		add_code(&line, &rest);
		kc_md_cell(&table, line.data);
		for (j = 0; j < r.configs.n; j++)
			if (r.configs.at[j].used)
				add_count(&table, &r.configs.at[j], c);
		kc_md_end_row(&table);
	}
	kc_md_print(&table, true);
	kc_str_free(&line);
}

/* The day, or the one of SOURCE_DATE_EPOCH, for reports that reproduce
 * (reproducible-builds.org/specs/source-date-epoch). */
static void
print_day(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t now = time(NULL);
	uint64_t seconds;
	char day[64];
	struct tm tm;

	if (epoch != NULL) {
		if (kc_number(epoch, strlen(epoch), &seconds) != NULL ||
		    seconds > INT64_C(253402300799))
			kc_die("bad SOURCE_DATE_EPOCH %s, expected seconds",
			       kc_quote(epoch, strlen(epoch)));
		now = (time_t)seconds;
	}
	if (now == (time_t)-1 || gmtime_r(&now, &tm) == NULL ||
	    strftime(day, sizeof(day), "%Y-%m-%d", &tm) == 0)
		kc_die("cannot tell the day");
	printf("Counted by kernel-count %s, written on %s.\n", KC_VERSION, day);
}

static void
print_intro(void)
{
	size_t i;

	puts("# Kernel launch counts\n");
	for (i = 0; i < r.abouts_n; i++) {
		struct kc_str line = {0};

		if (has(&r.abouts[i].name))
			continue;
		add_text(&line, &r.abouts[i].text);
		printf("**%s**\n\n", line.data);
		kc_str_free(&line);
	}
	print_day();
	puts("Each cell is the number of GPU kernels that one iteration of "
	     "the case\nlaunches; fewer is better. Copies, memsets and the "
	     "replay of a recorded graph are\nnot launches here and are not "
	     "counted. A count follows from the operations, the\ndevice and "
	     "the versions, not from how fast anything ran.");
	if (r.confirmed || r.proven)
		puts("\nA plain number was counted in two processes, one with "
		     "a warm-up iteration more,\nwhich agreed.");
	if (r.once)
		puts("\n(once): counted in one process, or in two that cannot "
		     "show that an iteration is\none sync; nothing contradicts "
		     "it, nothing confirms it. A bench that does as many\n"
		     "warm-up iterations as `BENCH_WARMUP_ITERS` says, a sync "
		     "after each, is counted in two.");
	if (r.bound)
		puts("\n≥: at least so many; the note says what cannot be "
		     "seen.");
	if (has(&r.baseline)) {
		struct kc_str line = {0};

		add_code(&line, &r.baseline);
		printf("\n(+n), (-n), (new), (was n): the change since %s. A "
		       "number without one is as it\nwas there, or could not "
		       "be compared, which is said below.\n",
		       line.data);
		kc_str_free(&line);
	}
}

static void
print_configs(void)
{
	struct kc_md_table table = {0};
	struct kc_str line = {0};
	bool device = false;
	size_t i;

	for (i = 0; i < r.configs.n; i++)
		if (r.configs.at[i].used && has(&r.configs.at[i].device))
			device = true;
	kc_md_cell(&table, "run");
	kc_md_cell(&table, "configuration");
	if (device)
		kc_md_cell(&table, "device");
	kc_md_end_row(&table);
	for (i = 0; i < r.configs.n; i++) {
		const struct thing *config = &r.configs.at[i];

		if (!config->used)
			continue;
		line.len = 0;
		add_code(&line, &config->name);
		kc_md_cell(&table, line.data);
		line.len = 0;
		if (has(&config->config))
			add_code(&line, &config->config);
		else
			kc_str_puts(&line, "n/a");
		kc_md_cell(&table, line.data);
		line.len = 0;
		if (has(&config->device))
			add_text(&line, &config->device);
		else
			kc_str_puts(&line, "n/a");
		if (device)
			kc_md_cell(&table, line.data);
		kc_md_end_row(&table);
	}
	putchar('\n');
	kc_md_print(&table, false);
	for (i = 0; i < r.abouts_n; i++) {
		if (!has(&r.abouts[i].name))
			continue;
		line.len = 0;
		add_text(&line, &r.abouts[i].name);
		kc_str_puts(&line, ": ");
		add_text(&line, &r.abouts[i].text);
		printf("%s- %s\n",
		       i == 0 || !has(&r.abouts[i - 1].name) ? "\n" : "",
		       line.data);
	}
	kc_str_free(&line);
}

int
main(int argc, char **argv)
{
	size_t i;
	int opt;

	kc_start(&program);
	kc_bound_memory();
	opterr = 0;
	while ((opt = getopt(argc, argv, ":hV")) != -1)
		kc_common_option(opt);
	kc_in_each(argv + optind, read_rows, NULL);
	if (r.n == 0)
		kc_die("no count row, expected LAUNCHES, VERDICT, CONFIG, "
		       "CASE");
	print_intro();
	print_configs();
	for (i = 0; i < r.groups.n; i++)
		if (r.groups.at[i].used)
			print_group(i);
	if (r.notes_n > 0)
		puts("\n## Notes\n");
	for (i = 0; i < r.notes_n; i++)
		printf("- [%zu] %s\n", i + 1, r.notes[i].data);
	return kc_finish(KC_OK);
}
