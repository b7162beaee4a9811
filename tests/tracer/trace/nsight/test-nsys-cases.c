/* Tests kinds of reports of Nsight Systems: CUDA graphs, one report a rank, several machines, MPI,
 * NVTX domains, old names of tables, ignored tables. */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <utime.h>

#include "analysis/stats.h"
#include "diagnostic.h"
#include "trace/comm-records.h"
#include "trace/event-args.h"
#include "trace/load/import.h"
#include "trace/recording/recording.h"

/* Process @pid of machine @machine. */
#define PID(machine, pid) ((gint64) (machine) << 56 | (gint64) (pid) << 24)

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("hir-nsys-XXXXXX", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
}

static char *
make (Fixture *fixture, const char *name, const char *format, ...)
{
  char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *sql = NULL;
  sqlite3 *db = NULL;
  va_list args;

  va_start (args, format);
  sql = g_strdup_vprintf (format, args);
  va_end (args);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  return path;
}

static char *
dup_case (const char *name)
{
  return g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases", "traces", name,
                           NULL);
}

static HirTrace *
load (const char *first, const char *second)
{
  const char *const paths[] = { first, second, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static HirTrace *
load_case (const char *first, const char *second)
{
  g_autofree char *a = dup_case (first), *b = second != NULL ? dup_case (second) : NULL;

  return load (a, b);
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

/* Returns the number of events named @name; the last one in @event and @track. */
static guint
count (HirTrace *trace, const char *name, HirEvent *event, const HirTrack **track)
{
  guint n = 0;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent found;

        hir_trace_get_event (trace, t, i, &found);
        if (!g_str_equal (hir_trace_get_string (trace, found.name), name))
          continue;
        n++;
        *event = found;
        *track = hir_trace_get_track (trace, t);
      }
  return n;
}

/* A graph traced as a whole is one event per launch. */
static void
test_graph (void)
{
  static const struct
  {
    const char *file;
    gint64 busy_ns;
  } cases[] = { { "graph_trace.sqlite", 91000000 }, { "graph_only.sqlite", 90000000 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirTrace) trace = load_case (cases[i].file, NULL);
      g_autoptr (HirStats) stats = hir_stats_new (trace, NULL);
      const HirTrack *track = NULL;
      HirEvent event = { 0 };

      g_assert_cmpuint (stats->gpus->len, ==, 1);
      g_assert_cmpint (g_array_index (stats->gpus, HirGpuStats, 0).computation_ns, ==,
                       cases[i].busy_ns);
      g_assert_cmpuint (count (trace, "CUDA graph 1", &event, &track), ==, 10);
      g_assert_cmpint (event.start_ns, ==, 90000000);
      g_assert_cmpint (event.end_ns, ==, 99000000);
      g_assert_cmpuint (event.correlation, ==, i == 0 ? 19 : 10);
      g_assert_cmpint (track->stream, ==, 7);
      /* Each graph is related to its launch. */
      g_assert_cmpuint (stats->queue.count, ==, 10);
    }
}

/* One report a rank: the rank of the name, and one time base. */
static void
test_ranks (void)
{
  g_autoptr (HirTrace) trace = load_case ("rank1.sqlite", "rank0.sqlite");
  g_autoptr (HirStats) stats = hir_stats_new (trace, NULL);
  HirEvent event = { 0 };
  const HirTrack *track = NULL;
  gint64 starts[2] = { 0 };

  g_assert_cmpuint (stats->gpus->len, ==, 2);
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      track = hir_trace_get_track (trace, t);
      hir_trace_get_event (trace, t, 0, &event);
      g_assert_cmpint (track->rank, >=, 0);
      g_assert_cmpint (track->rank, <, 2);
      if (track->stream == 7)
        starts[track->rank] = event.start_ns;
    }
  g_assert_cmpint (starts[1] - starts[0], ==, 1000);
  g_assert_cmpstr (hir_trace_get_meta (trace, HIR_META_BASE_TIME), ==, "1700000000000001000");
}

#define KERNELS                                                                                    \
  "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"                                   \
  "INSERT INTO StringIds VALUES (1,'a'),(2,'b'),(3,'c'),(4,'MPI_Allreduce'),(5,'NCCL');"           \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, "       \
  "globalPid, demangledName);"
