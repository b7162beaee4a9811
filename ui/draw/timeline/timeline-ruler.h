/* The upper edge of a timeline: round times, and lines down from them. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Times count from the trace's first event. Where labels would be long, they count from a base that
 * stands before them: "12.345 678 s +", then "150 ns". In the corner above the tracks' names it
 * says where time is modelled. Labels that would reach into [@taken_from, @taken_to) pixels are
 * left out. */
void hir_timeline_ruler_draw (const HirTimelineScene *scene,
                              double taken_from,
                              double taken_to,
                              HirDisplayList *list);

G_END_DECLS
