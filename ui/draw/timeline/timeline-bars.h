/* The events of one track as bars. Internal to the timeline's picture. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* The row's bars; @y: of the row, in the view. The list is clipped to the plot already. */
void hir_timeline_bars_draw (const HirTimelineScene *scene,
                             HirDisplayList *list,
                             const HirTimelineRow *row,
                             double y);

G_END_DECLS
