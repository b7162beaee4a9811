/* bench-load [MB [ROUNDS [pictures]]]: measures how fast JSON traces load, compared with other
 * programs that read the same file. At the end, or only this with "pictures", measures the cost
 * of the intermediate traces displayed while a larger file loads. Programs run alternately, each
 * in a child process; the best of ROUNDS counts, and CPU time because other programs use the
 * machine, too. Checks nothing. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench-child.h"
#include "bench-config.h"
#include "bench-make.h"
#include "trace/load/import.h"

#if HAVE_YAJL
#include <yajl/yajl_parse.h>
#endif

#define PICTURES_FACTOR 6

static void
load (gconstpointer path, BenchMeasure *measure)
{
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  if (trace == NULL)
    g_error ("%s", error->message);
  measure->n_events = (double) hir_trace_get_n_events (trace);
  measure->bytes_an_event = (double) hir_trace_get_size_bytes (trace) / measure->n_events;
}

static void
count_picture (HirTrace *trace, gpointer user_data)
{
  (void) trace;
  g_atomic_int_inc ((int *) user_data);
}

/* Loads with intermediate traces for display, as the window does. */
static void
load_with_pictures (gconstpointer path, BenchMeasure *measure)
{
  const char *const paths[] = { path, NULL };
  const HirImportOptions options = { .picture = count_picture, .user_data = &measure->n_pictures };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = hir_trace_open (paths, &options, &error);

  if (trace == NULL)
    g_error ("%s", error->message);
  measure->n_events = (double) hir_trace_get_n_events (trace);
}

static void
load_alone (gconstpointer path, BenchMeasure *measure)
{
  bench_use_one_processor ();
  bench_restart (measure);
  load (path, measure);
}

#if HAVE_YAJL
/* Tokenizes only: no callbacks. */
static void
tokenise (gconstpointer path, BenchMeasure *measure)
{
  static const yajl_callbacks none = { 0 };
  yajl_handle parser = yajl_alloc (&none, NULL, NULL);
  g_autofree guchar *buffer = g_malloc (1 << 20);
  int fd = g_open (path, O_RDONLY, 0);
  gssize n;

  while ((n = read (fd, buffer, 1 << 20)) > 0)
    if (yajl_parse (parser, buffer, (gsize) n) != yajl_status_ok)
      g_error ("yajl refused the file");
  if (yajl_complete_parse (parser) != yajl_status_ok)
    g_error ("yajl refused the file");
  yajl_free (parser);
  close (fd);
}
#endif

static void
run_python (gconstpointer path, BenchMeasure *measure)
{
  const char *const words[] = { "python3", "-c", "import json,sys;json.load(open(sys.argv[1]))",
                                path, NULL };

  bench_run_program (words);
}

static void
run_gunzip (gconstpointer path, BenchMeasure *measure)
{
  const char *const words[] = { "gunzip", "-c", path, NULL };

  bench_run_program (words);
}

typedef struct
{
  const char *name;
  BenchWork work;
  gboolean packed, once;
  BenchMeasure best;
  gboolean failed;
} Row;

static void
take_turns (Row *rows, guint n_rows, guint n_rounds, const char *plain, const char *packed)
{
  for (guint round = 0; round < n_rounds; round++)
    for (guint i = 0; i < n_rows; i++)
      {
        Row *row = &rows[i];
        BenchMeasure measure;

        if (row->failed || (row->once && round > 0))
          continue;
        row->failed = !bench_measure_child (row->work, row->packed ? packed : plain, &measure);
        if (round == 0 || measure.cpu_s < row->best.cpu_s)
          row->best.cpu_s = measure.cpu_s;
        if (round == 0 || measure.wall_s < row->best.wall_s)
          row->best.wall_s = measure.wall_s;
        row->best.bytes_an_event = measure.bytes_an_event;
        row->best.n_events = measure.n_events;
        row->best.n_pictures = measure.n_pictures;
      }
}

static void
print_ratio (const char *what, const Row *a, const Row *b, double goal)
{
  if (a->failed || b->failed || a->best.wall_s == 0 || b->best.wall_s == 0)
    g_print ("%-52s not measured\n", what);
  else
    g_print ("%-52s %6.2f by CPU time, %6.2f by the clock (goal %.2f)\n", what,
             b->best.cpu_s / a->best.cpu_s, b->best.wall_s / a->best.wall_s, goal);
}

/* Returns the megabytes per second of @row for a file of @mb. */
static void
print_rate (const char *what, const Row *row, double mb, double goal)
{
  if (row->failed || row->best.wall_s == 0)
    g_print ("%-52s not measured\n", what);
  else
    g_print ("%-52s %6.1f by CPU time, %6.1f by the clock (goal %.0f)\n", what,
             mb / row->best.cpu_s, mb / row->best.wall_s, goal);
}

