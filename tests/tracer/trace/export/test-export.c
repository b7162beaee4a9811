/* Reads exported Chrome JSON with Python's json module, an independent parser, and compares each
 * value with a plain listing of the trace. */
#include "trace/chrome/chrome-places.h"
#include "trace/event-names.h"
#include "trace/export/export-chrome.h"
#include "trace/export/export-csv.h"
#include "trace/export/export-nsight.h"
#include "trace/export/export-perfetto.h"
#include "trace/recording/recording.h"
#include "trace/text-out.h"

#include "diagnostic.h"
#include "identity.h"
#include "recording-fixture.h"
#include "test-folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const oracle =
    "import json, sys, decimal\n"
    "doc = json.load(open(sys.argv[1], encoding='utf-8'), parse_float=decimal.Decimal,\n"
    "                object_pairs_hook=lambda p: dict(p) if len(dict(p)) == len(p) else "
    "sys.exit('twice'))\n"
    "out = []\n"
    "for e in doc['traceEvents']:\n"
    "  if e['ph'] == 'X':\n"
    "    a = e['args']\n"
    "    for k in ('ts', 'dur'):\n"
    "      assert -e[k].as_tuple().exponent == 3, e\n"
    "    out.append([e['cat'], e['name'], e['pid'], e['tid'], int(e['ts'] * 1000), int(e['dur'] * "
    "1000),\n"
    "      a['rank'], a['device'], a.get('stream', ''), a.get('instruction', ''), "
    "a.get('iteration', ''),\n"
    "      a.get('correlation', ''), a.get('bytes', 0), a.get('flops', 0), a.get('phase', "
    "'program'), a['kind']])\n"
    "  elif e['ph'] in 'sf':\n"
    "    assert e['cat'] == 'ac2g' and (e['ph'] == 's' or e['bp'] == 'e'), e\n"
    "    out.append([e['ph'], e['id'], e['pid'], e['tid'], int(e['ts'] * 1000)])\n"
    "  else:\n"
    "    assert e['ph'] == 'M', e\n"
    "    out.append([e['name'], e['pid'], e['tid']] + list(e['args'].values()))\n"
    "print('\\n'.join(json.dumps(l, ensure_ascii=False) for l in out))\n"
    "print(json.dumps({k: v for k, v in doc.items() if k != 'traceEvents'}, sort_keys=True, "
    "default=str))\n";

static char *
run_python (const char *path)
{
  const char *argv[] = { "python3", "-c", oracle, path, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *errors = NULL;
  char *output = NULL;
  int status;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
                               &errors, &status, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (errors, ==, "");
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  return output;
}

static HirTraceBuilder *
new_builder (guint n_tracks, const HirTrack *tracks)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (guint t = 0; t < n_tracks; t++)
    hir_trace_builder_add_track (builder, &tracks[t]);
  return builder;
}

static char *
export_chrome (const HirTrace *trace)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "trace.json", NULL);
  g_autoptr (GError) error = NULL;
  char *listing;

  g_assert_true (hir_export_chrome_file (trace, path, NULL, &error));
  g_assert_no_error (error);
  listing = run_python (path);
  test_folder_remove (folder);
  return listing;
}

/* Checks everything that an export must contain: categories, processes and threads, arguments,
 * flows, account. */
