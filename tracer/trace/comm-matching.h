/* Matches the collectives of several ranks if the files do not number them: PyTorch's profiler
 * records the group, sizes and type of a collective, but not its number. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Numbers the unnumbered collectives of each team by start time if the order is unambiguous: all
 * ranks of the team in @trace must have the same sequence of op, sizes and type, and most
 * collectives must end closer to the one with the same number on another rank than to its
 * neighbors. If the clocks differ by more than the distance of collectives, or files start at
 * different steps, the intervals between the collectives decide, unless these are regular. The
 * account lists the result or the reason per team. @trace must
 * be finished and not yet shared. */
void hir_trace_number_comm_records (HirTrace *trace);

G_END_DECLS
