/* bench-recording [EVENTS [ROUNDS]]: measures recordings of 1 million events. Writes them as a
 * run does and opens them as `hirscope FILE.hirs` does. Prints times and sizes in the file and
 * in memory. Checks nothing. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench-make.h"
#include "trace/load/import.h"
#include "trace/recording/recording.h"

#define N_TRACKS 16

/* Returns the resident anonymous memory of this process in bytes. */
static gsize
get_resident_bytes (void)
{
  g_autofree char *text = NULL;
  gsize all = 0, resident = 0, shared = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%zu %zu %zu", &all, &resident, &shared);
  return (resident - shared) * (gsize) sysconf (_SC_PAGESIZE);
}

static void
record (const char *path, guint64 n)
{
  g_autoptr (GError) error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);
  HirRecorder *recorder = hir_recorder_new ();
  HirRecorderSink sink;
  guint32 names[BENCH_N_NAMES];

  if (writer == NULL)
    g_error ("%s", error->message);
  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  for (guint i = 0; i < BENCH_N_NAMES; i++)
    names[i] = hir_recorder_intern (recorder, bench_name (i));
  for (guint t = 0; t < N_TRACKS; t++)
    {
      HirTrack track;
      char name[32];

      bench_track (t, N_TRACKS, &track, name, sizeof name);
      hir_recorder_add_track (recorder, &track);
    }
  for (guint64 i = 0; i < n; i++)
    {
      HirEvent event;

      bench_event (i, N_TRACKS, names, &event);
      hir_recorder_add (recorder, &event);
    }
  hir_recorder_flush (recorder);
  hir_recorder_free (recorder);
  if (!hir_recording_writer_close (writer, &error))
    g_error ("%s", error->message);
  hir_recording_writer_free (writer);
}

static void
measure_open (const char *path, guint64 n, guint n_rounds)
{
  g_autoptr (GArray) cpu = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) wall = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < n_rounds; i++)
    {
      g_autoptr (GError) error = NULL;
      gsize before = get_resident_bytes ();
      double start_cpu = bench_cpu_s (), start_wall = bench_wall_s (), seconds;
      g_autoptr (HirRecording) recording = hir_recording_open (path, &error);

      if (recording == NULL)
        g_error ("%s", error->message);
      seconds = bench_cpu_s () - start_cpu;
      g_array_append_val (cpu, seconds);
      seconds = bench_wall_s () - start_wall;
      g_array_append_val (wall, seconds);
      if (i == 0)
        g_print ("memory: %.1f bytes per event by the store's count, %.1f resident (goal 48)\n",
                 (double) hir_trace_get_size_bytes (recording->trace) / (double) n,
                 ((double) get_resident_bytes () - (double) before) / (double) n);
    }
  g_print ("opened: best %.3f, median %.3f s CPU; best %.3f, median %.3f s by the clock (goal "
           "0.5)\n",
           bench_quantile (cpu, 0), bench_quantile (cpu, 0.5), bench_quantile (wall, 0),
           bench_quantile (wall, 0.5));
}

/* Measures a trace of another profiler with all arguments of its events. */
static void
measure_foreign (const char *folder, guint64 n, guint n_rounds)
{
  g_autofree char *json = g_build_filename (folder, "bench.json", NULL);
  g_autofree char *path = g_build_filename (folder, "foreign.hirs", NULL);
  const char *const paths[] = { json, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = NULL;
  HirRecordingWriter *writer;
  double start_cpu, start_wall;
  GStatBuf text, info;

  /* 418 bytes per event */
  bench_write_kineto (json, n * 418);
  trace = hir_trace_open (paths, NULL, &error);
  if (trace == NULL)
    g_error ("%s", error->message);
  n = hir_trace_get_n_events (trace);
  start_cpu = bench_cpu_s ();
  start_wall = bench_wall_s ();
  writer = hir_recording_writer_new (path, &error);
  if (writer == NULL || !hir_recording_writer_add_trace (writer, trace, NULL, &error) ||
      !hir_recording_writer_close (writer, &error))
    g_error ("%s", error->message);
  hir_recording_writer_free (writer);
  g_stat (json, &text);
  g_stat (path, &info);
  g_print ("\n%.2f M events of Kineto's JSON with all their args\n", (double) n / 1e6);
  g_print ("saved: %.3f s CPU, %.3f s by the clock; %.1f bytes per event, of %.1f in JSON\n",
           bench_cpu_s () - start_cpu, bench_wall_s () - start_wall,
           (double) info.st_size / (double) n, (double) text.st_size / (double) n);
  g_clear_pointer (&trace, hir_trace_unref);
  measure_open (path, n, n_rounds);
}

int
main (int argc, char **argv)
{
  guint64 n = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1000000;
  guint n_rounds = argc > 2 ? (guint) atoi (argv[2]) : 7;
  g_autofree char *folder = bench_make_folder ();
  g_autofree char *path = g_build_filename (folder, "bench.hirs", NULL);
  double start_cpu = bench_cpu_s (), start_wall = bench_wall_s ();
  double record_cpu, record_wall;
  GStatBuf info;

  record (path, n);
  record_cpu = bench_cpu_s () - start_cpu;
  record_wall = bench_wall_s () - start_wall;
  g_stat (path, &info);
  g_print ("%.2f M events on %u tracks\n", (double) n / 1e6, N_TRACKS);
  g_print ("recorded and closed: %.3f s CPU, %.3f s by the clock; %.0f ns CPU and %.1f bytes of "
           "the file per event\n",
           record_cpu, record_wall, record_cpu * 1e9 / (double) n,
           (double) info.st_size / (double) n);
  measure_open (path, n, n_rounds);
  measure_foreign (folder, n, n_rounds);
  bench_remove_folder (folder);
  return 0;
}
