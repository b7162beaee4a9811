/* Tests Chrome and Kineto traces: small examples of every dialect, invalid ones, several ranks, and
 * the real files of the data folder if it exists. */
#include "trace/load/import.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "diagnostic.h"
#include "test-folder.h"

static HirTrace *
load (TestFolder *fixture, const char *text)
{
  g_autofree char *path = test_folder_write (fixture->folder, "trace.json", text, -1);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static gboolean
account_says (HirTrace *trace, const char *words)
{
  const char *const *account = hir_trace_get_account (trace);

  for (guint i = 0; account[i] != NULL; i++)
    if (strstr (account[i], words) != NULL)
      return TRUE;
  return FALSE;
}

/* Returns the event with this name, which must exist. */
static HirEvent
find_event (HirTrace *trace, const char *name, guint *track)
{
  HirEvent event;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        hir_trace_get_event (trace, t, i, &event);
        if (strcmp (hir_trace_get_string (trace, event.name), name) == 0)
          {
            if (track != NULL)
              *track = t;
            return event;
          }
      }
  g_error ("no event %s", name);
}

static void
assert_span (HirTrace *trace, const char *name, gint64 start_ns, gint64 end_ns)
{
  HirEvent event = find_event (trace, name, NULL);

  g_assert_cmpint (event.start_ns, ==, start_ns);
  g_assert_cmpint (event.end_ns, ==, end_ns);
}

#define KINETO                                                                                     \
  "{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},"   \
  "\"traceEvents\":["                                                                              \
  "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,"      \
  "\"ts\":4458676522690.655,\"dur\":2.5,\"args\":{\"correlation\":77}},"                           \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":1,\"tid\":7,"                        \
  "\"ts\":4458676522695.001,\"dur\":10.25,"                                                        \
  "\"args\":{\"device\":1,\"stream\":7,\"correlation\":77}},"                                      \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllGather\",\"pid\":1,\"tid\":20,"    \
  "\"ts\":4458676522700.000,\"dur\":4,\"args\":{\"Collective name\":\"allgather\","                \
  "\"In msg nelems\":100,\"Out msg nelems\":200,\"dtype\":\"BFloat16\"}},"                         \
  "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"step\",\"pid\":1,\"tid\":7,"           \
  "\"ts\":4458676522690.655,\"dur\":30},"                                                          \
  "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":7,\"args\":{\"name\":\"stream 7 \"}}," \
  "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":9,\"tid\":0,\"args\":{\"name\":\"python3\"}}"   \
  "],\"baseTimeNanoseconds\":1711964646000000000}"

static void
test_kineto (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load (fixture, KINETO);
  guint track;
  HirEvent event = find_event (trace, "gemm", &track);
  const HirTrack *info = hir_trace_get_track (trace, track);

  assert_span (trace, "cudaLaunchKernel", 0, 2500);
  g_assert_cmpint (event.start_ns, ==, 4346);
  g_assert_cmpint (event.end_ns, ==, 4346 + 10250);
  g_assert_cmpint (event.kind, ==, HIR_EVENT_KERNEL);
  g_assert_cmpuint (event.correlation, ==, 77);
  g_assert_cmpint (info->kind, ==, HIR_TRACK_STREAM);
  g_assert_cmpint (info->rank, ==, 3);
  g_assert_cmpint (info->device, ==, 1);
  g_assert_cmpint (info->stream, ==, 7);
  g_assert_cmpstr (info->name, ==, "stream 7");
  event = find_event (trace, "ncclDevKernel_AllGather", NULL);
  g_assert_cmpint (event.kind, ==, HIR_EVENT_COMMUNICATION);
  g_assert_cmpint (event.bytes, ==, 400);
  event = find_event (trace, "cudaLaunchKernel", &track);
  g_assert_cmpint (event.kind, ==, HIR_EVENT_ISSUE);
  g_assert_cmpstr (hir_trace_get_track (trace, track)->name, ==, "python3");
  event = find_event (trace, "step", &track);
  g_assert_cmpint (event.kind, ==, HIR_EVENT_HOST);
  g_assert_cmpint (hir_trace_get_track (trace, track)->kind, ==, HIR_TRACK_HOST);
  g_assert_cmpstr (hir_trace_get_meta (trace, "base_time_ns"), ==, "1716423322522690655");
}

