/* bench-list [FILE.py [ROUNDS]]: measures the CPU time to list the functions of a script that build
 * a fusion, as `hirscope lower FILE.py --list` does: read, parse, search. The file is the largest
 * test of an nvFuser checkout, which is not part of the repository; without it, the benchmark is
 * skipped. The best of ROUNDS counts. The goal is less than 100 ms. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "script/parse/parse.h"
#include "script/script.h"

#define EXIT_SKIPPED 77

static guint
list (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_script_load (path, &error);
  g_autoptr (HirScript) script = NULL;
  g_auto (GStrv) choices = NULL;

  if (source == NULL)
    g_error ("%s", error->message);
  script = hir_script_parse (source, NULL);
  choices = hir_script_dup_choices (script, NULL, &error);
  if (choices == NULL)
    g_error ("%s", error->message);
  return g_strv_length (choices);
}

int
main (int argc, char **argv)
{
  int rounds = argc > 2 ? atoi (argv[2]) : 20;
  double best_ms = G_MAXDOUBLE;
  guint n = 0;

  if (argc < 2 || !g_file_test (argv[1], G_FILE_TEST_IS_REGULAR))
    {
      printf ("skipped: name the largest test of an nvFuser checkout\n");
      return EXIT_SKIPPED;
    }
  for (int i = 0; i < rounds; i++)
    {
      clock_t start = clock ();

      n = list (argv[1]);
      best_ms = MIN (best_ms, 1e3 * (double) (clock () - start) / CLOCKS_PER_SEC);
    }
  printf ("%u functions of %s: %.2f ms of CPU, best of %d\n", n, argv[1], best_ms, rounds);
  return 0;
}
