/* What many tracks did, in two narrow lanes: computation above, communication below. Internal to
 * the timeline's picture. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

#define HIR_TIMELINE_ALL_RANKS G_MININT

/* @row: the header of a folded rank, at @y of the view. Costs pixels, not events. */
void hir_timeline_summary_draw (const HirTimelineScene *scene,
                                HirDisplayList *list,
                                const HirTimelineRow *row,
                                double y);
/* Top and height of a lane of a row at @y. */
void hir_timeline_summary_get_band (
    const HirTimelineRow *row, gboolean is_communication, double y, double *top, double *height);
/* The share of each of @n columns of [@start_ns, @end_ns) in which the rank's devices compute or
 * copy, and in which they communicate; both are of @n, and are filled. What overlaps within a
 * column counts at most as all of it; what is finer than a column is a sum. Of all ranks: the mean
 * of the ranks. */
void hir_timeline_summary_get_cover (const HirTimelineRows *rows,
                                     int rank,
                                     gint64 start_ns,
                                     gint64 end_ns,
                                     guint n,
                                     float *computation,
                                     float *communication);
/* What each of those columns looks like, in the colours of the tracks' own bars; where nothing is,
 * any. */
void hir_timeline_summary_get_looks (const HirTimelineRows *rows,
                                     int rank,
                                     gint64 start_ns,
                                     gint64 end_ns,
                                     guint n,
                                     HirLook *computation,
                                     HirLook *communication);

G_END_DECLS
