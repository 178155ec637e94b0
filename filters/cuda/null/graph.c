/* graph: graphs, their nodes and edges. See LICENSE. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* --- making and unmaking --- */

struct graph *
kn_graph_new(void)
{
	struct graph *g = kn_alloc(sizeof(*g));

	kn_new(&g->o, K_GRAPH, NULL);
	return g;
}

/* node and graph free each other: a node's children go with it. */
static void
free_node(struct node *n)
{
	for (size_t i = 0; i < n->nchild; i++)
		if (n->child[i] != NULL)
			kn_graph_free(n->child[i]);
	free(n->child);
	free(n->bodies);
	free(n->attr);
	free(n->param_copy);
	free(n->param_bytes);
	free(n->dep);
	kn_drop(&n->o);
	free(n);
}

void
kn_graph_free(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		free_node(g->v[i]);
	free(g->v);
	kn_drop(&g->o);
	free(g);
}

CUgraph
kn_graph_handle(const struct graph *g)
{
	return HANDLE(g);
}

CUgraphNode
kn_node_handle(const struct node *n)
{
	return HANDLE(n);
}

struct node *
kn_node_new(struct graph *g, int type, struct node **dep, size_t ndep)
{
	struct node *n = kn_alloc(sizeof(*n));

	kn_new(&n->o, K_NODE, NULL);
	n->g = g;
	n->type = type;
	n->index = g->n;
	if (ndep != 0) {
		n->dep = kn_grow(NULL, &n->cdep, ndep, sizeof(*n->dep));
		memcpy(n->dep, dep, ndep * sizeof(*dep));
		n->ndep = ndep;
	}
	g->v = kn_grow(g->v, &g->cap, g->n + 1, sizeof(*g->v));
	g->v[g->n++] = n;
	return n;
}

/* --- looking nodes up --- */

static struct node *
node_in(const struct graph *g, CUgraphNode handle)
{
	struct node *n = kn_get(handle, K_NODE);

	return n != NULL && n->g == g ? n : NULL;
}

/* The nodes of a list of handles; all the graph's, none twice. The list is
 * the caller's to free.
 */
CUresult
kn_graph_deps(const struct graph *g, const CUgraphNode *deps, size_t n,
	      struct node ***out)
{
	*out = NULL;
	if (n == 0)
		return CUDA_SUCCESS;
	if (deps == NULL || n > g->n)
		return CUDA_ERROR_INVALID_VALUE;
	*out = kn_alloc(n * sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		(*out)[i] = node_in(g, deps[i]);
		for (size_t j = 0; j < i; j++)
			if ((*out)[j] == (*out)[i])
				(*out)[i] = NULL;
		if ((*out)[i] == NULL) {
			free(*out);
			*out = NULL;
			return CUDA_ERROR_INVALID_VALUE;
		}
	}
	return CUDA_SUCCESS;
}

static void
number_nodes(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->v[i]->index = i;
}

/* Whether every node of want is one of, or comes before one of, from. */
bool
kn_graph_reaches(struct graph *g, struct node **from, size_t nfrom,
		 struct node **want, size_t nwant)
{
	struct node **todo;
	size_t n = 0;
	bool *seen, all = true;

	number_nodes(g);
	seen = kn_alloc(g->n * sizeof(*seen));
	todo = kn_alloc(g->n * sizeof(*todo));
	for (size_t i = 0; i < nfrom; i++)
		if (!seen[from[i]->index]) {
			seen[from[i]->index] = true;
			todo[n++] = from[i];
		}
	while (n != 0) {
		struct node *x = todo[--n];

		for (size_t i = 0; i < x->ndep; i++)
			if (!seen[x->dep[i]->index]) {
				seen[x->dep[i]->index] = true;
				todo[n++] = x->dep[i];
			}
	}
	for (size_t i = 0; i < nwant && all; i++)
		all = seen[want[i]->index];
	free(seen);
	free(todo);
	return all;
}

/* Put the nodes in an order in which each comes after those it depends on.
 * Returns false if there is none: the edges make a circle.
 */
bool
kn_graph_order(struct graph *g)
{
	struct node **out = kn_alloc(g->n * sizeof(*out));
	bool *done, moved = true;
	size_t n = 0;

	number_nodes(g);
	done = kn_alloc(g->n * sizeof(*done));
	while (moved && n < g->n) {
		moved = false;
		for (size_t i = 0; i < g->n; i++) {
			bool ready = !done[i];

			for (size_t j = 0; ready && j < g->v[i]->ndep; j++)
				ready = done[g->v[i]->dep[j]->index];
			if (!ready)
				continue;
			done[i] = moved = true;
			out[n++] = g->v[i];
		}
	}
	free(done);
	if (n == g->n && n != 0)
		memcpy(g->v, out, n * sizeof(*out));
	free(out);
	number_nodes(g);
	return n == g->n;
}

