/* node: what the nodes of a graph hold. See LICENSE. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "image.h"

/* The parameters of a kernel whose sizes nobody knows are read here. */
static char unknown[32768];

static const struct entry *
entry_of(const CUDA_KERNEL_NODE_PARAMS *p)
{
	const void *h = p->func != NULL ? (void *)p->func : (void *)p->kern;
	const struct func *f = kn_get(h, K_FUNC);
	const struct kern *k = kn_get(h, K_KERN);

	return f != NULL ? f->entry : k != NULL ? k->entry : NULL;
}

/* Keep a parameter buffer: `extra` is a list of marks and values that ends
 * with CU_LAUNCH_PARAM_END.
 */
static void
own_buffer(struct node *n)
{
	void **x = n->kernel.extra, *from = NULL;
	size_t size = 0;

	for (; *x != CU_LAUNCH_PARAM_END; x += 2) {
		if (*x == CU_LAUNCH_PARAM_BUFFER_POINTER)
			from = x[1];
		else if (*x == CU_LAUNCH_PARAM_BUFFER_SIZE)
			size = *(size_t *)x[1];
	}
	n->param_copy = kn_alloc(5 * sizeof(void *));
	n->param_bytes = kn_alloc(sizeof(size) + size);
	memcpy(n->param_bytes, &size, sizeof(size));
	if (from != NULL)
		memcpy(n->param_bytes + sizeof(size), from, size);
	n->param_copy[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
	n->param_copy[1] = n->param_bytes + sizeof(size);
	n->param_copy[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
	n->param_copy[3] = n->param_bytes;
	n->param_copy[4] = CU_LAUNCH_PARAM_END;
	n->kernel.extra = n->param_copy;
}

/* The node keeps its kernel's parameters itself: the caller's are gone when
 * the call returns. Where the image tells their sizes they are copied; where
 * it does not (the null NVRTC's), each reads as zeros.
 */
static void
own_params(struct node *n)
{
	const struct entry *e = entry_of(&n->kernel);
	void **from = n->kernel.kernelParams;
	size_t size = 0;

	if (n->kernel.extra != NULL) {
		own_buffer(n);
		return;
	}
	n->kernel.kernelParams = NULL;
	if (from == NULL || e == NULL || e->unknown)
		return;
	for (size_t i = 0; e->param != NULL && i < e->nparams; i++)
		size += (e->param[i].size + 15) & ~(size_t)15;
	n->param_copy = kn_alloc((e->nparams + 1) * sizeof(void *));
	n->param_bytes = kn_alloc(size);
	size = 0;
	for (size_t i = 0; i < e->nparams; i++) {
		if (e->param == NULL) {
			n->param_copy[i] = unknown;
			continue;
		}
		n->param_copy[i] = n->param_bytes + size;
		memcpy(n->param_copy[i], from[i], e->param[i].size);
		size += (e->param[i].size + 15) & ~(size_t)15;
	}
	n->kernel.kernelParams = n->param_copy;
}

static struct launch
launch_of(const CUDA_KERNEL_NODE_PARAMS *p)
{
	return (struct launch){
		.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
		.block = {p->blockDimX, p->blockDimY, p->blockDimZ},
		.smem = p->sharedMemBytes,
		.params = p->kernelParams,
		.extra = p->extra,
	};
}

/* Whether a node could hold such parameters. */
CUresult
kn_node_check(const CUgraphNodeParams *p)
{
	struct launch l;
	struct func *f;
	struct copy copy;
	struct move move;
	struct ctx *c;
	CUresult rc;
	bool shows;

	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		c = kn_ctx(&rc);
		if (c == NULL)
			return rc;
		rc = kn_func(p->u.kernel.func, p->u.kernel.kern, &f);
		if (rc != CUDA_SUCCESS)
			return rc;
		l = launch_of(&p->u.kernel);
		return kn_launch_check(f, &l);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return kn_copy_check(&p->u.memcpy.copyParams, &copy);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		if (p->u.memset.width == 0 || p->u.memset.height == 0)
			return CUDA_ERROR_INVALID_VALUE;
		return kn_memset_check(&p->u.memset, &move, &shows);
	case CU_GRAPH_NODE_TYPE_HOST:
		return p->u.host.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return kn_get(p->u.graph.graph, K_GRAPH)
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return kn_get(p->u.event.event, K_EVENT)
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return p->u.alloc.bytesize != 0 ? CUDA_SUCCESS
						: CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return kn_range(p->u.free.dptr, 1, &shows);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		if (p->u.conditional.type < CU_GRAPH_COND_TYPE_IF ||
		    p->u.conditional.type > CU_GRAPH_COND_TYPE_SWITCH ||
		    p->u.conditional.size == 0 || p->u.conditional.size > 1024)
			return CUDA_ERROR_INVALID_VALUE;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* Put checked parameters into a node. A child graph is copied; a node that
 * has children keeps them.
 */
void
kn_node_put(struct node *n, const CUgraphNodeParams *p)
{
	void **copy;
	char *bytes;

	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		/* The new parameters may be the node's own old ones. */
		copy = n->param_copy;
		bytes = n->param_bytes;
		n->param_copy = NULL;
		n->param_bytes = NULL;
		n->kernel = p->u.kernel;
		own_params(n);
		free(copy);
		free(bytes);
		break;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		n->copy = p->u.memcpy.copyParams;
		break;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		n->set = p->u.memset;
		break;
	case CU_GRAPH_NODE_TYPE_HOST:
		n->host = p->u.host;
		break;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		if (n->nchild == 0)
			n->child = kn_alloc(sizeof(*n->child));
		else
			kn_graph_free(n->child[0]);
		n->nchild = 1;
		n->child[0] =
			kn_graph_copy_of(kn_get(p->u.graph.graph, K_GRAPH), n);
		break;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		n->event = p->u.event.event;
		break;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		n->alloc = p->u.alloc;
		break;
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		n->ptr = p->u.free.dptr;
		break;
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		n->cond = p->u.conditional;
		n->nchild = n->cond.size;
		n->child = kn_alloc(n->nchild * sizeof(*n->child));
		for (size_t i = 0; i < n->nchild; i++) {
			n->child[i] = kn_graph_new();
			n->child[i]->parent = n;
		}
		break;
	default:
		break;
	}
}

/* Give a node what another of its type holds; dst has no children yet, or
 * those of the same kind.
 */
void
kn_node_take(struct node *dst, const struct node *src)
{
	free(dst->param_copy);
	free(dst->param_bytes);
	free(dst->attr);
	dst->param_copy = NULL;
	dst->param_bytes = NULL;
	dst->kernel = src->kernel;
	if (src->type == CU_GRAPH_NODE_TYPE_KERNEL)
		own_params(dst);
	dst->copy = src->copy;
	dst->set = src->set;
	dst->host = src->host;
	dst->event = src->event;
	dst->alloc = src->alloc;
	dst->ptr = src->ptr;
	dst->cond = src->cond;
	dst->attr = NULL;
	dst->nattr = dst->cattr = 0;
	if (src->nattr != 0) {
		dst->attr = kn_grow(NULL, &dst->cattr, src->nattr,
				    sizeof(*dst->attr));
		memcpy(dst->attr, src->attr, src->nattr * sizeof(*src->attr));
		dst->nattr = src->nattr;
	}
	for (size_t i = 0; i < dst->nchild; i++)
		kn_graph_free(dst->child[i]);
	free(dst->child);
	dst->nchild = src->nchild;
	dst->child = NULL;
	if (src->nchild != 0)
		dst->child = kn_alloc(src->nchild * sizeof(*dst->child));
	for (size_t i = 0; i < src->nchild; i++)
		dst->child[i] = kn_graph_copy_of(src->child[i], dst);
}

/* --- nodes that a capture records --- */

struct node *
kn_graph_kernel(struct capture *cap, struct stream *s, struct func *f,
		const struct launch *l)
{
	struct node *n = kn_node_new(cap->graph, CU_GRAPH_NODE_TYPE_KERNEL,
				     s->dep, s->ndep);
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

	p.u.kernel = (CUDA_KERNEL_NODE_PARAMS){
		.func = HANDLE(f),
		.gridDimX = l->grid[0],
		.gridDimY = l->grid[1],
		.gridDimZ = l->grid[2],
		.blockDimX = l->block[0],
		.blockDimY = l->block[1],
		.blockDimZ = l->block[2],
		.sharedMemBytes = l->smem,
		.kernelParams = l->params,
		.extra = l->extra,
		.ctx = HANDLE(f->o.ctx),
	};
	kn_node_put(n, &p);
	return n;
}

struct node *
kn_graph_copy(struct capture *cap, struct stream *s, const CUDA_MEMCPY3D *c)
{
	struct node *n = kn_node_new(cap->graph, CU_GRAPH_NODE_TYPE_MEMCPY,
				     s->dep, s->ndep);

	n->copy = *c;
	return n;
}

struct node *
kn_graph_memset(struct capture *cap, struct stream *s,
		const CUDA_MEMSET_NODE_PARAMS *m)
{
	struct node *n = kn_node_new(cap->graph, CU_GRAPH_NODE_TYPE_MEMSET,
				     s->dep, s->ndep);

	n->set = *m;
	return n;
}

struct node *
kn_graph_host(struct capture *cap, struct stream *s, CUhostFn fn, void *data)
{
	struct node *n = kn_node_new(cap->graph, CU_GRAPH_NODE_TYPE_HOST,
				     s->dep, s->ndep);

	n->host.fn = fn;
	n->host.userData = data;
	return n;
}

struct node *
kn_graph_simple(struct capture *cap, struct stream *s, int type,
		struct event *e, CUdeviceptr p, uint64_t size)
{
	struct node *n = kn_node_new(cap->graph, type, s->dep, s->ndep);

	n->event = e != NULL ? HANDLE(e) : NULL;
	n->ptr = n->alloc.dptr = p;
	n->alloc.bytesize = size;
	return n;
}

/* --- adding nodes --- */

static CUresult
add(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps, size_t ndeps,
    CUgraphNodeParams *p)
{
	CUresult rc;
	struct graph *g;
	struct node **dep, *n;
	struct ctx *c = NULL;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	g = kn_get(graph, K_GRAPH);
	if (g == NULL || out == NULL || p == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = kn_node_check(p)) != CUDA_SUCCESS)
		return rc;
	if (p->type == CU_GRAPH_NODE_TYPE_GRAPH &&
	    kn_get(p->u.graph.graph, K_GRAPH) == g)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
		if ((c = kn_ctx(&rc)) == NULL ||
		    (rc = kn_take(c->dev, c, NULL, p->u.alloc.bytesize,
				  &p->u.alloc.dptr)) != CUDA_SUCCESS)
			return rc;
	}
	if ((rc = kn_graph_deps(g, deps, ndeps, &dep)) != CUDA_SUCCESS) {
		if (c != NULL)
			kn_release(p->u.alloc.dptr);
		return rc;
	}
	n = kn_node_new(g, p->type, dep, ndeps);
	free(dep);
	kn_node_put(n, p);
	if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
		/* The list of the bodies is the node's, for good. */
		n->bodies = kn_alloc(n->nchild * sizeof(*n->bodies));
		for (size_t i = 0; i < n->nchild; i++)
			n->bodies[i] = HANDLE(n->child[i]);
		p->u.conditional.phGraph_out = n->bodies;
		n->cond.phGraph_out = n->bodies;
	}
	*out = HANDLE(n);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
	       size_t n, CUgraphNodeParams *p)
{
	GUARD;

	return add(out, graph, deps, n, p);
}

