/* A repetition of a session whose ranks are stepped by a debugger. */
#include "run/session/session-private.h"

gboolean
hir_session_begin_debug (HirSession *session, GError **error)
{
  HirRank *shown = session->shown;

  g_return_val_if_fail (!session->started && session->options.mpi == NULL, FALSE);
  hir_session_evaluate_printed (session);
  if (shown->communicator != NULL)
    shown->communicator->klass->begin (shown->communicator);
  session->started = TRUE;
  session->start_ns = hir_session_now_ns (session);
  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);

      if (!hir_evaluator_start (rank->evaluator, (HirValue **) rank->inputs->pdata,
                                rank->inputs->len, HIR_PHASE_PROGRAM, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_session_end_debug (HirSession *session, GError **error)
{
  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);

      if (!hir_evaluator_finish (rank->evaluator, error))
        return FALSE;
    }
  if (!hir_session_check_resolved (session, error))
    return FALSE;
  session->elapsed_ns = hir_session_now_ns (session) - session->start_ns;
  return session->report == NULL || hir_session_compare_outputs (session, error);
}

void
hir_session_stop_debug (HirSession *session)
{
  g_autoptr (GError) error = NULL;

  hir_set_error (&error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
  g_atomic_int_set (&session->team.stopping, 1);
  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);

      rank->backend->klass->cancel (rank->backend);
      if (rank->communicator != NULL)
        rank->communicator->klass->abort (rank->communicator, error);
    }
}
