/* Evaluation of unary ops on one element: the value in double, and the propagation of the operand's
 * error. */
#include <math.h>

#include "run/reference/reference-round.h"
#include "run/values/special.h"

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

static double
evaluate_function (HirUnaryOp op, double x)
{
  switch (op)
    {
    case HIR_UNARY_ACOS:
      return acos (x);
    case HIR_UNARY_ACOSH:
      return acosh (x);
    case HIR_UNARY_ASIN:
      return asin (x);
    case HIR_UNARY_ASINH:
      return asinh (x);
    case HIR_UNARY_ATAN:
      return atan (x);
    case HIR_UNARY_ATANH:
      return atanh (x);
    case HIR_UNARY_COS:
      return cos (x);
    case HIR_UNARY_COSH:
      return cosh (x);
    case HIR_UNARY_EXP:
      return exp (x);
    case HIR_UNARY_EXP2:
      return exp2 (x);
    case HIR_UNARY_EXPM1:
      return expm1 (x);
    case HIR_UNARY_ERF:
      return erf (x);
    case HIR_UNARY_ERFC:
      return erfc (x);
    case HIR_UNARY_ERFINV:
      return hir_erfinv (x);
    case HIR_UNARY_ERFCINV:
      return hir_erfcinv (x);
    case HIR_UNARY_LGAMMA:
      return hir_lgamma (x);
    case HIR_UNARY_LOG:
      return log (x);
    case HIR_UNARY_LOG10:
      return log10 (x);
    case HIR_UNARY_LOG1P:
      return log1p (x);
    case HIR_UNARY_LOG2:
      return log2 (x);
    case HIR_UNARY_SIGMOID:
      return sigmoid (x);
    case HIR_UNARY_SILU:
      return x * sigmoid (x);
    case HIR_UNARY_SIN:
      return sin (x);
    case HIR_UNARY_SINH:
      return sinh (x);
    case HIR_UNARY_TAN:
      return tan (x);
    case HIR_UNARY_TANH:
      return tanh (x);
    case HIR_UNARY_GELU:
      return hir_gelu (x);
    default:
      return NAN;
    }
}

static double
evaluate (HirUnaryOp op, double x)
{
  switch (op)
    {
    case HIR_UNARY_ABS:
      return fabs (x);
    case HIR_UNARY_CEIL:
      return ceil (x);
    case HIR_UNARY_FLOOR:
      return floor (x);
    case HIR_UNARY_FRAC:
      return x - trunc (x);
    case HIR_UNARY_NEG:
      return -x;
    case HIR_UNARY_LOGICAL_NOT:
      return x == 0;
    case HIR_UNARY_RELU:
      return isnan (x) ? x : fmax (x, 0);
    case HIR_UNARY_RECIPROCAL:
      return 1 / x;
    case HIR_UNARY_ROUND:
      return rint (x);
    case HIR_UNARY_RSQRT:
      return 1 / sqrt (x);
    case HIR_UNARY_SIGNBIT:
      return signbit (x) != 0;
    case HIR_UNARY_SQRT:
      return sqrt (x);
    case HIR_UNARY_TRUNC:
      return trunc (x);
    case HIR_UNARY_ISFINITE:
      return isfinite (x);
    case HIR_UNARY_ISINF:
      return isinf (x) != 0;
    case HIR_UNARY_ISNAN:
      return isnan (x);
    case HIR_UNARY_ISNEGINF:
      return isinf (x) && x < 0;
    case HIR_UNARY_ISPOSINF:
      return isinf (x) && x > 0;
    case HIR_UNARY_ISREAL:
      return 1;
    case HIR_UNARY_CAST:
      return x;
    default:
      return evaluate_function (op, x);
    }
}

/* Returns the largest difference of a monotone function over [x - e, x + e]; infinite outside of
 * its domain. */
static double
carry_monotone (HirUnaryOp op, double x, double e, double f)
{
  double low = fabs (evaluate (op, x - e) - f), high = fabs (evaluate (op, x + e) - f);

  return isnan (low) || isnan (high) ? INFINITY : fmax (low, high);
}

/* Returns the error of the result @f for an error @e of @x. */
static double
carry (HirUnaryOp op, double x, double e, double f)
{
  if (e == 0)
    return 0;
  if (isinf (e) || isnan (f))
    return INFINITY;
  switch (op)
    {
    case HIR_UNARY_SIN:
    case HIR_UNARY_COS:
      return fmin (e, 2);
    case HIR_UNARY_GELU: /* slope at most 1.13 */
      return 1.13 * e;
    case HIR_UNARY_SILU: /* slope at most 1.1 */
      return 1.1 * e;
    case HIR_UNARY_ABS:
      return e;
    case HIR_UNARY_FRAC:
      return trunc (x - e) == trunc (x + e) ? e : 1 + e;
    case HIR_UNARY_LGAMMA: /* its slope, digamma, is between log x - 1/x and log x for x > 0 */
      return x - e > 0 ? e * (1 / (x - e) + fabs (log (x + e)) + fabs (log (x - e))) : INFINITY;
    case HIR_UNARY_RECIPROCAL:
      return fabs (x) <= e ? INFINITY : carry_monotone (op, x, e, f);
    case HIR_UNARY_TAN: /* monotone between poles */
      return floor ((x - e) / G_PI + 0.5) == floor ((x + e) / G_PI + 0.5)
                 ? carry_monotone (op, x, e, f)
                 : INFINITY;
    case HIR_UNARY_LOGICAL_NOT:
      return fabs (x) <= e ? 1 : 0;
    case HIR_UNARY_ISREAL:
    case HIR_UNARY_ISFINITE:
    case HIR_UNARY_ISINF:
    case HIR_UNARY_ISNAN:
    case HIR_UNARY_ISNEGINF:
    case HIR_UNARY_ISPOSINF:
      return 0;
    default:
      return carry_monotone (op, x, e, f);
    }
}

