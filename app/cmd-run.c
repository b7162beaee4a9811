/* Implements `hirscope run`: lowers, executes, checks and records a program. With --control FD it
 * is a child process of the window. */
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "job/run-job.h"
#include "job/run-server.h"
#include "lowering-options.h"
#include "program/program.h"
#include "program/request-edit.h"
#include "run-command-line.h"
#include "run-launched.h"
#include "run-report.h"
#include "spec.h"

/* Lets a script alternate the runs of several processes: each run waits for a line of input. */
static void
pace (gint64 elapsed_ns, gpointer user_data)
{
  char line[64];

  hir_command_print (elapsed_ns < 0 ? "ready\n" : "ran in %" G_GINT64_FORMAT " ns\n", elapsed_ns);
  fflush (stdout);
  (void) !fgets (line, sizeof line, stdin);
}

static int
lower_and_execute (const char *spec,
                   HirLoweringOptions *lowering,
                   HirRunCommandLine *options,
                   const char *command)
{
  g_autoptr (HirProgram) program = hir_spec_open_program (spec, lowering);
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  HirRunJobOptions job = { .path = options->output,
                           .command = command,
                           .ran = options->pace ? pace : NULL };
  g_autoptr (HirProgram) against = NULL;
  gboolean done;

  if (program == NULL ||
      !hir_spec_open_against (options->against, lowering, program, &against, &job.against))
    return HIR_EXIT_BAD;
  hir_run_command_line_follow (options, program);
  done = hir_run_job (program, &options->settings, &job, &result, &error);
  if (result.warning != NULL)
    hir_command_print_to (stderr, "warning: %s\n", result.warning);
  if (!options->json && result.inputs != NULL)
    hir_command_print ("%s%s", result.inputs, g_str_has_suffix (result.inputs, "\n") ? "" : "\n");
  if (done)
    return hir_run_report (&result, options, 0);
  fflush (stdout);
  return hir_spec_report (error, NULL, program->request->source);
}

/* Returns the command line, quoted for a shell. */
static char *
quote_command (int argc, char **argv)
{
  GString *line = g_string_new ("hirscope");

  for (int i = 0; i < argc; i++)
    hir_append_shell_word (line, argv[i]);
  return g_string_free (line, FALSE);
}

/* Called if a cancelled run does not end. Uses _exit() because a hung thread may hold locks. */
static void
leave (void)
{
  _exit (HIR_EXIT_BAD);
}

static int
run_verb (const HirCommand *command, int argc, char **argv)
{
  g_auto (HirLoweringOptions) lowering = { 0 };
  g_auto (HirRunCommandLine) options = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autofree char *line = quote_command (argc, argv);
  g_autoptr (GError) error = NULL;
  const HirOptionSection sections[] = {
    { "Run", hir_run_command_line_get_entries (&options) },
    { "Lowering", hir_lowering_options_get_entries (&lowering) },
  };
  int code;

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (!hir_lowering_options_check (&lowering, &error) ||
      !hir_run_command_line_check (&options, &error))
    return hir_spec_report (error, NULL, NULL);
  if (options.control_fd >= 0)
    return hir_run_server_main (options.control_fd, leave) ? HIR_EXIT_DONE : HIR_EXIT_BAD;
  if (g_strv_length (rest) != 1)
    return hir_command_fail ("hirscope run takes one SRC (FILE.py::FUNCTION, example:NAME or a "
                             "printed program), not "
                             "%u; "
                             "see hirscope run --help",
                             g_strv_length (rest));
  if (hir_mpi_launcher_get_size (NULL) > 0 && options.against != NULL)
    return hir_command_fail ("--against requires all devices in one process; omit the launcher");
  if (hir_mpi_launcher_get_size (NULL) > 0)
    return hir_run_launched (rest[0], &lowering, &options, line);
  return lower_and_execute (rest[0], &lowering, &options, line);
}

const HirCommand hir_command_run = {
  .name = "run",
  .group = "Run",
  .arguments = "SRC",
  .summary = "lower and execute a program; check and record it",
  .description =
      "Lowers the fusion that FUNCTION defines and executes the program on this machine: on the\n"
      "CPU, where streams are threads with queues, or with --backend cuda on GPUs.\n"
      "A printed host program, or the last program of a pass log, is run without lowering.\n"
      "Extents that the program does not define are chosen and printed. --check compares the\n"
      "results of a printed program with those of a sequential run, or with the fusion of\n"
      "--against SCRIPT.\n"
      "The exit status of a check is 1 if results are incorrect, and 3 if they are undecided:\n"
      "for more than 1% of the elements of an output, rounding errors alone could be larger than\n"
      "the tolerance.\n"
      "Under a launcher (mpirun, srun), each process is one device. Rank 0 reports and records\n"
      "for all ranks.",
  .examples =
      "hirscope run dump.txt --check\n"
      "hirscope run dump.txt --check --against mine.py::layer\n"
      "hirscope run example:matmul_m --check\n"
      "hirscope run example:ag_matmul --backend cuda -d 2 --comm copy -o ag.hirs\n"
      "hirscope run example:matmul_m --input 512x512 --input 512x512 --streams 2 -o m.hirs\n"
      "hirscope run mine.py::layer --dtype bfloat16 --clock model --check -o layer.hirs\n"
      "mpirun -n 4 hirscope run example:ag_matmul --check -o ag.hirs",
  .takes_src = TRUE,
  .run = run_verb,
};
