/*
 * count-dl: how a program finds the driver. See count.h, LICENSE.
 *
 * A program gets at libcuda's functions in four ways, and each ends here:
 *  - it is linked to them: it finds our exported wrappers first;
 *  - dlsym or dlvsym, with any handle: both are hooked;
 *  - cuGetProcAddress: the real one answers with untouched arguments, then the
 *    address that it returned is exchanged for its wrapper. So versions, flags
 *    and the status stay the driver's business;
 *  - cuGetExportTable: passed through. The tables that are known hold no launch
 *    function.
 */
#define _GNU_SOURCE
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "count-cu.h"
#include "count.h"

KC_TLS unsigned kc_chained;
volatile union kc_slow kc_slow;

typedef void *dlsym_fn(void *handle, const char *name);
typedef void *dlvsym_fn(void *handle, const char *name, const char *version);

/* libc's own, and where a call that is none of ours goes on. */
static dlsym_fn *libc_dlsym;
static dlvsym_fn *libc_dlvsym;
__attribute__((visibility("hidden"))) void *kc_pass_dlsym;
__attribute__((visibility("hidden"))) void *kc_pass_dlvsym;

/* The driver: its link map once it was seen, and a handle that keeps it. */
static _Atomic(struct link_map *) driver_map;
static _Atomic(void *) driver_handle;

static const char *const driver_fn_name[KC_D_FNS] = {
	"cuStreamIsCapturing",
	"cuStreamIsCapturing_ptsz",
	"cuGraphGetNodes",
	"cuGraphNodeGetType",
	"cuGraphChildGraphNodeGetGraph",
	"cuGraphKernelNodeGetParams",
	"cuGraphKernelNodeGetParams_v2",
	"cuGraphKernelNodeGetAttribute",
	"cuGraphNodeGetEnabled",
	"cuFuncGetName",
	"cuKernelGetName",
	"cuLibraryGetKernelCount",
	"cuLibraryEnumerateKernels",
	"cuModuleGetFunctionCount",
	"cuModuleEnumerateFunctions",
	"cuDeviceGetCount",
};
static _Atomic(void *) driver_fn[KC_D_FNS];

/* ---- text ------------------------------------------------------------ */

/*
 * Other libraries replace libc's functions, too, and call dlsym to find what
 * they replaced: a sanitizer's strcmp must not be called before it has. So
 * what runs inside dlsym calls nothing but the dynamic linker, and this file is
 * compiled so that the compiler makes no such calls either.
 */
static bool
same(const char *a, const char *b)
{
	for (; *a == *b; a++, b++)
		if (*a == '\0')
			return true;
	return false;
}

static bool
starts(const char *text, const char *with)
{
	for (; *with != '\0'; text++, with++)
		if (*text != *with)
			return false;
	return true;
}

static bool
has(const char *text, const char *part)
{
	for (; *text != '\0'; text++)
		if (starts(text, part))
			return true;
	return *part == '\0';
}

static bool
before(const char *a, const char *b)
{
	for (; *a == *b && *a != '\0'; a++, b++)
		;
	return (unsigned char)*a < (unsigned char)*b;
}

