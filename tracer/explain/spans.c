/* Finds lost time of each device, on or off the critical path: exposed communication, idle gaps,
 * and communications that wait for their last member. */
#include "explain/explain-private.h"

#define IDLE_SHARE 1000 /* shorter gaps than this part of the repetition are left out */

guint
hir_spans_find (const GArray *spans, gint64 time_ns)
{
  guint low = 0, high = spans->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (spans, HirLostSpan, middle).end_ns <= time_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
add_span (GArray *spans, const HirGpuWork *work, gint64 start_ns, gint64 end_ns)
{
  const HirLostSpan span = { start_ns, end_ns, work->track, work->index };

  if (start_ns < end_ns)
    g_array_append_val (spans, span);
}

/* Adds the parts of the transfers in which no kernel runs. */
static void
find_exposed (const HirGpu *gpu, GArray *spans)
{
  guint k = 0;

  for (guint i = 0; i < gpu->transfer->len; i++)
    {
      const HirGpuOwner *owner = &g_array_index (gpu->transfer, HirGpuOwner, i);
      const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, owner->work);
      gint64 start_ns = owner->start_ns;

      while (k < gpu->compute->len &&
             g_array_index (gpu->compute, HirGpuOwner, k).end_ns <= start_ns)
        k++;
      for (guint at = k; at < gpu->compute->len && start_ns < owner->end_ns; at++)
        {
          const HirGpuOwner *kernel = &g_array_index (gpu->compute, HirGpuOwner, at);

          if (kernel->start_ns >= owner->end_ns)
            break;
          add_span (spans, work, start_ns, kernel->start_ns);
          start_ns = MAX (start_ns, kernel->end_ns);
        }
      add_span (spans, work, start_ns, owner->end_ns);
    }
}

/* Adds the gaps between works of the same repetition. */
static void
find_idle (const HirExplainIndex *index,
           const HirGpu *gpu,
           const GArray *repetitions,
           GArray *spans)
{
  gint64 end_ns = G_MAXINT64;
  guint last = 0;

  for (guint i = 0; i < gpu->works->len; i++)
    {
      const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      guint number;

      if (!work->is_program)
        continue;
      number = hir_explain_index_get_repetition (index, work->track, work->start_ns);
      if (end_ns < work->start_ns && number == last && number < repetitions->len)
        {
          const HirRepetition *repetition = &g_array_index (repetitions, HirRepetition, number);

          if (work->start_ns - end_ns >= (repetition->end_ns - repetition->start_ns) / IDLE_SHARE)
            add_span (spans, work, end_ns, work->start_ns);
        }
      end_ns = end_ns == G_MAXINT64 ? work->end_ns : MAX (end_ns, work->end_ns);
      last = number;
    }
}

/* Adds the time from the start of each communication to that of its last member. */
static void
find_waiting (const HirExplainIndex *index, const HirGpu *gpu, GArray *spans)
{
  gint64 end_ns = G_MININT64;

  for (guint i = 0; i < gpu->works->len && !hir_explain_index_is_cancelled (index); i++)
    {
      const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      HirPredecessor last;

      if (!work->is_program || work->kind != HIR_EVENT_COMMUNICATION)
        continue;
      last = hir_predecessor_of_transfer (index, work->track, work->index, work->end_ns);
      if (!last.is_known)
        continue;
      add_span (spans, work, MAX (work->start_ns, end_ns), last.ready_ns);
      end_ns = MAX (end_ns, last.ready_ns);
    }
}

static void
device_free (gpointer data)
{
  HirDeviceSpans *device = data;

  for (guint kind = 0; kind < HIR_N_SPAN_KINDS; kind++)
    g_array_unref (device->spans[kind]);
  g_free (device);
}

GPtrArray *
hir_device_spans_new (const HirExplainIndex *index,
                      const GPtrArray *gpus,
                      const GArray *repetitions)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func (device_free);

  for (guint i = 0; i < gpus->len; i++)
    {
      const HirGpu *gpu = g_ptr_array_index (gpus, i);
      HirDeviceSpans *device = g_new0 (HirDeviceSpans, 1);

      device->rank = gpu->rank;
      device->device = gpu->device;
      for (guint kind = 0; kind < HIR_N_SPAN_KINDS; kind++)
        device->spans[kind] = g_array_new (FALSE, FALSE, sizeof (HirLostSpan));
      find_exposed (gpu, device->spans[HIR_SPAN_EXPOSED]);
      find_idle (index, gpu, repetitions, device->spans[HIR_SPAN_IDLE]);
      find_waiting (index, gpu, device->spans[HIR_SPAN_WAITING]);
      g_ptr_array_add (devices, device);
    }
  return devices;
}
