/* scan.h: the fast path over launch lines. */
#ifndef KC_SCAN_H
#define KC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The fewest bytes for which kc_scan_launches can find anything: one step and
 * the start of a line after it.
 */
enum { KC_SCAN_STEP = 512, KC_SCAN_AHEAD = 3 };

/*
 * Whether a line that starts at `data` is a launch line: `| ` and a digit, the
 * first of the duration. That is all that is ever asked of a launch line, here
 * and by kc_scan_launches alike: what else it holds, its end included, counts
 * for nothing, since the table after it names the kernels and says how many
 * launches there were. `len` is what may be read.
 */
bool kc_is_launch(const char *data, size_t len);

/*
 * Finds launch lines, by kc_is_launch's rule, at the front of `len` bytes that
 * begin with one. Returns the length of a run of whole ones, each with its
 * newline, and their number in `*lines`. The run may be shorter than it could
 * be, or empty: it stops at most a step and a line before the first other line,
 * or before the end of the bytes.
 */
size_t kc_scan_launches(const char *data, size_t len, uint64_t *lines);

#endif
