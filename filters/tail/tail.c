/*
 * tail.c: at the end of a bench, wait for what its logger has yet to write.
 * See LICENSE.
 *
 * cubecl's logger is a detached thread with a queue that nobody flushes: when
 * the process ends, what is queued is lost, and the last table of a case is the
 * one that counts. This library is preloaded into the bench (LD_PRELOAD). It
 * holds the process back when main has returned or exit was called, before any
 * exit handler runs: those of Vulkan and CUDA drivers would take the device
 * away from under the logger.
 *
 * The log is the file that is the bench's stdout. The wait ends when
 *
 *	nothing was written and no other thread of the process ran for QUIET
 *	milliseconds: a queue that nobody works on is empty;
 *
 * with QUIET ten times as long while there are fewer tables than expected, and
 * the whole LIMIT while the last launch line is newer than the last bottom
 * ruler, since its table may depend on a device that takes its time. Launches
 * that are never synced thus cost a wait and nothing else.
 *
 * Some threads never rest: cubecl's device service wakes every 150 us to look
 * for work (common/src/device/handle/channel.rs, SLEEP_STEP_SERVER), for as
 * long as the process lives. They do not matter either, if for twice QUIET
 * nothing was written and most looks found all threads asleep: one that has a
 * queue to work on, or waits for a processor to do so, is found at it each
 *time. Otherwise threads are judged after LIMIT without output: those that use
 *under a fiftieth of a processor do not matter, nor does any thread when
 *nothing is missing from the log; else it is given up after twice LIMIT.
 *
 * From the environment, which children do not inherit:
 *	KC_TAIL         the file that gets the outcome; without it all is inert
 *	KC_TAIL_TABLES  the tables expected after the last `Testing` (0)
 *	KC_TAIL_LIMIT   milliseconds (10000)
 *	KC_TAIL_QUIET   milliseconds (100)
 *
 * A program that is a script comes to its bench by exec, or starts it as a
 *child. With KC_TAIL_FOLLOW=1 all of this stays in the environment: what the
 *process becomes by exec takes it over, and a child that writes to the same log
 *waits too, and leaves the outcome to its parent.
 *
 * The outcome is one line, `WORD SIZE TABLES MILLISECONDS`. WORD is
 *	drained   nothing more can come; the log was SIZE bytes long then
 *	busy      given up: threads ran, or wrote, until the limit
 *	failed    the exit status was not 0, so there was no wait
 *	blind     stdout is no regular file, or it or /proc could not be read
 * A process that dies otherwise leaves no outcome. Whoever reads it compares
 * SIZE with the size of the log: if that is longer, the wait was too short.
 */
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "scan.h"

enum {
	TICK = 5,     /* milliseconds between two looks */
	LOOKS = 20,   /* that it takes to say that threads sleep */
	AWAKE = 2,    /* one look in so many may find a thread awake */
	HEAD = 8,     /* the bytes of a line that tell what it is */
	FD_MIN = 100, /* our descriptor is out of the program's way */
};

/* Everything from the environment is copied: setenv may move what it holds. */
static struct {
	char *outcome; /* NULL: inert, or a child */
	bool child;    /* it waits, and has no outcome of its own */
	long tables;
	long limit;
	long quiet;
	pid_t pid; /* of the process that we were loaded into */
	int log;   /* a descriptor of our own, or -1 */
} tail;

/* What has been read of the log. */
static struct {
	off_t size;
	long tables;
	bool pending;	 /* the last launch line has no bottom ruler after it */
	char head[HEAD]; /* the beginning of the line that is being read */
	size_t n;
} seen;

static int (*real_main)(int, char **, char **);

/* Whether what is in the environment for us stays there. */
static bool follow;

/* The number in the environment, or `otherwise`; taken out of it. */
static long
take_number(const char *name, long otherwise)
{
	const char *text = getenv(name);
	char *end;
	long n;

	if (text == NULL)
		return otherwise;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || n < 0)
		n = otherwise;
	if (!follow)
		unsetenv(name);
	return n;
}

/*
 * Takes this library, and no other, out of LD_PRELOAD, whose items are
 * separated by spaces or colons (ld.so(8)).
 */
static void
leave_preload(void)
{
	const char *old = getenv("LD_PRELOAD");
	Dl_info self;
	char *new, *item, *rest, *save = NULL;

	if (old == NULL)
		return;
	new = calloc(1, strlen(old) + 2);
	rest = strdup(old);
	if (new != NULL &&
	    rest != NULL &&dladdr((void *)(uintptr_t)leave_preload, &self) != 0)
		for (item = strtok_r(rest, " :", &save); item != NULL;
		     item = strtok_r(NULL, " :", &save))
			if (strcmp(item, self.dli_fname) != 0) {
				if (*new != '\0')
					strcat(new, ":");
				strcat(new, item);
			}
	if (new == NULL || *new == '\0')
		unsetenv("LD_PRELOAD");
	else
		setenv("LD_PRELOAD", new, 1);
	free(new);
	free(rest);
}

