/* Draws the ruler of a timeline: round times, and vertical grid lines. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Draws the ruler. Times are relative to the trace's first event. If labels would be long, they are
 * relative to a base in front of them: "12.345 678 s +", then "150 ns". If times are modelled, a
 * note is shown above the names. Labels that reach into [@taken_from, @taken_to) pixels are
 * omitted. */
void hir_timeline_ruler_draw (const HirTimelineScene *scene,
                              double taken_from,
                              double taken_to,
                              HirDisplayList *list);

G_END_DECLS
