/* Inspects the frames, streams, memory and communications of a paused run. */
#include "debugger/debug-look.h"

#include <string.h>

#include "debugger/breakpoint.h"
#include "debugger/debug-run-private.h"
#include "run/evaluator-private.h"
#include "run/values/overlap.h"

GArray *
hir_debug_run_dup_frames (HirDebugRun *run, guint i)
{
  const HirEvaluator *evaluator = hir_debug_run_get_evaluator (run, i);
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (HirDebugFrame));

  for (guint k = 0; k < evaluator->frames->len; k++)
    {
      const HirFrame *frame = &g_array_index (evaluator->frames, HirFrame, k);
      HirDebugFrame own = { frame->owner, frame->i, frame->stop, frame->step, FALSE };

      if (frame->owner == NULL)
        continue;
      own.is_else =
          frame->owner->kind == HIR_EXPR_IF && frame->scope == &frame->owner->u.branch.else_body;
      g_array_append_val (frames, own);
    }
  return frames;
}

static void
stream_free (gpointer data)
{
  HirDebugStream *stream = data;

  g_free (stream->name);
  g_free (stream->label);
  g_free (stream->waits_for);
  g_free (stream);
}

/* Returns a table from the back end's stream numbers to names, for streams and channels. */
static GHashTable *
dup_stream_names (const HirEvaluator *evaluator)
{
  GHashTable *names = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer name, channel;

  for (guint i = 0; i < evaluator->slots->len; i++)
    {
      const HirStreamSlot *slot = g_ptr_array_index (evaluator->slots, i);

      g_hash_table_insert (names, GUINT_TO_POINTER (slot->index), slot->name);
    }
  g_hash_table_iter_init (&iter, evaluator->channels);
  while (g_hash_table_iter_next (&iter, &name, &channel))
    g_hash_table_insert (names, GUINT_TO_POINTER (((const HirChannel *) channel)->index), name);
  return names;
}

static HirDebugStream *
stream_new (const HirEvaluator *evaluator, GHashTable *names, guint number)
{
  const HirStreamSlot *current = g_ptr_array_index (evaluator->slots, evaluator->current);
  HirDebugStream *stream = g_new0 (HirDebugStream, 1);
  const char *name = g_hash_table_lookup (names, GUINT_TO_POINTER (number));

  stream->name = name != NULL ? g_strdup (name) : g_strdup_printf ("stream %u", number);
  stream->is_current = current->index == number;
  stream->iteration = -1;
  return stream;
}

static void
fill_stream (HirDebugStream *stream, const HirStreamStatus *status, GHashTable *names)
{
  stream->is_known = TRUE;
  stream->doing = status->doing;
  stream->label = g_strdup (status->label);
  stream->expr = status->expr;
  stream->iteration = status->iteration;
  stream->n_queued = status->n_queued;
  if (status->doing == HIR_STREAM_WAITING)
    stream->waits_for =
        g_strdup (g_hash_table_lookup (names, GUINT_TO_POINTER (status->waits_for)));
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  return (int) (GPOINTER_TO_UINT (*(gconstpointer *) a) - GPOINTER_TO_UINT (*(gconstpointer *) b));
}

GPtrArray *
hir_debug_run_dup_streams (HirDebugRun *run, guint i)
{
  const HirEvaluator *evaluator = hir_debug_run_get_evaluator (run, i);
  HirBackend *backend = hir_debug_run_get_backend (run, i);
  GPtrArray *streams = g_ptr_array_new_with_free_func (stream_free);
  g_autoptr (GHashTable) names = dup_stream_names (evaluator);
  g_autoptr (GArray) statuses =
      backend->klass->look != NULL ? backend->klass->look (backend) : NULL;
  guint n;
  g_autofree gpointer *numbers = g_hash_table_get_keys_as_array (names, &n);

  /* In order of creation: streams of the program first, then channels. */
  qsort (numbers, n, sizeof *numbers, by_number);
  for (guint pass = 0; pass < 2; pass++)
    for (guint k = 0; k < n; k++)
      {
        guint number = GPOINTER_TO_UINT (numbers[k]);
        const char *name = g_hash_table_lookup (names, numbers[k]);
        HirDebugStream *stream;

        if (g_str_has_prefix (name, "comm ") != (pass == 1))
          continue;
        stream = stream_new (evaluator, names, number);
        if (statuses != NULL && number < statuses->len)
          fill_stream (stream, &g_array_index (statuses, HirStreamStatus, number), names);
        g_ptr_array_add (streams, stream);
      }
  return streams;
}

static void
buffer_free (gpointer data)
{
  HirDebugBuffer *buffer = data;

  g_array_unref (buffer->names);
  g_free (buffer);
}

