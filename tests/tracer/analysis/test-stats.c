/* Tests statistics against a computation for every nanosecond, on random traces, and on a small
 * trace with obvious numbers. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/stats-write.h"
#include "diagnostic.h"
#include "trace/comm-records.h"
#include "trace/track-set.h"

#define N_TRACES 1000
#define N_RANKS 2
#define N_STREAMS 2
#define SPAN_NS 300

static HirTrace *
finish (HirTraceBuilder *builder)
{
  HirTrace *trace = hir_trace_builder_finish (builder);

  g_assert_nonnull (trace);
  return trace;
}

static void
add (HirTraceBuilder *builder,
     guint track,
     HirEventKind kind,
     const char *name,
     gint64 start_ns,
     gint64 end_ns,
     guint32 correlation)
{
  HirEvent event = {
    .start_ns = start_ns,
    .end_ns = end_ns,
    .name = hir_trace_builder_intern (builder, name),
    .correlation = correlation,
    .iteration = -1,
    .track = track,
    .kind = kind,
  };

  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
}

static guint
add_track (HirTraceBuilder *builder, HirTrackKind kind, int rank, gint64 stream)
{
  HirTrack track = { kind, rank, rank, stream, (char *) "track" };

  return hir_trace_builder_add_track (builder, &track);
}

/* compute   [10, 50)     [70, 90)
 * comm           [40, 80)              one half of it, 20 of 40, is exposed: [50, 70)
 * memcpy                    [85, 110)  [90, 110) is
 * waits     [0, 200), no work */
static HirTrace *
make_small (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint host = add_track (builder, HIR_TRACK_HOST, 0, -1);
  guint compute = add_track (builder, HIR_TRACK_STREAM, 0, 1);
  guint copy = add_track (builder, HIR_TRACK_STREAM, 0, 0);
  guint link = add_track (builder, HIR_TRACK_LINK, 0, 0);

  add (builder, compute, HIR_EVENT_KERNEL, "a", 10, 50, 1);
  add (builder, compute, HIR_EVENT_MEMSET, "b", 70, 90, 2);
  add (builder, compute, HIR_EVENT_SYNC, "wait", 0, 200, 0);
  add (builder, link, HIR_EVENT_COMMUNICATION, "gather", 40, 80, 3);
  add (builder, copy, HIR_EVENT_MEMCPY, "copy", 85, 110, 0);
  add (builder, host, HIR_EVENT_ISSUE, "launch a", 0, 4, 1);
  add (builder, host, HIR_EVENT_ISSUE, "launch b", 75, 80, 2); /* after it started */
  add (builder, host, HIR_EVENT_ISSUE, "post", 5, 60, 3);      /* returns after it started */
  return finish (builder);
}

static void
test_small (void)
{
  g_autoptr (HirTrace) trace = make_small ();
  g_autoptr (HirStats) stats = hir_stats_new (trace, NULL);
  const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, 0);
  const HirStreamStats *stream = &g_array_index (stats->streams, HirStreamStats, 1);

  g_assert_cmpuint (stats->gpus->len, ==, 1);
  g_assert_cmpint (gpu->total_ns, ==, 100);
  g_assert_cmpint (gpu->busy_ns, ==, 100);
  g_assert_cmpint (gpu->idle_ns, ==, 0);
  g_assert_cmpint (gpu->computation_ns, ==, 60);
  g_assert_cmpint (gpu->total_comm_ns, ==, 40);
  g_assert_cmpint (gpu->exposed_comm_ns, ==, 20);
  g_assert_cmpint (gpu->total_memcpy_ns, ==, 25);
  g_assert_cmpint (gpu->exposed_memcpy_ns, ==, 20);
  g_assert_cmpfloat (gpu->comm_overlap_percent, ==, 50);
  g_assert_cmpint (hir_trace_get_track (trace, stream->track)->stream, ==, 1);
  g_assert_cmpint (stream->busy_ns, ==, 60);
  g_assert_cmpint (stream->waiting_ns, ==, 140);
  g_assert_cmpfloat (stream->occupancy_percent, ==, 60);
  g_assert_cmpuint (stats->n_counted, ==, 4);
  g_assert_cmpuint (stats->n_unmatched, ==, 1);
  g_assert_cmpuint (stats->n_backwards, ==, 1);
  g_assert_cmpuint (stats->queue.count, ==, 2);
  g_assert_cmpint (stats->queue.min_ns, ==, 0);
  g_assert_cmpint (stats->queue.max_ns, ==, 6);
}

