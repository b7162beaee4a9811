/* What is told of an event, and of all events of an instruction: names and values, ready to show. */
#pragma once

#include "view/program-view.h"
#include "selection/selection.h"
#include "trace/duration.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Array of HirFact, freed with its contents; *@title gets "matmul, iteration 5". */
GArray *hir_event_dup_facts (HirTrace *trace, guint track, guint index, char **title);
/* Of an event of a device, the host call that launched it: that with its correlation on its rank, and where a
 * number comes again the last that began before it. Of such a call, the first work that it launched. FALSE where
 * the trace does not have it. O(events), 4 bytes each. */
gboolean hir_event_lookup_counterpart (const HirTrace *trace,
                                       guint track,
                                       guint index,
                                       guint *other_track,
                                       guint *other_index);
/* All args that another profiler gave the event, as they stand in its file; NULL where there are none.
 * Looks into the file: for the one event that is selected. What can't be read is a fact too. */
GArray *hir_event_dup_arg_facts (HirTrace *trace, guint track, guint index);
/* Count, total, mean, shortest and longest of the device events that belong to the selected node; empty
 * where there are none. */
GArray *hir_instances_dup_facts (HirTrace *trace, HirSelection *selection);


G_END_DECLS
