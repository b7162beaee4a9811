/* Tests fuzzy matching and the order of its results. */
#include <string.h>

#include "base/fuzzy.h"

static int
score_of (const char *pattern, const char *text)
{
  int score = 0;

  return hir_fuzzy_match (pattern, text, &score, NULL) ? score : G_MININT;
}

static void
test_fits (void)
{
  g_assert_true (hir_fuzzy_match ("spt", "StreamParallelType", NULL, NULL));
  g_assert_true (hir_fuzzy_match ("type stream", "StreamParallelType", NULL, NULL));
  g_assert_true (hir_fuzzy_match ("  ", "anything", NULL, NULL));
  g_assert_true (hir_fuzzy_match ("\xc3\x84", "\xc3\xa4pfel", NULL, NULL));
  g_assert_false (hir_fuzzy_match ("tps", "StreamParallelType", NULL, NULL));
  g_assert_false (hir_fuzzy_match ("nextt", "Next pass", NULL, NULL));
  g_assert_false (hir_fuzzy_match ("a", "", NULL, NULL));
  g_assert_cmpint (score_of ("", "anything"), ==, 0);
}

/* The first text of each row scores higher than the second. */
static void
test_order (void)
{
  static const char *const pairs[][3] = {
    { "run", "Run", "Rank: next program" },
    { "cop", "ConvertOpToCommunication", "Close the popover" },
    { "next pass", "Next pass", "Next instance of the pass that is expanded" },
    { "t3", "T3 [i0, i2]", "matmul T13" },
    { "wait", "Wait Communication 18", "StreamParallelType switched away in transit" },
    { "tour", "Take the tour", "Toggle our inspector" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_test_message ("%s", pairs[i][0]);
      g_assert_cmpint (score_of (pairs[i][0], pairs[i][1]), >, score_of (pairs[i][0], pairs[i][2]));
    }
}

static void
test_positions (void)
{
  g_autoptr (GArray) positions = NULL;

  g_assert_true (hir_fuzzy_match ("pt", "StreamParallelType", NULL, &positions));
  g_assert_cmpuint (positions->len, ==, 2);
  g_assert_cmpuint (g_array_index (positions, guint, 0), ==, 6);
  g_assert_cmpuint (g_array_index (positions, guint, 1), ==, 14);
}

/* For random texts, the positions are those of the letters of the pattern, in order. */
static void
test_random (void)
{
  for (guint k = 0; k < 2000; k++)
    {
      char text[300], pattern[40];
      guint n = (guint) g_test_rand_int_range (0, 299), m = (guint) g_test_rand_int_range (1, 6);
      g_autoptr (GArray) positions = NULL;
      const char *rest = text;
      gboolean is_there = TRUE;

      for (guint i = 0; i < n; i++)
        text[i] = (char) g_test_rand_int_range ('a', 'f');
      text[n] = '\0';
      for (guint i = 0; i < m; i++)
        pattern[i] = (char) g_test_rand_int_range ('a', 'f');
      pattern[m] = '\0';
      for (guint i = 0; i < m && is_there; i++)
        {
          rest = strchr (rest, pattern[i]);
          is_there = rest != NULL && rest - text < 160;
          rest = is_there ? rest + 1 : NULL;
        }
      g_assert_cmpint (hir_fuzzy_match (pattern, text, NULL, &positions), ==, is_there);
      for (guint i = 0; is_there && i < m; i++)
        g_assert_cmpint (text[g_array_index (positions, guint, i)], ==, pattern[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fuzzy/fits", test_fits);
  g_test_add_func ("/fuzzy/order", test_order);
  g_test_add_func ("/fuzzy/positions", test_positions);
  g_test_add_func ("/fuzzy/random", test_random);
  return g_test_run ();
}
