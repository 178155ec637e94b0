/*
 * peak.c: `peak FILE COMMAND...` runs the command and writes to FILE the most
 * memory that it had in use at once, in KiB. Ends as the command did, a signal
 * as 128 and its number. See LICENSE.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3)
		return 99;
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 99;
	f = fopen(argv[1], "w");
	if (f == NULL || fprintf(f, "%ld\n", usage.ru_maxrss) < 0 ||
	    fclose(f) != 0)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
