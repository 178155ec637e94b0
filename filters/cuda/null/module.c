/* module: modules, libraries, and the functions in them. See LICENSE. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "null.h"

struct module {
	struct obj o;
	struct image image;
	struct func **func; /* one an entry, made when it is asked for */
	/* Whose kernels it has, if it is a library's: then it has no image and
	 * no functions of its own.
	 */
	struct lib *lib;
};

struct lib {
	struct obj o;
	struct image image;
	struct kern **kern;
	struct module **module; /* one a device */
};

/* --- reading images --- */

/* The newest PTX that a driver reads, by its version of CUDA (PTX ISA, Release
 * Notes): 8.0 came with 12.0, 9.0 with 13.0, and so on.
 */
static int
newest_ptx(int cuda)
{
	int major = cuda / 1000, minor = cuda % 1000 / 10;

	if (major == 12 && minor > 5)
		minor--; /* 12.6 brought none */
	return (major - 4) * 10 + minor;
}

/* The oldest PTX that knows a target (PTX ISA, Release Notes); the driver takes
 * nothing older.
 */
static int
oldest_ptx(int target, char only)
{
	static const struct {
		int target, version;
	} since[] = {{50, 40}, {53, 42}, {60, 50},  {62, 50}, {70, 60},
		     {72, 61}, {75, 63}, {80, 70},  {86, 71}, {87, 74},
		     {89, 78}, {90, 78}, {100, 86}, {120, 87}};
	int version = 0;

	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++)
		if (target >= since[i].target)
			version = since[i].version;
	if (only == 'a' && target == 90)
		version = 80;
	if (only == 'f')
		version = 88;
	return version;
}

static CUresult
read_image(const void *data, const struct dev *d, struct image *im)
{
	const int *a = d->attr;
	int cc = a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] * 10 +
		 a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
	CUresult rc;

	if (data == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	rc = kn_image_read(data, im);
	if (rc != CUDA_SUCCESS || !im->ptx)
		return rc;
	/* 8.8 was the last before 9.0. */
	if (im->version > newest_ptx(d->driver_version) || im->version == 89)
		rc = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	else if (im->target > cc ||
		 im->version < oldest_ptx(im->target, im->only) ||
		 (im->only == 'a' && (im->target < 90 || im->target != cc)) ||
		 (im->only == 'f' &&
		  (im->target < 100 || im->target / 10 != cc / 10)))
		rc = CUDA_ERROR_INVALID_PTX;
	if (rc != CUDA_SUCCESS)
		kn_image_free(im);
	return rc;
}

