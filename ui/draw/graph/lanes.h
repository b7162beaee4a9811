/* Layouts without Graphviz, in time that grows with the size of the graph only: the lane view of
 * host programs, and simple rows for anything, which is also what is shown where Graphviz fails.
 * Both are deterministic and never fail. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* A host program: one column a stream, one row an instruction in program order; tensors in a column
 * of their own. The stream of an instruction is the one that the last SetCurrentStream before it
 * named. A graph without stream management (a fusion) is given to hir_lanes_new_layered(). */
HirLayout *hir_lanes_new (const HirGraph *graph, const HirSizes *sizes);

/* Rows by the longest path from a source; each group is laid out by itself, as a box among boxes.
 */
HirLayout *hir_lanes_new_layered (const HirSizes *sizes);

G_END_DECLS
