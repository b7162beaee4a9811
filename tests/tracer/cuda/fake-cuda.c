/* Fake CUDA driver: state, streams, and functions for other fakes. */
#include "fake-cuda-private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static FakeCuda *
new_state (void)
{
  FakeCuda *cuda = g_new0 (FakeCuda, 1);
  const char *devices = g_getenv ("FAKE_CUDA_DEVICES");
  const char *memory = g_getenv ("FAKE_CUDA_MEMORY");

  cuda->n_devices = devices != NULL ? (guint) CLAMP (atoi (devices), 0, FAKE_MAX_DEVICES) : 1;
  cuda->memory_bytes = memory != NULL ? g_ascii_strtoull (memory, NULL, 10) : (gsize) 1 << 30;
  cuda->is_queued = g_strcmp0 (g_getenv ("FAKE_CUDA_QUEUED"), "1") == 0;
  cuda->is_shared = g_strcmp0 (g_getenv ("FAKE_CUDA_SHARED"), "1") == 0;
  cuda->runs_kernels = g_strcmp0 (g_getenv ("FAKE_CUDA_KERNELS"), "1") == 0;
  cuda->kernels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  cuda->registered = g_array_new (FALSE, FALSE, sizeof (FakeRange));
  cuda->openings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  cuda->hang_on = g_strdup (g_getenv ("FAKE_CUDA_HANG"));
  cuda->failures = g_strdup (g_getenv ("FAKE_CUDA_FAIL"));
  cuda->streams = g_ptr_array_new ();
  cuda->old_events = g_ptr_array_new ();
  cuda->n_calls = g_hash_table_new (g_str_hash, g_str_equal);
  g_mutex_init (&cuda->lock);
  return cuda;
}

FakeCuda *
fake_cuda_get (void)
{
  static gsize state;

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, (gsize) new_state ());
  return (FakeCuda *) state;
}

/* Counts @call and returns its result according to @failure, for example "cuMemAlloc_v2:3:2". */
static HirCuResult
match_failure (FakeCuda *cuda, const char *failure, const char *call)
{
  g_auto (GStrv) parts = g_strsplit (failure, ":", 3);
  guint n;

  if (g_strv_length (parts) != 3 || strcmp (parts[0], call) != 0)
    return HIR_CU_SUCCESS;
  n = GPOINTER_TO_UINT (g_hash_table_lookup (cuda->n_calls, call)) + 1;
  g_hash_table_insert (cuda->n_calls, (gpointer) call, GUINT_TO_POINTER (n));
  if (n != (guint) atoi (parts[1]))
    return HIR_CU_SUCCESS;
  if (strchr (parts[2], '!') != NULL)
    cuda->sticky = (HirCuResult) atoi (parts[2]);
  return (HirCuResult) atoi (parts[2]);
}

HirCuResult
fake_cuda_enter (const char *call)
{
  FakeCuda *cuda = fake_cuda_get ();
  HirCuResult result;

  if (cuda->failures == NULL)
    return HIR_CU_SUCCESS;
  g_mutex_lock (&cuda->lock);
  result = cuda->sticky;
  if (result == HIR_CU_SUCCESS)
    {
      g_auto (GStrv) failures = g_strsplit (cuda->failures, ",", -1);

      for (guint i = 0; failures[i] != NULL && result == HIR_CU_SUCCESS; i++)
        result = match_failure (cuda, failures[i], call);
    }
  g_mutex_unlock (&cuda->lock);
  return result;
}