static const char *
base_name(const char *path)
{
	const char *base = path;

	for (; *path != '\0'; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

/* Puts `a` and `b` one after the other, cut at `size`. */
static void
join(char *out, size_t size, const char *a, const char *b)
{
	size_t n = 0;

	for (; *a != '\0' && n + 1 < size; a++)
		out[n++] = *a;
	for (; *b != '\0' && n + 1 < size; b++)
		out[n++] = *b;
	out[n] = '\0';
}

/* ---- libc's dlsym ---------------------------------------------------- */

/*
 * dlsym cannot be asked for with dlsym, which is hooked, and glibc 2.34 took
 * __libc_dlsym away. So libc's symbol table is read in memory, as ELF has it
 * (gABI, "Dynamic Linking"; DT_GNU_HASH as glibc's dl-lookup.c reads it).
 */
struct table {
	const char *strings;
	const ElfW(Sym) * symbols;
	const uint32_t *gnu_hash, *hash;
	ElfW(Addr) base;
};

static uint32_t
gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name != '\0'; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

static bool
is_function(const struct table *t, uint32_t i, const char *name)
{
	const ElfW(Sym) *sym = &t->symbols[i];

	return sym->st_shndx != SHN_UNDEF &&
	       ELF64_ST_TYPE(sym->st_info) == STT_FUNC &&
	       same(t->strings + sym->st_name, name);
}

static void *
look_up(const struct table *t, const char *name)
{
	const uint32_t *p = t->gnu_hash;
	uint32_t i, h = gnu_hash(name);

	if (p != NULL) {
		uint32_t buckets = p[0], first = p[1], bloom = p[2];
		const uint32_t *bucket =
			p + 4 + bloom * (sizeof(ElfW(Addr)) / 4);
		const uint32_t *chain = bucket + buckets;

		if (buckets == 0 || bucket[h % buckets] < first)
			return NULL;
		for (i = bucket[h % buckets];; i++) {
			if ((chain[i - first] | 1) == (h | 1) &&
			    is_function(t, i, name))
				return (void *)(t->base +
						t->symbols[i].st_value);
			if (chain[i - first] & 1)
				return NULL;
		}
	}
	if (t->hash != NULL)
		for (i = 0; i < t->hash[1]; i++)
			if (is_function(t, i, name))
				return (void *)(t->base +
						t->symbols[i].st_value);
	return NULL;
}

/* An address in a dynamic section: relocated by glibc on most machines. */
static const void *
dynamic_address(ElfW(Addr) base, ElfW(Addr) value)
{
	return (const void *)(value < base ? value + base : value);
}

static void
read_dynamic(struct table *t, const ElfW(Dyn) * dyn, ElfW(Addr) base)
{
	t->strings = NULL;
	t->symbols = NULL;
	t->gnu_hash = t->hash = NULL;
	t->base = base;
	for (; dyn->d_tag != DT_NULL; dyn++) {
		const void *at = dynamic_address(base, dyn->d_un.d_ptr);

		if (dyn->d_tag == DT_STRTAB)
			t->strings = at;
		else if (dyn->d_tag == DT_SYMTAB)
			t->symbols = at;
		else if (dyn->d_tag == DT_GNU_HASH)
			t->gnu_hash = at;
		else if (dyn->d_tag == DT_HASH)
			t->hash = at;
	}
}

static int
find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *name = base_name(info->dlpi_name);
	struct table t;
	int i;

	(void)size;
	(void)data;
	/* libdl.so.2 had them before glibc 2.34, libc.so.6 has them since. */
	if (!starts(name, "libc.so.6") && !starts(name, "libdl.so.2") &&
	    !starts(name, "libc-") && !starts(name, "libdl-"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_DYNAMIC)
			continue;
		read_dynamic(&t,
			     (const ElfW(Dyn) *)(info->dlpi_addr + ph->p_vaddr),
			     info->dlpi_addr);
		if (t.symbols == NULL || t.strings == NULL)
			continue;
		if (libc_dlsym == NULL)
			*(void **)&libc_dlsym = look_up(&t, "dlsym");
		if (libc_dlvsym == NULL)
			*(void **)&libc_dlvsym = look_up(&t, "dlvsym");
	}
	return libc_dlsym != NULL && libc_dlvsym != NULL;
}

static void *
next_version(const char *name)
{
	static const char *const version[] = {"GLIBC_2.34", "GLIBC_2.17",
					      "GLIBC_2.2.5"};
	size_t i;

	for (i = 0; i < sizeof version / sizeof *version; i++) {
		void *p = libc_dlvsym(RTLD_NEXT, name, version[i]);

		if (p != NULL)
			return p;
	}
	return NULL;
}

void
kc_dl_start(void)
{
	void *p;

	if (kc_pass_dlsym != NULL)
		return;
	dl_iterate_phdr(find_libc, NULL);
	if (libc_dlsym == NULL || libc_dlvsym == NULL) {
		static const char text[] =
			"libkc-count: no dlsym in libc, expected glibc\n";

		fputs(text, stderr);
		abort();
	}
	/* Another library that hooks dlsym, and stands after us, is next. */
	p = next_version("dlvsym");
	kc_pass_dlvsym = p != NULL ? p : *(void **)&libc_dlvsym;
	p = next_version("dlsym");
	kc_pass_dlsym = p != NULL ? p : *(void **)&libc_dlsym;
}

void *
kc_libc_next(const char *name)
{
	kc_dl_start();
	return libc_dlsym(RTLD_NEXT, name);
}

const char *
kc_own_path(void)
{
	static const char here;
	Dl_info info;

	return dladdr(&here, &info) != 0 ? info.dli_fname : "";
}

/* ---- which library is the driver ------------------------------------- */

static const char *
soname(const struct link_map *map)
{
	const ElfW(Dyn) * dyn;
	const char *strings = NULL;
	ElfW(Xword) at = 0;

	for (dyn = map->l_ld; dyn->d_tag != DT_NULL; dyn++)
		if (dyn->d_tag == DT_STRTAB)
			strings = dynamic_address(map->l_addr, dyn->d_un.d_ptr);
		else if (dyn->d_tag == DT_SONAME)
			at = dyn->d_un.d_val;
	return strings != NULL && at != 0 ? strings + at : "";
}

static bool
is_driver_name(const struct link_map *map)
{
	return starts(base_name(map->l_name), "libcuda.so") ||
	       starts(soname(map), "libcuda.so");
}

static struct link_map *
map_of(const void *address)
{
	Dl_info info;
	struct link_map *map = NULL;

	if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
		return NULL;
	return map;
}

/* Reads the driver's addresses. Two threads may do so at once: both write the
 * same. No lock is held, since each look-up takes the linker's. */
static void
read_driver(struct link_map *map)
{
	void *handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	size_t i;

	if (handle == NULL)
		handle = map; /* glibc's handles are link maps */
	for (i = 0; i < KC_HOOKS; i++) {
		void *p = libc_dlsym(handle, kc_hook[i].name);

		if (p != NULL && p != kc_address(kc_hook[i].exported))
			atomic_store(&kc_hook[i].driver, p);
	}
	for (i = 0; i < KC_D_FNS; i++)
		atomic_store(&driver_fn[i],
			     libc_dlsym(handle, driver_fn_name[i]));
	atomic_store(&driver_handle, handle);
	atomic_store(&driver_map, map);
}

/*
 * Whether an address is the driver's. The first library named libcuda.so* that
 * is asked for one of the hooked names becomes it. `caller` asked.
 */
static bool
is_driver(void *address, const void *caller)
{
	struct link_map *map = map_of(address), *known;

	if (map == NULL)
		return false;
	known = atomic_load(&driver_map);
	if (map == known)
		return true;
	if (!is_driver_name(map))
		return false;
	if (known == NULL) {
		read_driver(map);
		return true;
	}
	/* A driver in two libraries calls itself; else there are two drivers,
	 * and what the second launches is not counted. */
	if (caller != NULL && map_of(caller) != known)
		kc_flag(KC_F_SECOND, map->l_name);
	return false;
}

void *
kc_driver_fn(enum kc_driver_fn fn)
{
	return atomic_load_explicit(&driver_fn[fn], memory_order_relaxed);
}

void *
kc_next(enum kc_hook_id id)
{
	struct kc_hook *h = &kc_hook[id];
	void *p = atomic_load_explicit(&h->next, memory_order_relaxed);

	if (KC_LIKELY(p != NULL))
		return p;
	kc_dl_start();
	p = libc_dlsym(RTLD_NEXT, h->name);
	if (p == NULL) {
		void *lib = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);

		if (lib != NULL)
			p = libc_dlsym(lib, h->name);
	}
	if (p == NULL || p == kc_address(h->exported))
		return NULL;
	/* When it is another library's, the driver is found when that one
	 * asks for it. */
	is_driver(p, NULL);
	atomic_store(&h->next, p);
	return p;
}

