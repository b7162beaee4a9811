/* A back end that keeps what is put on its streams and computes nothing. */
#include "analysis/sync-trace-private.h"

struct _HirBackendEvent
{
  guint step; /* the last one of its stream then; HIR_SYNC_NONE */
};

/* What a HirBuffer of the log holds instead of memory. */
typedef struct
{
  HirSyncLog *log;
  guint index;
} Memory;

static HirSyncLog *
log_of (HirBackend *backend)
{
  return (HirSyncLog *) ((guint8 *) backend - G_STRUCT_OFFSET (HirSyncLog, backend));
}

static void
clear_queue (gpointer data)
{
  HirSyncQueue *queue = data;

  g_free (queue->name);
}

static void
add_queue (HirSyncLog *log, gboolean is_channel, const char *name)
{
  HirSyncQueue queue = { log->rank, is_channel, g_strdup (name) };
  guint none = HIR_SYNC_NONE;

  g_array_append_val (log->queues, queue);
  g_array_append_val (log->tails, none);
}

/* The stream that is current where work is put on @queue: a channel's is the one that posts. What
 * it is called is known while it is current. */
static guint
get_current (HirSyncLog *log, guint queue)
{
  gboolean is_channel = g_array_index (log->queues, HirSyncQueue, queue).is_channel;
  guint current = is_channel ? log->recorded : queue;
  HirSyncQueue *own = &g_array_index (log->queues, HirSyncQueue, current);

  if (own->name == NULL && log->evaluator != NULL)
    own->name = g_strdup (hir_evaluator_get_current_stream_name (log->evaluator));
  return current;
}

guint
hir_sync_log_add_step (HirSyncLog *log, HirSyncKind kind, guint queue)
{
  guint *tail = &g_array_index (log->tails, guint, queue);
  guint index = log->steps->len;
  HirSyncStep step = { .kind = kind,
                       .rank = log->rank,
                       .queue = queue,
                       .current = get_current (log, queue),
                       .previous = *tail,
                       .after = HIR_SYNC_NONE,
                       .expr = log->expr,
                       .iteration = log->iteration,
                       .first_access = log->accesses->len };

  *tail = index;
  g_array_append_val (log->steps, step);
  return index;
}

static void
add_ranges (HirSyncLog *log, guint buffer, int tensor, gboolean is_write, guint first)
{
  HirSyncAccess access = { buffer, is_write, tensor, first, log->ranges->len - first };

  if (access.n_ranges == 0)
    return;
  g_array_append_val (log->accesses, access);
  g_array_index (log->steps, HirSyncStep, log->steps->len - 1).n_accesses++;
}

void
hir_sync_log_add_access (HirSyncLog *log, const HirValue *value, int tensor, gboolean is_write)
{
  guint first = log->ranges->len;
  const Memory *memory;

  if (value == NULL || value->is_scalar || value->buffer == NULL ||
      value->buffer->place != HIR_PLACE_CUDA)
    return;
  memory = (const Memory *) (gconstpointer) value->buffer->data;
  hir_sync_add_ranges (value, log->ranges);
  add_ranges (log, memory->index, tensor, is_write, first);
}

static void
add_whole_write (HirSyncLog *log, guint index)
{
  const HirSyncBuffer *buffer = &g_array_index (log->buffers, HirSyncBuffer, index);
  HirByteRange whole = { 0, (gint64) buffer->size_bytes };

  if (buffer->size_bytes == 0)
    return;
  g_array_append_val (log->ranges, whole);
  add_ranges (log, index, buffer->tensor, TRUE, log->ranges->len - 1);
}

/* Its bytes are the next one's that is allocated on the stream it came from: as written there. */
static void
free_memory (gpointer data, gpointer user_data)
{
  Memory *memory = data;
  HirSyncLog *log = memory->log;

  if (log->open)
    {
      hir_sync_log_add_step (log, HIR_SYNC_RELEASE,
                             g_array_index (log->buffers, HirSyncBuffer, memory->index).queue);
      add_whole_write (log, memory->index);
    }
  g_free (memory);
}

static HirBuffer *
new_buffer (HirSyncLog *log, guint queue, gsize size_bytes, int tensor)
{
  HirSyncBuffer buffer = { log->rank, queue, size_bytes, tensor };
  Memory *memory = g_new0 (Memory, 1);

  memory->log = log;
  memory->index = log->buffers->len;
  g_array_append_val (log->buffers, buffer);
  return hir_buffer_new_device (memory, size_bytes, free_memory, NULL);
}

static gboolean
open_stream (HirBackend *backend, HirStreamUse use, guint *stream, GError **error)
{
  HirSyncLog *log = log_of (backend);

  *stream = log->queues->len;
  add_queue (log, use == HIR_STREAM_CHANNEL, NULL);
  return TRUE;
}

static int
result_of (const HirExpr *expr)
{
  const HirTensor *result = expr != NULL ? hir_expr_get_result (expr) : NULL;

  return result != NULL ? result->base.name : -1;
}

static HirBuffer *
allocate (HirBackend *backend, guint stream, gsize size_bytes, GError **error)
{
  HirSyncLog *log = log_of (backend);

  return new_buffer (log, get_current (log, stream), size_bytes, result_of (log->expr));
}

static gboolean
fill (HirBackend *backend,
      guint stream,
      HirBuffer *buffer,
      guint8 byte,
      const HirEvent *event,
      GError **error)
{
  HirSyncLog *log = log_of (backend);

  hir_sync_log_add_step (log, HIR_SYNC_WORK, stream);
  add_whole_write (log, ((const Memory *) (gconstpointer) buffer->data)->index);
  return TRUE;
}

