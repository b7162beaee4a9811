/* Times of instructions with nothing beside them. A run with --baseline executes its program some
 * more times, one instruction at a time. Events of these repetitions (HIR_PHASE_BASELINE) are not
 * part of a trace; it has the median of their durations instead. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* What one piece of work of an instruction takes alone. */
typedef struct
{
  guint64 instruction;
  gint64 duration_ns; /* of a communication: from the start of its last member */
  guint32 name;       /* string index: that of the event */
  gint32 iteration;   /* of the innermost loop; -1 outside of loops */
  gint32 rank;
} HirBaseline;

/* An event of HIR_PHASE_BASELINE. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint64 instruction;
  guint32 name;
  gint32 iteration;
  guint16 track;
  guint8 kind; /* HirEventKind */
} HirBaselineSample;

/* Appends @event to @samples (HirBaselineSample) if it is work of an instruction. */
void hir_baseline_sample_add (GArray *samples, const HirEvent *event);
/**
 * hir_baselines_reduce:
 * @samples: HirBaselineSample; sorted by this function
 * @tracks: HirTrack*, by number
 * @share: whether ranks may share GPUs
 *
 * Computes the median of each piece of work, of the samples beside which nothing else ran on their
 * GPU.
 *
 * Returns: (transfer full): HirBaseline, in the order of instructions, iterations, names and ranks
 */
GArray *hir_baselines_reduce (GArray *samples, const GPtrArray *tracks, gboolean share);

/* Adds an event of HIR_PHASE_BASELINE. Finishing reduces these events. */
void hir_trace_builder_add_sample (HirTraceBuilder *builder, const HirEvent *event);
/* Adds a time that was reduced before. Times beyond a limit, or below 0, are counted in the account
 * instead. */
void hir_trace_builder_add_baseline (HirTraceBuilder *builder, const HirBaseline *baseline);
guint hir_trace_get_n_baselines (const HirTrace *trace);
/* Returns time @i (borrowed). */
const HirBaseline *hir_trace_get_baseline (const HirTrace *trace, guint i);
/* Returns what the work @name of an instruction takes alone, or -1 if it is not known. O(log n). */
gint64 hir_trace_lookup_baseline_ns (
    const HirTrace *trace, guint64 instruction, gint32 iteration, guint32 name, int rank);

G_END_DECLS
