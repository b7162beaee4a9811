/* Saves a document as a recording on a worker thread. */
#include "document/document.h"
#include "program/document-recording.h"

typedef struct
{
  HirProgram *program;
  HirRankPrograms *ranks;
  HirTrace *trace;
  char *path;
  HirExportProgress *progress; /* nullable, borrowed */
} SaveJob;

static void
save_job_free (SaveJob *job)
{
  hir_program_unref (job->program);
  g_clear_pointer (&job->ranks, hir_rank_programs_unref);
  g_clear_pointer (&job->trace, hir_trace_unref);
  g_free (job->path);
  g_free (job);
}

static void
save_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  SaveJob *job = task_data;
  GError *error = NULL;

  if (hir_program_save (job->program, job->ranks, job->trace, job->path, job->progress, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hir_document_save_async (HirDocument *self,
                         const char *path,
                         HirExportProgress *progress,
                         GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, user_data);
  HirProgram *program = hir_document_get_program (self);
  HirRankPrograms *ranks = hir_document_get_ranks (self);
  HirTrace *trace = hir_document_get_trace (self);
  SaveJob *job;

  g_return_if_fail (program != NULL);

  job = g_new0 (SaveJob, 1);
  job->program = hir_program_ref (program);
  job->ranks = ranks != NULL ? hir_rank_programs_ref (ranks) : NULL;
  job->trace = trace != NULL ? hir_trace_ref (trace) : NULL;
  job->path = g_strdup (path);
  job->progress = progress;
  g_task_set_task_data (task, job, (GDestroyNotify) save_job_free);
  g_task_run_in_thread (task, save_in_thread);
}

gboolean
hir_document_save_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
