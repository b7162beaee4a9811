/* Evaluation of binary and ternary ops on one element, with error bounds. */
#include <math.h>

#include "run/reference/reference-round.h"

static gboolean
is_comparison (HirBinaryOp op)
{
  return op == HIR_BINARY_EQ || op == HIR_BINARY_NE || op == HIR_BINARY_LT || op == HIR_BINARY_LE ||
         op == HIR_BINARY_GT || op == HIR_BINARY_GE;
}

static int
compare (HirBinaryOp op, double a, double b)
{
  switch (op)
    {
    case HIR_BINARY_EQ:
      return a == b;
    case HIR_BINARY_NE:
      return a != b;
    case HIR_BINARY_LT:
      return a < b;
    case HIR_BINARY_LE:
      return a <= b;
    case HIR_BINARY_GT:
      return a > b;
    default:
      return a >= b;
    }
}

static double
modulo (HirBinaryOp op, double a, double b)
{
  double r = fmod (a, b);

  return op == HIR_BINARY_REMAINDER && r != 0 && signbit (r) != signbit (b) ? r + b : r;
}

static double
carry_division (double a, double ea, double b, double eb, double value)
{
  return fabs (b) <= eb ? INFINITY : (ea + fabs (value) * eb) / (fabs (b) - eb);
}

/* The remainder jumps if the quotient crosses an integer. */
static double
carry_modulo (const HirRefCell *a, const HirRefCell *b)
{
  double low, high, quotient = a->v / b->v;
  double e = carry_division (a->v, a->e, b->v, b->e, quotient);

  if (a->e == 0 && b->e == 0)
    return 0;
  if (!isfinite (e)) /* the divisor may be 0 */
    return INFINITY;
  low = floor (quotient - e);
  high = floor (quotient + e);
  if (low != high || quotient - e == low)
    return 2 * (fabs (b->v) + b->e) + a->e;
  return a->e + (fabs (quotient) + 1) * b->e;
}

static double
carry_power (const HirRefCell *a, const HirRefCell *b, double value)
{
  double worst = 0;

  if (a->e == 0 && b->e == 0)
    return 0;
  if (a->v - a->e > 0) /* monotone in both operands: bounded by the corners */
    {
      for (int i = -1; i <= 1; i += 2)
        for (int j = -1; j <= 1; j += 2)
          worst = fmax (worst, fabs (pow (a->v + i * a->e, b->v + j * b->e) - value));
      return worst;
    }
  if (b->e == 0 && b->v == rint (b->v) && b->v >= 1)
    return b->v * pow (fabs (a->v) + a->e, b->v - 1) * a->e;
  return INFINITY;
}

/* Ops that select or compare: nothing is rounded, but errors may change the selection. */
static gboolean
binary_choice (HirBinaryOp op, const HirRefCell *a, const HirRefCell *b, HirRefCell *out)
{
  switch (op)
    {
    case HIR_BINARY_MAX:
    case HIR_BINARY_MIN:
      out->v = isnan (a->v)   ? a->v
               : isnan (b->v) ? b->v
                              : (op == HIR_BINARY_MAX ? fmax (a->v, b->v) : fmin (a->v, b->v));
      out->e = fmax (a->e, b->e);
      break;
    case HIR_BINARY_LOGICAL_AND:
      out->v = a->v != 0 && b->v != 0;
      out->e = (a->e > 0 && fabs (a->v) <= a->e) || (b->e > 0 && fabs (b->v) <= b->e);
      break;
    case HIR_BINARY_LOGICAL_OR:
      out->v = a->v != 0 || b->v != 0;
      out->e = (a->e > 0 && fabs (a->v) <= a->e) || (b->e > 0 && fabs (b->v) <= b->e);
      break;
    default:
      if (!is_comparison (op))
        return FALSE;
      out->v = compare (op, a->v, b->v);
      out->e = a->e + b->e > 0 && fabs (a->v - b->v) <= a->e + b->e;
      break;
    }
  return TRUE;
}

/* Returns whether a product or quotient with @factor is exact: 0 yields 0, and a power of two
 * changes only the exponent, unless the result becomes subnormal. */