gint64
fake_now_ns (void)
{
  const FakeObserver *observer = fake_cuda_get ()->observer;
  struct timespec now;

  if (observer != NULL)
    return observer->now_ns ();
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

HirCuStream
fake_stream_get (HirCuStream stream)
{
  HirCuContext context = fake_cuda_get_current ();

  return stream != NULL ? stream : context != NULL ? context->default_stream : NULL;
}

static void
do_work (HirCuStream stream, FakeWork *work)
{
  FakeCuda *cuda = fake_cuda_get ();

  work->activity.start_ns = fake_now_ns ();
  while (cuda->is_queued && cuda->hang_on != NULL &&
         g_strcmp0 (work->activity.name, cuda->hang_on) == 0)
    g_usleep (G_USEC_PER_SEC);
  if (work->run != NULL)
    work->run (work->data);
  work->activity.end_ns = fake_now_ns ();
  if (cuda->observer != NULL && work->activity.kind != FAKE_STREAM_MEMORY)
    cuda->observer->worked (&work->activity);
  if (work->destroy != NULL)
    work->destroy (work->data);
  g_free (work->name);
  g_free (work);
  g_mutex_lock (&stream->lock);
  if (--stream->n_queued == 0)
    g_cond_broadcast (&stream->idle);
  g_mutex_unlock (&stream->lock);
}

static gpointer
run_stream (gpointer data)
{
  HirCuStream stream = data;

  for (;;)
    {
      gpointer work = g_async_queue_pop (stream->queue);

      if (work == stream) /* sentinel: the stream is destroyed */
        return NULL;
      do_work (stream, work);
    }
}

HirCuStream
fake_stream_new (HirCuContext context)
{
  FakeCuda *cuda = fake_cuda_get ();
  HirCuStream stream = g_new0 (struct CUstream_st, 1);

  g_mutex_init (&stream->lock);
  g_cond_init (&stream->idle);
  stream->context = context;
  stream->queue = g_async_queue_new ();
  g_mutex_lock (&cuda->lock);
  stream->id = 7 + cuda->n_streams++;
  g_ptr_array_add (cuda->streams, stream);
  g_mutex_unlock (&cuda->lock);
  if (cuda->is_queued)
    stream->thread = g_thread_new ("fake-stream", run_stream, stream);
  return stream;
}

void
fake_stream_free (HirCuStream stream)
{
  FakeCuda *cuda = fake_cuda_get ();

  if (stream->thread != NULL)
    {
      g_async_queue_push (stream->queue, stream);
      g_thread_join (stream->thread);
    }
  g_mutex_lock (&cuda->lock);
  g_ptr_array_remove (cuda->streams, stream);
  g_mutex_unlock (&cuda->lock);
  g_async_queue_unref (stream->queue);
  g_mutex_clear (&stream->lock);
  g_cond_clear (&stream->idle);
  g_free (stream);
}

void
fake_stream_push (HirCuStream stream, FakeWork *work)
{
  FakeCuda *cuda = fake_cuda_get ();
  FakeActivity *activity = &work->activity;

  activity->device = stream->context->device;
  activity->context = stream->context;
  activity->stream = stream->id;
  activity->name = work->name;
  activity->correlation = (guint32) g_atomic_int_add (&cuda->n_correlations, 1) + 1;
  activity->start_ns = fake_now_ns ();
  activity->end_ns = fake_now_ns ();
  if (cuda->observer != NULL && activity->kind != FAKE_STREAM_MEMORY)
    cuda->observer->called (activity);
  g_mutex_lock (&stream->lock);
  stream->n_queued++;
  g_mutex_unlock (&stream->lock);
  if (stream->thread != NULL)
    g_async_queue_push (stream->queue, work);
  else
    do_work (stream, work);
}

void
fake_stream_drain (HirCuStream stream)
{
  g_mutex_lock (&stream->lock);
  while (stream->n_queued > 0)
    g_cond_wait (&stream->idle, &stream->lock);
  g_mutex_unlock (&stream->lock);
}

gboolean
fake_stream_is_idle (HirCuStream stream)
{
  gboolean is_idle;

  g_mutex_lock (&stream->lock);
  is_idle = stream->n_queued == 0;
  g_mutex_unlock (&stream->lock);
  return is_idle;
}

FAKE_EXPORT void
fake_cuda_set_observer (const FakeObserver *observer)
{
  fake_cuda_get ()->observer = observer;
}

FAKE_EXPORT HirCuResult
fake_cuda_launch (HirCuStream stream,
                  const char *call,
                  const char *name,
                  void (*run) (gpointer data),
                  gpointer data,
                  GDestroyNotify destroy)
{
  FakeWork *work;

  if (fake_cuda_is_idle ())
    {
      if (destroy != NULL)
        destroy (data);
      return HIR_CU_SUCCESS;
    }
  work = g_new0 (FakeWork, 1);
  work->activity.kind = FAKE_KERNEL;
  work->activity.call = call;
  work->name = g_strdup (name);
  work->run = run;
  work->data = data;
  work->destroy = destroy;
  fake_stream_push (fake_stream_get (stream), work);
  return HIR_CU_SUCCESS;
}

FAKE_EXPORT guint32
fake_cuda_get_stream_id (HirCuStream stream)
{
  HirCuStream found = fake_stream_get (stream);

  return found != NULL ? found->id : 0;
}

FAKE_EXPORT guint
fake_cuda_get_device (HirCuContext context)
{
  return context->device;
}