static void
test_launched_only (void)
{
  g_autoptr (HirTrace) trace = make_small ();
  const HirStatsOptions options = { .launched_only = TRUE };
  g_autoptr (HirStats) stats = hir_stats_new (trace, &options);
  const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, 0);

  g_assert_cmpuint (stats->n_not_launched, ==, 1);
  g_assert_cmpint (gpu->total_memcpy_ns, ==, 0);
  g_assert_cmpint (gpu->total_ns, ==, 80);
}

static void
test_range (void)
{
  g_autoptr (HirTrace) trace = make_small ();
  const HirStatsOptions options = { .has_range = TRUE, .range_start_ns = 45, .range_end_ns = 72 };
  g_autoptr (HirStats) stats = hir_stats_new (trace, &options);
  const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, 0);

  g_assert_cmpint (gpu->total_ns, ==, 27);
  g_assert_cmpint (gpu->busy_ns, ==, 27);
  g_assert_cmpint (gpu->computation_ns, ==, 7);
  g_assert_cmpint (gpu->exposed_comm_ns, ==, 20);
  g_assert_cmpuint (stats->n_outside, ==, 1);
  /* "a" and "gather" started before it, "b" and "gather" end after it. */
  g_assert_cmpuint (stats->kernels->len, ==, 3);
  g_assert_cmpuint (stats->n_counted, ==, 3);
  g_assert_cmpuint (stats->n_cut, ==, 3);
  g_assert_cmpuint (stats->n_before, ==, 2);
}

/* Tests that only selected tracks are counted, and the range with them. */
static void
test_tracks (void)
{
  g_autoptr (HirTrace) trace = make_small ();
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (guint));
  HirStatsOptions options = { .tracks = tracks };
  const guint chosen[] = { 3, 2, 3 }; /* the link and the copies */
  g_autoptr (HirStats) stats = NULL, part = NULL;
  const HirGpuStats *gpu;

  g_array_append_vals (tracks, chosen, G_N_ELEMENTS (chosen));
  hir_track_set_new_take (tracks);
  stats = hir_stats_new (trace, &options);
  gpu = &g_array_index (stats->gpus, HirGpuStats, 0);
  g_assert_cmpint (gpu->computation_ns, ==, 0);
  g_assert_cmpint (gpu->exposed_comm_ns, ==, 40);
  g_assert_cmpint (gpu->total_memcpy_ns, ==, 25);
  g_assert_cmpuint (stats->streams->len, ==, 2);
  g_assert_cmpuint (stats->n_counted, ==, 2);
  g_assert_cmpuint (stats->n_other_tracks, ==, 2);
  options.has_range = TRUE;
  options.range_start_ns = 60;
  options.range_end_ns = 90;
  part = hir_stats_new (trace, &options);
  gpu = &g_array_index (part->gpus, HirGpuStats, 0);
  g_assert_cmpint (gpu->total_comm_ns, ==, 20);
  g_assert_cmpint (gpu->total_memcpy_ns, ==, 5);
}

/* Tests that work before and after the recorded runs is excluded. */
static void
test_phases (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint track = add_track (builder, HIR_TRACK_STREAM, 0, 1);
  const HirStatsOptions all = { .all_phases = TRUE };
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) program = NULL, whole = NULL;

  for (int phase = 0; phase < HIR_PHASE_BASELINE; phase++)
    {
      HirEvent event = { .start_ns = 1000 * phase,
                         .end_ns = 1000 * phase + 10,
                         .iteration = -1,
                         .track = (guint16) track,
                         .kind = HIR_EVENT_KERNEL,
                         .phase = (guint8) phase };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = finish (builder);
  program = hir_stats_new (trace, NULL);
  whole = hir_stats_new (trace, &all);
  g_assert_cmpint (g_array_index (program->gpus, HirGpuStats, 0).total_ns, ==, 10);
  g_assert_cmpuint (program->n_other_phases, ==, HIR_PHASE_BASELINE - 1);
  g_assert_cmpint (g_array_index (whole->gpus, HirGpuStats, 0).total_ns, ==,
                   1000 * (HIR_PHASE_BASELINE - 1) + 10);
  g_assert_cmpuint (whole->n_other_phases, ==, 0);
}

static void
test_empty (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = NULL;

  add_track (builder, HIR_TRACK_STREAM, 0, 0);
  trace = finish (builder);
  stats = hir_stats_new (trace, NULL);
  g_assert_cmpint (g_array_index (stats->gpus, HirGpuStats, 0).total_ns, ==, 0);
  g_assert_true (isnan (g_array_index (stats->gpus, HirGpuStats, 0).comm_overlap_percent));
}