API CUresult
cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		  const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *p)
{
	GUARD;

	(void)edges;
	return add(out, graph, deps, n, p);
}

/* The first form of a kernel node's parameters has no kern and no ctx. */
static CUDA_KERNEL_NODE_PARAMS
first_form(const CUDA_KERNEL_NODE_PARAMS *p)
{
	CUDA_KERNEL_NODE_PARAMS out = {0};

	memcpy(&out, p, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
	return out;
}

API CUresult
cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		     size_t n, const CUDA_KERNEL_NODE_PARAMS *k)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	GUARD;

	if (k == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.kernel = first_form(k);
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph,
			const CUgraphNode *deps, size_t n,
			const CUDA_KERNEL_NODE_PARAMS *k)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	GUARD;

	if (k == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.kernel = *k;
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		     size_t n, const CUDA_MEMCPY3D *c, CUcontext ctx)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	GUARD;

	if (c == NULL || (ctx != NULL && kn_get(ctx, K_CTX) == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	p.u.memcpy.copyCtx = ctx;
	p.u.memcpy.copyParams = *c;
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		     size_t n, const CUDA_MEMSET_NODE_PARAMS *m, CUcontext ctx)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
	GUARD;

	if (m == NULL || (ctx != NULL && kn_get(ctx, K_CTX) == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&p.u.memset, m, offsetof(CUDA_MEMSET_NODE_PARAMS, ctx));
	p.u.memset.ctx = ctx;
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		   size_t n, const CUDA_HOST_NODE_PARAMS *h)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST};
	GUARD;

	if (h == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.host = *h;
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph,
			 const CUgraphNode *deps, size_t n, CUgraph child)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
	GUARD;

	p.u.graph.graph = child;
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		    size_t n)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
	GUARD;

	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph,
			  const CUgraphNode *deps, size_t n, CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
	GUARD;

	p.u.event.event = event;
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph,
			const CUgraphNode *deps, size_t n, CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT};
	GUARD;

	p.u.event.event = event;
	return add(out, graph, deps, n, &p);
}

