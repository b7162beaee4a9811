/* Tests that control characters for the terminal are escaped. */
#include "print/printable.h"

#include <string.h>

static void
test_one_line (void)
{
  static const char *const cases[][2] = {
    { "void gemm<float, \"a\">(\\n) \xc3\xa9 \xe4\xb8\xad",
      "void gemm<float, \"a\">(\\n) \xc3\xa9 \xe4\xb8\xad" },
    { "a\nb\tc\rd", "a\\nb\\tc\\rd" },
    { "\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07" },
    { "\xc2\x9b"
      "31m\x7f",
      "\\u009b31m\\x7f" },
    { "\xe2\x80\xae"
      "evil\xe2\x81\xa6\xe2\x80\xa8\xd8\x9c",
      "\\u202eevil\\u2066\\u2028\\u061c" },
    { "\xff\xc3", "\\xff\\xc3" },
    { "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *shown = hir_printable_dup (cases[i][0]);

      g_assert_cmpstr (shown, ==, cases[i][1]);
    }
}

static void
test_lines (void)
{
  g_autofree char *shown = hir_printable_dup_lines ("a\n\tb\x1b[1m\r\n");

  g_assert_cmpstr (shown, ==, "a\n\tb\\x1b[1m\\r\n");
}

/* Arbitrary bytes give UTF-8 on one line without hostile characters. */
static void
test_random (void)
{
  for (guint round = 0; round < 20000; round++)
    {
      char text[40];
      guint n = (guint) g_test_rand_int_range (0, sizeof text);
      g_autofree char *shown = NULL;

      for (guint i = 0; i < n; i++)
        text[i] = (char) g_test_rand_int_range (1, 256);
      text[n] = '\0';
      shown = hir_printable_dup (text);
      g_assert_true (g_utf8_validate (shown, -1, NULL));
      for (const char *at = shown; *at != '\0'; at = g_utf8_next_char (at))
        g_assert_false (hir_printable_is_hostile (g_utf8_get_char (at)));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/printable/one-line", test_one_line);
  g_test_add_func ("/printable/lines", test_lines);
  g_test_add_func ("/printable/random", test_random);
  return g_test_run ();
}
