#include <string.h>

#include "view/text-diff.h"

/* Longest common subsequence by the table: what a shortest edit script must reach. */
static guint
lcs (const char *a, const char *b)
{
  g_auto (GStrv) x = g_strsplit (a, "\n", -1);
  g_auto (GStrv) y = g_strsplit (b, "\n", -1);
  guint n = *a != '\0' ? g_strv_length (x) - (g_str_has_suffix (a, "\n") ? 1 : 0) : 0;
  guint m = *b != '\0' ? g_strv_length (y) - (g_str_has_suffix (b, "\n") ? 1 : 0) : 0;
  g_autofree guint *table = g_new0 (guint, (n + 1) * (m + 1));

  for (guint i = 1; i <= n; i++)
    for (guint j = 1; j <= m; j++)
      table[i * (m + 1) + j] = g_str_equal (x[i - 1], y[j - 1])
                                   ? table[(i - 1) * (m + 1) + j - 1] + 1
                                   : MAX (table[(i - 1) * (m + 1) + j], table[i * (m + 1) + j - 1]);
  return table[n * (m + 1) + m];
}

static void
append (GString *out, const char *text, const HirDiffLine *line)
{
  g_string_append_len (out, text + line->start, line->end - line->start);
  g_string_append_c (out, '\n');
}

/* Both texts come back from the listing, and no shorter script exists. */
static void
check (const char *a, const char *b)
{
  g_autoptr (GArray) lines = hir_text_diff (a, b, 0);
  g_autoptr (GString) old_text = g_string_new (NULL);
  g_autoptr (GString) new_text = g_string_new (NULL);
  guint same = 0;

  for (guint i = 0; i < lines->len; i++)
    {
      const HirDiffLine *line = &g_array_index (lines, HirDiffLine, i);

      if (line->kind != HIR_LINE_ADDED)
        append (old_text, line->kind == HIR_LINE_SAME ? b : a, line);
      if (line->kind != HIR_LINE_REMOVED)
        append (new_text, b, line);
      same += line->kind == HIR_LINE_SAME;
    }
  g_assert_cmpstr (old_text->str, ==, a);
  g_assert_cmpstr (new_text->str, ==, b);
  g_assert_cmpuint (same, ==, lcs (a, b));
}

static void
test_small (void)
{
  check ("", "");
  check ("a\n", "");
  check ("", "a\n");
  check ("a\nb\nc\n", "a\nc\n");
  check ("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
}

static char *
random_text (GRand *rand)
{
  GString *out = g_string_new (NULL);

  for (int n = g_rand_int_range (rand, 0, 40); n > 0; n--)
    g_string_append_printf (out, "%c\n", 'a' + g_rand_int_range (rand, 0, 6));
  return g_string_free (out, FALSE);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < 3000; i++)
    {
      g_autofree char *a = random_text (rand);
      g_autofree char *b = random_text (rand);

      check (a, b);
    }
}

/* Past the bound the listing is longer, but still right. */
static void
test_bound (void)
{
  g_autofree char *a = g_strdup ("1\n2\n3\n4\n5\n6\n7\n8\n");
  g_autofree char *b = g_strdup ("8\n7\n6\n5\n4\n3\n2\n1\n");
  g_autoptr (GArray) lines = hir_text_diff (a, b, 1);
  guint n_old = 0, n_new = 0;

  for (guint i = 0; i < lines->len; i++)
    {
      n_old += g_array_index (lines, HirDiffLine, i).old_line >= 0;
      n_new += g_array_index (lines, HirDiffLine, i).new_line >= 0;
    }
  g_assert_cmpuint (n_old, ==, 8);
  g_assert_cmpuint (n_new, ==, 8);
}

static void
test_unified (void)
{
  g_autofree char *same = hir_text_diff_unified ("a\n", "a\n", "x", "y", 3);
  g_autofree char *one = hir_text_diff_unified ("1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                                                "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x", "y", 1);
  g_autofree char *two = hir_text_diff_unified ("a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", "x", "y", 1);

  g_assert_cmpstr (same, ==, "");
  g_assert_cmpstr (one, ==, "--- x\n+++ y\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n");
  g_assert_cmpstr (two, ==,
                   "--- x\n+++ y\n@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+B\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text-diff/small", test_small);
  g_test_add_func ("/text-diff/random", test_random);
  g_test_add_func ("/text-diff/bound", test_bound);
  g_test_add_func ("/text-diff/unified", test_unified);
  return g_test_run ();
}
