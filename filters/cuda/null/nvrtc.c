/*
 * nvrtc: a compiler that compiles nothing. It reads CUDA C++ for its kernels
 * (functions marked __global__), their launch bounds and the number of their
 * parameters, and gives PTX that declares just those, for the null driver to
 * load. A kernel that the source does not hold is in no image. Errors in the
 * source are not found; kc-null(7) says so. Interface: NVRTC 13. See LICENSE.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

typedef enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
	NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
	NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
	NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
} nvrtcResult;

struct text {
	char *p;
	size_t len, cap;
	bool failed;
};

struct program {
	char magic[8];
	char *source;
	bool compiled;
	struct text ptx, log;
};

typedef struct program *nvrtcProgram;

static const char magic[8] = "kcnvrtc";

static void
put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || t->failed)
		return;
	if (t->len + (size_t)n + 1 > t->cap) {
		size_t cap = (t->len + (size_t)n + 1) * 2;
		char *p = realloc(t->p, cap);

		if (p == NULL) {
			t->failed = true;
			return;
		}
		t->p = p;
		t->cap = cap;
	}
	va_start(ap, fmt);
	vsnprintf(t->p + t->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	t->len += (size_t)n;
}

/* --- reading the source --- */

struct lexer {
	const char *p;	  /* what is not read yet */
	const char *word; /* the word read last, and its length; 0 at the end */
	size_t len;
};

static bool
in_word(int c)
{
	return isalnum(c) || c == '_' || c == '$';
}

/* Past a string or character constant. */
static const char *
quoted(const char *p)
{
	char mark = *p++;

	while (*p != '\0' && *p != mark)
		p += *p == '\\' && p[1] != '\0' ? 2 : 1;
	return *p != '\0' ? p + 1 : p;
}

/* Read the next word, constant or mark; comments and directives of the
 * preprocessor are passed over.
 */
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
		} else if (*p == '#') {
			while (*p != '\0' && *p != '\n')
				p += *p == '\\' && p[1] != '\0' ? 2 : 1;
		} else {
			break;
		}
	}
	l->word = p;
	if (*p == '"' || *p == '\'')
		p = quoted(p);
	else if (in_word((unsigned char)*p))
		while (in_word((unsigned char)*p))
			p++;
	else if (*p != '\0')
		p++;
	l->len = (size_t)(p - l->word);
	l->p = p;
}

static bool
is(const struct lexer *l, const char *s)
{
	return l->len == strlen(s) && memcmp(l->word, s, l->len) == 0;
}

/* At an opening mark: past the one that closes it. Counts the commas between
 * that are in no further brackets; *any says whether there was anything.
 */
static unsigned
bracketed(struct lexer *l, bool *any)
{
	int depth = 0;
	unsigned commas = 0;

	*any = false;
	do {
		if (is(l, "(") || is(l, "[") || is(l, "{") || is(l, "<"))
			depth++;
		else if (is(l, ")") || is(l, "]") || is(l, "}") || is(l, ">"))
			depth--;
		else if (depth == 1 && is(l, ","))
			commas++;
		if (depth > 1 || (depth == 1 && !is(l, "(")))
			*any = *any || !is(l, "void");
		next(l);
	} while (depth > 0 && l->len != 0);
	return commas;
}

/* Up to three numbers in brackets; 0 where there is more than a number. */
static void
numbers(struct lexer *l, unsigned v[3])
{
	struct lexer in;
	bool any;
	int n = 0, words = 0;

	v[0] = v[1] = v[2] = 0;
	if (!is(l, "("))
		return;
	in = *l;
	bracketed(l, &any);
	for (next(&in); n < 3 && in.len != 0 && in.word < l->word; next(&in)) {
		if (is(&in, ",") || is(&in, ")")) {
			n++;
			words = 0;
			continue;
		}
		v[n] = words++ == 0 && isdigit((unsigned char)*in.word)
			       ? (unsigned)strtoul(in.word, NULL, 0)
			       : 0;
	}
}

/* A kernel, from its __global__ on: attributes, the type void, a name, its
 * parameters in brackets.
 */
