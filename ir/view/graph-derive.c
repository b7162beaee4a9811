#include "view/graph-derive.h"

/* Number of instructions that a folded box names before "and 3 more". */
#define MAX_NAMES 3

GArray *
hir_graph_dup_group_keys (const HirGraph *graph)
{
  GArray *keys = g_array_sized_new (FALSE, FALSE, sizeof (guint64), graph->groups->len + 1);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < graph->groups->len; i++)
    {
      guint64 key = g_array_index (graph->groups, HirGraphGroup, i).id;

      while (!g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
        key = hir_hash_mix (key, 1);
      g_array_append_val (keys, key);
    }
  return keys;
}

guint64
hir_graph_get_fold_key (guint64 group_key)
{
  return hir_hash_mix (group_key, 3);
}

static void
append_node (HirGraph *graph, const HirGraphNode *node, int group)
{
  HirGraphNode copy = *node;

  copy.title = g_strdup (node->title);
  copy.subtitle = g_strdup (node->subtitle);
  copy.group = group;
  g_array_append_val (graph->nodes, copy);
}

/* Adds the edges of @graph between nodes that @map keeps, at most one of each kind between two
 * nodes. If several parts of a box have an edge, the first one determines its change. */
static void
add_edges (HirGraph *result, const HirGraph *graph, const GArray *map)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < graph->edges->len; i++)
    {
      HirGraphEdge edge = g_array_index (graph->edges, HirGraphEdge, i);
      guint64 key;

      edge.from = g_array_index (map, guint32, edge.from);
      edge.to = g_array_index (map, guint32, edge.to);
      if (edge.from == HIR_GRAPH_NOWHERE || edge.to == HIR_GRAPH_NOWHERE || edge.from == edge.to)
        continue;
      key = (guint64) edge.from << 34 | (guint64) edge.to << 3 | (guint64) edge.kind;
      if (g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
        g_array_append_val (result->edges, edge);
    }
}

/* Copies the groups for which @keep is set, and stores their new indices in @place. */
static void
add_groups (HirGraph *result, const HirGraph *graph, const gboolean *keep, int *place)
{
  for (guint i = 0; i < graph->groups->len; i++)
    {
      HirGraphGroup group = g_array_index (graph->groups, HirGraphGroup, i);

      place[i] = -1;
      if (!keep[i])
        continue;
      group.title = g_strdup (group.title);
      group.parent = group.parent >= 0 ? place[group.parent] : -1;
      place[i] = (int) result->groups->len;
      g_array_append_val (result->groups, group);
    }
}

/* Returns the contents of a folded box: "matmul, Set and 4 more". */
static char *
dup_contents (const HirGraph *graph, const GArray *owner, int group)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = 0, n_named = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);

      if (node->group < 0 || g_array_index (owner, int, node->group) != group)
        continue;
      n++;
      if ((node->kind != HIR_GRAPH_OP && node->kind != HIR_GRAPH_COMM) || n_named >= MAX_NAMES ||
          !g_hash_table_add (seen, node->title))
        continue;
      g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", node->title);
      n_named++;
    }
  if (n > n_named)
    g_string_append_printf (out, out->len > 0 ? " and %u more" : "%u instructions", n - n_named);
  return g_string_free (out, FALSE);
}

static HirChange
get_fold_change (const HirGraph *graph, const GArray *owner, int group)
{
  HirChange own = g_array_index (graph->groups, HirGraphGroup, group).change;

  for (guint i = 0; i < graph->nodes->len && own == HIR_CHANGE_NONE; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);

      if (node->group >= 0 && g_array_index (owner, int, node->group) == group &&
          node->change != HIR_CHANGE_NONE)
        return HIR_CHANGE_CHANGED;
    }
  return own;
}

/* Returns for each group the outermost folded group that contains it (or itself), or -1. */
static GArray *
find_owners (const HirGraph *graph, const GArray *keys, GHashTable *folded)
{
  GArray *owner = g_array_new (FALSE, FALSE, sizeof (int));

  for (guint i = 0; i < graph->groups->len; i++)
    {
      const HirGraphGroup *group = &g_array_index (graph->groups, HirGraphGroup, i);
      int place = group->parent >= 0 ? g_array_index (owner, int, group->parent) : -1;

      if (place < 0 && g_hash_table_contains (folded, &g_array_index (keys, guint64, i)))
        place = (int) i;
      g_array_append_val (owner, place);
    }
  return owner;
}

static guint32
add_fold (HirGraph *result,
          const HirGraph *graph,
          const GArray *owner,
          const GArray *keys,
          const int *place,
          int group)
{
  const HirGraphGroup *from = &g_array_index (graph->groups, HirGraphGroup, group);
  HirGraphNode box = {
    .id = from->id,
    .key = hir_graph_get_fold_key (g_array_index (keys, guint64, group)),
    .kind = HIR_GRAPH_FOLD,
    .title = g_strdup (from->title),
    .subtitle = dup_contents (graph, owner, group),
    .group = from->parent >= 0 ? place[from->parent] : -1,
    .change = get_fold_change (graph, owner, group),
  };

  g_array_append_val (result->nodes, box);
  return result->nodes->len - 1;
}

