/*
 * kc-run: runs a program with the counter library preloaded and writes what it
 * launched, as rows (kc-rows(5)) or as cubecl's tables (kc-log(5)). See
 * LICENSE.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kc.h"
#include "row.h"
#include "run.h"

static const struct kc_program program = {
	"kc-run",
	"[-dehknstvV] [-c case] [-f fd | -o file] [-l config] [-w n] [--] "
	"program [argument ...]",
	"Run a program and write how many GPU kernels it launches.",
};

static struct {
	struct kc_output out;
	const char *file; /* NULL: a descriptor */
	int fd;
	bool demangle, threads;
	char *dir;     /* where the journals are */
	char *library; /* as LD_PRELOAD names it */
	char *link;    /* a link to it, to be removed, or NULL */
	bool keep;     /* the journals, which hold what was not written */
	pid_t child;
} run = {.file = "launches.tsv", .fd = -1};

/* ---- before ---------------------------------------------------------- */

static char *
join(const char *a, const char *b)
{
	char *s;

	if (asprintf(&s, "%s%s", a, b) < 0)
		kc_die("no memory");
	return s;
}

/* The library: beside this program, or where install puts it. */
static char *
find_library(void)
{
	static const char *const place[] = {
		"libkc-count.so", "../lib/kernel-count/libkc-count.so"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	size_t i;
	char *slash;

	if (n < 0)
		kc_die("/proc/self/exe:");
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash != NULL)
		slash[1] = '\0';
	for (i = 0; i < sizeof place / sizeof *place; i++) {
		char *path = join(self, place[i]);
		char *real = realpath(path, NULL);

		free(path);
		if (real != NULL && access(real, R_OK) == 0)
			return real;
		free(real);
	}
	kc_die("libkc-count.so not found, expected beside kc-run in '%s'",
	       self);
}

/* LD_PRELOAD's list is split at spaces and colons, with no way to quote. */
static bool
splits(const char *path)
{
	return strpbrk(path, " :\t\n") != NULL;
}

static const char *
scratch(void)
{
	const char *t = getenv("TMPDIR");

	return t != NULL && t[0] == '/' ? t : "/tmp";
}

/* At exit, whatever the reason: nothing of ours stays, unless it is needed. */
static void
remove_dir(void)
{
	size_t n, i, k;
	pid_t *pid;
	char *path;

	if (run.keep || run.dir == NULL)
		return;
	pid = kc_journal_pids(run.dir, &n);
	for (i = 0; i < n; i++)
		for (k = 0;; k++) {
			if (asprintf(&path, "%s/%ld.%zu", run.dir, (long)pid[i],
				     k) < 0)
				kc_die("no memory");
			if (unlink(path) != 0)
				break;
			free(path);
		}
	free(pid);
	path = join(run.dir, "/unseen");
	unlink(path);
	if (run.link != NULL) {
		unlink(run.link);
		*strrchr(run.link, '/') = '\0';
		rmdir(run.link);
	}
	rmdir(run.dir);
}

