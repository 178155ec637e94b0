/*
 * kc-cases: a harness's list in, one case id a line out. See LICENSE.
 *
 * Reads what a criterion bench prints for `--bench --list`: `ID: benchmark`,
 * before 0.5 `ID: bench`. Ids may hold spaces, `: ` and any Unicode, so only
 * the last such ending is taken off, once.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "row.h"
#include "rx.h"

static const struct kc_program program = {
	"kc-cases",
	"[-hV] [-m regex] [list ...]",
	"Reads a bench harness's --list output; writes one case id a line.",
};

struct state {
	struct kc_rx *match; /* NULL: every case */
	size_t listed;
	size_t written;
};

/* Takes `ending` off, if it is there and something is before it. */
static bool
strip(struct kc_line *line, const char *ending)
{
	size_t n = strlen(ending);

	if (line->len <= n ||
	    memcmp(line->data + line->len - n, ending, n) != 0)
		return false;
	line->len -= n;
	return true;
}

static void
read_list(struct kc_in *in, void *data)
{
	struct state *s = data;
	struct kc_line line;

	while (kc_in_line(in, &line)) {
		if (line.len > 0 && line.data[line.len - 1] == '\r')
			line.len--;
		if (!strip(&line, ": benchmark") && !strip(&line, ": bench"))
			continue;
		s->listed++;
		if (s->match != NULL &&
		    !kc_rx_match(s->match, line.data, line.len))
			continue;
		s->written++;
		kc_put_field(line.data, line.len, true);
		kc_put_text("\n");
	}
}

int
main(int argc, char **argv)
{
	struct state s = {0};
	int opt;

	kc_start(&program);
	opterr = 0;
	while ((opt = getopt(argc, argv, ":hm:V")) != -1) {
		switch (opt) {
		case 'm':
			s.match = kc_rx_new(optarg, KC_RX_TEXT);
			break;
		default:
			kc_common_option(opt);
		}
	}
	kc_in_each(argv + optind, read_list, &s);
	if (s.listed == 0)
		kc_die("no case in the list, expected lines that end in "
		       "': benchmark' or ': bench'");
	if (s.written == 0)
		kc_die("no case matches: %zu listed, expected at least one "
		       "to match",
		       s.listed);
	return kc_finish(KC_OK);
}
