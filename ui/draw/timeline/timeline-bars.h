/* Draws the events of a track as bars. Internal to the timeline. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Draws the bars of a row at @y of the view. The list is already clipped to the plot. */
void hir_timeline_bars_draw (const HirTimelineScene *scene,
                             HirDisplayList *list,
                             const HirTimelineRow *row,
                             double y);

/* Draws the almost transparent outline of a wait, whose color is @color. */
void hir_timeline_bars_draw_hollow (const HirTheme *theme,
                                    HirDisplayList *list,
                                    HirRect rect,
                                    HirColor color);

G_END_DECLS
