/* Implements `hirscope bisect`: finds the first pass, or the first instruction, whose results are
 * incorrect. */
#include <stdio.h>

#include "bisect-json.h"
#include "bisect/against.h"
#include "bisect/bisect-program.h"
#include "bisect/bisect.h"
#include "command.h"
#include "lowering-options.h"
#include "run-command-line.h"
#include "spec.h"

/* Options of `run` that affect the results or limit the time. */
static const char *const run_options[] = {
  "backend",   "streams", "seed",       "timeout",     "comm", "comm-priority",
  "comm-ctas", "gpus",    "share-gpus", "plant-error", "json", NULL,
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

/* Prints what the steps show, if no pass has failed. */
static void
print_conclusion (const HirBisect *bisect)
{
  const HirBisectStep *guilty = bisect->guilty >= 0 ? bisect->steps->pdata[bisect->guilty] : NULL;

  if (guilty == NULL && bisect->n_undecided > 0)
    hir_command_print ("\nno pass is known to change the results, but %u could not be decided\n",
                       bisect->n_undecided);
  else if (guilty == NULL && bisect->lost_transfer != NULL)
    hir_command_print (
        "\non whole tensors, no enabled pass changes the results, but a disabled one is required: "
        "%s\n",
        bisect->lost_transfer);
  else if (guilty == NULL)
    hir_command_print ("\nno pass changes the results\n");
  else if (bisect->guilty == 0)
    hir_command_print ("\nthe first program, %s, differs from the fusion already\n",
                       guilty->pass_name);
  else
    {
      const HirBisectStep *right = bisect->steps->pdata[bisect->last_right];
      g_autofree char *suspects = hir_bisect_dup_suspects (bisect, "one of ");

      hir_command_print ("\nfirst incorrect pass: %s; after %s the results still match the fusion\n"
                         "to see its changes: hirscope lower ... --print '%s' --diff\n",
                         suspects, right->pass_name, guilty->pass_name);
    }
}

static int
report (const HirBisect *bisect, HirProgram *program, gboolean as_json)
{
  gboolean failed = bisect->guilty < 0 && program->error != NULL;

  if (as_json && hir_bisect_print_json (bisect) != HIR_EXIT_DONE)
    return HIR_EXIT_BAD;
  if (!as_json)
    {
      if (bisect->inputs != NULL)
        hir_command_print ("%s", bisect->inputs);
      print_steps (bisect);
      if (!failed)
        print_conclusion (bisect);
    }
  if (failed)
    {
      fflush (stdout);
      return hir_spec_report (program->error, NULL, program->request->source);
    }
  if (bisect->guilty >= 0 || bisect->lost_transfer != NULL)
    return HIR_EXIT_FINDING;
  return bisect->n_undecided > 0 ? HIR_EXIT_UNDECIDED : HIR_EXIT_DONE;
}

/* Prints the races after the results, which do not depend on them; @as_json: they are printed
 * already. Returns @code, or FINDING. */
static int
report_races (const char *races, const char *spec, gboolean as_json, int code)
{
  if (races == NULL)
    return code;
  if (!as_json)
    hir_command_print ("\nthe program races: its results depend on timing, whatever the comparison "
                       "says; hirscope check %s:\n%s",
                       spec, races);
  return code == HIR_EXIT_BAD ? code : HIR_EXIT_FINDING;
}

static void
print_wrong (const HirSource *source, const HirProgramBisect *bisect)
{
  hir_command_print ("\nfirst incorrect result: program line %u, %s", bisect->number,
                     bisect->label);
  if (bisect->iteration >= 0)
    hir_command_print (", iteration %d", bisect->iteration);
  hir_command_print (", rank %d\n", bisect->rank);
  if (bisect->line > 0)
    hir_command_print ("in %s:%u\n", source->path, bisect->line);
  hir_command_print ("%s\nto inspect it: hirscope debug ... -e 'break %u", bisect->report,
                     bisect->number);
  if (bisect->iteration >= 0)
    hir_command_print (" iteration %d", bisect->iteration);
  hir_command_print (" rank %d' -e run\n", bisect->rank);
}

static void
print_program (const HirProgram *program, const HirProgramBisect *bisect, gboolean has_fusion)
{
  gint n_compared = bisect->n_compared;

  if (bisect->inputs != NULL)
    hir_command_print ("%s%d result%s compared\n", bisect->inputs, n_compared,
                       n_compared == 1 ? "" : "s");
  if (bisect->outputs != NULL)
    hir_command_print ("%s", bisect->outputs);
  if (bisect->id != 0)
    print_wrong (program->request->source, bisect);
  else if (bisect->report != NULL)
    hir_command_print ("\n%s\n", bisect->report);
  if (bisect->failure != NULL)
    hir_command_print ("then the program fails: %s", bisect->failure);
  if (bisect->id == 0 && bisect->outputs == NULL)
    hir_command_print (has_fusion
                           ? "\nthe outputs equal those of the fusion, and no result exceeds "
                             "its error bound\n"
                           : "\nno result exceeds its error bound\n");
}

/* Compares the results of instructions instead of passes. */
static int
bisect_program (HirProgram *program,
                HirContainer *fusion,
                const HirRunCommandLine *options,
                const char *spec)
{
  const HirRunSettings *settings = &options->settings;
  g_autoptr (HirProgramBisect) bisect = hir_program_bisect_new ();
  g_autoptr (GError) error = NULL;
  int code = HIR_EXIT_BAD;

  if (settings->backend != HIR_BACKEND_CPU)
    return hir_command_fail ("bisect --program runs only on the CPU; leave out --backend");
  if (hir_program_bisect_find (program, fusion, settings, NULL, bisect, &error))
    {
      code = bisect->id != 0 || bisect->outputs != NULL ? HIR_EXIT_FINDING : HIR_EXIT_DONE;
      if (options->json && hir_program_bisect_print_json (bisect) != HIR_EXIT_DONE)
        return HIR_EXIT_BAD;
      if (!options->json)
        print_program (program, bisect, fusion != NULL);
    }
  if (bisect->no_check != NULL && !options->json)
    hir_command_print ("races were not searched: %s\n", bisect->no_check);
  code = report_races (bisect->races, spec, options->json, code);
  if (error == NULL)
    return code;
  fflush (stdout);
  return hir_spec_report (error, NULL, program->request->source);
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
  g_autoptr (HirProgram) against = NULL;
  g_autofree char *against_text = NULL;
  HirContainer *fusion;
  gboolean by_instruction = FALSE;
  const GOptionEntry entries[] = {
    { "program", 0, 0, G_OPTION_ARG_NONE, &by_instruction,
      "find the first instruction whose result is incorrect,\ninstead of the first pass", NULL },
    { "against", 0, 0, G_OPTION_ARG_STRING, &against_text,
      "compare a printed program with this fusion\n(default: the first program of a pass log)",
      "SCRIPT" },
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
    return hir_command_fail ("hirscope bisect takes one SRC (FILE.py::FUNCTION, example:NAME, a "
                             "printed program or a pass log), not %u; see hirscope bisect --help",
                             g_strv_length (rest));
  program = hir_spec_open_program (rest[0], &lowering);
  if (program == NULL)
    return HIR_EXIT_BAD;
  hir_run_command_line_follow (&options, program);
  if (!hir_spec_open_against (against_text, &lowering, program, &against, &fusion))
    return HIR_EXIT_BAD;
  if (fusion == NULL && program->fusion == NULL)
    fusion = hir_program_lookup_fusion (program);
  /* A single printed program has no passes. */
  if (by_instruction || (against != NULL && program->views->len == 1))
    return bisect_program (program, fusion, &options, rest[0]);
  bisect = hir_bisect_new (program, fusion, &options.settings, NULL, NULL, NULL, &error);
  if (bisect == NULL)
    return hir_spec_report (error, NULL, program->request->source);
  return report_races (bisect->races, rest[0], options.json,
                       report (bisect, program, options.json));
}

const HirCommand hir_command_bisect = {
  .name = "bisect",
  .group = "Analyze",
  .arguments = "SRC",
  .summary = "find the first pass or instruction that breaks the results",
  .description =
      "Finds the first pass after which the results differ from the fusion, in a script or a\n"
      "pass log. A fusion is evaluated in double precision. The host program of a script is run;\n"
      "the host programs of a log are evaluated in double precision, too. The exit status is 1\n"
      "if a pass is found, and 3 if none is found but a pass could not be decided.\n"
      "With --program, finds the first incorrect instruction of a host program: that of the\n"
      "last pass, or a printed one. The results of its instructions are compared with those of\n"
      "a sequential run of the same program.\n"
      "With --against SCRIPT, or for a pass log, the program is first compared with the fusion.\n"
      "If outputs differ, the instructions of the program are paired with those of the lowered\n"
      "fusion, and the first one with another result, slice, operand, root or peer is named.\n"
      "Missing synchronization, as found by hirscope check, is reported after the results; the\n"
      "exit status is then 1 too.",
  .examples = "hirscope bisect mine.py::layer --input 512x256\n"
              "hirscope bisect example:ag_matmul -d 4\n"
              "hirscope bisect printed.txt --program\n"
              "hirscope bisect printed.txt --against mine.py::layer\n"
              "hirscope bisect passes.log",
  .takes_src = TRUE,
  .run = run,
};
