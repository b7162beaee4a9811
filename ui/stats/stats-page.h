/* The page of statistics: of all of the trace, or of the chosen range of its time. Computed in a worker thread, and
 * only while the page is on show. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"
#include "stats/stats-canvas.h"

G_BEGIN_DECLS

#define HIR_TYPE_STATS_PAGE (hir_stats_page_get_type ())
G_DECLARE_FINAL_TYPE (HirStatsPage, hir_stats_page, HIR, STATS_PAGE, GtkWidget)

GtkWidget *hir_stats_page_new (HirSelection *selection);
/* What the numbers on show are of: "All of the trace, 12.3 ms". */
const char *hir_stats_page_get_title (HirStatsPage *self);
/* The trace is what was read so far of one that is being loaded: the title says so. */
void hir_stats_page_set_is_partial (HirStatsPage *self, gboolean is_partial);
/* Whether the numbers on show are not those of the trace and the range as they are now. */
gboolean hir_stats_page_get_is_busy (HirStatsPage *self);
/* Ends what is computed, where the page is on show: the numbers before it stay. FALSE: there was nothing. */
gboolean hir_stats_page_cancel (HirStatsPage *self);
HirStatsCanvas *hir_stats_page_get_canvas (HirStatsPage *self);

G_END_DECLS
