/*
 * handle: the handles that the driver gives out. A handle is a number that
 * names a slot and its generation, never an address: one that was destroyed,
 * or that is of another kind, or that the program made up, is told apart
 * without being read, and answered with the driver's own error. See LICENSE.
 *
 * 47 bits: generation (16), slot (24), kind (4), three zero bits, so that a
 * handle looks like an aligned user address and is never 0, 1 or 2, which
 * stand for streams.
 */
#include "null.h"

#define SLOT_BITS 24
#define CHUNK 4096u

struct slot {
	struct obj *obj;
	unsigned gen, next_free;
};

static struct slot *chunk[(1u << SLOT_BITS) / CHUNK];
static unsigned nslots = 1, first_free, last_free;

static struct slot *
slot_at(unsigned i)
{
	return &chunk[i / CHUNK][i % CHUNK];
}

/* Give an object a handle; with a context, it is listed to die with it. */
void
kn_new(struct obj *o, enum kind kind, struct ctx *ctx)
{
	struct slot *s;
	unsigned i;

	/* Slots are used again in the order they were freed, so that a stale
	 * handle's generation is met as late as can be. */
	if (first_free != 0) {
		i = first_free;
		s = slot_at(i);
		first_free = s->next_free;
		if (first_free == 0)
			last_free = 0;
	} else {
		i = nslots++;
		if (i >= 1u << SLOT_BITS)
			kn_fatal("out of handles");
		if (chunk[i / CHUNK] == NULL)
			chunk[i / CHUNK] = kn_alloc(CHUNK * sizeof(*s));
		s = slot_at(i);
	}
	s->gen = (s->gen + 1) & 0xffff;
	s->next_free = 0;
	s->obj = o;
	o->kind = kind;
	o->handle = ((uintptr_t)s->gen << 28 | (uintptr_t)i << 4 | kind) << 3;
	o->ctx = ctx;
	o->prev = o->next = NULL;
	if (ctx != NULL) {
		o->next = ctx->objs;
		if (o->next != NULL)
			o->next->prev = o;
		ctx->objs = o;
	}
}

/* The live object of that kind that a handle names, or NULL. */
void *
kn_get(const void *handle, enum kind kind)
{
	uintptr_t h = (uintptr_t)handle;
	unsigned i = (h >> 7) & ((1u << SLOT_BITS) - 1);

	if (i == 0 || i >= nslots)
		return NULL;
	if (slot_at(i)->obj == NULL || slot_at(i)->obj->handle != h ||
	    slot_at(i)->obj->kind != kind)
		return NULL;
	return slot_at(i)->obj;
}

/* The handle is no more; the object's memory stays its owner's to free. */
void
kn_drop(struct obj *o)
{
	unsigned i = (o->handle >> 7) & ((1u << SLOT_BITS) - 1);

	slot_at(i)->obj = NULL;
	if (last_free != 0)
		slot_at(last_free)->next_free = i;
	else
		first_free = i;
	last_free = i;
	if (o->prev != NULL)
		o->prev->next = o->next;
	else if (o->ctx != NULL)
		o->ctx->objs = o->next;
	if (o->next != NULL)
		o->next->prev = o->prev;
	o->kind = K_FREE;
}
