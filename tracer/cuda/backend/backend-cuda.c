#include "cuda/backend/backend-cuda.h"

#include "cuda/backend/backend-private.h"

/* Time that cuda_free() waits for a busy device. */
#define END_GRACE_US (3 * G_USEC_PER_SEC)

static gboolean
cuda_open_stream (HirBackend *base, HirStreamUse use, guint *index, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  HirCudaDevice *device = backend->device;
  gboolean high = use == HIR_STREAM_CHANNEL && backend->cuda_options.channels_high;
  HirCudaStream *stream;

  if (backend->streams->len >= HIR_POOL_MAX_STREAMS)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "more than %d streams and channels on rank %d",
                     HIR_POOL_MAX_STREAMS, backend->options.rank);
      return FALSE;
    }
  stream = g_new0 (HirCudaStream, 1);
  if (!hir_cuda_device_make_current (device, error) ||
      !hir_cu_check (device->libs,
                     backend->cuda->stream_create_with_priority (&stream->stream,
                                                                 HIR_CU_STREAM_NON_BLOCKING,
                                                                 high ? device->top_priority
                                                                      : device->least_priority),
                     error, "creating a stream on GPU %d", device->ordinal))
    {
      g_free (stream);
      return FALSE;
    }
  *index = backend->streams->len;
  g_mutex_lock (&backend->lock);
  g_ptr_array_add (backend->streams, stream);
  g_mutex_unlock (&backend->lock);
  hir_cuda_pool_add_stream (backend->pool, *index, stream->stream);
  return TRUE;
}

static gboolean
issue (HirCudaBackend *backend, guint index, HirTask *task, GError **error)
{
  gboolean ok;

  if (task->issue == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "this communicator cannot run on GPU streams; use --backend cpu");
      return FALSE;
    }
  hir_cuda_push (backend, &task->event);
  ok = task->issue (task->work, hir_cuda_get_stream (backend, index)->stream, error);
  hir_cuda_pop (backend);
  return ok;
}

static gboolean
cuda_issue (HirBackend *base, guint index, HirTask *task, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  GError *local = NULL;

  if (hir_cuda_give_error (backend, error))
    return FALSE;
  if (hir_cuda_device_make_current (backend->device, &local) &&
      (task->calls == NULL || task->calls->len == 0 ||
       hir_cuda_launch_calls (backend, index, task, &local)) &&
      ((task->run == NULL && task->issue == NULL) || issue (backend, index, task, &local)))
    {
      hir_cuda_note_task (backend, index, task);
      return TRUE;
    }
  hir_cuda_stop_at (backend, task, local, error);
  return FALSE;
}

static gboolean
cuda_enqueue (HirBackend *base, guint index, HirTask *task, GError **error)
{
  gboolean ok = cuda_issue (base, index, task, error);

  hir_task_free (task);
  return ok;
}

static HirBackendEvent *
cuda_record_event (HirBackend *base, guint index)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  HirCudaStream *stream = hir_cuda_get_stream (backend, index);
  HirCudaEvent *event;
  HirCuResult result;
  GError *error = NULL;

  /* The driver creates events in the current context, which must be that of the stream. */
  if (!hir_cuda_device_make_current (backend->device, NULL))
    return NULL;
  event = hir_cuda_event_take (backend, index);
  if (event == NULL)
    return NULL;
  result = backend->cuda->event_record (event->event, stream->stream);
  if (result == HIR_CU_SUCCESS)
    hir_cuda_add_mark (backend, stream, event);
  else if (!hir_cu_check (backend->device->libs, result, &error, "recording an event on rank %d",
                          backend->options.rank))
    hir_cuda_stop_with (backend, error);
  return (HirBackendEvent *) event;
}

static gboolean
cuda_wait_event (
    HirBackend *base, guint index, HirBackendEvent *given, HirTask *task, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  HirCudaEvent *event = (HirCudaEvent *) given;
  GError *local = NULL;
  gboolean ok = TRUE;

  if (event == NULL)
    hir_set_error (&local, HIR_ERROR_LIMIT, NULL, "no event could be created on rank %d",
                   backend->options.rank);
  else if (event->stream != index) /* a stream is ordered with itself */
    {
      if (task != NULL)
        hir_cuda_push (backend, &task->event);
      backend->counts.n_waits++;
      ok = hir_cu_check (backend->device->libs,
                         backend->cuda
                             ->stream_wait_event (hir_cuda_get_stream (backend, index)->stream,
                                                  event->event, 0),
                         &local, "waiting for an event on rank %d", backend->options.rank);
      if (task != NULL)
        hir_cuda_pop (backend);
    }
  hir_cuda_event_drop (backend, event);
  g_clear_pointer (&task, hir_task_free);
  if (local != NULL)
    hir_cuda_stop_with (backend, local);
  return !hir_cuda_give_error (backend, error) && ok;
}

