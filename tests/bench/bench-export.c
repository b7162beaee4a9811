/* bench-export [MB [ROUNDS [TRACE...]]]: measures how fast traces are exported on one processor,
 * and the memory of traces whose events have arguments. The traces are a generated one of MB
 * megabytes of Kineto's JSON, the recording and the Nsight tables exported from it, one without
 * arguments, and each TRACE. For comparison, the same bytes are copied, compressed by gzip, and
 * parsed and written by yajl. All alternately, each in a child process; the best of ROUNDS counts,
 * and CPU time because other programs use the machine, too. Checks nothing. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench-child.h"
#include "bench-config.h"
#include "bench-make.h"
#include "trace/export/export-chrome.h"
#include "trace/export/export-nsight.h"
#include "trace/export/export-perfetto.h"
#include "trace/load/import.h"
#include "trace/recording/recording.h"

#if HAVE_YAJL
#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>
#endif

#define N_TRACKS 16
#define N_PLAIN_EVENTS 500000

typedef gboolean (*Export) (const HirTrace *trace,
                            const char *path,
                            HirExportProgress *progress,
                            GError **error);

static gboolean
export_recording (const HirTrace *trace,
                  const char *path,
                  HirExportProgress *progress,
                  GError **error)
{
  HirRecordingWriter *writer = hir_recording_writer_new_beside (path, error);
  gboolean done = writer != NULL &&
                  hir_recording_writer_add_trace (writer, trace, progress, error) &&
                  hir_recording_writer_close (writer, error);

  hir_recording_writer_free (writer);
  return done;
}

static const struct
{
  const char *name, *suffix;
  Export export;
} formats[] = {
  { "chrome", ".json", hir_export_chrome_file },
  { "chrome, gzip", ".json.gz", hir_export_chrome_file },
  { "hirs", ".hirs", export_recording },
  { "perfetto", ".pftrace", hir_export_perfetto_file },
  { "nsight", ".sqlite", hir_export_nsight_file },
};

typedef struct
{
  char *from, *to;
  Export export; /* NULL: no export but one of the programs below */
  BenchWork work;
  BenchMeasure best;
  gboolean failed;
} Row;

static HirTrace *
load (const char *path)
{
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  if (trace == NULL)
    g_error ("%s", error->message);
  return trace;
}

/* Only the export counts, not the load. */
static void export(gconstpointer data, BenchMeasure *measure)
{
  const Row *row = data;
  HirTrace *trace = load (row->from);
  g_autoptr (GError) error = NULL;

  measure->n_events = (double) hir_trace_get_n_events (trace);
  measure->bytes_an_event = (double) hir_trace_get_size_bytes (trace) / measure->n_events;
  bench_use_one_processor ();
  bench_restart (measure);
  if (!row->export(trace, row->to, NULL, &error))
    g_error ("%s", error->message);
}

/* Calls @take with the pieces of the file @path. */
static void
read_pieces (const char *path,
             void (*take) (gpointer user_data, const guchar *, gsize),
             gpointer user_data)
{
  g_autofree guchar *buffer = g_malloc (1 << 20);
  int fd = g_open (path, O_RDONLY, 0);
  gssize n;

  while ((n = read (fd, buffer, 1 << 20)) > 0)
    take (user_data, buffer, (gsize) n);
  close (fd);
}

static void
write_all (gpointer fd, const guchar *bytes, gsize n)
{
  if (write (GPOINTER_TO_INT (fd), bytes, n) != (gssize) n)
    g_error ("the copy cannot be written");
}

/* The limit: only reads and writes the bytes of an export. */
static void
copy (gconstpointer data, BenchMeasure *measure)
{
  const Row *row = data;
  int fd = g_open (row->to, O_WRONLY | O_CREAT | O_TRUNC, 0666);

  (void) measure;
  read_pieces (row->from, write_all, GINT_TO_POINTER (fd));
  close (fd);
}

static void
compress (gconstpointer data, BenchMeasure *measure)
{
  const Row *row = data;
  const char *const words[] = { "gzip", "-c", "-3", row->from, NULL };

  (void) measure;
  bench_run_program (words);
}

#if HAVE_YAJL
static int
on_null (void *gen)
{
  return yajl_gen_null (gen) == yajl_gen_status_ok;
}

