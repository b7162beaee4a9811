/* Page of statistics of the whole trace or of the selected time range. Computed on a worker
 * thread, and only while the page is visible. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"
#include "stats/stats-canvas.h"

G_BEGIN_DECLS

#define HIR_TYPE_STATS_PAGE (hir_stats_page_get_type ())
G_DECLARE_FINAL_TYPE (HirStatsPage, hir_stats_page, HIR, STATS_PAGE, GtkWidget)

/* Creates the page. */
GtkWidget *hir_stats_page_new (HirSelection *selection);
/* Returns the title, for example "Whole trace, 12.3 ms". For tests. */
const char *hir_stats_page_get_title (HirStatsPage *self);
/* Sets whether the trace is still being loaded; the title shows it. */
void hir_stats_page_set_is_partial (HirStatsPage *self, gboolean is_partial);
/* Returns whether the displayed numbers are outdated. For tests. */
gboolean hir_stats_page_get_is_busy (HirStatsPage *self);
/* Cancels the computation if the page is visible; the previous numbers stay. Returns FALSE if
 * nothing was running. */
gboolean hir_stats_page_cancel (HirStatsPage *self);
/* Returns the canvas (borrowed). For tests. */
HirStatsCanvas *hir_stats_page_get_canvas (HirStatsPage *self);

G_END_DECLS
