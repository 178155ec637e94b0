/*
 * count: the counters, the journal, and the program's start and end. See
 * count.h, LICENSE.
 *
 * The journal is text, one file a process, in the directory that KC_COUNT_DIR
 * names. Its lines, fields separated by tabs and escaped as in kc-rows(5):
 *
 *   P PID PROGRAM            the process, first
 *   D RC                     cuInit answered (0: the driver is in use)
 *   K KERNEL NAME            a kernel's number and name
 *   S SCOPE PARENT KIND NAME a scope: 0 is the process; others a thread, or a
 *                            range in a parent (0: in none)
 *   C SCOPE FLAGS N...       counts, in the order of enum kc_what: of a range,
 *                            or of what lay between two waits, each time;
 *                            otherwise of all so far
 *   c SCOPE FLAGS N...       counts of what no wait followed
 *   k KERNEL N               a kernel's share of the C line before
 *   .                        the lines since the last one are complete
 *   O SCOPE                  a range that was open at the end
 *   F FLAG TEXT              a flag, and what it is about
 *   E                        the program ended; what was counted is written
 *   R                        it goes on after all: an exec failed
 *
 * kc-run reads it. Whatever follows the last `.` or `E` is not there yet.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count-cu.h"
#include "count.h"

struct kc_settings kc_settings;
KC_TLS struct kc_counter *kc_self;

static pthread_mutex_t kc_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kc_counter *counters;
static pthread_key_t thread_end;

static char *dir; /* where journals go */
static pid_t pid; /* this process, as of start or fork */
static int fd = -1;
static dev_t fd_dev;
static ino_t fd_ino;
static char *path;
static const char *own = ""; /* this library's path */
static bool failed;	     /* nothing more can be written */
static uint64_t size, compact_at = (uint64_t)8 << 20;

static _Atomic unsigned flags;
static _Atomic int cuda = -1; /* cuInit's answer; -1: not called */
static int cuda_written = -1;
static unsigned flags_written;
static uint32_t kernels_written;

/* ---- text ------------------------------------------------------------ */

/* What is about to be written. */
struct text {
	char *data;
	size_t len, cap;
	bool bad;
};

static void
put(struct text *t, const char *data, size_t len)
{
	if (len == 0)
		return;
	if (t->len + len > t->cap) {
		size_t cap = t->cap != 0 ? t->cap : 512;
		char *p;

		while (cap < t->len + len)
			cap *= 2;
		p = realloc(t->data, cap);
		if (p == NULL) {
			t->bad = true;
			return;
		}
		t->data = p;
		t->cap = cap;
	}
	memcpy(t->data + t->len, data, len);
	t->len += len;
}

static void
put_escaped(struct text *t, const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (data[i] == '\t')
			put(t, "\\t", 2);
		else if (data[i] == '\n')
			put(t, "\\n", 2);
		else if (data[i] == '\\')
			put(t, "\\\\", 2);
		else
			put(t, data + i, 1);
}

static void
put_number(struct text *t, uint64_t n)
{
	char digits[20];
	size_t i = sizeof digits;

	do {
		digits[--i] = (char)('0' + n % 10);
		n /= 10;
	} while (n != 0);
	put(t, digits + i, sizeof digits - i);
}

/* Puts a line's first letter and numbers. */
static void
put_line(struct text *t, char tag, size_t n, const uint64_t *number)
{
	size_t i;

	put(t, &tag, 1);
	for (i = 0; i < n; i++) {
		put(t, "\t", 1);
		put_number(t, number[i]);
	}
}

/* ---- the journal's file ---------------------------------------------- */

