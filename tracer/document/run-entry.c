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
  g_free (self->name);
}

void
hir_run_entry_unref (HirRunEntry *entry)
{
  g_atomic_rc_box_release_full (entry, entry_clear);
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

G_GNUC_PRINTF (2, 3)
static void
add (GString *out, const char *format, ...)
{
  va_list args;

  if (out->len > 0)
    g_string_append (out, ", ");
  va_start (args, format);
  g_string_append_vprintf (out, format, args);
  va_end (args);
}

static void
add_settings (GString *out, const HirRunSettings *a, const HirRunSettings *b)
{
  if (a->n_streams != b->n_streams)
    add (out, "%" G_GINT64_FORMAT " stream%s", a->n_streams, a->n_streams == 1 ? "" : "s");
  if (a->backend != b->backend)
    add (out, "%s", a->backend == HIR_BACKEND_CUDA ? "GPU" : "CPU");
  if (a->model_clock != b->model_clock)
    add (out, "%s clock", a->model_clock ? "modelled" : "wall");
  if (a->comm.way != b->comm.way)
    add (out, "%s transport", hir_comm_transport_get_name (a->comm.way));
  if (a->n_repeat != b->n_repeat)
    add (out, "%" G_GINT64_FORMAT " repetition%s", a->n_repeat, a->n_repeat == 1 ? "" : "s");
  if (a->seed != b->seed)
    add (out, "seed %" G_GUINT64_FORMAT, a->seed);
}

static gboolean
contains (char **list, const char *text)
{
  return list != NULL && g_strv_contains ((const char *const *) list, text);
}

/* Adds the words of @from that @in does not have, with @what. */
static void
add_words (GString *out, char **from, char **in, const char *what)
{
  for (guint i = 0; from != NULL && from[i] != NULL; i++)
    if (!contains (in, from[i]))
      add (out, "%s%s", from[i], what);
}

/* Options that only @b sets have their default in @a, unless @a sets them to another value. */
static void
add_defaults (GString *out, char **a, char **b)
{
  for (guint i = 0; b != NULL && b[i] != NULL; i++)
    {
      g_autofree char *option = g_strndup (b[i], strcspn (b[i], "="));
      gboolean is_set = FALSE;

      for (guint k = 0; a != NULL && a[k] != NULL; k++)
        is_set |= g_str_has_prefix (a[k], option) && a[k][strlen (option)] == '=';
      if (!is_set)
        add (out, "%s default", option);
    }
}

static void
add_request (GString *out, const HirRequest *a, const HirRequest *b)
{
  gboolean same_text = a->source == b->source || g_strcmp0 (a->source->text, b->source->text) == 0;
  g_autofree char *file = g_path_get_basename (a->source->path);

  if (!g_str_equal (a->source->path, b->source->path))
    add (out, "%s", file);
  else if (!same_text)
    add (out, "other script text");
  if (g_strcmp0 (a->function, b->function) != 0 && a->function != NULL)
    add (out, "%s", a->function);
  if (a->n_devices != b->n_devices && a->n_devices > 0)
    add (out, "%" G_GINT64_FORMAT " device%s", a->n_devices, a->n_devices == 1 ? "" : "s");
  if (a->pipeline != b->pipeline)
    add (out, "pipeline %s", hir_pipeline_kind_get_name (a->pipeline));
  add_words (out, a->enable, b->enable, " on");
  add_words (out, b->enable, a->enable, " off");
  add_words (out, a->disable, b->disable, " off");
  add_words (out, b->disable, a->disable, " on");
  add_words (out, a->set, b->set, "");
  add_defaults (out, a->set, b->set);
}

char *
hir_run_dup_differences (const HirRequest *request,
                         const HirRunSettings *settings,
                         const HirRequest *other,
                         const HirRunSettings *other_settings)
{
  GString *out = g_string_new (NULL);

  if (settings != NULL && other_settings != NULL)
    add_settings (out, settings, other_settings);
  add_request (out, request, other);
  return g_string_free (out, FALSE);
}
