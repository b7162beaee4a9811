/* One execution of an instruction, and its events in a trace. */
#pragma once

#include "trace/comm-records.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 instruction; /* node id in the last snapshot; 0: none */
  int rank;
  gint32 iteration;   /* of the innermost loop; -1: in no loop */
  char *stream;       /* nullable: name of its track, "Stream 1" */
  gboolean is_caller; /* not an execution but an access by the caller, to the tensor whose id is
                       * @instruction */
} HirTraceInstance;

/* Copies @from to @to. @from: (nullable): clears @to. @to may be zeroed. */
void hir_trace_instance_set (HirTraceInstance *to, const HirTraceInstance *from);
/* Frees the contents and sets all fields to 0. */
void hir_trace_instance_clear (HirTraceInstance *instance);
/* Returns whether @a and @b are the same execution. */
gboolean hir_trace_instance_equal (const HirTraceInstance *a, const HirTraceInstance *b);

/* Returns the events of @instance in @trace, sorted by start: device work if there is any,
 * otherwise stream waits, otherwise the issue on the host. If some are on the track named by its
 * stream, returns only these. Returns several events if the instruction was repeated or has several
 * kernels; none of warm-ups or of the caller. Scans 4 bytes per event of the trace.
 * Returns: (transfer full): array of HirEventRef, possibly empty */
GArray *hir_trace_dup_instance_events (const HirTrace *trace, const HirTraceInstance *instance);

G_END_DECLS
