/* Compares the activity of a rank with the sum over all events. */
#include "draw/timeline/rank-cover.h"

#include <math.h>

#if defined(__SANITIZE_ADDRESS__)
#define RANDOM_COUNT 40
#else
#define RANDOM_COUNT 200
#endif

/* The amount that is counted for shorter events, so that they are visible. */
#define INSTANT 1e-6

static HirTrace *
create_random (GRand *rand)
{
  static const HirTrackKind kinds[] = { HIR_TRACK_STREAM, HIR_TRACK_STREAM, HIR_TRACK_HOST };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint n_tracks = (guint) g_rand_int_range (rand, 1, 6);

  for (guint t = 0; t < n_tracks; t++)
    {
      HirTrack track = { kinds[g_rand_int_range (rand, 0, G_N_ELEMENTS (kinds))],
                         g_rand_int_range (rand, 0, 2), 0, (int) t, (char *) "track" };

      hir_trace_builder_add_track (builder, &track);
    }
  for (guint t = 0; t < n_tracks; t++)
    {
      gint64 time_ns = g_rand_int_range (rand, -1000, 1000);
      guint n = (guint) g_rand_int_range (rand, 1, 800);

      for (guint i = 0; i < n; i++)
        {
          gint64 length = g_rand_int_range (rand, 0, g_rand_boolean (rand) ? 10 : 20000);
          HirEvent event = { .track = t,
                             .start_ns = time_ns,
                             .end_ns = time_ns + length,
                             .iteration = -1,
                             .kind = (guint8) g_rand_int_range (rand, 0, HIR_EVENT_COUNTER) };

          g_assert_true (hir_trace_builder_add (builder, &event, NULL));
          time_ns += length + g_rand_int_range (rand, 0, 3000);
        }
    }
  return hir_trace_builder_finish (builder);
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

/* Returns the share of [@from_ns, @to_ns) that events of the rank take, counting overlaps twice.
 * @more is the maximum contribution of events that are shown longer than they are. */
static double
add_up (const HirTrace *trace,
        int rank,
        gboolean communicates,
        double from_ns,
        double to_ns,
        double bin_ns,
        double *more)
{
  double sum = 0;

  *more = 0;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);

      if (track->rank != rank || track->kind == HIR_TRACK_HOST)
        continue;
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEventBrief e;

          hir_trace_get_brief (trace, t, i, &e);
          if (e.kind == HIR_EVENT_SYNC || e.kind == HIR_EVENT_ISSUE || e.kind == HIR_EVENT_HOST ||
              (e.kind == HIR_EVENT_COMMUNICATION) != communicates)
            continue;
          sum += MAX (0, MIN (to_ns, (double) e.end_ns) - MAX (from_ns, (double) e.start_ns));
          if ((double) e.end_ns >= from_ns - bin_ns && (double) e.start_ns <= to_ns + bin_ns)
            *more += INSTANT * bin_ns;
        }
    }
  *more /= to_ns - from_ns;
  return sum / (to_ns - from_ns);
}

static void
check_view (const HirTrace *trace, const HirRankCover *cover, int rank, GRand *rand)
{
  float shares[2][64];
  double bin_ns = hir_rank_cover_get_bin_ns (cover);
  gint64 start_ns, end_ns, from_ns, to_ns;
  guint n = (guint) g_rand_int_range (rand, 1, 64);

  hir_trace_get_span (trace, &start_ns, &end_ns);
  from_ns =
      start_ns + (gint64) (g_rand_double_range (rand, -0.2, 0.7) * (double) (end_ns - start_ns));
  to_ns = from_ns + (gint64) ceil (bin_ns * n * g_rand_double_range (rand, 1, 12));
  hir_rank_cover_get (cover, from_ns, to_ns, n, shares[0], shares[1]);
  for (guint c = 0; c < n; c++)
    for (guint which = 0; which < 2; which++)
      {
        double column_ns = (double) (to_ns - from_ns) / n, more;
        double is = add_up (trace, rank, which == 1, (double) from_ns + c * column_ns,
                            (double) from_ns + (c + 1) * column_ns, bin_ns, &more);
        /* The position of work within a bin is unknown: tolerates one bin per edge on each of five
         * tracks. */
        double room = 10 * bin_ns / column_ns + more + 1e-3;

        g_assert_cmpfloat (shares[which][c], >=, MIN (is, 1) - room);
        g_assert_cmpfloat (shares[which][c], <=, MIN (is + room, 1) + 1e-6);
      }
}

