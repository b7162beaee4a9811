#include "draw/graph/graph-picture.h"

HirGraphChoice *
hir_graph_choice_new (HirProgramView *view, HirProgramView *base, HirProgramView *previous)
{
  HirGraphChoice *choice = g_new0 (HirGraphChoice, 1);

  g_atomic_ref_count_init (&choice->ref_count);
  choice->view = hir_program_view_ref (view);
  choice->base = base != NULL ? hir_program_view_ref (base) : NULL;
  choice->previous = previous != NULL ? hir_program_view_ref (previous) : NULL;
  choice->folded = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  choice->near = g_array_new (FALSE, FALSE, sizeof (guint64));
  return choice;
}

HirGraphChoice *
hir_graph_choice_ref (HirGraphChoice *choice)
{
  g_atomic_ref_count_inc (&choice->ref_count);
  return choice;
}

void
hir_graph_choice_unref (HirGraphChoice *choice)
{
  if (choice == NULL || !g_atomic_ref_count_dec (&choice->ref_count))
    return;
  hir_program_view_unref (choice->view);
  hir_program_view_unref (choice->base);
  hir_program_view_unref (choice->previous);
  g_hash_table_unref (choice->folded);
  g_array_unref (choice->near);
  g_free (choice);
}

static gboolean
is_same_set (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer key;

  if (g_hash_table_size (a) != g_hash_table_size (b))
    return FALSE;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_hash_table_contains (b, key))
      return FALSE;
  return TRUE;
}

static gboolean
is_same_near (const HirGraphChoice *a, const HirGraphChoice *b)
{
  if (a->near->len != b->near->len)
    return FALSE;
  for (guint i = 0; i < a->near->len; i++)
    if (g_array_index (a->near, guint64, i) != g_array_index (b->near, guint64, i))
      return FALSE;
  return a->near->len == 0 || (a->n_hops == b->n_hops && a->direction == b->direction);
}

gboolean
hir_graph_choice_equal (const HirGraphChoice *a, const HirGraphChoice *b)
{
  return a->view == b->view && a->base == b->base && a->previous == b->previous &&
         a->lanes == b->lanes && is_same_near (a, b) && is_same_set (a->folded, b->folded);
}

guint64
hir_graph_choice_hash_folded (const HirGraphChoice *choice)
{
  GHashTableIter iter;
  gpointer key;
  guint64 hash = 0;

  /* The hash must not depend on the order of the table. */
  g_hash_table_iter_init (&iter, choice->folded);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    hash ^= hir_hash_mix (*(const guint64 *) key, 5);
  return hash;
}

/* Returns what the previous pass created and changed. */
static GHashTable *
dup_changes (const HirGraphChoice *choice)
{
  GHashTable *changes = g_hash_table_new (g_int64_hash, g_int64_equal);
  const HirGraph *graph = choice->view->graph;
  g_autoptr (GHashTable) boxes = NULL;

  if (choice->previous == NULL || choice->base != NULL || !choice->view->changed)
    return changes;
  boxes = hir_graph_dup_boxes (graph);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);
      HirChange change =
          hir_program_view_get_box_change (choice->previous, choice->view, node->id, boxes);

      if (change != HIR_CHANGE_NONE)
        g_hash_table_insert (changes, (gpointer) &node->id, GUINT_TO_POINTER (change));
    }
  return changes;
}

static void
take_graph (HirPicture *picture, HirGraph *graph)
{
  if (picture->own_graph != NULL)
    hir_graph_free (picture->own_graph);
  picture->graph = picture->own_graph = graph;
}

static void
add_seed (GArray *seeds, const GArray *map, guint32 node)
{
  guint32 at = map != NULL ? g_array_index (map, guint32, node) : node;

  g_array_append_val (seeds, at);
}

/* Finds the nodes that are in the neighborhood's center or contain it. For a value without a box,
 * takes the ends of its edges. @map (nullable) maps nodes of @whole to the graph. */