/* Begin and end events nest by name; unmatched ones are counted. */
static void
test_begin_end (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace =
      load (fixture, "[{\"ph\":\"B\",\"name\":\"a\",\"ts\":0,\"pid\":1,\"tid\":1},"
                     "{\"ph\":\"B\",\"name\":\"b\",\"ts\":2,\"pid\":1,\"tid\":1},"
                     "{\"ph\":\"B\",\"name\":\"other\",\"ts\":3,\"pid\":1,\"tid\":2},"
                     "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":1},"
                     "{\"ph\":\"E\",\"name\":\"a\",\"ts\":9,\"pid\":1,\"tid\":1},"
                     "{\"ph\":\"E\",\"name\":\"a\",\"ts\":9.5,\"pid\":1,\"tid\":1},"
                     "{\"ph\":\"i\",\"name\":\"mark\",\"ts\":12,\"pid\":1,\"tid\":1}]");

  assert_span (trace, "a", 0, 9000);
  assert_span (trace, "b", 2000, 5000);
  assert_span (trace, "mark", 12000, 12000);
  assert_span (trace, "other", 3000, 12000); /* to the end */
  g_assert_true (account_says (trace, "1 end without a start"));
  g_assert_true (account_says (trace, "1 event starts and never ends"));
}

static void
test_async (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace =
      load (fixture,
            "[{\"ph\":\"b\",\"cat\":\"q\",\"id\":1,\"name\":\"first\",\"ts\":0,\"pid\":1},"
            "{\"ph\":\"b\",\"cat\":\"q\",\"id\":\"0x2\",\"name\":\"second\",\"ts\":1,\"pid\":1},"
            "{\"ph\":\"e\",\"cat\":\"q\",\"id\":1,\"name\":\"first\",\"ts\":7,\"pid\":1},"
            "{\"ph\":\"e\",\"cat\":\"q\",\"id\":\"0x2\",\"name\":\"second\",\"ts\":3,\"pid\":1}]");
  guint first, second;

  assert_span (trace, "first", 0, 7000);
  assert_span (trace, "second", 1000, 3000);
  find_event (trace, "first", &first);
  find_event (trace, "second", &second);
  g_assert_cmpuint (first, ==, second);
  g_assert_cmpuint (hir_trace_get_n_lanes (trace, first), ==, 2);
}

/* Text after the end is reported and not read, whatever its length. White space is ignored. */
static void
test_behind (TestFolder *fixture, gconstpointer data)
{
#define ONE "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}"
  static const char *const roots[] = { "[" ONE "]", "{\"traceEvents\":[" ONE "],\"x\":1}" };

  for (guint i = 0; i < G_N_ELEMENTS (roots); i++)
    for (guint n_blanks = 0; n_blanks < 3000000; n_blanks = n_blanks * 100 + 7)
      {
        g_autofree char *blanks = g_strnfill (n_blanks, '\n');
        g_autofree char *clean = g_strconcat (roots[i], blanks, NULL);
        g_autofree char *more = g_strconcat (clean, roots[i], NULL);
        g_autofree char *position =
            g_strdup_printf (":%u:%u: the text after the end of the trace", n_blanks + 1,
                             n_blanks == 0 ? (guint) strlen (roots[i]) + 1 : 1);
        g_autoptr (HirTrace) quiet = load (fixture, clean), noted = load (fixture, more);

        g_assert_cmpuint (hir_trace_get_n_events (quiet), ==, 1);
        g_assert_cmpuint (hir_trace_get_n_events (noted), ==, 1);
        g_assert_null (hir_trace_get_account (quiet)[0]);
        g_assert_true (account_says (noted, position));
      }
}

/* Omitted elements are counted. */
static void
test_account (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace =
      load (fixture, "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1},"
                     "{\"ph\":\"X\",\"name\":\"no time\",\"dur\":1},"
                     "{\"ph\":\"X\",\"name\":\"no end\",\"ts\":3},"
                     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"lost\",\"ts\":0,\"dur\":0},"
                     "{\"ph\":\"X\",\"name\":\"backwards\",\"ts\":5,\"dur\":-2},"
                     "{\"ph\":\"C\",\"name\":\"n\",\"ts\":1,\"args\":{\"v\":\"x\"}},"
                     "{\"ph\":\"s\",\"id\":1,\"ts\":1,\"cat\":\"ac2g\"},{\"ph\":\"Q\"},7]}");

  g_assert_true (account_says (trace, "1 event without a time"));
  g_assert_true (account_says (trace, "1 event without a duration"));
  g_assert_true (account_says (trace, "1 kernel whose clock was lost"));
  g_assert_true (account_says (trace, "1 event rejected: it ends before it starts"));
  g_assert_true (account_says (trace, "1 counter value that is not a number"));
  g_assert_true (account_says (trace, "1 flow starts"));
  g_assert_true (account_says (trace, "2 elements that are not events"));
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 2);
}

static void
test_cut_off (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace =
      load (fixture,
            "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1},\n{\"ph\":\"X\",");

  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 1);
  g_assert_true (account_says (trace, "trace.json:2:11: the text ends here"));
}

