/*
 * image: find the kernels in what a program gives cuModuleLoadData: PTX (the
 * null NVRTC's, or a real compiler's), a cubin (an ELF file), or a fat binary
 * of those that is not compressed. A kernel is found only if the image really
 * holds it. Formats: PTX ISA 8.8, "Kernel Function Directives"; ELF; the fat
 * binary's header as cuobjdump prints it. See LICENSE.
 */
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "null.h"

static struct entry *
add(struct image *im, const char *name, size_t len)
{
	struct entry *e;

	im->v = kn_grow(im->v, &im->cap, im->n + 1, sizeof(*im->v));
	e = &im->v[im->n++];
	memset(e, 0, sizeof(*e));
	e->name = kn_alloc(len + 1);
	memcpy(e->name, name, len);
	return e;
}

/* Forget the entry that was added last. */
static void
drop(struct image *im)
{
	im->n--;
	free(im->v[im->n].name);
	free(im->v[im->n].param);
}

void
kn_image_free(struct image *im)
{
	while (im->n != 0)
		drop(im);
	free(im->v);
	memset(im, 0, sizeof(*im));
}

/* One <source-name> of the Itanium C++ ABI's mangling, a length and a word,
 * at *p. Moves past it; returns whether it is name.
 */
static bool
source_name(const char **p, const char *name)
{
	char *word;
	unsigned long len = strtoul(*p, &word, 10);

	if (len > strlen(word))
		len = strlen(word);
	*p = word + len;
	return len == strlen(name) && strncmp(word, name, len) == 0;
}

/* Whether full is the name of a function called name, by that mangling: _Z,
 * maybe L for a static one, then its name, or N, the names of what it is in
 * and its own, and E; template arguments and types come after.
 */
static bool
mangles(const char *full, const char *name)
{
	const char *p = full + 2;
	bool found = false;

	if (strncmp(full, "_Z", 2) != 0)
		return false;
	p += *p == 'L';
	if (isdigit((unsigned char)*p))
		return source_name(&p, name) && *p != '\0';
	if (*p++ != 'N')
		return false;
	/* The last of the names is the function's. */
	while (isdigit((unsigned char)*p))
		found = source_name(&p, name);
	return found && (*p == 'E' || *p == 'I');
}

const struct entry *
kn_image_find(const struct image *im, const char *name)
{
	for (size_t i = 0; i < im->n; i++)
		if (im->v[i].mangled ? mangles(name, im->v[i].name)
				     : strcmp(name, im->v[i].name) == 0)
			return &im->v[i];
	return NULL;
}

/* --- PTX --- */

struct lexer {
	const char *p;	  /* what is not read yet */
	const char *word; /* the word read last, and its length; 0 at the end */
	size_t len;
};

static bool
in_word(int c)
{
	return isalnum(c) || c == '_' || c == '.' || c == '$' || c == '%';
}

/* Read the next word, string or mark. */
static void
next(struct lexer *l)
{
	const char *p = l->p;

	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (p[0] == '/' && p[1] == '/') {
			p += strcspn(p, "\n");
		} else if (p[0] == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");

			p = end != NULL ? end + 2 : p + strlen(p);
		} else {
			break;
		}
	}
	l->word = p;
	if (*p == '"') {
		p++;
		while (*p != '\0' && *p != '"')
			p++;
		p += *p == '"';
	} else if (in_word((unsigned char)*p)) {
		while (in_word((unsigned char)*p))
			p++;
	} else if (*p != '\0') {
		p++;
	}
	l->len = (size_t)(p - l->word);
	l->p = p;
}

static bool
is(const struct lexer *l, const char *s)
{
	return l->len == strlen(s) && memcmp(l->word, s, l->len) == 0;
}

/* The size in bytes of one of PTX's types, .b8 to .f64; 0 if it is none. */
static size_t
type_size(const struct lexer *l)
{
	if (l->len < 3 || l->word[0] != '.' ||
	    strchr("busf", l->word[1]) == NULL)
		return 0;
	return strtoul(l->word + 2, NULL, 10) / 8;
}

/* A variable's size and alignment: a type, maybe an array of it. Ends at the
 * mark that follows; at a comma or the end of a list or statement.
 */
static size_t
variable(struct lexer *l, size_t *align)
{
	size_t size = 0, n = 1;

	*align = 0;

	while (l->len != 0 && !is(l, ",") && !is(l, ")") && !is(l, ";") &&
	       !is(l, "{")) {
		if (type_size(l) != 0) {
			size = type_size(l);
		} else if (is(l, ".align")) {
			next(l);
			*align = strtoul(l->word, NULL, 10);
		} else if (is(l, "[")) {
			next(l);
			n = strtoul(l->word, NULL, 10);
		}
		next(l);
	}
	if (*align == 0)
		*align = size != 0 ? size : 1;
	return size * n;
}

