/* Maps events to bar colors: one per family of operations, so that programs with different naming
 * look alike. */
#include "draw/theme.h"

#include <stdlib.h>
#include <string.h>

/* Families differ in lightness and hue, so that people with red-green color blindness can
 * distinguish them, also in print. A test measures this. */
typedef enum
{
  FAMILY_MATMUL,
  FAMILY_COPY,
  FAMILY_FUSED,
  FAMILY_POINTWISE,
  FAMILY_REDUCTION,
  FAMILY_OTHER,
  FAMILY_GATHER,
  FAMILY_REDUCE,
  FAMILY_ROOTED,
  FAMILY_MESSAGE,
  N_FAMILIES,
} Family;

/* An appearance is 1 + a family, or one of these values. */
enum
{
  LOOK_MEMCPY = N_FAMILIES + 1,
  LOOK_MEMSET,
  LOOK_SYNC,
  LOOK_HOST,
  LOOK_ISSUE,
  LOOK_COUNTER,
  N_LOOKS,
};

G_STATIC_ASSERT (N_LOOKS <= HIR_N_LOOKS);

static const HirColor colors[N_FAMILIES] = {
  [FAMILY_MATMUL] = 0xff2f71c9,    [FAMILY_COPY] = 0xff4edb9c,      [FAMILY_FUSED] = 0xff612ed0,
  [FAMILY_POINTWISE] = 0xff508d5f, [FAMILY_REDUCTION] = 0xff741b6f, [FAMILY_OTHER] = 0xff8b9cd7,
  [FAMILY_GATHER] = 0xffba5c14,    [FAMILY_REDUCE] = 0xff8d2721,    [FAMILY_ROOTED] = 0xffd3c266,
  [FAMILY_MESSAGE] = 0xff702b42,
};

typedef struct
{
  const char *word;
  Family family;
} Row;

