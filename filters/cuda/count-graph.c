/*
 * count-graph: what graph launches run, and what captures record. See count.h,
 * LICENSE.
 *
 * An executable graph's nodes are read from its template when it is made, child
 * graphs included, and followed through updates. How often a conditional node
 * runs its body, and what the device itself launches or switches off, the host
 * cannot know: such launches count what is certain and are marked.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "count-cu.h"
#include "count-graph.h"

/*
 * A node. Those inside a child graph follow its node directly, `inside` of
 * them, so a child's nodes are a run of the array.
 */
struct node {
	void *node;
	int type;
	bool on, device; /* enabled; the device may switch it */
	uint32_t kernel;
	size_t inside;
};

struct tally {
	uint32_t kernel;
	uint64_t n;
};

struct kc_graph {
	void *exec;
	struct kc_graph *next;
	unsigned refs;
	struct node *node;
	size_t n, cap;
	bool cond, device, unknown;
	/* What a launch adds, made anew when a node changes. */
	uint64_t kernels, memsets, memcpys;
	struct tally *tally;
	size_t ntally;
};

enum { BUCKETS = 1024 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kc_graph *bucket[BUCKETS];

static struct kc_graph **
place(void *exec)
{
	struct kc_graph **g = &bucket[((uintptr_t)exec >> 4) % BUCKETS];

	while (*g != NULL && (*g)->exec != exec)
		g = &(*g)->next;
	return g;
}

static void
drop(struct kc_graph *g)
{
	if (g == NULL || --g->refs > 0)
		return;
	free(g->node);
	free(g->tally);
	free(g);
}

/* ---- reading a graph ------------------------------------------------- */

static uint32_t
node_kernel(void *node)
{
	int (*params)(void *, struct cu_kernel_node *);
	struct cu_kernel_node p;

	if (!kc_settings.names)
		return KC_NO_KERNEL;
	memset(&p, 0, sizeof p);
	*(void **)&params = kc_driver_fn(KC_D_cuGraphKernelNodeGetParams_v2);
	if (params == NULL)
		*(void **)&params =
			kc_driver_fn(KC_D_cuGraphKernelNodeGetParams);
	if (params == NULL || params(node, &p) != CU_OK)
		return kc_name_function(NULL, NULL);
	return kc_name_function(NULL, p.func != NULL ? p.func : p.kern);
}

static bool
node_device(void *node)
{
	int (*get)(void *, int, void *);
	union {
		int updatable;
		char size[CU_ATTR_VALUE_SIZE];
	} value;

	memset(&value, 0, sizeof value);
	*(void **)&get = kc_driver_fn(KC_D_cuGraphKernelNodeGetAttribute);
	return get != NULL &&
	       get(node, CU_ATTR_DEVICE_UPDATABLE, &value) == CU_OK &&
	       value.updatable != 0;
}

static struct node *
add_node(struct kc_graph *g, void *handle, int type)
{
	struct node *node;

	if (g->n == g->cap) {
		size_t cap = g->cap != 0 ? g->cap * 2 : 64;

		node = realloc(g->node, cap * sizeof *node);
		if (node == NULL)
			return NULL;
		g->node = node;
		g->cap = cap;
	}
	node = &g->node[g->n++];
	*node = (struct node){.node = handle,
			      .type = type,
			      .on = true,
			      .kernel = KC_NO_KERNEL};
	return node;
}

static void read_graph(struct kc_graph *g, void *graph, unsigned depth);

static void
read_node(struct kc_graph *g, void *handle, unsigned depth)
{
	int (*get_type)(void *, int *);
	int (*get_child)(void *, void **);
	struct node *node;
	void *child;
	size_t at;
	int type;

	*(void **)&get_type = kc_driver_fn(KC_D_cuGraphNodeGetType);
	if (get_type == NULL || get_type(handle, &type) != CU_OK) {
		g->unknown = true;
		return;
	}
	if (type < 0 || type > CU_NODE_KNOWN)
		g->unknown = true;
	else if (type == CU_NODE_CONDITIONAL)
		g->cond = true;
	if (type != CU_NODE_KERNEL && type != CU_NODE_MEMSET &&
	    type != CU_NODE_MEMCPY && type != CU_NODE_MEMCPY_BATCH &&
	    type != CU_NODE_GRAPH)
		return;
	at = g->n;
	node = add_node(g, handle, type);
	if (node == NULL) {
		g->unknown = true;
		return;
	}
	if (type == CU_NODE_KERNEL) {
		node->kernel = node_kernel(handle);
		node->device = node_device(handle);
		g->device |= node->device;
	}
	if (type != CU_NODE_GRAPH)
		return;
	*(void **)&get_child = kc_driver_fn(KC_D_cuGraphChildGraphNodeGetGraph);
	if (get_child == NULL || get_child(handle, &child) != CU_OK)
		g->unknown = true;
	else
		read_graph(g, child, depth + 1);
	g->node[at].inside = g->n - at - 1;
}

static void
read_graph(struct kc_graph *g, void *graph, unsigned depth)
{
	int (*get)(void *, void **, size_t *);
	void **list;
	size_t i, n = 0;

	*(void **)&get = kc_driver_fn(KC_D_cuGraphGetNodes);
	if (get == NULL || depth > 64 || get(graph, NULL, &n) != CU_OK) {
		g->unknown = true;
		return;
	}
	if (n == 0)
		return;
	list = calloc(n, sizeof *list);
	if (list == NULL || get(graph, list, &n) != CU_OK)
		g->unknown = true;
	else
		for (i = 0; i < n; i++)
			read_node(g, list[i], depth);
	free(list);
}

/* Makes what a launch adds from the nodes. */
static void
sum_up(struct kc_graph *g)
{
	size_t i, k;

	g->kernels = g->memsets = g->memcpys = 0;
	g->ntally = 0;
	for (i = 0; i < g->n; i++) {
		struct node *node = &g->node[i];

		if (!node->on || node->device)
			continue;
		if (node->type == CU_NODE_MEMSET)
			g->memsets++;
		else if (node->type == CU_NODE_MEMCPY ||
			 node->type == CU_NODE_MEMCPY_BATCH)
			g->memcpys++;
		if (node->type != CU_NODE_KERNEL)
			continue;
		g->kernels++;
		if (!kc_settings.names)
			continue;
		for (k = 0; k < g->ntally; k++)
			if (g->tally[k].kernel == node->kernel)
				break;
		if (k == g->ntally) {
			struct tally *t =
				realloc(g->tally, (k + 1) * sizeof *t);

			if (t == NULL) {
				kc_flag(KC_F_MEMORY, NULL);
				continue;
			}
			g->tally = t;
			g->tally[g->ntally++] = (struct tally){node->kernel, 0};
		}
		g->tally[k].n++;
	}
}

static struct kc_graph *
read_new(void *graph)
{
	struct kc_graph *g = calloc(1, sizeof *g);

	if (g == NULL) {
		kc_flag(KC_F_MEMORY, NULL);
		return NULL;
	}
	g->refs = 1;
	read_graph(g, graph, 0);
	return g;
}

/* ---- the life of an executable graph --------------------------------- */

void
kc_graph_made(void *exec, void *graph, uint64_t flags)
{
	struct kc_graph *g, **p;

	if (!kc_settings.on)
		return;
	if ((flags & CU_INSTANTIATE_DEVICE_LAUNCH) != 0)
		kc_flag(KC_F_DEVICE_GRAPH, NULL);
	g = read_new(graph);
	if (g == NULL)
		return;
	g->exec = exec;
	sum_up(g);
	pthread_mutex_lock(&lock);
	p = place(exec);
	if (*p != NULL) { /* destroyed by a way that was not seen */
		struct kc_graph *old = *p;

		*p = old->next;
		drop(old);
		p = place(exec);
	}
	*p = g;
	pthread_mutex_unlock(&lock);
}

struct kc_graph *
kc_graph_hold(void *exec)
{
	struct kc_graph *g;

	pthread_mutex_lock(&lock);
	g = *place(exec);
	if (g != NULL)
		g->refs++;
	pthread_mutex_unlock(&lock);
	return g;
}

void
kc_graph_release(struct kc_graph *g)
{
	pthread_mutex_lock(&lock);
	drop(g);
	pthread_mutex_unlock(&lock);
}

struct kc_graph *
kc_graph_take(void *exec)
{
	struct kc_graph **p, *g;

	pthread_mutex_lock(&lock);
	p = place(exec);
	g = *p;
	if (g != NULL) {
		*p = g->next;
		g->next = NULL;
	}
	pthread_mutex_unlock(&lock);
	return g;
}

void
kc_graph_taken(struct kc_graph *g, bool destroyed)
{
	if (g == NULL)
		return;
	pthread_mutex_lock(&lock);
	if (destroyed) {
		drop(g);
	} else {
		struct kc_graph **p = place(g->exec);

		if (*p == NULL)
			*p = g;
		else
			drop(g);
	}
	pthread_mutex_unlock(&lock);
}

/* Gives nodes [at, at+n) of `g` the kernels of `from`, which has as many. An
 * update pairs nodes by position, unless the two lists differ in their types:
 * then which kernel went where is not known. */
static void
copy_kernels(struct kc_graph *g, size_t at, size_t n,
	     const struct kc_graph *from)
{
	uint32_t unnamed = kc_name_function(NULL, NULL);
	bool alike = n == from->n;
	size_t i;

	for (i = 0; alike && i < n; i++)
		alike = g->node[at + i].type == from->node[i].type;
	for (i = 0; i < n; i++)
		if (g->node[at + i].type == CU_NODE_KERNEL)
			g->node[at + i].kernel =
				alike ? from->node[i].kernel : unnamed;
}

void
kc_graph_updated(void *exec, void *graph)
{
	struct kc_graph *from, *g;
	int (*enabled)(void *, void *, unsigned *);
	size_t i;

	if (!kc_settings.on)
		return;
	g = kc_graph_hold(exec);
	if (g == NULL)
		return;
	if (kc_settings.names) {
		from = read_new(graph);
		pthread_mutex_lock(&lock);
		if (from != NULL)
			copy_kernels(g, 0, g->n, from);
		drop(from);
		pthread_mutex_unlock(&lock);
	}
	/* The header does not say whether a disabled node stays so. */
	*(void **)&enabled = kc_driver_fn(KC_D_cuGraphNodeGetEnabled);
	for (i = 0; enabled != NULL && i < g->n; i++) {
		unsigned on;

		if (!g->node[i].on &&
		    enabled(exec, g->node[i].node, &on) == CU_OK)
			g->node[i].on = on != 0;
	}
	pthread_mutex_lock(&lock);
	sum_up(g);
	pthread_mutex_unlock(&lock);
	kc_graph_release(g);
}

static struct node *
find_node(struct kc_graph *g, void *handle)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->node[i].node == handle)
			return &g->node[i];
	return NULL;
}

