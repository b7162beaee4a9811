#include "view/graph.h"

#include "brief.h"
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

void
hir_graph_builder_init (HirGraphBuilder *builder, HirGraph *graph)
{
  builder->graph = graph;
  builder->keys = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  builder->edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  builder->group = -1;
}

void
hir_graph_builder_clear (HirGraphBuilder *builder)
{
  g_clear_pointer (&builder->keys, g_hash_table_unref);
  g_clear_pointer (&builder->edges, g_hash_table_unref);
}

/* The id where it is free: it is the same in every snapshot. A second node of one id is a copy of
 * an op in another HostUnit, told apart by the group that holds it. */
static guint64
take_key (HirGraphBuilder *builder, guint64 id)
{
  guint64 key = id;

  if (g_hash_table_contains (builder->keys, &key) && builder->group >= 0)
    key =
        hir_hash_mix (id, g_array_index (builder->graph->groups, HirGraphGroup, builder->group).id);
  while (g_hash_table_contains (builder->keys, &key))
    key = hir_hash_mix (key, id);
  g_hash_table_add (builder->keys, g_memdup2 (&key, sizeof key));
  return key;
}

guint
hir_graph_add_node (HirGraphBuilder *builder,
                    const HirNode *node,
                    HirGraphNodeKind kind,
                    char *title,
                    char *subtitle)
{
  HirGraphNode added = {
    .id = node->id,
    .key = take_key (builder, node->id),
    .kind = kind,
    .title = title,
    .subtitle = subtitle,
    .group = builder->group,
    .pos = node->pos,
  };

  g_array_append_val (builder->graph->nodes, added);
  return builder->graph->nodes->len - 1;
}

guint
hir_graph_add_val (HirGraphBuilder *builder, const HirVal *val)
{
  GString *title = g_string_new (NULL);
  char *subtitle;

  hir_brief_val (val, title);
  subtitle = HIR_IS_TENSOR (val) ? hir_brief_axes ((const HirTensor *) val)
                                 : g_strdup (hir_dtype_get_short_name (val->dtype));
  return hir_graph_add_node (builder, &val->node, HIR_GRAPH_TENSOR, g_string_free (title, FALSE),
                             subtitle);
}

static HirGraphNodeKind
expr_node_kind (HirExprKind kind)
{
  switch (kind)
    {
    case HIR_EXPR_ALLOCATE:
    case HIR_EXPR_DEALLOCATE:
    case HIR_EXPR_ALIAS_SELECT:
    case HIR_EXPR_SHARD_BY_STREAM:
      return HIR_GRAPH_MEMORY;
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      return HIR_GRAPH_STREAM;
    case HIR_EXPR_WAIT:
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_START_COALESCING:
    case HIR_EXPR_END_COALESCING:
      return HIR_GRAPH_COMM;
    default:
      return HIR_GRAPH_OP;
    }
}

guint
hir_graph_add_expr (HirGraphBuilder *builder, const HirExpr *expr)
{
  return hir_graph_add_node (builder, &expr->node, expr_node_kind (expr->kind),
                             hir_brief_expr_title (expr), hir_brief_expr_subtitle (expr));
}

int
hir_graph_add_group (HirGraphBuilder *builder, guint64 id, HirExprKind kind, char *title)
{
  HirGraphGroup group = { .id = id, .title = title, .parent = builder->group, .kind = kind };

  g_array_append_val (builder->graph->groups, group);
  return (int) builder->graph->groups->len - 1;
}

void
hir_graph_add_edge (HirGraphBuilder *builder, int from, guint to, HirEdgeKind kind, guint64 id)
{
  HirGraphEdge edge = { .from = (guint) from, .to = to, .kind = kind, .id = id };
  guint64 packed;

  if (from < 0 || (guint) from == to)
    return;
  packed = (guint64) from << 34 | (guint64) to << 3 | (guint64) kind;
  if (g_hash_table_add (builder->edges, g_memdup2 (&packed, sizeof packed)))
    g_array_append_val (builder->graph->edges, edge);
}

/* In a fusion every tensor is a box, and every op between them. */
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

  /* Sources first: nodes stand in program order. */
  for (guint i = 0; i < expr->n_inputs; i++)
    if (HIR_IS_TENSOR (expr->inputs[i]))
      fusion_val_node (builder, places, expr->inputs[i]);
  op = hir_graph_add_expr (builder, expr);
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      /* Of scalars only those that are inputs have a box. */
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

/* A value that goes over the network is told apart from one that stays. */
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
