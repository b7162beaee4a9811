/* Draws the row of a counter: an area on a scale that includes zero and all samples of the counter.
 * Internal to the timeline. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Width in pixels of the minimum and maximum at the right of the row's label. */
#define HIR_TIMELINE_COUNTER_NOTE 50.0

/* Draws the counter at @y of the view. The list is already clipped to the plot. The cost depends on
 * the pixel columns. */
void hir_timeline_counter_draw (const HirTimelineScene *scene,
                                HirDisplayList *list,
                                const HirTimelineRow *row,
                                double y);
/* Draws the minimum and maximum next to the label of the row. */
void hir_timeline_counter_draw_scale (const HirTimelineScene *scene,
                                      HirDisplayList *list,
                                      const HirTimelineRow *row,
                                      double y);
/* Finds the sample that is valid at @time_ns: the last one at or before it. Returns FALSE before
 * the first sample and after the trace. */
gboolean
hir_timeline_counter_find (const HirTrace *trace, guint track, gint64 time_ns, guint *index);

G_END_DECLS