void
kc_graph_node_kernel(void *exec, void *handle, void *function)
{
	uint32_t kernel;
	struct kc_graph *g;
	struct node *node;

	if (!kc_settings.names)
		return;
	kernel = kc_name_function(NULL, function);
	pthread_mutex_lock(&lock);
	g = *place(exec);
	node = g != NULL ? find_node(g, handle) : NULL;
	if (node != NULL) {
		node->kernel = kernel;
		sum_up(g);
	}
	pthread_mutex_unlock(&lock);
}

void
kc_graph_node_child(void *exec, void *handle, void *child)
{
	struct kc_graph *g, *from;
	struct node *node;

	if (!kc_settings.names)
		return;
	from = read_new(child);
	pthread_mutex_lock(&lock);
	g = *place(exec);
	node = g != NULL ? find_node(g, handle) : NULL;
	if (node != NULL && from != NULL) {
		copy_kernels(g, (size_t)(node - g->node) + 1, node->inside,
			     from);
		sum_up(g);
	}
	drop(from);
	pthread_mutex_unlock(&lock);
}

void
kc_graph_node_enabled(void *exec, void *handle, bool on)
{
	struct kc_graph *g;
	struct node *node;

	if (!kc_settings.on)
		return;
	pthread_mutex_lock(&lock);
	g = *place(exec);
	node = g != NULL ? find_node(g, handle) : NULL;
	if (node != NULL) {
		node->on = on;
		sum_up(g);
	} else if (g != NULL) {
		g->unknown = true; /* it may have had fewer: no bound at all */
		kc_flag(KC_F_UNKNOWN_GRAPH, "cuGraphNodeSetEnabled");
	}
	pthread_mutex_unlock(&lock);
}

