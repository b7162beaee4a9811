/* Tests that error bounds of the reference are sound: for random operands within their errors, each
 * op gives a result within its bound. */
#include <math.h>

#include "run-fixture.h"
#include "run/reference/reference-round.h"

static const double errors[] = { 1e-9, 1e-3, 0.2, 3 };

static double
uniform (GRand *rand, double low, double high)
{
  return g_rand_double_range (rand, low, high);
}

/* Values near extrema and discontinuities of functions, and others. */
static double
any_value (GRand *rand)
{
  static const double special[] = { 0, 1, -1, 0.5, 2, G_PI / 2, -3, 1.4616, 1e-9, -0.25, 40 };

  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      return special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))];
    case 1:
      return uniform (rand, -0.01, 0.01);
    case 2:
      return uniform (rand, -1, 1);
    default:
      return uniform (rand, -10, 10);
    }
}

static HirRefCell
near (GRand *rand, const HirRefCell *cell)
{
  HirRefCell result = { cell->v, 0, 0 };

  if (cell->e > 0)
    result.v = g_rand_boolean (rand)   ? cell->v + uniform (rand, -cell->e, cell->e)
               : g_rand_boolean (rand) ? cell->v + cell->e
                                       : cell->v - cell->e;
  while (fabs (result.v - cell->v) > cell->e) /* the sum was rounded */
    result.v = nextafter (result.v, cell->v);
  return result;
}

static HirRefCell
with_error (GRand *rand)
{
  HirRefCell cell = { any_value (rand), 0, 0 };

  if (g_rand_int_range (rand, 0, 4) > 0)
    cell.e = errors[g_rand_int_range (rand, 0, G_N_ELEMENTS (errors))];
  return cell;
}

/* @moved: the exact result for operands within the error of the operands of @bounded. */
static void
assert_within (const char *op,
               const HirRefCell *in,
               guint n,
               const HirRefCell *bounded,
               const HirRefCell *moved)
{
  double difference = fabs (moved->v - bounded->v);

  if (isinf (bounded->e) || bounded->v == moved->v || (isnan (bounded->v) && isnan (moved->v)))
    return;
  /* The exact result is rounded too. */
  if (difference <= bounded->e * (1 + 1e-9) + moved->e)
    return;
  for (guint i = 0; i < n; i++)
    g_test_message ("operand %u: %.17g within %g", i, in[i].v, in[i].e);
  g_error ("%s: %.17g within %g, but %.17g can come out", op, bounded->v, bounded->e, moved->v);
}

/* A product with a power of two is not exact if it is subnormal in the type of the result. */
static void
test_subnormal_products (void)
{
  static const struct
  {
    HirDType dtype;
    int lowest; /* exponent of the smallest positive value */
  } rows[] = { { HIR_DTYPE_HALF, -24 }, { HIR_DTYPE_BFLOAT16, -133 }, { HIR_DTYPE_FLOAT, -149 } };
  guint n_rounded = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int factor = -12; factor <= 0; factor++)
      for (int numerator = 1; numerator < 64; numerator++)
        for (int is_product = 0; is_product < 2; is_product++)
          {
            HirRefRounding rounding;
            HirRefCell x = { ldexp (numerator, rows[i].lowest), 0, 0 }, out = { 0 };
            HirRefCell y = { ldexp (1, is_product ? factor : -factor), 0, 0 };
            guint64 element;

            hir_ref_rounding_init (&rounding, HIR_CLASS_F32, rows[i].dtype);
            rounding.keeps_type = TRUE;
            g_assert_true (hir_ref_binary (&rounding, is_product ? HIR_BINARY_MUL : HIR_BINARY_DIV,
                                           &x, &y, &out));
            hir_element_set_double (rows[i].dtype, &element, out.v);
            g_assert_cmpfloat (fabs (hir_element_get_double (rows[i].dtype, &element) - out.v), <=,
                               out.e);
            n_rounded += hir_element_get_double (rows[i].dtype, &element) != out.v;
          }
  g_assert_cmpuint (n_rounded, >, 1000);
}

/* A run multiplies by a value near the power of two or 0 of the reference. */
static void
test_inexact_factors (void)
{
  static const double factors[] = { 0, 0.5, 1, -4 };

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    for (int is_inexact = 0; is_inexact < 2; is_inexact++)
      {
        HirRefRounding rounding;
        HirRefCell x = { 0.7, 0, 0 }, out = { 0 };
        HirRefCell y = { factors[i], 0, 0, .is_inexact = is_inexact };

        hir_ref_rounding_init (&rounding, HIR_CLASS_F32, HIR_DTYPE_FLOAT);
        rounding.keeps_type = TRUE;
        rounding.operands_are_inexact = is_inexact;
        g_assert_true (hir_ref_binary (&rounding, HIR_BINARY_MUL, &x, &y, &out));
        g_assert_true ((out.e > 0) == is_inexact);
      }
}

