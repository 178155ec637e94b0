/*
 * count-name: from a function's handle to its kernel's name. See count.h,
 * LICENSE.
 *
 * The driver is asked (cuFuncGetName, cuKernelGetName: since 12.3); before that
 * the names are those under which the program asked for the handles. A handle
 * may be used anew once its module is gone, so what is remembered of handles is
 * forgotten then; the names and their counts stay.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count-cu.h"
#include "count.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The kernels, numbered; found by name through a hash table of numbers + 1. */
static char **kernel;
static atomic_uint kernels;
static size_t kernel_cap;
static uint32_t *by_name;
static size_t by_name_cap;

/* Handles that were given out, with the names asked for; newest first. */
struct given {
	void *handle;
	char *name;
	struct given *next;
};
enum { BUCKETS = 4096 };
static struct given *given[BUCKETS];

/* Modules and libraries that were looked at. */
static void **seen;
static size_t seen_n, seen_cap;

static atomic_uint epoch;

static size_t
hash(const char *name)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 1099511628211u;
	return (size_t)h;
}

/* Doubles the table of names. Under the lock. */
static bool
grow(void)
{
	size_t cap = by_name_cap != 0 ? by_name_cap * 2 : 1024, i, n;
	uint32_t *table = calloc(cap, sizeof *table);

	if (table == NULL)
		return false;
	n = atomic_load(&kernels);
	for (i = 0; i < n; i++) {
		size_t at = hash(kernel[i]) & (cap - 1);

		while (table[at] != 0)
			at = (at + 1) & (cap - 1);
		table[at] = (uint32_t)i + 1;
	}
	free(by_name);
	by_name = table;
	by_name_cap = cap;
	return true;
}

static uint32_t
add_name(const char *name)
{
	size_t at, n = atomic_load(&kernels);

	if (n == (size_t)KC_CHUNK * KC_CHUNKS) {
		kc_flag(KC_F_NAMES, NULL);
		return KC_NO_KERNEL;
	}
	if (n * 2 >= by_name_cap && !grow())
		return KC_NO_KERNEL;
	at = hash(name) & (by_name_cap - 1);
	while (by_name[at] != 0) {
		if (strcmp(kernel[by_name[at] - 1], name) == 0)
			return by_name[at] - 1;
		at = (at + 1) & (by_name_cap - 1);
	}
	if (n == kernel_cap) {
		size_t cap = kernel_cap != 0 ? kernel_cap * 2 : 256;
		char **k = realloc(kernel, cap * sizeof *k);

		if (k == NULL)
			return KC_NO_KERNEL;
		kernel = k;
		kernel_cap = cap;
	}
	kernel[n] = strdup(name);
	if (kernel[n] == NULL)
		return KC_NO_KERNEL;
	by_name[at] = (uint32_t)n + 1;
	atomic_store(&kernels, (unsigned)n + 1);
	return (uint32_t)n;
}

uint32_t
kc_name_text(const char *name)
{
	uint32_t k;

	pthread_mutex_lock(&lock);
	k = add_name(name);
	pthread_mutex_unlock(&lock);
	if (k == KC_NO_KERNEL)
		kc_flag(KC_F_NAMES, NULL);
	return k;
}

uint32_t
kc_name_count(void)
{
	return atomic_load(&kernels);
}

const char *
kc_name(uint32_t k)
{
	const char *name;

	pthread_mutex_lock(&lock);
	name = kernel[k];
	pthread_mutex_unlock(&lock);
	return name;
}

static struct given **
given_at(void *handle)
{
	struct given **g = &given[((uintptr_t)handle >> 4) % BUCKETS];

	while (*g != NULL && (*g)->handle != handle)
		g = &(*g)->next;
	return g;
}

