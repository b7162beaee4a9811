/* One execution of an instruction, and the events that a trace has of it. */
#pragma once

#include "trace/comm-records.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 instruction; /* node id in the last snapshot; 0: none */
  int rank;
  gint32 iteration; /* of the innermost loop; -1: in no loop */
  char *stream;     /* nullable: its track's name, "Stream 1" */
  gboolean is_caller; /* no execution: what the caller does to the tensor that @instruction then is */
} HirTraceInstance;

/* @to, which may be all 0, becomes a copy; @from nullable: all 0, no instruction. */
void hir_trace_instance_set (HirTraceInstance *to, const HirTraceInstance *from);
void hir_trace_instance_clear (HirTraceInstance *instance);
gboolean hir_trace_instance_equal (const HirTraceInstance *a, const HirTraceInstance *b);

/* Of @instance in @trace, by start: work of a device; without any, what waited on a stream; without that,
 * what the host issued. Where some are on a track with the name of its stream, those alone. Several where it was
 * repeated, or is more than one kernel; none of warm-ups, nor of the
 * caller. Array of HirEventRef, maybe empty. Scans 4 bytes an
 * event of the trace. */
GArray *hir_trace_dup_instance_events (const HirTrace *trace, const HirTraceInstance *instance);

G_END_DECLS
