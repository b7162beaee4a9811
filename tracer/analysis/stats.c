/* Collects the work of each device and stream. */
#include <math.h>

#include "analysis/stats-private.h"
#include "diagnostic.h"
#include "identity.h"
#include "trace/headroom.h"
#include "trace/left-out.h"
#include "trace/trace-rules.h"
#include "trace/track-set.h"

/* An interval in three arrays and a duration in two; arrays grow by doubling. */
#define BYTES_AN_EVENT 96

/* The work of one device during the collection. */
typedef struct
{
  HirGpuStats stats;
  gint64 first_ns, last_ns;
  HirIntervals *computation, *communication, *memcpy;
  HirIntervals *fused; /* part of computation */
} Gpu;

typedef struct
{
  const HirTrace *trace;
  HirStatsOptions options;
  HirStatsProgress progress;
  HirLaunches *launches;
  HirStats *stats;
  GPtrArray *gpus;         /* Gpu* */
  GHashTable *gpu_numbers; /* rank and device -> index in gpus + 1 */
  HirKernelTable *kernels;
  GArray *delays; /* gint64 */
} Collector;

static void
gpu_free (gpointer data)
{
  Gpu *gpu = data;

  g_array_unref (gpu->computation);
  g_array_unref (gpu->communication);
  g_array_unref (gpu->memcpy);
  g_array_unref (gpu->fused);
  g_free (gpu);
}

static Gpu *
ensure_gpu (Collector *collector, const HirTrack *track)
{
  gint64 key = (gint64) ((guint64) (guint32) track->rank << 32 | (guint32) track->device);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (collector->gpu_numbers, &key));
  Gpu *gpu;

  if (number > 0)
    return g_ptr_array_index (collector->gpus, number - 1);
  gpu = g_new0 (Gpu, 1);
  gpu->stats.rank = track->rank;
  gpu->stats.device = track->device;
  gpu->first_ns = G_MAXINT64;
  gpu->last_ns = G_MININT64;
  gpu->computation = hir_intervals_new ();
  gpu->communication = hir_intervals_new ();
  gpu->memcpy = hir_intervals_new ();
  gpu->fused = hir_intervals_new ();
  g_ptr_array_add (collector->gpus, gpu);
  g_hash_table_insert (collector->gpu_numbers, g_memdup2 (&key, sizeof key),
                       GUINT_TO_POINTER (collector->gpus->len));
  return gpu;
}

static gboolean
is_work (HirEventKind kind)
{
  return kind == HIR_EVENT_KERNEL || kind == HIR_EVENT_MEMSET || kind == HIR_EVENT_MEMCPY ||
         kind == HIR_EVENT_COMMUNICATION;
}

/* Returns the intervals of the class of @kind, or NULL if it is no device work. */
static HirIntervals *
get_class (Gpu *gpu, HirEventKind kind)
{
  switch (kind)
    {
    case HIR_EVENT_KERNEL:
    case HIR_EVENT_MEMSET:
      return gpu->computation;

    case HIR_EVENT_MEMCPY:
      return gpu->memcpy;

    case HIR_EVENT_COMMUNICATION:
      return gpu->communication;

    case HIR_EVENT_SYNC:
    case HIR_EVENT_ISSUE:
    case HIR_EVENT_HOST:
    default:
      return NULL;
    }
}

static void
add_delay (Collector *collector, const HirEvent *event, const HirLaunch *launch)
{
  /* Work that starts before its launch call returns has no delay. */
  gint64 delay_ns = MAX (event->start_ns - launch->end_ns, 0);

  if (event->start_ns < launch->start_ns)
    collector->stats->n_backwards++;
  else
    g_array_append_val (collector->delays, delay_ns);
}

