/* Runs of the document: start, progress, end, queries. */
#include "document/document-private.h"
#include "document/document.h"

/* The new events of a run are displayed if its earlier ones are, which may be none yet. */
static gboolean
is_displayed (HirDocument *self, const HirRunEntry *entry)
{
  return self->trace == entry->trace && self->end_hash == entry->end_hash;
}

static void
on_run_trace (HirTrace *trace, gpointer user_data)
{
  HirDocument *self = user_data;
  HirRunEntry *entry = self->running;
  HirTrace **good_trace = &self->edits->good_trace;
  gboolean displays = is_displayed (self, entry);

  if (*good_trace != NULL && *good_trace == entry->trace)
    {
      hir_trace_unref (*good_trace);
      *good_trace = hir_trace_ref (trace);
    }
  hir_run_entry_set_trace (entry, trace);
  if (displays)
    hir_document_set_trace (self, trace);
}

static void
on_run_status (const char *text, gpointer user_data)
{
  hir_document_set_status (user_data, g_strdup (text));
}

static HirRunVerdict
get_verdict (const HirRunOutcome *outcome)
{
  static const HirRunVerdict checked[] = {
    [HIR_CHECK_RIGHT] = HIR_RUN_CORRECT,
    [HIR_CHECK_UNDECIDED] = HIR_RUN_UNDECIDED,
    [HIR_CHECK_WRONG] = HIR_RUN_INCORRECT,
  };

  if (!outcome->is_done)
    return outcome->is_stopped ? HIR_RUN_STOPPED : HIR_RUN_FAILED;
  return outcome->check != NULL ? checked[outcome->check_outcome] : HIR_RUN_UNCHECKED;
}

/* After a debug session that has executed nothing, the run before it is displayed again. */
static void
end_entry (HirDocument *self, HirRunVerdict verdict)
{
  g_autoptr (HirRunEntry) entry = hir_run_entry_ref (self->running);
  gboolean displays = is_displayed (self, entry);
  HirRunEntry *last;

  if (hir_document_end_entry (self, verdict))
    return;
  self->empty_hash = entry->end_hash;
  if (!displays)
    return;
  last = hir_run_history_find_program (self->runs, entry->end_hash);
  if (last != NULL)
    hir_document_show_run (self, last->number);
}

static void
on_run_finished (const HirRunOutcome *outcome, gpointer user_data)
{
  g_autoptr (HirDocument) self = g_object_ref (user_data);
  g_autoptr (HirRunChild) child = g_steal_pointer (&self->child);

  if (outcome->has_values)
    {
      self->kept = g_steal_pointer (&child);
      g_clear_pointer (&self->kept_run, hir_run_entry_unref);
      self->kept_run = hir_run_entry_ref (self->running);
    }
  end_entry (self, get_verdict (outcome));
  if (outcome->is_done || outcome->is_stopped)
    hir_document_set_sentence (self, g_strdup (outcome->summary));
  else
    hir_document_set_failed_status (self, "The run failed", outcome->summary);
  g_signal_emit_by_name (self, "run-finished", outcome);
  if (!outcome->is_done && !outcome->is_stopped)
    hir_document_emit_failed (self, "The run failed", outcome->summary);
}

static void
on_value (guint number, const HirValueSummary *summary, const GError *error, gpointer user_data)
{
  g_signal_emit_by_name (user_data, "value", number, summary, error);
}

static void
on_debugged (guint number, const HirDebugState *state, gpointer user_data)
{
  g_signal_emit_by_name (user_data, "debugged", number, state);
}

guint
hir_document_debug (HirDocument *self, const char *line)
{
  return self->child != NULL ? hir_run_child_debug (self->child, line) : 0;
}

void
hir_document_pause (HirDocument *self)
{
  if (self->child != NULL)
    hir_run_child_pause (self->child);
}

/* Values are those of one run. */
gboolean
hir_document_has_values (HirDocument *self)
{
  return (self->kept != NULL && self->trace != NULL && is_displayed (self, self->kept_run)) ||
         (self->child != NULL && is_displayed (self, self->running) &&
          hir_run_child_has_stood (self->child));
}

