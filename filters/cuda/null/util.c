/* util: the null driver's lock, memory, clock and words. See LICENSE. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "null.h"

pthread_mutex_t kn_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t kn_done = PTHREAD_COND_INITIALIZER;

/* Take the lock; what GUARD's cleanup is handed. */
int
kn_enter(void)
{
	pthread_mutex_lock(&kn_mutex);
	return 1;
}

void
kn_leave(int *held)
{
	if (*held)
		pthread_mutex_unlock(&kn_mutex);
}

/* One line to standard error, in one write, so that lines of several threads
 * or processes do not mix.
 */
static void
say(const char *fmt, va_list ap)
{
	char line[1024];
	int head, n;
	ssize_t put;

	head = snprintf(line, sizeof(line), "kc-null: ");
	n = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, fmt, ap);
	if (n < 0)
		return;
	n += head;
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	for (int i = head; i < n; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	line[n++] = '\n';
	put = write(STDERR_FILENO, line, (size_t)n);
	(void)put; /* nobody is left to be told */
}

void
kn_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

/* Say it and end the process. For faults that leave no right answer to give:
 * the driver's own structures cannot be kept, so no count could be trusted.
 */
void
kn_fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	abort();
}

/* Zeroed memory; never NULL. */
void *
kn_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (p == NULL)
		kn_fatal("out of host memory: %zu bytes", size);
	return p;
}

/* An array of *cap members of a size, made to hold want of them, doubling;
 * new members are not set. Returns the array's new address; never NULL.
 */
void *
kn_grow(void *p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 8;

	if (want <= *cap && p != NULL)
		return p;
	while (n < want)
		if (__builtin_mul_overflow(n, 2, &n))
			kn_fatal("out of host memory: %zu members", want);
	p = reallocarray(p, n, size);
	if (p == NULL)
		kn_fatal("out of host memory: %zu members", n);
	*cap = n;
	return p;
}

/* The monotonic clock in nanoseconds. */
uint64_t
kn_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
