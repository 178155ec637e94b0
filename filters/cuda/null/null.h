/*
 * null: what the parts of the null driver share. The driver accepts what a
 * program asks of libcuda, keeps the books a real driver keeps (handles,
 * addresses, order, errors) and executes nothing. See kc-null(7), LICENSE.
 *
 * Locking: one mutex guards every structure below. An entry point takes it
 * with GUARD; a function named kn_* expects it held unless it says otherwise.
 * The calls that wait give it up while they wait.
 */
#ifndef KC_NULL_H
#define KC_NULL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"

/* The library is built with hidden visibility; only the driver's names show.
 * It is linked with -Bsymbolic-functions, so that one entry point calling
 * another is not seen by a library preloaded above it, as in the real driver.
 */
#define API __attribute__((visibility("default")))

/* A stream argument as the per-thread flavour of a call reads it. */
#define PTS(s) ((s) ? (s) : CU_STREAM_PER_THREAD)

/* handle.c: what a handle may name, and the head of every such object. */
enum kind {
	K_FREE,
	K_CTX,
	K_STREAM,
	K_EVENT,
	K_MODULE,
	K_FUNC,
	K_LIB,
	K_KERN,
	K_GRAPH,
	K_NODE,
	K_EXEC,
	K_POOL,
	K_ARRAY,
	K_ALLOC,
	K_LINK,
	K_USER,
};

struct ctx;
struct module;
struct exec;

struct obj {
	uintptr_t handle;
	enum kind kind;
	struct ctx *ctx;	 /* the context it dies with, or NULL */
	struct obj *prev, *next; /* in that context's list */
};

void kn_new(struct obj *o, enum kind kind, struct ctx *ctx);
void *kn_get(const void *handle, enum kind kind);
void kn_drop(struct obj *o);
#define HANDLE(x) ((void *)(x)->o.handle)

