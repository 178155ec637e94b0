/* in.c: input read in blocks, handed out as lines. See LICENSE. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"

/*
 * What one read(2) asks for. Large enough that the call costs nothing beside
 * the copying, small enough to stay in a core's second-level cache.
 */
enum { BLOCK = 256 << 10 };

void
kc_in_open(struct kc_in *in, const char *path)
{
	bool standard = strcmp(path, "-") == 0;

	*in = (struct kc_in){.name = standard ? "<stdin>" : path,
			     .fd = STDIN_FILENO};
	if (!standard) {
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (in->fd < 0)
			kc_die("%s: cannot open:", path);
	}
}

void
kc_in_close(struct kc_in *in)
{
	if (in->fd != STDIN_FILENO && close(in->fd) != 0)
		kc_die("%s: close failed:", in->name);
	free(in->buf);
	in->buf = NULL;
}

bool
kc_in_fill(struct kc_in *in)
{
	size_t room;
	ssize_t n;

	if (in->eof)
		return false;
	if (in->beg > 0) {
		memmove(in->buf, in->buf + in->beg, in->end - in->beg);
		in->end -= in->beg;
		in->beg = 0;
	}
	/* Half a block of room: a line that straddles two reads is moved once
	 * and the buffer stays as it is unless the line is long. */
	if (in->cap - in->end < BLOCK / 2) {
		if (in->end > KC_LINE_MAX)
			kc_die("%s:%" PRIu64 ": line too long, expected at "
			       "most %zu bytes",
			       in->name, in->line + 1, KC_LINE_MAX);
		in->buf = kc_grow(in->buf, &in->cap, in->end + BLOCK, 1);
	}
	/* Never more than a block: a buffer that a long line made large still
	 * stays in the cache, and what follows that line is seen in the same
	 * pieces as anywhere else. */
	room = in->cap - in->end;
	do
		n = read(in->fd, in->buf + in->end,
			 room < BLOCK ? room : BLOCK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		kc_die("%s: read failed:", in->name);
	in->end += (size_t)n;
	in->eof = n == 0;
	return !in->eof;
}

bool
kc_in_line(struct kc_in *in, struct kc_line *line)
{
	size_t seen = 0;
	char *nl = NULL;

	for (;;) {
		if (in->end - in->beg > seen)
			nl = memchr(in->buf + in->beg + seen, '\n',
				    in->end - in->beg - seen);
		if (nl != NULL)
			break;
		seen = in->end - in->beg;
		if (!kc_in_fill(in))
			break;
	}
	if (nl == NULL && in->beg == in->end)
		return false;
	line->data = in->buf + in->beg;
	line->whole = nl != NULL;
	line->len = line->whole ? (size_t)(nl - line->data) : in->end - in->beg;
	if (line->len > KC_LINE_MAX)
		kc_die("%s:%" PRIu64 ": line too long, expected at most %zu "
		       "bytes",
		       in->name, in->line + 1, KC_LINE_MAX);
	in->beg += line->len + line->whole;
	in->line++;
	return true;
}

void
kc_in_each(char **paths, void (*each)(struct kc_in *in, void *data), void *data)
{
	static char dash[] = "-";
	char *standard[] = {dash, NULL};
	struct kc_in in;

	if (*paths == NULL)
		paths = standard;
	for (; *paths != NULL; paths++) {
		kc_in_open(&in, *paths);
		each(&in, data);
		kc_in_close(&in);
	}
}
