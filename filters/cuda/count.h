/*
 * count.h: what the parts of the counter library share.
 *
 * libkc-count.so is preloaded into a program by kc-run. It stands between the
 * program and libcuda.so.1, adds up what is launched, and appends what it found
 * to a file (the journal) that kc-run turns into rows. It links to nothing but
 * libc, shows no symbol but those it hooks, and takes part in the program's
 * life as little as it can: no thread, no signal handler, no output.
 *
 *   count-dl.c      how a program finds the driver: dlsym, cuGetProcAddress
 *   count-launch.c  the hooked entry points but those of graphs
 *   count-graph.c   what a graph launch runs
 *   count-name.c    from a function's handle to its kernel's name
 *   count-nvtx.c    NVTX ranges
 *   count.c         the counters, the journal, start, fork, exec and exit
 *
 * Locks: kc_lock guards the counters' list, scopes, ranges and the journal; the
 * graph and name tables have one each, taken last and never together. None is
 * held while the dynamic linker or the driver is called: both take locks of
 * their own and both can call back into us.
 */
#ifndef KC_COUNT_H
#define KC_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count-journal.h"

#define KC_EXPORT __attribute__((visibility("default")))
#define KC_LIKELY(x) __builtin_expect(!!(x), 1)
#define KC_TLS __thread __attribute__((tls_model("initial-exec")))

/* ---- counters -------------------------------------------------------- */

/* Kernel counts are kept in chunks, so that they never move. */
enum { KC_CHUNK = 256, KC_CHUNKS = 256 };

/* One cache of a thread from a function's handle to its kernel. */
struct kc_cached {
	void *function;
	uint32_t kernel;
};

/*
 * A thread's counters. Only its thread writes to `n` and the chunks; anyone may
 * read them. A block outlives its thread and, unless threads are told apart, is
 * taken over by a later one with its counts.
 */
struct kc_counter {
	_Atomic uint64_t n[KC_WHAT];
	_Atomic(_Atomic uint64_t *) *_Atomic kernels; /* KC_CHUNKS chunks */
	struct kc_cached *cache;
	size_t cache_cap, cache_n;
	unsigned cache_epoch;
	unsigned scope; /* of the thread, when threads are told apart */
	bool idle;
	struct kc_counter *next;
};

extern KC_TLS struct kc_counter *kc_self;

/*
 * What takes a launch off the short path, a byte each so that the entry stubs
 * for unknown calls can set one with a single store. Read as one word.
 */
union kc_slow {
	unsigned char byte[8];
	uint64_t word;
};
enum { KC_S_CAPTURE, KC_S_UNKNOWN_CAPTURE, KC_S_NAMES, KC_S_ENDED };
extern volatile union kc_slow kc_slow;

static inline void
kc_add(struct kc_counter *c, enum kc_what what, uint64_t k)
{
	atomic_store_explicit(
		&c->n[what],
		atomic_load_explicit(&c->n[what], memory_order_relaxed) + k,
		memory_order_relaxed);
}

/* Which default stream a stream argument of 0 means. */
enum kc_flavour { KC_LEGACY, KC_PTSZ };

/*
 * Counts `k` operations that the driver accepted for `stream`, unless a capture
 * recorded them. `function` is what KC_DIRECT launched, else NULL.
 */
void kc_count_slow(void *function, void *stream, enum kc_flavour flavour,
		   enum kc_what what, uint64_t k);

static inline void
kc_count(void *function, void *stream, enum kc_flavour flavour,
	 enum kc_what what, uint64_t k)
{
	struct kc_counter *c = kc_self;

	if (KC_LIKELY(kc_slow.word == 0 && c != NULL))
		kc_add(c, what, k);
	else
		kc_count_slow(function, stream, flavour, what, k);
}

/* This thread's counters; NULL when there is no memory. */
struct kc_counter *kc_counter(void);

/* Adds `k` launches of a kernel, whose number kc_name_* gave. */
void kc_add_kernel(struct kc_counter *c, uint32_t kernel, uint64_t k);

/* After a count: the program may have ended already. */
void kc_counted(void);

/* Sets flags; `text` (or NULL) is told to the user beside the first of them. */
void kc_flag(unsigned flags, const char *text);

/* The program waited for the device: a cut. */
void kc_synchronised(void);

/* The driver was reached; cuInit answered `rc`. */
void kc_driver_used(int rc);

/* ---- settings, from the environment at start ------------------------- */

extern struct kc_settings {
	bool on; /* a journal was asked for */
	enum kc_cut cut;
	bool names, threads;
} kc_settings;

/* ---- the driver ------------------------------------------------------ */

#define ENTRY(name) KC_H_##name,
#define COPY(name, words, stream, what, operations) KC_H_##name,
enum kc_hook_id {
#include "count-entries.def"
	KC_HOOKS
};

