#include "timeline/timeline-minimap.h"

#include "config.h"

#include <math.h>

#include "canvas/canvas-input.h"
#include "canvas/canvas.h"
#include "draw/timeline/minimap-scene.h"
#include "draw/timeline/timeline-summary.h"
#include "timeline/event-find.h"
#include "trace/duration.h"

struct _HirTimelineMinimap
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirTimelineView *view;
  float *cover;   /* n columns of computation, then n of communication; NULL if not computed yet */
  HirLook *looks; /* for the same columns */
  guint n;
  guint8 *marks; /* n columns; NULL if there are none */
  GArray *found;
  char *label;
  gint64 first_ns, last_ns;
  GCancellable *cancellable; /* of the running computation, or NULL */
  gboolean is_stale;
  guint idle;
  HirDisplayList *list;
  HirTextCache *texts;
  HirMinimapPart part; /* dragged part */
  gint64 drag_start_ns, drag_end_ns, drag_time_ns;
  gboolean has_moved;
};

typedef struct
{
  HirTimelineIndexes *indexes;
  gint64 first_ns, last_ns;
  guint n;
  float *cover;
  HirLook *looks;
} Job;

G_DEFINE_FINAL_TYPE (HirTimelineMinimap, hir_timeline_minimap, GTK_TYPE_WIDGET)

static void
fill_scene (HirTimelineMinimap *self, HirMinimapScene *scene)
{
  *scene = (HirMinimapScene){
    .computation = self->cover,
    .communication = self->cover != NULL ? self->cover + self->n : NULL,
    .looks = self->looks,
    .marks = self->marks,
    .n = MAX (self->n, 1),
    .first_ns = self->first_ns,
    .last_ns = self->last_ns,
    .label = self->label,
    .theme = hir_canvas_get_theme (),
    .width = gtk_widget_get_width (GTK_WIDGET (self)),
    .height = gtk_widget_get_height (GTK_WIDGET (self)),
    .plot_x = hir_timeline_view_get_header_width (self->view),
  };
  hir_timeline_view_get_shown (self->view, &scene->start_ns, &scene->end_ns);
  hir_selection_get_range (self->selection, &scene->band_start_ns, &scene->band_end_ns);
}

/* --- computation --- */

static void
job_free (gpointer data)
{
  Job *job = data;

  hir_timeline_indexes_unref (job->indexes);
  g_free (job->cover);
  g_free (job->looks);
  g_free (job);
}

/* Uses separate rows because those of the timeline belong to the main thread. */
static void
compute (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new_of (job->indexes);

  job->cover = g_new (float, 2 * (gsize) job->n);
  hir_timeline_summary_get_cover (rows, HIR_TIMELINE_ALL_RANKS, job->first_ns, job->last_ns, job->n,
                                  job->cover, job->cover + job->n);
  job->looks = g_new (HirLook, 2 * (gsize) job->n);
  hir_timeline_summary_get_looks (rows, HIR_TIMELINE_ALL_RANKS, job->first_ns, job->last_ns, job->n,
                                  job->looks, job->looks + job->n);
  g_task_return_boolean (task, TRUE);
}

static void
find_marks (HirTimelineMinimap *self)
{
  g_clear_pointer (&self->marks, g_free);
  if (self->found == NULL || self->n == 0)
    return;
  self->marks = g_new0 (guint8, self->n);
  for (guint i = 0; i < self->found->len; i++)
    {
      gint64 time_ns = g_array_index (self->found, HirFoundEvent, i).start_ns;
      double share =
          (double) (time_ns - self->first_ns) / (double) MAX (self->last_ns - self->first_ns, 1);

      self->marks[(guint) CLAMP (share * self->n, 0, self->n - 1)] = 1;
    }
}

static void begin (HirTimelineMinimap *self);

