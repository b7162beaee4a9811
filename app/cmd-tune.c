/* Implements `hirscope tune`: finds faster settings of a run. */
#include <stdio.h>

#include "command-output.h"
#include "command.h"
#include "interrupt.h"
#include "lowering-options.h"
#include "run-command-line.h"
#include "run/mpi/mpi-module.h"
#include "spec.h"
#include "tune/tune-write.h"

#define MAX_ROWS 20
#define MAX_ROUNDS 1000
#define MAX_TOP 1000
#define MAX_BUDGET_S 1e6
/* Runs of a round on the wall clock. The modelled clock gives the same time in each run. */
#define N_REPEAT 3
#define N_WARMUP 1

/* Options of `run` that make up the given setting, or how it is measured. */
static const char *const run_options[] = {
  "backend", "clock",      "streams", "seed",    "timeout", "comm",   "comm-priority", "comm-ctas",
  "gpus",    "share-gpus", "check",   "against", "warmup",  "repeat", "plant-error",   NULL,
};

typedef struct
{
  char *budget, *rounds, *top;
  char **limits;
  gboolean json;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->budget);
  g_free (options->rounds);
  g_free (options->top);
  g_strfreev (options->limits);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
report (const char *text, gpointer user_data)
{
  hir_command_print_to (stderr, "hirscope tune: %s\n", text);
}

static gboolean
parse_budget (const char *text, double *budget_s, GError **error)
{
  char *end = NULL;

  if (text == NULL)
    return TRUE;
  *budget_s = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *budget_s > 0 && *budget_s <= MAX_BUDGET_S)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "--budget takes a number of seconds above 0 and up to %.0f, not '%s'",
                 MAX_BUDGET_S, text);
  return FALSE;
}

static gboolean
parse (const Options *options, HirRunCommandLine *run, HirTuneOptions *tune, GError **error)
{
  gint64 n_rounds = run->settings.model_clock ? 1 : 5, n_top = 5;

  tune->budget_s = 60;
  if (!parse_budget (options->budget, &tune->budget_s, error) ||
      (options->rounds != NULL &&
       !hir_option_parse_int ("--rounds", options->rounds, 1, MAX_ROUNDS, &n_rounds, error)) ||
      (options->top != NULL &&
       !hir_option_parse_int ("--top", options->top, 0, MAX_TOP, &n_top, error)))
    return FALSE;
  if (run->repeat_text == NULL && !run->settings.model_clock)
    run->settings.n_repeat = N_REPEAT;
  if (run->warmup_text == NULL && !run->settings.model_clock)
    run->settings.n_warmup = N_WARMUP;
  tune->n_rounds = (guint) n_rounds;
  tune->n_top = (guint) n_top;
  tune->settings = &run->settings;
  tune->limits = (const char *const *) options->limits;
  tune->status = report;
  return TRUE;
}

/* The check of a measured setting may have found something. */
static int
get_exit_code (const HirTune *tune)
{
  for (guint i = 0; i < tune->list->len; i++)
    if (((const HirTuneSetting *) g_ptr_array_index (tune->list, i))->state == HIR_TUNE_WRONG)
      return HIR_EXIT_FINDING;
  return HIR_EXIT_DONE;
}

static int
tune (HirProgram *program, const char *spec, const HirTuneOptions *options, gboolean as_json)
{
  g_autoptr (HirInterrupt) interrupt = hir_interrupt_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTune) found =
      hir_tune_new (program, options, hir_interrupt_get_cancellable (interrupt), &error);
  HirTextOut out;
  int code;

  if (found == NULL)
    return hir_spec_report (error, NULL,
                            hir_error_get_pos (error).line > 0 ? program->request->source : NULL);
  hir_command_begin_output (&out);
  if (as_json)
    hir_tune_write_json (found, spec, &out);
  else
    hir_tune_write_text (found, spec, MAX_ROWS, &out);
  code = hir_command_end_output (&out);
  fflush (stdout);
  return code == HIR_EXIT_DONE ? get_exit_code (found) : code;
}

