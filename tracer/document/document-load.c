#include "document/document-private.h"
#include "document/document.h"

/* --- what was open before ----------------------------------------------------------------------
 */

static void
content_free (HirDocumentContent *content)
{
  if (content == NULL)
    return;
  g_clear_pointer (&content->request, hir_request_unref);
  g_clear_pointer (&content->program, hir_program_unref_async);
  g_clear_pointer (&content->ranks, hir_rank_programs_unref);
  g_clear_pointer (&content->trace, hir_trace_unref);
  g_clear_pointer (&content->diagnostics, g_ptr_array_unref);
  g_clear_pointer (&content->edits, hir_document_edits_free);
  g_clear_pointer (&content->kept, hir_run_child_free);
  g_free (content->recording_path);
  g_free (content);
}

/* Leaves the document empty. */
static HirDocumentContent *
take_content (HirDocument *self)
{
  HirDocumentContent *content = g_new0 (HirDocumentContent, 1);

  content->request = g_steal_pointer (&self->request);
  content->program = g_steal_pointer (&self->program);
  content->ranks = g_steal_pointer (&self->ranks);
  content->trace = g_steal_pointer (&self->trace);
  content->diagnostics = self->diagnostics;
  content->recording_path = g_steal_pointer (&self->recording_path);
  content->edits = self->edits;
  content->kept = g_steal_pointer (&self->kept);
  self->diagnostics = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  self->edits = hir_document_edits_new ();
  return content;
}

void
hir_document_forget_before (HirDocument *self)
{
  g_clear_pointer (&self->before, content_free);
}

void
hir_document_forget_replaced (HirDocument *self)
{
  g_clear_pointer (&self->replaced, content_free);
}

void
hir_document_put_back (HirDocument *self)
{
  g_autofree HirDocumentContent *before = g_steal_pointer (&self->before);
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirRankPrograms) ranks = NULL;
  g_autoptr (HirTrace) trace = NULL;

  if (before == NULL)
    return;
  content_free (take_content (self));
  hir_document_edits_free (self->edits);
  self->request = before->request;
  self->recording_path = before->recording_path;
  self->edits = before->edits;
  program = before->program;
  ranks = before->ranks;
  trace = before->trace;
  hir_document_replace (self, program, before->diagnostics, ranks, trace);
  self->kept = before->kept;
}

/* --- pictures ----------------------------------------------------------------------------------
 */

/* The first picture takes the place of what was open; the next ones go on from it. */
static void
show_first (HirDocument *self, const HirOpened *opened)
{
  self->before = take_content (self);
  if (opened->program->request != NULL)
    self->request = hir_request_ref (opened->program->request);
  hir_document_edits_begin (self->edits, self->request);
  self->recording_path = g_strdup (hir_open_job_get_paths (self->loading)[0]);
  hir_document_replace (self, opened->program, NULL, opened->ranks, opened->trace);
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

/* --- loading -----------------------------------------------------------------------------------
 */

void
hir_document_drop_loading (HirDocument *self)
{
  if (self->loading == NULL)
    return;
  hir_open_job_set_func (self->loading, NULL, NULL);
  g_clear_pointer (&self->loading, hir_open_job_unref);
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

/* A part of it is on show already: it stays where it is. */
static void
show_rest (HirDocument *self, const HirOpened *opened)
{
  hir_document_forget_before (self);
  hir_document_set_trace (self, opened->trace);
}

static void
show_whole (HirDocument *self, const HirOpened *opened, const char *path)
{
  g_clear_pointer (&self->request, hir_request_unref);
  if (opened->program->request != NULL)
    self->request = hir_request_ref (opened->program->request);
  hir_document_edits_begin (self->edits, self->request);
  g_free (self->recording_path);
  self->recording_path = g_strdup (path);
  hir_document_replace (self, opened->program, NULL, opened->ranks, opened->trace);
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
      hir_document_set_status (self, g_strdup (error->message));
      hir_document_emit_failed (self, "The recording can't be opened", error->message);
      return;
    }
  if (self->before != NULL)
    show_rest (self, opened);
  else
    show_whole (self, opened, hir_open_job_get_paths (job)[0]);
  if (self->opening == NULL)
    hir_document_set_status (self, hir_opened_describe (opened));
}

void
hir_document_open_recordings (HirDocument *self, const char *const *paths)
{
  g_autoptr (GTask) task = g_task_new (self, hir_document_begin_opening (self), on_opened, NULL);

  self->loading = hir_open_job_new (paths);
  hir_open_job_set_func (self->loading, on_picture, self);
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
