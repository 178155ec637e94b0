/*
 * exec: executable graphs. An executable graph is a copy of its template, so
 * it lives on when the template changes or goes; its nodes are named by the
 * template's. See LICENSE.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

static void
free_exec(struct exec *x)
{
	kn_graph_free(x->g);
	kn_drop(&x->o);
	free(x);
}

/* Every graph within it in an order that can be run; false if one has none. */
static bool
order_all(struct graph *g)
{
	if (!kn_graph_order(g))
		return false;
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < g->v[i]->nchild; j++)
			if (!order_all(g->v[i]->child[j]))
				return false;
	return true;
}

/* A graph for launches from the device: kernels, copies, memsets and children
 * of those only.
 */
static bool
for_device(const struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct node *n = g->v[i];

		switch (n->type) {
		case CU_GRAPH_NODE_TYPE_KERNEL:
		case CU_GRAPH_NODE_TYPE_MEMCPY:
		case CU_GRAPH_NODE_TYPE_MEMSET:
		case CU_GRAPH_NODE_TYPE_EMPTY:
			break;
		case CU_GRAPH_NODE_TYPE_GRAPH:
			if (!for_device(n->child[0]))
				return false;
			break;
		default:
			return false;
		}
	}
	return g->n != 0;
}

static CUresult
instantiate(CUgraphExec *out, CUgraph graph, uint64_t flags, int *why)
{
	CUresult rc;
	struct graph *g;
	struct exec *x;
	int unused;

	if (why == NULL)
		why = &unused;
	*why = CUDA_GRAPH_INSTANTIATE_ERROR;
	if ((rc = kn_ready()) != CUDA_SUCCESS ||
	    (rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	g = kn_get(graph, K_GRAPH);
	if (g == NULL || out == NULL || (flags & ~(uint64_t)15) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) {
		if (!for_device(g) ||
		    (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)) {
			*why = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
			return CUDA_ERROR_INVALID_VALUE;
		}
	}
	x = kn_alloc(sizeof(*x));
	x->g = kn_graph_copy_of(g, NULL);
	x->flags = flags;
	kn_new(&x->o, K_EXEC, NULL);
	if (!order_all(x->g)) {
		free_exec(x);
		*why = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
		return CUDA_ERROR_INVALID_VALUE;
	}
	*why = CUDA_GRAPH_INSTANTIATE_SUCCESS;
	*out = HANDLE(x);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
			    unsigned long long flags)
{
	GUARD;

	return instantiate(out, graph, flags, NULL);
}

/* The older forms tell of an error in words. */
API CUresult
cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *bad,
		      char *log, size_t size)
{
	CUresult rc;
	GUARD;

	rc = instantiate(out, graph, 0, NULL);
	if (bad != NULL)
		*bad = NULL;
	if (log != NULL && size != 0)
		log[0] = '\0';
	return rc;
}

API CUresult
cuGraphInstantiate(CUgraphExec *out, CUgraph graph, CUgraphNode *bad, char *log,
		   size_t size)
{
	return cuGraphInstantiate_v2(out, graph, bad, log, size);
}

API CUresult
cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
			     CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if (p == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((p->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0 &&
	    (rc = kn_stream(p->hUploadStream, &s)) != CUDA_SUCCESS)
		return rc;
	p->hErrNode_out = NULL;
	return instantiate(out, graph, p->flags, &p->result_out);
}

static CUresult
exec_of(CUgraphExec handle, struct exec **out)
{
	CUresult rc = kn_ready();

	if (rc != CUDA_SUCCESS)
		return rc;
	*out = kn_get(handle, K_EXEC);
	return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult
cuGraphExecDestroy(CUgraphExec exec)
{
	CUresult rc;
	struct exec *x;
	GUARD;

	if ((rc = exec_of(exec, &x)) != CUDA_SUCCESS)
		return rc;
	free_exec(x);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphExecGetFlags(CUgraphExec exec, unsigned long long *out)
{
	CUresult rc;
	struct exec *x;
	GUARD;

	if ((rc = exec_of(exec, &x)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = x->flags;
	return CUDA_SUCCESS;
}

/* --- running --- */

/* What the nodes do, in order. */
static void
run(struct stream *s, struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct node *n = g->v[i];
		struct event *e;
		struct copy copy;
		struct move move;
		bool shows;

		if (n->disabled)
			continue;
		switch (n->type) {
		case CU_GRAPH_NODE_TYPE_KERNEL:
			kn_count(KN_GRAPH_KERNEL, 1);
			break;
		case CU_GRAPH_NODE_TYPE_MEMCPY:
			if (kn_copy_check(&n->copy, &copy) == CUDA_SUCCESS)
				kn_copy_do(s, &copy, "a graph's copy");
			break;
		case CU_GRAPH_NODE_TYPE_MEMSET:
			kn_count(KN_MEMSET, 1);
			if (kn_memset_check(&n->set, &move, &shows) ==
				    CUDA_SUCCESS &&
			    shows)
				kn_op_move(s, &move);
			break;
		case CU_GRAPH_NODE_TYPE_HOST:
			kn_op_host(s, n->host.fn, n->host.userData);
			break;
		case CU_GRAPH_NODE_TYPE_GRAPH:
			run(s, n->child[0]);
			break;
		case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
			if ((e = kn_get(n->event, K_EVENT)) != NULL)
				kn_event_record(e, s);
			break;
		case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
			if ((e = kn_get(n->event, K_EVENT)) != NULL)
				kn_op_after(s, e->op);
			break;
		case CU_GRAPH_NODE_TYPE_CONDITIONAL:
			/* A kernel decides, and none runs: the bodies are
			 * left out, and the record says so.
			 */
			kn_record_read(0, "a conditional node");
			break;
		default:
			break;
		}
	}
}

API CUresult
cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	uint64_t start = kn_now(), ns;
	CUresult rc;
	struct exec *x;
	struct stream *s;
	struct capture *cap;
	{
		GUARD;

		if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS ||
		    (rc = exec_of(exec, &x)) != CUDA_SUCCESS)
			return rc;
		/* The driver does not record it (asked on an H200). */
		if (cap != NULL)
			return kn_may_wait(s);
		run(s, x->g);
		ns = s->o.ctx->dev->launch_ns;
	}
	/* The device works through its kernels while the host goes on; the
	 * program is held up for one launch's time.
	 */
	kn_spend(start, ns);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	CUresult rc;
	struct exec *x;
	struct stream *s;
	struct capture *cap;
	GUARD;

	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS ||
	    (rc = exec_of(exec, &x)) != CUDA_SUCCESS)
		return rc;
	return cap != NULL ? kn_may_wait(s) : CUDA_SUCCESS;
}

/* --- changing --- */

static struct node *
find(struct graph *g, uintptr_t origin)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i]->origin == origin)
			return g->v[i];
	/* A node of a child graph is named by the child's, whose copy's copy
	 * this is: the origin's origin is the name. */
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < g->v[i]->nchild; j++) {
			struct node *n = find(g->v[i]->child[j], origin);

			if (n != NULL)
				return n;
		}
	return NULL;
}

