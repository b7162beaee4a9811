/* Streams, events and memory of the CPU back end. */
#include "run/cpu/cpu.h"

#include <cblas.h>
#include <string.h>

#include "run/cpu/cpu-ops.h"
#include "run/cpu/cpu-private.h"

/* Limit of queued work per stream; beyond it the host waits, as on a GPU. */
#define QUEUE_LIMIT 4096

static HirBackendEvent *
event_new (guint stream)
{
  HirBackendEvent *event = g_new0 (HirBackendEvent, 1);

  g_atomic_ref_count_init (&event->ref_count);
  event->stream = stream;
  g_mutex_init (&event->lock);
  g_cond_init (&event->reached_cond);
  return event;
}

static void
event_unref (HirBackendEvent *event)
{
  if (!g_atomic_ref_count_dec (&event->ref_count))
    return;
  g_mutex_clear (&event->lock);
  g_cond_clear (&event->reached_cond);
  g_free (event);
}

static gboolean
is_stopped (HirCpuBackend *backend)
{
  return g_atomic_int_get (&backend->stopped) != 0;
}

static void
stop_with (HirCpuBackend *backend, GError *error)
{
  gboolean is_first;

  g_mutex_lock (&backend->lock);
  is_first = backend->error == NULL;
  if (is_first)
    backend->error = error;
  else
    g_clear_error (&error);
  g_atomic_int_set (&backend->stopped, 1);
  g_cond_broadcast (&backend->progress_cond);
  g_cond_broadcast (&backend->release_cond);
  g_mutex_unlock (&backend->lock);
  /* The first error lives as long as the back end. */
  if (is_first && backend->options.stopped != NULL)
    backend->options.stopped (error, backend->options.user_data);
}

static void
record (HirCpuBackend *backend, const HirTask *task, gint64 start_ns, gint64 end_ns)
{
  HirEvent event = task->event;

  if (backend->options.recorder == NULL)
    return;
  event.start_ns = start_ns - backend->options.zero_ns;
  event.end_ns = end_ns - backend->options.zero_ns;
  hir_recorder_add (backend->options.recorder, &event);
}

static void
delay (HirCpuStream *stream, GRand *rand)
{
  if (stream->backend->options.max_delay_us > 0)
    g_usleep ((gulong) g_rand_int_range (rand, 0, (gint32) stream->backend->options.max_delay_us));
}

static gboolean
run_calls (HirCpuBackend *backend, const HirTask *task, GError **error)
{
  gboolean ok = TRUE;

  if (task->calls == NULL)
    return TRUE;
  g_atomic_int_inc (&backend->options.computations->n_started);
  for (guint i = 0; ok && i < task->calls->len && !is_stopped (backend); i++)
    ok = hir_cpu_execute (g_ptr_array_index (task->calls, i), error);
  g_atomic_int_inc (&backend->options.computations->n_ended);
  return ok;
}

static void
run_task (HirCpuStream *stream, const HirTask *task)
{
  HirCpuBackend *backend = stream->backend;
  g_autoptr (GError) error = NULL;
  gint64 start_ns = hir_clock_now_ns ();

  if (task->before != NULL && !is_stopped (backend))
    task->before (task->before_data);
  while (backend->hang_on != NULL && task->expr != NULL && !is_stopped (backend) &&
         g_ascii_strcasecmp (hir_expr_get_op_name (task->expr), backend->hang_on) == 0)
    g_usleep (1000);
  if (!run_calls (backend, task, &error))
    {
      HirPos pos;
      if (error == NULL)
        hir_set_error (&error, HIR_ERROR_RUN, NULL, "the op failed");
      pos = hir_error_get_pos (error);
      GError *full = NULL;
      hir_set_error (&full, (HirErrorCode) error->code, &pos, "%s failed on rank %d: %s",
                     task->label, backend->options.rank, error->message);
      stop_with (backend, full);
      return;
    }
  if (task->run != NULL && !is_stopped (backend) && !task->run (task->work, &error))
    {
      stop_with (backend, g_steal_pointer (&error));
      return;
    }
  if (!is_stopped (backend))
    record (backend, task, start_ns, hir_clock_now_ns ());
}

static void
reach_event (HirBackendEvent *event)
{
  g_mutex_lock (&event->lock);
  event->reached = TRUE;
  g_cond_broadcast (&event->reached_cond);
  g_mutex_unlock (&event->lock);
}

/* Always ends: the event was issued before, and stopped streams reach their events too. */
static void
await_event (HirCpuBackend *backend, HirBackendEvent *event, const HirTask *task)
{
  gint64 start_ns = hir_clock_now_ns ();
  gboolean waited = FALSE;

  g_mutex_lock (&event->lock);
  while (!event->reached)
    {
      waited = TRUE;
      g_cond_wait (&event->reached_cond, &event->lock);
    }
  g_mutex_unlock (&event->lock);
  if (waited && task != NULL && !is_stopped (backend))
    record (backend, task, start_ns, hir_clock_now_ns ());
}

