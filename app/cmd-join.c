/* Implements `hirscope join`: ties the trace of another profiler to the program that ran in it. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "join/join.h"
#include "lowering-options.h"
#include "program/document-recording.h"
#include "spec.h"
#include "trace/load/import.h"
#include "trace/text-out.h"

typedef struct
{
  HirLoweringOptions lowering;
  char *tsv, *output, *streams;
  gboolean json;
} Options;

static void
options_clear (Options *options)
{
  hir_lowering_options_clear (&options->lowering);
  g_free (options->tsv);
  g_free (options->output);
  g_free (options->streams);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
print_notes (const HirJoin *join)
{
  const char *const *account = hir_trace_get_account (join->trace);

  for (guint i = 0; account[i] != NULL; i++)
    hir_command_print_to (stderr, "note: %s\n", account[i]);
  for (guint i = 0; i < join->notes->len; i++)
    hir_command_print_to (stderr, "note: %s\n", (const char *) g_ptr_array_index (join->notes, i));
}

static gboolean
write_recording (HirProgram *program, const HirJoin *join, const char *path, GError **error)
{
  g_autoptr (HirTrace) trace = hir_join_dup_trace (join, error);

  /* The sizes are those of the run. */
  g_strfreev (program->request->inputs);
  program->request->inputs = g_strdupv (join->inputs);
  return trace != NULL && hir_program_save (program, NULL, trace, path, NULL, error);
}

/* Writes the files that @options name; a recording only if the program ran in the trace. */
static gboolean
write_files (HirProgram *program, const HirJoin *join, const Options *options, GError **error)
{
  g_autofree char *tsv = options->tsv != NULL ? hir_join_format_tsv (join) : NULL;

  return (tsv == NULL || hir_text_out_write_bytes (options->tsv, tsv, strlen (tsv), NULL, error)) &&
         (options->output == NULL || join->n_tied + join->n_replays == 0 ||
          write_recording (program, join, options->output, error));
}

static int
join_files (HirProgram *program, const char *const *paths, const Options *options, gint64 n_streams)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = hir_trace_open (paths, NULL, &error);
  const HirJoinOptions how = { n_streams };
  g_autoptr (HirJoin) join =
      trace != NULL ? hir_join_new (program, trace, &how, NULL, &error) : NULL;
  g_autofree char *text = NULL;

  if (join == NULL)
    return hir_spec_report (error, NULL, trace != NULL ? program->request->source : NULL);
  print_notes (join);
  text = options->json ? hir_join_to_json (join) : hir_join_format (join);
  hir_command_print ("%s", text);
  if (!write_files (program, join, options, &error))
    return hir_spec_report (error, NULL, NULL);
  return join->n_tied + join->n_replays > 0 ? HIR_EXIT_DONE : HIR_EXIT_FINDING;
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = NULL;
  gint64 n_streams = 0;
  const GOptionEntry entries[] = {
    { "tsv", 0, 0, G_OPTION_ARG_FILENAME, &options.tsv, "write one line per device event", "FILE" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
      "write a recording with the program and the tied trace", "OUT.hirs" },
    { "streams", 0, 0, G_OPTION_ARG_STRING, &options.streams,
      "number of streams of the run (default: found from the\ntrace)", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
    { NULL },
  };
  const HirOptionSection sections[] = {
    { "Join", entries },
    { "Lowering", hir_lowering_options_get_entries (&options.lowering) },
  };
  int code;

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (!hir_lowering_options_check (&options.lowering, &error) ||
      (options.streams != NULL &&
       !hir_option_parse_int ("--streams", options.streams, 1, 64, &n_streams, &error)))
    return hir_spec_report (error, NULL, NULL);
  if (g_strv_length (rest) < 2)
    return hir_command_fail ("hirscope join requires a PROGRAM and the TRACE of its run; see "
                             "hirscope join --help");
  program = hir_spec_open_program (rest[0], &options.lowering);
  if (program == NULL)
    return HIR_EXIT_BAD;
  if (program->error != NULL)
    return hir_spec_report (program->error, NULL, program->request->source);
  return join_files (program, (const char *const *) rest + 1, &options, n_streams);
}

const HirCommand hir_command_join = {
  .name = "join",
  .group = "Analyze",
  .arguments = "PROGRAM TRACE...",
  .summary = "tie the trace of another profiler to its program",
  .description =
      "Gives each kernel, copy and communication of a trace the instruction, iteration and\n"
      "repetition of the program that launched it. PROGRAM is a printed host program, a pass\n"
      "log or a script, which is lowered. TRACE is what PyTorch's profiler or Nsight Systems\n"
      "recorded while it ran, one file per rank, or one file with all ranks. The calls of the\n"
      "host are compared with the instructions in order; calls may be missing, and other work\n"
      "may be between them. Each tie is certain, by order, or guessed. The exit status is 1 if\n"
      "the program did not run in the trace; the first difference is then printed.",
  .examples = "hirscope join program.txt rank0.json.gz --tsv events.tsv\n"
              "hirscope join program.txt rank0.json.gz rank1.json.gz -o joined.hirs\n"
              "hirscope join program.txt report.sqlite --input 8x1024 --input 1024x1024",
  .takes_src = TRUE,
  .run = run,
};