static void
add_event (Collector *collector,
           Gpu *gpu,
           HirStreamStats *stream,
           HirIntervals *busy,
           HirIntervals *waiting,
           const HirEvent *event)
{
  HirIntervals *of_class = get_class (gpu, event->kind);
  gint64 start_ns = event->start_ns, end_ns = event->end_ns;
  const HirLaunch *launch;

  if (event->phase != HIR_PHASE_PROGRAM && !collector->options.all_phases)
    {
      collector->stats->n_other_phases += of_class != NULL;
      return;
    }
  if (of_class == NULL)
    {
      if (event->kind == HIR_EVENT_SYNC && hir_stats_clip (&collector->options, &start_ns, &end_ns))
        hir_intervals_add (waiting, start_ns, end_ns);
      return;
    }
  launch = hir_launches_lookup (collector->launches, gpu->stats.rank, event->correlation,
                                event->start_ns);
  if (launch == NULL)
    collector->stats->n_unmatched++;
  if (launch == NULL && collector->options.launched_only)
    {
      collector->stats->n_not_launched++;
      return;
    }
  if (!hir_stats_clip (&collector->options, &start_ns, &end_ns))
    {
      collector->stats->n_outside++;
      return;
    }
  collector->stats->n_counted++;
  collector->stats->n_before += start_ns > event->start_ns;
  collector->stats->n_cut += start_ns > event->start_ns || end_ns < event->end_ns;
  gpu->stats.n_events++;
  stream->n_events++;
  gpu->first_ns = MIN (gpu->first_ns, start_ns);
  gpu->last_ns = MAX (gpu->last_ns, end_ns);
  hir_intervals_add (of_class, start_ns, end_ns);
  if (event->kind == HIR_EVENT_KERNEL && hir_trace_is_fused (collector->trace, event->name))
    hir_intervals_add (gpu->fused, start_ns, end_ns);
  hir_intervals_add (busy, start_ns, end_ns);
  hir_kernel_table_add (collector->kernels, event, end_ns - start_ns,
                        collector->options.by_instruction);
  if (launch != NULL)
    add_delay (collector, event, launch);
}

static void
add_track (Collector *collector, guint track)
{
  const HirTrack *info = hir_trace_get_track (collector->trace, track);
  Gpu *gpu = ensure_gpu (collector, info);
  g_autoptr (GArray) busy = hir_intervals_new ();
  g_autoptr (GArray) waiting = hir_intervals_new ();
  g_autoptr (GArray) idle = NULL;
  HirStreamStats stream = { .track = track };

  for (guint i = 0; i < hir_trace_get_track_n_events (collector->trace, track); i++)
    {
      HirEvent event;

      if (!hir_stats_progress_step (&collector->progress))
        break;
      if (!collector->options.has_range && hir_trace_is_left_out (collector->trace, track, i))
        {
          collector->stats->n_left_out++;
          continue;
        }
      hir_trace_get_event (collector->trace, track, i, &event);
      add_event (collector, gpu, &stream, busy, waiting, &event);
    }
  hir_intervals_merge (busy);
  hir_intervals_merge (waiting);
  idle = hir_intervals_dup_difference (waiting, busy);
  stream.busy_ns = hir_intervals_get_total_ns (busy);
  stream.waiting_ns = hir_intervals_get_total_ns (idle);
  g_array_append_val (collector->stats->streams, stream);
}

/* Counts the work of a track that the options leave out. */
static void
skip_track (Collector *collector, guint track)
{
  for (guint i = 0; i < hir_trace_get_track_n_events (collector->trace, track); i++)
    {
      HirEvent event;

      if (!hir_stats_progress_step (&collector->progress))
        break;
      hir_trace_get_event (collector->trace, track, i, &event);
      collector->stats->n_other_tracks += is_work ((HirEventKind) event.kind);
    }
}

static void
finish_gpu (Gpu *gpu, const HirStatsOptions *options)
{
  HirGpuStats *stats = &gpu->stats;
  g_autoptr (GArray) work = NULL, busy = NULL, exposed_comm = NULL, exposed_memcpy = NULL;

  hir_intervals_merge (gpu->computation);
  hir_intervals_merge (gpu->communication);
  hir_intervals_merge (gpu->memcpy);
  hir_intervals_merge (gpu->fused);
  work = hir_intervals_dup_union (gpu->computation, gpu->communication);
  busy = hir_intervals_dup_union (work, gpu->memcpy);
  exposed_comm = hir_intervals_dup_difference (gpu->communication, gpu->computation);
  exposed_memcpy = hir_intervals_dup_difference (gpu->memcpy, work);

  if (options->has_range)
    stats->total_ns = MAX (options->range_end_ns - options->range_start_ns, 0);
  else
    stats->total_ns = stats->n_events > 0 ? gpu->last_ns - gpu->first_ns : 0;
  stats->busy_ns = hir_intervals_get_total_ns (busy);
  stats->idle_ns = stats->total_ns - stats->busy_ns;
  stats->computation_ns = hir_intervals_get_total_ns (gpu->computation);
  stats->total_comm_ns = hir_intervals_get_total_ns (gpu->communication);
  stats->fused_ns = hir_intervals_get_total_ns (gpu->fused);
  stats->total_memcpy_ns = hir_intervals_get_total_ns (gpu->memcpy);
  stats->exposed_comm_ns = hir_intervals_get_total_ns (exposed_comm);
  stats->exposed_memcpy_ns = hir_intervals_get_total_ns (exposed_memcpy);
  stats->comm_overlap_percent =
      stats->total_comm_ns > 0 ? 100.0 * (double) (stats->total_comm_ns - stats->exposed_comm_ns) /
                                     (double) stats->total_comm_ns
                               : NAN;
}

