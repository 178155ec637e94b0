/*
 * short-read: a kernel that hands input out in its own way. See LICENSE.
 *
 * Preloaded into a filter, read(2) returns at most $SHORT_READ bytes, as a slow
 * pipe may, and the same ones on each run; fstat(2) says that a file is
 * $SIZE_OFF bytes larger than it is, as if it became shorter (or, with a
 * negative number, longer) right after.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t
read(int fd, void *buf, size_t n)
{
	const char *text = getenv("SHORT_READ");
	size_t most = text != NULL ? strtoul(text, NULL, 10) : n;

	return syscall(SYS_read, fd, buf, n < most ? n : most);
}

int
fstat(int fd, struct stat *st)
{
	const char *text = getenv("SIZE_OFF");
	int (*next)(int, struct stat *);
	int result;

	*(void **)&next = dlsym(RTLD_NEXT, "fstat");
	result = next(fd, st);
	if (result == 0 && text != NULL && S_ISREG(st->st_mode))
		st->st_size += strtol(text, NULL, 10);
	return result;
}
