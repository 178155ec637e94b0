/* scan.h: the fast path over launch lines. */
#ifndef KC_SCAN_H
#define KC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that kc_scan_launches looks at in one call, and the bytes after
 * them that must be readable. */
enum { KC_SCAN_BLOCK = 4096, KC_SCAN_AHEAD = 3 };

/*
 * Whether a line that starts at `data` is a launch line, as far as its start
 * tells: `| ` and a digit, the first of the duration. `len` is what may be
 * read.
 */
bool kc_is_launch(const char *data, size_t len);

/*
 * Looks at KC_SCAN_BLOCK bytes: true when every line that begins after a
 * newline among them is a launch line by kc_is_launch's rule; then `*lines` is
 * the number of those newlines. Reads KC_SCAN_AHEAD bytes more.
 */
bool kc_scan_launches(const char *data, size_t *lines);

#endif