void
kc_name_record(void *handle, const char *name)
{
	struct given **g;
	char *copy;

	if (!kc_settings.names || name == NULL ||
	    (kc_driver_fn(KC_D_cuFuncGetName) != NULL &&
	     kc_driver_fn(KC_D_cuKernelGetName) != NULL))
		return;
	copy = strdup(name);
	pthread_mutex_lock(&lock);
	g = given_at(handle);
	if (*g == NULL) {
		*g = calloc(1, sizeof **g);
		if (*g != NULL)
			(*g)->handle = handle;
	}
	if (*g != NULL) {
		free((*g)->name);
		(*g)->name = copy;
		copy = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(copy);
}

/* A copy of the name that a handle was asked for under, or NULL. */
static char *
recorded(void *handle)
{
	struct given *g;
	char *name = NULL;

	pthread_mutex_lock(&lock);
	g = *given_at(handle);
	if (g != NULL && g->name != NULL)
		name = strdup(g->name);
	pthread_mutex_unlock(&lock);
	return name;
}

void
kc_name_alias(void *function, void *of)
{
	char *name;

	if (!kc_settings.names)
		return;
	name = recorded(of);
	if (name != NULL)
		kc_name_record(function, name);
	free(name);
}

void
kc_name_forget(void)
{
	atomic_fetch_add(&epoch, 1);
	pthread_mutex_lock(&lock);
	seen_n = 0;
	pthread_mutex_unlock(&lock);
}

/* Asks for a handle's name. A launch takes a CUkernel in place of a CUfunction
 * (cuLaunchKernel in cuda.h), so both are tried. */
static uint32_t
ask(void *function)
{
	int (*get)(const char **, void *);
	const char *name = NULL;
	char *copy;
	uint32_t k;

	*(void **)&get = kc_driver_fn(KC_D_cuFuncGetName);
	if (get != NULL && get(&name, function) == CU_OK && name != NULL)
		return kc_name_text(name);
	name = NULL;
	*(void **)&get = kc_driver_fn(KC_D_cuKernelGetName);
	if (get != NULL && get(&name, function) == CU_OK && name != NULL)
		return kc_name_text(name);
	copy = recorded(function);
	k = kc_name_text(copy != NULL ? copy : "(name not known)");
	free(copy);
	return k;
}

/* The cache's place for a function; the cache is a power of two and never
 * full. */
static struct kc_cached *
cached(struct kc_counter *c, void *function)
{
	size_t mask = c->cache_cap - 1;
	size_t at = ((uintptr_t)function >> 4) * 0x9e3779b97f4a7c15u >> 20;

	while (c->cache[at & mask].function != NULL &&
	       c->cache[at & mask].function != function)
		at++;
	return &c->cache[at & mask];
}

static bool
make_room(struct kc_counter *c)
{
	size_t cap = c->cache_cap != 0 ? c->cache_cap * 2 : 256, i;
	struct kc_cached *old = c->cache;
	size_t old_cap = c->cache_cap;

	c->cache = calloc(cap, sizeof *c->cache);
	if (c->cache == NULL) {
		c->cache = old;
		return false;
	}
	c->cache_cap = cap;
	for (i = 0; i < old_cap; i++)
		if (old[i].function != NULL)
			*cached(c, old[i].function) = old[i];
	free(old);
	return true;
}

uint32_t
kc_name_function(struct kc_counter *c, void *function)
{
	unsigned now = atomic_load_explicit(&epoch, memory_order_relaxed);
	struct kc_cached *at;

	if (function == NULL)
		return kc_name_text("(name not known)");
	if (c == NULL)
		return ask(function);
	if (c->cache_epoch != now) {
		if (c->cache != NULL)
			memset(c->cache, 0, c->cache_cap * sizeof *c->cache);
		c->cache_n = 0;
		c->cache_epoch = now;
	}
	if (c->cache_n * 2 >= c->cache_cap && !make_room(c))
		return ask(function);
	at = cached(c, function);
	if (at->function == NULL) {
		at->function = function;
		at->kernel = ask(function);
		c->cache_n++;
	}
	return at->kernel;
}

/* ---- kernels that launch kernels ------------------------------------- */

/*
 * A module whose kernels launch others is linked with the device runtime
 * (libcudadevrt), and that brings kernels of its own for copies and memsets,
 * whose names hold the name of its source. Read with readelf from modules built
 * by nvcc 13.5 with and without such launches: grid synchronisation and
 * device-side graph launches do not bring them.
 */
static bool
is_device_runtime(const char *name)
{
	return name != NULL && strstr(name, "cuda_device_runtime") != NULL;
}

/* Whether `handle` is looked at for the first time. */
static bool
first_look(void *handle)
{
	size_t i;
	bool first = true;

	if (!kc_settings.on)
		return false;
	pthread_mutex_lock(&lock);
	for (i = seen_n; i > 0 && first; i--)
		first = seen[i - 1] != handle;
	if (first) {
		if (seen_n == seen_cap) {
			size_t cap = seen_cap != 0 ? seen_cap * 2 : 64;
			void **s = realloc(seen, cap * sizeof *s);

			if (s != NULL) {
				seen = s;
				seen_cap = cap;
			}
		}
		if (seen_n < seen_cap)
			seen[seen_n++] = handle;
	}
	pthread_mutex_unlock(&lock);
	return first;
}

/* Reads the names of all of a module's or library's kernels. */
static void
look(void *of, enum kc_driver_fn count_fn, enum kc_driver_fn list_fn,
     enum kc_driver_fn name_fn)
{
	int (*count)(unsigned *, void *);
	int (*list)(void **, unsigned, void *);
	int (*get)(const char **, void *);
	unsigned i, n = 0;
	void **all;

	*(void **)&count = kc_driver_fn(count_fn);
	*(void **)&list = kc_driver_fn(list_fn);
	*(void **)&get = kc_driver_fn(name_fn);
	if (count == NULL || list == NULL || get == NULL ||
	    count(&n, of) != CU_OK || n == 0)
		return;
	all = calloc(n, sizeof *all);
	if (all == NULL)
		return;
	if (list(all, n, of) == CU_OK)
		for (i = 0; i < n; i++) {
			const char *name = NULL;

			if (all[i] != NULL && get(&name, all[i]) == CU_OK &&
			    is_device_runtime(name)) {
				kc_flag(KC_F_DEVICE_KERNEL, NULL);
				break;
			}
		}
	free(all);
}

void
kc_module_seen(void *module)
{
	if (first_look(module))
		look(module, KC_D_cuModuleGetFunctionCount,
		     KC_D_cuModuleEnumerateFunctions, KC_D_cuFuncGetName);
}

void
kc_library_seen(void *library)
{
	if (first_look(library))
		look(library, KC_D_cuLibraryGetKernelCount,
		     KC_D_cuLibraryEnumerateKernels, KC_D_cuKernelGetName);
}

void
kc_name_prepare(void)
{
	pthread_mutex_lock(&lock);
}

void
kc_name_fork(bool child)
{
	(void)child;
	pthread_mutex_unlock(&lock);
}