/*
 * With KC_TAIL_FOLLOW: whose process the log is, and which file, are written
 * there by the first that comes. False for a process that has another stdout,
 * which is none of ours.
 */
static bool
take_over(const struct stat *out)
{
	const char *told = getenv("KC_TAIL_FOLLOW");
	char own[96];
	long long pid, dev, ino;

	if (strcmp(told, "1") == 0) {
		snprintf(own, sizeof(own), "%lld:%lld:%lld",
			 (long long)getpid(), (long long)out->st_dev,
			 (long long)out->st_ino);
		setenv("KC_TAIL_FOLLOW", own, 1);
		return true;
	}
	if (sscanf(told, "%lld:%lld:%lld", &pid, &dev, &ino) != 3 ||
	    dev != (long long)out->st_dev || ino != (long long)out->st_ino)
		return false;
	tail.child = pid != (long long)getpid();
	return true;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *outcome = getenv("KC_TAIL");
	struct stat st = {0};
	int fd, known = fstat(STDOUT_FILENO, &st);

	follow = outcome != NULL && getenv("KC_TAIL_FOLLOW") != NULL;
	if (!follow)
		leave_preload();
	if (outcome == NULL || (follow && !take_over(&st)))
		return;
	if (!tail.child)
		tail.outcome = strdup(outcome);
	if (!follow)
		unsetenv("KC_TAIL");
	tail.tables = take_number("KC_TAIL_TABLES", 0);
	tail.limit = take_number("KC_TAIL_LIMIT", 10000);
	tail.quiet = take_number("KC_TAIL_QUIET", 100);
	tail.pid = getpid();
	tail.log = -1;
	if (known != 0 || !S_ISREG(st.st_mode))
		return;
	fd = open("/proc/self/fd/1", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	tail.log = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
	close(fd);
}

static long
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What the line that begins with `seen.head` means for the wait. */
static void
take_line(void)
{
	static const char bottom[] = "|\xE2\x8E\xAF"; /* U+23AF, see log.c */

	if (seen.n >= 4 && memcmp(seen.head, bottom, 4) == 0) {
		seen.tables++;
		seen.pending = false;
	} else if (kc_is_launch(seen.head, seen.n)) {
		seen.pending = true;
	} else if (seen.n == HEAD && memcmp(seen.head, "Testing ", HEAD) == 0) {
		seen.tables = 0;
	}
}

/* Reads what was added to the log: 1 if anything, 0 if nothing, -1: error. */
static int
read_log(void)
{
	static char buf[1 << 16];
	int grew = 0;
	ssize_t n, i;

	while ((n = pread(tail.log, buf, sizeof(buf), seen.size)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		for (i = 0; i < n; i++) {
			if (buf[i] == '\n') {
				take_line();
				seen.n = 0;
			} else if (seen.n < HEAD) {
				seen.head[seen.n++] = buf[i];
			}
		}
		seen.size += n;
		grew = 1;
	}
	return grew;
}

/* Adds a thread's text from /proc to a hash (FNV-1a). */
static uint64_t
hash(uint64_t h, const char *data, size_t n)
{
	while (n-- > 0)
		h = (h ^ (unsigned char)*data++) * UINT64_C(0x100000001b3);
	return h;
}

/* What a look at all other threads found, the busiest of them. */
enum activity {
	UNKNOWN, /* /proc could not be read */
	ASLEEP,	 /* all the time since the last look */
	WOKE,	 /* and is asleep again */
	RUNS,	 /* or waits for a processor or a disk */
};

/*
 * Looks at every other thread: its state and its counts of context switches
 * (proc(5), /proc/self/task/TID/status).
 */
static enum activity
look(void)
{
	static uint64_t last;
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	long self = syscall(SYS_gettid);
	enum activity found = ASLEEP;
	char path[64], text[4096];
	const char *at;
	struct dirent *e;
	ssize_t n;
	DIR *dir;
	int fd;

	dir = opendir("/proc/self/task");
	if (dir == NULL)
		return UNKNOWN;
	while ((e = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    strtol(e->d_name, NULL, 10) == self)
			continue;
		h = hash(h, e->d_name, strlen(e->d_name));
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/status",
			 e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0) /* it has ended since */
			continue;
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
		if (n <= 0)
			continue;
		text[n] = '\0';
		at = strstr(text, "\nState:\t");
		if (at != NULL && (at[8] == 'R' || at[8] == 'D'))
			found = RUNS;
		at = strstr(text, "\nvoluntary_ctxt_switches:");
		if (at != NULL)
			h = hash(h, at, strlen(at));
	}
	closedir(dir);
	if (h != last && found == ASLEEP)
		found = WOKE;
	last = h;
	return found;
}

static long
milliseconds(const struct rusage *r)
{
	return (long)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) * 1000 +
	       (long)(r->ru_utime.tv_usec + r->ru_stime.tv_usec) / 1000;
}