static GArray *
find_seeds (const HirGraphChoice *choice, const HirGraph *whole, const GArray *map)
{
  GArray *seeds = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GHashTable) ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  gboolean has_box;

  for (guint i = 0; i < choice->near->len; i++)
    g_hash_table_add (ids, &g_array_index (choice->near, guint64, i));
  for (guint32 i = 0; i < whole->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (whole->nodes, HirGraphNode, i);
      gboolean is_seed = g_hash_table_contains (ids, &node->id);

      /* The center is a loop: takes the nodes inside. */
      for (int group = node->group; group >= 0 && !is_seed;
           group = g_array_index (whole->groups, HirGraphGroup, group).parent)
        is_seed =
            g_hash_table_contains (ids, &g_array_index (whole->groups, HirGraphGroup, group).id);
      if (is_seed)
        add_seed (seeds, map, i);
    }
  has_box = seeds->len > 0;
  for (guint i = 0; !has_box && i < whole->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (whole->edges, HirGraphEdge, i);

      if (edge->id == 0 || !g_hash_table_contains (ids, &edge->id))
        continue;
      add_seed (seeds, map, edge->from);
      add_seed (seeds, map, edge->to);
    }
  return seeds;
}

HirPicture *
hir_picture_new (HirGraphChoice *choice)
{
  HirPicture *picture = g_new0 (HirPicture, 1);
  g_autoptr (HirGraph) whole = NULL;
  g_autoptr (GArray) map = NULL;
  const HirGraph *first;

  g_atomic_ref_count_init (&picture->ref_count);
  picture->choice = hir_graph_choice_ref (choice);
  picture->graph = choice->view->graph;
  if (choice->base != NULL)
    {
      g_autoptr (HirProgramDiff) diff = hir_program_diff_new (choice->base, choice->view);

      whole = hir_graph_new_merged (diff);
    }
  first = whole != NULL ? whole : choice->view->graph;
  if (g_hash_table_size (choice->folded) > 0)
    take_graph (picture, hir_graph_new_folded (first, choice->folded, &map));
  picture->n_all = picture->own_graph != NULL ? picture->graph->nodes->len : first->nodes->len;
  if (choice->near->len > 0)
    {
      g_autoptr (GArray) seeds = find_seeds (choice, first, map);
      const HirGraph *from = picture->own_graph != NULL ? picture->own_graph : first;

      picture->is_near = seeds->len > 0;
      if (picture->is_near)
        take_graph (picture,
                    hir_graph_new_near (from, seeds, choice->n_hops, choice->direction, NULL));
    }
  if (picture->own_graph == NULL && whole != NULL)
    take_graph (picture, g_steal_pointer (&whole));
  picture->changes = dup_changes (choice);
  return picture;
}

HirPicture *
hir_picture_new_preview (HirPicture *source, HirLayout *layout)
{
  HirPicture *picture = g_new0 (HirPicture, 1);

  g_atomic_ref_count_init (&picture->ref_count);
  picture->source = hir_picture_ref (source);
  picture->choice = hir_graph_choice_ref (source->choice);
  picture->graph = source->graph;
  picture->changes = g_hash_table_ref (source->changes);
  picture->n_all = source->n_all;
  picture->is_near = source->is_near;
  picture->layout = hir_layout_ref (layout);
  picture->is_preview = TRUE;
  return picture;
}

HirPicture *
hir_picture_ref (HirPicture *picture)
{
  g_atomic_ref_count_inc (&picture->ref_count);
  return picture;
}

void
hir_picture_unref (HirPicture *picture)
{
  if (picture == NULL || !g_atomic_ref_count_dec (&picture->ref_count))
    return;
  hir_graph_free (picture->own_graph);
  g_hash_table_unref (picture->changes);
  g_clear_pointer (&picture->layout, hir_layout_unref);
  hir_graph_choice_unref (picture->choice);
  hir_picture_unref (picture->source);
  g_free (picture);
}

