/* rx.c: regular expressions, all of them PCRE2's. See LICENSE. */
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "kc.h"
#include "rx.h"

/*
 * Limits for one match. The log's own patterns need a few steps for each byte
 * of a line; these are far above that and far below what a pattern of a user's
 * would need to keep a filter busy for minutes. The heap is in KiB.
 */
enum { STEP_LIMIT = 10000000, DEPTH_LIMIT = 100000, HEAP_LIMIT_KIB = 16384 };

/* The stack that compiled patterns use: what it starts with and its limit. */
enum { JIT_STACK_MIN = 32 << 10, JIT_STACK_MAX = 1 << 20 };

struct kc_rx {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	const char *pattern;
	const char *subject;
};

static char *
error_text(int code)
{
	PCRE2_UCHAR text[256];

	/* Every message of PCRE2 fits; it is cut, not overrun, if one did
	 * not. */
	(void)pcre2_get_error_message(code, text, sizeof(text));
	return kc_copy((const char *)text, strlen((const char *)text));
}

struct kc_rx *
kc_rx_new(const char *pattern, enum kc_rx_mode mode)
{
	struct kc_rx *rx = kc_alloc(sizeof(*rx));
	uint32_t options = PCRE2_NEVER_BACKSLASH_C;
	pcre2_jit_stack *stack;
	PCRE2_SIZE where;
	int code;

	if (mode == KC_RX_TEXT)
		/* Subjects are somebody's bytes: with MATCH_INVALID_UTF what
		 * is not UTF-8 simply does not match (pcre2unicode(3)). */
		options |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
	rx->pattern = pattern;
	rx->subject = NULL;
	rx->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
				 options, &code, &where, NULL);
	if (rx->code == NULL)
		kc_die("bad regular expression %s at byte %zu: %s",
		       kc_quote(pattern, strlen(pattern)), (size_t)where,
		       error_text(code));
	rx->data = pcre2_match_data_create_from_pattern(rx->code, NULL);
	rx->context = pcre2_match_context_create(NULL);
	if (rx->data == NULL || rx->context == NULL)
		kc_die("out of memory");
	pcre2_set_match_limit(rx->context, STEP_LIMIT);
	pcre2_set_depth_limit(rx->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(rx->context, HEAP_LIMIT_KIB);
	/* Where there is no JIT the interpreter gives the same answers. */
	if (getenv("KC_NOJIT") == NULL &&
	    pcre2_jit_compile(rx->code, PCRE2_JIT_COMPLETE) == 0) {
		stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX,
					       NULL);
		if (stack == NULL)
			kc_die("out of memory");
		pcre2_jit_stack_assign(rx->context, NULL, stack);
	}
	return rx;
}

bool
kc_rx_match(struct kc_rx *rx, const char *data, size_t len)
{
	int n = pcre2_match(rx->code, (PCRE2_SPTR)data, len, 0, 0, rx->data,
			    rx->context);

	if (n == PCRE2_ERROR_NOMATCH)
		return false;
	if (n < 0)
		kc_die("regular expression %s failed on %s: %s",
		       kc_quote(rx->pattern, strlen(rx->pattern)),
		       kc_quote(data, len), error_text(n));
	rx->subject = data;
	return true;
}

const char *
kc_rx_group(const struct kc_rx *rx, size_t n, size_t *len)
{
	PCRE2_SIZE *at = pcre2_get_ovector_pointer(rx->data);

	if (at[2 * n] == PCRE2_UNSET) {
		*len = 0;
		return rx->subject;
	}
	*len = at[2 * n + 1] - at[2 * n];
	return rx->subject + at[2 * n];
}
