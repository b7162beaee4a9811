/* Measures what the work of a plan takes, from a recording of the same program. */
#pragma once

#include "predict/plan.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_gpu;     /* work beside other work is slower */
  gboolean is_model;   /* recorded with the modelled clock */
  gboolean has_issues; /* the host is recorded */
  GArray *gpus;        /* guint, per rank: equal numbers for ranks that share a GPU */
  guint n_repetitions;
  GArray *totals;          /* gint64: measured time of each repetition */
  gint64 start_ns, end_ns; /* of the first repetition */
  GArray *skews;           /* gint64, per repetition and rank: start after the first rank */
  double wait_ns;          /* from the end of what a stream waits for until it resumes */
  double latency_ns[HIR_N_WORK_CLASSES]; /* from when work can start until it starts */
  guint n_baselines;                     /* samples that --baseline has measured */
  guint n_unknown;                       /* works that the recording does not have */
} HirMeasured;

/**
 * hir_measured_new:
 * @trace: a recording of the program of @plan, with the same streams and inputs
 * @plan: (inout): gets parts and durations
 *
 * Returns: (transfer full): NULL and sets HIR_ERROR_INPUT if @trace has no work of the program
 */
HirMeasured *hir_measured_new (HirTrace *trace, HirPlan *plan, GError **error);
void hir_measured_free (HirMeasured *measure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirMeasured, hir_measured_free)

G_END_DECLS
