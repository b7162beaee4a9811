/* Lowers changed requests and keeps the last valid program. */
#include "document/document-private.h"
#include "program/program-effect.h"

#define UNDONE "Undone: "

/* Data of a lowering task. */
typedef struct
{
  HirDocument *document;
  GCancellable *cancellable;
  char *what;        /* nullable */
  gboolean can_undo; /* mention Ctrl+Z in the status */
  gboolean is_undo;
} Edit;

static void
edit_free (Edit *edit)
{
  g_object_unref (edit->document);
  g_object_unref (edit->cancellable);
  g_free (edit->what);
  g_free (edit);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Edit, edit_free)

/* Reports a failed change. The displayed program stays. */
static void
fail (HirDocument *self, GPtrArray *diagnostics, const GError *error, const char *pass)
{
  self->edits->is_behind = TRUE;
  if (diagnostics->len == 0)
    g_ptr_array_add (diagnostics, hir_diagnostic_new_from_error (error));
  hir_document_set_diagnostics (self, diagnostics);
  hir_document_emit_edited (self);
  hir_document_set_status (self, hir_document_describe_error (error, pass));
}

/* Returns the last valid program, or NULL. */
static HirProgram *
get_good (HirDocument *self)
{
  HirDocumentEdits *edits = self->edits;
  HirProgram *program = edits->good != NULL ? edits->good : self->program;

  return program != NULL && program->error == NULL ? program : NULL;
}

static HirTrace *
get_good_trace (HirDocument *self)
{
  HirDocumentEdits *edits = self->edits;

  return edits->good != NULL ? edits->good_trace : self->trace;
}

static gboolean
has_other_inputs (const HirProgram *a, const HirProgram *b)
{
  static const char *const none[] = { NULL };
  char **left = a->request->inputs, **right = b->request->inputs;

  return !g_strv_equal (left != NULL ? (const char *const *) left : none,
                        right != NULL ? (const char *const *) right : none);
}

/* Describes what has changed since @good (nullable), the last valid program. */
static char *
dup_effect (const HirProgram *good, const HirProgram *program, gboolean is_same)
{
  if (good == NULL)
    return hir_document_describe_program (program);
  if (is_same && good->request != NULL && has_other_inputs (good, program))
    return g_strdup ("used by the next run");
  return hir_program_dup_effect (good, program);
}

static void
take_good (HirDocument *self, HirProgram *program, GPtrArray *diagnostics, const Edit *edit)
{
  const char *what = edit->what;
  HirDocumentEdits *edits = self->edits;
  HirProgram *good = get_good (self);
  HirTrace *good_trace = get_good_trace (self);
  gboolean is_same = good != NULL && hir_program_same_end (good, program);
  HirRunEntry *run =
      is_same ? NULL
              : hir_run_history_find_program (self->runs, hir_program_get_end_hash (program));
  HirTrace *shown = is_same ? good_trace : run != NULL ? run->trace : NULL;
  guint unread = run != NULL && shown == NULL ? run->number : 0;
  g_autoptr (HirTrace) trace = shown != NULL ? hir_trace_ref (shown) : NULL;
  g_autofree char *effect = dup_effect (good, program, is_same);
  char *status = what == NULL ? g_strdup (effect)
                 : edit->can_undo
                     ? g_strdup_printf ("%s: %s \xc2\xb7 Ctrl+Z undoes it", what, effect)
                     : g_strdup_printf ("%s \xc2\xb7 %s", what, effect);

  /* A change that was undone has no effect any more. */
  if (good != NULL || edit->is_undo)
    {
      HirProgram *before = good != NULL && !edit->is_undo ? hir_program_ref (good) : NULL;

      g_clear_pointer (&edits->before, hir_program_unref_async);
      edits->before = before;
    }
  hir_document_forget_edited (edits);
  hir_document_show (self, program, diagnostics, trace, is_same);
  hir_document_emit_edited (self);
  if (run != NULL && run->is_kept)
    {
      g_autofree char *title = hir_run_entry_dup_long_title (run);
      g_autofree char *what_is_done = status;

      status = g_strdup_printf ("%s \xc2\xb7 %s", what_is_done, title);
    }
  if (what == NULL)
    hir_document_set_sentence (self, status);
  else
    hir_document_set_status (self, status);
  if (unread != 0)
    hir_document_show_run (self, unread);
}