/* The kernel's parameters, after its name. */
static void
parameters(struct lexer *l, struct entry *e)
{
	size_t cap = 0, end = 0, align;
	struct param *p;

	if (!is(l, "("))
		return;
	next(l);
	while (l->len != 0 && !is(l, ")") && !is(l, "{")) {
		if (is(l, ",")) {
			next(l);
			continue;
		}
		e->param = kn_grow(e->param, &cap, e->nparams + 1,
				   sizeof(*e->param));
		p = &e->param[e->nparams++];
		p->size = variable(l, &align);
		p->offset = (end + align - 1) / align * align;
		end = p->offset + p->size;
	}
	if (is(l, ")"))
		next(l);
}

/* Up to three numbers after a directive. */
static void
numbers(struct lexer *l, unsigned v[3])
{
	v[0] = v[1] = v[2] = 1;
	next(l);
	for (int i = 0;
	     i < 3 && l->len != 0 && isdigit((unsigned char)*l->word); i++) {
		v[i] = (unsigned)strtoul(l->word, NULL, 10);
		next(l);
		if (is(l, ","))
			next(l);
	}
}

/* The null NVRTC's word on a kernel it did not compile. Returns whether it is
 * one of those.
 */
static bool
pragma(struct lexer *l, struct entry *e)
{
	const char *n, *end;
	bool ours;

	next(l);
	end = l->word + l->len;
	ours = l->len > 9 && strncmp(l->word, "\"kc-null ", 9) == 0;
	if (ours) {
		n = strstr(l->word, "params=");
		if (n != NULL && n < end) {
			e->nparams = strtoul(n + 7, NULL, 10);
			free(e->param);
			e->param = NULL;
		}
		n = strstr(l->word, "mangled");
		e->mangled = n != NULL && n < end;
	}
	next(l);
	if (is(l, ";"))
		next(l);
	return ours;
}

/* A body: only its shared variables are looked at. Returns whether it ends. */
static bool
body(struct lexer *l, struct entry *e)
{
	int depth = 0;
	size_t align;

	if (!is(l, "{"))
		return false;
	do {
		if (is(l, "{"))
			depth++;
		else if (is(l, "}"))
			depth--;
		else if (is(l, ".shared")) {
			e->smem += (unsigned)variable(l, &align);
			continue;
		}
		next(l);
	} while (depth > 0 && l->len != 0);
	return depth == 0;
}

static CUresult
kernel(struct lexer *l, struct image *im)
{
	struct entry *e;
	unsigned v[3];
	bool ours = false;

	next(l);
	if (l->len == 0 || !in_word((unsigned char)*l->word))
		return CUDA_ERROR_INVALID_PTX;
	e = add(im, l->word, l->len);
	e->target = im->target;
	next(l);
	parameters(l, e);
	while (l->len != 0 && !is(l, "{") && !is(l, ";")) {
		if (is(l, ".maxntid")) {
			numbers(l, v);
			e->maxntid = v[0] * v[1] * v[2];
		} else if (is(l, ".reqntid")) {
			numbers(l, e->reqntid);
		} else if (is(l, ".reqnctapercluster")) {
			numbers(l, e->cluster);
		} else if (is(l, ".pragma")) {
			ours = pragma(l, e) || ours;
		} else {
			next(l);
		}
	}
	if (is(l, ";")) { /* declared alone */
		drop(im);
		return CUDA_SUCCESS;
	}
	/* A source may hold a name twice: overloaded, or on either side of an
	 * #else.
	 */
	for (size_t i = 0; i + 1 < im->n && !ours; i++)
		if (strcmp(im->v[i].name, e->name) == 0)
			return CUDA_ERROR_INVALID_PTX;
	return body(l, e) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

static CUresult
read_ptx(const char *text, struct image *im)
{
	struct lexer l = {.p = text};
	CUresult rc = CUDA_SUCCESS;
	char *end;

	next(&l);
	if (!is(&l, ".version"))
		return CUDA_ERROR_INVALID_IMAGE;
	im->ptx = true;
	next(&l);
	im->version = (int)strtoul(l.word, NULL, 10) * 10;
	if (memchr(l.word, '.', l.len) != NULL)
		im->version += atoi((char *)memchr(l.word, '.', l.len) + 1);
	while (l.len != 0 && rc == CUDA_SUCCESS) {
		if (is(&l, ".entry")) {
			rc = kernel(&l, im);
			continue;
		}
		if (is(&l, ".target")) {
			next(&l);
			if (l.len < 4 || strncmp(l.word, "sm_", 3) != 0)
				return CUDA_ERROR_INVALID_PTX;
			im->target = (int)strtoul(l.word + 3, &end, 10);
			im->only = isalpha((unsigned char)*end) ? *end : '\0';
		}
		next(&l);
	}
	if (im->version == 0 || im->target == 0)
		rc = CUDA_ERROR_INVALID_PTX;
	return rc;
}

/* --- cubin --- */

/* A cubin has no length of its own; its headers say how far it goes, and the
 * caller vouches for that, as with the real driver.
 */
static CUresult
read_elf(const void *data, struct image *im)
{
	const Elf64_Ehdr *h = data;
	const Elf64_Shdr *sh;
	const char *names;

	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shoff == 0 ||
	    h->e_shentsize != sizeof(*sh) || h->e_shstrndx >= h->e_shnum)
		return CUDA_ERROR_INVALID_IMAGE;
	sh = (const void *)((const char *)data + h->e_shoff);
	names = (const char *)data + sh[h->e_shstrndx].sh_offset;
	/* A kernel k has a section .nv.info.k and code in .text.k; a device
	 * function has code alone.
	 */
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const char *n = names + sh[i].sh_name;

		if (strncmp(n, ".nv.constant0.", 14) == 0)
			add(im, n + 14, strlen(n + 14))->unknown = true;
	}
	for (size_t i = 0; i < im->n; i++)
		for (unsigned j = 0; j < h->e_shnum; j++) {
			const char *n = names + sh[j].sh_name;

			if (strncmp(n, ".nv.shared.", 11) == 0 &&
			    strcmp(n + 11, im->v[i].name) == 0)
				im->v[i].smem = (unsigned)sh[j].sh_size;
		}
	return CUDA_SUCCESS;
}

