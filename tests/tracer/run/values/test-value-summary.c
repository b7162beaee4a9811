/* Tests summaries against straightforward counting. */
#include <math.h>
#include <string.h>

#include "run-fixture.h"
#include "run/values/value-summary.h"

static HirValueSummary *
summarise (const HirValue *value, const HirValueQuery *query)
{
  g_autoptr (GError) error = NULL;
  HirValueQuery all;
  HirValueSummary *summary;

  hir_value_query_init (&all);
  summary = hir_value_summary_new (value, query != NULL ? query : &all, NULL, &error);
  g_assert_no_error (error);
  return summary;
}

static void
test_numbers (void)
{
  g_autoptr (HirValue) value = value_of (HIR_DTYPE_FLOAT, 2, (gint64[]){ 2, 4 },
                                         (double[]){ 1, -3, NAN, 0, INFINITY, 5, -INFINITY, 1 });
  g_autoptr (HirValueSummary) summary = summarise (value, NULL);
  g_autofree char *text = hir_value_summary_format (summary);

  g_assert_cmpuint (hir_value_summary_get_n_elements (summary), ==, 8);
  g_assert_cmpuint (summary->n_nan, ==, 1);
  g_assert_cmpuint (summary->n_inf, ==, 2);
  g_assert_cmpuint (summary->n_zero, ==, 1);
  g_assert_cmpfloat (summary->min, ==, -3);
  g_assert_cmpfloat (summary->max, ==, 5);
  g_assert_cmpfloat_with_epsilon (summary->mean, 0.8, 1e-12);
  /* (0.04 + 14.44 + 0.64 + 17.64 + 0.04) / 5 */
  g_assert_cmpfloat_with_epsilon (summary->deviation, sqrt (6.56), 1e-12);
  g_assert_cmpuint (summary->bins[0], ==, 1);
  g_assert_cmpuint (summary->bins[12], ==, 1); /* 0: (0 + 3) / 8 of 32 */
  g_assert_cmpuint (summary->bins[16], ==, 2);
  g_assert_cmpuint (summary->bins[HIR_VALUE_N_BINS - 1], ==, 1);
  g_assert_cmpuint (summary->map_rows, ==, 2);
  g_assert_cmpuint (summary->map_columns, ==, 4);
  g_assert_cmpfloat (summary->map[1], ==, -3);
  g_assert_true (isnan (summary->map[2]) && isnan (summary->map[4]));
  g_assert_cmpstr (summary->page[1], ==, "-3");
  g_assert_cmpstr (summary->page[2], ==, "nan");
  g_assert_true (g_str_has_prefix (text, "float[2, 4], strides [4, 1]\nmin -3, max 5, mean 0.8, "));
  g_assert_nonnull (strstr (text, "8 elements: 1 NaN, 2 Inf, 1 zero\n"));
}

/* Sums of doubles take another way, because they may overflow. Rows are longer than a chunk. */
static void
test_plain (void)
{
  static const gint64 sizes[][2] = { { 3, 2500 }, { 1, 1 }, { 7, 24 }, { 2, 1025 }, { 130, 97 } };

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      gsize n = (gsize) sizes[k][0] * (gsize) sizes[k][1];
      g_autofree double *elements = g_new (double, n);

      for (gsize i = 0; i < n; i++)
        elements[i] = i % 401 == 400   ? NAN
                      : i % 307 == 306 ? -INFINITY
                                       : (double) (i * 37 % 101) - 8;
      for (guint with_map = 0; with_map < 2; with_map++)
        {
          g_autoptr (HirValue) floats = value_of (HIR_DTYPE_FLOAT, 2, sizes[k], elements);
          g_autoptr (HirValue) doubles = value_of (HIR_DTYPE_DOUBLE, 2, sizes[k], elements);
          HirValueQuery query;

          hir_value_query_init (&query);
          query.map_rows = query.map_columns = with_map * 24;
          g_autoptr (HirValueSummary) a = summarise (floats, &query);
          g_autoptr (HirValueSummary) b = summarise (doubles, &query);

          g_assert_cmpuint (a->n_nan, ==, b->n_nan);
          g_assert_cmpuint (a->n_inf, ==, b->n_inf);
          g_assert_cmpuint (a->n_zero, ==, b->n_zero);
          g_assert_cmpfloat (a->min, ==, b->min);
          g_assert_cmpfloat (a->max, ==, b->max);
          g_assert_cmpfloat_with_epsilon (a->mean, b->mean, 1e-9);
          g_assert_cmpfloat_with_epsilon (a->deviation, b->deviation, 1e-9);
          g_assert_cmpmem (a->bins, sizeof a->bins, b->bins, sizeof b->bins);
          g_assert_cmpuint (a->map_columns, ==, b->map_columns);
          for (guint i = 0; i < a->map_rows * a->map_columns; i++)
            g_assert_true ((isnan (a->map[i]) && isnan (b->map[i])) ||
                           fabs (a->map[i] - b->map[i]) < 1e-9);
        }
    }
}