/* Stores a program that a pass has rejected. Displays it only if there is no valid one. */
static void
take_rejected (HirDocument *self, HirProgram *program, GPtrArray *diagnostics)
{
  HirDocumentEdits *edits = self->edits;
  gboolean is_shown = edits->good != NULL;

  if (get_good (self) == NULL)
    {
      hir_document_forget_edited (edits);
      hir_document_show (self, program, diagnostics, NULL, FALSE);
      hir_document_emit_edited (self);
      hir_document_set_status (self, hir_document_describe_program (program));
      return;
    }
  g_clear_pointer (&edits->rejected, hir_program_unref_async);
  edits->rejected = program;
  if (is_shown)
    hir_document_show (self, hir_program_ref (program), g_ptr_array_ref (diagnostics), NULL, TRUE);
  fail (self, diagnostics, program->error, program->failed_pass);
}

/* Changes of passes apply to the pipeline that the script selects. */
static void
follow_pipeline (HirDocument *self, HirPipelineKind pipeline)
{
  g_autoptr (HirRequest) request = hir_request_dup (hir_document_get_edit (self));

  if (request->pipeline == pipeline)
    return;
  request->pipeline = pipeline;
  hir_edit_history_replace (self->edits->history, request);
}

static void
on_edited (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (Edit) edit = user_data;
  HirDocument *self = edit->document;
  GPtrArray *diagnostics;
  g_autoptr (GError) error = NULL;
  HirProgram *program = hir_program_new_finish (result, &diagnostics, &error);

  if (!hir_document_end_edit (self, edit->cancellable))
    {
      g_clear_pointer (&program, hir_program_unref_async);
      g_ptr_array_unref (diagnostics);
      return;
    }
  if (program != NULL)
    follow_pipeline (self, program->request->pipeline);
  if (program != NULL && program->error == NULL)
    {
      take_good (self, program, diagnostics, edit);
      return;
    }
  if (program != NULL)
    {
      take_rejected (self, program, diagnostics);
      return;
    }
  hir_document_show_rejected (self, FALSE);
  g_clear_pointer (&self->edits->rejected, hir_program_unref_async);
  fail (self, diagnostics, error, NULL);
}

static void
lower (HirDocument *self, HirRequest *request, char *what, gboolean can_undo, gboolean is_undo)
{
  Edit *edit = g_new0 (Edit, 1);

  hir_document_leave_run (self);
  edit->document = g_object_ref (self);
  edit->cancellable = g_object_ref (hir_document_begin_edit (self, request));
  edit->what = what;
  edit->can_undo = can_undo;
  edit->is_undo = is_undo;
  hir_program_new_async (request, self->lowering, edit->cancellable, on_edited, edit);
  hir_document_emit_edited (self);
  hir_document_set_status (self, g_strdup ("Lowering\xe2\x80\xa6"));
}

HirRequest *
hir_document_get_edit (HirDocument *self)
{
  return hir_edit_history_get (self->edits->history);
}

void
hir_document_edit (HirDocument *self, HirRequest *request, const char *what)
{
  g_return_if_fail (hir_document_get_edit (self) != NULL);

  hir_edit_history_add (self->edits->history, request, what);
  lower (self, request, g_strdup (what), TRUE, FALSE);
}

void
hir_document_rename_edit (HirDocument *self, const char *path)
{
  g_return_if_fail (hir_document_get_edit (self) != NULL);

  hir_edit_history_rename (self->edits->history, path);
  lower (self, hir_document_get_edit (self), NULL, FALSE, FALSE);
}

void
hir_document_add_other (HirDocument *self,
                        const char *what,
                        HirEditFunc func,
                        gpointer data,
                        GDestroyNotify free,
                        gsize size_bytes)
{
  hir_edit_history_add_other (self->edits->history, what, func, data, free, size_bytes);
  hir_document_set_status (self, g_strdup_printf ("%s \xc2\xb7 Ctrl+Z undoes it", what));
}

/* Displays another run of the program in place of a deleted one, or none. */
static void
show_next (HirDocument *self)
{
  HirRunEntry *next;

  if (self->edits->shows_run)
    {
      hir_document_leave_run (self);
      return;
    }
  next = hir_run_history_find_program (self->runs, self->end_hash);
  g_clear_pointer (&self->recording_path, g_free);
  hir_document_set_trace (self, NULL);
  if (next != NULL)
    hir_document_show_run (self, next->number);
}

static void
remove_run (HirDocument *self, HirRunEntry *entry)
{
  HirDocumentEdits *edits = self->edits;

  entry->was_shown = hir_document_get_shown_run (self) == entry;
  hir_run_history_remove (self->runs, entry);
  /* The run of the current program, which would be displayed again. */
  if (edits->good_run == entry)
    {
      g_clear_pointer (&edits->good_run, hir_run_entry_unref);
      g_clear_pointer (&edits->good_trace, hir_trace_unref);
      g_clear_pointer (&edits->good_path, g_free);
    }
  if (entry->was_shown)
    show_next (self);
}

