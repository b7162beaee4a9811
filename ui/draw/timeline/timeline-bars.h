/* The events of one track as bars. Internal to the timeline's picture. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* The row's bars; @y: of the row, in the view. The list is clipped to the plot already. */
void hir_timeline_bars_draw (const HirTimelineScene *scene,
                             HirDisplayList *list,
                             const HirTimelineRow *row,
                             double y);
/* Top and height of a bar in @lane of a row at @y. */
void hir_timeline_bars_get_band (
    const HirTimelineRow *row, guint lane, double y, double *top, double *height);

G_END_DECLS