/* ---- entry points that are not known --------------------------------- */

/*
 * A later driver may have entry points that run kernels and are not in the
 * list. Such a name gets a stub that notes the call with one store and jumps
 * on: no argument is looked at. So a program that only asks for them (the CUDA
 * runtime asks for all it knows) is counted plainly, and one that calls them
 * is told that its count is a lower bound, or none.
 */
#define KC_STUBS 16
struct stub {
	void *target;
	char name[56];
};
__attribute__((visibility("hidden"))) void *kc_stub_target[KC_STUBS];
__attribute__((visibility("hidden"))) unsigned char kc_stub_called[KC_STUBS];
static struct stub stub[KC_STUBS];
static atomic_uint stubs;

#if defined(__x86_64__)
#define KC_HAVE_STUBS 1
__asm__(".text\n"
	".p2align 4\n"
	".type kc_stubs,@function\n"
	"kc_stubs:\n"
	".set i,0\n"
	".rept 16\n"
	".p2align 5\n"
	"	endbr64\n"
	"	movb $1, kc_stub_called+i(%rip)\n"
	"	jmp *kc_stub_target+8*i(%rip)\n"
	".set i,i+1\n"
	".endr\n"
	".size kc_stubs,.-kc_stubs\n");
#elif defined(__aarch64__)
#define KC_HAVE_STUBS 1
__asm__(".text\n"
	".p2align 5\n"
	".type kc_stubs,%function\n"
	"kc_stubs:\n"
	".set i,0\n"
	".rept 16\n"
	".p2align 5\n"
	"	hint #34\n" /* bti c */
	"	adrp x16, kc_stub_called+i\n"
	"	mov w17, #1\n"
	"	strb w17, [x16, #:lo12:kc_stub_called+i]\n"
	"	adrp x16, kc_stub_target+8*i\n"
	"	ldr x16, [x16, #:lo12:kc_stub_target+8*i]\n"
	"	br x16\n"
	".set i,i+1\n"
	".endr\n"
	".size kc_stubs,.-kc_stubs\n");
