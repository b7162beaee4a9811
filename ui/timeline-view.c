#include "timeline-view.h"

#include <math.h>

#include "canvas.h"
#include "draw/timeline-scene.h"
#include "event-facts.h"

#define FIT_MARGIN_FRACTION 0.02
#define MIN_SPAN_NS 20.0
#define MAX_LINKS 64

struct _HirTimelineView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirTrace *trace;
  HirTimelineRows *rows;
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
  double header_width;
  gint64 start_ns, end_ns; /* on show */
  gboolean is_fitted;      /* all of the trace is, also when it grows */
  double scroll_y;

  double pointer_x, pointer_y;
  gboolean has_hover;
  guint hovered_track, hovered_index;
  gint64 drag_start_ns, drag_end_ns;
  double drag_scroll_y;
  double drag_x;
  gboolean is_banding;
  gint64 band_start_ns, band_end_ns;
};

G_DEFINE_FINAL_TYPE (HirTimelineView, hir_timeline_view, GTK_TYPE_WIDGET)

static void
fill_scene (HirTimelineView *self, HirTimelineScene *scene)
{
  *scene = (HirTimelineScene){
    .rows = self->rows,
    .theme = hir_canvas_get_theme (),
    .measure = self->measure,
    .start_ns = self->start_ns,
    .end_ns = MAX (self->end_ns, self->start_ns + 1),
    .width = gtk_widget_get_width (GTK_WIDGET (self)),
    .height = gtk_widget_get_height (GTK_WIDGET (self)),
    .header_width = self->header_width,
    .scroll_y = self->scroll_y,
    .has_hover = self->has_hover,
    .hovered_track = self->hovered_track,
    .hovered_index = self->hovered_index,
    .band_start_ns = self->band_start_ns,
    .band_end_ns = self->band_end_ns,
  };
  scene->has_selection =
      hir_selection_get_event (self->selection, &scene->selected_track, &scene->selected_index);
}

/* Every event of the selected node lights up: the counterparts in the last snapshot. */
static GHashTable *
dup_related (HirTimelineView *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  GHashTable *related = g_hash_table_new (g_int64_hash, g_int64_equal);
  GArray *ids;

  if (program == NULL || program->views->len == 0 || hir_selection_get_node (self->selection) == 0)
    return related;
  ids = hir_selection_get_nodes_at (self->selection, program->views->len - 1);
  for (guint i = 0; i < ids->len; i++)
    g_hash_table_add (related, &g_array_index (ids, guint64, i));
  return related;
}

/* Arrows from the host's issue span to the device event of the same correlation. */
static guint
find_links (HirTimelineView *self, const HirTimelineScene *scene, HirTimelineLink *links)
{
  HirEvent selected;
  guint track = 0, index = HIR_NO_EVENT, n = 0;

  if (!scene->has_selection)
    return 0;
  hir_trace_get_event (self->trace, scene->selected_track, scene->selected_index, &selected);
  if (selected.correlation == 0)
    return 0;
  while (n < MAX_LINKS &&
         hir_trace_next_of_correlation (self->trace, selected.correlation, &track, &index))
    {
      HirEvent event;

      if (track == scene->selected_track && index == scene->selected_index)
        continue;
      hir_trace_get_event (self->trace, track, index, &event);
      links[n++] =
          event.kind == HIR_EVENT_ISSUE
              ? (HirTimelineLink){ track, index, scene->selected_track, scene->selected_index }
              : (HirTimelineLink){ scene->selected_track, scene->selected_index, track, index };
    }
  return n;
}

static void
draw_empty (HirTimelineView *self, GtkSnapshot *snapshot)
{
  const HirTheme *theme = hir_canvas_get_theme ();
  HirProgram *program = hir_selection_get_program (self->selection);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  const char *title = "No recording yet";
  const char *hint = "Press Run, or the space bar: every stream's work appears here";

  if (program == NULL)
    {
      title = "Nothing to run";
      hint = "The script can't be read; what is wrong stands above it";
    }
  else if (program->error != NULL)
    {
      title = "Nothing to run";
      hint = "A pass refused this program; why stands above the script, at its line";
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
  HirTimelineLink links[MAX_LINKS];
  HirTimelineScene scene;
  g_autoptr (GHashTable) related = NULL;

  if (self->rows == NULL)
    {
      draw_empty (self, snapshot);
      return;
    }
  fill_scene (self, &scene);
  related = dup_related (self);
  scene.related_set = related;
  scene.links = links;
  scene.n_links = find_links (self, &scene, links);
  hir_display_list_clear (self->list);
  hir_timeline_scene_draw (&scene, self->list);
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts, scene.theme->background, 1, 0, 0);
}

