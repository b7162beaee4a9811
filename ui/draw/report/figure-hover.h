/* Adds tooltips to the bars of an SVG timeline. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Returns @svg (taken) with a transparent rectangle and a tooltip (name, track, start, duration,
 * bytes) for each bar. If there are too many for a browser, only the longest bars get one. */
char *hir_figure_add_hover (char *svg, const HirTimelineScene *scene);

G_END_DECLS
