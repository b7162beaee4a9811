/* A back end and a communicator that log all work instead of executing it. */
#include "analysis/sync-trace-private.h"

struct _HirBackendEvent
{
  guint step; /* last step of the stream at that time; HIR_SYNC_NONE: none */
};

struct _HirCommWork
{
  HirCommPost *post;
  guint first_post; /* index in the posts of the log */
  guint n_posts;
};

/* Data of a HirBuffer of the log. */
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

/* Returns the current stream for work on @queue; for a channel, the stream that posts. Sets the
 * name of the stream, which is known only while it is current. */
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

guint
hir_sync_log_get_buffer (const HirValue *value)
{
  if (value == NULL || value->is_scalar || value->buffer == NULL ||
      value->buffer->place != HIR_PLACE_CUDA)
    return HIR_SYNC_NONE;
  return ((const Memory *) (gconstpointer) value->buffer->data)->index;
}

void
hir_sync_log_add_access (HirSyncLog *log, const HirValue *value, int tensor, gboolean is_write)
{
  guint first = log->ranges->len, buffer = hir_sync_log_get_buffer (value);

  if (buffer == HIR_SYNC_NONE)
    return;
  hir_sync_add_ranges (value, log->ranges);
  if (is_write)
    hir_sync_memory_write (log, buffer, first, log->ranges->len - first);
  else
    hir_sync_memory_read (log, buffer, value, tensor, first, log->ranges->len - first);
  add_ranges (log, buffer, tensor, is_write, first);
}

static void
add_whole_write (HirSyncLog *log, guint index)
{
  const HirSyncBuffer *buffer = &g_array_index (log->buffers, HirSyncBuffer, index);
  HirByteRange whole = { 0, (gint64) buffer->size_bytes };

  if (buffer->size_bytes == 0)
    return;
  g_array_append_val (log->ranges, whole);
  hir_sync_memory_write (log, index, log->ranges->len - 1, 1);
  add_ranges (log, index, buffer->tensor, TRUE, log->ranges->len - 1);
}

/* Logs the release as a write, because the memory may be reused by an allocation on its stream. */
static void
free_memory (gpointer data, gpointer user_data)
{
  Memory *memory = data;
  HirSyncLog *log = memory->log;

  if (log->open)
    {
      g_array_append_val (log->released, memory->index);
      hir_sync_log_add_step (log, HIR_SYNC_RELEASE,
                             g_array_index (log->buffers, HirSyncBuffer, memory->index).queue);
      add_whole_write (log, memory->index);
    }
  g_free (memory);
}

static HirBuffer *
new_buffer (HirSyncLog *log, guint queue, gsize size_bytes, int tensor)
{
  HirSyncBuffer buffer = { log->rank, queue, size_bytes, tensor, log->expr };
  Memory *memory = g_new0 (Memory, 1);

  memory->log = log;
  memory->index = log->buffers->len;
  g_array_append_val (log->buffers, buffer);
  g_ptr_array_add (log->written, g_array_new (FALSE, FALSE, sizeof (HirByteRange)));
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

static HirSyncLog *
log_of_communicator (HirCommunicator *communicator)
{
  return (HirSyncLog *) ((guint8 *) communicator - G_STRUCT_OFFSET (HirSyncLog, communicator));
}

/* Returns the number of earlier posts of the same kind and team. */
static guint
count_posts (HirSyncLog *log, const char *team, char side)
{
  char *key = g_strdup_printf ("%c%s", side, team);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (log->counts, key));

  g_hash_table_insert (log->counts, key, GUINT_TO_POINTER (n + 1));
  return n;
}

static void
add_header (HirSyncLog *log, HirCommHeader *header, const HirExpr *expr, char side)
{
  HirSyncPost post = { .header = header,
                       .expr = expr,
                       .iteration = log->iteration,
                       .give = HIR_SYNC_NONE,
                       .take = HIR_SYNC_NONE };

  header->sequence = count_posts (log, header->team, side);
  g_array_append_val (log->posts, post);
}

