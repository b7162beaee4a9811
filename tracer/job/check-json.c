#include "job/check-json.h"

#include "trace/json-out.h"
#include "trace/trace.h"

const char *
hir_check_outcome_get_name (HirCheckOutcome outcome)
{
  static const char *const names[] = {
    [HIR_CHECK_RIGHT] = HIR_CHECK_META_RIGHT,
    [HIR_CHECK_UNDECIDED] = HIR_CHECK_META_UNDECIDED,
    [HIR_CHECK_WRONG] = HIR_CHECK_META_WRONG,
  };

  return names[outcome];
}

/* Writes the element with the largest error relative to its bound. */
static void
write_worst (const HirCheckOutput *output, HirJsonOut *json)
{
  hir_json_out_begin (json, "worst", '{');
  hir_json_out_begin (json, "index", '[');
  for (guint d = 0; d < output->n_dims; d++)
    hir_json_out_add_int (json, NULL, output->index[d]);
  hir_json_out_end (json, ']');
  hir_json_out_add_double (json, "value", "%.9g", output->value);
  hir_json_out_add_double (json, "reference", "%.9g", output->reference);
  hir_json_out_add_double (json, "bound", "%.9g", output->bound);
  hir_json_out_add_double (json, "error_over_bound", "%.9g", output->ratio);
  if (output->rank >= 0)
    hir_json_out_add_int (json, "rank", output->rank);
  hir_json_out_end (json, '}');
}

static void
write_output (const HirCheckOutput *output, HirJsonOut *json)
{
  g_autofree char *text = g_strchomp (hir_check_output_format (output));

  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "name", output->label);
  hir_json_out_add_string (json, "outcome",
                           hir_check_outcome_get_name (hir_check_output_get_outcome (output)));
  hir_json_out_add_uint (json, "elements", output->n_elements);
  hir_json_out_add_uint (json, "failed", output->n_failed);
  hir_json_out_add_uint (json, "unwritten", output->n_unwritten);
  hir_json_out_add_uint (json, "undecided", output->n_undecided);
  hir_json_out_add_uint (json, "nan", output->n_nan);
  /* A ratio below 0: nothing was compared. */
  if (!output->missing && output->ratio >= 0)
    write_worst (output, json);
  hir_json_out_add_string (json, "text", text);
  hir_json_out_end (json, '}');
}

char *
hir_check_report_to_json (const HirCheckReport *report)
{
  GString *text = g_string_new (NULL);
  HirJsonOut json = { .out = text };

  hir_json_out_begin (&json, NULL, '[');
  for (guint i = 0; i < report->outputs->len; i++)
    write_output (&g_array_index (report->outputs, HirCheckOutput, i), &json);
  hir_json_out_end (&json, ']');
  return g_string_free (text, FALSE);
}
