/* Tests the rows of tables 4.1, 4.2, 4.6 and 4.7 (docs/host-ir.md#scenario-tables) from before
 * 2026, each under its name. rows.txt lists them, and every row must have a test. */
#include <string.h>

#include "scenario.h"

/* Counts the cases of a row: its name, or names below it; in table 4.1 below each suite. */
static guint
count_cases (const char *table, const char *row)
{
  GHashTableIter iter;
  gpointer name;
  guint n = 0;

  g_hash_table_iter_init (&iter, scenario_names ());
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      g_auto (GStrv) parts = g_strsplit (name, "/", -1);

      n += g_str_equal (parts[1], table) && g_strv_contains ((const char *const *) parts + 2, row);
    }
  return n;
}

static void
test_complete (void)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "scenarios", "rows.txt", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n_rows = 0, n_cases = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", 3);
      guint n;

      if (lines[i][0] == '\0' || lines[i][0] == '#')
        continue;
      n = count_cases (words[0], words[1]);
      if (n == 0 || (g_str_equal (words[0], "4.1") && n != 2))
        g_error ("row %s of table %s has %u tests", words[1], words[0], n);
      n_rows++;
      n_cases += n;
    }
  g_assert_cmpuint (n_rows, >=, 70);
  /* Every test belongs to a listed row. */
  g_assert_cmpuint (n_cases, ==, g_hash_table_size (scenario_names ()));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_table_4_1 ();
  add_table_4_2 ();
  add_table_4_6 ();
  add_table_4_7 ();
  g_test_add_func ("/scenarios/complete", test_complete);
  return g_test_run ();
}
