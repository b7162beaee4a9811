/* The history of runs, and the display of earlier ones. */
#include "document/document-private.h"
#include "document/document.h"
#include "program/program-effect.h"
#include "program/run-differences.h"

HirRunHistory *
hir_document_get_runs (HirDocument *self)
{
  return self->runs;
}

HirRunEntry *
hir_document_get_shown_run (HirDocument *self)
{
  HirRunEntry *entry = hir_run_history_find_trace (self->runs, self->trace);

  /* A run without events yet. */
  if (entry == NULL && self->trace == NULL && self->running != NULL &&
      self->running->trace == NULL && self->running->end_hash == self->end_hash)
    return self->running;
  return entry;
}

HirJoin *
hir_document_get_join (HirDocument *self)
{
  const HirRunEntry *run = hir_document_get_shown_run (self);

  return run != NULL ? run->join : NULL;
}

gboolean
hir_document_shows_run (HirDocument *self)
{
  return self->edits->shows_run;
}

gboolean
hir_document_is_earlier_run (HirDocument *self, const HirRunEntry *entry)
{
  const HirProgram *good = self->edits->good;

  return entry->end_hash != (good != NULL ? hir_program_get_end_hash (good) : self->end_hash);
}

/* Returns the request of the current program, or NULL if there is none. */
static const HirRequest *
get_open (HirDocument *self)
{
  const HirProgram *program = self->edits->good != NULL ? self->edits->good : self->program;

  return program != NULL ? program->request : NULL;
}

HirRunProgram
hir_document_get_run_program (HirDocument *self, const HirRunEntry *entry)
{
  const HirRequest *open = get_open (self), *request = entry->request;

  if (!hir_document_is_earlier_run (self, entry))
    return HIR_RUN_PROGRAM_OPEN;
  if (open == NULL || open->function == NULL || request->function == NULL ||
      g_str_equal (open->function, request->function))
    return HIR_RUN_PROGRAM_EARLIER;
  return g_str_equal (open->source->path, request->source->path) ? HIR_RUN_PROGRAM_OTHER_FUNCTION
                                                                 : HIR_RUN_PROGRAM_OTHER_SCRIPT;
}

/* Returns the run that the options of @entry are compared with: the displayed one, otherwise the
 * newest other one. Returns NULL if there is none. */
static const HirRunEntry *
get_reference (HirDocument *self, const HirRunEntry *entry)
{
  const HirRunEntry *shown = hir_document_get_shown_run (self);

  if (shown != NULL)
    return shown != entry ? shown : NULL;
  for (guint i = hir_run_history_get_n (self->runs); i-- > 0;)
    if (hir_run_history_get (self->runs, i) != entry)
      return hir_run_history_get (self->runs, i);
  return NULL;
}

static void
add_note (GString *note, const char *text)
{
  if (text != NULL && *text != '\0')
    g_string_append_printf (note, "%s%s", note->len > 0 ? " \302\267 " : "", text);
}

char *
hir_document_dup_run_note (HirDocument *self, const HirRunEntry *entry)
{
  static const char *const programs[] = {
    [HIR_RUN_PROGRAM_OPEN] = NULL,
    [HIR_RUN_PROGRAM_EARLIER] = "Program has changed since",
    [HIR_RUN_PROGRAM_OTHER_FUNCTION] = "Another function",
    [HIR_RUN_PROGRAM_OTHER_SCRIPT] = "Another script",
  };
  const HirRunEntry *reference = get_reference (self, entry);
  gboolean is_earlier = hir_document_is_earlier_run (self, entry);
  gboolean knows_both = reference != NULL && entry->has_settings && reference->has_settings;
  g_autofree char *differences =
      hir_run_dup_differences_from (entry->request, knows_both ? &entry->settings : NULL,
                                    reference != NULL ? reference->request : NULL,
                                    knows_both ? &reference->settings : NULL,
                                    is_earlier ? get_open (self) : NULL);
  GString *note = g_string_new (NULL);

  if (entry == hir_document_get_shown_run (self))
    add_note (note, "Displayed");
  add_note (note, entry->stopped);
  if (entry->is_kept)
    add_note (note, "Earlier session");
  add_note (note, programs[hir_document_get_run_program (self, entry)]);
  add_note (note, differences);
  if (note->len == 0 && reference != NULL)
    add_note (note, "Same options");
  return g_string_free (note, FALSE);
}

/* Displays @program (taken) without ending a run. */
static void
show (HirDocument *self, HirProgram *program, HirTrace *trace, HirRankPrograms *ranks)
{
  hir_document_show (self, program, g_ptr_array_ref (self->diagnostics), trace, TRUE);
  if (ranks != NULL)
    hir_document_show_ranks (self, ranks);
}

void
hir_document_leave_run (HirDocument *self)
{
  HirDocumentEdits *edits = self->edits;
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirRankPrograms) ranks = NULL;
  g_autoptr (HirRunEntry) run = NULL;
  HirProgram *program;

  self->wanted_run = 0;
  if (!edits->shows_run)
    return;
  program = g_steal_pointer (&edits->good);
  trace = g_steal_pointer (&edits->good_trace);
  ranks = g_steal_pointer (&edits->good_ranks);
  run = g_steal_pointer (&edits->good_run);
  edits->shows_run = FALSE;
  /* It may have been moved to disk. */
  if (run != NULL && run->trace == NULL)
    {
      run->program = hir_program_ref (program);
      run->ranks = ranks != NULL ? hir_rank_programs_ref (ranks) : NULL;
      hir_run_entry_set_trace (run, trace);
    }
  g_free (self->recording_path);
  self->recording_path = g_steal_pointer (&edits->good_path);
  show (self, program, trace, ranks);
  hir_document_emit_edited (self);
  hir_document_set_status (self, g_strdup ("The current program"));
}

