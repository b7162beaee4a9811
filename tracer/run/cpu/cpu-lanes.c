#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#endif

#include "run/cpu/cpu-lanes.h"

#include <math.h>
#include <string.h>

#include "run/values/half.h"
#include "run/values/value.h"

gsize
hir_compute_class_get_size_bytes (HirComputeClass klass)
{
  return klass == HIR_CLASS_F32 ? 4 : 8;
}

HirComputeClass
hir_compute_class_for (const HirDType *operands, guint n, HirDType result, gboolean scalar_is_float)
{
  gboolean any_double = result == HIR_DTYPE_DOUBLE;
  gboolean any_float = hir_dtype_is_floating_point (result);
  gboolean any_unsigned = FALSE;

  for (guint i = 0; i < n; i++)
    {
      any_double |= operands[i] == HIR_DTYPE_DOUBLE;
      any_float |= hir_dtype_is_floating_point (operands[i]);
      any_unsigned |= operands[i] == HIR_DTYPE_UINT64;
    }
  if (any_double || (scalar_is_float && !any_float))
    return HIR_CLASS_F64;
  if (any_float)
    return HIR_CLASS_F32;
  return any_unsigned ? HIR_CLASS_U64 : HIR_CLASS_I64;
}

/* Loads lanes: T is the lane type, S the stored type, C converts. */
#define LOAD_LOOP(T, S, C)                                                                         \
  {                                                                                                \
    const S *from = in;                                                                            \
    T *to = lanes;                                                                                 \
    if (stride == 1)                                                                               \
      for (gsize i = 0; i < n; i++)                                                                \
        to[i] = (T) C (from[i]);                                                                   \
    else                                                                                           \
      for (gsize i = 0; i < n; i++)                                                                \
        to[i] = (T) C (from[(gint64) i * stride]);                                                 \
    return;                                                                                        \
  }

#define LOAD_SWITCH(T)                                                                             \
  switch (dtype)                                                                                   \
    {                                                                                              \
    case HIR_DTYPE_DOUBLE:                                                                         \
      LOAD_LOOP (T, double, )                                                                      \
    case HIR_DTYPE_FLOAT:                                                                          \
      LOAD_LOOP (T, float, )                                                                       \
    case HIR_DTYPE_HALF:                                                                           \
      LOAD_LOOP (T, guint16, hir_half_to_float)                                                    \
    case HIR_DTYPE_BFLOAT16:                                                                       \
      LOAD_LOOP (T, guint16, hir_bfloat16_to_float)                                                \
    case HIR_DTYPE_BOOL:                                                                           \
      LOAD_LOOP (T, guint8, 0 !=)                                                                  \
    case HIR_DTYPE_CHAR:                                                                           \
      LOAD_LOOP (T, gint8, )                                                                       \
    case HIR_DTYPE_BYTE:                                                                           \
      LOAD_LOOP (T, guint8, )                                                                      \
    case HIR_DTYPE_SHORT:                                                                          \
      LOAD_LOOP (T, gint16, )                                                                      \
    case HIR_DTYPE_UINT16:                                                                         \
      LOAD_LOOP (T, guint16, )                                                                     \
    case HIR_DTYPE_INT32:                                                                          \
      LOAD_LOOP (T, gint32, )                                                                      \
    case HIR_DTYPE_UINT32:                                                                         \
      LOAD_LOOP (T, guint32, )                                                                     \
    case HIR_DTYPE_INT:                                                                            \
    case HIR_DTYPE_INDEX:                                                                          \
      LOAD_LOOP (T, gint64, )                                                                      \
    case HIR_DTYPE_UINT64:                                                                         \
      LOAD_LOOP (T, guint64, )                                                                     \
    default:                                                                                       \
      g_assert_not_reached ();                                                                     \
    }

static void
load_f32 (HirDType dtype, gconstpointer in, gint64 stride, gsize n, gpointer lanes)
{
  LOAD_SWITCH (float)
}

static void
load_f64 (HirDType dtype, gconstpointer in, gint64 stride, gsize n, gpointer lanes)
{
  LOAD_SWITCH (double)
}

/* Integer classes never have floating-point operands, so conversions that are undefined in C do not
 * occur. */
static void
load_i64 (HirDType dtype, gconstpointer in, gint64 stride, gsize n, gpointer lanes)
{
  g_assert (!hir_dtype_is_floating_point (dtype));
  LOAD_SWITCH (gint64)
}

void
hir_lanes_load (
    HirComputeClass klass, HirDType dtype, gconstpointer in, gint64 stride, gsize n, gpointer lanes)
{
  if (klass == HIR_CLASS_F32)
    load_f32 (dtype, in, stride, n, lanes);
  else if (klass == HIR_CLASS_F64)
    load_f64 (dtype, in, stride, n, lanes);
  else
    load_i64 (dtype, in, stride, n, lanes);
}

#define STORE_LOOP(T, S, C)                                                                        \
  {                                                                                                \
    const T *from = lanes;                                                                         \
    S *to = out;                                                                                   \
    if (stride == 1)                                                                               \
      for (gsize i = 0; i < n; i++)                                                                \
        to[i] = (S) C (from[i]);                                                                   \
    else                                                                                           \
      for (gsize i = 0; i < n; i++)                                                                \
        to[(gint64) i * stride] = (S) C (from[i]);                                                 \
    return;                                                                                        \
  }

#define SATURATE(x) hir_dtype_saturate (dtype, x)

