#include "events/events-canvas.h"

#include "canvas/canvas-input.h"
#include "canvas/canvas.h"
#include "config.h"
#include "draw/theme.h"
#include "trace/duration.h"

#define HEAD 24.0
#define ROW 20.0
#define PAD 7.0 /* at both sides of a cell */
#define TEXT_PX 11.5
#define CHIP 8.0 /* color of the event before its name */
#define MIN_WIDTH 36.0
#define MAX_WIDTH 340.0
#define MIN_NAME 130.0     /* smallest limit of a column */
#define NAME_SHARE 0.45    /* of the widget, that a column may take */
#define N_MEASURED 60      /* rows that determine the widths */
#define PRECISION_NS 10000 /* start times are shown to a hundredth of it */

struct _HirEventsCanvas
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirEventsModel *model;
  char *order; /* nullable */
  gboolean is_descending, is_raw;
  GArray *widths;         /* double, of each column */
  GArray *are_numbers;    /* gboolean, of each column */
  gboolean is_measured;   /* the widths are those of the rows */
  int width;              /* of the widget, that the widths were computed for */
  gint64 current, anchor; /* rows are selected between them; -1: none */
  gint64 hovered;
  GtkAdjustment *vertical, *horizontal;
  guint serial; /* of the rows */
  guint idle;   /* idle source that adapts the adjustments */
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
};

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

/* --- cells -------------------------------------------------------------------------------- */

/* Returns the displayed text of a value. */
static char *
dup_value (HirEventsCanvas *self, const HirQueryResult *result, guint at, guint column)
{
  const char *name = hir_events_model_get_name (self->model, column);
  gint64 value, zero_ns, end_ns;
  char *text;

  if (self->is_raw || hir_query_result_get_type (result, at, column) != HIR_QUERY_INTEGER ||
      !g_str_has_suffix (name, "_ns"))
    {
      text = hir_query_result_dup_text (result, at, column);
      return text != NULL ? text : g_strdup (self->is_raw ? "NULL" : "");
    }
  value = hir_query_result_get_integer (result, at, column);
  if (!g_str_equal (name, "start_ns") && !g_str_equal (name, "end_ns"))
    return hir_format_duration (value);
  hir_trace_get_span (hir_selection_get_trace (self->selection), &zero_ns, &end_ns);
  return hir_format_range_end (value - zero_ns, PRECISION_NS);
}

static char *
dup_head (HirEventsCanvas *self, guint column)
{
  const char *name = hir_events_model_get_name (self->model, column);

  if (g_strcmp0 (name, self->order) != 0)
    return g_strdup (name);
  return g_strdup_printf ("%s %s", name, self->is_descending ? "\u25be" : "\u25b4");
}

static gboolean
is_name (HirEventsCanvas *self, guint column)
{
  guint track, index;

  return g_str_equal (hir_events_model_get_name (self->model, column), "name") &&
         hir_events_model_get_event (self->model, 0, &track, &index);
}

/* A long name leaves room for other columns. */
static double
get_max_width (HirEventsCanvas *self)
{
  return CLAMP (gtk_widget_get_width (GTK_WIDGET (self)) * NAME_SHARE, MIN_NAME, MAX_WIDTH);
}

/* Widens a column for one more text. */
static void
measure (HirEventsCanvas *self, guint column, const char *text, gboolean is_head)
{
  double *width = &g_array_index (self->widths, double, column);
  HirFont font = is_head ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS;
  double wanted = hir_measure_get_width (self->measure, font, TEXT_PX, text) + 2 * PAD + 2;

  if (!is_head && is_name (self, column))
    wanted += CHIP + PAD;
  *width = MAX (MIN (wanted, get_max_width (self)), *width);
}

/* Computes the widths of all columns from the first rows, once they are read. */
static void
ensure_widths (HirEventsCanvas *self)
{
  guint n_columns = hir_events_model_get_n_columns (self->model), at;
  guint n_rows = hir_events_model_get_n_rows (self->model);
  const HirQueryResult *result = NULL;

  if (self->is_measured)
    return;
  if (n_rows > 0)
    result = hir_events_model_lookup (self->model, 0, &at);
  /* Keep the widths of the previous rows, so that the table does not jump. */
  if (result == NULL && n_rows > 0 && self->widths->len == n_columns)
    return;
  g_array_set_size (self->widths, n_columns);
  g_array_set_size (self->are_numbers, n_columns);
  for (guint c = 0; c < n_columns; c++)
    {
      g_autofree char *head = dup_head (self, c);

      g_array_index (self->widths, double, c) = MIN_WIDTH;
      g_array_index (self->are_numbers, gboolean, c) = FALSE;
      measure (self, c, head, TRUE);
      for (guint row = 0; result != NULL && row < MIN (n_rows, N_MEASURED); row++)
        {
          g_autofree char *text = dup_value (self, result, row, c);
          HirQueryType type = hir_query_result_get_type (result, row, c);

          g_array_index (self->are_numbers, gboolean, c) |=
              type == HIR_QUERY_INTEGER || type == HIR_QUERY_REAL;
          measure (self, c, text, FALSE);
        }
    }
  self->is_measured = result != NULL || n_rows == 0;
}

