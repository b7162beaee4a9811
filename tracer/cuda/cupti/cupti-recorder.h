/* Records GPU activity with CUPTI: a launch tracer for back ends, and a thread that converts
 * CUPTI's buffers to events of a recorder while the program runs. CUPTI allows one subscriber per
 * process and never releases its clock and buffer callbacks, so only one recorder can exist at a
 * time. */
#pragma once

#include "cuda/cupti/cupti-correlate.h"
#include "cuda/driver/libs.h"
#include "run/backend.h"

G_BEGIN_DECLS

typedef struct _HirCuptiRecorder HirCuptiRecorder;

typedef enum
{
  HIR_CUPTI_LEVEL_KERNELS, /* device work only */
  HIR_CUPTI_LEVEL_FULL,    /* also host calls, waits of streams, overhead and annotations */
} HirCuptiLevel;

typedef struct
{
  guint32 api_version;
  guint64 n_dropped;     /* records that CUPTI dropped for lack of buffers */
  guint64 n_refused;     /* buffer requests that failed for lack of memory */
  gint64 clock_error_ns; /* difference between CUPTI's clock and ours at the start */
  HirCuptiDecodeCounts decoded;
  HirCuptiCounts events;
} HirCuptiSummary;

/* Starts tracing. Opens CUPTI in @libs; @libs and @recorder must outlive the new recorder. Call on
 * the main thread, before the process creates its first context, so that the buffers exist in time.
 * Returns NULL and sets HIR_ERROR_UNSUPPORTED if CUPTI is missing, another tool is attached, this
 * user may not use CUPTI, or its clock does not agree with ours. */
HirCuptiRecorder *hir_cupti_recorder_new (HirCudaLibs *libs,
                                          HirRecorder *recorder,
                                          HirCuptiLevel level,
                                          GError **error);
/* Finishes and frees @recorder (nullable). */
void hir_cupti_recorder_free (HirCuptiRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCuptiRecorder, hir_cupti_recorder_free)

/* Sets the time that is 0 in the recording. No record is decoded before this call. */
void hir_cupti_recorder_set_zero (HirCuptiRecorder *recorder, gint64 zero_ns);
/* Returns the value for HirBackendOptions.launch_tracer; the recorder is the `tracer` argument. */
const HirLaunchTracer *hir_cupti_recorder_get_tracer (void);

/* Stops tracing and passes all remaining events to the HirRecorder. All devices must be idle. */
void hir_cupti_recorder_finish (HirCuptiRecorder *recorder);
/* Gets the totals. Call after hir_cupti_recorder_finish(). */
void hir_cupti_recorder_get_summary (HirCuptiRecorder *recorder, HirCuptiSummary *summary);
/* Launches counted by the back ends. A cuBLASLt call counts as one kernel, but may launch several.
 */
typedef struct
{
  guint64 n_kernels, n_copies, n_fills;
} HirCuptiLaunched;
/* Sets the expected launches. The account reports if fewer were recorded. */
void hir_cupti_recorder_set_launched (HirCuptiRecorder *recorder, const HirCuptiLaunched *launched);
/* Returns one line per loss or inconsistency; empty if the recording is complete. Call after
 * hir_cupti_recorder_finish(). */
char **hir_cupti_recorder_dup_account (HirCuptiRecorder *recorder);
/* Calls @func for each meta entry of the recording: "cupti" (version and counts), and "symbol NAME"
 * for each kernel whose name was shortened. Call after hir_cupti_recorder_finish(). */
void hir_cupti_recorder_foreach_meta (HirCuptiRecorder *recorder,
                                      void (*func) (const char *key,
                                                    const char *value,
                                                    gpointer user_data),
                                      gpointer user_data);

G_END_DECLS
