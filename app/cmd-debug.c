/* Implements `hirscope debug`: runs the debugger in a terminal or from scripts. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "debug-terminal.h"
#include "debugger/console.h"
#include "debugger/debug-program.h"
#include "lowering-options.h"
#include "run-command-line.h"
#include "run/mpi/mpi-module.h"
#include "spec.h"

#define PROMPT "(hirscope) "

/* Options of `run` that apply to a single execution. */
static const char *const run_options[] = {
  "backend",       "clock",     "streams", "seed",       "check",       "timeout", "comm",
  "comm-priority", "comm-ctas", "gpus",    "share-gpus", "plant-error", NULL,
};

/* Prints an error with a caret below its column. A line that was typed is already on the terminal
 * and is not repeated. */
static void
report (const char *line, gboolean is_typed, const GError *error)
{
  HirPos pos = hir_error_get_pos (error);

  fflush (stdout);
  if (is_typed && *line != '\0' && pos.line > 0 && pos.column > 0)
    hir_command_print_to (stderr, "%*s\n", (int) (strlen (PROMPT) + pos.column), "^");
  else if (!is_typed && pos.line > 0 && pos.column > 0)
    hir_command_print_to (stderr, "%s%s\n%*s\n", PROMPT, line, (int) (strlen (PROMPT) + pos.column),
                          "^");
  hir_command_print_to (stderr, "error: %s\n", error->message);
}

static gboolean
do_line (HirConsole *console, const char *line, gboolean is_typed)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  gboolean ok;

  fflush (stdout);
  ok = hir_console_run (console, line, out, &error);
  hir_command_print ("%s", out->str);
  fflush (stdout);
  if (!ok)
    report (line, is_typed, error);
  return ok;
}

/* Executes each line of @text and stops at the first one that fails. */
static gboolean
do_script (HirConsole *console, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL && !hir_console_is_done (console); i++)
    {
      const char *line = g_strstrip (lines[i]);

      /* In a script, unlike at the terminal, an empty line does not repeat the last command. */
      if (*line == '\0' || *line == '#')
        continue;
      hir_command_print ("%s%s\n", PROMPT, line);
      if (!do_line (console, line, FALSE))
        return FALSE;
    }
  return TRUE;
}

static gboolean
do_file (HirConsole *console, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (g_file_get_contents (path, &text, NULL, &error))
    return do_script (console, text);
  hir_command_fail ("cannot read commands from %s: %s", path,
                    g_file_test (path, G_FILE_TEST_EXISTS) ? error->message : "no such file");
  return FALSE;
}

static void
stop (gpointer user_data)
{
  hir_debugger_request_stop (user_data);
}

/* Executes lines from the terminal or from a pipe. Only in a pipe, an error ends the input. */
static gboolean
do_input (HirConsole *console, HirTerminal *terminal)
{
  gboolean ok = TRUE;
  char *line;

  while (!hir_console_is_done (console) && (line = hir_terminal_read (terminal)) != NULL)
    {
      gboolean is_typed = hir_terminal_is_interactive (terminal);

      if (!is_typed)
        hir_command_print ("%s%s\n", PROMPT, line);
      ok = do_line (console, line, is_typed) || is_typed;
      g_free (line);
      if (!ok)
        break;
    }
  if (!hir_console_is_done (console) && hir_terminal_is_interactive (terminal))
    putchar ('\n');
  return ok;
}

static int
debug (HirDebugProgram *program, char **commands, char **scripts)
{
  HirDebugger *debugger = hir_debug_program_get_debugger (program);
  g_autoptr (HirConsole) console = hir_console_new (debugger);
  g_autoptr (HirTerminal) terminal = hir_terminal_new (console, PROMPT);
  gboolean given = scripts != NULL || commands != NULL, ok = TRUE;

  hir_terminal_watch_interrupts (terminal, stop, debugger);
  for (guint i = 0; scripts != NULL && scripts[i] != NULL && ok; i++)
    ok = do_file (console, scripts[i]);
  for (guint i = 0; commands != NULL && commands[i] != NULL && ok; i++)
    ok = do_script (console, commands[i]);
  if (!given && hir_terminal_is_interactive (terminal))
    hir_command_print ("Type help for a list of commands, or run or start to begin.\n");
  if (hir_terminal_is_interactive (terminal))
    ok = do_input (console, terminal);
  else if (!given)
    ok = do_input (console, terminal);
  if (!ok)
    return HIR_EXIT_BAD;
  switch (hir_console_get_check_outcome (console))
    {
    case HIR_CHECK_WRONG:
      return HIR_EXIT_FINDING;
    case HIR_CHECK_UNDECIDED:
      return HIR_EXIT_UNDECIDED;
    default:
      return HIR_EXIT_DONE;
    }
}

