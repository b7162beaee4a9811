#include "run-settings.h"

#define MAX_STREAMS 1024
#define MAX_REPEAT 1000000

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
}

void
hir_run_settings_copy (HirRunSettings *to, const HirRunSettings *from)
{
  *to = *from;
  to->plant_op = g_strdup (from->plant_op);
}

void
hir_run_settings_to_options (const HirRunSettings *settings, HirRunOptions *options)
{
  hir_run_options_init (options);
  options->n_streams = settings->n_streams;
  options->n_repeats = (guint) settings->n_repeat;
  options->n_warmups = (guint) settings->n_warmup;
  options->seed = settings->seed;
  options->check = settings->check;
  options->model_clock = settings->model_clock;
  options->timeout_s = settings->timeout_s;
  options->trace_issue = settings->trace == HIR_TRACE_FULL;
  options->plant_op = settings->plant_op;
  options->plant_scale = settings->plant_scale;
}

GVariant *
hir_run_settings_to_variant (const HirRunSettings *settings)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);

  g_variant_dict_insert (&dict, "model-clock", "b", settings->model_clock);
  g_variant_dict_insert (&dict, "streams", "x", settings->n_streams);
  g_variant_dict_insert (&dict, "repeat", "x", settings->n_repeat);
  g_variant_dict_insert (&dict, "warmup", "x", settings->n_warmup);
  g_variant_dict_insert (&dict, "seed", "t", settings->seed);
  g_variant_dict_insert (&dict, "timeout", "d", settings->timeout_s);
  g_variant_dict_insert (&dict, "check", "b", settings->check);
  g_variant_dict_insert (&dict, "trace", "i", (gint32) settings->trace);
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

gboolean
hir_run_settings_read (HirRunSettings *settings, GVariant *variant, GError **error)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  gint32 trace = HIR_TRACE_FULL;

  hir_run_settings_init (settings);
  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the settings of the run are not a dictionary");
      return FALSE;
    }
  g_variant_dict_clear (&dict);
  g_variant_dict_init (&dict, variant);
  g_variant_dict_lookup (&dict, "model-clock", "b", &settings->model_clock);
  g_variant_dict_lookup (&dict, "streams", "x", &settings->n_streams);
  g_variant_dict_lookup (&dict, "repeat", "x", &settings->n_repeat);
  g_variant_dict_lookup (&dict, "warmup", "x", &settings->n_warmup);
  g_variant_dict_lookup (&dict, "seed", "t", &settings->seed);
  g_variant_dict_lookup (&dict, "timeout", "d", &settings->timeout_s);
  g_variant_dict_lookup (&dict, "check", "b", &settings->check);
  g_variant_dict_lookup (&dict, "trace", "i", &trace);
  g_variant_dict_lookup (&dict, "plant-op", "s", &settings->plant_op);
  g_variant_dict_lookup (&dict, "plant-scale", "d", &settings->plant_scale);
  settings->trace = (HirTraceLevel) CLAMP (trace, HIR_TRACE_OFF, HIR_TRACE_FULL);
  if (!(settings->timeout_s >= 0 && settings->timeout_s < 1e6))
    settings->timeout_s = 10;
  return check_range ("numberOfStreams", settings->n_streams, 1, MAX_STREAMS, error) &&
         check_range ("repeat", settings->n_repeat, 1, MAX_REPEAT, error) &&
         check_range ("warmup", settings->n_warmup, 0, MAX_REPEAT, error);
}