typedef struct
{
  GPtrArray *buffers;
  HirContainer *program;
} Collector;

static int
by_name (gconstpointer a, gconstpointer b)
{
  return *(const int *) a - *(const int *) b;
}

static void
collect_buffer (const HirVal *val, HirValue *value, gpointer user_data)
{
  Collector *collector = user_data;
  HirDebugBuffer *buffer = NULL;

  if (value->is_scalar)
    return;
  for (guint i = 0; i < collector->buffers->len && buffer == NULL; i++)
    {
      HirDebugBuffer *known = g_ptr_array_index (collector->buffers, i);

      buffer = known->buffer == value->buffer ? known : NULL;
    }
  if (buffer == NULL)
    {
      buffer = g_new0 (HirDebugBuffer, 1);
      buffer->buffer = value->buffer;
      buffer->size_bytes = value->buffer->size_bytes;
      buffer->names = g_array_new (FALSE, FALSE, sizeof (int));
      g_ptr_array_add (collector->buffers, buffer);
    }
  g_array_append_val (buffer->names, val->name);
  buffer->is_input |= hir_container_is_input (collector->program, val);
}

static int
by_first_name (gconstpointer a, gconstpointer b)
{
  const HirDebugBuffer *x = *(HirDebugBuffer *const *) a, *y = *(HirDebugBuffer *const *) b;

  return g_array_index (x->names, int, 0) - g_array_index (y->names, int, 0);
}

GPtrArray *
hir_debug_run_dup_buffers (HirDebugRun *run, guint i)
{
  Collector collector = { g_ptr_array_new_with_free_func (buffer_free),
                          hir_debug_run_get_program (run, i) };

  hir_env_foreach (hir_evaluator_get_env (hir_debug_run_get_evaluator (run, i)), collect_buffer,
                   &collector);
  for (guint k = 0; k < collector.buffers->len; k++)
    g_array_sort (((HirDebugBuffer *) g_ptr_array_index (collector.buffers, k))->names, by_name);
  g_ptr_array_sort (collector.buffers, by_first_name);
  return collector.buffers;
}

GPtrArray *
hir_debug_run_dup_pending (HirDebugRun *run, guint i)
{
  const HirEvaluator *evaluator = hir_debug_run_get_evaluator (run, i);
  GPtrArray *pending = g_ptr_array_new ();

  for (guint k = 0; k < evaluator->pending->len; k++)
    {
      const HirPending *entry = g_ptr_array_index (evaluator->pending, k);

      g_ptr_array_add (pending, (gpointer) entry->expr);
    }
  return pending;
}

HirValue *
hir_debug_dup_slice (const HirValue *value, const HirDebugSlice *slice, gboolean takes_indices)
{
  HirValue *part = hir_value_ref ((HirValue *) value);

  for (guint axis = 0; axis < value->n_dims; axis++)
    {
      gint64 at = slice->query->at[axis];
      gint64 first = at >= 0 ? at : slice->first != NULL ? slice->first[axis] : 0;
      gint64 stop = at >= 0 ? at + 1 : slice->stop != NULL ? slice->stop[axis] : -1;
      gint64 end = stop >= 0 ? MIN (stop, value->sizes[axis]) : value->sizes[axis];
      HirValue *whole = part;

      if (at >= 0 && !takes_indices)
        continue;
      part = first < end ? hir_value_slice (whole, axis, first, end - first, 1) : NULL;
      hir_value_unref (whole);
      if (part == NULL)
        return NULL;
    }
  return part;
}

/* Returns the note for @part of T<name>, a value of @evaluator, or NULL. */
static char *
dup_transfer_note (const HirEvaluator *evaluator, int name, const HirValue *part)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    {
      const HirPending *pending = g_ptr_array_index (evaluator->pending, i);
      const HirTensor *result = hir_expr_get_result (pending->expr);

      for (guint k = 0; k < pending->writes->len; k++)
        {
          if (!hir_value_overlaps (part, g_ptr_array_index (pending->writes, k)))
            continue;
          if (result == NULL || result->base.name == name)
            return g_strdup_printf ("a communication that writes T%d has not been waited for",
                                    name);
          return g_strdup_printf (
              "a communication that writes T%d, in the memory of T%d, has not been waited for",
              result->base.name, name);
        }
    }
  return NULL;
}

