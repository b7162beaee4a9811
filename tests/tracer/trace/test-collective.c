/* Tests the descriptions of collectives and their bandwidths. */
#include "recording-fixture.h"
#include "trace/collective.h"

#include <sqlite3.h>
#include <string.h>

/* Sizes and factors from the tables of nccl-tests (doc/PERFORMANCE.md and getBw() of each test),
 * computed by hand: 1 MiB per rank in 10 µs. */
static void
test_bandwidth (void)
{
  static const struct
  {
    const char *op;
    gint64 in, out;
    guint n;
    gint64 size;
    double busbw_over_algbw;
  } cases[] = {
    { "_allgather_base", 1048576, 2097152, 2, 2097152, 0.5 },
    { "_allgather_base", 1048576, 8388608, 8, 8388608, 0.875 },
    { "allgather", 1048576, 4194304, 4, 4194304, 0.75 },
    { "_reduce_scatter_base", 4194304, 1048576, 4, 4194304, 0.75 },
    { "reduce_scatter", 2097152, 1048576, 2, 2097152, 0.5 },
    { "allreduce", 1048576, 1048576, 2, 1048576, 1 },
    { "allreduce", 1048576, 1048576, 4, 1048576, 1.5 },
    { "allreduce", 1048576, 1048576, 1, 1048576, 0 },
    { "broadcast", 1048576, 0, 8, 1048576, 1 },
    { "broadcast", 0, 1048576, 8, 1048576, 1 },
    { "reduce", 1048576, 0, 8, 1048576, 1 },
    { "gather", 1048576, 4194304, 4, 4194304, 0.75 },
    { "gather", 1048576, 0, 4, 4194304, 0.75 },
    { "scatter", 4194304, 1048576, 4, 4194304, 0.75 },
    { "scatter", 0, 1048576, 4, 4194304, 0.75 },
    { "all_to_all", 4194304, 4194304, 4, 4194304, 0.75 },
    { "send", 1048576, 0, 2, 1048576, 1 },
    { "recv", 0, 1048576, 2, 1048576, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double algbw, busbw, expected = (double) cases[i].size / 10000.0;

      g_test_message ("%s of %u", cases[i].op, cases[i].n);
      g_assert_cmpint (hir_collective_count_bytes (cases[i].op, cases[i].in, cases[i].out,
                                                   cases[i].n),
                       ==, cases[i].size);
      g_assert_true (hir_collective_get_bandwidth (cases[i].op, cases[i].n, cases[i].size, 10000,
                                                   &algbw, &busbw));
      g_assert_cmpfloat_with_epsilon (algbw, expected, 1e-9);
      g_assert_cmpfloat_with_epsilon (busbw, expected * cases[i].busbw_over_algbw, 1e-9);
    }
}

static void
test_unknown (void)
{
  double algbw = 1, busbw = 1;

  g_assert_false (hir_collective_get_bandwidth ("allreduce", 2, 0, 10, &algbw, &busbw));
  g_assert_false (hir_collective_get_bandwidth ("allreduce", 2, 10, 0, &algbw, &busbw));
  g_assert_false (hir_collective_get_bandwidth ("allreduce", 0, 10, 10, &algbw, &busbw));
  g_assert_true (algbw == 0 && busbw == 0);
  g_assert_cmpint (hir_collective_count_bytes ("gather", G_MAXINT64 / 2, 0, 4), ==, 0);
}

static void
test_ranks (void)
{
  static const char *const keys[] = { "team 0 1 12", "[0, 1, 12]", "(0, 1, 12)" };
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree gint64 *ranks = hir_comm_record_dup_key_ranks (keys[i], &n);

      g_assert_cmpuint (n, ==, 3);
      g_assert_cmpint (ranks[0], ==, 0);
      g_assert_cmpint (ranks[2], ==, 12);
    }
  g_free (hir_comm_record_dup_key_ranks ("", &n));
  g_assert_cmpuint (n, ==, 0);
}

