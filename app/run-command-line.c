#include "run-command-line.h"

#include <math.h>
#include <string.h>

#include "lowering-options.h"

#define MAX_STREAMS 64
#define MAX_TIMEOUT_S 1e6
#define MAX_RUNS 1000000

const GOptionEntry *
hir_run_command_line_get_entries (HirRunCommandLine *options)
{
  const GOptionEntry entries[] = {
    { "check", 0, 0, G_OPTION_ARG_NONE, &options->check,
      "compare the outputs with the fusion, evaluated in\n"
      "double precision; the exit status is 1 if they are\n"
      "incorrect, 3 if undecided",
      NULL },
    { "against", 0, 0, G_OPTION_ARG_STRING, &options->against,
      "with --check: compare with the fusion of SCRIPT\ninstead (for a printed program)",
      "SCRIPT" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
      "print one JSON object instead of the report", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output, "record the run to this file",
      "OUT.hirs" },
    { "clock", 0, 0, G_OPTION_ARG_STRING, &options->clock_text,
      "wall: measured times (default); model: times computed\nfrom bytes and operations, the same "
      "on every machine",
      "wall|model" },
    { "streams", 0, 0, G_OPTION_ARG_STRING, &options->streams_text, "number of streams (default 4)",
      "N" },
    { "repeat", 0, 0, G_OPTION_ARG_STRING, &options->repeat_text, "number of runs (default 1)",
      "N" },
    { "warmup", 0, 0, G_OPTION_ARG_STRING, &options->warmup_text,
      "number of warm-up runs before them (default 0)", "N" },
    { "baseline", 0, 0, G_OPTION_ARG_NONE, &options->baseline,
      "with -o: after the runs, run each instruction with\nnothing beside it, and record what it "
      "takes alone, for\nexplain and predict",
      NULL },
    { "seed", 0, 0, G_OPTION_ARG_STRING, &options->seed_text,
      "seed for random input values (default 0)", "N" },
    { "trace", 0, 0, G_OPTION_ARG_STRING, &options->trace_text,
      "what to record: off, kernels (work on streams),\nfull (also the host's work; default)",
      "off|kernels|full" },
    { "backend", 0, 0, G_OPTION_ARG_STRING, &options->backend_text,
      "run on the CPU (default), or on one GPU per device\n(see --share-gpus)", "cpu|cuda" },
    { "timeout", 0, 0, G_OPTION_ARG_STRING, &options->timeout_text,
      "give up after this time without progress (default 10)", "SECONDS" },
    { "control", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options->control_text, "", "FD" },
    { "comm", 0, 0, G_OPTION_ARG_STRING, &options->comm_text,
      "how GPUs perform a communication: NCCL's collectives\n(default), NCCL's sends and receives, "
      "or copy engines",
      "nccl|p2p|copy" },
    { "comm-priority", 0, 0, G_OPTION_ARG_STRING, &options->comm_priority_text,
      "priority of the communicators' streams (default normal)", "normal|high" },
    { "comm-ctas", 0, 0, G_OPTION_ARG_STRING, &options->comm_ctas_text,
      "number of thread blocks per NCCL kernel\n(default: NCCL's choice)", "N" },
    { "gpus", 0, 0, G_OPTION_ARG_STRING, &options->gpus_text,
      "use these GPUs, in this order (default: all)", "LIST" },
    { "share-gpus", 0, 0, G_OPTION_ARG_NONE, &options->share_gpus,
      "if there are fewer GPUs than devices, let devices share\nthem in turn; --comm copy is then "
      "the default",
      NULL },
    { "pace", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &options->pace, "", NULL },
    { "plant-error", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options->plant_text, "", "OP" },
    { NULL },
  };

  if (options->entries == NULL)
    options->entries = g_memdup2 (entries, sizeof entries);
  return options->entries;
}

GOptionEntry *
hir_run_command_line_dup_entries (HirRunCommandLine *options, const char *const *names)
{
  GArray *entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  for (const GOptionEntry *entry = hir_run_command_line_get_entries (options);
       entry->long_name != NULL; entry++)
    if (g_strv_contains (names, entry->long_name))
      g_array_append_val (entries, *entry);
  return (GOptionEntry *) g_array_free (entries, FALSE);
}

