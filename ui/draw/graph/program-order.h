/* What a layout is told of a program's order, beyond its edges: a loop stands below what comes
 * before it and above what follows; in a loop, what is issued on a stream stands below the op that
 * made the stream current. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Appends to sizes->constraints. The indices of @sizes are those of @graph, whose nodes are in
 * program order. A fusion gets none: its edges say all. O(nodes + edges). */
void hir_sizes_add_program_order (HirSizes *sizes, const HirGraph *graph);

G_END_DECLS