#define KERNEL                                                                                     \
  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%d,%d,0,7,1,%" G_GINT64_FORMAT ",%d);"

/* Two machines have a process of the same id and a device of the same number. */
static void
test_machines (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = make (fixture, "nodes.sqlite", KERNELS KERNEL KERNEL, 0, 10, PID (1, 100),
                                1, 0, 10, PID (2, 100), 2);
  g_autoptr (HirTrace) trace = load (path, NULL);
  HirEvent event;
  const HirTrack *a = NULL, *b = NULL;

  g_assert_cmpuint (count (trace, "a", &event, &a), ==, 1);
  g_assert_cmpuint (count (trace, "b", &event, &b), ==, 1);
  g_assert_true (a != b);
  g_assert_cmpint (a->rank, ==, 0);
  g_assert_cmpint (b->rank, ==, 1);
}

/* Reports of several ranks, one per machine. */
static void
test_reports_of_machines (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = make (fixture, "node0.sqlite", KERNELS KERNEL KERNEL, 0, 10,
                                 PID (0, 100), 1, 0, 10, PID (0, 101), 2);
  g_autofree char *second = make (fixture, "node1.sqlite", KERNELS KERNEL KERNEL, 0, 10,
                                  PID (0, 100), 3, 0, 10, PID (0, 101), 3);
  g_autoptr (HirTrace) trace = load (first, second);
  const HirTrack *track = NULL;
  HirEvent event;

  g_assert_cmpuint (hir_trace_get_n_tracks (trace), ==, 4);
  g_assert_cmpuint (count (trace, "b", &event, &track), ==, 1);
  g_assert_cmpint (track->rank, ==, 1);
  g_assert_cmpuint (count (trace, "c", &event, &track), ==, 2);
  g_assert_cmpint (track->rank, ==, 3);
  g_assert_true (account_says (trace, "node1.sqlite has 2 ranks, shown as ranks 2 to 3"));
}

#define N_COLLECTIVES 40

/* Writes the report of a rank whose clock is @ahead_ns ahead: collectives of two communicators, and
 * messages, whose number differs. */
static char *
make_clock (Fixture *fixture, int rank, gint64 ahead_ns)
{
  g_autofree char *name = g_strdup_printf ("rank%d.sqlite", rank);
  g_autoptr (GString) rows = g_string_new (NULL);

  for (int i = 0; i < N_COLLECTIVES; i++)
    for (int stream = 0; stream < 2; stream++)
      {
        gint64 end_ns = 1000000 * (i + 1) + (i * i * 37 % 101) * 4000 + stream * 300000 + ahead_ns;

        /* Equal communicators have streams of different numbers on the ranks. */
        g_string_append_printf (rows,
                                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%" G_GINT64_FORMAT
                                ",%" G_GINT64_FORMAT ",0,%d,%d,%" G_GINT64_FORMAT ",%d);",
                                end_ns - 50000 * (rank + 1), end_ns, 20 + stream + 10 * rank,
                                2 * i + stream + 1, PID (rank, 100), 11 + stream);
      }
  for (int i = 0; i < 5 + rank; i++)
    g_string_append_printf (
        rows,
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%d,%d,0,50,%d,%" G_GINT64_FORMAT ",13);",
        i * 1000, i * 1000 + 10, 1000 + i, PID (rank, 100));
  return make (fixture, name,
               KERNELS "INSERT INTO StringIds VALUES "
                       "(11,'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)'),"
                       "(12,'ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgs)'),"
                       "(13,'ncclDevKernel_SendRecv(ncclDevKernelArgs)');"
                       "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);"
                       "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"
                       "%s",
               rows->str);
}