static gboolean
check_devices (const HirCommPost *post, const HirCommunicator *communicator, GError **error)
{
  gint64 outsider = -1;

  for (guint i = 0; post->messages == NULL && i < post->expr->u.comm.n_team; i++)
    if (post->expr->u.comm.team[i] >= communicator->n_ranks)
      outsider = post->expr->u.comm.team[i];
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      gint64 peer = g_array_index (post->messages, HirCommMessage, i).peer;

      if (peer < 0 || peer >= communicator->n_ranks)
        outsider = peer;
    }
  if (outsider == -1)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &post->expr->node.pos,
                 "%s uses device %" G_GINT64_FORMAT ", but there are only %d; see -d",
                 hir_comm_post_get_where (post), outsider, communicator->n_ranks);
  return FALSE;
}

static HirCommWork *
keep_post (HirCommunicator *communicator, const HirCommPost *post, GError **error)
{
  HirSyncLog *log = log_of_communicator (communicator);
  HirCommWork *work;
  guint first = log->posts->len;

  if (!check_devices (post, communicator, error))
    return NULL;
  if (post->messages == NULL)
    {
      HirCommHeader *header = hir_comm_header_new_collective (post, log->rank, 0, 0, 0, error);

      if (header == NULL)
        return NULL;
      add_header (log, header, post->expr, 'c');
    }
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);

      add_header (log, hir_comm_header_new_message (post, message, log->rank, 0, 0, 0), post->expr,
                  message->is_send ? 's' : 'r');
    }
  work = g_new0 (HirCommWork, 1);
  work->post = hir_comm_post_copy (post);
  work->first_post = first;
  work->n_posts = log->posts->len - first;
  log->posted = work;
  return work;
}

static gboolean
run_work (HirCommWork *work, GError **error)
{
  return TRUE;
}

static void
free_work (HirCommWork *work)
{
  hir_comm_post_free (work->post);
  g_free (work);
}

static void
ignore (HirCommunicator *communicator)
{
}

static gboolean
end_posts (HirCommunicator *communicator, GError **error)
{
  return TRUE;
}

static void
abort_all (HirCommunicator *communicator, const GError *error)
{
}

static const HirCommunicatorClass communicator_class = {
  .begin = ignore,
  .post = keep_post,
  .run = run_work,
  .free_work = free_work,
  .end = end_posts,
  .abort = abort_all,
  .free = ignore,
};

static void
clear_post (gpointer data)
{
  hir_comm_header_free (((HirSyncPost *) data)->header);
}

static void
init_communicator (HirSyncLog *log, int n_ranks)
{
  log->communicator = (HirCommunicator){ &communicator_class, log->rank, n_ranks };
  log->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  log->posts = g_array_new (FALSE, FALSE, sizeof (HirSyncPost));
  g_array_set_clear_func (log->posts, clear_post);
}

static void
name_channel (HirSyncLog *log, guint queue, const HirCommPost *post)
{
  HirSyncQueue *channel = &g_array_index (log->queues, HirSyncQueue, queue);
  GString *name;
  guint n;

  if (channel->name != NULL)
    return;
  name = g_string_new (post->messages != NULL ? "comm p2p" : "comm {");
  if (post->messages == NULL)
    {
      g_autofree gint64 *members = hir_comm_dup_members (post->expr, &n);

      for (guint i = 0; i < n; i++)
        g_string_append_printf (name, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", members[i]);
      g_string_append_c (name, '}');
    }
  channel->name = g_string_free (name, FALSE);
}

/* Adds the read or write step of a post. Returns it, or HIR_SYNC_NONE if this rank has none. */
static guint
add_half (HirSyncLog *log, guint queue, const HirCommPost *post, gboolean gives)
{
  const HirValue *value = gives ? post->in : post->out;
  gboolean any = post->messages == NULL && value != NULL;
  guint step;

  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    any |= g_array_index (post->messages, HirCommMessage, i).is_send == gives;
  if (!any)
    return HIR_SYNC_NONE;
  step = hir_sync_log_add_step (log, gives ? HIR_SYNC_GIVE : HIR_SYNC_TAKE, queue);
  /* The root of a Broadcast only sends; it has copied its input to the output before. */
  if (post->messages == NULL && (gives || post->expr->u.comm.type != HIR_COMM_BROADCAST ||
                                 post->expr->u.comm.root != log->rank))
    hir_sync_log_add_access (log, value,
                             gives ? post->expr->inputs[0]->name : post->expr->outputs[0]->name,
                             !gives);
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);
      const HirExpr *expr = message->expr;

      if (message->is_send == gives)
        hir_sync_log_add_access (log, message->value,
                                 expr->kind == HIR_EXPR_P2P ? expr->u.p2p.buffer->base.name
                                 : gives                    ? expr->inputs[0]->name
                                                            : expr->outputs[0]->name,
                                 !gives);
    }
  return step;
}

