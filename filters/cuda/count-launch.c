/*
 * count-launch: the hooked entry points. See count.h, count-entries.def,
 * LICENSE.
 *
 * Each has a body that calls the real function through `real` and counts when
 * it succeeded, and two wrappers around it: handed_NAME for a program that
 * asked for the address, NAME for one that is linked to it. The second may find
 * another library before the driver and then calls that one, so that both tools
 * work; what that library asks of the driver in turn is not counted again.
 */
#include "count-cu.h"
#include "count-graph.h"
#include "count.h"

/* The parts of a parameter list, kept together across macros. */
#define P(...) __VA_ARGS__

#define REAL(name) \
	atomic_load_explicit(&kc_hook[KC_H_##name].driver, memory_order_relaxed)

/*
 * HOOK(name, parameters, arguments, body): the body is a block that uses
 * `real(arguments)` once and leaves the answer in `rc`.
 */
#define HOOK(name, params, args, ...)                                 \
	typedef int type_##name(params);                              \
	static inline __attribute__((always_inline)) int body_##name( \
		type_##name *real, params)                            \
	{                                                             \
		int rc;                                               \
		__VA_ARGS__                                           \
		return rc;                                            \
	}                                                             \
	static int handed_##name(params)                              \
	{                                                             \
		type_##name *real;                                    \
		*(void **)&real = REAL(name);                         \
		if (__builtin_expect(kc_chained != 0, 0))             \
			return real(args);                            \
		return body_##name(real, args);                       \
	}                                                             \
	KC_EXPORT int name(params);                                   \
	int name(params)                                              \
	{                                                             \
		type_##name *real;                                    \
		int rc;                                               \
		*(void **)&real = kc_next(KC_H_##name);               \
		if (real == NULL)                                     \
			return CU_STUB_LIBRARY;                       \
		if (KC_LIKELY(*(void **)&real == REAL(name)))         \
			return handed_##name(args);                   \
		kc_chained++;                                         \
		rc = body_##name(real, args);                         \
		kc_chained--;                                         \
		return rc;                                            \
	}

/* ---- start ----------------------------------------------------------- */

HOOK(cuInit, P(unsigned flags), P(flags), {
	rc = real(flags);
	kc_driver_used(rc);
})

HOOK(cuGetProcAddress,
     P(const char *symbol, void **fn, int version, uint64_t flags),
     P(symbol, fn, version, flags), {
	     rc = real(symbol, fn, version, flags);
	     if (rc == CU_OK && fn != NULL)
		     *fn = kc_exchange(symbol, *fn, flags);
     })

HOOK(cuGetProcAddress_v2,
     P(const char *symbol, void **fn, int version, uint64_t flags, int *status),
     P(symbol, fn, version, flags, status), {
	     rc = real(symbol, fn, version, flags, status);
	     if (rc == CU_OK && fn != NULL)
		     *fn = kc_exchange(symbol, *fn, flags);
     })

/* ---- kernels --------------------------------------------------------- */

#define KERNEL_PARAMS                                                         \
	P(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,        \
	  unsigned by, unsigned bz, unsigned shared, void *stream, void **kp, \
	  void **extra)
#define KERNEL_ARGS P(f, gx, gy, gz, bx, by, bz, shared, stream, kp, extra)

#define KERNEL(name, flavour)                                       \
	HOOK(name, P(KERNEL_PARAMS), P(KERNEL_ARGS), {              \
		rc = real(KERNEL_ARGS);                             \
		if (rc == CU_OK)                                    \
			kc_count(f, stream, flavour, KC_DIRECT, 1); \
	})

KERNEL(cuLaunchKernel, KC_LEGACY)
KERNEL(cuLaunchKernel_ptsz, KC_PTSZ)

#define COOPERATIVE_PARAMS                                             \
	P(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, \
	  unsigned by, unsigned bz, unsigned shared, void *stream, void **kp)
#define COOPERATIVE_ARGS P(f, gx, gy, gz, bx, by, bz, shared, stream, kp)

#define COOPERATIVE(name, flavour)                                  \
	HOOK(name, P(COOPERATIVE_PARAMS), P(COOPERATIVE_ARGS), {    \
		rc = real(COOPERATIVE_ARGS);                        \
		if (rc == CU_OK)                                    \
			kc_count(f, stream, flavour, KC_DIRECT, 1); \
	})

COOPERATIVE(cuLaunchCooperativeKernel, KC_LEGACY)
COOPERATIVE(cuLaunchCooperativeKernel_ptsz, KC_PTSZ)

#define KERNEL_EX(name, flavour)                                             \
	HOOK(name,                                                           \
	     P(const struct cu_launch_config *config, void *f, void **kp,    \
	       void **extra),                                                \
	     P(config, f, kp, extra), {                                      \
		     rc = real(config, f, kp, extra);                        \
		     if (rc == CU_OK)                                        \
			     kc_count(f, config->stream, flavour, KC_DIRECT, \
				      1);                                    \
	     })

KERNEL_EX(cuLaunchKernelEx, KC_LEGACY)
KERNEL_EX(cuLaunchKernelEx_ptsz, KC_PTSZ)

/* One launch for each device in the list. */
HOOK(cuLaunchCooperativeKernelMultiDevice,
     P(struct cu_launch_params *list, unsigned n, unsigned flags),
     P(list, n, flags), {
	     unsigned i;

	     rc = real(list, n, flags);
	     for (i = 0; rc == CU_OK && i < n; i++)
		     kc_count(list[i].function, list[i].stream, KC_LEGACY,
			      KC_DIRECT, 1);
     })

/* The oldest calls, in the legacy default stream unless they name one. */
HOOK(cuLaunch, P(void *f), P(f), {
	rc = real(f);
	if (rc == CU_OK)
		kc_count(f, NULL, KC_LEGACY, KC_DIRECT, 1);
})

HOOK(cuLaunchGrid, P(void *f, int width, int height), P(f, width, height), {
	rc = real(f, width, height);
	if (rc == CU_OK)
		kc_count(f, NULL, KC_LEGACY, KC_DIRECT, 1);
})

HOOK(cuLaunchGridAsync, P(void *f, int width, int height, void *stream),
     P(f, width, height, stream), {
	     rc = real(f, width, height, stream);
	     if (rc == CU_OK)
		     kc_count(f, stream, KC_LEGACY, KC_DIRECT, 1);
     })

/* ---- graphs ---------------------------------------------------------- */

/* What the graph runs is looked up first: another thread may destroy it as
 * soon as the launch is made. */
#define GRAPH_LAUNCH(name, flavour)                                \
	HOOK(name, P(void *exec, void *stream), P(exec, stream), { \
		struct kc_graph *g = kc_graph_hold(exec);          \
		rc = real(exec, stream);                           \
		if (rc == CU_OK)                                   \
			kc_graph_launched(g, stream, flavour);     \
		kc_graph_release(g);                               \
	})

GRAPH_LAUNCH(cuGraphLaunch, KC_LEGACY)
GRAPH_LAUNCH(cuGraphLaunch_ptsz, KC_PTSZ)

#define INSTANTIATE_LOG(name)                                                \
	HOOK(name,                                                           \
	     P(void **exec, void *graph, void **error, char *log, size_t n), \
	     P(exec, graph, error, log, n), {                                \
		     rc = real(exec, graph, error, log, n);                  \
		     if (rc == CU_OK)                                        \
			     kc_graph_made(*exec, graph, 0);                 \
	     })

INSTANTIATE_LOG(cuGraphInstantiate)
INSTANTIATE_LOG(cuGraphInstantiate_v2)

HOOK(cuGraphInstantiateWithFlags,
     P(void **exec, void *graph, unsigned long long flags),
     P(exec, graph, flags), {
	     rc = real(exec, graph, flags);
	     if (rc == CU_OK)
		     kc_graph_made(*exec, graph, flags);
     })

#define INSTANTIATE_PARAMS(name)                                           \
	HOOK(name,                                                         \
	     P(void **exec, void *graph, struct cu_instantiate_params *p), \
	     P(exec, graph, p), {                                          \
		     rc = real(exec, graph, p);                            \
		     if (rc == CU_OK)                                      \
			     kc_graph_made(*exec, graph, p->flags);        \
	     })

INSTANTIATE_PARAMS(cuGraphInstantiateWithParams)
INSTANTIATE_PARAMS(cuGraphInstantiateWithParams_ptsz)

/* Forgotten before it is gone, since its handle may come back at once. */
HOOK(cuGraphExecDestroy, P(void *exec), P(exec), {
	struct kc_graph *g = kc_graph_take(exec);

	rc = real(exec);
	kc_graph_taken(g, rc == CU_OK);
})

HOOK(cuGraphExecUpdate,
     P(void *exec, void *graph, void **error_node, int *result),
     P(exec, graph, error_node, result), {
	     rc = real(exec, graph, error_node, result);
	     if (rc == CU_OK)
		     kc_graph_updated(exec, graph);
     })

HOOK(cuGraphExecUpdate_v2, P(void *exec, void *graph, void *result),
     P(exec, graph, result), {
	     rc = real(exec, graph, result);
	     if (rc == CU_OK)
		     kc_graph_updated(exec, graph);
     })

HOOK(cuGraphExecKernelNodeSetParams,
     P(void *exec, void *node, const struct cu_kernel_node *p),
     P(exec, node, p), {
	     rc = real(exec, node, p);
	     if (rc == CU_OK)
		     kc_graph_node_kernel(exec, node, p->func);
     })

HOOK(cuGraphExecKernelNodeSetParams_v2,
     P(void *exec, void *node, const struct cu_kernel_node *p),
     P(exec, node, p), {
	     rc = real(exec, node, p);
	     if (rc == CU_OK)
		     kc_graph_node_kernel(exec, node,
					  p->func != NULL ? p->func : p->kern);
     })

HOOK(cuGraphExecNodeSetParams,
     P(void *exec, void *node, struct cu_node_params *p), P(exec, node, p), {
	     rc = real(exec, node, p);
	     if (rc == CU_OK && p->type == CU_NODE_KERNEL)
		     kc_graph_node_kernel(exec, node,
					  p->u.kernel.func != NULL
						  ? p->u.kernel.func
						  : p->u.kernel.kern);
	     else if (rc == CU_OK && p->type == CU_NODE_GRAPH)
		     kc_graph_node_child(exec, node, p->u.graph);
     })

HOOK(cuGraphExecChildGraphNodeSetParams, P(void *exec, void *node, void *child),
     P(exec, node, child), {
	     rc = real(exec, node, child);
	     if (rc == CU_OK)
		     kc_graph_node_child(exec, node, child);
     })

HOOK(cuGraphNodeSetEnabled, P(void *exec, void *node, unsigned on),
     P(exec, node, on), {
	     rc = real(exec, node, on);
	     if (rc == CU_OK)
		     kc_graph_node_enabled(exec, node, on != 0);
     })

/* ---- capture --------------------------------------------------------- */

/* Nothing of the program can be recorded before it learns that the capture has
 * begun, so the mark is in time when it is set after the call. */
#define BEGIN(name, flavour, params, args)                 \
	HOOK(name, P(params), P(args), {                   \
		rc = real(args);                           \
		if (rc == CU_OK)                           \
			kc_capture_began(stream, flavour); \
	})

BEGIN(cuStreamBeginCapture, KC_LEGACY, P(void *stream), P(stream))
BEGIN(cuStreamBeginCapture_ptsz, KC_PTSZ, P(void *stream), P(stream))
BEGIN(cuStreamBeginCapture_v2, KC_LEGACY, P(void *stream, int mode),
      P(stream, mode))
BEGIN(cuStreamBeginCapture_v2_ptsz, KC_PTSZ, P(void *stream, int mode),
      P(stream, mode))

#define TO_GRAPH                                                          \
	P(void *stream, void *graph, const void *deps, const void *edges, \
	  size_t n, int mode)
BEGIN(cuStreamBeginCaptureToGraph, KC_LEGACY, P(TO_GRAPH),
      P(stream, graph, deps, edges, n, mode))
BEGIN(cuStreamBeginCaptureToGraph_ptsz, KC_PTSZ, P(TO_GRAPH),
      P(stream, graph, deps, edges, n, mode))

#define RECAPTURE \
	P(void *stream, int mode, void *graph, void *callback, void *data)
BEGIN(cuStreamBeginRecaptureToGraph, KC_LEGACY, P(RECAPTURE),
      P(stream, mode, graph, callback, data))
BEGIN(cuStreamBeginRecaptureToGraph_ptsz, KC_PTSZ, P(RECAPTURE),
      P(stream, mode, graph, callback, data))

/* Recorded into a command list of a graphics API, which runs it later and as
 * often as it likes: nothing that can be counted. */
#define CIG(name)                                                      \
	HOOK(name, P(void *stream, void *params), P(stream, params), { \
		rc = real(stream, params);                             \
		if (rc == CU_OK)                                       \
			kc_flag(KC_F_CIG, NULL);                       \
	})
CIG(cuStreamBeginCaptureToCig)
CIG(cuStreamBeginCaptureToCig_ptsz)

#define END(name, flavour)                                            \
	HOOK(name, P(void *stream, void **graph), P(stream, graph), { \
		rc = real(stream, graph);                             \
		kc_capture_ended(stream, flavour);                    \
	})

END(cuStreamEndCapture, KC_LEGACY)
END(cuStreamEndCapture_ptsz, KC_PTSZ)

/* ---- waits ----------------------------------------------------------- */

#define WAIT(name)                           \
	HOOK(name, P(void *what), P(what), { \
		rc = real(what);             \
		if (rc == CU_OK)             \
			kc_synchronised();   \
	})

WAIT(cuCtxSynchronize_v2)
WAIT(cuStreamSynchronize)
WAIT(cuStreamSynchronize_ptsz)
WAIT(cuEventSynchronize)

/* The same without a parameter. */
typedef int type_cuCtxSynchronize(void);

static int
handed_cuCtxSynchronize(void)
{
	type_cuCtxSynchronize *real;
	int rc;

	*(void **)&real = REAL(cuCtxSynchronize);
	rc = real();
	if (rc == CU_OK && kc_chained == 0)
		kc_synchronised();
	return rc;
}

KC_EXPORT int cuCtxSynchronize(void);
int
cuCtxSynchronize(void)
{
	type_cuCtxSynchronize *real;
	int rc;

	*(void **)&real = kc_next(KC_H_cuCtxSynchronize);
	if (real == NULL)
		return CU_STUB_LIBRARY;
	if (*(void **)&real == REAL(cuCtxSynchronize))
		return handed_cuCtxSynchronize();
	kc_chained++;
	rc = real();
	kc_chained--;
	if (rc == CU_OK)
		kc_synchronised();
	return rc;
}

/* ---- kernels' names -------------------------------------------------- */

HOOK(cuModuleGetFunction, P(void **f, void *module, const char *name),
     P(f, module, name), {
	     rc = real(f, module, name);
	     if (rc == CU_OK) {
		     kc_name_record(*f, name);
		     kc_module_seen(module);
	     }
     })

HOOK(cuLibraryGetKernel, P(void **kernel, void *library, const char *name),
     P(kernel, library, name), {
	     rc = real(kernel, library, name);
	     if (rc == CU_OK) {
		     kc_name_record(*kernel, name);
		     kc_library_seen(library);
	     }
     })

HOOK(cuKernelGetFunction, P(void **f, void *kernel), P(f, kernel), {
	rc = real(f, kernel);
	if (rc == CU_OK)
		kc_name_alias(*f, kernel);
})

/* Before the call: a thread may load another module the moment it is done. */
#define GONE(name, type)                    \
	HOOK(name, P(type what), P(what), { \
		kc_name_forget();           \
		rc = real(what);            \
	})

GONE(cuModuleUnload, void *)
GONE(cuLibraryUnload, void *)
GONE(cuCtxDestroy, void *)
GONE(cuCtxDestroy_v2, void *)
GONE(cuDevicePrimaryCtxRelease, int)
GONE(cuDevicePrimaryCtxRelease_v2, int)
GONE(cuDevicePrimaryCtxReset, int)
GONE(cuDevicePrimaryCtxReset_v2, int)

/* ---- copies and memsets ---------------------------------------------- */

/*
 * Every argument is passed on as a word. The System V ABI of x86-64 and the
 * AAPCS64 pass each integer of up to 64 bits in a register or stack slot of its
 * own and leave the upper bits of a narrower one unspecified, so that a word
 * carries it unchanged.
 */
typedef uintptr_t w;
#define W1 w a1
#define W2 W1, w a2
#define W3 W2, w a3
#define W4 W3, w a4
#define W5 W4, w a5
#define W6 W5, w a6
#define W8 W6, w a7, w a8
#define W9 W8, w a9
#define A1 a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A8 A6, a7, a8
#define A9 A8, a9
#define a0 0

#define COPY(name, words, stream, what, operations)                            \
	HOOK(name, P(W##words), P(A##words), {                                 \
		rc = real(A##words);                                           \
		if (rc == CU_OK)                                               \
			kc_count(                                              \
				NULL, (void *)(w)(a##stream),                  \
				stream != 0 && kc_is_ptsz(#name, sizeof #name) \
					? KC_PTSZ                              \
					: KC_LEGACY,                           \
				what, operations);                             \
	})

/* Whether a name ends in _ptsz; the compiler answers. */
static inline __attribute__((always_inline)) bool
kc_is_ptsz(const char *name, size_t size)
{
	return size > 6 && name[size - 6] == '_' && name[size - 5] == 'p' &&
	       name[size - 2] == 'z';
}

#include "count-entries.def"

/* ---- the table ------------------------------------------------------- */

#define ROW(name) {#name, (kc_fn *)handed_##name, (kc_fn *)name, NULL, NULL},
#define ENTRY(name) ROW(name)
#define COPY(name, words, stream, what, operations) ROW(name)
struct kc_hook kc_hook[KC_HOOKS] = {
#include "count-entries.def"
};
