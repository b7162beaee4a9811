/* Comparison of outputs with the reference. */
#include "run/reference/check.h"

#include <math.h>
#include <string.h>

#include "label.h"

static void
output_clear (gpointer data)
{
  g_free (((HirCheckOutput *) data)->label);
}

HirCheckReport *
hir_check_report_new (HirContainer *fusion)
{
  HirCheckReport *report = g_new0 (HirCheckReport, 1);

  report->outputs = g_array_new (FALSE, TRUE, sizeof (HirCheckOutput));
  g_array_set_clear_func (report->outputs, output_clear);
  for (guint i = 0; i < fusion->outputs.len; i++)
    {
      const HirVal *val = fusion->outputs.items[i];
      HirCheckOutput output = { .ratio = -1, .rank = -1 };
      output.label = HIR_IS_TENSOR (val) ? hir_tensor_dup_label ((const HirTensor *) val)
                                         : g_strdup_printf ("output %u", i);
      g_array_append_val (report->outputs, output);
    }
  return report;
}

void
hir_check_report_free (HirCheckReport *report)
{
  g_array_unref (report->outputs);
  g_free (report);
}

/* Returns the error of @x divided by its bound, or -1 if it cannot be decided. */
static double
judge_float (const HirRefTensor *reference, gint64 at, double x, double bound)
{
  double expected = reference->values[at];
  double difference;

  if (isinf (bound))
    return -1;
  if (isnan (expected) || isnan (x))
    return isnan (expected) && isnan (x) ? 0 : INFINITY;
  if (x == expected)
    return reference->is_copy && signbit (x) != signbit (expected) ? INFINITY : 0;
  difference = fabs (x - expected);
  return bound > 0 && isfinite (difference) ? difference / bound : INFINITY;
}

static double
judge_int (const HirRefTensor *reference, gint64 at, gint64 x, double bound)
{
  gint64 expected = reference->ints[at];
  double difference;

  if (isinf (bound))
    return -1;
  if (x == expected)
    return 0;
  difference = x > expected ? (double) ((guint64) x - (guint64) expected)
                            : (double) ((guint64) expected - (guint64) x);
  return bound > 0 ? difference / bound : INFINITY;
}

static void
keep_worst (
    HirCheckOutput *output, const HirRefTensor *reference, gint64 at, double ratio, double x)
{
  output->ratio = ratio;
  output->value = x;
  output->reference =
      reference->values != NULL ? reference->values[at] : (double) reference->ints[at];
  output->bound = reference->errors != NULL ? reference->errors[at] : 0;
  output->n_dims = reference->n_dims;
  for (guint i = reference->n_dims; i-- > 0;)
    {
      output->index[i] = at % reference->sizes[i];
      at /= reference->sizes[i];
    }
}

static gboolean
is_shaped (const HirRefTensor *reference, const HirShardAxis *shard, const HirValue *value)
{
  if (value == NULL || value->dtype != reference->dtype || value->n_dims != reference->n_dims)
    return FALSE;
  for (guint d = 0; d < value->n_dims; d++)
    if (value->sizes[d] != (shard != NULL ? shard[d].size : reference->sizes[d]))
      return FALSE;
  return TRUE;
}

/* Returns the index in the whole tensor of element @k (row-major) of a part. */
static gint64
place_in_whole (const HirRefTensor *reference, const HirShardAxis *shard, gint64 k)
{
  gint64 at = 0, stride = 1;

  if (shard == NULL)
    return k;
  for (guint d = reference->n_dims; d-- > 0;)
    {
      at += (shard[d].start + k % shard[d].size * shard[d].step) * stride;
      k /= shard[d].size;
      stride *= reference->sizes[d];
    }
  return at;
}

void
hir_check_report_compare (HirCheckReport *report,
                          guint i,
                          const HirRefTensor *reference,
                          const HirShardAxis *shard,
                          int rank,
                          const HirValue *value,
                          gconstpointer elements)
{
  HirCheckOutput *output = &g_array_index (report->outputs, HirCheckOutput, i);
  const guint8 *data = elements;
  gint64 count;

  if (reference == NULL)
    return;
  if (!is_shaped (reference, shard, value))
    {
      output->missing = TRUE;
      output->rank = rank;
      return;
    }
  gsize size = hir_dtype_get_size_bytes (value->dtype);
  count = hir_value_get_n_elements (value);
  output->n_elements += (guint64) count;
  for (gint64 k = 0; k < count; k++)
    {
      gint64 at = place_in_whole (reference, shard, k);
      gconstpointer element = data + (gsize) k * size;
      double bound = reference->errors != NULL ? reference->errors[at] : 0;
      double x = hir_element_get_double (value->dtype, element);
      double ratio =
          reference->values != NULL
              ? judge_float (reference, at, x, bound)
              : judge_int (reference, at, hir_element_get_int (value->dtype, element), bound);

      output->n_undecided += ratio < 0;
      output->n_failed += ratio > 1;
      output->n_nan += reference->values != NULL && isnan (reference->values[at]);
      if (ratio > output->ratio)
        {
          keep_worst (output, reference, at, ratio, x);
          output->rank = rank;
        }
    }
}

gboolean
hir_check_report_passed (const HirCheckReport *report)
{
  for (guint i = 0; i < report->outputs->len; i++)
    {
      const HirCheckOutput *output = &g_array_index (report->outputs, HirCheckOutput, i);
      if (output->missing || output->n_failed > 0)
        return FALSE;
    }
  return TRUE;
}

static void
format_place (const HirCheckOutput *output, GString *text)
{
  g_string_append (text, " at [");
  for (guint d = 0; d < output->n_dims; d++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d > 0 ? ", " : "", output->index[d]);
  g_string_append_c (text, ']');
  if (output->rank >= 0)
    g_string_append_printf (text, " on rank %d", output->rank);
}

/* The sign of a NaN is meaningless and differs between machines. */
static void
format_number (double value, GString *text)
{
  if (isnan (value))
    g_string_append (text, "nan");
  else
    g_string_append_printf (text, "%.9g", value);
}

static void
format_output (const HirCheckOutput *output, GString *text)
{
  g_string_append_printf (text, "%s: ", output->label);
  if (output->missing)
    {
      g_string_append (text, "WRONG, it was never computed, or has another shape or type");
      if (output->rank >= 0)
        g_string_append_printf (text, " on rank %d", output->rank);
      g_string_append_c (text, '\n');
      return;
    }
  if (output->n_failed > 0)
    {
      g_string_append_printf (text,
                              "WRONG in %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                              " elements; worst: ",
                              output->n_failed, output->n_elements);
      format_number (output->value, text);
      format_place (output, text);
      g_string_append (text, ", should be ");
      format_number (output->reference, text);
      if (output->bound > 0)
        g_string_append_printf (text, " within %.3g", output->bound);
    }
  else if (output->ratio > 0)
    {
      g_string_append_printf (text, "right; largest error over its bound %.3g of %.3g (%.3g)",
                              fabs (output->value - output->reference), output->bound,
                              output->ratio);
      format_place (output, text);
    }
  else
    g_string_append (text, "right; equal to the reference");
  if (output->n_nan > 0)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " are NaN, as in the reference",
                            output->n_nan);
  if (output->n_undecided > 0)
    g_string_append_printf (text,
                            "; %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                            " cannot be decided because of rounding",
                            output->n_undecided, output->n_elements);
  g_string_append_c (text, '\n');
}

char *
hir_check_report_format (const HirCheckReport *report)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < report->outputs->len; i++)
    format_output (&g_array_index (report->outputs, HirCheckOutput, i), text);
  return g_string_free (text, FALSE);
}