static void
add_post (HirSyncLog *log, guint queue)
{
  const HirCommWork *work = g_steal_pointer (&log->posted);
  guint post_step = g_array_index (log->tails, guint, queue), give, take;

  name_channel (log, queue, work->post);
  give = add_half (log, queue, work->post, TRUE);
  take = add_half (log, queue, work->post, FALSE);
  /* A member without data waits for the others, too. */
  if (give == HIR_SYNC_NONE && take == HIR_SYNC_NONE)
    hir_sync_log_add_step (log, HIR_SYNC_TAKE, queue);
  for (guint i = 0; i < work->n_posts; i++)
    {
      HirSyncPost *post = &g_array_index (log->posts, HirSyncPost, work->first_post + i);

      post->post = post_step;
      post->last = g_array_index (log->tails, guint, queue);
      if (post->header->is_collective || post->header->is_send)
        post->give = give;
      if (post->header->is_collective || !post->header->is_send)
        post->take = take;
    }
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
    add_post (log, stream);
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

/* Returns the name of tensor input @i, or -1. */
static int
input_name (const HirSyncLog *log, guint i)
{
  const HirVec *inputs = &log->program->inputs;

  for (guint k = 0; k < inputs->len; k++)
    if (HIR_IS_TENSOR (inputs->items[k]) && i-- == 0)
      return ((const HirVal *) inputs->items[k])->name;
  return -1;
}

/* Called before the program starts, when the entry is the only step. */
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

static const HirBackendClass backend_class = {
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

static void
clear_unwritten (gpointer data)
{
  g_free (((HirSyncUnwritten *) data)->slice);
}

HirSyncLog *
hir_sync_log_new (HirContainer *program, int rank, int n_ranks)
{
  HirSyncLog *log = g_new0 (HirSyncLog, 1);

  log->backend.klass = &backend_class;
  log->program = program;
  log->rank = rank;
  log->iteration = -1;
  log->steps = g_array_new (FALSE, FALSE, sizeof (HirSyncStep));
  log->instances = g_array_new (FALSE, FALSE, sizeof (HirSyncInstance));
  log->accesses = g_array_new (FALSE, FALSE, sizeof (HirSyncAccess));
  log->ranges = g_array_new (FALSE, FALSE, sizeof (HirByteRange));
  log->queues = g_array_new (FALSE, FALSE, sizeof (HirSyncQueue));
  g_array_set_clear_func (log->queues, clear_queue);
  log->tails = g_array_new (FALSE, FALSE, sizeof (guint));
  log->buffers = g_array_new (FALSE, FALSE, sizeof (HirSyncBuffer));
  log->written = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  log->unwritten = g_array_new (FALSE, FALSE, sizeof (HirSyncUnwritten));
  g_array_set_clear_func (log->unwritten, clear_unwritten);
  log->pending = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  log->released = g_array_new (FALSE, FALSE, sizeof (guint));
  log->frees = g_array_new (FALSE, FALSE, sizeof (HirSyncFree));
  init_communicator (log, n_ranks);
  add_queue (log, FALSE, HIR_DEFAULT_STREAM_NAME);
  hir_sync_log_add_step (log, HIR_SYNC_ENTRY, 0);
  return log;
}

void
hir_sync_log_free (HirSyncLog *log)
{
  g_array_unref (log->steps);
  g_array_unref (log->instances);
  g_array_unref (log->accesses);
  g_array_unref (log->ranges);
  g_array_unref (log->queues);
  g_array_unref (log->tails);
  g_array_unref (log->buffers);
  g_ptr_array_unref (log->written);
  g_array_unref (log->unwritten);
  g_hash_table_unref (log->pending);
  g_array_unref (log->released);
  g_array_unref (log->frees);
  g_array_unref (log->posts);
  g_hash_table_unref (log->counts);
  g_free (log);
}
