/* Tests the check: correct programs pass, and an error injected into any op fails. */
#include <math.h>

#include "run-fixture.h"
#include "run/reference/reference-private.h"

static const gint64 shape[] = { 12, 20 };

static HirTensor *
binary (HirContainer *fusion, HirBinaryOp op, HirTensor *a, HirTensor *b)
{
  GError *error = NULL;
  HirTensor *out = hir_op_binary (fusion, op, HIR_VAL (a), HIR_VAL (b), &error);

  g_assert_no_error (error);
  return out;
}

static HirTensor *
cancelling (HirContainer *fusion, HirTensor *x, HirTensor *y)
{
  HirTensor *t = binary (fusion, HIR_BINARY_SUB, fix_add (fusion, x, y), y);

  return binary (fusion, HIR_BINARY_MUL, binary (fusion, HIR_BINARY_SUB, t, x), y);
}

/* Returns chain number @i of ops, or NULL after the last. */
static HirContainer *
chain (guint which, HirDType dtype)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *x = fix_input_of (fusion, shape, 2, dtype),
            *y = fix_input_of (fusion, shape, 2, dtype);
  HirTensor *w = fix_input_of (fusion, (gint64[]){ 20, 20 }, 2, dtype), *t;

  switch (which)
    {
    case 0: /* softmax */
      t = fix_unary (fusion, HIR_UNARY_EXP, x);
      y = hir_op_reduction (fusion, HIR_BINARY_ADD, t, (gint64[]){ 1 }, 1, TRUE, HIR_DTYPE_NULL,
                            NULL);
      t = binary (fusion, HIR_BINARY_DIV, t, y);
      break;
    case 1: /* products of products, with intermediate rounding */
      t = fix_matmul (fusion, fix_matmul (fusion, x, w), w);
      t = fix_matmul (fusion, fix_unary (fusion, HIR_UNARY_GELU, t), w);
      break;
    case 2:
      t = cancelling (fusion, x, y);
      break;
    case 3: /* through narrower types and back */
      t = fix_cast (fusion, fix_add (fusion, x, y), HIR_DTYPE_HALF);
      t = fix_cast (fusion, t, HIR_DTYPE_FLOAT);
      t = fix_cast (fusion,
                    binary (fusion, HIR_BINARY_MUL, t, fix_cast (fusion, x, HIR_DTYPE_FLOAT)),
                    HIR_DTYPE_BFLOAT16);
      t = fix_sum (fusion, t, 0);
      break;
    case 4: /* nested functions */
      t = fix_unary (fusion, HIR_UNARY_SIN,
                     fix_unary (fusion, HIR_UNARY_TANH, fix_add (fusion, x, y)));
      t = fix_unary (fusion, HIR_UNARY_SILU, fix_unary (fusion, HIR_UNARY_COS, t));
      t = fix_unary (fusion, HIR_UNARY_EXP, fix_unary (fusion, HIR_UNARY_RELU, t));
      break;
    case 5: /* selections that rounding may change */
      t = fix_add (fusion, x, y);
      y = binary (fusion, HIR_BINARY_GT, t, x);
      t = hir_op_ternary (fusion, HIR_TERNARY_WHERE,
                          (HirVal *[]){ HIR_VAL (y), HIR_VAL (t), HIR_VAL (x) }, 3, NULL);
      break;
    case 6: /* to integers by rounding */
      t = fix_cast (fusion, binary (fusion, HIR_BINARY_MUL, fix_add (fusion, x, y), x),
                    HIR_DTYPE_INT32);
      t = fix_unary (fusion, HIR_UNARY_ABS, t);
      break;
    case 7:
      t = fix_linear (fusion, binary (fusion, HIR_BINARY_MAX, x, y), w, NULL);
      t = fix_unary (fusion, HIR_UNARY_SIGMOID, fix_sum (fusion, t, 1));
      break;
    case 8: /* moves only */
      t = hir_op_permute (fusion, x, (gint64[]){ 1, 0 }, 2, NULL);
      t = hir_op_cat (fusion, (HirTensor *[]){ t, t }, 2, 1, NULL);
      break;
    default:
      hir_container_unref (fusion);
      return NULL;
    }
  g_assert_nonnull (t);
  hir_container_add_output (fusion, HIR_VAL (t));
  return fusion;
}

static const HirDType float_types[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_DOUBLE, HIR_DTYPE_HALF,
                                        HIR_DTYPE_BFLOAT16 };

static void
test_correct_passes (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (float_types); t++)
    for (guint which = 0;; which++)
      {
        g_autoptr (HirContainer) fusion = chain (which, float_types[t]);
        HirRunOptions options = run_options ();

        if (fusion == NULL)
          break;
        for (options.seed = 1; options.seed <= 10; options.seed++)
          assert_passes (fusion, &options);
      }
}

