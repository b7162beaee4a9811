/* Collectives of reports that do not state them. Nsight records NCCL's kernels, but neither their
 * group nor their sizes. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Adds a record without a number for each NCCL kernel of a collective, unless @builder has records.
 * A communicator uses one stream, so the streams with such kernels, in the order of their first
 * one, take the place of the group. Call when the ranks are final. */
void hir_nsys_add_collectives (HirTraceBuilder *builder);

G_END_DECLS