static HirTrace *
make_random (GRand *rand)
{
  static const char *const names[] = { "a", "b", "c" };
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (int rank = 0; rank < N_RANKS; rank++)
    {
      guint host = add_track (builder, HIR_TRACK_HOST, rank, -1);

      for (guint s = 0; s < N_STREAMS; s++)
        {
          guint track = add_track (builder, HIR_TRACK_STREAM, rank, s);
          guint n = g_rand_int_range (rand, 0, 12);

          for (guint i = 0; i < n; i++)
            {
              gint64 start_ns = g_rand_int_range (rand, 0, SPAN_NS);
              gint64 length_ns = g_rand_int_range (rand, 0, 60);
              gint64 end_ns = MIN (start_ns + length_ns, SPAN_NS);
              guint32 correlation = g_rand_int_range (rand, 0, 20);

              add (builder, track, g_rand_int_range (rand, 0, HIR_EVENT_ISSUE),
                   names[g_rand_int_range (rand, 0, 3)], start_ns, end_ns, correlation);
              if (correlation != 0 && g_rand_boolean (rand))
                add (builder, host, HIR_EVENT_ISSUE, "l", MAX (start_ns - 5, 0), start_ns,
                     correlation);
            }
        }
    }
  return finish (builder);
}

static gboolean
has_launch (const HirTrace *trace, int rank, guint32 correlation)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        if (event.kind == HIR_EVENT_ISSUE && hir_trace_get_track (trace, t)->rank == rank &&
            event.correlation == correlation && correlation != 0)
          return TRUE;
      }
  return FALSE;
}

/* One flag per nanosecond and class. */
typedef struct
{
  gboolean computes[SPAN_NS], communicates[SPAN_NS], copies[SPAN_NS];
  gint64 first_ns, last_ns;
  guint n;
} Slow;

static void
fill_slow (Slow *slow, const HirTrace *trace, int rank, const HirStatsOptions *options)
{
  gint64 from_ns = options->has_range ? options->range_start_ns : 0;
  gint64 to_ns = options->has_range ? options->range_end_ns : SPAN_NS;

  memset (slow, 0, sizeof *slow);
  slow->first_ns = G_MAXINT64;
  slow->last_ns = G_MININT64;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        gboolean *set;
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        set = event.kind == HIR_EVENT_COMMUNICATION ? slow->communicates
              : event.kind == HIR_EVENT_MEMCPY      ? slow->copies
                                                    : slow->computes;
        if (hir_trace_get_track (trace, t)->rank != rank || event.kind == HIR_EVENT_SYNC ||
            event.kind == HIR_EVENT_ISSUE)
          continue;
        if (options->launched_only && !has_launch (trace, rank, event.correlation))
          continue;
        if (event.start_ns >= to_ns || (event.end_ns <= from_ns && event.start_ns < from_ns))
          continue;
        slow->n++;
        slow->first_ns = MIN (slow->first_ns, MAX (event.start_ns, from_ns));
        slow->last_ns = MAX (slow->last_ns, MIN (event.end_ns, to_ns));
        for (gint64 ns = MAX (event.start_ns, from_ns); ns < MIN (event.end_ns, to_ns); ns++)
          set[ns] = TRUE;
      }
}