static bool
write_all(int to, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(to, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/* Out of the way of a program that closes or reuses low descriptors. */
static int
move_up(int low)
{
	int high = fcntl(low, F_DUPFD_CLOEXEC, 700);

	if (high < 0)
		return low;
	close(low);
	return high;
}

static bool
opened(int new_fd)
{
	struct stat st;

	if (new_fd < 0 || fstat(new_fd, &st) != 0) {
		failed = true;
		return false;
	}
	fd = move_up(new_fd);
	fd_dev = st.st_dev;
	fd_ino = st.st_ino;
	return true;
}

/*
 * Opens this process's journal: PID.N, where N tells programs apart that follow
 * each other in one process. Under kc_lock.
 */
static bool
open_journal(void)
{
	struct text t = {0};
	char exe[4096];
	ssize_t n;
	int i;

	if (fd >= 0)
		return true;
	if (failed || !kc_settings.on)
		return false;
	for (i = 0; i < 10000; i++) {
		free(path);
		path = NULL;
		if (asprintf(&path, "%s/%d.%d", dir, (int)pid, i) < 0) {
			path = NULL;
			failed = true;
			return false;
		}
		n = open(path,
			 O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
			 0600);
		if (n >= 0 || errno != EEXIST)
			break;
	}
	if (!opened((int)n))
		return false;
	n = readlink("/proc/self/exe", exe, sizeof exe);
	put_line(&t, 'P', 1, &(uint64_t){(uint64_t)pid});
	put(&t, "\t", 1);
	put_escaped(&t, exe, n > 0 ? (size_t)n : 0);
	put(&t, "\n", 1);
	failed = t.bad || !write_all(fd, t.data, t.len);
	size = t.len;
	free(t.data);
	return !failed;
}

/*
 * Appends. A program may have closed our descriptor and opened a file of its
 * own under the same number: looked at before each write. Under kc_lock.
 */
static void
append(struct text *t)
{
	struct stat st;

	if (t->len == 0 || !open_journal())
		return;
	if (fstat(fd, &st) != 0 || st.st_dev != fd_dev || st.st_ino != fd_ino) {
		fd = -1;
		if (!opened(open(path, O_WRONLY | O_APPEND | O_CLOEXEC)))
			return;
	}
	if (t->bad || !write_all(fd, t->data, t->len))
		failed = true;
	size += t->len;
}

/* ---- counters -------------------------------------------------------- */

static void
thread_ended(void *data)
{
	struct kc_counter *c = data;

	pthread_mutex_lock(&kc_lock);
	c->idle = true;
	pthread_mutex_unlock(&kc_lock);
	kc_self = NULL;
}

/* A scope for this thread, when threads are told apart. Under kc_lock. */
static unsigned new_thread_scope(void);

struct kc_counter *
kc_counter(void)
{
	struct kc_counter *c = kc_self;

	if (c != NULL)
		return c;
	pthread_mutex_lock(&kc_lock);
	if (!kc_settings.threads)
		for (c = counters; c != NULL && !c->idle; c = c->next)
			;
	if (c == NULL) {
		c = calloc(1, sizeof *c);
		if (c != NULL) {
			c->next = counters;
			counters = c;
		}
	}
	if (c != NULL) {
		c->idle = false;
		if (kc_settings.threads)
			c->scope = new_thread_scope();
		open_journal();
	}
	pthread_mutex_unlock(&kc_lock);
	if (c == NULL) {
		kc_flag(KC_F_MEMORY, NULL);
		return NULL;
	}
	kc_self = c;
	pthread_setspecific(thread_end, c);
	return c;
}

void
kc_add_kernel(struct kc_counter *c, uint32_t k, uint64_t n)
{
	_Atomic(_Atomic uint64_t *) *chunks;
	_Atomic uint64_t *chunk;

	if (!kc_settings.names || k == KC_NO_KERNEL)
		return;
	chunks = atomic_load_explicit(&c->kernels, memory_order_relaxed);
	if (chunks == NULL) {
		chunks = calloc(KC_CHUNKS, sizeof *chunks);
		if (chunks == NULL) {
			kc_flag(KC_F_NAMES, NULL);
			return;
		}
		atomic_store_explicit(&c->kernels, chunks,
				      memory_order_release);
	}
	chunk = atomic_load_explicit(&chunks[k / KC_CHUNK],
				     memory_order_relaxed);
	if (chunk == NULL) {
		chunk = calloc(KC_CHUNK, sizeof *chunk);
		if (chunk == NULL) {
			kc_flag(KC_F_NAMES, NULL);
			return;
		}
		atomic_store_explicit(&chunks[k / KC_CHUNK], chunk,
				      memory_order_release);
	}
	chunk += k % KC_CHUNK;
	atomic_store_explicit(
		chunk, atomic_load_explicit(chunk, memory_order_relaxed) + n,
		memory_order_relaxed);
}

void
kc_count_slow(void *function, void *stream, enum kc_flavour flavour,
	      enum kc_what what, uint64_t k)
{
	struct kc_counter *c;

	if (!kc_settings.on)
		return;
	c = kc_counter();
	if (c == NULL)
		return;
	if (kc_capturing(stream, flavour)) {
		if (what == KC_DIRECT)
			kc_add(c, KC_CAPTURED, k);
		return;
	}
	kc_add(c, what, k);
	if (what == KC_DIRECT && kc_settings.names)
		kc_add_kernel(c, kc_name_function(c, function), k);
	kc_counted();
}

/* Adds a thread's counters to a sum. Under kc_lock. */
static void
sum_one(struct kc_sum *sum, const struct kc_counter *c)
{
	_Atomic(_Atomic uint64_t *) *chunks;
	size_t i;

	for (i = 0; i < KC_WHAT; i++)
		sum->n[i] +=
			atomic_load_explicit(&c->n[i], memory_order_relaxed);
	chunks = atomic_load_explicit(&c->kernels, memory_order_acquire);
	if (sum->kernels == NULL || chunks == NULL)
		return;
	for (i = 0; i < sum->nkernels; i++) {
		_Atomic uint64_t *chunk = atomic_load_explicit(
			&chunks[i / KC_CHUNK], memory_order_acquire);

		if (chunk == NULL)
			i |= KC_CHUNK - 1;
		else
			sum->kernels[i] += atomic_load_explicit(
				chunk + i % KC_CHUNK, memory_order_relaxed);
	}
}

/*
 * The counts now: of `only`, or of all threads for NULL. Another thread may
 * launch meanwhile, between the reading of its total and of its kernels: where
 * names are kept, the reader takes the sum of the kernels for the total. Under
 * kc_lock.
 */
static bool
sum_up(struct kc_sum *sum, const struct kc_counter *only)
{
	struct kc_counter *c;

	memset(sum, 0, sizeof *sum);
	if (kc_settings.names) {
		sum->nkernels = kc_name_count();
		sum->kernels = calloc(sum->nkernels + 1, sizeof *sum->kernels);
		if (sum->kernels == NULL)
			return false;
	}
	if (only != NULL)
		sum_one(sum, only);
	else
		for (c = counters; c != NULL; c = c->next)
			sum_one(sum, c);
	return true;
}

static void
sum_free(struct kc_sum *sum)
{
	free(sum->kernels);
	memset(sum, 0, sizeof *sum);
}

/* What was added between two sums: `to` minus `from`, in `to`. */
static void
sum_since(struct kc_sum *to, const struct kc_sum *from)
{
	size_t i;

	for (i = 0; i < KC_WHAT; i++)
		to->n[i] -= from->n[i];
	for (i = 0; to->kernels != NULL && i < from->nkernels; i++)
		to->kernels[i] -= from->kernels[i];
}

static bool
sum_is_zero(const struct kc_sum *s)
{
	size_t i;

	for (i = 0; i < KC_WHAT; i++)
		if (s->n[i] != 0)
			return false;
	return true;
}

/* ---- flags ----------------------------------------------------------- */

/* What flags are about; written once each, without a lock. */
enum { TEXTS = 16 };
static struct {
	_Atomic unsigned flag;
	char about[256];
} flag_text[TEXTS];
static atomic_uint flag_texts;
static unsigned flag_texts_written;

void
kc_flag(unsigned f, const char *text)
{
	unsigned before = atomic_fetch_or(&flags, f), i;

	if ((before & f) == f || text == NULL)
		return;
	i = atomic_fetch_add(&flag_texts, 1);
	if (i >= TEXTS)
		return;
	snprintf(flag_text[i].about, sizeof flag_text[i].about, "%s", text);
	atomic_store(&flag_text[i].flag, f);
}

/* ---- scopes ---------------------------------------------------------- */

/*
 * A thread or a range's place: its name within its parent. Found by both. What
 * it has written so far, where that is a total. Under kc_lock.
 */
struct scope {
	unsigned parent;
	enum kc_kind kind;
	char *name;
	size_t len;
	struct kc_sum last;
};
static struct scope *scope;
static size_t scopes, scope_cap, scopes_written;
static uint32_t *scope_table; /* by parent and name: number + 1 */
static size_t scope_table_cap;
static unsigned threads;
static struct kc_range *open_ranges;

static size_t
scope_hash(unsigned parent, const char *name, size_t len)
{
	uint64_t h = 14695981039346656037u ^ parent;

	for (; len > 0; len--)
		h = (h ^ (unsigned char)*name++) * 1099511628211u;
	return (size_t)(h ^ h >> 29);
}

static bool
scope_room(void)
{
	if (scopes == scope_cap) {
		size_t cap = scope_cap != 0 ? scope_cap * 2 : 64;
		struct scope *s = realloc(scope, cap * sizeof *s);

		if (s == NULL)
			return false;
		scope = s;
		scope_cap = cap;
	}
	if (scopes * 2 >= scope_table_cap) {
		size_t cap = scope_table_cap != 0 ? scope_table_cap * 2 : 256;
		uint32_t *t = calloc(cap, sizeof *t);
		size_t i;

		if (t == NULL)
			return false;
		for (i = 0; i < scopes; i++) {
			size_t at = scope_hash(scope[i].parent, scope[i].name,
					       scope[i].len) &
				    (cap - 1);

			while (t[at] != 0)
				at = (at + 1) & (cap - 1);
			t[at] = (uint32_t)i + 1;
		}
		free(scope_table);
		scope_table = t;
		scope_table_cap = cap;
	}
	return true;
}

/* The scope of a name in a parent; 0, the process, when there is no memory. */
static unsigned
find_scope(unsigned parent, enum kc_kind kind, const char *name, size_t len)
{
	size_t at;
	struct scope *s;

	if (!scope_room())
		return 0;
	at = scope_hash(parent, name, len) & (scope_table_cap - 1);
	while (scope_table[at] != 0) {
		s = &scope[scope_table[at] - 1];
		if (s->parent == parent && s->kind == kind && s->len == len &&
		    memcmp(s->name, name, len) == 0)
			return scope_table[at] - 1;
		at = (at + 1) & (scope_table_cap - 1);
	}
	s = &scope[scopes];
	memset(s, 0, sizeof *s);
	s->parent = parent;
	s->kind = kind;
	s->len = len;
	s->name = malloc(len + 1);
	if (s->name == NULL)
		return 0;
	memcpy(s->name, name, len);
	scope_table[at] = (uint32_t)++scopes;
	return (unsigned)scopes - 1;
}

static unsigned
new_thread_scope(void)
{
	char name[64], comm[17] = "";
	int n;

	prctl(PR_GET_NAME, comm, 0, 0, 0);
	n = snprintf(name, sizeof name, "thread %u %s", ++threads, comm);
	return find_scope(0, KC_THREAD, name, (size_t)n);
}

/* ---- cuts ------------------------------------------------------------ */

/* Puts what is new: kernels' names, scopes, flags, cuInit. Under kc_lock. */
static void
put_news(struct text *t)
{
	uint32_t n = kc_name_count();
	unsigned f, texts;
	int rc = atomic_load(&cuda);

	if (rc != cuda_written) {
		put(t, rc == -1 ? "" : "D\t", rc == -1 ? 0 : 2);
		if (rc != -1)
			put_number(t, (uint64_t)rc);
		put(t, "\n", rc == -1 ? 0 : 1);
		cuda_written = rc;
	}
	for (; kernels_written < n; kernels_written++) {
		const char *name = kc_name(kernels_written);

		put_line(t, 'K', 1, &(uint64_t){kernels_written});
		put(t, "\t", 1);
		put_escaped(t, name, strlen(name));
		put(t, "\n", 1);
	}
	for (; scopes_written < scopes; scopes_written++) {
		struct scope *s = &scope[scopes_written];

		put_line(t, 'S', 2, (uint64_t[]){scopes_written, s->parent});
		put(t, (char[]){'\t', (char)s->kind, '\t'}, 3);
		put_escaped(t, s->name, s->len);
		put(t, "\n", 1);
	}
	f = atomic_load(&flags);
	if (f != flags_written) {
		put_line(t, 'F', 1, &(uint64_t){f});
		put(t, "\t\n", 2);
		flags_written = f;
	}
	texts = atomic_load(&flag_texts);
	for (; flag_texts_written < texts && flag_texts_written < TEXTS;
	     flag_texts_written++) {
		unsigned about =
			atomic_load(&flag_text[flag_texts_written].flag);

		if (about == 0)
			break;
		put_line(t, 'F', 1, &(uint64_t){about});
		put(t, "\t", 1);
		put_escaped(t, flag_text[flag_texts_written].about,
			    strlen(flag_text[flag_texts_written].about));
		put(t, "\n", 1);
	}
}

/* Puts the counts of a scope. With `since`, only kernels whose number differs
 * from the one there. */
static void
put_counts(struct text *t, char tag, unsigned id, const struct kc_sum *s,
	   const struct kc_sum *since)
{
	uint64_t number[KC_WHAT + 2] = {id, atomic_load(&flags)};
	size_t i;

	memcpy(number + 2, s->n, sizeof s->n);
	put_line(t, tag, KC_WHAT + 2, number);
	put(t, "\n", 1);
	for (i = 0; s->kernels != NULL && i < s->nkernels; i++) {
		uint64_t old = since != NULL && i < since->nkernels
				       ? since->kernels[i]
				       : 0;

		if (s->kernels[i] == old)
			continue;
		put_line(t, 'k', 2, (uint64_t[]){i, s->kernels[i]});
		put(t, "\n", 1);
	}
}

/* Puts a scope's total where it changed. Under kc_lock. */
static bool
put_total(struct text *t, unsigned id, const struct kc_counter *only)
{
	struct kc_sum now, change;
	struct kc_sum *last = &scope[id].last;
	bool same;

	if (!sum_up(&now, only))
		return false;
	change = now;
	change.kernels = NULL;
	sum_since(&change, last);
	same = sum_is_zero(&change);
	if (!same)
		put_counts(t, 'C', id, &now, last);
	sum_free(last);
	*last = now;
	return !same;
}

/* Forgets what was written, so that the next totals are whole. */
static void
forget_written(void)
{
	size_t i;

	kernels_written = 0;
	scopes_written = 0;
	flags_written = 0;
	flag_texts_written = 0;
	cuda_written = -1;
	for (i = 0; i < scopes; i++)
		sum_free(&scope[i].last);
}

/*
 * Totals repeat what came before, so a journal of many waits is written anew
 * now and then: beside it, whole, then renamed. Under kc_lock.
 */
static void put_totals(struct text *t);

static void
compact(void)
{
	struct text t = {0};
	char *beside = NULL;
	char exe[4096];
	ssize_t n;
	int to;

	if (asprintf(&beside, "%s.tmp", path) < 0)
		return;
	to = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
		  0600);
	if (to >= 0) {
		n = readlink("/proc/self/exe", exe, sizeof exe);
		put_line(&t, 'P', 1, &(uint64_t){(uint64_t)pid});
		put(&t, "\t", 1);
		put_escaped(&t, exe, n > 0 ? (size_t)n : 0);
		put(&t, "\n", 1);
		forget_written();
		size = 0;
		put_totals(&t);
		if (!t.bad && write_all(to, t.data, t.len) &&
		    rename(beside, path) == 0) {
			close(fd);
			opened(to);
			size = t.len;
		} else {
			failed = true; /* what is there stays, not whole */
			close(to);
		}
		free(t.data);
		if (compact_at < size * 4)
			compact_at = size * 4;
	}
	free(beside);
}

static void
put_totals(struct text *t)
{
	struct text counts = {0};
	struct kc_counter *c;

	if (kc_settings.threads)
		for (c = counters; c != NULL; c = c->next)
			put_total(&counts, c->scope, c);
	else
		put_total(&counts, 0, NULL);
	put_news(t);
	put(t, counts.data, counts.len);
	t->bad |= counts.bad;
	free(counts.data);
	if (t->len > 0)
		put(t, ".\n", 2);
}

/* Writes the totals so far. Under kc_lock. */
static void
write_totals(void)
{
	struct text t = {0};

	put_totals(&t);
	append(&t);
	free(t.data);
	if (fd >= 0 && !failed && size > compact_at &&
	    kc_settings.cut == KC_CUT_PROCESS)
		compact();
}

/*
 * Writes what was launched since the last wait, with `tag` 'C', or 'c' for what
 * no wait followed. Under kc_lock.
 */
static void
write_since(char tag, unsigned id, const struct kc_counter *only)
{
	struct kc_sum now, since;
	struct text t = {0};

	if (!sum_up(&now, only))
		return;
	since = now;
	if (now.kernels != NULL) {
		since.kernels =
			malloc((now.nkernels + 1) * sizeof *now.kernels);
		if (since.kernels == NULL) {
			sum_free(&now);
			return;
		}
		memcpy(since.kernels, now.kernels,
		       now.nkernels * sizeof *now.kernels);
	}
	sum_since(&since, &scope[id].last);
	if (!sum_is_zero(&since)) {
		put_news(&t);
		put_counts(&t, tag, id, &since, NULL);
		put(&t, ".\n", 2);
		append(&t);
		free(t.data);
	}
	sum_free(&since);
	sum_free(&scope[id].last);
	scope[id].last = now;
}

static void
cut_sync(void)
{
	struct kc_counter *c;

	if (!kc_settings.threads)
		write_since('C', 0, NULL);
	else if ((c = kc_self) != NULL)
		write_since('C', c->scope, c);
}

/* What was launched and never waited for. Under kc_lock. */
static void
cut_rest(void)
{
	struct kc_counter *c;

	if (!kc_settings.threads)
		write_since('c', 0, NULL);
	else
		for (c = counters; c != NULL; c = c->next)
			write_since('c', c->scope, c);
}

void
kc_synchronised(void)
{
	if (!kc_settings.on)
		return;
	kc_dl_unknown();
	pthread_mutex_lock(&kc_lock);
	if (kc_settings.cut == KC_CUT_SYNC)
		cut_sync();
	else if (kc_settings.cut == KC_CUT_PROCESS)
		write_totals();
	pthread_mutex_unlock(&kc_lock);
}

/* ---- ranges ---------------------------------------------------------- */

struct kc_range *
kc_range_begin(const char *name, size_t len, struct kc_range *parent)
{
	struct kc_range *r = calloc(1, sizeof *r);
	struct kc_counter *c = kc_settings.threads ? kc_counter() : NULL;

	if (r == NULL) {
		kc_flag(KC_F_MEMORY, NULL);
		return NULL;
	}
	r->counter = c;
	pthread_mutex_lock(&kc_lock);
	r->scope = find_scope(parent != NULL ? parent->scope
			      : c != NULL    ? c->scope
					     : 0,
			      KC_RANGE, name, len);
	if (r->scope == 0 || !sum_up(&r->at, c)) {
		pthread_mutex_unlock(&kc_lock);
		free(r);
		kc_flag(KC_F_MEMORY, NULL);
		return NULL;
	}
	r->next = open_ranges;
	if (r->next != NULL)
		r->next->prev = r;
	open_ranges = r;
	pthread_mutex_unlock(&kc_lock);
	return r;
}

static void
unlink_range(struct kc_range *r)
{
	if (r->prev != NULL)
		r->prev->next = r->next;
	else
		open_ranges = r->next;
	if (r->next != NULL)
		r->next->prev = r->prev;
	r->prev = r->next = NULL;
}

void
kc_range_end(struct kc_range *r)
{
	struct text t = {0};
	struct kc_sum now;

	kc_dl_unknown();
	pthread_mutex_lock(&kc_lock);
	if (r->id == 0)
		unlink_range(r); /* kc_range_find took the others out */
	if (sum_up(&now, r->counter)) {
		sum_since(&now, &r->at);
		put_news(&t);
		put_counts(&t, 'C', r->scope, &now, NULL);
		put(&t, ".\n", 2);
		append(&t);
		free(t.data);
		sum_free(&now);
	}
	pthread_mutex_unlock(&kc_lock);
	sum_free(&r->at);
	free(r);
}

struct kc_range *
kc_range_find(uint64_t id)
{
	struct kc_range *r;

	pthread_mutex_lock(&kc_lock);
	for (r = open_ranges; r != NULL && r->id != id; r = r->next)
		;
	if (r != NULL)
		unlink_range(r);
	pthread_mutex_unlock(&kc_lock);
	return r;
}

/* ---- start, fork, end ------------------------------------------------ */

void
kc_driver_used(int rc)
{
	struct text t = {0};

	if (!kc_settings.on)
		return;
	/* A later failure does not undo an earlier success. */
	if (atomic_load(&cuda) != CU_OK)
		atomic_store(&cuda, rc);
	pthread_mutex_lock(&kc_lock);
	put_news(&t);
	if (t.len > 0)
		put(&t, ".\n", 2);
	append(&t);
	pthread_mutex_unlock(&kc_lock);
	free(t.data);
}

/* Writes all that is left, and that the program has ended. Under kc_lock. */
static void
write_end(void)
{
	struct text t = {0};
	struct kc_range *r;

	/* A process that never touched CUDA leaves nothing, unless it is the
	 * one that kc-run started and opened its journal at the start. */
	if (fd < 0)
		return;
	if (kc_settings.cut == KC_CUT_SYNC)
		cut_rest();
	else
		write_totals();
	for (r = open_ranges; r != NULL; r = r->next) {
		put_line(&t, 'O', 1, &(uint64_t){r->scope});
		put(&t, "\n", 1);
	}
	put(&t, "E\n", 2);
	append(&t);
	free(t.data);
}

void
kc_counted(void)
{
	if (kc_slow.byte[KC_S_ENDED] == 0)
		return;
	pthread_mutex_lock(&kc_lock);
	write_end();
	pthread_mutex_unlock(&kc_lock);
}

/* The end of the program, by whatever way lets us know. */
static void
ended(void)
{
	int tries;

	if (!kc_settings.on || getpid() != pid)
		return; /* a child of vfork shares our memory, not our end */
	kc_dl_unknown();
	kc_dl_check();
	/* A signal handler may end the program while we hold the lock. */
	for (tries = 0; pthread_mutex_trylock(&kc_lock) != 0; tries++) {
		if (tries == 1000)
			return;
		usleep(100);
	}
	kc_slow.byte[KC_S_ENDED] = 1;
	write_end();
	pthread_mutex_unlock(&kc_lock);
}

static void
at_end(void *unused)
{
	(void)unused;
	ended();
}

static void
fork_prepare(void)
{
	pthread_mutex_lock(&kc_lock);
	kc_graph_prepare();
	kc_name_prepare();
}

static void
fork_parent(void)
{
	kc_name_fork(false);
	kc_graph_fork(false);
	pthread_mutex_unlock(&kc_lock);
}

/* The child counts from nothing, in a journal of its own. */
static void
fork_child(void)
{
	pid = getpid();
	if (fd >= 0)
		close(fd);
	fd = -1;
	free(path);
	path = NULL;
	failed = false;
	size = 0;
	counters = NULL; /* the threads they belong to are not here */
	kc_self = NULL;
	threads = 0;
	open_ranges = NULL;
	kc_nvtx_fork_child();
	forget_written();
	atomic_store(&cuda, -1);
	kc_slow.byte[KC_S_ENDED] = 0;
	kc_name_fork(true);
	kc_graph_fork(true);
	pthread_mutex_unlock(&kc_lock);
}

/* At exit, while the driver can still be asked. */
__attribute__((destructor)) static void
before_end(void)
{
	int (*devices)(int *);
	int n;

	if (!kc_settings.on || getpid() != pid)
		return;
	/* The driver is there and cuInit was not seen: called around us, or
	 * not at all? It knows. */
	*(void **)&devices = kc_driver_fn(KC_D_cuDeviceGetCount);
	if (devices == NULL) {
		kc_next(KC_H_cuInit);
		*(void **)&devices = kc_driver_fn(KC_D_cuDeviceGetCount);
	}
	if (devices != NULL && atomic_load(&cuda) != CU_OK &&
	    devices(&n) == CU_OK) {
		kc_flag(KC_F_BYPASS, "cuInit");
		kc_driver_used(CU_OK);
	}
}

/* The libc functions hooked below, found at the start: in a child of fork or
 * vfork the dynamic linker's locks may be held by nobody who could let go. */
#define LIBC(X)         \
	X(_exit)        \
	X(quick_exit)   \
	X(execve)       \
	X(execv)        \
	X(execvp)       \
	X(execvpe)      \
	X(fexecve)      \
	X(posix_spawn)  \
	X(posix_spawnp) \
	X(system)       \
	X(popen)
#define X(name) L_##name,
enum libc_fn { LIBC(X) L_FNS };
#undef X
#define X(name) #name,
static const char *const libc_name[L_FNS] = {LIBC(X)};
#undef X
static _Atomic(void *) libc_fn[L_FNS];

static void *
libc_next(enum libc_fn fn)
{
	void *p = atomic_load_explicit(&libc_fn[fn], memory_order_relaxed);

	if (p == NULL) {
		p = kc_libc_next(libc_name[fn]);
		atomic_store(&libc_fn[fn], p);
	}
	return p;
}

/* glibc's, not declared by a header. */
extern int __cxa_atexit(void (*fn)(void *), void *arg, void *dso);

__attribute__((constructor)) static void
start(void)
{
	const char *cut = getenv("KC_COUNT_CUT");
	const char *main_pid = getenv("KC_COUNT_PID");
	const char *where = getenv("KC_COUNT_DIR");

	int i;

	kc_dl_start();
	for (i = 0; i < L_FNS; i++)
		libc_next((enum libc_fn)i);
	own = kc_own_path();
	pid = getpid();
	if (where == NULL || where[0] != '/')
		return;
	dir = strdup(where);
	if (dir == NULL || pthread_key_create(&thread_end, thread_ended) != 0 ||
	    pthread_atfork(fork_prepare, fork_parent, fork_child) != 0 ||
	    find_scope(0, KC_PROCESS, "", 0) != 0 || scopes == 0)
		return;
	kc_settings.cut = cut == NULL		      ? KC_CUT_PROCESS
			  : strcmp(cut, "range") == 0 ? KC_CUT_RANGE
			  : strcmp(cut, "sync") == 0  ? KC_CUT_SYNC
						      : KC_CUT_PROCESS;
	kc_settings.names = getenv("KC_COUNT_NAMES") != NULL;
	kc_settings.threads = getenv("KC_COUNT_THREADS") != NULL;
	kc_settings.on = true;
	kc_slow.byte[KC_S_NAMES] = kc_settings.names;
	/*
	 * Handlers of exit run in reverse order, and the libraries' destructors
	 * are one of them. This one is registered before that, and not as this
	 * library's own, so it runs after all of them.
	 */
	if (__cxa_atexit(at_end, NULL, NULL) != 0)
		kc_settings.on = false;
	if (main_pid != NULL && strtol(main_pid, NULL, 10) == (long)pid) {
		pthread_mutex_lock(&kc_lock);
		open_journal();
		pthread_mutex_unlock(&kc_lock);
	}
}

/* ---- ways to end that run no handlers -------------------------------- */

KC_EXPORT _Noreturn void _exit(int status);
void
_exit(int status)
{
	void (*next)(int);

	ended();
	*(void **)&next = libc_next(L__exit);
	if (next != NULL)
		next(status);
	abort();
}

KC_EXPORT _Noreturn void _Exit(int status);
void
_Exit(int status)
{
	_exit(status);
}

KC_EXPORT _Noreturn void quick_exit(int status);
void
quick_exit(int status)
{
	void (*next)(int);

	/* Its handlers may launch: what they do is written as after exit. */
	ended();
	*(void **)&next = libc_next(L_quick_exit);
	if (next != NULL)
		next(status);
	abort();
}

/* ---- programs that this one starts ----------------------------------- */

/* Whether `list`, of LD_PRELOAD, has this library in it. */
static bool
lists_us(const char *list)
{
	size_t len = strlen(own);
	const char *p;

	for (p = list; len > 0 && (p = strstr(p, own)) != NULL; p++)
		if ((p == list || p[-1] == ':' || p[-1] == ' ') &&
		    (p[len] == '\0' || p[len] == ':' || p[len] == ' '))
			return true;
	return false;
}

/* Whether an environment preloads this library and tells it where to write. */
static bool
preloads(char *const *env)
{
	bool us = false, told = false;

	for (; env != NULL && *env != NULL; env++)
		if (strncmp(*env, "LD_PRELOAD=", 11) == 0)
			us = lists_us(*env + 11);
		else if (strncmp(*env, "KC_COUNT_DIR=", 13) == 0)
			told = true;
	return us && told;
}

/* Notes a program that is started without us. May run in a child of vfork, so
 * nothing of ours is touched: one line, appended to a file of its own. */
static void
started(const char *program, char *const *env)
{
	char line[4200], where[4200];
	size_t len = strnlen(program, 4000), i;
	struct stat st;
	int to, saved = errno;

	if (!kc_settings.on)
		return;
	if (preloads(env) &&
	    (strchr(program, '/') == NULL || stat(program, &st) != 0 ||
	     (st.st_mode & (S_ISUID | S_ISGID)) == 0)) {
		errno = saved;
		return;
	}
	if (snprintf(where, sizeof where, "%s/unseen", dir) <
	    (int)sizeof where) {
		for (i = 0; i < len; i++)
			line[i] = program[i];
		line[len] = '\0'; /* a name may hold a newline */
		to = open(where, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			  0600);
		if (to >= 0) {
			write_all(to, line, len + 1);
			close(to);
		}
	}
	errno = saved;
}

/* exec ends this program's part of the process, if it succeeds: what was
 * counted is written, and the end taken back if it did not. */
static void
before_exec(const char *program, char *const *env)
{
	started(program, env);
	ended();
}

static int
after_exec(int rc)
{
	struct text t = {0};
	int saved = errno;

	if (kc_settings.on && getpid() == pid) {
		pthread_mutex_lock(&kc_lock);
		kc_slow.byte[KC_S_ENDED] = 0;
		if (fd >= 0) {
			put(&t, "R\n", 2);
			append(&t);
			free(t.data);
		}
		pthread_mutex_unlock(&kc_lock);
	}
	errno = saved;
	return rc;
}

#define EXEC(name, params, args, program, env)         \
	KC_EXPORT int name params;                     \
	int name params                                \
	{                                              \
		int(*next) params;                     \
                                                       \
		*(void **)&next = libc_next(L_##name); \
		if (next == NULL) {                    \
			errno = ENOSYS;                \
			return -1;                     \
		}                                      \
		before_exec(program, env);             \
		return after_exec(next args);          \
	}

EXEC(execve, (const char *file, char *const argv[], char *const envp[]),
     (file, argv, envp), file, envp)
EXEC(execv, (const char *file, char *const argv[]), (file, argv), file, environ)
EXEC(execvp, (const char *file, char *const argv[]), (file, argv), file,
     environ)
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]),
     (file, argv, envp), file, envp)