static int
on_boolean (void *gen, int value)
{
  return yajl_gen_bool (gen, value) == yajl_gen_status_ok;
}

static int
on_number (void *gen, const char *text, size_t n)
{
  return yajl_gen_number (gen, text, n) == yajl_gen_status_ok;
}

static int
on_string (void *gen, const guchar *text, size_t n)
{
  return yajl_gen_string (gen, text, n) == yajl_gen_status_ok;
}

static int
on_map (void *gen)
{
  return yajl_gen_map_open (gen) == yajl_gen_status_ok;
}

static int
on_map_end (void *gen)
{
  return yajl_gen_map_close (gen) == yajl_gen_status_ok;
}

static int
on_array (void *gen)
{
  return yajl_gen_array_open (gen) == yajl_gen_status_ok;
}

static int
on_array_end (void *gen)
{
  return yajl_gen_array_close (gen) == yajl_gen_status_ok;
}

typedef struct
{
  yajl_handle parser;
  yajl_gen gen;
  int fd;
} Rewrite;

static void
rewrite_piece (gpointer user_data, const guchar *bytes, gsize n)
{
  Rewrite *self = user_data;
  const guchar *text;
  size_t n_text;

  if (yajl_parse (self->parser, bytes, n) != yajl_status_ok)
    g_error ("yajl refused the file");
  yajl_gen_get_buf (self->gen, &text, &n_text);
  write_all (GINT_TO_POINTER (self->fd), text, n_text);
  yajl_gen_clear (self->gen);
}

/* Parses the text of an export and writes it again: a reader and a writer, like an export. */
static void
rewrite (gconstpointer data, BenchMeasure *measure)
{
  static const yajl_callbacks callbacks = { on_null,    on_boolean, NULL,        NULL,
                                            on_number,  on_string,  on_map,      on_string,
                                            on_map_end, on_array,   on_array_end };
  const Row *row = data;
  Rewrite self = { .gen = yajl_gen_alloc (NULL),
                   .fd = g_open (row->to, O_WRONLY | O_CREAT | O_TRUNC, 0666) };

  (void) measure;
  self.parser = yajl_alloc (&callbacks, NULL, self.gen);
  read_pieces (row->from, rewrite_piece, &self);
  yajl_free (self.parser);
  yajl_gen_free (self.gen);
  close (self.fd);
}
#endif

static double
get_mb (const char *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 ? (double) info.st_size / 1e6 : 0;
}

static void
measure_row (Row *row, gboolean is_first)
{
  BenchMeasure measure;

  if (row->failed)
    return;
  row->failed = !bench_measure_child (row->work, row, &measure);
  if (is_first)
    row->best = measure;
  row->best.cpu_s = MIN (row->best.cpu_s, measure.cpu_s);
  row->best.wall_s = MIN (row->best.wall_s, measure.wall_s);
}

/* @mb: size of the output; @text_mb: size of the same events as Chrome's JSON */
static void
print_row (const char *name,
           const Row *row,
           double mb,
           double text_mb,
           const Row *peer,
           const char *peer_name)
{
  if (row->failed || row->best.cpu_s == 0)
    {
      g_print ("  %-26s not available\n", name);
      return;
    }
  g_print ("  %-26s %8.1f %8.3f %8.1f %8.1f", name, mb, row->best.cpu_s, mb / row->best.cpu_s,
           text_mb / row->best.cpu_s);
  if (peer != NULL && !peer->failed && peer->best.cpu_s > 0)
    g_print ("   %.2f times as fast as %s", peer->best.cpu_s / row->best.cpu_s, peer_name);
  g_print ("\n");
}

enum
{
  CHROME,
  CHROME_GZIP,
  HIRS,
  N_FORMATS = G_N_ELEMENTS (formats),
  COPY = N_FORMATS,
  GZIP,
  REWRITE,
  N_ROWS,
};

