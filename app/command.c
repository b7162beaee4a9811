#include "command.h"
#include "print/printable.h"

#include <stdio.h>
#include <string.h>

#include "examples.h"
#include "suggest.h"

#define HELP_COLUMN 30
#define WIDTH 96

static const HirCommand *const commands[] = {
  &hir_command_lower,   &hir_command_run,     &hir_command_export,  &hir_command_doctor,
  &hir_command_debug,   &hir_command_check,   &hir_command_bisect,  &hir_command_stats,
  &hir_command_explain, &hir_command_predict, &hir_command_compare, &hir_command_query,
  &hir_command_tune,    &hir_command_join,    &hir_command_mcp,     NULL,
};

const HirCommand *
hir_command_lookup (const char *name)
{
  for (guint i = 0; commands[i] != NULL; i++)
    if (strcmp (commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

const char *
hir_command_suggest (const char *name)
{
  HirSuggestion suggestion = { NULL, 0 };

  for (guint i = 0; commands[i] != NULL; i++)
    hir_suggestion_offer (&suggestion, name, commands[i]->name);
  return suggestion.best;
}

static void print (FILE *file, const char *format, va_list args) G_GNUC_PRINTF (2, 0);

static void
print (FILE *file, const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf (format, args);
  g_autofree char *shown = hir_printable_dup_lines (text);

  fputs (shown, file);
}

void
hir_command_print_to (FILE *file, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  print (file, format, args);
  va_end (args);
}

void
hir_command_print (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  print (stdout, format, args);
  va_end (args);
}

int
hir_command_fail (const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  hir_command_print_to (stderr, "error: %s\n", message);
  return HIR_EXIT_BAD;
}

/* Returns, for example, "-d, --devices N". */
static char *
option_to_string (const GOptionEntry *entry)
{
  GString *s = g_string_new (NULL);

  if (entry->short_name != 0)
    g_string_append_printf (s, "-%c, ", entry->short_name);
  else
    g_string_append (s, "    ");
  g_string_append_printf (s, "--%s", entry->long_name);
  if (entry->arg_description != NULL)
    g_string_append_printf (s, " %s", entry->arg_description);
  return g_string_free (s, FALSE);
}

static void
print_row (const char *left, const char *right)
{
  g_auto (GStrv) lines = g_strsplit (right, "\n", -1);

  if (strlen (left) + 2 > HELP_COLUMN - 2)
    printf ("  %s\n  %-*s%s\n", left, HELP_COLUMN - 2, "", lines[0]);
  else
    printf ("  %-*s%s\n", HELP_COLUMN - 2, left, lines[0]);
  for (guint i = 1; lines[i] != NULL; i++)
    printf ("%-*s%s\n", HELP_COLUMN, "", lines[i]);
}

static void
print_indented (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    printf ("  %s\n", lines[i]);
}

/* Prints the fusions of the built-in examples, one paragraph per file. */
static void
print_built_in_examples (void)
{
  printf ("\nBuilt-in examples, as example:NAME:\n");
  for (const HirExample *e = hir_examples_get_table (); e->name != NULL; e++)
    {
      g_auto (GStrv) names = hir_examples_dup_functions (e);
      int column = printf ("  %s:", e->name);

      for (guint i = 0; names[i] != NULL; i++)
        {
          if (column + 1 + strlen (names[i]) > WIDTH)
            column = printf ("\n   ") - 1;
          column += printf (" %s", names[i]);
        }
      putchar ('\n');
    }
}

static void
hir_command_print_help (const HirCommand *command,
                        const HirOptionSection *sections,
                        guint n_sections)
{
  printf ("Usage: hirscope");
  if (*command->name != '\0')
    printf (" %s", command->name);
  if (*command->arguments != '\0')
    printf (" %s", command->arguments);
  printf ("%s\n\n%s\n", n_sections > 0 ? " [OPTION...]" : "", command->description);
  for (guint i = 0; i < n_sections; i++)
    {
      printf ("\n%s:\n", sections[i].title);
      for (const GOptionEntry *e = sections[i].entries; e->long_name != NULL; e++)
        {
          g_autofree char *left = NULL;

          if (e->flags & G_OPTION_FLAG_HIDDEN)
            continue;
          left = option_to_string (e);
          print_row (left, e->description);
        }
    }
  if (command->examples != NULL)
    {
      printf ("\nExamples:\n");
      print_indented (command->examples);
    }
  if (command->takes_src)
    print_built_in_examples ();
}

static void
print_command_rows (const char *group)
{
  for (guint i = 0; commands[i] != NULL; i++)
    if (strcmp (commands[i]->group, group) == 0)
      {
        g_autofree char *left =
            g_strdup_printf ("hirscope %s %s", commands[i]->name, commands[i]->arguments);

        print_row (g_strchomp (left), commands[i]->summary);
      }
}

void
hir_command_print_overview (void)
{
  printf ("Hirscope: a visual debugger and trace tool for nvFuser host-IR programs.\n"
          "\n"
          "View:\n");
  print_row ("hirscope [SRC|TRACE]...",
             "open the window, or the gallery of examples; with the options\n"
             "of lower, such as -d 8 --input 64x64 (hirscope SRC --help)");
  print_command_rows ("View");
  printf ("\nRun:\n");
  print_command_rows ("Run");
  printf ("\nAnalyze:\n");
  print_command_rows ("Analyze");
  printf ("\nThis machine:\n");
  print_command_rows ("This machine");
  print_row ("hirscope --version", "print the version and the features of this build");
  print_row ("hirscope COMMAND --help", "print the options and examples of a command");
  printf (
      "\n"
      "SRC is FILE.py::FUNCTION, FILE.py with one fusion, a built-in example such as\n"
      "example:two_set_ops (hirscope lower --help lists all), a printed host program,\n"
      "a pass log, or a recording. TRACE is a recording (.hirs), an Nsight Systems SQLite\n"
      "export, or Chrome or Kineto JSON with one file per rank; also compressed (gzip, zstd, xz).\n"
      "\n"
      "The exit status is 0 for success, 1 if a check found something, 2 for invalid usage or\n"
      "input, or if this machine lacks what was requested, and 3 if a check of results is\n"
      "undecided. Errors are printed on standard error as\n"
      "file:line:column: error: message; action.\n"
      "\n"
      "Examples:\n"
      "  hirscope                                          open the gallery\n"
      "  hirscope lower example:two_set_ops                print the program after the last pass\n"
      "  hirscope run example:matmul_m --check -o m.hirs   run, check and record a program\n"
      "  hirscope m.hirs                                   open the recording in the window\n"
      "  hirscope stats rank0.json.gz rank1.json.gz        measure overlap of communication\n");
}

/* Returns the option nearest to @name (without dashes) as "--option", or NULL if none is near. */
static char *
suggest_option (const HirOptionSection *sections, guint n_sections, const char *name)
{
  HirSuggestion suggestion = { NULL, 0 };

  for (guint i = 0; i < n_sections; i++)
    for (const GOptionEntry *e = sections[i].entries; e->long_name != NULL; e++)
      if (!(e->flags & G_OPTION_FLAG_HIDDEN))
        hir_suggestion_offer (&suggestion, name, e->long_name);
  return suggestion.best != NULL ? g_strdup_printf ("--%s", suggestion.best) : NULL;
}

/* Returns the name of an unknown option, without dashes, from the message of GOption; NULL for
 * another error. */
static char *
dup_unknown_name (const GError *error)
{
  const char *dash = strchr (error->message, '-');
  char *name;

  if (error->domain != G_OPTION_ERROR || error->code != G_OPTION_ERROR_UNKNOWN_OPTION ||
      dash == NULL)
    return NULL;
  while (*dash == '-')
    dash++;
  name = g_strdup (dash);
  name[strcspn (name, "= ")] = '\0';
  return name;
}

static void
report_option_error (const HirCommand *command,
                     const HirOptionSection *sections,
                     guint n_sections,
                     const GError *error)
{
  g_autofree char *name = dup_unknown_name (error);
  g_autofree char *near = name != NULL ? suggest_option (sections, n_sections, name) : NULL;
  g_autofree char *verb = g_strdup_printf ("hirscope %s", command->name);

  g_strchomp (verb);
  if (name == NULL)
    hir_command_fail ("%s; see %s --help", error->message, verb);
  else if (near != NULL)
    hir_command_fail ("%s has no option %s%s; did you mean %s?", verb,
                      strlen (name) > 1 ? "--" : "-", name, near);
  else
    hir_command_fail ("%s has no option %s%s; see %s --help", verb, strlen (name) > 1 ? "--" : "-",
                      name, verb);
}

gboolean
hir_command_parse (const HirCommand *command,
                   const HirOptionSection *sections,
                   guint n_sections,
                   int argc,
                   char **argv,
                   char ***rest,
                   int *exit_code)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  gboolean help = FALSE;
  const GOptionEntry common[] = {
    { "help", 'h', 0, G_OPTION_ARG_NONE, &help, "print this help", NULL },
    { NULL },
  };
  /* GOption reorders the array and frees the strings that it consumes, so it gets a copy. */
  g_auto (GStrv) copy = g_new0 (char *, argc + 1);

  for (int i = 0; i < argc; i++)
    copy[i] = g_strdup (argv[i]);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_add_main_entries (context, common, NULL);
  for (guint i = 0; i < n_sections; i++)
    g_option_context_add_main_entries (context, sections[i].entries, NULL);
  if (!g_option_context_parse_strv (context, &copy, &error))
    {
      report_option_error (command, sections, n_sections, error);
      *exit_code = HIR_EXIT_BAD;
      return FALSE;
    }
  if (help)
    {
      hir_command_print_help (command, sections, n_sections);
      *exit_code = HIR_EXIT_DONE;
      return FALSE;
    }
  {
    char **words = copy[0] != NULL ? copy + 1 : copy;

    if (words[0] != NULL && strcmp (words[0], "--") == 0)
      words++;
    *rest = g_strdupv (words);
  }
  return TRUE;
}
