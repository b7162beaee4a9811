/* Events, waiting for the device, and errors, which name the running task. */
#include <string.h>

#include "cuda/backend/backend-private.h"

/* The host polls without pauses for SPIN_US, then every PAUSE_US. */
#define SPIN_US 2000
#define PAUSE_US 20

void
hir_cuda_stop_with (HirCudaBackend *backend, GError *error)
{
  gboolean is_first;

  g_mutex_lock (&backend->lock);
  is_first = backend->error == NULL;
  if (is_first)
    backend->error = error;
  else
    g_clear_error (&error);
  g_atomic_int_set (&backend->stopped, 1);
  g_mutex_unlock (&backend->lock);
  if (is_first && backend->options.stopped != NULL)
    backend->options.stopped (error, backend->options.user_data);
}

gboolean
hir_cuda_give_error (HirCudaBackend *backend, GError **error)
{
  gboolean stopped;

  if (g_atomic_int_get (&backend->stopped) == 0)
    return FALSE;
  g_mutex_lock (&backend->lock);
  stopped = backend->error != NULL;
  if (stopped)
    {
      HirPos pos = hir_error_get_pos (backend->error);

      hir_set_error (error, (HirErrorCode) backend->error->code, &pos, "%s",
                     backend->error->message);
    }
  g_mutex_unlock (&backend->lock);
  return stopped;
}

/* Adds instruction and rank to the message, because the evaluator does not. */
static void
stop_at (HirCudaBackend *backend, const HirTask *task, GError *cause)
{
  HirPos pos = hir_error_get_pos (cause);
  GError *full = NULL;

  if (pos.line == 0 && task->expr != NULL)
    pos = task->expr->node.pos;
  if (task->event.iteration >= 0)
    hir_set_error (&full, (HirErrorCode) cause->code, &pos, "%s in iteration %d on rank %d: %s",
                   task->label, task->event.iteration, backend->options.rank, cause->message);
  else
    hir_set_error (&full, (HirErrorCode) cause->code, &pos, "%s on rank %d: %s", task->label,
                   backend->options.rank, cause->message);
  g_error_free (cause);
  hir_cuda_stop_with (backend, full);
}

void
hir_cuda_stop_at (HirCudaBackend *backend, const HirTask *task, GError *cause, GError **error)
{
  /* Errors of a communicator already name instruction and rank. */
  if (task->issue != NULL)
    hir_cuda_stop_with (backend, cause);
  else
    stop_at (backend, task, cause);
  (void) hir_cuda_give_error (backend, error);
}

HirCudaEvent *
hir_cuda_event_take (HirCudaBackend *backend, guint stream)
{
  HirCudaEvent *event;

  if (backend->spare_events->len > 0)
    event = g_ptr_array_steal_index (backend->spare_events, backend->spare_events->len - 1);
  else
    {
      event = g_new0 (HirCudaEvent, 1);
      if (backend->cuda->event_create (&event->event, HIR_CU_EVENT_DISABLE_TIMING) !=
          HIR_CU_SUCCESS)
        {
          g_free (event);
          return NULL;
        }
    }
  event->n_refs = 1;
  event->stream = stream;
  return event;
}

void
hir_cuda_event_drop (HirCudaBackend *backend, HirCudaEvent *event)
{
  if (event != NULL && --event->n_refs == 0)
    g_ptr_array_add (backend->spare_events, event);
}

void
hir_cuda_add_mark (HirCudaBackend *backend, HirCudaStream *stream, HirCudaEvent *event)
{
  HirCudaMark *mark;

  if (stream->n_marked == stream->n_issued)
    return; /* the last mark covers all tasks */
  mark = &stream->marks[stream->n_marks++ % HIR_CUDA_MARKS];
  hir_cuda_event_drop (backend, mark->event);
  event->n_refs++;
  *mark = (HirCudaMark){ stream->n_issued, event };
  stream->n_marked = stream->n_issued;
}

void
hir_cuda_note_task (HirCudaBackend *backend, guint index, const HirTask *task)
{
  HirCudaRecent recent = { .iteration = task->event.iteration };

  g_strlcpy (recent.label, task->label, sizeof recent.label);
  hir_cuda_note_recent (backend, index, &recent);
}

void
hir_cuda_note_recent (HirCudaBackend *backend, guint index, const HirCudaRecent *recent)
{
  HirCudaStream *stream = hir_cuda_get_stream (backend, index);
  HirCudaEvent *event;

  stream->recent[stream->n_issued % HIR_CUDA_RECENT] = *recent;
  stream->n_issued++;
  if (stream->n_issued - stream->n_marked < HIR_CUDA_MARK_INTERVAL)
    return;
  event = hir_cuda_event_take (backend, index);
  if (event != NULL && backend->cuda->event_record (event->event, stream->stream) == HIR_CU_SUCCESS)
    hir_cuda_add_mark (backend, stream, event);
  hir_cuda_event_drop (backend, event);
}