/* PyTorch lists 30 ranks of a group and then dots. The size of the group may be given
 * separately. */
static void
test_truncated (void)
{
  static const struct
  {
    const char *list;
    gint64 told;
    const char *key;
    guint size;
  } cases[] = {
    { "[0, 1, ...]", 128, "[0, 1, ...] of 128", 128 },
    { "[0, 1, ..., 127]", 128, "[0, 1, ..., 127] of 128", 128 },
    { "[0, 1, ...]", -1, "[0, 1, ...]", 0 },
    { "[0, 1, ...]", 1, "[0, 1, ...]", 0 }, /* impossible */
    { "[0, 1]", 2, "[0, 1]", 2 },
    { "[0, 1]", 8, "[0, 1]", 2 },
    { "[]", 4, "[] of 4", 4 },
    { "[]", -1, "[]", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *key = hir_comm_record_dup_group_key (cases[i].list, "", cases[i].told);
      g_autofree gint64 *ranks = NULL;
      guint n;

      g_assert_cmpstr (key, ==, cases[i].key);
      g_assert_cmpuint (hir_comm_record_get_key_size (key), ==, cases[i].size);
      ranks = hir_comm_record_dup_key_ranks (key, &n);
      g_assert_cmpuint (n, ==,
                        g_str_has_prefix (cases[i].list, "[]")  ? 0
                        : strstr (cases[i].list, "127") != NULL ? 3
                                                                : 2);
    }
}

static void
add_event (HirTraceBuilder *builder, guint kind, guint32 correlation, gint64 start, gint64 end)
{
  HirEvent event = {
    .start_ns = start, .end_ns = end, .correlation = correlation, .track = 0, .kind = (guint8) kind
  };

  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
}

static void
add_part (HirTraceBuilder *builder, const char *key, const char *op, HirCommRecord record)
{
  record.key = hir_trace_builder_intern (builder, key);
  record.op = hir_trace_builder_intern (builder, op);
  record.rank = 1;
  hir_trace_builder_add_comm_record (builder, &record);
}

/* One rank: a kernel, an allgather, a group of two messages, a gather by two copies, and a
 * collective without data. */
static HirTrace *
new_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack track = { HIR_TRACK_LINK, 1, 1, 1000, (char *) "comm" };

  hir_trace_builder_add_track (builder, &track);
  add_event (builder, HIR_EVENT_KERNEL, 1, 0, 5);
  add_event (builder, HIR_EVENT_COMMUNICATION, 2, 10, 30);
  add_event (builder, HIR_EVENT_COMMUNICATION, 3, 40, 50);
  add_event (builder, HIR_EVENT_MEMCPY, 4, 60, 70);
  add_event (builder, HIR_EVENT_MEMCPY, 4, 75, 100);
  add_event (builder, HIR_EVENT_COMMUNICATION, 5, 110, 120);
  add_part (builder, "team 0 1", "_allgather_base",
            (HirCommRecord){ .correlation = 2,
                             .sequence = 7,
                             .dtype = HIR_DTYPE_BFLOAT16,
                             .root = -1,
                             .message_bytes = 400,
                             .in_elements = 100,
                             .out_elements = 200 });
  add_part (builder, "1>0", "send",
            (HirCommRecord){ .correlation = 3,
                             .side = HIR_COMM_SIDE_SEND,
                             .dtype = HIR_DTYPE_FLOAT,
                             .root = -1,
                             .message_bytes = 80,
                             .in_elements = 20 });
  add_part (builder, "2>1", "recv",
            (HirCommRecord){ .correlation = 3,
                             .side = HIR_COMM_SIDE_RECV,
                             .dtype = HIR_DTYPE_FLOAT,
                             .root = -1,
                             .message_bytes = 40,
                             .out_elements = 10 });
  add_part (builder, "team 1 2 3 4", "gather",
            (HirCommRecord){ .correlation = 4,
                             .dtype = HIR_DTYPE_DOUBLE,
                             .root = 3,
                             .message_bytes = 160,
                             .in_elements = 5 });
  add_part (builder, "team 0 1", "", (HirCommRecord){ .correlation = 5, .sequence = 8 });
  return hir_trace_builder_finish (builder);
}

