#include "lowering-options.h"

#include <string.h>

#include "suggest.h"

#define MAX_DEVICES 4096

/* In the order of HirFormat. */
static const char *const format_names[] = { "2025", "2025-select", "2026", NULL };
/* In the order of HirPipelineKind. */
static const char *const pipeline_names[] = { "executor", "hostir", NULL };
static const char *const dtype_names[] = { "float", "half", "bfloat16", "double", NULL };

const GOptionEntry *
hir_lowering_options_get_entries (HirLoweringOptions *options)
{
  const GOptionEntry entries[] = {
    { "devices", 'd', 0, G_OPTION_ARG_STRING, &options->devices_text,
      "number of devices (default: highest device that\nthe script names plus one, otherwise 1)",
      "N" },
    { "rank", 0, 0, G_OPTION_ARG_STRING, &options->rank_text,
      "rank whose program is shown (default: the lowest\ndevice of the meshes)", "R" },
    { "arg", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->args,
      "parameter of the function; parameters named\nnum_devices or d default to the value of -d",
      "NAME=VALUE" },
    { "input", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->inputs,
      "unsharded shape of the next input (4x8), or value of\na scalar; missing ones are chosen "
      "and printed",
      "SHAPE" },
    { "dtype", 0, 0, G_OPTION_ARG_STRING, &options->dtype_text,
      "change the type of every floating-point define_tensor:\nfloat, half, bfloat16, double; "
      "double also changes casts",
      "TYPE" },
    { "pipeline", 0, 0, G_OPTION_ARG_STRING, &options->pipeline_text,
      "passes to lower with: executor (nvFuser's\nMultiDeviceExecutor of 2025) or hostir "
      "(its host_ir_lowering\nof 2026); default: hostir if the script executes with\n"
      "host_ir_lowering, otherwise executor; lower --diff also takes both",
      "PIPELINE" },
    { "enable", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->enable, "enable a pass", "PASS" },
    { "disable", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->disable, "disable a pass", "PASS" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->set,
      "set an option of a pass, such as\nStreamParallelType.initial_sync=in_loop",
      "PASS.OPTION=VALUE" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &options->format_text,
      "text format of printed programs: 2025 (default),\n2025-select, 2026 (default of --pipeline hostir)",
      "FORMAT" },
    { NULL },
  };

  if (options->entries == NULL)
    options->entries = g_memdup2 (entries, sizeof entries);
  return options->entries;
}

gboolean
hir_option_parse_int (
    const char *option, const char *text, gint64 min, gint64 max, gint64 *value, GError **error)
{
  if (g_ascii_string_to_signed (text, 10, min, max, value, NULL))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s takes a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                 ", not '%s'",
                 option, min, max, text);
  return FALSE;
}

int
hir_option_parse_choice (const char *option,
                         const char *text,
                         const char *const *choices,
                         GError **error)
{
  HirSuggestion suggestion = { NULL, 0 };
  g_autofree char *all = g_strjoinv (", ", (char **) choices);
  g_autofree char *near = NULL;

  for (int i = 0; choices[i] != NULL; i++)
    {
      if (strcmp (choices[i], text) == 0)
        return i;
      hir_suggestion_offer (&suggestion, text, choices[i]);
    }
  if (suggestion.best != NULL)
    near = g_strdup_printf ("; did you mean %s?", suggestion.best);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s takes one of %s, not '%s'%s", option, all, text,
                 near != NULL ? near : "");
  return -1;
}

/* Checks that every argument is NAME=VALUE and NAME is an identifier. */
static gboolean
check_args (char *const *args, GError **error)
{
  for (guint i = 0; args != NULL && args[i] != NULL; i++)
    {
      const char *equals = strchr (args[i], '=');
      gsize n = equals != NULL ? (gsize) (equals - args[i]) : 0;
      gboolean ok = n > 0 && !g_ascii_isdigit (args[i][0]);

      for (gsize j = 0; j < n; j++)
        ok = ok && (g_ascii_isalnum (args[i][j]) || args[i][j] == '_' || (args[i][j] & 0x80) != 0);
      if (!ok)
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "--arg takes NAME=VALUE, such as num_chunks=4, not '%s'", args[i]);
          return FALSE;
        }
    }
  return TRUE;
}

/* Rejects a pass that is both enabled and disabled. */
static gboolean
check_switches (const HirLoweringOptions *options, GError **error)
{
  for (guint i = 0; options->enable != NULL && options->enable[i] != NULL; i++)
    if (options->disable != NULL &&
        g_strv_contains ((const char *const *) options->disable, options->enable[i]))
      {
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "pass %s is both enabled and disabled; remove --enable or --disable",
                       options->enable[i]);
        return FALSE;
      }
  return TRUE;
}

gboolean
hir_lowering_options_check (HirLoweringOptions *options, GError **error)
{
  int choice;

  options->n_devices = -1;
  options->rank = -1;
  if (options->devices_text != NULL &&
      !hir_option_parse_int ("-d", options->devices_text, 1, MAX_DEVICES, &options->n_devices,
                             error))
    return FALSE;
  if (options->rank_text != NULL && !hir_option_parse_int ("--rank", options->rank_text, 0,
                                                           MAX_DEVICES - 1, &options->rank, error))
    return FALSE;
  if (options->dtype_text != NULL)
    {
      choice = hir_option_parse_choice ("--dtype", options->dtype_text, dtype_names, error);
      if (choice < 0)
        return FALSE;
      if (!hir_dtype_lookup_short_name (dtype_names[choice], &options->dtype))
        g_assert_not_reached ();
    }
  if (options->format_text != NULL)
    {
      choice = hir_option_parse_choice ("--format", options->format_text, format_names, error);
      if (choice < 0)
        return FALSE;
      options->format = (HirFormat) choice;
      options->format_given = TRUE;
    }
  if (options->pipeline_text != NULL)
    {
      choice =
          hir_option_parse_choice ("--pipeline", options->pipeline_text, pipeline_names, error);
      if (choice < 0)
        return FALSE;
      options->pipeline = (HirPipelineKind) choice;
      options->pipeline_given = TRUE;
    }
  return check_args (options->args, error) && check_switches (options, error);
}

void
hir_lowering_options_clear (HirLoweringOptions *options)
{
  g_strfreev (options->args);
  g_strfreev (options->inputs);
  g_strfreev (options->enable);
  g_strfreev (options->disable);
  g_strfreev (options->set);
  g_free (options->devices_text);
  g_free (options->rank_text);
  g_free (options->dtype_text);
  g_free (options->format_text);
  g_free (options->pipeline_text);
  g_free (options->entries);
  memset (options, 0, sizeof *options);
}