static gboolean
scales_exactly (const HirRefRounding *rounding,
                const HirRefCell *factor,
                const HirRefCell *other,
                double result)
{
  int exponent;

  if (factor->e > 0 || factor->is_inexact)
    return FALSE;
  if (factor->v == 0)
    return TRUE;
  return fabs (frexp (factor->v, &exponent)) == 0.5 &&
         (result == 0 ? other->v == 0 : fabs (result) >= rounding->normal);
}

/* Computes the value of @op, and @terms and @k for hir_ref_round(); @k is -1 if the op is exact. */
static gboolean
binary_float (const HirRefRounding *rounding,
              HirBinaryOp op,
              const HirRefCell *a,
              const HirRefCell *b,
              HirRefCell *out,
              double *k,
              double *terms)
{
  *k = -1;
  *terms = 0;
  switch (op)
    {
    case HIR_BINARY_ADD:
    case HIR_BINARY_SUB:
      out->v = op == HIR_BINARY_ADD ? a->v + b->v : a->v - b->v;
      out->e = a->e + b->e;
      /* Exact operands are no products that a compiler could contract, and 0 needs no rounding. */
      *k = rounding->operands_are_exact && out->v == 0 ? -1 : 2;
      *terms = fabs (a->v) + fabs (b->v);
      return TRUE;
    case HIR_BINARY_MUL:
      out->v = a->v * b->v;
      out->e = fabs (a->v) * b->e + fabs (b->v) * a->e + a->e * b->e;
      *k = scales_exactly (rounding, a, b, out->v) || scales_exactly (rounding, b, a, out->v) ? -1
                                                                                              : 1;
      break;
    case HIR_BINARY_DIV:
    case HIR_BINARY_TRUEDIV:
      out->v = a->v / b->v;
      out->e = a->e == 0 && b->e == 0 ? 0 : carry_division (a->v, a->e, b->v, b->e, out->v);
      *k = scales_exactly (rounding, b, a, out->v) || (a->e == 0 && !a->is_inexact && a->v == 0)
               ? -1
               : 1;
      break;
    case HIR_BINARY_MOD:
    case HIR_BINARY_FMOD:
    case HIR_BINARY_REMAINDER:
      out->v = modulo (op, a->v, b->v);
      out->e = carry_modulo (a, b);
      *k = op == HIR_BINARY_REMAINDER ? 1 : -1;
      *terms = fabs (b->v) + fabs (out->v);
      return TRUE;
    case HIR_BINARY_POW:
      out->v = pow (a->v, b->v);
      out->e = carry_power (a, b, out->v);
      *k = 6;
      break;
    case HIR_BINARY_ATAN2:
      out->v = atan2 (a->v, b->v);
      out->e = a->e == 0 && b->e == 0 ? 0 : (a->e + b->e) / (hypot (a->v, b->v) - a->e - b->e);
      if (out->e < 0 || (fabs (a->v) <= a->e && b->v - b->e < 0 && a->e > 0))
        out->e = INFINITY;
      *k = 6;
      break;
    case HIR_BINARY_NEXTAFTER:
      out->v = a->v;
      out->e = a->e;
      *k = 4;
      break;
    default:
      if (!binary_choice (op, a, b, out))
        return FALSE;
      break;
    }
  *terms = fabs (out->v);
  return TRUE;
}