/* The clocks of two hosts differ by milliseconds, more than the distance of collectives. */
static void
test_clocks (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = make_clock (fixture, 0, 0), *second = make_clock (fixture, 1, 7300000);
  g_autoptr (HirTrace) both = load (first, second);
  g_autoptr (HirTrace) alone = load (second, NULL);
  const HirTrack *track = NULL;
  HirEvent event;

  g_assert_true (
      account_says (both, "collectives of group NCCL's stream 0 []: 40 on each of 2 ranks were "
                          "matched by their intervals"));
  g_assert_true (
      account_says (both, "collectives of group NCCL's stream 1 []: 40 on each of 2 ranks"));
  g_assert_true (
      account_says (both, "rank 1: shifted by -7300.0 µs ± 0.0 µs, from 80 collectives"));
  g_assert_cmpuint (count (both, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
                           &event, &track),
                    ==, 2 * N_COLLECTIVES);
  g_assert_cmpint (track->rank, ==, 1);
  g_assert_cmpint (event.end_ns, ==, 1000000 * N_COLLECTIVES + (39 * 39 * 37 % 101) * 4000);
  g_assert_cmpuint (hir_trace_get_n_comm_records (alone), ==, 0);
}

/* MPI states the ranks; a loader of data is no rank. */
static void
test_mpi_ranks (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path =
      make (fixture, "x.sqlite",
            KERNELS KERNEL KERNEL "CREATE TABLE MPI_RANKS (globalPid, rank);"
                                  "INSERT INTO MPI_RANKS VALUES (%" G_GINT64_FORMAT
                                  ",5),(%" G_GINT64_FORMAT ",4);",
            0, 10, PID (0, 100), 1, 0, 10, PID (0, 101), 2, PID (0, 100), PID (0, 101));
  g_autoptr (HirTrace) trace = load (path, NULL);
  const HirTrack *track = NULL;
  HirEvent event;

  g_assert_cmpuint (count (trace, "a", &event, &track), ==, 1);
  g_assert_cmpint (track->rank, ==, 5);
  g_assert_cmpuint (count (trace, "b", &event, &track), ==, 1);
  g_assert_cmpint (track->rank, ==, 4);
}

static void
test_helper (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path =
      make (fixture, "x.sqlite",
            KERNELS KERNEL "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid);"
                           "INSERT INTO NVTX_EVENTS VALUES (0,9,59,'read',%" G_GINT64_FORMAT ");",
            0, 10, PID (0, 100), 1, PID (0, 200) + 200);
  g_autoptr (HirTrace) trace = load (path, NULL);
  const HirTrack *track = NULL;
  HirEvent event;

  g_assert_cmpuint (count (trace, "read", &event, &track), ==, 1);
  g_assert_cmpint (track->rank, ==, 0);
}

/* MPI calls are host events; a table that is not read is named, even if it is empty. */
static void
test_mpi (void)
{
  g_autoptr (HirTrace) trace = load_case ("mpi.sqlite", NULL);
  const HirTrack *track = NULL;
  HirEvent event;

  /* The case names both the kernel and the MPI call "gemm". */
  g_assert_cmpuint (count (trace, "gemm", &event, &track), ==, 2);
  g_assert_cmpint (track->kind, ==, HIR_TRACK_HOST);
  g_assert_cmpint (event.kind, ==, HIR_EVENT_HOST);
  g_assert_cmpint (event.start_ns, ==, 2000);
  g_assert_cmpint (event.end_ns, ==, 9000);
  g_assert_cmpint (event.bytes, ==, 4096);
  g_assert_nonnull (strstr (track->name, "MPI"));
  g_assert_true (account_says (trace, "GPU_METRICS (1 rows)"));
  g_assert_true (account_says (trace, "CUDNN_EVENTS"));
  g_assert_false (account_says (trace, "MPI_COLLECTIVES_EVENTS"));
  g_assert_false (account_says (trace, "StringIds"));
}

