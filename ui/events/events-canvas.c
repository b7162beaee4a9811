#include "events/events-canvas.h"

#include "canvas/canvas-input.h"
#include "canvas/canvas.h"
#include "events/events-canvas-private.h"

enum
{
  SORT,
  MOVED,
  ACTIVATED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirEventsCanvas, hir_events_canvas, GTK_TYPE_WIDGET)

GtkAdjustment *
hir_events_canvas_get_adjustment (HirEventsCanvas *self, GtkOrientation orientation)
{
  return orientation == GTK_ORIENTATION_VERTICAL ? self->vertical : self->horizontal;
}

/* Returns the row at @y of the widget, or -1. */
static gint64
find_row (HirEventsCanvas *self, double y)
{
  gint64 row =
      (gint64) ((y - HIR_EVENTS_HEAD + gtk_adjustment_get_value (self->vertical)) / HIR_EVENTS_ROW);

  return y >= HIR_EVENTS_HEAD && row < hir_events_model_get_n_rows (self->model) ? row : -1;
}

static void
hir_events_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirEventsCanvas *self = HIR_EVENTS_CANVAS (widget);
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  double scroll = gtk_adjustment_get_value (self->vertical);
  gint64 row = (gint64) (scroll / HIR_EVENTS_ROW), n = hir_events_model_get_n_rows (self->model);

  hir_display_list_clear (self->list);
  if (hir_events_model_get_n_columns (self->model) > 0)
    {
      hir_events_canvas_ensure_widths (self);
      hir_display_list_push_clip (self->list, hir_rect (0, HIR_EVENTS_HEAD, width,
                                                        MAX (height - HIR_EVENTS_HEAD, 0)));
      for (; row < n && (double) row * HIR_EVENTS_ROW - scroll + HIR_EVENTS_HEAD < height; row++)
        hir_events_canvas_draw_row (self, row,
                                    (double) row * HIR_EVENTS_ROW - scroll + HIR_EVENTS_HEAD);
      hir_display_list_pop_clip (self->list);
      hir_events_canvas_draw_row (self, -1, 0);
      hir_display_list_add_rect (self->list, hir_rect (0, HIR_EVENTS_HEAD - 1, width, 1),
                                 hir_canvas_get_theme ()->line);
      hir_events_canvas_draw_drop (self);
    }
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts,
                       hir_canvas_get_theme ()->background, 1, 0, 0);
}

/* --- adjustments -------------------------------------------------------------------------- */

static void
fit_adjustments (HirEventsCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - HIR_EVENTS_HEAD, 0);
  double rows = hir_events_model_get_n_rows (self->model) * HIR_EVENTS_ROW;

  gtk_adjustment_configure (self->vertical, gtk_adjustment_get_value (self->vertical), 0,
                            MAX (rows, height), HIR_EVENTS_ROW, height * 0.9, height);
  gtk_adjustment_configure (self->horizontal, gtk_adjustment_get_value (self->horizontal), 0,
                            MAX (hir_events_canvas_get_full_width (self), width), 40, width * 0.9,
                            width);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
fit_in_idle (gpointer user_data)
{
  HirEventsCanvas *self = user_data;

  self->idle = 0;
  fit_adjustments (self);
  return G_SOURCE_REMOVE;
}

/* Deferred: the scroll bars would queue a resize during size allocation. */
static void
hir_events_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirEventsCanvas *self = HIR_EVENTS_CANVAS (widget);

  if (width != self->width)
    self->is_measured = FALSE;
  self->width = width;
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit_in_idle, self, NULL);
}

static void
on_changed (HirEventsCanvas *self)
{
  gint64 n = hir_events_model_get_n_rows (self->model);

  if (hir_events_model_get_serial (self->model) == self->serial)
    return;
  self->serial = hir_events_model_get_serial (self->model);
  self->is_measured = FALSE;
  self->current = MIN (self->current, n - 1);
  self->anchor = MIN (self->anchor, n - 1);
  self->column = MIN (self->column, (int) hir_events_model_get_n_columns (self->model) - 1);
  fit_adjustments (self);
}

