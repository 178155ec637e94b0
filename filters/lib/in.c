/* in.c: input read in blocks, handed out as lines. See LICENSE. */
#define _DEFAULT_SOURCE /* MAP_POPULATE */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"

/*
 * What one read(2) asks for. Large enough that the call costs nothing beside
 * the copying, small enough to stay in a core's second-level cache.
 */
enum { BLOCK = 256 << 10 };

/*
 * What is mapped at a time. Copying out of the page cache costs more than all
 * that is done with a log's bytes, so a large log is not copied. A window, not
 * the whole of it: mapped pages count as memory.
 */
enum { WINDOW = 1 << 20 };

/* Where there is no such flag, pages are mapped as they are touched. */
#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

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

static void
unmap(struct kc_in *in)
{
	if (in->buf != NULL && munmap(in->buf, in->cap) != 0)
		kc_die("%s: cannot unmap:", in->name);
	in->buf = NULL;
	in->cap = 0;
}

void
kc_in_close(struct kc_in *in)
{
	if (in->mapped)
		unmap(in);
	if (in->fd != STDIN_FILENO && close(in->fd) != 0)
		kc_die("%s: close failed:", in->name);
	free(in->buf);
	in->buf = NULL;
}

static const char *mapped_name;

static void
say(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

/* A page of a mapped file is not there: what read(2) would have returned. */
static void
on_bus_error(int signal)
{
	(void)signal;
	say(kc_name());
	say(": ");
	say(mapped_name);
	say(": cannot be read to its end, or became shorter\n");
	_exit(KC_TROUBLE);
}

void
kc_in_map(struct kc_in *in)
{
	struct sigaction action = {.sa_handler = on_bus_error};
	struct stat st;
	off_t at = lseek(in->fd, 0, SEEK_CUR);

	if (at < 0 || fstat(in->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_size - at < 2 * WINDOW ||
	    sigaction(SIGBUS, &action, NULL) != 0)
		return;
	mapped_name = in->name;
	in->at = at;
	in->size = st.st_size;
	in->mapped = true;
}

/*
 * Moves the window on: it begins on the page of the first unread byte and has
 * about WINDOW bytes after the last one. Where the file has no more so many,
 * or cannot be mapped, returns false, and what is left is for read(2), which
 * also finds what was written since.
 */
static bool
map_more(struct kc_in *in)
{
	size_t unread = in->end - in->beg, cap = 0;
	off_t from = in->at + (off_t)in->beg;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t skip = (size_t)from % page;
	size_t len = (skip + unread + WINDOW) / page * page;
	char *buf = MAP_FAILED;

	if (in->size - from >= (off_t)(len - skip))
		buf = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE,
			   in->fd, from - (off_t)skip);
	if (buf != MAP_FAILED) {
		unmap(in);
		in->buf = buf;
		in->cap = in->end = len;
		in->beg = skip;
		in->at = from - (off_t)skip;
		return true;
	}
	if (lseek(in->fd, from + (off_t)unread, SEEK_SET) < 0)
		kc_die("%s: cannot seek:", in->name);
	buf = kc_grow(NULL, &cap, unread + BLOCK, 1);
	if (unread > 0)
		memcpy(buf, in->buf + in->beg, unread);
	unmap(in);
	in->mapped = false;
	in->buf = buf;
	in->cap = cap;
	in->beg = 0;
	in->end = unread;
	return false;
}

bool
kc_in_fill(struct kc_in *in)
{
	size_t room;
	ssize_t n;

	if (in->eof)
		return false;
	if (in->end - in->beg > KC_LINE_MAX)
		kc_die("%s:%" PRIu64 ": line too long, expected at most %zu "
		       "bytes",
		       in->name, in->line + 1, KC_LINE_MAX);
	if (in->mapped && map_more(in))
		return true;
	if (in->beg > 0) {
		memmove(in->buf, in->buf + in->beg, in->end - in->beg);
		in->end -= in->beg;
		in->beg = 0;
	}
	/* Half a block of room: a line that straddles two reads is moved once
	 * and the buffer stays as it is unless the line is long. */
	if (in->cap - in->end < BLOCK / 2)
		in->buf = kc_grow(in->buf, &in->cap, in->end + BLOCK, 1);
	/* Never more than a block, so that a buffer that a long line made
	 * large stays in the cache all the same. */
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
