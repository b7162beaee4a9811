/* Tests what exports keep: the epoch, the zero of time, the header, the size of launches, Kineto's
 * names and categories. */
#include <sqlite3.h>
#include <string.h>

#include "test-folder.h"
#include "trace/export/export-chrome.h"
#include "trace/export/export-csv.h"
#include "trace/export/export-nsight.h"
#include "trace/load/import.h"

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
load_case (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases",
                                            "traces", name, NULL);

  return load (path, NULL);
}

typedef gboolean (*Exporter) (const HirTrace *trace,
                              const char *path,
                              HirExportProgress *progress,
                              GError **error);

static char *
write_trace (TestFolder *fixture, const char *name, Exporter exporter, const HirTrace *trace)
{
  char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  exporter (trace, path, NULL, &error);
  g_assert_no_error (error);
  return path;
}

/* Two ranks that are exported one by one keep the second between them. */
static void
test_epoch (TestFolder *fixture, gconstpointer data)
{
  static const struct
  {
    const char *names[2];
    Exporter exporter;
  } cases[] = {
    { { "rank0.json", "rank1.json" }, hir_export_chrome_file },
    { { "rank0.sqlite", "rank1.sqlite" }, hir_export_nsight_file },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirTrace) first = load_case ("abs_rank0.json");
      g_autoptr (HirTrace) second = load_case ("abs_rank1.json");
      g_autofree char *a = write_trace (fixture, cases[i].names[0], cases[i].exporter, first);
      g_autofree char *b = write_trace (fixture, cases[i].names[1], cases[i].exporter, second);
      g_autoptr (HirTrace) both = load (a, b);
      gint64 starts[2], end_ns;

      g_assert_cmpuint (hir_trace_get_n_tracks (both), ==, 2);
      for (guint t = 0; t < 2; t++)
        {
          g_assert_cmpint (hir_trace_get_track (both, t)->rank, ==, t);
          hir_trace_get_interval (both, t, 0, &starts[t], &end_ns);
        }
      g_assert_cmpint (starts[1] - starts[0], ==, 1000000000);
    }
}

/* The first event is at zero in every export, as for --range, although another is written first. */
static void
test_zero (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_case ("zero_mismatch.json");
  g_autofree char *csv = write_trace (fixture, "a.csv", hir_export_csv_file, trace);
  g_autofree char *chrome = write_trace (fixture, "a.json", hir_export_chrome_file, trace);
  g_autofree char *nsight = write_trace (fixture, "a.sqlite", hir_export_nsight_file, trace);
  g_autofree char *text = NULL;
  const char *const again[] = { chrome, nsight };
  gint64 start_ns, end_ns;

  hir_trace_get_span (trace, &start_ns, &end_ns);
  g_assert_cmpint (start_ns, ==, 0);
  g_assert_cmpint (end_ns, ==, 60000);
  g_assert_true (g_file_get_contents (csv, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, ",kernel,earlier,0,10000,"));
  g_assert_nonnull (strstr (text, ",kernel,written_first,50000,10000,"));
  for (guint i = 0; i < G_N_ELEMENTS (again); i++)
    {
      g_autoptr (HirTrace) read = load (again[i], NULL);

      hir_trace_get_span (read, &start_ns, &end_ns);
      g_assert_cmpint (start_ns, ==, 0);
      g_assert_cmpint (end_ns, ==, 60000);
    }
}

/* Reads one row of a database. */
static char *
query (const char *path, const char *sql)
{
  g_autoptr (GString) row = g_string_new (NULL);
  sqlite3_stmt *statement = NULL;
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  for (int c = 0; c < sqlite3_column_count (statement); c++)
    g_string_append_printf (row, "%s%s", c > 0 ? " " : "",
                            (const char *) sqlite3_column_text (statement, c));
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return g_string_free (g_steal_pointer (&row), FALSE);
}

/* Nsight's tables have the size of the launch, and the names of GPUs; the header and the args
 * survive Nsight's tables and recordings. */
static void
test_grid (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_case ("grid.json");
  g_autofree char *nsight = write_trace (fixture, "a.sqlite", hir_export_nsight_file, trace);
  g_autofree char *kernel =
      query (nsight, "SELECT gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, "
                     "staticSharedMemory + dynamicSharedMemory FROM CUPTI_ACTIVITY_KIND_KERNEL");
  g_autofree char *gpu = query (nsight, "SELECT id, name, smCount FROM TARGET_INFO_GPU");
  g_autoptr (HirTrace) again = load (nsight, NULL);
  g_autofree char *chrome = write_trace (fixture, "a.json", hir_export_chrome_file, again);
  g_autofree char *text = NULL;

  g_assert_cmpstr (kernel, ==, "132 2 1 256 1 1 64 49152");
  g_assert_cmpstr (gpu, ==, "0 NVIDIA H100 132");
  g_assert_true (g_file_get_contents (chrome, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"totalGlobalMem\": 85000000000"));
  g_assert_nonnull (strstr (text, "\"world_size\": 64"));
  g_assert_nonnull (strstr (text, "\"grid\":[132, 2, 1]"));
}