/* Returns the number of tasks of @stream that have finished according to its marks. */
static guint64
count_done (HirCudaBackend *backend, HirCudaStream *stream)
{
  guint64 done = 0;

  for (guint i = 0; i < MIN (stream->n_marks, HIR_CUDA_MARKS); i++)
    {
      const HirCudaMark *mark = &stream->marks[i];

      if (mark->n > done && backend->cuda->event_query (mark->event->event) == HIR_CU_SUCCESS)
        done = mark->n;
    }
  return done;
}

static guint64
count_all_done (HirCudaBackend *backend)
{
  guint64 done = 0;

  for (guint i = 0; i < backend->streams->len; i++)
    done += count_done (backend, hir_cuda_get_stream (backend, i));
  return done;
}

static char *
hir_cuda_dup_running (HirCudaBackend *backend)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCudaStream *stream = hir_cuda_get_stream (backend, i);
      guint64 done;

      if (stream->n_issued == 0 || backend->cuda->stream_query (stream->stream) == HIR_CU_SUCCESS)
        continue;
      done = MAX (count_done (backend, stream),
                  stream->n_issued > HIR_CUDA_RECENT ? stream->n_issued - HIR_CUDA_RECENT : 0);
      if (done >= stream->n_issued)
        continue;

      const HirCudaRecent *recent = &stream->recent[done % HIR_CUDA_RECENT];
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", recent->label);
      if (recent->iteration >= 0)
        g_string_append_printf (text, " in iteration %d", recent->iteration);
    }
  if (text->len == 0)
    g_string_append (text, "the program");
  return g_string_free (text, FALSE);
}

static void
stop_as_hung (HirCudaBackend *backend)
{
  g_autofree char *running = hir_cuda_dup_running (backend);
  GError *hung = NULL;

  hir_set_error (
      &hung, HIR_ERROR_RUN, NULL,
      "%s did not finish within %.3g s on rank %d; if this is not a hang, increase --timeout",
      running, (double) backend->options.timeout_us / G_USEC_PER_SEC, backend->options.rank);
  hir_cuda_stop_with (backend, hung);
}

/* CUDA errors are sticky: every later call returns them. Names the tasks that have not finished,
 * because one of them caused the error. */
static void
stop_as_failed (HirCudaBackend *backend, HirCuResult result)
{
  g_autofree char *running = hir_cuda_dup_running (backend);
  GError *failed = NULL;

  if (!hir_cu_check (backend->device->libs, result, &failed, "%s failed on rank %d", running,
                     backend->options.rank))
    hir_cuda_stop_with (backend, failed);
}

/* Advances *@next to the first stream that is not idle. Returns FALSE if all are idle or if a query
 * fails; *@result tells which. */
static gboolean
find_busy (HirCudaBackend *backend, guint *next, HirCuResult *result)
{
  for (; *next < backend->streams->len; (*next)++)
    {
      *result = backend->cuda->stream_query (hir_cuda_get_stream (backend, *next)->stream);
      if (*result != HIR_CU_SUCCESS)
        return *result == HIR_CU_ERROR_NOT_READY;
    }
  *result = HIR_CU_SUCCESS;
  return FALSE;
}

gboolean
hir_cuda_wait_idle (HirCudaBackend *backend, GError **error)
{
  gint64 start_us = g_get_monotonic_time (), moved_us = start_us;
  guint64 done = 0;
  guint next = 0, reached = 0;
  HirCuResult result = HIR_CU_SUCCESS;

  while (g_atomic_int_get (&backend->stopped) == 0 && find_busy (backend, &next, &result))
    {
      gint64 now_us = g_get_monotonic_time ();
      guint64 now_done;

      if (now_us - start_us < SPIN_US)
        continue;
      g_usleep (PAUSE_US);
      if (backend->options.timeout_us == 0 || now_us - moved_us < backend->options.timeout_us / 8)
        continue;
      now_done = count_all_done (backend);
      if (now_done > done || next > reached)
        {
          done = now_done;
          reached = next;
          moved_us = now_us;
        }
      else if (now_us - moved_us > backend->options.timeout_us)
        stop_as_hung (backend);
    }
  if (result != HIR_CU_SUCCESS && result != HIR_CU_ERROR_NOT_READY)
    stop_as_failed (backend, result);
  if (hir_cuda_give_error (backend, error))
    return FALSE;
  hir_cuda_pool_set_idle (backend->pool);
  return TRUE;
}
