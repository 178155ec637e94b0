/*
 * op: the order of a stream's work. Nothing executes, so work is done as soon
 * as it is given, with one exception: host functions run on a thread of the
 * driver's own, and what comes after one in its stream waits for it. An op is
 * such work, or work that waits for some. A stream remembers only its last
 * op; an event, the one it was recorded after. See LICENSE.
 */
#include <stdlib.h>
#include <string.h>

#include "null.h"

struct op {
	unsigned refs;
	unsigned blockers; /* ops that must be done first */
	bool done;
	enum { OP_JOIN, OP_MOVE, OP_HOST, OP_CALLBACK } what;
	struct move move;
	CUhostFn fn;
	CUstreamCallback callback;
	void *data;
	CUstream stream;
	struct op **after; /* ops that wait for this one; a ref each */
	size_t nafter, cafter;
	struct op *next; /* in the queue of the ready */
};

static struct op *ready, **ready_end = &ready;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static bool worker;
static size_t pending; /* ops not done, of all streams */

struct op *
kn_op_ref(struct op *op)
{
	if (op != NULL)
		op->refs++;
	return op;
}

void
kn_op_unref(struct op *op)
{
	if (op == NULL || --op->refs != 0)
		return;
	free(op->after);
	free(op);
}

bool
kn_op_done(struct op *op)
{
	return op == NULL || op->done;
}

static void
finish(struct op *op)
{
	op->done = true;
	pending--;
	for (size_t i = 0; i < op->nafter; i++) {
		struct op *next = op->after[i];

		if (--next->blockers == 0) {
			next->next = NULL;
			*ready_end = kn_op_ref(next);
			ready_end = &next->next;
		}
		kn_op_unref(next);
	}
	op->nafter = 0;
	pthread_cond_broadcast(&kn_done);
}

/* The driver's thread: does what is ready, in the order it became so. */
static void *
serve(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&kn_mutex);
	for (;;) {
		struct op *op = ready;

		if (op == NULL) {
			pthread_cond_wait(&work, &kn_mutex);
			continue;
		}
		ready = op->next;
		if (ready == NULL)
			ready_end = &ready;
		if (op->what == OP_MOVE)
			kn_move(&op->move);
		if (op->what == OP_HOST || op->what == OP_CALLBACK) {
			pthread_mutex_unlock(&kn_mutex);
			if (op->what == OP_HOST)
				op->fn(op->data);
			else
				op->callback(op->stream, CUDA_SUCCESS,
					     op->data);
			pthread_mutex_lock(&kn_mutex);
		}
		finish(op);
		kn_op_unref(op);
	}
	return NULL;
}

static void
start_worker(void)
{
	pthread_attr_t attr;
	pthread_t t;

	if (worker)
		return;
	if (pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) != 0 ||
	    pthread_create(&t, &attr, serve, NULL) != 0)
		kn_fatal("cannot start a thread");
	pthread_attr_destroy(&attr);
	worker = true;
}

static void
wait_for(struct op *op, struct op *first)
{
	if (first == NULL || first->done)
		return;
	first->after = kn_grow(first->after, &first->cafter, first->nafter + 1,
			       sizeof(struct op *));
	first->after[first->nafter++] = kn_op_ref(op);
	op->blockers++;
}

/* The stream's last op that is not done, or NULL. */
struct op *
kn_op_tail(struct stream *s)
{
	if (s->tail != NULL && s->tail->done) {
		kn_op_unref(s->tail);
		s->tail = NULL;
	}
	return s->tail;
}

/* Make op wait for all that comes before it in the stream: the stream's own
 * last op and, between the legacy stream and those that did not ask to be
 * free of it, each other's.
 */
static void
order(struct stream *s, struct op *op)
{
	struct ctx *c = s->o.ctx;

	if (pending == 0)
		return;
	wait_for(op, kn_op_tail(s));
	if (s->what == S_LEGACY) {
		for (struct obj *o = c->objs; o != NULL; o = o->next) {
			struct stream *t = (struct stream *)o;

			if (o->kind == K_STREAM && t != s &&
			    !(t->flags & CU_STREAM_NON_BLOCKING))
				wait_for(op, kn_op_tail(t));
		}
	} else if (!(s->flags & CU_STREAM_NON_BLOCKING) && c->legacy != NULL) {
		wait_for(op, kn_op_tail(c->legacy));
	}
}

static struct op *
new_op(struct stream *s, int what)
{
	struct op *op = kn_alloc(sizeof(*op));

	op->refs = 1;
	op->what = what;
	op->stream = HANDLE(s);
	order(s, op);
	return op;
}

/* The op is the stream's last one now; takes the caller's reference. */
static void
give(struct stream *s, struct op *op)
{
	kn_op_unref(s->tail);
	s->tail = op;
	pending++;
	if (op->blockers != 0)
		return;
	start_worker();
	op->next = NULL;
	*ready_end = kn_op_ref(op);
	ready_end = &op->next;
	pthread_cond_signal(&work);
}

/* Wait, without the lock, until op is done. */
void
kn_op_wait(struct op *op)
{
	kn_op_ref(op);
	while (!kn_op_done(op))
		pthread_cond_wait(&kn_done, &kn_mutex);
	kn_op_unref(op);
}

/* Bytes into the program's memory, in the stream's order. */
void
kn_op_move(struct stream *s, const struct move *m)
{
	struct op *op;

	if (pending == 0) {
		kn_move(m);
		return;
	}
	op = new_op(s, OP_MOVE);
	op->move = *m;
	give(s, op);
}

void
kn_op_host(struct stream *s, CUhostFn fn, void *data)
{
	struct op *op = new_op(s, OP_HOST);

	op->fn = fn;
	op->data = data;
	give(s, op);
}

void
kn_op_callback(struct stream *s, CUstreamCallback fn, void *data)
{
	struct op *op = new_op(s, OP_CALLBACK);

	op->callback = fn;
	op->data = data;
	if (s->what == S_LEGACY)
		op->stream = NULL;
	give(s, op);
}

/* What the stream is given from now on waits for op. */
void
kn_op_after(struct stream *s, struct op *first)
{
	struct op *op;

	if (kn_op_done(first))
		return;
	op = new_op(s, OP_JOIN);
	wait_for(op, first);
	give(s, op);
}

/* What an event recorded now in the stream stands for: all that the stream
 * was given so far. A reference, or NULL if all is done.
 */
struct op *
kn_op_mark(struct stream *s)
{
	struct op *op;

	if (pending == 0)
		return NULL;
	op = new_op(s, OP_JOIN);
	if (op->blockers == 0) {
		kn_op_unref(op);
		return NULL;
	}
	give(s, op);
	return kn_op_ref(op);
}

/* Work without an effect was given to the stream. Only the legacy stream has
 * to remember it: it stands between the other streams' work.
 */
void
kn_op_pass(struct stream *s)
{
	if (s->what == S_LEGACY)
		kn_op_unref(kn_op_mark(s));
}
