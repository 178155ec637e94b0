/*
 * scan.c: the fast path over launch lines. See LICENSE.
 *
 * A log is launch lines for the most part, and of each only its start matters:
 * the table that follows says how many there must have been. So bytes are
 * looked at in steps, with one plain loop that the compiler turns into vector
 * instructions: is each newline followed by `| ` and a digit, and how many
 * newlines are there? A step with any other line is left to the grammar, which
 * reads line by line.
 */
#include "scan.h"

/* What -O2 leaves scalar in gcc; clang vectorises at -O2. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

/*
 * On x86-64 the loop is compiled twice and the processor picks at load time.
 * It halves the time of a log in the page cache; see the README's table.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(KC_NO_CLONES)
#define KC_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KC_CLONES
#endif

/*
 * A mapped log comes from memory, and the processor's own prefetching ends with
 * each page: asking for bytes so far ahead halves the time. Any address may be
 * asked for.
 */
enum { CACHE_LINE = 64, FETCH_AHEAD = 2048 };
#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

bool
kc_is_launch(const char *data, size_t len)
{
	return len >= 3 && data[0] == '|' && data[1] == ' ' && data[2] >= '0' &&
	       data[2] <= '9';
}

/*
 * The bytes of the leading steps in which every line that begins after a
 * newline is a launch line, and the number of those newlines. A step counts
 * them in a byte: it holds at most 128 lines that pass, each of four bytes or
 * more, so a count that is used never wrapped.
 */
KC_CLONES static size_t
scan(const char *data, size_t len, uint64_t *lines)
{
	size_t at = 0, i;

	*lines = 0;
	for (; len - at >= KC_SCAN_STEP + KC_SCAN_AHEAD; at += KC_SCAN_STEP) {
		const unsigned char *p = (const unsigned char *)data + at;
		unsigned char count = 0, foreign = 0;

		for (i = 0; i < KC_SCAN_STEP; i += CACHE_LINE)
			PREFETCH(p + FETCH_AHEAD + i);
		for (i = 0; i < KC_SCAN_STEP; i++) {
			unsigned char nl = p[i] == '\n';
			unsigned char launch =
				(p[i + 1] == '|') & (p[i + 2] == ' ') &
				((unsigned char)(p[i + 3] - '0') < 10);

			count = (unsigned char)(count + nl);
			foreign = (unsigned char)(foreign | (nl & !launch));
		}
		if (foreign)
			break;
		*lines += count;
	}
	return at;
}

/* Not itself the clone: clang 14 names a clone that other files call in a way
 * that they do not find. */
size_t
kc_scan_launches(const char *data, size_t len, uint64_t *lines)
{
	size_t at = scan(data, len, lines);

	/* The last newline ends the last whole line. */
	if (*lines == 0)
		return 0;
	while (data[at - 1] != '\n')
		at--;
	return at;
}