void
kc_graph_launched(struct kc_graph *g, void *stream, enum kc_flavour flavour)
{
	struct kc_counter *c;
	size_t i;

	if (!kc_settings.on)
		return;
	c = kc_counter();
	if (c == NULL)
		return;
	if (kc_capturing(stream, flavour)) {
		kc_add(c, KC_CAPTURED, 1);
		return;
	}
	kc_add(c, KC_GRAPHS, 1);
	if (g == NULL) {
		kc_add(c, KC_B_UNKNOWN, 1);
		kc_counted();
		return;
	}
	kc_add(c, KC_NODES, g->kernels);
	kc_add(c, KC_MEMSET, g->memsets);
	kc_add(c, KC_MEMCPY, g->memcpys);
	if (g->cond)
		kc_add(c, KC_B_COND, 1);
	if (g->unknown)
		kc_add(c, KC_B_UNKNOWN, 1);
	if (g->device)
		kc_add(c, KC_B_DEVICE, 1);
	for (i = 0; i < g->ntally; i++)
		kc_add_kernel(c, g->tally[i].kernel, g->tally[i].n);
	kc_counted();
}

/* ---- captures -------------------------------------------------------- */

/*
 * The streams on which a capture began and has not ended, so that no launch
 * has to ask about its stream while nothing is recorded. A stream destroyed in
 * capture stays in the list, which costs a question a launch and no truth.
 */
