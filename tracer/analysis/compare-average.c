/* Makes the times of a run those of one repetition. All ranks end a repetition before the next one
 * starts, and each track has the same events in all of them. */
#include "analysis/compare-private.h"

#include "analysis/intervals.h"
#include "trace/left-out.h"

#define EVENTS_A_LOOK 65536

/* From the first to the last event of each repetition. Without an event, the end is below the
 * start. */
typedef struct
{
  const HirTrace *trace;
  GCancellable *cancellable; /* nullable */
  GArray *all;               /* HirInterval */
  GArray *of_device;         /* HirInterval */
} Spans;

static GArray *
reset (GArray *spans)
{
  for (guint i = 0; i < spans->len; i++)
    g_array_index (spans, HirInterval, i) = (HirInterval){ G_MAXINT64, G_MININT64 };
  return spans;
}

static GArray *
spans_new (guint n)
{
  return reset (g_array_set_size (g_array_new (FALSE, FALSE, sizeof (HirInterval)), n));
}

static void
extend (GArray *spans, guint i, gint64 start_ns, gint64 end_ns)
{
  HirInterval *span = &g_array_index (spans, HirInterval, i);

  span->start_ns = MIN (span->start_ns, start_ns);
  span->end_ns = MAX (span->end_ns, end_ns);
}

static gint64
get_mean (const GArray *spans, guint n_runs)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < spans->len; i++)
    {
      const HirInterval *span = &g_array_index (spans, HirInterval, i);

      sum_ns += span->end_ns > span->start_ns ? span->end_ns - span->start_ns : 0;
    }
  return sum_ns / n_runs;
}

/* Returns whether an event is part of a repetition: device work, an instruction of a host or, if
 * @has_waits, a wait of a stream. */
static gboolean
has (const HirTrace *trace, guint track, guint i, gboolean has_waits, HirEvent *event)
{
  if (hir_trace_is_left_out (trace, track, i))
    return FALSE;
  hir_trace_get_event (trace, track, i, event);
  if (event->phase != HIR_PHASE_PROGRAM)
    return FALSE;
  if (!hir_track_is_of_device (hir_trace_get_track (trace, track)))
    return event->kind == HIR_EVENT_ISSUE;
  return hir_comparison_counts (event) || (has_waits && event->kind == HIR_EVENT_SYNC);
}

/* Extends @to by the events of @track. Returns FALSE if the repetitions do not have equally many.
 */
static gboolean
add_track (const Spans *spans, guint track, gboolean has_waits, GArray *to)
{
  guint n = hir_trace_get_track_n_events (spans->trace, track), n_parts = 0, n_seen = 0;
  HirEvent event;

  for (guint i = 0; i < n; i++)
    {
      if (i % EVENTS_A_LOOK == 0 && g_cancellable_is_cancelled (spans->cancellable))
        return FALSE;
      n_parts += has (spans->trace, track, i, has_waits, &event);
    }
  if (n_parts % to->len != 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (has (spans->trace, track, i, has_waits, &event))
      extend (to, n_seen++ / (n_parts / to->len), event.start_ns, event.end_ns);
  return TRUE;
}

/* Sets the total of @gpu and extends all spans. A wait that takes no time may not be recorded. */
static gboolean
add_device (const Spans *spans, HirGpuStats *gpu, guint n_runs)
{
  reset (spans->of_device);
  for (guint t = 0; t < hir_trace_get_n_tracks (spans->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (spans->trace, t);

      if (!hir_track_is_of_device (track) || track->rank != gpu->rank ||
          track->device != gpu->device)
        continue;
      if (!add_track (spans, t, FALSE, spans->of_device))
        return FALSE;
      if (!add_track (spans, t, TRUE, spans->all))
        add_track (spans, t, FALSE, spans->all);
    }
  gpu->total_ns = get_mean (spans->of_device, n_runs);
  return TRUE;
}

/* Sets the totals of all devices, and @span_ns. Returns FALSE if @n_spans repetitions cannot be
 * separated. */
static gboolean
set_totals (HirStats *stats,
            const HirTrace *trace,
            guint n_spans,
            guint n_runs,
            gint64 *span_ns,
            GCancellable *cancellable)
{
  g_autoptr (GArray) all = spans_new (n_spans), of_device = spans_new (n_spans);
  const Spans spans = { trace, cancellable, all, of_device };

  for (guint i = 0; i < stats->gpus->len; i++)
    if (!add_device (&spans, &g_array_index (stats->gpus, HirGpuStats, i), n_runs))
      return FALSE;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    if (hir_trace_get_track (trace, t)->kind == HIR_TRACK_HOST &&
        !add_track (&spans, t, FALSE, all))
      return FALSE;
  *span_ns = get_mean (all, n_runs);
  return TRUE;
}

static void
divide (HirGpuStats *gpu, guint n_runs)
{
  gint64 *const times[] = { &gpu->busy_ns,          &gpu->computation_ns,  &gpu->total_comm_ns,
                            &gpu->total_memcpy_ns,  &gpu->exposed_comm_ns, &gpu->fused_ns,
                            &gpu->exposed_memcpy_ns };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    *times[i] /= n_runs;
  gpu->idle_ns = MAX (gpu->total_ns - gpu->busy_ns, 0);
}

void
hir_comparison_average (HirComparison *comparison,
                        guint side,
                        const HirTrace *trace,
                        GCancellable *cancellable)
{
  HirStats *stats = side == 0 ? comparison->a : comparison->b;
  gint64 *span_ns = side == 0 ? &comparison->span_a_ns : &comparison->span_b_ns;
  guint64 n_events = hir_trace_get_n_events (trace);
  guint n_runs = hir_trace_get_meta (trace, HIR_META_STOPPED) != NULL
                     ? 1
                     : hir_trace_get_n_repetitions (trace);

  comparison->n_runs[side] = n_runs;
  if (stats == NULL) /* cancelled */
    return;
  comparison->is_separate[side] =
      n_events == 0 ||
      (n_runs <= n_events && set_totals (stats, trace, n_runs, n_runs, span_ns, cancellable));
  if (!comparison->is_separate[side])
    set_totals (stats, trace, 1, n_runs, span_ns, cancellable);
  for (guint i = 0; i < stats->gpus->len; i++)
    divide (&g_array_index (stats->gpus, HirGpuStats, i), n_runs);
}
