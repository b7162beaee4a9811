/* Run settings, and their serialization. */
#include "program/run-settings.h"

#include <math.h>

#define MAX_STREAMS 64 /* one thread per stream; the limit of hir_run_options_check() */
#define MAX_REPEAT 1000000
#define MAX_TIMEOUT_S 1e6
#define MAX_GPU 1023
#define N_BASELINES 5 /* repetitions with --baseline */

const char *
hir_backend_kind_get_name (HirBackendKind kind)
{
  return kind == HIR_BACKEND_CUDA ? "cuda" : "cpu";
}

void
hir_run_settings_init (HirRunSettings *settings)
{
  *settings = (HirRunSettings){
    .n_streams = 4,
    .n_repeat = 1,
    .timeout_s = 10,
    .trace = HIR_TRACE_FULL,
    .plant_scale = 1,
  };
}

void
hir_run_settings_clear (HirRunSettings *settings)
{
  g_clear_pointer (&settings->plant_op, g_free);
  g_clear_pointer (&settings->gpus, g_free);
}

void
hir_run_settings_copy (HirRunSettings *to, const HirRunSettings *from)
{
  *to = *from;
  to->plant_op = g_strdup (from->plant_op);
  to->gpus = g_strdup (from->gpus);
}

void
hir_run_settings_to_options (const HirRunSettings *settings, HirRunOptions *options)
{
  hir_run_options_init (options);
  options->n_streams = settings->n_streams;
  options->n_repeats = (guint) settings->n_repeat;
  options->n_warmups = (guint) settings->n_warmup;
  options->n_baselines = settings->baseline ? N_BASELINES : 0;
  options->seed = settings->seed;
  options->check = settings->check;
  options->model_clock = settings->model_clock;
  options->timeout_s = settings->timeout_s;
  options->trace_issue = settings->trace == HIR_TRACE_FULL;
  options->plant_op = settings->plant_op;
  options->plant_scale = settings->plant_scale;
}

static gboolean
has_gpu (const GArray *gpus, gint gpu)
{
  for (guint i = 0; i < gpus->len; i++)
    if (g_array_index (gpus, gint, i) == gpu)
      return TRUE;
  return FALSE;
}

GArray *
hir_run_settings_parse_gpus (const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  g_autoptr (GArray) gpus = g_array_new (FALSE, FALSE, sizeof (gint));

  for (guint i = 0; words[i] != NULL; i++)
    {
      guint64 number;
      gint gpu;

      if (!g_ascii_string_to_unsigned (words[i], 10, 0, MAX_GPU, &number, NULL))
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "--gpus takes the numbers of GPUs from 0 to %d, such as 0,1, not '%s'",
                         MAX_GPU, text);
          return NULL;
        }
      gpu = (gint) number;
      if (has_gpu (gpus, gpu))
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "--gpus %s names GPU %d twice; use --share-gpus to let devices share GPUs",
                         text, gpu);
          return NULL;
        }
      g_array_append_val (gpus, gpu);
    }
  if (gpus->len > 0)
    return g_steal_pointer (&gpus);
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "--gpus takes the numbers of GPUs, such as 0,1, not an empty list");
  return NULL;
}

GVariant *
hir_run_settings_to_variant (const HirRunSettings *settings)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);

  g_variant_dict_insert (&dict, "backend", "s", hir_backend_kind_get_name (settings->backend));
  g_variant_dict_insert (&dict, "model-clock", "b", settings->model_clock);
  g_variant_dict_insert (&dict, "streams", "x", settings->n_streams);
  g_variant_dict_insert (&dict, "repeat", "x", settings->n_repeat);
  g_variant_dict_insert (&dict, "warmup", "x", settings->n_warmup);
  g_variant_dict_insert (&dict, "seed", "t", settings->seed);
  g_variant_dict_insert (&dict, "timeout", "d", settings->timeout_s);
  g_variant_dict_insert (&dict, "check", "b", settings->check);
  if (settings->debug)
    g_variant_dict_insert (&dict, "debug", "b", TRUE);
  if (settings->baseline)
    g_variant_dict_insert (&dict, "baseline", "b", TRUE);
  g_variant_dict_insert (&dict, "trace", "i", (gint32) settings->trace);
  g_variant_dict_insert (&dict, "comm", "s", hir_comm_transport_get_name (settings->comm.way));
  g_variant_dict_insert (&dict, "comm-high-priority", "b", settings->comm.high_priority);
  g_variant_dict_insert (&dict, "comm-ctas", "i", settings->comm.n_ctas);
  if (settings->gpus != NULL)
    g_variant_dict_insert (&dict, "gpus", "s", settings->gpus);
  if (settings->share_gpus)
    g_variant_dict_insert (&dict, "share-gpus", "b", TRUE);
  if (settings->plant_op != NULL)
    {
      g_variant_dict_insert (&dict, "plant-op", "s", settings->plant_op);
      g_variant_dict_insert (&dict, "plant-scale", "d", settings->plant_scale);
    }
  return g_variant_dict_end (&dict);
}

