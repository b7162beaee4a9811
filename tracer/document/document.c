/* The document object: content and opening of scripts. */
#include "document/document.h"

#include "document/document-private.h"
#include "program/program-effect.h"

enum
{
  PROGRAM_CHANGED,
  RANKS_CHANGED,
  TRACE_CHANGED,
  STATE_CHANGED,
  RUN_FINISHED,
  VALUE,
  DEBUGGED,
  FAILED,
  ATTACHED,
  EDITED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirDocument, hir_document, G_TYPE_OBJECT)

static GPtrArray *
diagnostics_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
}

static HirDocumentEdits *
edits_new (void)
{
  HirDocumentEdits *edits = g_new0 (HirDocumentEdits, 1);

  edits->history = hir_edit_history_new ();
  return edits;
}

void
hir_document_forget_edited (HirDocumentEdits *edits)
{
  g_clear_pointer (&edits->good, hir_program_unref_async);
  g_clear_pointer (&edits->good_trace, hir_trace_unref);
  g_clear_pointer (&edits->good_ranks, hir_rank_programs_unref);
  g_clear_pointer (&edits->good_run, hir_run_entry_unref);
  g_clear_pointer (&edits->good_path, g_free);
  g_clear_pointer (&edits->rejected, hir_program_unref_async);
  edits->is_behind = FALSE;
  edits->shows_run = FALSE;
}

static void
edits_free (HirDocumentEdits *edits)
{
  hir_document_forget_edited (edits);
  g_clear_pointer (&edits->before, hir_program_unref_async);
  hir_edit_history_free (edits->history);
  g_free (edits);
}

void
hir_document_edits_begin (HirDocumentEdits *edits, HirRequest *request)
{
  hir_document_forget_edited (edits);
  g_clear_pointer (&edits->before, hir_program_unref_async);
  hir_edit_history_begin (edits->history, request);
}

static void
content_free (HirDocumentContent *content)
{
  g_clear_pointer (&content->request, hir_request_unref);
  g_clear_pointer (&content->program, hir_program_unref_async);
  g_clear_pointer (&content->ranks, hir_rank_programs_unref);
  g_clear_pointer (&content->trace, hir_trace_unref);
  g_clear_pointer (&content->diagnostics, g_ptr_array_unref);
  g_clear_pointer (&content->edits, edits_free);
  g_clear_pointer (&content->kept, hir_run_child_free);
  g_free (content->recording_path);
  g_free (content);
}

void
hir_document_forget_before (HirDocument *self)
{
  g_clear_pointer (&self->before, content_free);
}

static void
forget_replaced (HirDocument *self)
{
  g_clear_pointer (&self->replaced, content_free);
}

void
hir_document_drop_loading (HirDocument *self)
{
  self->is_attaching = FALSE;
  if (self->loading == NULL)
    return;
  hir_open_job_set_func (self->loading, NULL, NULL);
  g_clear_pointer (&self->loading, hir_open_job_unref);
}

static void
stop_ranking (HirDocument *self)
{
  g_cancellable_cancel (self->ranking);
  g_clear_object (&self->ranking);
}

static void
stop_opening (HirDocument *self)
{
  g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  g_clear_pointer (&self->lowering, hir_lowering_progress_unref);
}

void
hir_document_set_request (HirDocument *self, HirRequest *request)
{
  if (request != NULL)
    hir_request_ref (request);
  g_clear_pointer (&self->request, hir_request_unref);
  self->request = request;
}

static void
hir_document_dispose (GObject *object)
{
  HirDocument *self = HIR_DOCUMENT (object);

  stop_opening (self);
  hir_document_drop_loading (self);
  hir_document_forget_before (self);
  forget_replaced (self);
  stop_ranking (self);
  g_clear_pointer (&self->child, hir_run_child_free);
  g_clear_pointer (&self->kept, hir_run_child_free);
  g_clear_pointer (&self->running, hir_run_entry_unref);
  g_clear_pointer (&self->kept_run, hir_run_entry_unref);
  /* Stops writing to the cache, which holds a reference. */
  if (self->runs != NULL)
    g_object_run_dispose (G_OBJECT (self->runs));
  g_clear_object (&self->runs);
  G_OBJECT_CLASS (hir_document_parent_class)->dispose (object);
}

