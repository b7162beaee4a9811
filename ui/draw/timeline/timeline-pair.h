/* Shows two instances that lack an order on the timeline of a run: both bars, and the missing edge
 * between them. */
#pragma once

#include "trace/instance.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_asked_for[2]; /* an instruction, not the caller, which has no bar */
  gboolean has[2];
  HirEventRef at[2];
} HirTimelinePair;

/* Finds both @instances in @trace (nullable). If both have the same number of events, for example
 * because the run was repeated, takes the nearest pair; otherwise, the first event of each. Returns
 * FALSE if neither is found. Scans the trace; see trace/instance.h. */
gboolean hir_timeline_pair_find (HirTimelinePair *pair,
                                 const HirTrace *trace,
                                 const HirTraceInstance *instances);
/* Returns a sentence about what the recording lacks, or NULL if both were found (static). */
const char *hir_timeline_pair_get_note (const HirTimelinePair *pair);

G_END_DECLS
