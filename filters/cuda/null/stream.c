/* stream: streams and events. See LICENSE. */
#include <stdlib.h>
#include <string.h>

#include "null.h"

static uint64_t next_id = 1;

static struct stream *
new_stream(struct ctx *c, int what, unsigned flags, int priority)
{
	struct stream *s = kn_alloc(sizeof(*s));

	kn_new(&s->o, K_STREAM, c);
	s->what = what;
	s->flags = flags;
	s->priority = priority;
	s->id = next_id++;
	return s;
}

/* The stream that a handle names; 0 and 1 the current context's legacy
 * stream, 2 the thread's own.
 */
CUresult
kn_stream(CUstream handle, struct stream **out)
{
	CUresult rc = kn_ready();
	struct ctx *c;
	unsigned t;

	if (rc != CUDA_SUCCESS)
		return rc;
	if ((uintptr_t)handle > (uintptr_t)CU_STREAM_PER_THREAD) {
		/* A stream knows its context; none need be current. */
		*out = kn_get(handle, K_STREAM);
		return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	}
	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (handle != CU_STREAM_PER_THREAD) {
		if (c->legacy == NULL)
			c->legacy = new_stream(c, S_LEGACY, 0, 0);
		*out = c->legacy;
		return CUDA_SUCCESS;
	}
	t = kn_thread();
	for (struct obj *o = c->objs; o != NULL; o = o->next) {
		struct stream *s = (struct stream *)o;

		if (o->kind == K_STREAM && s->what == S_THREAD &&
		    s->thread == t) {
			*out = s;
			return CUDA_SUCCESS;
		}
	}
	*out = new_stream(c, S_THREAD, 0, 0);
	(*out)->thread = t;
	return CUDA_SUCCESS;
}

void
kn_stream_free(struct stream *s)
{
	kn_op_unref(s->tail);
	kn_drop(&s->o);
	free(s->dep);
	free(s);
}

static CUresult
create(CUstream *out, unsigned flags, int priority)
{
	CUresult rc;
	struct ctx *c = kn_ctx(&rc);

	if (c == NULL)
		return rc;
	if (out == NULL || (flags & ~1u) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	/* A lower number is a higher priority; those outside are clamped. */
	if (priority > c->dev->prio_least)
		priority = c->dev->prio_least;
	if (priority < c->dev->prio_greatest)
		priority = c->dev->prio_greatest;
	*out = HANDLE(new_stream(c, S_NORMAL, flags, priority));
	return CUDA_SUCCESS;
}

API CUresult
cuStreamCreate(CUstream *out, unsigned int flags)
{
	GUARD;

	return create(out, flags, 0);
}

API CUresult
cuStreamCreateWithPriority(CUstream *out, unsigned int flags, int priority)
{
	GUARD;

	return create(out, flags, priority);
}

API CUresult
cuStreamDestroy_v2(CUstream stream)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (s->what != S_NORMAL)
		return CUDA_ERROR_INVALID_HANDLE;
	kn_capture_drop(s);
	kn_stream_free(s);
	return CUDA_SUCCESS;
}

API CUresult
cuStreamSynchronize(CUstream stream)
{
	CUresult rc;
	struct stream *s;
	struct op *op;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS ||
	    (rc = kn_may_wait(s)) != CUDA_SUCCESS)
		return rc;
	op = kn_op_mark(s);
	kn_op_wait(op);
	kn_op_unref(op);
	kn_record_sync();
	return CUDA_SUCCESS;
}

API CUresult
cuStreamQuery(CUstream stream)
{
	CUresult rc;
	struct stream *s;
	struct op *op;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS ||
	    (rc = kn_may_wait(s)) != CUDA_SUCCESS)
		return rc;
	op = kn_op_mark(s);
	if (!kn_op_done(op))
		rc = CUDA_ERROR_NOT_READY;
	else
		kn_record_sync();
	kn_op_unref(op);
	return rc;
}

API CUresult
cuStreamGetPriority(CUstream stream, int *out)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = s->priority;
	return CUDA_SUCCESS;
}

API CUresult
cuStreamGetFlags(CUstream stream, unsigned int *out)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = s->flags;
	return CUDA_SUCCESS;
}

API CUresult
cuStreamGetId(CUstream stream, unsigned long long *out)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = s->id;
	return CUDA_SUCCESS;
}

API CUresult
cuStreamGetCtx(CUstream stream, CUcontext *out)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(s->o.ctx);
	return CUDA_SUCCESS;
}

API CUresult
cuStreamGetCtx_v2(CUstream stream, CUcontext *out, void **green)
{
	CUresult rc = cuStreamGetCtx(stream, out);

	if (rc == CUDA_SUCCESS && green != NULL)
		*green = NULL;
	return rc;
}