/* --- fat binaries --- */

struct fat_wrapper {
	unsigned magic, version;
	const void *data;
	void *unused;
};

struct fat_head {
	unsigned magic;
	unsigned short version, head;
	unsigned long long size;
};

struct fat_item {
	unsigned short kind, unused;
	unsigned head;
	unsigned long long size;
	unsigned packed;
	unsigned unused2[3];
	unsigned long long flags;
};

#define FAT_WRAPPER 0x466243b1u
#define FAT_HEAD 0xba55ed50u
#define FAT_PTX 1
#define ELF_HEAD 0x464c457fu /* \177ELF */
#define FAT_PACKED 0xa000u   /* LZ4, Zstandard */

static CUresult
read_fat(const char *data, struct image *im)
{
	struct fat_head h;
	struct fat_item item;
	const char *p, *end;
	bool packed = false;

	memcpy(&h, data, sizeof(h));
	p = data + h.head;
	end = p + h.size;
	while (p + sizeof(item) <= end) {
		CUresult rc;

		memcpy(&item, p, sizeof(item));
		if (item.head < sizeof(item) ||
		    item.size > (unsigned long long)(end - p))
			return CUDA_ERROR_INVALID_IMAGE;
		if (item.packed != 0 || (item.flags & FAT_PACKED) != 0) {
			packed = true;
		} else {
			/* Items differ in the device they are for, not in
			 * their kernels: the first that can be read will do.
			 */
			rc = item.kind == FAT_PTX ? read_ptx(p + item.head, im)
						  : read_elf(p + item.head, im);
			if (rc == CUDA_SUCCESS && im->n != 0)
				return rc;
			kn_image_free(im);
		}
		p += item.head + item.size;
	}
	if (packed)
		kn_say("a fat binary is compressed, its kernels' names cannot "
		       "be read");
	return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* Whether data starts with these four bytes. A text may be shorter: it is not
 * read past a byte that differs.
 */
static bool
starts(const void *data, unsigned magic)
{
	const unsigned char *p = data;

	for (int i = 0; i < 4; i++)
		if (p[i] != (magic >> 8 * i & 0xff))
			return false;
	return true;
}

/* Read an image's kernels. Returns the error that loading it would give. */
CUresult
kn_image_read(const void *data, struct image *out)
{
	CUresult rc;

	memset(out, 0, sizeof(*out));
	if (starts(data, FAT_WRAPPER)) {
		struct fat_wrapper w;

		memcpy(&w, data, sizeof(w));
		data = w.data;
		if (!starts(data, FAT_HEAD))
			return CUDA_ERROR_INVALID_IMAGE;
	}
	if (starts(data, FAT_HEAD))
		rc = read_fat(data, out);
	else if (starts(data, ELF_HEAD))
		rc = read_elf(data, out);
	else
		rc = read_ptx(data, out);
	if (rc != CUDA_SUCCESS)
		kn_image_free(out);
	return rc;
}
