/* Tests that collectives align the clocks of several ranks, by removing an artificial skew. */
#include "trace/align.h"

#include <glib/gstdio.h>
#include <string.h>

#include "diagnostic.h"
#include "test-folder.h"
#include "trace/comm-records.h"
#include "trace/load/import.h"

typedef struct
{
  int rank;
  gint64 skew_ns, jitter_ns;
  guint every; /* every n-th collective is missing; 0 means none */
  const char *op;
  const char *team;
  guint n;
  gboolean has_sequence;
  gboolean is_irregular; /* the intervals differ */
  guint n_skipped;       /* collectives before the recording */
} Rank;

#define PERIOD_NS 1000000
#define LENGTH_NS 50000

static void
append_collective (GString *text, const Rank *rank, guint i, GRand *rand)
{
  gint64 uneven_ns = rank->is_irregular ? (i * i * 37 % 101) * 4000 : 0;
  gint64 end_ns = PERIOD_NS * (i + 1) + uneven_ns + rank->skew_ns +
                  (rank->jitter_ns > 0 ? g_rand_int_range (rand, -(gint32) rank->jitter_ns,
                                                           (gint32) rank->jitter_ns)
                                       : 0);
  /* Ranks start at different times and end together. */
  gint64 start_ns = end_ns - LENGTH_NS - g_rand_int_range (rand, 0, 300000);

  g_string_append_printf (text,
                          ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclKernel\",\"pid\":0,"
                          "\"tid\":20,\"ts\":%" G_GINT64_FORMAT ".%03d,\"dur\":%" G_GINT64_FORMAT
                          ".%03d,\"args\":{\"correlation\":%u,\"Collective name\":\"%s\","
                          "\"Process Group Ranks\":\"%s\"",
                          start_ns / 1000, (int) (start_ns % 1000), (end_ns - start_ns) / 1000,
                          (int) ((end_ns - start_ns) % 1000), i + 1, rank->op, rank->team);
  if (rank->has_sequence)
    g_string_append_printf (text, ",\"Seq\":%u", i);
  g_string_append (text, "}}");
}

static char *
write_rank (const char *folder, const Rank *rank)
{
  g_autofree char *name = g_strdup_printf ("rank%d.json", rank->rank);
  g_autoptr (GString) text = g_string_new (NULL);
  GRand *rand = g_rand_new_with_seed ((guint32) rank->rank + 1);

  /* Times of each file start at its first event; the base makes them comparable. */
  g_string_append_printf (text,
                          "{\"baseTimeNanoseconds\":1700000000000000000,\"distributedInfo\":"
                          "{\"rank\":%d},\"traceEvents\":[{\"ph\":\"X\",\"name\":\"begin\",\"pid\":"
                          "9,\"tid\":9,\"ts\":%d,\"dur\":1}",
                          rank->rank, 1 + rank->rank);
  for (guint i = rank->n_skipped; i < rank->n; i++)
    if (rank->every == 0 || i % rank->every != 1)
      append_collective (text, rank, i, rand);
  g_string_append (text, "]}");
  g_rand_free (rand);
  return test_folder_write (folder, name, text->str, -1);
}

static HirTrace *
load (const Rank *ranks, guint n)
{
  g_autofree char *folder = test_folder_new ();
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  HirTrace *trace;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (paths, write_rank (folder, &ranks[i]));
  g_ptr_array_add (paths, NULL);
  trace = hir_trace_open ((const char *const *) paths->pdata, NULL, &error);
  g_assert_no_error (error);
  test_folder_remove (folder);
  return trace;
}

static gboolean
account_says (const HirTrace *trace, const char *words)
{
  for (const char *const *line = hir_trace_get_account (trace); *line != NULL; line++)
    if (strstr (*line, words) != NULL)
      return TRUE;
  return FALSE;
}

