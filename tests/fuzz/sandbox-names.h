/* sandbox-names.h: included before everything else (-include) when a filter's
 * source is compiled for the sandbox. */
#ifndef SANDBOX_NAMES_H
#define SANDBOX_NAMES_H

#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *sb_malloc(size_t size);
void *sb_realloc(void *old, size_t size);
void sb_release(void *p);
_Noreturn void sb_exit(int status);
int sb_open(const char *path, int flags, ...);
ssize_t sb_read(int fd, void *buf, size_t len);
int sb_close(int fd);
void *sb_tsearch(const void *key, void **root,
		 int (*order)(const void *, const void *));

#define malloc sb_malloc
#define realloc sb_realloc
#define free sb_release
#define exit sb_exit
#define open sb_open
#define read sb_read
#define close sb_close
#define tsearch sb_tsearch

#endif
