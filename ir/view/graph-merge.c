#include "view/graph-derive.h"

typedef struct
{
  const HirProgramDiff *diff;
  GHashTable *boxes; /* const gint64*: ids of the nodes after */
  HirGraph *merged;
  GArray *group_of; /* int: group of the graph before -> group of the merged graph */
  GArray *node_of;  /* guint32: node of the graph before -> node of the merged graph */
} Merge;

static char *
dup_text (const char *text)
{
  return g_strdup (text != NULL ? text : "");
}

/* Returns the change of a node or group that both graphs have. An Expr whose result changed counts
 * as changed, like its line in the text, if the result has no box. */
static HirChange
get_shared (const Merge *merge, guint64 id)
{
  HirChange change = hir_program_diff_get_change (merge->diff, id);
  const HirNodeInfo *info = hir_program_view_lookup (merge->diff->after, id);

  return change != HIR_CHANGE_NONE || info == NULL || hir_node_info_is_part (info)
             ? change
             : hir_program_view_get_box_change (merge->diff->before, merge->diff->after, id,
                                                merge->boxes);
}

static void
append_group (Merge *merge, const HirGraphGroup *group, int parent, HirChange change)
{
  HirGraphGroup copy = *group;

  copy.title = dup_text (group->title);
  copy.parent = parent;
  copy.change = change;
  g_array_append_val (merge->merged->groups, copy);
}

/* Returns the change of a box that only one of the graphs has. A tensor without a box in the other
 * graph, as in host programs, is not removed: an edge carries it. An Expr without one is a copy (an
 * op in another HostUnit, an ELSE). */
static HirChange
get_single (const Merge *merge, const HirGraphNode *node, HirChange single)
{
  return node->kind == HIR_GRAPH_TENSOR ? hir_program_diff_get_change (merge->diff, node->id)
                                        : single;
}

static void
add_groups (Merge *merge)
{
  const HirGraph *before = merge->diff->before->graph, *after = merge->diff->after->graph;
  g_autoptr (GArray) old_keys = hir_graph_dup_group_keys (before);
  g_autoptr (GArray) new_keys = hir_graph_dup_group_keys (after);
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) known = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < before->groups->len; i++)
    g_hash_table_add (known, &g_array_index (old_keys, guint64, i));

  for (guint i = 0; i < after->groups->len; i++)
    {
      const HirGraphGroup *group = &g_array_index (after->groups, HirGraphGroup, i);
      guint64 *key = &g_array_index (new_keys, guint64, i);

      append_group (merge, group, group->parent,
                    g_hash_table_contains (known, key) ? get_shared (merge, group->id)
                                                       : HIR_CHANGE_CREATED);
      g_hash_table_insert (places, key, GUINT_TO_POINTER (i + 1));
    }
  for (guint i = 0; i < before->groups->len; i++)
    {
      const HirGraphGroup *group = &g_array_index (before->groups, HirGraphGroup, i);
      int place = (int) GPOINTER_TO_UINT (
                      g_hash_table_lookup (places, &g_array_index (old_keys, guint64, i))) -
                  1;

      if (place < 0)
        {
          append_group (merge, group,
                        group->parent >= 0 ? g_array_index (merge->group_of, int, group->parent)
                                           : -1,
                        HIR_CHANGE_REMOVED);
          place = (int) merge->merged->groups->len - 1;
        }
      g_array_append_val (merge->group_of, place);
    }
}

static void
append_node (Merge *merge, const HirGraphNode *node, int group, HirChange change)
{
  HirGraphNode copy = *node;

  copy.title = dup_text (node->title);
  copy.subtitle = dup_text (node->subtitle);
  copy.group = group;
  copy.change = change;
  g_array_append_val (merge->merged->nodes, copy);
}

/* Adds removed nodes at their old positions: after the nodes that preceded them. */
static void
add_removed (Merge *merge, GHashTable *after_keys, guint *next)
{
  const HirGraph *before = merge->diff->before->graph;

  for (; *next < before->nodes->len; (*next)++)
    {
      const HirGraphNode *node = &g_array_index (before->nodes, HirGraphNode, *next);

      if (g_hash_table_contains (after_keys, &node->key))
        return;
      if (get_single (merge, node, HIR_CHANGE_REMOVED) != HIR_CHANGE_REMOVED)
        continue;
      g_array_index (merge->node_of, guint32, *next) = merge->merged->nodes->len;
      append_node (merge, node,
                   node->group >= 0 ? g_array_index (merge->group_of, int, node->group) : -1,
                   HIR_CHANGE_REMOVED);
    }
}

