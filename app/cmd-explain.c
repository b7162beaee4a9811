/* Implements `hirscope explain`: the critical path of a trace, and where its time went. */
#include "command-output.h"
#include "command.h"
#include "explain/explain-write.h"
#include "predict/explain-run.h"
#include "program/document-recording.h"
#include "spec.h"
#include "trace-options.h"

static int
explain (const char *const *paths, gboolean as_json, const HirTraceOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTraceRules) rules = hir_trace_options_create_rules (options, &error);
  const HirImportOptions import = { .rules = rules };
  g_autoptr (HirOpened) opened =
      rules != NULL ? hir_opened_new_from (paths, &import, NULL, &error) : NULL;
  g_autoptr (HirExplain) explained =
      opened != NULL ? hir_explain_run (opened->trace, opened->program, NULL, NULL, &error) : NULL;
  HirTextOut out;

  if (explained == NULL)
    return hir_spec_report (error, NULL, NULL);
  hir_command_begin_output (&out);
  if (as_json)
    hir_explain_write_json (explained, &out);
  else
    hir_explain_write_text (explained, HIR_EXPLAIN_MAX_ROWS, &out);
  return hir_command_end_output (&out);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (HirTraceOptions) trace = { 0 };
  g_auto (GStrv) rest = NULL;
  gboolean as_json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json,
      "print one JSON object with all parts of the path, in nanoseconds", NULL },
    { NULL },
  };
  GOptionEntry trace_entries[HIR_TRACE_OPTIONS_N_ENTRIES];
  const HirOptionSection sections[] = { { "Options", entries },
                                        { "Classification", trace_entries } };
  int code;

  hir_trace_options_init_entries (&trace, trace_entries);
  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (g_strv_length (rest) == 0)
    return hir_command_fail ("hirscope explain requires a TRACE: a recording (.hirs), an Nsight "
                             "Systems export, or Chrome or Kineto JSON with one file per rank; see "
                             "hirscope explain --help");
  return explain ((const char *const *) rest, as_json, &trace);
}

const HirCommand hir_command_explain = {
  .name = "explain",
  .group = "Analyze",
  .arguments = "TRACE...",
  .summary = "find the critical path of a run, and where its time went",
  .description =
      "Reports for each repetition where its time went: exposed communication and its reason,\n"
      "kernels that others slow down, slow ranks, synchronization, launches, host; and compute.\n"
      "Then follows the critical path: the chain of work, waits, transfers and launches, over all\n"
      "ranks, that determined the length. The times of both tables add up to the total, which\n"
      "starts with the host's first instruction; that of stats starts with the first work of the\n"
      "device. Of a recording with its program, a list follows of what would help, and how much:\n"
      "each change is simulated alone, see predict. Notes say what is assumed, because the trace\n"
      "does not state it, and whether run --baseline has measured what kernels take alone.",
  .examples = "hirscope explain m.hirs\n"
              "hirscope explain m.hirs --json\n"
              "hirscope explain rank0.json.gz rank1.json.gz",
  .run = run,
};