/* Parses @text, the value of @option. Keeps the default in @value if @text is NULL. */
static gboolean
check_int (
    const char *option, const char *text, gint64 min, gint64 max, gint64 *value, GError **error)
{
  return text == NULL || hir_option_parse_int (option, text, min, max, value, error);
}

static gboolean
check_timeout (const char *text, double *timeout_s, GError **error)
{
  char *end = NULL;

  if (text == NULL)
    return TRUE;
  *timeout_s = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *timeout_s > 0 && *timeout_s <= MAX_TIMEOUT_S)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "--timeout takes a number of seconds above 0 and up to %.0f, not '%s'",
                 MAX_TIMEOUT_S, text);
  return FALSE;
}

/* Parses "OP" or "OP:SCALE". Tests use this option to make the results of an op incorrect. */
static gboolean
check_plant (const char *text, HirRunSettings *settings, GError **error)
{
  const char *colon = text != NULL ? strchr (text, ':') : NULL;
  char *end = NULL;

  if (text == NULL)
    return TRUE;
  settings->plant_op = colon != NULL ? g_strndup (text, colon - text) : g_strdup (text);
  if (colon == NULL)
    return TRUE;
  settings->plant_scale = g_ascii_strtod (colon + 1, &end);
  if (end != colon + 1 && *end == '\0' && isfinite (settings->plant_scale))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "--plant-error takes OP or OP:SCALE, not '%s'",
                 text);
  return FALSE;
}

static gboolean
check_numbers (HirRunCommandLine *options, GError **error)
{
  HirRunSettings *settings = &options->settings;
  gint64 seed = 0;

  if (!check_int ("--streams", options->streams_text, 1, MAX_STREAMS, &settings->n_streams,
                  error) ||
      !check_int ("--repeat", options->repeat_text, 1, MAX_RUNS, &settings->n_repeat, error) ||
      !check_int ("--warmup", options->warmup_text, 0, MAX_RUNS, &settings->n_warmup, error) ||
      !check_int ("--seed", options->seed_text, 0, G_MAXINT64, &seed, error) ||
      !check_timeout (options->timeout_text, &settings->timeout_s, error))
    return FALSE;
  if (!check_plant (options->plant_text, settings, error))
    return FALSE;
  if (options->seed_text != NULL)
    settings->seed = (guint64) seed;
  return TRUE;
}