HirGraph *
hir_graph_new_folded (const HirGraph *graph, GHashTable *folded, GArray **map)
{
  HirGraph *result = hir_graph_new_empty ();
  g_autoptr (GArray) keys = hir_graph_dup_group_keys (graph);
  g_autoptr (GArray) owner = find_owners (graph, keys, folded);
  g_autoptr (GArray) places =
      g_array_sized_new (FALSE, FALSE, sizeof (guint32), graph->nodes->len + 1);
  g_autofree gboolean *keep = g_new0 (gboolean, graph->groups->len + 1);
  g_autofree int *place = g_new0 (int, graph->groups->len + 1);
  g_autofree guint32 *box = g_new0 (guint32, graph->groups->len + 1);

  for (guint i = 0; i < graph->groups->len; i++)
    keep[i] = g_array_index (owner, int, i) < 0;
  add_groups (result, graph, keep, place);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);
      int group = node->group >= 0 ? g_array_index (owner, int, node->group) : -1;
      guint32 at;

      if (group < 0)
        {
          at = result->nodes->len;
          append_node (result, node, node->group >= 0 ? place[node->group] : -1);
        }
      else
        {
          if (box[group] == 0)
            box[group] = add_fold (result, graph, owner, keys, place, group) + 1;
          at = box[group] - 1;
        }
      g_array_append_val (places, at);
    }
  add_edges (result, graph, places);
  if (map != NULL)
    *map = g_steal_pointer (&places);
  return result;
}

/* Neighbors of each node as lists in one array: to[first[i]] .. to[first[i + 1] - 1]. */
typedef struct
{
  guint32 *first, *to;
} Neighbors;

static Neighbors
neighbors_new (const HirGraph *graph, gboolean up, gboolean down)
{
  guint n = graph->nodes->len;
  Neighbors neighbors = { g_new0 (guint32, n + 2), g_new0 (guint32, 2 * graph->edges->len + 1) };

  /* Two passes: count, accumulate, then fill each list from its end. */
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < graph->edges->len; i++)
        {
          const HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);

          if (edge->kind == HIR_EDGE_ORDER)
            continue;
          if (down && pass == 0)
            neighbors.first[edge->from]++;
          else if (down)
            neighbors.to[--neighbors.first[edge->from]] = edge->to;
          if (up && pass == 0)
            neighbors.first[edge->to]++;
          else if (up)
            neighbors.to[--neighbors.first[edge->to]] = edge->from;
        }
      for (guint i = 1; i <= n && pass == 0; i++)
        neighbors.first[i] += neighbors.first[i - 1];
    }
  return neighbors;
}

static void
mark_near (const HirGraph *graph,
           const GArray *seeds,
           guint n_hops,
           HirNearDirection direction,
           gboolean *is_near)
{
  Neighbors neighbors = neighbors_new (graph, direction != HIR_NEAR_DOWN, direction != HIR_NEAR_UP);
  g_autoptr (GArray) front = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint done = 0;

  for (guint i = 0; i < seeds->len; i++)
    {
      guint32 seed = g_array_index (seeds, guint32, i);

      if (seed >= graph->nodes->len || is_near[seed])
        continue;
      is_near[seed] = TRUE;
      g_array_append_val (front, seed);
    }
  for (guint hop = 0; hop < n_hops && done < front->len; hop++)
    {
      guint end = front->len;

      for (; done < end; done++)
        {
          guint32 at = g_array_index (front, guint32, done);

          for (guint32 k = neighbors.first[at]; k < neighbors.first[at + 1]; k++)
            if (!is_near[neighbors.to[k]])
              {
                is_near[neighbors.to[k]] = TRUE;
                g_array_append_val (front, neighbors.to[k]);
              }
        }
    }
  g_free (neighbors.first);
  g_free (neighbors.to);
}

HirGraph *
hir_graph_new_near (const HirGraph *graph,
                    const GArray *seeds,
                    guint n_hops,
                    HirNearDirection direction,
                    GArray **map)
{
  HirGraph *result = hir_graph_new_empty ();
  g_autofree gboolean *is_near = g_new0 (gboolean, graph->nodes->len + 1);
  g_autofree gboolean *keep = g_new0 (gboolean, graph->groups->len + 1);
  g_autofree int *place = g_new0 (int, graph->groups->len + 1);
  g_autoptr (GArray) places =
      g_array_sized_new (FALSE, FALSE, sizeof (guint32), graph->nodes->len + 1);

  mark_near (graph, seeds, n_hops, direction, is_near);
  for (guint i = 0; i < graph->nodes->len; i++)
    for (int group = g_array_index (graph->nodes, HirGraphNode, i).group;
         is_near[i] && group >= 0 && !keep[group];
         group = g_array_index (graph->groups, HirGraphGroup, group).parent)
      keep[group] = TRUE;
  add_groups (result, graph, keep, place);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);
      guint32 at = is_near[i] ? result->nodes->len : HIR_GRAPH_NOWHERE;

      if (is_near[i])
        append_node (result, node, node->group >= 0 ? place[node->group] : -1);
      g_array_append_val (places, at);
    }
  add_edges (result, graph, places);
  if (map != NULL)
    *map = g_steal_pointer (&places);
  return result;
}
