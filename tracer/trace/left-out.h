/* Events whose times cannot be right. They stay on their tracks, but the span of the trace does not
 * include them, and statistics leave them out unless a range is given. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Returns whether event @index of @track is left out: it contains other work of its stream and is
 * much longer than that work, or it is far away from all others. */
gboolean hir_trace_is_left_out (const HirTrace *trace, guint track, guint index);

/* Finds these events, sets the span of the trace, and describes them in the account. Called once,
 * when the tracks are sorted. */
void hir_trace_find_left_out (HirTrace *trace);

G_END_DECLS
