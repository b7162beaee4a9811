#include "draw/ticks.h"

static void
test_steps (void)
{
  g_assert_cmpint (hir_ticks_get_step (4000000, 16), ==, 250000);
  g_assert_cmpint (hir_ticks_get_step (1000, 10), ==, 100);
  g_assert_cmpint (hir_ticks_get_step (1001, 10), ==, 200);
  g_assert_cmpint (hir_ticks_get_step (3, 10), ==, 1);
  g_assert_cmpint (hir_ticks_get_step (25, 10), ==, 5);
  g_assert_cmpint (hir_ticks_get_step (G_MAXINT64 / 2, 10), >, 0);
}

/* Never more than asked for, never fewer than a fifth of it. */
static void
test_steps_of_any_range (void)
{
  GRand *rand = g_rand_new_with_seed (9);

  for (int i = 0; i < 20000; i++)
    {
      gint64 range = 1 + ((gint64) g_rand_int (rand) << (i % 20));
      double most = g_rand_double_range (rand, 1, 40);
      gint64 step = hir_ticks_get_step (range, most);

      g_assert_cmpint (step, >=, 1);
      g_assert_cmpfloat ((double) range / (double) step, <=, most + 1e-9);
      if (range > 100)
        g_assert_cmpfloat ((double) range / (double) step, >=, most / 2.6 - 1);
    }
  g_rand_free (rand);
}

static void
test_first (void)
{
  g_assert_cmpint (hir_ticks_get_first (0, 250), ==, 0);
  g_assert_cmpint (hir_ticks_get_first (1, 250), ==, 250);
  g_assert_cmpint (hir_ticks_get_first (250, 250), ==, 250);
  g_assert_cmpint (hir_ticks_get_first (-1, 250), ==, 0);
  g_assert_cmpint (hir_ticks_get_first (-250, 250), ==, -250);
  g_assert_cmpint (hir_ticks_get_first (-251, 250), ==, -250);
}

static void
check_label (gint64 time, gint64 step, gint64 largest, const char *expected)
{
  g_autofree char *label = hir_ticks_dup_label (time, step, largest);

  g_assert_cmpstr (label, ==, expected);
}

static void
test_labels (void)
{
  check_label (250000, 250000, 4000000, "250 µs");
  check_label (0, 250000, 4000000, "0 µs");
  check_label (2500, 500, 90000, "2.5 µs");
  check_label (12340, 10, 90000, "12.34 µs");
  check_label (5, 1, 100, "5 ns");
  check_label (1234567891, 1, 1234567999, "1234.567891 ms");
  check_label (12000000000, 500000000, 60000000000, "12.0 s");
  check_label (12050000000, 50000000, 60000000000, "12.05 s");
  check_label (-500, 500, 90000, "-0.5 µs");
  check_label (-1500, 500, 90000, "-1.5 µs");
}

static void
check_time (gint64 time, const char *expected)
{
  g_autofree char *text = hir_time_dup_text (time);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_times (void)
{
  check_time (0, "0 ns");
  check_time (999, "999 ns");
  check_time (364100, "364.1 µs");
  check_time (2580000, "2.58 ms");
  check_time (-2580000, "-2.58 ms");
  check_time (61000000000, "61.00 s");
  check_time (999990, "1000 µs");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ticks/steps", test_steps);
  g_test_add_func ("/ticks/any-range", test_steps_of_any_range);
  g_test_add_func ("/ticks/first", test_first);
  g_test_add_func ("/ticks/labels", test_labels);
  g_test_add_func ("/ticks/times", test_times);
  return g_test_run ();
}
