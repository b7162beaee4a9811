#include "graph/graph-view-private.h"

#include "canvas/canvas.h"
#include "canvas/scaler.h"
#include "config.h"
#include "draw/graph/group-titles.h"

G_DEFINE_FINAL_TYPE (HirGraphView, hir_graph_view, GTK_TYPE_WIDGET)

/* Displays the requested picture if it is available and returns it. After the user has zoomed or
 * moved in the preliminary rows, the better layout of Graphviz does not replace them
 * automatically. */
static HirPicture *
update_picture (HirGraphView *self)
{
  HirGraphChoice *choice = hir_graph_view_get_choice (self);
  HirPicture *picture =
      choice != NULL ? hir_layouts_get (self->layouts, choice, self->shown) : NULL;
  gboolean is_better, had_better = self->has_better;

  if (picture == NULL || picture == self->shown)
    return picture;
  is_better = self->shown != NULL && self->shown->is_preview &&
              hir_graph_choice_equal (self->shown->choice, picture->choice);
  self->has_better = is_better && !self->is_fitted;
  if (!self->has_better)
    hir_graph_view_take_picture (self, picture);
  if (!self->has_better || !had_better)
    hir_graph_view_changed (self);
  return self->shown;
}

static void
show_words (HirGraphView *self, GtkSnapshot *snapshot, const char *words)
{
  const HirTheme *theme = hir_canvas_get_theme ();
  HirDisplayList *list = hir_display_list_new ();
  HirTextCache *texts = hir_text_cache_new ();
  GtkWidget *widget = GTK_WIDGET (self);

  hir_display_list_add_text (list,
                             hir_rect (0, 0, gtk_widget_get_width (widget),
                                       gtk_widget_get_height (widget)),
                             words, HIR_FONT_SANS, 13, theme->dim_text, HIR_ALIGN_CENTER);
  hir_canvas_snapshot (widget, snapshot, list, texts, theme->background, 1, 0, 0);
  hir_text_cache_free (texts);
  hir_display_list_free (list);
}

/* Collects the breakpoints by visible box. A breakpoint inside a folded group is drawn on the
 * group's box; an enabled breakpoint hides a disabled one. */
static void
take_breaks (HirGraphView *self, HirGraphFrame *frame)
{
  for (guint off = 2; off-- > 0;)
    {
      const GArray *ids = hir_selection_get_breaks (self->selection, off == 1);

      for (guint i = 0; ids != NULL && i < ids->len; i++)
        {
          guint64 id = hir_picture_find_shown (self->shown, g_array_index (ids, guint64, i));

          if (id != 0)
            g_hash_table_insert (frame->breaks, g_memdup2 (&id, sizeof id),
                                 GUINT_TO_POINTER (off == 1 ? HIR_GRAPH_BREAK_OFF
                                                            : HIR_GRAPH_BREAK_ON));
        }
    }
  frame->can_break = self->shown->choice->view->is_host && self->shown->choice->base == NULL &&
                     hir_selection_get_pointer (self->selection) != 0;
}

static HirGraphFrame *
create_frame (HirGraphView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  HirGraphFrame *frame = hir_graph_frame_new (self->shown, hir_graph_view_get_layout (self));
  GArray *ids =
      hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));

  frame->theme = hir_canvas_get_theme ();
  for (guint i = 0; i < ids->len; i++)
    g_hash_table_add (frame->selected,
                      g_memdup2 (&g_array_index (ids, guint64, i), sizeof (guint64)));
  g_array_append_vals (frame->marks, self->marks->data, self->marks->len);
  frame->hovered = self->hovered;
  (void) hir_selection_get_pair (self->selection, &frame->pair[0], &frame->pair[1]);
  frame->pointer =
      hir_picture_find_shown (self->shown, hir_selection_get_pointer (self->selection));
  take_breaks (self, frame);
  frame->is_diff = self->shown->choice->base != NULL;
  frame->has_map = hir_graph_view_get_map_place (self, &frame->map);
  frame->camera = self->now;
  frame->width = gtk_widget_get_width (widget);
  frame->height = gtk_widget_get_height (widget);
  frame->scale = gtk_widget_get_scale_factor (widget) * hir_scaler_get (widget);
  return frame;
}

