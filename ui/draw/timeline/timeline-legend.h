/* What the colours of a timeline mean, for figures. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* The colours of what is to be seen, the most frequent first, each once: with a name where all
 * events of that colour have one, else with what they have in common and their most frequent names.
 * In rows that are at most @width wide, from (@x, @y) downwards; returns the height. With @list
 * NULL only measures. */
double hir_timeline_legend_draw (
    const HirTimelineScene *scene, HirDisplayList *list, double x, double y, double width);

G_END_DECLS