static void
set_current (HirCpuStream *stream, const HirCpuItem *item)
{
  g_mutex_lock (&stream->lock);
  stream->current = item;
  g_mutex_unlock (&stream->lock);
}

static void
count_running (HirCpuBackend *backend, int change)
{
  g_mutex_lock (&backend->lock);
  backend->n_running += (guint) change;
  g_mutex_unlock (&backend->lock);
}

static void
run_item (HirCpuStream *stream, HirCpuItem *item, GRand *rand)
{
  HirCpuBackend *backend = stream->backend;

  switch (item->kind)
    {
    case HIR_CPU_TASK:
      hir_cpu_await_release (stream, item);
      delay (stream, rand);
      set_current (stream, item);
      count_running (backend, 1);
      if (!is_stopped (backend))
        run_task (stream, item->task);
      count_running (backend, -1);
      set_current (stream, NULL);
      break;
    case HIR_CPU_RECORD:
      reach_event (item->event);
      break;
    case HIR_CPU_WAIT:
      set_current (stream, item);
      await_event (backend, item->event, item->task);
      set_current (stream, NULL);
      break;
    }
  g_clear_pointer (&item->task, hir_task_free);
  g_clear_pointer (&item->event, event_unref);
}

static void
count_done (HirCpuBackend *backend)
{
  g_mutex_lock (&backend->lock);
  backend->n_done++;
  if (backend->n_done == backend->n_issued)
    g_cond_broadcast (&backend->progress_cond);
  g_mutex_unlock (&backend->lock);
}

static gpointer
stream_thread (gpointer data)
{
  HirCpuStream *stream = data;
  g_autoptr (GRand) rand =
      g_rand_new_with_seed (stream->backend->options.delay_seed + stream->index);
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (HirCpuItem));

  for (;;)
    {
      g_mutex_lock (&stream->lock);
      while (stream->queue->len == 0 && !stream->quit)
        g_cond_wait (&stream->work_cond, &stream->lock);
      if (stream->queue->len == 0)
        {
          g_mutex_unlock (&stream->lock);
          return NULL;
        }
      /* Take the whole queue at once, to lock out the host once per batch instead of once per
       * op. */
      GArray *swap = stream->queue;
      stream->queue = taken;
      taken = swap;
      stream->n_taken = taken->len;
      g_mutex_unlock (&stream->lock);

      for (guint i = 0; i < taken->len; i++)
        {
          run_item (stream, &g_array_index (taken, HirCpuItem, i), rand);
          /* In this order: when a stream is seen to be idle, its work has been counted. */
          count_done (stream->backend);
          g_mutex_lock (&stream->lock);
          stream->n_taken--;
          g_cond_signal (&stream->room_cond);
          g_mutex_unlock (&stream->lock);
        }
      g_array_set_size (taken, 0);
    }
}

static gboolean
cpu_open_stream (HirBackend *base, HirStreamUse use, guint *index, GError **error)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;
  HirCpuStream *stream = g_new0 (HirCpuStream, 1);
  g_autoptr (GError) local = NULL;

  stream->backend = backend;
  stream->index = backend->streams->len;
  stream->queue = g_array_new (FALSE, FALSE, sizeof (HirCpuItem));
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->work_cond);
  g_cond_init (&stream->room_cond);
  stream->thread = g_thread_try_new ("hir-stream", stream_thread, stream, &local);
  if (stream->thread == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "cannot start a thread for stream %u: %s; use fewer --streams", stream->index,
                     local->message);
      g_array_unref (stream->queue);
      g_free (stream);
      return FALSE;
    }
  *index = stream->index;
  g_ptr_array_add (backend->streams, stream);
  return TRUE;
}

static HirBuffer *
cpu_allocate (HirBackend *base, guint stream, gsize size_bytes, GError **error)
{
  return hir_buffer_new (size_bytes, error);
}

/* The host may write, because no task uses the buffer yet. */
static gboolean
cpu_fill (HirBackend *base,
          guint stream,
          HirBuffer *buffer,
          guint8 byte,
          const HirEvent *event,
          GError **error)
{
  if (buffer->data != NULL)
    memset (buffer->data, byte, buffer->size_bytes);
  return TRUE;
}

static HirValue *
cpu_upload (HirBackend *base, HirValue *tensor, GError **error)
{
  return hir_value_ref (tensor);
}

