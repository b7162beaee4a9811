/* Draws the events of a track as bars. Internal to the timeline. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Draws the bars of a row at @y of the view. The list is already clipped to the plot. */
void hir_timeline_bars_draw (const HirTimelineScene *scene,
                             HirDisplayList *list,
                             const HirTimelineRow *row,
                             double y);

G_END_DECLS
