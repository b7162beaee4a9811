/* hirscope check: synchronisation that a program lacks, or could do without; nothing is run. */
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

/* How many streams @trace was run with; 0: it does not say. */
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

/* @path, where that is a recording, is what was run, too: with as many streams, if nothing else is
 * said. *@trace: NULL where it is none, or has no events. */
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
      stderr, "note: %s has no events: how near what is missing came to happen is not known\n",
      path);
  g_clear_pointer (trace, hir_trace_unref);
  return TRUE;
}

/* What @trace, of @path, has of the pairs that are missing. */
static gboolean
add_recording (HirSyncCheck *check, HirTrace *trace, const char *path, GError **error)
{
  if (hir_sync_check_add_recording (check, trace) > 0)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s has none of this program's work; record it with hirscope run SRC -o %s, with "
                 "the same options",
                 path, path);
  return FALSE;
}

/* Of the program, and of what it was changed to (nullable). */
static void
print_check (const HirSyncCheck *check, const HirSyncCheck *after, const char *path, gboolean json)
{
  g_autofree char *text =
      json ? hir_sync_check_to_json (check, after) : hir_sync_check_format (check);
  g_autofree char *fixed = after != NULL && !json ? hir_sync_check_format (after) : NULL;

  hir_command_print ("%s", text);
  if (fixed != NULL)
    hir_command_print ("\nas it stands in %s:\n%s", path, fixed);
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
  g_autofree char *streams_text = NULL;
  g_autofree char *recording = NULL;
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *fixed = NULL;
  gboolean json = FALSE, drops = FALSE;
  gint64 n_streams = 4;
  const GOptionEntry entries[] = {
    { "streams", 0, 0, G_OPTION_ARG_STRING, &streams_text, "numberOfStreams (4)", "N" },
    { "recording", 0, 0, G_OPTION_ARG_FILENAME, &recording,
      "say how far apart what is not ordered was in this run", "FILE" },
    { "fix", 0, 0, G_OPTION_ARG_FILENAME, &fixed,
      "write the program with what is missing put in; exit by that", "FILE" },
    { "remove-needless", 0, 0, G_OPTION_ARG_NONE, &drops,
      "with --fix: and without each Synchronize that is needless", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "one JSON object instead of text", NULL },
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
    return hir_command_fail ("--remove-needless changes what --fix FILE writes; give that, too");
  program = hir_spec_open_program (rest[0], &lowering);
  if (program == NULL)
    return HIR_EXIT_BAD;
  if (program->error != NULL)
    return hir_spec_report (program->error, NULL, program->request->source);
  if (recording != NULL)
    trace = open_trace (recording, &error);
  else if (!open_source_trace (rest[0], streams_text == NULL ? &n_streams : NULL, &trace, &error))
    return hir_spec_report (error, NULL, NULL);
  if (error == NULL)
    check = hir_program_check_sync (program, n_streams, NULL, TRUE, NULL, &error);
  if (check == NULL ||
      (trace != NULL &&
       !add_recording (check, trace, recording != NULL ? recording : rest[0], &error)))
    return hir_spec_report (error, NULL, program->request->source);
  if (fixed != NULL && !hir_check_fix (program, check, drops, fixed, &after, &error))
    return hir_spec_report (error, NULL, program->request->source);
  print_check (check, after, fixed, json);
  return hir_sync_check_passed (after != NULL ? after : check) ? HIR_EXIT_DONE : HIR_EXIT_FINDING;
}

const HirCommand hir_command_check = {
  .name = "check",
  .group = "Judge",
  .arguments = "SRC",
  .summary = "find missing and redundant synchronization",
  .description =
      "Finds missing and redundant synchronization between the streams of a host program, on\n"
      "all devices and for every possible timing. The program is unrolled, not run. Two\n"
      "accesses to the same bytes, one of them a write, must be ordered by streams,\n"
      "Synchronize, Wait or communications. The caller's stream writes the inputs before the\n"
      "program, and reads the outputs and may write the inputs after it. Deadlocks, mismatched\n"
      "or missing communications and Waits, unwritten outputs and operands, and freed outputs\n"
      "are reported, too. With a recording of the same program (SRC itself, or --recording), a\n"
      "missing order that the recorded run happened to keep is called a latent race.\n"
      "Redundant synchronization is listed with the time and the overlap that it costs on the\n"
      "modelled clock. The exit status is 1 if anything but redundant synchronization is\n"
      "found. With --fix it refers to the program that was written, which is checked again.",
  .examples = "hirscope check example:ag_matmul -d 4\n"
              "hirscope check printed.txt --streams 8 --json\n"
              "hirscope check run.hirs\n"
              "hirscope check printed.txt --recording run.hirs",
  .takes_src = TRUE,
  .run = run,
};
