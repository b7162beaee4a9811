/* Internal declarations of the events table. events-canvas.c has the widget and its input,
 * events-canvas-draw.c the cells. */
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

/* Computes the widths of all columns from the first rows, once they are read. */
void hir_events_canvas_ensure_widths (HirEventsCanvas *self);
/* Returns the sum of the widths. */
double hir_events_canvas_get_full_width (HirEventsCanvas *self);
/* Draws a row at @y, or the head if @row is -1. */
void hir_events_canvas_draw_row (HirEventsCanvas *self, gint64 row, double y);

G_END_DECLS
