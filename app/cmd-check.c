/* Implements `hirscope check`: finds missing and redundant synchronization without running the
 * program. */
#include <stdio.h>

#include "analysis/sync-observed.h"
#include "check-fix.h"
#include "command.h"
#include "lowering-options.h"
#include "program/run-settings.h"
#include "spec.h"
#include "trace/load/import.h"

static HirTrace *
open_trace (const char *path, GError **error)
{
  const char *const paths[] = { path, NULL };

  return hir_trace_open (paths, NULL, error);
}

/* Returns the number of streams of the recorded run, or 0 if @trace does not contain it. */
static gint64
get_streams (const HirTrace *trace)
{
  const char *text = hir_trace_get_meta (trace, "run");
  g_autoptr (GVariant) variant =
      text != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL) : NULL;
  g_auto (HirRunSettings) settings = { 0 };

  return variant != NULL && hir_run_settings_read (&settings, variant, NULL) ? settings.n_streams
                                                                             : 0;
}

/* If @path is a recording, opens it as @trace and stores its number of streams in @n_streams
 * (nullable). @trace stays NULL if @path is not a recording or has no events. */
static gboolean
open_source_trace (const char *path, gint64 *n_streams, HirTrace **trace, GError **error)
{
  HirFileKind kind;
  gint64 recorded;

  if (!hir_spec_get_file_kind (path, &kind, NULL) || kind != HIR_FILE_RECORDING)
    return TRUE;
  *trace = open_trace (path, error);
  if (*trace == NULL)
    return FALSE;
  recorded = get_streams (*trace);
  if (n_streams != NULL && recorded > 0)
    *n_streams = recorded;
  if (hir_trace_get_n_events (*trace) > 0)
    return TRUE;
  hir_command_print_to (
      stderr, "note: %s has no events, so it does not show how far apart unordered accesses were\n",
      path);
  g_clear_pointer (trace, hir_trace_unref);
  return TRUE;
}

/* Adds the distances of unordered accesses in @trace to @check. Fails if @trace, which was read
 * from @path, has no work of the program. */
static gboolean
add_recording (HirSyncCheck *check, HirTrace *trace, const char *path, GError **error)
{
  if (hir_sync_check_add_recording (check, trace) > 0)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s contains none of this program's work; record the program with hirscope run "
                 "SRC -o %s and the same options",
                 path, path);
  return FALSE;
}

