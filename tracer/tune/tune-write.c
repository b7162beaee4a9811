#include "tune/tune-write.h"

#include "program/request-edit.h"
#include "program/run-command.h"
#include "trace/duration.h"

static const char *const state_names[] = {
  [HIR_TUNE_MEASURED] = "measured", [HIR_TUNE_PREDICTED] = "predicted", [HIR_TUNE_WRONG] = "wrong",
  [HIR_TUNE_REFUSED] = "refused",   [HIR_TUNE_SKIPPED] = "skipped",
};

/* Returns the command that runs @setting as it was measured. */
static char *
dup_command (const HirTune *tune, const HirTuneSetting *setting, const char *spec)
{
  GString *line = g_string_new ("hirscope run");
  g_auto (HirRunSettings) settings = { 0 };

  hir_run_settings_copy (&settings, &tune->settings);
  hir_tune_choice_apply (&setting->choice, &settings);
  hir_append_shell_word (line, spec);
  hir_request_append_options (setting->request, line);
  hir_run_settings_append_options (&settings, line);
  g_string_append_printf (line, " --repeat %" G_GINT64_FORMAT " --trace off", settings.n_repeat);
  return g_string_free (line, FALSE);
}

static void
add_time (HirTextOut *out, gint64 ns)
{
  g_autofree char *text = ns >= 0 ? hir_format_duration (ns) : g_strdup ("-");

  hir_text_out_add_padded (out, text, 12);
}

/* Returns the median of @setting over that of the given setting, or 0 if one is unknown. */
static double
get_relation (const HirTune *tune, const HirTuneSetting *setting)
{
  gint64 given_ns = hir_tune_setting_get_median (g_ptr_array_index (tune->list, 0));
  gint64 ns = hir_tune_setting_get_median (setting);

  return given_ns > 0 && ns >= 0 ? (double) ns / (double) given_ns : 0;
}

static void
write_row (const HirTune *tune, guint i, HirTextOut *out)
{
  const HirTuneSetting *setting = g_ptr_array_index (tune->list, i);
  g_autofree char *text = hir_tune_choice_dup_text (&setting->choice);
  g_autofree char *spread = NULL;
  double relation = get_relation (tune, setting);

  if (setting->rounds->len > 0)
    {
      gint64 least_ns, most_ns;
      g_autofree char *least = NULL;
      g_autofree char *most = NULL;

      hir_tune_setting_get_range (setting, &least_ns, &most_ns);
      least = hir_format_duration (least_ns);
      most = hir_format_duration (most_ns);
      spread = g_strdup_printf ("%s to %s", least, most);
    }
  hir_text_out_printf (out, "%4u", i + 1);
  add_time (out, setting->predicted_ns);
  add_time (out, hir_tune_setting_get_median (setting));
  hir_text_out_add_padded (out, spread != NULL ? spread : "-", 28);
  if (relation > 0)
    hir_text_out_printf (out, " %8.3f  ", relation);
  else
    hir_text_out_printf (out, " %8s  ", "-");
  hir_text_out_printf (out, "%s%s%s%s%s\n", text, i == 0 ? " (given)" : "",
                       setting->state == HIR_TUNE_WRONG ? " (WRONG)" : "",
                       setting->n_unknown > 0 ? " (works without a known time)" : "",
                       setting->state == HIR_TUNE_MEASURED && setting->reason != NULL
                           ? " (check undecided)"
                           : "");
}

static guint
count_state (const HirTune *tune, HirTuneState state)
{
  guint n = 0;

  for (guint i = 0; i < tune->list->len; i++)
    n += ((const HirTuneSetting *) g_ptr_array_index (tune->list, i))->state == state;
  return n;
}

static gboolean
is_in_table (const HirTuneSetting *setting, guint n_rows, guint max_rows)
{
  return setting->state == HIR_TUNE_MEASURED || setting->state == HIR_TUNE_WRONG ||
         (setting->state == HIR_TUNE_PREDICTED && n_rows < max_rows);
}

static void
write_table (const HirTune *tune, guint max_rows, HirTextOut *out)
{
  guint n_rows = 0, n_left = 0;

  hir_text_out_printf (out, "%4s%12s%12s%28s %8s  %s\n", "", "predicted", "measured",
                       "shortest to longest round", "relation", "setting");
  for (guint i = 0; i < tune->list->len; i++)
    {
      const HirTuneSetting *setting = g_ptr_array_index (tune->list, i);

      if (is_in_table (setting, n_rows, max_rows))
        {
          write_row (tune, i, out);
          n_rows++;
        }
      else if (setting->state == HIR_TUNE_PREDICTED)
        n_left++;
    }
  if (n_left > 0)
    hir_text_out_printf (out, "%u more are predicted to take longer; --json has all\n", n_left);
}

/* Returns the number of settings from @from on that are refused or wrong for the same reason. */
static guint
count_reason (const HirTune *tune, guint from, const HirTuneSetting *like)
{
  guint n = 0;

  for (guint i = from; i < tune->list->len; i++)
    {
      const HirTuneSetting *setting = g_ptr_array_index (tune->list, i);

      n += setting->state == like->state && g_strcmp0 (setting->reason, like->reason) == 0;
    }
  return n;
}

