/* Adds constraints for program order to a layout. A loop is placed below the code before it and
 * above the code after it; inside a loop, operations of a stream are placed below the operation
 * that made the stream current. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Appends to sizes->constraints. The indices of @sizes are those of @graph, whose nodes are in
 * program order. A fusion gets no constraints, because its edges express the order. O(nodes +
 * edges). */
void hir_sizes_add_program_order (HirSizes *sizes, const HirGraph *graph);

G_END_DECLS
