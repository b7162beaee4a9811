/* bench-join [N]: measures tying a trace of up to N events, or a million, to its program: the CPU
 * time grows linearly with the events, of which some are lost. Columns: events of the trace, of
 * these on devices, CPU seconds, µs per event, share of the device events that are tied. */
#include <stdio.h>

#include "bench-make.h"
#include "join/join.h"

#define TRIPS 8 /* of the loops */
#define N_STREAMS 4
#define GOAL_S 5.0 /* for a million events */

static const char program_text[] =
    "%HostIrContainer { (T0_g_float[iS0{i0}, iS1{i2}]) -> (T1_g_float[iStreamIdx2{i0}, iS3{i2}]) "
    ":\n"
    "  T1_g_float[iStreamIdx2{i0}, iS3{i2}] = ALLOCATE(buffer=T1_g_float[iStreamIdx2{i0}, "
    "iS3{i2}], mem_type=global, size=( i0 * i2 ), zero_init=false, resets_to_zero=false)\n"
    "  GetCurrentStream into Stream 0\n"
    "  FOR StreamIdx in iStreamIdx2{i0}:\n"
    "    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )\n"
    "    Synchronize Stream 0\n"
    "  FOR StreamIdx in iStreamIdx2{i0}:\n"
    "    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )\n"
    "    T4_l_float[iS8{i2}]\n"
    "       = HirAliasSelect( T0_g_float[iS0{i0}, iS1{i2}], axis = iS0{i0}, index = StreamIdx )\n"
    "    T5_l_float[iS9{i2}]\n"
    "       = HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i2}], axis = iStreamIdx2{i0}, index "
    "= StreamIdx )\n"
    "    T5_l_float[iS9{i2}]\n"
    "       = Set( T4_l_float[iS8{i2}], cache_op=Streaming )\n"
    "    SetCurrentStream to Stream 0\n"
    "    Synchronize Stream ( StreamIdx % numberOfStreams )\n"
    "} // %HostIrContainer\n";

/* Writes what PyTorch's profiler records. */
typedef struct
{
  HirTraceBuilder *builder;
  GRand *rand;
  gint64 now_ns;
  guint32 correlation;
  guint64 n_events;
} Recorder;

static void
add (Recorder *it, guint track, HirEventKind kind, const char *name, gint64 length_ns, guint32 id)
{
  const HirEvent event = { .start_ns = it->now_ns,
                           .end_ns = it->now_ns + length_ns,
                           .bytes = kind == HIR_EVENT_MEMCPY ? 1024 : 0,
                           .name = hir_trace_builder_intern (it->builder, name),
                           .correlation = id,
                           .iteration = -1,
                           .track = (guint16) track,
                           .kind = (guint8) kind };

  /* 1 of 200 is lost. */
  if (g_rand_int_range (it->rand, 0, 200) > 0 && !hir_trace_builder_add (it->builder, &event, NULL))
    g_error ("out of memory");
  it->n_events++;
}

static void
add_call (Recorder *it, const char *name)
{
  add (it, 0, HIR_EVENT_ISSUE, name, 800, ++it->correlation);
  it->now_ns += 1000;
}

static void
add_synchronize (Recorder *it)
{
  add_call (it, "cudaEventRecordWithFlags");
  add_call (it, "cudaStreamWaitEvent");
}

static void
add_repetition (Recorder *it)
{
  for (guint i = 0; i < TRIPS; i++)
    add_synchronize (it);
  for (guint i = 0; i < TRIPS; i++)
    {
      for (guint k = 0; k < 2; k++)
        {
          add (it, 0, HIR_EVENT_HOST, "aten::select", 1900, 0);
          it->now_ns += 2000;
        }
      add (it, 0, HIR_EVENT_HOST, "aten::copy_", 2900, 0);
      it->now_ns += 1000;
      add_call (it, "cudaMemcpyAsync");
      add (it, 1 + i % N_STREAMS, HIR_EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", 500,
           it->correlation);
      it->now_ns += 1000;
      add_synchronize (it);
    }
}

static HirTrace *
record (guint64 n_events)
{
  Recorder it = { .builder = hir_trace_builder_new (), .rand = g_rand_new_with_seed (1) };
  const HirTrack host = { HIR_TRACK_HOST, 0, 0, -1, (char *) "python" };

  (void) hir_trace_builder_add_track (it.builder, &host);
  for (guint i = 0; i < N_STREAMS; i++)
    {
      const HirTrack stream = { HIR_TRACK_STREAM, 0, 0, 13 + 4 * (gint64) i, (char *) "stream" };

      (void) hir_trace_builder_add_track (it.builder, &stream);
    }
  while (it.n_events < n_events)
    add_repetition (&it);
  g_rand_free (it.rand);
  return hir_trace_builder_finish (it.builder);
}

static double
measure (HirProgram *program, guint64 n_events)
{
  g_autoptr (HirTrace) trace = record (n_events);
  const HirJoinOptions options = { 0 };
  double start = bench_cpu_s (), s;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirJoin) join = hir_join_new (program, trace, &options, NULL, &error);
  guint64 n = 0;

  if (join == NULL)
    g_error ("%s", error->message);
  s = bench_cpu_s () - start;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    n += hir_trace_get_track_n_events (trace, t);
  printf ("%10" G_GUINT64_FORMAT " %10u %8.2f %8.2f %8.2f %%\n", n, join->n_device, s,
          s * 1e6 / (double) n, 100.0 * join->n_tied / join->n_device);
  return s * 1e6 / (double) n;
}

int
main (int argc, char **argv)
{
  guint64 most = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1000000;
  g_autoptr (HirRequest) request =
      hir_request_new (hir_source_new ("program.txt", program_text, -1), NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, &error);
  double us = 0;

  if (program == NULL)
    g_error ("%s", error->message);
  printf ("%10s %10s %8s %8s %10s\n", "events", "on devices", "CPU s", "us each", "tied");
  for (guint64 n = MIN (most, 125000); n <= most; n *= 2)
    us = measure (program, n);
  printf ("\na million events: %.2f s of CPU (goal %.0f)\n", us, GOAL_S);
  return 0;
}