static void
remember_current (HirDocument *self)
{
  HirDocumentEdits *edits = self->edits;
  HirRunEntry *run = hir_document_get_shown_run (self);

  edits->shows_run = TRUE;
  if (edits->good != NULL) /* a rejected program is displayed */
    return;
  edits->good = hir_program_ref (self->program);
  edits->good_trace = self->trace != NULL ? hir_trace_ref (self->trace) : NULL;
  edits->good_ranks = self->ranks != NULL ? hir_rank_programs_ref (self->ranks) : NULL;
  edits->good_run = run != NULL ? hir_run_entry_ref (run) : NULL;
  edits->good_path = g_strdup (self->recording_path);
}

/* Returns the status of the displayed run. */
static char *
describe (const HirRunEntry *entry, gboolean with_program)
{
  g_autofree char *title = hir_run_entry_dup_long_title (entry);
  guint n = entry->join != NULL ? entry->join->findings->len : 0;
  GString *text = g_string_new (title);

  if (with_program)
    g_string_append (text, ", with its program");
  if (entry->stopped != NULL)
    g_string_append_printf (text, ". %s", entry->stopped);
  if (entry->verdict == HIR_RUN_INCORRECT || entry->verdict == HIR_RUN_UNDECIDED)
    g_string_append_printf (text, "; check: %s", hir_run_verdict_get_text (entry->verdict));
  if (n > 0)
    g_string_append_printf (text, "; %u difference%s from the program (F7)", n, n == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}

static void
display (HirDocument *self, HirRunEntry *entry)
{
  if (!hir_document_is_earlier_run (self, entry))
    {
      /* The rejected program is left in the same way. */
      self->edits->shows_run |= self->edits->good != NULL;
      hir_document_leave_run (self);
      hir_document_set_path_of (self, entry);
      hir_document_set_trace (self, entry->trace);
      hir_document_set_status (self, describe (entry, FALSE));
      return;
    }
  if (!self->edits->shows_run)
    remember_current (self);
  show (self, hir_program_ref (entry->program), entry->trace, entry->ranks);
  hir_document_emit_edited (self);
  hir_document_set_status (self, describe (entry, TRUE));
}

static void
on_loaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirDocument) self = user_data;
  g_autoptr (GError) error = NULL;
  gboolean done = hir_run_history_load_finish (HIR_RUN_HISTORY (source), result, &error);
  HirRunEntry *entry = self->wanted_run != 0 && self->runs != NULL
                           ? hir_run_history_find (self->runs, self->wanted_run)
                           : NULL;

  if (!done || entry == NULL || entry->trace == NULL)
    return;
  self->wanted_run = 0;
  display (self, entry);
  hir_run_history_update (self->runs);
}

void
hir_document_show_run (HirDocument *self, guint number)
{
  HirRunEntry *entry = hir_run_history_find (self->runs, number);

  /* While another document is being opened, the displayed one cannot change. */
  if (entry == NULL || self->program == NULL || self->replaced != NULL || self->loading != NULL ||
      entry == hir_document_get_shown_run (self))
    return;
  self->wanted_run = number;
  if (entry->trace == NULL && entry->path != NULL)
    hir_run_history_load_async (self->runs, entry, on_loaded, g_object_ref (self));
  else
    display (self, entry);
}

/* Reads settings and start from the metadata of a recording. */
static void
read_meta (HirRunEntry *entry, HirTrace *trace)
{
  const char *run = hir_trace_get_meta (trace, "run");
  const char *created = hir_trace_get_meta (trace, HIR_META_CREATED);
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr (GDateTime) time = created != NULL ? g_date_time_new_from_iso8601 (created, utc) : NULL;

  hir_run_settings_clear (&entry->settings);
  entry->has_settings = hir_run_settings_parse (&entry->settings, run);
  if (time != NULL)
    entry->start_us = g_date_time_to_unix (time) * G_USEC_PER_SEC;
}

void
hir_document_add_recorded (HirDocument *self, const char *path, HirTrace *trace, HirJoin *join)
{
  HirRunEntry *entry;

  if (self->program == NULL || self->program->request == NULL || trace == NULL)
    return;
  for (guint i = hir_run_history_get_n (self->runs); path != NULL && i-- > 0;)
    {
      entry = hir_run_history_get (self->runs, i);
      if (entry->kind == HIR_RUN_KIND_RECORDING && g_strcmp0 (entry->path, path) == 0)
        hir_run_history_remove (self->runs, entry);
    }
  entry = hir_run_entry_new (path != NULL ? HIR_RUN_KIND_RECORDING : HIR_RUN_KIND_ATTACHED,
                             self->program, self->ranks, NULL);
  read_meta (entry, trace);
  entry->path = g_strdup (path);
  entry->join = join != NULL ? hir_join_ref (join) : NULL;
  hir_run_entry_set_trace (entry, trace);
  if (entry->stopped != NULL)
    entry->verdict = HIR_RUN_STOPPED;
  hir_run_history_add (self->runs, entry);
}
