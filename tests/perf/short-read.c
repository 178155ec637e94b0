/*
 * short-read: a read(2) that returns at most $SHORT_READ bytes. See LICENSE.
 *
 * Preloaded into a filter it makes every input come in small pieces, as a slow
 * pipe may hand it out, and the same ones on each run.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t
read(int fd, void *buf, size_t n)
{
	const char *text = getenv("SHORT_READ");
	size_t most = text != NULL ? strtoul(text, NULL, 10) : n;

	return syscall(SYS_read, fd, buf, n < most ? n : most);
}