static void
assert_account (const HirTrace *trace, const char *words)
{
  if (account_says (trace, words))
    return;
  for (const char *const *line = hir_trace_get_account (trace); *line != NULL; line++)
    g_test_message ("account: %s", *line);
  g_error ("the account does not say \"%s\"", words);
}

/* Returns when @rank ended the collective with this number, from the trace's zero. */
static gint64
get_end (const HirTrace *trace, int rank, guint32 correlation)
{
  guint track = 0, index = HIR_NO_EVENT;

  while (hir_trace_next_of_correlation (trace, correlation, &track, &index))
    {
      HirEvent event;

      hir_trace_get_event (trace, track, index, &event);
      if (hir_trace_get_track (trace, track)->rank == rank)
        return event.end_ns;
    }
  g_error ("rank %d has no event %u", rank, correlation);
}

static void
assert_near (gint64 got_ns, gint64 wanted_ns, gint64 slack_ns)
{
  g_assert_cmpint (ABS (got_ns - wanted_ns), <=, slack_ns);
}

/* 1 µs, the zero point of the first file. */
#define ZERO_NS 1000

/* Queries of a trace must be consistent after its events were moved, including the index. */
static void
assert_consistent (const HirTrace *trace)
{
  gint64 start_ns, end_ns, first_ns = G_MAXINT64, last_ns = G_MININT64;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        guint found;

        hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
        first_ns = MIN (first_ns, start_ns);
        last_ns = MAX (last_ns, end_ns);
        g_assert_true (hir_trace_lookup_at (trace, t, start_ns, 0, &found));
        if (hir_trace_get_n_lanes (trace, t) == 1)
          g_assert_cmpuint (found, ==, i);
        g_assert_cmpuint (hir_trace_find_first (trace, t, end_ns - 1), <=, i);
      }
  hir_trace_get_span (trace, &start_ns, &end_ns);
  g_assert_cmpint (start_ns, ==, first_ns);
  g_assert_cmpint (end_ns, ==, last_ns);
}

/* Corrects skews of +123 and -70 µs, although each file lacks some of the collectives. */
static void
test_known_skew (void)
{
  const Rank ranks[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1, 2]", 60, TRUE },
    { 1, 123000, 400, 5, "allreduce", "[0, 1, 2]", 60, TRUE },
    { 2, -70000, 400, 7, "allreduce", "[0, 1, 2]", 60, TRUE },
  };
  g_autoptr (HirTrace) trace = load (ranks, 3);

  for (guint i = 0; i < 60; i += 35)
    for (int rank = 0; rank < 3; rank++)
      assert_near (get_end (trace, rank, i + 1), PERIOD_NS * (i + 1) - ZERO_NS, 800);
  assert_account (trace, "rank 1: shifted by -12");
  assert_account (trace, "from 48 collectives that it shares with rank 0");
  assert_account (trace, "rank 2: shifted by +");
  assert_account (trace, "from 51 collectives that it shares with rank 0");
  g_assert_false (account_says (trace, "before they start"));
  assert_consistent (trace);
}

