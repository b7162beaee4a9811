/* Access of tests to a session: its engine, and its tensors and scalars between two steps. */
#pragma once

#include "run/session/session-private.h"

G_BEGIN_DECLS

/* Returns a session of one rank, which runs @program. */
static inline HirSession *
session_new (HirContainer *fusion,
             HirContainer *program,
             const HirRunOptions *options,
             HirRecorder *recorder,
             GCancellable *cancellable,
             GError **error)
{
  return hir_session_new_ranks (fusion, &program, 1, options, recorder, cancellable, error);
}

/* Returns the evaluator of the displayed rank (borrowed). */
static inline HirEvaluator *
session_get_evaluator (HirSession *session)
{
  return session->shown->evaluator;
}

/* Returns the back end of the displayed rank (borrowed). */
static inline HirBackend *
session_get_backend (HirSession *session)
{
  return session->shown->backend;
}

/* Returns at most @max elements of @value in host memory, row-major: "[0.5, -1, ...]". */
char *value_format (const HirValue *value, guint max);
/* Returns "T3 float[4, 8] = [0.5, ...]" for the tensor with node id @id, or "i0 = 4" for the scalar
 * @name. Waits for the streams. Sets HIR_ERROR_INPUT if it has no value now. */
char *session_dup_value_text (
    HirSession *session, guint64 id, const char *name, guint max_elements, GError **error);
guint session_get_n_outputs (HirSession *session, guint rank);
/* Returns the elements of output @i of rank @rank, row-major. Sets @error if it has no value. */
GBytes *session_dup_output (HirSession *session, guint rank, guint i, GError **error);

G_END_DECLS