/* Appends the last painted image, transformed to the current camera. */
static void
append_painted (HirGraphView *self, GtkSnapshot *snapshot)
{
  const HirGraphFrame *frame = self->painted->frame;
  double factor = self->now.zoom / frame->camera.zoom;
  HirRect map;

  if (self->painted->image == NULL)
    return;
  hir_canvas_append_picture (GTK_WIDGET (self), snapshot, self->painted->image,
                             &GRAPHENE_RECT_INIT ((float) (self->now.dx -
                                                           frame->camera.dx * factor),
                                                  (float) (self->now.dy -
                                                           frame->camera.dy * factor),
                                                  (float) (frame->width * factor),
                                                  (float) (frame->height * factor)));
  if (self->painted->map != NULL && hir_graph_view_get_map_place (self, &map))
    hir_canvas_append_picture (GTK_WIDGET (self), snapshot, self->painted->map,
                               &GRAPHENE_RECT_INIT (map.x, map.y, map.width, map.height));
}

static void
append_ground (HirGraphView *self, GtkSnapshot *snapshot, HirColor color)
{
  GdkRGBA ground = { (float) ((color >> 16) & 0xff) / 255, (float) ((color >> 8) & 0xff) / 255,
                     (float) (color & 0xff) / 255, 1 };

  gtk_snapshot_append_color (snapshot, &ground,
                             &GRAPHENE_RECT_INIT (0, 0,
                                                  (float) gtk_widget_get_width (GTK_WIDGET (self)),
                                                  (float) gtk_widget_get_height (
                                                      GTK_WIDGET (self))));
}

/* Fits the graph to the new size of the pane, unless this hides the box that was made visible. */
static void
fit_again (HirGraphView *self)
{
  self->is_fitted = TRUE;
  hir_graph_view_reveal (self);
  if (self->is_fitted)
    return;
  self->width = gtk_widget_get_width (GTK_WIDGET (self));
  self->height = gtk_widget_get_height (GTK_WIDGET (self));
}

static void
hir_graph_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirGraphView *self = HIR_GRAPH_VIEW (widget);
  HirPicture *wanted;

  self->painted = NULL;
  if (gtk_widget_get_width (widget) <= 0 || gtk_widget_get_height (widget) <= 0)
    return;
  wanted = update_picture (self);
  if (self->shown == NULL)
    {
      show_words (self, snapshot,
                  hir_selection_get_view (self->selection) == NULL
                      ? "No program to show"
                      : "Laying out the graph\xe2\x80\xa6");
      return;
    }
  if (self->is_revealed && (gtk_widget_get_width (widget) != self->width ||
                            gtk_widget_get_height (widget) != self->height))
    fit_again (self);
  if (self->is_fitted)
    hir_graph_view_follow_fit (self);
  self->painted = hir_graph_painter_get (self->painter, create_frame (self));
  append_ground (self, snapshot, hir_canvas_get_theme ()->background);
  if (self->painted == NULL)
    return;
  append_painted (self, snapshot);
  if (self->requested_us != 0 && wanted != NULL && self->painted->frame->picture == wanted)
    {
      self->latency_ms = (double) (g_get_monotonic_time () - self->requested_us) / 1000;
      self->requested_us = 0;
    }
}

HirPicture *
hir_graph_view_get_picture (HirGraphView *self)
{
  HirGraphChoice *choice = hir_graph_view_get_choice (self);

  return self->shown != NULL && choice != NULL &&
                 hir_graph_choice_equal (self->shown->choice, choice)
             ? self->shown
             : NULL;
}

gboolean
hir_graph_view_get_busy (HirGraphView *self, guint *n_boxes)
{
  return hir_layouts_get_busy (self->layouts, n_boxes);
}

void
hir_graph_view_stop_layout (HirGraphView *self)
{
  hir_layouts_stop (self->layouts);
}

gboolean
hir_graph_view_is_stopped (HirGraphView *self)
{
  return hir_layouts_is_stopped (self->layouts);
}

gboolean
hir_graph_view_has_better (HirGraphView *self)
{
  return self->has_better;
}

guint64
hir_graph_view_get_hovered (HirGraphView *self)
{
  return self->hovered;
}

#if HIR_TESTING
gboolean
hir_graph_view_get_fold_place (HirGraphView *self, guint index, double *x, double *y)
{
  HirRect title;

  if (self->shown == NULL || index >= self->shown->layout->groups->len)
    return FALSE;
  title = hir_group_title_get_rect (self->shown->graph, self->shown->layout, index, TRUE);
  *x = self->now.dx + (title.x - HIR_FOLD_MARK + 2) * self->now.zoom;
  *y = self->now.dy + (title.y + 6) * self->now.zoom;
  return title.height > 0;
}