API CUresult
cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		       size_t n, CUDA_MEM_ALLOC_NODE_PARAMS *a)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
	CUresult rc;
	GUARD;

	if (a == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.alloc = *a;
	if ((rc = add(out, graph, deps, n, &p)) == CUDA_SUCCESS)
		a->dptr = p.u.alloc.dptr;
	return rc;
}

API CUresult
cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps,
		      size_t n, CUdeviceptr ptr)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
	GUARD;

	p.u.free.dptr = ptr;
	return add(out, graph, deps, n, &p);
}

/* A handle that kernels set; nothing here looks at its value. */
API CUresult
cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out, CUgraph graph,
			       CUcontext ctx, unsigned int value,
			       unsigned int flags)
{
	static unsigned long long last;
	CUresult rc;
	GUARD;

	(void)value;
	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || kn_get(graph, K_GRAPH) == NULL || flags > 1 ||
	    (ctx != NULL && kn_get(ctx, K_CTX) == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	*out = ++last;
	return CUDA_SUCCESS;
}

/* --- reading and changing nodes --- */

static CUresult
typed(CUgraphNode handle, int type, struct node **out)
{
	CUresult rc = kn_ready();

	if (rc != CUDA_SUCCESS)
		return rc;
	*out = kn_get(handle, K_NODE);
	return *out != NULL && (*out)->type == type ? CUDA_SUCCESS
						    : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
change(CUgraphNode handle, const CUgraphNodeParams *p)
{
	CUresult rc;
	struct node *n;

	if ((rc = typed(handle, p->type, &n)) != CUDA_SUCCESS ||
	    (rc = kn_node_check(p)) != CUDA_SUCCESS)
		return rc;
	kn_node_put(n, p);
	return CUDA_SUCCESS;
}

API CUresult
cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
	GUARD;

	if (p == NULL || p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		return CUDA_ERROR_INVALID_VALUE;
	return change(node, p);
}

API CUresult
cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_KERNEL, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(out, &n->kernel, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
	return CUDA_SUCCESS;
}

API CUresult
cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_KERNEL, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->kernel;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *k)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	GUARD;

	if (k == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.kernel = first_form(k);
	return change(node, &p);
}

API CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode node,
			      const CUDA_KERNEL_NODE_PARAMS *k)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
	GUARD;

	if (k == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.kernel = *k;
	return change(node, &p);
}