static void
check_line (const HirValue *value, const HirValueQuery *query, const char *expected)
{
  g_autoptr (HirValueSummary) summary = summarise (value, query);
  g_autofree char *line = hir_value_summary_dup_line (summary);

  g_assert_cmpstr (line, ==, expected);
}

static void
test_line (void)
{
  g_autoptr (HirValue) value = value_of (HIR_DTYPE_FLOAT, 2, (gint64[]){ 2, 4 },
                                         (double[]){ 1, -3, NAN, 0, INFINITY, 5, -INFINITY, 1 });
  g_autoptr (HirValue) few = value_of (HIR_DTYPE_INT, 1, (gint64[]){ 2 }, (double[]){ 7, -7 });
  g_autoptr (HirValue) none = value_of (HIR_DTYPE_FLOAT, 1, (gint64[]){ 0 }, NULL);
  HirValueQuery query;

  check_line (value, NULL,
              "float[2, 4], -3 to 5, mean 0.8, 1 NaN, 2 Inf: 1, -3, nan, 0, inf, 5, \xe2\x80\xa6");
  check_line (few, NULL, "int64[2], -7 to 7, mean 0: 7, -7");
  check_line (none, NULL, "float[0]");
  hir_value_query_init (&query);
  query.at[0] = 1;
  check_line (value, &query, "float[4], 1 to 5, mean 3, 2 Inf: inf, 5, -inf, 1");
  query.at[1] = 1;
  check_line (value, &query, "5");
}

/* Elements that were never written are left out, whatever their bytes are. */
static void
test_missing (void)
{
  g_autoptr (HirValue) value =
      value_of (HIR_DTYPE_FLOAT, 2, (gint64[]){ 2, 3 }, (double[]){ 1, 100, NAN, 3, 0, 5 });
  g_autoptr (HirValue) missing =
      value_of (HIR_DTYPE_BOOL, 2, (gint64[]){ 2, 3 }, (double[]){ 0, 1, 1, 0, 1, 0 });
  g_autoptr (HirValue) all =
      value_of (HIR_DTYPE_BOOL, 2, (gint64[]){ 2, 3 }, (double[]){ 1, 1, 1, 1, 1, 1 });
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (HirValueSummary) none = NULL;
  g_autofree char *text = NULL;
  HirValueQuery look;

  hir_value_query_init (&look);
  summary = hir_value_summary_new_without (value, missing, &look, NULL, NULL);
  g_assert_cmpuint (summary->n_nan + summary->n_inf + summary->n_zero, ==, 0);
  g_assert_cmpfloat (summary->max, ==, 5);
  g_assert_cmpfloat_with_epsilon (summary->mean, 3, 1e-12);
  g_assert_cmpstr (summary->page[1], ==, "unwritten");
  g_assert_cmpstr (summary->page[3], ==, "3");
  g_assert_cmpstr (summary->note, ==, "3 of 6 elements were never written");
  look.at[0] = 0;
  none = hir_value_summary_new_without (value, all, &look, NULL, NULL);
  g_assert_cmpstr (none->note, ==, "3 of 3 elements were never written");
  text = hir_value_summary_format (none);
  g_assert_null (strstr (text, "nan"));
}

