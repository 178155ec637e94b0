/*
 * entry: the table of the driver's functions. It stands alone because it
 * names them all without their types: only their addresses are wanted, and
 * entry.def is the one list. See LICENSE.
 */
#include "null.h"

#define E(base, since, symbol) CUresult symbol(void);
#define P(base, since, symbol) CUresult symbol(void);
#include "entry.def"
#undef E
#undef P

const struct driver_entry kn_entries[] = {
#define E(base, since, symbol) {#base, since, false, (void (*)(void))symbol},
#define P(base, since, symbol) {#base, since, true, (void (*)(void))symbol},
#include "entry.def"
#undef E
#undef P
};

const size_t kn_nentries = sizeof(kn_entries) / sizeof(*kn_entries);
