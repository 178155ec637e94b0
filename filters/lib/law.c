/* law.c: the integer law that counts follow over a size. See LICENSE. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "law.h"

/* Products of two or three numbers of 31 bits. */
__extension__ typedef __int128 wide;

/* Chunks that are looked for. Larger ones are powers of two. */
enum { CHUNK_MAX = 4096 };

/* Laws of one form that are told apart. */
enum { OTHERS_MAX = 256 };

static uint64_t
ceil_log2(uint64_t n)
{
	uint64_t bits = 0;

	while (bits < 63 && (UINT64_C(1) << bits) < n)
		bits++;
	return bits;
}

static wide
f(const struct kc_law *law, uint64_t n)
{
	uint64_t chunks = n / law->c + (n % law->c != 0);

	return law->log ? ceil_log2(n) : chunks;
}

static wide
value(const struct kc_law *law, uint64_t n)
{
	wide m = f(law, n);

	return law->a + law->b * m + law->d * (m * (m + 1) / 2);
}

/* Whether a/b is whole and fits what a law holds; the quotient. */
static bool
whole(wide a, wide b, int64_t *quotient)
{
	wide q;

	if (b == 0 || a % b != 0)
		return false;
	q = a / b;
	if (q > INT32_MAX || q < -(wide)INT32_MAX)
		return false;
	*quotient = (int64_t)q;
	return true;
}

/* The next point after `i` at which f differs, or `n`. */
static size_t
next(const struct kc_law *law, const struct kc_point *point, size_t n, size_t i)
{
	size_t j = i + 1;

	while (j < n && f(law, point[j].n) == f(law, point[i].n))
		j++;
	return j;
}

/* The first point that the law, all of whose numbers are set, does not give. */
static size_t
given(const struct kc_law *law, const struct kc_point *point, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (value(law, point[i].n) != (wide)point[i].launches)
			break;
	return i;
}

/* The first point that has other launches than the one before, though f is the
 * same: no law of this form gives both. */
static size_t
torn(const struct kc_law *law, const struct kc_point *point, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (point[i].launches != point[i - 1].launches &&
		    f(law, point[i].n) == f(law, point[i - 1].n))
			break;
	return i;
}

/*
 * Determines the numbers of a law whose form is set, from the first points at
 * which f differs. Returns the index of the first point that such a law cannot
 * give, `n` when the law gives them all.
 */
static size_t
fit(struct kc_law *law, const struct kc_point *point, size_t n)
{
	size_t last = torn(law, point, n), j, k, i;
	wide df, dy, dt, ef, ey, et, a;

	law->a = (int64_t)point[0].launches;
	law->b = law->d = 0;
	j = next(law, point, n, 0);
	if (law->growth == KC_CONSTANT || j >= last) {
		i = given(law, point, n);
		return i < last ? i : last;
	}
	df = f(law, point[j].n) - f(law, point[0].n);
	dy = (wide)point[j].launches - (wide)point[0].launches;
	if (law->growth == KC_QUADRATIC) {
		k = next(law, point, n, j);
		if (k >= last)
			return last;
		/* Two equations for b and d, by Cramer's rule. */
		ef = f(law, point[k].n) - f(law, point[j].n);
		ey = (wide)point[k].launches - (wide)point[j].launches;
		dt = df * (f(law, point[j].n) + f(law, point[0].n) + 1) / 2;
		et = ef * (f(law, point[k].n) + f(law, point[j].n) + 1) / 2;
		if (!whole(df * ey - ef * dy, df * et - ef * dt, &law->d) ||
		    law->d == 0)
			return k;
		dy -= law->d * dt;
	}
	if (!whole(dy, df, &law->b))
		return j;
	a = 2 * (wide)law->a - value(law, point[0].n);
	if (!whole(a, 1, &law->a))
		return j;
	return given(law, point, n);
}

/* The chunks to try, in order: powers of two from the largest on, then the
 * others. 0 after the last. */
static uint64_t
next_chunk(uint64_t c, uint64_t largest)
{
	bool power = (c & (c - 1)) == 0;

	if (power && c > 2)
		return c / 2;
	c = power ? largest + 1 : c;
	if (power && c > CHUNK_MAX)
		c = CHUNK_MAX;
	do
		c--;
	while (c > 2 && (c & (c - 1)) == 0);
	return c > 2 ? c : 0;
}

static uint64_t
first_chunk(uint64_t largest)
{
	uint64_t c = 1;

	while (c * 2 <= largest)
		c *= 2;
	return c;
}

/* Of what sizes it could be told from its others, the one that tells most. */
static void
tell_apart(struct kc_law *law, const struct kc_law *others, size_t n,
	   uint64_t largest)
{
	size_t best = 0, differ, i;
	uint64_t size, last = largest < CHUNK_MAX ? largest : CHUNK_MAX;

	for (size = 1; size <= last; size++) {
		for (i = differ = 0; i < n; i++)
			differ += value(law, size) != value(&others[i], size);
		if (differ > best) {
			best = differ;
			law->tells = size;
		}
	}
}

