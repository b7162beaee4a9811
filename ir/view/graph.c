#include "view/graph.h"

#include "view/graph-internal.h"

static void
clear_node (gpointer data)
{
  HirGraphNode *node = data;

  g_free (node->title);
  g_free (node->subtitle);
}

static void
clear_group (gpointer data)
{
  g_free (((HirGraphGroup *) data)->title);
}

HirGraph *
hir_graph_new_empty (void)
{
  HirGraph *graph = g_new0 (HirGraph, 1);

  graph->nodes = g_array_new (FALSE, FALSE, sizeof (HirGraphNode));
  graph->groups = g_array_new (FALSE, FALSE, sizeof (HirGraphGroup));
  graph->edges = g_array_new (FALSE, FALSE, sizeof (HirGraphEdge));
  g_array_set_clear_func (graph->nodes, clear_node);
  g_array_set_clear_func (graph->groups, clear_group);
  return graph;
}

void
hir_graph_free (HirGraph *graph)
{
  if (graph == NULL)
    return;
  g_array_unref (graph->nodes);
  g_array_unref (graph->groups);
  g_array_unref (graph->edges);
  g_free (graph);
}

GHashTable *
hir_graph_dup_boxes (const HirGraph *graph)
{
  GHashTable *boxes = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < graph->nodes->len; i++)
    g_hash_table_add (boxes, &g_array_index (graph->nodes, HirGraphNode, i).id);
  return boxes;
}

/* Every tensor of a fusion is a box, with the ops between them. */
static guint
fusion_val_node (HirGraphBuilder *builder, GHashTable *places, const HirVal *val)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, val));

  if (place == 0)
    {
      place = hir_graph_add_val (builder, val) + 1;
      g_hash_table_insert (places, (gpointer) val, GUINT_TO_POINTER (place));
    }
  return place - 1;
}

static void
add_fusion_expr (HirGraphBuilder *builder, GHashTable *places, const HirExpr *expr)
{
  guint op;

  /* Sources first, so that nodes are in program order. */
  for (guint i = 0; i < expr->n_inputs; i++)
    if (HIR_IS_TENSOR (expr->inputs[i]))
      fusion_val_node (builder, places, expr->inputs[i]);
  op = hir_graph_add_expr (builder, expr);
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      /* Among scalars, only inputs have a box. */
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, expr->inputs[i]));

      if (place > 0)
        hir_graph_add_edge (builder, (int) place - 1, op, HIR_EDGE_DATA, expr->inputs[i]->node.id);
    }
  for (guint i = 0; i < expr->n_outputs; i++)
    if (HIR_IS_TENSOR (expr->outputs[i]))
      hir_graph_add_edge (builder, (int) op, fusion_val_node (builder, places, expr->outputs[i]),
                          HIR_EDGE_DATA, expr->outputs[i]->node.id);
}

static void
add_fusion (HirGraphBuilder *builder, HirContainer *fusion)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < fusion->inputs.len; i++)
    fusion_val_node (builder, places, fusion->inputs.items[i]);
  for (guint i = 0; i < exprs->len; i++)
    add_fusion_expr (builder, places, g_ptr_array_index (exprs, i));
  for (guint i = 0; i < fusion->outputs.len; i++)
    fusion_val_node (builder, places, fusion->outputs.items[i]);
}

/* Turns data edges from and to communications into communication edges. */
static void
mark_communication (HirGraph *graph)
{
  for (guint i = 0; i < graph->edges->len; i++)
    {
      HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);

      if (edge->kind == HIR_EDGE_DATA &&
          (g_array_index (graph->nodes, HirGraphNode, edge->from).kind == HIR_GRAPH_COMM ||
           g_array_index (graph->nodes, HirGraphNode, edge->to).kind == HIR_GRAPH_COMM))
        edge->kind = HIR_EDGE_COMM;
    }
}

HirGraph *
hir_graph_new (HirContainer *container)
{
  HirGraph *graph = hir_graph_new_empty ();
  HirGraphBuilder builder;

  hir_graph_builder_init (&builder, graph);
  if (container->kind == HIR_CONTAINER_HOST)
    hir_graph_add_host (&builder, container);
  else
    add_fusion (&builder, container);
  hir_graph_builder_clear (&builder);
  mark_communication (graph);
  return graph;
}
