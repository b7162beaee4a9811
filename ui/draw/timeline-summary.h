/* What all tracks of a folded rank did, in two narrow lanes: computation above, communication below.
 * Internal to the timeline's picture. */
#pragma once

#include "draw/timeline-scene.h"

G_BEGIN_DECLS

/* @row: the header of a folded rank, at @y of the view. Costs pixels, not events: what is too dense comes
 * from the summaries of the tracks. */
void hir_timeline_summary_draw (const HirTimelineScene *scene,
                                HirDisplayList *list,
                                const HirTimelineRow *row,
                                double y);
/* Top and height of a lane of a row at @y. */
void hir_timeline_summary_get_band (
    const HirTimelineRow *row, gboolean is_communication, double y, double *top, double *height);
/* Time in [@start_ns, @end_ns) that the rank's device computed, and that it communicated: overlaps are
 * counted once. */
void hir_timeline_summary_get_busy (const HirTimelineRows *rows,
                                    int rank,
                                    gint64 start_ns,
                                    gint64 end_ns,
                                    gint64 *computation_ns,
                                    gint64 *communication_ns);

G_END_DECLS
