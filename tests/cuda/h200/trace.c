/*
 * trace: the second source. Loaded by the driver through CUDA_INJECTION64_PATH,
 * it traces with CUPTI and writes how many kernels, memsets and copies the
 * device's own records show, at exit, to the file KC_TRACE_OUT names.
 */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long kernels, memsets, memcpys, dropped;

static void CUPTIAPI
requested(uint8_t **buffer, size_t *size, size_t *records)
{
	*size = 8 << 20;
	*records = 0;
	if (posix_memalign((void **)buffer, 8, *size) != 0)
		*buffer = NULL;
}

static void CUPTIAPI
completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
	  size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t lost = 0;

	(void)size;
	while (cuptiActivityGetNextRecord(buffer, valid, &record) ==
	       CUPTI_SUCCESS)
		switch (record->kind) {
		case CUPTI_ACTIVITY_KIND_KERNEL:
		case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
			kernels++;
			break;
		case CUPTI_ACTIVITY_KIND_MEMSET:
			memsets++;
			break;
		case CUPTI_ACTIVITY_KIND_MEMCPY:
		case CUPTI_ACTIVITY_KIND_MEMCPY2:
			memcpys++;
			break;
		default:
			break;
		}
	cuptiActivityGetNumDroppedRecords(context, stream, &lost);
	dropped += lost;
	free(buffer);
}

/* With KC_TRACE_API: copies by the arguments of their calls, by size 0 or not.
 */
static unsigned long calls, empty;

static void CUPTIAPI
called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
       const void *data)
{
	const CUpti_CallbackData *c = data;
	const char *name = c->functionName;
	const size_t *word = c->functionParams;

	(void)user;
	(void)domain;
	(void)id;
	if (c->callbackSite != CUPTI_API_EXIT || name == NULL ||
	    strncmp(name, "cuMemcpy", 8) != 0)
		return;
	calls++;
	/* (to, from, bytes, ...) in all but those of rectangles and arrays */
	if (strstr(name, "2D") == NULL && strstr(name, "3D") == NULL &&
	    strchr(name, 'A') == strstr(name, "Async") && word[2] == 0) {
		empty++;
		fprintf(stderr, "# %s of 0 bytes\n", name);
	}
}

static void
finish(void)
{
	const char *path = getenv("KC_TRACE_OUT");
	FILE *f;

	if (calls > 0)
		fprintf(stderr, "# %lu calls of cuMemcpy*, %lu of 0 bytes\n",
			calls, empty);

	cuptiActivityFlushAll(1);
	f = path != NULL ? fopen(path, "w") : NULL;
	if (f == NULL)
		return;
	fprintf(f, "kernels %lu memset %lu memcpy %lu dropped %lu\n", kernels,
		memsets, memcpys, dropped);
	fclose(f);
}

int InitializeInjection(void);
int
InitializeInjection(void)
{
	static int done;

	if (done++ != 0)
		return 1;
	if (cuptiActivityRegisterCallbacks(requested, completed) !=
		    CUPTI_SUCCESS ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) !=
		    CUPTI_SUCCESS ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET) != CUPTI_SUCCESS ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) != CUPTI_SUCCESS)
		return 0;
	if (getenv("KC_TRACE_API") != NULL && *getenv("KC_TRACE_API") != 0) {
		static CUpti_SubscriberHandle subscriber;

		cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)called, NULL);
		cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
	}
	atexit(finish);
	return 1;
}