static gboolean
check_range (const char *name, gint64 value, gint64 min, gint64 max, GError **error)
{
  if (value >= min && value <= max)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s is %" G_GINT64_FORMAT "; it must be from %" G_GINT64_FORMAT
                 " to %" G_GINT64_FORMAT,
                 name, value, min, max);
  return FALSE;
}

/* Reads a value of a basic type. A missing value keeps its default. */
static gboolean
read_value (GVariantDict *dict, const char *key, const char *format, gpointer value, GError **error)
{
  if (!g_variant_dict_contains (dict, key) || g_variant_dict_lookup (dict, key, format, value))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the run's setting %s is not of type %s", key,
                 format);
  return FALSE;
}

static gboolean
read_backend (HirRunSettings *settings, GVariantDict *dict, GError **error)
{
  g_autofree char *name = NULL;

  if (!read_value (dict, "backend", "s", &name, error))
    return FALSE;
  for (HirBackendKind kind = 0; kind < HIR_N_BACKENDS; kind++)
    if (name == NULL || g_str_equal (name, hir_backend_kind_get_name (kind)))
      {
        settings->backend = name == NULL ? settings->backend : kind;
        return TRUE;
      }
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the run's setting backend is '%s'; it must be cpu or cuda", name);
  return FALSE;
}

static gboolean
read_comm (HirCommSettings *comm, GVariantDict *dict, GError **error)
{
  g_autofree char *way = NULL;

  if (!read_value (dict, "comm", "s", &way, error) ||
      !read_value (dict, "comm-high-priority", "b", &comm->high_priority, error) ||
      !read_value (dict, "comm-ctas", "i", &comm->n_ctas, error) ||
      !check_range ("the number of CTAs", comm->n_ctas, 0, HIR_MAX_COMM_CTAS, error))
    return FALSE;
  if (way == NULL || hir_comm_transport_lookup (way, &comm->way))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the run's setting comm is '%s'; it must be nccl, p2p, copy or default", way);
  return FALSE;
}

static gboolean
read_gpus (HirRunSettings *settings, GVariantDict *dict, GError **error)
{
  g_autoptr (GArray) gpus = NULL;

  if (!read_value (dict, "gpus", "s", &settings->gpus, error) ||
      !read_value (dict, "share-gpus", "b", &settings->share_gpus, error))
    return FALSE;
  if (settings->gpus != NULL)
    gpus = hir_run_settings_parse_gpus (settings->gpus, error);
  return settings->gpus == NULL || gpus != NULL;
}

