/* count-graph.h: what a graph launch runs. See count.h. */
#ifndef KC_COUNT_GRAPH_H
#define KC_COUNT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "count.h"

struct kc_graph;

/*
 * An executable graph was made from `graph`: its nodes are read now, since the
 * template may be changed or destroyed later.
 */
void kc_graph_made(void *exec, void *graph, uint64_t flags);

/* It took the parameters of another graph of the same shape. */
void kc_graph_updated(void *exec, void *graph);

/* One node's kernel, one node's child graph, one node's being on, changed. */
void kc_graph_node_kernel(void *exec, void *node, void *function);
void kc_graph_node_child(void *exec, void *node, void *child);
void kc_graph_node_enabled(void *exec, void *node, bool on);

/* What is known of `exec`, held until it is released; NULL for unknown. */
struct kc_graph *kc_graph_hold(void *exec);
void kc_graph_release(struct kc_graph *graph);

/* A graph (or an unknown one, NULL) was launched in `stream`. */
void kc_graph_launched(struct kc_graph *graph, void *stream,
		       enum kc_flavour flavour);

/* `exec` is about to be destroyed, and was or was not. */
struct kc_graph *kc_graph_take(void *exec);
void kc_graph_taken(struct kc_graph *graph, bool destroyed);

#endif