static void
kernel(struct lexer *l, struct text *ptx, bool mangled, unsigned bounds[3],
       unsigned cluster[3])
{
	unsigned n;
	const char *name = NULL;
	size_t len = 0;
	bool any;

	next(l);
	while (l->len != 0 && !is(l, ";") && !is(l, "{")) {
		if (is(l, "__launch_bounds__")) {
			next(l);
			numbers(l, bounds);
		} else if (is(l, "__cluster_dims__")) {
			next(l);
			numbers(l, cluster);
		} else if (is(l, "__attribute__") || is(l, "__align__")) {
			next(l);
			if (is(l, "("))
				bracketed(l, &any);
		} else if (is(l, "(")) {
			break;
		} else {
			if (in_word((unsigned char)*l->word)) {
				name = l->word;
				len = l->len;
			}
			next(l);
		}
	}
	if (name == NULL || !is(l, "("))
		return;
	n = bracketed(l, &any);
	if (!is(l, "{"))
		return; /* declared here, defined elsewhere */
	put(ptx, ".visible .entry %.*s()\n", (int)len, name);
	if (bounds[0] != 0)
		put(ptx, ".maxntid %u\n", bounds[0]);
	if (cluster[0] != 0)
		put(ptx, ".explicitcluster\n.reqnctapercluster %u, %u, %u\n",
		    cluster[0], cluster[1] ? cluster[1] : 1,
		    cluster[2] ? cluster[2] : 1);
	put(ptx, ".pragma \"kc-null params=%u%s\";\n{\n\tret;\n}\n",
	    any ? n + 1 : 0, mangled ? " mangled" : "");
}

/* All kernels. Names outside extern "C" are mangled by a compiler. */
static void
kernels(const char *source, struct text *ptx)
{
	struct lexer l = {.p = source};
	bool c_names = false; /* in extern "C" up to the next mark */
	unsigned bounds[3] = {0, 0, 0}, cluster[3] = {0, 0, 0};
	int depth = 0, c_block = -1;

	next(&l);
	while (l.len != 0) {
		if (is(&l, "extern")) {
			next(&l);
			if (is(&l, "\"C\"")) {
				c_names = true;
				next(&l);
				if (is(&l, "{")) {
					c_block = depth++;
					next(&l);
				}
			}
			continue;
		}
		if (is(&l, "__launch_bounds__")) {
			next(&l);
			numbers(&l, bounds);
			continue;
		}
		if (is(&l, "__cluster_dims__")) {
			next(&l);
			numbers(&l, cluster);
			continue;
		}
		if (is(&l, "__global__")) {
			kernel(&l, ptx, !c_names && c_block < 0, bounds,
			       cluster);
			c_names = false;
			bounds[0] = cluster[0] = 0;
			continue;
		}
		if (is(&l, "{"))
			depth++;
		if (is(&l, "}") && --depth == c_block)
			c_block = -1;
		if (is(&l, ";") || is(&l, "}")) {
			c_names = false;
			bounds[0] = cluster[0] = 0;
		}
		next(&l);
	}
}

/* A version of PTX that knows the target, and no later than it must be, so that
 * earlier drivers read it.
 */
static const char *
ptx_version(const char *sm)
{
	if (strlen(sm) > 5 && isdigit((unsigned char)sm[5])) /* sm_100 on */
		return "8.8";
	return strcmp(sm, "sm_90a") == 0 ? "8.0" : "7.8";
}

/* The target that the options name, as in sm_90a; compute_NN is meant too. */
static void
target(int n, const char *const *options, char *out, size_t size)
{
	const char *arch = NULL;

	for (int i = 0; i < n; i++) {
		if (strncmp(options[i], "--gpu-architecture=", 19) == 0)
			arch = options[i] + 19;
		else if (strncmp(options[i], "-arch=", 6) == 0)
			arch = options[i] + 6;
		else if ((strcmp(options[i], "-arch") == 0 ||
			  strcmp(options[i], "--gpu-architecture") == 0) &&
			 i + 1 < n)
			arch = options[++i];
	}
	if (arch != NULL && strncmp(arch, "compute_", 8) == 0)
		arch += 8;
	else if (arch != NULL && strncmp(arch, "sm_", 3) == 0)
		arch += 3;
	if (arch == NULL || !isdigit((unsigned char)*arch))
		arch = "75"; /* NVRTC 13's default */
	snprintf(out, size, "sm_%s", arch);
}

