/* Where a debugged program stands, on the timeline of what it has done. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* The host's track of @rank, and the time there at which the next instruction begins: behind all
 * that was recorded, or, where the program has gone back (@is_behind), at the last event of
 * @instruction in @iteration. FALSE: that rank has recorded nothing. Looks at no more than 100,000
 * events. */
gboolean hir_timeline_find_pointer (const HirTrace *trace,
                                    int rank,
                                    guint64 instruction,
                                    gint32 iteration,
                                    gboolean is_behind,
                                    guint *track,
                                    gint64 *time_ns);
/* Over the row of its track; nothing where the scene has none. */
void hir_timeline_pointer_draw (const HirTimelineScene *scene, HirDisplayList *list);

G_END_DECLS
