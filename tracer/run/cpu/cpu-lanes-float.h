/* Included by cpu-lanes-f32.c and cpu-lanes-f64.c, which have defined T, NAME(x) and F(name) (the C
 * library's function for T). Do not include elsewhere. */

#if defined(__GNUC__) && !defined(__clang__)
/* Vectorized even with -O2. No errno and no traps, because nothing reads them. */
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#endif

#include <math.h>

#include "run/cpu/cpu-lanes.h"
#include "run/values/special.h"

#define PLUS(x, y) ((x) + (y))
#define MINUS(x, y) ((x) - (y))
#define LOWEST -(T) INFINITY
#define HIGHEST (T) INFINITY
#define TIMES(x, y) ((x) * (y))

#include "run/cpu/cpu-lanes-common.h"

static gboolean
NAME (unary_library) (HirUnaryOp op, T *out, const T *a, gsize n)
{
  switch (op)
    {
      UNARY (HIR_UNARY_ACOS, F (acos) (x))
      UNARY (HIR_UNARY_ACOSH, F (acosh) (x))
      UNARY (HIR_UNARY_ASIN, F (asin) (x))
      UNARY (HIR_UNARY_ASINH, F (asinh) (x))
      UNARY (HIR_UNARY_ATAN, F (atan) (x))
      UNARY (HIR_UNARY_ATANH, F (atanh) (x))
      UNARY (HIR_UNARY_COS, F (cos) (x))
      UNARY (HIR_UNARY_COSH, F (cosh) (x))
      UNARY (HIR_UNARY_EXP, F (exp) (x))
      UNARY (HIR_UNARY_EXP2, F (exp2) (x))
      UNARY (HIR_UNARY_EXPM1, F (expm1) (x))
      UNARY (HIR_UNARY_ERF, F (erf) (x))
      UNARY (HIR_UNARY_ERFC, F (erfc) (x))
      UNARY (HIR_UNARY_ERFINV, hir_erfinv (x))
      UNARY (HIR_UNARY_ERFCINV, hir_erfcinv (x))
      UNARY (HIR_UNARY_LGAMMA, hir_lgamma (x))
      UNARY (HIR_UNARY_LOG, F (log) (x))
      UNARY (HIR_UNARY_LOG10, F (log10) (x))
      UNARY (HIR_UNARY_LOG1P, F (log1p) (x))
      UNARY (HIR_UNARY_LOG2, F (log2) (x))
      UNARY (HIR_UNARY_SIN, F (sin) (x))
      UNARY (HIR_UNARY_SINH, F (sinh) (x))
      UNARY (HIR_UNARY_TAN, F (tan) (x))
      UNARY (HIR_UNARY_TANH, F (tanh) (x))
      UNARY (HIR_UNARY_SIGMOID, 1 / (1 + F (exp) (-x)))
      UNARY (HIR_UNARY_SILU, x / (1 + F (exp) (-x)))
      UNARY (HIR_UNARY_GELU, hir_gelu (x))
    default:
      return FALSE;
    }
}

gboolean
NAME (hir_lanes_unary) (HirUnaryOp op, gpointer out_lanes, gconstpointer a_lanes, gsize n)
{
  T *out = out_lanes;
  const T *a = a_lanes;

  switch (op)
    {
      UNARY (HIR_UNARY_ABS, F (fabs) (x))
      UNARY (HIR_UNARY_CEIL, F (ceil) (x))
      UNARY (HIR_UNARY_FLOOR, F (floor) (x))
      UNARY (HIR_UNARY_ROUND, F (nearbyint) (x))
      UNARY (HIR_UNARY_TRUNC, F (trunc) (x))
      UNARY (HIR_UNARY_FRAC, x - F (trunc) (x))
      UNARY (HIR_UNARY_NEG, -x)
      UNARY (HIR_UNARY_RELU, x < 0 ? 0 : x)
      UNARY (HIR_UNARY_RECIPROCAL, 1 / x)
      UNARY (HIR_UNARY_SQRT, F (sqrt) (x))
      UNARY (HIR_UNARY_RSQRT, 1 / F (sqrt) (x))
      UNARY (HIR_UNARY_LOGICAL_NOT, x == 0)
      UNARY (HIR_UNARY_SIGNBIT, signbit (x) != 0)
      UNARY (HIR_UNARY_ISFINITE, isfinite (x) != 0)
      UNARY (HIR_UNARY_ISINF, isinf (x) != 0)
      UNARY (HIR_UNARY_ISNAN, isnan (x) != 0)
      UNARY (HIR_UNARY_ISNEGINF, isinf (x) && x < 0)
      UNARY (HIR_UNARY_ISPOSINF, isinf (x) && x > 0)
    case HIR_UNARY_ISREAL:
      for (gsize i = 0; i < n; i++)
        out[i] = 1;
      return TRUE;
    case HIR_UNARY_CAST:
      for (gsize i = 0; i < n; i++)
        out[i] = a[i];
      return TRUE;
    default:
      return NAME (unary_library) (op, out, a, n);
    }
}

/* The sign of the divisor, as in Python, unlike C++'s std::remainder. */
static T
NAME (floor_modulo) (T x, T y)
{
  T r = F (fmod) (x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

gboolean
NAME (hir_lanes_binary) (
    HirBinaryOp op, gpointer out_lanes, gconstpointer a_lanes, gconstpointer b_lanes, gsize n)
{
  T *out = out_lanes;
  const T *a = a_lanes, *b = b_lanes;

  switch (op)
    {
      BINARY (HIR_BINARY_ADD, x + y)
      BINARY (HIR_BINARY_SUB, x - y)
      BINARY (HIR_BINARY_MUL, x * y)
      BINARY (HIR_BINARY_DIV, x / y)
      BINARY (HIR_BINARY_TRUEDIV, x / y)
      BINARY (HIR_BINARY_MOD, F (fmod) (x, y))
      BINARY (HIR_BINARY_FMOD, F (fmod) (x, y))
      BINARY (HIR_BINARY_REMAINDER, NAME (floor_modulo) (x, y))
      BINARY (HIR_BINARY_POW, F (pow) (x, y))
      BINARY (HIR_BINARY_ATAN2, F (atan2) (x, y))
      BINARY (HIR_BINARY_NEXTAFTER, F (nextafter) (x, y))
      COMMON_BINARY
    default:
      return FALSE;
    }
}
