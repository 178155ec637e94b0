/*
 * profile: the devices that the null driver stands for. KC_NULL_PROFILE
 * names one profile a device, separated by commas: a file's path if it has a
 * slash, else a file in the folder profiles/ beside this library. A profile
 * is lines of `key = value`, `#` starting a comment; kc-null(7) lists the
 * keys. A profile that leaves out a key, or has one nobody knows, is refused:
 * a guessed answer to a device query could change what kernels a program
 * picks. See LICENSE.
 */
#define _GNU_SOURCE /* dladdr, getline */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "null.h"

struct dev *kn_devs;
int kn_ndevs;

static const struct {
	int number;
	const char *name;
} attrs[] = {
#define A(number, name) {number, #name},
#include "attr.def"
#undef A
};

#define N_ATTRS (sizeof(attrs) / sizeof(*attrs))

/* A key's number: an attribute's, or beyond them one of the profile's own. */
enum {
	P_NAME = N_ATTR,
	P_MEMORY,
	P_OVERHEAD,
	P_LAUNCH,
	P_DRIVER,
	P_LEAST,
	P_GREATEST,
	P_END
};

static const char *const own[] = {
	"name",
	"memory",
	"context_memory",
	"launch_ns",
	"driver_version",
	"stream_priority_least",
	"stream_priority_greatest",
};

/* A number in decimal, of long long's range. */
static bool
number(const char *s, long long *out)
{
	char *end;

	errno = 0;
	*out = strtoll(s, &end, 10);
	return errno == 0 && end != s && *end == '\0';
}

static int
key(const char *s)
{
	for (size_t i = 0; i < N_ATTRS; i++)
		if (strcmp(attrs[i].name, s) == 0)
			return attrs[i].number;
	for (int i = 0; i < P_END - P_NAME; i++)
		if (strcmp(own[i], s) == 0)
			return P_NAME + i;
	return -1;
}

/* Give one key its value. Returns what is wrong with it, or NULL. */
static const char *
set(struct dev *d, int k, const char *value)
{
	static const long long most[] = {LLONG_MAX, LLONG_MAX, 1000000000,
					 999999,    INT_MAX,   INT_MAX};
	long long v;

	if (k == P_NAME) {
		d->name = strdup(value);
		if (d->name == NULL)
			kn_fatal("out of host memory");
		return *value ? NULL : "empty name";
	}
	if (!number(value, &v))
		return "expected a number";
	if (k < N_ATTR) {
		if (v < INT_MIN || v > INT_MAX)
			return "number out of range";
		d->attr[k] = (int)v;
		return NULL;
	}
	if (v > most[k - P_MEMORY] || (k < P_LEAST && v < 0) || v < INT_MIN)
		return "number out of range";
	switch (k) {
	case P_MEMORY:
		d->memory = (uint64_t)v;
		break;
	case P_OVERHEAD:
		d->overhead = (uint64_t)v;
		break;
	case P_LAUNCH:
		d->launch_ns = (unsigned)v;
		break;
	case P_DRIVER:
		d->driver_version = (int)v;
		break;
	case P_LEAST:
		d->prio_least = (int)v;
		break;
	default:
		d->prio_greatest = (int)v;
	}
	return NULL;
}

static char *
trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

/* Read one line of a profile. Returns what is wrong with it, or NULL. */
static const char *
take(struct dev *d, char *line, bool *seen)
{
	char *hash = strchr(line, '#'), *eq;
	int k;

	if (hash != NULL)
		*hash = '\0';
	line = trim(line);
	if (*line == '\0')
		return NULL;
	eq = strchr(line, '=');
	if (eq == NULL)
		return "expected 'key = value'";
	*eq = '\0';
	k = key(trim(line));
	if (k < 0)
		return "unknown key";
	if (seen[k])
		return "given twice";
	seen[k] = true;
	return set(d, k, trim(eq + 1));
}

/* Values no driver could work with. */
static const char *
implausible(const struct dev *d)
{
	for (int i = CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
	     i <= CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z; i++)
		if (d->attr[i] < 1)
			return "a block's or grid's limit below 1";
	if (d->attr[CU_DEVICE_ATTRIBUTE_WARP_SIZE] < 1 ||
	    d->attr[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] < 1)
		return "warp_size or multiprocessor_count below 1";
	if (d->memory <= d->overhead)
		return "memory not above context_memory";
	return NULL;
}

static CUresult
load(struct dev *d, const char *path)
{
	bool seen[P_END] = {false};
	const char *wrong = NULL;
	char *line = NULL;
	size_t cap = 0, no = 0;
	FILE *f = fopen(path, "re");

	if (f == NULL) {
		kn_say("%s: %s", path, strerror(errno));
		return CUDA_ERROR_NO_DEVICE;
	}
	while (wrong == NULL && getline(&line, &cap, f) != -1) {
		no++;
		wrong = take(d, line, seen);
		if (wrong != NULL)
			kn_say("%s:%zu: %s", path, no, wrong);
	}
	free(line);
	if (wrong == NULL && ferror(f)) {
		wrong = strerror(errno);
		kn_say("%s: %s", path, wrong);
	}
	fclose(f);
	for (size_t i = 0; wrong == NULL && i < N_ATTRS; i++)
		if (!seen[attrs[i].number]) {
			wrong = "missing";
			kn_say("%s: no '%s' given", path, attrs[i].name);
		}
	for (int i = P_NAME; wrong == NULL && i < P_END; i++)
		if (!seen[i]) {
			wrong = "missing";
			kn_say("%s: no '%s' given", path, own[i - P_NAME]);
		}
	if (wrong == NULL && (wrong = implausible(d)) != NULL)
		kn_say("%s: %s", path, wrong);
	return wrong == NULL ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

/* The name programs see: the profile's, in words that say what this is. */
static void
rename_dev(struct dev *d)
{
	char *name;

	if (asprintf(&name, "kernel-count null driver (%s profile)", d->name) <
	    0)
		kn_fatal("out of host memory");
	free(d->name);
	d->name = name;
}

/* Read the profiles of a list. Returns CUDA_SUCCESS, or what cuInit is to
 * answer, with a line on standard error.
 */
CUresult
kn_profiles(const char *list)
{
	Dl_info here;
	size_t cap = 0;
	const char *slash;
	CUresult rc = CUDA_SUCCESS;

	if (dladdr((void *)&kn_devs, &here) == 0 || here.dli_fname == NULL)
		kn_fatal("where is this library?");
	slash = strrchr(here.dli_fname, '/');
	while (rc == CUDA_SUCCESS) {
		size_t len = strcspn(list, ",");
		char *path;
		struct dev *d;
		int n;

		if (memchr(list, '/', len) != NULL)
			n = asprintf(&path, "%.*s", (int)len, list);
		else
			n = asprintf(&path, "%.*sprofiles/%.*s",
				     slash ? (int)(slash - here.dli_fname) + 1
					   : 0,
				     here.dli_fname, (int)len, list);
		if (n < 0)
			kn_fatal("out of host memory");
		kn_devs = kn_grow(kn_devs, &cap, (size_t)kn_ndevs + 1,
				  sizeof(*kn_devs));
		d = &kn_devs[kn_ndevs];
		memset(d, 0, sizeof(*d));
		d->profile = strndup(list, len);
		if (d->profile == NULL)
			kn_fatal("out of host memory");
		rc = load(d, path);
		free(path);
		if (rc == CUDA_SUCCESS) {
			rename_dev(d);
			kn_ndevs++;
		}
		if (list[len] == '\0')
			break;
		list += len + 1;
	}
	return rc;
}
