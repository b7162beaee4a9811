/* Included by cpu-lanes-i64.c and cpu-lanes-u64.c, which have defined T, NAME(x) and IS_SIGNED.
 * Arithmetic wraps, because it is unsigned. Do not include elsewhere. */

#include "run/cpu/cpu-lanes.h"

#define NEGATIVE(x) (IS_SIGNED && (gint64) (x) < 0)
#define PLUS(x, y) ((T) ((guint64) (x) + (guint64) (y)))
#define MINUS(x, y) ((T) ((guint64) (x) - (guint64) (y)))
#define LOWEST (IS_SIGNED ? (T) G_MININT64 : 0)
#define HIGHEST (IS_SIGNED ? (T) G_MAXINT64 : (T) G_MAXUINT64)
#define TIMES(x, y) ((T) ((guint64) (x) * (guint64) (y)))

static inline T
NAME (divide) (T x, T y)
{
  if (y == 0)
    return 0;
  if (IS_SIGNED && y == (T) -1)
    return (T) (0 - (guint64) x);
  return x / y;
}

static inline T
NAME (modulo) (T x, T y)
{
  if (y == 0 || (IS_SIGNED && y == (T) -1))
    return 0;
  return x % y;
}

static inline T
NAME (floor_modulo) (T x, T y)
{
  T r = NAME (modulo) (x, y);
  return IS_SIGNED && r != 0 && NEGATIVE (r) != NEGATIVE (y) ? r + y : r;
}

static inline T
NAME (power) (T base, T exponent)
{
  guint64 result = 1, square = (guint64) base;

  /* Like torch: a negative power of an integer is 0, except for 1 and -1. */
  if (NEGATIVE (exponent))
    return base == 1 ? 1 : base == (T) -1 ? (exponent % 2 != 0 ? (T) -1 : 1) : 0;
  for (guint64 e = (guint64) exponent; e != 0; e >>= 1)
    {
      if (e & 1)
        result *= square;
      square *= square;
    }
  return (T) result;
}

static inline T
NAME (gcd) (T x, T y)
{
  guint64 a = NEGATIVE (x) ? 0 - (guint64) x : (guint64) x;
  guint64 b = NEGATIVE (y) ? 0 - (guint64) y : (guint64) y;

  while (b != 0)
    {
      guint64 r = a % b;
      a = b;
      b = r;
    }
  return (T) a;
}

/* A shift by more than the width gives the result of repeated shifts by one. */
static inline T
NAME (shift_left) (T x, T y)
{
  return (guint64) y >= 64 ? 0 : (T) ((guint64) x << y);
}

static inline T
NAME (shift_right) (T x, T y)
{
  return (guint64) y >= 64 ? (NEGATIVE (x) ? (T) -1 : 0) : x >> y;
}

#include "run/cpu/cpu-lanes-common.h"

gboolean
NAME (hir_lanes_unary) (HirUnaryOp op, gpointer out_lanes, gconstpointer a_lanes, gsize n)
{
  T *out = out_lanes;
  const T *a = a_lanes;

  switch (op)
    {
      UNARY (HIR_UNARY_ABS, NEGATIVE (x) ? 0 - (guint64) x : (guint64) x)
      UNARY (HIR_UNARY_NEG, 0 - (guint64) x)
      UNARY (HIR_UNARY_CEIL, x)
      UNARY (HIR_UNARY_FLOOR, x)
      UNARY (HIR_UNARY_ROUND, x)
      UNARY (HIR_UNARY_TRUNC, x)
      UNARY (HIR_UNARY_CAST, x)
      UNARY (HIR_UNARY_FRAC, x * 0)
      UNARY (HIR_UNARY_RELU, NEGATIVE (x) ? 0 : x)
      UNARY (HIR_UNARY_LOGICAL_NOT, x == 0)
      UNARY (HIR_UNARY_BITWISE_NOT, ~x)
      UNARY (HIR_UNARY_SIGNBIT, NEGATIVE (x))
      UNARY (HIR_UNARY_ISFINITE, x == x)
      UNARY (HIR_UNARY_ISREAL, x == x)
      UNARY (HIR_UNARY_ISINF, x != x)
      UNARY (HIR_UNARY_ISNAN, x != x)
      UNARY (HIR_UNARY_ISNEGINF, x != x)
      UNARY (HIR_UNARY_ISPOSINF, x != x)
    default:
      return FALSE;
    }
}

gboolean
NAME (hir_lanes_binary) (
    HirBinaryOp op, gpointer out_lanes, gconstpointer a_lanes, gconstpointer b_lanes, gsize n)
{
  T *out = out_lanes;
  const T *a = a_lanes, *b = b_lanes;

  switch (op)
    {
      BINARY (HIR_BINARY_ADD, (guint64) x + (guint64) y)
      BINARY (HIR_BINARY_SUB, (guint64) x - (guint64) y)
      BINARY (HIR_BINARY_MUL, (guint64) x * (guint64) y)
      BINARY (HIR_BINARY_DIV, NAME (divide) (x, y))
      BINARY (HIR_BINARY_MOD, NAME (modulo) (x, y))
      BINARY (HIR_BINARY_FMOD, NAME (modulo) (x, y))
      BINARY (HIR_BINARY_REMAINDER, NAME (floor_modulo) (x, y))
      BINARY (HIR_BINARY_POW, NAME (power) (x, y))
      COMMON_BINARY
      BINARY (HIR_BINARY_GCD, NAME (gcd) (x, y))
      BINARY (HIR_BINARY_BITWISE_AND, x & y)
      BINARY (HIR_BINARY_BITWISE_OR, x | y)
      BINARY (HIR_BINARY_BITWISE_XOR, x ^ y)
      BINARY (HIR_BINARY_LSHIFT, NAME (shift_left) (x, y))
      BINARY (HIR_BINARY_RSHIFT, NAME (shift_right) (x, y))
    default:
      return FALSE;
    }
}