static void
compare_with_slow (const HirGpuStats *gpu, const Slow *slow, const HirStatsOptions *options)
{
  gint64 busy = 0, computes = 0, communicates = 0, copies = 0, exposed = 0, exposed_copy = 0;
  gint64 total_ns = slow->n > 0 ? slow->last_ns - slow->first_ns : 0;

  for (guint ns = 0; ns < SPAN_NS; ns++)
    {
      busy += slow->computes[ns] || slow->communicates[ns] || slow->copies[ns];
      computes += slow->computes[ns];
      communicates += slow->communicates[ns];
      copies += slow->copies[ns];
      exposed += slow->communicates[ns] && !slow->computes[ns];
      exposed_copy += slow->copies[ns] && !slow->communicates[ns] && !slow->computes[ns];
    }
  if (options->has_range)
    total_ns = options->range_end_ns - options->range_start_ns;
  g_assert_cmpuint (gpu->n_events, ==, slow->n);
  g_assert_cmpint (gpu->total_ns, ==, total_ns);
  g_assert_cmpint (gpu->busy_ns, ==, busy);
  g_assert_cmpint (gpu->idle_ns, ==, total_ns - busy);
  g_assert_cmpint (gpu->computation_ns, ==, computes);
  g_assert_cmpint (gpu->total_comm_ns, ==, communicates);
  g_assert_cmpint (gpu->total_memcpy_ns, ==, copies);
  g_assert_cmpint (gpu->exposed_comm_ns, ==, exposed);
  g_assert_cmpint (gpu->exposed_memcpy_ns, ==, exposed_copy);
  if (communicates > 0)
    g_assert_cmpfloat_with_epsilon (gpu->comm_overlap_percent,
                                    100.0 * (double) (communicates - exposed) / communicates, 1e-9);
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Computes sum, count and percentiles by sorting all durations of the name in the range. */
static void
compare_kernel (const HirTrace *trace, const HirKernelStats *kernel, const HirStatsOptions *options)
{
  gint64 from_ns = options->has_range ? options->range_start_ns : 0;
  gint64 to_ns = options->has_range ? options->range_end_ns : SPAN_NS;
  gint64 durations[256];
  gint64 sum_ns = 0;
  guint n = 0, half = 0;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        if (event.kind == kernel->kind && event.start_ns < to_ns &&
            (event.end_ns > from_ns || event.start_ns >= from_ns) &&
            strcmp (hir_trace_get_string (trace, event.name), kernel->name) == 0)
          durations[n++] = MIN (event.end_ns, to_ns) - MAX (event.start_ns, from_ns);
      }
  qsort (durations, n, sizeof durations[0], compare_ns);
  for (guint i = 0; i < n; i++)
    sum_ns += durations[i];
  g_assert_cmpuint (kernel->count, ==, n);
  g_assert_cmpint (kernel->sum_ns, ==, sum_ns);
  g_assert_cmpint (kernel->max_ns, ==, durations[n - 1]);
  g_assert_cmpint (kernel->min_ns, ==, durations[0]);
  while (2 * (half + 1) < n)
    half++;
  g_assert_cmpint (kernel->p50_ns, ==, durations[half]);
}

static void
test_random (void)
{
  GRand *rand = g_rand_new_with_seed (11);
  guint n_exposed = 0;

  for (guint round = 0; round < N_TRACES; round++)
    {
      g_autoptr (HirTrace) trace = make_random (rand);
      HirStatsOptions options = { .launched_only = g_rand_boolean (rand),
                                  .has_range = g_rand_boolean (rand) };
      g_autoptr (HirStats) stats = NULL;

      options.range_start_ns = g_rand_int_range (rand, 0, SPAN_NS - 1);
      options.range_end_ns = g_rand_int_range (rand, options.range_start_ns + 1, SPAN_NS + 1);
      stats = hir_stats_new (trace, &options);
      g_assert_cmpuint (stats->gpus->len, ==, N_RANKS);
      for (guint rank = 0; rank < N_RANKS; rank++)
        {
          const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, rank);
          Slow slow;

          fill_slow (&slow, trace, rank, &options);
          compare_with_slow (gpu, &slow, &options);
          n_exposed += gpu->exposed_comm_ns > 0;
        }
      if (!options.launched_only)
        for (guint i = 0; i < stats->kernels->len; i++)
          compare_kernel (trace, &g_array_index (stats->kernels, HirKernelStats, i), &options);
    }
  g_assert_cmpuint (n_exposed, >, N_TRACES / 2);
  g_rand_free (rand);
}