static void
set_range (HirTimelineView *self, double start_ns, double end_ns)
{
  gint64 first_ns, last_ns;
  double length, span;

  if (self->trace == NULL)
    return;
  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  span = MAX ((double) (last_ns - first_ns), MIN_SPAN_NS) * (1 + 2 * FIT_MARGIN_FRACTION);
  length = CLAMP (end_ns - start_ns, MIN_SPAN_NS, span);
  /* Some of the trace stays in sight. */
  start_ns = CLAMP (start_ns, (double) first_ns - length * 0.9, (double) last_ns - length * 0.1);
  self->start_ns = (gint64) floor (start_ns);
  self->end_ns = (gint64) ceil (start_ns + length);
  self->is_fitted = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
zoom_at (HirTimelineView *self, double factor, double x)
{
  HirTimelineScene scene;
  double time, length;

  if (self->rows == NULL)
    return;
  fill_scene (self, &scene);
  time = (double) hir_timeline_scene_get_time (&scene, MAX (x, self->header_width));
  length = (double) (self->end_ns - self->start_ns);
  set_range (self, time - (time - (double) self->start_ns) / factor,
             time - (time - (double) self->start_ns) / factor + length / factor);
}

static void
scroll_to (HirTimelineView *self, double y)
{
  double height = gtk_widget_get_height (GTK_WIDGET (self)) - HIR_TIMELINE_RULER_HEIGHT;

  self->scroll_y = CLAMP (y, 0, MAX (self->rows->height - height, 0));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* @fraction of what is on show. */
static void
pan (HirTimelineView *self, double fraction)
{
  double shift = (double) (self->end_ns - self->start_ns) * fraction;

  set_range (self, (double) self->start_ns + shift, (double) self->end_ns + shift);
}

void
hir_timeline_view_fit (HirTimelineView *self)
{
  gint64 first_ns, last_ns;
  double margin;

  if (self->trace == NULL)
    return;
  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  margin = (double) (last_ns - first_ns) * FIT_MARGIN_FRACTION;
  set_range (self, (double) first_ns - margin, (double) last_ns + margin);
  self->is_fitted = TRUE;
}

void
hir_timeline_view_zoom (HirTimelineView *self, double factor)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));

  zoom_at (self, factor, self->header_width + (width - self->header_width) / 2);
}

gboolean
hir_timeline_view_get_range (HirTimelineView *self, gint64 *start_ns, gint64 *end_ns)
{
  *start_ns = MIN (self->band_start_ns, self->band_end_ns);
  *end_ns = MAX (self->band_start_ns, self->band_end_ns);
  return *end_ns > *start_ns;
}

void
hir_timeline_view_get_shown (HirTimelineView *self, gint64 *start_ns, gint64 *end_ns)
{
  *start_ns = self->start_ns;
  *end_ns = self->end_ns;
}

gboolean
hir_timeline_view_get_event_position (
    HirTimelineView *self, guint track, guint index, double *x, double *y)
{
  HirTimelineScene scene;
  HirRect rect;

  if (self->rows == NULL)
    return FALSE;
  fill_scene (self, &scene);
  if (!hir_timeline_scene_get_rect (&scene, track, index, &rect))
    return FALSE;
  *x = rect.x + rect.width / 2;
  *y = rect.y + rect.height / 2;
  return TRUE;
}

