/* Tests SQLite exports of Nsight Systems: small generated ones, old and unusual schemas, and the
 * real files of the data folder if it exists. */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "analysis/stats.h"
#include "diagnostic.h"
#include "trace/load/import.h"

#define PID(n) ((gint64) 0x1000000 * (n))

static char *
make_database (const char *sql)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("hir-nsys-XXXXXX.sqlite", &path, NULL);
  sqlite3 *db = NULL;
  char *message = NULL;

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
  return path;
}

static HirTrace *
load (const char *sql, GError **error)
{
  g_autofree char *path = make_database (sql);
  const char *const paths[] = { path, NULL };
  HirTrace *trace = hir_trace_open (paths, NULL, error);

  g_unlink (path);
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

static const char strings[] =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1,'gemm'),(2,'ncclDevKernel_AllGather'),(3,'cudaLaunchKernel'),"
    "(4,'main');";

/* Rows out of order, two processes, columns in another order, missing columns. */
static void
test_tables (void)
{
  g_autofree char *sql = g_strdup_printf (
      "%s"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (shortName, streamId, deviceId, globalPid, end, "
      "start, correlationId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2,20,1,%" G_GINT64_FORMAT ",900,500,8);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,7,0,%" G_GINT64_FORMAT ",300,100,7);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, correlationId, "
      "globalPid, bytes, copyKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (310,350,0,7,9,%" G_GINT64_FORMAT ",4096,1);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, streamId, "
      "globalPid);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (300,310,0,20,%" G_GINT64_FORMAT ");"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50,60,%" G_GINT64_FORMAT ",7,3);"
      "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId);"
      "INSERT INTO NVTX_EVENTS VALUES (40,70,59,'step',%" G_GINT64_FORMAT ",NULL);"
      "INSERT INTO NVTX_EVENTS VALUES (45,NULL,34,NULL,%" G_GINT64_FORMAT ",4);"
      "INSERT INTO NVTX_EVENTS VALUES (0,0,75,'a domain',NULL,NULL);"
      "CREATE TABLE ThreadNames (nameId, globalTid);"
      "INSERT INTO ThreadNames VALUES (4,%" G_GINT64_FORMAT ");",
      strings, PID (200), PID (100), PID (100), PID (200), PID (100) + 101, PID (100) + 101,
      PID (100) + 101, PID (100) + 101);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = load (sql, &error);
  g_autoptr (HirStats) stats = NULL;
  const HirGpuStats *first, *second;
  const HirTrack *track = NULL;

  g_assert_no_error (error);
  stats = hir_stats_new (trace, NULL);
  g_assert_cmpuint (stats->gpus->len, ==, 2);
  first = &g_array_index (stats->gpus, HirGpuStats, 0);
  second = &g_array_index (stats->gpus, HirGpuStats, 1);
  g_assert_cmpint (first->computation_ns, ==, 200);
  g_assert_cmpint (first->exposed_memcpy_ns, ==, 40);
  g_assert_cmpint (second->rank, ==, 1);
  g_assert_cmpint (second->device, ==, 1); /* also for its synchronization, whose row has 0 */
  g_assert_cmpint (second->total_comm_ns, ==, 400);
  g_assert_cmpuint (stats->n_unmatched, ==, 2);
  g_assert_cmpuint (stats->queue.count, ==, 1);
  g_assert_cmpint (stats->queue.p50_ns, ==, 40);
  g_assert_true (account_says (trace, "1 events without an end"));
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 7);
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    if (hir_trace_get_track (trace, t)->kind == HIR_TRACK_HOST && track == NULL)
      track = hir_trace_get_track (trace, t);
  g_assert_cmpstr (track->name, ==, "main (101)");
}

static void
test_rejected (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (load (strings, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "no CUDA or NVTX event"));
  g_clear_error (&error);
  g_assert_null (load ("CREATE TABLE notes (text)", &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

/* A view of this name could run forever or read other data. */
static void
test_views (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (load ("CREATE TABLE StringIds (id, value);"
                       "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(x) AS (SELECT 1 "
                       "UNION ALL SELECT x FROM n) SELECT x AS start, x AS end FROM n",
                       &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

typedef struct
{
  const char *name;
  guint64 n_kernels;
} Real;

static const Real reals[] = {
  { "h100_2gpu_1s.sqlite", 3442 },
  { "two_gpu_sendrecv_before.sqlite", 4010 },
};

static void
test_real (gconstpointer data)
{
  const Real *real = data;
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "..", "shared", "data",
                                            "traces", "nsys", real->name, NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = NULL;
  guint64 n = 0;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the folder of real traces is not there");
      return;
    }
  trace = hir_trace_open (paths, NULL, &error);
  g_assert_no_error (error);
  stats = hir_stats_new (trace, NULL);
  g_assert_cmpuint (stats->gpus->len, ==, 2);
  for (guint i = 0; i < stats->kernels->len; i++)
    {
      const HirKernelStats *kernel = &g_array_index (stats->kernels, HirKernelStats, i);

      if (kernel->kind == HIR_EVENT_KERNEL || kernel->kind == HIR_EVENT_COMMUNICATION)
        n += kernel->count;
    }
  g_assert_cmpuint (n, ==, real->n_kernels);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-nsys/tables", test_tables);
  g_test_add_func ("/import-nsys/rejected", test_rejected);
  g_test_add_func ("/import-nsys/views", test_views);
  g_test_add_data_func ("/import-nsys/real/h100", &reals[0], test_real);
  g_test_add_data_func ("/import-nsys/real/sendrecv", &reals[1], test_real);
  return g_test_run ();
}
