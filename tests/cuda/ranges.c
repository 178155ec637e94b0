/*
 * ranges: launches within NVTX ranges. NVTX is headers that each library
 * compiles in; what they do at the first call is done here by hand, as NVTX 3's
 * nvtxInit.h has it, twice, for two libraries.
 *
 *	ranges SCENARIO
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cu.h"

typedef void fn(void);
struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

/* A library's functions, which NVTX's tables point at: by module and id. */
struct library {
	fn *core[16], *core2[16];
	fn **core_at[16], **core2_at[16];
};
static struct library one, two, *filling;

static int
table(int module, fn ****out, unsigned *n)
{
	unsigned i;

	if (module != 1 && module != 5)
		return 0;
	for (i = 0; i < 16; i++) {
		filling->core_at[i] = &filling->core[i];
		filling->core2_at[i] = &filling->core2[i];
	}
	*out = module == 1 ? filling->core_at : filling->core2_at;
	*n = 16;
	return 1;
}

static const struct {
	size_t size;
	int (*table)(int, fn ****, unsigned *);
} callbacks = {sizeof callbacks, table};

static const void *
export_table(uint32_t id)
{
	return id == 1 ? &callbacks : NULL;
}

static void
load(struct library *l)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *lib = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t));

	if (lib == NULL)
		exit(5);
	*(void **)&init = dlsym(lib, "InitializeInjectionNvtx2");
	filling = l;
	if (init == NULL || init(export_table) == 0)
		exit(6);
}

/* What the NVTX functions compile to. */
static int
push(struct library *l, const char *text)
{
	return ((int (*)(const char *))l->core[9])(text);
}

static int
pop(struct library *l)
{
	return ((int (*)(void))l->core[11])();
}

static uint64_t
start(struct library *l, const char *text)
{
	return ((uint64_t(*)(const char *))l->core[5])(text);
}

static void
end(struct library *l, uint64_t id)
{
	((void (*)(uint64_t))l->core[7])(id);
}

static void *
domain(struct library *l, const char *name)
{
	return ((void *(*)(const char *))l->core2[12])(name);
}

static void *
registered(struct library *l, void *in, const char *text)
{
	return ((void *(*)(void *, const char *))l->core2[10])(in, text);
}

static int
domain_push(struct library *l, void *in, int type, const void *message)
{
	struct attributes a = {.version = 3,
			       .size = sizeof a,
			       .message_type = type,
			       .message = message};

	return ((int (*)(void *, const struct attributes *))l->core2[4])(in,
									 &a);
}

static int
domain_pop(struct library *l, void *in)
{
	return ((int (*)(void *))l->core2[5])(in);
}

static P context, first, stream;

static void
launch(int n)
{
	while (n-- > 0)
		OK(cu.cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, stream, NULL,
				     NULL));
}

static void
expect(int got, int want)
{
	if (got != want) {
		fprintf(stderr, "level %d, expected %d\n", got, want);
		exit(7);
	}
}

/* Three steps of 5 launches: 2 forward, 3 backward; one before them. */
static void
s_steps(void)
{
	int i;

	launch(1);
	for (i = 0; i < 3; i++) {
		expect(push(&one, "step"), 0);
		expect(push(&one, "forward"), 1);
		launch(2);
		expect(pop(&one), 1);
		expect(push(&one, "backward"), 1);
		launch(3);
		expect(pop(&one), 1);
		expect(pop(&one), 0);
	}
	expect(pop(&one), -1);
}

/* The first step does more: 9, then 4 and 4. */
static void
s_warm(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		push(&one, "step");
		launch(i == 0 ? 9 : 4);
		pop(&one);
	}
}

/* Two libraries, a domain with registered and wide texts, odd names. */
static void
s_domains(void)
{
	void *d = domain(&two, "model"), *r = registered(&two, d, "layer");

	push(&one, "outer");
	expect(domain_push(&two, d, 3, r), 0);
	launch(1);
	expect(domain_push(&two, d, 2, L"ünï\t"), 1);
	launch(2);
	domain_pop(&two, d);
	domain_pop(&two, d);
	pop(&one);
	push(&two, "a\nb");
	pop(&two);
	domain_push(&two, NULL, 1, "default");
	launch(1);
	domain_pop(&two, NULL);
}

static void *
worker(void *data)
{
	OK(cu.cuCtxSetCurrent(context));
	launch(7);
	end(&one, *(uint64_t *)data);
	return NULL;
}

/* Begun here, ended in another thread, which launches 7 of its 8. */
static void
s_threads(void)
{
	uint64_t id = start(&one, "across");
	pthread_t t;

	launch(1);
	if (pthread_create(&t, NULL, worker, &id) != 0)
		exit(3);
	pthread_join(t, NULL);
	push(&one, "mine");
	id = start(&one, "overlapping");
	launch(1);
	pop(&one);
	launch(1);
	end(&one, id);
	end(&one, 12345);
}

static void
s_open(void)
{
	push(&one, "closed");
	pop(&one);
	push(&one, "open");
	launch(1);
	start(&one, "started");
}

/* "a/b" at once, and "b" in "a". */
static void
s_alike(void)
{
	push(&one, "a/b");
	launch(1);
	pop(&one);
	push(&one, "a");
	push(&one, "b");
	launch(2);
	pop(&one);
	pop(&one);
}

int
main(int argc, char **argv)
{
	static const char image[] = ".version 7.0\n.target sm_75\n"
				    ".address_size 64\n"
				    ".visible .entry first()\n{\n\tret;\n}\n";
	static const struct {
		const char *name;
		void (*run)(void);
	} scenario[] = {
		{"steps", s_steps},	{"warm", s_warm},
		{"domains", s_domains}, {"threads", s_threads},
		{"open", s_open},	{"alike", s_alike},
	};
	P module;
	int device;
	size_t i;

	if (argc != 2)
		return 2;
	load(&one);
	load(&two);
	cu_find("dlsym");
	OK(cu.cuInit(0));
	OK(cu.cuDeviceGet(&device, 0));
	OK(cu.cuDevicePrimaryCtxRetain(&context, device));
	OK(cu.cuCtxSetCurrent(context));
	OK(cu.cuModuleLoadData(&module, image));
	OK(cu.cuModuleGetFunction(&first, module, "first"));
	OK(cu.cuStreamCreate(&stream, 1));
	for (i = 0; i < sizeof scenario / sizeof *scenario; i++)
		if (strcmp(argv[1], scenario[i].name) == 0)
			scenario[i].run();
	return 0;
}
