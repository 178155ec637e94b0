/*
 * count-nvtx: NVTX ranges. See count.h, LICENSE.
 *
 * NVTX is headers compiled into each library of a program. At its first call
 * each of them opens the library that NVTX_INJECTION64_PATH names and calls
 * InitializeInjectionNvtx2, which fills in its table of functions (NVTX 3's
 * nvtxInit.h and nvtxTypes.h). So it is called once for each such library, and
 * handles that one of them got from us may only come back from it: they are
 * pointers to structures that live until exit.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "count-cu.h"
#include "count.h"

/* NvtxCallbackModule, NvtxExportTableID and the ids of functions. */
enum { MODULE_CORE = 1, MODULE_CORE2 = 5, ETID_CALLBACKS = 1 };
enum {
	CORE_StartEx = 4,
	CORE_StartA = 5,
	CORE_StartW = 6,
	CORE_End = 7,
	CORE_PushEx = 8,
	CORE_PushA = 9,
	CORE_PushW = 10,
	CORE_Pop = 11,
	CORE2_StartEx = 2,
	CORE2_End = 3,
	CORE2_PushEx = 4,
	CORE2_Pop = 5,
	CORE2_RegisterA = 10,
	CORE2_RegisterW = 11,
	CORE2_CreateA = 12,
	CORE2_CreateW = 13,
};

typedef const void *get_table_fn(uint32_t id);
struct callbacks {
	size_t size;
	int (*table)(int module, void (****out)(void), unsigned *n);
};

/* A domain, or a registered string: its text. */
struct text {
	size_t len;
	char data[];
};

/* This thread's pushed ranges, a stack for each domain. */
struct stack {
	const void *domain;
	struct kc_range *top;
	int depth;
	struct stack *next;
};
static KC_TLS struct stack *stacks;

/* ---- text ------------------------------------------------------------ */

struct name {
	const char *data;
	size_t len;
	char *own; /* to be freed */
};

/* wchar_t is UTF-32 here; what is no character becomes U+FFFD. */
static struct name
from_wide(const wchar_t *w)
{
	struct name n = {"", 0, NULL};
	size_t len = w != NULL ? wcslen(w) : 0;
	char *p = malloc(len * 4 + 1);

	if (p == NULL)
		return n;
	n.own = p;
	for (; len > 0; len--, w++) {
		uint32_t c = (uint32_t)*w;

		if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			c = 0xfffd;
		if (c < 0x80) {
			*p++ = (char)c;
		} else if (c < 0x800) {
			*p++ = (char)(0xc0 | c >> 6);
			*p++ = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			*p++ = (char)(0xe0 | c >> 12);
			*p++ = (char)(0x80 | (c >> 6 & 0x3f));
			*p++ = (char)(0x80 | (c & 0x3f));
		} else {
			*p++ = (char)(0xf0 | c >> 18);
			*p++ = (char)(0x80 | (c >> 12 & 0x3f));
			*p++ = (char)(0x80 | (c >> 6 & 0x3f));
			*p++ = (char)(0x80 | (c & 0x3f));
		}
	}
	n.data = n.own;
	n.len = (size_t)(p - n.own);
	return n;
}

static struct name
from_ascii(const char *text)
{
	struct name n = {text != NULL ? text : "", 0, NULL};

	n.len = strlen(n.data);
	return n;
}

static struct name
from_attributes(const struct nvtx_attributes *a)
{
	struct name none = {"(no name)", 9, NULL};

	if (a == NULL || a->size < sizeof *a || a->message == NULL)
		return none;
	switch (a->message_type) {
	case NVTX_ASCII:
		return from_ascii(a->message);
	case NVTX_UNICODE:
		return from_wide(a->message);
	case NVTX_REGISTERED: {
		const struct text *t = a->message;

		return (struct name){t->data, t->len, NULL};
	}
	default:
		return none;
	}
}

static struct text *
keep(struct name n)
{
	struct text *t = malloc(sizeof *t + n.len + 1);

	if (t != NULL) {
		t->len = n.len;
		memcpy(t->data, n.data, n.len);
		t->data[n.len] = '\0';
	}
	free(n.own);
	return t;
}

/* A range's name in a domain: "domain:name". */
static struct kc_range *
begin(const void *domain, struct name n, struct kc_range *parent)
{
	const struct text *d = domain;
	struct kc_range *range;

	if (d != NULL && parent == NULL) {
		size_t len = d->len + 1 + n.len;
		char *p = malloc(len + 1);

		if (p != NULL) {
			memcpy(p, d->data, d->len);
			p[d->len] = ':';
			memcpy(p + d->len + 1, n.data, n.len);
			free(n.own);
			n = (struct name){p, len, p};
		}
	}
	range = kc_range_begin(n.data, n.len, parent);
	free(n.own);
	return range;
}

/* ---- ranges ---------------------------------------------------------- */