static double
get_full_width (HirEventsCanvas *self)
{
  double width = 0;

  ensure_widths (self);
  for (guint c = 0; c < self->widths->len; c++)
    width += g_array_index (self->widths, double, c);
  return width;
}

/* Returns the column at @x of the widget, or -1. */
static int
find_column (HirEventsCanvas *self, double x)
{
  double left = -gtk_adjustment_get_value (self->horizontal);

  ensure_widths (self);
  for (guint c = 0; c < self->widths->len; c++)
    {
      double width = g_array_index (self->widths, double, c);

      if (x >= left && x < left + width)
        return (int) c;
      left += width;
    }
  return -1;
}

/* Returns the row at @y of the widget, or -1. */
static gint64
find_row (HirEventsCanvas *self, double y)
{
  gint64 row = (gint64) ((y - HEAD + gtk_adjustment_get_value (self->vertical)) / ROW);

  return y >= HEAD && row < hir_events_model_get_n_rows (self->model) ? row : -1;
}

/* --- drawing ------------------------------------------------------------------------------ */

static void
draw_text (
    HirEventsCanvas *self, HirRect box, const char *text, gboolean is_number, gboolean is_head)
{
  const HirTheme *theme = hir_canvas_get_theme ();

  hir_display_list_add_text (self->list, box, text, is_head ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS,
                             TEXT_PX, is_head ? theme->dim_text : theme->text,
                             is_number ? HIR_ALIGN_END : HIR_ALIGN_START);
}

/* Draws the color of the event, as in the timeline. */
static void
draw_chip (HirEventsCanvas *self, gint64 row, double x, double y)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  guint track, index;
  HirEvent event;

  if (!hir_events_model_get_event (self->model, (guint) row, &track, &index))
    return;
  hir_trace_get_event (trace, track, index, &event);
  hir_display_list_add_round_rect (self->list, hir_rect (x, y + (ROW - CHIP) / 2, CHIP, CHIP), 2,
                                   hir_theme_get_event_color (hir_canvas_get_theme (),
                                                              (HirEventKind) event.kind,
                                                              hir_trace_get_string (trace,
                                                                                    event.name)),
                                   0, 0, HIR_DASH_NONE);
}

static gboolean
is_selected (HirEventsCanvas *self, gint64 row)
{
  return self->current >= 0 && row >= MIN (self->current, self->anchor) &&
         row <= MAX (self->current, self->anchor);
}

/* Draws a row, or the head if @row is -1. */
static void
draw_row (HirEventsCanvas *self, gint64 row, double y)
{
  const HirTheme *theme = hir_canvas_get_theme ();
  double x = -gtk_adjustment_get_value (self->horizontal);
  double width = gtk_widget_get_width (GTK_WIDGET (self)), height = row < 0 ? HEAD : ROW;
  const HirQueryResult *result = NULL;
  guint at = 0;

  if (row < 0 || is_selected (self, row) || row == self->hovered)
    hir_display_list_add_rect (self->list, hir_rect (0, y, width, height),
                               row >= 0 && is_selected (self, row) ? theme->accent_fill
                                                                   : theme->panel);
  if (row >= 0 && row == self->current)
    hir_display_list_add_rect (self->list, hir_rect (0, y, 2, height), theme->accent);
  if (row >= 0)
    result = hir_events_model_lookup (self->model, (guint) row, &at);
  for (guint c = 0; c < self->widths->len && x < width; c++)
    {
      double column_width = g_array_index (self->widths, double, c);
      HirRect box = hir_rect (x + PAD, y, column_width - 2 * PAD, height);
      g_autofree char *text = NULL;

      x += column_width;
      if (x <= 0)
        continue;
      if (row < 0)
        text = dup_head (self, c);
      else
        text = result != NULL ? dup_value (self, result, at, c) : g_strdup ("\u2026");
      if (row >= 0 && is_name (self, c))
        {
          draw_chip (self, row, box.x, y);
          box.x += (float) (CHIP + PAD);
          box.width -= (float) (CHIP + PAD);
        }
      draw_text (self, box, text, g_array_index (self->are_numbers, gboolean, c), row < 0);
    }
}

static void
hir_events_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirEventsCanvas *self = HIR_EVENTS_CANVAS (widget);
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  double scroll = gtk_adjustment_get_value (self->vertical);
  gint64 row = (gint64) (scroll / ROW), n = hir_events_model_get_n_rows (self->model);

  hir_display_list_clear (self->list);
  if (hir_events_model_get_n_columns (self->model) > 0)
    {
      ensure_widths (self);
      hir_display_list_push_clip (self->list, hir_rect (0, HEAD, width, MAX (height - HEAD, 0)));
      for (; row < n && (double) row * ROW - scroll + HEAD < height; row++)
        draw_row (self, row, (double) row * ROW - scroll + HEAD);
      hir_display_list_pop_clip (self->list);
      draw_row (self, -1, 0);
      hir_display_list_add_rect (self->list, hir_rect (0, HEAD - 1, width, 1),
                                 hir_canvas_get_theme ()->line);
    }
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts,
                       hir_canvas_get_theme ()->background, 1, 0, 0);
}

