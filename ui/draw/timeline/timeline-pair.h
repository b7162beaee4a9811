/* Two instances that nothing orders, on the timeline of a run: both bars, and between them the edge
 * that is missing. */
#pragma once

#include "trace/instance.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_asked_for[2]; /* an instruction, not the caller, who has no bar */
  gboolean has[2];
  HirEventRef at[2];
} HirTimelinePair;

/* Looks for both in @trace (nullable); of repeats, those that came nearest to each other.
 * @instances: two. FALSE: neither is there. Scans the trace, see trace/instance.h. */
gboolean hir_timeline_pair_find (HirTimelinePair *pair,
                                 const HirTrace *trace,
                                 const HirTraceInstance *instances);
/* What a recording lacks of it, as a sentence, NULL: nothing. Static. */
const char *hir_timeline_pair_get_note (const HirTimelinePair *pair);

G_END_DECLS
