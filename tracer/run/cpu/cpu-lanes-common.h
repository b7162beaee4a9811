/* Included once by each cpu-lanes-*.c, which has defined T (the C type of a lane), NAME(x), PLUS,
 * MINUS, TIMES, LOWEST and HIGHEST. Code shared by floating-point and integer lanes. Do not include
 * elsewhere. */

#define UNARY(OP, E)                                                                               \
  case OP:                                                                                         \
    for (gsize i = 0; i < n; i++)                                                                  \
      {                                                                                            \
        T x = a[i];                                                                                \
        out[i] = (T) (E);                                                                          \
      }                                                                                            \
    return TRUE;

#define BINARY(OP, E)                                                                              \
  case OP:                                                                                         \
    for (gsize i = 0; i < n; i++)                                                                  \
      {                                                                                            \
        T x = a[i], y = b[i];                                                                      \
        out[i] = (T) (E);                                                                          \
      }                                                                                            \
    return TRUE;

gboolean
NAME (hir_lanes_ternary) (HirTernaryOp op,
                          gpointer out_lanes,
                          const gconstpointer *operands,
                          gsize n)
{
  const T *a = operands[0], *b = operands[1], *c = operands[2];
  T *out = out_lanes;

  switch (op)
    {
    case HIR_TERNARY_WHERE:
      for (gsize i = 0; i < n; i++)
        out[i] = a[i] != 0 ? b[i] : c[i];
      return TRUE;
    case HIR_TERNARY_LERP:
      for (gsize i = 0; i < n; i++)
        out[i] = PLUS (a[i], TIMES (c[i], MINUS (b[i], a[i])));
      return TRUE;
    case HIR_TERNARY_CLAMP:
      /* Like torch, apply the lower bound first: if the bounds cross, the upper one wins. */
      for (gsize i = 0; i < n; i++)
        {
          T low = a[i] < b[i] ? b[i] : a[i];
          out[i] = low > c[i] ? c[i] : low;
        }
      return TRUE;
    case HIR_TERNARY_THRESHOLD:
      for (gsize i = 0; i < n; i++)
        out[i] = a[i] <= b[i] ? c[i] : a[i];
      return TRUE;
    case HIR_TERNARY_ADDCMUL:
      for (gsize i = 0; i < n; i++)
        {
          T scaled = TIMES (((const T *) operands[3])[i], b[i]);
          out[i] = PLUS (a[i], TIMES (scaled, c[i]));
        }
      return TRUE;
    default:
      return FALSE;
    }
}

/* NaN != NaN, so a NaN on either side is the result; for integers the test is optimized away. */
#define MAX_OF(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define MIN_OF(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))

#define COMBINE(LOOP)                                                                              \
  switch (op)                                                                                      \
    {                                                                                              \
    case HIR_BINARY_ADD:                                                                           \
      LOOP (PLUS (x, y))                                                                           \
    case HIR_BINARY_MUL:                                                                           \
      LOOP (TIMES (x, y))                                                                          \
    case HIR_BINARY_MAX:                                                                           \
      LOOP (MAX_OF (x, y))                                                                         \
    case HIR_BINARY_MIN:                                                                           \
      LOOP (MIN_OF (x, y))                                                                         \
    default:                                                                                       \
      return FALSE;                                                                                \
    }

#define COMMON_BINARY                                                                              \
  BINARY (HIR_BINARY_MAX, MAX_OF (x, y))                                                           \
  BINARY (HIR_BINARY_MIN, MIN_OF (x, y))                                                           \
  BINARY (HIR_BINARY_EQ, x == y)                                                                   \
  BINARY (HIR_BINARY_NE, x != y)                                                                   \
  BINARY (HIR_BINARY_LT, x < y)                                                                    \
  BINARY (HIR_BINARY_LE, x <= y)                                                                   \
  BINARY (HIR_BINARY_GT, x > y)                                                                    \
  BINARY (HIR_BINARY_GE, x >= y)                                                                   \
  BINARY (HIR_BINARY_LOGICAL_AND, x != 0 && y != 0)                                                \
  BINARY (HIR_BINARY_LOGICAL_OR, x != 0 || y != 0)

gboolean
NAME (hir_lanes_accumulate) (HirBinaryOp op, gpointer accumulator, gconstpointer lanes, gsize n)
{
  T *total = accumulator;
  const T *a = lanes;

#define LOOP(E)                                                                                    \
  for (gsize i = 0; i < n; i++)                                                                    \
    {                                                                                              \
      T x = total[i], y = a[i];                                                                    \
      total[i] = (T) (E);                                                                          \
    }                                                                                              \
  return TRUE;
  COMBINE (LOOP)
#undef LOOP
}

gboolean
NAME (hir_lanes_fold) (HirBinaryOp op, gpointer accumulator, gconstpointer lanes, gsize n)
{
  const T *a = lanes;
  T partial[8];
  T *total = accumulator;
  gsize i = 0;

  NAME (hir_lanes_neutral) (op, partial, 8);
#define LOOP(E)                                                                                    \
  for (; i + 8 <= n; i += 8)                                                                       \
    for (gsize k = 0; k < 8; k++)                                                                  \
      {                                                                                            \
        T x = partial[k], y = a[i + k];                                                            \
        partial[k] = (T) (E);                                                                      \
      }                                                                                            \
  for (; i < n; i++)                                                                               \
    {                                                                                              \
      T x = partial[0], y = a[i];                                                                  \
      partial[0] = (T) (E);                                                                        \
    }                                                                                              \
  for (gsize k = 0; k < 8; k++)                                                                    \
    {                                                                                              \
      T x = *total, y = partial[k];                                                                \
      *total = (T) (E);                                                                            \
    }                                                                                              \
  return TRUE;
  COMBINE (LOOP)
#undef LOOP
}

void
NAME (hir_lanes_neutral) (HirBinaryOp op, gpointer lanes, gsize n)
{
  T *out = lanes;
  T neutral = op == HIR_BINARY_MUL   ? 1
              : op == HIR_BINARY_MAX ? LOWEST
              : op == HIR_BINARY_MIN ? HIGHEST
                                     : 0;

  for (gsize i = 0; i < n; i++)
    out[i] = neutral;
}
