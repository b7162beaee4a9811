#include "pipeline.h"

#include <string.h>

#include "pipeline-private.h"

static void
setting_free (gpointer data)
{
  HirPassSetting *setting = data;

  g_hash_table_unref (setting->options);
  g_free (setting);
}

static HirPassSetting *
setting_new (const HirPass *pass)
{
  HirPassSetting *setting = g_new0 (HirPassSetting, 1);

  setting->pass = pass;
  setting->enabled = pass->default_on;
  setting->options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (const HirPassOption *option = pass->options; option != NULL && option->name != NULL;
       option++)
    g_hash_table_insert (setting->options, g_strdup (option->name),
                         g_strdup (option->default_value));
  return setting;
}

HirPipeline *
hir_pipeline_new (HirPipelineKind kind)
{
  HirPipeline *pipeline = g_new0 (HirPipeline, 1);

  pipeline->settings = g_ptr_array_new_with_free_func (setting_free);
  pipeline->hooks = g_array_new (FALSE, FALSE, sizeof (HirPassHooks));
  for (const HirPass *const *pass = hir_pass_get_table (kind); *pass != NULL; pass++)
    g_ptr_array_add (pipeline->settings, setting_new (*pass));
  return pipeline;
}

void
hir_pipeline_free (HirPipeline *pipeline)
{
  if (pipeline == NULL)
    return;
  g_ptr_array_unref (pipeline->settings);
  g_array_unref (pipeline->hooks);
  g_free (pipeline);
}

static HirPassSetting *
get_setting (const HirPipeline *pipeline, const char *pass_name)
{
  for (guint i = 0; i < pipeline->settings->len; i++)
    {
      HirPassSetting *setting = pipeline->settings->pdata[i];

      if (g_str_equal (setting->pass->name, pass_name))
        return setting;
    }
  return NULL;
}

static HirPassSetting *
find_setting (const HirPipeline *pipeline, const char *pass_name, GError **error)
{
  HirPassSetting *setting = get_setting (pipeline, pass_name);
  g_autoptr (GString) names = NULL;

  if (setting != NULL)
    return setting;

  names = g_string_new (NULL);
  for (guint i = 0; i < pipeline->settings->len; i++)
    g_string_append_printf (names, "%s%s", i == 0 ? "" : ", ",
                            ((HirPassSetting *) pipeline->settings->pdata[i])->pass->name);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no pass '%s'; the passes are %s",
                 pass_name, names->str);
  return NULL;
}

gboolean
hir_pipeline_set_enabled (HirPipeline *pipeline,
                          const char *pass_name,
                          gboolean enabled,
                          GError **error)
{
  HirPassSetting *setting = find_setting (pipeline, pass_name, error);

  if (setting == NULL)
    return FALSE;
  setting->enabled = enabled;
  return TRUE;
}

gboolean
hir_pipeline_get_enabled (const HirPipeline *pipeline, const char *pass_name)
{
  const HirPassSetting *setting = get_setting (pipeline, pass_name);

  return setting != NULL && setting->enabled;
}

static const HirPassOption *
find_option (const HirPass *pass, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (const HirPassOption *option = pass->options; option != NULL && option->name != NULL;
       option++)
    {
      if (g_str_equal (option->name, name))
        return option;
      g_string_append_printf (names, "%s%s", names->len == 0 ? "" : ", ", option->name);
    }
  if (names->len == 0)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s has no option '%s'; this pass has no options",
                   pass->name, name);
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s has no option '%s'; its options are "
                   "%s",
                   pass->name, name, names->str);
  return NULL;
}

static gboolean
check_value (const HirPass *pass, const HirPassOption *option, const char *value, GError **error)
{
  g_autofree char *choices = NULL;
  guint64 number;

  if (option->is_text)
    return TRUE;
  if (option->choices == NULL)
    {
      if (g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT64, &number, NULL))
        return TRUE;
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s.%s takes a whole number, 0 or more, not "
                     "'%s'",
                     pass->name, option->name, value);
      return FALSE;
    }
  if (g_strv_contains (option->choices, value))
    return TRUE;
  choices = g_strjoinv (" or ", (char **) option->choices);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s.%s takes %s, not '%s'", pass->name, option->name,
                 choices, value);
  return FALSE;
}

gboolean
hir_pipeline_set_option (HirPipeline *pipeline, const char *assignment, GError **error)
{
  const char *dot = strchr (assignment, '.');
  const char *equals = dot != NULL ? strchr (dot, '=') : NULL;
  g_autofree char *pass_name = NULL;
  g_autofree char *name = NULL;
  HirPassSetting *setting;
  const HirPassOption *option;

  if (equals == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "'%s' does not set an option; write Pass.option=value, for example "
                     "StreamParallelType.initial_sync=in_loop",
                     assignment);
      return FALSE;
    }

  pass_name = g_strndup (assignment, (gsize) (dot - assignment));
  name = g_strndup (dot + 1, (gsize) (equals - dot - 1));
  setting = find_setting (pipeline, pass_name, error);
  if (setting == NULL)
    return FALSE;
  option = find_option (setting->pass, name, error);
  if (option == NULL || !check_value (setting->pass, option, equals + 1, error))
    return FALSE;
  g_hash_table_replace (setting->options, g_strdup (name), g_strdup (equals + 1));
  return TRUE;
}

const char *
hir_pipeline_get_option (const HirPipeline *pipeline, const char *pass_name, const char *option)
{
  const HirPassSetting *setting = get_setting (pipeline, pass_name);

  return setting != NULL ? g_hash_table_lookup (setting->options, option) : NULL;
}

void
hir_pipeline_add_hooks (HirPipeline *pipeline, const HirPassHooks *hooks)
{
  g_array_append_val (pipeline->hooks, *hooks);
}
