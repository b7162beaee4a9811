/* Bisects on a worker thread. */
#include "bisect/bisect.h"

typedef struct
{
  HirProgram *program;
  HirRunSettings settings;
  char *pattern; /* pattern of a search by text; NULL: compare results */
  HirBisectProgress progress;
  gpointer user_data;
  GMainContext *context; /* main context of progress */
} Job;

static void
job_free (Job *job)
{
  hir_program_unref (job->program);
  hir_run_settings_clear (&job->settings);
  g_free (job->pattern);
  g_clear_pointer (&job->context, g_main_context_unref);
  g_free (job);
}

/* A call of progress, passed to the main context of the caller. */
typedef struct
{
  const Job *job; /* owned by task */
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
  /* Deliver before the result, which has the default priority. */
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_set_callback (source, deliver, call, call_free);
  g_source_attach (source, job->context);
}

static void
bisect_in_thread (GTask *task, gpointer source_object, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  g_autoptr (HirProgram) lowered =
      job->pattern == NULL ? hir_program_ref_lowered (job->program, cancellable, &error) : NULL;
  HirBisect *bisect = NULL;

  if (job->pattern != NULL)
    bisect = hir_bisect_new_by_text (job->program, job->pattern, cancellable, &error);
  else if (lowered != NULL)
    bisect = hir_bisect_new (lowered, NULL, &job->settings, job->progress != NULL ? send : NULL,
                             task, cancellable, &error);

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

void
hir_bisect_new_by_text_async (HirProgram *program,
                              const char *pattern,
                              GCancellable *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Job *job = g_new0 (Job, 1);

  job->program = hir_program_ref (program);
  job->pattern = g_strdup (pattern);
  g_task_set_source_tag (task, hir_bisect_new_by_text_async);
  g_task_set_task_data (task, job, (GDestroyNotify) job_free);
  g_task_run_in_thread (task, bisect_in_thread);
}

HirBisect *
hir_bisect_new_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