static void
hir_document_finalize (GObject *object)
{
  HirDocument *self = HIR_DOCUMENT (object);

  g_clear_pointer (&self->request, hir_request_unref);
  g_clear_pointer (&self->program, hir_program_unref_async);
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  g_clear_pointer (&self->trace, hir_trace_unref);
  g_clear_pointer (&self->rules, hir_trace_rules_unref);
  g_ptr_array_unref (self->diagnostics);
  g_free (self->recording_path);
  g_free (self->status);
  edits_free (self->edits);
  G_OBJECT_CLASS (hir_document_parent_class)->finalize (object);
}

static void
add_signal (guint signal, const char *name, guint n_params, GType first, GType second)
{
  signals[signal] = g_signal_new (name, HIR_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, n_params, first, second);
}

static void
hir_document_class_init (HirDocumentClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_document_dispose;
  G_OBJECT_CLASS (klass)->finalize = hir_document_finalize;
  add_signal (PROGRAM_CHANGED, "program-changed", 0, G_TYPE_NONE, G_TYPE_NONE);
  add_signal (RANKS_CHANGED, "ranks-changed", 0, G_TYPE_NONE, G_TYPE_NONE);
  add_signal (TRACE_CHANGED, "trace-changed", 0, G_TYPE_NONE, G_TYPE_NONE);
  add_signal (STATE_CHANGED, "state-changed", 0, G_TYPE_NONE, G_TYPE_NONE);
  add_signal (RUN_FINISHED, "run-finished", 1, G_TYPE_POINTER, G_TYPE_NONE);
  signals[VALUE] = g_signal_new ("value", HIR_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 3, G_TYPE_UINT, G_TYPE_POINTER, G_TYPE_POINTER);
  signals[DEBUGGED] = g_signal_new ("debugged", HIR_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_POINTER);
  add_signal (FAILED, "failed", 2, G_TYPE_STRING, G_TYPE_STRING);
  add_signal (ATTACHED, "attached", 2, G_TYPE_POINTER, G_TYPE_STRING);
  add_signal (EDITED, "edited", 0, G_TYPE_NONE, G_TYPE_NONE);
}

static void
hir_document_init (HirDocument *self)
{
  self->diagnostics = diagnostics_new ();
  self->status = g_strdup ("");
  self->edits = edits_new ();
  self->runs = hir_run_history_new (NULL, hir_run_limits_get_default ());
}

HirDocument *
hir_document_new (void)
{
  return g_object_new (HIR_TYPE_DOCUMENT, NULL);
}

void
hir_document_set_status (HirDocument *self, char *status)
{
  g_free (self->status);
  self->status = status;
  g_signal_emit (self, signals[STATE_CHANGED], 0);
}

void
hir_document_set_trace (HirDocument *self, HirTrace *trace)
{
  if (trace != NULL)
    hir_trace_ref (trace);
  g_clear_pointer (&self->trace, hir_trace_unref);
  self->trace = trace;
  g_signal_emit (self, signals[TRACE_CHANGED], 0);
  hir_run_history_set_shown (self->runs, self->trace);
}

static void
set_ranks (HirDocument *self, HirRankPrograms *ranks)
{
  if (ranks != NULL)
    hir_rank_programs_ref (ranks);
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  self->ranks = ranks;
  g_signal_emit (self, signals[RANKS_CHANGED], 0);
}

static void
on_ranks (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirDocument) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRankPrograms) ranks = hir_rank_programs_new_finish (result, &error);

  /* Cancelled: the program was replaced, or the document was disposed. */
  if (ranks == NULL || g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_clear_object (&self->ranking);
  set_ranks (self, ranks);
}

/* Starts lowering for the other ranks. The program of one rank is already displayed. */
static void
begin_ranking (HirDocument *self)
{
  self->ranking = g_cancellable_new ();
  hir_rank_programs_new_async (self->program, self->ranking, on_ranks, g_object_ref (self));
}