API CUresult
cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_MEMCPY, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->copy;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *c)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	GUARD;

	if (c == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.memcpy.copyParams = *c;
	return change(node, &p);
}

API CUresult
cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_MEMSET, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(out, &n->set, offsetof(CUDA_MEMSET_NODE_PARAMS, ctx));
	return CUDA_SUCCESS;
}

API CUresult
cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *m)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
	GUARD;

	if (m == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&p.u.memset, m, offsetof(CUDA_MEMSET_NODE_PARAMS, ctx));
	return change(node, &p);
}

API CUresult
cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_HOST, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->host;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *h)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST};
	GUARD;

	if (h == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	p.u.host = *h;
	return change(node, &p);
}

static CUresult
get_event(CUgraphNode node, int type, CUevent *out)
{
	CUresult rc;
	struct node *n;

	if ((rc = typed(node, type, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->event;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *out)
{
	GUARD;

	return get_event(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, out);
}

API CUresult
cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *out)
{
	GUARD;

	return get_event(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, out);
}

API CUresult
cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
	GUARD;

	p.u.event.event = event;
	return change(node, &p);
}

API CUresult
cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT};
	GUARD;

	p.u.event.event = event;
	return change(node, &p);
}

API CUresult
cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	rc = typed(node, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &n);
	if (rc != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->alloc;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *out)
{
	CUresult rc;
	struct node *n;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_MEM_FREE, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->ptr;
	return CUDA_SUCCESS;
}

