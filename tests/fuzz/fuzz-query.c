/* fuzz-query N [SEED]: random SQL on a small trace. Two of five texts are made by a grammar,
 * two are valid queries with broken bytes or words, one is a filter of the events table. A crash or
 * a hang names the input; a query must end by its time limit, and must not change what the next one
 * reads. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diagnostic.h"
#include "query/query-listing.h"
#include "query/query.h"

#define SECONDS_PER_RUN 20
#define TIMEOUT_S 1

static char last_words[64];

static void
on_signal (int number)
{
  (void) !write (STDERR_FILENO, last_words, strlen (last_words));
  signal (number, SIG_DFL);
  raise (number);
}

static guint
below (GRand *rand, guint n)
{
  return (guint) g_rand_int_range (rand, 0, (gint32) n);
}

static const char *const tables[] = { "events",       "kernels",      "copies",
                                      "host_ops",     "collectives",  "counters",
                                      "comm_records", "flows",        "tracks",
                                      "ranks",        "instructions", "passes",
                                      "nodes",        "absent",       "json_each('[1,2]')",
                                      "sqlite_master" };
static const char *const columns[] = {
  "id",      "track", "rank",  "device",      "start_ns",  "end_ns",      "dur_ns",    "name",
  "name_id", "kind",  "class", "correlation", "iteration", "instruction", "launch_id", "queue_ns",
  "stream",  "op",    "team",  "sequence",    "value",     "rowid",       "*",         "label"
};
static const char *const values[] = { "0",
                                      "1",
                                      "-1",
                                      "9223372036854775807",
                                      "1e30",
                                      "-1e30",
                                      "1.5",
                                      "NULL",
                                      "'x'",
                                      "'gemm'",
                                      "x'00ff'",
                                      "4294967296",
                                      "''",
                                      "'0000000000000007'",
                                      "-9223372036854775808",
                                      "arg(id, 'x')",
                                      "percentile(dur_ns, 50)",
                                      "percentile(1, 0)",
                                      "(SELECT max(id) FROM kernels)",
                                      "zeroblob(99)" };
static const char *const operators[] = { "=",  "<", ">",    "<=",  ">=", "IS",   "<>",
                                         "IN", "+", "LIKE", "AND", "OR", "GLOB", "BETWEEN 1 AND" };

/* Of each three columns, two are among the first ones, which all tables of events have. */
static const char *
pick_column (GRand *rand)
{
  return columns[below (rand, below (rand, 3) == 0 ? G_N_ELEMENTS (columns) : 9)];
}

static const char *
pick_table (GRand *rand)
{
  return tables[below (rand, below (rand, 3) == 0 ? G_N_ELEMENTS (tables) : 5)];
}

#define PICK(rand, array) ((array)[below (rand, G_N_ELEMENTS (array))])

static void
add_condition (GString *sql, GRand *rand)
{
  guint n = below (rand, 4);

  for (guint i = 0; i < n; i++)
    {
      const char *op = PICK (rand, operators);

      g_string_append_printf (sql, "%s %s%s %s ", i == 0 ? " WHERE" : "AND",
                              below (rand, 8) == 0 ? "+" : "", pick_column (rand), op);
      if (strcmp (op, "IN") == 0)
        g_string_append_printf (sql, "(%s, %s) ", PICK (rand, values), PICK (rand, values));
      else
        g_string_append_printf (sql, "%s ", PICK (rand, values));
    }
}

/* Appends up to three columns, of which some are not in the tables. */
static void
add_columns (GString *sql, GRand *rand, const char *before)
{
  guint n = 1 + below (rand, 3);

  g_string_append (sql, before);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (sql, "%s%s%s", i > 0 ? ", " : "", pick_column (rand),
                            strstr (before, "ORDER") != NULL && below (rand, 3) == 0 ? " DESC"
                                                                                     : "");
}