static gboolean
cuda_order (HirBackend *base, guint index, guint before, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;

  return index == before
             ? !hir_cuda_give_error (backend, error)
             : cuda_wait_event (base, index, cuda_record_event (base, before), NULL, error);
}

static void
cuda_drop_event (HirBackend *base, HirBackendEvent *event)
{
  hir_cuda_event_drop ((HirCudaBackend *) base, (HirCudaEvent *) event);
}

/* Counts every issued task as done: the number changes if a task is issued. A busy stream counts as
 * one running task. */
static void
cuda_get_progress (HirBackend *base, guint64 *n_done, guint *n_running)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;

  *n_done = 0;
  *n_running = 0;
  g_mutex_lock (&backend->lock);
  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCudaStream *stream = hir_cuda_get_stream (backend, i);

      *n_done += stream->n_issued;
      *n_running += backend->cuda->stream_query (stream->stream) == HIR_CU_ERROR_NOT_READY;
    }
  g_mutex_unlock (&backend->lock);
}

static gboolean
cuda_synchronize (HirBackend *base, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;

  return hir_cuda_device_make_current (backend->device, error) &&
         hir_cuda_wait_idle (backend, error);
}

static void
cuda_cancel (HirBackend *base)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  GError *error = NULL;

  if (g_atomic_int_get (&backend->stopped) != 0)
    return;
  hir_set_error (&error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
  hir_cuda_stop_with (backend, error);
}

/* Waits until all streams are idle. Returns FALSE if the device stays busy; its objects must then
 * not be freed. */
static gboolean
settle (HirCudaBackend *backend)
{
  gint64 deadline = g_get_monotonic_time () + END_GRACE_US;

  (void) hir_cuda_device_make_current (backend->device, NULL);
  for (guint i = 0; i < backend->streams->len; i++)
    while (backend->cuda->stream_query (hir_cuda_get_stream (backend, i)->stream) ==
           HIR_CU_ERROR_NOT_READY)
      {
        if (g_get_monotonic_time () > deadline)
          return FALSE;
        g_usleep (1000);
      }
  return TRUE;
}

static void
event_free (HirCudaBackend *backend, HirCudaEvent *event)
{
  (void) backend->cuda->event_destroy (event->event);
  g_free (event);
}

static void
free_streams (HirCudaBackend *backend)
{
  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCudaStream *stream = hir_cuda_get_stream (backend, i);

      for (guint k = 0; k < HIR_CUDA_MARKS; k++)
        hir_cuda_event_drop (backend, stream->marks[k].event);
      g_clear_pointer (&stream->workspace, hir_buffer_unref);
    }
  hir_cuda_pool_set_idle (backend->pool);
  for (guint i = 0; i < backend->streams->len; i++)
    (void) backend->cuda->stream_destroy (hir_cuda_get_stream (backend, i)->stream);
}

static void
tell_counts (HirCudaBackend *backend)
{
  HirCudaCounts counts;

  hir_cuda_backend_get_counts (&backend->base, &counts);
  g_debug ("rank %d: %" G_GUINT64_FORMAT " kernels, %" G_GUINT64_FORMAT
           " products, %" G_GUINT64_FORMAT " copies, %" G_GUINT64_FORMAT
           " fills, %" G_GUINT64_FORMAT " waits; %" G_GUINT64_FORMAT
           " bytes of memory in %" G_GUINT64_FORMAT " blocks",
           backend->options.rank, counts.n_kernels, counts.n_matmuls, counts.n_memcpys,
           counts.n_memsets, counts.n_waits, counts.n_bytes, counts.n_blocks);
}

static void
cuda_free (HirBackend *base)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  gboolean idle = settle (backend);

  tell_counts (backend);

  if (backend->cancel_handler != 0)
    g_cancellable_disconnect (backend->options.cancellable, backend->cancel_handler);
  g_clear_pointer (&backend->plans, g_hash_table_unref);
  g_hash_table_unref (backend->reductions);
  if (idle)
    {
      free_streams (backend);
      if (backend->lt != NULL)
        (void) backend->device->libs->cublaslt.destroy (backend->lt);
      g_clear_pointer (&backend->kernels, hir_kernel_cache_free);
      for (guint i = 0; i < backend->spare_events->len; i++)
        event_free (backend, g_ptr_array_index (backend->spare_events, i));
      g_clear_pointer (&backend->pool, hir_cuda_pool_close);
    }
  for (guint i = 0; i < backend->streams->len; i++)
    g_free (g_ptr_array_index (backend->streams, i));
  g_ptr_array_unref (backend->streams);
  g_ptr_array_unref (backend->spare_events);
  g_array_unref (backend->signature);
  g_clear_object (&backend->options.cancellable);
  g_clear_error (&backend->error);
  g_mutex_clear (&backend->lock);
  hir_cuda_device_unref (backend->device);
  g_free (backend);
}

