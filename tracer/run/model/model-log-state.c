/* Saved states of logs of the modelled clock. */
#include "run/model/model-log-private.h"
#include "run/values/counts.h"

struct _HirModelLogState
{
  HirModel *model;
  GHashTable *n_posted;
  gint64 issue_start_ns, issue_end_ns;
  gint64 count_start_ns, counted_ns;
};

HirModelLogState *
hir_model_log_save (HirModelLog *log)
{
  HirModelLogState *state;

  if (log->group->is_deferred || !hir_model_log_is_resolved (log))
    return NULL;
  state = g_new0 (HirModelLogState, 1);
  state->model = hir_model_copy (log->model);
  state->n_posted = hir_counts_dup (log->n_posted);
  state->issue_start_ns = log->issue_start_ns;
  state->issue_end_ns = log->issue_end_ns;
  state->count_start_ns = log->count_start_ns;
  state->counted_ns = log->counted_ns;
  return state;
}

void
hir_model_log_state_free (HirModelLogState *state)
{
  hir_model_free (state->model);
  g_hash_table_unref (state->n_posted);
  g_free (state);
}

/* Removes resolved meetings if no log has unresolved entries. Call with the lock. */
static void
forget_meetings (HirModelGroup *group)
{
  for (guint i = 0; i < group->logs->len; i++)
    {
      const HirModelLog *log = g_ptr_array_index (group->logs, i);

      if (log->entries.length > 0 || log->posted.length > 0)
        return;
    }
  g_hash_table_remove_all (group->meetings);
}

void
hir_model_log_restore (HirModelLog *log, const HirModelLogState *state)
{
  g_mutex_lock (&log->group->lock);
  g_queue_clear_full (&log->entries, hir_model_entry_free);
  g_queue_clear_full (&log->posted, hir_model_entry_free);
  hir_model_assign (log->model, state->model);
  g_hash_table_unref (log->n_posted);
  log->n_posted = hir_counts_dup (state->n_posted);
  log->issue_start_ns = state->issue_start_ns;
  log->issue_end_ns = state->issue_end_ns;
  log->count_start_ns = state->count_start_ns;
  log->counted_ns = state->counted_ns;
  forget_meetings (log->group);
  g_mutex_unlock (&log->group->lock);
}