static CUresult
node_of(CUgraphExec exec, CUgraphNode node, struct node **out)
{
	CUresult rc;
	struct exec *x;

	if ((rc = exec_of(exec, &x)) != CUDA_SUCCESS)
		return rc;
	*out = find(x->g, (uintptr_t)node);
	return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
change(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *p)
{
	CUresult rc;
	struct node *n;

	if ((rc = node_of(exec, node, &n)) != CUDA_SUCCESS)
		return rc;
	if (n->type != p->type)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = kn_node_check(p)) != CUDA_SUCCESS)
		return rc;
	kn_node_put(n, p);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
			 CUgraphNodeParams *p)
{
	GUARD;

	if (p == NULL || p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL ||
	    p->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return CUDA_ERROR_INVALID_VALUE;
	return change(exec, node, p);
}

API CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
			       const CUDA_KERNEL_NODE_PARAMS *k)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	GUARD;

	if (k == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&p.u.kernel, k, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
	return change(exec, node, &p);
}

API CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
				  const CUDA_KERNEL_NODE_PARAMS *k)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	GUARD;

	if (k == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.kernel = *k;
	return change(exec, node, &p);
}

API CUresult
cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
			       const CUDA_MEMCPY3D *c, CUcontext ctx)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	GUARD;

	(void)ctx;
	if (c == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.memcpy.copyParams = *c;
	return change(exec, node, &p);
}

API CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
			       const CUDA_MEMSET_NODE_PARAMS *m, CUcontext ctx)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
	GUARD;

	if (m == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&p.u.memset, m, offsetof(CUDA_MEMSET_NODE_PARAMS, ctx));
	p.u.memset.ctx = ctx;
	return change(exec, node, &p);
}

API CUresult
cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
			     const CUDA_HOST_NODE_PARAMS *h)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST};
	GUARD;

	if (h == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.host = *h;
	return change(exec, node, &p);
}

API CUresult
cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
				   CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
	GUARD;

	p.u.event.event = event;
	return change(exec, node, &p);
}

API CUresult
cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
				 CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT};
	GUARD;

	p.u.event.event = event;
	return change(exec, node, &p);
}

