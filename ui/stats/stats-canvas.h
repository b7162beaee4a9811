/* Widget that draws the tables of statistics. */
#pragma once

#include <gtk/gtk.h>

#include "analysis/stats.h"
#include "draw/report/stats-scene.h"

G_BEGIN_DECLS

#define HIR_TYPE_STATS_CANVAS (hir_stats_canvas_get_type ())
G_DECLARE_FINAL_TYPE (HirStatsCanvas, hir_stats_canvas, HIR, STATS_CANVAS, GtkWidget)

/* Signals `kernel-activated` (guint: row in stats->kernels) and `iteration-activated` (guint: row
 * in stats->iterations). */
GtkWidget *hir_stats_canvas_new (void);
/* Displays @stats (transfer full) of @trace, of which it takes a reference. NULL for both clears
 * the tables. Scroll position, order and selected row stay. */
void hir_stats_canvas_set_stats (HirStatsCanvas *self, HirTrace *trace, HirStats *stats);
/* Returns the vertical adjustment (borrowed). */
GtkAdjustment *hir_stats_canvas_get_adjustment (HirStatsCanvas *self);
/* Fills @scene as it is drawn now. Returns FALSE if there are no statistics. Valid until the
 * next change. */
gboolean hir_stats_canvas_get_scene (HirStatsCanvas *self, HirStatsScene *scene);

G_END_DECLS
