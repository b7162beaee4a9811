/* Internal declarations of the events table. events-canvas.c has the widget and its input,
 * events-canvas-draw.c the cells, events-canvas-columns.c the widths and the order of columns. */
#pragma once

#include "draw/text-cache.h"
#include "draw/theme.h"
#include "events/events-canvas.h"

G_BEGIN_DECLS

/* Heights in pixels. */
#define HIR_EVENTS_HEAD 24.0
#define HIR_EVENTS_ROW 20.0

struct _HirEventsCanvas
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirEventsModel *model;
  HirEventsOptions *options;
  char *order; /* nullable */
  gboolean is_descending, is_raw;
  GArray *widths;         /* double, of each column */
  GArray *are_numbers;    /* gboolean, of each column */
  gboolean is_measured;   /* the widths are those of the rows */
  int width;              /* of the widget, that the widths were computed for */
  gint64 current, anchor; /* rows are selected between them; -1: none */
  gint64 hovered;
  int column, hovered_column; /* of the current and the hovered row; -1: the whole row */
  char *dragged;              /* nullable: column of a drag in the head, which has begun */
  gboolean is_dragging;       /* it has moved far enough */
  gboolean is_resizing;       /* it changes the width, not the order */
  double dragged_width;       /* at its start */
  double drag_x;
  GtkAdjustment *vertical, *horizontal;
  guint serial; /* of the rows */
  guint idle;   /* idle source that adapts the adjustments */
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
};

/* Computes the widths of all columns from the first rows, once they are read. */
void hir_events_canvas_ensure_widths (HirEventsCanvas *self);
/* Returns the column at @x of the widget, or -1. */
int hir_events_canvas_find_column (HirEventsCanvas *self, double x);
/* Returns the column whose head ends at (@x, @y), or -1. */
int hir_events_canvas_find_edge (HirEventsCanvas *self, double x, double y);
/* Starts a drag in the head: of a column, or of its edge. */
void hir_events_canvas_begin_drag (HirEventsCanvas *self, double x, double y);
/* Moves the drag to @x, @by pixels from its start. Returns FALSE if there is none. */
gboolean hir_events_canvas_update_drag (HirEventsCanvas *self, double x, double by);
/* Ends the drag: moves the column. */
void hir_events_canvas_end_drag (HirEventsCanvas *self);
/* Draws where the dragged column would be dropped. */
void hir_events_canvas_draw_drop (HirEventsCanvas *self);
/* Moves the column that sorts to the left (-1) or right (1). */
void hir_events_canvas_move_column (HirEventsCanvas *self, int by);
/* Makes the column that sorts wider or narrower. */
void hir_events_canvas_widen_column (HirEventsCanvas *self, int steps);
/* Returns the sum of the widths. */
double hir_events_canvas_get_full_width (HirEventsCanvas *self);
/* Returns the target of the link in a cell for `win.link` (transfer full), or NULL. */
char *hir_events_canvas_dup_link (HirEventsCanvas *self, gint64 row, guint column);
/* Moves to another cell of the current row, or to the whole row. */
void hir_events_canvas_move_cell (HirEventsCanvas *self, int by);
/* Draws a row at @y, or the head if @row is -1. */
void hir_events_canvas_draw_row (HirEventsCanvas *self, gint64 row, double y);

G_END_DECLS