static void
on_computed (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirTimelineMinimap *self = HIR_TIMELINE_MINIMAP (source);
  Job *job = g_task_get_task_data (G_TASK (result));

  g_clear_object (&self->cancellable);
  if (self->selection == NULL)
    return;
  g_free (self->cover);
  self->cover = g_steal_pointer (&job->cover);
  g_free (self->looks);
  self->looks = g_steal_pointer (&job->looks);
  self->n = job->n;
  find_marks (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (self->is_stale)
    begin (self);
}

/* Returns the indexes of the timeline, if possible, so that they are computed only once. */
static HirTimelineIndexes *
dup_indexes (HirTimelineMinimap *self, HirTrace *trace)
{
  const HirTimelineRows *rows = hir_timeline_view_get_rows (self->view);

  return rows != NULL && rows->trace == trace ? hir_timeline_indexes_ref (rows->indexes)
                                              : hir_timeline_indexes_new (trace);
}

/* Starts the computation if none is running. The last result stays displayed until then. */
static void
begin (HirTimelineMinimap *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  double plot =
      gtk_widget_get_width (GTK_WIDGET (self)) - hir_timeline_view_get_header_width (self->view);
  g_autoptr (GTask) task = NULL;
  Job *job;

  self->is_stale = TRUE;
  if (self->cancellable != NULL)
    return;
  if (trace == NULL || hir_trace_get_n_events (trace) == 0 || plot < 8)
    return;
  self->is_stale = FALSE;
  job = g_new0 (Job, 1);
  job->indexes = dup_indexes (self, trace);
  job->first_ns = self->first_ns;
  job->last_ns = self->last_ns;
  job->n = (guint) plot;
  self->cancellable = g_cancellable_new ();
  task = g_task_new (self, self->cancellable, on_computed, NULL);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, compute);
}

static void
on_trace (HirTimelineMinimap *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  gboolean has_trace = trace != NULL && hir_trace_get_n_events (trace) > 0;

  g_clear_pointer (&self->label, g_free);
  if (!has_trace)
    {
      g_clear_pointer (&self->cover, g_free);
      g_clear_pointer (&self->looks, g_free);
      g_clear_pointer (&self->marks, g_free);
      self->n = 0;
    }
  else
    {
      gboolean is_whole = hir_trace_get_meta (trace, HIR_META_STOPPED) == NULL;
      g_autofree char *length = NULL;
      gint64 margin_ns;

      hir_trace_get_span (trace, &self->first_ns, &self->last_ns);
      length = hir_format_duration (self->last_ns - self->first_ns);
      self->label = g_strdup_printf (is_whole ? "total %s" : "part, %s", length);
      /* The same range as in a fully zoomed-out timeline. The range of a single instant is not
       * empty. */
      margin_ns = (gint64) ((double) (self->last_ns - self->first_ns) * HIR_TIMELINE_FIT_MARGIN);
      self->first_ns -= margin_ns;
      self->last_ns = MAX (self->last_ns + margin_ns, self->first_ns + 1);
    }
  gtk_widget_set_visible (GTK_WIDGET (self), has_trace);
  begin (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
begin_in_idle (gpointer user_data)
{
  HirTimelineMinimap *self = user_data;

  self->idle = 0;
  begin (self);
  return G_SOURCE_REMOVE;
}

static void
hir_timeline_minimap_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirTimelineMinimap *self = HIR_TIMELINE_MINIMAP (widget);

  if (self->idle == 0)
    self->idle = g_idle_add (begin_in_idle, self);
}

/* --- pointer --- */

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirTimelineMinimap *self = user_data;
  HirMinimapScene scene;

  fill_scene (self, &scene);
  self->part = hir_minimap_scene_hit (&scene, x);
  self->drag_start_ns = scene.start_ns;
  self->drag_end_ns = scene.end_ns;
  self->drag_time_ns = hir_minimap_scene_get_time (&scene, x);
  self->has_moved = FALSE;
}

static void
show (HirTimelineMinimap *self, gint64 start_ns, gint64 end_ns)
{
  hir_timeline_view_show (self->view, MIN (start_ns, end_ns), MAX (start_ns, end_ns));
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, gpointer user_data)
{
  HirTimelineMinimap *self = user_data;
  double start_x, start_y;
  HirMinimapScene scene;
  gint64 time_ns, by_ns;

  if (self->cover == NULL || !gtk_gesture_drag_get_start_point (gesture, &start_x, &start_y) ||
      (!self->has_moved && fabs (dx) < 3))
    return;
  self->has_moved = TRUE;
  fill_scene (self, &scene);
  time_ns = hir_minimap_scene_get_time (&scene, start_x + dx);
  by_ns = time_ns - self->drag_time_ns;
  if (self->part == HIR_MINIMAP_WINDOW)
    show (self, self->drag_start_ns + by_ns, self->drag_end_ns + by_ns);
  else if (self->part == HIR_MINIMAP_START)
    show (self, time_ns, self->drag_end_ns);
  else if (self->part == HIR_MINIMAP_END)
    show (self, self->drag_start_ns, time_ns);
  else
    show (self, self->drag_time_ns, time_ns);
}