/* A whole file, with a zero byte after it. */
static CUresult
read_file(const char *name, char **out)
{
	FILE *f = name != NULL ? fopen(name, "re") : NULL;
	size_t n = 0, cap = 0, got;
	char *p = NULL;

	if (name == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (f == NULL)
		return CUDA_ERROR_FILE_NOT_FOUND;
	do {
		p = kn_grow(p, &cap, n + 65536 + 1, 1);
		got = fread(p + n, 1, 65536, f);
		n += got;
	} while (got != 0);
	p[n] = '\0';
	got = (size_t)ferror(f);
	fclose(f);
	if (got != 0 || n < 4) {
		free(p);
		return got != 0 ? CUDA_ERROR_OPERATING_SYSTEM
				: CUDA_ERROR_INVALID_IMAGE;
	}
	*out = p;
	return CUDA_SUCCESS;
}

/* --- functions --- */

static struct func *
make_func(struct ctx *c, const struct entry *e)
{
	struct func *f = kn_alloc(sizeof(*f));

	kn_new(&f->o, K_FUNC, c);
	f->entry = e;
	f->dyn_smem = -1;
	f->carveout = -1;
	for (int i = 0; i < 3; i++)
		f->cluster[i] = (int)e->cluster[i];
	return f;
}

void
kn_func_free(struct func *f)
{
	if (f->slot != NULL)
		*f->slot = NULL;
	free(f->alias);
	kn_drop(&f->o);
	free(f);
}

/* The function of an entry in the module, or in the library's kernel. */
static struct func *
func_of(struct ctx *c, struct func **slot, const struct entry *e,
	const char *name)
{
	if (*slot == NULL) {
		*slot = make_func(c, e);
		(*slot)->slot = slot;
		/* The caller's name is the mangled one. */
		(*slot)->alias = strdup(name);
		if ((*slot)->alias == NULL)
			kn_fatal("out of host memory");
	}
	return *slot;
}

/* The kernel's function in a context; one a device is kept. */
static struct func *
kernel_func_in(struct kern *k, struct ctx *c)
{
	struct func **slot = &k->func[c->dev - kn_devs];
	struct func *f;

	if (*slot != NULL && (*slot)->o.ctx != c)
		kn_func_free(*slot);
	f = func_of(c, slot, k->entry, k->alias);
	f->kern = k;
	if (k->dyn_smem_set)
		f->dyn_smem = k->dyn_smem;
	return f;
}

/* The function that a launch names, as a CUfunction, as a CUkernel, or as a
 * CUkernel cast to the other.
 */
CUresult
kn_func(CUfunction handle, CUkernel kernel, struct func **out)
{
	const void *h = handle != NULL ? (void *)handle : (void *)kernel;
	struct kern *k;
	struct ctx *c;
	CUresult rc;

	/* A function is of a context; none need be current. */
	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	*out = kn_get(h, K_FUNC);
	if (*out != NULL)
		return CUDA_SUCCESS;
	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	k = kn_get(h, K_KERN);
	if (k == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = kernel_func_in(k, c);
	return CUDA_SUCCESS;
}

/* --- modules --- */

static struct kern *kern_of(struct lib *l, size_t i, const char *name);

/* The module that holds a library's kernels in a context; one a device. */
static struct module *
library_module_in(struct lib *l, struct ctx *c)
{
	struct module **slot = &l->module[c->dev - kn_devs];

	if (*slot != NULL && (*slot)->o.ctx != c)
		kn_module_free(*slot);
	if (*slot == NULL) {
		*slot = kn_alloc(sizeof(**slot));
		kn_new(&(*slot)->o, K_MODULE, c);
		(*slot)->lib = l;
	}
	return *slot;
}

static const struct image *
image_of(const struct module *m)
{
	return m->lib != NULL ? &m->lib->image : &m->image;
}

static struct func *
module_func(struct module *m, const struct entry *e, const char *name)
{
	size_t i = (size_t)(e - image_of(m)->v);
	struct func *f;

	if (m->lib != NULL)
		return kernel_func_in(kern_of(m->lib, i, name), m->o.ctx);
	f = func_of(m->o.ctx, &m->func[i], e, name);
	f->module = m;
	return f;
}

void
kn_module_free(struct module *m)
{
	if (m->lib != NULL)
		m->lib->module[m->o.ctx->dev - kn_devs] = NULL;
	for (size_t i = 0; i < m->image.n; i++)
		if (m->func[i] != NULL)
			kn_func_free(m->func[i]);
	free(m->func);
	kn_image_free(&m->image);
	kn_drop(&m->o);
	free(m);
}

static CUresult
load(CUmodule *out, const void *data)
{
	CUresult rc;
	struct ctx *c;
	struct image im;
	struct module *m;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = read_image(data, c->dev, &im)) != CUDA_SUCCESS)
		return rc;
	m = kn_alloc(sizeof(*m));
	kn_new(&m->o, K_MODULE, c);
	m->image = im;
	m->func = kn_alloc(im.n * sizeof(*m->func));
	*out = HANDLE(m);
	return CUDA_SUCCESS;
}

API CUresult
cuModuleLoadData(CUmodule *out, const void *image)
{
	GUARD;

	return load(out, image);
}

API CUresult
cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int n,
		   int *options, void **values)
{
	GUARD;

	if (n != 0 && (options == NULL || values == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	return load(out, image);
}

API CUresult
cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
	GUARD;

	return load(out, image);
}

API CUresult
cuModuleLoad(CUmodule *out, const char *name)
{
	CUresult rc;
	char *data;
	GUARD;

	if (kn_ctx(&rc) == NULL ||
	    (rc = read_file(name, &data)) != CUDA_SUCCESS)
		return rc;
	rc = load(out, data);
	free(data);
	return rc;
}

API CUresult
cuModuleUnload(CUmodule module)
{
	CUresult rc;
	struct module *m;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((m = kn_get(module, K_MODULE)) == NULL)
		return kn_ctx(&rc) == NULL ? rc : CUDA_ERROR_INVALID_HANDLE;
	if ((rc = kn_unsafe()) != CUDA_SUCCESS)
		return rc;
	if (m->lib != NULL) /* it goes with its library */
		return CUDA_ERROR_NOT_PERMITTED;
	kn_module_free(m);
	return CUDA_SUCCESS;
}

API CUresult
cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
	CUresult rc;
	struct module *m;
	const struct entry *e;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((m = kn_get(module, K_MODULE)) == NULL)
		return kn_ctx(&rc) == NULL ? rc : CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL || name == NULL || *name == '\0')
		return CUDA_ERROR_INVALID_VALUE;
	if ((e = kn_image_find(image_of(m), name)) == NULL)
		return CUDA_ERROR_NOT_FOUND;
	*out = HANDLE(module_func(m, e, name));
	return CUDA_SUCCESS;
}