static gboolean
passes_with_error_in (HirContainer *fusion, const char *op, double scale)
{
  HirRunOptions options = run_options ();
  RunResult result;
  gboolean passed;

  options.plant_op = op;
  options.plant_scale = scale;
  result = run_fusion (fusion, &options, FALSE);
  g_assert_no_error (result.error);
  passed = result.passed;
  if (!passed)
    g_assert_nonnull (strstr (result.report, "WRONG"));
  run_result_clear (&result);
  return passed;
}

/* Inject the error into each op of the chain. */
static void
test_injected_fails (void)
{
  guint n = 0;

  for (guint t = 0; t < G_N_ELEMENTS (float_types); t++)
    for (guint which = 0;; which++)
      {
        g_autoptr (HirContainer) fusion = chain (which, float_types[t]);
        g_autoptr (GPtrArray) exprs = fusion != NULL ? hir_fusion_dup_exprs (fusion) : NULL;

        if (fusion == NULL)
          break;
        for (guint i = 0; i < exprs->len; i++)
          {
            const HirExpr *expr = g_ptr_array_index (exprs, i);

            /* Views have no kernel inside of a HostUnit, and comparisons may be wrong if both
             * results are the same. */
            if (expr->kind == HIR_EXPR_BROADCAST || expr->kind == HIR_EXPR_SET || which == 5)
              continue;
            if (passes_with_error_in (fusion, hir_expr_get_op_name (expr), 0.5))
              g_error ("an error in %s of chain %u (%s) is not seen", hir_expr_get_op_name (expr),
                       which, hir_dtype_get_short_name (float_types[t]));
            n++;
          }
      }
  g_assert_cmpuint (n, >, 80);
}

/* Detects errors as small as an incorrect rounding or a lost term. */
static void
test_small_errors_fail (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (float_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirDType dtype = float_types[t];
      HirTensor *x = fix_input_of (fusion, shape, 2, dtype),
                *y = fix_input_of (fusion, shape, 2, dtype);
      /* 16 units in the last place are too many for a sum of two terms. */
      double unit = dtype == HIR_DTYPE_FLOAT    ? 0x1p-23
                    : dtype == HIR_DTYPE_DOUBLE ? 0x1p-52
                    : dtype == HIR_DTYPE_HALF   ? 0x1p-10
                                                : 0x1p-7;

      fix_output (fusion, fix_add (fusion, x, y));
      g_assert_true (passes_with_error_in (fusion, "mul", 0.5));
      g_assert_false (passes_with_error_in (fusion, "add", 16 * unit));
    }
}

/* A Set in a stream loop is a separate copy. */
static void
test_injected_in_set (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *t = fix_set (fusion, fix_input_of (fusion, shape, 2, HIR_DTYPE_BFLOAT16));

  fix_output (fusion, t);
  fix_stream (fusion, t, 0);
  g_assert_true (passes_with_error_in (fusion, "add", 1));
  g_assert_false (passes_with_error_in (fusion, "set", 0x1p-6));
}

static void
test_integers_are_exact (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *x = fix_input_of (fusion, shape, 2, HIR_DTYPE_INT);

  fix_output (fusion, fix_sum (fusion, binary (fusion, HIR_BINARY_MUL, x, x), 1));
  g_assert_true (passes_with_error_in (fusion, "sub", 1));
  g_assert_false (passes_with_error_in (fusion, "mul", 1));
  g_assert_false (passes_with_error_in (fusion, "sum", 1));
}

/* The error bound of one op: (K + 2) u_acc sum|terms| + u_out |ref|. */
static void
test_bound_of_a_sum (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *x = fix_input_of (fusion, (gint64[]){ 3 }, 1, HIR_DTYPE_BFLOAT16);
  g_autoptr (HirValue) value =
      value_of (HIR_DTYPE_BFLOAT16, 1, (gint64[]){ 3 }, (double[]){ 1, -2, 0.5 });
  g_autoptr (GPtrArray) outputs = NULL;
  const HirRefTensor *out;
  double expected;

  fix_output (fusion, fix_sum (fusion, x, 0));
  outputs = hir_reference_evaluate (fusion, &value, 1, NULL, NULL);
  out = g_ptr_array_index (outputs, 0);
  expected = 5 * 0x1p-24 * 3.5 + 0x1p-8 * 0.5;
  g_assert_cmpfloat (out->values[0], ==, -0.5);
  g_assert_cmpfloat_with_epsilon (out->errors[0], expected, expected * 1e-3);
}