struct capture {
	void *stream;
	pthread_t thread; /* of a thread's own default stream */
	struct capture *next;
};
static struct capture *captures;

static struct capture **
capture_of(void *stream, enum kc_flavour flavour)
{
	bool own = stream == CU_PER_THREAD ||
		   (stream == NULL && flavour == KC_PTSZ);
	struct capture **c = &captures;

	if (own)
		stream = CU_PER_THREAD;
	while (*c != NULL &&
	       ((*c)->stream != stream ||
		(own && !pthread_equal((*c)->thread, pthread_self()))))
		c = &(*c)->next;
	return c;
}

void
kc_capture_began(void *stream, enum kc_flavour flavour)
{
	struct capture **c;

	pthread_mutex_lock(&lock);
	c = capture_of(stream, flavour);
	if (*c == NULL) {
		*c = calloc(1, sizeof **c);
		if (*c != NULL) {
			(*c)->stream = stream == NULL ? CU_PER_THREAD : stream;
			(*c)->thread = pthread_self();
		} else {
			/* Then every launch asks from now on. */
			kc_slow.byte[KC_S_UNKNOWN_CAPTURE] = 1;
		}
	}
	kc_slow.byte[KC_S_CAPTURE] = 1;
	pthread_mutex_unlock(&lock);
}

void
kc_capture_ended(void *stream, enum kc_flavour flavour)
{
	struct capture **c, *gone;

	if (kc_slow.byte[KC_S_CAPTURE] == 0 || kc_capturing(stream, flavour))
		return;
	pthread_mutex_lock(&lock);
	c = capture_of(stream, flavour);
	gone = *c;
	if (gone != NULL) {
		*c = gone->next;
		free(gone);
	}
	if (captures == NULL)
		kc_slow.byte[KC_S_CAPTURE] = 0;
	pthread_mutex_unlock(&lock);
}

bool
kc_capturing(void *stream, enum kc_flavour flavour)
{
	int (*ask)(void *, int *);
	int status = CU_CAPTURE_NONE;

	if (kc_slow.byte[KC_S_CAPTURE] == 0 &&
	    kc_slow.byte[KC_S_UNKNOWN_CAPTURE] == 0)
		return false;
	/* The legacy stream cannot be captured (cuStreamBeginCapture in
	 * cuda.h), and asking about it may fail while another records. */
	if (stream == CU_LEGACY || (stream == NULL && flavour == KC_LEGACY))
		return false;
	*(void **)&ask =
		kc_driver_fn(flavour == KC_PTSZ ? KC_D_cuStreamIsCapturing_ptsz
						: KC_D_cuStreamIsCapturing);
	return ask != NULL && ask(stream, &status) == CU_OK &&
	       status != CU_CAPTURE_NONE;
}

/* ---- fork ------------------------------------------------------------ */

void
kc_graph_prepare(void)
{
	pthread_mutex_lock(&lock);
}

void
kc_graph_fork(bool child)
{
	(void)child;
	pthread_mutex_unlock(&lock);
}
