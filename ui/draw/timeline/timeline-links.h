/* Draws relations between events: issue and work of a launch, parts of a collective, send and
 * receive, work and its waits. Internal to the timeline. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Draws the relations of the selected event over the bars. The list is already clipped to the
 * plot. */
void hir_timeline_links_draw (const HirTimelineScene *scene, HirDisplayList *list);

/* Returns an array of HirTimelineLink from an issue on the host to its work on the device. The
 * event may be the issue, an operator that encloses issues, or the work. Also returns the stored
 * flows of the event (trace/flow.h). Reads 4 bytes per event of the trace and each flow, so call it
 * once per selection. In timeline-flows.c. */
GArray *hir_timeline_links_dup_flows (const HirTrace *trace, guint track, guint index);

/* Returns the rectangle of an event, or its position in the summary of a folded rank. Returns FALSE
 * if neither is displayed. */
gboolean hir_timeline_links_get_place (const HirTimelineScene *scene,
                                       guint track,
                                       guint index,
                                       HirRect *rect);

/* Draws the pair of the scene, if any, over everything else. The list is already clipped to the
 * plot. In timeline-pair.c. */
void hir_timeline_pair_draw (const HirTimelineScene *scene, HirDisplayList *list);

G_END_DECLS
