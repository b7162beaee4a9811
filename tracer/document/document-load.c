/* Loads recordings on a worker thread and displays partial results. */
#include "document/document-private.h"
#include "document/document.h"

static void
show_whole (HirDocument *self, const HirOpened *opened, const char *path)
{
  hir_document_set_request (self, opened->program->request);
  hir_document_edits_begin (self->edits, self->request);
  g_free (self->recording_path);
  self->recording_path = g_strdup (path);
  hir_document_replace (self, opened->program, NULL, opened->ranks, opened->trace);
}

/* Displays the first partial result instead of the previous content. Later ones only replace the
 * trace. */
static void
show_first (HirDocument *self, const HirOpened *opened)
{
  self->before = hir_document_take_content (self);
  show_whole (self, opened, hir_open_job_get_paths (self->loading)[0]);
}

static void
on_picture (HirOpenJob *job, gpointer user_data)
{
  g_autoptr (HirDocument) self = g_object_ref (user_data);
  g_autoptr (HirOpened) opened = hir_open_job_take_picture (job);

  if (opened == NULL || job != self->loading)
    return;
  if (self->before == NULL)
    show_first (self, opened);
  else
    hir_document_set_trace (self, opened->trace);
  if (job == self->loading)
    hir_document_set_status (self, hir_opened_describe_part (opened));
}

static void
open_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  HirOpened *opened = hir_open_job_run (task_data, cancellable, &error);

  if (opened != NULL)
    g_task_return_pointer (task, opened, (GDestroyNotify) hir_opened_free);
  else
    g_task_return_error (task, error);
}

/* Replaces the partial trace by the complete one. */
static void
show_rest (HirDocument *self, const HirOpened *opened)
{
  hir_document_forget_before (self);
  hir_document_set_trace (self, opened->trace);
}

static void
on_opened (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirDocument *self = HIR_DOCUMENT (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirOpened) opened = g_task_propagate_pointer (G_TASK (result), &error);
  HirOpenJob *job = g_task_get_task_data (G_TASK (result));

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_clear_object (&self->opening);
  hir_document_drop_loading (self);
  if (opened == NULL)
    {
      hir_document_put_back (self);
      hir_document_set_failed_status (self, "The file could not be opened", error->message);
      hir_document_emit_failed (self, "Cannot Open Recording", error->message);
      return;
    }
  if (self->before != NULL)
    show_rest (self, opened);
  else
    show_whole (self, opened, hir_open_job_get_paths (job)[0]);
  if (self->trace == opened->trace)
    hir_document_add_recorded (self, self->recording_path, self->trace, NULL);
  if (self->opening == NULL)
    hir_document_set_status (self, hir_opened_describe (opened));
}

void
hir_document_open_recordings (HirDocument *self, const char *const *paths)
{
  g_autoptr (GTask) task = g_task_new (self, hir_document_begin_opening (self), on_opened, NULL);

  self->loading = hir_open_job_new (paths);
  hir_open_job_set_func (self->loading, on_picture, self);
  hir_open_job_set_rules (self->loading, self->rules);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, hir_open_job_ref (self->loading),
                        (GDestroyNotify) hir_open_job_unref);
  g_task_run_in_thread (task, open_in_thread);
  hir_document_set_status (self, g_strdup ("Opening\xe2\x80\xa6"));
}

void
hir_document_open_recording (HirDocument *self, const char *path)
{
  const char *const paths[] = { path, NULL };

  hir_document_open_recordings (self, paths);
}

gboolean
hir_document_get_loading (HirDocument *self,
                          const char *const **paths,
                          guint64 *done,
                          guint64 *total)
{
  if (self->loading == NULL)
    return FALSE;
  *paths = hir_open_job_get_paths (self->loading);
  hir_open_job_get_progress (self->loading, done, total);
  return TRUE;
}

gboolean
hir_document_get_is_partial (HirDocument *self)
{
  return self->before != NULL;
}

void
hir_document_cancel_loading (HirDocument *self)
{
  if (self->loading == NULL)
    return;
  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  hir_document_drop_loading (self);
  hir_document_put_back (self);
  hir_document_set_status (self, g_strdup ("Loading was cancelled"));
}

void
hir_document_stop_loading (HirDocument *self)
{
  if (self->loading != NULL)
    hir_open_job_stop (self->loading);
}
