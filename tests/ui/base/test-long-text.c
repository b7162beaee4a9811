/* Tests that long texts are shortened in the middle, and never inside a letter. */
#include "base/long-text.h"

static void
check (const char *text, guint max_chars, const char *expected)
{
  gboolean was_cut = TRUE;
  g_autofree char *shown = hir_long_text_dup (text, max_chars, &was_cut);

  g_assert_cmpstr (shown, ==, expected);
  g_assert_cmpint (was_cut, ==, !g_str_equal (text, expected));
}

static void
test_cut (void)
{
  check ("", 9, "");
  check ("123456789", 9, "123456789");
  check ("1234567890", 9,
         "123456\xe2\x80\xa6"
         "90");
  /* The limit counts characters, not bytes. */
  check ("\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\xc3\xa4\xc3\xb6\xc3\xbc");
  check ("\xc3\xa4\xc3\xb6\xc3\xbcx", 3, "\xc3\xa4\xc3\xb6\xe2\x80\xa6");
}

static void
test_marks (void)
{
  /* e with a combining accent is two characters that must not be separated. */
  check ("ae\xcc\x81"
         "cdefghij",
         3, "a\xe2\x80\xa6");
  check ("abcdefghie\xcc\x81", 6, "abcd\xe2\x80\xa6");
  g_autofree char *tower = g_strnfill (4, 'e');
  GString *text = g_string_new (tower);

  for (guint i = 0; i < 5000; i++)
    g_string_append (text, "\xcc\x81");
  check (text->str, 100, "eee\xe2\x80\xa6");
  g_string_free (text, TRUE);
}

static void
test_random (void)
{
  for (guint i = 0; i < 2000; i++)
    {
      GString *text = g_string_new (NULL);
      guint n = (guint) g_test_rand_int_range (0, 60), max = (guint) g_test_rand_int_range (3, 50);
      g_autofree char *shown = NULL;

      for (guint j = 0; j < n; j++)
        g_string_append_unichar (text, (gunichar[]){ 'a', 0xe4, 0x5e9, 0x1f600,
                                                     0x301 }[g_test_rand_int_range (0, 5)]);
      shown = hir_long_text_dup (text->str, max, NULL);
      g_assert_true (g_utf8_validate (shown, -1, NULL));
      g_assert_cmpint (g_utf8_strlen (shown, -1), <=, MAX (max, 1));
      g_string_free (text, TRUE);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/long-text/cut", test_cut);
  g_test_add_func ("/long-text/marks", test_marks);
  g_test_add_func ("/long-text/random", test_random);
  return g_test_run ();
}
