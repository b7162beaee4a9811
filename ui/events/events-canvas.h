/* Widget that draws the events table: a head, whose columns sort, and the visible rows. */
#pragma once

#include <gtk/gtk.h>

#include "events/events-model.h"
#include "events/events-options.h"

G_BEGIN_DECLS

#define HIR_TYPE_EVENTS_CANVAS (hir_events_canvas_get_type ())
G_DECLARE_FINAL_TYPE (HirEventsCanvas, hir_events_canvas, HIR, EVENTS_CANVAS, GtkWidget)

/* Signals:
 * - `sort`, with a guint: the head of a column was activated
 * - `moved`, without arguments: the user moved to another row
 * - `activated`, without arguments: the user activated the current row */
GtkWidget *
hir_events_canvas_new (HirSelection *selection, HirEventsModel *model, HirEventsOptions *options);
/* Returns an adjustment (borrowed). */
GtkAdjustment *hir_events_canvas_get_adjustment (HirEventsCanvas *self, GtkOrientation orientation);
/* Sets the column with the arrow of the order (nullable), and whether times are displayed in ns. */
void hir_events_canvas_set_order (HirEventsCanvas *self,
                                  const char *column,
                                  gboolean is_descending,
                                  gboolean is_raw);
/* Returns the current row, or -1. */
gint64 hir_events_canvas_get_current (HirEventsCanvas *self);
/* Makes @row the current one, and visible; -1: none. */
void hir_events_canvas_set_current (HirEventsCanvas *self, gint64 row);
/* Returns the selected rows. Returns FALSE if there are none. */
gboolean hir_events_canvas_get_selected (HirEventsCanvas *self, guint *first, guint *n);

/* A visible row or the head, for tests. The center of its first column is at (x, y). */
typedef struct
{
  gint64 row; /* -1: the head */
  double y;
  gboolean is_selected;
} HirEventsPlace;

/* Returns the @i-th visible row; the first is the head. Returns FALSE past the last one. For tests.
 */
gboolean hir_events_canvas_get_place (HirEventsCanvas *self, guint i, HirEventsPlace *place);
/* Returns the text of a cell of a row or of the head (transfer full), and the center of its column.
 * Returns NULL past the last column. For tests. */
char *hir_events_canvas_dup_cell (HirEventsCanvas *self, gint64 row, guint column, double *x);

G_END_DECLS
