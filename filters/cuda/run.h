/* run.h: the parts of kc-run. */
#ifndef KC_RUN_H
#define KC_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count-journal.h"

/* ---- run-check.c ----------------------------------------------------- */

/*
 * Finds the program that execvp(3) would run and says whether the counter can
 * be loaded into it. Returns NULL and its path in `*path` (to be freed), or
 * what is wrong with it, problem first, without the program's name.
 */
const char *kc_check_program(const char *name, char **path);

/* ---- run-journal.c --------------------------------------------------- */

/* Launches of one kernel: its number in the table of names, and how many. */
struct kc_share {
	size_t kernel;
	uint64_t n;
};

/* One count: of a range once, of a wait's launches, of a whole process. */
struct kc_counts {
	uint64_t n[KC_WHAT];
	unsigned flags;		/* enum kc_flag */
	struct kc_share *share; /* sorted by kernel */
	size_t shares;
};

/* A range, a thread or (number 0) the process. */
struct kc_scope {
	char *name; /* with its parents': "outer/inner" */
	char *key;  /* the same with NULs between them */
	size_t len;
	char kind;		 /* enum kc_kind */
	bool open;		 /* at the end */
	size_t image;		 /* the last program that wrote to it */
	struct kc_counts *count; /* each time; a single one for totals */
	size_t counts, cap;
};

/*
 * A process, from its journals: more than one when it executed one program
 * after another. `whole` when each says that it ended.
 */
struct kc_process {
	pid_t pid;
	char *program;
	bool whole;
	int cuda; /* cuInit's answer; -1: never called */
	unsigned flags;
	char *about[32]; /* what flags are about, NULL where nothing is */
	struct kc_scope *scope;
	size_t scopes, scope_cap;
};

/*
 * For journals cut at waits: told of each wait's launches in order, instead of
 * their being kept. `waited` is false for launches that no wait followed.
 */
typedef void kc_wait_fn(const struct kc_process *process,
			const struct kc_scope *scope,
			const struct kc_counts *counts, bool waited);

/*
 * Reads the journals that process `pid` left in `dir`. Returns false when there
 * is none. With `wait`, that is called for each wait. `demangle` turns symbols
 * into declarations. A journal that cannot be read ends the program with
 * KC_TROUBLE; one that stops in the middle gives what is complete in it.
 */
bool kc_journal_read(const char *dir, pid_t pid, enum kc_cut cut, bool demangle,
		     struct kc_process *process, kc_wait_fn *wait);

/* Frees what a reading of a process holds. */
void kc_journal_free(struct kc_process *process);

/* The pids that left journals in `dir`, in order; `*n` of them. */
pid_t *kc_journal_pids(const char *dir, size_t *n);

/* A kernel's name. */
const char *kc_kernel_name(size_t kernel, size_t *len);

/* ---- run-rows.c ------------------------------------------------------ */

/* How the rows are to be written. */
struct kc_output {
	const char *config, *name; /* the rows' CONFIG and CASE */
	enum kc_cut cut;
	bool names, each, verbose;
	uint64_t skip;	       /* ranges to leave out, of each name */
	const char *not_whole; /* how the program ended; NULL: well */
	bool unseen;	       /* programs were started without the counter */
	bool others;	       /* other processes' rows follow */
	bool helper;	       /* not the program, but a process of its */
};

/*
 * Writes a process's rows on stdout. Returns KC_OK, or KC_TROUBLE when a count
 * was refused; that was said on stderr then.
 */
int kc_put_process(const struct kc_output *out,
		   const struct kc_process *process);

/* Writes the row of a program that the counter was not loaded into. */
void kc_put_not_loaded(const struct kc_output *out);

/* Writes one wait's launches as cubecl writes them. */
void kc_put_wait(const struct kc_output *out, const struct kc_process *process,
		 const struct kc_scope *scope, const struct kc_counts *counts,
		 bool waited);

#endif