/* A copy, node for node in the same order; each remembers the one it is of. */
struct graph *
kn_graph_copy_of(const struct graph *g, struct node *parent)
{
	struct graph *c = kn_graph_new();

	number_nodes((struct graph *)(uintptr_t)g);
	c->parent = parent;
	c->origin = g->o.handle;
	for (size_t i = 0; i < g->n; i++) {
		struct node *n = kn_node_new(c, g->v[i]->type, NULL, 0);

		n->origin = g->v[i]->o.handle;
		kn_node_take(n, g->v[i]);
	}
	for (size_t i = 0; i < g->n; i++) {
		struct node *n = c->v[i];

		n->ndep = g->v[i]->ndep;
		n->dep = kn_grow(NULL, &n->cdep, n->ndep, sizeof(*n->dep));
		for (size_t j = 0; j < n->ndep; j++)
			n->dep[j] = c->v[g->v[i]->dep[j]->index];
	}
	return c;
}

/* --- the calls --- */

static CUresult
graph_of(CUgraph handle, struct graph **out)
{
	CUresult rc = kn_ready();

	if (rc != CUDA_SUCCESS)
		return rc;
	*out = kn_get(handle, K_GRAPH);
	return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
node_of(CUgraphNode handle, struct node **out)
{
	CUresult rc = kn_ready();

	if (rc != CUDA_SUCCESS)
		return rc;
	*out = kn_get(handle, K_NODE);
	return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult
cuGraphCreate(CUgraph *out, unsigned int flags)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(kn_graph_new());
	return CUDA_SUCCESS;
}

API CUresult
cuGraphDestroy(CUgraph graph)
{
	CUresult rc;
	struct graph *g;
	GUARD;

	if ((rc = graph_of(graph, &g)) != CUDA_SUCCESS)
		return rc;
	if (kn_capture_uses(g))
		return CUDA_ERROR_ILLEGAL_STATE;
	/* A child belongs to its node. */
	if (g->parent != NULL)
		return CUDA_ERROR_INVALID_VALUE;
	kn_graph_free(g);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphClone(CUgraph *out, CUgraph original)
{
	CUresult rc;
	struct graph *g;
	GUARD;

	if ((rc = graph_of(original, &g)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(kn_graph_copy_of(g, NULL));
	return CUDA_SUCCESS;
}

static struct node *
find_origin(struct graph *g, uintptr_t origin)
{
	for (size_t i = 0; i < g->n; i++) {
		struct node *n = g->v[i];

		if (n->origin == origin)
			return n;
		for (size_t j = 0; j < n->nchild; j++) {
			struct node *in = find_origin(n->child[j], origin);

			if (in != NULL)
				return in;
		}
	}
	return NULL;
}

API CUresult
cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone)
{
	CUresult rc;
	struct graph *g;
	struct node *n;
	GUARD;

	if ((rc = graph_of(clone, &g)) != CUDA_SUCCESS)
		return rc;
	n = find_origin(g, (uintptr_t)original);
	if (out == NULL || n == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(n);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphNodeGetType(CUgraphNode node, int *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = node_of(node, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->type;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphDestroyNode(CUgraphNode node)
{
	CUresult rc;
	struct node *n;
	struct graph *g;
	size_t at = 0;
	GUARD;

	if ((rc = node_of(node, &n)) != CUDA_SUCCESS)
		return rc;
	g = n->g;
	/* A capture may depend on it: refused rather than left dangling. */
	if (kn_capture_uses(g))
		return CUDA_ERROR_NOT_SUPPORTED;
	for (size_t i = 0; i < g->n; i++) {
		struct node *x = g->v[i];
		size_t k = 0;

		if (x == n)
			at = i;
		for (size_t j = 0; j < x->ndep; j++)
			if (x->dep[j] != n)
				x->dep[k++] = x->dep[j];
		x->ndep = k;
	}
	memmove(&g->v[at], &g->v[at + 1], (g->n - at - 1) * sizeof(*g->v));
	g->n--;
	free_node(n);
	return CUDA_SUCCESS;
}

/* Hand out a list of nodes: how many, or as many as there is room for, the
 * rest of the room cleared.
 */
static CUresult
give(struct node **v, size_t n, CUgraphNode *out, size_t *room)
{
	if (room == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (out != NULL) {
		for (size_t i = 0; i < *room; i++)
			out[i] = i < n ? HANDLE(v[i]) : NULL;
		if (n > *room)
			n = *room;
	}
	*room = n;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphGetNodes(CUgraph graph, CUgraphNode *out, size_t *n)
{
	CUresult rc;
	struct graph *g;
	GUARD;

	if ((rc = graph_of(graph, &g)) != CUDA_SUCCESS)
		return rc;
	return give(g->v, g->n, out, n);
}

API CUresult
cuGraphGetRootNodes(CUgraph graph, CUgraphNode *out, size_t *n)
{
	CUresult rc;
	struct graph *g;
	struct node **v;
	size_t k = 0;
	GUARD;

	if ((rc = graph_of(graph, &g)) != CUDA_SUCCESS)
		return rc;
	v = kn_alloc(g->n * sizeof(*v));
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i]->ndep == 0)
			v[k++] = g->v[i];
	rc = give(v, k, out, n);
	free(v);
	return rc;
}

static void
plain_edges(CUgraphEdgeData *out, size_t n)
{
	if (out != NULL)
		memset(out, 0, n * sizeof(*out));
}

API CUresult
cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *out, size_t *n)
{
	CUresult rc;
	struct node *x;
	GUARD;

	if ((rc = node_of(node, &x)) != CUDA_SUCCESS)
		return rc;
	return give(x->dep, x->ndep, out, n);
}

API CUresult
cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *out,
			      CUgraphEdgeData *edges, size_t *n)
{
	CUresult rc = cuGraphNodeGetDependencies(node, out, n);

	if (rc == CUDA_SUCCESS)
		plain_edges(edges, *n);
	return rc;
}

API CUresult
cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *out, size_t *n)
{
	CUresult rc;
	struct node *x, **v;
	struct graph *g;
	size_t k = 0;
	GUARD;

	if ((rc = node_of(node, &x)) != CUDA_SUCCESS)
		return rc;
	g = x->g;
	v = kn_alloc(g->n * sizeof(*v));
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < g->v[i]->ndep; j++)
			if (g->v[i]->dep[j] == x)
				v[k++] = g->v[i];
	rc = give(v, k, out, n);
	free(v);
	return rc;
}

API CUresult
cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *out,
				CUgraphEdgeData *edges, size_t *n)
{
	CUresult rc = cuGraphNodeGetDependentNodes(node, out, n);

	if (rc == CUDA_SUCCESS)
		plain_edges(edges, *n);
	return rc;
}

API CUresult
cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
	CUresult rc;
	struct graph *g;
	size_t k = 0;
	GUARD;

	if ((rc = graph_of(graph, &g)) != CUDA_SUCCESS)
		return rc;
	if (n == NULL || (from == NULL) != (to == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < g->v[i]->ndep; j++, k++)
			if (from != NULL && k < *n) {
				from[k] = HANDLE(g->v[i]->dep[j]);
				to[k] = HANDLE(g->v[i]);
			}
	if (from != NULL) {
		for (size_t i = k; i < *n; i++)
			from[i] = to[i] = NULL;
		if (k > *n)
			k = *n;
	}
	*n = k;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
		   CUgraphEdgeData *edges, size_t *n)
{
	CUresult rc = cuGraphGetEdges(graph, from, to, n);

	if (rc == CUDA_SUCCESS)
		plain_edges(edges, *n);
	return rc;
}

static bool
has_edge(const struct node *from, const struct node *to)
{
	for (size_t i = 0; i < to->ndep; i++)
		if (to->dep[i] == from)
			return true;
	return false;
}

static CUresult
edit_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
	   size_t n, bool add)
{
	CUresult rc;
	struct graph *g;

	if ((rc = graph_of(graph, &g)) != CUDA_SUCCESS)
		return rc;
	if (n != 0 && (from == NULL || to == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n; i++) {
		struct node *a = node_in(g, from[i]), *b = node_in(g, to[i]);

		if (a == NULL || b == NULL || a == b || has_edge(a, b) == add)
			return CUDA_ERROR_INVALID_VALUE;
	}
	for (size_t i = 0; i < n; i++) {
		struct node *a = node_in(g, from[i]), *b = node_in(g, to[i]);
		size_t k = 0;

		if (add) {
			b->dep = kn_grow(b->dep, &b->cdep, b->ndep + 1,
					 sizeof(*b->dep));
			b->dep[b->ndep++] = a;
			continue;
		}
		for (size_t j = 0; j < b->ndep; j++)
			if (b->dep[j] != a)
				b->dep[k++] = b->dep[j];
		b->ndep = k;
	}
	return CUDA_SUCCESS;
}

API CUresult
cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
		       const CUgraphNode *to, size_t n)
{
	GUARD;

	return edit_edges(graph, from, to, n, true);
}

API CUresult
cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
			  const CUgraphNode *to, const CUgraphEdgeData *edges,
			  size_t n)
{
	GUARD;

	(void)edges;
	return edit_edges(graph, from, to, n, true);
}

API CUresult
cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
			  const CUgraphNode *to, size_t n)
{
	GUARD;

	return edit_edges(graph, from, to, n, false);
}

API CUresult
cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
			     const CUgraphNode *to,
			     const CUgraphEdgeData *edges, size_t n)
{
	GUARD;

	(void)edges;
	return edit_edges(graph, from, to, n, false);
}

API CUresult
cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = node_of(node, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || n->type != CU_GRAPH_NODE_TYPE_GRAPH)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(n->child[0]);
	return CUDA_SUCCESS;
}
