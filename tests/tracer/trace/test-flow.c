/* Tests that the flows of other profilers are kept by import, by each export that has them, and
 * when times are shifted. */
#include "trace/flow.h"

#include "test-folder.h"
#include "trace/export/export-chrome.h"
#include "trace/load/import.h"
#include "trace/recording/recording.h"

/* The points come before the events of their threads. The base, in s, shifts the second rank. */
static const char *const text =
    "{\"baseTimeNanoseconds\":170000000%d000000000,\"distributedInfo\":{\"rank\":%d},"
    "\"traceEvents\":["
    "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":7,\"pid\":9,\"tid\":1,\"ts\":100},"
    "{\"ph\":\"f\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":1,\"pid\":9,\"tid\":2,\"ts\":300,"
    "\"bp\":\"e\"},"
    "{\"ph\":\"s\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":1,\"pid\":9,\"tid\":1,\"ts\":100},"
    "{\"ph\":\"s\",\"cat\":\"mine\",\"name\":\"a\",\"id\":\"0x1\",\"pid\":9,\"tid\":1,\"ts\":100},"
    "{\"ph\":\"t\",\"cat\":\"mine\",\"name\":\"a\",\"id\":\"0x1\",\"pid\":0,\"tid\":7,\"ts\":200},"
    "{\"ph\":\"f\",\"cat\":\"mine\",\"name\":\"a\",\"id\":\"0x1\",\"pid\":5,\"tid\":5,\"ts\":250},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"relu\",\"pid\":9,\"tid\":1,\"ts\":100,\"dur\":9},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":200,\"dur\":9,"
    "\"args\":{\"stream\":7}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"relu_backward\",\"pid\":9,\"tid\":2,\"ts\":300,"
    "\"dur\":9}]}";

static HirTrace *
load (const char *first, const char *second)
{
  const char *const paths[] = { first, second, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

/* Lists each point with the event that starts there. */
static char *
dup_list (const HirTrace *trace)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < hir_trace_get_n_flow_points (trace); i++)
    {
      const HirFlowPoint *point = hir_trace_get_flow_point (trace, i);
      HirEvent event = { 0 };
      guint index;

      g_assert_true (hir_trace_lookup_at (trace, point->track, point->time_ns, 0, &index));
      hir_trace_get_event (trace, point->track, index, &event);
      g_assert_cmpint (event.start_ns, ==, point->time_ns);
      g_string_append_printf (list, "%s %s %c%s rank %d %s\n",
                              hir_trace_get_string (trace, point->category),
                              hir_trace_get_string (trace, point->name), point->phase,
                              point->is_enclosed ? "e" : "",
                              hir_trace_get_track (trace, point->track)->rank,
                              hir_trace_get_string (trace, event.name));
    }
  return g_string_free (list, FALSE);
}

#define RANK(rank)                                                                                 \
  "fwdbwd fwdbwd fe rank " rank " relu_backward\nfwdbwd fwdbwd s rank " rank                       \
  " relu\nmine a s rank " rank " relu\nmine a t rank " rank " k\n"

static gboolean
account_has (const HirTrace *trace, const char *words)
{
  for (const char *const *line = hir_trace_get_account (trace); *line != NULL; line++)
    if (strstr (*line, words) != NULL)
      return TRUE;
  return FALSE;
}

static void
test_import (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *json = g_strdup_printf (text, 0, 0);
  g_autofree char *path = test_folder_write (fixture->folder, "a.json", json, -1);
  g_autoptr (HirTrace) trace = load (path, NULL);
  g_autofree char *list = dup_list (trace);

  g_assert_cmpstr (list, ==, RANK ("0"));
  /* The thread 5 has no events, and gets no track. */
  g_assert_cmpuint (hir_trace_get_n_tracks (trace), ==, 3);
  g_assert_true (account_has (trace, "1 point of a flow left out"));
  g_assert_true (account_has (trace, "5 points of other flows"));
  g_assert_true (account_has (trace, "1 flow starts and 0 flow ends"));
  g_assert_cmpuint (hir_trace_get_flow_point (trace, 0)->id, ==, 1);
  g_assert_cmpuint (hir_trace_get_flow_point (trace, 1)->id, ==, 1);
  g_assert_cmpuint (hir_trace_get_flow_point (trace, 2)->id, ==,
                    hir_trace_get_flow_point (trace, 3)->id);
  g_assert_cmpuint (hir_trace_get_flow_point (trace, 2)->id, !=, 1);
}

