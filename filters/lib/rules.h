/*
 * rules.h: a file of limits for cases, each with its reason.
 *
 *	CASES [on CONFIGS] LIMIT # REASON
 *
 * CASES and CONFIGS are patterns as of fnmatch(3), where `*` matches `/` too;
 * CASES may stand in double quotes, and must where it would be read otherwise.
 * Empty lines and lines that start with `#` are comments. The last rule that
 * matches a count is the one for it.
 */
#ifndef KC_RULES_H
#define KC_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result.h"

struct kc_rule {
	char *cases;
	char *configs; /* NULL: all */
	char *limit;
	char *reason;
	uint64_t line;
	bool *case_matches;   /* by case */
	bool *config_matches; /* by configuration */
};

struct kc_rules {
	const char *path;
	struct kc_rule *at;
	size_t n;
	size_t cap;
};

/*
 * Reads the rules of the file `path`, whose limits match the regular expression
 * `limit` (without groups). A line that is no rule ends the program with
 * KC_TROUBLE and its place; `expected` describes the limits in that message.
 */
void kc_rules_read(struct kc_rules *rules, const char *path, const char *limit,
		   const char *expected);

/*
 * Applies the rules to the names of a sorted vocabulary. A rule that matches no
 * count of the `n` results is a typo, and ends the program with KC_TROUBLE.
 */
void kc_rules_apply(struct kc_rules *rules, const struct kc_vocab *vocab,
		    const struct kc_result *const *results, size_t n);

/* The rule for a count, or NULL. */
const struct kc_rule *kc_rules_for(const struct kc_rules *rules, size_t config,
				   size_t of);

/* Patterns of which a name must match one; any name does where there is none.
 * Zeroed at first. */
struct kc_patterns {
	const char **at;
	size_t n;
	size_t cap;
};

void kc_patterns_add(struct kc_patterns *patterns, const char *pattern);
bool kc_patterns_match(const struct kc_patterns *patterns,
		       const struct kc_field *name);

#endif
