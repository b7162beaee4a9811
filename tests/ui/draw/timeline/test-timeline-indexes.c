/* Tests the creation of indexes by several threads, and compares the activity of ranks with a
 * simple count. */
#include "draw/timeline/timeline-indexes.h"
#include "draw/timeline/timeline-rows.h"

#include <math.h>
#include <string.h>

#define N_TRACKS 12
#define N_RANKS 3
#define LENGTH_NS 4000000

static HirTrace *
new_trace (guint32 seed, guint n_events)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint t = 0; t < N_TRACKS; t++)
    {
      HirTrack track = { .kind = t % 4 == 3 ? HIR_TRACK_HOST : HIR_TRACK_STREAM,
                         .rank = (int) (t % N_RANKS) - 1,
                         .stream = t,
                         .name = (char *) "track" };

      hir_trace_builder_add_track (builder, &track);
    }
  for (guint i = 0; i < n_events; i++)
    {
      HirEvent event = { .start_ns = g_rand_int_range (rand, 0, LENGTH_NS),
                         .track = (guint16) g_rand_int_range (rand, 0, N_TRACKS),
                         .kind = (guint8) g_rand_int_range (rand, 0, HIR_EVENT_COUNTER),
                         .phase = (guint8) g_rand_int_range (rand, 0, HIR_PHASE_BASELINE),
                         .name = hir_trace_builder_intern (builder, i % 2 ? "a" : "b") };

      event.end_ns = event.start_ns + g_rand_int_range (rand, 0, i % 50 == 0 ? 60000 : 90);
      if (i == 7 && seed == 1)
        event.end_ns = event.start_ns + ((gint64) 1 << 33); /* more than 32 bits */
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  return hir_trace_builder_finish (builder);
}

static void
test_briefs (void)
{
  g_autoptr (HirTrace) trace = new_trace (1, 2000);

  for (guint t = 0; t < N_TRACKS; t++)
    {
      guint n = hir_trace_get_track_n_events (trace, t);
      g_autofree HirEventBrief *many = g_new (HirEventBrief, n);

      hir_trace_get_briefs (trace, t, 0, n, many);
      for (guint i = 0; i < n; i++)
        {
          HirEventBrief one;

          hir_trace_get_brief (trace, t, i, &one);
          g_assert_cmpint (one.start_ns, ==, many[i].start_ns);
          g_assert_cmpint (one.end_ns, ==, many[i].end_ns);
          g_assert_cmpuint (one.name, ==, many[i].name);
          g_assert_cmpuint (one.kind, ==, many[i].kind);
          g_assert_cmpuint (one.phase, ==, many[i].phase);
        }
      if (n > 5)
        {
          HirEventBrief last;

          hir_trace_get_briefs (trace, t, n - 1, 1, &last);
          g_assert_cmpint (last.start_ns, ==, many[n - 1].start_ns);
        }
    }
}

static HirRankCover *
new_cover (const HirTrace *trace, int rank)
{
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    if (hir_trace_get_track (trace, t)->rank == rank)
      g_array_append_val (tracks, t);
  return hir_rank_cover_new (trace, (const guint *) (gpointer) tracks->data, tracks->len, NULL);
}

/* Sums the work of a rank in [@start, @end) over all events. */
static void
count_work (const HirTrace *trace, int rank, double start, double end, double work[2])
{
  work[0] = work[1] = 0;
  for (guint t = 0; t < N_TRACKS; t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);

      if (track->rank != rank || track->kind == HIR_TRACK_HOST)
        continue;
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEvent event;

          hir_trace_get_event (trace, t, i, &event);
          if (event.kind == HIR_EVENT_SYNC || event.kind == HIR_EVENT_ISSUE ||
              event.kind == HIR_EVENT_HOST)
            continue;
          work[event.kind == HIR_EVENT_COMMUNICATION] +=
              MAX (MIN ((double) event.end_ns, end) - MAX ((double) event.start_ns, start), 0);
        }
    }
}