/* Going back must restore all ranks, which therefore run in one process. Only one rank prints the
 * error. */
static int
refuse_launcher (const char *spec)
{
  int rank = 0, size = hir_mpi_launcher_get_size (&rank);

  if (rank > 0)
    return HIR_EXIT_BAD;
  return hir_command_fail ("hirscope debug runs all devices in one process and cannot run under "
                           "mpirun or srun; leave the launcher out: hirscope debug %s -d %d",
                           spec, size);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (HirLoweringOptions) lowering = { 0 };
  g_auto (HirRunCommandLine) options = { 0 };
  g_autofree GOptionEntry *run_entries = hir_run_command_line_dup_entries (&options, run_options);
  g_auto (GStrv) rest = NULL;
  g_auto (GStrv) commands = NULL;
  g_auto (GStrv) scripts = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirDebugProgram) debugged = NULL;
  const GOptionEntry entries[] = {
    { "execute", 'x', 0, G_OPTION_ARG_FILENAME_ARRAY, &scripts,
      "read commands from a file, one per line; repeatable", "FILE" },
    { "command", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &commands, "execute one command; repeatable",
      "LINE" },
    { NULL },
  };
  const HirOptionSection sections[] = {
    { "Debug", entries },
    { "Run", run_entries },
    { "Lowering", hir_lowering_options_get_entries (&lowering) },
  };
  int code;

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (!hir_lowering_options_check (&lowering, &error) ||
      !hir_run_command_line_check (&options, &error))
    return hir_spec_report (error, NULL, NULL);
  if (g_strv_length (rest) != 1)
    return hir_command_fail ("hirscope debug takes one SRC (FILE.py::FUNCTION, example:NAME or a "
                             "printed program), not %u; see hirscope debug --help",
                             g_strv_length (rest));
  if (hir_mpi_launcher_get_size (NULL) > 0)
    return refuse_launcher (rest[0]);
  program = hir_spec_open_program (rest[0], &lowering);
  if (program == NULL)
    return HIR_EXIT_BAD;
  hir_run_command_line_follow (&options, program);
  debugged = hir_debug_program_new (program, &options.settings, NULL, &error);
  if (debugged == NULL)
    return hir_spec_report (error, NULL, program->request->source);
  return debug (debugged, commands, scripts);
}

const HirCommand hir_command_debug = {
  .name = "debug",
  .group = "Run",
  .arguments = "SRC",
  .summary = "step through a program in a terminal, forward and backward",
  .description =
      "Steps through the host program, forward and backward, on all devices together or on one,\n"
      "into, over and out of loops. Breakpoints can be set on instructions, instruction kinds,\n"
      "tensors and script lines, with an iteration, a rank, a stream and a condition. At each\n"
      "stop, values, streams, memory and communications can be inspected. The commands resemble\n"
      "those of gdb; help lists them.\n"
      "Commands of -x and -e are executed first, then those from the terminal. Without a\n"
      "terminal, standard input is read only if -x and -e are absent, and the first command\n"
      "that fails ends the debugger with exit status 2. With --clock model (CPU only), times\n"
      "are the same on every machine. With --check, the exit status is 1 if the results are\n"
      "incorrect, and 3 if they are undecided: rounding errors alone could be larger than the\n"
      "tolerance.",
  .examples = "hirscope debug example:ag_matmul -d 2\n"
              "hirscope debug example:ag_matmul -d 2 -x steps.hdb --check\n"
              "hirscope debug printed.txt -e 'break Wait iteration 1' -e run -e 'print T5'",
  .takes_src = TRUE,
  .run = run,
};