static char *
write_out (const HirTrace *trace, gboolean json)
{
  g_autoptr (HirStats) stats = hir_stats_new (trace, NULL);
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  HirTextOut out;

  hir_text_out_init (&out, stream, NULL);
  if (json)
    hir_stats_write_json (stats, trace, &out);
  else
    hir_stats_write_text (stats, trace, 2, &out);
  g_assert_true (hir_text_out_finish (&out, NULL));
  g_assert_true (g_output_stream_write_all (stream, "", 1, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (stream));
}

/* Tests that a cancelled computation returns nothing, and that progress is reported. */
static void
test_cancelled (void)
{
  g_autoptr (HirTrace) trace = make_small ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  int percent = -1;
  HirStatsOptions options = { .cancellable = cancellable, .percent = &percent };
  g_autoptr (HirStats) stats = hir_stats_new (trace, &options);

  g_assert_nonnull (stats);
  g_assert_cmpint (percent, ==, 100);
  g_cancellable_cancel (cancellable);
  percent = -1;
  g_assert_null (hir_stats_new (trace, &options));
  g_assert_cmpint (percent, <, 100);
}

static void
test_json (void)
{
  g_autoptr (HirTrace) trace = make_small ();
  g_autofree char *text = write_out (trace, TRUE);

  g_assert_nonnull (strstr (text, "\"exposed_comm_ns\":20,\"exposed_memcpy_ns\":20,"));
  g_assert_nonnull (strstr (text, "\"comm_overlap_percent\":50}"));
  g_assert_nonnull (strstr (text, "{\"name\":\"gather\",\"class\":\"communication\",\"count\":1,"));
  g_assert_nonnull (strstr (text, "\"started_before_launch\":1,"));
}

/* Two ranks of a team, 10 ns apart at the start and 4 ns at the end. The event of a third rank
 * was rejected by the reader; the others are still matched. */
static void
test_collectives (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirTrace) trace = NULL;
  const HirStatsOptions options = { .has_range = TRUE, .range_start_ns = 105, .range_end_ns = 195 };
  g_autoptr (HirStats) stats = NULL, part = NULL;
  const HirCollectiveStats *row;

  for (int rank = 0; rank < 3; rank++)
    {
      guint link = add_track (builder, HIR_TRACK_LINK, rank, 0);
      HirCommRecord record = {
        .bytes = 1000,
        .key = hir_trace_builder_intern (builder, "team 0 1"),
        .sequence = 3,
        .correlation = 9,
        .rank = rank,
        .side = HIR_COMM_SIDE_TEAM,
        .op = hir_trace_builder_intern (builder, "allreduce"),
        .root = -1,
        .message_bytes = 1000,
      };

      if (rank < 2)
        add (builder, link, HIR_EVENT_COMMUNICATION, "Allreduce", 100 + 10 * rank, 200 + 4 * rank,
             9);
      hir_trace_builder_add_comm_record (builder, &record);
    }
  trace = finish (builder);
  stats = hir_stats_new (trace, NULL);
  g_assert_cmpuint (stats->collectives->len, ==, 1);
  row = &g_array_index (stats->collectives, HirCollectiveStats, 0);
  g_assert_cmpuint (row->count, ==, 2);
  g_assert_cmpint (row->bytes, ==, 2000);
  g_assert_cmpint (row->sum_ns, ==, 194);
  g_assert_cmpuint (row->n_matched, ==, 1);
  g_assert_cmpint (row->max_start_skew_ns, ==, 10);
  g_assert_cmpint (row->max_end_skew_ns, ==, 4);
  g_assert_cmpfloat_with_epsilon (row->algbw, 2000.0 / 188, 1e-6);
  g_assert_cmpfloat_with_epsilon (row->busbw, 2000.0 / 188, 1e-6); /* 2 (n - 1) / n is 1 */
  /* A range cuts times at both ends, but no sizes and bandwidths. */
  part = hir_stats_new (trace, &options);
  row = &g_array_index (part->collectives, HirCollectiveStats, 0);
  g_assert_cmpuint (row->count, ==, 2);
  g_assert_cmpint (row->bytes, ==, 2000);
  g_assert_cmpint (row->sum_ns, ==, 175);
  g_assert_cmpuint (row->n_matched, ==, 1);
  g_assert_cmpint (row->max_start_skew_ns, ==, 5);
  g_assert_cmpint (row->max_end_skew_ns, ==, 0);
  g_assert_cmpfloat_with_epsilon (row->algbw, 2000.0 / 188, 1e-6);
  g_assert_cmpint (g_array_index (part->ranks, HirRankStats, 1).waited_ns, ==, 5);
}

/* Adds a part of an "allreduce" of the ranks 0 and 1, or of a message from 0 to 1. */
static void
add_part (HirTraceBuilder *builder,
          guint8 side,
          int rank,
          guint sequence,
          gint64 bytes,
          gint64 start_ns,
          gint64 end_ns)
{
  static const char *const ops[] = { "allreduce", "send", "recv" };
  const char *key = side == HIR_COMM_SIDE_TEAM ? "team 0 1" : "0>1";
  HirCommRecord record = { .bytes = bytes,
                           .key = hir_trace_builder_intern (builder, key),
                           .sequence = sequence,
                           .correlation = (side == HIR_COMM_SIDE_TEAM ? 10 : 20) + sequence,
                           .rank = rank,
                           .side = side,
                           .op = hir_trace_builder_intern (builder, ops[side]),
                           .root = -1,
                           .message_bytes = bytes };

  add (builder, (guint) rank, HIR_EVENT_COMMUNICATION, ops[side], start_ns, end_ns,
       record.correlation);
  hir_trace_builder_add_comm_record (builder, &record);
}