static void
check_trace (const HirTrace *trace)
{
  HirCollective it;

  g_assert_false (hir_trace_lookup_collective (trace, 0, 0, &it));
  g_assert_false (hir_trace_lookup_collective (trace, 0, 5, &it));
  g_assert_true (hir_trace_lookup_collective (trace, 0, 1, &it));
  g_assert_cmpstr (it.op, ==, "_allgather_base");
  g_assert_cmpstr (it.team, ==, "team 0 1");
  g_assert_cmpstr (it.dtype, ==, "BFloat16");
  g_assert_cmpuint (it.sequence, ==, 7);
  g_assert_cmpuint (it.n_members, ==, 2);
  g_assert_cmpint (it.root, ==, -1);
  g_assert_cmpint (it.in_elements, ==, 100);
  g_assert_cmpint (it.out_elements, ==, 200);
  g_assert_cmpfloat_with_epsilon (it.algbw, 20, 1e-9);
  g_assert_cmpfloat_with_epsilon (it.busbw, 10, 1e-9);

  g_assert_true (hir_trace_lookup_collective (trace, 0, 2, &it));
  g_assert_cmpstr (it.op, ==, "coalesced");
  g_assert_cmpuint (it.n_messages, ==, 2);
  g_assert_cmpint (it.in_elements, ==, 20);
  g_assert_cmpint (it.out_elements, ==, 10);
  g_assert_cmpfloat_with_epsilon (it.algbw, 8, 1e-9);

  /* Both copies are parts of one gather, from the start of the first to the end of the last. */
  for (guint i = 3; i < 5; i++)
    {
      g_assert_true (hir_trace_lookup_collective (trace, 0, i, &it));
      g_assert_cmpint (it.root, ==, 3);
      g_assert_cmpint (it.transfer_ns, ==, 40);
      g_assert_cmpfloat_with_epsilon (it.algbw, 4, 1e-9);
      g_assert_cmpfloat_with_epsilon (it.busbw, 3, 1e-9);
    }
}

static void
test_lookup (void)
{
  g_autoptr (HirTrace) trace = new_trace ();

  check_trace (trace);
}

static HirRecording *
record (const char *path, const char *sql)
{
  g_autoptr (HirTrace) trace = new_trace ();
  g_autoptr (HirRecordingWriter) writer = NULL;
  g_autoptr (GError) error = NULL;
  HirRecording *recording;
  sqlite3 *db;

  writer = hir_recording_writer_new (path, &error);
  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  if (sql != NULL)
    {
      g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
      g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
      sqlite3_close (db);
    }
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  return recording;
}

static void
test_recording (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (HirRecording) recording = record (path, NULL);

  check_trace (recording->trace);
  test_folder_remove (folder);
}

/* Recordings from before the table existed. */
static void
test_old_recording (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (HirRecording) recording = record (path, "DROP TABLE meetings");
  HirCollective it;

  g_assert_cmpuint (hir_trace_get_n_events (recording->trace), ==, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_false (hir_trace_lookup_collective (recording->trace, 0, i, &it));
  test_folder_remove (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collective/bandwidth", test_bandwidth);
  g_test_add_func ("/collective/unknown", test_unknown);
  g_test_add_func ("/collective/ranks", test_ranks);
  g_test_add_func ("/collective/truncated", test_truncated);
  g_test_add_func ("/collective/lookup", test_lookup);
  g_test_add_func ("/collective/recording", test_recording);
  g_test_add_func ("/collective/recording-old", test_old_recording);
  return g_test_run ();
}
