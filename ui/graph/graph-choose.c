/* Options of the graph view: lanes, comparison, neighborhood, folds and highlights. They
 * determine the requested picture. */
#include "draw/graph/lanes.h"
#include "graph/graph-view-private.h"

#define MAX_HOPS 9

/* Distinct from each other and from the colors of changes and of the selection. */
static const HirColor mark_colors[] = { 0xffe66100, 0xff9141ac, 0xff1a9fb0,
                                        0xffd6408a, 0xff986a44, 0xff5e8c1f };

void
hir_graph_view_changed (HirGraphView *self)
{
  g_signal_emit_by_name (self, "changed");
}

static void
copy_keys (GHashTable *to, GHashTable *from)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (to, g_memdup2 (key, sizeof (guint64)));
}

/* Returns the snapshot to compare with: the chosen one, otherwise the previous step. */
static HirProgramView *
get_base (HirGraphView *self)
{
  HirProgramView *base = hir_selection_get_base (self->selection);

  return base != NULL ? base : hir_selection_get_previous_view (self->selection);
}

GHashTable *
hir_graph_view_dup_folded (HirGraphView *self)
{
  GHashTable *folded = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  copy_keys (folded, self->folded);
  return folded;
}

HirGraphChoice *
hir_graph_view_get_choice (HirGraphView *self)
{
  HirProgramView *view = hir_selection_get_view (self->selection);

  if (self->choice != NULL || view == NULL)
    return self->choice;
  self->choice = hir_graph_choice_new (view, self->is_diff ? get_base (self) : NULL,
                                       hir_selection_get_previous_view (self->selection));
  /* A graph without streams has no lanes. */
  self->choice->lanes =
      self->lanes &&
      (hir_lanes_has_streams (view->graph) ||
       (self->choice->base != NULL && hir_lanes_has_streams (self->choice->base->graph)));
  self->choice->n_hops = self->n_hops;
  self->choice->direction = self->direction;
  copy_keys (self->choice->folded, self->folded);
  if (self->is_near && self->near->len > 0)
    g_array_append_vals (self->choice->near, self->near->data, self->near->len);
  return self->choice;
}

static gboolean
request (gpointer user_data)
{
  HirGraphView *self = user_data;
  HirGraphChoice *choice = hir_graph_view_get_choice (self);

  self->request_idle = 0;
  if (choice != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    (void) hir_layouts_get (self->layouts, choice, self->shown);
  return G_SOURCE_REMOVE;
}

/* Starts the layout before the window is allocated and drawn, so that both run in parallel.
 * Drawing a new window takes long. */
static void
queue_request (HirGraphView *self)
{
  if (self->request_idle == 0)
    self->request_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, request, self, NULL);
}

void
hir_graph_view_invalidate (HirGraphView *self)
{
  g_clear_pointer (&self->choice, hir_graph_choice_unref);
  queue_request (self);
  if (self->requested_us == 0)
    self->requested_us = g_get_monotonic_time ();
  self->latency_ms = 0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  hir_graph_view_changed (self);
}

void
hir_graph_view_set_lanes (HirGraphView *self, gboolean lanes)
{
  if (self->lanes == lanes)
    return;
  self->lanes = lanes;
  self->is_fitted = TRUE;
  self->shows_all = FALSE;
  hir_graph_view_invalidate (self);
}

gboolean
hir_graph_view_lacks_lanes (HirGraphView *self)
{
  HirGraphChoice *choice = hir_graph_view_get_choice (self);

  return self->lanes && choice != NULL && !choice->lanes;
}

void
hir_graph_view_set_diff (HirGraphView *self, gboolean is_diff)
{
  if (self->is_diff == is_diff)
    return;
  self->is_diff = is_diff;
  hir_graph_view_invalidate (self);
}

gboolean
hir_graph_view_get_diff (HirGraphView *self)
{
  return self->is_diff;
}

void
hir_graph_view_take_near (HirGraphView *self)
{
  GArray *ids =
      hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));

  if (ids->len == 0)
    return;
  g_array_set_size (self->near, 0);
  g_array_append_vals (self->near, ids->data, ids->len);
  self->is_fitted = TRUE;
  self->shows_all = FALSE;
}