/* Adds the event of a group of messages: @n_keys keys of pairs, "0>1". */
static void
add_group (HirTraceBuilder *builder,
           int rank,
           guint sequence,
           const char *const *keys,
           guint n_keys,
           gint64 start_ns,
           gint64 end_ns)
{
  for (guint i = 0; i < n_keys; i++)
    {
      gboolean sends = keys[i][0] == '0' + rank;
      HirCommRecord record = { .bytes = 8,
                               .key = hir_trace_builder_intern (builder, keys[i]),
                               .sequence = sequence,
                               .correlation = 1 + sequence,
                               .rank = rank,
                               .side = sends ? HIR_COMM_SIDE_SEND : HIR_COMM_SIDE_RECV,
                               .op = hir_trace_builder_intern (builder, sends ? "send" : "recv"),
                               .root = -1,
                               .message_bytes = 8 };

      hir_trace_builder_add_comm_record (builder, &record);
    }
  add (builder, (guint) rank, HIR_EVENT_COMMUNICATION, "group", start_ns, end_ns, 1 + sequence);
}

/* Tests that an event waits once, however many messages it has. Two ranks exchange messages, then
 * three ranks send around a ring, where rank 0 waits for both others and rank 2 keeps both
 * waiting. */
static void
test_exchanges (void)
{
  static const char *const pair[] = { "0>1", "1>0" };
  static const char *const ring[][2] = { { "0>1", "2>0" }, { "0>1", "1>2" }, { "1>2", "2>0" } };
  static const gint64 starts_ns[] = { 200, 210, 230 };
  static const struct
  {
    guint count, n_last;
    gint64 waited_ns, waiting_ns, late_ns;
  } rows[] = { { 2, 0, 0, 40 + 30, 0 }, { 2, 2, 40, 20, 40 + 10 }, { 1, 1, 30 + 20, 0, 30 } };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirStatsOptions options = { .has_range = TRUE, .range_start_ns = 25, .range_end_ns = 100 };
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = NULL, part = NULL;

  for (int rank = 0; rank < 3; rank++)
    add_track (builder, HIR_TRACK_LINK, rank, 0);
  add_group (builder, 0, 0, pair, 2, 0, 100);
  add_group (builder, 1, 0, pair, 2, 40, 100);
  for (int rank = 0; rank < 3; rank++)
    add_group (builder, rank, 1, ring[rank], 2, starts_ns[rank], 250);
  trace = finish (builder);
  stats = hir_stats_new (trace, NULL);
  g_assert_cmpuint (stats->ranks->len, ==, G_N_ELEMENTS (rows));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const HirRankStats *row = &g_array_index (stats->ranks, HirRankStats, i);

      g_assert_cmpuint (row->count, ==, rows[i].count);
      g_assert_cmpuint (row->n_last, ==, rows[i].n_last);
      g_assert_cmpint (row->waited_ns, ==, rows[i].waited_ns);
      g_assert_cmpint (row->waiting_ns, ==, rows[i].waiting_ns);
      g_assert_cmpfloat (row->mean_start_ns * row->count, ==, (double) rows[i].late_ns);
    }
  g_assert_cmpuint (stats->meetings->len, ==, 1 + 3);
  g_assert_cmpint (g_array_index (stats->meetings, HirMeetingStats, 0).waited_ns, ==, 40);
  part = hir_stats_new (trace, &options);
  g_assert_cmpuint (part->meetings->len, ==, 1);
  g_assert_cmpuint (part->iterations->len, ==, 1);
  g_assert_cmpint (g_array_index (part->ranks, HirRankStats, 0).waiting_ns, ==, 15);
  g_assert_cmpint (g_array_index (part->ranks, HirRankStats, 1).waited_ns, ==, 15);
}

static const HirCollectiveStats *
find_row (const HirStats *stats, const char *op)
{
  for (guint i = 0; i < stats->collectives->len; i++)
    {
      const HirCollectiveStats *row = &g_array_index (stats->collectives, HirCollectiveStats, i);

      if (g_str_equal (row->op, op))
        return row;
    }
  g_assert_not_reached ();
}

/* The wait for the last rank is no part of the time that data is transferred, sizes of a row are
 * not mixed up, and a buffered send is not as fast as it seems. */