/* Prints the check of the program and the check of the changed program (@after, nullable). */
static void
print_check (const HirSyncCheck *check, const HirSyncCheck *after, const char *path, gboolean json)
{
  g_autofree char *text =
      json ? hir_sync_check_to_json (check, after) : hir_sync_check_format (check);
  g_autofree char *fixed = after != NULL && !json ? hir_sync_check_format (after) : NULL;

  hir_command_print ("%s", text);
  if (fixed != NULL)
    hir_command_print ("\nafter the changes, in %s:\n%s", path, fixed);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (HirLoweringOptions) lowering = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirSyncCheck) check = NULL;
  g_autoptr (HirSyncCheck) after = NULL;
  g_autoptr (HirSyncRepair) first = NULL;
  g_autofree char *streams_text = NULL;
  g_autofree char *recording = NULL;
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *fixed = NULL;
  gboolean json = FALSE, drops = FALSE, no_suggestions = FALSE;
  gint64 n_streams = 4;
  const GOptionEntry entries[] = {
    { "streams", 0, 0, G_OPTION_ARG_STRING, &streams_text, "number of streams (default 4)", "N" },
    { "recording", 0, 0, G_OPTION_ARG_FILENAME, &recording,
      "read a recording of the same program and report\nthe time between unordered accesses",
      "FILE" },
    { "fix", 0, 0, G_OPTION_ARG_FILENAME, &fixed,
      "write the program with the missing synchronization\n"
      "inserted, so that the most concurrency is kept; the exit\nstatus refers to this program",
      "FILE" },
    { "remove-needless", 0, 0, G_OPTION_ARG_NONE, &drops,
      "with --fix, also remove each redundant Synchronize", NULL },
    { "no-suggestions", 0, 0, G_OPTION_ARG_NONE, &no_suggestions,
      "do not search for the best fix, which takes up to\na few hundred checks", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "print one JSON object", NULL },
    { NULL },
  };
  const HirOptionSection sections[] = {
    { "Check", entries },
    { "Lowering", hir_lowering_options_get_entries (&lowering) },
  };
  int code;

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (!hir_lowering_options_check (&lowering, &error) ||
      (streams_text != NULL &&
       !hir_option_parse_int ("--streams", streams_text, 1, 64, &n_streams, &error)))
    return hir_spec_report (error, NULL, NULL);
  if (g_strv_length (rest) != 1)
    return hir_command_fail ("hirscope check takes one SRC (FILE.py::FUNCTION, example:NAME or a "
                             "printed program), not %u; see hirscope check --help",
                             g_strv_length (rest));
  if (drops && fixed == NULL)
    return hir_command_fail ("--remove-needless requires --fix FILE");
  program = hir_spec_open_program (rest[0], &lowering);
  if (program == NULL)
    return HIR_EXIT_BAD;
  if (program->error != NULL)
    return hir_spec_report (program->error, NULL, program->request->source);
  if (streams_text == NULL && program->executor.n_streams > 0)
    n_streams = program->executor.n_streams;
  if (recording != NULL)
    trace = open_trace (recording, &error);
  else if (!open_source_trace (rest[0], streams_text == NULL ? &n_streams : NULL, &trace, &error))
    return hir_spec_report (error, NULL, NULL);
  if (error == NULL)
    check = hir_program_check_sync (program, n_streams, NULL, HIR_SYNC_ALL, NULL, &error);
  if (check == NULL ||
      (!no_suggestions && !hir_program_suggest_repairs (program, check, &first, NULL, &error)) ||
      (trace != NULL &&
       !add_recording (check, trace, recording != NULL ? recording : rest[0], &error)))
    return hir_spec_report (error, NULL, program->request->source);
  if (fixed != NULL &&
      !hir_check_fix (program, check, g_steal_pointer (&first), drops, fixed, &after, &error))
    return hir_spec_report (error, NULL, program->request->source);
  print_check (check, after, fixed, json);
  return hir_sync_check_passed (after != NULL ? after : check) ? HIR_EXIT_DONE : HIR_EXIT_FINDING;
}

const HirCommand hir_command_check = {
  .name = "check",
  .group = "Analyze",
  .arguments = "SRC",
  .summary = "find missing and redundant synchronization",
  .description =
      "Finds missing and redundant synchronization between the streams of a host program, on\n"
      "all devices and for every possible timing. The program is unrolled, not run. Two\n"
      "accesses to the same bytes, one of them a write, must be ordered by streams,\n"
      "Synchronize, Wait or communications. The caller's stream writes the inputs before the\n"
      "program, and reads the outputs and may write the inputs after it: the end of the program\n"
      "counts as a write of every input. Deadlocks, mismatched or missing communications and\n"
      "Waits, unwritten outputs and operands, and freed outputs are also reported. In programs\n"
      "with Deallocate, memory that is held until the end is reported as a warning. With a\n"
      "recording of the same program (SRC itself, or --recording), the time between unordered\n"
      "accesses is reported; a pair that ran in order is a latent race. Fixes that change one\n"
      "line or loop are tried first, then fixes that change two. The report suggests the one\n"
      "with the shortest time on the modelled clock. Redundant synchronization is listed with\n"
      "the time that it costs on that clock, and the concurrency: the time in which a rank\n"
      "executes several operations at once, averaged over the ranks. The exit status is 1 if\n"
      "anything but redundant synchronization and held memory is found. With --fix, the program\n"
      "that was written is also checked, and the exit status refers to it.",
  .examples = "hirscope check example:ag_matmul -d 4\n"
              "hirscope check printed.txt --streams 8 --json\n"
              "hirscope check run.hirs\n"
              "hirscope check printed.txt --recording run.hirs",
  .takes_src = TRUE,
  .run = run,
};