API CUresult
cuStreamGetDevice(CUstream stream, CUdevice *out)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (int)(s->o.ctx->dev - kn_devs);
	return CUDA_SUCCESS;
}

API CUresult
cuStreamCopyAttributes(CUstream dst, CUstream src)
{
	CUresult rc;
	struct stream *s, *d;
	GUARD;

	if ((rc = kn_stream(dst, &d)) != CUDA_SUCCESS ||
	    (rc = kn_stream(src, &s)) != CUDA_SUCCESS)
		return rc;
	d->priority = s->priority;
	return CUDA_SUCCESS;
}

API CUresult
cuStreamGetAttribute(CUstream stream, int attr, CUlaunchAttributeValue *out)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || attr < 0)
		return CUDA_ERROR_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		out->priority = s->priority;
	return CUDA_SUCCESS;
}

API CUresult
cuStreamSetAttribute(CUstream stream, int attr,
		     const CUlaunchAttributeValue *value)
{
	CUresult rc;
	struct stream *s;
	GUARD;

	if ((rc = kn_stream(stream, &s)) != CUDA_SUCCESS)
		return rc;
	if (value == NULL || attr < 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		s->priority = value->priority;
	return CUDA_SUCCESS;
}

/* --- host functions --- */

API CUresult
cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *data)
{
	CUresult rc;
	struct stream *s;
	struct capture *cap;
	GUARD;

	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS)
		return rc;
	if (fn == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (cap != NULL)
		kn_captured(s, kn_graph_host(cap, s, fn, data));
	else
		kn_op_host(s, fn, data);
	return CUDA_SUCCESS;
}

API CUresult
cuStreamAddCallback(CUstream stream, CUstreamCallback fn, void *data,
		    unsigned int flags)
{
	CUresult rc;
	struct stream *s;
	struct capture *cap;
	GUARD;

	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS)
		return rc;
	if (fn == NULL || flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	/* A graph has no node for it. */
	if (cap != NULL)
		return kn_may_wait(s);
	kn_op_callback(s, fn, data);
	return CUDA_SUCCESS;
}

/* --- events: they know their context; none need be current --- */