/* The processor time of all other threads so far. A thread that waits for a
 * processor looks busy; what it has used tells whether it is. */
static long
used(void)
{
	struct rusage all, self;

	if (getrusage(RUSAGE_SELF, &all) != 0 ||
	    getrusage(RUSAGE_THREAD, &self) != 0)
		return 0;
	return milliseconds(&all) - milliseconds(&self);
}

/* Waits as the head of this file says; the outcome's word. */
static const char *
wait_for_logger(void)
{
	const struct timespec tick = {0, TICK * 1000000L};
	long start = now(), t = start;
	long wrote = start, ran = start; /* when last seen to */
	long used_then = used();
	long since = start, looks = 0, runs = 0; /* a time of twice QUIET */
	long quiet;
	bool complete;
	enum activity found;
	int grew;

	for (;;) {
		grew = read_log();
		found = look();
		if (grew < 0 || found == UNKNOWN)
			return "blind";
		if (grew > 0) {
			wrote = t;
			used_then = used();
			since = t;
			looks = runs = 0;
		}
		looks++;
		runs += found == RUNS;
		if (found != ASLEEP)
			ran = t;
		complete = !seen.pending && seen.tables >= tail.tables;
		quiet = complete ? tail.quiet : 10 * tail.quiet;
		if (!seen.pending && t - wrote >= quiet && t - ran >= quiet)
			return "drained";
		if (!seen.pending && t - since >= 2 * quiet && looks >= LOOKS) {
			if (runs * AWAKE < looks)
				return "drained";
			since = t;
			looks = runs = 0;
		}
		if (t - wrote >= tail.limit &&
		    (complete || t - ran >= tail.quiet ||
		     (used() - used_then) * 50 < t - wrote))
			return "drained";
		if (t - start >= 2 * tail.limit)
			return "busy";
		nanosleep(&tick, NULL);
		t = now();
	}
}

static void
put_outcome(const char *word, long ms)
{
	char line[128];
	int fd, n;

	n = snprintf(line, sizeof(line), "%s %lld %ld %ld\n", word,
		     (long long)seen.size, seen.tables, ms);
	fd = open(tail.outcome, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	/* A line that is cut has no newline, and no reader takes it. */
	while (write(fd, line, (size_t)n) < 0 && errno == EINTR)
		continue;
	close(fd);
}

/* Output that the program has in stdio's buffer belongs to its log as well,
 * unless a thread holds the stream and would keep us for ever. */
static void
flush_stdio(void)
{
	if (ftrylockfile(stdout) != 0)
		return;
	fflush(stdout);
	funlockfile(stdout);
}

static int exit_status;

static void
drain(void)
{
	const char *word = "failed";
	long start = now();

	flush_stdio();
	if (exit_status == 0)
		word = tail.log < 0 ? "blind" : wait_for_logger();
	if (tail.outcome != NULL)
		put_outcome(word, now() - start);
}

/* Once in a process; whoever comes second waits for the first. */
static void
finish(int status)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if ((tail.outcome == NULL && !tail.child) || tail.pid != getpid())
		return;
	exit_status = status;
	pthread_once(&once, drain);
}

static int
main_then_wait(int argc, char **argv, char **envp)
{
	int status = real_main(argc, argv, envp);

	finish(status);
	return status;
}

/*
 * The two ways to the exit handlers: main returns, inside the C library, to
 * __libc_start_main; everyone else calls exit. Both stand before the C
 * library's own in the order of symbol lookup.
 */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);

int
__libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		  void (*init)(void), void (*fini)(void),
		  void (*rtld_fini)(void), void *stack_end)
{
	int (*next)(int (*)(int, char **, char **), int, char **,
		    void (*)(void), void (*)(void), void (*)(void), void *);

	*(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
	real_main = main;
	return next(main_then_wait, argc, argv, init, fini, rtld_fini,
		    stack_end);
}

void
exit(int status)
{
	void (*next)(int) __attribute__((noreturn));

	finish(status);
	*(void **)&next = dlsym(RTLD_NEXT, "exit");
	next(status);
}