static void
add_nodes (Merge *merge)
{
  const HirGraph *before = merge->diff->before->graph, *after = merge->diff->after->graph;
  g_autoptr (GHashTable) after_keys = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint32 nowhere = HIR_GRAPH_NOWHERE;
  guint next = 0;

  for (guint i = 0; i < after->nodes->len; i++)
    g_hash_table_add (after_keys, &g_array_index (after->nodes, HirGraphNode, i).key);
  for (guint i = 0; i < before->nodes->len; i++)
    g_hash_table_insert (places, &g_array_index (before->nodes, HirGraphNode, i).key,
                         GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < before->nodes->len; i++)
    g_array_append_val (merge->node_of, nowhere);
  for (guint i = 0; i < after->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (after->nodes, HirGraphNode, i);
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, &node->key));

      add_removed (merge, after_keys, &next);
      if (place > 0)
        g_array_index (merge->node_of, guint32, place - 1) = merge->merged->nodes->len;
      append_node (merge, node, node->group,
                   place > 0 ? get_shared (merge, node->id)
                             : get_single (merge, node, HIR_CHANGE_CREATED));
      /* Skip the node itself. A run of moved nodes is skipped where the first of them appears. */
      while (place > 0 && next < before->nodes->len && next < place)
        {
          add_removed (merge, after_keys, &next);
          if (next < before->nodes->len && next < place)
            next++;
        }
    }
  while (next < before->nodes->len)
    {
      add_removed (merge, after_keys, &next);
      next++;
    }
}

static guint64 *
dup_edge_key (guint from, guint to, HirEdgeKind kind)
{
  guint64 key = (guint64) from << 34 | (guint64) to << 3 | (guint64) kind;

  return g_memdup2 (&key, sizeof key);
}

static void
add_edges (Merge *merge)
{
  const HirGraph *before = merge->diff->before->graph, *after = merge->diff->after->graph;
  g_autoptr (GHashTable) of_after =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) of_before =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree guint32 *after_place = g_new (guint32, after->nodes->len + 1);

  for (guint i = 0, k = 0; k < merge->merged->nodes->len; k++)
    if (g_array_index (merge->merged->nodes, HirGraphNode, k).change != HIR_CHANGE_REMOVED)
      after_place[i++] = k;
  for (guint i = 0; i < before->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (before->edges, HirGraphEdge, i);

      g_hash_table_add (of_before,
                        dup_edge_key (g_array_index (merge->node_of, guint32, edge->from),
                                      g_array_index (merge->node_of, guint32, edge->to),
                                      edge->kind));
    }
  for (guint i = 0; i < after->edges->len; i++)
    {
      HirGraphEdge edge = g_array_index (after->edges, HirGraphEdge, i);
      guint64 *key;

      edge.from = after_place[edge.from];
      edge.to = after_place[edge.to];
      key = dup_edge_key (edge.from, edge.to, edge.kind);
      edge.change = g_hash_table_contains (of_before, key) ? HIR_CHANGE_NONE : HIR_CHANGE_CREATED;
      g_hash_table_add (of_after, key);
      g_array_append_val (merge->merged->edges, edge);
    }
  for (guint i = 0; i < before->edges->len; i++)
    {
      HirGraphEdge edge = g_array_index (before->edges, HirGraphEdge, i);
      guint64 *key;

      edge.from = g_array_index (merge->node_of, guint32, edge.from);
      edge.to = g_array_index (merge->node_of, guint32, edge.to);
      if (edge.from == HIR_GRAPH_NOWHERE || edge.to == HIR_GRAPH_NOWHERE)
        continue;
      edge.change = HIR_CHANGE_REMOVED;
      key = dup_edge_key (edge.from, edge.to, edge.kind);
      if (g_hash_table_add (of_after, key))
        g_array_append_val (merge->merged->edges, edge);
    }
}

HirGraph *
hir_graph_new_merged (const HirProgramDiff *diff)
{
  Merge merge = { .diff = diff };

  g_return_val_if_fail (diff != NULL, NULL);

  merge.boxes = hir_graph_dup_boxes (diff->after->graph);
  merge.merged = hir_graph_new_empty ();
  merge.group_of = g_array_new (FALSE, FALSE, sizeof (int));
  merge.node_of = g_array_new (FALSE, TRUE, sizeof (guint32));
  add_groups (&merge);
  add_nodes (&merge);
  add_edges (&merge);
  g_array_unref (merge.group_of);
  g_array_unref (merge.node_of);
  g_hash_table_unref (merge.boxes);
  return merge.merged;
}
