/* Two traces of what should be the same work, side by side: a table of what takes more or less time in B than in A, and
 * both timelines, A's above, on one scale. */
#pragma once

#include <adwaita.h>

#include "timeline/timeline-pane.h"

G_BEGIN_DECLS

#define HIR_TYPE_COMPARE_WINDOW (hir_compare_window_get_type ())
G_DECLARE_FINAL_TYPE (HirCompareWindow, hir_compare_window, HIR, COMPARE_WINDOW, AdwWindow)

/* @a: of the document that is open, @name_a what it is called. Reads @path_b in a worker, as hir_trace_open() does; why
 * it can't be read is told in the window. Closing it ends the reading. */
GtkWidget *
hir_compare_window_new (GtkWindow *parent, HirTrace *a, const char *name_a, const char *path_b);
/* Whether the table is there. */
gboolean hir_compare_window_get_is_ready (HirCompareWindow *self);
/* It has no rows: then the window says why. */
gboolean hir_compare_window_get_is_empty (HirCompareWindow *self);
/* Array of char*: cells of the table, in the order of its columns, row by row; at most @max rows. */
GPtrArray *hir_compare_window_dup_cells (HirCompareWindow *self, guint max);
/* Why there is no comparison; NULL while there may be one. Borrowed. */
const char *hir_compare_window_get_failure (HirCompareWindow *self);
/* With both timelines; borrowed. */
HirTimelinePane *hir_compare_window_get_pane (HirCompareWindow *self);
/* Of the timelines; borrowed. */
HirSelection *hir_compare_window_get_selection (HirCompareWindow *self);

G_END_DECLS