static void
test_unary (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint n_bounded = 0, n = 0;

  for (HirUnaryOp op = 0; op < HIR_N_UNARY_OPS; op++)
    for (int out = 0; out < 2; out++)
      for (int k = 0; k < 4000; k++)
        {
          HirRefRounding rounding;
          HirRefCell in = with_error (rand), close = near (rand, &in), a = { 0 }, b = { 0 };

          /* Only the cast has an integer result. */
          hir_ref_rounding_init (&rounding, HIR_CLASS_F64,
                                 out == 0 ? HIR_DTYPE_DOUBLE : HIR_DTYPE_INT);
          if ((out == 1 && op != HIR_UNARY_CAST) ||
              !hir_ref_unary (&rounding, op, HIR_DTYPE_DOUBLE, &in, &a))
            continue;
          g_assert_true (hir_ref_unary (&rounding, op, HIR_DTYPE_DOUBLE, &close, &b));
          assert_within (hir_unary_op_get_name (op), &in, 1, &a, &b);
          n_bounded += isfinite (a.e);
          n++;
        }
  /* An infinite bound would always be sound. */
  g_assert_cmpuint (n_bounded * 10, >, n * 8);
}

static void
test_binary (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  guint n_bounded = 0, n = 0;

  for (HirBinaryOp op = 0; op < HIR_N_BINARY_OPS; op++)
    for (int k = 0; k < 8000; k++)
      {
        HirRefRounding rounding;
        HirRefCell in[2] = { with_error (rand), with_error (rand) }, a = { 0 }, b = { 0 };
        HirRefCell close[2] = { near (rand, &in[0]), near (rand, &in[1]) };

        hir_ref_rounding_init (&rounding, HIR_CLASS_F64, HIR_DTYPE_DOUBLE);
        if (op == HIR_BINARY_NEXTAFTER || !hir_ref_binary (&rounding, op, &in[0], &in[1], &a))
          continue;
        g_assert_true (hir_ref_binary (&rounding, op, &close[0], &close[1], &b));
        assert_within (hir_binary_op_get_name (op), in, 2, &a, &b);
        n_bounded += isfinite (a.e);
        n++;
      }
  g_assert_cmpuint (n_bounded * 10, >, n * 7);
}

static void
test_ternary (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (HirTernaryOp op = 0; op < HIR_N_TERNARY_OPS; op++)
    for (int k = 0; k < 8000; k++)
      {
        HirRefRounding rounding;
        HirRefCell in[4], close[4], a = { 0 }, b = { 0 };

        for (int i = 0; i < 4; i++)
          {
            in[i] = with_error (rand);
            close[i] = near (rand, &in[i]);
          }
        if (op == HIR_TERNARY_WHERE) /* a condition is 0 or 1, certain or uncertain */
          {
            gboolean sure = g_rand_boolean (rand);
            in[0] = (HirRefCell){ g_rand_boolean (rand), !sure, 0 };
            close[0] = (HirRefCell){ sure ? in[0].v : g_rand_boolean (rand), 0, 0 };
          }
        hir_ref_rounding_init (&rounding, HIR_CLASS_F64, HIR_DTYPE_DOUBLE);
        g_assert_true (hir_ref_ternary (&rounding, op, in, &a));
        g_assert_true (hir_ref_ternary (&rounding, op, close, &b));
        assert_within (hir_ternary_op_get_name (op), in, 4, &a, &b);
      }
}

/* The conversion to each type is within the bound, also at the limits of the type. */
static void
test_rounding (void)
{
  static const HirDType types[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_HALF, HIR_DTYPE_BFLOAT16,
                                    HIR_DTYPE_DOUBLE };
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (int k = 0; k < 20000; k++)
      {
        HirRefRounding rounding;
        HirRefCell cell = { ldexp (uniform (rand, -2, 2), g_rand_int_range (rand, -160, 130)), 0,
                            0 };
        double exact = cell.v, stored;
        guint64 element;

        hir_ref_rounding_init (&rounding, HIR_CLASS_F64, types[t]);
        hir_element_set_double (types[t], &element, exact);
        stored = hir_element_get_double (types[t], &element);
        hir_ref_round (&rounding, &cell, -1, 0);
        if (isinf (cell.e))
          continue;
        if (isinf (cell.v))
          g_assert_cmpfloat (stored, ==, cell.v);
        else
          g_assert_cmpfloat (fabs (stored - exact), <=, cell.e * (1 + 0x1p-10));
        if (stored == exact)
          g_assert_cmpfloat (cell.e, ==, 0);
      }
}

/* An operand that is outside of the domain only by rounding makes the result undecided; one far
 * outside does not. */
static void
test_edges_of_domains (void)
{
  HirRefRounding rounding;
  HirRefCell just = { -1e-9, 1e-6, 0 }, far = { -1, 0, 0 }, out = { 0 };

  hir_ref_rounding_init (&rounding, HIR_CLASS_F32, HIR_DTYPE_FLOAT);
  g_assert_true (hir_ref_unary (&rounding, HIR_UNARY_SQRT, HIR_DTYPE_FLOAT, &just, &out));
  g_assert_true (isinf (out.e));
  g_assert_true (hir_ref_unary (&rounding, HIR_UNARY_SQRT, HIR_DTYPE_FLOAT, &far, &out));
  g_assert_true (isnan (out.v));
  g_assert_cmpfloat (out.e, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/reference/subnormal-products", test_subnormal_products);
  g_test_add_func ("/run/reference/inexact-factors", test_inexact_factors);
  g_test_add_func ("/run/reference/unary", test_unary);
  g_test_add_func ("/run/reference/binary", test_binary);
  g_test_add_func ("/run/reference/ternary", test_ternary);
  g_test_add_func ("/run/reference/rounding", test_rounding);
  g_test_add_func ("/run/reference/domains", test_edges_of_domains);
  return g_test_run ();
}
