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

/* -log of the probability of a false alarm of the tests of a whole output. */
#define LOG_CONFIDENCE 20.7
/* An element is undecided if its bound is above this share of it, or above this number of units of
 * its type if that is more (3% in bfloat16). */
#define UNDECIDED_BOUND 0.01
#define UNDECIDED_UNITS 8
/* An output is undecided if this share of its elements is. */
#define UNDECIDED_SHARE 0.01
/* Largest mean of correct rounding errors, as a share of their norms. */
#define SLOPE_BIAS 0.15

/* Returns the error of @x divided by its bound. */
static double
judge_float (const HirRefTensor *reference, gint64 at, double x, double bound)
{
  double expected = reference->values[at];
  double difference;

  if (isinf (bound))
    return 0;
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

  if (isinf (bound) || x == expected)
    return 0;
  difference = x > expected ? (double) ((guint64) x - (guint64) expected)
                            : (double) ((guint64) expected - (guint64) x);
  return bound > 0 ? difference / bound : INFINITY;
}

static double
get_expected (const HirRefTensor *reference, gint64 at)
{
  return reference->values != NULL ? reference->values[at] : (double) reference->ints[at];
}

static double
compute_root_mean_square (const HirRefTensor *reference)
{
  double sum = 0;
  gint64 n = 0;

  for (gint64 at = 0; reference->errors != NULL && at < reference->count; at++)
    {
      double x = get_expected (reference, at);

      if (isfinite (x))
        sum += x * x;
      n += isfinite (x);
    }
  return sqrt (sum / (double) MAX (n, 1));
}

static void
add_to_sums (HirCheckSums *sums, const HirRefTensor *reference, gint64 at, double x)
{
  const HirRefNorm *norm = &reference->norms[at];
  double expected = get_expected (reference, at), err = x - expected;
  double p = norm->own + HIR_REF_LAMBDA * norm->shared, w = 1 / (p * p);

  if (!(p > 0) || !isfinite (p) || !isfinite (err) || !isfinite (w))
    return;
  sums->n++;
  sums->deviations += err / p * (err / p);
  sums->slope += w * err * expected;
  sums->weight += w * expected * expected;
  sums->own_square += w * expected * norm->own * (w * expected * norm->own);
  sums->own += w * fabs (expected) * norm->own;
  sums->shared += w * fabs (expected) * norm->shared;
}

/* Returns the factor by which the root mean square of the errors exceeds the largest that their
 * norms allow. Squares of @n sub-Gaussian errors: B. Laurent and P. Massart, "Adaptive estimation
 * of a quadratic functional by model selection", Annals of Statistics 28, 2000, lemma 1. */
static double
get_deviation (const HirCheckOutput *output)
{
  double n = (double) MIN (output->sums.n, output->n_whole), x = LOG_CONFIDENCE;

  if (output->sums.n == 0)
    return 0;
  return sqrt (output->sums.deviations / (double) output->sums.n /
               (1 + 2 * sqrt (x / n) + 2 * x / n));
}

/* Returns the relative size of errors that are proportional to the results, or 0 if it may be
 * chance. */
static double
get_slope (const HirCheckOutput *output)
{
  const HirCheckSums *sums = &output->sums;
  double repeated = (double) sums->n / (double) MAX (MIN (sums->n, output->n_whole), 1);
  double slope, limit;

  if (!(sums->weight > 0))
    return 0;
  slope = sums->slope / sums->weight;
  limit = (HIR_REF_LAMBDA * (sqrt (sums->own_square * repeated) + sums->shared) +
           SLOPE_BIAS * sums->own) /
          sums->weight;
  return fabs (slope) > limit ? slope : 0;
}

static void
keep_worst (
    HirCheckOutput *output, const HirRefTensor *reference, gint64 at, double ratio, double x)
{
  output->ratio = ratio;
  output->value = x;
  output->reference = get_expected (reference, at);
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
      at += hir_shard_axis_at (&shard[d], k % shard[d].size) * stride;
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
  guint8 poison[16];
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
  const HirShardAxis *last =
      shard != NULL && reference->n_dims > 0 ? &shard[reference->n_dims - 1] : NULL;
  gint64 step = last != NULL ? last->step : 1, at = -1;
  double typical = compute_root_mean_square (reference), share;

  hir_poison (value->dtype, poison, size);
  count = hir_value_get_n_elements (value);
  output->n_elements += (guint64) count;
  output->n_whole = (guint64) fmin ((double) reference->count, reference->n_distinct);
  share = fmax (UNDECIDED_BOUND, UNDECIDED_UNITS * hir_ref_get_unit (reference->dtype));
  for (gint64 k = 0; k < count; k++)
    {
      at = last == NULL || (last->block == 0 && k % last->size > 0)
               ? at + step
               : place_in_whole (reference, shard, k);

      gconstpointer element = data + (gsize) k * size;
      double bound = reference->errors != NULL ? reference->errors[at] : 0;
      double x = hir_element_get_double (value->dtype, element);
      double expected = get_expected (reference, at);
      double ratio =
          reference->values != NULL
              ? judge_float (reference, at, x, bound)
              : judge_int (reference, at, hir_element_get_int (value->dtype, element), bound);
      gboolean is_poison = memcmp (element, poison, size) == 0;

      if (is_poison && reference->values != NULL)
        ratio = INFINITY; /* no op computes this NaN: a NaN in the reference does not excuse it */

      output->n_undecided +=
          bound > 0 && !(isfinite (bound) && bound <= share * fmax (fabs (expected), typical));
      output->n_failed += ratio > 1;
      output->n_unwritten += ratio > 1 && is_poison;
      output->n_nan += isnan (expected) && isnan (x);
      if (reference->norms != NULL)
        add_to_sums (&output->sums, reference, at, x);
      if (ratio > output->ratio)
        {
          keep_worst (output, reference, at, ratio, x);
          output->rank = rank;
        }
    }
}