static void
compare_one (double x, double reference, double bound, gboolean expect_pass)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirCheckReport) report = NULL;
  g_autoptr (HirValue) value = value_of (HIR_DTYPE_DOUBLE, 1, (gint64[]){ 1 }, &x);
  HirRefTensor tensor = { .dtype = HIR_DTYPE_DOUBLE,
                          .n_dims = 1,
                          .sizes = { 1 },
                          .count = 1,
                          .values = &reference,
                          .errors = &bound };

  fix_output (fusion, fix_input (fusion, 1));
  report = hir_check_report_new (fusion);
  hir_check_report_compare (report, 0, &tensor, NULL, -1, value, &x);
  g_assert_cmpint (hir_check_report_passed (report), ==, expect_pass);
}

static void
test_comparison (void)
{
  compare_one (1, 1, 0, TRUE);
  compare_one (1 + 0x1p-52, 1, 0, FALSE);
  compare_one (1.25, 1, 0.25, TRUE);
  compare_one (0.75, 1, 0.25, TRUE);
  compare_one (1.26, 1, 0.25, FALSE);
  compare_one (NAN, 1, 0.25, FALSE);
  compare_one (1, NAN, 0, FALSE);
  compare_one (NAN, NAN, 0, TRUE);
  compare_one (INFINITY, INFINITY, 0, TRUE);
  compare_one (-INFINITY, INFINITY, 0, FALSE);
  compare_one (INFINITY, 1, 0.25, FALSE);
  compare_one (5, 1, INFINITY, TRUE); /* cannot be decided, and is reported */
}

/* Moved zeros keep their sign. */
static void
test_copies_are_bit_equal (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *x = fix_input_of (fusion, (gint64[]){ 2 }, 1, HIR_DTYPE_FLOAT);
  g_autoptr (HirValue) value =
      value_of (HIR_DTYPE_FLOAT, 1, (gint64[]){ 2 }, (double[]){ -0.0, 3 });
  g_autoptr (HirValue) wrong = value_of (HIR_DTYPE_FLOAT, 1, (gint64[]){ 2 }, (double[]){ 0.0, 3 });
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (HirCheckReport) report = NULL;

  fix_output (fusion, fix_set (fusion, x));
  outputs = hir_reference_evaluate (fusion, &value, 1, NULL, NULL);
  report = hir_check_report_new (fusion);
  hir_check_report_compare (report, 0, g_ptr_array_index (outputs, 0), NULL, -1, value,
                            hir_value_get_data (value));
  g_assert_true (hir_check_report_passed (report));
  hir_check_report_compare (report, 0, g_ptr_array_index (outputs, 0), NULL, -1, wrong,
                            hir_value_get_data (wrong));
  g_assert_false (hir_check_report_passed (report));
}

/* An element that nothing has written is wrong, even if the reference is NaN. */
static void
test_unwritten_nan_fails (void)
{
  guint64 poison;
  double x;

  hir_poison (HIR_DTYPE_DOUBLE, &poison, sizeof poison);
  memcpy (&x, &poison, sizeof x);
  compare_one (x, NAN, 0, FALSE);
  compare_one (x, NAN, INFINITY, FALSE);
}

/* Returns a reference of @n elements that are spread over [1, 2) and have the norm @own. */
static HirRefTensor *
spread_tensor (gint64 n, double own)
{
  HirRefTensor *tensor = hir_ref_tensor_new (HIR_DTYPE_DOUBLE, 1, &n, NULL);

  g_assert_true (hir_ref_tensor_need_errors (tensor, NULL));
  for (gint64 i = 0; i < n; i++)
    {
      tensor->values[i] = 1 + (double) i / (double) n;
      tensor->errors[i] = HIR_REF_LAMBDA * own;
      tensor->norms[i].own = own;
    }
  return tensor;
}

/* Returns the outcome for results of value (1 + @slope) + @noise own, with alternating signs. */
static HirCheckOutcome
judge_spread (gint64 n, double own, double slope, double noise)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirCheckReport) report = NULL;
  g_autoptr (HirRefTensor) tensor = spread_tensor (n, own);
  g_autofree double *x = g_new (double, n);
  g_autoptr (HirValue) value = NULL;

  for (gint64 i = 0; i < n; i++)
    x[i] = tensor->values[i] * (1 + slope) + (i % 2 == 0 ? noise : -noise) * own;
  value = value_of (HIR_DTYPE_DOUBLE, 1, &n, x);
  fix_output (fusion, fix_input (fusion, 1));
  report = hir_check_report_new (fusion);
  hir_check_report_compare (report, 0, tensor, NULL, -1, value, x);
  return hir_check_report_get_outcome (report);
}

/* Errors within the bound of each element are found in the whole output. */
static void
test_whole_output (void)
{
  const double own = 1e-3;

  g_assert_cmpint (judge_spread (1000, own, 0, 0.9), ==, HIR_CHECK_RIGHT);
  g_assert_cmpint (judge_spread (1000, own, 0, 2), ==, HIR_CHECK_WRONG);
  g_assert_cmpint (judge_spread (1, own, 0, 2), ==, HIR_CHECK_RIGHT);
  g_assert_cmpint (judge_spread (1000, own, 0.1e-3, 0.9), ==, HIR_CHECK_RIGHT);
  g_assert_cmpint (judge_spread (10000, own, 0.5e-3, 0.9), ==, HIR_CHECK_WRONG);
  g_assert_cmpint (judge_spread (10000, own, -0.5e-3, 0), ==, HIR_CHECK_WRONG);
}

