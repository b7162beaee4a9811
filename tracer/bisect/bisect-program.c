/* Combines the searches for incorrect results and missing synchronization. */
#include "bisect/bisect-program.h"

#include "bisect/against.h"
#include "brief.h"
#include "debugger/breakpoint.h"
#include "debugger/debug-compare.h"
#include "debugger/debug-program.h"
#include "program/program-check.h"

HirProgramBisect *
hir_program_bisect_new (void)
{
  HirProgramBisect *bisect = g_new0 (HirProgramBisect, 1);

  g_atomic_ref_count_init (&bisect->ref_count);
  return bisect;
}

void
hir_program_bisect_unref (HirProgramBisect *bisect)
{
  char *texts[] = { bisect->inputs,  bisect->races, bisect->no_check, bisect->outputs,
                    bisect->failure, bisect->label, bisect->report };

  if (!g_atomic_ref_count_dec (&bisect->ref_count))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  g_free (bisect);
}

/* Compares the run with the sequential execution. */
static gboolean
find_in_run (HirProgram *program,
             const HirRunSettings *settings,
             GCancellable *cancellable,
             HirProgramBisect *bisect,
             GError **error)
{
  g_autoptr (HirDebugProgram) debugged = hir_debug_program_new (program, settings, NULL, error);
  HirDebugger *debugger = debugged != NULL ? hir_debug_program_get_debugger (debugged) : NULL;
  g_auto (HirDebugMismatch) wrong = { .progress = &bisect->n_compared };
  HirDebugRun *run;

  if (debugger == NULL || !hir_debugger_start (debugger, error))
    return FALSE;
  run = hir_debugger_get_run (debugger);
  if (bisect->inputs == NULL)
    bisect->inputs = g_strdup (hir_session_get_inputs_text (hir_debug_run_get_session (run)));
  if (!hir_debug_run_find_mismatch (run, settings->n_streams, cancellable, &wrong, error))
    return FALSE;
  if (wrong.expr == NULL)
    return TRUE;
  bisect->id = wrong.expr->node.id;
  bisect->number = wrong.number;
  bisect->line = wrong.expr->node.pos.line;
  bisect->iteration = wrong.iteration;
  bisect->rank = wrong.rank;
  bisect->label = hir_brief_expr_label (wrong.expr);
  bisect->report = g_strchomp (g_steal_pointer (&wrong.report));
  return TRUE;
}

/* Compares the program in sequence with its fusion. */
static gboolean
find_against (HirProgram *program,
              HirContainer *fusion,
              const HirRunSettings *settings,
              GCancellable *cancellable,
              HirProgramBisect *bisect,
              GError **error)
{
  g_auto (HirAgainst) against = { 0 };
  g_autoptr (GPtrArray) numbers = NULL;

  if (!hir_against_find (program, fusion, settings, cancellable, &against, error))
    return FALSE;
  g_atomic_int_set (&bisect->n_compared, (gint) MIN (against.n_compared, G_MAXINT));
  bisect->inputs = g_steal_pointer (&against.inputs);
  bisect->outputs = g_steal_pointer (&against.outputs);
  bisect->report = g_steal_pointer (&against.report);
  if (against.failure != NULL)
    bisect->failure = hir_error_format (against.failure, program->request->source);
  if (against.expr == NULL)
    return TRUE;
  numbers = hir_instruction_numbers (against.program);
  bisect->id = against.expr->node.id;
  bisect->number = hir_instruction_find (numbers, against.expr->node.id);
  bisect->line = against.expr->node.pos.line;
  bisect->iteration = against.iteration;
  bisect->rank = against.rank;
  bisect->label = hir_brief_expr_label (against.expr);
  return TRUE;
}

/* Sets the races. Returns FALSE if cancelled. */
static gboolean
find_races (HirProgram *program,
            const HirRunSettings *settings,
            GCancellable *cancellable,
            HirProgramBisect *bisect,
            GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (HirSyncCheck) check =
      hir_program_check_sync (program, settings->n_streams, NULL, HIR_SYNC_USES, cancellable, &why);

  if (check != NULL && !hir_sync_check_passed (check))
    bisect->races = hir_sync_check_format (check);
  if (check != NULL)
    return TRUE;
  if (g_error_matches (why, HIR_ERROR, HIR_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  bisect->no_check = g_strdup (why->message);
  return TRUE;
}

gboolean
hir_program_bisect_find (HirProgram *program,
                         HirContainer *fusion,
                         const HirRunSettings *given,
                         GCancellable *cancellable,
                         HirProgramBisect *bisect,
                         GError **error)
{
  g_auto (HirRunSettings) settings = { 0 };

  if (program->error != NULL)
    {
      g_propagate_error (error, g_error_copy (program->error));
      return FALSE;
    }
  hir_run_settings_copy (&settings, given);
  settings.backend = HIR_BACKEND_CPU;
  settings.check = TRUE;
  if (!find_races (program, &settings, cancellable, bisect, error) ||
      (fusion != NULL && !find_against (program, fusion, &settings, cancellable, bisect, error)))
    return FALSE;
  return bisect->outputs != NULL || bisect->id != 0 ||
         find_in_run (program, &settings, cancellable, bisect, error);
}

typedef struct
{
  HirProgramBisect *bisect;
  HirProgram *program;
  HirRunSettings settings;
} Work;

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
  HirProgram *program = work->program;

  return hir_program_bisect_find (program,
                                  program->fusion == NULL ? hir_program_lookup_fusion (program)
                                                          : NULL,
                                  &work->settings, cancellable, work->bisect, error);
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
  HirProgramBisect *bisect = hir_program_bisect_new ();
  Work *work = g_new0 (Work, 1);

  /* One reference for the caller, one for the worker. */
  g_atomic_ref_count_inc (&bisect->ref_count);
  work->bisect = bisect;
  work->program = hir_program_ref (program);
  hir_run_settings_copy (&work->settings, settings);
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
