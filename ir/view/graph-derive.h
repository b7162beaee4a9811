/* Graphs made of other graphs, for looking at a part of them: two snapshots in one, loops folded into a box,
 * what is near a node. What is kept keeps its key, so that a layout can keep its place. Each takes time that
 * grows with the size of the graph only; any thread. */
#pragma once

#include "view/program-diff.h"

G_BEGIN_DECLS

/* In a map from the nodes of one graph to those of another: not there. */
#define HIR_GRAPH_NOWHERE G_MAXUINT32

/* The graph after, in program order, and in it what only the graph before has, each node, group and edge with
 * its change. */
HirGraph *hir_graph_new_merged (const HirProgramDiff *diff);

/* By what a group is known in every snapshot: its id; an ELSE, which has that of its IF, is told apart. Array
 * of guint64, one a group. */
GArray *hir_graph_dup_group_keys (const HirGraph *graph);

/* @folded: set of const gint64* group keys. Each such group is one node of kind HIR_GRAPH_FOLD, with the
 * group's id, and the edges of what is in it; a folded group within another is part of that. @map: nullable;
 * gets an array of guint32, by node of @graph its node in the result. */
HirGraph *hir_graph_new_folded (const HirGraph *graph, GHashTable *folded, GArray **map);

/* The key of the node that the folded group of key @group_key is. */
guint64 hir_graph_get_fold_key (guint64 group_key);

typedef enum
{
  HIR_NEAR_BOTH,
  HIR_NEAR_UP,   /* what it comes from */
  HIR_NEAR_DOWN, /* what comes of it */
} HirNearDirection;

/* What is at most @n_hops edges away from the nodes @seeds (indices, guint32). The order of a stream is no
 * way: it connects everything. @map: as above. */
HirGraph *hir_graph_new_near (const HirGraph *graph,
                              const GArray *seeds,
                              guint n_hops,
                              HirNearDirection direction,
                              GArray **map);

G_END_DECLS