/* Compare two graphs node by node, in the order they were made. */
static int
differs(const struct graph *a, const struct graph *b, struct node **in_a,
	struct node **in_b)
{
	*in_a = *in_b = NULL;
	if (a->n != b->n)
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	for (size_t i = 0; i < a->n; i++) {
		struct node *x = a->v[i], *y = b->v[i];

		*in_a = x;
		*in_b = y;
		if (x->type != y->type)
			return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
		if (x->ndep != y->ndep)
			return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		for (size_t j = 0; j < x->ndep; j++) {
			size_t k = 0;

			while (k < y->ndep &&
			       y->dep[k]->index != x->dep[j]->index)
				k++;
			if (k == y->ndep)
				return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		}
		if (x->nchild != y->nchild)
			return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
		for (size_t j = 0; j < x->nchild; j++) {
			int why = differs(x->child[j], y->child[j], in_a, in_b);

			if (why != CU_GRAPH_EXEC_UPDATE_SUCCESS)
				return why;
		}
	}
	*in_a = *in_b = NULL;
	return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static void
take_all(struct graph *to, const struct graph *from)
{
	for (size_t i = 0; i < to->n; i++) {
		if (to->v[i]->nchild == 0) {
			kn_node_take(to->v[i], from->v[i]);
			continue;
		}
		for (size_t j = 0; j < to->v[i]->nchild; j++)
			take_all(to->v[i]->child[j], from->v[i]->child[j]);
	}
}

static CUresult
update(CUgraphExec exec, CUgraph graph, CUgraphNode *bad, CUgraphNode *from,
       int *why)
{
	CUresult rc;
	struct exec *x;
	struct graph *g, *fresh;
	struct node *a = NULL, *b = NULL;

	if ((rc = exec_of(exec, &x)) != CUDA_SUCCESS)
		return rc;
	g = kn_get(graph, K_GRAPH);
	if (g == NULL || why == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	/* Both in the order in which they would run. */
	fresh = kn_graph_copy_of(g, NULL);
	if (!order_all(fresh))
		*why = CU_GRAPH_EXEC_UPDATE_ERROR;
	else
		*why = differs(x->g, fresh, &a, &b);
	if (bad != NULL)
		*bad = b != NULL ? (CUgraphNode)b->origin : NULL;
	if (from != NULL)
		*from = a != NULL ? (CUgraphNode)a->origin : NULL;
	if (*why == CU_GRAPH_EXEC_UPDATE_SUCCESS)
		take_all(x->g, fresh);
	kn_graph_free(fresh);
	return *why == CU_GRAPH_EXEC_UPDATE_SUCCESS
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

API CUresult
cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *bad, int *why)
{
	GUARD;

	return update(exec, graph, bad, NULL, why);
}

API CUresult
cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
		     CUgraphExecUpdateResultInfo *info)
{
	GUARD;

	if (info == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return update(exec, graph, &info->errorNode, &info->errorFromNode,
		      &info->result);
}

API CUresult
cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
				   CUgraph graph)
{
	CUresult rc;
	struct node *n, *a, *b;
	struct graph *g, *fresh;
	int why;
	GUARD;

	if ((rc = node_of(exec, node, &n)) != CUDA_SUCCESS)
		return rc;
	g = kn_get(graph, K_GRAPH);
	if (g == NULL || n->type != CU_GRAPH_NODE_TYPE_GRAPH)
		return CUDA_ERROR_INVALID_VALUE;
	fresh = kn_graph_copy_of(g, NULL);
	why = order_all(fresh) ? differs(n->child[0], fresh, &a, &b)
			       : CU_GRAPH_EXEC_UPDATE_ERROR;
	if (why == CU_GRAPH_EXEC_UPDATE_SUCCESS)
		take_all(n->child[0], fresh);
	kn_graph_free(fresh);
	return why == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
						   : CUDA_ERROR_INVALID_VALUE;
}

/* Kernels, memsets and copies can be switched off. */
static bool
can_disable(const struct node *n)
{
	return n->type == CU_GRAPH_NODE_TYPE_KERNEL ||
	       n->type == CU_GRAPH_NODE_TYPE_MEMCPY ||
	       n->type == CU_GRAPH_NODE_TYPE_MEMSET;
}

API CUresult
cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int on)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = node_of(exec, node, &n)) != CUDA_SUCCESS)
		return rc;
	if (!can_disable(n))
		return CUDA_ERROR_INVALID_VALUE;
	n->disabled = on == 0;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = node_of(exec, node, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || !can_disable(n))
		return CUDA_ERROR_INVALID_VALUE;
	*out = !n->disabled;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphLaunch_ptsz(CUgraphExec exec, CUstream s)
{
	return cuGraphLaunch(exec, PTS(s));
}

API CUresult
cuGraphUpload_ptsz(CUgraphExec exec, CUstream s)
{
	return cuGraphUpload(exec, PTS(s));
}

API CUresult
cuGraphInstantiateWithParams_ptsz(CUgraphExec *out, CUgraph graph,
				  CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	CUresult rc;
	CUstream given;

	if (p == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	given = p->hUploadStream;
	p->hUploadStream = PTS(given);
	rc = cuGraphInstantiateWithParams(out, graph, p);
	p->hUploadStream = given;
	return rc;
}
