/* Routes the edges of the lane view as lines with rounded corners that cross no box: vertically in
 * the free strips between columns, horizontally in rows without other boxes. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Adds every edge of @sizes to @layout, whose nodes are placed.
 *
 * @columns: the column of each node; 0 for tensors, which share rows with instructions;
 * instructions do not share rows
 * @places: x and width of each column */
void hir_lanes_route (HirLayout *layout,
                      const HirSizes *sizes,
                      const guint *columns,
                      const HirRect *places);

G_END_DECLS
