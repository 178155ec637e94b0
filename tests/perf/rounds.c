/*
 * rounds: times commands side by side. See LICENSE.
 *
 *	rounds N OUTDIR <commands
 *
 * Each line of the input is NAME, a tab and a command, whose words are
 * separated by tabs as well. All commands run once as a warm-up and then N
 * times, one after the other in each round, so that what disturbs the machine
 * for a while disturbs all alike. A command's standard output is OUTDIR/NAME,
 * a file, since some peers stop early when it is /dev/null.
 *
 * Writes for each, in order: NAME, the median of the wall-clock times, the
 * median of the processor times (both in seconds), the largest peak of memory
 * in KiB of any process that the command waited for. A command that fails ends
 * it all, with status 2.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { WORDS = 64, COMMANDS = 64 };

struct command {
	char *word[WORDS + 1]; /* the name, then the command */
	double *wall;
	double *cpu;
	long peak;
};

static _Noreturn void
die(const char *what, const char *why)
{
	fprintf(stderr, "rounds: %s: %s\n", what, why);
	exit(2);
}

static double
seconds(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		die("clock_gettime", strerror(errno));
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Runs a command once; its times go to place `n`. */
static void
run(struct command *c, const char *dir, size_t n)
{
	posix_spawn_file_actions_t files;
	struct rusage use;
	char *path;
	double start;
	int status, error;
	pid_t pid;

	if (asprintf(&path, "%s/%s", dir, c->word[0]) < 0)
		die(c->word[0], "out of memory");
	if (posix_spawn_file_actions_init(&files) != 0 ||
	    posix_spawn_file_actions_addopen(
		    &files, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0666) != 0)
		die(c->word[0], "out of memory");
	start = seconds();
	error = posix_spawnp(&pid, c->word[1], &files, NULL, c->word + 1,
			     environ);
	if (error != 0)
		die(c->word[1], strerror(error));
	while (wait4(pid, &status, 0, &use) < 0)
		if (errno != EINTR)
			die("wait4", strerror(errno));
	c->wall[n] = seconds() - start;
	c->cpu[n] = seconds_of(&use.ru_utime) + seconds_of(&use.ru_stime);
	if (use.ru_maxrss > c->peak)
		c->peak = use.ru_maxrss;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		die(c->word[0], "failed");
	posix_spawn_file_actions_destroy(&files);
	free(path);
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *of, size_t n)
{
	qsort(of, n, sizeof(*of), by_size);
	return n % 2 == 1 ? of[n / 2] : (of[n / 2 - 1] + of[n / 2]) / 2;
}

int
main(int argc, char **argv)
{
	static struct command command[COMMANDS];
	size_t n = 0, rounds, i, round, words;
	char *line = NULL, *rest, *word;
	size_t cap = 0;

	rounds = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	if (rounds == 0) {
		fputs("usage: rounds N OUTDIR <commands\n", stderr);
		return 2;
	}
	while (getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		rest = strdup(line);
		if (n == COMMANDS || rest == NULL)
			die("<stdin>", "too many commands");
		for (words = 0; (word = strsep(&rest, "\t")) != NULL; words++) {
			if (words == WORDS)
				die(line, "too many words");
			command[n].word[words] = word;
		}
		if (words < 2)
			die(line, "expected a name, a tab and a command");
		command[n].wall = calloc(rounds, sizeof(double));
		command[n].cpu = calloc(rounds, sizeof(double));
		if (command[n].wall == NULL || command[n].cpu == NULL)
			die("<stdin>", "out of memory");
		n++;
	}
	for (i = 0; i < n; i++)
		run(&command[i], argv[2], 0);
	for (round = 0; round < rounds; round++)
		for (i = 0; i < n; i++)
			run(&command[i], argv[2], round);
	for (i = 0; i < n; i++)
		printf("%s\t%.6f\t%.6f\t%ld\n", command[i].word[0],
		       median(command[i].wall, rounds),
		       median(command[i].cpu, rounds), command[i].peak);
	return fflush(stdout) != 0 || fclose(stdout) != 0 ? 2 : 0;
}