/* --- adjustments -------------------------------------------------------------------------- */

static void
fit_adjustments (HirEventsCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = MAX (gtk_widget_get_height (GTK_WIDGET (self)) - HEAD, 0);
  double rows = hir_events_model_get_n_rows (self->model) * ROW;

  gtk_adjustment_configure (self->vertical, gtk_adjustment_get_value (self->vertical), 0,
                            MAX (rows, height), ROW, height * 0.9, height);
  gtk_adjustment_configure (self->horizontal, gtk_adjustment_get_value (self->horizontal), 0,
                            MAX (get_full_width (self), width), 40, width * 0.9, width);
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
  fit_adjustments (self);
}

static void
on_loaded (HirEventsCanvas *self)
{
  if (!self->is_measured)
    fit_adjustments (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
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
    gtk_adjustment_clamp_page (self->vertical, (double) self->current * ROW,
                               (double) (self->current + 1) * ROW);
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

/* --- input -------------------------------------------------------------------------------- */

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirEventsCanvas *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  gint64 row = find_row (self, y);
  int column = find_column (self, x);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (y < HEAD && column >= 0)
    g_signal_emit (self, signals[SORT], 0, (guint) column);
  else if (row >= 0 && n_press > 1)
    g_signal_emit (self, signals[ACTIVATED], 0);
  else if (row >= 0)
    move_to (self, row, (state & GDK_SHIFT_MASK) != 0);
}

static void
set_hovered (HirEventsCanvas *self, gint64 row)
{
  if (row == self->hovered)
    return;
  self->hovered = row;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  gtk_widget_set_cursor_from_name (user_data, y < HEAD ? "pointer" : NULL);
  set_hovered (user_data, find_row (user_data, y));
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  set_hovered (user_data, -1);
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
    scroll_by (self->vertical, dy * 3 * ROW);
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
  gint64 page = (gint64) (gtk_adjustment_get_page_size (self->vertical) / ROW);

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
      scroll_by (self->horizontal, keyval == GDK_KEY_Left ? -40 : 40);
      return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      if (self->current >= 0)
        g_signal_emit (self, signals[ACTIVATED], 0);
      return TRUE;
    default:
      return FALSE;
    }
}

#if HIR_TESTING
gboolean
hir_events_canvas_get_place (HirEventsCanvas *self, guint i, HirEventsPlace *place)
{
  double scroll = gtk_adjustment_get_value (self->vertical);

  if (i == 0)
    {
      *place = (HirEventsPlace){ -1, HEAD / 2, FALSE };
      return hir_events_model_get_n_columns (self->model) > 0;
    }
  place->row = (gint64) (scroll / ROW) + i - 1;
  place->y = HEAD + (double) place->row * ROW + ROW / 2 - scroll;
  place->is_selected = is_selected (self, place->row);
  return place->row < hir_events_model_get_n_rows (self->model) &&
         place->y < gtk_widget_get_height (GTK_WIDGET (self));
}

char *
hir_events_canvas_dup_cell (HirEventsCanvas *self, gint64 row, guint column, double *x)
{
  const HirQueryResult *result;
  guint at;

  if (column >= hir_events_model_get_n_columns (self->model))
    return NULL;
  ensure_widths (self);
  *x = -gtk_adjustment_get_value (self->horizontal);
  for (guint c = 0; c < column; c++)
    *x += g_array_index (self->widths, double, c);
  *x += g_array_index (self->widths, double, column) / 2;
  if (row < 0)
    return dup_head (self, column);
  result = hir_events_model_lookup (self->model, (guint) row, &at);
  return result != NULL ? dup_value (self, result, at, column) : g_strdup ("\u2026");
}
#endif

/* --- widget ------------------------------------------------------------------------------- */

static void
hir_events_canvas_dispose (GObject *object)
{
  HirEventsCanvas *self = HIR_EVENTS_CANVAS (object);

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_object (&self->model);
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
    .motion = on_motion,
    .leave = on_leave,
    .scroll = on_scroll,
    .scroll_flags = GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES,
    .key = on_key,
  };
  GtkWidget *widget = GTK_WIDGET (self);

  self->current = self->anchor = self->hovered = -1;
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
hir_events_canvas_new (HirSelection *selection, HirEventsModel *model)
{
  HirEventsCanvas *self = g_object_new (HIR_TYPE_EVENTS_CANVAS, NULL);

  self->selection = g_object_ref (selection);
  self->model = g_object_ref (model);
  g_signal_connect_swapped (model, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (model, "loaded", G_CALLBACK (on_loaded), self);
  return GTK_WIDGET (self);
}