guint
hir_document_ask_value (HirDocument *self, int rank, guint64 tensor_id, const HirValueQuery *query)
{
  HirRunChild *child = self->kept != NULL ? self->kept : self->child;

  return hir_document_has_values (self) ? hir_run_child_ask (child, rank, tensor_id, query) : 0;
}

/* Starts a run of @program. Returns FALSE and emits failed if this is not possible. */
static gboolean
start (HirDocument *self,
       HirProgram *program,
       HirRankPrograms *ranks,
       const HirRunSettings *settings)
{
  static const HirRunChildCallbacks callbacks = { on_run_trace, on_run_status, on_run_finished,
                                                  on_value, on_debugged };
  g_autoptr (GError) error = NULL;
  HirRunChild *child = hir_run_child_new (program, settings, NULL, &callbacks, self, &error);

  if (child == NULL)
    {
      hir_document_set_failed_status (self, "The run could not be started", error->message);
      hir_document_emit_failed (self, "The run could not be started", error->message);
      return FALSE;
    }
  g_clear_pointer (&self->kept, hir_run_child_free);
  self->child = child;
  self->empty_hash = 0;
  self->wanted_run = 0;
  self->running = hir_run_entry_new (settings->debug ? HIR_RUN_KIND_DEBUG : HIR_RUN_KIND_RUN,
                                     program, ranks, settings);
  hir_run_history_add (self->runs, hir_run_entry_ref (self->running));
  return TRUE;
}

void
hir_document_run (HirDocument *self, const HirRunSettings *settings)
{
  if (!hir_document_can_run (self))
    return;
  hir_document_leave_run (self);
  if (!start (self, self->program, self->ranks, settings))
    return;
  hir_document_set_trace (self, NULL);
  g_clear_pointer (&self->recording_path, g_free);
  hir_document_set_status (self, g_strdup ("Starting the run\xe2\x80\xa6"));
}

void
hir_document_run_again (HirDocument *self, HirRunEntry *entry)
{
  g_return_if_fail (entry->program != NULL && entry->request != NULL);

  if (!hir_document_can_run (self))
    return;
  if (entry->end_hash == self->end_hash)
    hir_document_set_trace (self, NULL);
  if (start (self, entry->program, entry->ranks, &entry->settings))
    hir_document_set_status (self, g_strdup ("Starting the run\xe2\x80\xa6"));
}

void
hir_document_stop_run (HirDocument *self)
{
  if (self->child != NULL)
    hir_run_child_stop (self->child);
}

gboolean
hir_document_get_is_running (HirDocument *self)
{
  return self->child != NULL;
}

gboolean
hir_document_can_run (HirDocument *self)
{
  return hir_document_get_obstacle (self) == NULL;
}

const char *
hir_document_get_obstacle (HirDocument *self)
{
  HirProgram *program = self->edits->shows_run ? self->edits->good : self->program;

  if (self->child != NULL)
    return self->running != NULL && self->running->settings.debug
               ? "The program is being debugged; F8 continues it, Shift+F5 stops it"
               : "A run is in progress; Shift+F5 stops it";
  if (hir_document_get_is_lowering (self))
    return "The program is being lowered; wait for its end";
  if (self->opening != NULL)
    return "A file is being read; wait for its end";
  if (self->edits->is_behind || program == NULL || program->error != NULL)
    return "No valid program; fix or undo the error in the script first";
  return program->request == NULL ? "A trace has no program to run; attach one with Ctrl+J" : NULL;
}

char *
hir_document_dup_no_recording (HirDocument *self)
{
  const char *obstacle = hir_document_get_obstacle (self);

  if (obstacle != NULL)
    return g_strdup_printf ("No recording. %s", obstacle);
  if (self->empty_hash != 0 && self->empty_hash == self->end_hash)
    return g_strdup ("No recording: the debug session was stopped before it recorded anything; "
                     "press Space to run the program");
  return g_strdup ("No recording; press Space to run the program");
}