static void
make_dir(void)
{
	struct stat st;
	char *real;

	if (run.file != NULL && stat(run.file, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			kc_die("%s: is a directory, expected a file to write",
			       run.file);
		if (!S_ISREG(st.st_mode)) { /* a device, a pipe: written to */
			run.fd = open(run.file, O_WRONLY | O_CLOEXEC);
			if (run.fd < 0)
				kc_die("%s:", run.file);
			run.file = NULL;
		}
	}
	run.dir = run.file != NULL ? join(run.file, ".part.XXXXXX")
				   : join(scratch(), "/kc-run.XXXXXX");
	if (mkdtemp(run.dir) == NULL)
		kc_die("%s:", run.file != NULL ? run.file : run.dir);
	real = realpath(run.dir, NULL);
	if (real == NULL)
		kc_die("%s:", run.dir);
	free(run.dir);
	run.dir = real;
	if (atexit(remove_dir) != 0)
		kc_die("no memory");
}

static void
make_library(void)
{
	if (!splits(run.library))
		return;
	run.link = join(run.dir, "/libkc-count.so");
	if (splits(run.link)) {
		char *beside = join(scratch(), "/kc-run.XXXXXX");

		free(run.link);
		if (splits(beside))
			kc_die("%s: its path has a space or a colon, which "
			       "LD_PRELOAD cannot hold, and so has TMPDIR",
			       run.library);
		if (mkdtemp(beside) == NULL)
			kc_die("%s:", beside);
		run.link = join(beside, "/libkc-count.so");
		free(beside);
	}
	if (symlink(run.library, run.link) != 0)
		kc_die("%s:", run.link);
	free(run.library);
	run.library = kc_copy(run.link, strlen(run.link));
}

static void
set(const char *name, const char *value)
{
	if ((value != NULL ? setenv(name, value, 1) : unsetenv(name)) != 0)
		kc_die("%s:", name);
}

static void
set_environment(void)
{
	const char *old = getenv("LD_PRELOAD");
	static const char *const cut[] = {"process", "range", "sync"};
	char *list;

	/* After the user's own, which may insist on being first. */
	if (old != NULL && *old != '\0') {
		list = join(old, ":");
		list = join(list, run.library);
	} else {
		list = run.library;
	}
	set("LD_PRELOAD", list);
	set("KC_COUNT_DIR", run.dir);
	set("KC_COUNT_CUT", cut[run.out.cut]);
	set("KC_COUNT_NAMES",
	    run.out.names || run.out.cut == KC_CUT_SYNC ? "1" : NULL);
	set("KC_COUNT_THREADS", run.threads ? "1" : NULL);
	if (run.out.cut == KC_CUT_RANGE)
		set("NVTX_INJECTION64_PATH", run.library);
}

static void
check_nvtx(void)
{
	const char *taken = getenv("NVTX_INJECTION64_PATH");

	if (run.out.cut == KC_CUT_RANGE && taken != NULL && *taken != '\0' &&
	    strcmp(taken, run.library) != 0)
		kc_die("NVTX is taken by '%s' (NVTX_INJECTION64_PATH), and "
		       "serves one tool at a time",
		       taken);
}

/* ---- the run --------------------------------------------------------- */

static void
forward(int signal, siginfo_t *info, void *context)
{
	(void)context;
	/* What the terminal sends, the program gets from it too. */
	if (info->si_code <= 0 && run.child > 0)
		kill(run.child, signal);
}

static void
forward_signals(struct sigaction *old, const int *list, size_t n)
{
	struct sigaction act = {0};
	size_t i;

	act.sa_sigaction = forward;
	act.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&act.sa_mask);
	for (i = 0; i < n; i++) {
		sigaction(list[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(list[i], &act, NULL);
	}
}

/* Starts the program and waits for it. Returns its wait status. */
static int
run_program(char **argv)
{
	static const int list[] = {SIGINT, SIGQUIT, SIGTERM,
				   SIGHUP, SIGUSR1, SIGUSR2};
	enum { N = sizeof list / sizeof *list };
	struct sigaction old[N];
	int status, failed = 0, tell[2];
	char pid[24];
	size_t i;
	ssize_t n;

	if (pipe2(tell, O_CLOEXEC) != 0)
		kc_die("pipe:");
	forward_signals(old, list, N);
	run.child = fork();
	if (run.child < 0)
		kc_die("fork:");
	if (run.child == 0) {
		for (i = 0; i < N; i++)
			sigaction(list[i], &old[i], NULL);
		snprintf(pid, sizeof pid, "%ld", (long)getpid());
		if (setenv("KC_COUNT_PID", pid, 1) == 0)
			execvp(argv[0], argv);
		failed = errno;
		n = write(tell[1], &failed, sizeof failed);
		_exit(n == (ssize_t)sizeof failed ? KC_TROUBLE : 125);
	}
	close(tell[1]);
	do
		n = read(tell[0], &failed, sizeof failed);
	while (n < 0 && errno == EINTR);
	close(tell[0]);
	while (waitpid(run.child, &status, 0) < 0)
		if (errno != EINTR)
			kc_die("waitpid:");
	if (n == (ssize_t)sizeof failed) {
		errno = failed;
		kc_die("%s:", argv[0]);
	}
	run.keep = true;
	return status;
}

/* ---- after ----------------------------------------------------------- */

/* Says which programs were started without the counter. */
static bool
report_unseen(void)
{
	char *path = join(run.dir, "/unseen"), *data = NULL, *p, *q;
	size_t cap = 0, len = 0, n = 0;
	FILE *f = fopen(path, "re");
	bool any = f != NULL;

	while (f != NULL) {
		data = kc_grow(data, &cap, len + 4097, 1);
		n = fread(data + len, 1, 4096, f);
		if (n == 0)
			break;
		len += n;
	}
	if (f != NULL)
		fclose(f);
	n = 0;
	for (p = data; p != NULL && p < data + len; p += strlen(p) + 1) {
		data[len] = '\0';
		for (q = data; q < p && strcmp(q, p) != 0; q += strlen(q) + 1)
			;
		if (q < p)
			continue;
		if (++n > 5)
			break;
		q = kc_quote(p, strlen(p));
		kc_warn("%s was started without the counter: its launches are "
			"not counted",
			q);
		free(q);
	}
	if (n > 5)
		kc_warn("and others");
	free(data);
	free(path);
	return any;
}

/* Makes stdout the output's next file: FILE, or FILE.PID. */
static char *
open_output(pid_t pid)
{
	char *to, *part;

	if (pid == run.child) {
		to = kc_copy(run.file, strlen(run.file));
	} else if (asprintf(&to, "%s.%ld", run.file, (long)pid) < 0) {
		kc_die("no memory");
	}
	part = join(to, ".tmp");
	if (freopen(part, "we", stdout) == NULL)
		kc_die("%s:", part);
	free(part);
	return to;
}

/* Checks that it all arrived, and gives it its name. */
static void
close_output(char *to)
{
	char *part = join(to, ".tmp");

	if (fflush(stdout) != 0 || ferror(stdout))
		kc_die("%s:", part);
	if (rename(part, to) != 0)
		kc_die("%s:", to);
	free(part);
	free(to);
}

static char *
how_it_ended(pid_t pid, bool whole, int status)
{
	char *text;

	if (whole)
		return NULL;
	if (pid != run.child) {
		if (asprintf(&text, "process %ld %s", (long)pid,
			     kill(pid, 0) == 0 || errno == EPERM
				     ? "is still running"
				     : "ended without running its exit "
				       "handlers") < 0)
			kc_die("no memory");
		return text;
	}
	if (!WIFSIGNALED(status))
		return kc_copy("it ended without running its exit handlers",
			       42);
	if (asprintf(&text, "killed by signal %d (%s)", WTERMSIG(status),
		     strsignal(WTERMSIG(status))) < 0)
		kc_die("no memory");
	return text;
}

static struct kc_output wait_output;

static void
put_wait(const struct kc_process *process, const struct kc_scope *scope,
	 const struct kc_counts *counts, bool waited)
{
	kc_put_wait(&wait_output, process, scope, counts, waited);
}

/* A process's part of the output. */
static int
put_process(pid_t pid, int status, bool unseen, bool others)
{
	struct kc_output out = run.out;
	struct kc_process p;
	char *name = NULL, *ended;
	int rc = KC_OK;

	wait_output = out;
	if (!kc_journal_read(run.dir, pid, out.cut, run.demangle, &p,
			     out.cut == KC_CUT_SYNC ? put_wait : NULL)) {
		kc_warn("%s: the counter was not loaded into it, so nothing is "
			"known of its launches",
			out.name);
		if (out.cut != KC_CUT_SYNC)
			kc_put_not_loaded(&out);
		return KC_TROUBLE;
	}
	if (pid != run.child) {
		const char *base = strrchr(p.program, '/');

		if (asprintf(&name, "%s [%ld]",
			     base != NULL ? base + 1 : p.program,
			     (long)pid) < 0)
			kc_die("no memory");
		out.name = name;
	}
	ended = how_it_ended(pid, p.whole, status);
	out.not_whole = ended;
	out.unseen = unseen;
	out.others = others;
	out.helper = pid != run.child;
	if (out.cut != KC_CUT_SYNC) {
		if (ended != NULL)
			kc_warn("%s: not whole: %s", out.name, ended);
		rc = kc_put_process(&out, &p);
		printf("#%s\t", ended != NULL ? "not-whole" : "whole");
		kc_put_field(out.config, strlen(out.config), false);
		kc_put_text("\t");
		kc_put_field(out.name, strlen(out.name), false);
		kc_put_text("\n");
	} else if (ended != NULL) {
		kc_warn("%s: not whole: %s", out.name, ended);
		rc = KC_TROUBLE;
	} else if (p.cuda != 0) {
		kc_warn("%s: no CUDA used", out.name);
	} else if (pid != run.child || status == 0) {
		kc_put_text("kc: whole\n");
	}
	kc_journal_free(&p);
	free(ended);
	free(name);
	return rc;
}

static int
write_output(int status)
{
	bool unseen = report_unseen();
	int rc = KC_OK;
	size_t n, i;
	pid_t *pid = kc_journal_pids(run.dir, &n);
	char *to = NULL;

	if (run.file == NULL && (dup2(run.fd, STDOUT_FILENO) < 0))
		kc_die("descriptor %d:", run.fd);
	if (run.file != NULL)
		to = open_output(run.child);
	rc = put_process(run.child, status, unseen, n > 1);
	if (run.file != NULL)
		close_output(to);
	for (i = 0; i < n; i++) {
		if (pid[i] == run.child)
			continue;
		if (run.file != NULL)
			to = open_output(pid[i]);
		if (put_process(pid[i], status, false, false) != KC_OK)
			rc = KC_TROUBLE;
		if (run.file != NULL)
			close_output(to);
	}
	free(pid);
	if (fflush(stdout) != 0 || ferror(stdout))
		kc_die("output:");
	run.keep = false;
	return rc;
}

/* Ends as the program did, so that whoever started us sees no difference. */
static int
end_as(int status, int rc)
{
	struct rlimit none = {0, 0};

	if (WIFSIGNALED(status)) {
		remove_dir();
		setrlimit(RLIMIT_CORE, &none); /* one core is enough */
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	if (WEXITSTATUS(status) != 0)
		return WEXITSTATUS(status);
	return rc;
}

static void
read_options(int argc, char **argv)
{
	uint64_t n;
	const char *why;
	int opt;

	opterr = 0;
	while ((opt = getopt(argc, argv, "+:c:def:hkl:no:stvVw:")) != -1) {
		switch (opt) {
		case 'c':
			run.out.name = optarg;
			break;
		case 'd':
			run.demangle = run.out.names = true;
			break;
		case 'e':
			run.out.each = true;
			break;
		case 'f':
			why = kc_number(optarg, strlen(optarg), &n);
			if (why != NULL || n > INT_MAX)
				kc_usage("bad descriptor '%s': %s", optarg,
					 why != NULL ? why : "too large");
			run.fd = (int)n;
			run.file = NULL;
			break;
		case 'k':
			run.out.names = true;
			break;
		case 'l':
			run.out.config = optarg;
			break;
		case 'n':
			run.out.cut = KC_CUT_RANGE;
			break;
		case 'o':
			run.file = strcmp(optarg, "-") != 0 ? optarg : NULL;
			run.fd = STDOUT_FILENO;
			break;
		case 's':
			run.out.cut = KC_CUT_SYNC;
			break;
		case 't':
			run.threads = true;
			break;
		case 'v':
			run.out.verbose = true;
			break;
		case 'w':
			why = kc_number(optarg, strlen(optarg), &run.out.skip);
			if (why != NULL)
				kc_usage("bad number '%s': %s", optarg, why);
			break;
		default:
			kc_common_option(opt);
		}
	}
}

int
main(int argc, char **argv)
{
	const char *why, *base;
	char *path;
	int status, rc;

	kc_start(&program);
	run.out.config = "cuda";
	read_options(argc, argv);
	argv += optind;
	if (argv[0] == NULL)
		kc_usage("no program, expected one to run");
	if ((run.out.each || run.out.skip > 0) && run.out.cut != KC_CUT_RANGE)
		kc_usage("-e and -w are for ranges, expected -n too");
	why = kc_check_program(argv[0], &path);
	if (why != NULL)
		kc_die("%s: %s", argv[0], why);
	base = strrchr(argv[0], '/');
	if (run.out.name == NULL)
		run.out.name = base != NULL ? base + 1 : argv[0];
	if (run.file == NULL && fcntl(run.fd, F_GETFD) < 0)
		kc_die("descriptor %d: not open", run.fd);
	run.library = find_library();
	check_nvtx();
	make_dir();
	make_library();
	set_environment();
	status = run_program(argv);
	rc = write_output(status);
	return end_as(status, rc);
}
