/* Bisecting in a thread, and by the text of the programs instead of their numbers. */
#include "bisect/bisect-private.h"

typedef struct
{
  HirProgram *program;
  HirRunSettings settings;
  HirBisectProgress progress;
  gpointer user_data;
  GMainContext *context;
} Job;

static void
job_free (Job *job)
{
  hir_program_unref (job->program);
  hir_run_settings_clear (&job->settings);
  g_main_context_unref (job->context);
  g_free (job);
}

/* A call of progress on its way to the thread that asked. */
typedef struct
{
  const Job *job; /* the task, which has it, is held */
  GTask *task;
  char *pass_name;
  guint index, n;
} Call;

static gboolean
deliver (gpointer data)
{
  const Call *call = data;

  call->job->progress (call->pass_name, call->index, call->n, call->job->user_data);
  return G_SOURCE_REMOVE;
}

static void
call_free (gpointer data)
{
  Call *call = data;

  g_object_unref (call->task);
  g_free (call->pass_name);
  g_free (call);
}

static void
send (const char *pass_name, guint index, guint n, gpointer user_data)
{
  GTask *task = user_data;
  const Job *job = g_task_get_task_data (task);
  Call *call = g_new (Call, 1);
  g_autoptr (GSource) source = g_idle_source_new ();

  *call = (Call){ job, g_object_ref (task), g_strdup (pass_name), index, n };
  /* Before the result, which comes with the default priority. */
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_set_callback (source, deliver, call, call_free);
  g_source_attach (source, job->context);
}

static void
bisect_in_thread (GTask *task, gpointer source_object, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  HirBisect *bisect =
      hir_bisect_new (job->program, &job->settings, job->progress != NULL ? send : NULL, task,
                      cancellable, &error);

  if (bisect != NULL)
    g_task_return_pointer (task, bisect, (GDestroyNotify) hir_bisect_free);
  else
    g_task_return_error (task, error);
}

void
hir_bisect_new_async (HirProgram *program,
                      const HirRunSettings *settings,
                      HirBisectProgress progress,
                      GCancellable *cancellable,
                      GAsyncReadyCallback callback,
                      gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Job *job = g_new0 (Job, 1);

  job->program = hir_program_ref (program);
  hir_run_settings_copy (&job->settings, settings);
  job->progress = progress;
  job->user_data = user_data;
  job->context = g_main_context_ref_thread_default ();
  g_task_set_source_tag (task, hir_bisect_new_async);
  g_task_set_task_data (task, job, (GDestroyNotify) job_free);
  g_task_run_in_thread (task, bisect_in_thread);
}

HirBisect *
hir_bisect_new_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static guint
count_matches (GRegex *regex, const char *text, GCancellable *cancellable)
{
  g_autoptr (GMatchInfo) match = NULL;
  guint n = 0;

  g_regex_match (regex, text, 0, &match);
  while (g_match_info_matches (match))
    {
      n++;
      if (g_cancellable_is_cancelled (cancellable) || !g_match_info_next (match, NULL))
        break;
    }
  return n;
}

HirBisect *
hir_bisect_new_by_text (HirProgram *program,
                        const char *pattern,
                        GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE | G_REGEX_OPTIMIZE, 0, &why);
  HirBisect *bisect;
  gboolean first = FALSE;

  if (regex == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s", why->message);
      return NULL;
    }
  bisect = g_new0 (HirBisect, 1);
  bisect->steps = hir_bisect_steps_new ();
  bisect->guilty = -1;
  for (guint i = 0; i < program->views->len && bisect->guilty < 0; i++)
    {
      const HirProgramView *view = program->views->pdata[i];
      HirBisectStep *step = g_new0 (HirBisectStep, 1);
      guint n = count_matches (regex, view->text, cancellable);

      first = i == 0 ? n > 0 : first;
      step->pass_name = g_strdup (view->pass_name);
      step->text =
          n == 0 ? g_strdup ("not there") : g_strdup_printf ("%u time%s", n, n == 1 ? "" : "s");
      step->verdict = (n > 0) == first ? HIR_BISECT_RIGHT : HIR_BISECT_WRONG;
      g_ptr_array_add (bisect->steps, step);
      if (step->verdict == HIR_BISECT_RIGHT)
        bisect->last_right = (int) i;
      else
        bisect->guilty = (int) i;
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    g_clear_pointer (&bisect, hir_bisect_free);
  return bisect;
}

typedef struct
{
  HirProgram *program;
  char *pattern;
} TextJob;

static void
text_job_free (TextJob *job)
{
  hir_program_unref (job->program);
  g_free (job->pattern);
  g_free (job);
}

static void
search_in_thread (GTask *task, gpointer source_object, gpointer data, GCancellable *cancellable)
{
  const TextJob *job = data;
  GError *error = NULL;
  HirBisect *bisect = hir_bisect_new_by_text (job->program, job->pattern, cancellable, &error);

  if (bisect != NULL)
    g_task_return_pointer (task, bisect, (GDestroyNotify) hir_bisect_free);
  else
    g_task_return_error (task, error);
}

void
hir_bisect_new_by_text_async (HirProgram *program,
                              const char *pattern,
                              GCancellable *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  TextJob *job = g_new0 (TextJob, 1);

  job->program = hir_program_ref (program);
  job->pattern = g_strdup (pattern);
  g_task_set_source_tag (task, hir_bisect_new_by_text_async);
  g_task_set_task_data (task, job, (GDestroyNotify) text_job_free);
  g_task_run_in_thread (task, search_in_thread);
}