/* Operations, sorted by name for bsearch(). */
static const Row ops[] = {
  { "abs", FAMILY_POINTWISE },
  { "acos", FAMILY_POINTWISE },
  { "acosh", FAMILY_POINTWISE },
  { "add", FAMILY_POINTWISE },
  { "amax", FAMILY_REDUCTION },
  { "amin", FAMILY_REDUCTION },
  { "asin", FAMILY_POINTWISE },
  { "asinh", FAMILY_POINTWISE },
  { "atan", FAMILY_POINTWISE },
  { "atan2", FAMILY_POINTWISE },
  { "atanh", FAMILY_POINTWISE },
  { "bitwise_and", FAMILY_POINTWISE },
  { "bitwise_not", FAMILY_POINTWISE },
  { "bitwise_or", FAMILY_POINTWISE },
  { "bitwise_xor", FAMILY_POINTWISE },
  { "bmm", FAMILY_MATMUL },
  { "broadcast", FAMILY_COPY },
  { "cast", FAMILY_POINTWISE },
  { "cat", FAMILY_COPY },
  { "ceil", FAMILY_POINTWISE },
  { "clamp", FAMILY_POINTWISE },
  { "copy", FAMILY_COPY },
  { "cos", FAMILY_POINTWISE },
  { "cosh", FAMILY_POINTWISE },
  { "div", FAMILY_POINTWISE },
  { "eq", FAMILY_POINTWISE },
  { "erf", FAMILY_POINTWISE },
  { "erfc", FAMILY_POINTWISE },
  { "erfcinv", FAMILY_POINTWISE },
  { "erfinv", FAMILY_POINTWISE },
  { "exp", FAMILY_POINTWISE },
  { "exp2", FAMILY_POINTWISE },
  { "expand", FAMILY_COPY },
  { "expm1", FAMILY_POINTWISE },
  { "floor", FAMILY_POINTWISE },
  { "fmod", FAMILY_POINTWISE },
  { "frac", FAMILY_POINTWISE },
  { "full", FAMILY_COPY },
  { "gcd", FAMILY_POINTWISE },
  { "ge", FAMILY_POINTWISE },
  { "gelu", FAMILY_POINTWISE },
  { "gemm", FAMILY_MATMUL },
  { "gt", FAMILY_POINTWISE },
  { "iota", FAMILY_COPY },
  { "isfinite", FAMILY_POINTWISE },
  { "isinf", FAMILY_POINTWISE },
  { "isnan", FAMILY_POINTWISE },
  { "isneginf", FAMILY_POINTWISE },
  { "isposinf", FAMILY_POINTWISE },
  { "isreal", FAMILY_POINTWISE },
  { "le", FAMILY_POINTWISE },
  { "lerp", FAMILY_POINTWISE },
  { "lgamma", FAMILY_POINTWISE },
  { "linear", FAMILY_MATMUL },
  { "loadstore", FAMILY_COPY },
  { "log", FAMILY_POINTWISE },
  { "log10", FAMILY_POINTWISE },
  { "log1p", FAMILY_POINTWISE },
  { "log2", FAMILY_POINTWISE },
  { "logical_and", FAMILY_POINTWISE },
  { "logical_not", FAMILY_POINTWISE },
  { "logical_or", FAMILY_POINTWISE },
  { "lt", FAMILY_POINTWISE },
  { "matmul", FAMILY_MATMUL },
  { "max", FAMILY_REDUCTION },
  { "maximum", FAMILY_POINTWISE },
  { "mean", FAMILY_REDUCTION },
  { "min", FAMILY_REDUCTION },
  { "minimum", FAMILY_POINTWISE },
  { "mod", FAMILY_POINTWISE },
  { "mul", FAMILY_POINTWISE },
  { "ne", FAMILY_POINTWISE },
  { "neg", FAMILY_POINTWISE },
  { "nextafter", FAMILY_POINTWISE },
  { "pad", FAMILY_COPY },
  { "permute", FAMILY_COPY },
  { "pow", FAMILY_POINTWISE },
  { "prod", FAMILY_REDUCTION },
  { "reciprocal", FAMILY_POINTWISE },
  { "relu", FAMILY_POINTWISE },
  { "remainder", FAMILY_POINTWISE },
  { "reshape", FAMILY_COPY },
  { "round", FAMILY_POINTWISE },
  { "rsqrt", FAMILY_POINTWISE },
  { "select", FAMILY_COPY },
  { "set", FAMILY_COPY },
  { "sigmoid", FAMILY_POINTWISE },
  { "sign", FAMILY_POINTWISE },
  { "signbit", FAMILY_POINTWISE },
  { "silu", FAMILY_POINTWISE },
  { "sin", FAMILY_POINTWISE },
  { "sinh", FAMILY_POINTWISE },
  { "slice", FAMILY_COPY },
  { "sqrt", FAMILY_POINTWISE },
  { "squeeze", FAMILY_COPY },
  { "sub", FAMILY_POINTWISE },
  { "sum", FAMILY_REDUCTION },
  { "tan", FAMILY_POINTWISE },
  { "tanh", FAMILY_POINTWISE },
  { "threshold", FAMILY_POINTWISE },
  { "transpose", FAMILY_COPY },
  { "truediv", FAMILY_POINTWISE },
  { "trunc", FAMILY_POINTWISE },
  { "var", FAMILY_REDUCTION },
  { "var_mean", FAMILY_REDUCTION },
  { "view", FAMILY_COPY },
  { "welford", FAMILY_REDUCTION },
  { "where", FAMILY_POINTWISE },
};

/* Parts of kernel names of other libraries. The first match counts. */
static const Row parts[] = {
  { "hostunit", FAMILY_FUSED },
  { "flash", FAMILY_FUSED },
  { "fmha", FAMILY_FUSED },
  { "matmul", FAMILY_MATMUL },
  { "linear", FAMILY_MATMUL },
  { "gemm", FAMILY_MATMUL },
  { "nvjet", FAMILY_MATMUL },
  { "gemv", FAMILY_MATMUL },
  { "cutlass", FAMILY_MATMUL },
  { "xmma", FAMILY_MATMUL },
  { "nvfuser", FAMILY_FUSED },
  { "fused", FAMILY_FUSED },
  { "triton", FAMILY_FUSED },
  { "reduce", FAMILY_REDUCTION },
  { "softmax", FAMILY_REDUCTION },
  { "norm", FAMILY_REDUCTION },
  { "elementwise", FAMILY_POINTWISE },
  { "pointwise", FAMILY_POINTWISE },
  { "loadstore", FAMILY_COPY },
  { "copy", FAMILY_COPY },
  { "transpose", FAMILY_COPY },
  { "permute", FAMILY_COPY },
};

static const Row communications[] = {
  { "reduce", FAMILY_REDUCE },    { "gather", FAMILY_GATHER },   { "send", FAMILY_MESSAGE },
  { "recv", FAMILY_MESSAGE },     { "permute", FAMILY_MESSAGE }, { "alltoall", FAMILY_MESSAGE },
  { "broadcast", FAMILY_ROOTED }, { "scatter", FAMILY_ROOTED },
};

/* The operation in a name: "linear" in "T8_linear", "Set" in "Set T4". Not NUL-terminated. */
typedef struct
{
  const char *text;
  gsize n;
} Op;

