/* Tests durations and times as text. */
#include "trace/duration.h"

static void
check_time (gint64 time, const char *expected)
{
  g_autofree char *text = hir_format_duration (time);

  g_assert_cmpstr (text, ==, expected);
}

static void
check_end (gint64 time, gint64 length, const char *expected)
{
  g_autofree char *text = hir_format_range_end (time, length);

  g_assert_cmpstr (text, ==, expected);
}

static void
check_short (gint64 time, const char *expected)
{
  g_autofree char *text = hir_format_short_duration (time);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_times (void)
{
  /* The ends of a range differ in their text, however late the range is. */
  check_end (290335123, 548700, "290.335 ms");
  check_end (290335123, 50, "290.335123 ms");
  check_end (290335123, 500000000, "290.3 ms");
  check_end (61000000001, 3, "61.000000001 s");
  check_end (0, 1000, "0 ns");
  check_time (0, "0 ns");
  check_time (999, "999 ns");
  check_time (364100, "364.1 µs");
  check_time (2580000, "2.58 ms");
  check_time (-2580000, "-2.58 ms");
  check_time (61000000000, "61.00 s");
  check_time (999990, "1000 µs");
  check_short (999, "999\302\240ns");
  check_short (2580, "2.58\302\240µs");
  check_short (36410, "36.4\302\240µs");
  check_short (364100, "364\302\240µs");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/duration/times", test_times);
  return g_test_run ();
}
