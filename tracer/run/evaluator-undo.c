/* Undo of evaluator steps. */
#include "run/evaluator-undo.h"

#include "run/undo-log-private.h"

gboolean
hir_evaluator_can_undo (const HirEvaluator *evaluator)
{
  const HirBackendClass *klass = evaluator->options.backend->klass;

  return evaluator->options.model == NULL && klass->ref_event != NULL && klass->copy != NULL;
}

void
hir_evaluator_begin_undo (HirEvaluator *evaluator, HirUndoLog *log)
{
  HirUndoEntry *entry;
  HirProgramPoint point;

  g_return_if_fail (evaluator->undo == NULL && hir_evaluator_can_undo (evaluator));
  /* Starts the next iteration of a loop, if one is due. */
  (void) hir_evaluator_peek (evaluator, &point);
  entry = g_new0 (HirUndoEntry, 1);
  entry->rank = evaluator->options.rank;
  entry->log = log;
  entry->evaluator = evaluator;
  entry->is_whole = TRUE;
  hir_evaluator_position_take (&entry->position, evaluator);
  entry->bindings = hir_env_journal_new ();
  entry->saves = g_ptr_array_new_with_free_func (hir_undo_save_unref);
  entry->counted_posts = g_ptr_array_new_with_free_func (g_free);
  entry->fresh = g_hash_table_new (NULL, NULL);
  evaluator->undo = entry;
  hir_env_set_journal (evaluator->env, entry->bindings);
  hir_undo_log_append (log, entry);
}

typedef struct
{
  const HirBuffer *buffer;
  gboolean found;
} Search;

static void
find_buffer (const HirVal *val, HirValue *value, gpointer user_data)
{
  Search *search = user_data;

  search->found |= !value->is_scalar && value->buffer == search->buffer;
}

/* Returns the size of buffers that only the entry keeps alive. */
static gsize
count_kept (HirEvaluator *evaluator, const HirUndoEntry *entry)
{
  gsize n_bytes = entry->bindings->len * (sizeof (HirEnvChange) + sizeof (HirValue));

  for (guint i = 0; i < entry->bindings->len; i++)
    {
      const HirEnvChange *change = &g_array_index (entry->bindings, HirEnvChange, i);
      Search search = { .found = FALSE };

      if (change->old == NULL || change->old->is_scalar)
        continue;
      search.buffer = change->old->buffer;
      hir_env_foreach (evaluator->env, find_buffer, &search);
      if (!search.found)
        n_bytes += change->old->buffer->size_bytes;
    }
  return n_bytes;
}

void
hir_evaluator_end_undo (HirEvaluator *evaluator)
{
  HirUndoEntry *entry = evaluator->undo;
  HirProgramPoint point;

  if (entry == NULL)
    return;
  (void) hir_evaluator_peek (evaluator, &point);
  evaluator->undo = NULL;
  hir_env_set_journal (evaluator->env, NULL);
  (void) hir_undo_log_reserve (entry->log, entry, count_kept (evaluator, entry));
}

void
hir_evaluator_note_write (HirEvaluator *evaluator, const HirValue *value)
{
  HirUndoEntry *entry = evaluator->undo;
  HirUndoSave *save;

  if (evaluator->written != NULL && value != NULL && !value->is_scalar)
    hir_written_add (evaluator->written, value, evaluator->n_steps);
  if (evaluator->writes != NULL && value != NULL && !value->is_scalar)
    g_ptr_array_add (evaluator->writes, hir_value_ref ((HirValue *) value));
  if (entry == NULL || value == NULL || value->is_scalar || value->buffer->data == NULL ||
      g_hash_table_contains (entry->fresh, value->buffer) ||
      !hir_undo_log_reserve (entry->log, entry,
                             sizeof (HirUndoSave) + hir_value_get_size_bytes (value)))
    return;
  save = g_new0 (HirUndoSave, 1);
  g_atomic_ref_count_init (&save->ref_count);
  save->klass = evaluator->options.backend->klass;
  save->value = hir_value_ref ((HirValue *) value);
  g_ptr_array_add (entry->saves, save);
}

