/* Vector clocks. */
#include "analysis/sync-order.h"

#include <string.h>

#define MAX_CLOCKS (G_GUINT64_CONSTANT (1) << 28)

HirSyncOrder *
hir_sync_order_new (const HirSyncTrace *trace, GError **error)
{
  guint n = trace->steps->len, n_queues = trace->queues->len;
  HirSyncOrder *order;
  guint32 *clocks = NULL;

  if ((guint64) n * n_queues <= MAX_CLOCKS)
    clocks = g_try_malloc0_n ((gsize) n * n_queues + 1, sizeof *clocks);
  if (clocks == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "too many steps to check: %u steps on %u streams; use smaller shapes with "
                     "--input, or fewer --streams",
                     n, n_queues);
      return NULL;
    }
  order = g_new0 (HirSyncOrder, 1);
  order->trace = trace;
  order->n_queues = n_queues;
  order->clocks = clocks;
  order->ticks = g_new0 (guint32, n);
  order->is_idle = g_new0 (guint8, n);
  for (guint i = 0; i < n; i++)
    {
      guint previous = hir_sync_trace_get_step (trace, i)->previous;

      order->ticks[i] = previous != HIR_SYNC_NONE ? order->ticks[previous] + 1 : 1;
    }
  hir_sync_order_update (order, NULL);
  return order;
}

void
hir_sync_order_free (HirSyncOrder *order)
{
  g_free (order->ticks);
  g_free (order->clocks);
  g_free (order->is_idle);
  g_free (order);
}

static guint32 *
get_clock (const HirSyncOrder *order, guint step)
{
  return order->clocks + (gsize) step * order->n_queues;
}

/* Merges the clock of @step into @clock. Returns FALSE if it was already included. */
static gboolean
follow (HirSyncOrder *order, guint32 *clock, guint step)
{
  guint queue = hir_sync_trace_get_step (order->trace, step)->queue;
  const guint32 *other = get_clock (order, step);

  if (clock[queue] >= order->ticks[step])
    return FALSE;
  for (guint i = 0; i < order->n_queues; i++)
    clock[i] = MAX (clock[i], other[i]);
  return TRUE;
}

void
hir_sync_order_update (HirSyncOrder *order, const guint8 *left_out)
{
  const HirSyncTrace *trace = order->trace;

  for (guint i = 0; i < trace->order->len; i++)
    {
      guint index = g_array_index (trace->order, guint, i);
      const HirSyncStep *step = hir_sync_trace_get_step (trace, index);
      guint32 *clock = get_clock (order, index);
      gboolean is_out = left_out != NULL && left_out[index];

      if (step->previous != HIR_SYNC_NONE)
        memcpy (clock, get_clock (order, step->previous), order->n_queues * sizeof *clock);
      else
        memset (clock, 0, order->n_queues * sizeof *clock);
      order->is_idle[index] =
          step->kind == HIR_SYNC_WAIT &&
          (step->after == HIR_SYNC_NONE || is_out || !follow (order, clock, step->after));
      if (step->kind == HIR_SYNC_POST && step->after != HIR_SYNC_NONE)
        follow (order, clock, step->after);
      for (guint k = 0; k < step->n_needs; k++)
        follow (order, clock, g_array_index (trace->needs, guint, step->first_need + k));
      clock[step->queue] = order->ticks[index];
    }
}

gboolean
hir_sync_order_is_before (const HirSyncOrder *order, guint a, guint b)
{
  guint queue = hir_sync_trace_get_step (order->trace, a)->queue;

  return a != b && get_clock (order, b)[queue] >= order->ticks[a];
}
