/* kc.c: errors, memory, numbers, a checked end. See LICENSE. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kc.h"

/* The longest piece of somebody's text that a message shows, in bytes. */
enum { QUOTE_MAX = 80 };

static const struct kc_program *program = &(struct kc_program){"kc", "", ""};

void
kc_start(const struct kc_program *p)
{
	program = p;
}

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

static bool bounded;

void
kc_bound_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) != 0 ||
	    (limit.rlim_cur != RLIM_INFINITY &&
	     limit.rlim_cur <= KC_MEMORY_MAX))
		return;
	limit.rlim_cur = KC_MEMORY_MAX;
	if (setrlimit(RLIMIT_DATA, &limit) == 0)
		bounded = true;
#endif
}

static noreturn void
out_of_memory(void)
{
	if (bounded)
		kc_die("out of memory, expected input that takes at most %zu "
		       "MiB",
		       KC_MEMORY_MAX >> 20);
	kc_die("out of memory");
}

const char *
kc_name(void)
{
	return program->name;
}

static void
message(const char *format, va_list ap)
{
	int saved = errno;
	size_t len = strlen(format);

	fprintf(stderr, "%s: ", program->name);
	vfprintf(stderr, format, ap);
	if (len > 0 && format[len - 1] == ':')
		fprintf(stderr, " %s", strerror(saved));
	fputc('\n', stderr);
}

void
kc_warn(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
}

void
kc_die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	exit(KC_TROUBLE);
}

static void
print_usage(FILE *to)
{
	const char *line = program->synopsis;
	const char *lead = "usage: ";

	do {
		size_t len = strcspn(line, "\n");

		fprintf(to, "%s%s%s%.*s\n", lead, program->name,
			len > 0 ? " " : "", (int)len, line);
		line += len + (line[len] == '\n');
		lead = "       ";
	} while (*line != '\0');
}

void
kc_usage(const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	message(why, ap);
	va_end(ap);
	print_usage(stderr);
	exit(KC_TROUBLE);
}

void
kc_common_option(int opt)
{
	switch (opt) {
	case 'h':
		print_usage(stdout);
		printf("%s\n", program->about);
		exit(kc_finish(KC_OK));
	case 'V':
		printf("%s %s\n", program->name, KC_VERSION);
		exit(kc_finish(KC_OK));
	case ':':
		kc_usage("option '-%c' needs a value", optopt);
	default:
		kc_usage("unknown option '-%c'", optopt);
	}
}

char *
kc_quote(const char *data, size_t len)
{
	struct kc_str out = {0};
	size_t i = 0, n;
	char hex[8];

	kc_str_puts(&out, "'");
	while (i < len && out.len <= QUOTE_MAX) {
		unsigned char c = (unsigned char)data[i];

		n = kc_utf8(data + i, len - i);
		if (n == 0 || c < 0x20 || c == 0x7f) {
			snprintf(hex, sizeof(hex), "\\x%02X", c);
			kc_str_puts(&out, hex);
			n = 1;
		} else {
			kc_str_add(&out, data + i, n);
		}
		i += n;
	}
	kc_str_puts(&out, i < len ? "...'" : "'");
	return out.data;
}

int
kc_finish(int status)
{
	/* A write that failed earlier leaves the stream's error flag, and the
	 * last buffer may fail only now: each is asked. */
	bool bad = ferror(stdout) != 0;

	if (fflush(stdout) != 0)
		bad = true;
	if (bad) {
		kc_warn("<stdout>: write failed:");
		/* Not again at exit(3). */
		(void)close(STDOUT_FILENO);
		return KC_TROUBLE;
	}
	if (close(STDOUT_FILENO) != 0 && errno != EBADF) {
		kc_warn("<stdout>: close failed:");
		return KC_TROUBLE;
	}
	return status;
}

void *
kc_alloc(size_t size)
{
	void *p = malloc(size > 0 ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
kc_realloc(void *old, size_t size)
{
	void *p = realloc(old, size > 0 ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

char *
kc_copy(const char *data, size_t len)
{
	char *p;

	if (len == SIZE_MAX)
		out_of_memory();
	p = kc_alloc(len + 1);
	if (len > 0)
		memcpy(p, data, len);
	p[len] = '\0';
	return p;
}

void *
kc_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap > 0 ? *cap : 16;

	if (need <= *cap)
		return array;
	while (n < need) {
		if (n > SIZE_MAX / 2)
			out_of_memory();
		n *= 2;
	}
	if (n > SIZE_MAX / size)
		out_of_memory();
	array = kc_realloc(array, n * size);
	*cap = n;
	return array;
}

void
kc_str_add(struct kc_str *str, const char *data, size_t len)
{
	if (len > SIZE_MAX - str->len - 1)
		out_of_memory();
	str->data = kc_grow(str->data, &str->cap, str->len + len + 1, 1);
	if (len > 0)
		memcpy(str->data + str->len, data, len);
	str->len += len;
	str->data[str->len] = '\0';
}

void
kc_str_puts(struct kc_str *str, const char *text)
{
	kc_str_add(str, text, strlen(text));
}

void
kc_str_free(struct kc_str *str)
{
	free(str->data);
	*str = (struct kc_str){0};
}

bool
kc_same(const char *a, size_t alen, const char *b, size_t blen)
{
	return alen == blen && (alen == 0 || memcmp(a, b, alen) == 0);
}

bool
kc_add(uint64_t *a, uint64_t b)
{
	if (b > UINT64_MAX - *a)
		return false;
	*a += b;
	return true;
}

const char *
kc_number(const char *data, size_t len, uint64_t *out)
{
	uint64_t n = 0;
	size_t i;

	if (len == 0)
		return "expected digits";
	for (i = 0; i < len; i++)
		if (data[i] < '0' || data[i] > '9')
			return "expected digits";
	for (i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)(data[i] - '0');

		if (n > (UINT64_MAX - digit) / 10)
			return "too large for 64 bits";
		n = n * 10 + digit;
	}
	*out = n;
	return NULL;
}

size_t
kc_utf8(const char *data, size_t len)
{
	const unsigned char *p = (const unsigned char *)data;
	unsigned char low = 0x80, high = 0xbf;
	size_t n, i;

	if (len == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (len < n)
		return 0;
	/* The first continuation byte is narrower after four lead bytes: no
	 * overlong form, no surrogate, nothing over U+10FFFF. */
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return n;
}