API CUresult
cuModuleGetFunctionCount(unsigned int *out, CUmodule module)
{
	CUresult rc;
	struct module *m;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	if ((m = kn_get(module, K_MODULE)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (unsigned)image_of(m)->n;
	return CUDA_SUCCESS;
}

API CUresult
cuModuleEnumerateFunctions(CUfunction *out, unsigned int n, CUmodule module)
{
	CUresult rc;
	struct module *m;
	const struct image *im;
	GUARD;

	if (kn_ctx(&rc) == NULL)
		return rc;
	if ((m = kn_get(module, K_MODULE)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	im = image_of(m);
	for (unsigned i = 0; i < n && i < im->n; i++)
		out[i] = HANDLE(module_func(m, &im->v[i], im->v[i].name));
	return CUDA_SUCCESS;
}

API CUresult
cuModuleGetLoadingMode(int *out)
{
	CUresult rc;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = 2; /* CU_MODULE_LAZY_LOADING, the default */
	return CUDA_SUCCESS;
}

/* --- libraries: modules of no context --- */

static CUresult
load_library(CUlibrary *out, const void *data)
{
	CUresult rc;
	struct image im;
	struct lib *l;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((rc = read_image(data, &kn_devs[0], &im)) != CUDA_SUCCESS)
		return rc;
	l = kn_alloc(sizeof(*l));
	kn_new(&l->o, K_LIB, NULL);
	l->image = im;
	l->kern = kn_alloc(im.n * sizeof(*l->kern));
	l->module = kn_alloc((size_t)kn_ndevs * sizeof(*l->module));
	*out = HANDLE(l);
	return CUDA_SUCCESS;
}

API CUresult
cuLibraryLoadData(CUlibrary *out, const void *code, int *jit_options,
		  void **jit_values, unsigned int njit, int *options,
		  void **values, unsigned int n)
{
	GUARD;

	if ((njit != 0 && (jit_options == NULL || jit_values == NULL)) ||
	    (n != 0 && (options == NULL || values == NULL)))
		return CUDA_ERROR_INVALID_VALUE;
	return load_library(out, code);
}

API CUresult
cuLibraryLoadFromFile(CUlibrary *out, const char *name, int *jit_options,
		      void **jit_values, unsigned int njit, int *options,
		      void **values, unsigned int n)
{
	CUresult rc;
	char *data;
	GUARD;

	(void)jit_options;
	(void)jit_values;
	(void)njit;
	(void)options;
	(void)values;
	(void)n;
	if ((rc = kn_ready()) != CUDA_SUCCESS ||
	    (rc = read_file(name, &data)) != CUDA_SUCCESS)
		return rc;
	rc = load_library(out, data);
	free(data);
	return rc;
}

static void
free_kernel(struct kern *k)
{
	for (int i = 0; i < kn_ndevs; i++)
		if (k->func[i] != NULL)
			kn_func_free(k->func[i]);
	free(k->func);
	free(k->alias);
	kn_drop(&k->o);
	free(k);
}

API CUresult
cuLibraryUnload(CUlibrary library)
{
	CUresult rc;
	struct lib *l;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((l = kn_get(library, K_LIB)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < l->image.n; i++)
		if (l->kern[i] != NULL)
			free_kernel(l->kern[i]);
	for (int i = 0; i < kn_ndevs; i++)
		if (l->module[i] != NULL)
			kn_module_free(l->module[i]);
	free(l->kern);
	free(l->module);
	kn_image_free(&l->image);
	kn_drop(&l->o);
	free(l);
	return CUDA_SUCCESS;
}

static struct kern *
kern_of(struct lib *l, size_t i, const char *name)
{
	struct kern *k = l->kern[i];

	if (k == NULL) {
		k = l->kern[i] = kn_alloc(sizeof(*k));
		kn_new(&k->o, K_KERN, NULL);
		k->lib = l;
		k->entry = &l->image.v[i];
		k->func = kn_alloc((size_t)kn_ndevs * sizeof(*k->func));
		k->alias = strdup(name);
		if (k->alias == NULL)
			kn_fatal("out of host memory");
	}
	return k;
}

API CUresult
cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
	CUresult rc;
	struct lib *l;
	const struct entry *e;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((l = kn_get(library, K_LIB)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL || name == NULL || *name == '\0')
		return CUDA_ERROR_INVALID_VALUE;
	if ((e = kn_image_find(&l->image, name)) == NULL)
		return CUDA_ERROR_NOT_FOUND;
	*out = HANDLE(kern_of(l, (size_t)(e - l->image.v), name));
	return CUDA_SUCCESS;
}

API CUresult
cuLibraryGetModule(CUmodule *out, CUlibrary library)
{
	CUresult rc;
	struct ctx *c;
	struct lib *l;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if ((l = kn_get(library, K_LIB)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(library_module_in(l, c));
	return CUDA_SUCCESS;
}

API CUresult
cuLibraryGetKernelCount(unsigned int *out, CUlibrary library)
{
	CUresult rc;
	struct lib *l;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((l = kn_get(library, K_LIB)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (unsigned)l->image.n;
	return CUDA_SUCCESS;
}

API CUresult
cuLibraryEnumerateKernels(CUkernel *out, unsigned int n, CUlibrary library)
{
	CUresult rc;
	struct lib *l;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((l = kn_get(library, K_LIB)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < n && i < l->image.n; i++)
		out[i] = HANDLE(kern_of(l, i, l->image.v[i].name));
	return CUDA_SUCCESS;
}

API CUresult
cuKernelGetFunction(CUfunction *out, CUkernel kernel)
{
	CUresult rc;
	struct ctx *c;
	struct kern *k;
	GUARD;

	if ((c = kn_ctx(&rc)) == NULL)
		return rc;
	if ((k = kn_get(kernel, K_KERN)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(kernel_func_in(k, c));
	return CUDA_SUCCESS;
}

API CUresult
cuKernelGetLibrary(CUlibrary *out, CUkernel kernel)
{
	CUresult rc;
	struct kern *k;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((k = kn_get(kernel, K_KERN)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(k->lib);
	return CUDA_SUCCESS;
}

API CUresult
cuKernelGetName(const char **out, CUkernel kernel)
{
	CUresult rc;
	struct kern *k;
	struct func *f;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((k = kn_get(kernel, K_KERN)) != NULL)
		*out = k->alias;
	else if ((f = kn_get(kernel, K_FUNC)) != NULL)
		*out = f->alias;
	else
		return CUDA_ERROR_INVALID_HANDLE;
	return CUDA_SUCCESS;
}

/* A kernel in place of a function is taken by launches, but not here. */
API CUresult
cuFuncGetName(const char **out, CUfunction func)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if (out == NULL || func == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if ((f = kn_get(func, K_FUNC)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = f->alias;
	return CUDA_SUCCESS;
}

API CUresult
cuFuncGetModule(CUmodule *out, CUfunction func)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = HANDLE(f->kern != NULL
			      ? library_module_in(f->kern->lib, f->o.ctx)
			      : f->module);
	return CUDA_SUCCESS;
}

API CUresult
cuFuncIsLoaded(int *out, CUfunction func)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*out = 1; /* CU_FUNCTION_LOADING_STATE_LOADED */
	return CUDA_SUCCESS;
}

API CUresult
cuFuncLoad(CUfunction func)
{
	CUresult rc;
	struct func *f;
	GUARD;

	rc = kn_func(func, NULL, &f);
	return rc;
}

/* --- what a function is and takes --- */

/* The most threads that a block of the function may have; that only one shape
 * will do is not said here.
 */
unsigned
kn_func_threads(const struct func *f)
{
	const struct entry *e = f->entry;
	unsigned most =
		(unsigned)f->o.ctx->dev
			->attr[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK];

	return e->maxntid != 0 && e->maxntid < most ? e->maxntid : most;
}

/* The most dynamic shared memory that a block of it may have. */
int
kn_func_dynamic(const struct func *f)
{
	const int *a = f->o.ctx->dev->attr;

	if (f->dyn_smem >= 0)
		return f->dyn_smem;
	return a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] -
	       (int)f->entry->smem;
}

static CUresult
get_attribute(int *out, int attr, const struct func *f)
{
	const int *a = f->o.ctx->dev->attr;
	int cc = a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] * 10 +
		 a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];

	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attr) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*out = (int)kn_func_threads(f);
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*out = (int)f->entry->smem;
		break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*out = 0;
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*out = 32; /* nothing was compiled; see kc-null(7) */
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
		*out = f->entry->target != 0 ? f->entry->target : cc;
		break;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*out = cc;
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*out = kn_func_dynamic(f);
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*out = f->carveout;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
		*out = 0;
		break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		*out = f->cluster[attr -
				  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
		break;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*out = f->nonportable;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*out = f->policy;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

static CUresult
set_attribute(struct func *f, int attr, int value)
{
	const int *a = f->o.ctx->dev->attr;

	switch (attr) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 ||
		    value > a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] -
				    (int)f->entry->smem)
			return CUDA_ERROR_INVALID_VALUE;
		f->dyn_smem = value;
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		f->carveout = value;
		break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		if (value < 0)
			return CUDA_ERROR_INVALID_VALUE;
		f->cluster[attr - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] =
			value;
		break;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		f->nonportable = value;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		f->policy = value;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

API CUresult
cuFuncGetAttribute(int *out, int attr, CUfunction func)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return get_attribute(out, attr, f);
}

API CUresult
cuFuncSetAttribute(CUfunction func, int attr, int value)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return set_attribute(f, attr, value);
}

/* A kernel's attributes are its function's on a device; a context of the
 * device must exist, as the driver's loading is not modelled without one.
 */
static CUresult
kernel_func(CUkernel kernel, CUdevice dev, struct func **out)
{
	CUresult rc;
	struct dev *d;
	struct ctx *c;
	struct kern *k;

	if ((rc = kn_dev(dev, &d)) != CUDA_SUCCESS)
		return rc;
	if ((k = kn_get(kernel, K_KERN)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	c = kn_ctx(&rc);
	if (c == NULL || c->dev != d)
		c = d->primary != NULL && d->primary->active ? d->primary
							     : NULL;
	if (c == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	*out = kernel_func_in(k, c);
	return CUDA_SUCCESS;
}

API CUresult
cuKernelGetAttribute(int *out, int attr, CUkernel kernel, CUdevice dev)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kernel_func(kernel, dev, &f)) != CUDA_SUCCESS)
		return rc;
	return get_attribute(out, attr, f);
}

API CUresult
cuKernelSetAttribute(int attr, int value, CUkernel kernel, CUdevice dev)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kernel_func(kernel, dev, &f)) != CUDA_SUCCESS ||
	    (rc = set_attribute(f, attr, value)) != CUDA_SUCCESS)
		return rc;
	if (attr == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
		f->kern->dyn_smem_set = true;
		f->kern->dyn_smem = value;
	}
	return CUDA_SUCCESS;
}

API CUresult
cuFuncSetCacheConfig(CUfunction func, int config)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return config < 0 || config > 3 ? CUDA_ERROR_INVALID_VALUE
					: CUDA_SUCCESS;
}

API CUresult
cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice dev)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kernel_func(kernel, dev, &f)) != CUDA_SUCCESS)
		return rc;
	return config < 0 || config > 3 ? CUDA_ERROR_INVALID_VALUE
					: CUDA_SUCCESS;
}

API CUresult
cuFuncSetSharedMemConfig(CUfunction func, int config)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return config < 0 || config > 2 ? CUDA_ERROR_INVALID_VALUE
					: CUDA_SUCCESS;
}

/* Where a parameter lies among the others; known only of real PTX. */
static CUresult
param_info(const struct entry *e, size_t i, size_t *offset, size_t *size)
{
	if (e->unknown || (e->nparams != 0 && e->param == NULL))
		return CUDA_ERROR_NOT_SUPPORTED;
	if (i >= e->nparams || offset == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = e->param[i].offset;
	if (size != NULL)
		*size = e->param[i].size;
	return CUDA_SUCCESS;
}

API CUresult
cuFuncGetParamInfo(CUfunction func, size_t i, size_t *offset, size_t *size)
{
	CUresult rc;
	struct func *f;
	GUARD;

	if ((rc = kn_func(func, NULL, &f)) != CUDA_SUCCESS)
		return rc;
	return param_info(f->entry, i, offset, size);
}

API CUresult
cuKernelGetParamInfo(CUkernel kernel, size_t i, size_t *offset, size_t *size)
{
	CUresult rc;
	struct kern *k;
	GUARD;

	if ((rc = kn_ready()) != CUDA_SUCCESS)
		return rc;
	if ((k = kn_get(kernel, K_KERN)) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	return param_info(k->entry, i, offset, size);
}
