/* Layouts without Graphviz, in time proportional to the size of the graph: the lane view of host
 * programs, and rows for any graph. The latter is also the fallback if Graphviz fails. Both are
 * deterministic and never fail. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Lays out a host program: one column per stream, one row per instruction in program order, and a
 * column of tensors. The stream of an instruction is that of the last SetCurrentStream. A graph
 * without stream management (a fusion) is passed to hir_lanes_new_layered(). */
HirLayout *hir_lanes_new (const HirGraph *graph, const HirSizes *sizes);

/* Arranges nodes in rows by the longest path from a source. Each group is laid out separately and
 * then treated as a box. */
HirLayout *hir_lanes_new_layered (const HirSizes *sizes);
/* Returns whether @graph manages streams, so that it has lanes. */
gboolean hir_lanes_has_streams (const HirGraph *graph);

G_END_DECLS
