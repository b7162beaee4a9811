/* Writes what would help. */
#include "explain/explain-private.h"
#include "trace/duration.h"

gboolean
hir_gain_has_options (const HirGain *gain)
{
  static const char *const kinds[] = { "communication", "copy",         "synchronization",
                                       "option",        "interference", NULL };

  return g_strv_contains (kinds, gain->kind);
}

gboolean
hir_gains_start_breaking (const GArray *gains, guint i)
{
  return g_array_index (gains, HirGain, i).breaks &&
         (i == 0 || !g_array_index (gains, HirGain, i - 1).breaks);
}

static double
get_share (const HirExplain *explain, const HirGain *gain)
{
  return (double) gain->gain_ns / (double) MAX (explain->simulated_ns, 1);
}

void
hir_gains_write_text (const HirExplain *explain, guint max_rows, HirTextOut *out)
{
  g_autofree char *total = hir_format_duration (explain->simulated_ns);

  if (explain->gains == NULL)
    return;
  hir_text_out_printf (out, "\nWhat would help, of %s in the simulation, each change alone\n",
                       total);
  if (explain->gains->len == 0)
    hir_text_out_add (out, "no simulated change makes the run shorter\n");
  else
    hir_text_out_printf (out, "%12s %8s  %s\n", "gain", "share", "if");
  for (guint i = 0; i < MIN (explain->gains->len, max_rows); i++)
    {
      const HirGain *gain = &g_array_index (explain->gains, HirGain, i);
      g_autofree char *time = hir_format_duration (gain->gain_ns);

      if (hir_gains_start_breaking (explain->gains, i))
        hir_text_out_add (out, HIR_GAINS_BREAKING_TITLE ":\n");
      hir_text_out_add_padded (out, time, 12);
      hir_text_out_printf (out, " %6.1f %%  %s\n", 100 * get_share (explain, gain), gain->text);
    }
  if (explain->gains->len > max_rows)
    hir_text_out_printf (out, "%u more rows; --json has all\n", explain->gains->len - max_rows);
}

void
hir_gains_write_json (const HirExplain *explain, HirTextOut *out)
{
  HirJsonOut *json = &out->json;

  if (explain->gains == NULL)
    return;
  hir_json_out_add_int (json, "simulated_ns", explain->simulated_ns);
  hir_json_out_begin (json, "gains", '[');
  for (guint i = 0; i < explain->gains->len; i++)
    {
      const HirGain *gain = &g_array_index (explain->gains, HirGain, i);

      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_string (json, "change", gain->kind);
      hir_json_out_add_int (json, "gain_ns", gain->gain_ns);
      hir_json_out_add_double (json, "share", "%.6f", get_share (explain, gain));
      hir_json_out_add_string (json, "name", gain->name);
      if (gain->line > 0)
        hir_json_out_add_int (json, "line", gain->line);
      if (gain->rank >= 0)
        hir_json_out_add_int (json, "rank", gain->rank);
      if (gain->breaks)
        hir_json_out_add_bool (json, "breaks", TRUE);
      hir_json_out_add_string (json, "text", gain->text);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}
