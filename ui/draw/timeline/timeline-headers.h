/* The left column of the timeline: names of ranks and tracks. Internal to the timeline's picture.
 */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* The row of a rank: fold triangle (not in figures, where nothing folds), name, device; where it is
 * folded also what its tracks did, in the plot. @y: of the row, in the view. */
void hir_timeline_headers_draw_rank (const HirTimelineScene *scene,
                                     HirDisplayList *list,
                                     const HirTimelineRow *row,
                                     double y);
void hir_timeline_headers_draw_track (const HirTimelineScene *scene,
                                      HirDisplayList *list,
                                      const HirTimelineRow *row,
                                      double y);

G_END_DECLS