/* --- the calls --- */

static bool
valid(nvrtcProgram p)
{
	return p != NULL && memcmp(p->magic, magic, sizeof(magic)) == 0;
}

API nvrtcResult
nvrtcVersion(int *major, int *minor)
{
	if (major == NULL || minor == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = 13;
	*minor = 0;
	return NVRTC_SUCCESS;
}

API const char *
nvrtcGetErrorString(nvrtcResult rc)
{
	static const char *const names[] = {
		"NVRTC_SUCCESS",
		"NVRTC_ERROR_OUT_OF_MEMORY",
		"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
		"NVRTC_ERROR_INVALID_INPUT",
		"NVRTC_ERROR_INVALID_PROGRAM",
		"NVRTC_ERROR_INVALID_OPTION",
		"NVRTC_ERROR_COMPILATION",
		"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
		"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
		"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
		"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
		"NVRTC_ERROR_INTERNAL_ERROR",
	};

	if ((unsigned)rc >= sizeof(names) / sizeof(*names))
		return "NVRTC_ERROR unknown";
	return names[rc];
}

static const int archs[] = {75, 80,  86,  87,  88,  89,
			    90, 100, 103, 110, 120, 121};

API nvrtcResult
nvrtcGetNumSupportedArchs(int *n)
{
	if (n == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*n = (int)(sizeof(archs) / sizeof(*archs));
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcGetSupportedArchs(int *out)
{
	if (out == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(out, archs, sizeof(archs));
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name,
		   int nheaders, const char *const *headers,
		   const char *const *header_names)
{
	nvrtcProgram p;

	(void)name;
	if (out == NULL || source == NULL || nheaders < 0 ||
	    (nheaders != 0 && (headers == NULL || header_names == NULL)))
		return NVRTC_ERROR_INVALID_INPUT;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	memcpy(p->magic, magic, sizeof(magic));
	p->source = strdup(source);
	if (p->source == NULL) {
		free(p);
		return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	*out = p;
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcDestroyProgram(nvrtcProgram *p)
{
	if (p == NULL || !valid(*p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	(*p)->magic[0] = '\0';
	free((*p)->source);
	free((*p)->ptx.p);
	free((*p)->log.p);
	free(*p);
	*p = NULL;
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
	char sm[32];

	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (n < 0 || (n != 0 && options == NULL))
		return NVRTC_ERROR_INVALID_INPUT;
	p->ptx.len = 0;
	target(n, options, sm, sizeof(sm));
	put(&p->ptx,
	    "// The null NVRTC of kernel-count: nothing was compiled.\n"
	    ".version %s\n.target %s\n.address_size 64\n",
	    ptx_version(sm), sm);
	kernels(p->source, &p->ptx);
	if (p->ptx.failed)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->compiled = true;
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcGetPTXSize(nvrtcProgram p, size_t *size)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (size == NULL || !p->compiled)
		return NVRTC_ERROR_INVALID_INPUT;
	*size = p->ptx.len + 1;
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcGetPTX(nvrtcProgram p, char *out)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (out == NULL || !p->compiled)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(out, p->ptx.p, p->ptx.len + 1);
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (size == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*size = 1;
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcGetProgramLog(nvrtcProgram p, char *out)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (out == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*out = '\0';
	return NVRTC_SUCCESS;
}

/* No machine code is made: its size is zero, as it is when the target is a
 * virtual one.
 */
API nvrtcResult
nvrtcGetCUBINSize(nvrtcProgram p, size_t *size)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (size == NULL)
		return NVRTC_ERROR_INVALID_INPUT;
	*size = 0;
	return NVRTC_SUCCESS;
}

API nvrtcResult
nvrtcGetCUBIN(nvrtcProgram p, char *out)
{
	(void)out;
	return valid(p) ? NVRTC_ERROR_INVALID_INPUT
			: NVRTC_ERROR_INVALID_PROGRAM;
}