char *
hir_debug_view_dup_transfer_note (const HirDebugView *view,
                                  int name,
                                  const HirDebugSlice *slice,
                                  gboolean is_gathered)
{
  const HirTensor *own = hir_debug_view_find_tensor (view, name, NULL);
  gboolean takes_all = is_gathered && own != NULL && hir_shard_is_sharded (own);
  guint begin = takes_all ? 0 : view->i;
  guint end = takes_all ? hir_debug_run_get_n_ranks (view->run) : view->i + 1;
  HirDebugView other = *view;
  char *note = NULL;

  for (other.i = begin; other.i < end && note == NULL; other.i++)
    {
      HirEvaluator *evaluator = hir_debug_run_get_evaluator (view->run, other.i);
      HirTensor *tensor = hir_debug_view_find_tensor (&other, name, NULL);
      HirValue *value = tensor != NULL ? hir_evaluator_lookup (evaluator, HIR_VAL (tensor)) : NULL;
      g_autoptr (HirValue) part = NULL;

      if (value == NULL || value->is_scalar)
        continue;
      part = takes_all ? hir_value_ref (value) : hir_debug_dup_slice (value, slice, TRUE);
      note = part != NULL ? dup_transfer_note (evaluator, name, part) : NULL;
    }
  return note;
}

/* Each stop describes all ranks, so the lines are kept. */
static const GPtrArray *
get_numbers (HirDebugRun *run, guint i)
{
  HirRankWorker *worker = hir_debug_run_get_worker (run, i);

  if (worker->numbers == NULL)
    worker->numbers = hir_instruction_numbers (hir_debug_run_get_program (run, i));
  return worker->numbers;
}

char *
hir_debug_run_describe_place (HirDebugRun *run, guint i)
{
  HirEvaluator *evaluator = hir_debug_run_get_evaluator (run, i);
  HirProgramPoint point;
  const char *label;
  guint line;

  if (hir_debug_run_is_inside (run, i))
    return g_strdup ("inside its instruction, waiting for another rank");
  if (!hir_debug_run_peek (run, i, &point))
    return g_strdup ("at the end");
  line = hir_instruction_find (get_numbers (run, i), point.expr->node.id);
  label = hir_evaluator_get_label (evaluator, point.expr);
  return point.iteration >= 0 ? g_strdup_printf ("before program line %u, %s in iteration %d", line,
                                                 label, point.iteration)
                              : g_strdup_printf ("before program line %u, %s", line, label);
}

GPtrArray *
hir_debug_run_look_at_comms (HirDebugRun *run)
{
  HirCommWorld *world = hir_debug_run_get_world (run);
  GPtrArray *statuses = world != NULL ? hir_comm_world_look (world) : g_ptr_array_new ();

  for (guint k = 0; k < statuses->len; k++)
    {
      HirCommStatus *status = g_ptr_array_index (statuses, k);

      /* A host thread inside an instruction waits in the communication that it posted last: earlier
       * ones are complete. */
      for (guint m = 0; m < status->posted->len; m++)
        {
          int worker = hir_debug_run_find_rank (run, g_array_index (status->posted, gint64, m));

          status->is_waited_in |= worker >= 0 && hir_debug_run_is_inside (run, (guint) worker);
        }
    }
  return statuses;
}

/* Appends one line per group of missing ranks at the same position. */
static void
append_missing (HirDebugRun *run, const HirCommStatus *status, GString *text)
{
  g_autoptr (GPtrArray) positions = g_ptr_array_new_with_free_func (g_free);

  for (guint m = 0; m < status->missing->len; m++)
    {
      int worker = hir_debug_run_find_rank (run, g_array_index (status->missing, gint64, m));

      g_ptr_array_add (positions,
                       worker >= 0 ? hir_debug_run_describe_place (run, (guint) worker) : NULL);
    }
  for (guint first = 0, end; first < positions->len; first = end)
    {
      const char *position = positions->pdata[first];

      for (end = first + 1; end < positions->len; end++)
        if (g_strcmp0 (position, positions->pdata[end]) != 0)
          break;
      g_string_append_printf (text, "%s waits for rank%s", status->where,
                              end - first > 1 ? "s" : "");
      for (guint m = first; m < end; m++)
        g_string_append_printf (text, "%s %" G_GINT64_FORMAT, m > first ? "," : "",
                                g_array_index (status->missing, gint64, m));
      if (position != NULL)
        g_string_append_printf (text, ", which %s %s", end - first > 1 ? "are" : "is", position);
      g_string_append_c (text, '\n');
    }
}

char *
hir_debug_run_describe_waits (HirDebugRun *run)
{
  g_autoptr (GPtrArray) statuses = hir_debug_run_look_at_comms (run);
  GString *text = g_string_new (NULL);

  for (guint k = 0; k < statuses->len; k++)
    {
      const HirCommStatus *status = g_ptr_array_index (statuses, k);

      if (status->is_waited_in)
        append_missing (run, status, text);
    }
  return g_string_free (text, FALSE);
}
