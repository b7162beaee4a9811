/* Records what GPUs do, by CUPTI: a launch tracer for back ends, and a thread that turns CUPTI's
 * buffers into events of a recorder while the program runs. CUPTI has one subscriber a process and
 * takes its clock and its buffers for life, so there is one recorder at a time. */
#pragma once

#include "cuda/cupti/cupti-correlate.h"
#include "cuda/driver/libs.h"
#include "run/backend.h"

G_BEGIN_DECLS

typedef struct _HirCuptiRecorder HirCuptiRecorder;

typedef enum
{
  HIR_CUPTI_LEVEL_KERNELS, /* device work alone */
  HIR_CUPTI_LEVEL_FULL,    /* host calls, waits of streams, overhead, annotations too */
} HirCuptiLevel;

typedef struct
{
  guint32 api_version;
  guint64 n_dropped;     /* by CUPTI, for want of buffers */
  guint64 n_refused;     /* buffers that we had no memory for */
  gint64 clock_error_ns; /* of CUPTI's clock against ours, at the start */
  HirCuptiDecodeCounts decoded;
  HirCuptiCounts events;
} HirCuptiSummary;

/* Before the first context of the process, so that its buffers are there in time. Opens CUPTI in
 * @libs, which must outlive the recorder, as must @recorder. HIR_ERROR_UNSUPPORTED where CUPTI is
 * missing, another tool is attached (one at a time can be), it may not be used by this user, or its
 * clock does not agree with ours. Main thread. */
HirCuptiRecorder *hir_cupti_recorder_new (HirCudaLibs *libs,
                                          HirRecorder *recorder,
                                          HirCuptiLevel level,
                                          GError **error);
/* Finishes first. NULL is allowed. */
void hir_cupti_recorder_free (HirCuptiRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCuptiRecorder, hir_cupti_recorder_free)

/* The zero of the recording's events; nothing is decoded before it is set. */
void hir_cupti_recorder_set_zero (HirCuptiRecorder *recorder, gint64 zero_ns);
/* For HirBackendOptions.launch_tracer; the recorder is their `tracer`. */
const HirLaunchTracer *hir_cupti_recorder_get_tracer (void);

/* All devices must be idle. Stops tracing and hands all that was recorded to the HirRecorder. */
void hir_cupti_recorder_finish (HirCuptiRecorder *recorder);
/* After finish(). */
void hir_cupti_recorder_get_summary (HirCuptiRecorder *recorder, HirCuptiSummary *summary);
/* What back ends launched by their own counters: more than was recorded is told in the account.
 * Kernels: a call of cuBLAS counts as one and may be several. */
typedef struct
{
  guint64 n_kernels, n_copies, n_fills;
} HirCuptiLaunched;
void hir_cupti_recorder_set_launched (HirCuptiRecorder *recorder, const HirCuptiLaunched *launched);
/* What was lost or does not add up, a line each; empty where all is there. After finish(). */
char **hir_cupti_recorder_dup_account (HirCuptiRecorder *recorder);
/* Meta of the recording: key and value. "cupti" (version and counts), "symbol NAME" for each kernel
 * whose name was shortened. After finish(). */
void hir_cupti_recorder_foreach_meta (HirCuptiRecorder *recorder,
                                      void (*func) (const char *key,
                                                    const char *value,
                                                    gpointer user_data),
                                      gpointer user_data);

G_END_DECLS
