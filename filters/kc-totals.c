/*
 * kc-totals: a bench's log in, what it says of each case out. See LICENSE.
 *
 * Reads logs of cubecl's profiling logger and criterion (kc-log(5)) and writes
 * rows (kc-rows(5)): LAUNCHES STATE CASE, one for each summary table, and rows
 * without a number for what else a judge must know. It judges nothing itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "log.h"
#include "row.h"

static const struct kc_program program = {
	"kc-totals",
	"[-hkV] [-c case] [log ...]",
	"Reads bench logs; writes a row for each summary table of launches.",
};

struct state {
	const char *log;	 /* its name, for messages */
	const char *given;	 /* the case of -c, or NULL */
	struct kc_str announced; /* the last case announced, or empty */
	bool kernels;
	bool config; /* one was passed on from this log */
};

static void
put_case(const struct state *s)
{
	if (s->given != NULL)
		kc_put_field(s->given, strlen(s->given), false);
	else
		kc_put_field(s->announced.data, s->announced.len, false);
}

static void
put_event(const struct state *s, const char *name)
{
	kc_put_text("-\t");
	kc_put_text(name);
	kc_put_text("\t");
	put_case(s);
	kc_put_text("\n");
}

/* What makes a table, or a log, unfit, for the judge to name. */
static void
put_reason(const struct state *s, uint64_t line, const char *why)
{
	kc_put_text("#bad\t");
	put_case(s);
	kc_put_text("\t");
	kc_put_field(s->log, strlen(s->log), false);
	printf(":%" PRIu64 "\t%s\n", line, why);
}

static void
begin(void *data, const char *id, size_t len)
{
	struct state *s = data;

	s->announced.len = 0;
	kc_str_add(&s->announced, id, len);
	/* The announced id even where -c gives one: the judge compares. */
	kc_put_text("-\tbegin\t");
	kc_put_field(id, len, false);
	kc_put_text("\n");
}

static void
end(void *data)
{
	put_event(data, "end");
}

static void
panic(void *data, uint64_t line)
{
	put_reason(data, line, "a panic");
	put_event(data, "panic");
}

static void
config(void *data, const char *text, size_t len)
{
	struct state *s = data;

	if (s->config)
		return;
	s->config = true;
	kc_put_text("#bench-config\t");
	kc_put_field(text, len, false);
	kc_put_text("\n");
}

static void
table(void *data, const struct kc_table *t)
{
	struct state *s = data;
	size_t i;

	if (t->state != KC_TABLE_OK) {
		put_reason(s, t->line, t->why);
		put_event(s, t->state == KC_TABLE_CUT ? "cut" : "bad");
		return;
	}
	for (i = 0; s->kernels && i < t->n; i++) {
		kc_put_number(t->kernels[i].launches);
		kc_put_text("\tok\t");
		put_case(s);
		kc_put_text("\t");
		kc_put_field(t->kernels[i].name, t->kernels[i].len, false);
		kc_put_text("\n");
	}
	kc_put_number(t->launches);
	kc_put_text("\tok\t");
	put_case(s);
	kc_put_text("\n");
}

static void
eof(void *data, bool whole)
{
	put_event(data, whole ? "whole" : "eof");
}

static void
read_log(struct kc_in *in, void *data)
{
	static const struct kc_log_events events = {begin, end,	   table,
						    panic, config, eof};
	struct state *s = data;

	s->log = in->name;
	s->announced.len = 0;
	s->config = false;
	kc_log_read(in, &events, s->kernels, s);
}

int
main(int argc, char **argv)
{
	struct state s = {0};
	int opt;

	kc_start(&program);
	kc_str_puts(&s.announced, "");
	opterr = 0;
	while ((opt = getopt(argc, argv, ":c:hkV")) != -1) {
		switch (opt) {
		case 'c':
			s.given = optarg;
			break;
		case 'k':
			s.kernels = true;
			break;
		default:
			kc_common_option(opt);
		}
	}
	kc_in_each(argv + optind, read_log, &s);
	return kc_finish(KC_OK);
}