void
hir_evaluator_note_fresh (HirEvaluator *evaluator, const HirBuffer *buffer)
{
  if (evaluator->written != NULL)
    hir_written_add_fresh (evaluator->written, buffer);
  if (evaluator->undo != NULL)
    g_hash_table_add (evaluator->undo->fresh, (gpointer) buffer);
}

/* Saves the old elements. Runs on the stream's thread, after all earlier writes. */
static void
take_saves (gpointer data)
{
  GPtrArray *saves = data;

  for (guint i = 0; i < saves->len; i++)
    {
      HirUndoSave *save = g_ptr_array_index (saves, i);
      const HirValue *value = save->value;
      g_autoptr (HirBuffer) buffer = NULL;
      HirValue *copy;

      if (g_atomic_int_get (&save->is_dropped))
        continue;
      buffer = hir_buffer_new (hir_value_get_size_bytes (value), NULL);
      copy = buffer != NULL
                 ? hir_value_new_tensor (value->dtype, value->n_dims, value->sizes, NULL, buffer)
                 : NULL;
      if (copy == NULL || !save->klass->copy (copy, value))
        {
          g_atomic_int_set (&save->has_failed, 1);
          g_clear_pointer (&copy, hir_value_unref);
        }
      save->copy = copy;
    }
}

void
hir_evaluator_note_writer (HirEvaluator *evaluator, HirTask *task)
{
  HirUndoEntry *entry = evaluator->undo;
  GPtrArray *saves;

  if (entry == NULL || entry->saves->len == entry->n_taken)
    return;
  g_return_if_fail (task->before == NULL);
  saves = g_ptr_array_new_with_free_func (hir_undo_save_unref);
  for (guint i = entry->n_taken; i < entry->saves->len; i++)
    {
      HirUndoSave *save = g_ptr_array_index (entry->saves, i);

      g_atomic_ref_count_inc (&save->ref_count);
      g_ptr_array_add (saves, save);
    }
  entry->n_taken = entry->saves->len;
  task->before = take_saves;
  task->before_data = saves;
  task->free_before = (GDestroyNotify) g_ptr_array_unref;
}

void
hir_evaluator_set_debugged (HirEvaluator *evaluator, gboolean is_debugged)
{
  evaluator->is_debugged = is_debugged;
}

void
hir_evaluator_set_epoch (HirEvaluator *evaluator, guint32 epoch)
{
  evaluator->epoch = epoch;
}

void
hir_evaluator_watch_writes (HirEvaluator *evaluator, GPtrArray *writes)
{
  evaluator->writes = writes;
}

void
hir_evaluator_record_writes (HirEvaluator *evaluator)
{
  if (evaluator->written == NULL)
    evaluator->written = hir_written_new ();
}

HirValue *
hir_evaluator_dup_missing (HirEvaluator *evaluator, const HirValue *value, GError **error)
{
  return evaluator->written != NULL
             ? hir_written_dup_missing (evaluator->written, value, evaluator->n_steps, error)
             : NULL;
}

guint
hir_evaluator_count_undone_posts (HirEvaluator *evaluator, const HirUndoEntry *entry)
{
  return evaluator->n_posts - entry->position.n_posts;
}

gboolean
hir_evaluator_undo (HirEvaluator *evaluator, HirUndoEntry *entry)
{
  g_return_val_if_fail (entry->evaluator == evaluator && evaluator->undo == NULL, FALSE);
  if (!hir_undo_entry_is_whole (entry))
    return FALSE;
  for (guint i = entry->saves->len; i-- > 0;)
    {
      HirUndoSave *save = g_ptr_array_index (entry->saves, i);

      /* No copy exists if the step failed before it wrote. */
      if (save->copy != NULL && !save->klass->copy (save->value, save->copy))
        return FALSE;
    }
  hir_env_undo (evaluator->env, entry->bindings);
  evaluator->n_bound++;
  hir_evaluator_position_restore (&entry->position, evaluator);
  for (guint i = 0; i < entry->counted_posts->len; i++)
    hir_evaluator_count_posts (evaluator, g_ptr_array_index (entry->counted_posts, i), -1);
  return TRUE;
}