/* Rank 2 shares collectives only with rank 1, so that its clock depends on a corrected one. */
static void
test_chain (void)
{
  const Rank ranks[] = {
    { 0, 0, 0, 0, "_allgather_base", "[0, 1]", 20, TRUE },
    { 1, 5000000, 0, 0, "_allgather_base", "[0, 1]", 20, TRUE },
    { 2, 90000, 0, 0, "_reduce_scatter_base", "[1, 2]", 20, TRUE },
  };
  const Rank other = { 1, 5000000, 0, 0, "_reduce_scatter_base", "[1, 2]", 20, TRUE };
  g_autofree char *folder = test_folder_new ();
  g_autofree char *a = write_rank (folder, &ranks[0]), *c = write_rank (folder, &ranks[2]);
  g_autofree char *b = write_rank (folder, &other), *text = NULL, *more = NULL;
  const char *paths[] = { a, b, c, NULL };
  g_autoptr (GString) both = NULL;
  g_autoptr (HirTrace) trace = NULL;

  /* Rank 1 is in two teams; their events are in one file. */
  g_assert_true (g_file_get_contents (b, &more, NULL, NULL));
  g_free (write_rank (folder, &ranks[1]));
  g_assert_true (g_file_get_contents (b, &text, NULL, NULL));
  both = g_string_new_len (text, (gssize) strlen (text) - 2);
  {
    g_auto (GStrv) halves = g_strsplit (more, "\"correlation\":", -1);
    g_autofree char *joined = g_strjoinv ("\"correlation\":1000", halves);

    g_string_append (both, strstr (joined, ",{\"ph\":\"X\",\"cat\":\"kernel\""));
  }
  g_assert_true (g_file_set_contents (b, both->str, -1, NULL));
  trace = hir_trace_open (paths, NULL, NULL);
  assert_account (trace, "rank 1: shifted by -5000.0 µs ± 0.0 µs, from 20 collectives that it "
                         "shares with rank 0");
  assert_account (trace,
                  "rank 2: shifted by -90.0 µs ± 0.0 µs, from 20 collectives that it shares with "
                  "rank 1");
  assert_near (get_end (trace, 2, 7), PERIOD_NS * 7 - ZERO_NS, 0);
  assert_consistent (trace);
  test_folder_remove (folder);
}

/* Differences of a few µs belong to the collectives, not to the clocks. Nothing is moved, and the
 * account says so. */
static void
test_small (void)
{
  const Rank ranks[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 20, TRUE },
    { 1, 3000, 200, 0, "allreduce", "[0, 1]", 20, TRUE },
  };
  g_autoptr (HirTrace) trace = load (ranks, 2);

  assert_account (trace, "rank 1: clock agrees with that of rank 0: +");
  assert_near (get_end (trace, 1, 3), PERIOD_NS * 3 - ZERO_NS + 3000, 200);
}

/* Rejects offsets that vary so much that their median is meaningless. */
static void
test_noise (void)
{
  const Rank ranks[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 20, TRUE },
    { 1, 20000, 90000, 0, "allreduce", "[0, 1]", 20, TRUE },
  };
  g_autoptr (HirTrace) trace = load (ranks, 2);

  assert_account (trace, "rank 1: clock agrees with that of rank 0");
}

static guint
count_partners (const HirTrace *trace, guint track, guint index)
{
  g_autoptr (GArray) partners = hir_trace_dup_partners (trace, track, index, 8);

  return partners->len;
}

/* Without collective numbers, the order is used if it is unambiguous. */
static void
test_by_order (void)
{
  const Rank same[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1, 2]", 20, FALSE },
    { 1, 123000, 0, 0, "allreduce", "[0, 1, 2]", 20, FALSE },
    { 2, -40000, 0, 0, "allreduce", "[0, 1, 2]", 20, FALSE },
  };
  const Rank step_later[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 20, FALSE },
    { 1, PERIOD_NS, 0, 0, "allreduce", "[0, 1]", 20, FALSE },
  };
  const Rank one_lacks[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 20, FALSE },
    { 1, 0, 0, 7, "allreduce", "[0, 1]", 20, FALSE },
  };
  const Rank others[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 20, FALSE },
    { 1, 0, 0, 0, "alltoall", "[0, 1]", 20, FALSE },
  };
  g_autoptr (HirTrace) a = load (same, 3), b = load (step_later, 2), c = load (one_lacks, 2),
                       d = load (others, 2);
  guint track, index;

  assert_account (a, "20 on each of 3 ranks were matched by their order");
  assert_account (a, "rank 1: shifted by -123.0 µs ± 0.0 µs, from 20 collectives");
  assert_near (get_end (a, 1, 3), get_end (a, 0, 3), 0);
  assert_near (get_end (a, 2, 20), get_end (a, 0, 20), 0);
  g_assert_cmpuint (hir_trace_get_comm_record (a, 59)->sequence, ==, 19);
  g_assert_true (hir_trace_get_comm_record_event (a, 59, &track, &index));
  g_assert_cmpuint (count_partners (a, track, index), ==, 2);
  assert_account (b, "by the files' clocks, some are closer to other collectives of the same kind");
  assert_account (c, "the ranks have different collectives");
  assert_account (d, "the ranks have different collectives");
  for (guint i = 0; i < hir_trace_get_n_comm_records (b); i++)
    {
      g_assert_cmpuint (hir_trace_get_comm_record (b, i)->sequence, ==, HIR_COMM_RECORD_UNNUMBERED);
      g_assert_true (hir_trace_get_comm_record_event (b, i, &track, &index));
      g_assert_cmpuint (count_partners (b, track, index), ==, 0);
    }
}