void
hir_graph_view_set_near (HirGraphView *self, gboolean is_near)
{
  if (self->is_near == is_near)
    return;
  self->is_near = is_near;
  self->is_fitted = TRUE;
  self->shows_all = FALSE;
  g_array_set_size (self->near, 0);
  hir_graph_view_take_near (self);
  hir_graph_view_invalidate (self);
}

gboolean
hir_graph_view_get_near (HirGraphView *self)
{
  return self->is_near;
}

void
hir_graph_view_change_hops (HirGraphView *self, int change)
{
  self->n_hops = (guint) CLAMP ((int) self->n_hops + change, 1, MAX_HOPS);
  self->is_fitted = TRUE;
  hir_graph_view_invalidate (self);
}

void
hir_graph_view_turn_direction (HirGraphView *self)
{
  self->direction = (HirNearDirection) ((self->direction + 1) % (HIR_NEAR_DOWN + 1));
  self->is_fitted = TRUE;
  hir_graph_view_invalidate (self);
}

void
hir_graph_view_toggle_fold (HirGraphView *self, guint64 group_key)
{
  if (group_key == 0)
    return;
  if (!g_hash_table_remove (self->folded, &group_key))
    g_hash_table_add (self->folded, g_memdup2 (&group_key, sizeof group_key));
  hir_graph_view_invalidate (self);
}

/* Returns the id shared by the group with @key and by the box it folds to. */
static guint64
get_group_id (HirGraphView *self, guint64 key)
{
  g_autoptr (GArray) keys = hir_graph_dup_group_keys (self->shown->graph);

  for (guint i = 0; i < keys->len; i++)
    if (g_array_index (keys, guint64, i) == key)
      return g_array_index (self->shown->graph->groups, HirGraphGroup, i).id;
  return 0;
}

gboolean
hir_graph_view_fold (HirGraphView *self)
{
  GArray *ids =
      hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));
  gboolean is_folded = FALSE;
  guint64 key = 0;

  for (guint i = 0; self->shown != NULL && i < ids->len && key == 0; i++)
    key = hir_picture_find_group_of (self->shown, g_array_index (ids, guint64, i), &is_folded);
  if (key == 0)
    return FALSE;
  hir_graph_view_toggle_fold (self, key);
  /* Select the folded box, so that the same key unfolds it. */
  if (!is_folded)
    hir_selection_set_node (self->selection, get_group_id (self, key));
  return TRUE;
}

void
hir_graph_view_unfold_all (HirGraphView *self)
{
  if (g_hash_table_size (self->folded) == 0)
    return;
  g_hash_table_remove_all (self->folded);
  hir_graph_view_invalidate (self);
}

void
hir_graph_view_mark (HirGraphView *self)
{
  GArray *ids =
      hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));
  HirGraphMark mark = { .color = mark_colors[self->n_marked % G_N_ELEMENTS (mark_colors)] };

  if (ids->len == 0)
    return;
  for (guint i = 0; i < ids->len; i++)
    {
      mark.id = g_array_index (ids, guint64, i);
      hir_graph_view_unmark (self, mark.id);
      g_array_append_val (self->marks, mark);
    }
  self->n_marked++;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  hir_graph_view_changed (self);
}

void
hir_graph_view_unmark (HirGraphView *self, guint64 id)
{
  for (guint i = self->marks->len; i-- > 0;)
    if (g_array_index (self->marks, HirGraphMark, i).id == id)
      g_array_remove_index (self->marks, i);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  hir_graph_view_changed (self);
}

void
hir_graph_view_unmark_selected (HirGraphView *self)
{
  guint step = hir_selection_get_step (self->selection);
  GArray *ids = hir_selection_get_nodes_at (self->selection, step);

  for (guint i = 0; i < ids->len; i++)
    hir_graph_view_unmark (self, g_array_index (ids, guint64, i));
}

const GArray *
hir_graph_view_get_marks (HirGraphView *self)
{
  return self->marks;
}

void
hir_graph_view_set_map (HirGraphView *self, gboolean has_map)
{
  self->has_map = has_map;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  hir_graph_view_changed (self);
}

gboolean
hir_graph_view_get_map (HirGraphView *self)
{
  return self->has_map;
}

void
hir_graph_view_set_has_note (HirGraphView *self, gboolean has_note)
{
  if (self->has_note == has_note)
    return;
  self->has_note = has_note;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
