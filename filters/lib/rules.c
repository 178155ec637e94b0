/* rules.c: a file of limits for cases, each with its reason. See LICENSE. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "rules.h"
#include "rx.h"

/* Around the limit's own expression: the case, the configuration, and after it
 * the reason. The shortest case that lets the rest match is taken. */
#define BEFORE                                                  \
	"\\A\\s*(?|\"((?:[^\"\\\\]|\\\\.)+)\"|(\\S|\\S.*?\\S))" \
	"(?:\\s+on\\s+(\\S+))?\\s+("
#define AFTER ")(?:\\s+#\\s*(\\S.*?))?\\s*\\z"

static char *
group(const struct kc_rx *rx, size_t n)
{
	const char *data;
	size_t len;

	data = kc_rx_group(rx, n, &len);
	return len > 0 ? kc_copy(data, len) : NULL;
}

static void
take_line(struct kc_rules *rules, struct kc_rx *rx, const struct kc_line *line,
	  uint64_t number, const char *expected)
{
	struct kc_rule rule = {.line = number};

	if (memchr(line->data, '\0', line->len) != NULL ||
	    !kc_rx_match(rx, line->data, line->len))
		kc_die("%s:%" PRIu64 ": bad rule %s: expected CASES, perhaps "
		       "'on' CONFIGS, %s, and '#' with the reason",
		       rules->path, number, kc_quote(line->data, line->len),
		       expected);
	rule.cases = group(rx, 1);
	rule.configs = group(rx, 2);
	rule.limit = group(rx, 3);
	rule.reason = group(rx, 4);
	if (rule.reason == NULL)
		kc_die("%s:%" PRIu64 ": no reason for %s, expected '#' and why "
		       "after the limit",
		       rules->path, number,
		       kc_quote(rule.cases != NULL ? rule.cases : "",
				rule.cases != NULL ? strlen(rule.cases) : 0));
	rules->at = kc_grow(rules->at, &rules->cap, rules->n + 1,
			    sizeof(*rules->at));
	rules->at[rules->n++] = rule;
}

void
kc_rules_read(struct kc_rules *rules, const char *path, const char *limit,
	      const char *expected)
{
	struct kc_str pattern = {0};
	struct kc_line line;
	struct kc_rx *rx;
	struct kc_in in;
	size_t i;

	kc_str_puts(&pattern, BEFORE);
	kc_str_puts(&pattern, limit);
	kc_str_puts(&pattern, AFTER);
	rx = kc_rx_new(pattern.data, KC_RX_BYTES);
	rules->path = path;
	kc_in_open(&in, path);
	while (kc_in_line(&in, &line)) {
		for (i = 0; i < line.len; i++)
			if (strchr(" \t\r", line.data[i]) == NULL ||
			    line.data[i] == '\0')
				break;
		if (i < line.len && line.data[i] != '#')
			take_line(rules, rx, &line, in.line, expected);
	}
	kc_in_close(&in);
}

static bool
matches(const char *pattern, const struct kc_field *name)
{
	/* A name is of bytes; one with a NUL is its own and no pattern's. */
	return memchr(name->data, '\0', name->len) == NULL &&
	       fnmatch(pattern, name->data, 0) == 0;
}

void
kc_patterns_add(struct kc_patterns *patterns, const char *pattern)
{
	patterns->at = kc_grow(patterns->at, &patterns->cap, patterns->n + 1,
			       sizeof(*patterns->at));
	patterns->at[patterns->n++] = pattern;
}

bool
kc_patterns_match(const struct kc_patterns *patterns,
		  const struct kc_field *name)
{
	size_t i;

	for (i = 0; i < patterns->n; i++)
		if (matches(patterns->at[i], name))
			return true;
	return patterns->n == 0;
}

static bool
covers(const struct kc_rule *rule, size_t config, size_t of)
{
	return rule->case_matches[of] && rule->config_matches[config];
}

static bool
used(const struct kc_rule *rule, const struct kc_result *const *results,
     size_t n)
{
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < results[i]->n; j++)
			if (covers(rule, results[i]->count[j].config,
				   results[i]->count[j].of))
				return true;
	return false;
}

void
kc_rules_apply(struct kc_rules *rules, const struct kc_vocab *vocab,
	       const struct kc_result *const *results, size_t n)
{
	const struct kc_names *cases = &vocab->cases;
	const struct kc_names *configs = &vocab->configs;
	size_t i, j;

	for (i = 0; i < rules->n; i++) {
		struct kc_rule *rule = &rules->at[i];

		rule->case_matches = kc_alloc(cases->n * sizeof(bool));
		for (j = 0; j < cases->n; j++)
			rule->case_matches[j] =
				matches(rule->cases, &cases->at[j]);
		rule->config_matches = kc_alloc(configs->n * sizeof(bool));
		for (j = 0; j < configs->n; j++)
			rule->config_matches[j] =
				rule->configs == NULL ||
				matches(rule->configs, &configs->at[j]);
		if (!used(rule, results, n))
			kc_die("%s:%" PRIu64 ": %s matches no count, expected "
			       "the name or pattern of a case",
			       rules->path, rule->line,
			       kc_quote(rule->cases, strlen(rule->cases)));
	}
}

const struct kc_rule *
kc_rules_for(const struct kc_rules *rules, size_t config, size_t of)
{
	size_t i;

	for (i = rules->n; i > 0; i--)
		if (covers(&rules->at[i - 1], config, of))
			return &rules->at[i - 1];
	return NULL;
}