static void
test_contract (void)
{
  const HirTrack tracks[] = {
    { HIR_TRACK_HOST, 0, 0, -1, (char *) "host" },
    { HIR_TRACK_STREAM, 0, 3, 0, (char *) "Stream 0" },
    { HIR_TRACK_STREAM, 0, 3, 7, (char *) "Stream \"7\"\n" },
  };
  HirTraceBuilder *builder = new_builder (3, tracks);
  guint32 name = hir_trace_builder_intern (builder, "mat\"mul\\\n\x01\xc3\xa9");
  const HirEvent events[] = {
    { 1, 2001, 0, 0, 0xabc, name, 5, 0, 0, HIR_EVENT_ISSUE, 0 },
    { 1500, G_GINT64_CONSTANT (9007199254740993), 64, 128, 0xabc, name, 5, 0, 2, HIR_EVENT_KERNEL,
      0 },
    { 1600, 1600, 0, 0, 0xabd, 0, 5, -1, 1, HIR_EVENT_MEMCPY, 0 },
    { -1, 0, 0, 0, 0, 0, 9, -1, 1, HIR_EVENT_MEMSET, HIR_PHASE_SETUP },
    { 3000, 3001, 16, 0, 0xabe, name, 0, 2, 1, HIR_EVENT_COMMUNICATION, HIR_PHASE_WARMUP },
    { 4000, 4001, 0, 0, 0xabf, 0, 0, -1, 1, HIR_EVENT_SYNC, HIR_PHASE_CHECK },
  };
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *listing = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    g_assert_true (hir_trace_builder_add (builder, &events[i], NULL));
  hir_trace_builder_set_meta (builder, "backend", "cpu");
  hir_trace_builder_set_meta (builder, "base_time_ns", "1700000000000000001");
  hir_trace_builder_add_account (builder, "2 records dropped");
  trace = hir_trace_builder_finish (builder);
  listing = export_chrome (trace);
  g_assert_cmpstr (
      listing, ==,
      "[\"process_name\", 100000, 0, \"host, rank 0\"]\n"
      "[\"process_labels\", 100000, 0, \"CPU\"]\n"
      "[\"process_sort_index\", 100000, 0, 0]\n"
      "[\"thread_name\", 100000, 1, \"host\", \"host\", 0, 0, -1]\n"
      "[\"thread_sort_index\", 100000, 1, 0]\n"
      "[\"process_name\", 3, 0, \"device 3, rank 0\"]\n"
      "[\"process_labels\", 3, 0, \"CPU\"]\n"
      "[\"process_sort_index\", 3, 0, 16777219]\n"
      "[\"thread_name\", 3, 0, \"Stream 0\", \"stream\", 0, 3, 0]\n"
      "[\"thread_sort_index\", 3, 0, 1]\n"
      "[\"thread_name\", 3, 7, \"Stream \\\"7\\\"\\n\", \"stream\", 0, 3, 7]\n"
      "[\"thread_sort_index\", 3, 7, 2]\n"
      "[\"cpu_op\", \"mat\\\"mul\\\\\\n\\u0001\xc3\xa9\", 100000, 1, 1, 2000, 0, 0, \"\", "
      "\"0000000000000abc\","
      " 0, 5, 0, 0, \"program\", \"issue\"]\n"
      "[\"gpu_memset\", \"\", 3, 0, -1, 1, 0, 3, 0, \"\", \"\", 9, 0, 0, \"setup\", \"memset\"]\n"
      "[\"gpu_memcpy\", \"\", 3, 0, 1600, 0, 0, 3, 0, \"0000000000000abd\", -1, 5, 0, 0, "
      "\"program\", \"memcpy\"]\n"
      "[\"kernel\", \"mat\\\"mul\\\\\\n\\u0001\xc3\xa9\", 3, 0, 3000, 1, 0, 3, 0, "
      "\"0000000000000abe\", 2, \"\","
      " 16, 0, \"warmup\", \"communication\"]\n"
      "[\"cuda_sync\", \"\", 3, 0, 4000, 1, 0, 3, 0, \"0000000000000abf\", -1, \"\", 0, 0, "
      "\"check\", \"sync\"]\n"
      "[\"kernel\", \"mat\\\"mul\\\\\\n\\u0001\xc3\xa9\", 3, 7, 1500, 9007199254739493, 0, 3, 7,"
      " \"0000000000000abc\", 0, 5, 64, 128, \"program\", \"kernel\"]\n"
      "[\"s\", 5, 100000, 1, 1]\n"
      "[\"f\", 5, 3, 0, 1600]\n"
      "[\"f\", 5, 3, 7, 1500]\n"
      "{\"baseTimeNanoseconds\": 1700000000000000001, \"deviceProperties\": [{\"id\": 3, \"name\": "
      "\"cpu\"}],"
      " \"displayTimeUnit\": \"ns\", \"distributedInfo\": {\"backend\": \"cpu\", \"rank\": 0, "
      "\"world_size\": 1},"
      " \"hirscope\": {\"account\": [\"2 records dropped\"], \"meta\": {\"backend\": \"cpu\","
      " \"base_time_ns\": \"1700000000000000001\"}}, \"schemaVersion\": 1}\n");
}

