/* The tables of statistics in the window: one widget for all rows. */
#pragma once

#include <gtk/gtk.h>

#include "analysis/stats.h"
#include "draw/report/stats-scene.h"

G_BEGIN_DECLS

#define HIR_TYPE_STATS_CANVAS (hir_stats_canvas_get_type ())
G_DECLARE_FINAL_TYPE (HirStatsCanvas, hir_stats_canvas, HIR, STATS_CANVAS, GtkWidget)

/* Signal: kernel-activated (guint row of stats->kernels). */
GtkWidget *hir_stats_canvas_new (void);
/* Takes @stats, of @trace, of which it keeps a reference; both NULL: empty. Scrolling, order and the chosen row
 * stay. */
void hir_stats_canvas_set_stats (HirStatsCanvas *self, HirTrace *trace, HirStats *stats);
/* What scrolls it; borrowed. */
GtkAdjustment *hir_stats_canvas_get_adjustment (HirStatsCanvas *self);
/* What is shown, as it is drawn now; FALSE while there is nothing. Valid until the next change. */
gboolean hir_stats_canvas_get_scene (HirStatsCanvas *self, HirStatsScene *scene);

G_END_DECLS
