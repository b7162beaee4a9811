/* The edges of the lane view, as lines with rounded corners that cross no box: down in the free
 * strips between the columns, across in rows that their ends have to themselves. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Adds every edge of @sizes to @layout, whose nodes are placed. @columns: of each node, 0 for
 * tensors (which share rows with instructions; instructions share none). @places: x and width of
 * each column. */
void hir_lanes_route (HirLayout *layout,
                      const HirSizes *sizes,
                      const guint *columns,
                      const HirRect *places);

G_END_DECLS
