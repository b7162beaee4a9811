/* Which collectives of several ranks are the same one, where the files do not say: PyTorch's profiler
 * writes a collective's group, sizes and type, but not which one of the group it is. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Numbers the collectives of each team that have no number, in the order of their start, where that
 * is no guess: all ranks of the team that are in @trace have equally many of the same op, sizes and
 * type, and most of them end nearer to the one of that number on another rank than to the ones before
 * and behind it (files that begin at different steps fail here, and so do clocks that are further
 * apart than the collectives). The account tells of each team what was done, or why nothing was.
 * @trace is finished and nobody else has it yet. */
void hir_trace_number_comm_records (HirTrace *trace);

G_END_DECLS
