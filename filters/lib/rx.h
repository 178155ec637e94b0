/* rx.h: regular expressions, all of them PCRE2's. */
#ifndef KC_RX_H
#define KC_RX_H

#include <stdbool.h>
#include <stddef.h>

struct kc_rx;

/* How a pattern reads its subject. */
enum kc_rx_mode {
	KC_RX_BYTES, /* as bytes: for the log's own grammar */
	KC_RX_TEXT,  /* as UTF-8, where it is valid: for a user's pattern */
};

/*
 * Compiles `pattern` and, unless KC_NOJIT is set in the environment, turns it
 * into machine code. A pattern that does not parse ends the program with
 * KC_TROUBLE and the place in the pattern. The result lasts until exit.
 */
struct kc_rx *kc_rx_new(const char *pattern, enum kc_rx_mode mode);

/*
 * Whether the subject matches. Limits on steps, depth and memory are set; a
 * subject that exceeds them ends the program with KC_TROUBLE, so that "no
 * match" always means no match.
 */
bool kc_rx_match(struct kc_rx *rx, const char *data, size_t len);

/*
 * The bytes of group `n` (0 is the whole match) of the last match, inside its
 * subject; the length is 0 when the group took no part.
 */
const char *kc_rx_group(const struct kc_rx *rx, size_t n, size_t *len);

#endif
