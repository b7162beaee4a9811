/* What the bars of an SVG timeline say when they are pointed at. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* @svg (taken) with a clear rectangle over each bar that can be pointed at, the longest ones where
 * there are more than a browser handles with ease: name, track, start, duration, bytes. */
char *hir_figure_add_hover (char *svg, const HirTimelineScene *scene);

G_END_DECLS