#endif

#ifdef KC_HAVE_STUBS
extern char kc_stubs[] __attribute__((visibility("hidden")));
#endif

/* Whether a name that is not in the list may run, record or alter kernels. */
static bool
is_suspect(const char *name)
{
	if (has(name, "HostFunc"))
		return false;
	return has(name, "Launch") || has(name, "BeginCapture") ||
	       has(name, "BeginRecapture") || has(name, "NodeSetEnabled");
}

/* The stub for `name` at `target`; `target` itself when none is to be had. */
static void *
stub_for(const char *name, void *target)
{
	unsigned i, n;

	if (target == NULL || !is_suspect(name))
		return target;
#ifdef KC_HAVE_STUBS
	n = atomic_load(&stubs);
	for (i = 0; i < n && i < KC_STUBS; i++)
		if (kc_stub_target[i] == target)
			return kc_stubs + (size_t)32 * i;
	i = atomic_fetch_add(&stubs, 1);
	if (i < KC_STUBS) {
		kc_stub_target[i] = target;
		join(stub[i].name, sizeof stub[i].name, name, "");
		/* What begins a capture: from its first call on, every launch
		 * asks whether its stream records. The stub cannot say so in
		 * time, so they ask from now on. */
		if (has(name, "BeginCapture") || has(name, "BeginRecapture"))
			kc_slow.byte[KC_S_UNKNOWN_CAPTURE] = 1;
		return kc_stubs + (size_t)32 * i;
	}
#else
	(void)i;
	(void)n;
#endif
	kc_flag(has(name, "Launch") ? KC_F_UNKNOWN : KC_F_UNKNOWN_GRAPH, name);
	return target;
}

void
kc_dl_unknown(void)
{
	unsigned i, n = atomic_load(&stubs);

	for (i = 0; i < n && i < KC_STUBS; i++) {
		if (!((volatile unsigned char *)kc_stub_called)[i] ||
		    stub[i].name[0] == '\0')
			continue;
		if (has(stub[i].name, "Launch"))
			kc_flag(KC_F_UNKNOWN, stub[i].name);
		else if (has(stub[i].name, "NodeSetEnabled"))
			kc_flag(KC_F_UNKNOWN_GRAPH, stub[i].name);
	}
}

/* ---- dlsym ----------------------------------------------------------- */