EXEC(fexecve, (int file, char *const argv[], char *const envp[]),
     (file, argv, envp), argv[0] != NULL ? argv[0] : "", envp)

#define SPAWN(name)                                                        \
	KC_EXPORT int name(pid_t *child, const char *file,                 \
			   const posix_spawn_file_actions_t *actions,      \
			   const posix_spawnattr_t *attributes,            \
			   char *const argv[], char *const envp[]);        \
	int name(pid_t *child, const char *file,                           \
		 const posix_spawn_file_actions_t *actions,                \
		 const posix_spawnattr_t *attributes, char *const argv[],  \
		 char *const envp[])                                       \
	{                                                                  \
		int (*next)(pid_t *, const char *,                         \
			    const posix_spawn_file_actions_t *,            \
			    const posix_spawnattr_t *, char *const[],      \
			    char *const[]);                                \
                                                                           \
		*(void **)&next = libc_next(L_##name);                     \
		if (next == NULL)                                          \
			return ENOSYS;                                     \
		started(file, envp != NULL ? envp : environ);              \
		return next(child, file, actions, attributes, argv, envp); \
	}

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

KC_EXPORT int system(const char *command);
int
system(const char *command)
{
	int (*next)(const char *);

	*(void **)&next = libc_next(L_system);
	if (next == NULL) {
		errno = ENOSYS;
		return -1;
	}
	if (command != NULL)
		started(command, environ);
	return next(command);
}

KC_EXPORT FILE *popen(const char *command, const char *mode);
FILE *
popen(const char *command, const char *mode)
{
	FILE *(*next)(const char *, const char *);

	*(void **)&next = libc_next(L_popen);
	if (next == NULL) {
		errno = ENOSYS;
		return NULL;
	}
	started(command, environ);
	return next(command, mode);
}