/* A slice of a view with arbitrary strides, and a page beyond the end. */
static void
test_slice (void)
{
  double elements[24];
  HirValueQuery query;

  for (guint i = 0; i < 24; i++)
    elements[i] = i;
  g_autoptr (HirValue) whole = value_of (HIR_DTYPE_INT, 3, (gint64[]){ 2, 3, 4 }, elements);
  g_autoptr (HirValue) turned = hir_value_permute (whole, (guint[]){ 2, 0, 1 }); /* [4, 2, 3] */

  hir_value_query_init (&query);
  query.at[1] = 1;
  query.page_rows = 2;
  query.page_columns = 2;
  query.page_row = 1000;
  query.page_column = -5;
  query.map_rows = 2;
  query.map_columns = 1;
  g_autoptr (HirValueSummary) summary = summarise (turned, &query);
  g_autofree char *slice = hir_value_summary_dup_slice (summary);
  g_autofree char *number = hir_value_summary_dup_number (summary, summary->max);

  /* Element [r, 1, c] is 12 + 4 c + r. */
  g_assert_cmpint (summary->n_rows, ==, 4);
  g_assert_cmpint (summary->n_columns, ==, 3);
  g_assert_cmpint (summary->strides[0], ==, 1);
  g_assert_cmpstr (slice, ==, "[:, 1, :]");
  g_assert_cmpfloat (summary->min, ==, 12);
  g_assert_cmpstr (number, ==, "23");
  g_assert_cmpfloat_with_epsilon (summary->mean, 17.5, 1e-12);
  g_assert_cmpint (summary->page_row, ==, 2);
  g_assert_cmpint (summary->page_column, ==, 0);
  g_assert_cmpstr (summary->page[0], ==, "14");
  g_assert_cmpstr (summary->page[1], ==, "18");
  g_assert_cmpstr (summary->page[3], ==, "19");
  g_assert_cmpuint (g_strv_length (summary->page), ==, 4);
  g_assert_cmpfloat_with_epsilon (summary->map[0], 16.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (summary->map[1], 18.5, 1e-12);
}

static void
test_edges (void)
{
  static const HirDType dtypes[] = { HIR_DTYPE_BOOL,  HIR_DTYPE_HALF, HIR_DTYPE_BFLOAT16,
                                     HIR_DTYPE_CHAR,  HIR_DTYPE_BYTE, HIR_DTYPE_INT32,
                                     HIR_DTYPE_UINT64 };
  g_autoptr (HirValue) huge =
      value_of (HIR_DTYPE_DOUBLE, 1, (gint64[]){ 3 }, (double[]){ -G_MAXDOUBLE, G_MAXDOUBLE, 0 });
  g_autoptr (HirValue) none = value_of (HIR_DTYPE_FLOAT, 2, (gint64[]){ 0, 3 }, NULL);
  g_autoptr (HirValue) scalar = hir_value_new_int (G_MAXINT64, HIR_DTYPE_INT);
  g_autoptr (HirValue) nothing = value_of (HIR_DTYPE_FLOAT, 1, (gint64[]){ 1 }, (double[]){ NAN });
  g_autoptr (HirValueSummary) of_huge = summarise (huge, NULL);
  g_autoptr (HirValueSummary) of_none = summarise (none, NULL);
  g_autoptr (HirValueSummary) of_scalar = summarise (scalar, NULL);
  g_autoptr (HirValueSummary) of_nothing = summarise (nothing, NULL);

  g_assert_cmpuint (of_huge->bins[0], ==, 1);
  g_assert_cmpuint (of_huge->bins[16], ==, 1);
  g_assert_cmpuint (of_huge->bins[31], ==, 1);
  g_assert_cmpuint (hir_value_summary_get_n_elements (of_none), ==, 0);
  g_assert_true (isnan (of_none->min) && of_none->page[0] == NULL);
  g_assert_cmpstr (of_scalar->page[0], ==, "9223372036854775807");
  g_assert_cmpuint (of_scalar->n_dims, ==, 0);
  g_assert_true (isnan (of_nothing->mean) && isnan (of_nothing->deviation));
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (HirValue) value = value_of (dtypes[i], 1, (gint64[]){ 3 }, (double[]){ 1, 0, 1 });
      g_autoptr (HirValueSummary) summary = summarise (value, NULL);

      g_assert_cmpfloat (summary->max, ==, 1);
      g_assert_cmpuint (summary->n_zero, ==, 1);
      g_assert_cmpstr (summary->page[0], ==, dtypes[i] == HIR_DTYPE_BOOL ? "true" : "1");
    }
}