static void
on_loaded (HirEventsCanvas *self)
{
  if (!self->is_measured)
    fit_adjustments (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_resized (HirEventsCanvas *self)
{
  self->is_measured = FALSE;
  fit_adjustments (self);
}

void
hir_events_canvas_set_order (HirEventsCanvas *self,
                             const char *column,
                             gboolean is_descending,
                             gboolean is_raw)
{
  char *copy = g_strdup (column);

  g_free (self->order);
  self->order = copy;
  self->is_descending = is_descending;
  self->is_raw = is_raw;
  self->is_measured = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- selected rows ------------------------------------------------------------------------ */

gint64
hir_events_canvas_get_current (HirEventsCanvas *self)
{
  return self->current;
}

void
hir_events_canvas_set_current (HirEventsCanvas *self, gint64 row)
{
  self->current = self->anchor = MIN (row, hir_events_model_get_n_rows (self->model) - (gint64) 1);
  if (self->current >= 0)
    gtk_adjustment_clamp_page (self->vertical, (double) self->current * HIR_EVENTS_ROW,
                               (double) (self->current + 1) * HIR_EVENTS_ROW);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
hir_events_canvas_get_selected (HirEventsCanvas *self, guint *first, guint *n)
{
  if (self->current < 0)
    return FALSE;
  *first = (guint) MIN (self->current, self->anchor);
  *n = (guint) (MAX (self->current, self->anchor) + 1) - *first;
  return TRUE;
}

/* Moves to @row; extends the selected rows, or replaces them. */
static void
move_to (HirEventsCanvas *self, gint64 row, gboolean extends)
{
  gint64 n = hir_events_model_get_n_rows (self->model), anchor = self->anchor;

  if (n == 0)
    return;
  hir_events_canvas_set_current (self, CLAMP (row, 0, n - 1));
  if (extends && anchor >= 0)
    self->anchor = anchor;
  g_signal_emit (self, signals[MOVED], 0);
}

/* Follows the link of a cell. Returns FALSE if there is none. */
static gboolean
follow_link (HirEventsCanvas *self, gint64 row, int column)
{
  g_autofree char *link = column >= 0 && column < (int) hir_events_model_get_n_columns (self->model)
                              ? hir_events_canvas_dup_link (self, row, (guint) column)
                              : NULL;

  if (link != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.link", "s", link);
  return link != NULL;
}

/* --- input -------------------------------------------------------------------------------- */

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirEventsCanvas *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  gint64 row = find_row (self, y);
  int column = hir_events_canvas_find_column (self, x);
  int edge = hir_events_canvas_find_edge (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (edge >= 0 && n_press > 1)
    hir_events_options_set_width (self->options,
                                  hir_events_model_get_name (self->model, (guint) edge), 0);
  else if (edge >= 0)
    return;
  else if (y < HIR_EVENTS_HEAD && column >= 0)
    g_signal_emit (self, signals[SORT], 0, (guint) column);
  else if (row >= 0 && n_press > 1)
    g_signal_emit (self, signals[ACTIVATED], 0);
  else if (row >= 0)
    {
      self->column = -1;
      move_to (self, row, (state & GDK_SHIFT_MASK) != 0);
      if ((state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK)) == 0)
        (void) follow_link (self, row, column);
    }
}

static void
set_hovered (HirEventsCanvas *self, gint64 row, int column)
{
  if (row == self->hovered && column == self->hovered_column)
    return;
  self->hovered = row;
  self->hovered_column = column;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirEventsCanvas *self = user_data;
  gint64 row = find_row (self, y);
  int column = hir_events_canvas_find_column (self, x);
  g_autofree char *link =
      row >= 0 && column >= 0 ? hir_events_canvas_dup_link (self, row, (guint) column) : NULL;
  gboolean is_edge = hir_events_canvas_find_edge (self, x, y) >= 0;

  gtk_widget_set_cursor_from_name (user_data, is_edge                               ? "col-resize"
                                              : y < HIR_EVENTS_HEAD || link != NULL ? "pointer"
                                                                                    : NULL);
  set_hovered (self, row, column);
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  set_hovered (user_data, -1, -1);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  hir_events_canvas_begin_drag (user_data, x, y);
}

static void
on_drag_update (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  double start_x, start_y;

  if (gtk_gesture_drag_get_start_point (gesture, &start_x, &start_y) &&
      hir_events_canvas_update_drag (user_data, start_x + x, x))
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_drag_end (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  hir_events_canvas_end_drag (user_data);
}

static void
scroll_by (GtkAdjustment *adjustment, double by)
{
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + by);
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirEventsCanvas *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if (state & GDK_SHIFT_MASK)
    scroll_by (self->horizontal, dy * 40);
  else
    scroll_by (self->vertical, dy * 3 * HIR_EVENTS_ROW);
  scroll_by (self->horizontal, dx * 40);
  return TRUE;
}

static gboolean
on_control_key (HirEventsCanvas *self, guint keyval)
{
  guint n = hir_events_model_get_n_rows (self->model);

  if (keyval >= GDK_KEY_1 && keyval <= GDK_KEY_9)
    {
      if (keyval - GDK_KEY_1 < hir_events_model_get_n_columns (self->model))
        g_signal_emit (self, signals[SORT], 0, keyval - GDK_KEY_1);
      return TRUE;
    }
  if (keyval != GDK_KEY_a || n == 0)
    return FALSE;
  self->anchor = 0;
  self->current = n - (gint64) 1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirEventsCanvas *self = user_data;
  gboolean extends = (state & GDK_SHIFT_MASK) != 0;
  gint64 page = (gint64) (gtk_adjustment_get_page_size (self->vertical) / HIR_EVENTS_ROW);

  if (state & GDK_ALT_MASK)
    return FALSE;
  if (state & GDK_CONTROL_MASK)
    return on_control_key (self, keyval);
  switch (keyval)
    {
    case GDK_KEY_Up:
      move_to (self, self->current - 1, extends);
      return TRUE;
    case GDK_KEY_Down:
      move_to (self, self->current + 1, extends);
      return TRUE;
    case GDK_KEY_Page_Up:
      move_to (self, self->current - page, extends);
      return TRUE;
    case GDK_KEY_Page_Down:
      move_to (self, self->current + page, extends);
      return TRUE;
    case GDK_KEY_Home:
      move_to (self, 0, extends);
      return TRUE;
    case GDK_KEY_End:
      move_to (self, G_MAXINT32, extends);
      return TRUE;
    case GDK_KEY_Left:
    case GDK_KEY_Right:
      if (extends)
        hir_events_canvas_move_column (self, keyval == GDK_KEY_Left ? -1 : 1);
      else
        hir_events_canvas_move_cell (self, keyval == GDK_KEY_Left ? -1 : 1);
      return TRUE;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
      hir_events_canvas_widen_column (self, 1);
      return TRUE;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      hir_events_canvas_widen_column (self, -1);
      return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      if (self->current >= 0 && !follow_link (self, self->current, self->column))
        g_signal_emit (self, signals[ACTIVATED], 0);
      return TRUE;
    default:
      return FALSE;
    }
}

/* --- widget ------------------------------------------------------------------------------- */

static void
hir_events_canvas_dispose (GObject *object)
{
  HirEventsCanvas *self = HIR_EVENTS_CANVAS (object);

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_clear_handle_id (&self->idle, g_source_remove);
  if (self->options != NULL)
    g_signal_handlers_disconnect_by_data (self->options, self);
  g_clear_object (&self->model);
  g_clear_object (&self->options);
  g_clear_pointer (&self->dragged, g_free);
  g_clear_object (&self->selection);
  g_clear_object (&self->vertical);
  g_clear_object (&self->horizontal);
  g_clear_pointer (&self->order, g_free);
  g_clear_pointer (&self->widths, g_array_unref);
  g_clear_pointer (&self->are_numbers, g_array_unref);
  g_clear_pointer (&self->measure, hir_measure_free);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_events_canvas_parent_class)->dispose (object);
}

static void
hir_events_canvas_class_init (HirEventsCanvasClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_events_canvas_dispose;
  widget_class->snapshot = hir_events_canvas_snapshot;
  widget_class->size_allocate = hir_events_canvas_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "eventscanvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  signals[SORT] = g_signal_new ("sort", HIR_TYPE_EVENTS_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[MOVED] = g_signal_new ("moved", HIR_TYPE_EVENTS_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  signals[ACTIVATED] = g_signal_new ("activated", HIR_TYPE_EVENTS_CANVAS, G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
hir_events_canvas_init (HirEventsCanvas *self)
{
  static const HirCanvasInput input = {
    .released = on_released,
    .drag_begin = on_drag_begin,
    .drag_update = on_drag_update,
    .drag_end = on_drag_end,
    .motion = on_motion,
    .leave = on_leave,
    .scroll = on_scroll,
    .scroll_flags = GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES,
    .key = on_key,
  };
  GtkWidget *widget = GTK_WIDGET (self);

  self->current = self->anchor = self->hovered = -1;
  self->column = self->hovered_column = -1;
  self->vertical = g_object_ref_sink (gtk_adjustment_new (0, 0, 0, 0, 0, 0));
  self->horizontal = g_object_ref_sink (gtk_adjustment_new (0, 0, 0, 0, 0, 0));
  self->widths = g_array_new (FALSE, FALSE, sizeof (double));
  self->are_numbers = g_array_new (FALSE, FALSE, sizeof (gboolean));
  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  self->measure = hir_measure_new ();
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Events table", -1);
  g_signal_connect_object (self->vertical, "value-changed", G_CALLBACK (gtk_widget_queue_draw),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->horizontal, "value-changed", G_CALLBACK (gtk_widget_queue_draw),
                           self, G_CONNECT_SWAPPED);
  hir_canvas_input_add (widget, &input, self);
  hir_canvas_follow_style (widget);
}

GtkWidget *
hir_events_canvas_new (HirSelection *selection, HirEventsModel *model, HirEventsOptions *options)
{
  HirEventsCanvas *self = g_object_new (HIR_TYPE_EVENTS_CANVAS, NULL);

  self->selection = g_object_ref (selection);
  self->model = g_object_ref (model);
  self->options = g_object_ref (options);
  g_signal_connect_swapped (model, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (model, "loaded", G_CALLBACK (on_loaded), self);
  g_signal_connect_swapped (options, "resized", G_CALLBACK (on_resized), self);
  return GTK_WIDGET (self);
}
