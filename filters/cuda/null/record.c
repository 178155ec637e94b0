/*
 * record: what the null driver tells the one who started the program, in the
 * file that KC_NULL_RECORD names: how many kernels were launched, and where
 * among them the program read something back from the device. A value read
 * is always zero here, so a program that decides on one may take another
 * path than on a GPU; kc-reads judges that. The lines are described in
 * kc-null(7). See LICENSE.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "null.h"

static int fd = -1;
static bool failed;
static pid_t owner;
static uint64_t count[KN_COUNTS], launches, reads;

/* Reads between the same two launches through the same entry are one line. */
static struct {
	const char *entry;
	uint64_t launches, count, bytes;
} held;

/* Append a line. A record that cannot be written has no end line, and a
 * record without one is refused by kc-reads.
 */
static void
put(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	if (fd == -1 || failed)
		return;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line) ||
	    write(fd, line, (size_t)n) != n) {
		kn_say("record: %s", strerror(errno));
		failed = true;
	}
}

static void
flush(void)
{
	if (held.entry == NULL)
		return;
	put("read\t%ld\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
	    (long)owner, held.launches, held.count, held.bytes, held.entry);
	held.entry = NULL;
}

/* Open the record, if one is asked for. Returns CUDA_SUCCESS, or
 * CUDA_ERROR_OPERATING_SYSTEM with a line on standard error: a program whose
 * record cannot be kept must not run to an end that looks well.
 */
CUresult
kn_record_open(void)
{
	const char *path = getenv("KC_NULL_RECORD");

	owner = getpid();
	if (path == NULL || *path == '\0')
		return CUDA_SUCCESS;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd == -1) {
		kn_say("%s: %s", path, strerror(errno));
		return CUDA_ERROR_OPERATING_SYSTEM;
	}
	put("kc-null\t1\t%ld\t%s\n", (long)owner, getenv("KC_NULL_PROFILE"));
	return CUDA_SUCCESS;
}

/* cuInit was called: by a child, maybe, of the process that opened it. */
void
kn_record_own(void)
{
	if (fd == -1 || owner == getpid())
		return;
	owner = getpid();
	put("kc-null\t1\t%ld\t%s\n", (long)owner, getenv("KC_NULL_PROFILE"));
}

/* Something of the device's became readable by the program. */
void
kn_record_read(uint64_t bytes, const char *entry)
{
	reads++;
	if (held.entry != NULL &&
	    (held.launches != launches || strcmp(held.entry, entry) != 0))
		flush();
	if (held.entry == NULL) {
		held.entry = entry;
		held.launches = launches;
		held.count = held.bytes = 0;
	}
	held.count++;
	held.bytes += bytes;
}

/* So many kernels, memsets or copies were executed. */
void
kn_count(enum count_of what, uint64_t n)
{
	count[what] += n;
	if (what == KN_LAUNCH || what == KN_GRAPH_KERNEL)
		launches += n;
}

/* The program waited for the device. Memory that both see can be read from
 * now on with no call that tells; if there is any, that counts as a read.
 */
void
kn_record_sync(void)
{
	if (kn_managed != 0 && launches != 0)
		kn_record_read(0, "mapped memory");
}

/* A function was asked for that the null driver does not have. */
void
kn_record_missing(const char *name, int version)
{
	put("missing\t%ld\t%.64s\t%d\n", (long)owner, name, version);
}

/* At exit, after the program's own handlers. A child that was forked after
 * cuInit has no driver, and says nothing.
 */
__attribute__((destructor)) static void
finish(void)
{
	GUARD;

	if (fd == -1 || owner != getpid())
		return;
	flush();
	put("whole\t%ld\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
	    "\t%" PRIu64 "\n",
	    (long)owner, launches, reads, count[KN_GRAPH_KERNEL],
	    count[KN_MEMSET], count[KN_MEMCPY]);
	if (close(fd) != 0)
		kn_say("record: %s", strerror(errno));
	fd = -1;
}
