/* The memory use of the displayed trace: its events, and the indexes that the timeline builds to
 * draw them. The selection emits "drawing-changed" when it changes. */
#pragma once

#include "draw/timeline/timeline-indexes.h"
#include "selection/selection.h"

G_BEGIN_DECLS

/* Sets the indexes of the timeline, and takes a reference. Emits "drawing-changed" in an idle
 * callback, so that it may be called while drawing. */
void hir_trace_memory_set (HirSelection *selection, HirTimelineIndexes *indexes);

/* Returns a text such as "61.3 MiB for events, 11.2 MiB for the timeline" (transfer full), or NULL
 * if there is no trace. */
char *hir_trace_memory_dup_text (HirSelection *selection);

G_END_DECLS
