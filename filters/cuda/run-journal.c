/*
 * run-journal: reads what the counter library left. See run.h; count.c for the
 * journal's lines; LICENSE.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "in.h"
#include "kc.h"
#include "map.h"
#include "run.h"

/* ---- kernels' names, of all processes -------------------------------- */

struct name {
	char *data;
	size_t len;
};
static struct {
	struct name *name;
	size_t n, cap;
	struct kc_map map;
} kernels;

const char *
kc_kernel_name(size_t kernel, size_t *len)
{
	*len = kernels.name[kernel].len;
	return kernels.name[kernel].data;
}

/* libstdc++'s, found at run time, so that only those who ask for it need it. */
typedef char *demangle_fn(const char *, char *, size_t *, int *);

static char *
demangle(const char *symbol)
{
	static demangle_fn *fn;
	static bool tried;
	int status = 0;
	void *lib;
	char *out;

	if (!tried) {
		tried = true;
		lib = dlopen("libstdc++.so.6", RTLD_LAZY);
		if (lib != NULL)
			*(void **)&fn = dlsym(lib, "__cxa_demangle");
		if (fn == NULL)
			kc_warn("libstdc++.so.6 not found: names stay as the "
				"compiler made them");
	}
	/* Only symbols: "f" alone would be read as the type float. */
	if (fn == NULL || strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	out = fn(symbol, NULL, NULL, &status);
	return status == 0 ? out : NULL;
}

static size_t
add_kernel(const char *data, size_t len, bool demangled)
{
	char *copy = kc_copy(data, len), *plain;
	size_t *at;

	if (demangled && (plain = demangle(copy)) != NULL) {
		free(copy);
		copy = plain;
		len = strlen(plain);
	}
	at = kc_map_at(&kernels.map, copy, len, SIZE_MAX);
	if (*at != SIZE_MAX) {
		free(copy);
		return *at;
	}
	kernels.name = kc_grow(kernels.name, &kernels.cap, kernels.n + 1,
			       sizeof *kernels.name);
	kernels.name[kernels.n] = (struct name){copy, len};
	return *at = kernels.n++;
}

/* ---- one journal ----------------------------------------------------- */

struct reader {
	struct kc_process *process;
	enum kc_cut cut;
	bool demangle, ended;
	kc_wait_fn *wait;
	size_t image; /* from 1: the program, of those in this process */
	size_t *kernel, kernel_cap, kernels; /* the journal's numbers to ours */
	size_t *scope, scope_cap, scopes;
	/* What was read and is not complete yet. */
	struct kc_counts *now;
	size_t *now_scope;
	bool *now_waited;
	size_t nows, now_cap, now_cap2, now_cap3;
	struct kc_map scope_map; /* of the process, by name */
};

/* A field of a line, its escapes taken back. */
struct part {
	char *data;
	size_t len;
};

static void
unescape(struct part *p)
{
	char *to = p->data, *from = p->data, *end = p->data + p->len;

	while (from < end) {
		char c = *from++;

		if (c == '\\' && from < end) {
			c = *from++;
			c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
		}
		*to++ = c;
	}
	p->len = (size_t)(to - p->data);
}

enum { PARTS = KC_WHAT + 3 };

static size_t
split(const struct kc_line *line, struct part *part)
{
	char *at = line->data, *end = line->data + line->len;
	size_t n = 0;

	while (n < PARTS) {
		char *tab = memchr(at, '\t', (size_t)(end - at));

		part[n].data = at;
		part[n].len = (size_t)((tab != NULL ? tab : end) - at);
		unescape(&part[n++]);
		if (tab == NULL)
			return n;
		at = tab + 1;
	}
	return n;
}

static bool
number(const struct part *p, uint64_t *out)
{
	return kc_number(p->data, p->len, out) == NULL;
}

static bool
read_kernel(struct reader *r, struct part *part, size_t n)
{
	uint64_t id;

	if (n != 3 || !number(&part[1], &id) || id != r->kernels)
		return false;
	r->kernel = kc_grow(r->kernel, &r->kernel_cap, r->kernels + 1,
			    sizeof *r->kernel);
	r->kernel[r->kernels++] =
		add_kernel(part[2].data, part[2].len, r->demangle);
	return true;
}

/* The process's scope of this key: the names of its parents and its own, NULs
 * between them. */
static size_t
find_scope(struct reader *r, const struct kc_str *key, char kind)
{
	struct kc_process *p = r->process;
	size_t at = kc_map_get(&r->scope_map, key->data, key->len, SIZE_MAX);
	struct kc_scope *s;
	size_t i;

	if (at != SIZE_MAX)
		return at;
	/* The map keeps the key's bytes, so they are copied. */
	*kc_map_at(&r->scope_map, kc_copy(key->data, key->len), key->len,
		   SIZE_MAX) = p->scopes;
	p->scope = kc_grow(p->scope, &p->scope_cap, p->scopes + 1,
			   sizeof *p->scope);
	s = &p->scope[p->scopes++];
	memset(s, 0, sizeof *s);
	s->key = kc_copy(key->data, key->len);
	s->name = kc_copy(key->data, key->len);
	s->len = key->len;
	s->kind = kind;
	for (i = 0; i < s->len; i++)
		if (s->name[i] == '\0')
			s->name[i] = '/';
	return p->scopes - 1;
}

static bool
read_scope(struct reader *r, struct part *part, size_t n)
{
	uint64_t id, parent;
	struct kc_str key = {0};

	if (n != 5 || !number(&part[1], &id) || !number(&part[2], &parent) ||
	    id != r->scopes || (id > 0 && parent >= id) || part[3].len != 1)
		return false;
	r->scope = kc_grow(r->scope, &r->scope_cap, r->scopes + 1,
			   sizeof *r->scope);
	if (parent > 0) {
		struct kc_scope *s = &r->process->scope[r->scope[parent]];

		kc_str_add(&key, s->key, s->len);
		kc_str_add(&key, "", 1);
	}
	kc_str_add(&key, part[4].data, part[4].len);
	r->scope[r->scopes++] = find_scope(r, &key, part[3].data[0]);
	kc_str_free(&key);
	return true;
}

static bool
read_counts(struct reader *r, struct part *part, size_t n, bool waited)
{
	struct kc_counts *c;
	uint64_t scope, flags;
	size_t i;

	if (n != KC_WHAT + 3 || !number(&part[1], &scope) ||
	    !number(&part[2], &flags) || scope >= r->scopes)
		return false;
	r->now = kc_grow(r->now, &r->now_cap, r->nows + 1, sizeof *r->now);
	r->now_scope = kc_grow(r->now_scope, &r->now_cap2, r->nows + 1,
			       sizeof *r->now_scope);
	r->now_waited = kc_grow(r->now_waited, &r->now_cap3, r->nows + 1,
				sizeof *r->now_waited);
	c = &r->now[r->nows];
	memset(c, 0, sizeof *c);
	c->flags = (unsigned)flags;
	for (i = 0; i < KC_WHAT; i++)
		if (!number(&part[i + 3], &c->n[i]))
			return false;
	r->now_scope[r->nows] = r->scope[scope];
	r->now_waited[r->nows++] = waited;
	return true;
}

static bool
read_share(struct reader *r, struct part *part, size_t n)
{
	struct kc_counts *c;
	uint64_t id, k;
	size_t cap, i;

	if (n != 3 || r->nows == 0 || !number(&part[1], &id) ||
	    !number(&part[2], &k) || id >= r->kernels)
		return false;
	c = &r->now[r->nows - 1];
	/* Two symbols may be one declaration. */
	for (i = 0; r->demangle && i < c->shares; i++)
		if (c->share[i].kernel == r->kernel[id]) {
			c->share[i].n += k;
			return true;
		}
	cap = c->shares;
	/* Room in powers of two, found from the number alone. */
	if ((cap & (cap - 1)) == 0)
		c->share = kc_realloc(c->share, (cap != 0 ? cap * 2 : 1) *
							sizeof *c->share);
	c->share[c->shares++] = (struct kc_share){r->kernel[id], k};
	return true;
}

static int
by_kernel(const void *a, const void *b)
{
	const struct kc_share *x = a, *y = b;

	return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* Takes a total's kernels over into the one it follows: only those that
 * changed were written. */
static void
merge_shares(struct kc_counts *into, const struct kc_counts *from)
{
	struct kc_share *s;
	size_t i = 0, k = 0, n = 0;

	s = kc_alloc((into->shares + from->shares + 1) * sizeof *s);
	while (i < into->shares || k < from->shares) {
		if (k == from->shares ||
		    (i < into->shares &&
		     into->share[i].kernel < from->share[k].kernel))
			s[n++] = into->share[i++];
		else {
			if (i < into->shares &&
			    into->share[i].kernel == from->share[k].kernel)
				i++;
			s[n++] = from->share[k++];
		}
	}
	free(into->share);
	into->share = s;
	into->shares = n;
}

/* What is read is complete. */
static void
commit(struct reader *r)
{
	size_t i;

	for (i = 0; i < r->nows; i++) {
		struct kc_counts *c = &r->now[i];
		struct kc_scope *s = &r->process->scope[r->now_scope[i]];
		bool total = s->kind != KC_RANGE;

		if (c->shares > 0)
			qsort(c->share, c->shares, sizeof *c->share, by_kernel);
		if (r->cut == KC_CUT_SYNC) {
			r->wait(r->process, s, c, r->now_waited[i]);
			free(c->share);
			continue;
		}
		if (total && s->image == r->image) {
			struct kc_counts *old = &s->count[s->counts - 1];

			merge_shares(old, c);
			memcpy(old->n, c->n, sizeof old->n);
			old->flags = c->flags;
			free(c->share);
			continue;
		}
		s->image = r->image;
		s->count = kc_grow(s->count, &s->cap, s->counts + 1,
				   sizeof *s->count);
		s->count[s->counts++] = *c;
	}
	r->nows = 0;
}

static void
read_flag(struct reader *r, struct part *part, size_t n)
{
	uint64_t flags;
	size_t bit;

	if (n != 3 || !number(&part[1], &flags))
		return;
	if (part[2].len == 0) {
		r->process->flags |= (unsigned)flags;
		return;
	}
	for (bit = 0; bit < 32; bit++)
		if ((flags >> bit & 1) != 0 && r->process->about[bit] == NULL)
			r->process->about[bit] =
				kc_copy(part[2].data, part[2].len);
}

static bool
read_line(struct reader *r, const struct kc_line *line)
{
	struct part part[PARTS] = {{0}};
	size_t n = split(line, part);
	uint64_t k;

	if (part[0].len != 1)
		return false;
	switch (part[0].data[0]) {
	case 'P':
		if (n == 3) {
			free(r->process->program);
			r->process->program =
				kc_copy(part[2].data, part[2].len);
		}
		return n == 3;
	case 'D':
		if (n != 2 || !number(&part[1], &k))
			return false;
		if (r->process->cuda != 0)
			r->process->cuda = (int)k;
		return true;
	case 'K':
		return read_kernel(r, part, n);
	case 'S':
		return read_scope(r, part, n);
	case 'C':
	case 'c':
		return read_counts(r, part, n, part[0].data[0] == 'C');
	case 'k':
		return read_share(r, part, n);
	case '.':
		commit(r);
		return n == 1;
	case 'F':
		read_flag(r, part, n);
		return n == 3;
	case 'O':
		if (n != 2 || !number(&part[1], &k) || k >= r->scopes)
			return false;
		r->process->scope[r->scope[k]].open = true;
		return true;
	case 'E':
	case 'R':
		return n == 1;
	default:
		return false;
	}
}

/* Adds up the totals of programs that followed each other in one process. */
static void
add_images(struct kc_process *p)
{
	size_t i, k, w;

	for (i = 0; i < p->scopes; i++) {
		struct kc_scope *s = &p->scope[i];

		if (s->counts < 2 || s->kind == KC_RANGE)
			continue;
		for (k = 1; k < s->counts; k++) {
			struct kc_counts *a = &s->count[0], *b = &s->count[k];
			size_t j;

			for (w = 0; w < KC_WHAT; w++)
				a->n[w] += b->n[w];
			a->flags |= b->flags;
			for (j = 0; j < b->shares; j++)
				for (w = 0; w < a->shares; w++)
					if (a->share[w].kernel ==
					    b->share[j].kernel)
						b->share[j].n += a->share[w].n;
			merge_shares(a, b);
		}
		s->counts = 1;
	}
}

bool
kc_journal_read(const char *dir, pid_t pid, enum kc_cut cut, bool demangled,
		struct kc_process *process, kc_wait_fn *wait)
{
	struct reader r = {0};

	memset(process, 0, sizeof *process);
	process->pid = pid;
	process->cuda = -1;
	process->whole = true;
	r.process = process;
	r.cut = cut;
	r.demangle = demangled;
	r.wait = wait;
	for (r.image = 1;; r.image++) {
		struct kc_in in;
		struct kc_line line;
		char *path;

		if (asprintf(&path, "%s/%ld.%zu", dir, (long)pid, r.image - 1) <
		    0)
			kc_die("no memory");
		if (access(path, F_OK) != 0) {
			free(path);
			break;
		}
		r.kernels = r.scopes = r.nows = 0;
		r.ended = false;
		kc_in_open(&in, path);
		while (kc_in_line(&in, &line)) {
			r.ended = line.whole && line.len == 1 &&
				  line.data[0] == 'E';
			if (!line.whole)
				break;
			if (!read_line(&r, &line))
				kc_die("%s:%" PRIu64 ": not a line of a "
				       "journal",
				       path, in.line);
		}
		kc_in_close(&in);
		free(path);
		process->whole = process->whole && r.ended;
	}
	if (r.image == 1)
		return false;
	if (cut != KC_CUT_SYNC)
		add_images(process);
	free(r.kernel);
	free(r.scope);
	free(r.now);
	free(r.now_scope);
	free(r.now_waited);
	kc_map_free(&r.scope_map);
	return true;
}

void
kc_journal_free(struct kc_process *p)
{
	size_t i, k;

	for (i = 0; i < p->scopes; i++) {
		for (k = 0; k < p->scope[i].counts; k++)
			free(p->scope[i].count[k].share);
		free(p->scope[i].count);
		free(p->scope[i].name);
		free(p->scope[i].key);
	}
	for (i = 0; i < sizeof p->about / sizeof *p->about; i++)
		free(p->about[i]);
	free(p->scope);
	free(p->program);
}

static int
by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

pid_t *
kc_journal_pids(const char *dir, size_t *n)
{
	size_t cap = 0;
	pid_t *list = NULL;
	struct dirent *e;
	DIR *d = opendir(dir);

	*n = 0;
	if (d == NULL)
		kc_die("%s:", dir);
	for (errno = 0; (e = readdir(d)) != NULL; errno = 0) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);

		if (end == e->d_name || strcmp(end, ".0") != 0)
			continue;
		list = kc_grow(list, &cap, *n + 1, sizeof *list);
		list[(*n)++] = (pid_t)pid;
	}
	if (errno != 0)
		kc_die("%s:", dir);
	closedir(d);
	if (list != NULL)
		qsort(list, *n, sizeof *list, by_pid);
	return list;
}