static int
find_hook(const char *name)
{
	static atomic_bool sorted;
	static uint16_t order[KC_HOOKS];
	size_t lo = 0, hi = KC_HOOKS, i, j;

	if (!atomic_load_explicit(&sorted, memory_order_acquire)) {
		/* Rare and short; two threads at once would sort alike, each
		 * in a copy of its own. */
		uint16_t mine[KC_HOOKS];

		for (i = 0; i < KC_HOOKS; i++) {
			for (j = i; j > 0 && before(kc_hook[i].name,
						    kc_hook[mine[j - 1]].name);
			     j--)
				mine[j] = mine[j - 1];
			mine[j] = (uint16_t)i;
		}
		for (i = 0; i < KC_HOOKS; i++)
			__atomic_store_n(&order[i], mine[i], __ATOMIC_RELAXED);
		atomic_store_explicit(&sorted, true, memory_order_release);
	}
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const char *there = kc_hook[order[mid]].name;

		if (same(name, there))
			return order[mid];
		if (before(name, there))
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

/* "Go on to the next dlsym, as if we were not there." */
#define KC_PASS ((void *)(intptr_t)-1)

static void *
find(void *handle, const char *name, const char *version)
{
	if (version != NULL)
		return libc_dlvsym(handle, name, version);
	return libc_dlsym(handle, name);
}

/*
 * What dlsym answers. Called by the stubs below, which keep the caller's frame
 * as it is: RTLD_NEXT and RTLD_DEFAULT look at the caller's return address, so
 * a call that is none of our business must go on with that address in place.
 */
void *kc_dlsym(void *handle, const char *name, const char *version,
	       const void *caller);
__attribute__((visibility("hidden"), used)) void *
kc_dlsym(void *handle, const char *name, const char *version,
	 const void *caller)
{
	bool special = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
	struct kc_hook *h;
	void *p, *lib;
	int i;

	kc_dl_start();
	/* cuInit and its like; not cublasCreate, cudaLaunchKernel, cudnn... */
	if (name == NULL || name[0] != 'c' || name[1] != 'u' || name[2] < 'A' ||
	    name[2] > 'Z')
		return KC_PASS;
	i = find_hook(name);
	if (i < 0) {
		if (special || !is_suspect(name))
			return KC_PASS;
		p = find(handle, name, version);
		if (p == NULL || !is_driver(p, caller))
			return KC_PASS;
		return stub_for(name, p);
	}
	h = &kc_hook[i];
	p = special ? NULL : find(handle, name, version);
	if (!special && p != NULL && p != kc_address(h->exported))
		return is_driver(p, caller) ? kc_address(h->handed) : p;
	if (!special && p == NULL)
		return KC_PASS; /* NULL again, with dlerror as it should be */

	/* A look-up in the global scope, where we stand: what would be found
	 * without us? */
	p = libc_dlsym(RTLD_NEXT, name);
	if (p != NULL && is_driver(p, caller))
		return kc_address(h->handed);
	if (p != NULL && handle != RTLD_NEXT)
		return kc_address(
			h->exported); /* it goes on to that other library */
	/* RTLD_NEXT of a library between us and the driver, or a driver that
	 * only the caller's own scope holds. */
	lib = atomic_load(&driver_handle);
	if (lib == NULL)
		lib = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (lib != NULL) {
		p = libc_dlsym(lib, name);
		if (p != NULL && is_driver(p, caller))
			return kc_address(h->handed);
	}
	if (handle == RTLD_NEXT && libc_dlsym(RTLD_NEXT, name) != NULL)
		return KC_PASS;
	/* There is no driver; our own wrapper must not look like one. The
	 * failed look-up leaves dlerror's message. */
	return libc_dlsym(RTLD_NEXT, name);
}

#if defined(__x86_64__)
#define OLD_VERSION "GLIBC_2.2.5"
__asm__(".text\n"
	".p2align 4\n"
	".globl kc_dlsym_new, kc_dlsym_old\n"
	".type kc_dlsym_new,@function\n"
	".type kc_dlsym_old,@function\n"
	"kc_dlsym_new:\n"
	"kc_dlsym_old:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	xorl %edx, %edx\n"
	"	movq 24(%rsp), %rcx\n"
	"	call kc_dlsym\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	cmpq $-1, %rax\n"
	"	je 1f\n"
	"	ret\n"
	"1:	jmp *kc_pass_dlsym(%rip)\n"
	"	.cfi_endproc\n"
	".size kc_dlsym_new,.-kc_dlsym_new\n"
	".size kc_dlsym_old,.-kc_dlsym_old\n"
	".p2align 4\n"
	".globl kc_dlvsym_new, kc_dlvsym_old\n"
	".type kc_dlvsym_new,@function\n"
	".type kc_dlvsym_old,@function\n"
	"kc_dlvsym_new:\n"
	"kc_dlvsym_old:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq 24(%rsp), %rcx\n"
	"	call kc_dlsym\n"
	"	popq %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	cmpq $-1, %rax\n"
	"	je 1f\n"
	"	ret\n"
	"1:	jmp *kc_pass_dlvsym(%rip)\n"
	"	.cfi_endproc\n"
	".size kc_dlvsym_new,.-kc_dlvsym_new\n"
	".size kc_dlvsym_old,.-kc_dlvsym_old\n");
#elif defined(__aarch64__)
#define OLD_VERSION "GLIBC_2.17"
__asm__(".text\n"
	".p2align 4\n"
	".globl kc_dlsym_new, kc_dlsym_old\n"
	".type kc_dlsym_new,%function\n"
	".type kc_dlsym_old,%function\n"
	"kc_dlsym_new:\n"
	"kc_dlsym_old:\n"
	"	.cfi_startproc\n"
	"	hint #34\n"
	"	stp x29, x30, [sp, #-32]!\n"
	"	.cfi_def_cfa_offset 32\n"
	"	.cfi_offset 29, -32\n"
	"	.cfi_offset 30, -24\n"
	"	stp x0, x1, [sp, #16]\n"
	"	mov x29, sp\n"
	"	mov x2, xzr\n"
	"	mov x3, x30\n"
	"	bl kc_dlsym\n"
	"	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x29, x30, [sp], #32\n"
	"	.cfi_restore 30\n"
	"	.cfi_restore 29\n"
	"	.cfi_def_cfa_offset 0\n"
	"	cmn x16, #1\n"
	"	b.eq 1f\n"
	"	mov x0, x16\n"
	"	ret\n"
	"1:	adrp x16, kc_pass_dlsym\n"
	"	ldr x16, [x16, #:lo12:kc_pass_dlsym]\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size kc_dlsym_new,.-kc_dlsym_new\n"
	".size kc_dlsym_old,.-kc_dlsym_old\n"
	".p2align 4\n"
	".globl kc_dlvsym_new, kc_dlvsym_old\n"
	".type kc_dlvsym_new,%function\n"
	".type kc_dlvsym_old,%function\n"
	"kc_dlvsym_new:\n"
	"kc_dlvsym_old:\n"
	"	.cfi_startproc\n"
	"	hint #34\n"
	"	stp x29, x30, [sp, #-48]!\n"
	"	.cfi_def_cfa_offset 48\n"
	"	.cfi_offset 29, -48\n"
	"	.cfi_offset 30, -40\n"
	"	stp x0, x1, [sp, #16]\n"
	"	str x2, [sp, #32]\n"
	"	mov x29, sp\n"
	"	mov x3, x30\n"
	"	bl kc_dlsym\n"
	"	mov x16, x0\n"
	"	ldr x2, [sp, #32]\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x29, x30, [sp], #48\n"
	"	.cfi_restore 30\n"
	"	.cfi_restore 29\n"
	"	.cfi_def_cfa_offset 0\n"
	"	cmn x16, #1\n"
	"	b.eq 1f\n"
	"	mov x0, x16\n"
	"	ret\n"
	"1:	adrp x16, kc_pass_dlvsym\n"
	"	ldr x16, [x16, #:lo12:kc_pass_dlvsym]\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size kc_dlvsym_new,.-kc_dlvsym_new\n"
	".size kc_dlvsym_old,.-kc_dlvsym_old\n");
#else
#error "libkc-count: the stubs of dlsym are written for x86-64 and arm64"
#endif

/* Programs built before and after glibc 2.34 ask for different versions. */
__asm__(".symver kc_dlsym_new, dlsym@@GLIBC_2.34");
__asm__(".symver kc_dlsym_old, dlsym@" OLD_VERSION);
__asm__(".symver kc_dlvsym_new, dlvsym@@GLIBC_2.34");
__asm__(".symver kc_dlvsym_old, dlvsym@" OLD_VERSION);

/* ---- cuGetProcAddress ------------------------------------------------ */

/* The hooks whose parameters never changed, so that their name is enough. */
static bool
is_launch_name(const char *name)
{
	return same(name, "cuLaunchKernel") || same(name, "cuLaunchKernelEx") ||
	       same(name, "cuLaunchCooperativeKernel") ||
	       same(name, "cuLaunchCooperativeKernelMultiDevice") ||
	       same(name, "cuGraphLaunch");
}

void *
kc_exchange(const char *symbol, void *address, uint64_t flags)
{
	int i, same = -1;
	char name[64];

	if (address == NULL || symbol == NULL)
		return address;
	for (i = 0; i < KC_HOOKS; i++) {
		if (atomic_load_explicit(&kc_hook[i].driver,
					 memory_order_relaxed) != address)
			continue;
		/* Two names may share an address: the one asked for first. */
		if (starts(kc_hook[i].name, symbol))
			return kc_address(kc_hook[i].handed);
		if (same < 0)
			same = i;
	}
	if (same >= 0)
		return kc_address(kc_hook[same].handed);
	if (!is_launch_name(symbol))
		return stub_for(symbol, address);
	/* An address of the driver's that it does not export. */
	join(name, sizeof name, symbol,
	     (flags & CU_PROC_PER_THREAD) != 0 ? "_ptsz" : "");
	i = find_hook(name);
	if (i < 0)
		i = find_hook(symbol);
	if (i < 0 || atomic_load(&kc_hook[i].driver) == NULL)
		return stub_for(symbol, address);
	return kc_address(kc_hook[i].handed);
}

/* ---- libraries that go around us ------------------------------------- */

/*
 * A library opened with RTLD_DEEPBIND finds libc's dlsym before ours. At exit
 * each library's own pointer to dlsym is looked at, where its relocations say
 * it is; one that holds libc's address was not seen.
 */
/* The symbol `name` among those that an object asks others for, or 0. They
 * stand before the ones that its hash table covers. */
static size_t
wanted(const struct table *t, const char *name)
{
	size_t i, n = t->gnu_hash != NULL ? t->gnu_hash[1]
		      : t->hash != NULL	  ? t->hash[1]
					  : 0;

	for (i = 1; i < n; i++)
		if (t->symbols[i].st_shndx == SHN_UNDEF &&
		    same(t->strings + t->symbols[i].st_name, name))
			return i;
	return 0;
}

/* Whether a relocation of symbol `n` holds `address`. */
static bool
holds(const struct table *t, const ElfW(Rela) * rela, size_t bytes, size_t n,
      const void *address)
{
	size_t i;

	for (i = 0; rela != NULL && i < bytes / sizeof *rela; i++)
		if (ELF64_R_SYM(rela[i].r_info) == n &&
		    *(void *const *)(t->base + rela[i].r_offset) == address)
			return true;
	return false;
}

static int
check_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const ElfW(Dyn) *dyn = NULL, *d;
	const ElfW(Rela) *rela = NULL, *plt = NULL;
	size_t rela_bytes = 0, plt_bytes = 0, i, n;
	const char *name = base_name(info->dlpi_name);
	struct table t;

	(void)size;
	(void)data;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dyn = (const ElfW(Dyn) *)(info->dlpi_addr +
						  info->dlpi_phdr[i].p_vaddr);
	if (dyn == NULL || starts(name, "libc.so.6") ||
	    starts(name, "libdl.so") || starts(name, "linux-vdso") ||
	    starts(name, "libkc-count"))
		return 0;
	read_dynamic(&t, dyn, info->dlpi_addr);
	if (t.symbols == NULL || t.strings == NULL)
		return 0;
	n = wanted(&t, "dlsym");
	if (n == 0)
		return 0;
	for (d = dyn; d->d_tag != DT_NULL; d++) {
		const void *at = dynamic_address(t.base, d->d_un.d_ptr);

		if (d->d_tag == DT_RELA)
			rela = at;
		else if (d->d_tag == DT_RELASZ)
			rela_bytes = d->d_un.d_val;
		else if (d->d_tag == DT_JMPREL)
			plt = at;
		else if (d->d_tag == DT_PLTRELSZ)
			plt_bytes = d->d_un.d_val;
	}
	if (holds(&t, rela, rela_bytes, n, *(void **)&libc_dlsym) ||
	    holds(&t, plt, plt_bytes, n, *(void **)&libc_dlsym))
		kc_flag(KC_F_BYPASS, info->dlpi_name);
	return 0;
}

void
kc_dl_check(void)
{
	if (atomic_load(&driver_map) != NULL)
		dl_iterate_phdr(check_object, NULL);
}
