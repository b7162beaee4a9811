/* What belongs together: the issue and the work of one launch, the parts of a collective, a send
 * and its receive, work and what waited for it. Internal to the timeline's picture. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Over the bars; the list is clipped to the plot already. */
void hir_timeline_links_draw (const HirTimelineScene *scene, HirDisplayList *list);

/* Array of HirTimelineLink: from the host's issue of the event to the device's work, or the other
 * way round. Scans 4 bytes an event of the trace: for the selected one, once. */
GArray *hir_timeline_links_dup_flows (const HirTrace *trace, guint track, guint index);

/* The bar of an event, or its place in the summary of a rank that is folded. FALSE where neither is
 * shown. */
gboolean hir_timeline_links_get_place (const HirTimelineScene *scene,
                                       guint track,
                                       guint index,
                                       HirRect *rect);

/* timeline-pair.c: over all else; nothing where the scene has no pair. The list is clipped to the
 * plot. */
void hir_timeline_pair_draw (const HirTimelineScene *scene, HirDisplayList *list);

G_END_DECLS
