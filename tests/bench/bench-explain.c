/* Measures the explanation of a run: a million events are explained in under 3 s of CPU. The trace
 * has several ranks, each with a host thread, streams that overlap, and collectives that wait for
 * the slowest rank. Columns: events, parts of the path, CPU seconds, µs per event. */
#include <stdio.h>

#include "bench-make.h"
#include "explain/explain.h"
#include "trace/comm-records.h"

#define N_RANKS 4
#define N_STREAMS 4 /* of kernels; one more for communication */
#define TRIPS 8     /* kernels between two collectives */
#define GOAL_S 3.0  /* for a million events */

typedef struct
{
  HirTraceBuilder *builder;
  GRand *rand;
  guint tracks[N_RANKS][2 + N_STREAMS];   /* host, communication, streams */
  gint64 free_ns[N_RANKS][2 + N_STREAMS]; /* of each track */
  guint32 correlation[N_RANKS];
  guint32 key, op;
  guint64 n_events;
} Recorder;

static void
add_tracks (Recorder *it)
{
  for (int rank = 0; rank < N_RANKS; rank++)
    for (guint i = 0; i < 2 + N_STREAMS; i++)
      {
        const HirTrack track = { i == 0 ? HIR_TRACK_HOST : HIR_TRACK_STREAM, rank,
                                 i == 0 ? -1 : rank, i == 0 ? -1 : 7 + (gint64) i,
                                 (char *) (i == 0 ? "host" : "stream") };

        it->tracks[rank][i] = hir_trace_builder_add_track (it->builder, &track);
      }
}

static void
add (Recorder *it,
     int rank,
     guint at,
     HirEventKind kind,
     const char *name,
     gint64 start_ns,
     gint64 length_ns)
{
  const HirEvent event = { .start_ns = start_ns,
                           .end_ns = start_ns + length_ns,
                           .name = hir_trace_builder_intern (it->builder, name),
                           .correlation = it->correlation[rank],
                           .iteration = -1,
                           .track = (guint16) it->tracks[rank][at],
                           .kind = (guint8) kind };

  if (!hir_trace_builder_add (it->builder, &event, NULL))
    g_error ("out of memory");
  it->free_ns[rank][at] = event.end_ns;
  it->n_events++;
}

/* Adds a launch, and the work that starts when launch, stream and @ready_ns allow. */
static gint64
launch (Recorder *it, int rank, guint at, const char *name, gint64 ready_ns, gint64 length_ns)
{
  gint64 start_ns;

  it->correlation[rank]++;
  add (it, rank, 0, HIR_EVENT_ISSUE, "cudaLaunchKernel", it->free_ns[rank][0] + 300, 2000);
  start_ns = MAX (MAX (it->free_ns[rank][0] + 1500, it->free_ns[rank][at] + 800), ready_ns);
  add (it, rank, at, at == 1 ? HIR_EVENT_COMMUNICATION : HIR_EVENT_KERNEL, name, start_ns,
       length_ns);
  return start_ns;
}

static void
add_collective (Recorder *it, guint32 sequence)
{
  gint64 starts_ns[N_RANKS], last_ns = G_MININT64;

  for (int rank = 0; rank < N_RANKS; rank++)
    {
      gint64 ready_ns = 0;

      for (guint i = 0; i < N_STREAMS; i++)
        ready_ns = MAX (ready_ns, it->free_ns[rank][2 + i]);
      starts_ns[rank] = MAX (ready_ns + 1000, it->free_ns[rank][0] + 3800);
      last_ns = MAX (last_ns, starts_ns[rank]);
    }
  for (int rank = 0; rank < N_RANKS; rank++)
    {
      const HirCommRecord record = { .bytes = 1 << 20,
                                     .key = it->key,
                                     .sequence = sequence,
                                     .correlation = it->correlation[rank] + 1,
                                     .rank = rank,
                                     .side = HIR_COMM_SIDE_TEAM,
                                     .op = it->op,
                                     .root = -1,
                                     .message_bytes = 1 << 20 };

      (void) launch (it, rank, 1, "ncclDevKernel_AllReduce", starts_ns[rank],
                     last_ns + 20000 - starts_ns[rank]);
      hir_trace_builder_add_comm_record (it->builder, &record);
    }
}

static HirTrace *
record (guint64 n_events)
{
  static const char *const names[] = { "matmul", "relu", "reduce", "transpose" };
  Recorder it = { .builder = hir_trace_builder_new (), .rand = g_rand_new_with_seed (1) };

  add_tracks (&it);
  it.key = hir_trace_builder_intern (it.builder, "team 0 1 2 3");
  it.op = hir_trace_builder_intern (it.builder, "allreduce");
  for (guint32 sequence = 0; it.n_events < n_events; sequence++)
    {
      for (int rank = 0; rank < N_RANKS; rank++)
        for (guint i = 0; i < TRIPS; i++)
          (void) launch (&it, rank, 2 + i % N_STREAMS, names[i % G_N_ELEMENTS (names)],
                         it.free_ns[rank][1], g_rand_int_range (it.rand, 5000, 30000));
      add_collective (&it, sequence);
    }
  g_rand_free (it.rand);
  return hir_trace_builder_finish (it.builder);
}

static double
measure (guint64 n_events)
{
  g_autoptr (HirTrace) trace = record (n_events);
  double start = bench_cpu_s (), s;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirExplain) explain = hir_explain_new (trace, &error);
  guint64 n = hir_trace_get_n_events (trace);

  if (explain == NULL)
    g_error ("%s", error->message);
  s = bench_cpu_s () - start;
  printf ("%10" G_GUINT64_FORMAT " %10u %8.2f %8.2f\n", n,
          g_array_index (explain->repetitions, HirRepetition, 0).path->len, s,
          s * 1e6 / (double) n);
  return s;
}

int
main (void)
{
  double s = 0;

  printf ("%10s %10s %8s %8s\n", "events", "parts", "CPU s", "us each");
  for (guint64 n = 125000; n <= 1000000; n *= 2)
    s = measure (n);
  printf ("\na million events: %.2f s of CPU (goal %.0f)\n", s, GOAL_S);
  return 0;
}