/* A report that another rank has sent says the same. */
static void
test_merged_report (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirRefTensor) tensor = spread_tensor (1000, 1e-3);
  g_autoptr (HirCheckReport) sent = NULL, received = NULL;
  g_autoptr (HirValue) value = NULL;
  g_autoptr (GVariant) packed = NULL;
  g_autofree double *x = g_new (double, 1000);
  g_autofree char *text = NULL, *merged = NULL;

  for (guint i = 0; i < 1000; i++)
    x[i] = tensor->values[i] * (i % 2 == 0 ? 1.0005 : 0.9995);
  value = value_of (HIR_DTYPE_DOUBLE, 1, (gint64[]){ 1000 }, x);
  fix_output (fusion, fix_input (fusion, 1));
  sent = hir_check_report_new (fusion);
  received = hir_check_report_new (fusion);
  hir_check_report_compare (sent, 0, tensor, NULL, 3, value, x);
  packed = g_variant_ref_sink (hir_check_report_to_variant (sent));
  g_assert_true (hir_check_report_merge (received, packed, NULL));
  text = hir_check_report_format (sent);
  merged = hir_check_report_format (received);
  g_assert_cmpstr (text, ==, merged);
  g_assert_cmpmem (&g_array_index (sent->outputs, HirCheckOutput, 0).sums, sizeof (HirCheckSums),
                   &g_array_index (received->outputs, HirCheckOutput, 0).sums,
                   sizeof (HirCheckSums));
}

static void
test_undecided (void)
{
  g_assert_cmpint (judge_spread (1000, 0.0015, 0, 0.5), ==, HIR_CHECK_RIGHT);
  g_assert_cmpint (judge_spread (1000, 0.01, 0, 0.5), ==, HIR_CHECK_UNDECIDED);
  g_assert_cmpint (judge_spread (1000, 0.01, 0, 7), ==, HIR_CHECK_WRONG);
}

/* The regression of cases/verdicts bound_matmul and bound_sum: errors at large K are found. */
static void
test_planted_at_large_k (void)
{
  for (guint which = 0; which < 2; which++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *a = fix_input_of (fusion, (gint64[]){ 4, 65536 }, 2, HIR_DTYPE_FLOAT);
      HirTensor *b =
          which == 0 ? fix_input_of (fusion, (gint64[]){ 65536, 4 }, 2, HIR_DTYPE_FLOAT) : NULL;
      const char *op = which == 0 ? "matmul" : "sum";

      fix_output (fusion, which == 0 ? fix_matmul (fusion, a, b) : fix_sum (fusion, a, 1));
      g_assert_true (passes_with_error_in (fusion, "exp", 0.5));
      g_assert_false (passes_with_error_in (fusion, op, 0.5));
      g_assert_false (passes_with_error_in (fusion, op, 0.001));
    }
}

static void
test_missing_output_fails (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirCheckReport) report = NULL;
  double one = 1;
  HirRefTensor tensor = {
    .dtype = HIR_DTYPE_DOUBLE, .n_dims = 1, .sizes = { 1 }, .count = 1, .values = &one
  };

  fix_output (fusion, fix_input (fusion, 1));
  report = hir_check_report_new (fusion);
  hir_check_report_compare (report, 0, &tensor, NULL, -1, NULL, NULL);
  g_assert_false (hir_check_report_passed (report));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/check/correct", test_correct_passes);
  g_test_add_func ("/run/check/injected", test_injected_fails);
  g_test_add_func ("/run/check/small-errors", test_small_errors_fail);
  g_test_add_func ("/run/check/injected-set", test_injected_in_set);
  g_test_add_func ("/run/check/integers", test_integers_are_exact);
  g_test_add_func ("/run/check/bound", test_bound_of_a_sum);
  g_test_add_func ("/run/check/comparison", test_comparison);
  g_test_add_func ("/run/check/copies", test_copies_are_bit_equal);
  g_test_add_func ("/run/check/unwritten-nan", test_unwritten_nan_fails);
  g_test_add_func ("/run/check/whole-output", test_whole_output);
  g_test_add_func ("/run/check/merged-report", test_merged_report);
  g_test_add_func ("/run/check/undecided", test_undecided);
  g_test_add_func ("/run/check/planted-at-large-k", test_planted_at_large_k);
  g_test_add_func ("/run/check/missing", test_missing_output_fails);
  return g_test_run ();
}
