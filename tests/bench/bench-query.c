/* bench-query [EVENTS [ROUNDS]]: measures SQL queries on a trace of 10 M events in memory: CPU
 * time, because other programs use the machine, too, and memory beside the trace. Checks nothing.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench-make.h"
#include "query/query.h"

#define N_TRACKS 64

typedef struct
{
  const char *name, *sql;
  double goal_s; /* 0: none */
} Row;

static const Row rows[] = {
  { "GROUP BY name", "SELECT name, count(*), sum(dur_ns) FROM events GROUP BY name", 5 },
  { "GROUP BY name, sorted by sum",
    "SELECT name, sum(dur_ns) AS s FROM events GROUP BY name ORDER BY s DESC LIMIT 10", 5 },
  { "GROUP BY rank, device", "SELECT rank, device, count(*) FROM events GROUP BY 1, 2", 5 },
  { "GROUP BY kind", "SELECT kind, count(*) FROM events GROUP BY kind", 0 },
  { "count(*)", "SELECT count(*) FROM events", 0 },
  { "the longest 10", "SELECT name, dur_ns FROM events ORDER BY dur_ns DESC LIMIT 10", 0 },
  { "1 ms of one track",
    "SELECT count(*) FROM events WHERE track = 3 AND start_ns BETWEEN 1000000000 AND 1001000000",
    0 },
  { "1 ms of all tracks",
    "SELECT count(*) FROM events WHERE start_ns BETWEEN 1000000000 AND 1001000000", 0 },
  { "one name", "SELECT count(*) FROM events WHERE name_id = 7", 0 },
  { "kernels with their launches",
    "SELECT count(*) FROM kernels AS k JOIN host_ops AS h ON h.id = k.launch_id", 0 },
};

static double
run (HirQuery *query, const char *sql)
{
  const HirQueryOptions options = { .format = HIR_QUERY_AS_CSV };
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;
  double start_s = bench_cpu_s ();
  HirTextOut out;

  hir_text_out_init (&out, stream, NULL);
  if (!hir_query_run (query, sql, &options, &out, &error) || !hir_text_out_finish (&out, &error))
    g_error ("%s", error->message);
  return bench_cpu_s () - start_s;
}

int
main (int argc, char **argv)
{
  guint64 n_events = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 10000000;
  guint n_rounds = argc > 2 ? (guint) atoi (argv[2]) : 3;
  g_autoptr (HirTrace) trace = bench_trace_new (n_events, N_TRACKS);
  g_autoptr (GError) error = NULL;

  g_print ("%.1f M events on %u tracks, %.0f MB; CPU time of the first run, which builds indexes, "
           "and best of %u\n\n",
           (double) n_events / 1e6, N_TRACKS, (double) hir_trace_get_size_bytes (trace) / 1e6,
           n_rounds);
  g_print ("%-32s %10s %10s %12s %12s\n", "", "first s", "best s", "SQLite MB", "process MB");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (HirQuery) query = hir_query_new (trace, NULL, 0, &error);
      double first_s, best_s;
      struct rusage usage;

      if (query == NULL)
        g_error ("%s", error->message);
      sqlite3_memory_highwater (1);
      best_s = first_s = run (query, rows[i].sql);
      for (guint round = 1; round < n_rounds; round++)
        best_s = MIN (best_s, run (query, rows[i].sql));
      getrusage (RUSAGE_SELF, &usage);
      g_print ("%-32s %10.3f %10.3f %12.2f %12.0f", rows[i].name, first_s, best_s,
               (double) sqlite3_memory_highwater (0) / 1e6, (double) usage.ru_maxrss / 1e3);
      if (rows[i].goal_s > 0)
        g_print ("  (goal %.0f s)", rows[i].goal_s);
      g_print ("\n");
    }
  return 0;
}