/* A real report's row: Kineto's names of events and arguments, and back. */
static void
test_kineto_names (TestFolder *fixture, gconstpointer data)
{
  static const char sql[] =
      "CREATE TABLE StringIds (id INTEGER, value TEXT);"
      "INSERT INTO StringIds VALUES (1,'k'), (2,'cudaLaunchKernel_v7000'), (3,'cuMemcpy_v2');"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0,'NVIDIA H200',150,132);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
      "shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, "
      "blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, "
      "dynamicSharedMemory INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
      "(100,200,0,1,7,5,16777216,1,8,2,1,64,1,1,32,16,1024);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, "
      "srcKind INTEGER, dstKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (300,400,0,7,6,16777216,64,1,0,2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, globalPid INTEGER, bytes INTEGER, memKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500,600,0,7,16777216,64,2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, "
      "deviceId INTEGER, streamId INTEGER, globalPid INTEGER, syncType INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (700,800,0,7,16777216,3);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
      "correlationId INTEGER, nameId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50,60,16777217,5,2), (70,80,16777217,0,3);";
  static const char *const parts[] = {
    "\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,",
    "\"device\":0,\"context\":1,\"stream\":7,\"correlation\":5,",
    "\"grid\":[8, 2, 1],\"block\":[64, 1, 1],\"registers per thread\":32,",
    "\"shared memory\":1040,",
    "\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> Device)\"",
    "\"cat\":\"gpu_memset\",\"name\":\"Memset (Device)\"",
    "\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\"",
    "\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\"",
    "\"cat\":\"cuda_driver\",\"name\":\"cuMemcpy_v2\"",
    "\"cat\":\"ac2g\"",
    "\"name\":\"NVIDIA H200\",\"totalGlobalMem\":150",
  };
  g_autofree char *report = g_build_filename (fixture->folder, "report.sqlite", NULL);
  g_autofree char *chrome = NULL, *nsight = NULL, *text = NULL, *copy = NULL, *kernel = NULL;
  g_autoptr (HirTrace) trace = NULL;
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (report, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  trace = load (report, NULL);
  chrome = write_trace (fixture, "a.json", hir_export_chrome_file, trace);
  g_assert_true (g_file_get_contents (chrome, &text, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (text, parts[i]) == NULL)
      g_error ("%s is not in %s", parts[i], text);
  nsight = write_trace (fixture, "a.sqlite", hir_export_nsight_file, trace);
  kernel = query (nsight, "SELECT gridX, gridY, blockX, registersPerThread, staticSharedMemory, "
                          "dynamicSharedMemory, contextId FROM CUPTI_ACTIVITY_KIND_KERNEL");
  g_assert_cmpstr (kernel, ==, "8 2 64 32 16 1024 1");
  copy = query (nsight, "SELECT copyKind, srcKind, dstKind, memKind, syncType FROM "
                        "CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET, "
                        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  g_assert_cmpstr (copy, ==, "1 0 2 2 3");
}

/* Categories that names do not tell stay, through every format that is read again. */
static void
test_category (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_case ("nest.json");
  g_autofree char *chrome = write_trace (fixture, "a.json", hir_export_chrome_file, trace);
  g_autofree char *nsight = write_trace (fixture, "a.sqlite", hir_export_nsight_file, trace);
  const char *const sources[] = { chrome, nsight };

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      g_autoptr (HirTrace) read = load (sources[i], NULL);
      g_autofree char *again = write_trace (fixture, "again.json", hir_export_chrome_file, read);
      g_autofree char *text = NULL, *first = NULL;

      g_assert_true (g_file_get_contents (again, &text, NULL, NULL));
      g_assert_true (g_file_get_contents (chrome, &first, NULL, NULL));
      g_assert_nonnull (strstr (text, "\"cat\":\"cpu_op\",\"name\":\"outer\""));
      g_assert_cmpstr (text, ==, first);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  TEST_FOLDER_ADD ("/export-cases/epoch", test_epoch, NULL);
  TEST_FOLDER_ADD ("/export-cases/zero", test_zero, NULL);
  TEST_FOLDER_ADD ("/export-cases/grid", test_grid, NULL);
  TEST_FOLDER_ADD ("/export-cases/kineto-names", test_kineto_names, NULL);
  TEST_FOLDER_ADD ("/export-cases/category", test_category, NULL);
  return g_test_run ();
}