static int
compare_gpus (gconstpointer a, gconstpointer b)
{
  const HirGpuStats *x = a, *y = b;

  return x->rank != y->rank ? x->rank - y->rank : x->device - y->device;
}

/* Orders by rank and device, then streams by number, then links. */
static int
compare_streams (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HirStreamStats *x = a, *y = b;
  const HirTrack *s = hir_trace_get_track (user_data, x->track);
  const HirTrack *t = hir_trace_get_track (user_data, y->track);

  if (s->rank != t->rank)
    return s->rank - t->rank;
  if (s->device != t->device)
    return s->device - t->device;
  if (s->kind != t->kind)
    return (int) s->kind - (int) t->kind;
  if (s->stream != t->stream)
    return s->stream < t->stream ? -1 : 1;
  return x->track < y->track ? -1 : 1;
}

static void
finish_streams (Collector *collector)
{
  HirStats *stats = collector->stats;

  g_array_sort_with_data (stats->streams, compare_streams, (gpointer) collector->trace);

  for (guint i = 0; i < stats->streams->len; i++)
    {
      HirStreamStats *stream = &g_array_index (stats->streams, HirStreamStats, i);
      const HirTrack *info = hir_trace_get_track (collector->trace, stream->track);
      Gpu *gpu = ensure_gpu (collector, info);

      if (gpu->stats.total_ns > 0)
        stream->occupancy_percent = 100.0 * (double) stream->busy_ns / (double) gpu->stats.total_ns;
    }
}

static void
finish_queue (HirQueueStats *queue, GArray *delays)
{
  double sum_ns = 0;

  queue->count = delays->len;
  if (delays->len == 0)
    return;
  hir_stats_sort_ns (delays);
  for (guint i = 0; i < delays->len; i++)
    sum_ns += (double) g_array_index (delays, gint64, i);
  queue->mean_ns = sum_ns / delays->len;
  queue->min_ns = g_array_index (delays, gint64, 0);
  queue->max_ns = g_array_index (delays, gint64, delays->len - 1);
  queue->p50_ns = hir_stats_get_percentile (delays, 50);
  queue->p99_ns = hir_stats_get_percentile (delays, 99);
}

static void
finish (Collector *collector)
{
  HirStats *stats = collector->stats;

  for (guint i = 0; i < collector->gpus->len; i++)
    {
      Gpu *gpu = collector->gpus->pdata[i];

      finish_gpu (gpu, &collector->options);
      g_array_append_val (stats->gpus, gpu->stats);
    }
  g_array_sort (stats->gpus, compare_gpus);
  finish_streams (collector);
  finish_queue (&stats->queue, collector->delays);
  stats->kernels = hir_kernel_table_finish (collector->kernels, collector->trace);
  stats->has_range = collector->options.has_range;
}