static void
test_bandwidths (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = NULL;
  const HirCollectiveStats *row;
  g_autofree char *sizes = NULL, *range = NULL, *equal = NULL, *text = NULL;

  for (int rank = 0; rank < 2; rank++)
    add_track (builder, HIR_TRACK_LINK, rank, 0);
  add_part (builder, HIR_COMM_SIDE_TEAM, 0, 0, 1024, 0, 1000);
  add_part (builder, HIR_COMM_SIDE_TEAM, 1, 0, 1024, 900, 1000);
  add_part (builder, HIR_COMM_SIDE_TEAM, 0, 1, 4096, 2000, 2200);
  add_part (builder, HIR_COMM_SIDE_TEAM, 1, 1, 4096, 2000, 2200);
  add_part (builder, HIR_COMM_SIDE_SEND, 0, 0, 1024, 3000, 3010);
  add_part (builder, HIR_COMM_SIDE_RECV, 1, 0, 1024, 4000, 4100);
  trace = finish (builder);
  stats = hir_stats_new (trace, NULL);
  row = find_row (stats, "allreduce");
  g_assert_cmpint (row->sum_ns, ==, 1500);
  g_assert_cmpfloat_with_epsilon (row->algbw, 10240.0 / 600, 1e-6);
  g_assert_cmpfloat_with_epsilon (row->min_busbw, 10.24, 1e-6);
  g_assert_cmpfloat_with_epsilon (row->max_busbw, 20.48, 1e-6);
  sizes = hir_collective_stats_dup_sizes (row);
  range = hir_collective_stats_dup_busbw_range (row);
  g_assert_cmpstr (range, ==, "10.2-20.5");
  g_assert_true (g_str_has_prefix (sizes, "1-4"));
  for (guint i = 0; i < 2; i++)
    {
      row = find_row (stats, i == 0 ? "send" : "recv");
      g_assert_cmpfloat_with_epsilon (row->algbw, 10.24, 1e-6);
      g_clear_pointer (&equal, g_free);
      equal = hir_collective_stats_dup_busbw_range (row);
      g_assert_cmpstr (equal, ==, "10.2");
    }
  text = write_out (trace, FALSE);
  g_assert_nonnull (strstr (text, " 10.2-20.5 "));
}

/* Kernels whose names differ late can be told apart in the table. */
static void
test_long_names (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *filler = g_strnfill (200, 'x');
  g_autofree char *text = NULL;

  add_track (builder, HIR_TRACK_STREAM, 0, 0);
  for (gint64 i = 0; i < 3; i++)
    {
      g_autofree char *name =
          g_strdup_printf ("void ns::kernel<(int)128, %s, ns::Functor%" G_GINT64_FORMAT ">(int)",
                           filler, i);

      add (builder, 0, HIR_EVENT_KERNEL, name, 10 * i, 10 * i + 5, 0);
    }
  trace = finish (builder);
  text = write_out (trace, FALSE);
  g_assert_nonnull (strstr (text, "Functor0>\n"));
  g_assert_nonnull (strstr (text, "Functor1>\n"));
}

static void
test_text (void)
{
  g_autoptr (HirTrace) trace = make_small ();
  g_autofree char *text = write_out (trace, FALSE);

  g_assert_nonnull (strstr (text, "2 more names; --json has all"));
  g_assert_nonnull (strstr (text, "  50.0 %\n"));
  g_assert_nonnull (
      strstr (text, "4 events counted, 1 of them without a launch in the trace, 1 started"));
}

#ifndef __SANITIZE_ADDRESS__
/* Tests that insufficient memory for statistics is reported in advance. */
static void
test_out_of_memory (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack info = { .name = (char *) "Stream 7", .stream = 7 };
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *statm = NULL;
  struct rlimit before, tight;

  hir_trace_builder_add_track (builder, &info);
  for (guint i = 0; i < 500000; i++)
    {
      const HirEvent event = { .start_ns = i, .end_ns = i + 1, .iteration = -1 };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  g_assert_true (hir_stats_check_room (trace, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents ("/proc/self/statm", &statm, NULL, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
  tight = before;
  tight.rlim_cur =
      g_ascii_strtoull (statm, NULL, 10) * (guint64) sysconf (_SC_PAGESIZE) + (32 << 20);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &tight), ==, 0);
  g_assert_false (hir_stats_check_room (trace, &error));
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "500000 events"));
}
#endif

