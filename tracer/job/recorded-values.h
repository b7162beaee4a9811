/* Tensor values in a recording: one summary per tensor and rank (shape, statistics, histogram, a
 * small map, the first elements) of the value at the end of the run. Stored as a deflated
 * GVariant; see run/values/value-summary.h. */
#pragma once

#include "record/recorder.h"
#include "run/session/session-summary.h"
#include "trace/trace-values.h"

G_BEGIN_DECLS

/* Limits for all summaries of a run together. */
#define HIR_RECORDED_VALUES_MAX_BYTES (4 * 1024 * 1024)
#define HIR_RECORDED_VALUES_MAX_NS (G_GINT64_CONSTANT (2) * 1000 * 1000 * 1000)
/* Larger tensors are omitted, because each is read twice. */
#define HIR_RECORDED_VALUES_MAX_ELEMENTS (G_GINT64_CONSTANT (1) << 26)

/* Adds summaries of the tensors on the ranks of this process to @recorder, outputs first, up to the
 * limits above. Call after a run, when all ranks are idle. Blocks. Returns the number of omitted
 * tensors, not counting those without a value. */
guint
hir_recorded_values_take (HirSession *session, HirRecorder *recorder, GCancellable *cancellable);
/* Returns the recorded summary of a tensor (transfer full). Returns NULL without @error if there is
 * none, and NULL with HIR_ERROR_INPUT if it is malformed. */
HirValueSummary *hir_recorded_values_dup (const HirTrace *trace,
                                          int rank,
                                          guint64 tensor_id,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Encodes a summary. */
GBytes *hir_recorded_value_pack (const HirValueSummary *summary);
/* Decodes a summary. Returns NULL with HIR_ERROR_INPUT if @data is malformed. */
HirValueSummary *hir_recorded_value_unpack (GBytes *data, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
