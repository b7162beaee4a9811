/* Finds the part of a trace in which the program runs. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Finds the time range of the program's events on all streams. Returns FALSE if there are none, or
 * if the range is at least half of the trace. Setup, warm-up runs and checks of a run on GPUs can
 * take 100 times as long as the program. */
gboolean hir_trace_find_short_program (const HirTrace *trace, gint64 *first_ns, gint64 *last_ns);

G_END_DECLS
