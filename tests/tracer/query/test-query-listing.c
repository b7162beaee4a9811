/* Tests the SQL of the events table on a small trace: typed conditions, groups, order, and rows in
 * memory. The expected rows are counted by hand. */
#include "query/query-listing.h"

#include <string.h>

#include "diagnostic.h"
#include "query/query-result.h"

#define N 12

/* Two streams with alternating names, and a host thread. Event i of stream s starts at 100 * i and
 * takes i + 1 us. */
static HirTrace *
make_trace (void)
{
  static const char *const names[] = { "gemm", "a \"quoted\" name", "100%_done" };
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (guint t = 0; t < 3; t++)
    {
      const HirTrack track = { .kind = t < 2 ? HIR_TRACK_STREAM : HIR_TRACK_HOST,
                               .rank = t == 1,
                               .device = t == 1,
                               .stream = t < 2 ? 7 : -1,
                               .name = (char *) (t < 2 ? "stream 7" : "host") };

      hir_trace_builder_add_track (builder, &track);
      for (guint i = 0; i < N; i++)
        {
          HirEvent event = { .start_ns = 100 * i, .end_ns = 100 * i + 1000 * (i + 1) };

          event.track = (guint16) t;
          event.name = hir_trace_builder_intern (builder, names[i % 3]);
          event.kind = t < 2 ? HIR_EVENT_KERNEL : HIR_EVENT_ISSUE;
          event.iteration = -1;
          g_assert_true (hir_trace_builder_add (builder, &event, NULL));
        }
    }
  return hir_trace_builder_finish (builder);
}