static inline guint16
half_from_double (double x)
{
  return hir_half_from_float ((float) x);
}

static inline guint16
bfloat16_from_double (double x)
{
  return hir_bfloat16_from_float ((float) x);
}

#define STORE_SWITCH(T, TO_HALF, TO_BFLOAT, TO_INT)                                                \
  switch (dtype)                                                                                   \
    {                                                                                              \
    case HIR_DTYPE_DOUBLE:                                                                         \
      STORE_LOOP (T, double, )                                                                     \
    case HIR_DTYPE_FLOAT:                                                                          \
      STORE_LOOP (T, float, )                                                                      \
    case HIR_DTYPE_HALF:                                                                           \
      STORE_LOOP (T, guint16, TO_HALF)                                                             \
    case HIR_DTYPE_BFLOAT16:                                                                       \
      STORE_LOOP (T, guint16, TO_BFLOAT)                                                           \
    case HIR_DTYPE_BOOL:                                                                           \
      STORE_LOOP (T, guint8, 0 !=)                                                                 \
    case HIR_DTYPE_CHAR:                                                                           \
    case HIR_DTYPE_BYTE:                                                                           \
      STORE_LOOP (T, guint8, TO_INT)                                                               \
    case HIR_DTYPE_SHORT:                                                                          \
    case HIR_DTYPE_UINT16:                                                                         \
      STORE_LOOP (T, guint16, TO_INT)                                                              \
    case HIR_DTYPE_INT32:                                                                          \
    case HIR_DTYPE_UINT32:                                                                         \
      STORE_LOOP (T, guint32, TO_INT)                                                              \
    case HIR_DTYPE_INT:                                                                            \
    case HIR_DTYPE_INDEX:                                                                          \
    case HIR_DTYPE_UINT64:                                                                         \
      STORE_LOOP (T, guint64, TO_INT)                                                              \
    default:                                                                                       \
      g_assert_not_reached ();                                                                     \
    }

static void
store_f32 (HirDType dtype, gpointer out, gint64 stride, gsize n, gconstpointer lanes)
{
  STORE_SWITCH (float, hir_half_from_float, hir_bfloat16_from_float, SATURATE)
}

static void
store_f64 (HirDType dtype, gpointer out, gint64 stride, gsize n, gconstpointer lanes)
{
  STORE_SWITCH (double, half_from_double, bfloat16_from_double, SATURATE)
}

static void
store_i64 (HirDType dtype, gpointer out, gint64 stride, gsize n, gconstpointer lanes)
{
  STORE_SWITCH (gint64, half_from_double, bfloat16_from_double, )
}

static void
store_u64 (HirDType dtype, gpointer out, gint64 stride, gsize n, gconstpointer lanes)
{
  STORE_SWITCH (guint64, half_from_double, bfloat16_from_double, )
}

void
hir_lanes_store (HirComputeClass klass,
                 HirDType dtype,
                 gpointer out,
                 gint64 stride,
                 gsize n,
                 gconstpointer lanes)
{
  switch (klass)
    {
    case HIR_CLASS_F32:
      store_f32 (dtype, out, stride, n, lanes);
      break;
    case HIR_CLASS_F64:
      store_f64 (dtype, out, stride, n, lanes);
      break;
    case HIR_CLASS_I64:
      store_i64 (dtype, out, stride, n, lanes);
      break;
    case HIR_CLASS_U64:
      store_u64 (dtype, out, stride, n, lanes);
      break;
    }
}

#define DISPATCH(FUNCTION, ...)                                                                    \
  switch (klass)                                                                                   \
    {                                                                                              \
    case HIR_CLASS_F32:                                                                            \
      return FUNCTION##_f32 (__VA_ARGS__);                                                         \
    case HIR_CLASS_F64:                                                                            \
      return FUNCTION##_f64 (__VA_ARGS__);                                                         \
    case HIR_CLASS_I64:                                                                            \
      return FUNCTION##_i64 (__VA_ARGS__);                                                         \
    case HIR_CLASS_U64:                                                                            \
    default:                                                                                       \
      return FUNCTION##_u64 (__VA_ARGS__);                                                         \
    }

gboolean
hir_lanes_unary (HirComputeClass klass, HirUnaryOp op, gpointer out, gconstpointer a, gsize n){
  DISPATCH (hir_lanes_unary, op, out, a, n)
}

gboolean hir_lanes_binary (HirComputeClass klass,
                           HirBinaryOp op,
                           gpointer out,
                           gconstpointer a,
                           gconstpointer b,
                           gsize n){ DISPATCH (hir_lanes_binary, op, out, a, b, n) }

gboolean hir_lanes_ternary (HirComputeClass klass,
                            HirTernaryOp op,
                            gpointer out,
                            const gconstpointer *operands,
                            gsize n){ DISPATCH (hir_lanes_ternary, op, out, operands, n) }

gboolean hir_lanes_accumulate (HirComputeClass klass,
                               HirBinaryOp op,
                               gpointer accumulator,
                               gconstpointer a,
                               gsize n){ DISPATCH (hir_lanes_accumulate, op, accumulator, a, n) }

gboolean hir_lanes_fold (
    HirComputeClass klass, HirBinaryOp op, gpointer accumulator, gconstpointer a, gsize n)
{
  DISPATCH (hir_lanes_fold, op, accumulator, a, n)
}

void
hir_lanes_neutral (HirComputeClass klass, HirBinaryOp op, gpointer lanes, gsize n)
{
  DISPATCH (hir_lanes_neutral, op, lanes, n)
}
