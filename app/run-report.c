#include "run-report.h"

#include <stdio.h>

#include "command-output.h"
#include "job/check-json.h"

/* Prints the report and the notes. */
static void
print_text (const HirRunResult *result, const HirRunCommandLine *options, int n_ranks)
{
  guint n_warmup = (guint) options->settings.n_warmup, n = result->n_done - n_warmup;

  hir_command_print ("ran %u time%s in %.3f ms (%s clock", n, n == 1 ? "" : "s",
                     (double) result->elapsed_ns / 1e6,
                     options->settings.model_clock ? "model" : "wall");
  if (options->settings.baseline)
    hir_command_print ("; then each instruction alone");
  if (n_warmup > 0)
    hir_command_print ("; %u warm-up%s not counted", n_warmup, n_warmup == 1 ? "" : "s");
  hir_command_print (")");
  if (n_ranks > 0)
    hir_command_print (" on %d rank%s", n_ranks, n_ranks == 1 ? "" : "s");
  hir_command_print ("\n%s", result->clocks != NULL ? result->clocks : "");
  if (options->output != NULL)
    hir_command_print ("recorded in %s\n", options->output);
  for (guint i = 0; result->account != NULL && result->account[i] != NULL; i++)
    hir_command_print ("note: %s\n", result->account[i]);
  if (result->check != NULL)
    hir_command_print ("%s%s", result->check, g_str_has_suffix (result->check, "\n") ? "" : "\n");
}

static void
write_check (const HirRunResult *result, HirJsonOut *json)
{
  hir_json_out_begin (json, "check", '{');
  hir_json_out_add_string (json, "outcome", hir_check_outcome_get_name (result->check_outcome));
  hir_json_out_add_string (json, "reference", result->is_printed ? "sequence" : "fusion");
  hir_json_out_add_raw (json, "outputs", result->outputs_json);
  hir_command_add_lines (json, "memory", result->memory);
  hir_json_out_end (json, '}');
}

static int
print_json (const HirRunResult *result, const HirRunCommandLine *options, int n_ranks)
{
  guint n_warmup = (guint) options->settings.n_warmup;
  HirTextOut out;
  HirJsonOut *json = &out.json;

  hir_command_begin_output (&out);
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_uint (json, "runs", result->n_done - n_warmup);
  hir_json_out_add_uint (json, "warmups", n_warmup);
  hir_json_out_add_int (json, "elapsed_ns", result->elapsed_ns);
  hir_json_out_add_string (json, "clock", options->settings.model_clock ? "model" : "wall");
  if (n_ranks > 0)
    {
      hir_json_out_add_int (json, "ranks", n_ranks);
      hir_command_add_lines (json, "clocks", result->clocks);
    }
  hir_json_out_add_uint (json, "events", result->n_events);
  hir_json_out_add_string (json, "recording", options->output);
  hir_command_add_lines (json, "inputs", result->inputs);
  if (result->outputs_json != NULL)
    write_check (result, json);
  hir_json_out_begin (json, "notes", '[');
  for (guint i = 0; result->account != NULL && result->account[i] != NULL; i++)
    hir_json_out_add_string (json, NULL, result->account[i]);
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
  hir_text_out_add (&out, "\n");
  return hir_command_end_output (&out);
}

int
hir_run_report (const HirRunResult *result, const HirRunCommandLine *options, int n_ranks)
{
  if (options->json && print_json (result, options, n_ranks) != HIR_EXIT_DONE)
    return HIR_EXIT_BAD;
  if (!options->json)
    print_text (result, options, n_ranks);
  if (result->check_outcome == HIR_CHECK_RIGHT)
    return HIR_EXIT_DONE;
  fflush (stdout);
  if (result->check_outcome == HIR_CHECK_UNDECIDED)
    {
      hir_command_fail ("the check cannot decide whether the outputs are right (see above); try "
                        "other --input sizes, or --dtype double");
      return HIR_EXIT_UNDECIDED;
    }
  hir_command_fail (
      options->against != NULL
          ? "the outputs differ from those of the fusion (see above); hirscope bisect "
            "with the same --against finds the instruction"
      : result->is_printed
          ? "the outputs differ from those of the program in sequence (see above)"
          : "the outputs differ from those of the fusion (see above); hirscope lower "
            "--diff shows the changes of each pass");
  return HIR_EXIT_FINDING;
}