static void
test_cover (void)
{
  g_autoptr (HirTrace) trace = new_trace (2, 30000);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (int rank = -1; rank < N_RANKS - 1; rank++)
    {
      HirRankCover *cover = new_cover (trace, rank);
      double bin = hir_rank_cover_get_bin_ns (cover);

      for (guint i = 0; i < 40; i++)
        {
          guint n = (guint) g_rand_int_range (rand, 1, 6);
          gint64 start = g_rand_int_range (rand, -LENGTH_NS / 2, LENGTH_NS);
          gint64 end = start + (gint64) (bin * n * g_rand_double_range (rand, 1, 40));
          float shares[2][6];

          hir_rank_cover_get (cover, start, end, n, shares[0], shares[1]);
          for (guint c = 0; c < n; c++)
            {
              double column = (double) (end - start) / n, work[2];

              count_work (trace, rank, (double) start + c * column,
                          (double) start + (c + 1) * column, work);
              /* The two bins at the ends are known only as sums; instants have a width. */
              for (guint k = 0; k < 2; k++)
                {
                  double share = (double) shares[k][c];

                  g_assert_true (share >= 0 && share <= 1);
                  g_assert_cmpfloat (fabs (share - MIN (work[k] / column, 1)), <=,
                                     2.2 * bin * N_TRACKS / column);
                  if (work[k] > 0)
                    g_assert_cmpfloat (share, >, 0);
                }
            }
        }
      hir_rank_cover_free (cover);
    }
}

/* Columns of many bins must be exact: one event in an hour of idle time, and exact sums. */
static void
test_exact_sums (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 4, 0, 1, (char *) "Stream 0" };
  g_autoptr (HirTrace) trace = NULL;
  HirRankCover *cover;
  float computation[8], communication[8];

  hir_trace_builder_add_track (builder, &track);
  for (gint64 i = 0; i < 8; i++)
    {
      HirEvent event = { .start_ns = i * 1000000,
                         .end_ns = i * 1000000 + 100000 * (i + 1),
                         .kind = HIR_EVENT_KERNEL };

      if (i == 7)
        event.end_ns = 8000000;
      if (i == 3)
        event.kind = HIR_EVENT_COMMUNICATION;
      hir_trace_builder_add (builder, &event, NULL);
    }
  trace = hir_trace_builder_finish (builder);
  cover = new_cover (trace, 4);
  hir_rank_cover_get (cover, 0, 8000000, 8, computation, communication);
  for (guint i = 0; i < 8; i++)
    {
      double share = i == 7 ? 1 : (i + 1) / 10.0;

      g_assert_cmpfloat_with_epsilon ((double) computation[i], i == 3 ? 0 : share, 1e-3);
      g_assert_cmpfloat_with_epsilon ((double) communication[i], i == 3 ? share : 0, 1e-3);
    }
  hir_rank_cover_free (cover);
}

/* Bursts of events much shorter than a bin in a mostly idle trace. */
static void
test_bursts (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, (char *) "Stream 0" };
  g_autoptr (HirTrace) trace = NULL;
  HirRankCover *cover;
  float computation[10], communication[10];

  hir_trace_builder_add_track (builder, &track);
  for (gint64 i = 0; i < 100000; i++)
    {
      gint64 start = i / 10000 * 1000000000 + i % 10000 * 1000;
      HirEvent event = { .start_ns = start, .end_ns = start + 250, .kind = HIR_EVENT_KERNEL };

      hir_trace_builder_add (builder, &event, NULL);
    }
  trace = hir_trace_builder_finish (builder);
  cover = new_cover (trace, 0);
  /* Each burst takes 10 ms of a second and is busy for a quarter of it. */
  for (gint64 i = 0; i < 9; i++)
    {
      hir_rank_cover_get (cover, i * 1000000000, i * 1000000000 + 10000000, 1, computation,
                          communication);
      g_assert_cmpfloat_with_epsilon ((double) computation[0], 0.25, 0.08);
    }
  hir_rank_cover_free (cover);
}

static gpointer
make_all (gpointer indexes)
{
  hir_timeline_indexes_make_all (indexes, NULL);
  return NULL;
}

/* Workers and a thread per index run at once: all get the same objects, which are created once. */
static void
test_threads (void)
{
  g_autoptr (HirTrace) trace = new_trace (4, 20000);

  for (guint round = 0; round < 20; round++)
    {
      g_autoptr (HirTimelineIndexes) indexes = hir_timeline_indexes_new (trace);
      const HirTimelineIndex *seen[N_TRACKS];
      GThread *threads[3];

      g_assert_null (hir_timeline_indexes_peek (indexes, 0));
      g_assert_null (hir_timeline_indexes_peek_cover (indexes, 0));
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        threads[i] = g_thread_new ("make", make_all, indexes);
      for (guint t = N_TRACKS; t-- > 0;)
        {
          seen[t] = hir_timeline_indexes_get (indexes, t);
          g_assert_nonnull (seen[t]);
        }
      g_assert_nonnull (hir_timeline_indexes_get_cover (indexes, 1));
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        g_thread_join (threads[i]);
      for (guint t = 0; t < N_TRACKS; t++)
        g_assert_true (hir_timeline_indexes_peek (indexes, t) == seen[t]);
      for (int rank = -1; rank < N_RANKS - 1; rank++)
        g_assert_nonnull (hir_timeline_indexes_peek_cover (indexes, rank));
      g_assert_null (hir_timeline_indexes_get_cover (indexes, 77));
    }
}