/* Sets the program (nullable, taken), its diagnostics (taken) and its trace (nullable), then
 * emits the signals. */
static void
set_content (HirDocument *self, HirProgram *program, GPtrArray *diagnostics, HirTrace *trace)
{
  g_clear_pointer (&self->program, hir_program_unref_async);
  self->program = program;
  self->end_hash = program != NULL ? hir_program_get_end_hash (program) : 0;
  g_ptr_array_unref (self->diagnostics);
  self->diagnostics = diagnostics;
  g_clear_pointer (&self->trace, hir_trace_unref);
  self->trace = trace != NULL ? hir_trace_ref (trace) : NULL;
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  g_signal_emit (self, signals[PROGRAM_CHANGED], 0);
  g_signal_emit (self, signals[TRACE_CHANGED], 0);
  hir_run_history_set_shown (self->runs, self->trace);
}

void
hir_document_replace (HirDocument *self,
                      HirProgram *program,
                      GPtrArray *diagnostics,
                      HirRankPrograms *ranks,
                      HirTrace *trace)
{
  g_clear_pointer (&self->kept, hir_run_child_free);
  set_content (self, program != NULL ? hir_program_ref (program) : NULL,
               diagnostics != NULL ? diagnostics : diagnostics_new (), trace);
  set_ranks (self, ranks);
}

HirDocumentContent *
hir_document_take_content (HirDocument *self)
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
  self->diagnostics = diagnostics_new ();
  self->edits = edits_new ();
  return content;
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
  content_free (hir_document_take_content (self));
  edits_free (self->edits);
  self->request = before->request;
  self->recording_path = before->recording_path;
  self->edits = before->edits;
  program = before->program;
  ranks = before->ranks;
  trace = before->trace;
  hir_document_replace (self, program, before->diagnostics, ranks, trace);
  self->kept = before->kept;
}

void
hir_document_emit_attached (HirDocument *self, const char *const *paths, const char *why)
{
  g_signal_emit (self, signals[ATTACHED], 0, paths, why);
}

void
hir_document_emit_failed (HirDocument *self, const char *what, const char *why)
{
  g_signal_emit (self, signals[FAILED], 0, what, why);
}

void
hir_document_set_sentence (HirDocument *self, char *text)
{
  text[0] = g_ascii_toupper (text[0]);
  hir_document_set_status (self, text);
}

/* Most error messages start in lower case or with a path. */
void
hir_document_set_failed_status (HirDocument *self, const char *what, const char *why)
{
  hir_document_set_status (self, g_ascii_isupper (*why) ? g_strdup (why)
                                                        : g_strdup_printf ("%s: %s", what, why));
}

/* Returns @message without a list of several names at its end; the text shows the whole message. */
static char *
dup_without_list (const char *message)
{
  const char *list = g_strrstr (message, ": ");
  guint n_names = 0;

  for (const char *c = list; c != NULL && *c != '\0'; c++)
    n_names += *c == ',';
  return n_names >= 3 && strchr (list, ';') == NULL ? g_strndup (message, (gsize) (list - message))
                                                    : g_strdup (message);
}

char *
hir_document_describe_error (const GError *error, const char *pass)
{
  const char *at = pass != NULL ? pass : "Not lowered";
  HirPos pos = hir_error_get_pos (error);
  g_autofree char *message = dup_without_list (error->message);

  return pos.line > 0 ? g_strdup_printf ("%s, line %u: %s", at, pos.line, message)
                      : g_strdup_printf ("%s: %s", at, message);
}

char *
hir_document_describe_program (const HirProgram *program)
{
  guint n = program->views->len;

  if (program->error != NULL)
    return hir_document_describe_error (program->error, program->failed_pass);
  if (n == 1 && g_str_equal (((HirProgramView *) program->views->pdata[0])->pass_name, "Dump"))
    return g_strdup ("Printed program");
  return g_strdup_printf ("Lowered in %u step%s", n - 1, n == 2 ? "" : "s");
}

/* Edits start from the original request, so that automatic choices can change with the script. Only
 * the function is fixed, so that a new candidate does not make the request ambiguous. */
