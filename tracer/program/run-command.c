#include "program/run-command.h"

#include "program/request-edit.h"
#include "program/script-file.h"

static void
append_number (GString *line, const char *option, gint64 number)
{
  g_string_append_printf (line, " %s %" G_GINT64_FORMAT, option, number);
}

static void
append_gpu_options (const HirRunSettings *settings, GString *line)
{
  g_string_append (line, " --backend cuda");
  if (settings->comm.way != HIR_COMM_TRANSPORT_DEFAULT)
    g_string_append_printf (line, " --comm %s", hir_comm_transport_get_name (settings->comm.way));
  if (settings->comm.high_priority)
    g_string_append (line, " --comm-priority high");
  if (settings->comm.n_ctas > 0)
    append_number (line, "--comm-ctas", settings->comm.n_ctas);
  if (settings->gpus != NULL)
    g_string_append_printf (line, " --gpus %s", settings->gpus);
  if (settings->share_gpus)
    g_string_append (line, " --share-gpus");
}

void
hir_run_settings_append_options (const HirRunSettings *settings, GString *line)
{
  g_auto (HirRunSettings) defaults = { 0 };

  hir_run_settings_init (&defaults);
  if (settings->backend == HIR_BACKEND_CUDA)
    append_gpu_options (settings, line);
  if (settings->model_clock)
    g_string_append (line, " --clock model");
  append_number (line, "--streams", settings->n_streams);
  if (settings->seed != 0)
    g_string_append_printf (line, " --seed %" G_GUINT64_FORMAT, settings->seed);
  if (settings->timeout_s < defaults.timeout_s || settings->timeout_s > defaults.timeout_s)
    g_string_append_printf (line, " --timeout %g", settings->timeout_s);
  /* The debugger executes the program once. */
  if (settings->n_warmup > 0 && !settings->debug)
    append_number (line, "--warmup", settings->n_warmup);
}

static void
append_repetitions (const HirRunSettings *settings, GString *line)
{
  if (settings->n_repeat > 1)
    append_number (line, "--repeat", settings->n_repeat);
  if (settings->trace == HIR_TRACE_KERNELS)
    g_string_append (line, " --trace kernels");
}

char *
hir_run_dup_remark (const HirRequest *request)
{
  const HirSource *source = request->source;

  if (hir_request_has_example_text (request))
    return g_strdup ("");
  if (!g_file_test (source->path, G_FILE_TEST_EXISTS))
    return request->edited_from != NULL
               ? g_strdup (" # the text of this run was not saved")
               : g_strdup_printf (" # %s is not in this folder", source->path);
  return g_strdup (hir_script_file_differs (source->path, source->text)
                       ? " # the text of this run is not in the file"
                       : "");
}

char *
hir_run_dup_command (const HirRequest *request, const HirRunSettings *settings)
{
  g_autofree char *words = hir_request_dup_words (request);
  gboolean debugs = settings != NULL && settings->debug;
  GString *line = g_string_new (debugs ? "hirscope debug " : "hirscope run ");

  g_string_append (line, words);
  if (settings == NULL)
    return g_string_free (line, FALSE);
  hir_run_settings_append_options (settings, line);
  if (!debugs)
    append_repetitions (settings, line);
  if (settings->check)
    g_string_append (line, " --check");
  /* Its times are stored in a recording only. */
  if (settings->baseline && !debugs)
    g_string_append (line, " --baseline -o baseline.hirs");
  return g_string_free (line, FALSE);
}
