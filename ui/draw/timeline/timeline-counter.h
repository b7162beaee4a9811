/* A counter's row: its value over time as an area, on a scale of its own from the least to the
 * largest of its samples, and always from zero. Internal to the timeline's picture. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Room that the least and the largest value take at the right of the row's label, in pixels. */
#define HIR_TIMELINE_COUNTER_NOTE 50.0

/* @y: of the row, in the view; the list is clipped to the plot already. Costs columns of pixels. */
void hir_timeline_counter_draw (const HirTimelineScene *scene,
                                HirDisplayList *list,
                                const HirTimelineRow *row,
                                double y);
/* The least and the largest, beside the row's label. */
void hir_timeline_counter_draw_scale (const HirTimelineScene *scene,
                                      HirDisplayList *list,
                                      const HirTimelineRow *row,
                                      double y);
/* The sample whose value holds at @time_ns: the last at or before it. FALSE before the first, and
 * after the trace. */
gboolean
hir_timeline_counter_find (const HirTrace *trace, guint track, gint64 time_ns, guint *index);

G_END_DECLS