HirCheckOutcome
hir_check_output_get_outcome (const HirCheckOutput *output)
{
  if (output->missing || output->n_failed > 0 || get_deviation (output) > 1 ||
      get_slope (output) != 0)
    return HIR_CHECK_WRONG;
  return (double) output->n_undecided > UNDECIDED_SHARE * (double) output->n_elements
             ? HIR_CHECK_UNDECIDED
             : HIR_CHECK_RIGHT;
}

HirCheckOutcome
hir_check_report_get_outcome (const HirCheckReport *report)
{
  HirCheckOutcome worst = HIR_CHECK_RIGHT;

  for (guint i = 0; i < report->outputs->len; i++)
    worst =
        MAX (worst,
             hir_check_output_get_outcome (&g_array_index (report->outputs, HirCheckOutput, i)));
  return worst;
}

gboolean
hir_check_report_passed (const HirCheckReport *report)
{
  return hir_check_report_get_outcome (report) != HIR_CHECK_WRONG;
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
append_share (GString *text, guint64 n, const HirCheckOutput *output)
{
  g_string_append_printf (text, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " elements", n,
                          output->n_elements);
}

static void
append_failure (const HirCheckOutput *output, GString *text)
{
  double slope = get_slope (output), deviation = get_deviation (output);

  if (output->n_failed > 0)
    {
      g_string_append (text, "WRONG in ");
      append_share (text, output->n_failed, output);
      if (output->n_unwritten > 0)
        g_string_append_printf (text, ", of which %" G_GUINT64_FORMAT " were never written",
                                output->n_unwritten);
      g_string_append (text, "; worst: ");
      format_number (output->value, text);
      format_place (output, text);
      g_string_append (text, ", should be ");
      format_number (output->reference, text);
      if (output->bound > 0)
        g_string_append_printf (text, " within %.3g", output->bound);
    }
  else
    g_string_append (text, "WRONG as a whole, although each element is within its bound");
  if (slope != 0)
    g_string_append_printf (text, "; the results are %.3g%% too %s", 100 * fabs (slope),
                            slope > 0 ? "large" : "small");
  if (deviation > 1)
    g_string_append_printf (text, "; the root mean square of the errors is %.3g times its limit",
                            deviation);
}

static void
append_largest_error (const HirCheckOutput *output, GString *text)
{
  if (output->ratio > 0)
    {
      g_string_append_printf (text, "largest error over its bound %.3g of %.3g (%.3g)",
                              fabs (output->value - output->reference), output->bound,
                              output->ratio);
      format_place (output, text);
    }
  else
    g_string_append (text, "equal to the reference");
}

static void
format_output (const HirCheckOutput *output, GString *text)
{
  HirCheckOutcome outcome = hir_check_output_get_outcome (output);

  g_string_append_printf (text, "%s: ", output->label);
  if (output->missing)
    {
      g_string_append (text, "WRONG, it was never computed, or has another shape or type");
      if (output->rank >= 0)
        g_string_append_printf (text, " on rank %d", output->rank);
      g_string_append_c (text, '\n');
      return;
    }
  if (outcome == HIR_CHECK_WRONG)
    append_failure (output, text);
  else
    {
      g_string_append (text, outcome == HIR_CHECK_UNDECIDED ? "UNDECIDED; " : "right; ");
      append_largest_error (output, text);
    }
  if (output->n_nan > 0)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " %s NaN, as in the reference",
                            output->n_nan, output->n_nan == 1 ? "is" : "are");
  if (output->n_undecided > 0)
    {
      g_string_append (text, "; ");
      append_share (text, output->n_undecided, output);
      g_string_append_printf (text,
                              " (%.3g%%) cannot be decided, because rounding may change them too "
                              "much",
                              100 * (double) output->n_undecided / (double) output->n_elements);
    }
  g_string_append_c (text, '\n');
}

char *
hir_check_output_format (const HirCheckOutput *output)
{
  GString *text = g_string_new (NULL);

  format_output (output, text);
  return g_string_free (text, FALSE);
}

char *
hir_check_report_format (const HirCheckReport *report)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < report->outputs->len; i++)
    format_output (&g_array_index (report->outputs, HirCheckOutput, i), text);
  return g_string_free (text, FALSE);
}