static char *
make_query (GRand *rand)
{
  GString *sql = g_string_new (below (rand, 10) == 0 ? "EXPLAIN " : "");

  g_string_append (sql, "SELECT ");
  if (below (rand, 3) == 0)
    g_string_append (sql, "DISTINCT ");
  if (below (rand, 3) == 0)
    g_string_append_printf (sql, "count(*), %s, percentile(%s, %s)", pick_column (rand),
                            pick_column (rand), PICK (rand, values));
  else
    g_string_append (sql, pick_column (rand));
  g_string_append_printf (sql, " FROM %s", pick_table (rand));
  if (below (rand, 3) == 0)
    g_string_append_printf (sql, "%s JOIN %s USING (%s)", below (rand, 2) ? " LEFT" : "",
                            pick_table (rand), pick_column (rand));
  add_condition (sql, rand);
  if (below (rand, 2) == 0)
    add_columns (sql, rand, " GROUP BY ");
  if (below (rand, 2) == 0)
    add_columns (sql, rand, " ORDER BY ");
  if (below (rand, 4) == 0)
    g_string_append_printf (sql, " LIMIT %s", PICK (rand, values));
  return g_string_free (sql, FALSE);
}

static const char *const seeds[] = {
  "ATTACH 'x' AS y",
  "PRAGMA table_info(events)",
  "SELECT load_extension('x')",
  "DELETE FROM events WHERE id = 1",
  "CREATE VIRTUAL TABLE a USING events(x)",
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
  "SELECT name, sum(dur_ns) OVER (PARTITION BY track ORDER BY start_ns) FROM events",
  "SELECT k.name, h.name FROM kernels k JOIN host_ops h ON h.id = k.launch_id; SELECT 2",
  "SELECT group_concat(name, '\xc3\xa9') FROM events GROUP BY name, rank HAVING count(*) > 1",
};

/* Returns a seed or a view in which bytes are broken, removed or repeated. */
static char *
break_query (GRand *rand)
{
  const HirQueryView *views = hir_query_get_views ();
  const char *good = below (rand, 2) == 0 ? PICK (rand, seeds) : views[below (rand, 5)].sql;
  GString *sql = g_string_new (good);
  guint n = below (rand, 5);

  for (guint i = 0; i < n && sql->len > 1; i++)
    {
      gsize at = below (rand, (guint) sql->len), size = 1 + below (rand, 20);

      switch (below (rand, 4))
        {
        case 0:
          sql->str[at] = (char) (1 + below (rand, 255));
          break;
        case 1:
          g_string_erase (sql, (gssize) at, (gssize) MIN (size, sql->len - at));
          break;
        case 2:
          g_string_insert (sql, (gssize) at, PICK (rand, values));
          break;
        default:
          g_string_insert (sql, (gssize) at, PICK (rand, operators));
          break;
        }
    }
  return g_string_free (sql, FALSE);
}

/* Creates a trace with events of all kinds on two ranks. */
static HirTrace *
make_trace (void)
{
  static const char *const names[] = { "gemm", "nccl", "", "\xc3\xa9", "launch" };
  static const HirTrackKind kinds[] = { HIR_TRACK_HOST, HIR_TRACK_STREAM, HIR_TRACK_LINK,
                                        HIR_TRACK_COUNTER };
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (guint t = 0; t < 8; t++)
    {
      const HirTrack track = { .kind = kinds[t % 4],
                               .rank = (int) t / 4,
                               .device = (int) t / 4,
                               .stream = t % 4 == 0 ? -1 : (gint64) t,
                               .name = (char *) "track" };

      hir_trace_builder_add_track (builder, &track);
      for (guint i = 0; i < 40; i++)
        {
          HirEvent event = { .start_ns = 10 * i + t, .end_ns = 10 * i + t + 1 + i % 30 };

          event.track = (guint16) t;
          event.name = hir_trace_builder_intern (builder, names[(i + t) % 5]);
          event.correlation = i % 3 == 0 ? 0 : i;
          event.instruction = i % 4 == 0 ? 0 : i % 7;
          event.iteration = (gint32) (i % 5) - 1;
          event.kind = t % 4 == 0   ? HIR_EVENT_ISSUE
                       : t % 4 == 3 ? HIR_EVENT_COUNTER
                                    : i % (HIR_EVENT_SYNC + 1);
          if (t % 4 == 3)
            hir_event_set_value (&event, i);
          g_assert_true (hir_trace_builder_add (builder, &event, NULL));
        }
    }
  return hir_trace_builder_finish (builder);
}

