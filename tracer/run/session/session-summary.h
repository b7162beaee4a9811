/* Summaries of a session's tensors. */
#pragma once

#include "run/session/session.h"
#include "run/values/value-summary.h"

G_BEGIN_DECLS

/* Before the first step: the last values of what each rank deallocates stay, at most @max_bytes of all ranks together, to be
 * summarised after the run. Memory that is kept is not used again. */
void hir_session_keep_values (HirSession *session, gsize max_bytes);
/* What @tensor_id (an id of that rank's program) holds on rank @rank now. All ranks must be at rest: between two steps
 * of a session of one rank, or after a repeat; waits for the rank's streams. Errors: HIR_ERROR_INPUT where this process has no
 * such rank, the program no such tensor, or the tensor no value now (which says whether it was deallocated), and those of
 * hir_value_summary_new(). */
HirValueSummary *hir_session_dup_summary (HirSession *session,
                                          int rank,
                                          guint64 tensor_id,
                                          const HirValueQuery *look,
                                          GCancellable *cancellable,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What holds a value now. */
typedef struct
{
  guint64 tensor_id;
  int rank;
  gint64 n_elements;
} HirHeldValue;

/* Array of HirHeldValue, of all ranks of this process: outputs, inputs, then the others as the program has them. All ranks
 * must be at rest. */
GArray *hir_session_dup_held (HirSession *session);

G_END_DECLS