/*
 * The search: forms are tried in the order of preference, and `need` is how
 * many points it takes to rule out those that were tried, so that the law is
 * the first that agrees with so many of the smallest sizes.
 */
struct search {
	const struct kc_point *point;
	size_t n;
	size_t need;
	struct kc_law law;
	bool found;
};

/* Tries a form that has so many numbers to determine, its chunk included. */
static bool
try(struct search *s, const struct kc_law *form, size_t numbers)
{
	struct kc_law law = *form;
	size_t outlived = fit(&law, s->point, s->n);

	if (outlived < s->n) {
		if (s->need < outlived + 1)
			s->need = outlived + 1;
		return false;
	}
	law.fitted = numbers > s->need ? numbers : s->need;
	law.checked = law.fitted < s->n;
	s->law = law;
	s->found = true;
	return true;
}

/* Counts the laws of the same form with another chunk, later in the order. */
static void
find_others(struct search *s)
{
	uint64_t largest = s->point[s->n - 1].n, c = s->law.c;
	struct kc_law *others = NULL;
	size_t cap = 0, n = 0;

	while ((c = next_chunk(c, largest)) != 0) {
		struct kc_law other = {.growth = s->law.growth, .c = c};

		if (fit(&other, s->point, s->n) < s->n)
			continue;
		if (s->law.others++ == 0)
			s->law.other = c;
		if (n == OTHERS_MAX)
			continue;
		others = kc_grow(others, &cap, n + 1, sizeof(*others));
		others[n++] = other;
	}
	if (n > 0)
		tell_apart(&s->law, others, n, largest);
	free(others);
}

static void
try_chunks(struct search *s, enum kc_growth growth, size_t numbers)
{
	uint64_t largest = s->point[s->n - 1].n, c;

	for (c = largest < 2 ? 0 : first_chunk(largest); c != 0 && !s->found;
	     c = next_chunk(c, largest)) {
		struct kc_law form = {.growth = growth, .c = c};

		if (try(s, &form, numbers))
			find_others(s);
	}
}

struct kc_law
kc_law_find(const struct kc_point *point, size_t n)
{
	static const struct kc_law constant = {.growth = KC_CONSTANT, .c = 1};
	static const struct kc_law logarithm = {
		.growth = KC_LOG, .c = 1, .log = true};
	static const struct kc_law linear = {.growth = KC_LINEAR, .c = 1};
	static const struct kc_law square = {.growth = KC_QUADRATIC, .c = 1};
	struct search s = {
		.point = point, .n = n, .law = {.growth = KC_NO_LAW}};

	if (n == 0 || try(&s, &constant, 1) || try(&s, &linear, 2) ||
	    (point[0].n > 0 && try(&s, &logarithm, 2)))
		return s.law;
	try_chunks(&s, KC_LINEAR, 3);
	if (!s.found)
		(void)try(&s, &square, 3);
	if (!s.found)
		try_chunks(&s, KC_QUADRATIC, 4);
	return s.law;
}

/* " + 8*", " - ", "8*": what stands before a term. */
static void
add_factor(struct kc_str *out, int64_t factor, bool first, bool number)
{
	char text[32];
	int64_t n = factor < 0 ? -factor : factor;

	if (!first)
		kc_str_puts(out, factor < 0 ? " - " : " + ");
	else if (factor < 0)
		kc_str_puts(out, "-");
	if (number || n != 1) {
		snprintf(text, sizeof(text), "%" PRId64 "%s", n,
			 number ? "" : "*");
		kc_str_puts(out, text);
	}
}

static void
add_f(struct kc_str *out, const struct kc_law *law, const char *name)
{
	char text[32];

	if (law->log)
		kc_str_puts(out, "ceil(log2(");
	else if (law->c > 1)
		kc_str_puts(out, "ceil(");
	kc_str_puts(out, name);
	snprintf(text, sizeof(text), "/%" PRIu64 ")", law->c);
	kc_str_puts(out, law->log ? "))" : law->c > 1 ? text : "");
}

void
kc_law_text(struct kc_str *out, const struct kc_law *law, const char *name)
{
	/* b*m + d*m*(m + 1)/2 is (b + d/2)*m + d/2*m*m, nicer where d/2 is
	 * whole. */
	bool square = law->d % 2 == 0, first = true;
	int64_t b = square ? law->b + law->d / 2 : law->b;
	int64_t d = square ? law->d / 2 : law->d;

	if (law->growth == KC_NO_LAW) {
		kc_str_puts(out, "none");
		return;
	}
	if (law->a != 0 || (b == 0 && d == 0)) {
		add_factor(out, law->a, true, true);
		first = false;
	}
	if (b != 0) {
		add_factor(out, b, first, false);
		add_f(out, law, name);
		first = false;
	}
	if (d != 0) {
		add_factor(out, d, first, false);
		add_f(out, law, name);
		kc_str_puts(out, square ? "*" : "*(");
		add_f(out, law, name);
		kc_str_puts(out, square ? "" : " + 1)/2");
	}
}

