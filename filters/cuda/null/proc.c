/*
 * proc: how programs find the driver's functions, and its words for errors.
 * The names and versions are those of the CUDA Driver API (cudaTypedefs.h,
 * CUDA 13). A function that is not here is an error that names it.
 */
#include <stdlib.h>
#include <string.h>

#include "null.h"

/* A name asked for before is not told of again. */
static bool
told(const char *name)
{
	static char **names;
	static size_t n, cap;

	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	names = kn_grow(names, &cap, n + 1, sizeof(*names));
	names[n] = strdup(name);
	if (names[n] == NULL)
		kn_fatal("out of host memory");
	n++;
	return false;
}

/* The newest form of a name that a version of CUDA has, of the flavour that
 * was asked for; a name that has no flavour for threads has one for all. A
 * version later than the driver's is no version to it, and the status is left
 * as it was. Otherwise a name that is not there is no error here: the status
 * says it, and the address, which is NULL. So does the driver.
 */
static CUresult
look_up(const char *name, int version, uint64_t flags, void **out, int *status)
{
	int limit = kn_wake() == CUDA_SUCCESS ? kn_devs[0].driver_version
					      : CUDA_VERSION;
	bool thread =
		(flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
	size_t best = kn_nentries;
	bool known = false, flavours = false;

	if (name == NULL || out == NULL || flags > 3)
		return CUDA_ERROR_INVALID_VALUE;
	*out = NULL;
	if (version > limit)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; thread && i < kn_nentries; i++)
		if (kn_entries[i].per_thread &&
		    strcmp(kn_entries[i].base, name) == 0)
			flavours = true;
	for (size_t i = 0; i < kn_nentries; i++) {
		if (strcmp(kn_entries[i].base, name) != 0)
			continue;
		known = true;
		if (kn_entries[i].per_thread != flavours)
			continue;
		if (kn_entries[i].since > version)
			continue;
		if (best == kn_nentries ||
		    kn_entries[i].since > kn_entries[best].since)
			best = i;
	}
	if (best < kn_nentries) {
		/* A function's address in an object pointer, as the call has
		 * it; POSIX asks for the two to be alike.
		 */
		memcpy(out, &kn_entries[best].fn, sizeof(*out));
		if (status != NULL)
			*status = CU_GET_PROC_ADDRESS_SUCCESS;
		return CUDA_SUCCESS;
	}
	if (status != NULL)
		*status = known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
				: CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	if (!known && !told(name)) {
		kn_say("'%.64s' (CUDA %d) is not in the null driver", name,
		       version);
		kn_record_missing(name, version);
	}
	return CUDA_SUCCESS;
}

API CUresult
cuGetProcAddress_v2(const char *name, void **out, int version,
		    unsigned long long flags, int *status)
{
	GUARD;

	return look_up(name, version, flags, out, status);
}

API CUresult
cuGetProcAddress(const char *name, void **out, int version,
		 unsigned long long flags)
{
	CUresult rc;
	GUARD;

	/* The first form has no status: a name that is not there is an error.
	 */
	rc = look_up(name, version, flags, out, NULL);
	return rc == CUDA_SUCCESS && *out == NULL ? CUDA_ERROR_NOT_FOUND : rc;
}

/* The tables behind the runtime library are not documented, so they are not
 * made up: a program linked with cudart cannot run here, and is told so.
 */
API CUresult
cuGetExportTable(const void **out, const CUuuid *id)
{
	char text[40];
	GUARD;

	if (out == NULL || id == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = NULL;
	for (int i = 0; i < 16; i++) {
		static const char hex[] = "0123456789abcdef";

		text[2 * i] = hex[(unsigned char)id->bytes[i] >> 4];
		text[2 * i + 1] = hex[id->bytes[i] & 15];
	}
	text[32] = '\0';
	if (!told(text))
		kn_say("export table %s is not in the null driver", text);
	return CUDA_ERROR_NOT_FOUND;
}

/* --- errors in words --- */

static const struct {
	int code;
	const char *name, *text;
} errors[] = {
#define R(code, name, text) {code, #name, text},
#include "error.def"
#undef R
};

static CUresult
words(CUresult code, const char **out, bool name)
{
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = NULL;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].code == (int)code) {
			*out = name ? errors[i].name : errors[i].text;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

API CUresult
cuGetErrorName(CUresult code, const char **out)
{
	return words(code, out, true);
}

API CUresult
cuGetErrorString(CUresult code, const char **out)
{
	return words(code, out, false);
}

/* There is nothing to profile, which is not an error. */
API CUresult
cuProfilerStart(void)
{
	CUresult rc;
	GUARD;

	kn_ctx(&rc);
	return rc;
}

API CUresult
cuProfilerStop(void)
{
	CUresult rc;
	GUARD;

	kn_ctx(&rc);
	return rc;
}
