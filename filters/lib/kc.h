/* kc.h: what every filter needs: errors, memory, numbers, a checked end. */
#ifndef KC_H
#define KC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#define KC_VERSION "0.1.0"

/*
 * Exit statuses, as in diff(1). KC_DIFFERENT is for the filters that judge a
 * difference; KC_TROUBLE is usage, input, output, memory, or a count refused.
 */
enum { KC_OK = 0, KC_DIFFERENT = 1, KC_TROUBLE = 2 };

/*
 * What a program says of itself. `synopsis` is what follows the name in the
 * usage line (one line for each form, separated by newlines) and what the man
 * page's synopsis shows; `about` is the one sentence under it in -h.
 */
struct kc_program {
	const char *name;
	const char *synopsis;
	const char *about;
};

/*
 * Makes `program` the one that messages name. Call it first in main.
 */
void kc_start(const struct kc_program *program);

/*
 * For a filter that keeps what it reads: from here on it has at most
 * KC_MEMORY_MAX bytes of memory, or what the system allows if that is less, and
 * ends with KC_TROUBLE and a message when it needs more. Call it first in main,
 * after kc_start. (Not where a sanitizer's own memory would count.)
 */
void kc_bound_memory(void);
#define KC_MEMORY_MAX ((size_t)1 << 30)

/* The name given to kc_start. */
const char *kc_name(void);

/*
 * Answers the options that every filter has. `opt` is what getopt(3) returned
 * and is not one of the program's own: 'h' prints the usage, 'V' the version,
 * both on stdout with status 0; '?' or ':' is an error. Does not return.
 */
noreturn void kc_common_option(int opt);

/* Prints `why` and the usage on stderr, then ends with KC_TROUBLE. */
noreturn void kc_usage(const char *why, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Prints "NAME: MESSAGE\n" on stderr. A format that ends in ':' has the text of
 * errno put after it, as in perror(3).
 */
void kc_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* kc_warn, then ends with KC_TROUBLE. */
noreturn void kc_die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * The bytes of somebody's text made fit for a message: in single quotes, what
 * is not printable ASCII or valid UTF-8 as \xNN, cut at 80 bytes with "...".
 * The result is allocated and belongs to the caller.
 */
char *kc_quote(const char *data, size_t len);

/*
 * Ends a program: flushes and closes stdout, and turns `status` into
 * KC_TROUBLE with a message when what was written did not all arrive.
 * Use it as `return kc_finish(status);`.
 */
int kc_finish(int status);

/* malloc, realloc and a copy of `len` bytes (plus a NUL), which end the
 * program with KC_TROUBLE when there is no memory. */
void *kc_alloc(size_t size);
void *kc_realloc(void *old, size_t size);
char *kc_copy(const char *data, size_t len);

/*
 * Makes room for at least `need` elements of `size` bytes in an array of
 * `*cap`, by doubling. Returns the array, moved or not, and updates `*cap`.
 */
void *kc_grow(void *array, size_t *cap, size_t need, size_t size);

/*
 * A string that grows: `data` holds `len` bytes and a NUL after them once
 * something was added. Starts as all zeros; kc_str_free makes it so again.
 */
struct kc_str {
	char *data;
	size_t len;
	size_t cap;
};

void kc_str_add(struct kc_str *str, const char *data, size_t len);
void kc_str_puts(struct kc_str *str, const char *text);
void kc_str_free(struct kc_str *str);

/* Whether two runs of bytes are the same. */
bool kc_same(const char *a, size_t alen, const char *b, size_t blen);

/*
 * Reads all of `data` as decimal digits into `*out`. Returns NULL, or what is
 * wrong: "expected digits" or "too large for 64 bits". The form is strict: no
 * sign, no space, at least one digit.
 */
const char *kc_number(const char *data, size_t len, uint64_t *out);

/* Adds `b` to `*a`; false, and `*a` as it was, when 64 bits are too few. */
bool kc_add(uint64_t *a, uint64_t b);

/*
 * The length in bytes of the UTF-8 sequence at `data` (1 to 4), or 0 when the
 * bytes there are none: overlong forms, surrogates, values over U+10FFFF and
 * cut sequences included (RFC 3629).
 */
size_t kc_utf8(const char *data, size_t len);

#endif
