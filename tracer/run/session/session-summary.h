/* Summaries of a session's tensors. */
#pragma once

#include "run/session/session.h"
#include "run/values/value-summary.h"

G_BEGIN_DECLS

/* Keeps the last values that ranks deallocate, at most @max_bytes for all ranks, to be summarized
 * after the run. Their memory is not reused. Call before the first step. */
void hir_session_keep_values (HirSession *session, gsize max_bytes);
/* Summarizes the current value of @tensor_id (an id of the rank's program) on rank @rank. All ranks
 * must be idle: between two steps of a session of one rank, or after a repetition. Waits for the
 * rank's streams. Sets HIR_ERROR_INPUT if the process does not have this rank, the program does not
 * have the tensor, or the tensor has no value (the message says if it was deallocated), and the
 * errors of hir_value_summary_new(). */
HirValueSummary *hir_session_dup_summary (HirSession *session,
                                          int rank,
                                          guint64 tensor_id,
                                          const HirValueQuery *query,
                                          GCancellable *cancellable,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A tensor with a value. */
typedef struct
{
  guint64 tensor_id;
  int rank;
  gint64 n_elements;
} HirHeldValue;

/* Returns the tensors with values on all ranks of this process as an array of HirHeldValue:
 * outputs, inputs, then others in the order of the program. All ranks must be idle. */
GArray *hir_session_dup_held (HirSession *session);

G_END_DECLS