double
hir_graph_view_get_latency (HirGraphView *self)
{
  return self->latency_ms;
}

void
hir_graph_view_get_place (HirGraphView *self, double *zoom, double *dx, double *dy)
{
  *zoom = self->now.zoom;
  *dx = self->now.dx;
  *dy = self->now.dy;
}
#endif

static void
on_program (HirGraphView *self)
{
  hir_layouts_set_program (self->layouts, hir_selection_get_program (self->selection));
  hir_graph_view_stop_move (self);
  g_clear_pointer (&self->shown, hir_picture_unref);
  self->has_better = FALSE;
  self->hovered = 0;
  self->is_fitted = TRUE;
  self->shows_all = FALSE;
  self->is_new = TRUE;
  hir_graph_view_invalidate (self);
}

/* Updates the neighborhood if a node is selected. Without a selection the previous neighborhood
 * stays. */
static void
on_node (HirGraphView *self)
{
  GArray *ids =
      hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));

  if (self->is_near && ids->len > 0)
    {
      hir_graph_view_take_near (self);
      hir_graph_view_invalidate (self);
    }
  else
    {
      hir_graph_view_reveal (self);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
  hir_graph_view_changed (self);
}

static void
on_step (HirGraphView *self)
{
  if (self->is_near)
    hir_graph_view_take_near (self);
  hir_graph_view_invalidate (self);
}

static void
on_debug (HirGraphView *self)
{
  guint64 pointer = hir_selection_get_pointer (self->selection);

  if (pointer != 0 && pointer != self->pointer)
    hir_graph_view_reveal (self);
  self->pointer = pointer;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_layouts (HirGraphView *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  hir_graph_view_changed (self);
}

static void
on_painted (gpointer user_data)
{
  gtk_widget_queue_draw (user_data);
}

static void
hir_graph_view_dispose (GObject *object)
{
  HirGraphView *self = HIR_GRAPH_VIEW (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->layouts != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->layouts, self);
      hir_layouts_set_program (self->layouts, NULL);
    }
  g_clear_handle_id (&self->request_idle, g_source_remove);
  hir_graph_view_stop_glide (self);
  hir_graph_view_stop_move (self);
  self->painted = NULL;
  g_clear_pointer (&self->painter, hir_graph_painter_free);
  g_clear_pointer (&self->shown, hir_picture_unref);
  g_clear_pointer (&self->choice, hir_graph_choice_unref);
  g_clear_object (&self->selection);
  g_clear_object (&self->layouts);
  G_OBJECT_CLASS (hir_graph_view_parent_class)->dispose (object);
}

static void
hir_graph_view_finalize (GObject *object)
{
  HirGraphView *self = HIR_GRAPH_VIEW (object);

  g_hash_table_unref (self->folded);
  g_array_unref (self->marks);
  g_array_unref (self->near);
  G_OBJECT_CLASS (hir_graph_view_parent_class)->finalize (object);
}

static void
hir_graph_view_class_init (HirGraphViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_graph_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = hir_graph_view_finalize;
  GTK_WIDGET_CLASS (klass)->snapshot = hir_graph_view_snapshot;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "graphview");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_IMG);
  g_signal_new ("changed", HIR_TYPE_GRAPH_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                0);
}

static void
hir_graph_view_init (HirGraphView *self)
{
  self->now.zoom = 1;
  self->is_fitted = TRUE;
  self->has_map = TRUE;
  self->n_hops = 2;
  self->folded = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->marks = g_array_new (FALSE, FALSE, sizeof (HirGraphMark));
  self->near = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->painter = hir_graph_painter_new (on_painted, self);
  self->layouts = hir_layouts_new ();
  g_signal_connect_swapped (self->layouts, "changed", G_CALLBACK (on_layouts), self);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Graph",
                                  -1);
  hir_canvas_follow_style (GTK_WIDGET (self));
  hir_graph_view_add_controllers (self);
}

GtkWidget *
hir_graph_view_new (HirSelection *selection)
{
  HirGraphView *self = g_object_new (HIR_TYPE_GRAPH_VIEW, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (on_program), self);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (on_step), self);
  g_signal_connect_swapped (selection, "base-changed", G_CALLBACK (hir_graph_view_invalidate),
                            self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (on_node), self);
  g_signal_connect_swapped (selection, "pair-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (selection, "debug-changed", G_CALLBACK (on_debug), self);
  on_program (self);
  return GTK_WIDGET (self);
}
