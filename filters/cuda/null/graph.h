/* graph: what graph.c, node.c and exec.c share. See LICENSE. */
#ifndef KC_NULL_GRAPH_H
#define KC_NULL_GRAPH_H

#include "null.h"

struct node_attr {
	int id;
	CUlaunchAttributeValue value;
};

struct node {
	struct obj o;
	struct graph *g;
	int type;
	struct node **dep;
	size_t ndep, cdep;
	size_t index;	  /* among the graph's nodes; set by kn_graph_order */
	uintptr_t origin; /* the handle of the node it is a copy of */
	bool disabled;	  /* of a node of an executable graph */
	struct node_attr *attr;
	size_t nattr, cattr;
	/* By type: */
	CUDA_KERNEL_NODE_PARAMS kernel;
	void **param_copy; /* the kernel's parameters, the node's own */
	char *param_bytes;
	CUDA_MEMCPY3D copy;
	CUDA_MEMSET_NODE_PARAMS set;
	CUDA_HOST_NODE_PARAMS host;
	CUevent event;
	CUDA_MEM_ALLOC_NODE_PARAMS alloc;
	CUdeviceptr ptr;
	CUDA_CONDITIONAL_NODE_PARAMS cond;
	struct graph **child; /* one, or the bodies of a conditional */
	size_t nchild;
	CUgraph *bodies; /* the list that a conditional's adder was given */
};

struct graph {
	struct obj o;
	struct node **v;
	size_t n, cap;
	struct node *parent; /* the node whose graph this is, or NULL */
	uintptr_t origin;
};

struct exec {
	struct obj o;
	struct graph *g; /* a copy, its nodes in an order that can be run */
	uint64_t flags;
};

struct node *kn_node_new(struct graph *g, int type, struct node **dep,
			 size_t ndep);
struct graph *kn_graph_copy_of(const struct graph *g, struct node *parent);
bool kn_graph_order(struct graph *g);
CUresult kn_node_check(const CUgraphNodeParams *p);
void kn_node_put(struct node *n, const CUgraphNodeParams *p);
void kn_node_take(struct node *dst, const struct node *src);

#endif