static int
open_and_tune (const char *spec,
               HirLoweringOptions *lowering,
               HirRunCommandLine *run,
               HirTuneOptions *options,
               gboolean as_json)
{
  g_autoptr (HirProgram) program = hir_spec_open_program (spec, lowering);
  g_autoptr (HirProgram) against = NULL;

  if (program == NULL ||
      !hir_spec_open_against (run->against, lowering, program, &against, &options->against))
    return HIR_EXIT_BAD;
  if (program->error != NULL)
    return hir_spec_report (program->error, NULL, program->request->source);
  hir_run_command_line_follow (run, program);
  return tune (program, spec, options, as_json);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_auto (HirLoweringOptions) lowering = { 0 };
  g_auto (HirRunCommandLine) run_line = { 0 };
  g_autofree GOptionEntry *run_entries = hir_run_command_line_dup_entries (&run_line, run_options);
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  HirTuneOptions tune_options = { 0 };
  const GOptionEntry entries[] = {
    { "budget", 0, 0, G_OPTION_ARG_STRING, &options.budget,
      "end after this time, with what was found (default 60)", "SECONDS" },
    { "top", 0, 0, G_OPTION_ARG_STRING, &options.top,
      "measure the N settings with the shortest predicted\ntimes (default 5)", "N" },
    { "rounds", 0, 0, G_OPTION_ARG_STRING, &options.rounds,
      "measure each of them N times, in interleaved rounds\n(default 5; 1 with the modelled clock)",
      "N" },
    { "try", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.limits,
      "try only these values of pipeline, initial_sync,\nchunks, streams, comm or priority, such as\n"
      "streams=1,2,4; may be repeated",
      "NAME=VALUES" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object, in nanoseconds",
      NULL },
    { NULL },
  };
  const HirOptionSection sections[] = {
    { "Options", entries },
    { "Run", run_entries },
    { "Lowering", hir_lowering_options_get_entries (&lowering) },
  };
  int code;

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (!hir_lowering_options_check (&lowering, &error) ||
      !hir_run_command_line_check (&run_line, &error) ||
      !parse (&options, &run_line, &tune_options, &error))
    return hir_spec_report (error, NULL, NULL);
  if (g_strv_length (rest) != 1)
    return hir_command_fail ("hirscope tune takes one SRC (FILE.py::FUNCTION, example:NAME, a "
                             "printed program or a recording), not %u; see hirscope tune --help",
                             g_strv_length (rest));
  if (hir_mpi_launcher_get_size (NULL) > 0)
    return hir_command_fail ("tune requires all devices in one process; omit the launcher");
  return open_and_tune (rest[0], &lowering, &run_line, &tune_options, options.json);
}

const HirCommand hir_command_tune = {
  .name = "tune",
  .group = "Analyze",
  .arguments = "SRC",
  .summary = "find faster settings of a run: predict all, measure the best",
  .description =
      "Records a run with the given options. Predicts from its times how long the run takes with\n"
      "other numbers of streams, initial synchronization, numbers of chunks (sizes of the stream\n"
      "axis of the inputs; another axis takes the rest), pipelines, and on GPUs methods and\n"
      "priority of communication. Measures the given setting and those with the shortest\n"
      "predictions in interleaved rounds. Prints for each the median of the rounds, the shortest and\n"
      "the longest round, the relation to the given setting, and the command that runs it.\n"
      "Settings that cannot be lowered or run are listed with the reason. With --check, incorrect\n"
      "ones are not recommended, and the exit status is 1. Ctrl+C ends the search and prints what\n"
      "was found.",
  .examples = "hirscope tune example:ag_matmul -d 4 --clock model\n"
              "hirscope tune mine.py::layer -d 8 --backend cuda --budget 300 --check\n"
              "hirscope tune mine.py::layer --try streams=2,4 --try pipeline=executor --json",
  .takes_src = TRUE,
  .run = run,
};
