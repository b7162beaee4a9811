/* What belongs together: the issue and the work of one launch, the parts of a collective, a send and its
 * receive, work and what waited for it. Internal to the timeline's picture. */
#pragma once

#include "draw/timeline-scene.h"

G_BEGIN_DECLS

/* Over the bars; the list is clipped to the plot already. */
void hir_timeline_links_draw (const HirTimelineScene *scene, HirDisplayList *list);

G_END_DECLS