static void
print_pictures (const Row *without, const Row *with)
{
  if (without->failed || with->failed)
    return;
  g_print (
      "%d displayed traces while it loads, additional time: %+.1f %% by CPU time, %+.1f %% by the clock (goal 5)\n",
      with->best.n_pictures, 100 * (with->best.cpu_s / without->best.cpu_s - 1),
      100 * (with->best.wall_s / without->best.wall_s - 1));
}

static int
measure_pictures (const char *folder, const char *plain, gsize size, guint n_rounds)
{
  Row rows[] = {
    { "load, all processors", load, FALSE, FALSE },
    { "the same with pictures", load_with_pictures, FALSE, FALSE },
  };

  bench_write_kineto (plain, size);
  take_turns (rows, G_N_ELEMENTS (rows), n_rounds, plain, plain);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_print ("%-32s %10.3f s of CPU %10.3f s by the clock\n", rows[i].name, rows[i].best.cpu_s,
             rows[i].best.wall_s);
  print_pictures (&rows[0], &rows[1]);
  bench_remove_folder (folder);
  return 0;
}

int
main (int argc, char **argv)
{
  gsize size = (gsize) (argc > 1 ? atoi (argv[1]) : 100) * 1000000;
  guint n_rounds = argc > 2 ? (guint) atoi (argv[2]) : 5;
  g_autofree char *folder = bench_make_folder ();
  g_autofree char *plain = g_build_filename (folder, "bench.json", NULL);
  g_autofree char *packed = g_strconcat (plain, ".gz", NULL);
  g_autofree char *gzip = g_strdup_printf ("gzip -k -6 '%s'", plain);
  Row rows[] = {
    { "load, one processor", load_alone, FALSE, FALSE },
    { "load, all processors", load, FALSE, FALSE },
    { "the same with pictures", load_with_pictures, FALSE, FALSE },
    { "load of gzip, one processor", load_alone, TRUE, FALSE },
    { "load of gzip, all processors", load, TRUE, FALSE },
    { "gunzip -c >/dev/null", run_gunzip, TRUE, FALSE },
#if HAVE_YAJL
    { "yajl, tokens only", tokenise, FALSE, FALSE },
#endif
    { "Python's json", run_python, FALSE, TRUE },
  };
  guint64 n_events;
  GStatBuf info;

  if (argc > 3)
    return measure_pictures (folder, plain, size, n_rounds);
  n_events = bench_write_kineto (plain, size);
  if (system (gzip) != 0 || g_stat (plain, &info) != 0)
    g_error ("gzip is missing");
  g_print ("%.1f MB of JSON, %.2f M events, %.0f bytes per event; %u processors; best of %u\n\n",
           (double) info.st_size / 1e6, (double) n_events / 1e6,
           (double) info.st_size / (double) n_events, g_get_num_processors (), n_rounds);
  take_turns (rows, G_N_ELEMENTS (rows), n_rounds, plain, packed);
  g_print ("%-32s %10s %12s %10s %12s\n", "", "CPU s", "MB/CPU s", "clock s", "MB/s");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].failed)
      g_print ("%-32s not available\n", rows[i].name);
    else
      g_print ("%-32s %10.3f %12.1f %10.3f %12.1f\n", rows[i].name, rows[i].best.cpu_s,
               (double) info.st_size / 1e6 / rows[i].best.cpu_s, rows[i].best.wall_s,
               (double) info.st_size / 1e6 / rows[i].best.wall_s);
  g_print ("\nmemory of the loaded trace: %.1f bytes per event (goal 48)\n",
           rows[0].best.bytes_an_event);
  print_rate ("one processor, MB/s", &rows[0], (double) info.st_size / 1e6, 200);
  if (g_get_num_processors () == 2)
    print_rate ("two processors, MB/s", &rows[1], (double) info.st_size / 1e6, 350);
  else
    g_print ("%-52s not measured: this machine has %u\n", "two processors, MB/s",
             g_get_num_processors ());
  print_ratio ("gzip, one processor, over gunzip", &rows[3], &rows[5], 0.7);
  print_ratio ("gzip, all processors, over gunzip", &rows[4], &rows[5], 0.7);
#if HAVE_YAJL
  print_ratio ("one processor over yajl's tokens", &rows[0], &rows[6], 0.8);
#else
  g_print ("yajl (libyajl-dev) is not available: not compared\n");
#endif
  print_ratio ("one processor over Python's json", &rows[0], &rows[G_N_ELEMENTS (rows) - 1], 1);
  /* The file above is loaded before the first intermediate trace is due. */
  g_unlink (packed);
  g_print ("\na file %u times as large:\n", PICTURES_FACTOR);
  return measure_pictures (folder, plain, PICTURES_FACTOR * size, MIN (n_rounds, 3));
}
