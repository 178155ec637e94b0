/*
 * capture: streams that record instead of execute. The rules are those of
 * the CUDA Driver API reference (Stream Management, "stream capture") and
 * the programming guide; tests/null/h200 asks a real driver the same.
 * See LICENSE.
 */
#include <stdlib.h>
#include <string.h>

#include "null.h"

static struct capture *captures;
static uint64_t next_id = 1;
static _Thread_local int thread_mode; /* CU_STREAM_CAPTURE_MODE_GLOBAL */

static void
add_stream(struct capture *cap, struct stream *s)
{
	cap->in = kn_grow(cap->in, &cap->cin, cap->nin + 1, sizeof(*cap->in));
	cap->in[cap->nin++] = s;
	s->cap = cap;
	s->ndep = 0;
}

/* Whether the capture forbids this thread calls that might wait for it. */
static bool
forbids(const struct capture *cap)
{
	if (cap->invalid || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
	    cap->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return false;
	if (cap->thread == kn_thread())
		return true;
	return thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
	       cap->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

/* A call that may be unsafe while streams are captured: if it is forbidden,
 * the captures that forbid it are spoilt, as the driver does.
 */
CUresult
kn_unsafe(void)
{
	CUresult rc = CUDA_SUCCESS;

	for (struct capture *cap = captures; cap != NULL; cap = cap->next)
		if (forbids(cap)) {
			cap->invalid = true;
			rc = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
		}
	return rc;
}

/* The capture of the same context that the legacy stream would depend on, as
 * it does on every stream not created as non-blocking.
 */
static struct capture *
implicit(const struct stream *legacy)
{
	for (struct capture *cap = captures; cap != NULL; cap = cap->next)
		for (size_t i = 0; i < cap->nin; i++)
			if (cap->in[i]->o.ctx == legacy->o.ctx &&
			    !(cap->in[i]->flags & CU_STREAM_NON_BLOCKING))
				return cap;
	return NULL;
}

static CUresult
enqueue_on(struct stream *s, struct capture **cap)
{
	*cap = NULL;
	if (s->what == S_LEGACY && captures != NULL) {
		struct capture *c = implicit(s);

		if (c != NULL) {
			c->invalid = true;
			return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
		}
	}
	if (s->cap == NULL) {
		kn_op_pass(s);
		return CUDA_SUCCESS;
	}
	if (s->cap->invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	*cap = s->cap;
	return CUDA_SUCCESS;
}

/* Work is given to a stream: the stream, and the capture that records the
 * work in place of doing it, or NULL.
 */
CUresult
kn_enqueue(CUstream handle, struct stream **out, struct capture **cap)
{
	CUresult rc = kn_stream(handle, out);

	if (rc != CUDA_SUCCESS)
		return rc;
	return enqueue_on(*out, cap);
}

/* A call that does its work before it returns, in the default stream. A
 * capture of a stream that is free of that one does not forbid it.
 */
CUresult
kn_sync_call(struct stream **out, CUstream handle)
{
	struct capture *cap;
	CUresult rc = kn_enqueue(handle, out, &cap);

	if (rc != CUDA_SUCCESS)
		return rc;
	if (cap != NULL) {
		cap->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	return CUDA_SUCCESS;
}

/* All that is captured in the context cannot be waited for, in any mode. */
CUresult
kn_wait_all(const struct ctx *c)
{
	CUresult rc = CUDA_SUCCESS;

	for (struct capture *cap = captures; cap != NULL; cap = cap->next)
		if (cap->origin->o.ctx == c) {
			cap->invalid = true;
			rc = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
		}
	return rc;
}

/* A kernel that a capture was to record was wrong: it is spoilt. */
CUresult
kn_spoilt(struct capture *cap, CUresult rc)
{
	if (cap != NULL && rc != CUDA_SUCCESS)
		cap->invalid = true;
	return rc;
}

/* The program asks whether the stream's work is done. */
CUresult
kn_may_wait(struct stream *s)
{
	struct capture *cap;
	CUresult rc = enqueue_on(s, &cap);

	if (rc != CUDA_SUCCESS)
		return rc;
	if (cap != NULL) {
		cap->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	return kn_unsafe();
}

/* The program asks about an event: whether that may be, as far as captures
 * go. A question whose answer it would wait for spoils the event's capture.
 */
CUresult
kn_capture_event(struct event *e, bool waits)
{
	if (e->cap == 0)
		return waits ? kn_unsafe() : CUDA_SUCCESS;
	for (struct capture *cap = captures; cap != NULL; cap = cap->next)
		if (cap->id == e->cap) {
			cap->invalid = cap->invalid || waits;
			return CUDA_ERROR_CAPTURED_EVENT;
		}
	/* Of a capture that has ended. */
	return CUDA_ERROR_INVALID_VALUE;
}

/* The capture's next node comes after n in this stream. */
void
kn_captured(struct stream *s, struct node *n)
{
	s->dep = kn_grow(s->dep, &s->cdep, 1, sizeof(*s->dep));
	s->dep[0] = n;
	s->ndep = 1;
}

static void
add_deps(struct stream *s, struct node **dep, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (j < s->ndep && s->dep[j] != dep[i])
			j++;
		if (j < s->ndep)
			continue;
		s->dep =
			kn_grow(s->dep, &s->cdep, s->ndep + 1, sizeof(*s->dep));
		s->dep[s->ndep++] = dep[i];
	}
}

static void
unlink_capture(struct capture *cap)
{
	for (struct capture **p = &captures; *p != NULL; p = &(*p)->next)
		if (*p == cap) {
			*p = cap->next;
			break;
		}
	for (size_t i = 0; i < cap->nin; i++) {
		cap->in[i]->cap = NULL;
		cap->in[i]->ndep = 0;
	}
	free(cap->in);
	free(cap);
}

/* A stream is destroyed: its capture cannot end well any more. */
void
kn_capture_drop(struct stream *s)
{
	struct capture *cap = s->cap;

	if (cap == NULL)
		return;
	if (s == cap->origin) {
		struct graph *g = cap->own ? cap->graph : NULL;

		unlink_capture(cap);
		if (g != NULL)
			kn_graph_free(g);
		return;
	}
	cap->invalid = true;
	for (size_t i = 0; i < cap->nin; i++)
		if (cap->in[i] == s)
			cap->in[i] = cap->in[--cap->nin];
	s->cap = NULL;
	s->ndep = 0;
}

/* Whether a capture writes to the graph. */
bool
kn_capture_uses(const struct graph *g)
{
	for (struct capture *cap = captures; cap != NULL; cap = cap->next)
		if (cap->graph == g)
			return true;
	return false;
}

/* --- begin and end --- */

static CUresult
begin(CUstream handle, int mode, struct graph *g, struct node **dep,
      size_t ndep)
{
	struct stream *s;
	struct capture *cap;
	CUresult rc = kn_stream(handle, &s);

	if (rc != CUDA_SUCCESS)
		return rc;
	if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
	    mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->what == S_LEGACY)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (s->cap != NULL)
		return CUDA_ERROR_ILLEGAL_STATE;
	cap = kn_alloc(sizeof(*cap));
	cap->id = next_id++;
	cap->mode = mode;
	cap->thread = kn_thread();
	cap->origin = s;
	cap->own = g == NULL;
	cap->graph = g != NULL ? g : kn_graph_new();
	cap->next = captures;
	captures = cap;
	add_stream(cap, s);
	add_deps(s, dep, ndep);
	return CUDA_SUCCESS;
}

API CUresult
cuStreamBeginCapture_v2(CUstream stream, int mode)
{
	GUARD;

	return begin(stream, mode, NULL, NULL, 0);
}

API CUresult
cuStreamBeginCapture(CUstream stream)
{
	return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

API CUresult
cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
			    const CUgraphNode *deps,
			    const CUgraphEdgeData *edges, size_t n, int mode)
{
	CUresult rc;
	struct graph *g;
	struct node **dep;
	GUARD;

	(void)edges;
	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((g = kn_get(graph, K_GRAPH)) == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (kn_capture_uses(g))
		return CUDA_ERROR_ILLEGAL_STATE;
	if ((rc = kn_graph_deps(g, deps, n, &dep)) != CUDA_SUCCESS)
		return rc;
	rc = begin(stream, mode, g, dep, n);
	free(dep);
	return rc;
}

/* Every stream that the capture spread to must have come back: what it
 * recorded last is something the origin's last work depends on.
 */
static bool
joined(const struct capture *cap)
{
	const struct stream *o = cap->origin;

	for (size_t i = 0; i < cap->nin; i++) {
		const struct stream *s = cap->in[i];

		if (s != o && !kn_graph_reaches(cap->graph, o->dep, o->ndep,
						s->dep, s->ndep))
			return false;
	}
	return true;
}

API CUresult
cuStreamEndCapture(CUstream stream, CUgraph *out)
{
	CUresult rc;
	struct stream *s;
	struct capture *cap;
	struct graph *g;
	bool own;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out != NULL)
		*out = NULL;
	cap = s->cap;
	if (cap == NULL)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (cap->origin != s) {
		cap->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	}
	/* It ends in the wrong thread too, with nothing to show for it. */
	if (cap->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
	    cap->thread != kn_thread())
		rc = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	else if (cap->invalid)
		rc = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (!joined(cap))
		rc = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	g = cap->graph;
	own = cap->own;
	unlink_capture(cap);
	if (rc == CUDA_SUCCESS && out != NULL)
		*out = kn_graph_handle(g);
	else if (own)
		kn_graph_free(g);
	return rc;
}

/* --- spreading --- */

API CUresult
cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	CUresult rc;
	struct stream *s;
	struct event *e;
	struct capture *cap, *from = NULL;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if ((e = kn_get(event, K_EVENT)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if ((flags & ~1u) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = enqueue_on(s, &cap)) != CUDA_SUCCESS)
		return rc;
	if (cap != NULL && (flags & CU_EVENT_WAIT_EXTERNAL) != 0) {
		kn_captured(s, kn_graph_simple(cap, s,
					       CU_GRAPH_NODE_TYPE_WAIT_EVENT, e,
					       0, 0));
		return CUDA_SUCCESS;
	}
	if (e->cap != 0) {
		for (from = captures; from != NULL && from->id != e->cap;)
			from = from->next;
		if (from == NULL)
			return CUDA_ERROR_INVALID_VALUE;
		if (from->invalid)
			return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	}
	if (cap == NULL && from == NULL) {
		if (e->recorded)
			kn_op_after(s, e->op);
		return CUDA_SUCCESS;
	}
	if (from == NULL && !e->recorded)
		return CUDA_SUCCESS;
	if (from == NULL) {
		/* A captured stream cannot wait for what is outside. */
		cap->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	}
	if (cap == NULL) {
		if (s->what == S_LEGACY) {
			from->invalid = true;
			return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
		}
		add_stream(from, s);
	} else if (cap != from) {
		cap->invalid = from->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_MERGE;
	}
	add_deps(s, e->dep, e->ndep);
	return CUDA_SUCCESS;
}

/* --- questions --- */

API CUresult
cuStreamIsCapturing(CUstream stream, int *out)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->what == S_LEGACY && implicit(s) != NULL)
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	*out = s->cap == NULL	 ? CU_STREAM_CAPTURE_STATUS_NONE
	       : s->cap->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
				 : CU_STREAM_CAPTURE_STATUS_ACTIVE;
	return CUDA_SUCCESS;
}

/* The answer's list of nodes is the stream's own, good until the stream is
 * used again.
 */
static CUresult
info(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
     const CUgraphNode **deps, const CUgraphEdgeData **edges, size_t *n)
{
	static _Thread_local CUgraphNode *list;
	static _Thread_local size_t list_cap;
	CUresult rc;
	struct stream *s;
	bool active;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (status == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->what == S_LEGACY && implicit(s) != NULL)
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	active = s->cap != NULL && !s->cap->invalid;
	*status = s->cap == NULL ? CU_STREAM_CAPTURE_STATUS_NONE
		  : active	 ? CU_STREAM_CAPTURE_STATUS_ACTIVE
				 : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
	if (id != NULL && active)
		*id = s->cap->id;
	if (graph != NULL && active)
		*graph = kn_graph_handle(s->cap->graph);
	if (edges != NULL && active)
		*edges = NULL;
	if (deps != NULL && active) {
		list = kn_grow(list, &list_cap, s->ndep + 1, sizeof(*list));
		for (size_t i = 0; i < s->ndep; i++)
			list[i] = kn_node_handle(s->dep[i]);
		*deps = list;
	}
	if (n != NULL && active)
		*n = s->ndep;
	return CUDA_SUCCESS;
}

API CUresult
cuStreamGetCaptureInfo(CUstream s, int *status, unsigned long long *id)
{
	GUARD;

	return info(s, status, id, NULL, NULL, NULL, NULL);
}

API CUresult
cuStreamGetCaptureInfo_v2(CUstream s, int *status, unsigned long long *id,
			  CUgraph *graph, const CUgraphNode **deps, size_t *n)
{
	GUARD;

	return info(s, status, id, graph, deps, NULL, n);
}

API CUresult
cuStreamGetCaptureInfo_v3(CUstream s, int *status, unsigned long long *id,
			  CUgraph *graph, const CUgraphNode **deps,
			  const CUgraphEdgeData **edges, size_t *n)
{
	GUARD;

	return info(s, status, id, graph, deps, edges, n);
}

static CUresult
update(CUstream stream, CUgraphNode *deps, size_t n, unsigned int flags)
{
	CUresult rc;
	struct stream *s;
	struct node **dep;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->cap == NULL)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (s->cap->invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if ((rc = kn_graph_deps(s->cap->graph, deps, n, &dep)) != CUDA_SUCCESS)
		return rc;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		s->ndep = 0;
	add_deps(s, dep, n);
	free(dep);
	return CUDA_SUCCESS;
}

API CUresult
cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *deps, size_t n,
				  unsigned int flags)
{
	GUARD;

	return update(s, deps, n, flags);
}

API CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream s, CUgraphNode *deps,
				     const CUgraphEdgeData *edges, size_t n,
				     unsigned int flags)
{
	GUARD;

	(void)edges;
	return update(s, deps, n, flags);
}

API CUresult
cuThreadExchangeStreamCaptureMode(int *mode)
{
	CUresult rc;
	int old;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (mode == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	old = thread_mode;
	thread_mode = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}

/* --- the flavours whose default stream is the thread's own --- */

API CUresult
cuStreamBeginCapture_ptsz(CUstream s)
{
	return cuStreamBeginCapture(PTS(s));
}

API CUresult
cuStreamBeginCapture_v2_ptsz(CUstream s, int mode)
{
	return cuStreamBeginCapture_v2(PTS(s), mode);
}

API CUresult
cuStreamBeginCaptureToGraph_ptsz(CUstream s, CUgraph graph,
				 const CUgraphNode *deps,
				 const CUgraphEdgeData *edges, size_t n,
				 int mode)
{
	return cuStreamBeginCaptureToGraph(PTS(s), graph, deps, edges, n, mode);
}

API CUresult
cuStreamEndCapture_ptsz(CUstream s, CUgraph *out)
{
	return cuStreamEndCapture(PTS(s), out);
}

API CUresult
cuStreamWaitEvent_ptsz(CUstream s, CUevent e, unsigned int flags)
{
	return cuStreamWaitEvent(PTS(s), e, flags);
}

API CUresult
cuStreamIsCapturing_ptsz(CUstream s, int *out)
{
	return cuStreamIsCapturing(PTS(s), out);
}

API CUresult
cuStreamGetCaptureInfo_ptsz(CUstream s, int *status, unsigned long long *id)
{
	return cuStreamGetCaptureInfo(PTS(s), status, id);
}

API CUresult
cuStreamGetCaptureInfo_v2_ptsz(CUstream s, int *status, unsigned long long *id,
			       CUgraph *graph, const CUgraphNode **deps,
			       size_t *n)
{
	return cuStreamGetCaptureInfo_v2(PTS(s), status, id, graph, deps, n);
}

API CUresult
cuStreamGetCaptureInfo_v3_ptsz(CUstream s, int *status, unsigned long long *id,
			       CUgraph *graph, const CUgraphNode **deps,
			       const CUgraphEdgeData **edges, size_t *n)
{
	return cuStreamGetCaptureInfo_v3(PTS(s), status, id, graph, deps, edges,
					 n);
}

API CUresult
cuStreamUpdateCaptureDependencies_ptsz(CUstream s, CUgraphNode *deps, size_t n,
				       unsigned int flags)
{
	return cuStreamUpdateCaptureDependencies(PTS(s), deps, n, flags);
}

API CUresult
cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream s, CUgraphNode *deps,
					  const CUgraphEdgeData *edges,
					  size_t n, unsigned int flags)
{
	return cuStreamUpdateCaptureDependencies_v2(PTS(s), deps, edges, n,
						    flags);
}