/* Ranges of two domains may overlap without nesting; each domain has a track. */
static void
test_domains (Fixture *fixture, gconstpointer data)
{
  gint64 thread = PID (0, 100) + 100;
  g_autofree char *path =
      make (fixture, "x.sqlite",
            KERNELS KERNEL
            "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, "
            "domainId);"
            "INSERT INTO NVTX_EVENTS VALUES (0,9,59,'mine',NULL,%" G_GINT64_FORMAT ",0),"
            "(5,12,59,'theirs',NULL,%" G_GINT64_FORMAT ",3),"
            "(0,NULL,75,NULL,5,%" G_GINT64_FORMAT ",3);",
            0, 10, PID (0, 100), 1, thread, thread, thread);
  g_autoptr (HirTrace) trace = load (path, NULL);
  const HirTrack *mine = NULL, *theirs = NULL;
  HirEvent event;

  g_assert_cmpuint (count (trace, "mine", &event, &mine), ==, 1);
  g_assert_cmpuint (count (trace, "theirs", &event, &theirs), ==, 1);
  g_assert_cmpstr (mine->name, ==, "thread 100: NVTX");
  g_assert_cmpstr (theirs->name, ==, "thread 100: NVTX NCCL");
}

/* Tables of older versions of Nsight have a suffix. */
static void
test_versions (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path =
      make (fixture, "x.sqlite",
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
            "INSERT INTO StringIds VALUES (1,'a'),(2,'b');"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V3 (start, end, deviceId, streamId, "
            "correlationId, globalPid, demangledName);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V3 VALUES (0,10,0,7,1,16777216,1);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 (start, end, deviceId, streamId, name);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 VALUES (20,25,0,7,2);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_VERSIONS (start, end);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_VERSIONS VALUES (1,2);");
  g_autoptr (HirTrace) trace = load (path, NULL);
  const HirTrack *track = NULL;
  HirEvent event;

  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 2);
  g_assert_cmpuint (count (trace, "a", &event, &track), ==, 1);
  g_assert_cmpint (event.end_ns, ==, 10);
  g_assert_cmpuint (count (trace, "b", &event, &track), ==, 1);
  g_assert_cmpint (event.end_ns, ==, 25);
  g_assert_true (account_says (trace, "CUPTI_ACTIVITY_KIND_KERNEL_VERSIONS"));
}

/* The arguments of a row have Kineto's names. If the file changes, they are an error, and no data
 * of another row. */
static void
test_arguments (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path =
      make (fixture, "a.sqlite",
            "CREATE TABLE StringIds (id INTEGER, value TEXT);"
            "INSERT INTO StringIds VALUES (1, 'a \"quoted\" name');"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, gridX, gridY,"
            " gridZ, staticSharedMemory, dynamicSharedMemory, shortName, globalPid, ratio);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 10, 0, 4294967295, 1, -2, 3, 16,"
            " 1024, 1, %" G_GINT64_FORMAT ", 0.5);",
            PID (1, 2));
  g_autoptr (HirTrace) trace = load (path, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *json = NULL;
  struct utimbuf long_ago = { 1000, 1000 };

  /* CUPTI's number of no stream is none of a track, either. */
  g_assert_cmpstr (hir_trace_get_track (trace, 0)->name, ==, "all streams");
  g_assert_cmpint (hir_trace_get_track (trace, 0)->stream, ==, -1);
  json = hir_trace_dup_event_json (trace, 0, 0, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (
      strstr (json, "\"device\":0,\"stream\":-1,\"grid\":[1, -2, 3],\"staticSharedMemory\":16,"
                    "\"dynamicSharedMemory\":1024,\"shortName\":\"a \\\"quoted\\\" name\","));
  g_assert_nonnull (strstr (json, "\"ratio\":0.5,\"shared memory\":1040"));
  g_usleep (2000); /* the file is compared once per millisecond */
  g_assert_cmpint (g_utime (path, &long_ago), ==, 0);
  g_assert_null (hir_trace_dup_event_json (trace, 0, 0, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "changed since it was loaded"));
}

#define ADD(name, function)                                                                        \
  g_test_add ("/nsys-cases/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nsys-cases/graph", test_graph);
  g_test_add_func ("/nsys-cases/ranks", test_ranks);
  g_test_add_func ("/nsys-cases/mpi", test_mpi);
  ADD ("machines", test_machines);
  ADD ("reports-of-machines", test_reports_of_machines);
  ADD ("mpi-ranks", test_mpi_ranks);
  ADD ("clocks", test_clocks);
  ADD ("helper", test_helper);
  ADD ("domains", test_domains);
  ADD ("versions", test_versions);
  ADD ("arguments", test_arguments);
  return g_test_run ();
}
