/* Entry point: runs a command or opens the window. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "window-verb.h"

#if HIR_HAVE_FIGURES
#include "draw/graph/layout-worker.h"
#endif

static int
print_version (void)
{
  printf ("hirscope %s (window: %s; figures: %s; back ends: cpu)\n", HIR_VERSION,
          HIR_HAVE_UI ? "yes" : "no", HIR_HAVE_FIGURES ? "yes" : "no");
  return HIR_EXIT_DONE;
}

/* Returns whether @word cannot be a file or an example and is therefore a mistyped command. */
static gboolean
looks_like_verb (const char *word)
{
  return word[0] != '-' && strpbrk (word, "./:") == NULL && !g_file_test (word, G_FILE_TEST_EXISTS);
}

static int
refuse_verb (const char *word)
{
  const char *near = hir_command_suggest (word);

  if (near != NULL)
    return hir_command_fail ("there is no command or file '%s'; did you mean hirscope %s?", word,
                             near);
  return hir_command_fail ("there is no command or file '%s'; see hirscope --help", word);
}

static int
run_help (const char *name)
{
  const HirCommand *command = name != NULL ? hir_command_lookup (name) : NULL;
  char *argv[] = { (char *) name, (char *) "--help", NULL };

  if (command != NULL)
    return command->run (command, 2, argv);
  if (name != NULL && name[0] != '-')
    return refuse_verb (name);
  hir_command_print_overview ();
  return HIR_EXIT_DONE;
}

static int
run_command_line (int argc, char **argv)
{
  const char *first = argc > 1 ? argv[1] : NULL;
  const HirCommand *command;

  if (first == NULL)
    return hir_window_verb_run (argc, argv);
  if (strcmp (first, "--version") == 0)
    return print_version ();
  if (strcmp (first, "--help") == 0 || strcmp (first, "-h") == 0)
    return run_help (NULL);
  if (strcmp (first, "help") == 0)
    return run_help (argc > 2 ? argv[2] : NULL);

  command = hir_command_lookup (first);
  if (command != NULL)
    return command->run (command, argc - 1, argv + 1);
  if (looks_like_verb (first))
    return refuse_verb (first);
  return hir_window_verb_run (argc, argv);
}

int
main (int argc, char **argv)
{
  int code;

  /* Only the character set of the locale, for file names: scripts parse numbers and messages. */
  setlocale (LC_CTYPE, "");
  g_set_prgname ("hirscope");

#if HIR_HAVE_FIGURES
  if (argc > 1 && strcmp (argv[1], "--layout-worker") == 0)
    return hir_layout_worker_main ();
#endif
  code = run_command_line (argc, argv);
  /* Lost output must not look like success to a script. */
  if (fflush (stdout) != 0 || ferror (stdout))
    return hir_command_fail ("cannot write to standard output: %s", g_strerror (errno));
  return code;
}
