#include "timeline/timeline-view.h"

#include "base/trace-memory.h"
#include "canvas/canvas.h"
#include "config.h"
#include "draw/timeline/timeline-arrange.h"
#include "draw/timeline/timeline-links.h"
#include "draw/timeline/timeline-pointer.h"
#include "timeline/timeline-private.h"

#define MANY_EVENTS 300000 /* above this number the indexes are built by a worker thread */
#define REDRAW_MS 100
#define LEAST_HEADER                                                                               \
  124.0 /* a label with its tools must leave space for a short name to click                       \
           on */

static guint shown_changed;

G_DEFINE_FINAL_TYPE (HirTimelineView, hir_timeline_view, GTK_TYPE_WIDGET)

static void
draw_empty (HirTimelineView *self, GtkSnapshot *snapshot)
{
  const HirTheme *theme = hir_canvas_get_theme ();
  HirProgram *program = hir_selection_get_program (self->selection);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  const char *title = "No Recording";
  const char *hint = hir_selection_get_advice (self->selection);

  if (program == NULL)
    {
      title = "Nothing to Run";
      hint = "The script has errors; they are listed above it";
    }
  else if (program->error != NULL)
    {
      title = "Nothing to Run";
      hint = "A pass rejected this program; the error is shown above the script";
    }
  else if (hir_selection_get_pointer (self->selection) != 0)
    {
      title = "No Events";
      hint = "Step or continue to show the work of the streams";
    }
  hir_display_list_clear (self->list);
  hir_display_list_add_text (self->list, hir_rect (0, height / 2 - 24, width, 22), title,
                             HIR_FONT_SANS_BOLD, 14, theme->text, HIR_ALIGN_CENTER);
  hir_display_list_add_text (self->list, hir_rect (0, height / 2, width, 20), hint, HIR_FONT_SANS,
                             12, theme->dim_text, HIR_ALIGN_CENTER);
  hir_canvas_snapshot (GTK_WIDGET (self), snapshot, self->list, self->texts, theme->background, 1,
                       0, 0);
}

static void
hir_timeline_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirTimelineView *self = HIR_TIMELINE_VIEW (widget);
  HirTimelineScene scene;
  g_autoptr (GHashTable) related = NULL;

  if (self->rows == NULL)
    {
      draw_empty (self, snapshot);
      return;
    }
  hir_timeline_fill_scene (self, &scene);
  related = hir_timeline_dup_related (self);
  scene.related_set = related;
  hir_display_list_clear (self->list);
  hir_timeline_scene_draw (&scene, self->list);
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts, scene.theme->background, 1, 0, 0);
  /* Report the memory once per trace, when all indexes are built. */
  if (self->is_memory_reported || self->making != NULL)
    return;
  self->is_memory_reported = TRUE;
  hir_trace_memory_set (self->selection, self->rows->indexes);
}

static void
on_adjusted (HirTimelineView *self)
{
  double value = gtk_adjustment_get_value (self->adjustment);

  if (self->rows != NULL && value != self->scroll_y)
    hir_timeline_scroll_to (self, value);
}

double
hir_timeline_view_get_full_height (HirTimelineView *self)
{
  return HIR_TIMELINE_RULER_HEIGHT + (self->rows != NULL ? self->rows->height : 0);
}

GtkAdjustment *
hir_timeline_view_get_adjustment (HirTimelineView *self)
{
  return self->adjustment;
}

const HirTimelineRows *
hir_timeline_view_get_rows (HirTimelineView *self)
{
  return self->rows;
}

double
hir_timeline_view_get_header_width (HirTimelineView *self)
{
  return self->header_width;
}

void
hir_timeline_view_get_shown (HirTimelineView *self, gint64 *start_ns, gint64 *end_ns)
{
  *start_ns = self->start_ns;
  *end_ns = self->end_ns;
}

#if HIR_TESTING
gboolean
hir_timeline_view_get_event_position (
    HirTimelineView *self, guint track, guint index, double *x, double *y)
{
  HirTimelineScene scene;
  HirRect rect;

  if (self->rows == NULL)
    return FALSE;
  hir_timeline_fill_scene (self, &scene);
  if (!hir_timeline_scene_get_rect (&scene, track, index, &rect))
    return FALSE;
  *x = rect.x + rect.width / 2;
  *y = rect.y + rect.height / 2;
  return TRUE;
}
#endif

void
hir_timeline_view_set_document (HirTimelineView *self, const char *document)
{
  if (g_strcmp0 (document, self->document) == 0)
    return;
  g_free (self->document);
  self->document = g_strdup (document);
  /* The zoom belongs to the previous document. */
  self->is_fitted = TRUE;
  self->fits_all = FALSE;
  self->scroll_y = 0;
  hir_timeline_restore_marks (self);
}