/* In wide columns, the edges are negligible. */
static void
check_whole (const HirTrace *trace, const HirRankCover *cover, int rank)
{
  gint64 start_ns, end_ns;
  float shares[2];

  hir_trace_get_span (trace, &start_ns, &end_ns);
  hir_rank_cover_get (cover, start_ns, end_ns, 1, &shares[0], &shares[1]);
  for (guint which = 0; which < 2; which++)
    {
      double more, is = add_up (trace, rank, which == 1, (double) start_ns, (double) end_ns,
                                hir_rank_cover_get_bin_ns (cover), &more);

      g_assert_cmpfloat (shares[which], >=, MIN (is, 1) - 1e-4);
      g_assert_cmpfloat (shares[which], <=, MIN (is + more, 1) + 1e-4);
    }
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < RANDOM_COUNT; i++)
    {
      g_autoptr (HirTrace) trace = create_random (rand);

      for (int rank = 0; rank < 2; rank++)
        {
          HirRankCover *cover = new_cover (trace, rank);

          check_whole (trace, cover, rank);
          for (guint k = 0; k < 4; k++)
            check_view (trace, cover, rank, rand);
          hir_rank_cover_free (cover);
        }
    }
}

/* Bins that two events fill have the color of the longer one, at any width. */
static void
test_concurrent (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirLook long_look = hir_event_get_look (HIR_EVENT_KERNEL, "matmul"), looks[2][1024];
  HirRankCover *cover;

  for (int t = 0; t < 2; t++)
    hir_trace_builder_add_track (builder, &(HirTrack){ HIR_TRACK_STREAM, 0, 0, t,
                                                       (char *) (t == 0 ? "a" : "b") });
  for (guint i = 0; i < 100; i++)
    {
      HirEvent event = {
        .start_ns = i * 10000, .end_ns = (i + 1) * 10000, .iteration = -1, .kind = HIR_EVENT_KERNEL
      };

      event.name = hir_trace_builder_intern (builder, "sum");
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  HirEvent matmul = { .track = 1, .end_ns = 500000, .iteration = -1, .kind = HIR_EVENT_KERNEL };
  matmul.name = hir_trace_builder_intern (builder, "matmul");
  g_assert_true (hir_trace_builder_add (builder, &matmul, NULL));
  g_autoptr (HirTrace) trace = hir_trace_builder_finish (builder);

  g_assert_cmpuint (long_look, !=, hir_event_get_look (HIR_EVENT_KERNEL, "sum"));
  cover = new_cover (trace, 0);
  for (guint n = 100; n <= 1000; n *= 10)
    {
      hir_rank_cover_get_looks (cover, 0, 500000, n, looks[0], looks[1]);
      for (guint c = 0; c < n - 1; c++)
        g_assert_cmpuint (looks[0][c], ==, long_look);
    }
  hir_rank_cover_free (cover);
}

static void
test_empty (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 7, (char *) "stream 7" };
  float shares[2] = { 9, 9 };

  hir_trace_builder_add_track (builder, &track);
  g_autoptr (HirTrace) trace = hir_trace_builder_finish (builder);
  HirRankCover *cover = new_cover (trace, 3);

  hir_rank_cover_get (cover, 0, 1000, 1, &shares[0], &shares[1]);
  g_assert_cmpfloat (shares[0], ==, 0);
  g_assert_cmpfloat (shares[1], ==, 0);
  hir_rank_cover_free (cover);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rank-cover/random", test_random);
  g_test_add_func ("/rank-cover/empty", test_empty);
  g_test_add_func ("/rank-cover/concurrent", test_concurrent);
  return g_test_run ();
}