static void
begin_edits (HirDocument *self, const HirProgram *program)
{
  g_autoptr (HirRequest) request = hir_request_dup (self->request);

  if (program != NULL && request->function == NULL)
    request->function = g_strdup (program->request->function);
  if (program != NULL)
    request->pipeline = program->request->pipeline;
  hir_document_edits_begin (self->edits, request);
}

static void
on_lowered (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirDocument) self = user_data;
  g_autoptr (GPtrArray) diagnostics = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *status = NULL;
  HirProgram *program = hir_program_new_finish (result, &diagnostics, &error);

  /* Another operation has replaced this one, or the document was disposed. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;

  g_clear_object (&self->opening);
  g_clear_pointer (&self->lowering, hir_lowering_progress_unref);
  forget_replaced (self);
  begin_edits (self, program);
  if (program != NULL)
    {
      hir_document_set_request (self, program->request);
      status = hir_document_describe_program (program);
    }
  else
    {
      if (diagnostics->len == 0)
        g_ptr_array_add (diagnostics, hir_diagnostic_new_from_error (error));
      status = hir_document_describe_error (error, NULL);
    }
  g_clear_pointer (&self->kept, hir_run_child_free);
  set_content (self, program, g_steal_pointer (&diagnostics), NULL);
  if (self->opening == NULL && self->program != NULL && self->program == program)
    begin_ranking (self);
  if (self->opening == NULL)
    hir_document_set_status (self, g_steal_pointer (&status));
}

static void
restore_replaced (HirDocument *self)
{
  g_autofree HirDocumentContent *replaced = g_steal_pointer (&self->replaced);

  if (replaced == NULL)
    return;
  g_clear_pointer (&self->request, hir_request_unref);
  g_free (self->recording_path);
  edits_free (self->edits);
  self->request = replaced->request;
  self->recording_path = replaced->recording_path;
  self->edits = replaced->edits;
}

gboolean
hir_document_end_entry (HirDocument *self, HirRunVerdict verdict)
{
  g_autoptr (HirRunEntry) entry = g_steal_pointer (&self->running);
  gboolean stays = entry->kind != HIR_RUN_KIND_DEBUG || hir_run_entry_has_events (entry);

  entry->verdict = verdict;
  if (stays)
    hir_run_history_update (self->runs);
  else
    hir_run_history_remove (self->runs, entry);
  return stays;
}

/* Ends the run in progress, if there is one, and keeps its events in the history. */
static void
end_run (HirDocument *self)
{
  if (self->child == NULL)
    return;
  g_clear_pointer (&self->child, hir_run_child_free);
  hir_document_end_entry (self, HIR_RUN_STOPPED);
}

GCancellable *
hir_document_begin_opening (HirDocument *self)
{
  end_run (self);
  stop_opening (self);
  restore_replaced (self);
  hir_document_drop_loading (self);
  hir_document_put_back (self);
  stop_ranking (self);
  self->opening = g_cancellable_new ();
  return self->opening;
}

void
hir_document_begin_attaching (HirDocument *self)
{
  end_run (self);
  self->opening = g_cancellable_new ();
}

/* Saves the current request, so that cancelling can restore it. */
static void
save_replaced (HirDocument *self)
{
  self->replaced = g_new0 (HirDocumentContent, 1);
  self->replaced->request = g_steal_pointer (&self->request);
  self->replaced->recording_path = g_steal_pointer (&self->recording_path);
  self->replaced->edits = self->edits;
  self->edits = edits_new ();
}

void
hir_document_open (HirDocument *self, HirRequest *request)
{
  GCancellable *cancellable = hir_document_begin_opening (self);

  save_replaced (self);
  self->request = hir_request_ref (request);
  self->lowering = hir_lowering_progress_new ();
  hir_program_new_async (request, self->lowering, cancellable, on_lowered, g_object_ref (self));
  hir_document_set_status (self, g_strdup ("Lowering\xe2\x80\xa6"));
}