static void
hit (HirTimelineView *self, double x, double y, HirTimelineHit *result)
{
  HirTimelineScene scene;

  fill_scene (self, &scene);
  hir_timeline_scene_hit (&scene, x, y, result);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  HirTimelineHit result;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->rows == NULL)
    return;
  hit (self, x, y, &result);
  switch (result.part)
    {
    case HIR_TIMELINE_EVENT:
      hir_selection_set_event (self->selection, result.track, result.index);
      break;
    case HIR_TIMELINE_RANK:
      hir_timeline_rows_set_collapsed (self->rows, result.rank,
                                       !hir_timeline_rows_get_collapsed (self->rows, result.rank));
      scroll_to (self, self->scroll_y);
      break;
    case HIR_TIMELINE_NOTHING:
    case HIR_TIMELINE_RULER:
    case HIR_TIMELINE_TRACK:
    default:
      self->band_start_ns = self->band_end_ns = 0;
      hir_selection_clear (self->selection);
      gtk_widget_queue_draw (GTK_WIDGET (self));
      break;
    }
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  HirTimelineHit result;
  gboolean has_hover;

  self->pointer_x = x;
  self->pointer_y = y;
  if (self->rows == NULL)
    return;
  hit (self, x, y, &result);
  has_hover = result.part == HIR_TIMELINE_EVENT;
  if (has_hover == self->has_hover &&
      (!has_hover || (result.track == self->hovered_track && result.index == self->hovered_index)))
    return;
  self->has_hover = has_hover;
  self->hovered_track = result.track;
  self->hovered_index = result.index;
  if (has_hover)
    {
      g_autofree char *title = NULL;
      g_autofree char *duration = NULL;
      g_autofree char *text = NULL;
      g_autoptr (GArray) facts =
          hir_event_dup_facts (self->trace, result.track, result.index, &title);
      HirEvent event;

      hir_trace_get_event (self->trace, result.track, result.index, &event);
      duration = hir_format_duration (event.end_ns - event.start_ns);
      text = g_strdup_printf ("%s\n%s", title, duration);
      gtk_widget_set_tooltip_text (GTK_WIDGET (self), text);
    }
  else
    {
      gtk_widget_set_tooltip_text (GTK_WIDGET (self), NULL);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  HirTimelineView *self = user_data;

  self->has_hover = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The wheel zooms about the pointer; over the labels, or with Shift, it scrolls; sideways it moves.
 */
static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirTimelineView *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if (self->rows == NULL)
    return FALSE;
  if (self->pointer_x < self->header_width || (state & GDK_SHIFT_MASK))
    scroll_to (self, self->scroll_y + dy * 40);
  else if (dy != 0)
    zoom_at (self, pow (1.2, -dy), self->pointer_x);
  if (dx != 0)
    pan (self, dx * 0.05);
  return TRUE;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  self->drag_start_ns = self->start_ns;
  self->drag_end_ns = self->end_ns;
  self->drag_scroll_y = self->scroll_y;
  self->drag_x = x;
  self->is_banding = (state & GDK_SHIFT_MASK) || y < HIR_TIMELINE_RULER_HEIGHT;
}

static void
on_drag_update (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  HirTimelineScene scene;
  double ns_per_px;

  if (self->rows == NULL || fabs (x) + fabs (y) < 4)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  fill_scene (self, &scene);
  if (self->is_banding)
    {
      self->band_start_ns =
          hir_timeline_scene_get_time (&scene, MIN (self->drag_x, self->drag_x + x));
      self->band_end_ns =
          hir_timeline_scene_get_time (&scene, MAX (self->drag_x, self->drag_x + x));
      gtk_widget_queue_draw (GTK_WIDGET (self));
      return;
    }
  ns_per_px = (double) (self->drag_end_ns - self->drag_start_ns) /
              MAX (scene.width - self->header_width, 1);
  set_range (self, (double) self->drag_start_ns - x * ns_per_px,
             (double) self->drag_end_ns - x * ns_per_px);
  scroll_to (self, self->drag_scroll_y - y);
}

/* Brings the selected event into sight. */
static void
reveal (HirTimelineView *self)
{
  HirEvent event;
  guint track, index;
  const HirTimelineRow *row;
  double height = gtk_widget_get_height (GTK_WIDGET (self)) - HIR_TIMELINE_RULER_HEIGHT;
  double length = (double) (self->end_ns - self->start_ns);

  if (self->rows == NULL || !hir_selection_get_event (self->selection, &track, &index))
    return;
  hir_trace_get_event (self->trace, track, index, &event);
  if (event.end_ns < self->start_ns || event.start_ns > self->end_ns)
    set_range (self, (double) event.start_ns - length / 2, (double) event.start_ns + length / 2);
  row = hir_timeline_rows_get_track (self->rows, track);
  if (row != NULL && row->y < self->scroll_y)
    scroll_to (self, row->y);
  else if (row != NULL && row->y + row->height > self->scroll_y + height)
    scroll_to (self, row->y + row->height - height);
}

