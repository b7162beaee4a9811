/* Columns of the events table: their widths and order, by drags in the head and by keys. */
#include <math.h>

#include "canvas/canvas.h"
#include "events/events-canvas-private.h"

#define EDGE_PX 4.0  /* around the right side of a head */
#define DRAG_PX 4.0  /* a shorter movement is a click */
#define STEP_PX 16.0 /* of a key */

/* Returns the left side of a column. */
static double
get_left (HirEventsCanvas *self, guint column)
{
  double x = -gtk_adjustment_get_value (self->horizontal);

  hir_events_canvas_ensure_widths (self);
  for (guint c = 0; c < MIN (column, self->widths->len); c++)
    x += g_array_index (self->widths, double, c);
  return x;
}

int
hir_events_canvas_find_column (HirEventsCanvas *self, double x)
{
  hir_events_canvas_ensure_widths (self);
  for (guint c = 0; c < self->widths->len; c++)
    if (x >= get_left (self, c) && x < get_left (self, c + 1))
      return (int) c;
  return -1;
}

int
hir_events_canvas_find_edge (HirEventsCanvas *self, double x, double y)
{
  hir_events_canvas_ensure_widths (self);
  for (guint c = 0; c < self->widths->len && y < HIR_EVENTS_HEAD; c++)
    if (fabs (get_left (self, c + 1) - x) <= EDGE_PX)
      return (int) c;
  return -1;
}

/* Returns the column with this name, or -1. */
static int
find_name (HirEventsCanvas *self, const char *name)
{
  guint n = hir_events_model_get_n_columns (self->model);

  for (guint c = 0; name != NULL && c < n; c++)
    if (g_str_equal (hir_events_model_get_name (self->model, c), name))
      return (int) c;
  return -1;
}

static const char *
get_name (HirEventsCanvas *self, guint column)
{
  return column < hir_events_model_get_n_columns (self->model)
             ? hir_events_model_get_name (self->model, column)
             : NULL;
}

/* The columns of groups and of the user's SQL have their order. */
static gboolean
can_move (HirEventsCanvas *self)
{
  return !self->is_raw && hir_events_options_get_group (self->options) == HIR_LISTING_NO_GROUP;
}

/* Returns the column before which the dragged one is dropped; the number of columns: at the end. */
static guint
find_drop (HirEventsCanvas *self)
{
  guint c = 0;

  while (c < self->widths->len && (get_left (self, c) + get_left (self, c + 1)) / 2 < self->drag_x)
    c++;
  return c;
}

/* --- drags -------------------------------------------------------------------------------- */

void
hir_events_canvas_begin_drag (HirEventsCanvas *self, double x, double y)
{
  int edge = hir_events_canvas_find_edge (self, x, y);
  int column = edge >= 0 ? edge : hir_events_canvas_find_column (self, x);

  g_clear_pointer (&self->dragged, g_free);
  self->is_dragging = FALSE;
  if (y >= HIR_EVENTS_HEAD || column < 0 || (edge < 0 && !can_move (self)))
    return;
  self->dragged = g_strdup (get_name (self, (guint) column));
  self->is_resizing = edge >= 0;
  self->dragged_width = g_array_index (self->widths, double, column);
}

gboolean
hir_events_canvas_update_drag (HirEventsCanvas *self, double x, double by)
{
  if (self->dragged == NULL || (!self->is_dragging && fabs (by) < DRAG_PX))
    return FALSE;
  self->is_dragging = TRUE;
  self->drag_x = x;
  if (self->is_resizing)
    hir_events_options_set_width (self->options, self->dragged,
                                  (int) MAX (self->dragged_width + by, 1));
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return TRUE;
}

void
hir_events_canvas_end_drag (HirEventsCanvas *self)
{
  if (self->is_dragging && !self->is_resizing)
    hir_events_options_move (self->options, self->dragged, get_name (self, find_drop (self)));
  self->is_dragging = FALSE;
  g_clear_pointer (&self->dragged, g_free);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_events_canvas_draw_drop (HirEventsCanvas *self)
{
  const HirTheme *theme = hir_canvas_get_theme ();
  int column = find_name (self, self->dragged);

  if (!self->is_dragging || self->is_resizing || column < 0)
    return;
  hir_display_list_add_rect (self->list,
                             hir_rect (get_left (self, (guint) column), 0,
                                       g_array_index (self->widths, double, column),
                                       HIR_EVENTS_HEAD),
                             hir_color_fade (theme->accent, 0.25));
  hir_display_list_add_rect (self->list,
                             hir_rect (get_left (self, find_drop (self)) - 1, 0, 2,
                                       gtk_widget_get_height (GTK_WIDGET (self))),
                             theme->accent);
}

/* --- keys --------------------------------------------------------------------------------- */

void
hir_events_canvas_move_cell (HirEventsCanvas *self, int by)
{
  double left, scroll = gtk_adjustment_get_value (self->horizontal);

  if (self->current < 0)
    return;
  self->column = CLAMP (self->column + by, -1, (int) self->widths->len - 1);
  if (self->column >= 0)
    {
      left = get_left (self, (guint) self->column) + scroll;
      gtk_adjustment_clamp_page (self->horizontal, left,
                                 left + g_array_index (self->widths, double, self->column));
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_events_canvas_move_column (HirEventsCanvas *self, int by)
{
  int column = find_name (self, self->order);

  if (column < 0 || column + by < 0 || !can_move (self))
    return;
  hir_events_options_move (self->options, self->order,
                           get_name (self, (guint) (by < 0 ? column - 1 : column + 2)));
}

void
hir_events_canvas_widen_column (HirEventsCanvas *self, int steps)
{
  int column = find_name (self, self->order);

  if (column < 0)
    return;
  hir_events_canvas_ensure_widths (self);
  hir_events_options_set_width (self->options, self->order,
                                (int) MAX (g_array_index (self->widths, double, column) +
                                               steps * STEP_PX,
                                           1));
}