/* Rejects the options of GPUs with the CPU back end. */
static gboolean
check_no_gpus (const HirRunCommandLine *options, GError **error)
{
  const struct
  {
    const char *name, *text;
  } given[] = {
    { "--comm", options->comm_text },
    { "--comm-priority", options->comm_priority_text },
    { "--comm-ctas", options->comm_ctas_text },
    { "--gpus", options->gpus_text },
    { "--share-gpus", options->share_gpus ? "" : NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    if (given[i].text != NULL)
      {
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                       "%s%s%s requires GPUs, and this run is on the CPU; leave it out or add "
                       "--backend cuda",
                       given[i].name, *given[i].text != '\0' ? " " : "", given[i].text);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_gpus (HirRunCommandLine *options, GError **error)
{
  g_autoptr (GArray) gpus = NULL;

  options->settings.share_gpus = options->share_gpus;
  if (options->gpus_text == NULL)
    return TRUE;
  gpus = hir_run_settings_parse_gpus (options->gpus_text, error);
  options->settings.gpus = gpus != NULL ? g_strdup (options->gpus_text) : NULL;
  return gpus != NULL;
}

static gboolean
check_comm (HirRunCommandLine *options, GError **error)
{
  static const char *const ways[] = { "nccl", "p2p", "copy", NULL };
  static const char *const priorities[] = { "normal", "high", NULL };
  HirCommSettings *comm = &options->settings.comm;
  gint64 n_ctas = 0;
  int choice;

  if (options->comm_text != NULL)
    {
      choice = hir_option_parse_choice ("--comm", options->comm_text, ways, error);
      if (choice < 0)
        return FALSE;
      hir_comm_transport_lookup (ways[choice], &comm->way);
    }
  if (options->comm_priority_text != NULL)
    {
      choice = hir_option_parse_choice ("--comm-priority", options->comm_priority_text, priorities,
                                        error);
      if (choice < 0)
        return FALSE;
      comm->high_priority = choice == 1;
    }
  if (!check_int ("--comm-ctas", options->comm_ctas_text, 1, HIR_MAX_COMM_CTAS, &n_ctas, error))
    return FALSE;
  comm->n_ctas = (gint32) n_ctas;
  return TRUE;
}

static gboolean
check_backend (HirRunCommandLine *options, GError **error)
{
  static const char *const backends[] = { "cpu", "cuda", NULL };
  int backend = 0;

  if (options->backend_text != NULL)
    backend = hir_option_parse_choice ("--backend", options->backend_text, backends, error);
  if (backend < 0)
    return FALSE;
  options->settings.backend = backend == 1 ? HIR_BACKEND_CUDA : HIR_BACKEND_CPU;
  return check_comm (options, error) && check_gpus (options, error) &&
         (backend > 0 || check_no_gpus (options, error));
}

/* The times of --baseline are stored in the recording only. */
static gboolean
check_baseline (HirRunCommandLine *options, GError **error)
{
  options->settings.baseline = options->baseline;
  if (!options->baseline || (options->output != NULL && options->settings.trace != HIR_TRACE_OFF))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 options->output == NULL
                     ? "--baseline requires a recording, which stores its times; add -o OUT.hirs"
                     : "--baseline requires a recording of the kernels; leave out --trace off");
  return FALSE;
}

gboolean
hir_run_command_line_check (HirRunCommandLine *options, GError **error)
{
  static const char *const clocks[] = { "wall", "model", NULL };
  static const char *const traces[] = { "off", "kernels", "full", NULL };
  int choice;
  gint64 fd = -1;

  hir_run_settings_init (&options->settings);
  options->settings.check = options->check;
  if (options->against != NULL && !options->check)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--against %s requires --check, which compares with the fusion",
                     options->against);
      return FALSE;
    }
  if (options->clock_text != NULL)
    {
      choice = hir_option_parse_choice ("--clock", options->clock_text, clocks, error);
      if (choice < 0)
        return FALSE;
      options->settings.model_clock = choice == 1;
    }
  if (options->trace_text != NULL)
    {
      choice = hir_option_parse_choice ("--trace", options->trace_text, traces, error);
      if (choice < 0)
        return FALSE;
      options->settings.trace = (HirTraceLevel) choice;
    }
  if (!check_int ("--control", options->control_text, 3, G_MAXINT, &fd, error))
    return FALSE;
  options->control_fd = (int) fd;
  return check_baseline (options, error) && check_backend (options, error) &&
         check_numbers (options, error);
}

void
hir_run_command_line_follow (HirRunCommandLine *options, const HirProgram *program)
{
  HirRunSettings *settings = &options->settings;

  if (options->streams_text == NULL && program->executor.n_streams > 0)
    settings->n_streams = program->executor.n_streams;
  if (options->comm_text == NULL && program->executor.transport != NULL &&
      settings->backend == HIR_BACKEND_CUDA)
    hir_comm_transport_lookup (program->executor.transport, &settings->comm.way);
}

void
hir_run_command_line_clear (HirRunCommandLine *options)
{
  char *const texts[] = {
    options->output,         options->backend_text, options->clock_text,
    options->streams_text,   options->repeat_text,  options->warmup_text,
    options->seed_text,      options->trace_text,   options->timeout_text,
    options->control_text,   options->comm_text,    options->comm_priority_text,
    options->comm_ctas_text, options->against,      options->gpus_text,
    options->plant_text,
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  g_free (options->entries);
  hir_run_settings_clear (&options->settings);
  memset (options, 0, sizeof *options);
}
