/*
 * bench.c: a bench that prints as criterion and cubecl's logger do, with a
 * known number of launches, in milliseconds. See LICENSE.
 *
 * BENCH_CASES names a file with a case a line: ID, launches of an iteration and
 * what is wrong with it (see `modes`), separated by tabs. Command line, titles
 * and filter are criterion's, the filter by POSIX's extended regexes. Like
 * cubecl it logs only when ./cubecl.toml says so, and takes BENCH_WARMUP_ITERS.
 * STUB_TRACE gets the arguments of each process, a line each.
 */
#include <dirent.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CASES = 4096, LINE = 4096, TITLE = 100 };

static struct {
	char *id;
	char *title;
	char *mode;
	long launches;
} cases[CASES];
static int n;
static bool logging;

static const char *
env(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value != NULL ? value : otherwise;
}

static void
nap(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* Criterion's as_title: cut at a character's start, numbered if seen before. */
static char *
title_of(int k)
{
	char base[TITLE + 4], title[TITLE + 32];
	size_t len = strlen(cases[k].id);
	int i, again = 1;

	if (len > TITLE) {
		len = TITLE;
		while (len > 0 &&
		       ((unsigned char)cases[k].id[len] & 0xc0) == 0x80)
			len--;
		snprintf(base, sizeof(base), "%.*s...", (int)len, cases[k].id);
	} else {
		snprintf(base, sizeof(base), "%s", cases[k].id);
	}
	snprintf(title, sizeof(title), "%s", base);
	for (i = 0; i < k; i++)
		if (strcmp(cases[i].title, title) == 0) {
			snprintf(title, sizeof(title), "%s #%d", base, ++again);
			i = -1;
		}
	return strdup(title);
}

static void
read_cases(void)
{
	FILE *f = fopen(env("BENCH_CASES", "/dev/null"), "r");
	static char line[LINE];
	char *tab;

	if (f == NULL)
		exit(9);
	while (n < CASES && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		tab = strchr(line, '\t');
		if (tab != NULL)
			*tab++ = '\0';
		cases[n].id = strdup(line);
		cases[n].launches = tab != NULL ? strtol(tab, &tab, 10) : 1;
		cases[n].mode =
			strdup(tab != NULL && *tab == '\t' ? tab + 1 : "");
		cases[n].title = title_of(n);
		/* So many for each 64 of the sequence. */
		if (strcmp(cases[n].mode, "chunks") == 0)
			cases[n].launches *=
				(strtol(env("BENCH_SEQ", "8"), NULL, 10) + 63) /
				64;
		n++;
	}
	fclose(f);
}

static void
launches(long count)
{
	long i;

	for (i = 0; logging && i < count; i++)
		printf("| %-10s | Kernel%ld | f32\n", "1.5µs", i % 3);
}

/* One kernel's name for all, which is enough for a table that adds up. */
static void
table(long count)
{
	if (!logging || count == 0)
		return;
	printf("|⎺⎺⎺⎺⎺⎺| \n| Name | Duration | Num Computed | Ratio |\n"
	       "|⎼⎼⎼⎼⎼⎼| \n| Kernel | f32 | 1.5µs | %ld | 100 %% |\n"
	       "|⎼⎼⎼⎼⎼⎼| \n| Total | 1.5µs | %ld | 100 %% |\n"
	       "|⎯⎯⎯⎯⎯⎯| \n\n",
	       count, count);
	fflush(stdout);
}

static long late_count;

static void *
late(void *arg)
{
	(void)arg;
	nap(100);
	table(late_count);
	return NULL;
}

/* An iteration and its sync, with so many launches of set-up before it. */
static void
iteration(int k, long setup, bool measured)
{
	const char *mode = cases[k].mode;
	long count = cases[k].launches + setup;
	pthread_t thread;

	if (strcmp(mode, "unsteady") == 0)
		count += getpid() % 1000 + 1;
	launches(count);
	if (strcmp(mode, "inside") == 0) {
		table(count);
		launches(1);
		table(1);
	} else if (measured && strcmp(mode, "late") == 0) {
		fflush(stdout);
		late_count = count;
		if (pthread_create(&thread, NULL, late, NULL) != 0)
			exit(9);
		pthread_detach(thread);
	} else if (measured && strcmp(mode, "lost") == 0) {
		fflush(stdout);
	} else if (strcmp(mode, "notable") != 0) {
		table(count);
	}
}

/*
 * Mode `full`: a device with room for STUB_ROOM processes, which are in the
 * folder STUB_ROOMS while they run. Who finds more ends as with cubecl on CUDA.
 */
static char room[LINE];

static void
leave(void)
{
	unlink(room);
}

static void
enter(void)
{
	const char *folder = env("STUB_ROOMS", ".");
	struct dirent *e;
	long inside = 0;
	FILE *f;
	DIR *dir;

	snprintf(room, sizeof(room), "%s/%ld", folder, (long)getpid());
	f = fopen(room, "w");
	if (f == NULL || fclose(f) != 0 || atexit(leave) != 0)
		exit(9);
	nap(200);
	dir = opendir(folder);
	while (dir != NULL && (e = readdir(dir)) != NULL)
		inside += e->d_name[0] != '.';
	closedir(dir);
	if (inside > strtol(env("STUB_ROOM", "1"), NULL, 10)) {
		fprintf(stderr, "thread 'main' panicked at runtime.rs:98:2:\n"
				"called `Result::unwrap()` on an `Err` value: "
				"DriverError(CUDA_ERROR_OUT_OF_MEMORY, "
				"\"out of memory\")\n");
		exit(101);
	}
	nap(200);
}

/*
 * Mode `tunes`: as cubecl's tuner, which tells of a choice where the settings
 * say so, and makes it once for a cache. Mode `retunes`: whatever the cache
 * has.
 */
static void
tune(int k, bool again)
{
	char file[LINE];
	FILE *f;

	snprintf(file, sizeof(file), "%s/choice.%d", env("XDG_CACHE_HOME", "."),
		 k);
	if (access(file, F_OK) == 0 && !again)
		return;
	f = fopen(file, "w");
	if (f == NULL || fclose(f) != 0)
		exit(9);
	if (system("grep -qs '^.autotune.logger' cubecl.toml") == 0)
		fprintf(stderr,
			"Fastest result kernel_%d-(Anchor: %d). Top 3 times: "
			"[(1, 5.2µs)], context: \n - Tuning: kernel_%d "
			"(compilation & bench: 1.2ms)\n",
			k, k, k);
}

static void
test(int k)
{
	const char *mode = cases[k].mode;
	long i, warmups = strtol(env("BENCH_WARMUP_ITERS", "1"), NULL, 10);

	if (strcmp(mode, "ignores") == 0)
		warmups = 1;
	if (strcmp(mode, "none") == 0)
		warmups = 0;
	printf("Testing %s\n", cases[k].title);
	fprintf(stderr, "bench-config: seq=%s sync=%s device=%s\n",
		env("BENCH_SEQ", "8"), env("BENCH_SYNC_EVERY", "unset"),
		env("BURN_DEVICE", "unset"));
	if (strcmp(mode, "full") == 0)
		enter();
	if (strcmp(mode, "tunes") == 0 || strcmp(mode, "retunes") == 0)
		tune(k, mode[0] == 'r');
	if (strcmp(mode, "says") == 0) {
		fprintf(stderr, "%s\n", env("STUB_SAYS", ""));
		exit(101);
	}
	for (i = 0; i < warmups; i++)
		iteration(k, i == 0 ? 5 : 0, false);
	fflush(stdout);
	if (strcmp(mode, "panic") == 0) {
		fprintf(stderr,
			"thread 'main' panicked at benches/layer.rs:1:2:"
			"\nout of memory\n");
		exit(101);
	}
	if (strcmp(mode, "crash") == 0)
		raise(SIGSEGV);
	if (strcmp(mode, "logger") == 0)
		fprintf(stderr, "thread '<unnamed>' panicked at profiling.rs:9:"
				"\nattempt to divide by zero\n");
	if (strcmp(mode, "hang") == 0) {
		nap(strtol(env("STUB_HANG", "0"), NULL, 10));
	}
	iteration(k, 0, true);
	if (strcmp(mode, "unsynced") == 0)
		launches(3);
	if (strcmp(mode, "nosuccess") != 0)
		printf("Success\n\n");
	fflush(stdout);
	if (strcmp(mode, "_exit") == 0)
		_exit(0);
}

static void
trace(int argc, char **argv)
{
	const char *name = getenv("STUB_TRACE");
	static char line[LINE];
	size_t len = 0;
	FILE *f;
	int i;

	if (name == NULL)
		return;
	for (i = 1; i < argc; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "<%s>",
					argv[i]);
	f = fopen(name, "a");
	if (f == NULL || fprintf(f, "%s\n", line) < 0 || fclose(f) != 0)
		exit(9);
}

int
main(int argc, char **argv)
{
	bool list = false, testing = false, bench = false, rest = false;
	const char *filter = NULL;
	regex_t regex;
	int i;

	trace(argc, argv);
	for (i = 1; i < argc; i++) {
		if (!rest && strcmp(argv[i], "--") == 0)
			rest = true;
		else if (!rest && strcmp(argv[i], "--list") == 0)
			list = env("STUB_IGNORES_LIST", NULL) == NULL;
		else if (!rest && strcmp(argv[i], "--test") == 0)
			testing = true;
		else if (!rest && strcmp(argv[i], "--bench") == 0)
			bench = true;
		else if ((!rest && argv[i][0] == '-') || filter != NULL) {
			fprintf(stderr, "error: unexpected argument '%s'\n",
				argv[i]);
			return 2;
		} else
			filter = argv[i];
	}
	if (filter != NULL &&
	    regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB) != 0) {
		fprintf(stderr,
			"thread 'main' panicked at lib.rs:1:1:\n"
			"Unable to parse '%s' as a regular expression\n",
			filter);
		return 101;
	}
	logging = system("grep -qs '^level = \"basic\"' cubecl.toml") == 0;
	read_cases();
	if (!bench || (!list && !testing))
		puts("benchmarking everything");
	for (i = 0; i < n; i++) {
		if (filter != NULL &&
		    regexec(&regex, cases[i].id, 0, NULL, 0) != 0)
			continue;
		if (list)
			printf("%s: benchmark\n", cases[i].title);
		else if (testing)
			test(i);
	}
	if (list)
		puts("");
	return 0;
}
