/* image: the kernels that a module's image holds. See LICENSE. */
#ifndef KC_NULL_IMAGE_H
#define KC_NULL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "abi.h"

struct param {
	size_t offset, size;
};

struct entry {
	char *name;
	bool mangled; /* name is what the source calls it, and the caller's
		       * is that name mangled by C++'s rules */
	size_t nparams;
	struct param *param; /* or NULL if they are not known */
	bool unknown;	     /* not even the number of parameters is known */
	int target;	     /* the PTX's, or 0 */
	unsigned maxntid, reqntid[3], smem, cluster[3];
};

struct image {
	struct entry *v;
	size_t n, cap;
	int version, target; /* of PTX: 88 is 8.8, 90 is sm_90 */
	char only;	     /* sm_90a: 'a'; sm_100f: 'f'; or 0 */
	bool ptx;
};

CUresult kn_image_read(const void *data, struct image *out);
void kn_image_free(struct image *im);
const struct entry *kn_image_find(const struct image *im, const char *name);

#endif
