/* Window that compares two traces of the same work: a table of the time that B takes more or
 * less than A, and both timelines on one scale, A above. */
#pragma once

#include <adwaita.h>

#include "program/document-recording.h"
#include "timeline/timeline-pane.h"

G_BEGIN_DECLS

#define HIR_TYPE_COMPARE_WINDOW (hir_compare_window_get_type ())
G_DECLARE_FINAL_TYPE (HirCompareWindow, hir_compare_window, HIR, COMPARE_WINDOW, AdwWindow)

/**
 * hir_compare_window_new:
 * @parent: the main window
 * @program: (nullable): the program of @a
 * @a: the trace of the open document
 * @name_a: its display name
 * @path_b: file of the other trace
 * @name_b: (nullable): its display name; NULL: the name of the file
 * @rules: (nullable): classify the work of @path_b
 *
 * Creates the window and reads @path_b on a worker thread, as hir_opened_new_from() does.
 * Recordings of one script under different pipelines are compared by the ops of the script. The
 * window displays errors. Closing it cancels the reading.
 */
GtkWidget *hir_compare_window_new (GtkWindow *parent,
                                   HirProgram *program,
                                   HirTrace *a,
                                   const char *name_a,
                                   const char *path_b,
                                   const char *name_b,
                                   HirTraceRules *rules);
/**
 * hir_compare_window_new_of_runs:
 * @program: (nullable): the program of @a
 * @b: (transfer full): the other run
 *
 * Like hir_compare_window_new(), for two runs in memory.
 */
GtkWidget *hir_compare_window_new_of_runs (GtkWindow *parent,
                                           HirProgram *program,
                                           HirTrace *a,
                                           const char *name_a,
                                           HirOpened *b,
                                           const char *name_b);
/* Returns the display name of the other trace. For tests. */
const char *hir_compare_window_get_name_b (HirCompareWindow *self);
/* Returns whether the table is displayed. For tests. */
gboolean hir_compare_window_get_is_ready (HirCompareWindow *self);
/* Returns whether the table has no rows; the window then displays the reason. For tests. */
gboolean hir_compare_window_get_is_empty (HirCompareWindow *self);
/* Returns the cells of the table row by row, at most @max rows: array of char * (transfer full).
 * For tests. */
GPtrArray *hir_compare_window_dup_cells (HirCompareWindow *self, guint max);
/* Returns the displayed error (borrowed), or NULL. For tests. */
const char *hir_compare_window_get_failure (HirCompareWindow *self);
/* Returns the pane with both timelines (borrowed). For tests. */
HirTimelinePane *hir_compare_window_get_pane (HirCompareWindow *self);
/* Returns the selection of the timelines (borrowed). For tests. */
HirSelection *hir_compare_window_get_selection (HirCompareWindow *self);

G_END_DECLS