GCancellable *
hir_document_begin_edit (HirDocument *self, HirRequest *request)
{
  stop_opening (self);
  hir_document_drop_loading (self);
  hir_document_forget_before (self);
  self->opening = g_cancellable_new ();
  self->lowering = hir_lowering_progress_new ();
  hir_document_set_request (self, request);
  return self->opening;
}

gboolean
hir_document_end_edit (HirDocument *self, GCancellable *cancellable)
{
  if (self->opening != cancellable)
    return FALSE;
  g_clear_object (&self->opening);
  g_clear_pointer (&self->lowering, hir_lowering_progress_unref);
  return TRUE;
}

gboolean
hir_document_get_lowering (HirDocument *self, const char **what, guint *n_done, guint *n_steps)
{
  if (self->lowering == NULL)
    return FALSE;
  *what = hir_lowering_progress_get (self->lowering, n_done, n_steps);
  return TRUE;
}

void
hir_document_cancel_lowering (HirDocument *self)
{
  gboolean is_edit = self->replaced == NULL;

  if (self->lowering == NULL)
    return;
  stop_opening (self);
  restore_replaced (self);
  if (is_edit)
    {
      self->edits->is_behind = TRUE;
      hir_document_set_diagnostics (self, diagnostics_new ());
    }
  else if (self->program != NULL && self->program->lowering != NULL && self->ranks == NULL)
    {
      begin_ranking (self);
    }
  hir_document_emit_edited (self);
  hir_document_set_status (self, g_strdup ("Lowering was cancelled"));
}

void
hir_document_set_path_of (HirDocument *self, const HirRunEntry *entry)
{
  if (entry == NULL)
    return;
  g_free (self->recording_path);
  /* Of an entry that is not a recording, the path is that of the cache. */
  self->recording_path = entry->path != NULL && !entry->owns_path ? g_strdup (entry->path) : NULL;
}

void
hir_document_show (HirDocument *self,
                   HirProgram *program,
                   GPtrArray *diagnostics,
                   HirTrace *trace,
                   gboolean keeps_run)
{
  if (!keeps_run)
    end_run (self);
  /* The recording file does not match the displayed program any more. */
  if (trace == NULL)
    g_clear_pointer (&self->recording_path, g_free);
  else
    hir_document_set_path_of (self, hir_run_history_find_trace (self->runs, trace));
  stop_ranking (self);
  /* A trace has none. */
  if (!self->edits->is_behind)
    hir_document_set_request (self, program->request);
  set_content (self, program, diagnostics, trace);
  if (self->opening == NULL && self->program == program)
    begin_ranking (self);
}

void
hir_document_show_ranks (HirDocument *self, HirRankPrograms *ranks)
{
  stop_ranking (self);
  set_ranks (self, ranks);
}

void
hir_document_set_diagnostics (HirDocument *self, GPtrArray *diagnostics)
{
  g_ptr_array_unref (self->diagnostics);
  self->diagnostics = diagnostics;
}

void
hir_document_emit_edited (HirDocument *self)
{
  g_signal_emit (self, signals[EDITED], 0);
}

HirProgram *
hir_document_get_program (HirDocument *self)
{
  return self->program;
}

HirRankPrograms *
hir_document_get_ranks (HirDocument *self)
{
  return self->ranks;
}

HirTrace *
hir_document_get_trace (HirDocument *self)
{
  return self->trace;
}

HirRequest *
hir_document_get_request (HirDocument *self)
{
  return self->request;
}

GPtrArray *
hir_document_get_diagnostics (HirDocument *self)
{
  return self->diagnostics;
}

const char *
hir_document_get_recording_path (HirDocument *self)
{
  return self->recording_path;
}

void
hir_document_set_rules (HirDocument *self, HirTraceRules *rules)
{
  if (rules != NULL)
    hir_trace_rules_ref (rules);
  g_clear_pointer (&self->rules, hir_trace_rules_unref);
  self->rules = rules;
}

gboolean
hir_document_get_is_attaching (HirDocument *self)
{
  return self->is_attaching;
}

gboolean
hir_document_get_is_lowering (HirDocument *self)
{
  return self->opening != NULL;
}

const char *
hir_document_get_status (HirDocument *self)
{
  return self->status;
}
