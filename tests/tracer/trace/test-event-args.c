/* Tests args of events from other profilers: they are read from the file on demand, exports write
 * them unchanged, and a changed file is rejected. */
#include "trace/event-args.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <utime.h>

#include "diagnostic.h"
#include "trace/export/export-chrome.h"
#include "trace/load/import.h"

static char *
dup_temporary_path (const char *template)
{
  char *path = NULL;
  int fd = g_file_open_tmp (template, &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  return path;
}

static HirTrace *
load (const char *path)
{
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

/* Finds the event with this name, which must exist. */
static void
find (const HirTrace *trace, const char *name, guint *track, guint *index)
{
  for (*track = 0; *track < hir_trace_get_n_tracks (trace); *track += 1)
    for (*index = 0; *index < hir_trace_get_track_n_events (trace, *track); *index += 1)
      {
        HirEvent event;

        hir_trace_get_event (trace, *track, *index, &event);
        if (strcmp (hir_trace_get_string (trace, event.name), name) == 0)
          return;
      }
  g_error ("no event %s", name);
}

static char *
dup_json (const HirTrace *trace, const char *name)
{
  g_autoptr (GError) error = NULL;
  guint track, index;
  char *json;

  find (trace, name, &track, &index);
  json = hir_trace_dup_event_json (trace, track, index, NULL, &error);
  g_assert_no_error (error);
  return json;
}

#define ARGS                                                                                       \
  "\"External id\": 7,\"grid\":[8, 1,1],\"occupancy\":{\"a\":\"}\"},\"text\":\"a\\\"b\\u00e9\","   \
  "\"stream\":20,\"empty\":\"\",\"none\":null,\"correlation\":9,\"kind\":\"HtoD\""
#define GEMM                                                                                       \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":100.5,\"dur\":2," \
  "\"args\":{" ARGS "}}"
#define OTHERS                                                                                     \
  "{\"ph\":\"B\",\"name\":\"begun\",\"pid\":1,\"tid\":1,\"ts\":5,\"args\":{\"of\":\"the "          \
  "begin\"}},{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":9,\"args\":{\"of\":\"the end\"}},"           \
  "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":1,\"ts\":6,\"args\":{\"here\":true}},"        \
  "{\"ph\":\"X\",\"name\":\"bare\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":1}"

static void
assert_args (const HirTrace *trace)
{
  static const char *const wanted[][2] = {
    { "External id", "7" },   { "grid", "[8, 1,1]" }, { "occupancy", "{\"a\":\"}\"}" },
    { "text", "a\"b\u00e9" }, { "stream", "20" },     { "empty", "" },
    { "none", "null" },       { "correlation", "9" }, { "kind", "HtoD" },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) args = NULL;
  guint track, index;

  find (trace, "gemm", &track, &index);
  args = hir_trace_dup_event_args (trace, track, index, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (args->len, ==, G_N_ELEMENTS (wanted));
  for (guint i = 0; i < args->len; i++)
    {
      const HirEventArg *arg = &g_array_index (args, HirEventArg, i);

      g_assert_cmpstr (arg->key, ==, wanted[i][0]);
      g_assert_cmpstr (arg->value, ==, wanted[i][1]);
    }
  g_assert_true (g_array_index (args, HirEventArg, 3).is_text);
  g_assert_false (g_array_index (args, HirEventArg, 1).is_text);
}

static void
test_read (void)
{
  g_autofree char *path = dup_temporary_path ("hir-args-XXXXXX.json");
  g_autofree char *begun = NULL, *mark = NULL, *bare = NULL;
  g_autoptr (HirTrace) trace = NULL;

  g_assert_true (g_file_set_contents (path, "[" OTHERS ",\n " GEMM "]", -1, NULL));
  trace = load (path);
  /* An open file stays readable after it is deleted. */
  g_unlink (path);
  assert_args (trace);
  begun = dup_json (trace, "begun");
  g_assert_cmpstr (begun, ==, "\"of\":\"the begin\"");
  mark = dup_json (trace, "mark");
  g_assert_cmpstr (mark, ==, "\"here\":true");
  bare = dup_json (trace, "bare");
  g_assert_cmpstr (bare, ==, "");
}

static void
assert_rejected (const HirTrace *trace, const char *words)
{
  g_autoptr (GError) error = NULL;
  guint track, index;

  find (trace, "gemm", &track, &index);
  g_assert_null (hir_trace_dup_event_args (trace, track, index, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, words));
}

/* A file that was modified or truncated after loading gives an error, not the args of another
 * event. An export of it fails. */
static void
test_changed (void)
{
  g_autofree char *path = dup_temporary_path ("hir-args-XXXXXX.json");
  g_autofree char *out = g_strconcat (path, ".out", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = NULL;
  struct utimbuf long_ago = { 1000, 1000 };
  FILE *file;

  g_assert_true (g_file_set_contents (path, "[" OTHERS ",\n " GEMM "]", -1, NULL));
  trace = load (path);
  g_assert_cmpint (utime (path, &long_ago), ==, 0);
  assert_rejected (trace, "changed since it was loaded");
  g_clear_pointer (&trace, hir_trace_unref);
  trace = load (path);
  file = fopen (path, "r+");
  g_assert_cmpint (ftruncate (fileno (file), 20), ==, 0);
  fclose (file);
  assert_rejected (trace, "changed since it was loaded");
  g_assert_false (hir_export_chrome_file (trace, out, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
  g_unlink (path);
}

/* Events from 50 bytes to 200 kB are read in the order of their tracks, backwards and at random,
 * into the same buffers. Reading ahead and small buffers change nothing. */
static void
test_order (void)
{
  g_autofree char *path = dup_temporary_path ("hir-args-XXXXXX.json");
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  g_autoptr (HirTrace) trace = NULL;
  g_auto (HirEventJson) json = { 0 };
  const guint n = 6000;

  for (guint i = 0; i < n; i++)
    {
      gint32 size = i % 1000 == 500 ? 200000 : g_rand_int_range (rand, 0, i % 40 == 7 ? 9000 : 300);
      g_autofree char *fill = g_strnfill ((gsize) size, 'x');

      g_string_append_printf (text,
                              "%s{\"ph\":\"X\",\"name\":\"k\",\"tid\":%u,\"ts\":%u,\"dur\":1,"
                              "\"args\":{\"fill\":\"%s\",\"i\":%u}}",
                              i > 0 ? ",\n" : "", i / 2 % 3, i * 10, fill, i);
    }
  g_string_append_c (text, ']');
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  trace = load (path);
  hir_event_json_init (&json);
  for (guint round = 0; round < 3; round++)
    for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
      for (guint k = 0, n_events = hir_trace_get_track_n_events (trace, t); k < n_events; k++)
        {
          guint index = round == 0   ? k
                        : round == 1 ? n_events - 1 - k
                                     : g_rand_int (rand) % n_events;
          g_autofree char *wanted = NULL;
          g_autoptr (GError) error = NULL;
          HirEvent event;

          hir_trace_get_event (trace, t, index, &event);
          wanted = g_strdup_printf (",\"i\":%d", (int) (event.start_ns / 10000));
          g_assert_true (hir_event_json_read (&json, trace, t, index, &error));
          g_assert_no_error (error);
          g_assert_true (g_str_has_prefix (json.json->str, "\"fill\":\""));
          g_assert_true (g_str_has_suffix (json.json->str, wanted));
          g_assert_false (json.has_category);
        }
  g_unlink (path);
}

/* Tests compressed files of many blocks, so that reading starts at access points far into the file,
 * and files of several gzip members. */
static void
test_gzip (void)
{
  g_autofree char *path = dup_temporary_path ("hir-args-XXXXXX.json.gz");
  g_autoptr (GString) text = g_string_new ("[" OTHERS "," GEMM);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GRand *rand = g_rand_new_with_seed (3);
  g_autoptr (HirTrace) trace = NULL;
  const guint n = 60000;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text,
                            ",{\"ph\":\"X\",\"name\":\"k\",\"ts\":%u,\"dur\":1,\"args\":"
                            "{\"i\":%u,\"noise\":\"%08x%08x%08x%08x%08x%08x%08x%08x%08x\"}}",
                            i + 1000, i, g_rand_int (rand), g_rand_int (rand), g_rand_int (rand),
                            g_rand_int (rand), g_rand_int (rand), g_rand_int (rand),
                            g_rand_int (rand), g_rand_int (rand), g_rand_int (rand));
  g_string_append_c (text, ']');
  g_rand_free (rand);
  for (gsize at = 0; at < text->len; at += text->len / 2 + 1)
    {
      g_autoptr (GFileOutputStream) plain = g_file_append_to (file, G_FILE_CREATE_NONE, NULL, NULL);
      g_autoptr (GConverter) packer =
          G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 1));
      g_autoptr (GOutputStream) packed =
          g_converter_output_stream_new (G_OUTPUT_STREAM (plain), packer);

      g_assert_true (g_output_stream_write_all (packed, text->str + at,
                                                MIN (text->len / 2 + 1, text->len - at), NULL, NULL,
                                                NULL));
      g_assert_true (g_output_stream_close (packed, NULL, NULL));
    }
  trace = load (path);
  assert_args (trace);
  for (guint i = 0; i < n; i += 7919)
    {
      g_autofree char *wanted = g_strdup_printf ("\"i\":%u,\"noise\":", i);
      g_autofree char *json = NULL;
      guint track, index;

      find (trace, "k", &track, &index);
      json = hir_trace_dup_event_json (trace, track, index + i, NULL, NULL);
      g_assert_true (g_str_has_prefix (json, wanted));
    }
  g_unlink (path);
}

/* The args in an export are identical after each further import and export. */
static void
test_round_trip (void)
{
  g_autofree char *path = dup_temporary_path ("hir-args-XXXXXX.json");
  g_autoptr (HirTrace) trace = NULL;

  g_assert_true (g_file_set_contents (path, "[" OTHERS ",\n " GEMM "]", -1, NULL));
  trace = load (path);
  for (guint round = 0; round < 2; round++)
    {
      g_autofree char *out = dup_temporary_path ("hir-args-XXXXXX.json");
      g_autoptr (HirTrace) again = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *before = dup_json (trace, "gemm"), *after = NULL, *begun = NULL;
      guint track, index;
      HirEvent event;

      g_assert_true (hir_export_chrome_file (trace, out, NULL, &error));
      g_assert_no_error (error);
      again = load (out);
      assert_args (again);
      after = dup_json (again, "gemm");
      g_assert_cmpstr (after, ==, before);
      begun = dup_json (again, "begun");
      g_assert_cmpstr (begun, ==, "\"of\":\"the begin\"");
      find (again, "gemm", &track, &index);
      hir_trace_get_event (again, track, index, &event);
      g_assert_cmpint (event.kind, ==, HIR_EVENT_KERNEL);
      g_assert_cmpuint (event.correlation, ==, 9);
      g_assert_cmpuint (hir_trace_get_n_tracks (again), ==, hir_trace_get_n_tracks (trace));
      hir_trace_unref (trace);
      trace = g_steal_pointer (&again);
      g_unlink (out);
    }
  g_unlink (path);
}

/* --- data folder ------------------------------------------------------------------------------ */

static char *
dup_data_path (const char *name)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "..", "shared", "data", "traces", name, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("the folder of real traces is not there");
  return NULL;
}

static void
assert_same_args (const HirTrace *trace, const HirTrace *again)
{
  guint64 n_with_args = 0;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i += 13)
      {
        g_autofree char *before = hir_trace_dup_event_json (trace, t, i, NULL, NULL);
        g_autofree char *after = hir_trace_dup_event_json (again, t, i, NULL, NULL);

        g_assert_nonnull (before);
        g_assert_cmpstr (after, ==, before);
        n_with_args += *before != '\0';
      }
  g_assert_cmpuint (n_with_args, >, 0);
}