/* Left and Right walk along a track. */
static gboolean
walk (HirTimelineView *self, int by)
{
  guint track, index;

  if (self->rows == NULL)
    return FALSE;
  if (hir_selection_get_event (self->selection, &track, &index))
    {
      if ((by < 0 && index == 0) ||
          (by > 0 && index + 1 >= hir_trace_get_track_n_events (self->trace, track)))
        return TRUE;
      hir_selection_set_event (self->selection, track, (guint) ((int) index + by));
      reveal (self);
      return TRUE;
    }
  for (track = 0; track < hir_trace_get_n_tracks (self->trace); track++)
    {
      if (hir_trace_get_track (self->trace, track)->kind != HIR_TRACK_HOST &&
          hir_trace_get_track_n_events (self->trace, track) > 0)
        {
          hir_selection_set_event (self->selection, track, 0);
          reveal (self);
          return TRUE;
        }
    }
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirTimelineView *self = user_data;

  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  switch (keyval)
    {
    case GDK_KEY_w:
      zoom_at (self, 1.3, self->pointer_x);
      return TRUE;
    case GDK_KEY_s:
      zoom_at (self, 1 / 1.3, self->pointer_x);
      return TRUE;
    case GDK_KEY_a:
      pan (self, -0.1);
      return TRUE;
    case GDK_KEY_d:
      pan (self, 0.1);
      return TRUE;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
      hir_timeline_view_zoom (self, 1.3);
      return TRUE;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      hir_timeline_view_zoom (self, 1 / 1.3);
      return TRUE;
    case GDK_KEY_0:
    case GDK_KEY_f:
      hir_timeline_view_fit (self);
      return TRUE;
    case GDK_KEY_Left:
      return walk (self, -1);
    case GDK_KEY_Right:
      return walk (self, 1);
    default:
      return FALSE;
    }
}

static void
keep_collapsed (HirTimelineRows *rows, const HirTimelineRows *before)
{
  for (guint i = 0; i < before->all->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (before->all, HirTimelineRow, i);

      if (row->is_header && hir_timeline_rows_get_collapsed (before, row->rank))
        hir_timeline_rows_set_collapsed (rows, row->rank, TRUE);
    }
}

/* Another trace is fitted; one that goes on growing keeps its place unless all of it was on show.
 */
static void
on_trace (HirTimelineView *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (HirTimelineRows) before = g_steal_pointer (&self->rows);
  gboolean goes_on = before != NULL && trace != NULL;

  g_clear_pointer (&self->trace, hir_trace_unref);
  self->has_hover = FALSE;
  if (!goes_on)
    {
      self->is_fitted = TRUE;
      self->band_start_ns = self->band_end_ns = 0;
      self->scroll_y = 0;
    }
  if (trace != NULL && hir_trace_get_n_events (trace) > 0)
    {
      self->trace = hir_trace_ref (trace);
      self->rows = hir_timeline_rows_new (trace, NULL);
      if (goes_on)
        keep_collapsed (self->rows, before);
      self->header_width = hir_timeline_scene_get_header_width (self->rows, self->measure);
      if (self->is_fitted)
        hir_timeline_view_fit (self);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_event (HirTimelineView *self)
{
  reveal (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
hir_timeline_view_dispose (GObject *object)
{
  HirTimelineView *self = HIR_TIMELINE_VIEW (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->rows, hir_timeline_rows_free);
  g_clear_pointer (&self->trace, hir_trace_unref);
  g_clear_pointer (&self->measure, hir_measure_free);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_timeline_view_parent_class)->dispose (object);
}

static void
hir_timeline_view_class_init (HirTimelineViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_timeline_view_dispose;
  GTK_WIDGET_CLASS (klass)->snapshot = hir_timeline_view_snapshot;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "timelineview");
}

static void
hir_timeline_view_init (HirTimelineView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *key = gtk_event_controller_key_new ();

  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  self->measure = hir_measure_new ();
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Timeline",
                                  -1);
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, key);
  hir_canvas_follow_style (widget);
}

GtkWidget *
hir_timeline_view_new (HirSelection *selection)
{
  HirTimelineView *self = g_object_new (HIR_TYPE_TIMELINE_VIEW, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (on_trace), self);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (selection, "event-changed", G_CALLBACK (on_event), self);
  on_trace (self);
  return GTK_WIDGET (self);
}