/* Returns the key of the group that box @node represents, or 0 if it is not a folded group. */
static guint64
get_folded_key (const HirPicture *picture, const HirGraphNode *node)
{
  GHashTableIter iter;
  gpointer key;

  if (node->kind != HIR_GRAPH_FOLD)
    return 0;
  g_hash_table_iter_init (&iter, picture->choice->folded);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (hir_graph_get_fold_key (*(const guint64 *) key) == node->key)
      return *(const guint64 *) key;
  return 0;
}

static guint64
get_group_key (const HirPicture *picture, int group)
{
  g_autoptr (GArray) keys = hir_graph_dup_group_keys (picture->graph);

  return group >= 0 ? g_array_index (keys, guint64, group) : 0;
}

guint64
hir_picture_find_group (const HirPicture *picture, double x, double y, gboolean *is_folded)
{
  int found = -1;

  *is_folded = FALSE;
  for (guint i = 0; i < picture->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (picture->graph->nodes, HirGraphNode, i);
      const HirRect *rect = &g_array_index (picture->layout->nodes, HirRect, i);

      if (node->kind == HIR_GRAPH_FOLD && hir_rect_contains (rect, x, y))
        {
          *is_folded = TRUE;
          return get_folded_key (picture, node);
        }
    }
  /* Inner groups follow the groups around them. */
  for (guint i = 0; i < picture->graph->groups->len; i++)
    if (hir_rect_contains (&g_array_index (picture->layout->groups, HirRect, i), x, y))
      found = (int) i;
  return get_group_key (picture, found);
}

guint64
hir_picture_find_group_of (const HirPicture *picture, guint64 id, gboolean *is_folded)
{
  *is_folded = FALSE;
  for (guint i = 0; i < picture->graph->groups->len; i++)
    if (g_array_index (picture->graph->groups, HirGraphGroup, i).id == id)
      return get_group_key (picture, (int) i);
  for (guint i = 0; i < picture->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (picture->graph->nodes, HirGraphNode, i);

      if (node->id != id)
        continue;
      *is_folded = node->kind == HIR_GRAPH_FOLD;
      return *is_folded ? get_folded_key (picture, node) : get_group_key (picture, node->group);
    }
  return 0;
}

static gboolean
has_box (const HirGraph *graph, guint64 id)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_array_index (graph->nodes, HirGraphNode, i).id == id)
      return TRUE;
  for (guint i = 0; i < graph->groups->len; i++)
    if (g_array_index (graph->groups, HirGraphGroup, i).id == id)
      return TRUE;
  return FALSE;
}

guint64
hir_picture_find_shown (const HirPicture *picture, guint64 id)
{
  const HirGraph *whole = picture->choice->view->graph;
  int group = -1;

  if (id == 0 || has_box (picture->graph, id))
    return id;
  for (guint i = 0; i < whole->nodes->len; i++)
    if (g_array_index (whole->nodes, HirGraphNode, i).id == id)
      group = g_array_index (whole->nodes, HirGraphNode, i).group;
  for (guint i = 0; i < whole->groups->len; i++)
    if (g_array_index (whole->groups, HirGraphGroup, i).id == id)
      group = g_array_index (whole->groups, HirGraphGroup, i).parent;
  /* A folded group inside another one is part of it. */
  for (; group >= 0; group = g_array_index (whole->groups, HirGraphGroup, group).parent)
    if (has_box (picture->graph, g_array_index (whole->groups, HirGraphGroup, group).id))
      return g_array_index (whole->groups, HirGraphGroup, group).id;
  return 0;
}

int *
hir_picture_match (const HirPicture *from, const HirPicture *to)
{
  int *match = g_new (int, to->graph->nodes->len + 1);
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < from->graph->nodes->len; i++)
    g_hash_table_insert (places, &g_array_index (from->graph->nodes, HirGraphNode, i).key,
                         GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < to->graph->nodes->len; i++)
    match[i] =
        (int) GPOINTER_TO_UINT (
            g_hash_table_lookup (places, &g_array_index (to->graph->nodes, HirGraphNode, i).key)) -
        1;
  return match;
}