static Op
get_op (const char *name)
{
  Op op = { name, 0 };

  if (*name == 'T' && g_ascii_isdigit (name[1]))
    {
      const char *bar = name + 1;

      while (g_ascii_isdigit (*bar))
        bar++;
      if (*bar == '_')
        op.text = bar + 1;
    }
  while (g_ascii_isalnum (op.text[op.n]) || op.text[op.n] == '_')
    op.n++;
  return op;
}

static int
compare_op (gconstpointer key, gconstpointer row)
{
  const Op *op = key;
  const char *word = ((const Row *) row)->word;
  int order = g_ascii_strncasecmp (op->text, word, op->n);

  /* The word may be longer than the operation. */
  return order != 0 ? order : word[op->n] == '\0' ? 0 : -1;
}

static Family
find_part (const Row *rows, guint n, const char *name, Family otherwise)
{
  for (guint i = 0; i < n; i++)
    if (strcasestr (name, rows[i].word) != NULL)
      return rows[i].family;
  return otherwise;
}

static Family
get_kernel_family (const char *name)
{
  const Op op = get_op (name);
  const Row *row = bsearch (&op, ops, G_N_ELEMENTS (ops), sizeof ops[0], compare_op);

  return row != NULL ? row->family : find_part (parts, G_N_ELEMENTS (parts), name, FAMILY_OTHER);
}

static Family
get_communication_family (const char *name)
{
  return find_part (communications, G_N_ELEMENTS (communications), name, FAMILY_GATHER);
}

HirLook
hir_event_get_look (HirEventKind kind, const char *name)
{
  switch (kind)
    {
    case HIR_EVENT_KERNEL:
      return (HirLook) (1 + (name != NULL ? get_kernel_family (name) : FAMILY_MATMUL));
    case HIR_EVENT_COMMUNICATION:
      return (HirLook) (1 + (name != NULL ? get_communication_family (name) : FAMILY_GATHER));
    case HIR_EVENT_MEMCPY:
      return LOOK_MEMCPY;
    case HIR_EVENT_MEMSET:
      return LOOK_MEMSET;
    case HIR_EVENT_SYNC:
      return LOOK_SYNC;
    case HIR_EVENT_HOST:
      return LOOK_HOST;
    case HIR_EVENT_COUNTER:
      return LOOK_COUNTER;
    case HIR_EVENT_ISSUE:
    default:
      return LOOK_ISSUE;
    }
}

const char *
hir_look_get_label (HirLook look)
{
  static const char *const labels[N_LOOKS] = {
    [1 + FAMILY_MATMUL] = "matrix products",
    [1 + FAMILY_COPY] = "copies",
    [1 + FAMILY_FUSED] = "fused kernels",
    [1 + FAMILY_POINTWISE] = "pointwise",
    [1 + FAMILY_REDUCTION] = "reductions",
    [1 + FAMILY_OTHER] = "other kernels",
    [1 + FAMILY_GATHER] = "gathers and other communication",
    [1 + FAMILY_REDUCE] = "reductions between devices",
    [1 + FAMILY_ROOTED] = "broadcasts and scatters",
    [1 + FAMILY_MESSAGE] = "messages",
    [LOOK_MEMCPY] = "memcpy",
    [LOOK_MEMSET] = "memset",
    [LOOK_SYNC] = "waiting",
    [LOOK_HOST] = "host work",
    [LOOK_ISSUE] = "issue",
    [LOOK_COUNTER] = "counter",
  };

  return look < N_LOOKS && labels[look] != NULL ? labels[look] : "";
}

gboolean
hir_look_is_hollow (HirLook look)
{
  return look == LOOK_SYNC;
}

HirColor
hir_theme_get_look_color (const HirTheme *theme, HirLook look)
{
  switch (look)
    {
    case 0:
      return 0;
    case LOOK_MEMCPY:
      return 0xff79cec6;
    case LOOK_MEMSET:
      return 0xff6d7183;
    case LOOK_SYNC:
      return theme->dark ? 0xff6e6026 : 0xffd9c26b;
    case LOOK_HOST:
      return theme->dark ? 0xff4d6372 : 0xff7d94a3;
    case LOOK_COUNTER:
      return theme->dark ? 0xff6fa8bd : 0xff2f7187;
    case LOOK_ISSUE:
      return theme->dark ? 0xff6d6c71 : 0xff8b8a90;
    default:
      return look <= N_FAMILIES ? colors[look - 1] : 0;
    }
}

HirColor
hir_theme_get_event_color (const HirTheme *theme, HirEventKind kind, const char *name)
{
  return hir_theme_get_look_color (theme, hir_event_get_look (kind, name));
}
