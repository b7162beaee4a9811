/* Draws the legend of the colors of a timeline, for figures. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Draws the visible colors, most frequent first. The label of a color is the name of its events
 * if all have the same one, otherwise their common family and the most frequent names.
 *
 * The rows are at most @width wide and go downward from (@x, @y). Returns the height. If @list is
 * NULL, only measures. */
double hir_timeline_legend_draw (
    const HirTimelineScene *scene, HirDisplayList *list, double x, double y, double width);

G_END_DECLS
