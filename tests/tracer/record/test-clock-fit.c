/* Tests clock offsets from round trips with a known offset. */
#include "record/clock-fit.h"

#define N 200

/* Creates round trips from @at_ns on, for a clock that is @ahead_ns ahead and gains @drift per
 * second. Each direction takes @min_ns to twice that; one in ten takes a hundred times as long
 * in one direction. */
static void
make_trips (
    GRand *rand, gint64 at_ns, gint64 ahead_ns, double drift, gint64 min_ns, HirRoundTrip *trips)
{
  for (guint i = 0; i < N; i++)
    {
      gint64 there = g_rand_int_range (rand, (gint32) min_ns, (gint32) (2 * min_ns));
      gint64 back = g_rand_int_range (rand, (gint32) min_ns, (gint32) (2 * min_ns));
      gint64 middle;

      if (i % 10 == 3)
        there *= 100;
      middle = at_ns + there;
      trips[i] = (HirRoundTrip){ at_ns, middle + ahead_ns + (gint64) ((double) middle * drift),
                                 middle + back };
      at_ns = trips[i].received_ns + 1000;
    }
}

static void
test_offset (void)
{
  const gint64 truths[] = { 0, 50 * 1000 * 1000, -3,
                            -G_GINT64_CONSTANT (86400) * 1000 * 1000 * 1000 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < G_N_ELEMENTS (truths); i++)
    {
      HirRoundTrip trips[N];
      HirClockOffset offset;

      make_trips (rand, G_GINT64_CONSTANT (1000000000000), truths[i], 0, 5000, trips);
      g_assert_true (hir_clock_offset_estimate (trips, N, &offset));
      g_assert_cmpint (ABS (offset.offset_ns - truths[i]), <=, offset.error_ns);
      /* The slow ones, late in one direction, must not affect the estimate. */
      g_assert_cmpint (offset.error_ns, <, 10000);
      g_assert_cmpuint (offset.n_kept, ==, N - N / 10);
    }
}

/* A single slow round trip has a large error. */
static void
test_error_covers_one_way_delay (void)
{
  const HirRoundTrip trip = { 1000, 1000 + 900,
                              1000 + 1000 }; /* true offset 0: 900 ns there, 100 ns back */
  HirClockOffset offset;

  g_assert_true (hir_clock_offset_estimate (&trip, 1, &offset));
  g_assert_cmpint (offset.offset_ns, ==, 400);
  g_assert_cmpint (offset.error_ns, ==, 500);
}

static void
test_impossible (void)
{
  const HirRoundTrip backwards = { 1000, 5, 900 };
  /* Two contradictory round trips: a clock was set between them. */
  const HirRoundTrip torn[] = { { 0, 50, 100 }, { 200, 100250, 300 } };
  HirClockOffset offset;

  g_assert_false (hir_clock_offset_estimate (NULL, 0, &offset));
  g_assert_false (hir_clock_offset_estimate (&backwards, 1, &offset));
  g_assert_true (hir_clock_offset_estimate (torn, 2, &offset));
  g_assert_cmpint (offset.error_ns, ==, 50);
}

static void
test_drift (void)
{
  const gint64 s = 1000 * 1000 * 1000;
  const gint64 ahead = -123456789;
  const double drift = 20e-6; /* typical of an inexpensive quartz */
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  HirRoundTrip trips[N];
  HirClockFit fit = { 0 };

  make_trips (rand, 10 * s, ahead, drift, 2000, trips);
  g_assert_true (hir_clock_offset_estimate (trips, N, &fit.begin));
  make_trips (rand, 40 * s, ahead, drift, 2000, trips);
  g_assert_true (hir_clock_offset_estimate (trips, N, &fit.end));
  /* 30 s at 20 µs per second. */
  g_assert_cmpint (ABS (hir_clock_fit_get_drift_ns (&fit) - 600000), <, 2 * 4000);
  for (gint64 t = 10 * s; t <= 40 * s; t += s)
    {
      gint64 remote = t + ahead + (gint64) ((double) t * drift);

      g_assert_cmpint (ABS (hir_clock_fit_to_local (&fit, remote) - t), <=,
                       hir_clock_fit_get_error_ns (&fit) + 100);
    }
}

static void
test_same_clock (void)
{
  HirClockFit fit = { .same_clock = TRUE, .begin = { .offset_ns = 5 }, .end = { .offset_ns = 9 } };
  g_autofree char *text = hir_clock_fit_format (&fit);

  g_assert_cmpint (hir_clock_fit_to_local (&fit, 77), ==, 77);
  g_assert_cmpint (hir_clock_fit_get_error_ns (&fit), ==, 0);
  g_assert_cmpint (hir_clock_fit_get_drift_ns (&fit), ==, 0);
  g_assert_cmpstr (text, ==, "same clock");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clock-fit/offset", test_offset);
  g_test_add_func ("/clock-fit/error-covers-one-way-delay", test_error_covers_one_way_delay);
  g_test_add_func ("/clock-fit/impossible", test_impossible);
  g_test_add_func ("/clock-fit/drift", test_drift);
  g_test_add_func ("/clock-fit/same-clock", test_same_clock);
  return g_test_run ();
}