void
hir_timeline_view_fold_all (HirTimelineView *self)
{
  gboolean any_open = FALSE;

  if (self->rows == NULL)
    return;
  for (guint i = 0; i < self->rows->all->len; i++)
    any_open |=
        !hir_timeline_rows_get_collapsed (self->rows,
                                          g_array_index (self->rows->all, HirTimelineRow, i).rank);
  hir_timeline_rows_set_all_collapsed (self->rows, any_open);
  hir_timeline_remember_tracks (self);
  hir_timeline_scroll_to (self, any_open ? 0 : self->scroll_y);
  hir_timeline_reveal (self);
}

#if HIR_TESTING
gboolean
hir_timeline_view_get_rank_position (
    HirTimelineView *self, guint i, int *rank, gboolean *is_folded, double *x, double *y)
{
  HirTimelineScene scene;

  for (guint r = 0; self->rows != NULL && r < self->rows->rows->len; r++)
    {
      const HirTimelineRow *row = &g_array_index (self->rows->rows, HirTimelineRow, r);

      if (!row->is_header || i-- > 0)
        continue;
      hir_timeline_fill_scene (self, &scene);
      *rank = row->rank;
      *is_folded = hir_timeline_rows_get_collapsed (self->rows, row->rank);
      *x = 30;
      *y = hir_timeline_scene_get_row_y (&scene, row) + row->height / 2;
      return TRUE;
    }
  return FALSE;
}
#endif

/* Finds the arrows of the selected event. Called once per selection because it inspects all
 * events. */
static void
find_flows (HirTimelineView *self)
{
  guint track, index;

  g_clear_pointer (&self->flows, g_array_unref);
  if (self->trace != NULL && hir_selection_get_event (self->selection, &track, &index))
    self->flows = hir_timeline_links_dup_flows (self->trace, track, index);
}

static gboolean
redraw (gpointer user_data)
{
  gtk_widget_queue_draw (GTK_WIDGET (user_data));
  return G_SOURCE_CONTINUE;
}

static void
stop_making (HirTimelineView *self)
{
  if (self->making != NULL)
    g_cancellable_cancel (self->making);
  g_clear_object (&self->making);
  g_clear_handle_id (&self->redraw, g_source_remove);
}

static void
make (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  hir_timeline_indexes_make_all (task_data, cancellable);
  g_task_return_boolean (task, TRUE);
}

