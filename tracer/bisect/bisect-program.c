/* Runs the comparison of the debugger on a worker thread. */
#include "bisect/bisect-program.h"

#include "brief.h"
#include "debugger/debug-compare.h"
#include "debugger/debug-program.h"

typedef struct
{
  HirProgramBisect *bisect;
  HirProgram *program;
  HirRunSettings settings;
} Work;

void
hir_program_bisect_unref (HirProgramBisect *bisect)
{
  if (!g_atomic_ref_count_dec (&bisect->ref_count))
    return;
  g_free (bisect->label);
  g_free (bisect->report);
  g_free (bisect);
}

static void
work_free (gpointer data)
{
  Work *work = data;

  hir_program_bisect_unref (work->bisect);
  hir_program_unref (work->program);
  hir_run_settings_clear (&work->settings);
  g_free (work);
}

static gboolean
find (Work *work, GCancellable *cancellable, GError **error)
{
  g_autoptr (HirDebugProgram) debugged =
      hir_debug_program_new (work->program, &work->settings, NULL, error);
  HirDebugger *debugger = debugged != NULL ? hir_debug_program_get_debugger (debugged) : NULL;
  g_auto (HirDebugMismatch) mismatch = { .progress = &work->bisect->n_compared };

  if (debugger == NULL || !hir_debugger_start (debugger, error) ||
      !hir_debug_run_find_mismatch (hir_debugger_get_run (debugger), work->settings.n_streams,
                                    cancellable, &mismatch, error))
    return FALSE;
  if (mismatch.expr == NULL)
    return TRUE;
  work->bisect->id = mismatch.expr->node.id;
  work->bisect->number = mismatch.number;
  work->bisect->iteration = mismatch.iteration;
  work->bisect->rank = mismatch.rank;
  work->bisect->label = hir_brief_expr_label (mismatch.expr);
  work->bisect->report = g_strchomp (g_steal_pointer (&mismatch.report));
  return TRUE;
}

static void
work_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;

  if (find (data, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

HirProgramBisect *
hir_program_bisect_new_async (HirProgram *program,
                              const HirRunSettings *settings,
                              GCancellable *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  HirProgramBisect *bisect = g_new0 (HirProgramBisect, 1);
  Work *work = g_new0 (Work, 1);

  /* One reference for the caller, one for the worker. */
  g_atomic_ref_count_init (&bisect->ref_count);
  g_atomic_ref_count_inc (&bisect->ref_count);
  work->bisect = bisect;
  work->program = hir_program_ref (program);
  hir_run_settings_copy (&work->settings, settings);
  work->settings.backend = HIR_BACKEND_CPU;
  work->settings.check = TRUE;
  g_task_set_source_tag (task, hir_program_bisect_new_async);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, work_thread);
  return bisect;
}

gboolean
hir_program_bisect_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