/* Returns whether streams of a device work at the same time. */
static gboolean
has_overlap (const HirStats *stats, const HirTrace *trace)
{
  guint s = 0;

  for (guint i = 0; i < stats->gpus->len; i++)
    {
      const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, i);
      gint64 busy_ns = 0;

      for (; s < stats->streams->len; s++)
        {
          const HirStreamStats *stream = &g_array_index (stats->streams, HirStreamStats, s);
          const HirTrack *info = hir_trace_get_track (trace, stream->track);

          if (info->rank != gpu->rank || info->device != gpu->device)
            break;
          busy_ns += stream->busy_ns;
        }
      if (busy_ns > gpu->busy_ns)
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_host_events (const HirTrace *trace)
{
  for (guint i = 0; i < hir_trace_get_n_tracks (trace); i++)
    if (hir_trace_get_track (trace, i)->kind == HIR_TRACK_HOST &&
        hir_trace_get_track_n_events (trace, i) > 0)
      return TRUE;
  return FALSE;
}

char **
hir_stats_dup_notes (const HirStats *stats, const HirTrace *trace)
{
  g_autoptr (GStrvBuilder) notes = g_strv_builder_new ();
  g_autofree char *caveat = hir_trace_dup_caveat (trace);

  if (caveat != NULL)
    g_strv_builder_add (notes, caveat);
  if (g_strcmp0 (hir_trace_get_meta (trace, "clock"), "model") == 0 && has_overlap (stats, trace))
    g_strv_builder_add (notes, HIR_STATS_OVERLAP_NOTE);
  if (stats->has_range)
    g_strv_builder_add (notes, HIR_STATS_RANGE_NOTE);
  if (stats->n_counted > 0 && !stats->has_range && has_host_events (trace))
    g_strv_builder_add (notes, HIR_STATS_TOTAL_NOTE);
  g_strv_builder_addv (notes, (const char **) hir_trace_get_account (trace));
  return g_strv_builder_end (notes);
}

gboolean
hir_stats_check_room (const HirTrace *trace, GError **error)
{
  gsize bytes = hir_trace_get_n_events (trace) * BYTES_AN_EVENT;

  if (hir_has_room (bytes))
    return TRUE;
  hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                 "out of memory: statistics of %" G_GUINT64_FORMAT
                 " events take up to %zu MB; use a machine with more "
                 "memory, or a shorter trace",
                 hir_trace_get_n_events (trace), bytes / 1000000);
  return FALSE;
}

static void
iteration_clear (gpointer data)
{
  g_free (((HirIterationStats *) data)->late_ns);
}

HirStats *
hir_stats_new (const HirTrace *trace, const HirStatsOptions *options)
{
  HirStats *stats = g_new0 (HirStats, 1);
  g_autoptr (GPtrArray) gpus = g_ptr_array_new_with_free_func (gpu_free);
  g_autoptr (GHashTable) places =
      g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (HirLaunches) launches = NULL;
  g_autoptr (HirMeetings) meetings = NULL;
  Collector collector = {
    .trace = trace,
    .stats = stats,
    .gpus = gpus,
    .gpu_numbers = places,
    .kernels = hir_kernel_table_new (),
    .delays = delays,
  };

  if (options != NULL)
    collector.options = *options;
  collector.progress.options = &collector.options;
  collector.progress.n_all = hir_trace_get_n_events (trace);
  launches = hir_launches_new (trace, &collector.progress);
  collector.launches = launches;
  stats->gpus = g_array_new (FALSE, FALSE, sizeof (HirGpuStats));
  stats->ranks = g_array_new (FALSE, FALSE, sizeof (HirRankStats));
  stats->meetings = g_array_new (FALSE, FALSE, sizeof (HirMeetingStats));
  stats->iterations = g_array_new (FALSE, FALSE, sizeof (HirIterationStats));
  g_array_set_clear_func (stats->iterations, iteration_clear);
  stats->streams = g_array_new (FALSE, FALSE, sizeof (HirStreamStats));
  for (guint track = 0; track < hir_trace_get_n_tracks (trace) &&
                        !g_cancellable_is_cancelled (collector.options.cancellable);
       track++)
    if (!hir_track_is_of_device (hir_trace_get_track (trace, track)))
      continue;
    else if (hir_track_set_has (collector.options.tracks, track))
      add_track (&collector, track);
    else
      skip_track (&collector, track);
  meetings = hir_meetings_new (trace, &collector.options);
  stats->collectives = hir_stats_dup_collectives (trace, meetings, &collector.options);
  hir_stats_find_stragglers (stats, trace, meetings, &collector.options);
  if (g_cancellable_is_cancelled (collector.options.cancellable))
    {
      hir_kernel_table_free (collector.kernels);
      g_clear_pointer (&stats, hir_stats_free);
      return NULL;
    }
  finish (&collector);
  if (collector.options.percent != NULL)
    g_atomic_int_set (collector.options.percent, 100);
  return stats;
}

void
hir_stats_free (HirStats *stats)
{
  g_array_unref (stats->gpus);
  g_clear_pointer (&stats->kernels, g_array_unref);
  g_array_unref (stats->collectives);
  g_array_unref (stats->ranks);
  g_array_unref (stats->meetings);
  g_array_unref (stats->iterations);
  g_array_unref (stats->streams);
  g_free (stats);
}
