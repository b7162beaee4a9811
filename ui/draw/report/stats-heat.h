/* Draws how late each rank is in each iteration, as one strip of colors per rank. Internal to the
 * statistics scene. */
#pragma once

#include "draw/report/stats-scene.h"

G_BEGIN_DECLS

#define HIR_STATS_HEAT_NAME 68.0 /* width of the names of the ranks */

/* Draws row @row (a rank) in @rect, after the name. */
void hir_stats_heat_draw (const HirStatsScene *scene, HirDisplayList *list, int row, HirRect rect);
/* Returns the largest delay, which has the strongest color. */
gint64 hir_stats_heat_get_largest (const HirStats *stats);

G_END_DECLS
