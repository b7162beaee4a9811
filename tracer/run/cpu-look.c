/* What the streams of the CPU back end do at a moment. */
#include "run/cpu-private.h"

gboolean
hir_cpu_event_is_reached (HirBackendEvent *event)
{
  gboolean reached;

  g_mutex_lock (&event->lock);
  reached = event->reached;
  g_mutex_unlock (&event->lock);
  return reached;
}

/* With the stream's lock. */
static void
look_at_current (HirCpuStream *stream, HirStreamLook *look)
{
  const HirCpuItem *item = stream->current;

  if (item == NULL)
    return;
  if (item->task != NULL)
    {
      look->label = g_strdup (item->task->label);
      look->expr = item->task->expr;
      look->iteration = item->task->event.iteration;
    }
  if (item->kind == HIR_CPU_WAIT && !hir_cpu_event_is_reached (item->event))
    {
      look->doing = HIR_STREAM_WAITS;
      look->waits_for = item->event->stream;
    }
}

static void
clear_look (gpointer data)
{
  g_clear_pointer (&((HirStreamLook *) data)->label, g_free);
}

GArray *
hir_cpu_look (HirBackend *base)
{
  HirCpuBackend *backend = (HirCpuBackend *) base;
  GArray *looks = g_array_new (FALSE, TRUE, sizeof (HirStreamLook));

  g_array_set_clear_func (looks, clear_look);
  for (guint i = 0; i < backend->streams->len; i++)
    {
      HirCpuStream *stream = g_ptr_array_index (backend->streams, i);
      HirStreamLook look = { .stream = i, .iteration = -1 };

      g_mutex_lock (&stream->lock);
      look.n_queued = stream->queue->len + stream->n_taken;
      if (look.n_queued > 0)
        {
          /* What is taken and not current is between two pieces of work. */
          look.doing = HIR_STREAM_RUNS;
          look.n_queued--;
          look_at_current (stream, &look);
        }
      g_mutex_unlock (&stream->lock);
      g_array_append_val (looks, look);
    }
  return looks;
}
