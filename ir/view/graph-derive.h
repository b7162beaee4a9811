/* Graphs derived from other graphs, to view a part of them: two snapshots merged, loops folded into
 * a box, the neighborhood of a node. Nodes keep their keys, so that a layout can keep their
 * positions. Time is linear in the size of the graph. May be called from any thread. */
#pragma once

#include "view/program-diff.h"

G_BEGIN_DECLS

/* Missing entry in a map from the nodes of one graph to those of another. */
#define HIR_GRAPH_NOWHERE G_MAXUINT32

/* Returns the graph after, in program order, plus the nodes, groups and edges that only the graph
 * before has. Sets the change of each. */
HirGraph *hir_graph_new_merged (const HirProgramDiff *diff);

/* Returns keys (guint64, one per group) that identify groups across snapshots: their ids, with a
 * distinct key for an ELSE, which has the id of its IF. */
GArray *hir_graph_dup_group_keys (const HirGraph *graph);

/* Replaces each group whose key is in @folded (set of const gint64*) by one node of kind
 * HIR_GRAPH_FOLD with the group's id and the edges of its contents. Folded groups inside a folded
 * group disappear. @map (nullable) receives an array of guint32: for each node of @graph its node
 * in the result. */
HirGraph *hir_graph_new_folded (const HirGraph *graph, GHashTable *folded, GArray **map);

/* Returns the key of the node that represents the folded group with key @group_key. */
guint64 hir_graph_get_fold_key (guint64 group_key);

typedef enum
{
  HIR_NEAR_BOTH,
  HIR_NEAR_UP,   /* what it is computed from */
  HIR_NEAR_DOWN, /* what is computed from it */
} HirNearDirection;

/* Returns the part of @graph that is at most @n_hops edges away from the nodes @seeds (guint32
 * indices). Stream-order edges are ignored, because they connect everything. @map: see
 * hir_graph_new_folded(). */
HirGraph *hir_graph_new_near (const HirGraph *graph,
                              const GArray *seeds,
                              guint n_hops,
                              HirNearDirection direction,
                              GArray **map);

G_END_DECLS
