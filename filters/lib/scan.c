/*
 * scan.c: the fast path over launch lines. See LICENSE.
 *
 * A log is launch lines for the most part, and of each only its start matters:
 * the table that follows says how many there must have been. So whole blocks
 * are looked at with one plain loop that the compiler turns into vector
 * instructions: is each newline followed by `| ` and a digit, and how many
 * newlines are there? A block with any other line is read line by line.
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
 * A step counts newlines in bytes. 512 bytes hold at most 128 lines that pass,
 * each of four bytes or more, so a count that is used never wrapped.
 */
enum { STEP = 512 };

bool
kc_is_launch(const char *data, size_t len)
{
	return len >= 3 && data[0] == '|' && data[1] == ' ' && data[2] >= '0' &&
	       data[2] <= '9';
}

KC_CLONES static bool
scan(const char *data, size_t *lines)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t total = 0, at, i;
	unsigned char foreign = 0;

	for (at = 0; at < KC_SCAN_BLOCK; at += STEP) {
		unsigned char count = 0;

		for (i = at; i < at + STEP; i++) {
			unsigned char nl = p[i] == '\n';
			unsigned char launch =
				(p[i + 1] == '|') & (p[i + 2] == ' ') &
				((unsigned char)(p[i + 3] - '0') < 10);

			count = (unsigned char)(count + nl);
			foreign = (unsigned char)(foreign |
						  (nl & (unsigned char)(launch ^
									1)));
		}
		total += count;
	}
	*lines = total;
	return foreign == 0;
}

/* Not itself the clone: clang 14 names a clone that other files call in a way
 * that they do not find. */
bool
kc_scan_launches(const char *data, size_t *lines)
{
	return scan(data, lines);
}