static char *
cuda_dup_stream_name (HirBackend *base, guint index)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  const HirLaunchTracer *tracer = backend->options.launch_tracer;

  return tracer != NULL
             ? tracer->dup_stream_name (backend->options.tracer, backend->device->ordinal,
                                        backend->device->context,
                                        hir_cuda_get_stream (backend, index)->stream)
             : NULL;
}

static void
cuda_set_stream_track (HirBackend *base, guint index, guint track)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;

  if (index == 0)
    backend->track = (guint16) track;
  if (backend->options.launch_tracer != NULL)
    backend->options.launch_tracer->set_stream_track (backend->options.tracer,
                                                      backend->device->context,
                                                      hir_cuda_get_stream (backend, index)->stream,
                                                      track, backend->options.rank);
}

static void
cuda_begin_instruction (HirBackend *base, const HirEvent *event)
{
  hir_cuda_push ((HirCudaBackend *) base, event);
}

static void
cuda_end_instruction (HirBackend *base)
{
  hir_cuda_pop ((HirCudaBackend *) base);
}

static const HirBackendClass cuda_class = {
  .open_stream = cuda_open_stream,
  .dup_stream_name = cuda_dup_stream_name,
  .set_stream_track = cuda_set_stream_track,
  .begin_instruction = cuda_begin_instruction,
  .end_instruction = cuda_end_instruction,
  .allocate = hir_cuda_allocate,
  .fill = hir_cuda_fill,
  .enqueue = cuda_enqueue,
  .issue = cuda_issue,
  .record_event = cuda_record_event,
  .wait_event = cuda_wait_event,
  .order = cuda_order,
  .get_ready = hir_cuda_get_ready,
  .issue_ready = hir_cuda_issue_ready,
  .free_ready = hir_cuda_free_ready,
  .drop_event = cuda_drop_event,
  .get_progress = cuda_get_progress,
  .synchronize = cuda_synchronize,
  .upload = hir_cuda_upload,
  .read = hir_cuda_read,
  .cancel = cuda_cancel,
  .free = cuda_free,
};

static void
on_cancelled (GCancellable *cancellable, gpointer user_data)
{
  cuda_cancel (user_data);
}

static gboolean
start (HirCudaBackend *backend, GError **error)
{
  const HirCudaLibs *libs = backend->device->libs;
  HirLtResult result;
  guint first;

  if (backend->options.hang_on != NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "the CUDA back end cannot make an op hang");
      return FALSE;
    }
  if (!cuda_open_stream (&backend->base, HIR_STREAM_COMPUTE, &first, error))
    return FALSE;
  result = libs->cublaslt.create (&backend->lt);
  if (result == 0)
    return TRUE;
  backend->lt = NULL;
  hir_set_error (error, HIR_ERROR_RUN, NULL, "cuBLASLt cannot be initialized on GPU %d: %s",
                 backend->device->ordinal, libs->cublaslt.get_status_name (result));
  return FALSE;
}

HirBackend *
hir_cuda_backend_new (HirCudaDevice *device,
                      const HirBackendOptions *options,
                      const HirCudaBackendOptions *cuda_options,
                      GError **error)
{
  HirCudaBackend *backend = g_new0 (HirCudaBackend, 1);

  backend->base.klass = &cuda_class;
  backend->options = *options;
  backend->cuda_options = *cuda_options;
  backend->device = hir_cuda_device_ref (device);
  backend->cuda = &device->libs->cuda;
  backend->streams = g_ptr_array_new ();
  backend->pool = hir_cuda_pool_new (device);
  backend->kernels = hir_kernel_cache_new (device);
  backend->plans = g_hash_table_new_full (NULL, NULL, NULL, hir_cuda_plans_free);
  backend->reductions = g_hash_table_new (NULL, NULL);
  backend->signature = g_array_new (FALSE, FALSE, sizeof (gint64));
  backend->spare_events = g_ptr_array_new ();
  g_mutex_init (&backend->lock);
  if (options->cancellable != NULL)
    g_object_ref (options->cancellable);
  if (!start (backend, error))
    {
      cuda_free (&backend->base);
      return NULL;
    }
  if (options->cancellable != NULL)
    backend->cancel_handler =
        g_cancellable_connect (options->cancellable, G_CALLBACK (on_cancelled), backend, NULL);
  return &backend->base;
}

static gboolean
hir_cuda_backend_is (HirBackend *backend)
{
  return backend->klass == &cuda_class;
}

HirCudaDevice *
hir_cuda_backend_get_device (HirBackend *backend)
{
  g_return_val_if_fail (hir_cuda_backend_is (backend), NULL);
  return ((HirCudaBackend *) backend)->device;
}

void
hir_cuda_backend_get_counts (HirBackend *base, HirCudaCounts *counts)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;

  *counts = backend->counts;
  hir_cuda_pool_get_counts (backend->pool, &counts->n_blocks, &counts->n_bytes);
}