/* Writes the settings that have no time, each reason once. */
static void
write_others (const HirTune *tune, HirTextOut *out)
{
  guint n_skipped = count_state (tune, HIR_TUNE_SKIPPED);

  for (guint i = 0; i < tune->list->len; i++)
    {
      const HirTuneSetting *setting = g_ptr_array_index (tune->list, i);
      g_autofree char *text = hir_tune_choice_dup_text (&setting->choice);
      guint n_all = count_reason (tune, 0, setting), n_more = count_reason (tune, i + 1, setting);

      if ((setting->state != HIR_TUNE_REFUSED && setting->state != HIR_TUNE_WRONG) ||
          n_more + 1 < n_all)
        continue;
      hir_text_out_printf (out, "%s: %s", state_names[setting->state], text);
      if (n_more > 0)
        hir_text_out_printf (out, ", and %u more", n_more);
      hir_text_out_printf (out, ": %s\n", setting->reason);
    }
  if (n_skipped > 0)
    hir_text_out_printf (out, "skipped: %u settings, for lack of time; --json lists them\n",
                         n_skipped);
}

static void
write_commands (const HirTune *tune, const char *spec, guint max_rows, HirTextOut *out)
{
  guint n_rows = 0;

  hir_text_out_add (out, "\ncommands\n");
  for (guint i = 0; i < tune->list->len; i++)
    {
      const HirTuneSetting *setting = g_ptr_array_index (tune->list, i);
      g_autofree char *command = NULL;

      if (!is_in_table (setting, n_rows, max_rows))
        continue;
      n_rows++;
      command = dup_command (tune, setting, spec);
      hir_text_out_printf (out, "%4u  %s\n", i + 1, command);
    }
}

static void
write_end (const HirTune *tune, HirTextOut *out)
{
  const HirTuneSetting *best = tune->best >= 0 ? g_ptr_array_index (tune->list, tune->best) : NULL;
  g_autofree char *text = best != NULL ? hir_tune_choice_dup_text (&best->choice) : NULL;

  hir_text_out_add (out, "\n");
  for (guint i = 0; i < tune->notes->len; i++)
    hir_text_out_printf (out, "note: %s\n", (const char *) g_ptr_array_index (tune->notes, i));
  if (tune->end != HIR_TUNE_COMPLETE)
    hir_text_out_printf (out, "note: the search is incomplete: %s\n",
                         tune->end == HIR_TUNE_BUDGET
                             ? "the budget ended; specify a larger --budget"
                             : "it was cancelled");
  if (best == NULL)
    hir_text_out_add (out, "no setting was measured\n");
  else if (tune->best == 0)
    hir_text_out_add (out, "the given setting is the fastest of the measured ones\n");
  else
    hir_text_out_printf (out, "fastest: number %d, %s%s\n", tune->best + 1, text,
                         hir_tune_is_within_spread (tune)
                             ? "; the difference is within the spread of the rounds"
                             : "");
}

void
hir_tune_write_text (const HirTune *tune, const char *spec, guint max_rows, HirTextOut *out)
{
  hir_text_out_printf (out, "%u settings, %u measured, %u refused\n", tune->list->len,
                       count_state (tune, HIR_TUNE_MEASURED), count_state (tune, HIR_TUNE_REFUSED));
  write_table (tune, max_rows, out);
  write_others (tune, out);
  write_commands (tune, spec, max_rows, out);
  write_end (tune, out);
}

static void
write_choice (const HirTuneChoice *choice, HirJsonOut *json)
{
  for (guint i = 0; i < HIR_N_TUNE_DIMENSIONS; i++)
    {
      gint64 value = choice->values[i];
      g_autofree char *text = hir_tune_value_dup_text ((HirTuneDimension) i, value);
      const char *name = hir_tune_dimension_get_name ((HirTuneDimension) i);

      if (value != HIR_TUNE_NONE && (i == HIR_TUNE_CHUNKS || i == HIR_TUNE_STREAMS))
        hir_json_out_add_int (json, name, value);
      else
        hir_json_out_add_string (json, name, text);
    }
}

static void
write_setting (const HirTune *tune, guint i, const char *spec, HirJsonOut *json)
{
  const HirTuneSetting *setting = g_ptr_array_index (tune->list, i);
  g_autofree char *command = dup_command (tune, setting, spec);

  hir_json_out_break (json);
  hir_json_out_begin (json, NULL, '{');
  write_choice (&setting->choice, json);
  hir_json_out_add_string (json, "state", state_names[setting->state]);
  if (setting->reason != NULL)
    hir_json_out_add_string (json, "reason", setting->reason);
  if (setting->predicted_ns >= 0)
    {
      hir_json_out_add_int (json, "predicted_ns", setting->predicted_ns);
      hir_json_out_add_uint (json, "unknown_works", setting->n_unknown);
    }
  if (setting->rounds->len > 0)
    {
      hir_json_out_add_int (json, "median_ns", hir_tune_setting_get_median (setting));
      if (get_relation (tune, setting) > 0)
        hir_json_out_add_double (json, "relation", "%.6f", get_relation (tune, setting));
    }
  hir_json_out_begin (json, "rounds_ns", '[');
  for (guint k = 0; k < setting->rounds->len; k++)
    hir_json_out_add_int (json, NULL, g_array_index (setting->rounds, gint64, k));
  hir_json_out_end (json, ']');
  hir_json_out_add_string (json, "command", command);
  hir_json_out_end (json, '}');
}

void
hir_tune_write_json (const HirTune *tune, const char *spec, HirTextOut *out)
{
  static const char *const ends[] = { "complete", "budget", "cancelled" };
  HirJsonOut *json = &out->json;

  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "end", ends[tune->end]);
  if (tune->best >= 0)
    {
      hir_json_out_add_int (json, "best", tune->best);
      hir_json_out_add_bool (json, "within_spread", hir_tune_is_within_spread (tune));
    }
  hir_json_out_begin (json, "settings", '[');
  for (guint i = 0; i < tune->list->len; i++)
    write_setting (tune, i, spec, json);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "notes", '[');
  for (guint i = 0; i < tune->notes->len; i++)
    hir_json_out_add_string (json, NULL, g_ptr_array_index (tune->notes, i));
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
  hir_text_out_add (out, "\n");
}