static void
test_rejected (TestFolder *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text, *words;
  } rows[] = {
    { "", "is empty" },
    { "[]", ":1:1: the file contains no events of a Chrome or Kineto trace" },
    { "[[1,2],[3]]", "no events" },
    { "{\"a\":1}", "no events" },
    { "{\"traceEvents\":7}", ":1:16: \"traceEvents\" is not an array" },
    { "hello", ":1:1: no JSON" },
    { "\n\n  [{\"ph\" 1}]", ":3:10: a colon was expected" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = test_folder_write (fixture->folder, "bad.json", rows[i].text, -1);
      const char *const paths[] = { path, NULL };
      g_autoptr (GError) error = NULL;

      g_assert_null (hir_trace_open (paths, NULL, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, rows[i].words));
      g_assert_nonnull (strstr (error->message, "bad.json"));
    }
}

/* --- gzip ------------------------------------------------------------------------------------- */

static GBytes *
pack (const char *text)
{
  g_autoptr (GConverter) packer =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  g_autoptr (GInputStream) plain = g_memory_input_stream_new_from_data (text, strlen (text), NULL);
  g_autoptr (GInputStream) packed = g_converter_input_stream_new (plain, packer);
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();

  g_assert_cmpint (g_output_stream_splice (out, packed, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL,
                                           NULL),
                   >, 0);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

static void
test_gzip (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (GBytes) packed = pack (KINETO);
  gsize size;
  const char *bytes = g_bytes_get_data (packed, &size);
  g_autofree char *whole = test_folder_write (fixture->folder, "whole.json.gz", bytes, size);
  g_autofree char *cut = test_folder_write (fixture->folder, "cut.json.gz", bytes, size - 20);
  g_autofree char *stub = test_folder_write (fixture->folder, "stub.json.gz", bytes, 5);
  const char *const whole_paths[] = { whole, NULL };
  const char *const cut_paths[] = { cut, NULL };
  const char *const stub_paths[] = { stub, NULL };
  g_autoptr (HirTrace) trace = hir_trace_open (whole_paths, NULL, NULL);
  g_autoptr (HirTrace) part = hir_trace_open (cut_paths, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 4);
  g_assert_nonnull (part);
  g_assert_true (account_says (part, "damaged or truncated"));
  g_assert_null (hir_trace_open (stub_paths, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

/* --- several ranks ---------------------------------------------------------------------------- */

static char *
dup_rank_text (const char *info, gint64 base_ns, double ts)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup_printf ("{%s\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\","
                          "\"pid\":0,\"tid\":7,\"ts\":%s,\"dur\":1}],"
                          "\"baseTimeNanoseconds\":%" G_GINT64_FORMAT "}",
                          info, g_ascii_formatd (number, sizeof number, "%.3f", ts), base_ns);
}

static void
test_ranks (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *a = dup_rank_text ("\"distributedInfo\":{\"rank\":1},", 5000000, 100.5);
  g_autofree char *b = dup_rank_text ("", 5002000, 98.75);
  g_autofree char *c = dup_rank_text ("", 5000000, 100.5);
  g_autofree char *path_a = test_folder_write (fixture->folder, "x.json", a, -1);
  g_autofree char *path_b = test_folder_write (fixture->folder, "trace_rank-5.json", b, -1);
  g_autofree char *path_c = test_folder_write (fixture->folder, "y.json", c, -1);
  const char *const paths[] = { path_a, path_b, path_c, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = hir_trace_open (paths, NULL, &error);
  gint64 start_ns, end_ns;

  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_tracks (trace), ==, 3);
  g_assert_cmpint (hir_trace_get_track (trace, 0)->rank, ==, 1);
  g_assert_cmpint (hir_trace_get_track (trace, 1)->rank, ==, 5);
  g_assert_cmpint (hir_trace_get_track (trace, 2)->rank, ==, 2);
  g_assert_true (account_says (trace, "y.json does not contain its rank; it is shown as rank 2"));
  hir_trace_get_interval (trace, 1, 0, &start_ns, &end_ns);
  g_assert_cmpint (start_ns, ==, 250); /* 2000 ns later by its base, 1750 ns earlier by its ts */
  hir_trace_get_interval (trace, 2, 0, &start_ns, &end_ns);
  g_assert_cmpint (start_ns, ==, 0);
}

static void
test_same_rank (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *text = dup_rank_text ("\"distributedInfo\":{\"rank\":0},", 5, 1);
  g_autofree char *path_a = test_folder_write (fixture->folder, "a.json", text, -1);
  g_autofree char *path_b = test_folder_write (fixture->folder, "b.json", text, -1);
  const char *const paths[] = { path_a, path_b, NULL };
  g_autoptr (HirTrace) trace = hir_trace_open (paths, NULL, NULL);

  g_assert_cmpint (hir_trace_get_track (trace, 1)->rank, ==, 1);
  g_assert_true (account_says (trace, "b.json has rank 0"));
}

static void
test_cancel (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const HirImportOptions options = { .cancellable = cancellable };
  g_autofree char *path = NULL;
  const char *paths[] = { NULL, NULL };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 20000; i++)
    g_string_append (text, "{\"ph\":\"X\",\"ts\":1,\"dur\":1},");
  g_string_append (text, "]");
  paths[0] = path = test_folder_write (fixture->folder, "long.json", text->str, text->len);
  g_cancellable_cancel (cancellable);
  g_assert_null (hir_trace_open (paths, &options, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
}

/* --- data folder ------------------------------------------------------------------------------ */

static HirTrace *
load_data (const char *name)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "..", "shared", "data", "traces", name, NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the folder of real traces is not there");
      return NULL;
    }
  trace = hir_trace_open (paths, NULL, &error);
  g_assert_no_error (error);
  return trace;
}

typedef struct
{
  const char *name;
  gint64 computation_ns, exposed_memcpy_ns, busy_ns, total_ns;
} Oracle;

static const Oracle oracles[] = {
  { "oracle/h100_qwen.json.gz", 31903115, 2368, 31905483, 34892419 },
  { "oracle/h100_vit.json.gz", 1225309, 0, 1225309, 7559844 },
};

static void
assert_near (gint64 got_ns, gint64 wanted_ns)
{
  g_assert_cmpint (ABS (got_ns - wanted_ns), <=, wanted_ns / 1000);
}

/* Compares with the numbers of an independent tool, to within 0.1%. */
static void
test_oracle (TestFolder *fixture, gconstpointer data)
{
  const Oracle *oracle = data;
  const HirStatsOptions options = { .launched_only = TRUE };
  g_autoptr (HirTrace) trace = load_data (oracle->name);
  g_autoptr (HirStats) stats = NULL;
  const HirGpuStats *gpu;

  if (trace == NULL)
    return;
  stats = hir_stats_new (trace, &options);
  gpu = &g_array_index (stats->gpus, HirGpuStats, 0);
  g_assert_cmpuint (stats->gpus->len, ==, 1);
  assert_near (gpu->computation_ns, oracle->computation_ns);
  assert_near (gpu->exposed_memcpy_ns, oracle->exposed_memcpy_ns);
  assert_near (gpu->busy_ns, oracle->busy_ns);
  assert_near (gpu->total_ns, oracle->total_ns);
  g_assert_cmpint (gpu->exposed_comm_ns, ==, 0);
}

/* 74 of 929 kernels overlap the previous one on their stream and have a separate lane. */
static void
test_overlapping (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_data ("kineto/b200_same_stream_overlap.json.gz");
  guint n_events = 0, n_overlapping = 0;

  if (trace == NULL)
    return;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      gint64 last_end_ns = G_MININT64;

      if (hir_trace_get_track (trace, t)->kind != HIR_TRACK_STREAM)
        continue;
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          gint64 start_ns, end_ns;

          hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
          n_events++;
          if (start_ns < last_end_ns)
            {
              n_overlapping++;
              g_assert_cmpuint (hir_trace_get_n_lanes (trace, t), >=, 2);
            }
          last_end_ns = MAX (last_end_ns, end_ns);
        }
    }
  g_assert_cmpuint (n_events, ==, 929);
  g_assert_cmpuint (n_overlapping, ==, 74);
}

