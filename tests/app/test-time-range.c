#include "time-range.h"

#include "diagnostic.h"

static void
check (const char *text, gint64 start_ns, gint64 end_ns)
{
  g_autoptr (GError) error = NULL;
  gint64 start = -1, end = -1;
  gboolean good = hir_time_range_parse (text, 5000, &start, &end, &error);

  g_assert_no_error (error);
  g_assert_true (good);
  g_assert_cmpint (start, ==, start_ns);
  g_assert_cmpint (end, ==, end_ns);
}

static void
refuse (const char *text)
{
  g_autoptr (GError) error = NULL;
  gint64 start, end;

  g_assert_false (hir_time_range_parse (text, 5000, &start, &end, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_units (void)
{
  check ("10:20", 10, 20);
  check ("10ns:20us", 10, 20000);
  check ("0.5us:2.5ms", 500, 2500000);
  check (":1s", 0, 1000000000);
  check ("1us:", 1000, 5000);
  check (":", 0, 5000);
}

static void
test_refused (void)
{
  refuse ("10");
  refuse ("10:20:30");
  refuse ("20:10");
  refuse ("10:10");
  refuse ("-1:10");
  refuse ("a:b");
  refuse ("1h:2h");
  refuse ("nan:10");
  refuse ("0:inf");
  refuse ("0:1e30s");
  refuse ("6us:");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/time-range/units", test_units);
  g_test_add_func ("/time-range/refused", test_refused);
  return g_test_run ();
}