static void
on_made (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirTimelineView *self = HIR_TIMELINE_VIEW (source);

  if (g_task_get_cancellable (G_TASK (result)) != self->making)
    return;
  stop_making (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Builds the indexes of a large trace on a worker thread. For a growing trace they are built
 * while drawing: little is new, and rows that appear and disappear would flicker. */
static void
begin_making (HirTimelineView *self)
{
  g_autoptr (GTask) task = NULL;

  self->making = g_cancellable_new ();
  task = g_task_new (self, self->making, on_made, NULL);
  g_task_set_task_data (task, hir_timeline_indexes_ref (self->rows->indexes),
                        (GDestroyNotify) hir_timeline_indexes_unref);
  g_task_run_in_thread (task, make);
  self->redraw = g_timeout_add (REDRAW_MS, redraw, self);
}

/* Finds the position of a debugged program. Called when the position or the trace changes. */
static void
find_pointer (HirTimelineView *self)
{
  HirDebugPlace place;
  gboolean is_behind;

  self->has_debug_pos =
      hir_selection_get_debug_place (self->selection, -1, &place, &is_behind) &&
      hir_timeline_find_pointer (self->trace, place.rank, place.instruction, place.iteration,
                                 is_behind, &self->debug_track, &self->debug_ns);
}

static void
on_debug (HirTimelineView *self)
{
  find_pointer (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

#if HIR_TESTING
gboolean
hir_timeline_view_get_pointer (HirTimelineView *self, gint64 *time_ns)
{
  *time_ns = self->debug_ns;
  return self->has_debug_pos;
}
#endif

static void
on_trace (HirTimelineView *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (HirTimelineRows) before = g_steal_pointer (&self->rows);
  gboolean goes_on = before != NULL && trace != NULL;

  stop_making (self);
  g_clear_pointer (&self->trace, hir_trace_unref);
  self->has_hover = FALSE;
  self->has_hovered_label = FALSE;
  self->may_move_track = self->is_moving_track = FALSE;
  if (!goes_on)
    {
      gtk_widget_set_tooltip_text (GTK_WIDGET (self), NULL); /* it describes an event that no
                                                                longer exists */
      self->is_fitted = TRUE;
      self->fits_all = FALSE;
      self->scroll_y = 0;
    }
  if (trace != NULL && hir_trace_get_n_events (trace) > 0)
    {
      self->trace = hir_trace_ref (trace);
      self->rows = hir_timeline_rows_new (trace, NULL);
      if (!goes_on && hir_trace_get_n_events (trace) > MANY_EVENTS)
        begin_making (self);
      hir_timeline_restore_tracks (self);
      hir_timeline_restore_marks (self);
      self->header_width =
          MAX (hir_timeline_scene_get_header_width (self->rows, self->measure), LEAST_HEADER);
      if (self->is_fitted)
        hir_timeline_refit (self);
    }
  self->is_memory_reported = FALSE;
  find_flows (self);
  find_pointer (self);
  hir_timeline_find_pair (self);
  hir_timeline_scroll_to (self, self->scroll_y);
  g_signal_emit (self, shown_changed, 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_event (HirTimelineView *self)
{
  find_flows (self);
  hir_timeline_reveal (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_timeline_view_set_explaining (HirTimelineView *self, HirExplaining *explaining)
{
  self->explaining = g_object_ref (explaining);
  g_signal_connect_swapped (explaining, "changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (explaining, "shown", G_CALLBACK (hir_timeline_reveal_range), self);
}

static void
hir_timeline_view_dispose (GObject *object)
{
  HirTimelineView *self = HIR_TIMELINE_VIEW (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->explaining != NULL)
    g_signal_handlers_disconnect_by_data (self->explaining, self);
  g_clear_object (&self->explaining);
  g_clear_handle_id (&self->idle, g_source_remove);
  stop_making (self);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->rows, hir_timeline_rows_free);
  g_clear_pointer (&self->trace, hir_trace_unref);
  g_clear_pointer (&self->flows, g_array_unref);
  g_clear_pointer (&self->memory, hir_document_memory_free);
  g_clear_pointer (&self->mark_memory, hir_document_memory_free);
  g_clear_pointer (&self->mark_document, g_free);
  g_clear_pointer (&self->scene_marks, g_array_unref);
  g_clear_pointer (&self->marks, g_array_unref);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->document, g_free);
  g_clear_object (&self->adjustment);
  g_clear_pointer (&self->measure, hir_measure_free);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_timeline_view_parent_class)->dispose (object);
}

static gboolean
fit_in_idle (gpointer user_data)
{
  HirTimelineView *self = user_data;

  self->idle = 0;
  hir_timeline_scroll_to (self, self->scroll_y);
  g_signal_emit (self, shown_changed, 0);
  return G_SOURCE_REMOVE;
}

/* The scroll bar is updated later, because it would queue a resize during size allocation. */
static void
hir_timeline_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirTimelineView *self = HIR_TIMELINE_VIEW (widget);

  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit_in_idle, self, NULL);
}

static void
hir_timeline_view_class_init (HirTimelineViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_timeline_view_dispose;
  GTK_WIDGET_CLASS (klass)->snapshot = hir_timeline_view_snapshot;
  GTK_WIDGET_CLASS (klass)->size_allocate = hir_timeline_view_size_allocate;
  hir_timeline_class_install_track_actions (GTK_WIDGET_CLASS (klass));
  shown_changed = g_signal_new ("shown-changed", HIR_TYPE_TIMELINE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new ("marks-changed", HIR_TYPE_TIMELINE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "timelineview");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_IMG);
}

static void
hir_timeline_view_init (HirTimelineView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  self->measure = hir_measure_new ();
  self->memory = hir_document_memory_new ("tracks.ini");
  hir_timeline_create_marks (self);
  self->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 0, 0, 0, 0));
  g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (on_adjusted), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::has-focus", G_CALLBACK (gtk_widget_queue_draw), NULL);
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Timeline",
                                  -1);
  hir_timeline_add_controllers (self);
  hir_canvas_follow_style (widget);
}

GtkWidget *
hir_timeline_view_new (HirSelection *selection)
{
  HirTimelineView *self = g_object_new (HIR_TYPE_TIMELINE_VIEW, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (on_trace), self);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (selection, "advice-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (selection, "pair-changed", G_CALLBACK (hir_timeline_on_pair), self);
  g_signal_connect_swapped (selection, "debug-changed", G_CALLBACK (on_debug), self);
  g_signal_connect_swapped (selection, "event-changed", G_CALLBACK (on_event), self);
  g_signal_connect_swapped (selection, "range-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  on_trace (self);
  return GTK_WIDGET (self);
}
