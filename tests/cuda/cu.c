/* cu: finds the driver's functions. See cu.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu.h"

struct cu cu;

void
cu_ok(int rc, const char *what, int line)
{
	if (rc == 0)
		return;
	fprintf(stderr, "line %d: %s: error %d\n", line, what, rc);
	exit(3);
}

#ifdef LINKED
#define DECLARE(name, base, since, flavour, params) extern int name params;
CU_LIST(DECLARE)

void
cu_find(const char *name)
{
	if (strcmp(name, "linked") != 0)
		exit(4);
#define TAKE(name, base, since, flavour, params) cu.name = name;
	CU_LIST(TAKE)
}

#else
enum way { DLSYM, DLVSYM, PROC, PROC2 };
static void *handle;
static enum way way;
static bool per_thread;
static int (*proc1)(const char *, void **, int, uint64_t);
static int (*proc2)(const char *, void **, int, uint64_t, int *);

static void *
find(const char *name, const char *base, int since, char flavour)
{
	char symbol[80];
	void *p = NULL;
	int status = -1, rc = 0;
	uint64_t flags = per_thread ? 2 : 1;

	/* The flavours came with CUDA 7.0, for all that was there before. */
	if (per_thread && flavour != 0 && since < 7000)
		since = 7000;
	snprintf(symbol, sizeof symbol, "%s%s", name,
		 !per_thread || flavour == 0 ? ""
		 : flavour == 'z'	     ? "_ptsz"
					     : "_ptds");
	switch (way) {
	case DLSYM:
		return dlsym(handle, symbol);
	case DLVSYM: /* libcuda's symbols have no version: any will do */
		p = dlvsym(handle, symbol, "NONE");
		return p != NULL ? p : dlsym(handle, symbol);
	case PROC:
		rc = proc1(base, &p, since, flags);
		break;
	case PROC2:
		rc = proc2(base, &p, since, flags, &status);
		if (rc == 0 && p != NULL && status != 0)
			cu_ok(status, name, __LINE__);
		break;
	}
	return rc == 0 ? p : NULL;
}

void
cu_find(const char *name)
{
	const char *plus = strchr(name, '+');
	size_t len = plus != NULL ? (size_t)(plus - name) : strlen(name);
	const char *lib = "libcuda.so.1";
	int mode = RTLD_NOW | RTLD_LOCAL;

	per_thread = plus != NULL;
#define IS(text) (len == strlen(text) && strncmp(name, text, len) == 0)
	if (IS("plain"))
		lib = "libcuda.so";
	if (IS("local") || IS("global") || IS("next"))
		mode = RTLD_NOW | RTLD_GLOBAL;
	handle = dlopen(lib, mode);
	if (handle == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	if (IS("local"))
		handle = dlopen(NULL, RTLD_NOW);
	else if (IS("global"))
		handle = RTLD_DEFAULT;
	else if (IS("next"))
		handle = RTLD_NEXT;
	else if (IS("dlvsym"))
		way = DLVSYM;
	else if (IS("proc")) {
		*(void **)&proc1 = dlsym(handle, "cuGetProcAddress");
		way = PROC;
	} else if (IS("proc2")) {
		*(void **)&proc2 = dlsym(handle, "cuGetProcAddress_v2");
		way = PROC2;
	} else if (!IS("dlsym") && !IS("plain"))
		exit(4);
	if ((way == PROC && proc1 == NULL) || (way == PROC2 && proc2 == NULL))
		exit(3);
	/* The runtime asks cuGetProcAddress for itself, too. */
	if (way == PROC2) {
		void *p;
		int status;

		cu_ok(proc2("cuGetProcAddress", &p, 12000, 1, &status),
		      "cuGetProcAddress", __LINE__);
		*(void **)&proc2 = p;
	}
#define TAKE(name, base, since, flavour, params) \
	*(void **)&cu.name = find(#name, #base, since, flavour);
	CU_LIST(TAKE)
}
#endif
