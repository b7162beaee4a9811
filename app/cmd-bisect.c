/* Implements `hirscope bisect`: finds the first pass, or the first instruction, whose results are
 * incorrect. */
#include <stdio.h>

#include "bisect/bisect.h"
#include "brief.h"
#include "command.h"
#include "debugger/debug-compare.h"
#include "debugger/debug-program.h"
#include "lowering-options.h"
#include "run-command-line.h"
#include "spec.h"

/* Options of `run` that affect the results or limit the time. */
static const char *const run_options[] = {
  "backend",       "streams",   "seed",        "timeout", "comm",
  "comm-priority", "comm-ctas", "plant-error", NULL,
};

static const char *const words[] = {
  [HIR_BISECT_SAME] = "-",      [HIR_BISECT_RIGHT] = "right",   [HIR_BISECT_WRONG] = "WRONG",
  [HIR_BISECT_UNDECIDED] = "?", [HIR_BISECT_NOT_CHECKED] = "?",
};

static void
print_steps (const HirBisect *bisect)
{
  for (guint i = 0; i < bisect->steps->len; i++)
    {
      const HirBisectStep *step = bisect->steps->pdata[i];
      g_auto (GStrv) lines = g_strsplit (step->text, "\n", -1);

      hir_command_print ("%-26s %-6s %s\n", step->pass_name, words[step->verdict], lines[0]);
      for (guint k = 1; lines[0] != NULL && lines[k] != NULL; k++)
        hir_command_print ("%-26s %-6s %s\n", "", "", lines[k]);
    }
}

static int
report (const HirBisect *bisect, HirProgram *program)
{
  const HirBisectStep *guilty = bisect->guilty >= 0 ? bisect->steps->pdata[bisect->guilty] : NULL;

  hir_command_print ("%s", bisect->inputs);
  print_steps (bisect);
  if (guilty != NULL)
    {
      const HirBisectStep *right = bisect->steps->pdata[bisect->last_right];
      g_autofree char *suspects = hir_bisect_dup_suspects (bisect, "one of ");

      hir_command_print ("\nfirst incorrect pass: %s; after %s the results still match the fusion\n"
                         "to see its changes: hirscope lower ... --print %s --diff\n",
                         suspects, right->pass_name, guilty->pass_name);
      return HIR_EXIT_FINDING;
    }
  if (program->error != NULL)
    {
      fflush (stdout);
      return hir_spec_report (program->error, NULL, program->request->source);
    }
  if (bisect->n_undecided > 0)
    {
      hir_command_print ("\nno pass is known to change the results, but %u could not be decided\n",
                         bisect->n_undecided);
      return HIR_EXIT_UNDECIDED;
    }
  hir_command_print ("\nno pass changes the results\n");
  return HIR_EXIT_DONE;
}

static int
report_wrong (const HirDebugMismatch *wrong)
{
  g_autofree char *label = wrong->expr != NULL ? hir_brief_expr_label (wrong->expr) : NULL;

  hir_command_print ("%" G_GUINT64_FORMAT " result%s compared\n", wrong->n_compared,
                     wrong->n_compared == 1 ? "" : "s");
  if (wrong->expr == NULL)
    {
      hir_command_print ("\nno result exceeds its error bound\n");
      return HIR_EXIT_DONE;
    }
  hir_command_print ("\nfirst incorrect result: #%u %s", wrong->number, label);
  if (wrong->iteration >= 0)
    hir_command_print (", iteration %d", wrong->iteration);
  hir_command_print (", rank %d\n%s"
                     "to inspect it: hirscope debug ... -e 'break %u",
                     wrong->rank, wrong->report, wrong->number);
  if (wrong->iteration >= 0)
    hir_command_print (" iteration %d", wrong->iteration);
  hir_command_print (" rank %d' -e run\n", wrong->rank);
  return HIR_EXIT_FINDING;
}

/* Compares the results of instructions instead of passes. */
static int
bisect_program (HirProgram *program, const HirRunSettings *given)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_auto (HirDebugMismatch) wrong = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirDebugProgram) debugged = NULL;
  HirDebugger *debugger;
  HirDebugRun *debug_run;

  hir_run_settings_copy (&settings, given);
  settings.check = TRUE;
  if (settings.backend != HIR_BACKEND_CPU)
    return hir_command_fail ("bisect --program runs only on the CPU; leave out --backend");
  debugged = hir_debug_program_new (program, &settings, NULL, &error);
  debugger = debugged != NULL ? hir_debug_program_get_debugger (debugged) : NULL;
  if (debugger == NULL || !hir_debugger_start (debugger, &error))
    return hir_spec_report (error, NULL, program->request->source);
  debug_run = hir_debugger_get_run (debugger);
  hir_command_print ("%s", hir_session_get_inputs_text (hir_debug_run_get_session (debug_run)));
  if (!hir_debug_run_find_mismatch (debug_run, settings.n_streams, NULL, &wrong, &error))
    return hir_spec_report (error, NULL, program->request->source);
  return report_wrong (&wrong);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (HirLoweringOptions) lowering = { 0 };
  g_auto (HirRunCommandLine) options = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirBisect) bisect = NULL;
  gboolean by_instruction = FALSE;
  const GOptionEntry entries[] = {
    { "program", 0, 0, G_OPTION_ARG_NONE, &by_instruction,
      "find the first instruction whose result is incorrect,\ninstead of the first pass", NULL },
    { NULL },
  };
  g_autofree GOptionEntry *run_entries = hir_run_command_line_dup_entries (&options, run_options);
  const HirOptionSection sections[] = {
    { "Bisect", entries },
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
    return hir_command_fail ("hirscope bisect takes one SRC (FILE.py::FUNCTION or example:NAME), "
                             "not %u; see hirscope bisect --help",
                             g_strv_length (rest));
  program = hir_spec_open_program (rest[0], &lowering);
  if (program == NULL)
    return HIR_EXIT_BAD;
  if (by_instruction)
    return bisect_program (program, &options.settings);
  bisect = hir_bisect_new (program, &options.settings, NULL, NULL, NULL, &error);
  if (bisect == NULL)
    return hir_spec_report (error, NULL, program->request->source);
  return report (bisect, program);
}

const HirCommand hir_command_bisect = {
  .name = "bisect",
  .group = "Analyze",
  .arguments = "SRC",
  .summary = "find the first pass that breaks the results",
  .description =
      "Finds the first pass after which the results differ from the fusion. A fusion is\n"
      "evaluated in double precision; a host program is run. The exit status is 1 if a pass is\n"
      "found, and 3 if no pass is found but a pass could not be decided.\n"
      "With --program, runs the host program of the last pass, or a printed one, side by side\n"
      "with a sequential run of the same program, and names the first instruction whose result\n"
      "exceeds its error bound.",
  .examples = "hirscope bisect mine.py::layer --input 512x256\n"
              "hirscope bisect example:ag_matmul -d 4\n"
              "hirscope bisect printed.txt --program",
  .takes_src = TRUE,
  .run = run,
};