/* util.c */
void kn_fatal(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void kn_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *kn_alloc(size_t size);
void *kn_grow(void *p, size_t *cap, size_t want, size_t size);
uint64_t kn_now(void);

extern pthread_mutex_t kn_mutex;
extern pthread_cond_t kn_done;
int kn_enter(void);
void kn_leave(int *held);
#define GUARD \
	int kn_held __attribute__((cleanup(kn_leave), unused)) = kn_enter()

/* profile.c: the devices, as the profiles named in KC_NULL_PROFILE say. */
#define N_ATTR 256

struct dev {
	char *profile;
	char *name;
	uint64_t memory;    /* bytes in all */
	uint64_t overhead;  /* bytes that a context takes */
	uint64_t used;	    /* bytes handed out */
	uint64_t used_high; /* the most that was ever handed out */
	unsigned nctx;
	unsigned launch_ns; /* the least time that a launch takes */
	int driver_version;
	int prio_least, prio_greatest;
	int attr[N_ATTR];
	struct ctx *primary;
	struct pool *default_pool, *current_pool;
};

extern struct dev *kn_devs;
extern int kn_ndevs;
CUresult kn_profiles(const char *list);

/* state.c: cuInit, and what every other call asks first. */
CUresult kn_wake(void);
CUresult kn_ready(void);
CUresult kn_dev(CUdevice d, struct dev **out);
struct ctx *kn_ctx(CUresult *rc);
unsigned kn_thread(void);

struct ctx {
	struct obj o; /* ctx.o.ctx is NULL */
	struct dev *dev;
	bool primary, active;
	unsigned retained, flags, api;
	uint64_t id;
	size_t limit[16];
	int cache_config, smem_config;
	struct obj *objs; /* everything that dies with the context */
	struct block *blocks;
	struct stream *legacy;
	unsigned char peer[64];
};

/* op.c: the order of a stream's work. Work that has no effect is never kept;
 * what has one (a host function, a read that writes zeros) is an op, done at
 * once unless something before it in its stream is pending.
 */
struct op;

/* What a copy or a memset does to memory that the program can read: bytes
 * from src or, where src is NULL, a pattern of elem bytes.
 */
struct move {
	char *dst;
	const char *src;
	size_t width, height, depth;
	size_t dpitch, dslice, spitch, sslice;
	unsigned value, elem;
};

struct op *kn_op_ref(struct op *op);
void kn_op_unref(struct op *op);
bool kn_op_done(struct op *op);
void kn_op_wait(struct op *op);
void kn_op_move(struct stream *s, const struct move *m);
void kn_op_host(struct stream *s, CUhostFn fn, void *data);
void kn_op_callback(struct stream *s, CUstreamCallback fn, void *data);
void kn_op_after(struct stream *s, struct op *op);
struct op *kn_op_tail(struct stream *s);
struct op *kn_op_mark(struct stream *s);
void kn_op_pass(struct stream *s);
void kn_move(const struct move *m);

struct stream {
	struct obj o;
	enum { S_NORMAL, S_LEGACY, S_THREAD } what;
	unsigned flags, thread;
	int priority;
	uint64_t id;
	struct op *tail;
	struct capture *cap;
	struct node **dep; /* the capture's nodes that come last here */
	size_t ndep, cdep;
};

struct event {
	struct obj o;
	unsigned flags;
	bool recorded;
	struct op *op;
	uint64_t when; /* ns */
	uint64_t cap;  /* the id of the capture that recorded it last, or 0 */
	struct node **dep;
	size_t ndep;
};

/* stream.c */
CUresult kn_stream(CUstream s, struct stream **out);
void kn_stream_free(struct stream *s);
void kn_event_free(struct event *e);
void kn_event_record(struct event *e, struct stream *s);

/* capture.c */
struct capture {
	uint64_t id;
	int mode;
	bool invalid;
	unsigned thread;
	struct stream *origin;
	struct graph *graph;
	bool own;	    /* the graph was made for it */
	struct stream **in; /* the streams that take part */
	size_t nin, cin;
	struct capture *next;
};

CUresult kn_unsafe(void);
CUresult kn_enqueue(CUstream s, struct stream **out, struct capture **cap);
CUresult kn_sync_call(struct stream **out, CUstream default_stream);
CUresult kn_may_wait(struct stream *s);
void kn_capture_drop(struct stream *s);
bool kn_capture_uses(const struct graph *g);
void kn_captured(struct stream *s, struct node *n);
CUresult kn_capture_event(struct event *e, bool waits);
CUresult kn_wait_all(const struct ctx *c);
CUresult kn_spoilt(struct capture *cap, CUresult rc);

/* memory.c: addresses. A block of device memory is a reserved range of
 * addresses with nothing behind it; one of host memory is real.
 */
enum where { W_DEVICE, W_PINNED, W_REGISTERED, W_MANAGED, W_RESERVED };

struct block {
	uint64_t addr, size;
	enum where where;
	struct dev *dev;
	struct ctx *ctx;
	struct pool *pool;
	uint64_t id;
	unsigned flags, class;
	bool mapped; /* a W_RESERVED range with memory mapped to it */
	struct block *prev, *next; /* of its context, or among the spare */
};

struct pool {
	struct obj o;
	struct dev *dev;
	uint64_t used, high, threshold;
	int reuse[3];
	CUmemPoolProps props;
};

extern unsigned kn_managed; /* managed or mapped blocks alive */
struct block *kn_block(uint64_t addr);
CUresult kn_range(CUdeviceptr p, uint64_t size, bool *device);
CUresult kn_take(struct dev *d, struct ctx *c, struct pool *p, uint64_t size,
		 CUdeviceptr *out);
CUresult kn_release(CUdeviceptr p);
void kn_free_ctx_memory(struct ctx *c);

/* copy.c: a copy or memset, checked, and what of it shows. */
struct copy {
	struct move move;
	bool shows; /* move is to be done */
	bool read;  /* it gives the program what the device has */
	uint64_t bytes;
};

CUresult kn_copy_check(const CUDA_MEMCPY3D *c, struct copy *out);
CUresult kn_memset_check(const CUDA_MEMSET_NODE_PARAMS *m, struct move *out,
			 bool *shows);
void kn_copy_do(struct stream *s, const struct copy *c, const char *entry);

/* module.c */
struct func {
	struct obj o;
	const struct entry *entry; /* its image's */
	char *alias;		   /* the name it was asked for by */
	struct func **slot;	   /* where its owner keeps it */
	struct kern *kern;	   /* the library's kernel it is of, or NULL */
	struct module *module;	   /* the module it is of, or NULL */
	int dyn_smem;		   /* what was asked for, or -1 */
	int carveout, nonportable, policy, cluster[3];
	unsigned shape[3]; /* cuFuncSetBlockShape's */
	unsigned shared;   /* cuFuncSetSharedSize's */
};

struct kern {
	struct obj o;
	struct lib *lib;
	const struct entry *entry;
	char *alias;
	struct func **func; /* one a device */
	bool dyn_smem_set;
	int dyn_smem;
};

CUresult kn_func(CUfunction f, CUkernel k, struct func **out);
void kn_module_free(struct module *m);
void kn_func_free(struct func *f);
unsigned kn_func_threads(const struct func *f);
int kn_func_dynamic(const struct func *f);

/* launch.c */
struct launch {
	unsigned grid[3], block[3], smem, cluster[3];
	bool cooperative, legacy;
	void **params, **extra;
};

CUresult kn_launch_check(struct func *f, const struct launch *l);
void kn_spend(uint64_t since, uint64_t ns);

/* graph.c */
struct node *kn_graph_kernel(struct capture *cap, struct stream *s,
			     struct func *f, const struct launch *l);
struct node *kn_graph_copy(struct capture *cap, struct stream *s,
			   const CUDA_MEMCPY3D *c);
struct node *kn_graph_memset(struct capture *cap, struct stream *s,
			     const CUDA_MEMSET_NODE_PARAMS *m);
struct node *kn_graph_host(struct capture *cap, struct stream *s, CUhostFn fn,
			   void *data);
struct node *kn_graph_simple(struct capture *cap, struct stream *s, int type,
			     struct event *e, CUdeviceptr p, uint64_t size);
struct graph *kn_graph_new(void);
void kn_graph_free(struct graph *g);
CUgraph kn_graph_handle(const struct graph *g);
CUgraphNode kn_node_handle(const struct node *n);
CUresult kn_graph_deps(const struct graph *g, const CUgraphNode *deps, size_t n,
		       struct node ***out);
bool kn_graph_reaches(struct graph *g, struct node **from, size_t nfrom,
		      struct node **want, size_t nwant);

/* entry.c: a function: the name that cuGetProcAddress knows it by, the version
 * of CUDA that brought it, whether its default stream is the thread's own.
 */
struct driver_entry {
	const char *base;
	int since;
	bool per_thread;
	void (*fn)(void);
};

extern const struct driver_entry kn_entries[];
extern const size_t kn_nentries;

/* record.c: what the run step is told, in the file KC_NULL_RECORD names. */
CUresult kn_record_open(void);
void kn_record_own(void);
void kn_record_read(uint64_t bytes, const char *entry);
enum count_of { KN_LAUNCH, KN_GRAPH_KERNEL, KN_MEMSET, KN_MEMCPY, KN_COUNTS };
void kn_count(enum count_of what, uint64_t n);
void kn_record_sync(void);
void kn_record_missing(const char *name, int version);

#endif
