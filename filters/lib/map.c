/* map.c: from a run of bytes to a number, by open addressing. See LICENSE. */
#include <stdint.h>
#include <stdlib.h>

#include "kc.h"
#include "map.h"

struct kc_map_slot {
	const char *key; /* NULL: free */
	size_t len;
	uint64_t hash;
	size_t value;
};

/* FNV-1a, 64 bits (RFC 9923), then mixed, as its low bits are weak. */
static uint64_t
hash(const char *key, size_t len)
{
	uint64_t h = UINT64_C(14695981039346656037);
	size_t i;

	for (i = 0; i < len; i++) {
		h ^= (unsigned char)key[i];
		h *= UINT64_C(1099511628211);
	}
	return h ^ (h >> 29);
}

static struct kc_map_slot *
find(const struct kc_map *map, const char *key, size_t len, uint64_t h)
{
	size_t i = (size_t)h & (map->cap - 1);

	while (map->slot[i].key != NULL &&
	       (map->slot[i].hash != h ||
		!kc_same(map->slot[i].key, map->slot[i].len, key, len)))
		i = (i + 1) & (map->cap - 1);
	return &map->slot[i];
}

static void
grow(struct kc_map *map)
{
	struct kc_map old = *map;
	size_t i;

	if (old.cap > SIZE_MAX / 4 / sizeof(*map->slot))
		kc_die("out of memory");
	map->cap = old.cap > 0 ? 2 * old.cap : 64;
	map->slot = kc_alloc(map->cap * sizeof(*map->slot));
	for (i = 0; i < map->cap; i++)
		map->slot[i] = (struct kc_map_slot){0};
	for (i = 0; i < old.cap; i++)
		if (old.slot[i].key != NULL)
			*find(map, old.slot[i].key, old.slot[i].len,
			      old.slot[i].hash) = old.slot[i];
	free(old.slot);
}

size_t *
kc_map_at(struct kc_map *map, const char *key, size_t len, size_t absent)
{
	uint64_t h = hash(key, len);
	struct kc_map_slot *slot;

	/* At most three quarters full, so that every search ends. */
	if (4 * (map->n + 1) > 3 * map->cap)
		grow(map);
	slot = find(map, key, len, h);
	if (slot->key == NULL) {
		*slot = (struct kc_map_slot){key, len, h, absent};
		map->n++;
	}
	return &slot->value;
}

size_t
kc_map_get(const struct kc_map *map, const char *key, size_t len, size_t absent)
{
	struct kc_map_slot *slot;

	if (map->cap == 0)
		return absent;
	slot = find(map, key, len, hash(key, len));
	return slot->key != NULL ? slot->value : absent;
}

void
kc_map_free(struct kc_map *map)
{
	free(map->slot);
	*map = (struct kc_map){0};
}