static void
measure_trace (const char *folder, const char *name, const char *path, guint n_rounds)
{
  Row rows[N_ROWS] = { 0 };
  g_autofree char *copied = g_build_filename (folder, "copy", NULL);
  double chrome_mb;

  for (guint i = 0; i < N_FORMATS; i++)
    {
      g_autofree char *file = g_strconcat ("export", formats[i].suffix, NULL);

      rows[i] = (Row){ .from = g_strdup (path),
                       .to = g_build_filename (folder, file, NULL),
                       .export = formats[i].export,
                       .work = export };
    }
  rows[COPY].work = copy;
  rows[GZIP].work = compress;
#if HAVE_YAJL
  rows[REWRITE].work = rewrite;
#else
  rows[REWRITE].failed = TRUE;
#endif
  for (guint i = COPY; i < N_ROWS; i++)
    {
      rows[i].from = g_strdup (rows[CHROME].to);
      rows[i].to = g_strdup (copied);
    }
  for (guint round = 0; round < n_rounds; round++)
    for (guint i = 0; i < N_ROWS; i++)
      measure_row (&rows[i], round == 0);
  chrome_mb = get_mb (rows[CHROME].to);
  g_print ("%s: %.2f M events, %.1f bytes of memory per event (goal 48)\n", name,
           rows[CHROME].best.n_events / 1e6, rows[CHROME].best.bytes_an_event);
  g_print ("  %-26s %8s %8s %8s %8s\n", "", "MB", "CPU s", "MB/s", "as text");
  for (guint i = 0; i < N_FORMATS; i++)
    {
      guint peer = i == CHROME ? REWRITE : i == CHROME_GZIP || i == HIRS ? GZIP : CHROME;

      print_row (formats[i].name, &rows[i], get_mb (rows[i].to), chrome_mb, &rows[peer],
                 peer == REWRITE ? "yajl"
                 : peer == GZIP  ? "gzip"
                                 : "chrome");
    }
  print_row ("yajl, parses and writes", &rows[REWRITE], chrome_mb, chrome_mb, NULL, NULL);
  print_row ("gzip -3", &rows[GZIP], chrome_mb, chrome_mb, NULL, NULL);
  print_row ("copy", &rows[COPY], chrome_mb, chrome_mb, NULL, NULL);
  g_print ("\n");
  for (guint i = 0; i < N_ROWS; i++)
    {
      g_unlink (rows[i].to);
      g_free (rows[i].from);
      g_free (rows[i].to);
    }
}

static void
convert (const HirTrace *trace, Export to, const char *path)
{
  g_autoptr (GError) error = NULL;

  if (!to (trace, path, NULL, &error))
    g_error ("%s", error->message);
}

int
main (int argc, char **argv)
{
  gsize size = (gsize) (argc > 1 ? atoi (argv[1]) : 50) * 1000000;
  guint n_rounds = argc > 2 ? (guint) atoi (argv[2]) : 3;
  g_autofree char *folder = bench_make_folder ();
  g_autofree char *json = g_build_filename (folder, "bench.json", NULL);
  g_autofree char *packed = g_strconcat (json, ".gz", NULL);
  g_autofree char *hirs = g_build_filename (folder, "bench.hirs", NULL);
  g_autofree char *nsight = g_build_filename (folder, "bench.sqlite", NULL);
  g_autofree char *plain = g_build_filename (folder, "plain.hirs", NULL);

  bench_write_kineto (json, size);
  {
    g_autoptr (HirTrace) trace = load (json);
    g_autoptr (HirTrace) own = bench_trace_new (N_PLAIN_EVENTS, N_TRACKS);

    convert (trace, hir_export_chrome_file, packed);
    convert (trace, export_recording, hirs);
    convert (trace, hir_export_nsight_file, nsight);
    convert (own, export_recording, plain);
  }
  g_print (
      "One processor, CPU time, best of %u. MB/s: of output (goal for chrome 100); as text: of the "
      "same events\nas Chrome's JSON (goal for hirs 100). yajl, gzip and copy work on that "
      "JSON.\n\n",
      n_rounds);
  measure_trace (folder, "Kineto's JSON", json, n_rounds);
  measure_trace (folder, "the same, gzip", packed, n_rounds);
  measure_trace (folder, "its recording", hirs, n_rounds);
  measure_trace (folder, "its Nsight tables", nsight, n_rounds);
  measure_trace (folder, "a recording without args", plain, n_rounds);
  for (int i = 3; i < argc; i++)
    measure_trace (folder, argv[i], argv[i], n_rounds);
  bench_remove_folder (folder);
  return 0;
}