/* A full recording of a GPU run: an instruction is issued for 100 ns and launches two kernels with
 * one call each, both before the first kernel starts. The second call contains a call of the
 * driver, which is not a third launch. */
static void
test_launch_calls (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint host = add_track (builder, HIR_TRACK_HOST, 0, -1);
  guint calls = add_track (builder, HIR_TRACK_HOST, 0, -1);
  guint stream = add_track (builder, HIR_TRACK_STREAM, 0, 1);
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = NULL;

  add (builder, host, HIR_EVENT_ISSUE, "matmul", 0, 100, 1);
  add (builder, calls, HIR_EVENT_HOST, "cudaLaunchKernel", 10, 20, 1);
  add (builder, calls, HIR_EVENT_HOST, "cudaEventRecord", 25, 28, 1);
  add (builder, calls, HIR_EVENT_HOST, "cudaLaunchKernel", 30, 40, 1);
  add (builder, calls, HIR_EVENT_HOST, "cuLaunchKernel", 32, 38, 1);
  add (builder, stream, HIR_EVENT_KERNEL, "first", 50, 90, 1);
  add (builder, stream, HIR_EVENT_KERNEL, "second", 90, 95, 1);
  trace = finish (builder);
  stats = hir_stats_new (trace, NULL);
  g_assert_cmpuint (stats->queue.count, ==, 2);
  g_assert_cmpint (stats->queue.min_ns, ==, 30);
  g_assert_cmpint (stats->queue.max_ns, ==, 50);
}

/* Copies of a collective have a row, as do kernels without an instruction. */
static void
test_by_instruction (void)
{
  const HirStatsOptions options = { .by_instruction = TRUE };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint stream = add_track (builder, HIR_TRACK_STREAM, 0, 1);
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = NULL;
  static const struct
  {
    HirEventKind kind;
    const char *name;
    guint64 instruction;
    guint64 count;
    gint64 sum_ns;
  } rows[] = { { HIR_EVENT_COMMUNICATION, "Allreduce", 7, 2, 100 },
               { HIR_EVENT_MEMCPY, "copy", 7, 2, 60 },
               { HIR_EVENT_MEMCPY, "copy", 8, 2, 20 },
               { HIR_EVENT_KERNEL, "other", 0, 2, 10 } };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      guint r = i % G_N_ELEMENTS (rows);
      HirEvent event = { .start_ns = 1000 * i,
                         .end_ns = 1000 * i + rows[r].sum_ns / 2,
                         .name = hir_trace_builder_intern (builder, rows[r].name),
                         .instruction = rows[r].instruction,
                         .iteration = -1,
                         .track = stream,
                         .kind = rows[r].kind };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = finish (builder);
  stats = hir_stats_new (trace, &options);
  g_assert_cmpuint (stats->kernels->len, ==, G_N_ELEMENTS (rows));
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      const HirKernelStats *row = &g_array_index (stats->kernels, HirKernelStats, r);

      g_assert_cmpstr (row->name, ==, rows[r].name);
      g_assert_cmpint (row->kind, ==, rows[r].kind);
      g_assert_cmpuint (row->instruction, ==, rows[r].instruction);
      g_assert_cmpuint (row->count, ==, rows[r].count);
      g_assert_cmpint (row->sum_ns, ==, rows[r].sum_ns);
      g_assert_cmpint (row->max_ns, ==, rows[r].sum_ns / 2);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stats/small", test_small);
  g_test_add_func ("/stats/launched-only", test_launched_only);
  g_test_add_func ("/stats/range", test_range);
  g_test_add_func ("/stats/tracks", test_tracks);
  g_test_add_func ("/stats/launch-calls", test_launch_calls);
  g_test_add_func ("/stats/phases", test_phases);
  g_test_add_func ("/stats/by-instruction", test_by_instruction);
  g_test_add_func ("/stats/empty", test_empty);
  g_test_add_func ("/stats/random", test_random);
  g_test_add_func ("/stats/collectives", test_collectives);
  g_test_add_func ("/stats/exchanges", test_exchanges);
  g_test_add_func ("/stats/bandwidths", test_bandwidths);
  g_test_add_func ("/stats/long-names", test_long_names);
  g_test_add_func ("/stats/cancelled", test_cancelled);
  g_test_add_func ("/stats/json", test_json);
  g_test_add_func ("/stats/text", test_text);
#ifndef __SANITIZE_ADDRESS__
  g_test_add_func ("/stats/out-of-memory", test_out_of_memory);
#endif
  return g_test_run ();
}