/*
 * An entry point: the wrapper handed to a program that asks for it by name, the
 * one exported for a program linked to it, the driver's own address, and what
 * the exported one calls: the driver, or another library that stands before it.
 */
typedef void kc_fn(void);
struct kc_hook {
	const char *name;
	kc_fn *handed, *exported;
	_Atomic(void *) driver, next;
};

/* A function's address as dlsym has it. */
static inline void *
kc_address(kc_fn *fn)
{
	return *(void **)&fn;
}
extern struct kc_hook kc_hook[KC_HOOKS];

/*
 * Set while an exported wrapper calls another library that stands before the
 * driver: what that one calls in turn was counted already.
 */
extern KC_TLS unsigned kc_chained;

/* What an exported wrapper calls next; NULL without a driver. */
void *kc_next(enum kc_hook_id id);

/* The wrapper for an address that cuGetProcAddress returned, or the address. */
void *kc_exchange(const char *symbol, void *address, uint64_t flags);

/* A driver function that is called but not hooked; NULL when it has none. */
enum kc_driver_fn {
	KC_D_cuStreamIsCapturing,
	KC_D_cuStreamIsCapturing_ptsz,
	KC_D_cuGraphGetNodes,
	KC_D_cuGraphNodeGetType,
	KC_D_cuGraphChildGraphNodeGetGraph,
	KC_D_cuGraphKernelNodeGetParams,
	KC_D_cuGraphKernelNodeGetParams_v2,
	KC_D_cuGraphKernelNodeGetAttribute,
	KC_D_cuGraphNodeGetEnabled,
	KC_D_cuFuncGetName,
	KC_D_cuKernelGetName,
	KC_D_cuLibraryGetKernelCount,
	KC_D_cuLibraryEnumerateKernels,
	KC_D_cuModuleGetFunctionCount,
	KC_D_cuModuleEnumerateFunctions,
	KC_D_cuDeviceGetCount,
	KC_D_FNS
};
void *kc_driver_fn(enum kc_driver_fn fn);

/* Finds libc's dlsym. Called first of all; again does nothing. */
void kc_dl_start(void);

/* The next definition after us of a libc function that we hook. */
void *kc_libc_next(const char *name);

/* At exit: flags for libraries that found dlsym around us. */
void kc_dl_check(void);

/* Entry points called that the counter does not know, into the flags. */
void kc_dl_unknown(void);

/* The library's own path, as the dynamic linker has it. */
const char *kc_own_path(void);

/* ---- kernels' names -------------------------------------------------- */

/* A function's kernel, numbered from 0. KC_NO_KERNEL when there is none. */
#define KC_NO_KERNEL UINT32_MAX
uint32_t kc_name_function(struct kc_counter *c, void *function);
uint32_t kc_name_text(const char *name);

/* The number of kernels; the name of one, which lasts. */
uint32_t kc_name_count(void);
const char *kc_name(uint32_t kernel);

/* What a module or library said a handle is called. */
void kc_name_record(void *handle, const char *name);
void kc_name_alias(void *function, void *kernel);

/* Handles may be used anew from now on. */
void kc_name_forget(void);

/* Looks at a module or library once: can its kernels launch kernels? */
void kc_module_seen(void *module);
void kc_library_seen(void *library);

/* ---- graphs ---------------------------------------------------------- */

/* A capture began or ended on a stream, with this answer. */
void kc_capture_began(void *stream, enum kc_flavour flavour);
void kc_capture_ended(void *stream, enum kc_flavour flavour);

/* Whether `stream` is recording. */
bool kc_capturing(void *stream, enum kc_flavour flavour);

void kc_graph_fork(bool child);
void kc_name_fork(bool child);
void kc_graph_prepare(void);
void kc_name_prepare(void);

/* ---- scopes, cuts ---------------------------------------------------- */

/* All counters at one moment, or one thread's. */
struct kc_sum {
	uint64_t n[KC_WHAT];
	uint64_t *kernels;
	size_t nkernels;
};

/* A range that is open. */
struct kc_range {
	unsigned scope;
	struct kc_counter *counter; /* whose launches count; NULL: all */
	struct kc_sum at;	    /* the counts when it began */
	struct kc_range *under;	    /* the one pushed before it, of its stack */
	struct kc_range *prev, *next; /* of all that are open */
	uint64_t id;
};

/*
 * Begins and ends a range. `parent` is the range that it is pushed on, or NULL.
 * kc_range_begin returns NULL when there is no memory, and flags that.
 */
struct kc_range *kc_range_begin(const char *name, size_t len,
				struct kc_range *parent);
void kc_range_end(struct kc_range *range);
struct kc_range *kc_range_find(uint64_t id);
void kc_nvtx_fork_child(void);

#endif
