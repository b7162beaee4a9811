#include "brief.h"
#include "view/graph-internal.h"

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

/* Returns the id if it is not in use: keys are the same in every snapshot. A second node with the
 * same id is a copy of an op in another HostUnit, distinguished by its group. */
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

/* Takes @title and @subtitle. */
static guint
add_node (HirGraphBuilder *builder,
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
  return add_node (builder, &val->node, HIR_GRAPH_TENSOR, g_string_free (title, FALSE), subtitle);
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
    case HIR_EXPR_SYMMETRIC_VIEW:
      return HIR_GRAPH_MEMORY;
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      return HIR_GRAPH_STREAM;
    case HIR_EXPR_WAIT:
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_SHARE_MEM_HANDLES:
    case HIR_EXPR_DISPATCH:
    case HIR_EXPR_COMBINE:
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
  return add_node (builder, &expr->node, expr_node_kind (expr->kind), hir_brief_expr_title (expr),
                   hir_brief_expr_subtitle (expr));
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