static void
restore_run (HirDocument *self, HirRunEntry *entry)
{
  hir_run_history_restore (self->runs, entry);
  if (entry->was_shown)
    hir_document_show_run (self, entry->number);
}

static void
undo_deletion (gpointer document, gpointer entry, gboolean is_undone)
{
  if (is_undone)
    restore_run (document, entry);
  else
    remove_run (document, entry);
}

void
hir_document_delete_run (HirDocument *self, HirRunEntry *entry)
{
  g_autofree char *title = hir_run_entry_dup_long_title (entry);
  g_autofree char *what = g_strdup_printf ("Deletion of %s", title);

  hir_run_entry_ref (entry);
  remove_run (self, entry);
  hir_document_add_other (self, what, undo_deletion, entry, (GDestroyNotify) hir_run_entry_unref,
                          hir_run_entry_get_size_bytes (entry));
}

void
hir_document_restore_run (HirDocument *self, HirRunEntry *entry)
{
  g_autofree char *title = hir_run_entry_dup_long_title (entry);

  restore_run (self, entry);
  hir_edit_history_forget (self->edits->history, entry);
  hir_document_set_status (self, g_strdup_printf ("Restored %s", title));
}

/* Moves in the history. Takes @what, the new status. */
static gboolean
move (HirDocument *self, gboolean (*by) (HirEditHistory *, gpointer), char *what)
{
  HirRequest *before = hir_document_get_edit (self);
  g_autofree char *status = what;

  if (!by (self->edits->history, self))
    return FALSE;
  if (hir_document_get_edit (self) != before)
    lower (self, hir_document_get_edit (self), g_steal_pointer (&status), FALSE,
           by == hir_edit_history_undo);
  else
    hir_document_set_status (self, g_steal_pointer (&status));
  return TRUE;
}

gboolean
hir_document_undo (HirDocument *self)
{
  const char *what = hir_edit_history_get_undo (self->edits->history);

  return move (self, hir_edit_history_undo, g_strdup_printf (UNDONE "%s", what));
}

void
hir_document_forget_undone (HirDocument *self)
{
  if (g_str_has_prefix (self->status, UNDONE) && self->program != NULL)
    hir_document_set_status (self, hir_document_describe_program (self->program));
}

gboolean
hir_document_redo (HirDocument *self)
{
  return move (self, hir_edit_history_redo,
               g_strdup (hir_edit_history_get_redo (self->edits->history)));
}

const char *
hir_document_get_undo (HirDocument *self)
{
  return hir_edit_history_get_undo (self->edits->history);
}

const char *
hir_document_get_redo (HirDocument *self)
{
  return hir_edit_history_get_redo (self->edits->history);
}

gboolean
hir_document_is_outdated (HirDocument *self)
{
  return self->edits->is_behind;
}

HirProgram *
hir_document_get_rejected (HirDocument *self)
{
  return self->edits->rejected;
}

HirProgram *
hir_document_get_before (HirDocument *self)
{
  return self->edits->before;
}

gboolean
hir_document_shows_rejected (HirDocument *self)
{
  return self->edits->good != NULL && !self->edits->shows_run;
}

static GPtrArray *
dup_diagnostics (HirDocument *self)
{
  GPtrArray *from = self->diagnostics;
  GPtrArray *to = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);

  for (guint i = 0; i < from->len; i++)
    {
      const HirDiagnostic *diagnostic = from->pdata[i];

      g_ptr_array_add (to, hir_diagnostic_new (diagnostic->code, diagnostic->pos, "%s",
                                               diagnostic->message));
    }
  return to;
}

void
hir_document_show_rejected (HirDocument *self, gboolean rejected)
{
  HirDocumentEdits *edits = self->edits;
  HirTrace *trace;

  hir_document_leave_run (self);
  if (edits->rejected == NULL || rejected == hir_document_shows_rejected (self))
    return;
  if (rejected)
    {
      trace = self->trace;
      edits->good = hir_program_ref (self->program);
      edits->good_trace = trace != NULL ? hir_trace_ref (trace) : NULL;
      hir_document_show (self, hir_program_ref (edits->rejected), dup_diagnostics (self), NULL,
                         TRUE);
    }
  else
    {
      g_autoptr (HirTrace) kept = g_steal_pointer (&edits->good_trace);

      hir_document_show (self, g_steal_pointer (&edits->good), dup_diagnostics (self), kept, TRUE);
    }
  hir_document_emit_edited (self);
}
