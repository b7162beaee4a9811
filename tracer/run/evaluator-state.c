/* Saved states of evaluators, for checkpoints. */
#include "run/evaluator-state.h"

#include <string.h>

#include "run/evaluator-position.h"
#include "run/values/counts.h"

/* Saved contents of a buffer. */
typedef struct
{
  HirBuffer *buffer; /* a reference */
  GBytes *bytes;     /* NULL if it had no memory */
} Memory;

struct _HirEvaluatorState
{
  HirEvaluator *evaluator; /* borrowed */
  HirEvaluatorPosition position;
  GArray *bindings;        /* HirEnvChange: all bindings */
  GHashTable *post_counts; /* like in the evaluator */
  GHashTable *memory;      /* HirBuffer* -> Memory* */
  HirModelLogState *model; /* NULL with the wall clock */
  gboolean has_failed;     /* only while the state is created */
};

gboolean
hir_evaluator_can_save (const HirEvaluator *evaluator)
{
  const HirBackendClass *klass = evaluator->options.backend->klass;

  return klass->ref_event != NULL && klass->look != NULL;
}

static void
memory_free (gpointer data)
{
  Memory *memory = data;

  hir_buffer_unref (memory->buffer);
  g_clear_pointer (&memory->bytes, g_bytes_unref);
  g_free (memory);
}

typedef struct
{
  HirEvaluatorState *state;
  const HirEvaluatorState *before;
} Keep;

static void
keep_buffer (const Keep *keep, HirBuffer *buffer)
{
  const Memory *before =
      keep->before != NULL ? g_hash_table_lookup (keep->before->memory, buffer) : NULL;
  gsize size;
  const void *bytes =
      before != NULL && before->bytes != NULL ? g_bytes_get_data (before->bytes, &size) : NULL;
  Memory *memory;

  if (g_hash_table_contains (keep->state->memory, buffer))
    return;
  memory = g_new0 (Memory, 1);
  memory->buffer = hir_buffer_ref (buffer);
  g_hash_table_insert (keep->state->memory, buffer, memory);
  if (buffer->data == NULL)
    return;
  if (bytes != NULL && size == buffer->size_bytes && memcmp (bytes, buffer->data, size) == 0)
    memory->bytes = g_bytes_ref (before->bytes);
  else
    {
      gpointer copy = g_try_malloc (MAX (buffer->size_bytes, 1));

      if (copy != NULL)
        memcpy (copy, buffer->data, buffer->size_bytes);
      keep->state->has_failed |= copy == NULL;
      memory->bytes = copy != NULL ? g_bytes_new_take (copy, buffer->size_bytes) : NULL;
    }
}

static void
keep_value (const HirVal *val, HirValue *value, gpointer user_data)
{
  if (!value->is_scalar)
    keep_buffer (user_data, value->buffer);
}

static void
keep_pending (const Keep *keep, HirEvaluator *evaluator)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    {
      HirPending *pending = g_ptr_array_index (evaluator->pending, i);

      for (guint k = 0; k < pending->reads->len; k++)
        keep_value (NULL, g_ptr_array_index (pending->reads, k), (gpointer) keep);
      for (guint k = 0; k < pending->writes->len; k++)
        keep_value (NULL, g_ptr_array_index (pending->writes, k), (gpointer) keep);
    }
}

HirEvaluatorState *
hir_evaluator_save (HirEvaluator *evaluator, const HirEvaluatorState *before)
{
  HirEvaluatorState *state = g_new0 (HirEvaluatorState, 1);
  Keep keep = { state, before };
  HirProgramPoint point;

  g_return_val_if_fail (hir_evaluator_can_save (evaluator), NULL);
  /* Starts the next iteration of a loop, if one is due. */
  (void) hir_evaluator_peek (evaluator, &point);
  state->evaluator = evaluator;
  hir_evaluator_position_take (&state->position, evaluator);
  state->post_counts = hir_counts_dup (evaluator->post_counts);
  state->memory = g_hash_table_new_full (NULL, NULL, NULL, memory_free);
  state->bindings = hir_env_dup_bindings (evaluator->env);
  hir_env_foreach (evaluator->env, keep_value, &keep);
  keep_pending (&keep, evaluator);
  if (evaluator->options.model != NULL)
    {
      state->model = hir_model_log_save (evaluator->options.model);
      state->has_failed |= state->model == NULL;
    }
  if (!state->has_failed)
    return state;
  hir_evaluator_state_free (state);
  return NULL;
}

void
hir_evaluator_state_free (HirEvaluatorState *state)
{
  hir_evaluator_position_clear (&state->position, state->evaluator);
  g_array_unref (state->bindings);
  g_hash_table_unref (state->post_counts);
  g_hash_table_unref (state->memory);
  g_clear_pointer (&state->model, hir_model_log_state_free);
  g_free (state);
}

static void
restore_memory (const HirEvaluatorState *state)
{
  GHashTableIter iter;
  Memory *memory;

  g_hash_table_iter_init (&iter, state->memory);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &memory))
    if (memory->bytes != NULL)
      {
        gsize size;
        const void *bytes = g_bytes_get_data (memory->bytes, &size);

        memcpy (memory->buffer->data, bytes, size);
      }
}

void
hir_evaluator_restore (HirEvaluator *evaluator, const HirEvaluatorState *state)
{
  g_return_if_fail (state->evaluator == evaluator && evaluator->undo == NULL);

  restore_memory (state);
  hir_env_set_bindings (evaluator->env, state->bindings);
  evaluator->n_bound++;
  hir_evaluator_position_restore (&state->position, evaluator);
  g_hash_table_unref (evaluator->post_counts);
  evaluator->post_counts = hir_counts_dup (state->post_counts);
  if (state->model != NULL)
    hir_model_log_restore (evaluator->options.model, state->model);
}

guint
hir_evaluator_count_posts_since (const HirEvaluator *evaluator, const HirEvaluatorState *state)
{
  return evaluator->n_posts - state->position.n_posts;
}

gsize
hir_evaluator_state_count_bytes (const HirEvaluatorState *state, GHashTable *counted)
{
  gsize n_bytes = sizeof *state + state->position.frames->len * sizeof (HirFrame) +
                  state->bindings->len * (sizeof (HirEnvChange) + sizeof (HirValue));
  GHashTableIter iter;
  Memory *memory;

  g_hash_table_iter_init (&iter, state->memory);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &memory))
    {
      n_bytes += sizeof *memory;
      if (memory->bytes != NULL && g_hash_table_add (counted, memory->bytes))
        n_bytes += g_bytes_get_size (memory->bytes);
      /* The program may have released it. */
      if (g_hash_table_add (counted, memory->buffer) && memory->buffer->data != NULL)
        n_bytes += memory->buffer->size_bytes;
    }
  return n_bytes;
}
