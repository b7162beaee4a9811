/* Summaries of the tensors of a session. */
#include "run/session/session-summary.h"

#include <string.h>

#include "run/session/session-private.h"

void
hir_session_keep_values (HirSession *session, gsize max_bytes)
{
  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);

      if (rank->kept == NULL)
        rank->kept = hir_deallocated_values_new (rank->evaluator, max_bytes / session->ranks->len);
    }
}

static HirRank *
lookup_rank (HirSession *session, int number, GError **error)
{
  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);

      if (rank->rank == number)
        return rank;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "rank %d is not in this process", number);
  return NULL;
}

/* Returns the current or last value of @tensor (borrowed). */
static HirValue *
lookup_value (HirRank *rank, const HirTensor *tensor, GError **error)
{
  HirValue *value = hir_evaluator_lookup (rank->evaluator, HIR_VAL (tensor));
  gboolean was_too_large = FALSE;

  if (value == NULL && rank->kept != NULL)
    value = hir_deallocated_values_lookup (rank->kept, tensor, &was_too_large);
  if (value == NULL)
    hir_set_error (
        error, HIR_ERROR_INPUT, NULL,
        was_too_large
            ? "T%d was deallocated and is too large to keep; break before its "
              "Deallocate to see it"
            : "T%d has no value on rank %d: it exists only within a kernel, is not computed "
              "yet, or was deallocated",
        tensor->base.name, rank->rank);
  return value;
}

/* Returns @value itself if it is in host memory, otherwise a copy. */
static HirValue *
dup_on_host (HirRank *rank, HirValue *value, GError **error)
{
  g_autoptr (HirBuffer) buffer = NULL;

  if (value->is_scalar || value->buffer->place == HIR_PLACE_HOST)
    return hir_value_ref (value);
  buffer = hir_buffer_new (hir_value_get_size_bytes (value), error);
  if (buffer == NULL || !rank->backend->klass->read (rank->backend, value, buffer->data, error))
    return NULL;
  return hir_value_new_tensor (value->dtype, value->n_dims, value->sizes, NULL, buffer);
}

HirValueSummary *
hir_session_dup_summary (HirSession *session,
                         int number,
                         guint64 tensor_id,
                         const HirValueQuery *query,
                         GCancellable *cancellable,
                         GError **error)
{
  HirRank *rank = lookup_rank (session, number, error);
  const HirTensor *tensor;
  HirValueSummary *summary;
  HirValue *value;
  g_autoptr (HirValue) host = NULL;

  if (rank == NULL)
    return NULL;
  tensor = hir_container_lookup_tensor (rank->program, tensor_id);
  if (tensor == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "rank %d's program has no such tensor", number);
      return NULL;
    }
  value = lookup_value (rank, tensor, error);
  if (value == NULL || !rank->backend->klass->synchronize (rank->backend, error))
    return NULL;
  host = dup_on_host (rank, value, error);
  summary = host != NULL ? hir_value_summary_new (host, query, cancellable, error) : NULL;
  if (summary == NULL || value->is_scalar)
    return summary;
  memcpy (summary->strides, value->strides, sizeof *value->strides * value->n_dims);
  summary->place = value->buffer->place;
  return summary;
}

static void
add_held (GArray *held, HirRank *rank, const HirVal *val, GHashTable *seen)
{
  gboolean was_too_large = FALSE;
  HirValue *value;
  HirHeldValue entry;

  if (val->kind != HIR_VAL_TENSOR || !g_hash_table_add (seen, (gpointer) val))
    return;
  value = hir_evaluator_lookup (rank->evaluator, (HirVal *) val);
  if (value == NULL && rank->kept != NULL)
    value = hir_deallocated_values_lookup (rank->kept, (const HirTensor *) val, &was_too_large);
  if (value == NULL)
    return;
  entry = (HirHeldValue){ val->node.id, rank->rank,
                          value->is_scalar ? 1 : hir_value_get_n_elements (value) };
  g_array_append_val (held, entry);
}

GArray *
hir_session_dup_held (HirSession *session)
{
  GArray *held = g_array_new (FALSE, FALSE, sizeof (HirHeldValue));

  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);
      g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
      const HirVec *lists[] = { &rank->program->outputs, &rank->program->inputs,
                                &rank->program->tensors };

      for (guint l = 0; l < G_N_ELEMENTS (lists); l++)
        for (guint v = 0; v < lists[l]->len; v++)
          add_held (held, rank, lists[l]->items[v], seen);
    }
  return held;
}