static gboolean
read_values (HirRunSettings *settings, GVariantDict *dict, GError **error)
{
  gint32 trace = (gint32) settings->trace;

  if (!read_backend (settings, dict, error) ||
      !read_value (dict, "model-clock", "b", &settings->model_clock, error) ||
      !read_value (dict, "streams", "x", &settings->n_streams, error) ||
      !read_value (dict, "repeat", "x", &settings->n_repeat, error) ||
      !read_value (dict, "warmup", "x", &settings->n_warmup, error) ||
      !read_value (dict, "seed", "t", &settings->seed, error) ||
      !read_value (dict, "timeout", "d", &settings->timeout_s, error) ||
      !read_value (dict, "debug", "b", &settings->debug, error) ||
      !read_value (dict, "baseline", "b", &settings->baseline, error) ||
      !read_value (dict, "check", "b", &settings->check, error) ||
      !read_value (dict, "trace", "i", &trace, error) ||
      !read_value (dict, "plant-op", "s", &settings->plant_op, error) ||
      !read_value (dict, "plant-scale", "d", &settings->plant_scale, error) ||
      !read_comm (&settings->comm, dict, error) || !read_gpus (settings, dict, error) ||
      !check_range ("trace level", trace, HIR_TRACE_OFF, HIR_TRACE_FULL, error))
    return FALSE;
  settings->trace = (HirTraceLevel) trace;
  return TRUE;
}

gboolean
hir_run_settings_read (HirRunSettings *settings, GVariant *variant, GError **error)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);

  hir_run_settings_init (settings);
  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the settings of the run are not a dictionary");
      return FALSE;
    }
  g_variant_dict_clear (&dict);
  g_variant_dict_init (&dict, variant);
  if (!read_values (settings, &dict, error))
    return FALSE;
  if (!(settings->timeout_s >= 0 && settings->timeout_s <= MAX_TIMEOUT_S) ||
      !isfinite (settings->plant_scale))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "the run's timeout or error scale is out of range");
      return FALSE;
    }
  return check_range ("numberOfStreams", settings->n_streams, 1, MAX_STREAMS, error) &&
         check_range ("repeat", settings->n_repeat, 1, MAX_REPEAT, error) &&
         check_range ("warmup", settings->n_warmup, 0, MAX_REPEAT, error);
}

gboolean
hir_run_settings_parse (HirRunSettings *settings, const char *text)
{
  g_autoptr (GVariant) variant =
      text != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL) : NULL;

  hir_run_settings_init (settings);
  return variant != NULL && hir_run_settings_read (settings, variant, NULL);
}

static void
append_gpu_words (const HirRunSettings *settings, GString *words)
{
  HirCommTransport way = settings->comm.way;

  if (settings->gpus != NULL)
    g_string_append_printf (words, ", GPUs %s", settings->gpus);
  if (settings->share_gpus)
    g_string_append (words, settings->gpus != NULL ? ", shared if necessary"
                                                   : ", GPUs shared if necessary");
  /* The default of shared GPUs depends on the machine. */
  if (way == HIR_COMM_TRANSPORT_DEFAULT && !settings->share_gpus)
    way = HIR_COMM_TRANSPORT_NCCL;
  if (way != HIR_COMM_TRANSPORT_DEFAULT || settings->comm.high_priority)
    g_string_append_printf (words, ", communication by %s%s", hir_comm_transport_get_name (way),
                            settings->comm.high_priority ? " with high priority" : "");
}

char *
hir_run_settings_to_words (const char *text)
{
  g_autoptr (GVariant) variant = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  g_auto (HirRunSettings) settings = { 0 };
  GString *words;

  if (variant == NULL || !hir_run_settings_read (&settings, variant, NULL))
    return g_strdup (text);
  words = g_string_new (NULL);
  g_string_append_printf (words, "%" G_GINT64_FORMAT " stream%s", settings.n_streams,
                          settings.n_streams == 1 ? "" : "s");
  if (settings.n_repeat > 1)
    g_string_append_printf (words, ", %" G_GINT64_FORMAT " runs", settings.n_repeat);
  if (settings.n_warmup > 0)
    g_string_append_printf (words, " after %" G_GINT64_FORMAT " to warm up", settings.n_warmup);
  if (settings.baseline)
    g_string_append (words, ", then each instruction alone");
  if (settings.seed != 0)
    g_string_append_printf (words, ", seed %" G_GUINT64_FORMAT, settings.seed);
  if (settings.backend == HIR_BACKEND_CUDA)
    append_gpu_words (&settings, words);
  if (settings.plant_op != NULL)
    g_string_append_printf (words, ", errors injected into %s", settings.plant_op);
  if (settings.debug)
    g_string_append (words, ", in the debugger");
  return g_string_free (words, FALSE);
}