static gboolean
cpu_read (HirBackend *base, const HirValue *tensor, gpointer host, GError **error)
{
  HirBuffer target = { .data = host, .size_bytes = hir_value_get_size_bytes (tensor) };
  g_autoptr (HirValue) view = NULL;

  g_atomic_ref_count_init (&target.ref_count);
  view = hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, NULL, &target);
  if (!hir_buffer_ensure (tensor->buffer, error))
    return FALSE;
  return hir_cpu_copy (view, tensor);
}

/* Sets @error to a copy of the error that stopped the back end. Call with the lock. */
static gboolean
set_error (HirCpuBackend *backend, GError **error)
{
  if (backend->error == NULL)
    return FALSE;
  HirPos pos = hir_error_get_pos (backend->error);
  hir_set_error (error, (HirErrorCode) backend->error->code, &pos, "%s", backend->error->message);
  return TRUE;
}

static gboolean
set_error_locking (HirCpuBackend *backend, GError **error)
{
  g_mutex_lock (&backend->lock);
  gboolean is_set = set_error (backend, error);
  g_mutex_unlock (&backend->lock);
  return is_set;
}

static char *
dup_running (HirCpuBackend *backend)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCpuStream *stream = g_ptr_array_index (backend->streams, i);
      g_mutex_lock (&stream->lock);
      if (stream->current != NULL && stream->current->kind == HIR_CPU_TASK)
        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                                stream->current->task->label);
      g_mutex_unlock (&stream->lock);
    }
  if (text->len == 0)
    g_string_append (text, "the program");
  return g_string_free (text, FALSE);
}

static void
stop_as_hung (HirCpuBackend *backend)
{
  g_autofree char *running = dup_running (backend);
  GError *hung = NULL;

  hir_set_error (
      &hung, HIR_ERROR_RUN, NULL,
      "%s did not finish within %.3g s on rank %d; if this is not a hang, increase --timeout",
      running, (double) backend->options.timeout_us / G_USEC_PER_SEC, backend->options.rank);
  stop_with (backend, hung);
}

/* Waits on @cond, which is signalled after each task, until the deadline. Returns FALSE if it
 * passed. */
static gboolean
wait_for_progress (HirCpuBackend *backend, GCond *cond, GMutex *lock, gint64 deadline_us)
{
  if (backend->options.timeout_us == 0)
    {
      g_cond_wait (cond, lock);
      return TRUE;
    }
  return g_cond_wait_until (cond, lock, deadline_us);
}

static gboolean
push (HirCpuBackend *backend, guint index, const HirCpuItem *item, GError **error)
{
  HirCpuStream *stream = g_ptr_array_index (backend->streams, index);
  gboolean hung = FALSE;
  gint n_ended = g_atomic_int_get (&backend->options.computations->n_ended);

  g_mutex_lock (&backend->lock);
  backend->n_issued++;
  g_mutex_unlock (&backend->lock);
  g_mutex_lock (&stream->lock);
  while (stream->queue->len + stream->n_taken >= QUEUE_LIMIT && !hung && !is_stopped (backend))
    {
      guint before = stream->n_taken;
      gint64 deadline = g_get_monotonic_time () + backend->options.timeout_us;
      hung = !wait_for_progress (backend, &stream->room_cond, &stream->lock, deadline) &&
             stream->n_taken == before &&
             !hir_computations_have_progressed (backend->options.computations, &n_ended);
    }
  if (!hung)
    {
      g_array_append_val (stream->queue, *item);
      g_cond_signal (&stream->work_cond);
    }
  g_mutex_unlock (&stream->lock);
  if (hung)
    {
      stop_as_hung (backend);
      count_done (backend);
      if (item->event != NULL)
        reach_event (item->event);
      g_clear_pointer (&((HirCpuItem *) item)->task, hir_task_free);
      g_clear_pointer (&((HirCpuItem *) item)->event, event_unref);
    }
  return !(is_stopped (backend) && set_error_locking (backend, error));
}

static gboolean
cpu_enqueue (HirBackend *base, guint stream, HirTask *task, GError **error)
{
  HirCpuItem item = { HIR_CPU_TASK, task, NULL };
  return push ((HirCpuBackend *) base, stream, &item, error);
}

static HirBackendEvent *
cpu_record_event (HirBackend *base, guint stream)
{
  HirBackendEvent *event = event_new (stream);
  HirCpuItem item = { HIR_CPU_RECORD, NULL, event };

  g_atomic_ref_count_inc (&event->ref_count);
  /* A failure is reported by the next call that issues work. */
  (void) push ((HirCpuBackend *) base, stream, &item, NULL);
  return event;
}

static gboolean
cpu_wait_event (
    HirBackend *base, guint stream, HirBackendEvent *event, HirTask *task, GError **error)
{
  HirCpuItem item = { HIR_CPU_WAIT, task, event };
  return push ((HirCpuBackend *) base, stream, &item, error);
}

static HirBackendEvent *
cpu_ref_event (HirBackend *base, HirBackendEvent *event)
{
  g_atomic_ref_count_inc (&event->ref_count);
  return event;
}

