/* map.h: from a run of bytes to a number. */
#ifndef KC_MAP_H
#define KC_MAP_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as all zeros; kc_map_free makes it so again. */
struct kc_map {
	void *root;
	struct kc_map_entry *last;
};

/*
 * The place of the value that `key` stands for. A key that is not there yet is
 * put in, with the value `absent`; its bytes are the caller's and must last as
 * long as the map. The place is good until the next call.
 */
size_t *kc_map_at(struct kc_map *map, const char *key, size_t len,
		  size_t absent);

/* The value of `key`, or `absent` when it is not there. */
size_t kc_map_get(const struct kc_map *map, const char *key, size_t len,
		  size_t absent);

void kc_map_free(struct kc_map *map);

#endif
