/* Tests the debugger's expressions: precedence, values, columns of errors. */
#include <math.h>
#include <string.h>

#include "debugger/debug-expr.h"
#include "run-fixture.h"

static gboolean
get_scalar (const char *name, HirDebugNumber *number, gpointer user_data, GError **error)
{
  *number = (HirDebugNumber){ TRUE, 5, 5 };
  if (g_str_equal (name, "five"))
    return TRUE;
  if (g_str_equal (name, "unknown"))
    hir_set_error (error, HIR_ERROR_RUN, NULL, "no value now");
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no %s", name);
  return FALSE;
}

static HirValueSummary *
get_tensor (int name, const HirValueQuery *query, gpointer user_data, GError **error)
{
  const gint64 sizes[] = { 2, 3 };
  g_autoptr (HirValue) value =
      value_of (HIR_DTYPE_DOUBLE, 2, sizes, (const double[]){ 1, -2, 3, 0.1, 7, NAN });

  if (name == 1)
    return hir_value_summary_new (value, query, NULL, error);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no T%d", name);
  return NULL;
}

static const HirDebugNames names = { get_scalar, get_tensor, NULL };

static void
test_values (void)
{
  static const struct
  {
    const char *text;
    double value;
    gboolean is_int;
  } cases[] = {
    { "1 + 2 * 3", 7, TRUE },
    { "(1 + 2) * 3", 9, TRUE },
    { "10 - 4 - 3", 3, TRUE },
    { "7 / 2", 3, TRUE },
    { "7.0 / 2", 3.5, FALSE },
    { "-7 % 3", -1, TRUE },
    { "1 < 2 == 1", 1, TRUE },
    { "1 || nope", 1, TRUE },
    { "0 && nope", 0, TRUE },
    { "1 + 1 == 2 && 3 > 2 || 0", 1, TRUE },
    { "!five", 0, TRUE },
    { "--five", 5, TRUE },
    { "five % 3 == 2", 1, TRUE },
    { "9223372036854775807 + 1", 9223372036854775808.0, FALSE },
    { "T1[0, 1]", -2, FALSE },
    { "T1[1, 0]", 0.1, FALSE },
    { "T1_g_float[0, five - 3]", 3, FALSE },
    { "isnan(T1)", 1, TRUE },
    { "isnan(T1[0])", 0, TRUE },
    { "isinf(T1)", 0, TRUE },
    { "max(T1)", 7, FALSE },
    { "min(T1[0])", -2, FALSE },
    { "max(3, five)", 5, TRUE },
    { "size(T1, 1)", 3, TRUE },
    { "abs(-3) + sqrt(16)", 7, FALSE },
    { "1e3", 1000, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HirDebugExpr) expr = hir_debug_expr_parse (cases[i].text, &error);
      HirDebugNumber number;

      g_test_message ("%s", cases[i].text);
      g_assert_no_error (error);
      g_assert_true (hir_debug_expr_evaluate (expr, &names, &number, &error));
      g_assert_cmpfloat (number.d, ==, cases[i].value);
      g_assert_cmpint (number.is_int, ==, cases[i].is_int);
    }
}

static void
test_errors (void)
{
  static const struct
  {
    const char *text;
    guint column;
    const char *what;
  } cases[] = {
    { "1 +", 4, "found the end" },
    { "1 2", 3, "an operator or the end" },
    { "(1", 3, "')'" },
    { "é + 1", 1, "found 'é'" },
    { "five(1)", 1, "unknown function five" },
    { "size(T1)", 9, "a tensor and an axis" },
    { "12x", 3, "an operator" },
    { "1 + nope", 5, "there is no nope" },
    { "five / (five - 5)", 6, "division by 0" },
    { "T1 + 1", 1, "6 elements" },
    { "T1[0:1, 0] + 0", 1, "ranges are only allowed in print" },
    { "T1[9, 0]", 1, "out of range for axis 0" },
    { "T1[-1, 0]", 4, "index" },
    { "T1[0, 0, 0]", 1, "" },
    { "unknown", 1, "no value now" },
    { "size(T1, 2)", 1, "axis is out of range" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HirDebugExpr) expr = hir_debug_expr_parse (cases[i].text, &error);
      HirDebugNumber number;

      if (expr != NULL)
        g_assert_false (hir_debug_expr_evaluate (expr, &names, &number, &error));
      g_test_message ("%s: %s at %u", cases[i].text, error->message,
                      hir_error_get_pos (error).column);
      g_assert_cmpuint (hir_error_get_pos (error).column, ==, cases[i].column);
      g_assert_nonnull (strstr (error->message, cases[i].what));
    }
}

/* Names on the right side of && are checked when a condition is created. */
static void
test_check (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirDebugExpr) wrong = hir_debug_expr_parse ("0 && nope", NULL);
  g_autoptr (HirDebugExpr) later = hir_debug_expr_parse ("unknown == five", NULL);

  g_assert_false (hir_debug_expr_check (wrong, &names, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_cmpuint (hir_error_get_pos (error).column, ==, 6);
  g_assert_true (hir_debug_expr_check (later, &names, NULL));
}

static void
test_depth (void)
{
  g_autofree char *deep = g_strnfill (2000, '(');
  g_autofree char *minus = g_strnfill (2000, '-');
  g_autoptr (GError) error = NULL;

  g_assert_null (hir_debug_expr_parse (deep, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_SYNTAX);
  g_assert_null (hir_debug_expr_parse (minus, NULL));
}

static void
test_ranges (void)
{
  g_autoptr (HirDebugExpr) expr = hir_debug_expr_parse ("T1[0:2, five - 4, :]", NULL);
  g_autoptr (HirDebugExpr) sum = hir_debug_expr_parse ("T1 + 1", NULL);
  gint64 first[HIR_MAX_DIMS], stop[HIR_MAX_DIMS];
  HirValueQuery query;

  hir_value_query_init (&query);
  g_assert_cmpint (hir_debug_expr_get_tensor (expr, &names, &query, first, stop, NULL), ==, 1);
  g_assert_cmpint (query.at[0], ==, -1);
  g_assert_cmpint (first[0], ==, 0);
  g_assert_cmpint (stop[0], ==, 2);
  g_assert_cmpint (query.at[1], ==, 1);
  g_assert_cmpint (query.at[2], ==, -1);
  g_assert_cmpint (stop[2], ==, -1);
  g_assert_cmpint (hir_debug_expr_get_tensor (sum, &names, &query, first, stop, NULL), ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/debug-expr/values", test_values);
  g_test_add_func ("/run/debug-expr/errors", test_errors);
  g_test_add_func ("/run/debug-expr/check", test_check);
  g_test_add_func ("/run/debug-expr/depth", test_depth);
  g_test_add_func ("/run/debug-expr/ranges", test_ranges);
  return g_test_run ();
}
