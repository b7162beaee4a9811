/* Shortens edges. Graphviz leads edges around everything it placed, including the space for titles
 * and, in a union of snapshots, boxes that are not in this snapshot. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Above this number of boxes, routes stay as they are, because each edge is tested against each
 * box. */
#define HIR_ROUTES_MAX_NODES 400

/* Replaces the route of every edge that can go from the bottom of one box to the top of the other
 * in one curve without touching a box or the title of a group. Ignores edges that are not drawn,
 * and layouts in lanes.
 *
 * @sizes: the sizes that were laid out */
void hir_layout_shorten_edges (HirLayout *layout, const HirSizes *sizes);

G_END_DECLS
