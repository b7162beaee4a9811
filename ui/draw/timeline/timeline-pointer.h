/* Marks the position of a debugged program on the timeline of its recording. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Finds the host track of @rank in @trace (nullable) and the time of its next instruction. This is
 * the end of the track's last event. If the program has gone back (@is_behind), it is the start of
 * the last event of @instruction in @iteration, if that is among the last 100,000 events. Returns
 * FALSE if the host of the rank has recorded nothing. */
gboolean hir_timeline_find_pointer (const HirTrace *trace,
                                    int rank,
                                    guint64 instruction,
                                    gint32 iteration,
                                    gboolean is_behind,
                                    guint *track,
                                    gint64 *time_ns);
/* Draws the pointer over the row of its track, if the scene has one. */
void hir_timeline_pointer_draw (const HirTimelineScene *scene, HirDisplayList *list);

G_END_DECLS
