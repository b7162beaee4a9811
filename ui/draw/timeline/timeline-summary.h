/* Draws the activity of many tracks in two narrow lanes: computation above, communication below.
 * Internal to the timeline. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

#define HIR_TIMELINE_ALL_RANKS G_MININT

/* Draws the summary of a folded rank, whose header @row is at @y of the view. The cost depends on
 * pixels, not on events. */
void hir_timeline_summary_draw (const HirTimelineScene *scene,
                                HirDisplayList *list,
                                const HirTimelineRow *row,
                                double y);
/* Returns the top and height of a lane of a row at @y. */
void hir_timeline_summary_get_band (
    const HirTimelineRow *row, gboolean is_communication, double y, double *top, double *height);
/* Computes for each of @n columns of [@start_ns, @end_ns) the share of computation and copies, and
 * of communication, on the rank's devices. Overlaps in a column count at most as the whole column.
 * For all ranks, computes the mean of the ranks. */
void hir_timeline_summary_get_cover (const HirTimelineRows *rows,
                                     int rank,
                                     gint64 start_ns,
                                     gint64 end_ns,
                                     guint n,
                                     float *computation,
                                     float *communication);
/* Returns the appearance of these columns, in the colors of the tracks' bars. Undefined for idle
 * columns. */
void hir_timeline_summary_get_looks (const HirTimelineRows *rows,
                                     int rank,
                                     gint64 start_ns,
                                     gint64 end_ns,
                                     guint n,
                                     HirLook *computation,
                                     HirLook *communication);

G_END_DECLS
