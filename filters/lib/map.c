/*
 * map.c: from a run of bytes to a number. See LICENSE.
 *
 * The keys are somebody's text: ids of a list, cells of a report. A tree that
 * libc keeps balanced (tsearch(3)) has no worst case that such text could aim
 * at, and the same steps in every process; a hash table would need a secret.
 */
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kc.h"
#include "map.h"

struct kc_map_entry {
	const char *key;
	size_t len;
	size_t value;
	struct kc_map_entry *before; /* made before it, to be freed */
};

/* By length first, so that most pairs need no look at their bytes. */
static int
order(const void *a, const void *b)
{
	const struct kc_map_entry *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return x->len > 0 ? memcmp(x->key, y->key, x->len) : 0;
}

size_t *
kc_map_at(struct kc_map *map, const char *key, size_t len, size_t absent)
{
	struct kc_map_entry want = {key, len, absent, map->last}, *entry;
	void **found;

	found = tfind(&want, &map->root, order);
	if (found == NULL) {
		entry = kc_alloc(sizeof(*entry));
		*entry = want;
		if (tsearch(entry, &map->root, order) == NULL)
			kc_die("out of memory");
		map->last = entry;
		return &entry->value;
	}
	entry = *found;
	return &entry->value;
}

size_t
kc_map_get(const struct kc_map *map, const char *key, size_t len, size_t absent)
{
	const struct kc_map_entry want = {key, len, absent, NULL};
	void **found = tfind(&want, &map->root, order);

	return found != NULL ? ((const struct kc_map_entry *)*found)->value
			     : absent;
}

void
kc_map_free(struct kc_map *map)
{
	while (map->last != NULL) {
		struct kc_map_entry *entry = map->last;

		map->last = entry->before;
		(void)tdelete(entry, &map->root, order);
		free(entry);
	}
}
