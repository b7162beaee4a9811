/* Values of tensors in a recording: for each tensor and rank a summary (shape, numbers, histogram, a small map, the first
 * numbers) of what it held when the run had ended. Its bytes are a deflated GVariant of run/value-summary.h. */
#pragma once

#include "record/recorder.h"
#include "run/session/session-summary.h"
#include "trace/trace-values.h"

G_BEGIN_DECLS

/* All summaries of a run together, and the time that making them may take. */
#define HIR_RECORDED_VALUES_MAX_BYTES (4 * 1024 * 1024)
#define HIR_RECORDED_VALUES_MAX_NS (G_GINT64_CONSTANT (2) * 1000 * 1000 * 1000)
/* A larger tensor is left out: it would be read twice. */
#define HIR_RECORDED_VALUES_MAX_ELEMENTS (G_GINT64_CONSTANT (1) << 26)

/* After a run, all ranks at rest: gives @recorder the summaries of what this process' ranks hold, outputs first, until one of
 * the limits above is met. The number of those that were left out; what has no value, or one that can't be
 * shown, is not counted. Blocks. */
guint hir_recorded_values_take (HirSession *session, HirRecorder *recorder, GCancellable *cancellable);
/* What @trace has of a tensor; NULL and no error: nothing. HIR_ERROR_INPUT where its bytes are no summary. */
HirValueSummary *hir_recorded_values_dup (const HirTrace *trace, int rank, guint64 tensor_id, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The two directions by themselves. */
GBytes *hir_recorded_value_pack (const HirValueSummary *summary);
HirValueSummary *hir_recorded_value_unpack (GBytes *data, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
