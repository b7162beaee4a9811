/* Implements `hirscope predict`: how long a recorded run would take with changes. */

#include "command-output.h"
#include "command.h"
#include "lowering-options.h"
#include "predict/predict-options.h"
#include "predict/predict-write.h"
#include "spec.h"

#define MAX_STREAMS 64
#define MAX_LINE 100000000

typedef struct
{
  HirPredictOptions predict;
  char *streams, *comm_scale, *comm, *output;
  char **kernels, **drops;
  gboolean json;
} Options;

static void
options_clear (Options *options)
{
  hir_predict_options_clear (&options->predict);
  g_free (options->streams);
  g_free (options->comm_scale);
  g_free (options->comm);
  g_free (options->output);
  g_strfreev (options->kernels);
  g_strfreev (options->drops);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse_drops (Options *options, GError **error)
{
  options->predict.drop_lines = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; options->drops != NULL && options->drops[i] != NULL; i++)
    {
      gint64 line;
      guint number;

      if (!hir_option_parse_int ("--drop-sync", options->drops[i], 1, MAX_LINE, &line, error))
        return FALSE;
      number = (guint) line;
      g_array_append_val (options->predict.drop_lines, number);
    }
  return TRUE;
}

static gboolean
parse_comm (Options *options, GError **error)
{
  static const char *const names[] = { "nccl", "p2p", "copy", NULL };
  int choice;

  options->predict.transport = HIR_COMM_TRANSPORT_DEFAULT;
  if (options->comm == NULL)
    return TRUE;
  choice = hir_option_parse_choice ("--comm", options->comm, names, error);
  if (choice >= 0)
    hir_comm_transport_lookup (names[choice], &options->predict.transport);
  return choice >= 0;
}

static gboolean
parse (Options *options, GError **error)
{
  options->predict.comm_scale = 1;
  options->predict.scales = hir_predict_parse_scales (options->kernels, error);
  return options->predict.scales != NULL &&
         (options->streams == NULL ||
          hir_option_parse_int ("--streams", options->streams, 1, MAX_STREAMS,
                                &options->predict.n_streams, error)) &&
         (options->comm_scale == NULL ||
          hir_predict_parse_factor ("--comm-scale", options->comm_scale,
                                    &options->predict.comm_scale, error)) &&
         parse_drops (options, error) && parse_comm (options, error);
}

/* An error with a position is one of the script. */
static int
report (const GError *error, const HirOpened *opened)
{
  const HirRequest *request = opened != NULL ? opened->program->request : NULL;

  return hir_spec_report (error, NULL,
                          request != NULL && hir_error_get_pos (error).line > 0 ? request->source
                                                                                : NULL);
}

static int
predict (const char *path, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirOpened) opened = hir_opened_new (path, &error);
  g_autoptr (HirPrediction) prediction =
      opened != NULL ? hir_predict_new (opened, &options->predict, NULL, &error) : NULL;
  HirTextOut out;
  int code;

  if (prediction == NULL)
    return report (error, opened);
  hir_command_begin_output (&out);
  if (options->json)
    hir_predict_write_json (prediction, &out);
  else
    hir_predict_write_text (prediction, &out);
  code = hir_command_end_output (&out);
  if (options->output != NULL && !hir_prediction_save (prediction, opened, options->output, &error))
    return hir_spec_report (error, NULL, NULL);
  return code;
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "streams", 0, 0, G_OPTION_ARG_STRING, &options.streams, "number of streams", "N" },
    { "comm-scale", 0, 0, G_OPTION_ARG_STRING, &options.comm_scale,
      "communication takes X times as long", "X" },
    { "kernel", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.kernels,
      "work of an instruction (T6_matmul) or op (matmul)\ntakes X times as long", "NAME=X" },
    { "no-interference", 0, 0, G_OPTION_ARG_NONE, &options.predict.no_interference,
      "communication and kernels do not slow each other down", NULL },
    { "drop-sync", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.drops,
      "omit the Synchronize or Wait in this program line, as\nhirscope lower and the tab Program number them",
      "LINE" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.predict.set,
      "lower with this option of a pass, such as\nStreamParallelType.initial_sync=separate",
      "PASS.OPTION=VALUE" },
    { "comm", 0, 0, G_OPTION_ARG_STRING, &options.comm,
      "communicate by nccl, p2p (NCCL's sends and receives)\nor copy (copy engines)", "METHOD" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object, in nanoseconds",
      NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
      "write a recording of the predicted run", "OUT.hirs" },
    { NULL },
  };
  const HirOptionSection sections[] = { { "Options", entries } };
  int code;

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (!parse (&options, &error))
    return hir_spec_report (error, NULL, NULL);
  if (g_strv_length (rest) != 1)
    return hir_command_fail ("hirscope predict requires one TRACE, a recording of a program; see "
                             "hirscope predict --help");
  if (options.output != NULL && hir_command_is_same_file (rest[0], options.output))
    return hir_command_fail ("-o %s would replace the measured recording; choose another name",
                             options.output);
  return predict (rest[0], &options);
}

const HirCommand hir_command_predict = {
  .name = "predict",
  .group = "Analyze",
  .arguments = "TRACE",
  .summary = "predict how long a recorded run takes with changes",
  .description =
      "Executes the program of a recording again without computing. Its work takes as long as in\n"
      "the recording, and the host as long as it did; on GPUs, work beside other work is slower.\n"
      "Prints the measured time of each repetition, the simulated time without changes, the\n"
      "predicted time with the changes, and the gain. The recording that -o writes opens in the\n"
      "window and in compare. TRACE is a recording of run, or of join for traces of other\n"
      "profilers.",
  .examples = "hirscope predict m.hirs --streams 2\n"
              "hirscope predict m.hirs --kernel matmul=0.5 --json\n"
              "hirscope predict m.hirs --set StreamParallelType.initial_sync=separate\n"
              "hirscope predict m.hirs --drop-sync 12 -o predicted.hirs\n"
              "hirscope compare m.hirs predicted.hirs",
  .run = run,
};