static HirQueryResult *
run (const char *sql)
{
  const HirQueryOptions options = { 0 };
  g_autoptr (HirTrace) trace = make_trace ();
  g_autoptr (HirQuery) query = hir_query_new (trace, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;
  HirQueryResult *result = hir_query_run_result (query, sql, &options, 1 << 20, &error);

  g_assert_no_error (error);
  return result;
}

static guint
count (const char *table, const char *filter)
{
  const HirListing listing = { .table = table, .filter = filter };
  g_autoptr (GError) error = NULL;
  g_autofree char *sql = hir_listing_dup_sql (&listing, "id, name", &error);
  g_autoptr (HirQueryResult) result = NULL;

  g_assert_no_error (error);
  result = run (sql);
  return hir_query_result_get_n_rows (result);
}

static void
test_filter (void)
{
  g_assert_cmpuint (count ("events", ""), ==, 3 * N);
  g_assert_cmpuint (count ("kernels", ""), ==, 2 * N);
  g_assert_cmpuint (count ("host_ops", "  "), ==, N);
  /* Words are parts of the name, in any case; all must hold. */
  g_assert_cmpuint (count ("events", "GEM"), ==, N);
  g_assert_cmpuint (count ("events", "quo name"), ==, N);
  g_assert_cmpuint (count ("events", "quo gemm"), ==, 0);
  /* No wildcards, no SQL. */
  g_assert_cmpuint (count ("events", "%_"), ==, N);
  g_assert_cmpuint (count ("events", "g_mm"), ==, 0);
  g_assert_cmpuint (count ("events", "' OR 1=1 --"), ==, 0);
  g_assert_cmpuint (count ("events", "\\"), ==, 0);
  /* Whole names. */
  g_assert_cmpuint (count ("events", "\"gemm\""), ==, N);
  g_assert_cmpuint (count ("events", "\"gem\""), ==, 0);
  g_assert_cmpuint (count ("events", "\"a \"\"quoted\"\" name\""), ==, N);
  g_assert_cmpuint (count ("events", "\"not ended"), ==, 0);
  /* Comparisons, with units. An unknown column is a part of a name. */
  g_assert_cmpuint (count ("events", "rank=1"), ==, N);
  g_assert_cmpuint (count ("events", "rank!=1 dur>10us"), ==, 2 * 2);
  g_assert_cmpuint (count ("events", "dur>=0.01ms"), ==, 3 * 3);
  g_assert_cmpuint (count ("events", "dur_ns<2000 gemm"), ==, 3);
  g_assert_cmpuint (count ("events", "kind=issue"), ==, N);
  g_assert_cmpuint (count ("events", "name=\"gemm\" stream=7"), ==, 8);
  g_assert_cmpuint (count ("events", "height=3"), ==, 0);
  g_assert_cmpuint (count ("events", "id=4294967297"), ==, 1);
  g_assert_cmpuint (count ("events", "instruction=none"), ==, 3 * N);
  g_assert_cmpuint (count ("events", "instruction!=none"), ==, 0);
  g_assert_cmpuint (count ("events", "rank!=none kind=none"), ==, 0);
  g_assert_cmpuint (count ("events", "instruction=\"none\""), ==, 0);
}

static void
test_word_of_name (void)
{
  g_autofree char *word = hir_listing_dup_name_word ("a \"quoted\" name");

  g_assert_cmpuint (count ("events", word), ==, N);
}

static void
test_errors (void)
{
  static const struct
  {
    const char *filter, *message;
    guint column;
  } cases[] = {
    { "gemm rank=two", "'two' is not a number for column rank; write, for example, rank=1", 6 },
    { "dur>", "'' is not a number for column dur_ns; write, for example, dur_ns>10us", 1 },
    { "\303\251 dur<3parsecs",
      "'3parsecs' is not a number for column dur_ns; write, for example, "
      "dur_ns<10us",
      3 },
    { "dur<nan", "'nan' is not a number for column dur_ns; write, for example, dur_ns<10us", 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const HirListing listing = { .table = "events", .filter = cases[i].filter };
      g_autoptr (GError) error = NULL;

      g_assert_null (hir_listing_dup_sql (&listing, "id", &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_cmpstr (error->message, ==, cases[i].message);
      g_assert_cmpuint (hir_error_get_pos (error).column, ==, cases[i].column);
    }
}

static void
check_group (HirListingGroup group, const char *const *expected)
{
  const HirListing listing = { .table = "kernels", .filter = "dur<=6us", .group = group };
  g_autofree char *sql = hir_listing_dup_sql (&listing, NULL, NULL);
  g_autoptr (HirQueryResult) result = run (sql);
  guint n_columns = hir_query_result_get_n_columns (result);

  for (guint row = 0; row < hir_query_result_get_n_rows (result); row++)
    {
      g_autoptr (GString) line = g_string_new (NULL);

      for (guint c = 0; c < n_columns; c++)
        {
          g_autofree char *text = hir_query_result_dup_text (result, row, c);

          g_string_append_printf (line, "%s%s", c > 0 ? "|" : "", text != NULL ? text : "-");
        }
      g_assert_cmpstr (line->str, ==, expected[row]);
    }
  g_assert_null (expected[hir_query_result_get_n_rows (result)]);
  g_assert_cmpint (hir_query_result_find_column (result, "sum_ns"), ==, (int) n_columns - 4);
}

/* Of each stream, the first six events are short enough: 1 to 6 us. */
static void
test_groups (void)
{
  static const char *const names[] = { "100%_done|4|18000|4500|3000|6000",
                                       "a \"quoted\" name|4|14000|3500|2000|5000",
                                       "gemm|4|10000|2500|1000|4000", NULL };
  static const char *const streams[] = { "0|7|stream 7|0|6|21000|3500|1000|6000",
                                         "1|7|stream 7|1|6|21000|3500|1000|6000", NULL };
  static const char *const ranks[] = { "0|6|21000|3500|1000|6000", "1|6|21000|3500|1000|6000",
                                       NULL };
  static const char *const instructions[] = { "(no instruction)|-|12|42000|3500|1000|6000", NULL };

  check_group (HIR_LISTING_BY_NAME, names);
  check_group (HIR_LISTING_BY_STREAM, streams);
  check_group (HIR_LISTING_BY_RANK, ranks);
  check_group (HIR_LISTING_BY_INSTRUCTION, instructions);
}

static void
test_range_and_order (void)
{
  HirListing listing = { .table = "events", .filter = "rank=1", .start_ns = 150, .end_ns = 500 };
  g_autofree char *by_start = hir_listing_dup_sql (&listing, "start_ns", NULL);
  g_autoptr (HirQueryResult) first = run (by_start);
  g_autofree char *by_length = NULL;
  g_autoptr (HirQueryResult) last = NULL;

  /* Events 0 to 4 start before 500 and end after 150. */
  g_assert_cmpuint (hir_query_result_get_n_rows (first), ==, 5);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (hir_query_result_get_integer (first, i, 0), ==, 100 * i);
  listing.order = "dur_ns";
  listing.is_descending = TRUE;
  by_length = hir_listing_dup_sql (&listing, "start_ns", NULL);
  last = run (by_length);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (hir_query_result_get_integer (last, i, 0), ==, 400 - 100 * i);
}

/* Several tracks are a condition like the others. */
static void
test_tracks (void)
{
  static const guint two[] = { 0, 2 };
  g_autoptr (GArray) tracks =
      g_array_append_vals (g_array_new (FALSE, FALSE, sizeof (guint)), two, G_N_ELEMENTS (two));
  const HirListing listing = {
    .table = "events", .filter = "dur>0", .tracks = tracks, .group = HIR_LISTING_BY_STREAM
  };
  g_autofree char *sql = hir_listing_dup_sql (&listing, NULL, NULL);
  g_autoptr (HirQueryResult) groups = run (sql);
  int track = hir_query_result_find_column (groups, "track");
  gint64 sum = 0;

  g_assert_cmpuint (hir_query_result_get_n_rows (groups), ==, 2);
  for (guint i = 0; i < 2; i++)
    sum += hir_query_result_get_integer (groups, i, (guint) track);
  g_assert_cmpint (sum, ==, 2);
}

static void
test_values (void)
{
  g_autoptr (HirQueryResult) result =
      run ("SELECT 1 AS a, 2.5 AS b, 'text' AS c, NULL AS d, x'00ff' AS e, '' AS f");
  static const HirQueryType types[] = { HIR_QUERY_INTEGER, HIR_QUERY_REAL, HIR_QUERY_TEXT,
                                        HIR_QUERY_NULL,    HIR_QUERY_TEXT, HIR_QUERY_TEXT };
  static const char *const texts[] = { "1", "2.5", "text", NULL, "00ff", "" };

  g_assert_cmpuint (hir_query_result_get_n_rows (result), ==, 1);
  g_assert_false (hir_query_result_is_cut (result));
  g_assert_cmpint (hir_query_result_find_column (result, "d"), ==, 3);
  g_assert_cmpint (hir_query_result_find_column (result, "g"), ==, -1);
  g_assert_cmpint (hir_query_result_find_integer (result, 0, 1), ==, 0);
  g_assert_cmpint (hir_query_result_find_integer (result, 0, 2), ==, -1);
  g_assert_cmpint (hir_query_result_find_integer (result, 3, 0), ==, -1);
  for (guint c = 0; c < G_N_ELEMENTS (types); c++)
    {
      g_autofree char *text = hir_query_result_dup_text (result, 0, c);

      g_assert_cmpint (hir_query_result_get_type (result, 0, c), ==, types[c]);
      g_assert_cmpstr (text, ==, texts[c]);
    }
}

/* The rows that fit are kept; a text counts once. */
static void
test_memory (void)
{
  static const char sql[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                            "SELECT i, 'the same text in all rows' FROM n";
  const HirQueryOptions options = { 0 };
  g_autoptr (HirTrace) trace = make_trace ();
  g_autoptr (HirQuery) query = hir_query_new (trace, NULL, 0, NULL);
  g_autoptr (HirQueryResult) result =
      hir_query_run_result (query, sql, &options, 18 * 1000 + 64, NULL);

  g_assert_nonnull (result);
  g_assert_true (hir_query_result_is_cut (result));
  g_assert_cmpuint (hir_query_result_get_n_rows (result), ==, 1000);
  g_assert_cmpint (hir_query_result_get_integer (result, 999, 0), ==, 1000);
  g_assert_null (hir_query_run_result (query, "SELECT absent FROM events", &options, 100, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/query-listing/filter", test_filter);
  g_test_add_func ("/query-listing/word-of-name", test_word_of_name);
  g_test_add_func ("/query-listing/errors", test_errors);
  g_test_add_func ("/query-listing/groups", test_groups);
  g_test_add_func ("/query-listing/range-and-order", test_range_and_order);
  g_test_add_func ("/query-listing/tracks", test_tracks);
  g_test_add_func ("/query-result/values", test_values);
  g_test_add_func ("/query-result/memory", test_memory);
  return g_test_run ();
}
