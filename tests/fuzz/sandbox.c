/* sandbox.c: what a filter meets inside the sandbox. See LICENSE. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "log.h"
#include "sandbox-names.h"
#include "sandbox.h"

#undef malloc
#undef realloc
#undef free
#undef exit
#undef open
#undef read
#undef close
#undef tsearch

enum { FIRST_FD = 1000, FILES_MAX = 8, TREES_MAX = 16 };

/* Every live allocation of the filter, by open addressing on its address. */
struct live {
	void *p;
	size_t size;
};

static struct {
	struct live *live;
	size_t cap;
	size_t n;
	size_t bytes;
	size_t peak;
	bool tracking;
	const struct sb_run *run;
	size_t at[FILES_MAX]; /* how far each file is read */
	size_t step;
	void **tree[TREES_MAX]; /* the roots of the filter's trees */
	size_t trees;
	int argc;
	int status; /* what exit was given */
	jmp_buf back;
} sb;

static size_t
place(const void *p)
{
	uint64_t h = (uint64_t)(uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(h >> 32) & (sb.cap - 1);

	while (sb.live[i].p != NULL && sb.live[i].p != p)
		i = (i + 1) & (sb.cap - 1);
	return i;
}

static void
track(void *p, size_t size)
{
	struct live *old = sb.live;
	size_t old_cap = sb.cap, i;

	if (2 * (sb.n + 1) > sb.cap) {
		sb.cap = old_cap > 0 ? 2 * old_cap : 1024;
		sb.live = calloc(sb.cap, sizeof(*sb.live));
		if (sb.live == NULL)
			abort();
		for (i = 0; i < old_cap; i++)
			if (old[i].p != NULL)
				sb.live[place(old[i].p)] = old[i];
		free(old);
	}
	sb.live[place(p)] = (struct live){p, size};
	sb.n++;
	sb.bytes += size;
	if (sb.bytes > sb.peak)
		sb.peak = sb.bytes;
}

/* Takes `p` out; what stood after it in its run of places moves up. */
static void
untrack(void *p)
{
	size_t i = place(p), j;
	struct live moved;

	if (sb.live[i].p == NULL)
		abort(); /* not the filter's: a wild free */
	sb.bytes -= sb.live[i].size;
	sb.n--;
	sb.live[i].p = NULL;
	for (j = (i + 1) & (sb.cap - 1); sb.live[j].p != NULL;
	     j = (j + 1) & (sb.cap - 1)) {
		moved = sb.live[j];
		sb.live[j].p = NULL;
		sb.live[place(moved.p)] = moved;
	}
}

void *
sb_malloc(size_t size)
{
	void *p = malloc(size);

	if (p != NULL && sb.tracking)
		track(p, size);
	return p;
}

void *
sb_realloc(void *old, size_t size)
{
	void *p;

	if (old != NULL && sb.tracking)
		untrack(old);
	p = realloc(old, size);
	if (p == NULL)
		abort(); /* the sandbox injects no faults */
	if (sb.tracking)
		track(p, size);
	return p;
}

void
sb_release(void *p)
{
	if (p != NULL && sb.tracking)
		untrack(p);
	free(p);
}

_Noreturn void
sb_exit(int status)
{
	sb.status = status;
	longjmp(sb.back, 1);
}

int
sb_open(const char *path, int flags, ...)
{
	size_t i;

	(void)flags;
	for (i = 0; i < sb.run->n; i++)
		if (strcmp(sb.run->files[i].path, path) == 0) {
			sb.at[i] = 0;
			return FIRST_FD + (int)i;
		}
	errno = ENOENT;
	return -1;
}

ssize_t
sb_read(int fd, void *buf, size_t len)
{
	size_t i = (size_t)(fd - FIRST_FD), left, step;

	if (fd == STDIN_FILENO)
		for (i = 0; i < sb.run->n; i++)
			if (strcmp(sb.run->files[i].path, "-") == 0)
				break;
	if (i >= sb.run->n)
		return 0;
	if (sb.run->steps_n > 0) {
		step = sb.run->steps[sb.step++ % sb.run->steps_n];
		if (step == 0) {
			errno = EINTR;
			return -1;
		}
		if (len > step)
			len = step;
	}
	left = sb.run->files[i].len - sb.at[i];
	if (len > left)
		len = left;
	if (len > 0)
		memcpy(buf, sb.run->files[i].data + sb.at[i], len);
	sb.at[i] += len;
	return (ssize_t)len;
}

int
sb_close(int fd)
{
	(void)fd;
	return 0;
}

/* The filters' maps are static, so that their roots are there when a run has
 * ended, and the nodes that libc allocated can be freed. */
void *
sb_tsearch(const void *key, void **root,
	   int (*order)(const void *, const void *))
{
	size_t i;

	for (i = 0; i < sb.trees && sb.tree[i] != root; i++)
		;
	if (i == TREES_MAX)
		abort();
	if (i == sb.trees)
		sb.tree[sb.trees++] = root;
	return tsearch(key, root, order);
}

static void
nothing(void *entry)
{
	(void)entry; /* freed with all else that the filter allocated */
}

/* The log reader keeps its patterns for the life of the process: they are made
 * here, outside any run, so that they outlive each. */
static void
nothing_id(void *data, const char *id, size_t len)
{
	(void)data;
	(void)id;
	(void)len;
}

static void
nothing_eof(void *data, bool whole)
{
	(void)data;
	(void)whole;
}

static void
warm_up(void)
{
	static const struct kc_log_events events = {
		.begin = nothing_id, .config = nothing_id, .eof = nothing_eof};
	static const struct sb_run none;
	struct kc_in in;

	sb.run = &none;
	kc_in_open(&in, "-");
	kc_log_read(&in, &events, false, NULL);
	kc_in_close(&in);
}

/* Runs the filter until it returns or exits. */
static void
enter(struct sb_run *run)
{
	for (sb.argc = 0; run->argv[sb.argc] != NULL; sb.argc++)
		;
	switch (setjmp(sb.back)) {
	case 0:
		run->status = run->filter(sb.argc, run->argv);
		break;
	default:
		run->status = sb.status;
	}
}

void
sb_run(struct sb_run *run)
{
	static bool warm;
	FILE *out = stdout, *err = stderr;
	size_t i;

	if (!warm)
		warm_up();
	warm = true;
	if (run->n > FILES_MAX)
		abort();
	sb.run = run;
	sb.step = 0;
	memset(sb.at, 0, sizeof(sb.at));
	stdout = open_memstream(&run->out, &run->out_len);
	stderr = open_memstream(&run->err, &run->err_len);
	if (stdout == NULL || stderr == NULL)
		abort();
	optind = 0; /* glibc: start anew */
	sb.tracking = true;
	sb.peak = 0;
	enter(run);
	sb.tracking = false;
	if (fclose(stdout) != 0 || fclose(stderr) != 0)
		abort();
	stdout = out;
	stderr = err;
	while (sb.trees > 0) {
		sb.trees--;
		tdestroy(*sb.tree[sb.trees], nothing);
		*sb.tree[sb.trees] = NULL;
	}
	for (i = 0; i < sb.cap && sb.n > 0; i++)
		if (sb.live[i].p != NULL) {
			free(sb.live[i].p);
			sb.live[i].p = NULL;
			sb.n--;
		}
	sb.bytes = 0;
	run->peak = sb.peak;
}

void
sb_free(struct sb_run *run)
{
	free(run->out);
	free(run->err);
	run->out = run->err = NULL;
}

void
sb_check(int ok, const char *what, const struct sb_run *run)
{
	if (ok)
		return;
	fprintf(stderr, "sandbox: %s\n", what);
	if (run != NULL)
		fprintf(stderr, "status %d\n--- stdout\n%.*s--- stderr\n%.*s",
			run->status, (int)run->out_len, run->out,
			(int)run->err_len, run->err);
	abort();
}
