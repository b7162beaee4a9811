/* Shorter ways for edges. Graphviz leads an edge around everything that it laid out: around the
 * room for a title, and, in a union of snapshots, around boxes that this snapshot does not have. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Past this many boxes the routes stay as they are: each edge is held against each box. */
#define HIR_ROUTES_MAX_NODES 400

/* Replaces the route of every edge that can go down from bottom to top in one sweep without
 * touching a box. @edges: HirSizesEdge, as many as the layout has. Edges that are not drawn, and
 * layouts by lanes, are left alone. */
void hir_layout_shorten_edges (HirLayout *layout, const GArray *edges);

G_END_DECLS
