/* Ties the trace of another profiler to a program on a worker thread; see docs/join.md. */
#include "document/document-private.h"
#include "document/document.h"

/* Either the program is displayed and the trace is loaded, or the other way round. */
typedef struct
{
  HirRequest *request;    /* nullable: of a program that is not read yet */
  HirProgram *program;    /* nullable until it is read */
  HirRankPrograms *ranks; /* nullable: only for a program that was read here */
  HirOpenJob *job;        /* loads the trace, or only names its files */
  HirTrace *trace;        /* nullable until it is loaded */
  HirJoin *join;          /* result */
  HirTrace *joined;       /* result, NULL if the program did not run in the trace */
} Attachment;

static void
attachment_free (gpointer data)
{
  Attachment *self = data;

  g_clear_pointer (&self->request, hir_request_unref);
  g_clear_pointer (&self->program, hir_program_unref);
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  g_clear_pointer (&self->job, hir_open_job_unref);
  g_clear_pointer (&self->trace, hir_trace_unref);
  g_clear_pointer (&self->join, hir_join_unref);
  g_clear_pointer (&self->joined, hir_trace_unref);
  g_free (self);
}

static gboolean
read_program (Attachment *self, GCancellable *cancellable, GError **error)
{
  self->program = hir_program_new (self->request, NULL, cancellable, error);
  if (self->program == NULL)
    return FALSE;
  if (self->program->error != NULL)
    {
      g_propagate_error (error, g_error_copy (self->program->error));
      return FALSE;
    }
  self->ranks = hir_rank_programs_new (self->program, cancellable, error);
  return self->ranks != NULL;
}

static gboolean
read_trace (Attachment *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (HirOpened) opened = hir_open_job_run (self->job, cancellable, error);

  if (opened == NULL)
    return FALSE;
  self->trace = hir_trace_ref (opened->trace);
  return TRUE;
}

static void
attach_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  static const HirJoinOptions options = { 0 };
  Attachment *self = task_data;
  GError *error = NULL;
  gboolean done = (self->program != NULL || read_program (self, cancellable, &error)) &&
                  (self->trace != NULL || read_trace (self, cancellable, &error));

  if (done)
    self->join = hir_join_new (self->program, self->trace, &options, cancellable, &error);
  if (self->join != NULL && self->join->n_tied + self->join->n_replays > 0)
    self->joined = hir_join_dup_trace (self->join, &error);
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static char *
describe (const HirJoin *join)
{
  g_autofree char *tied = hir_count_to_string (join->n_tied);
  g_autofree char *all = hir_count_to_string (join->n_device);
  GString *text = g_string_new (NULL);

  g_string_printf (text, "%s of %s device events tied, %u repetition%s", tied, all,
                   join->n_repetitions, join->n_repetitions == 1 ? "" : "s");
  if (join->findings->len > 0)
    g_string_append_printf (text, "; %u difference%s from the program", join->findings->len,
                            join->findings->len == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}

/* An error of the program has a position in its text. */
static char *
dup_message (const Attachment *attachment, const GError *error)
{
  HirPos pos = hir_error_get_pos (error);

  return attachment->request != NULL && attachment->ranks == NULL && pos.line > 0
             ? g_strdup_printf ("%s:%u:%u: %s", attachment->request->source->path, pos.line,
                                pos.column, error->message)
             : g_strdup (error->message);
}

static void
show (HirDocument *self, Attachment *attachment)
{
  const char *path = hir_open_job_get_paths (attachment->job)[0];

  if (attachment->ranks != NULL)
    {
      hir_document_set_request (self, attachment->program->request);
      hir_document_edits_begin (self->edits, self->request);
      hir_document_replace (self, attachment->program, NULL, attachment->ranks, NULL);
    }
  g_free (self->recording_path);
  self->recording_path = g_strdup (path);
  hir_join_drop_events (attachment->join);
  /* The views read the differences from its entry when the trace changes. */
  hir_document_add_recorded (self, NULL, attachment->joined, attachment->join);
  hir_document_set_trace (self, attachment->joined);
}

static void
on_attached (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirDocument *self = HIR_DOCUMENT (source);
  Attachment *attachment = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_clear_object (&self->opening);
  hir_document_drop_loading (self);
  self->is_attaching = FALSE;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    why = dup_message (attachment, error);
  else if (attachment->joined == NULL)
    why = g_strdup_printf ("The program did not run in this trace. %s",
                           attachment->join->difference != NULL ? attachment->join->difference
                                                                : "No device event fits.");
  if (why == NULL)
    {
      g_autofree char *text = describe (attachment->join);

      show (self, attachment);
      hir_document_set_status (self, g_steal_pointer (&text));
    }
  else
    {
      hir_document_set_failed_status (self, "The trace could not be attached", why);
    }
  hir_document_emit_attached (self, hir_open_job_get_paths (attachment->job), why);
}

/* Starts @attachment (taken). A run in progress, whose events would replace the trace, ends. */
static void
start (HirDocument *self, Attachment *attachment)
{
  g_autoptr (GTask) task = NULL;

  hir_document_begin_attaching (self);
  task = g_task_new (self, self->opening, on_attached, NULL);
  self->loading = hir_open_job_ref (attachment->job);
  self->is_attaching = TRUE;
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, attachment, attachment_free);
  g_task_run_in_thread (task, attach_in_thread);
  hir_document_set_status (self, g_strdup ("Tying the trace to the program\xe2\x80\xa6"));
}

gboolean
hir_document_can_attach_trace (HirDocument *self)
{
  return self->program != NULL && self->program->error == NULL && self->opening == NULL &&
         (self->program->fusion != NULL || self->program->printed != NULL);
}

gboolean
hir_document_can_attach_program (HirDocument *self)
{
  return self->trace != NULL && self->opening == NULL && self->request == NULL &&
         self->program->views->len == 0;
}

void
hir_document_attach_traces (HirDocument *self, const char *const *paths)
{
  Attachment *attachment;

  g_return_if_fail (hir_document_can_attach_trace (self));
  attachment = g_new0 (Attachment, 1);
  attachment->program = hir_program_ref (self->program);
  attachment->job = hir_open_job_new (paths);
  hir_open_job_set_rules (attachment->job, self->rules);
  start (self, attachment);
}

void
hir_document_attach_program (HirDocument *self, HirRequest *request)
{
  const char *const paths[] = { self->recording_path, NULL };
  Attachment *attachment;

  g_return_if_fail (hir_document_can_attach_program (self));
  attachment = g_new0 (Attachment, 1);
  attachment->request = hir_request_ref (request);
  attachment->trace = hir_trace_ref (self->trace);
  attachment->job = hir_open_job_new (paths);
  start (self, attachment);
}