API CUresult
cuEventCreate(CUevent *out, unsigned int flags)
{
	CUresult rc;
	struct ctx *c;
	struct event *e;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (out == NULL || (flags & ~7u) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if ((flags & CU_EVENT_INTERPROCESS) != 0) {
		if ((flags & CU_EVENT_DISABLE_TIMING) == 0)
			return CUDA_ERROR_INVALID_VALUE;
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	e = kn_alloc(sizeof(*e));
	kn_new(&e->o, K_EVENT, c);
	e->flags = flags;
	*out = HANDLE(e);
	return CUDA_SUCCESS;
}

static void
forget(struct event *e)
{
	kn_op_unref(e->op);
	e->op = NULL;
	free(e->dep);
	e->dep = NULL;
	e->ndep = 0;
	e->cap = 0;
}

void
kn_event_free(struct event *e)
{
	forget(e);
	kn_drop(&e->o);
	free(e);
}

API CUresult
cuEventDestroy_v2(CUevent event)
{
	CUresult rc;
	struct event *e;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((e = kn_get(event, K_EVENT)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	kn_event_free(e);
	return CUDA_SUCCESS;
}

/* The event stands for what the stream was given so far. */
void
kn_event_record(struct event *e, struct stream *s)
{
	forget(e);
	e->op = kn_op_mark(s);
	e->recorded = true;
	e->when = kn_now();
	if (s->cap == NULL)
		return;
	e->cap = s->cap->id;
	e->ndep = s->ndep;
	e->dep = kn_alloc(s->ndep * sizeof(*e->dep));
	if (s->ndep != 0)
		memcpy(e->dep, s->dep, s->ndep * sizeof(*e->dep));
}

API CUresult
cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	CUresult rc;
	struct event *e;
	struct stream *s;
	struct capture *cap;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((e = kn_get(event, K_EVENT)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if ((flags & ~1u) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = kn_enqueue(stream, &s, &cap)) != CUDA_SUCCESS)
		return rc;
	if (s->o.ctx != e->o.ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	if (cap == NULL && (flags & CU_EVENT_RECORD_EXTERNAL) != 0)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (cap != NULL && (flags & CU_EVENT_RECORD_EXTERNAL) != 0)
		kn_captured(s, kn_graph_simple(cap, s,
					       CU_GRAPH_NODE_TYPE_EVENT_RECORD,
					       e, 0, 0));
	else
		kn_event_record(e, s);
	return CUDA_SUCCESS;
}

API CUresult
cuEventRecord(CUevent event, CUstream stream)
{
	return cuEventRecordWithFlags(event, stream, 0);
}

API CUresult
cuEventQuery(CUevent event)
{
	CUresult rc;
	struct event *e;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((e = kn_get(event, K_EVENT)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if ((rc = kn_capture_event(e, true)) != CUDA_SUCCESS)
		return rc;
	if (!kn_op_done(e->op))
		return CUDA_ERROR_NOT_READY;
	if (e->recorded)
		kn_record_sync();
	return CUDA_SUCCESS;
}

API CUresult
cuEventSynchronize(CUevent event)
{
	CUresult rc;
	struct event *e;
	struct op *op;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((e = kn_get(event, K_EVENT)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if ((rc = kn_capture_event(e, true)) != CUDA_SUCCESS)
		return rc;
	op = kn_op_ref(e->op);
	kn_op_wait(op);
	kn_op_unref(op);
	kn_record_sync();
	return CUDA_SUCCESS;
}

API CUresult
cuEventElapsedTime(float *out, CUevent start, CUevent end)
{
	CUresult rc;
	struct event *a, *b;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	a = kn_get(start, K_EVENT);
	b = kn_get(end, K_EVENT);
	if (a == NULL || b == NULL || out == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING) != 0 ||
	    !a->recorded || !b->recorded)
		return CUDA_ERROR_INVALID_HANDLE;
	if ((rc = kn_capture_event(a, false)) != CUDA_SUCCESS ||
	    (rc = kn_capture_event(b, false)) != CUDA_SUCCESS)
		return rc;
	if (!kn_op_done(a->op) || !kn_op_done(b->op))
		return CUDA_ERROR_NOT_READY;
	/* A time is the device's answer too: a program that tunes by it, or
	 * stops by it, decides on what was never measured.
	 */
	kn_record_read(sizeof(*out), "cuEventElapsedTime");
	*out = (float)((double)((int64_t)(b->when - a->when)) / 1e6);
	return CUDA_SUCCESS;
}

API CUresult
cuEventElapsedTime_v2(float *out, CUevent start, CUevent end)
{
	return cuEventElapsedTime(out, start, end);
}

/* --- the flavours whose default stream is the thread's own --- */

API CUresult
cuStreamSynchronize_ptsz(CUstream s)
{
	return cuStreamSynchronize(PTS(s));
}

API CUresult
cuStreamQuery_ptsz(CUstream s)
{
	return cuStreamQuery(PTS(s));
}

API CUresult
cuStreamGetPriority_ptsz(CUstream s, int *out)
{
	return cuStreamGetPriority(PTS(s), out);
}

API CUresult
cuStreamGetFlags_ptsz(CUstream s, unsigned int *out)
{
	return cuStreamGetFlags(PTS(s), out);
}

API CUresult
cuStreamGetId_ptsz(CUstream s, unsigned long long *out)
{
	return cuStreamGetId(PTS(s), out);
}

API CUresult
cuStreamGetCtx_ptsz(CUstream s, CUcontext *out)
{
	return cuStreamGetCtx(PTS(s), out);
}

API CUresult
cuStreamGetCtx_v2_ptsz(CUstream s, CUcontext *out, void **green)
{
	return cuStreamGetCtx_v2(PTS(s), out, green);
}

API CUresult
cuStreamGetDevice_ptsz(CUstream s, CUdevice *out)
{
	return cuStreamGetDevice(PTS(s), out);
}

API CUresult
cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src)
{
	return cuStreamCopyAttributes(PTS(dst), PTS(src));
}

API CUresult
cuStreamGetAttribute_ptsz(CUstream s, int attr, CUlaunchAttributeValue *out)
{
	return cuStreamGetAttribute(PTS(s), attr, out);
}

API CUresult
cuStreamSetAttribute_ptsz(CUstream s, int attr,
			  const CUlaunchAttributeValue *value)
{
	return cuStreamSetAttribute(PTS(s), attr, value);
}

API CUresult
cuLaunchHostFunc_ptsz(CUstream s, CUhostFn fn, void *data)
{
	return cuLaunchHostFunc(PTS(s), fn, data);
}

API CUresult
cuStreamAddCallback_ptsz(CUstream s, CUstreamCallback fn, void *data,
			 unsigned int flags)
{
	return cuStreamAddCallback(PTS(s), fn, data, flags);
}

API CUresult
cuEventRecordWithFlags_ptsz(CUevent e, CUstream s, unsigned int flags)
{
	return cuEventRecordWithFlags(e, PTS(s), flags);
}

API CUresult
cuEventRecord_ptsz(CUevent e, CUstream s)
{
	return cuEventRecordWithFlags(e, PTS(s), 0);
}

/* The first forms of these calls differ from the second in name alone. */
API CUresult
cuStreamDestroy(CUstream stream)
{
	return cuStreamDestroy_v2(stream);
}

API CUresult
cuEventDestroy(CUevent event)
{
	return cuEventDestroy_v2(event);
}