static guint64
power_of (guint64 base, guint64 exponent)
{
  guint64 result = 1;

  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

static guint64
gcd_of (guint64 a, guint64 b)
{
  return b == 0 ? a : gcd_of (b, a % b);
}

static gint64
signed_power (gint64 x, gint64 y)
{
  if (y >= 0)
    return (gint64) power_of ((guint64) x, (guint64) y);
  if (x == -1)
    return y % 2 == 0 ? 1 : -1;
  return x == 1;
}

static guint64
magnitude_of (gint64 x)
{
  return x < 0 ? 0 - (guint64) x : (guint64) x;
}

static gboolean
divide_ints (HirBinaryOp op, gboolean is_unsigned, gint64 x, gint64 y, gint64 *out)
{
  gint64 r;

  if (y == 0)
    {
      *out = 0;
      return TRUE;
    }
  if (is_unsigned)
    {
      *out =
          (gint64) (op == HIR_BINARY_DIV ? (guint64) x / (guint64) y : (guint64) x % (guint64) y);
      return TRUE;
    }
  if (y == -1) /* the quotient of the smallest integer overflows and wraps */
    {
      *out = op == HIR_BINARY_DIV ? (gint64) (0 - (guint64) x) : 0;
      return TRUE;
    }
  r = x % y;
  *out = op == HIR_BINARY_DIV                                         ? x / y
         : op == HIR_BINARY_REMAINDER && r != 0 && (r < 0) != (y < 0) ? r + y
                                                                      : r;
  return TRUE;
}

static gint64
shift (HirBinaryOp op, gboolean is_unsigned, gint64 x, gint64 y)
{
  if (y < 0 || y > 63)
    return op == HIR_BINARY_RSHIFT && !is_unsigned && x < 0 ? -1 : 0;
  if (op == HIR_BINARY_LSHIFT)
    return (gint64) ((guint64) x << y);
  return is_unsigned ? (gint64) ((guint64) x >> y) : x >> y;
}

static gboolean
binary_int (HirBinaryOp op, gboolean is_unsigned, gint64 x, gint64 y, gint64 *out)
{
  int order =
      is_unsigned ? ((guint64) x > (guint64) y) - ((guint64) x < (guint64) y) : (x > y) - (x < y);

  switch (op)
    {
    case HIR_BINARY_ADD:
      *out = (gint64) ((guint64) x + (guint64) y);
      return TRUE;
    case HIR_BINARY_SUB:
      *out = (gint64) ((guint64) x - (guint64) y);
      return TRUE;
    case HIR_BINARY_MUL:
      *out = (gint64) ((guint64) x * (guint64) y);
      return TRUE;
    case HIR_BINARY_DIV:
    case HIR_BINARY_MOD:
    case HIR_BINARY_FMOD:
    case HIR_BINARY_REMAINDER:
      return divide_ints (op, is_unsigned, x, y, out);
    case HIR_BINARY_POW:
      *out = is_unsigned ? (gint64) power_of ((guint64) x, (guint64) y) : signed_power (x, y);
      return TRUE;
    case HIR_BINARY_GCD:
      *out = (gint64) (is_unsigned ? gcd_of ((guint64) x, (guint64) y)
                                   : gcd_of (magnitude_of (x), magnitude_of (y)));
      return TRUE;
    case HIR_BINARY_MAX:
      *out = order >= 0 ? x : y;
      return TRUE;
    case HIR_BINARY_MIN:
      *out = order <= 0 ? x : y;
      return TRUE;
    case HIR_BINARY_BITWISE_AND:
      *out = x & y;
      return TRUE;
    case HIR_BINARY_BITWISE_OR:
      *out = x | y;
      return TRUE;
    case HIR_BINARY_BITWISE_XOR:
      *out = x ^ y;
      return TRUE;
    case HIR_BINARY_LSHIFT:
    case HIR_BINARY_RSHIFT:
      *out = shift (op, is_unsigned, x, y);
      return TRUE;
    case HIR_BINARY_LOGICAL_AND:
      *out = x != 0 && y != 0;
      return TRUE;
    case HIR_BINARY_LOGICAL_OR:
      *out = x != 0 || y != 0;
      return TRUE;
    default:
      if (!is_comparison (op))
        return FALSE;
      *out = compare (op, order, 0);
      return TRUE;
    }
}

gboolean
hir_ref_binary (const HirRefRounding *rounding,
                HirBinaryOp op,
                const HirRefCell *a,
                const HirRefCell *b,
                HirRefCell *out)
{
  double k, terms;

  if (rounding->klass == HIR_CLASS_I64 || rounding->klass == HIR_CLASS_U64)
    {
      if (!binary_int (op, rounding->klass == HIR_CLASS_U64, a->i, b->i, &out->i))
        return FALSE;
      out->i = hir_dtype_wrap (rounding->out, out->i);
      out->v = (double) out->i;
      /* An integer is uncertain only after a cast of a value near a step. */
      out->e = a->e + b->e > 0 ? INFINITY : 0;
      return TRUE;
    }
  if (!binary_float (rounding, op, a, b, out, &k, &terms))
    return FALSE;
  if (rounding->to_float)
    {
      hir_ref_round (rounding, out, k, terms);
      return TRUE;
    }
  out->i = hir_dtype_saturate (rounding->out, out->v);
  out->v = (double) out->i;
  return TRUE;
}

static void
ternary_select (HirTernaryOp op, const HirRefCell *in, HirRefCell *out)
{
  double distance;
  const HirRefCell *taken, *other;
  gboolean unsure;

  if (op == HIR_TERNARY_WHERE)
    {
      taken = in[0].v != 0 ? &in[1] : &in[2];
      other = in[0].v != 0 ? &in[2] : &in[1];
      unsure = in[0].e > 0;
    }
  else
    {
      distance = fabs (in[0].v - in[1].v);
      taken = in[0].v <= in[1].v ? &in[2] : &in[0];
      other = taken == &in[0] ? &in[2] : &in[0];
      unsure = in[0].e + in[1].e > 0 && distance <= in[0].e + in[1].e;
    }
  *out = *taken;
  if (unsure)
    out->e = fmax (taken->e, other->e) + fabs (taken->v - other->v);
}

static void
clamp (const HirRefCell *in, const HirRefRounding *rounding, HirRefCell *out)
{
  double e = fmax (in[0].e, fmax (in[1].e, in[2].e));

  if (rounding->klass == HIR_CLASS_I64 || rounding->klass == HIR_CLASS_U64)
    {
      gboolean is_unsigned = rounding->klass == HIR_CLASS_U64;
      binary_int (HIR_BINARY_MAX, is_unsigned, in[0].i, in[1].i, &out->i);
      binary_int (HIR_BINARY_MIN, is_unsigned, out->i, in[2].i, &out->i);
      out->v = (double) out->i;
    }
  else
    out->v = isnan (in[0].v) ? in[0].v : fmin (fmax (in[0].v, in[1].v), in[2].v);
  out->e = e;
}

static double
carry_product (const HirRefCell *a, const HirRefCell *b)
{
  return fabs (a->v) * b->e + fabs (b->v) * a->e + a->e * b->e;
}

static void
ternary_arithmetic (const HirRefRounding *rounding,
                    HirTernaryOp op,
                    const HirRefCell *in,
                    HirRefCell *out)
{
  HirRefCell difference, product;

  if (op == HIR_TERNARY_LERP)
    {
      difference = (HirRefCell){ in[1].v - in[0].v, in[1].e + in[0].e, 0 };
      product.e = carry_product (&in[2], &difference);
      out->v = in[0].v + in[2].v * difference.v;
      out->e = in[0].e + product.e;
      hir_ref_round (rounding, out, 3,
                     fabs (in[0].v) + fabs (in[2].v) * (fabs (in[0].v) + fabs (in[1].v)));
      return;
    }
  product = (HirRefCell){ in[3].v * in[1].v, carry_product (&in[3], &in[1]), 0 };
  out->v = in[0].v + product.v * in[2].v;
  out->e = in[0].e + carry_product (&product, &in[2]);
  hir_ref_round (rounding, out, 4, fabs (in[0].v) + fabs (product.v * in[2].v));
}

gboolean
hir_ref_ternary (const HirRefRounding *rounding,
                 HirTernaryOp op,
                 const HirRefCell *in,
                 HirRefCell *out)
{
  gboolean is_int = rounding->klass == HIR_CLASS_I64 || rounding->klass == HIR_CLASS_U64;

  switch (op)
    {
    case HIR_TERNARY_WHERE:
    case HIR_TERNARY_THRESHOLD:
      ternary_select (op, in, out);
      break;
    case HIR_TERNARY_CLAMP:
      clamp (in, rounding, out);
      break;
    case HIR_TERNARY_LERP:
    case HIR_TERNARY_ADDCMUL:
      if (!is_int)
        {
          ternary_arithmetic (rounding, op, in, out);
          return TRUE;
        }
      if (op == HIR_TERNARY_LERP)
        out->i = (gint64) ((guint64) in[0].i +
                           (guint64) in[2].i * ((guint64) in[1].i - (guint64) in[0].i));
      else
        out->i = (gint64) ((guint64) in[0].i +
                           (guint64) in[3].i * (guint64) in[1].i * (guint64) in[2].i);
      out->i = hir_dtype_wrap (rounding->out, out->i);
      out->v = (double) out->i;
      out->e = in[0].e + in[1].e + in[2].e > 0 ? INFINITY : 0;
      return TRUE;
    default:
      return FALSE;
    }
  /* A scalar operand may have another type than the result. */
  if (rounding->to_float)
    hir_ref_round (rounding, out, -1, 0);
  return TRUE;
}
