/*
 * law.h: the integer law that counts follow over a size.
 *
 * A law is a + b*f(n), or a + b*f(n) + d*f(n)*(f(n)+1)/2, with whole numbers,
 * where f(n) is n, ceil(n/c) or ceil(log2(n)). It fits when it gives each count
 * exactly.
 */
#ifndef KC_LAW_H
#define KC_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kc.h"

/* How fast a law grows. */
enum kc_growth {
	KC_CONSTANT,
	KC_LOG,
	KC_LINEAR,
	KC_QUADRATIC,
	KC_NO_LAW,
};

/* A size and the launches counted at it, both at most KC_LAW_MAX. */
struct kc_point {
	uint64_t n;
	uint64_t launches;
};

#define KC_LAW_MAX ((uint64_t)INT32_MAX)

struct kc_law {
	enum kc_growth growth;
	int64_t a, b, d;
	uint64_t c;	/* of ceil(n/c); 1 for n itself */
	bool log;	/* f is ceil(log2(n)) */
	size_t fitted;	/* points that it takes to find it */
	bool checked;	/* there are more, so it predicts the rest */
	size_t others;	/* laws of this form, with another c, that fit too */
	uint64_t other; /* the c of one of them */
	uint64_t tells; /* a size at which most of them differ; 0 for none */
};

/*
 * The law of `n` points, sorted by size, no size twice. Forms are tried in one
 * order, the simplest first: constant, linear in n, log, linear in chunks,
 * quadratic in n, quadratic in chunks; of chunks the powers of two from the
 * largest on, then the others from the largest on (up to 4096). The law is the
 * first that gives all points, and `fitted` is how many points, from the
 * smallest size on, it takes for it to be the first, and to determine its
 * numbers, of which its chunk is one. Where no form gives all points it is
 * KC_NO_LAW.
 */
struct kc_law kc_law_find(const struct kc_point *point, size_t n);

/* Adds the law as text, with `name` for the size: "13 + 8*ceil(seq/64)". */
void kc_law_text(struct kc_str *out, const struct kc_law *law,
		 const char *name);

/*
 * The value at size `n` of an expression: whole numbers, the size as `name` or
 * "n", + - * /, parentheses, ceil() and, inside it, log2(). False, and what is
 * wrong in `*why`, when it is no such expression, or its value is not a whole
 * number from 0 to 2^63-1.
 */
bool kc_law_value(const char *expression, const char *name, uint64_t n,
		  uint64_t *value, const char **why);

#endif
