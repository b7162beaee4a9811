#include "document/run-entry.h"

#include <glib/gstdio.h>
#include <string.h>

#include "document/run-kept.h"
#include "program/program-effect.h"

/* Estimated memory of a node of a snapshot, with its facts and its part of the graph. */
#define NODE_BYTES 1500

HirRunEntry *
hir_run_entry_new (HirRunKind kind,
                   HirProgram *program,
                   HirRankPrograms *ranks,
                   const HirRunSettings *settings)
{
  HirRunEntry *self = g_atomic_rc_box_new0 (HirRunEntry);

  self->kind = kind;
  self->verdict =
      kind == HIR_RUN_KIND_RUN || kind == HIR_RUN_KIND_DEBUG ? HIR_RUN_RUNNING : HIR_RUN_UNCHECKED;
  if (settings != NULL)
    hir_run_settings_copy (&self->settings, settings);
  else
    hir_run_settings_init (&self->settings);
  self->has_settings = settings != NULL;
  self->program = hir_program_ref (program);
  self->ranks = ranks != NULL ? hir_rank_programs_ref (ranks) : NULL;
  self->request = hir_request_ref (program->request);
  self->end_hash = hir_program_get_end_hash (program);
  self->start_us = g_get_real_time ();
  return self;
}

HirRunEntry *
hir_run_entry_new_empty (void)
{
  return g_atomic_rc_box_new0 (HirRunEntry);
}

HirRunEntry *
hir_run_entry_ref (HirRunEntry *entry)
{
  return g_atomic_rc_box_acquire (entry);
}

static void
entry_clear (gpointer data)
{
  HirRunEntry *self = data;

  g_clear_pointer (&self->program, hir_program_unref_async);
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  g_clear_pointer (&self->trace, hir_trace_unref);
  g_clear_pointer (&self->join, hir_join_unref);
  g_clear_pointer (&self->request, hir_request_unref);
  hir_run_settings_clear (&self->settings);
  if (self->owns_path && self->path != NULL && !self->stays)
    {
      g_autofree char *facts = g_strconcat (self->path, HIR_RUN_KEPT_SUFFIX, NULL);

      g_unlink (self->path);
      g_unlink (facts);
    }
  g_free (self->path);
  g_free (self->stopped);
  g_free (self->name);
}

void
hir_run_entry_unref (HirRunEntry *entry)
{
  g_atomic_rc_box_release_full (entry, entry_clear);
}

/* Sets the verdict of a run that this document has not executed. */
static void
take_verdict (HirRunEntry *entry, const HirTrace *trace)
{
  const char *text = hir_trace_get_verdict (trace);

  for (int verdict = HIR_RUN_CORRECT; text != NULL && verdict <= HIR_RUN_UNDECIDED; verdict++)
    if (g_str_equal (text, hir_run_verdict_get_text ((HirRunVerdict) verdict)))
      entry->verdict = (HirRunVerdict) verdict;
}

void
hir_run_entry_set_trace (HirRunEntry *entry, HirTrace *trace)
{
  gint64 start_ns, end_ns;

  if (trace != NULL)
    hir_trace_ref (trace);
  g_clear_pointer (&entry->trace, hir_trace_unref);
  entry->trace = trace;
  if (trace == NULL)
    return;
  g_free (entry->stopped);
  entry->stopped = g_strdup (hir_trace_get_meta (trace, HIR_META_STOPPED));
  if (entry->verdict == HIR_RUN_UNCHECKED)
    take_verdict (entry, trace);
  hir_trace_get_span (trace, &start_ns, &end_ns);
  entry->total_ns = end_ns - start_ns;
}

gboolean
hir_run_entry_has_events (const HirRunEntry *entry)
{
  return entry->path != NULL || (entry->trace != NULL && hir_trace_get_n_events (entry->trace) > 0);
}

gsize
hir_run_entry_get_size_bytes (const HirRunEntry *entry)
{
  gsize size = entry->trace != NULL ? hir_trace_get_size_bytes (entry->trace) : 0;

  for (guint i = 0; entry->program != NULL && i < entry->program->views->len; i++)
    {
      const HirProgramView *view = entry->program->views->pdata[i];

      size += strlen (view->text) + NODE_BYTES * (gsize) g_hash_table_size (view->nodes);
    }
  return size;
}

char *
hir_run_entry_dup_title (const HirRunEntry *entry)
{
  g_autofree char *file = NULL;

  if (entry->name != NULL)
    return g_strdup (entry->name);
  switch (entry->kind)
    {
    case HIR_RUN_KIND_DEBUG:
      return g_strdup_printf ("Debug session %u", entry->ordinal);
    case HIR_RUN_KIND_RECORDING:
      file = entry->path != NULL ? g_path_get_basename (entry->path) : g_strdup ("");
      return g_strdup_printf ("Recording %s", file);
    case HIR_RUN_KIND_ATTACHED:
      return g_strdup_printf ("Attached trace %u", entry->ordinal);
    case HIR_RUN_KIND_RUN:
    default:
      return g_strdup_printf ("Run %u", entry->ordinal);
    }
}

char *
hir_run_entry_dup_long_title (const HirRunEntry *entry)
{
  g_autofree char *title = hir_run_entry_dup_title (entry);

  return entry->is_kept ? g_strconcat (title, " of an earlier session", NULL)
                        : g_steal_pointer (&title);
}

const char *
hir_run_verdict_get_text (HirRunVerdict verdict)
{
  static const char *const texts[] = {
    [HIR_RUN_RUNNING] = "Running",     [HIR_RUN_UNCHECKED] = "",
    [HIR_RUN_CORRECT] = "Correct",     [HIR_RUN_INCORRECT] = "Incorrect",
    [HIR_RUN_UNDECIDED] = "Undecided", [HIR_RUN_STOPPED] = "Stopped",
    [HIR_RUN_FAILED] = "Failed",
  };

  return texts[verdict];
}