static int
name_of (HirVal *const *vals, guint n, guint i)
{
  return i < n && HIR_IS_TENSOR (vals[i]) ? vals[i]->name : -1;
}

static gboolean
enqueue (HirBackend *backend, guint stream, HirTask *task, GError **error)
{
  HirSyncLog *log = log_of (backend);

  if (log->posted != NULL)
    hir_sync_log_add_post (log, stream);
  else
    hir_sync_log_add_step (log, HIR_SYNC_WORK, stream);
  for (guint i = 0; task->calls != NULL && i < task->calls->len; i++)
    {
      const HirOpCall *call = g_ptr_array_index (task->calls, i);
      const HirExpr *expr = call->expr;

      for (guint k = 0; k < call->n_inputs; k++)
        hir_sync_log_add_access (log, call->inputs[k], name_of (expr->inputs, expr->n_inputs, k),
                                 FALSE);
      hir_sync_log_add_access (log, call->output, name_of (expr->outputs, expr->n_outputs, 0),
                               TRUE);
    }
  hir_task_free (task);
  return TRUE;
}

static HirBackendEvent *
record_event (HirBackend *backend, guint stream)
{
  HirSyncLog *log = log_of (backend);
  HirBackendEvent *event = g_new0 (HirBackendEvent, 1);

  event->step = g_array_index (log->tails, guint, stream);
  if (!g_array_index (log->queues, HirSyncQueue, stream).is_channel)
    log->recorded = stream;
  return event;
}

static gboolean
wait_event (
    HirBackend *backend, guint stream, HirBackendEvent *event, HirTask *task, GError **error)
{
  HirSyncLog *log = log_of (backend);
  gboolean is_channel = g_array_index (log->queues, HirSyncQueue, stream).is_channel;
  guint step = hir_sync_log_add_step (log, is_channel ? HIR_SYNC_POST : HIR_SYNC_WAIT, stream);

  g_array_index (log->steps, HirSyncStep, step).after = event->step;
  g_free (event);
  if (task != NULL)
    hir_task_free (task);
  return TRUE;
}

static void
drop_event (HirBackend *backend, HirBackendEvent *event)
{
  g_free (event);
}

static void
get_progress (HirBackend *backend, guint64 *n_done, guint *n_running)
{
  *n_done = 0;
  *n_running = 0;
}

static gboolean
synchronize (HirBackend *backend, GError **error)
{
  return TRUE;
}

/* Tensor input @i of the program. */
static int
input_name (const HirSyncLog *log, guint i)
{
  const HirVec *inputs = &log->program->inputs;

  for (guint k = 0; k < inputs->len; k++)
    if (HIR_IS_TENSOR (inputs->items[k]) && i-- == 0)
      return ((const HirVal *) inputs->items[k])->name;
  return -1;
}

/* Before the program: the entry is the last step, and the only one. */
static HirValue *
upload (HirBackend *backend, HirValue *tensor, GError **error)
{
  HirSyncLog *log = log_of (backend);
  int name = input_name (log, log->n_inputs++);
  g_autoptr (HirBuffer) buffer = new_buffer (log, 0, tensor->buffer->size_bytes, name);
  HirValue *value =
      hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, tensor->strides, buffer);

  value->offset = tensor->offset;
  hir_sync_log_add_access (log, value, name, TRUE);
  return value;
}

static gboolean
read_back (HirBackend *backend, const HirValue *tensor, gpointer host, GError **error)
{
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL, "nothing is computed");
  return FALSE;
}

static void
do_nothing (HirBackend *backend)
{
}

static const HirBackendClass log_class = {
  .open_stream = open_stream,
  .allocate = allocate,
  .fill = fill,
  .enqueue = enqueue,
  .record_event = record_event,
  .wait_event = wait_event,
  .drop_event = drop_event,
  .get_progress = get_progress,
  .synchronize = synchronize,
  .upload = upload,
  .read = read_back,
  .cancel = do_nothing,
  .free = do_nothing,
};

HirSyncLog *
hir_sync_log_new (HirContainer *program, int rank, int n_ranks)
{
  HirSyncLog *log = g_new0 (HirSyncLog, 1);

  log->backend.klass = &log_class;
  log->program = program;
  log->rank = rank;
  log->iteration = -1;
  log->steps = g_array_new (FALSE, FALSE, sizeof (HirSyncStep));
  log->accesses = g_array_new (FALSE, FALSE, sizeof (HirSyncAccess));
  log->ranges = g_array_new (FALSE, FALSE, sizeof (HirByteRange));
  log->queues = g_array_new (FALSE, FALSE, sizeof (HirSyncQueue));
  g_array_set_clear_func (log->queues, clear_queue);
  log->tails = g_array_new (FALSE, FALSE, sizeof (guint));
  log->buffers = g_array_new (FALSE, FALSE, sizeof (HirSyncBuffer));
  hir_sync_log_init_communicator (log, n_ranks);
  add_queue (log, FALSE, "the caller's stream");
  hir_sync_log_add_step (log, HIR_SYNC_ENTRY, 0);
  return log;
}

void
hir_sync_log_free (HirSyncLog *log)
{
  g_array_unref (log->steps);
  g_array_unref (log->accesses);
  g_array_unref (log->ranges);
  g_array_unref (log->queues);
  g_array_unref (log->tails);
  g_array_unref (log->buffers);
  g_array_unref (log->posts);
  g_hash_table_unref (log->counts);
  g_free (log);
}