/* Expressions, by recursive descent over fractions. */

struct fraction {
	wide over, under; /* under > 0 */
};

struct parser {
	const char *at;
	const char *name;
	uint64_t n;
	const char *why;
	unsigned depth;
};

static struct fraction sum(struct parser *p);

static void
skip(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

static bool
take(struct parser *p, const char *text)
{
	skip(p);
	if (strncmp(p->at, text, strlen(text)) != 0)
		return false;
	p->at += strlen(text);
	return true;
}

static struct fraction
wrong(struct parser *p, const char *why)
{
	if (p->why == NULL)
		p->why = why;
	return (struct fraction){0, 1};
}

static struct fraction
fraction(struct parser *p, wide over, wide under)
{
	const wide most = (wide)INT64_MAX;
	wide a = over < 0 ? -over : over, b = under, rest;

	if (under == 0)
		return wrong(p, "division by 0");
	while (b != 0) {
		rest = a % b;
		a = b;
		b = rest;
	}
	over /= a;
	under /= a;
	if (over > most || over < -most || under > most)
		return wrong(p, "a number too large for 63 bits");
	return (struct fraction){over, under};
}

static struct fraction
number(struct parser *p)
{
	size_t len = strspn(p->at, "0123456789");
	uint64_t n;

	if (kc_number(p->at, len, &n) != NULL || n > INT64_MAX)
		return wrong(p, "a number too large for 63 bits");
	p->at += len;
	return (struct fraction){(wide)n, 1};
}

static struct fraction
closed(struct parser *p, struct fraction value)
{
	if (!take(p, ")"))
		return wrong(p, "expected ')'");
	return value;
}

static struct fraction
rounded_up(struct parser *p)
{
	struct fraction x;

	if (take(p, "log2(")) {
		x = closed(p, sum(p));
		if (p->why == NULL && (x.under != 1 || x.over < 1))
			return wrong(p, "log2 of what is no whole number "
					"from 1 on");
		x.over = (wide)ceil_log2((uint64_t)x.over);
	} else {
		x = sum(p);
	}
	x = closed(p, x);
	if (x.over > 0)
		x.over += x.under - 1;
	return (struct fraction){x.over / x.under, 1};
}

static struct fraction
factor(struct parser *p)
{
	struct fraction x;
	size_t len;

	skip(p);
	len = strspn(p->at, "abcdefghijklmnopqrstuvwxyz_0123456789");
	if (++p->depth > 64)
		return wrong(p, "too many parentheses");
	if (*p->at >= '0' && *p->at <= '9')
		x = number(p);
	else if (take(p, "ceil("))
		x = rounded_up(p);
	else if (take(p, "("))
		x = closed(p, sum(p));
	else if (len > 0 && (kc_same(p->at, len, "n", 1) ||
			     kc_same(p->at, len, p->name, strlen(p->name)))) {
		p->at += len;
		x = (struct fraction){(wide)p->n, 1};
	} else {
		x = wrong(p, "expected a number, the size's name, 'ceil(' or "
			     "'('");
	}
	p->depth--;
	return x;
}

static struct fraction
product(struct parser *p)
{
	struct fraction x = factor(p), y;

	while (p->why == NULL) {
		if (take(p, "*")) {
			y = factor(p);
			x = fraction(p, x.over * y.over, x.under * y.under);
		} else if (take(p, "/")) {
			y = factor(p);
			if (y.over <= 0)
				return wrong(p, "division by what is not more "
						"than 0");
			x = fraction(p, x.over * y.under, x.under * y.over);
		} else {
			break;
		}
	}
	return x;
}

static struct fraction
sum(struct parser *p)
{
	bool minus = take(p, "-");
	struct fraction x = product(p), y;

	if (minus)
		x.over = -x.over;
	while (p->why == NULL) {
		if (take(p, "+"))
			minus = false;
		else if (take(p, "-"))
			minus = true;
		else
			break;
		y = product(p);
		if (minus)
			y.over = -y.over;
		x = fraction(p, x.over * y.under + y.over * x.under,
			     x.under * y.under);
	}
	return x;
}

bool
kc_law_value(const char *expression, const char *name, uint64_t n,
	     uint64_t *result, const char **why)
{
	struct parser p = {.at = expression, .name = name, .n = n};
	struct fraction x = sum(&p);

	skip(&p);
	if (p.why == NULL && *p.at != '\0')
		p.why = "expected the end of the expression";
	if (p.why == NULL && (x.under != 1 || x.over < 0))
		p.why = "not a whole number from 0 on";
	*why = p.why;
	if (p.why != NULL)
		return false;
	*result = (uint64_t)x.over;
	return true;
}