/* Returns the number of rounded terms: cancellation inside of the op, and the error of the library
 * function in units of u_acc (a few). -1: exact. */
static double
count_terms (HirUnaryOp op)
{
  switch (op)
    {
    case HIR_UNARY_ABS:
    case HIR_UNARY_CEIL:
    case HIR_UNARY_FLOOR:
    case HIR_UNARY_FRAC:
    case HIR_UNARY_NEG:
    case HIR_UNARY_RELU:
    case HIR_UNARY_ROUND:
    case HIR_UNARY_TRUNC:
    case HIR_UNARY_CAST:
      return -1;
    case HIR_UNARY_RECIPROCAL:
    case HIR_UNARY_SQRT:
      return 1;
    case HIR_UNARY_RSQRT:
      return 2;
    default:
      return 6;
    }
}

static void
set_int (HirRefCell *out, double value, HirDType dtype)
{
  out->i = hir_dtype_saturate (dtype, value);
  out->v = dtype == HIR_DTYPE_UINT64 ? (double) (guint64) out->i : (double) out->i;
}

/* Casts to an integer or bool. The result is certain if both ends of the interval give the same. */
static void
cast_to_int (const HirRefRounding *rounding, const HirRefCell *in, HirRefCell *out)
{
  HirRefCell low, high;

  set_int (out, in->v, rounding->out);
  out->e = 0;
  if (in->e == 0)
    return;
  if (isinf (in->e))
    {
      out->e = INFINITY;
      return;
    }
  if (rounding->out == HIR_DTYPE_BOOL)
    {
      out->e = fabs (in->v) <= in->e ? 1 : 0;
      return;
    }
  set_int (&low, in->v - in->e, rounding->out);
  set_int (&high, in->v + in->e, rounding->out);
  out->e = fmax (out->v - low.v, high.v - out->v);
}

static gboolean
unary_int (const HirRefRounding *rounding, HirUnaryOp op, const HirRefCell *in, HirRefCell *out)
{
  gboolean is_unsigned = rounding->klass == HIR_CLASS_U64;
  gint64 x = in->i;

  out->e = in->e;
  switch (op)
    {
    case HIR_UNARY_CAST:
    case HIR_UNARY_CEIL:
    case HIR_UNARY_FLOOR:
    case HIR_UNARY_ROUND:
    case HIR_UNARY_TRUNC:
      out->i = x;
      break;
    case HIR_UNARY_ABS:
      out->i = !is_unsigned && x < 0 ? (gint64) (0 - (guint64) x) : x;
      break;
    case HIR_UNARY_NEG:
      out->i = (gint64) (0 - (guint64) x);
      break;
    case HIR_UNARY_RELU:
      out->i = !is_unsigned && x < 0 ? 0 : x;
      break;
    case HIR_UNARY_BITWISE_NOT:
      out->i = ~x;
      break;
    case HIR_UNARY_LOGICAL_NOT:
      out->i = x == 0;
      break;
    case HIR_UNARY_SIGNBIT:
      out->i = !is_unsigned && x < 0;
      break;
    case HIR_UNARY_ISFINITE:
    case HIR_UNARY_ISREAL:
      out->i = 1;
      break;
    case HIR_UNARY_FRAC:
    case HIR_UNARY_ISINF:
    case HIR_UNARY_ISNAN:
    case HIR_UNARY_ISNEGINF:
    case HIR_UNARY_ISPOSINF:
      out->i = 0;
      break;
    default:
      return FALSE;
    }
  out->i = hir_dtype_wrap (rounding->out, out->i);
  out->v = (double) out->i;
  return TRUE;
}

gboolean
hir_ref_unary (const HirRefRounding *rounding,
               HirUnaryOp op,
               HirDType in_type,
               const HirRefCell *in,
               HirRefCell *out)
{
  gboolean to_float = rounding->to_float;

  if (rounding->klass == HIR_CLASS_I64 || rounding->klass == HIR_CLASS_U64)
    return unary_int (rounding, op, in, out);
  if (op == HIR_UNARY_BITWISE_NOT)
    return FALSE;
  if (op == HIR_UNARY_CAST && !to_float)
    {
      cast_to_int (rounding, in, out);
      return TRUE;
    }
  out->v = evaluate (op, in->v);
  out->e = carry (op, in->v, in->e, out->v);
  if (!to_float)
    {
      set_int (out, out->v, rounding->out);
      return TRUE;
    }
  /* exp (-x) overflows in float long before the result leaves the range of double, so it may
   * be 0. */
  if ((op == HIR_UNARY_SIGMOID || op == HIR_UNARY_SILU) && rounding->klass == HIR_CLASS_F32 &&
      in->v < -80)
    out->e += fabs (out->v);

  if (count_terms (op) >= 0)
    hir_ref_round (rounding, out, count_terms (op), fabs (out->v));
  else if (op == HIR_UNARY_FRAC)
    hir_ref_round (rounding, out, 0, fabs (out->v));
  else
    hir_ref_round (rounding, out, -1, 0);
  return TRUE;
}
