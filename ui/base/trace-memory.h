/* How much memory the trace of a window takes: its events, and what is made of them to draw. The timeline tells what it
 * made; whoever shows it listens to the selection's "drawing-changed". */
#pragma once

#include "draw/timeline/timeline-indexes.h"
#include "selection/selection.h"

G_BEGIN_DECLS

/* Takes a reference on @indexes. "drawing-changed" comes later, so that a frame may call this. */
void hir_trace_memory_set (HirSelection *selection, HirTimelineIndexes *indexes);
/* "61.3 MB, and 11.2 MB to draw it", of what is made by now; NULL where there is no trace. */
char *hir_trace_memory_dup_text (HirSelection *selection);

G_END_DECLS