static struct stack *
stack_of(const void *domain)
{
	struct stack *s;

	for (s = stacks; s != NULL; s = s->next)
		if (s->domain == domain)
			return s;
	s = calloc(1, sizeof *s);
	if (s == NULL)
		return NULL;
	s->domain = domain;
	s->next = stacks;
	stacks = s;
	return s;
}

/* Returns the level of the range, from 0, as NVTX has it. */
static int
push(const void *domain, struct name n)
{
	struct stack *s = stack_of(domain);
	struct kc_range *r;

	if (s == NULL) {
		free(n.own);
		kc_flag(KC_F_MEMORY, NULL);
		return -1;
	}
	r = begin(domain, n, s->top);
	if (r == NULL)
		return -1;
	r->under = s->top;
	s->top = r;
	return s->depth++;
}

static int
pop(const void *domain)
{
	struct stack *s = stack_of(domain);
	struct kc_range *r = s != NULL ? s->top : NULL;

	if (r == NULL)
		return -1;
	s->top = r->under;
	s->depth--;
	kc_range_end(r);
	return s->depth;
}

static uint64_t
start(const void *domain, struct name n)
{
	static _Atomic uint64_t last;
	struct kc_range *r = begin(domain, n, NULL);

	if (r == NULL)
		return 0;
	return r->id = atomic_fetch_add(&last, 1) + 1;
}

static void
end(uint64_t id)
{
	struct kc_range *r = id != 0 ? kc_range_find(id) : NULL;

	if (r != NULL)
		kc_range_end(r);
}

void
kc_nvtx_fork_child(void)
{
	stacks = NULL; /* the parent's ranges are the parent's */
}

/* ---- what NVTX calls ------------------------------------------------- */

static uint64_t
start_ex(const struct nvtx_attributes *a)
{
	return start(NULL, from_attributes(a));
}

static uint64_t
start_a(const char *text)
{
	return start(NULL, from_ascii(text));
}

static uint64_t
start_w(const wchar_t *text)
{
	return start(NULL, from_wide(text));
}

static int
push_ex(const struct nvtx_attributes *a)
{
	return push(NULL, from_attributes(a));
}

static int
push_a(const char *text)
{
	return push(NULL, from_ascii(text));
}

static int
push_w(const wchar_t *text)
{
	return push(NULL, from_wide(text));
}

static int
pop_default(void)
{
	return pop(NULL);
}

static uint64_t
domain_start(void *domain, const struct nvtx_attributes *a)
{
	return start(domain, from_attributes(a));
}

static void
domain_end(void *domain, uint64_t id)
{
	(void)domain;
	end(id);
}

static int
domain_push(void *domain, const struct nvtx_attributes *a)
{
	return push(domain, from_attributes(a));
}

static void *
register_a(void *domain, const char *text)
{
	(void)domain;
	return keep(from_ascii(text));
}

static void *
register_w(void *domain, const wchar_t *text)
{
	(void)domain;
	return keep(from_wide(text));
}

static void *
create_a(const char *name)
{
	return keep(from_ascii(name));
}

static void *
create_w(const wchar_t *name)
{
	return keep(from_wide(name));
}

struct entry {
	unsigned id;
	void (*fn)(void);
};

#define FN(f) ((void (*)(void))(f))

static const struct entry core[] = {
	{CORE_StartEx, FN(start_ex)}, {CORE_StartA, FN(start_a)},
	{CORE_StartW, FN(start_w)},   {CORE_End, FN(end)},
	{CORE_PushEx, FN(push_ex)},   {CORE_PushA, FN(push_a)},
	{CORE_PushW, FN(push_w)},     {CORE_Pop, FN(pop_default)},
};

static const struct entry core2[] = {
	{CORE2_StartEx, FN(domain_start)}, {CORE2_End, FN(domain_end)},
	{CORE2_PushEx, FN(domain_push)},   {CORE2_Pop, FN(pop)},
	{CORE2_RegisterA, FN(register_a)}, {CORE2_RegisterW, FN(register_w)},
	{CORE2_CreateA, FN(create_a)},	   {CORE2_CreateW, FN(create_w)},
};

static int
fill(const struct callbacks *c, int module, const struct entry *e, size_t n)
{
	void (***table)(void) = NULL;
	unsigned size = 0;
	size_t i;

	if (c->table(module, &table, &size) == 0 || table == NULL)
		return 0;
	for (i = 0; i < n; i++)
		if (e[i].id < size && table[e[i].id] != NULL)
			*table[e[i].id] = e[i].fn;
	return 1;
}

KC_EXPORT int InitializeInjectionNvtx2(get_table_fn *get);
int
InitializeInjectionNvtx2(get_table_fn *get)
{
	const struct callbacks *c = get(ETID_CALLBACKS);

	/* Without a journal, or without ranges asked for, stay out. */
	if (!kc_settings.on || kc_settings.cut != KC_CUT_RANGE || c == NULL ||
	    c->size < sizeof *c)
		return 0;
	if (!fill(c, MODULE_CORE, core, sizeof core / sizeof *core))
		return 0;
	fill(c, MODULE_CORE2, core2, sizeof core2 / sizeof *core2);
	return 1;
}