/* Keeps nanoseconds exactly. */
static void
test_exact_times (void)
{
  const HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, (char *) "s" };
  HirTraceBuilder *builder = new_builder (1, &track);
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *listing = NULL;
  g_auto (GStrv) lines = NULL;
  guint n = 0;

  for (guint i = 0; i < 2000; i++)
    {
      gint64 start = (gint64) ((guint64) g_rand_int (rand) << 28 ^ g_rand_int (rand)) >> (i % 40);
      HirEvent event = { .start_ns = i % 5 ? start : -start };

      event.end_ns = event.start_ns + (g_rand_int (rand) >> (i % 32));
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  listing = export_chrome (trace);
  lines = g_strsplit (listing, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *expected = NULL;
      gint64 start, end;

      if (!g_str_has_prefix (lines[i], "[\"kernel\""))
        continue;
      hir_trace_get_interval (trace, 0, n++, &start, &end);
      expected =
          g_strdup_printf ("[\"kernel\", \"\", 0, 1, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", ",
                           start, end - start);
      if (!g_str_has_prefix (lines[i], expected))
        g_error ("%s is not %s", lines[i], expected);
    }
  g_assert_cmpuint (n, ==, 2000);
}

/* Ranks with the same device number have different pids, and flows stay within a rank. */
static void
test_ranks (void)
{
  const HirTrack tracks[] = {
    { HIR_TRACK_HOST, 0, 0, -1, (char *) "host" },  { HIR_TRACK_HOST, 1, 0, -1, (char *) "host" },
    { HIR_TRACK_STREAM, 0, 0, 0, (char *) "s" },    { HIR_TRACK_STREAM, 1, 0, 0, (char *) "s" },
    { HIR_TRACK_LINK, 1, 0, 0, (char *) "0 to 1" },
  };
  HirTraceBuilder *builder = new_builder (5, tracks);
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *listing = NULL;

  for (guint16 t = 0; t < 5; t++)
    {
      HirEvent event = { .start_ns = t * 10, .end_ns = t * 10 + 5, .track = t, .correlation = 1 };

      event.kind = t < 2 ? HIR_EVENT_ISSUE : HIR_EVENT_KERNEL;
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  listing = export_chrome (trace);
  g_assert_nonnull (strstr (listing,
                            "[\"s\", 1, 100000, 1, 0]\n[\"f\", 1, 0, 0, 20]\n"
                            "[\"s\", 4294967297, 100001, 2, 10]\n[\"f\", 4294967297, 1000, 0, 30]\n"
                            "[\"f\", 4294967297, 1000, 100004, 40]\n"));
  g_assert_nonnull (strstr (listing, "\"world_size\": 2"));
  g_assert_nonnull (strstr (listing, "several ranks"));
}

/* The only rank of a file need not be rank 0. Readers of Kineto find launches by correlation. */
static void
test_flows_of_one_rank (void)
{
  const HirTrack tracks[] = {
    { HIR_TRACK_HOST, 3, 0, -1, (char *) "host" },
    { HIR_TRACK_STREAM, 3, 0, 0, (char *) "s" },
  };
  HirTraceBuilder *builder = new_builder (2, tracks);
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *listing = NULL;

  for (guint16 t = 0; t < 2; t++)
    {
      HirEvent event = { .start_ns = t * 10, .end_ns = t * 10 + 5, .track = t, .correlation = 7 };

      event.kind = t < 1 ? HIR_EVENT_ISSUE : HIR_EVENT_KERNEL;
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  listing = export_chrome (trace);
  g_assert_nonnull (strstr (listing, "[\"s\", 7, "));
  g_assert_nonnull (strstr (listing, "[\"f\", 7, "));
}

static void
test_empty (void)
{
  g_autoptr (HirTrace) trace = hir_trace_builder_finish (hir_trace_builder_new ());
  g_autofree char *listing = export_chrome (trace);

  g_assert_true (g_str_has_prefix (listing, "\n{\"deviceProperties\": []"));
}

static void
test_csv (void)
{
  const HirTrack tracks[] = {
    { HIR_TRACK_HOST, 0, 0, -1, (char *) "host" },
    { HIR_TRACK_STREAM, 1, 3, 2, (char *) "Stream 2, \"fast\"" },
  };
  HirTraceBuilder *builder = new_builder (2, tracks);
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.csv", NULL);
  g_autofree char *text = NULL;
  const HirEvent issue = { 5, 6, 0, 0, 0, 0, 0, -1, 0, HIR_EVENT_ISSUE, HIR_PHASE_SETUP };
  HirEvent kernel = { 10, 25, 3, 4, 0xabc, 0, 8, 1, 1, HIR_EVENT_KERNEL, 0 };
  g_autoptr (HirTrace) trace = NULL;

  kernel.name = hir_trace_builder_intern (builder, "a\nb");
  g_assert_true (hir_trace_builder_add (builder, &issue, NULL));
  g_assert_true (hir_trace_builder_add (builder, &kernel, NULL));
  trace = hir_trace_builder_finish (builder);
  g_assert_true (hir_export_csv_file (trace, path, NULL, NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  test_folder_remove (folder);
  g_assert_cmpstr (
      text, ==,
      "rank,device,stream,track,kind,name,start_ns,duration_ns,bytes,flops,"
      "instruction,iteration,"
      "correlation,phase,op,team,sequence,root,message_bytes,algbw_gb_s,"
      "busbw_gb_s\r\n"
      "0,0,-1,host,issue,,5,1,0,0,,,,setup,,,,,,,\r\n"
      "1,3,2,\"Stream 2, "
      "\"\"fast\"\"\",kernel,\"a\nb\",10,15,3,4,0000000000000abc,1,8,program,,,,,,,\r\n");
}

static HirTrace *
new_long_trace (void)
{
  const HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, (char *) "s" };
  HirTraceBuilder *builder = new_builder (1, &track);

  for (guint i = 0; i < 5000; i++)
    {
      HirEvent event = { .start_ns = i, .end_ns = i + 1 };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  return hir_trace_builder_finish (builder);
}

static void
test_full (void)
{
  g_autoptr (HirTrace) trace = new_long_trace ();
  g_autoptr (GError) error = NULL;

  g_assert_false (hir_export_chrome_file (trace, "/dev/full", NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "/dev/full cannot be written"));
  g_clear_error (&error);
  g_assert_false (hir_export_csv_file (trace, "/no/such/folder/a.csv", NULL, &error));
  g_assert_nonnull (error);
}

/* A full disk leaves the old file and no other file. */
static void
test_keeps_old (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "old.json", NULL);
  g_autoptr (HirTrace) trace = new_long_trace ();
  g_autofree char *contents = NULL;
  int status;
  pid_t pid;

  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  pid = fork ();
  if (pid == 0)
    {
      struct rlimit limit = { 100000, 100000 };

      signal (SIGXFSZ, SIG_IGN);
      setrlimit (RLIMIT_FSIZE, &limit);
      _exit (hir_export_chrome_file (trace, path, NULL, NULL) ? 1 : 0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "old");
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static gboolean
write_half (gconstpointer data, GOutputStream *stream, HirExportProgress *watch, GError **error)
{
  if (g_output_stream_write_all (stream, data, 4, NULL, NULL, error))
    hir_set_error (error, HIR_ERROR_RUN, NULL, "the disk is full");
  return FALSE;
}

/* If there was no file, none is left. */
static void
test_leaves_none (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "new.json", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (hir_text_out_write_file (path, write_half, "half", NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "the disk is full"));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static gboolean
export_recording (const HirTrace *trace, const char *path, HirExportProgress *watch, GError **error)
{
  HirRecordingWriter *writer = hir_recording_writer_new_beside (path, error);
  gboolean done = hir_recording_writer_add_trace (writer, trace, watch, error);

  if (!done)
    hir_recording_writer_discard (writer);
  hir_recording_writer_free (writer);
  return done;
}

/* A cancelled export ends within 1,000 events, also on a track of 100 lanes. */
static void
test_looks (void)
{
  gboolean (*const writers[]) (const HirTrace *, const char *, HirExportProgress *,
                               GError **) = { hir_export_chrome_file, hir_export_csv_file,
                                              hir_export_nsight_file, export_recording,
                                              hir_export_perfetto_file };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack info = { .name = (char *) "Stream 7", .stream = 7 };
  const guint n = 20000, n_lanes = 100;
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "out.hirs", NULL);
  g_autoptr (HirTrace) trace = NULL;

  hir_trace_builder_add_track (builder, &info);
  for (guint i = 0; i < n; i++)
    {
      const HirEvent event = { .start_ns = i, .end_ns = i + n_lanes, .iteration = -1 };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_lanes (trace, 0), ==, n_lanes);
  for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      HirExportProgress watch;

      hir_export_progress_init (&watch, cancellable);
      if (!writers[i](trace, path, &watch, &error) &&
          g_error_matches (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED))
        continue;
      g_assert_no_error (error);
      g_unlink (path);
      g_assert_cmpuint (watch.n_looks, >=, n / 1024);
      g_cancellable_cancel (cancellable);
      hir_export_progress_init (&watch, cancellable);
      g_assert_false (writers[i](trace, path, &watch, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
      g_assert_cmpuint (watch.n_done, <=, 1024);
    }
  /* There is no other file either. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Creates tracks of @n_ranks ranks: a stream of device @device and a host thread each. */
static HirTrace *
new_wide_trace (guint n_ranks, int device, guint n_events)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (guint r = 0; r < n_ranks; r++)
    {
      const HirTrack stream = { HIR_TRACK_STREAM, (int) r, device, 7, (char *) "Stream 7" };
      const HirTrack host = { HIR_TRACK_HOST, (int) r, 0, -1, (char *) "host" };

      hir_trace_builder_add_track (builder, &stream);
      hir_trace_builder_add_track (builder, &host);
    }
  for (guint i = 0; i < n_events; i++)
    {
      HirEvent event = {
        .track = (guint16) i, .start_ns = i, .end_ns = i + 1, .iteration = -1, .correlation = 3
      };

      event.kind = i % 2 == 0 ? HIR_EVENT_KERNEL : HIR_EVENT_ISSUE;
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  return hir_trace_builder_finish (builder);
}

/* A process is one device of one rank or one host for any numbers: also for the hundredth rank with
 * device 0, and for a device whose number equals the pid of another rank's device. */
static void
test_processes (void)
{
  static const int devices[] = { 0, 1000, G_MAXINT - 3, -5 };

  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autoptr (HirTrace) trace = new_wide_trace (250, devices[i], 0);
      g_autoptr (GHashTable) pids = g_hash_table_new (g_str_hash, g_str_equal);
      gboolean ranks_moved = FALSE;
      HirChromePlace *places = hir_chrome_places_new (trace, &ranks_moved);
      g_autofree char *first = g_strdup_printf ("%d", devices[i]);

      g_assert_true (ranks_moved);
      g_assert_cmpstr (places[0].pid, ==, first);
      for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
        {
          g_assert_true (places[t].is_first);
          g_assert_true (g_hash_table_add (pids, places[t].pid));
          g_assert_cmpint (ABS (g_ascii_strtoll (places[t].pid, NULL, 10)), <=, G_MAXINT);
        }
      hir_chrome_places_free (places, trace);
    }
}

/* Every format handles thousands of ranks, and an export of a trace with only tracks can be
 * cancelled. */
static void
test_many_tracks (void)
{
  gboolean (*const writers[]) (const HirTrace *, const char *, HirExportProgress *,
                               GError **) = { hir_export_chrome_file, hir_export_nsight_file,
                                              export_recording, hir_export_perfetto_file };
  g_autoptr (HirTrace) trace = new_wide_trace (4000, 0, 8000);
  g_autoptr (HirTrace) empty = new_wide_trace (4000, 0, 0);
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "out.hirs", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      HirExportProgress watch;

      if (!writers[i](trace, path, NULL, &error) &&
          g_error_matches (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED))
        continue;
      g_assert_no_error (error);
      g_unlink (path);
      g_cancellable_cancel (cancellable);
      hir_export_progress_init (&watch, cancellable);
      g_assert_false (writers[i](empty, path, &watch, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/export/contract", test_contract);
  g_test_add_func ("/export/exact-times", test_exact_times);
  g_test_add_func ("/export/ranks", test_ranks);
  g_test_add_func ("/export/flows-of-one-rank", test_flows_of_one_rank);
  g_test_add_func ("/export/empty", test_empty);
  g_test_add_func ("/export/csv", test_csv);
  g_test_add_func ("/export/full", test_full);
  g_test_add_func ("/export/keeps-old", test_keeps_old);
  g_test_add_func ("/export/leaves-none", test_leaves_none);
  g_test_add_func ("/export/looks", test_looks);
  g_test_add_func ("/export/processes", test_processes);
  g_test_add_func ("/export/many-tracks", test_many_tracks);
  return g_test_run ();
}