/* Returns a filter of the events table: words of its syntax, of which some are broken. */
static char *
make_filter (GRand *rand)
{
  static const char *const words[] = { "gemm",  " ",     "\"",     "\"\"",     "dur>",
                                       "rank=", "name=", "kind!=", "1",        "10us",
                                       "'",     "%",     "\\",     "\xc3\xa9", "<",
                                       "-1e9",  ";",     "--",     "id=",      "NULL" };
  GString *filter = g_string_new (NULL);
  guint n = below (rand, 12);

  for (guint i = 0; i < n; i++)
    g_string_append (filter, PICK (rand, words));
  return g_string_free (filter, FALSE);
}

/* Returns the SQL of a filter; "" if the filter is incorrect. */
static char *
make_listing (GRand *rand)
{
  g_autofree char *filter = make_filter (rand);
  const HirListing listing = { .table = tables[below (rand, 5)],
                               .filter = filter,
                               .group = (HirListingGroup) below (rand, 5),
                               .end_ns = below (rand, 3) };
  g_autoptr (GError) error = NULL;
  char *sql = hir_listing_dup_sql (&listing, "id, name", &error);

  g_assert_true ((sql == NULL) == (error != NULL));
  return sql != NULL ? sql : g_strdup ("");
}

/* Runs @sql and returns its output, or NULL after an error. */
static char *
run_query (HirQuery *query, const char *sql, HirQueryFormat format)
{
  const HirQueryOptions options = { .format = format, .timeout_s = TIMEOUT_S };
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;
  HirTextOut out;
  gboolean is_done;

  hir_text_out_init (&out, stream, NULL);
  is_done = hir_query_run (query, sql, &options, &out, &error);
  g_assert_true (hir_text_out_finish (&out, NULL));
  g_assert_true (is_done == (error == NULL));
  if (!is_done)
    {
      g_assert_true (error->domain == HIR_ERROR && error->message[0] != '\0');
      return NULL;
    }
  return g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream)),
                    g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)));
}

int
main (int argc, char **argv)
{
  static const char check[] = "SELECT count(*), sum(start_ns), count(DISTINCT name) FROM events";
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 1000;
  guint32 seed = argc > 2 ? (guint32) atoi (argv[2]) : 1;
  g_autoptr (HirTrace) trace = make_trace ();
  g_autoptr (HirQuery) query = hir_query_new (trace, NULL, 0, NULL);
  g_autofree char *before = run_query (query, check, HIR_QUERY_AS_JSON);
  guint n_done = 0;

  g_assert_nonnull (before);
  signal (SIGALRM, on_signal);
  signal (SIGABRT, on_signal);
  signal (SIGSEGV, on_signal);
  for (guint i = 0; i < n; i++)
    {
      GRand *rand = g_rand_new_with_seed (seed + i);
      guint source = below (rand, 5);
      g_autofree char *sql = source < 2   ? make_query (rand)
                             : source < 4 ? break_query (rand)
                                          : make_listing (rand);
      g_autofree char *result = NULL;

      g_snprintf (last_words, sizeof last_words, "fuzz-query: input of seed %u\n", seed + i);
      alarm (SECONDS_PER_RUN);
      result = run_query (query, sql, (HirQueryFormat) below (rand, 3));
      /* Every filter is a correct query. */
      g_assert_true (source < 4 || *sql == '\0' || result != NULL);
      n_done += result != NULL;
      if (i % 64 == 0)
        {
          g_autofree char *after = run_query (query, check, HIR_QUERY_AS_JSON);

          g_assert_cmpstr (after, ==, before);
        }
      g_rand_free (rand);
    }
  alarm (0);
  g_print ("%u inputs: %u rejected, %u answered, no crash, no hang\n", n, n - n_done, n_done);
  return 0;
}
