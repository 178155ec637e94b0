/*
 * fault.c: preloaded, makes the Nth call of a kind fail. See LICENSE.
 *
 * FAULT is `KIND N` or `KIND N on`: KIND is malloc (calloc and realloc count
 * as well), open, read or close; the Nth of them fails, with `on` every later
 * one too. What failed is told on descriptor 9, one byte each, so that the
 * test knows when there was no Nth call. FAULT is taken out of the environment.
 *
 * Writes are not here: stdio does not call write(2) where a preloaded library
 * could see it. The test limits the size of files instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { NONE, MALLOC, OPEN, READ, CLOSE };

static enum kind kind;
static long nth;
static bool on;

__attribute__((constructor)) static void
start(void)
{
	static const char *const words[] = {"", "malloc", "open", "read",
					    "close"};
	const char *fault = getenv("FAULT");
	size_t i, n;

	if (fault == NULL)
		return;
	n = strcspn(fault, " ");
	nth = strtol(fault + n, NULL, 10);
	on = strstr(fault, " on") != NULL;
	for (i = MALLOC; i <= CLOSE; i++)
		if (strlen(words[i]) == n && memcmp(words[i], fault, n) == 0)
			kind = (enum kind)i;
	(void)unsetenv("FAULT");
}

/* Whether this call is the one. */
static bool
fails(enum kind k, int why)
{
	if (k != kind || nth <= 0)
		return false;
	if (nth > 1) {
		nth--;
		return false;
	}
	if (!on)
		kind = NONE;
	(void)syscall(SYS_write, 9, "x", 1);
	errno = why;
	return true;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

void *
malloc(size_t size)
{
	return fails(MALLOC, ENOMEM) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails(MALLOC, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *old, size_t size)
{
	return fails(MALLOC, ENOMEM) ? NULL : __libc_realloc(old, size);
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	if (fails(OPEN, EMFILE))
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t
read(int fd, void *buf, size_t len)
{
	return fails(READ, EIO) ? -1 : syscall(SYS_read, fd, buf, len);
}

/* A close that fails has closed: what was written may be lost. */
int
close(int fd)
{
	int result = (int)syscall(SYS_close, fd);

	return fails(CLOSE, EIO) ? -1 : result;
}
