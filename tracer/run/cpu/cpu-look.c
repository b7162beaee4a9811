/* Status of the CPU back end's streams, and pausing them. */
#include "run/cpu/cpu-private.h"

static gboolean
event_is_reached (HirBackendEvent *event)
{
  gboolean reached;

  g_mutex_lock (&event->lock);
  reached = event->reached;
  g_mutex_unlock (&event->lock);
  return reached;
}

/* Call with the stream's lock. */
static void
fill_current_status (HirCpuStream *stream, HirStreamStatus *status)
{
  gboolean is_held = stream->held_before != NULL && g_atomic_int_get (&stream->backend->held) != 0;
  const HirCpuItem *item = is_held ? stream->held_before : stream->current;

  if (item == NULL)
    return;
  /* If it was released a moment ago, it counts as running. */
  if (is_held)
    status->doing = HIR_STREAM_HELD;
  if (item->task != NULL)
    {
      status->label = g_strdup (item->task->label);
      status->expr = item->task->expr;
      status->iteration = item->task->event.iteration;
    }
  if (item->kind == HIR_CPU_WAIT && !event_is_reached (item->event))
    {
      status->doing = HIR_STREAM_WAITING;
      status->waits_for = item->event->stream;
    }
}

static void
clear_status (gpointer data)
{
  g_clear_pointer (&((HirStreamStatus *) data)->label, g_free);
}

GArray *
hir_cpu_look (HirBackend *base)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;
  GArray *statuses = g_array_new (FALSE, TRUE, sizeof (HirStreamStatus));

  g_array_set_clear_func (statuses, clear_status);
  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCpuStream *stream = g_ptr_array_index (backend->streams, i);
      HirStreamStatus status = { .stream = i, .iteration = -1 };

      g_mutex_lock (&stream->lock);
      status.n_queued = stream->queue->len + stream->n_taken;
      if (status.n_queued > 0)
        {
          /* A stream with taken but no current work is between two tasks. */
          status.doing = HIR_STREAM_RUNNING;
          status.n_queued--;
          fill_current_status (stream, &status);
        }
      g_mutex_unlock (&stream->lock);
      g_array_append_val (statuses, status);
    }
  return statuses;
}

void
hir_cpu_hold (HirBackend *base, gboolean held)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;

  g_mutex_lock (&backend->lock);
  g_atomic_int_set (&backend->held, held);
  g_cond_broadcast (&backend->release_cond);
  g_mutex_unlock (&backend->lock);
}

static void
set_held_before (HirCpuStream *stream, const HirCpuItem *item)
{
  g_mutex_lock (&stream->lock);
  stream->held_before = item;
  g_mutex_unlock (&stream->lock);
}

void
hir_cpu_await_release (HirCpuStream *stream, const HirCpuItem *item)
{
  HirCpuBackend *backend = stream->backend;

  if (g_atomic_int_get (&backend->held) == 0)
    return;
  set_held_before (stream, item);
  g_mutex_lock (&backend->lock);
  while (g_atomic_int_get (&backend->held) != 0 && g_atomic_int_get (&backend->stopped) == 0)
    g_cond_wait (&backend->release_cond, &backend->lock);
  g_mutex_unlock (&backend->lock);
  set_held_before (stream, NULL);
}
