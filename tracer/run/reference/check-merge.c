/* Merging of reports of several processes. */
#include "run/reference/check.h"

/* Label; counts; ratio, value, reference, bound; index; missing, rank; n_whole; sums. */
#define SUMS_TYPE "(tdddddd)"
#define OUTPUT_TYPE "(stttttddddaxbit" SUMS_TYPE ")"

static GVariant *
pack_output (const HirCheckOutput *output)
{
  const HirCheckSums *sums = &output->sums;

  return g_variant_new ("(stttttdddd@axbit@" SUMS_TYPE ")", output->label, output->n_elements,
                        output->n_failed, output->n_undecided, output->n_nan, output->n_unwritten,
                        output->ratio, output->value, output->reference, output->bound,
                        g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, output->index,
                                                   output->n_dims, sizeof (gint64)),
                        output->missing, output->rank, output->n_whole,
                        g_variant_new (SUMS_TYPE, sums->n, sums->deviations, sums->slope,
                                       sums->weight, sums->own_square, sums->own, sums->shared));
}

GVariant *
hir_check_report_to_variant (const HirCheckReport *report)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("(ua" OUTPUT_TYPE ")"));
  g_variant_builder_add (&builder, "u", report->n_runs);
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("a" OUTPUT_TYPE));
  for (guint i = 0; i < report->outputs->len; i++)
    g_variant_builder_add_value (&builder,
                                 pack_output (&g_array_index (report->outputs, HirCheckOutput, i)));
  g_variant_builder_close (&builder);
  return g_variant_builder_end (&builder);
}

/* Reads all fields of @output except the label. */
static void
unpack_output (GVariant *packed, HirCheckOutput *output, const char **label)
{
  g_autoptr (GVariant) index = NULL;
  const gint64 *places;
  gsize n;

  HirCheckSums *sums = &output->sums;

  g_variant_get (packed, "(&stttttdddd@axbit" SUMS_TYPE ")", label, &output->n_elements,
                 &output->n_failed, &output->n_undecided, &output->n_nan, &output->n_unwritten,
                 &output->ratio, &output->value, &output->reference, &output->bound, &index,
                 &output->missing, &output->rank, &output->n_whole, &sums->n, &sums->deviations,
                 &sums->slope, &sums->weight, &sums->own_square, &sums->own, &sums->shared);
  places = g_variant_get_fixed_array (index, &n, sizeof (gint64));
  output->n_dims = (guint) MIN (n, HIR_MAX_DIMS);
  for (guint i = 0; i < output->n_dims; i++)
    output->index[i] = places[i];
}

/* Adds the counts and keeps the worse element; if equal, the first. */
static void
merge_output (HirCheckOutput *output, const HirCheckOutput *other)
{
  char *label = output->label;
  HirCheckOutput counts = *output;
  gboolean is_worse = other->missing || (!output->missing && other->ratio > output->ratio);

  if (is_worse)
    *output = *other;
  output->label = label;
  output->missing = counts.missing || other->missing;
  output->n_elements = counts.n_elements + other->n_elements;
  output->n_failed = counts.n_failed + other->n_failed;
  output->n_undecided = counts.n_undecided + other->n_undecided;
  output->n_nan = counts.n_nan + other->n_nan;
  output->n_unwritten = counts.n_unwritten + other->n_unwritten;
  output->n_whole = MAX (counts.n_whole, other->n_whole);
  output->sums.n = counts.sums.n + other->sums.n;
  output->sums.deviations = counts.sums.deviations + other->sums.deviations;
  output->sums.slope = counts.sums.slope + other->sums.slope;
  output->sums.weight = counts.sums.weight + other->sums.weight;
  output->sums.own_square = counts.sums.own_square + other->sums.own_square;
  output->sums.own = counts.sums.own + other->sums.own;
  output->sums.shared = counts.sums.shared + other->sums.shared;
}

gboolean
hir_check_report_merge (HirCheckReport *report, GVariant *other, GError **error)
{
  g_autoptr (GVariant) outputs = NULL;
  gboolean fits = g_variant_is_of_type (other, G_VARIANT_TYPE ("(ua" OUTPUT_TYPE ")"));

  if (fits)
    {
      outputs = g_variant_get_child_value (other, 1);
      fits = g_variant_n_children (outputs) == report->outputs->len;
    }
  for (guint i = 0; fits && i < report->outputs->len; i++)
    {
      g_autoptr (GVariant) packed = g_variant_get_child_value (outputs, i);
      HirCheckOutput *output = &g_array_index (report->outputs, HirCheckOutput, i);
      HirCheckOutput read = { 0 };
      const char *label;

      unpack_output (packed, &read, &label);
      fits = g_str_equal (label, output->label);
      if (fits)
        merge_output (output, &read);
    }
  if (!fits)
    hir_set_error (error, HIR_ERROR_RUN, NULL,
                   "another rank compared the outputs of another fusion");
  return fits;
}
