/* Draws the left column of the timeline with the names of ranks and tracks. Internal to the
 * timeline. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Draws the row of a rank at @y of the view: fold triangle (not in figures), name and device. For a
 * folded rank, also draws a summary of its tracks in the plot. */
void hir_timeline_headers_draw_rank (const HirTimelineScene *scene,
                                     HirDisplayList *list,
                                     const HirTimelineRow *row,
                                     double y);
void hir_timeline_headers_draw_track (const HirTimelineScene *scene,
                                      HirDisplayList *list,
                                      const HirTimelineRow *row,
                                      double y);

G_END_DECLS