static void
cpu_drop_event (HirBackend *base, HirBackendEvent *event)
{
  event_unref (event);
}

static void
cpu_get_progress (HirBackend *base, guint64 *n_done, guint *n_running)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;

  g_mutex_lock (&backend->lock);
  *n_done = backend->n_done;
  *n_running = backend->n_running;
  g_mutex_unlock (&backend->lock);
}

static gboolean
cpu_synchronize (HirBackend *base, GError **error)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;
  gint n_ended = g_atomic_int_get (&backend->options.computations->n_ended);
  gboolean ok;

  g_mutex_lock (&backend->lock);
  while (backend->n_done < backend->n_issued && !is_stopped (backend))
    {
      guint64 before = backend->n_done;
      gint64 deadline = g_get_monotonic_time () + backend->options.timeout_us;

      if (!wait_for_progress (backend, &backend->progress_cond, &backend->lock, deadline) &&
          backend->n_done == before &&
          !hir_computations_have_progressed (backend->options.computations, &n_ended))
        {
          g_mutex_unlock (&backend->lock);
          stop_as_hung (backend);
          g_mutex_lock (&backend->lock);
        }
    }
  /* If stopped, wait for running tasks, which may still write to buffers that the caller reads
   * next. */
  while (backend->n_done < backend->n_issued)
    g_cond_wait (&backend->progress_cond, &backend->lock);
  ok = !set_error (backend, error);
  g_mutex_unlock (&backend->lock);
  return ok;
}

static void
cpu_cancel (HirBackend *base)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;
  GError *error = NULL;

  if (is_stopped (backend))
    return;
  hir_set_error (&error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
  stop_with (backend, error);
}

static void
cpu_free (HirBackend *base)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;

  if (backend->cancel_handler != 0)
    g_cancellable_disconnect (backend->options.cancellable, backend->cancel_handler);
  hir_cpu_hold (base, FALSE);
  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCpuStream *stream = g_ptr_array_index (backend->streams, i);
      g_mutex_lock (&stream->lock);
      stream->quit = TRUE;
      g_cond_signal (&stream->work_cond);
      g_mutex_unlock (&stream->lock);
    }
  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCpuStream *stream = g_ptr_array_index (backend->streams, i);
      g_thread_join (stream->thread);
      g_array_unref (stream->queue);
      g_mutex_clear (&stream->lock);
      g_cond_clear (&stream->work_cond);
      g_cond_clear (&stream->room_cond);
      g_free (stream);
    }
  g_ptr_array_unref (backend->streams);
  g_clear_object (&backend->options.cancellable);
  g_clear_error (&backend->error);
  g_mutex_clear (&backend->lock);
  g_cond_clear (&backend->progress_cond);
  g_cond_clear (&backend->release_cond);
  g_free (backend->hang_on);
  g_free (backend);
}

static const HirBackendClass cpu_class = {
  .open_stream = cpu_open_stream,
  .allocate = cpu_allocate,
  .fill = cpu_fill,
  .enqueue = cpu_enqueue,
  .record_event = cpu_record_event,
  .wait_event = cpu_wait_event,
  .ref_event = cpu_ref_event,
  .drop_event = cpu_drop_event,
  .look = hir_cpu_look,
  .hold = hir_cpu_hold,
  .get_progress = cpu_get_progress,
  .synchronize = cpu_synchronize,
  .upload = cpu_upload,
  .read = cpu_read,
  .copy = hir_cpu_copy,
  .cancel = cpu_cancel,
  .free = cpu_free,
};

static void
on_cancelled (GCancellable *cancellable, gpointer user_data)
{
  cpu_cancel (user_data);
}

HirBackend *
hir_cpu_backend_new (const HirBackendOptions *options, GError **error)
{
  HirCpuBackend *backend = g_new0 (HirCpuBackend, 1);
  guint first;

  backend->base.klass = &cpu_class;
  backend->options = *options;
  if (options->computations == NULL)
    backend->options.computations = &backend->own;
  backend->hang_on = g_strdup (options->hang_on);
  backend->streams = g_ptr_array_new ();
  g_mutex_init (&backend->lock);
  g_cond_init (&backend->progress_cond);
  g_cond_init (&backend->release_cond);
  if (options->cancellable != NULL)
    g_object_ref (options->cancellable);
  openblas_set_num_threads (1);
  if (!cpu_open_stream (&backend->base, HIR_STREAM_COMPUTE, &first, error))
    {
      cpu_free (&backend->base);
      return NULL;
    }
  if (options->cancellable != NULL)
    backend->cancel_handler =
        g_cancellable_connect (options->cancellable, G_CALLBACK (on_cancelled), backend, NULL);
  return &backend->base;
}