/* A double would round these times to a quarter of a microsecond. */
static void
test_nanoseconds (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_data ("kineto/absolute_epoch_us.json.gz");
  guint64 n_odd = 0;

  if (trace == NULL)
    return;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        gint64 start_ns, end_ns;

        hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
        n_odd += start_ns % 250 != 0;
      }
  g_assert_cmpuint (n_odd, >, hir_trace_get_n_events (trace) / 2);
}

#define ADD(path, func, data) TEST_FOLDER_ADD (path, func, data)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/import/kineto", test_kineto, NULL);
  ADD ("/import/begin-end", test_begin_end, NULL);
  ADD ("/import/async", test_async, NULL);
  ADD ("/import/account", test_account, NULL);
  ADD ("/import/behind", test_behind, NULL);
  ADD ("/import/cut-off", test_cut_off, NULL);
  ADD ("/import/rejected", test_rejected, NULL);
  ADD ("/import/gzip", test_gzip, NULL);
  ADD ("/import/ranks", test_ranks, NULL);
  ADD ("/import/same-rank", test_same_rank, NULL);
  ADD ("/import/cancel", test_cancel, NULL);
  ADD ("/import/oracle/qwen", test_oracle, &oracles[0]);
  ADD ("/import/oracle/vit", test_oracle, &oracles[1]);
  ADD ("/import/overlapping", test_overlapping, NULL);
  ADD ("/import/nanoseconds", test_nanoseconds, NULL);
  return g_test_run ();
}