/* Real files: a compressed Kineto trace, and rows of an Nsight export, whose columns become
 * args. */
static void
test_real (gconstpointer name)
{
  g_autofree char *path = dup_data_path (name);
  g_autofree char *out = NULL;
  g_autoptr (HirTrace) trace = NULL, again = NULL;
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return;
  out = dup_temporary_path ("hir-args-XXXXXX.json");
  trace = load (path);
  g_assert_true (hir_export_chrome_file (trace, out, NULL, &error));
  g_assert_no_error (error);
  again = load (out);
  assert_same_args (trace, again);
  g_unlink (out);
}

static void
test_nsys_names (void)
{
  g_autofree char *path = dup_data_path ("nsys/h100_2gpu_1s.sqlite");
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GError) error = NULL;
  gboolean seen_grid = FALSE, seen_name = FALSE;

  if (path == NULL)
    return;
  trace = load (path);
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint e = 0; e < hir_trace_get_track_n_events (trace, t); e += 101)
      {
        g_autoptr (GArray) args = hir_trace_dup_event_args (trace, t, e, &error);
        HirEvent event;

        g_assert_no_error (error);
        hir_trace_get_event (trace, t, e, &event);
        for (guint i = 0; i < args->len; i++)
          {
            const HirEventArg *arg = &g_array_index (args, HirEventArg, i);

            seen_grid |= strcmp (arg->key, "grid") == 0;
            /* A string, not the number of one. */
            seen_name |= strcmp (arg->key, "shortName") == 0 && arg->is_text &&
                         strstr (hir_trace_get_string (trace, event.name), arg->value) != NULL;
          }
      }
  g_assert_true (seen_grid);
  g_assert_true (seen_name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/event-args/read", test_read);
  g_test_add_func ("/event-args/changed", test_changed);
  g_test_add_func ("/event-args/order", test_order);
  g_test_add_func ("/event-args/gzip", test_gzip);
  g_test_add_func ("/event-args/round-trip", test_round_trip);
  g_test_add_data_func ("/event-args/real/kineto", "kineto/ag_matmul_rank0.pt.trace.json.gz",
                        test_real);
  g_test_add_data_func ("/event-args/real/epoch", "kineto/absolute_epoch_us.json.gz", test_real);
  g_test_add_data_func ("/event-args/real/nsys", "nsys/h100_2gpu_1s.sqlite", test_real);
  g_test_add_func ("/event-args/nsys-names", test_nsys_names);
  return g_test_run ();
}
