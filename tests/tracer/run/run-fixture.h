/* Lowers and runs fusions in tests. */
#pragma once

#include "fixture.h"
#include "record/recorder.h"
#include "record/trace-sink.h"
#include "run/session/session.h"

G_BEGIN_DECLS

/* Result of a run. */
typedef struct
{
  gboolean passed;
  char *report; /* of the check; nullable */
  char *inputs;
  HirTrace *trace; /* nullable */
  GError *error;   /* nullable: it failed */
} RunResult;

void run_result_clear (RunResult *result);

/* Returns options with checks, 4 streams, wall clock and seed 1. */
HirRunOptions run_options (void);
/* Runs @program (lowered from @fusion) and records it if @with_trace. */
RunResult run_program (HirContainer *fusion,
                       HirContainer *program,
                       const HirRunOptions *options,
                       gboolean with_trace);
/* Like run_program(), on @n_ranks virtual devices, program i on device i. */
RunResult run_programs (HirContainer *fusion,
                        HirContainer *const *programs,
                        guint n_ranks,
                        const HirRunOptions *options,
                        gboolean with_trace);
/* Lowers and runs @fusion. */
RunResult run_fusion (HirContainer *fusion, const HirRunOptions *options, gboolean with_trace);
/* Fails the test, with the report, unless the check passed. */
void assert_passes (HirContainer *fusion, const HirRunOptions *options);

/* Lowers @fusion without streams: the program only calls HostUnits or single ops. */
HirContainer *lower_program (HirContainer *fusion);

/* Returns a tensor in host memory with these elements. */
HirValue *value_of (HirDType dtype, guint n_dims, const gint64 *sizes, const double *elements);
/* Returns element @k (row-major) of a tensor in host memory. */
double element_of (const HirValue *value, gint64 k);

G_END_DECLS
