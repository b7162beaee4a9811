/* Bounded log of undo entries. */
#include "run/undo-log.h"

#include "run/undo-log-private.h"

struct _HirUndoLog
{
  GPtrArray *entries; /* HirUndoEntry*, oldest first; entries before @first are freed */
  guint first;
  gsize n_bytes, max_bytes, peak_bytes;
  gsize others; /* part of max_bytes that other data uses */
};

void
hir_undo_save_unref (gpointer data)
{
  HirUndoSave *save = data;

  if (!g_atomic_ref_count_dec (&save->ref_count))
    return;
  g_clear_pointer (&save->copy, hir_value_unref);
  hir_value_unref (save->value);
  g_free (save);
}

static void
drop_saves (HirUndoEntry *entry)
{
  for (guint i = 0; i < entry->saves->len; i++)
    g_atomic_int_set (&((HirUndoSave *) g_ptr_array_index (entry->saves, i))->is_dropped, 1);
  g_ptr_array_set_size (entry->saves, 0);
}

static void
entry_free (HirUndoEntry *entry)
{
  HirEvaluator *evaluator = entry->evaluator;

  if (evaluator->undo == entry)
    {
      evaluator->undo = NULL;
      hir_env_set_journal (evaluator->env, NULL);
    }
  drop_saves (entry);
  hir_evaluator_position_clear (&entry->position, evaluator);
  g_ptr_array_unref (entry->saves);
  g_ptr_array_unref (entry->counted_posts);
  g_array_unref (entry->bindings);
  g_hash_table_unref (entry->fresh);
  g_free (entry);
}

HirUndoLog *
hir_undo_log_new (gsize max_bytes)
{
  HirUndoLog *log = g_new0 (HirUndoLog, 1);

  log->entries = g_ptr_array_new ();
  log->max_bytes = max_bytes;
  return log;
}

static void
drop (HirUndoLog *log, HirUndoEntry *entry)
{
  log->n_bytes -= entry->size_bytes;
  entry_free (entry);
}

void
hir_undo_log_clear (HirUndoLog *log)
{
  while (hir_undo_log_get_n_entries (log) > 0)
    hir_undo_log_drop_newest (log);
}

void
hir_undo_log_free (HirUndoLog *log)
{
  hir_undo_log_clear (log);
  g_ptr_array_unref (log->entries);
  g_free (log);
}

void
hir_undo_log_drop_newest (HirUndoLog *log)
{
  if (hir_undo_log_get_n_entries (log) > 0)
    drop (log, g_ptr_array_steal_index (log->entries, log->entries->len - 1));
}

static void
grow (HirUndoLog *log, HirUndoEntry *entry, gsize n_bytes)
{
  entry->size_bytes += n_bytes;
  log->n_bytes += n_bytes;
  log->peak_bytes = MAX (log->peak_bytes, log->n_bytes + log->others);
}

/* Drops the oldest entries, but not @keep. */
static void
drop_oldest (HirUndoLog *log, gsize n_bytes, const HirUndoEntry *keep)
{
  while (log->n_bytes + log->others + n_bytes > log->max_bytes && log->first < log->entries->len &&
         g_ptr_array_index (log->entries, log->first) != keep)
    drop (log, g_ptr_array_index (log->entries, log->first++));
  if (log->first > 0 && log->first * 2 >= log->entries->len)
    {
      g_ptr_array_remove_range (log->entries, 0, log->first);
      log->first = 0;
    }
}

gboolean
hir_undo_log_reserve (HirUndoLog *log, HirUndoEntry *entry, gsize n_bytes)
{
  if (!entry->is_whole)
    return FALSE;
  drop_oldest (log, n_bytes, entry);
  if (log->n_bytes + log->others + n_bytes <= log->max_bytes)
    {
      grow (log, entry, n_bytes);
      return TRUE;
    }
  entry->is_whole = FALSE;
  drop_saves (entry);
  log->n_bytes -= entry->size_bytes;
  entry->size_bytes = 0;
  return FALSE;
}

void
hir_undo_log_append (HirUndoLog *log, HirUndoEntry *entry)
{
  gsize own = sizeof (HirUndoEntry) + entry->position.frames->len * sizeof (HirFrame);

  g_ptr_array_add (log->entries, entry);
  (void) hir_undo_log_reserve (log, entry, own);
}

void
hir_undo_log_set_others (HirUndoLog *log, gsize n_bytes)
{
  log->others = n_bytes;
  drop_oldest (log, 0, NULL);
  log->peak_bytes = MAX (log->peak_bytes, log->n_bytes + log->others);
}

void
hir_undo_log_set_max_bytes (HirUndoLog *log, gsize max_bytes)
{
  log->max_bytes = max_bytes;
  drop_oldest (log, 0, NULL);
}

gsize
hir_undo_log_get_max_bytes (const HirUndoLog *log)
{
  return log->max_bytes;
}

gsize
hir_undo_log_get_bytes (const HirUndoLog *log)
{
  return log->n_bytes;
}

gsize
hir_undo_log_get_peak_bytes (const HirUndoLog *log)
{
  return log->peak_bytes;
}

guint
hir_undo_log_get_n_entries (const HirUndoLog *log)
{
  return log->entries->len - log->first;
}

HirUndoEntry *
hir_undo_log_peek (const HirUndoLog *log, guint i)
{
  return i < hir_undo_log_get_n_entries (log)
             ? g_ptr_array_index (log->entries, log->entries->len - 1 - i)
             : NULL;
}

int
hir_undo_entry_get_rank (const HirUndoEntry *entry)
{
  return entry->rank;
}

gboolean
hir_undo_entry_is_whole (const HirUndoEntry *entry)
{
  for (guint i = 0; i < entry->saves->len; i++)
    if (g_atomic_int_get (&((HirUndoSave *) g_ptr_array_index (entry->saves, i))->has_failed))
      return FALSE;
  return entry->is_whole;
}