/* --- a kernel node's attributes --- */

static struct node_attr *
find_attr(struct node *n, int id)
{
	for (size_t i = 0; i < n->nattr; i++)
		if (n->attr[i].id == id)
			return &n->attr[i];
	return NULL;
}

API CUresult
cuGraphKernelNodeGetAttribute(CUgraphNode node, int id,
			      CUlaunchAttributeValue *out)
{
	CUresult rc;
	struct node *n;
	struct node_attr *a;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_KERNEL, &n)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || id <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	if ((a = find_attr(n, id)) != NULL)
		*out = a->value;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphKernelNodeSetAttribute(CUgraphNode node, int id,
			      const CUlaunchAttributeValue *value)
{
	CUresult rc;
	struct node *n;
	struct node_attr *a;
	GUARD;

	if ((rc = typed(node, CU_GRAPH_NODE_TYPE_KERNEL, &n)) != CUDA_SUCCESS)
		return rc;
	if (value == NULL || id <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if ((a = find_attr(n, id)) == NULL) {
		n->attr = kn_grow(n->attr, &n->cattr, n->nattr + 1,
				  sizeof(*n->attr));
		a = &n->attr[n->nattr++];
	}
	a->id = id;
	a->value = *value;
	return CUDA_SUCCESS;
}

API CUresult
cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
	CUresult rc;
	struct node *d, *s;
	GUARD;

	if ((rc = typed(dst, CU_GRAPH_NODE_TYPE_KERNEL, &d)) != CUDA_SUCCESS ||
	    (rc = typed(src, CU_GRAPH_NODE_TYPE_KERNEL, &s)) != CUDA_SUCCESS)
		return rc;
	if (d == s)
		return CUDA_SUCCESS;
	d->attr = kn_grow(d->attr, &d->cattr, s->nattr, sizeof(*d->attr));
	if (s->nattr != 0)
		memcpy(d->attr, s->attr, s->nattr * sizeof(*s->attr));
	d->nattr = s->nattr;
	return CUDA_SUCCESS;
}
