/* in.h: input read in blocks, handed out as lines. */
#ifndef KC_IN_H
#define KC_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The longest line that is read, in bytes. A longer one ends the program with a
 * message that names it. It bounds the memory of every filter: the buffer is
 * the only thing that grows with a line.
 */
#define KC_LINE_MAX ((size_t)16 << 20)

/*
 * An open input. `name` is how messages name it ("<stdin>" for standard
 * input), `line` the number of the line last handed out, from 1; the unread
 * bytes are buf[beg..end). While `mapped`, buf is a window of the file that
 * starts at `at`, and the file had `size` bytes.
 */
struct kc_in {
	const char *name;
	char *buf;
	size_t cap;
	size_t beg;
	size_t end;
	uint64_t line;
	off_t at;
	off_t size;
	int fd;
	bool mapped;
	bool eof;
};

/* A line: `len` bytes without the newline; `whole` when a newline ended it.
 * The bytes live in the input's buffer until the next call for that input. */
struct kc_line {
	char *data;
	size_t len;
	bool whole;
};

/*
 * Opens `path`, or standard input for "-", for reading. Failure to open ends
 * the program with KC_TROUBLE, as does every later failure to read. `path`
 * must outlive the input.
 */
void kc_in_open(struct kc_in *in, const char *path);

/*
 * Has a large file mapped from here on, a window of it at a time, where it
 * would be copied otherwise; lines are then read-only. Does nothing to an input
 * that is small, a pipe, or cannot be mapped. A file that shrinks while it is
 * read, or that fails to be read, ends the program with KC_TROUBLE as well.
 */
void kc_in_map(struct kc_in *in);

/* Closes the input and frees its buffer. */
void kc_in_close(struct kc_in *in);

/*
 * Reads more into the buffer, moving what is unread to its front and growing
 * it when it is full. Returns false at the end of the input.
 */
bool kc_in_fill(struct kc_in *in);

/*
 * The next line in `*line`; false at the end. A last line without a newline is
 * a line with `whole` false.
 */
bool kc_in_line(struct kc_in *in, struct kc_line *line);

/*
 * Calls `each` with every input that `paths` names, in order, open and at its
 * start; with standard input when there is none.
 */
void kc_in_each(char **paths, void (*each)(struct kc_in *in, void *data),
		void *data);

#endif
