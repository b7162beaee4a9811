/* fuzz-nsys N [SEED]: broken exports of Nsight Systems. Half of the inputs are valid databases
 * with broken bytes, half valid ones with wrong values. Each is imported and traversed. A crash
 * or a hang names the input. */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "diagnostic.h"
#include "input.h"
#include "trace/nsight/import-nsys.h"

#define SECONDS_PER_RUN 20

static const char schema[] =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1,'gemm'),(2,'ncclDevKernel_AllGather'),(3,'cudaLaunchKernel');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, "
    "globalPid, demangledName, shortName);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,300,0,7,7,1677721600,1,1),"
    "(500,900,1,20,8,3355443200,2,2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, correlationId, "
    "globalPid, bytes, copyKind);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (310,350,0,7,9,1677721600,4096,1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, streamId, globalPid);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (300,310,0,20,1677721600);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50,60,1677721701,7,3);"
    "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId);"
    "INSERT INTO NVTX_EVENTS VALUES (40,70,59,'step',1677721701,NULL),(45,NULL,34,NULL,1,1);"
    "INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,'NCCL',1677721701,NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V3 (start, end, deviceId, streamId, name);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V3 VALUES (900,950,0,7,1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, correlationId, "
    "globalPid, graphId);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1000,1300,0,7,7,1677721600,1);"
    "CREATE TABLE MPI_COLLECTIVES_EVENTS (start, end, globalTid, textId, size);"
    "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (0,9,1677721701,1,4096);"
    "CREATE TABLE MPI_RANKS (globalPid, rank);"
    "INSERT INTO MPI_RANKS VALUES (1677721600,1),(3355443200,0);"
    "CREATE TABLE GPU_METRICS (timestamp, value); INSERT INTO GPU_METRICS VALUES (1,2);"
    "CREATE TABLE ThreadNames (nameId, globalTid); INSERT INTO ThreadNames VALUES (1,1677721701);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs); "
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);";

static const char *const cells[] = {
  "StringIds.value",
  "CUPTI_ACTIVITY_KIND_KERNEL.start",
  "CUPTI_ACTIVITY_KIND_KERNEL.end",
  "CUPTI_ACTIVITY_KIND_KERNEL.deviceId",
  "CUPTI_ACTIVITY_KIND_KERNEL.streamId",
  "CUPTI_ACTIVITY_KIND_KERNEL.globalPid",
  "CUPTI_ACTIVITY_KIND_KERNEL.demangledName",
  "CUPTI_ACTIVITY_KIND_KERNEL.correlationId",
  "CUPTI_ACTIVITY_KIND_MEMCPY.bytes",
  "CUPTI_ACTIVITY_KIND_MEMCPY.copyKind",
  "CUPTI_ACTIVITY_KIND_RUNTIME.globalTid",
  "CUPTI_ACTIVITY_KIND_RUNTIME.nameId",
  "NVTX_EVENTS.end",
  "NVTX_EVENTS.eventType",
  "NVTX_EVENTS.text",
  "NVTX_EVENTS.textId",
  "CUPTI_ACTIVITY_KIND_KERNEL_V3.name",
  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE.graphId",
  "MPI_COLLECTIVES_EVENTS.size",
  "MPI_RANKS.globalPid",
  "MPI_RANKS.rank",
  "ThreadNames.nameId",
  "TARGET_INFO_SESSION_START_TIME.utcEpochNs",
};

static const char *const values[] = { "NULL",
                                      "0",
                                      "-1",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "4294967296",
                                      "1e300",
                                      "'text'",
                                      "x'ff00ff'",
                                      "zeroblob(1000)",
                                      "CAST(x'ff41ff' AS TEXT)",
                                      "replace(hex(zeroblob(900)),'00','long ')" };

static void
make_database (const char *path, GRand *rand, guint n_changes)
{
  sqlite3 *db = NULL;

  g_unlink (path);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF", NULL, NULL, NULL);
  g_assert_cmpint (sqlite3_exec (db, schema, NULL, NULL, NULL), ==, SQLITE_OK);
  for (guint i = 0; i < n_changes; i++)
    {
      g_auto (GStrv) names = g_strsplit (cells[fuzz_below (rand, G_N_ELEMENTS (cells))], ".", 2);
      const char *value = values[fuzz_below (rand, G_N_ELEMENTS (values))];
      g_autofree char *sql = NULL;

      switch (fuzz_below (rand, 8))
        {
        case 0:
          sql = g_strdup_printf ("DROP TABLE %s", names[0]);
          break;
        case 1:
          sql = g_strdup_printf ("ALTER TABLE %s RENAME COLUMN %s TO other", names[0], names[1]);
          break;
        default:
          sql = g_strdup_printf ("UPDATE %s SET %s=%s WHERE rowid=%u", names[0], names[1], value,
                                 1 + fuzz_below (rand, 2));
        }
      sqlite3_exec (db, sql, NULL, NULL, NULL); /* a statement that SQLite rejects changes
                                                   nothing */
    }
  sqlite3_close (db);
}

static void
break_bytes (const char *path, const char *good, gsize size, GRand *rand)
{
  g_autofree char *bytes = g_memdup2 (good, size);
  guint n = 1 + fuzz_below (rand, 6);

  for (guint i = 0; i < n; i++)
    {
      gsize at =
          fuzz_below (rand, 3) == 0 ? fuzz_below (rand, 200) : fuzz_below (rand, (guint) size);

      if (fuzz_below (rand, 2) == 0)
        bytes[at] ^= (char) (1 << fuzz_below (rand, 8));
      else
        bytes[at] = (char) fuzz_below (rand, 256);
    }
  if (fuzz_below (rand, 8) == 0)
    size = fuzz_below (rand, (guint) size);
  g_assert_true (
      g_file_set_contents_full (path, bytes, size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static gboolean
try_file (const char *path)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = NULL;
  g_autoptr (GError) error = NULL;

  hir_import_nsys_sniff (path);
  if (!hir_import_nsys (builder, path, NULL, NULL, &error))
    {
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, path));
      hir_trace_builder_free (builder);
      return FALSE;
    }
  trace = hir_trace_builder_try_finish (builder, &error);
  g_assert_no_error (error);
  stats = hir_stats_new (trace, NULL);
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        g_assert_cmpint (event.start_ns, <=, event.end_ns);
        g_assert_true (g_utf8_validate (hir_trace_get_string (trace, event.name), -1, NULL));
      }
  return TRUE;
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 1000;
  guint32 seed = argc > 2 ? (guint32) atoi (argv[2]) : 1;
  g_autofree char *folder = g_dir_make_tmp ("fuzz-nsys-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.sqlite", NULL);
  g_autofree char *good = NULL;
  guint n_accepted = 0;
  gsize size;
  GRand *first = g_rand_new_with_seed (seed);

  make_database (path, first, 0);
  g_rand_free (first);
  g_assert_true (g_file_get_contents (path, &good, &size, NULL));
  for (guint i = 0; i < n; i++)
    {
      GRand *rand = g_rand_new_with_seed (seed + i);

      fuzz_input_begin (SECONDS_PER_RUN, "fuzz-nsys: input of seed %u", seed + i);
      if (fuzz_below (rand, 2) == 0)
        make_database (path, rand, 1 + fuzz_below (rand, 4));
      else
        break_bytes (path, good, size, rand);
      n_accepted += try_file (path);
      g_rand_free (rand);
    }
  fuzz_input_end ();
  g_unlink (path);
  g_rmdir (folder);
  g_print ("%u inputs: %u rejected, %u read, no crash, no hang\n", n, n - n_accepted, n_accepted);
  return 0;
}
