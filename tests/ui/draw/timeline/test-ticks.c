#include "draw/timeline/ticks.h"

#define S G_GINT64_CONSTANT (1000000000)

static void
test_steps (void)
{
  g_assert_cmpint (hir_ticks_get_step (4000000, 16), ==, 250000);
  g_assert_cmpint (hir_ticks_get_step (1000, 10), ==, 100);
  g_assert_cmpint (hir_ticks_get_step (1001, 10), ==, 200);
  g_assert_cmpint (hir_ticks_get_step (3, 10), ==, 1);
  g_assert_cmpint (hir_ticks_get_step (25, 10), ==, 5);
  g_assert_cmpint (hir_ticks_get_step (G_MAXINT64 / 2, 10), >, 0);
  g_assert_cmpint (hir_ticks_get_step (20 * S, 1), ==, 20 * S);
  g_assert_cmpint (hir_ticks_get_step (21 * S, 1), ==, 30 * S);
  g_assert_cmpint (hir_ticks_get_step (3600 * S, 12), ==, 300 * S);
  g_assert_cmpint (hir_ticks_get_step (3600 * S, 5), ==, 900 * S);
  g_assert_cmpint (hir_ticks_get_step (30 * 24 * 3600 * S, 7), ==, 5 * 24 * 3600 * S);
}

/* At most the requested number of ticks, and at least a fifth of it. */
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
  check_label (250000, 250000, 4000000, "0.25 ms");
  check_label (0, 250000, 4000000, "0.00 ms");
  check_label (2500, 500, 90000, "2.5 µs");
  check_label (12340, 10, 90000, "12.34 µs");
  check_label (5, 1, 100, "5 ns");
  check_label (1234567891, 1, 1234567999, "1.234567891 s");
  check_label (12000000000, 500000000, 60000000000, "12.0 s");
  check_label (12050000000, 50000000, 60000000000, "12.05 s");
  check_label (-500, 500, 90000, "-0.5 µs");
  check_label (-1500, 500, 90000, "-1.5 µs");
  check_label (1800 * S, 300 * S, 3600 * S, "30 min");
  check_label (90 * S, 30 * S, 700 * S, "1.5 min");
  check_label (700 * S, 20 * S, 700 * S, "700 s");
  check_label (36 * 3600 * S, 12 * 3600 * S, 48 * 3600 * S, "36 h");
  check_label (27 * 1800 * S, 1800 * S, 14 * 3600 * S, "13.5 h");
}

static void
check_base (gint64 start, gint64 end, gint64 base, const char *expected)
{
  g_autofree char *text = hir_ticks_dup_base (base);

  g_assert_cmpint (hir_ticks_get_base (start, end), ==, base);
  g_assert_cmpstr (text, ==, expected);
}

/* Short labels count from zero. */
static void
test_base (void)
{
  g_assert_cmpint (hir_ticks_get_base (0, 1000), ==, 0);
  g_assert_cmpint (hir_ticks_get_base (900000, 901000), ==, 0);
  check_base (12345678123, 12345678923, 12345678000, "12.345\342\200\211678 s +");
  check_base (12345678999, 12345679001, 12345678990, "12.345\342\200\211678\342\200\211990 s +");
  check_base (1000000, 1000500, 1000000, "0.001 s +");
  check_base (3600 * S + 5, 3600 * S + 6, 3600 * S + 5,
              "3600.000\342\200\211000\342\200\211005 s +");
  check_base (90 * S, 90 * S + 9000000, 90 * S, "90 s +");
  /* Before the first event. */
  check_base (-2000123, -2000023, -2000200, "-0.002\342\200\211000\342\200\211200 s +");
}

static void
test_base_of_any_range (void)
{
  GRand *rand = g_rand_new_with_seed (10);

  for (int i = 0; i < 20000; i++)
    {
      gint64 range = 1 + ((gint64) g_rand_int (rand) >> (i % 32));
      gint64 start =
          ((gint64) g_rand_int (rand) - (G_GINT64_CONSTANT (1) << 31)) * (1 << (i / 32 % 24));
      gint64 base = hir_ticks_get_base (start, start + range);

      if (base == 0)
        continue;
      g_assert_cmpint (base, <=, start);
      g_assert_cmpint (start + range - base, <, 11 * range);
      g_assert_cmpint (hir_ticks_get_base (start + range / 100, start + range), >=, base);
    }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ticks/steps", test_steps);
  g_test_add_func ("/ticks/any-range", test_steps_of_any_range);
  g_test_add_func ("/ticks/first", test_first);
  g_test_add_func ("/ticks/labels", test_labels);
  g_test_add_func ("/ticks/base", test_base);
  g_test_add_func ("/ticks/base-of-any-range", test_base_of_any_range);
  return g_test_run ();
}
