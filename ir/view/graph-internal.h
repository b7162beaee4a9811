/* What the graph's files share: nodes, groups and edges as they are added. */
#pragma once

#include "view/graph.h"

G_BEGIN_DECLS

typedef struct
{
  HirGraph *graph;
  GHashTable *keys;  /* const gint64*: taken */
  GHashTable *edges; /* guint64*: from, to and kind of those there are */
  int group;         /* where nodes are put */
} HirGraphBuilder;

void hir_graph_builder_init (HirGraphBuilder *builder, HirGraph *graph);
void hir_graph_builder_clear (HirGraphBuilder *builder);

/* Each gives the new node's index. */
guint hir_graph_add_val (HirGraphBuilder *builder, const HirVal *val);
guint hir_graph_add_expr (HirGraphBuilder *builder, const HirExpr *expr);
/* Under the builder's group. The title is taken. */
int hir_graph_add_group (HirGraphBuilder *builder, guint64 id, HirExprKind kind, char *title);
/* Nothing where there is no @from (-1), for an edge from a node to itself, or for one that is
 * there. */
void
hir_graph_add_edge (HirGraphBuilder *builder, int from, guint to, HirEdgeKind kind, guint64 id);

/* Adds a whole host program. */
void hir_graph_add_host (HirGraphBuilder *builder, HirContainer *container);

G_END_DECLS
