/*
 * synth.c: benches whose launches are known, printed as criterion and cubecl
 * print theirs. See LICENSE.
 *
 * The logger is as cubecl's since 0.6: a detached thread for each device, with
 * a queue that nobody flushes, which prints a line for each launch and, where a
 * sync finds launches, their table; an empty sync prints nothing. What is in
 * the queue when the process ends is lost. Written from cubecl's
 * logging/server.rs and profiling.rs and criterion's report.rs, not from the
 * filters.
 *
 * A case is a function (see `cases`) and takes what a bench should: the warm-up
 * count of BENCH_WARMUP_ITERS, one iteration and a sync for each, then the
 * measured iteration and its sync. What each must come to stands beside it.
 * Command line: --bench, --list, --test, a filter (POSIX's extended regexes).
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KERNELS = 16, DEVICES = 2, LINE = 512 };

/* What a client tells a logger: a launch of a kernel, a sync, or a wait. */
struct message {
	struct message *next;
	const char *kernel; /* NULL: a sync */
	long wait;	    /* milliseconds before the message; -1: for ever */
};

static struct logger {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct message *first, **last;
	const char *kernel[KERNELS];
	long launches[KERNELS];
	size_t n;
	bool started;
} loggers[DEVICES];

static bool logging;

static void
nap(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void
count(struct logger *l, const char *kernel)
{
	size_t i;

	for (i = 0; i < l->n && strcmp(l->kernel[i], kernel) != 0; i++)
		;
	if (i == l->n) {
		if (i == KERNELS)
			abort();
		l->kernel[l->n] = kernel;
		l->launches[l->n++] = 0;
	}
	l->launches[i]++;
}

static void
ruler(const char *c, size_t n)
{
	fputs("|", stdout);
	while (n-- > 0)
		fputs(c, stdout);
	puts("| ");
}

/* One println! of cubecl's: nobody else's comes in between. */
static void
summary(struct logger *l)
{
	size_t width = strlen("Total"), length, i;
	long total = 0;

	for (i = 0; i < l->n; i++) {
		total += l->launches[i];
		if (strlen(l->kernel[i]) > width)
			width = strlen(l->kernel[i]);
	}
	if (total == 0)
		return;
	length = width + 8 + 12 + 5 + 11;
	flockfile(stdout);
	ruler("\xE2\x8E\xBA", length);
	printf("| %-*s | Duration | Num Computed | Ratio |\n", (int)width,
	       "Name");
	ruler("\xE2\x8E\xBC", length);
	for (i = 0; i < l->n; i++)
		printf("| %-*s | %-8s | %-12ld | %-5s |\n", (int)width,
		       l->kernel[i], "870ns", l->launches[i],
		       l->n == 1 ? "100 %" : "0 %");
	ruler("\xE2\x8E\xBC", length);
	printf("| %-*s | %-8s | %-12ld | %-5s |\n", (int)width, "Total",
	       "1.25ms", total, "100 %");
	ruler("\xE2\x8E\xAF", length);
	puts("");
	fflush(stdout);
	funlockfile(stdout);
	l->n = 0;
}

static void *
work(void *data)
{
	struct logger *l = data;
	struct message *m;

	for (;;) {
		pthread_mutex_lock(&l->lock);
		while (l->first == NULL)
			pthread_cond_wait(&l->more, &l->lock);
		m = l->first;
		l->first = m->next;
		if (l->first == NULL)
			l->last = &l->first;
		pthread_mutex_unlock(&l->lock);
		while (m->wait < 0)
			nap(1000);
		nap(m->wait);
		if (m->kernel != NULL) {
			printf("| %-10s | %s\n", "870ns", m->kernel);
			fflush(stdout);
			count(l, m->kernel);
		} else {
			summary(l);
		}
		free(m);
	}
	return NULL;
}

static void
tell(int device, const char *kernel, long wait)
{
	struct logger *l = &loggers[device];
	struct message *m = malloc(sizeof(*m));

	if (!logging)
		return;
	if (m == NULL)
		abort();
	*m = (struct message){NULL, kernel, wait};
	if (!l->started) {
		pthread_mutex_init(&l->lock, NULL);
		pthread_cond_init(&l->more, NULL);
		l->last = &l->first;
		if (pthread_create(&l->thread, NULL, work, l) != 0)
			abort();
		pthread_detach(l->thread);
		l->started = true;
	}
	pthread_mutex_lock(&l->lock);
	*l->last = m;
	l->last = &m->next;
	pthread_cond_signal(&l->more);
	pthread_mutex_unlock(&l->lock);
}

static void
launch(const char *kernel, int times)
{
	while (times-- > 0)
		tell(0, kernel, 0);
}

static void
synchronize(void)
{
	tell(0, NULL, 0);
}

/* --- the benches --- */

static long warmups;
static size_t running; /* the case's number */

/* An iteration is told which it is: 0 and up for warm-ups, -1 when measured. */
typedef void iteration(long which);

static void
contract(iteration *one)
{
	long i;

	for (i = 0; i < warmups; i++) {
		one(i);
		synchronize();
	}
	one(-1);
	synchronize();
}

static void
steady(long which)
{
	(void)which;
	launch("Gemm | f32", 3);
	launch("Cast", 2);
}

/* Parameters are made when they are first used. */
static void
lazy(long which)
{
	if (which == 0)
		launch("Fill", 7);
	launch("Gemm | f32", 5);
}

static void
syncs_inside(long which)
{
	(void)which;
	launch("Gemm | f32", 3);
	synchronize();
	launch("Gemm | f32", 5);
}

static void
syncs_each_token(long which)
{
	int token;

	(void)which;
	for (token = 0; token < 3; token++) {
		launch("Gemv", 4);
		synchronize();
	}
}

/* As many syncs as tables from a tuner, which works in the first process only:
 * what is kept for the next is a file in the user's cache. */
static bool
tuned(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	char path[LINE];
	int fd;

	if (cache == NULL || (mkdir(cache, 0777) != 0 && errno != EEXIST))
		abort();
	(void)snprintf(path, sizeof(path), "%s/synth-%zu", cache, running);
	/* One of two processes that ask at once is the first. */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static void
tunes(long which)
{
	if (which == 0 && !tuned()) {
		launch("MatmulA", 13);
		launch("MatmulB", 13);
	}
	launch("MatmulB", 2);
}

/* The tuner syncs, and so does the iteration: a table more in the first process
 * makes the second's two more look like one. */
static void
tunes_and_syncs_inside(long which)
{
	if (which == 0 && !tuned()) {
		launch("MatmulA", 13);
		synchronize();
	}
	launch("MatmulB", 2);
	synchronize();
	launch("MatmulB", 4);
}

/* The tuner's choice is another in each process. */
static void
tunes_anew(long which)
{
	static bool settled, first;

	if (which == 0 || !settled)
		first = !tuned();
	settled = true;
	launch("Matmul", first ? 2 : 1);
}

static void *
launches_four(void *data)
{
	(void)data;
	launch("Copy", 4);
	return NULL;
}

/* A thread of the iteration's own, joined before the sync. */
static void
second_thread(long which)
{
	pthread_t thread;

	(void)which;
	launch("Gemm | f32", 3);
	if (pthread_create(&thread, NULL, launches_four, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		abort();
}

/* A number that another process has once in 9973 times. */
static int
by_chance(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int)((t.tv_nsec / 16 + getpid()) % 9973);
}

/* A thread that nobody waits for: what of it is in the table is by chance, and
 * here never the same twice. */
static void
loose_thread(long which)
{
	launch("Gemm | f32", 3);
	launch("Prefetch", which < 0 ? by_chance() : 1);
}

static void
two_devices(long which)
{
	(void)which;
	launch("Gemm | f32", 3);
	tell(1, "Gemm | f32", 0);
	tell(1, NULL, 0);
}

/* One after the other, so that each table fits the lines before it. */
static void
two_devices_in_turn(long which)
{
	(void)which;
	launch("Gemm | f32", 3);
	synchronize();
	nap(30);
	tell(1, "Gemm | f32", 0);
	tell(1, NULL, 0);
	nap(30);
}

static void
nothing(long which)
{
	if (which == 0)
		launch("Fill", 7);
}

static void
warms_up_otherwise(long which)
{
	launch("Gemm | f32", which < 0 ? 5 : 9);
}

static void
never_the_same(long which)
{
	(void)which;
	launch("Gemm | f32", by_chance() + 1);
}

static void
run_late(void)
{
	long i;

	for (i = 0; i < warmups; i++) {
		steady(i);
		synchronize();
	}
	steady(-1);
	tell(0, NULL, 250);
}

static void
run_never(void)
{
	long i;

	for (i = 0; i < warmups; i++) {
		steady(i);
		synchronize();
	}
	steady(-1);
	tell(0, NULL, -1);
}

static void
run_pending(void)
{
	contract(steady);
	launch("Drop", 3);
}

static void
run_after_set_up(void)
{
	launch("Fill", 4);
	synchronize();
	launch("Fill", 2);
	synchronize();
	contract(lazy);
}

/* The last table of each process is the first warm-up's. */
static void
run_nothing_after(void)
{
	launch("Fill", 4);
	synchronize();
	contract(nothing);
}

static void
run_sync_once(void)
{
	long i;

	for (i = 0; i < warmups; i++)
		steady(i);
	synchronize();
	steady(-1);
	synchronize();
}

static void
run_ignoring(void)
{
	warmups = 1;
	contract(lazy);
}

static void
run_without_sync(void)
{
	long i;

	for (i = 0; i <= warmups; i++)
		steady(i);
}

static void
run_panic(void)
{
	contract(steady);
	fputs("thread 'main' (77) panicked at benches/layer.rs:1:2:\nboom\n",
	      stderr);
	nap(20);
	_exit(101);
}

/* The logger panics, and what comes after is lost while all else goes on. */
static void
run_dead_logger(void)
{
	steady(0);
	synchronize();
	nap(20);
	fputs("thread '<unnamed>' panicked at profiling.rs:9:9:\nattempt to "
	      "divide by zero\n",
	      stderr);
}

#define CONTRACT(name, one)    \
	static void name(void) \
	{                      \
		contract(one); \
	}

CONTRACT(run_steady, steady)
CONTRACT(run_lazy, lazy)
CONTRACT(run_syncs_inside, syncs_inside)
CONTRACT(run_syncs_each_token, syncs_each_token)
CONTRACT(run_tunes, tunes)
CONTRACT(run_tunes_and_syncs, tunes_and_syncs_inside)
CONTRACT(run_tunes_anew, tunes_anew)
CONTRACT(run_second_thread, second_thread)
CONTRACT(run_loose_thread, loose_thread)
CONTRACT(run_two_devices, two_devices)
CONTRACT(run_two_in_turn, two_devices_in_turn)
CONTRACT(run_nothing, nothing)
CONTRACT(run_warms_up_otherwise, warms_up_otherwise)
CONTRACT(run_never_the_same, never_the_same)

/*
 * `truth` is what the pipeline must print of the case: a number and its
 * verdict, or a part of the reason why there is none.
 */
static const struct {
	const char *id;
	void (*run)(void);
	const char *truth;
} cases[] = {
	{"count/steady", run_steady, "5 repeated"},
	{"count/lazy", run_lazy, "5 repeated"},
	{"count/tuned in the first process", run_tunes, "2 repeated"},
	{"count/a second thread", run_second_thread, "7 repeated"},
	{"count/a warm-up that differs", run_warms_up_otherwise, "5 repeated"},
	{"count/a late table", run_late, "5 repeated"},
	{"count/launches never synced", run_pending, "5 repeated"},
	{"count/set-up that syncs", run_after_set_up, "5 repeated"},
	{"count/warm-ups synced at once", run_sync_once, "5 once"},
	{"count/warm-ups as it likes", run_ignoring, "5 once"},
	{"refuse/syncs inside", run_syncs_inside, "expected one more"},
	{"refuse/syncs each token", run_syncs_each_token, "expected one more"},
	{"refuse/a tuner that syncs, a sync inside", run_tunes_and_syncs,
	 "expected"},
	{"refuse/another choice of the tuner", run_tunes_anew,
	 "launches in two runs"},
	{"refuse/a loose thread", run_loose_thread, "launches in two runs"},
	{"refuse/two devices", run_two_devices, ""},
	{"refuse/two devices in turn", run_two_in_turn, "expected one more"},
	{"refuse/nothing launched", run_nothing, "launches nothing"},
	{"refuse/nothing launched, set-up that syncs", run_nothing_after,
	 "launches nothing"},
	{"refuse/never the same", run_never_the_same, "launches in two runs"},
	{"refuse/a table that never comes", run_never, ""},
	{"refuse/no sync", run_without_sync, ""},
	{"refuse/a panic", run_panic, "boom"},
	{"refuse/a logger that died", run_dead_logger, "divide by zero"},
};
enum { CASES = sizeof(cases) / sizeof(*cases) };

int
main(int argc, char **argv)
{
	bool list = false, test = false, bench = false, truths = false;
	const char *filter = NULL, *warm = getenv("BENCH_WARMUP_ITERS");
	regex_t regex;
	size_t i;
	int k;

	for (k = 1; k < argc; k++)
		if (strcmp(argv[k], "--list") == 0)
			list = true;
		else if (strcmp(argv[k], "--test") == 0)
			test = true;
		else if (strcmp(argv[k], "--bench") == 0)
			bench = true;
		else if (strcmp(argv[k], "--truths") == 0)
			truths = true;
		else
			filter = argv[k];
	warmups = warm != NULL ? strtol(warm, NULL, 10) : 1;
	if (filter != NULL &&
	    regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB) != 0)
		return 101;
	logging = system("grep -qs '^level = \"basic\"' cubecl.toml") == 0;
	for (i = 0; i < CASES; i++) {
		if (filter != NULL &&
		    regexec(&regex, cases[i].id, 0, NULL, 0) != 0)
			continue;
		if (truths) {
			printf("%s\t%s\n", cases[i].id, cases[i].truth);
		} else if (list) {
			printf("%s: benchmark\n", cases[i].id);
		} else if (test && bench) {
			running = i;
			printf("Testing %s\n", cases[i].id);
			fflush(stdout);
			cases[i].run();
			puts("Success\n");
			fflush(stdout);
		}
	}
	return 0;
}
