/* Lists all instances of an instruction for the inspector. */
#pragma once

#include "selection/selection.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  guint track, index; /* of the event */
  gint32 iteration;   /* of the innermost loop, or -1 */
  gint64 start_ns, end_ns;
} HirInstance;

/* Returns the counterparts of the selected node in the last step, and after them the instructions
 * that launch the HostUnits around these: array of guint64 (transfer full), possibly empty. */
GArray *hir_instances_dup_instructions (HirSelection *selection);

/* Returns the device events of the selected node on rank @rank, without warm-ups: array of
 * HirInstance sorted by start (transfer full). A loop has one instance per iteration: the first
 * kernel directly in it, otherwise the first event. */
GArray *hir_instances_dup (HirTrace *trace, HirSelection *selection, int rank);

G_END_DECLS
