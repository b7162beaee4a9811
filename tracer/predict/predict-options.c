#include "predict/predict-options.h"

#include <string.h>

#include "diagnostic.h"

#define MAX_FACTOR 1e6

gboolean
hir_predict_parse_factor (const char *option, const char *text, double *factor, GError **error)
{
  char *end = NULL;

  *factor = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *factor >= 0 && *factor <= MAX_FACTOR)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s takes a factor from 0 to 1e6, not '%s'", option,
                 text);
  return FALSE;
}

static void
scale_clear (gpointer data)
{
  g_free (((HirPredictScale *) data)->name);
}

static GArray *
scales_new (void)
{
  GArray *scales = g_array_new (FALSE, FALSE, sizeof (HirPredictScale));

  g_array_set_clear_func (scales, scale_clear);
  return scales;
}

GArray *
hir_predict_parse_scales (char *const *texts, GError **error)
{
  g_autoptr (GArray) scales = scales_new ();

  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      const char *equals = strrchr (texts[i], '=');
      HirPredictScale scale;

      if (equals == NULL || equals == texts[i])
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "--kernel takes NAME=FACTOR, such as T6_matmul=0.5, not '%s'", texts[i]);
          return NULL;
        }
      if (!hir_predict_parse_factor ("--kernel", equals + 1, &scale.factor, error))
        return NULL;
      scale.name = g_strndup (texts[i], (gsize) (equals - texts[i]));
      g_array_append_val (scales, scale);
    }
  return g_steal_pointer (&scales);
}

char **
hir_predict_split_scales (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  g_autoptr (GStrvBuilder) scales = g_strv_builder_new ();
  g_autoptr (GString) scale = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      gboolean is_end = parts[i + 1] == NULL || strchr (parts[i], '=') != NULL;
      g_autofree char *part = g_strstrip (g_strdup (parts[i]));

      if (*part != '\0')
        g_string_append_printf (scale, "%s%s", scale->len > 0 ? ", " : "", part);
      if (!is_end || scale->len == 0)
        continue;
      g_strv_builder_add (scales, scale->str);
      g_string_truncate (scale, 0);
    }
  return g_strv_builder_end (scales);
}

gboolean
hir_gain_get_options (const HirGain *gain, HirPredictOptions *options)
{
  hir_predict_options_init (options);
  if (!hir_gain_has_options (gain))
    return FALSE;
  if (g_str_equal (gain->kind, "communication") || g_str_equal (gain->kind, "copy"))
    {
      HirPredictScale scale = { g_strdup (gain->name), 0 };

      options->scales = scales_new ();
      g_array_append_val (options->scales, scale);
    }
  else if (g_str_equal (gain->kind, "synchronization"))
    {
      options->drop_lines = g_array_new (FALSE, FALSE, sizeof (guint));
      g_array_append_val (options->drop_lines, gain->line);
    }
  else if (g_str_equal (gain->kind, "option"))
    options->set = g_strsplit (gain->name, " ", -1);
  else
    options->no_interference = TRUE;
  return TRUE;
}

void
hir_predict_options_init (HirPredictOptions *options)
{
  *options = (HirPredictOptions){ .comm_scale = 1, .transport = HIR_COMM_TRANSPORT_DEFAULT };
}

void
hir_predict_options_clear (HirPredictOptions *options)
{
  g_clear_pointer (&options->scales, g_array_unref);
  g_clear_pointer (&options->drop_lines, g_array_unref);
  g_clear_pointer (&options->set, g_strfreev);
}