/* A click centers the window at the clicked time. */
static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, gpointer user_data)
{
  HirTimelineMinimap *self = user_data;
  gint64 half_ns = (self->drag_end_ns - self->drag_start_ns) / 2;

  gtk_widget_grab_focus (GTK_WIDGET (self->view));
  if (!self->has_moved && self->part == HIR_MINIMAP_OUTSIDE && self->cover != NULL)
    show (self, self->drag_time_ns - half_ns, self->drag_time_ns + half_ns);
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  static const char *const cursors[] = {
    [HIR_MINIMAP_OUTSIDE] = "crosshair",
    [HIR_MINIMAP_WINDOW] = "grab",
    [HIR_MINIMAP_START] = "ew-resize",
    [HIR_MINIMAP_END] = "ew-resize",
  };
  HirMinimapScene scene;

  fill_scene (user_data, &scene);
  gtk_widget_set_cursor_from_name (user_data, cursors[hir_minimap_scene_hit (&scene, x)]);
}

/* Zooms around the center of the window, because the window is often too small to point into. */
static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirTimelineMinimap *self = user_data;

  hir_timeline_view_zoom (self->view, pow (1.2, -dy));
  return TRUE;
}

/* --- widget --- */

static void
hir_timeline_minimap_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirTimelineMinimap *self = HIR_TIMELINE_MINIMAP (widget);
  HirMinimapScene scene;

  fill_scene (self, &scene);
  hir_display_list_clear (self->list);
  hir_minimap_scene_draw (&scene, self->list);
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts, scene.theme->background, 1, 0, 0);
}

static void
hir_timeline_minimap_measure (GtkWidget *widget,
                              GtkOrientation orientation,
                              int for_size,
                              int *minimum,
                              int *natural,
                              int *minimum_baseline,
                              int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? (int) HIR_MINIMAP_HEIGHT : 0;
  *minimum_baseline = *natural_baseline = -1;
}

void
hir_timeline_minimap_set_found (HirTimelineMinimap *self, GArray *found)
{
  g_clear_pointer (&self->found, g_array_unref);
  if (found != NULL)
    self->found = g_array_ref (found);
  find_marks (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

#if HIR_TESTING
gboolean
hir_timeline_minimap_get_window (HirTimelineMinimap *self, double *x0, double *x1)
{
  HirMinimapScene scene;

  fill_scene (self, &scene);
  hir_minimap_scene_get_window (&scene, x0, x1);
  return self->cover != NULL && self->cancellable == NULL && !self->is_stale;
}
#endif

static void
hir_timeline_minimap_dispose (GObject *object)
{
  HirTimelineMinimap *self = HIR_TIMELINE_MINIMAP (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->found, g_array_unref);
  g_clear_pointer (&self->marks, g_free);
  g_clear_pointer (&self->cover, g_free);
  g_clear_pointer (&self->looks, g_free);
  g_clear_pointer (&self->label, g_free);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_timeline_minimap_parent_class)->dispose (object);
}

static void
hir_timeline_minimap_class_init (HirTimelineMinimapClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_timeline_minimap_dispose;
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_IMG);
  GTK_WIDGET_CLASS (klass)->snapshot = hir_timeline_minimap_snapshot;
  GTK_WIDGET_CLASS (klass)->measure = hir_timeline_minimap_measure;
  GTK_WIDGET_CLASS (klass)->size_allocate = hir_timeline_minimap_size_allocate;
}

static void
hir_timeline_minimap_init (HirTimelineMinimap *self)
{
  static const HirCanvasInput input = {
    .drag_begin = on_drag_begin,
    .drag_update = on_drag_update,
    .drag_end = on_drag_end,
    .motion = on_motion,
    .scroll = on_scroll,
    .scroll_flags = GTK_EVENT_CONTROLLER_SCROLL_VERTICAL,
  };
  GtkWidget *widget = GTK_WIDGET (self);

  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_tooltip_text (widget, "Whole trace: drag the window or its ends; drag "
                                       "elsewhere to show another range");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Whole trace", -1);
  hir_canvas_input_add (widget, &input, self);
  hir_canvas_follow_style (widget);
}

GtkWidget *
hir_timeline_minimap_new (HirSelection *selection, HirTimelineView *view)
{
  HirTimelineMinimap *self = g_object_new (HIR_TYPE_TIMELINE_MINIMAP, NULL);

  self->selection = g_object_ref (selection);
  self->view = view;
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (on_trace), self);
  g_signal_connect_object (selection, "range-changed", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "shown-changed", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_SWAPPED);
  on_trace (self);
  return GTK_WIDGET (self);
}
