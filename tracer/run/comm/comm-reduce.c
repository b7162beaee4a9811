/* Reductions of collectives, element by element over ranks. Blocks of elements are converted to the
 * accumulation type, so that each op is one plain loop. */
#include <math.h>
#include <string.h>

#include "run/comm/comm-collective.h"
#include "run/values/half.h"

#define BLOCK 512

/* NaN wins, as in max and min of tensor ops. */
#define FLOAT_MAX(x, y) (isnan (x) || (x) > (y) ? (x) : (y))
#define FLOAT_MIN(x, y) (isnan (x) || (x) < (y) ? (x) : (y))

#define FOLD(expression)                                                                           \
  for (gsize k = 0; k < count; k++)                                                                \
    {                                                                                              \
      x = to[k];                                                                                   \
      y = from[k];                                                                                 \
      to[k] = (expression);                                                                        \
    }                                                                                              \
  return

#define FOLD_FLOATS                                                                                \
  switch (op)                                                                                      \
    {                                                                                              \
    case HIR_BINARY_MUL:                                                                           \
      FOLD (x *y);                                                                                 \
    case HIR_BINARY_MAX:                                                                           \
      FOLD (FLOAT_MAX (x, y));                                                                     \
    case HIR_BINARY_MIN:                                                                           \
      FOLD (FLOAT_MIN (x, y));                                                                     \
    default:                                                                                       \
      FOLD (x + y);                                                                                \
    }

static void
fold_float (HirBinaryOp op, float *to, const float *from, gsize count)
{
  float x, y;

  FOLD_FLOATS
}

static void
fold_double (HirBinaryOp op, double *to, const double *from, gsize count)
{
  double x, y;

  FOLD_FLOATS
}

/* Sums and products wrap, so they are computed unsigned. */
static void
fold_int (HirBinaryOp op, gboolean is_unsigned, guint64 *to, const guint64 *from, gsize count)
{
  guint64 x, y;

  switch (op)
    {
    case HIR_BINARY_MUL:
      FOLD (x * y);
    case HIR_BINARY_MAX:
      FOLD ((is_unsigned ? x > y : (gint64) x > (gint64) y) ? x : y);
    case HIR_BINARY_MIN:
      FOLD ((is_unsigned ? x < y : (gint64) x < (gint64) y) ? x : y);
    case HIR_BINARY_BITWISE_AND:
      FOLD (x & y);
    case HIR_BINARY_BITWISE_OR:
      FOLD (x | y);
    case HIR_BINARY_BITWISE_XOR:
      FOLD (x ^ y);
    default:
      FOLD (x + y);
    }
}

static void
load_float (HirDType dtype, const guint8 *from, float *to, gsize count)
{
  guint16 bits;

  if (dtype == HIR_DTYPE_FLOAT)
    memcpy (to, from, count * sizeof (float));
  else
    for (gsize k = 0; k < count; k++)
      {
        memcpy (&bits, from + k * sizeof bits, sizeof bits);
        to[k] = dtype == HIR_DTYPE_HALF ? hir_half_to_float (bits) : hir_bfloat16_to_float (bits);
      }
}

static void
store_float (HirDType dtype, const float *from, guint8 *to, gsize count)
{
  guint16 bits;

  if (dtype == HIR_DTYPE_FLOAT)
    memcpy (to, from, count * sizeof (float));
  else
    for (gsize k = 0; k < count; k++)
      {
        bits = dtype == HIR_DTYPE_HALF ? hir_half_from_float (from[k])
                                       : hir_bfloat16_from_float (from[k]);
        memcpy (to + k * sizeof bits, &bits, sizeof bits);
      }
}

static void
reduce_float (
    HirDType dtype, HirBinaryOp op, const guint8 *const *in, guint n, gsize count, guint8 *out)
{
  float total[BLOCK], next[BLOCK];

  load_float (dtype, in[0], total, count);
  for (guint i = 1; i < n; i++)
    {
      load_float (dtype, in[i], next, count);
      fold_float (op, total, next, count);
    }
  store_float (dtype, total, out, count);
}

static void
reduce_double (HirBinaryOp op, const guint8 *const *in, guint n, gsize count, guint8 *out)
{
  double total[BLOCK], next[BLOCK];

  memcpy (total, in[0], count * sizeof (double));
  for (guint i = 1; i < n; i++)
    {
      memcpy (next, in[i], count * sizeof (double));
      fold_double (op, total, next, count);
    }
  memcpy (out, total, count * sizeof (double));
}

static void
reduce_int (
    HirDType dtype, HirBinaryOp op, const guint8 *const *in, guint n, gsize count, guint8 *out)
{
  gsize size = hir_dtype_get_size_bytes (dtype);
  gboolean is_unsigned = dtype == HIR_DTYPE_UINT64;
  guint64 total[BLOCK], next[BLOCK];

  for (gsize k = 0; k < count; k++)
    total[k] = (guint64) hir_element_get_int (dtype, in[0] + k * size);
  for (guint i = 1; i < n; i++)
    {
      for (gsize k = 0; k < count; k++)
        next[k] = (guint64) hir_element_get_int (dtype, in[i] + k * size);
      fold_int (op, is_unsigned, total, next, count);
    }
  for (gsize k = 0; k < count; k++)
    hir_element_set_int (dtype, out + k * size, (gint64) total[k]);
}

void
hir_comm_reduce (
    HirDType dtype, HirBinaryOp op, gconstpointer const *in, guint n, gsize count, gpointer out)
{
  gsize size = hir_dtype_get_size_bytes (dtype);
  g_autofree const guint8 **at = g_new (const guint8 *, n);

  g_return_if_fail (n > 0);
  for (gsize first = 0; first < count; first += BLOCK)
    {
      gsize length = MIN (BLOCK, count - first);
      guint8 *to = (guint8 *) out + first * size;

      for (guint i = 0; i < n; i++)
        at[i] = (const guint8 *) in[i] + first * size;
      if (dtype == HIR_DTYPE_DOUBLE)
        reduce_double (op, at, n, length, to);
      else if (hir_dtype_is_floating_point (dtype))
        reduce_float (dtype, op, at, n, length, to);
      else
        reduce_int (dtype, op, at, n, length, to);
    }
}
