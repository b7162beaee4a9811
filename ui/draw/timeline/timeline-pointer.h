/* Marks the position of a debugged program on the timeline of its recording. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Finds the host track of @rank and the start time of the next instruction. This is the end of the
 * recording or, if the program has gone back (@is_behind), the last event of @instruction in
 * @iteration. Returns FALSE if the rank has recorded nothing. Reads at most 100,000 events. */
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