static char *
write_hirs (TestFolder *fixture, const HirTrace *trace)
{
  char *path = g_build_filename (fixture->folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);

  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  hir_recording_writer_free (writer);
  return path;
}

/* Both ranks use the same ids; in one file they are different flows. */
static void
test_round_trip (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *first = g_strdup_printf (text, 0, 0);
  g_autofree char *second = g_strdup_printf (text, 2, 1);
  g_autofree char *a = test_folder_write (fixture->folder, "a.json", first, -1);
  g_autofree char *b = test_folder_write (fixture->folder, "b.json", second, -1);
  g_autofree char *out = g_build_filename (fixture->folder, "out.json", NULL);
  g_autoptr (HirTrace) both = load (a, b);
  g_autofree char *list = dup_list (both);
  g_autofree char *hirs = write_hirs (fixture, both);
  g_autoptr (HirTrace) recorded = load (hirs, NULL);
  g_autofree char *list_recorded = dup_list (recorded);
  g_autoptr (HirTrace) exported = NULL;
  g_autofree char *list_exported = NULL;

  g_assert_cmpstr (list, ==, RANK ("0") RANK ("1"));
  g_assert_cmpstr (list_recorded, ==, list);
  g_assert_true (hir_export_chrome_file (recorded, out, NULL, NULL));
  exported = load (out, NULL);
  list_exported = dup_list (exported);
  g_assert_cmpstr (list_exported, ==, list);
  g_assert_cmpuint (hir_trace_get_flow_point (exported, 0)->id, ==,
                    hir_trace_get_flow_point (exported, 1)->id);
  g_assert_cmpuint (hir_trace_get_flow_point (exported, 0)->id, !=,
                    hir_trace_get_flow_point (exported, 4)->id);
}

/* The ends of three collectives show that the clock of rank 1 is 5 ms ahead. */
static void
test_aligned (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) both = NULL;
  g_autofree char *list = NULL;
  char *paths[2];

  for (int rank = 0; rank < 2; rank++)
    {
      g_autofree char *json = g_strdup_printf (text, 0, rank);
      g_autofree char *name = g_strdup_printf ("rank%d.json", rank);
      g_autoptr (GString) all = g_string_new (json);

      g_string_truncate (all, all->len - 2);
      for (int i = 0; i < 4; i++)
        g_string_append_printf (all,
                                ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclAllReduce\","
                                "\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":50,\"args\":{"
                                "\"correlation\":%d,\"Collective name\":\"allreduce\",\"Seq\":%d,"
                                "\"Process Group Ranks\":\"[0, 1]\"}}",
                                1000 * (i + 1) + 5000 * rank, i + 1, i);
      g_string_append (all, "]}");
      paths[rank] = test_folder_write (fixture->folder, name, all->str, -1);
    }
  both = load (paths[0], paths[1]);
  g_free (paths[0]);
  g_free (paths[1]);
  g_assert_true (account_has (both, "rank 1: shifted by -5000.0"));
  list = dup_list (both);
  g_assert_cmpstr (list, ==, RANK ("0") RANK ("1"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, func)                                                                            \
  g_test_add (path, TestFolder, NULL, test_folder_set_up, func, test_folder_tear_down)
  ADD ("/flow/import", test_import);
  ADD ("/flow/round-trip", test_round_trip);
  ADD ("/flow/aligned", test_aligned);
#undef ADD
  return g_test_run ();
}
