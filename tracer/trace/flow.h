/* Flows of other profilers, for example from an operator to its backward pass. A flow is a sequence
 * of points with equal category, name and id, in the order of their times. Flows from launches to
 * their work are not stored, because correlations express them. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* A point of a flow. It belongs to the event of @track that is running at @time_ns. */
typedef struct
{
  gint64 time_ns;
  guint64 id;             /* unique per rank, category and name */
  guint32 category, name; /* strings of the trace */
  guint16 track;
  char phase;         /* 's': start, 't': step, 'f': end */
  guint8 is_enclosed; /* FALSE: an end belongs to the next event, as in Chrome's old format */
} HirFlowPoint;

/* Adds a point; call before the builder is finished. Invalid points, and points beyond a limit, are
 * dropped and counted in the account. */
void hir_trace_builder_add_flow_point (HirTraceBuilder *builder, const HirFlowPoint *point);

/* Returns the number of points. */
guint hir_trace_get_n_flow_points (const HirTrace *trace);
/* Returns point @i (borrowed), in the order of the source. */
const HirFlowPoint *hir_trace_get_flow_point (const HirTrace *trace, guint i);
/* Finds the event of a point: the innermost one at its time, or the next one if the end is not
 * enclosed. Returns FALSE if there is none. */
gboolean hir_trace_find_flow_event (const HirTrace *trace, const HirFlowPoint *point, guint *index);

/* A part of a flow, from one event to the next. */
typedef struct
{
  guint from_track, from_index;
  guint to_track, to_index;
} HirFlowStep;

/* Returns the parts of the flow of @of, or of all flows if it is NULL: HirFlowStep (transfer full).
 */
GArray *hir_trace_dup_flow_steps (const HirTrace *trace, const HirFlowPoint *of);

G_END_DECLS
