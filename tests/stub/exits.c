/*
 * exits.c: programs whose last output is late, one a mode, to be run with
 * kc-tail.so preloaded. Usage: exits MODE... See LICENSE.
 *
 * A detached thread stands for the logger. Nothing here waits for it: without
 * the library its output is lost.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LAUNCH "| 1.5µs      | Kernel\n"
#define TABLE                                                                      \
	"|⎺⎺⎺| \n| Name | Duration | Num Computed | Ratio |\n|⎼⎼⎼| \n" \
	"| Kernel | 1.5µs | 1 | 100 % |\n|⎼⎼⎼| \n"                          \
	"| Total | 1.5µs | 1 | 100 % |\n|⎯⎯⎯| \n\n"

static void
put(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(9);
}

static void
nap(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static long
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
spin(long ms)
{
	long end = now() + ms;

	while (now() < end)
		continue;
}

/* The launch is logged; its table waits 300 ms for the device. */
static void *
late(void *arg)
{
	put(LAUNCH);
	*(volatile bool *)arg = true;
	nap(300);
	put(TABLE);
	return NULL;
}

/* Nothing is logged yet when main returns. */
static void *
later(void *arg)
{
	*(volatile bool *)arg = true;
	nap(300);
	put(LAUNCH TABLE);
	return NULL;
}

/* The logger has much to work off, and prints nothing meanwhile. */
static void *
busy(void *arg)
{
	*(volatile bool *)arg = true;
	spin(300);
	put(LAUNCH TABLE);
	return NULL;
}

/* A launch that is never synced. */
static void *
never(void *arg)
{
	put(TABLE LAUNCH);
	*(volatile bool *)arg = true;
	for (;;)
		pause();
	return NULL;
}

/* A thread that never rests, in a process whose log is complete. */
static void *
spinner(void *arg)
{
	put(LAUNCH TABLE);
	*(volatile bool *)arg = true;
	for (;;)
		spin(1000);
	return NULL;
}

/* The same, and a launch is without its table. */
static void *
stuck(void *arg)
{
	put(LAUNCH);
	*(volatile bool *)arg = true;
	for (;;)
		spin(1000);
	return NULL;
}

/* A thread that looks for work every 150 us, as cubecl's device service does.
 */
static void *
poller(void *arg)
{
	const struct timespec t = {0, 150000};

	put(LAUNCH TABLE);
	*(volatile bool *)arg = true;
	for (;;)
		nanosleep(&t, NULL);
	return NULL;
}

/* A thread that wakes every few milliseconds for nothing. */
static void *
ticker(void *arg)
{
	put(TABLE LAUNCH);
	*(volatile bool *)arg = true;
	for (;;)
		nap(10);
	return NULL;
}

static void *
leaver(void *arg)
{
	(void)arg;
	exit(0);
}

static void
start(void *(*body)(void *))
{
	static volatile bool started;
	pthread_t thread;

	started = false;
	if (pthread_create(&thread, NULL, body, (void *)&started) != 0)
		_exit(9);
	pthread_detach(thread);
	while (body != leaver && !started)
		nap(1);
}

static void
handler(void)
{
	put("handler\n");
}

static void
child(bool exec)
{
	pid_t pid = fork();

	if (pid == 0 && exec) {
		execlp("env", "env", (char *)NULL);
		_exit(9);
	}
	if (pid == 0)
		exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		_exit(9);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*body)(void *);
	} threads[] = {
		{"late", late},	    {"later", later},	  {"busy", busy},
		{"never", never},   {"spinner", spinner}, {"stuck", stuck},
		{"ticker", ticker}, {"leaver", leaver},	  {"poller", poller},
	};
	int i;
	size_t j;

	for (i = 1; i < argc; i++) {
		for (j = 0; j < sizeof(threads) / sizeof(*threads); j++)
			if (strcmp(argv[i], threads[j].name) == 0)
				start(threads[j].body);
		if (strcmp(argv[i], "testing") == 0)
			put("Testing a\n");
		else if (strcmp(argv[i], "table") == 0)
			put(LAUNCH TABLE);
		else if (strcmp(argv[i], "handler") == 0)
			atexit(handler);
		else if (strcmp(argv[i], "stdio") == 0)
			printf("in the buffer\n");
		else if (strcmp(argv[i], "fork") == 0)
			child(false);
		else if (strcmp(argv[i], "exec") == 0)
			child(true);
		else if (strcmp(argv[i], "exit") == 0)
			exit(0);
		else if (strcmp(argv[i], "fail") == 0)
			return 3;
		else if (strcmp(argv[i], "_exit") == 0)
			_exit(0);
		else if (strcmp(argv[i], "wait") == 0)
			for (;;)
				pause();
	}
	return 0;
}
