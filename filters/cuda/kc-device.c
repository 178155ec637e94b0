/*
 * kc-device: the CUDA devices here, as facts: one line of "#device CONFIG TEXT"
 * each (kc-rows(5)). libcuda is opened at run time, so that this builds and
 * runs where there is none. See LICENSE.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kc.h"
#include "row.h"

static const struct kc_program program = {
	"kc-device",
	"[-hV] [-l config]",
	"Print the CUDA devices of this machine.",
};

/* CUdevice_attribute, cuda.h: CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*. */
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

/* The driver's functions, as cuda.h declares them. */
static struct {
	int (*init)(unsigned);
	int (*version)(int *);
	int (*count)(int *);
	int (*get)(int *, int);
	int (*name)(char *, int, int);
	int (*attribute)(int *, int, int);
	int (*error)(int, const char **);
} cu;

static void
find(void *lib, const char *name, void *fn)
{
	*(void **)fn = dlsym(lib, name);
	if (*(void **)fn == NULL)
		kc_die("no NVIDIA driver that works: libcuda.so.1 has no "
		       "'%s'",
		       name);
}

static void
check(int rc, const char *what)
{
	const char *text = NULL;

	if (rc == 0)
		return;
	if (cu.error == NULL || cu.error(rc, &text) != 0 || text == NULL)
		text = "an unknown error";
	/* CUDA_ERROR_NO_DEVICE. */
	if (rc == 100)
		kc_die("an NVIDIA driver, but no device: %s", text);
	kc_die("the NVIDIA driver does not work: %s: error %d, %s", what, rc,
	       text);
}

/* Whether `text` looks like 580.159.04: digits with points between. */
static bool
is_version(const char *text)
{
	bool point = false;

	for (; *text != '\0'; text++)
		if (*text == '.')
			point = true;
		else if (!isdigit((unsigned char)*text))
			return false;
	return point;
}

/*
 * The driver's own version, which libcuda does not tell. NVML does where it is
 * installed; else the file that libcuda.so.1 is a link to has it in its name.
 * Returns an empty text when neither says.
 */
static void
driver_version(char *out, size_t size)
{
	void *nvml = dlopen("libnvidia-ml.so.1", RTLD_LAZY);
	int (*init)(void) = NULL, (*version)(char *, unsigned) = NULL;
	char real[PATH_MAX];
	const char *tail;
	Dl_info info;

	out[0] = '\0';
	if (nvml != NULL) {
		*(void **)&init = dlsym(nvml, "nvmlInit_v2");
		*(void **)&version = dlsym(nvml, "nvmlSystemGetDriverVersion");
	}
	if (init != NULL && version != NULL && init() == 0 &&
	    version(out, (unsigned)size) == 0)
		return;
	out[0] = '\0';
	if (dladdr(*(void **)&cu.init, &info) == 0 ||
	    realpath(info.dli_fname, real) == NULL)
		return;
	tail = strstr(real, "libcuda.so.");
	if (tail != NULL && is_version(tail + strlen("libcuda.so.")))
		snprintf(out, size, "%s", tail + strlen("libcuda.so."));
}

static void
put_device(const char *config, int number, int cuda, const char *driver)
{
	char name[256] = "";
	int device, major, minor;

	check(cu.get(&device, number), "cuDeviceGet");
	check(cu.name(name, (int)sizeof name, device), "cuDeviceGetName");
	check(cu.attribute(&major, CAPABILITY_MAJOR, device),
	      "cuDeviceGetAttribute");
	check(cu.attribute(&minor, CAPABILITY_MINOR, device),
	      "cuDeviceGetAttribute");
	kc_put_text("#device\t");
	kc_put_field(config, strlen(config), false);
	kc_put_text("\t");
	kc_put_field(name, strnlen(name, sizeof name), false);
	printf(", compute capability %d.%d", major, minor);
	if (*driver != '\0') {
		kc_put_text(", driver ");
		kc_put_field(driver, strlen(driver), false);
	}
	printf(", CUDA %d.%d\n", cuda / 1000, cuda % 1000 / 10);
}

int
main(int argc, char **argv)
{
	const char *config = "cuda";
	char driver[128];
	int opt, cuda, n, i;
	void *lib;

	kc_start(&program);
	opterr = 0;
	while ((opt = getopt(argc, argv, ":hl:V")) != -1) {
		switch (opt) {
		case 'l':
			config = optarg;
			break;
		default:
			kc_common_option(opt);
		}
	}
	if (argv[optind] != NULL)
		kc_usage("unexpected argument '%s'", argv[optind]);
	lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (lib == NULL)
		kc_die("no NVIDIA driver: %s", dlerror());
	find(lib, "cuInit", &cu.init);
	find(lib, "cuDriverGetVersion", &cu.version);
	find(lib, "cuDeviceGetCount", &cu.count);
	find(lib, "cuDeviceGet", &cu.get);
	find(lib, "cuDeviceGetName", &cu.name);
	find(lib, "cuDeviceGetAttribute", &cu.attribute);
	*(void **)&cu.error = dlsym(lib, "cuGetErrorString");
	check(cu.init(0), "cuInit");
	check(cu.version(&cuda), "cuDriverGetVersion");
	check(cu.count(&n), "cuDeviceGetCount");
	if (n == 0)
		kc_die("an NVIDIA driver, but no device");
	driver_version(driver, sizeof driver);
	for (i = 0; i < n; i++)
		put_device(config, i, cuda, driver);
	return kc_finish(KC_OK);
}
