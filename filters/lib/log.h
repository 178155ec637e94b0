/*
 * log.h: the grammar of a bench's log, the one place that knows it.
 *
 * A log is what a criterion bench and cubecl's profiling logger print on the
 * same stream: announcements of cases, a line for each launch, a summary table
 * at each sync. kc-log(5) gives the forms, release by release, and what a table
 * must satisfy to count.
 */
#ifndef KC_LOG_H
#define KC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "in.h"

/* One row of a table: a kernel's name as printed, and its launches. */
struct kc_kernel {
	char *name;
	size_t len;
	uint64_t launches;
};

/* What a reading of a table came to. */
enum kc_table_state {
	KC_TABLE_OK,  /* all rulers, and every number agrees */
	KC_TABLE_CUT, /* never closed */
	KC_TABLE_BAD, /* something is missing, foreign, or does not add up */
};

/*
 * A summary table. `launches` is its total, and means something only when the
 * state is KC_TABLE_OK; `why` says what is wrong otherwise; `line` is where it
 * begins. `kernels` is empty unless the reader was asked to keep them.
 */
struct kc_table {
	enum kc_table_state state;
	uint64_t launches;
	uint64_t line;
	const char *why;
	const struct kc_kernel *kernels;
	size_t n;
};

/*
 * What a reader of logs is told, in the log's order. `data` is the reader's
 * own. Texts live until the function returns.
 */
struct kc_log_events {
	/* `Testing ID` */
	void (*begin)(void *data, const char *id, size_t len);
	/* `Success` */
	void (*end)(void *data);
	void (*table)(void *data, const struct kc_table *table);
	/* A panic's first line: the run is void whatever else it says. */
	void (*panic)(void *data, uint64_t line);
	/* `bench-config: TEXT`, each time it is printed */
	void (*config)(void *data, const char *text, size_t len);
	/* The end of the log; `whole` when its last line is `kc: whole`. */
	void (*eof)(void *data, bool whole);
};

/*
 * Reads one log to its end and tells `events` of it. With `keep_kernels` each
 * good table comes with its rows; a table of more than 16 MiB of names is bad
 * then, which bounds the memory.
 */
void kc_log_read(struct kc_in *in, const struct kc_log_events *events,
		 bool keep_kernels, void *data);

#endif
