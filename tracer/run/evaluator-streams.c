/* Streams (docs/host-ir.md#streams). A stream with an index is identified by the value of the index
 * at each use; a stream without an index is a separate stream, or the one that GetCurrentStream
 * assigned to it. */
#include "run/evaluator-private.h"

/* Like the stream pool of a framework: more keys share streams, which only adds ordering. */
#define MAX_STREAMS 64
#define FIRST_NAMED 900 /* number of the first stream without an index */

static void
slot_free (gpointer data)
{
  HirStreamSlot *slot = data;

  g_free (slot->name);
  g_ref_string_release (slot->sync_label);
  g_free (slot);
}

static char *
new_sync_label (const char *name)
{
  g_autofree char *text = g_strdup_printf ("Synchronize %s", name);

  return g_ref_string_new (text);
}

static HirStreamSlot *
add_slot (HirEvaluator *evaluator, guint index, gint64 number, const char *name)
{
  HirStreamSlot *slot = g_new0 (HirStreamSlot, 1);
  HirTrack track = { .kind = HIR_TRACK_STREAM,
                     .rank = evaluator->options.rank,
                     .device = evaluator->options.rank,
                     .stream = number,
                     .name = (char *) name };

  slot->index = index;
  slot->name = g_strdup (name);
  slot->sync_label = new_sync_label (name);
  if (evaluator->options.recorder != NULL)
    slot->track = (guint16) hir_backend_add_track (evaluator->options.backend, index,
                                                   evaluator->options.recorder, &track);
  g_ptr_array_add (evaluator->slots, slot);
  return slot;
}

gboolean
hir_evaluator_init_streams (HirEvaluator *evaluator, GError **error)
{
  evaluator->slots = g_ptr_array_new_with_free_func (slot_free);
  evaluator->stream_by_key = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  evaluator->stream_by_val = g_hash_table_new (NULL, NULL);
  add_slot (evaluator, 0, HIR_DEFAULT_STREAM, HIR_DEFAULT_STREAM_NAME);
  return TRUE;
}

void
hir_evaluator_clear_streams (HirEvaluator *evaluator)
{
  g_clear_pointer (&evaluator->slots, g_ptr_array_unref);
  g_clear_pointer (&evaluator->stream_by_key, g_hash_table_unref);
  g_clear_pointer (&evaluator->stream_by_val, g_hash_table_unref);
}

const char *
hir_evaluator_get_current_stream_name (HirEvaluator *evaluator)
{
  return hir_evaluator_get_current_slot (evaluator)->name;
}

/* Returns a slot for a new key, or -1 and an error if no stream can be opened. */
static int
new_slot (HirEvaluator *evaluator, gint64 number, const char *name, GError **error)
{
  guint index;

  if (evaluator->slots->len > MAX_STREAMS)
    return 1 + (int) (number % MAX_STREAMS);
  if (!evaluator->options.backend->klass->open_stream (evaluator->options.backend,
                                                       HIR_STREAM_COMPUTE, &index, error))
    return -1;
  add_slot (evaluator, index, number, name);
  return (int) evaluator->slots->len - 1;
}

int
hir_evaluator_peek_key (HirEvaluator *evaluator, gint64 key)
{
  if ((guint64) key < G_N_ELEMENTS (evaluator->near_keys) && evaluator->near_keys[key] > 0)
    return evaluator->near_keys[key] - 1;
  return GPOINTER_TO_INT (g_hash_table_lookup (evaluator->stream_by_key, &key)) - 1;
}

int
hir_evaluator_peek_stream (HirEvaluator *evaluator, const HirStream *stream)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (evaluator->stream_by_val, stream)) - 1;
}

static int
lookup_indexed (HirEvaluator *evaluator, const HirStream *stream, GError **error)
{
  g_autofree char *name = NULL;
  gint64 key;
  int slot;

  if (!hir_env_evaluate_int (evaluator->env, stream->index, &key, error))
    return -1;
  slot = hir_evaluator_peek_key (evaluator, key);
  if (slot >= 0)
    return slot;
  if (key < 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, &stream->base.node.pos,
                     "the index of a stream is %" G_GINT64_FORMAT "; it must not be negative", key);
      return -1;
    }
  name = g_strdup_printf ("Stream %" G_GINT64_FORMAT, key);
  slot = new_slot (evaluator, key, name, error);
  if (slot >= 0)
    g_hash_table_insert (evaluator->stream_by_key, g_memdup2 (&key, sizeof key),
                         GINT_TO_POINTER (slot + 1));
  if (slot >= 0 && key < (gint64) G_N_ELEMENTS (evaluator->near_keys))
    evaluator->near_keys[key] = (guint16) (slot + 1);
  return slot;
}

static int
lookup_stream (HirEvaluator *evaluator, const HirStream *stream, GError **error)
{
  g_autofree char *name = NULL;
  int slot;

  if (stream->index != NULL)
    {
      /* An iteration looks up the same stream several times. */
      if (evaluator->last_stream != stream || evaluator->last_bound != evaluator->n_bound ||
          evaluator->is_debugged)
        {
          evaluator->last_slot = lookup_indexed (evaluator, stream, error);
          evaluator->last_stream = evaluator->last_slot >= 0 ? stream : NULL;
          evaluator->last_bound = evaluator->n_bound;
        }
      return evaluator->last_slot;
    }
  slot = hir_evaluator_peek_stream (evaluator, stream);
  if (slot >= 0)
    return slot;
  name = g_strdup_printf ("Stream #%d", stream->base.name);
  slot = new_slot (evaluator, FIRST_NAMED + evaluator->slots->len, name, error);
  if (slot >= 0)
    g_hash_table_insert (evaluator->stream_by_val, (gpointer) stream, GINT_TO_POINTER (slot + 1));
  return slot;
}

/* Makes the current stream wait for all work queued on @slot. The host does not wait. */
static gboolean
synchronize_with (HirEvaluator *evaluator, const HirExpr *expr, guint slot_index, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  HirStreamSlot *slot = g_ptr_array_index (evaluator->slots, slot_index);
  HirTask *task;
  HirBackendEvent *event;
  HirModelMark *mark = NULL;

  if (slot_index == evaluator->current)
    return TRUE; /* a stream is always in order with itself */
  if (evaluator->options.model != NULL)
    mark = hir_model_log_record (evaluator->options.model, slot_index);
  task = hir_evaluator_new_wait (evaluator, expr, slot->sync_label, mark);
  g_clear_pointer (&mark, hir_model_mark_unref);
  event = backend->klass->record_event (backend, slot->index);
  return backend->klass->wait_event (backend, hir_evaluator_get_current_slot (evaluator)->index,
                                     event, task, error) ||
         hir_evaluator_fail_located (evaluator);
}

gboolean
hir_evaluator_run_stream_op (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  const HirStream *stream = expr->u.stream.stream;
  int slot;

  if (expr->kind == HIR_EXPR_GET_CURRENT_STREAM)
    {
      /* An insertion, not an assignment: repeated runs keep the stream of the first run. */
      if (!g_hash_table_contains (evaluator->stream_by_val, stream))
        g_hash_table_insert (evaluator->stream_by_val, (gpointer) stream,
                             GINT_TO_POINTER ((int) evaluator->current + 1));
      return TRUE;
    }
  slot = lookup_stream (evaluator, stream, error);
  if (slot < 0)
    return FALSE;
  if (expr->kind == HIR_EXPR_SYNCHRONIZE)
    return synchronize_with (evaluator, expr, (guint) slot, error);
  evaluator->current = (guint) slot;
  return TRUE;
}