static void
test_cancel (void)
{
  g_autoptr (HirTrace) trace = new_trace (5, 1000);
  g_autoptr (HirTimelineIndexes) indexes = hir_timeline_indexes_new (trace);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_cancellable_cancel (cancellable);
  hir_timeline_indexes_make_all (indexes, cancellable);
  for (guint t = 0; t < N_TRACKS; t++)
    g_assert_null (hir_timeline_indexes_peek (indexes, t));
}

#define N_LONG 2000000

static HirTrace *
new_long_trace (HirTrackKind kind)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { kind, 0, 0, 1, (char *) "long" };
  HirEvent first = { .kind = kind == HIR_TRACK_COUNTER ? HIR_EVENT_COUNTER : HIR_EVENT_KERNEL };

  hir_trace_builder_add_track (builder, &track);
  hir_trace_builder_add_track (builder, &track);
  g_assert_true (hir_trace_builder_add (builder, &first, NULL));
  for (gint64 i = 0; i < N_LONG; i++)
    {
      HirEvent event = { .start_ns = i,
                         .end_ns = i + (kind != HIR_TRACK_COUNTER),
                         .track = 1,
                         .kind = kind == HIR_TRACK_COUNTER ? HIR_EVENT_COUNTER : HIR_EVENT_KERNEL };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  return hir_trace_builder_finish (builder);
}

static gpointer
make_until (gpointer data)
{
  gpointer *both = data;

  hir_timeline_indexes_make_all (both[0], both[1]);
  return NULL;
}

/* Cancellation ends a worker within a long track, and also threads that wait for it. An incomplete
 * index can be created later. Tries many moments, because they cannot be chosen. */
static void
test_cancel_within (void)
{
  g_autoptr (HirTrace) trace = new_long_trace (HIR_TRACK_STREAM);
  guint n_left = 0;

  for (guint i = 0; i < 20 && n_left == 0; i++)
    {
      g_autoptr (HirTimelineIndexes) indexes = hir_timeline_indexes_new (trace);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      gpointer both[] = { indexes, cancellable };
      GThread *threads[2];

      for (guint k = 0; k < 2; k++)
        threads[k] = g_thread_new ("make", make_until, both);
      while (hir_timeline_indexes_peek (indexes, 0) == NULL)
        g_usleep (100);
      g_usleep (2000);
      g_cancellable_cancel (cancellable);
      for (guint k = 0; k < 2; k++)
        g_thread_join (threads[k]);
      n_left += hir_timeline_indexes_peek (indexes, 1) == NULL;
      g_assert_nonnull (hir_timeline_indexes_get (indexes, 1));
      g_assert_nonnull (hir_timeline_indexes_get_cover (indexes, 0));
    }
  g_assert_cmpuint (n_left, >, 0);
}

/* Each of the three kinds of indexes. */
static void
test_cancelled (void)
{
  g_autoptr (HirTrace) trace = new_long_trace (HIR_TRACK_STREAM);
  g_autoptr (HirTrace) samples = new_long_trace (HIR_TRACK_COUNTER);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const guint track = 1;

  g_cancellable_cancel (cancellable);
  g_assert_null (hir_timeline_index_new (trace, 1, 1, cancellable));
  g_assert_null (hir_rank_cover_new (trace, &track, 1, cancellable));
  g_assert_null (hir_counter_index_new (samples, 1, cancellable));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline-indexes/briefs", test_briefs);
  g_test_add_func ("/timeline-indexes/cover", test_cover);
  g_test_add_func ("/timeline-indexes/exact-sums", test_exact_sums);
  g_test_add_func ("/timeline-indexes/bursts", test_bursts);
  g_test_add_func ("/timeline-indexes/threads", test_threads);
  g_test_add_func ("/timeline-indexes/cancel", test_cancel);
  g_test_add_func ("/timeline-indexes/cancel-within", test_cancel_within);
  g_test_add_func ("/timeline-indexes/cancelled", test_cancelled);
  return g_test_run ();
}
