/* Builder that adds nodes, groups and edges; shared by the files that build a graph. */
#pragma once

#include "view/graph.h"

G_BEGIN_DECLS

typedef struct
{
  HirGraph *graph;
  GHashTable *keys;  /* const gint64*: keys in use */
  GHashTable *edges; /* guint64*: from, to and kind of the existing edges */
  int group;         /* group that receives new nodes, or -1 */
} HirGraphBuilder;

/* Prepares @builder to add to @graph. */
void hir_graph_builder_init (HirGraphBuilder *builder, HirGraph *graph);
void hir_graph_builder_clear (HirGraphBuilder *builder);

/* Adds a node for a value and returns its index. */
guint hir_graph_add_val (HirGraphBuilder *builder, const HirVal *val);
/* Adds a node for an Expr and returns its index. */
guint hir_graph_add_expr (HirGraphBuilder *builder, const HirExpr *expr);
/* Adds a group inside the builder's group and returns its index. Takes @title. */
int hir_graph_add_group (HirGraphBuilder *builder, guint64 id, HirExprKind kind, char *title);
/* Adds an edge unless @from is -1, both ends are the same node, or the edge exists. */
void
hir_graph_add_edge (HirGraphBuilder *builder, int from, guint to, HirEdgeKind kind, guint64 id);

/* Adds a whole host program. */
void hir_graph_add_host (HirGraphBuilder *builder, HirContainer *container);

G_END_DECLS
