/*
 * count-journal.h: what the counter library writes and kc-run reads. The lines
 * are described at the head of count.c.
 */
#ifndef KC_COUNT_JOURNAL_H
#define KC_COUNT_JOURNAL_H

/* What is counted. The journal has them in this order. */
enum kc_what {
	KC_DIRECT,    /* kernels launched by a call */
	KC_NODES,     /* kernels run by graph launches */
	KC_GRAPHS,    /* graph launches */
	KC_MEMSET,    /* memset operations, in graphs too */
	KC_MEMCPY,    /* copies, in graphs too */
	KC_CAPTURED,  /* launches recorded by a capture: not run, not counted */
	KC_B_COND,    /* graph launches with a conditional node */
	KC_B_UNKNOWN, /* graph launches whose nodes are not known */
	KC_B_DEVICE,  /* graph launches with nodes that the device may update */
	KC_WHAT
};

/* What makes every count after it a lower bound, or worthless. */
enum kc_flag {
	KC_F_DEVICE_GRAPH = 1,	/* a graph was instantiated for device launch */
	KC_F_DEVICE_KERNEL = 2, /* a module's kernels can launch kernels */
	KC_F_UNKNOWN = 4,	/* an unknown entry point was called: bound */
	KC_F_UNKNOWN_GRAPH = 8, /* an unknown one that alters graphs: refuse */
	KC_F_CIG = 16,		/* work recorded for a graphics API: refuse */
	KC_F_SECOND = 32,	/* a second driver library was used: bound */
	KC_F_NAMES = 64,	/* more kernels than names can be kept for */
	KC_F_MEMORY = 128,	/* no memory for a count: refuse */
	KC_F_BYPASS = 256,	/* a library reaches dlsym around us: bound */
};

/* Where the counts are cut; KC_COUNT_CUT says it. */
enum kc_cut { KC_CUT_PROCESS, KC_CUT_RANGE, KC_CUT_SYNC };

/* What a scope is; the journal has these letters. */
enum kc_kind { KC_PROCESS = 'p', KC_THREAD = 't', KC_RANGE = 'r' };

#endif