static void
test_rejected (void)
{
  g_autoptr (HirValue) value =
      value_of (HIR_DTYPE_FLOAT, 1, (gint64[]){ 3 }, (double[]){ 1, 2, 3 });
  g_autoptr (HirBuffer) deferred = hir_buffer_new_deferred (12);
  g_autoptr (HirValue) inner =
      hir_value_new_tensor (HIR_DTYPE_FLOAT, 1, (gint64[]){ 3 }, NULL, deferred);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  HirValueQuery query;

  hir_value_query_init (&query);
  g_assert_null (hir_value_summary_new (inner, &query, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  g_assert_null (hir_value_summary_new (value, &query, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  query.at[0] = 3;
  g_assert_null (hir_value_summary_new (value, &query, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "axis 0"));
}

static void
assert_same (const HirValueSummary *a, const HirValueSummary *b)
{
  g_autofree char *text = hir_value_summary_format (a);
  g_autofree char *other = hir_value_summary_format (b);

  g_assert_cmpstr (text, ==, other);
  g_assert_cmpuint (a->map_rows, ==, b->map_rows);
  g_assert_cmpuint (a->map_columns, ==, b->map_columns);
  g_assert_cmpint (memcmp (a->map, b->map, sizeof (double) * (gsize) a->map_rows * a->map_columns),
                   ==, 0);
}

/* Random shapes: consistent counts, serialization, and rejection of damaged data. */
static void
test_random (void)
{
  for (guint k = 0; k < 200; k++)
    {
      guint n_dims = (guint) g_test_rand_int_range (0, 5);
      gint64 sizes[4], n = 1;
      guint64 n_binned = 0;
      HirValueQuery query, again;
      g_autofree double *elements = NULL;
      g_autoptr (GError) error = NULL;

      hir_value_query_init (&query);
      for (guint i = 0; i < n_dims; i++)
        {
          sizes[i] = g_test_rand_int_range (1, 9);
          n *= sizes[i];
          if (g_test_rand_int_range (0, 4) == 0)
            query.at[i] = g_test_rand_int_range (0, (gint32) sizes[i]);
        }
      query.map_rows = (guint) g_test_rand_int_range (0, 9);
      query.page_row = g_test_rand_int_range (-2, 9);
      elements = g_new (double, n);
      for (gint64 i = 0; i < n; i++)
        elements[i] = g_test_rand_int_range (0, 9) == 0 ? NAN : g_test_rand_double_range (-9, 9);
      g_autoptr (HirValue) value = value_of (HIR_DTYPE_DOUBLE, n_dims, sizes, elements);
      g_autoptr (GVariant) asked = g_variant_ref_sink (hir_value_query_to_variant (&query));
      g_assert_true (hir_value_query_read (&again, asked, &error));
      g_autoptr (HirValueSummary) summary = summarise (value, &again);
      g_autoptr (GVariant) packed = g_variant_ref_sink (hir_value_summary_to_variant (summary));
      g_autoptr (HirValueSummary) copy = hir_value_summary_new_from_variant (packed, &error);

      g_assert_no_error (error);
      assert_same (summary, copy);
      for (guint i = 0; i < HIR_VALUE_N_BINS; i++)
        n_binned += summary->bins[i];
      g_assert_cmpuint (n_binned + summary->n_nan, ==, hir_value_summary_get_n_elements (summary));
      for (guint i = 0; i < n_dims; i++)
        if (query.at[i] >= 0)
          {
            HirValueSummary bad = *summary;
            bad.at[i] = sizes[i];
            g_autoptr (GVariant) lie = g_variant_ref_sink (hir_value_summary_to_variant (&bad));
            g_assert_null (hir_value_summary_new_from_variant (lie, NULL));
          }
      HirValueSummary bad = *summary;
      bad.n_rows += 1;
      g_autoptr (GVariant) lie = g_variant_ref_sink (hir_value_summary_to_variant (&bad));
      g_assert_null (hir_value_summary_new_from_variant (lie, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/value-summary/numbers", test_numbers);
  g_test_add_func ("/value-summary/plain", test_plain);
  g_test_add_func ("/value-summary/line", test_line);
  g_test_add_func ("/value-summary/missing", test_missing);
  g_test_add_func ("/value-summary/slice", test_slice);
  g_test_add_func ("/value-summary/edges", test_edges);
  g_test_add_func ("/value-summary/rejected", test_rejected);
  g_test_add_func ("/value-summary/random", test_random);
  return g_test_run ();
}