/* The hosts' clocks differ by more than the distance of collectives, and one recording starts later
 * and ends earlier. The intervals show which collectives belong together. */
static void
test_by_intervals (void)
{
  const Rank far[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1, 2]", 60, FALSE, TRUE },
    { 1, 7300000, 2000, 0, "allreduce", "[0, 1, 2]", 60, FALSE, TRUE },
    { 2, -25000000, 2000, 0, "allreduce", "[0, 1, 2]", 50, FALSE, TRUE, 3 },
  };
  const Rank other[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 60, FALSE, TRUE },
    { 1, 7300000, 0, 0, "allreduce", "[0, 1]", 60, FALSE, FALSE },
  };
  g_autoptr (HirTrace) trace = load (far, 3), apart = load (other, 2);

  assert_account (trace, "60 on each of 3 ranks were matched by their intervals");
  assert_account (trace, "rank 1: shifted by -73");
  assert_account (trace, "from 60 collectives that it shares with rank 0");
  assert_account (trace, "rank 2: shifted by +2");
  assert_account (trace, "from 47 collectives that it shares with rank 0");
  for (guint i = 3; i < 50; i += 7)
    {
      assert_near (get_end (trace, 1, i + 1), get_end (trace, 0, i + 1), 6000);
      assert_near (get_end (trace, 2, i + 1), get_end (trace, 0, i + 1), 6000);
    }
  assert_consistent (trace);
  assert_account (apart, "they were not matched by their order");
}

/* No correction without numbers, or if the operation does not end at the same time on all ranks.
 * Counts such collectives. */
static void
test_no_numbers (void)
{
  const Rank unnumbered[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 20, FALSE },
    { 1, PERIOD_NS, 0, 0, "allreduce", "[0, 1]", 20, FALSE },
  };
  const Rank broadcast[] = {
    { 0, 0, 0, 0, "broadcast", "[0, 1]", 20, TRUE },
    { 1, 123000, 0, 0, "broadcast", "[0, 1]", 20, TRUE },
  };
  const Rank few[] = {
    { 0, 0, 0, 0, "allreduce", "[0, 1]", 2, TRUE },
    { 1, 2000000, 0, 0, "allreduce", "[0, 1]", 2, TRUE },
  };
  g_autoptr (HirTrace) a = load (unnumbered, 2), b = load (broadcast, 2), c = load (few, 2);

  assert_account (a, "rank 1: clock not aligned");
  assert_account (b, "rank 1: clock not aligned");
  assert_account (c, "rank 1: clock not aligned");
  assert_account (
      c, "2 of 2 communications between ranks end on one rank before they start on another");
  assert_near (get_end (b, 1, 3), PERIOD_NS * 3 - ZERO_NS + 123000, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/align/known-skew", test_known_skew);
  g_test_add_func ("/align/chain", test_chain);
  g_test_add_func ("/align/small", test_small);
  g_test_add_func ("/align/noise", test_noise);
  g_test_add_func ("/align/by-order", test_by_order);
  g_test_add_func ("/align/by-intervals", test_by_intervals);
  g_test_add_func ("/align/no-numbers", test_no_numbers);
  return g_test_run ();
}
