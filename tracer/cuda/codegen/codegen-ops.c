/* C expressions of the ops. In the tables, $x, $y, $z and $w are operands, $f is the suffix of C
 * library functions ("f" for float, "" for double), and $k is the name of the class. NULL: the
 * class has no such op. Results match the CPU back end (run/cpu/cpu-lanes-float.h, -int.h). */
#include "cuda/codegen/codegen-private.h"

static const char *const float_unary[HIR_N_UNARY_OPS] = {
  [HIR_UNARY_ABS] = "fabs$f ($x)",
  [HIR_UNARY_ACOS] = "acos$f ($x)",
  [HIR_UNARY_ACOSH] = "acosh$f ($x)",
  [HIR_UNARY_ASIN] = "asin$f ($x)",
  [HIR_UNARY_ASINH] = "asinh$f ($x)",
  [HIR_UNARY_ATAN] = "atan$f ($x)",
  [HIR_UNARY_ATANH] = "atanh$f ($x)",
  [HIR_UNARY_CEIL] = "ceil$f ($x)",
  [HIR_UNARY_COS] = "cos$f ($x)",
  [HIR_UNARY_COSH] = "cosh$f ($x)",
  [HIR_UNARY_EXP] = "exp$f ($x)",
  [HIR_UNARY_EXP2] = "exp2$f ($x)",
  [HIR_UNARY_EXPM1] = "expm1$f ($x)",
  [HIR_UNARY_ERF] = "erf$f ($x)",
  [HIR_UNARY_ERFC] = "erfc$f ($x)",
  [HIR_UNARY_ERFINV] = "erfinv$f ($x)",
  [HIR_UNARY_ERFCINV] = "erfcinv$f ($x)",
  [HIR_UNARY_FLOOR] = "floor$f ($x)",
  [HIR_UNARY_FRAC] = "$x - trunc$f ($x)",
  [HIR_UNARY_LGAMMA] = "lgamma$f ($x)",
  [HIR_UNARY_LOG] = "log$f ($x)",
  [HIR_UNARY_LOG10] = "log10$f ($x)",
  [HIR_UNARY_LOG1P] = "log1p$f ($x)",
  [HIR_UNARY_LOG2] = "log2$f ($x)",
  [HIR_UNARY_NEG] = "-$x",
  [HIR_UNARY_LOGICAL_NOT] = "$x == 0",
  [HIR_UNARY_RELU] = "$x < 0 ? 0 : $x",
  [HIR_UNARY_RECIPROCAL] = "1 / $x",
  [HIR_UNARY_ROUND] = "nearbyint$f ($x)",
  [HIR_UNARY_RSQRT] = "1 / sqrt$f ($x)",
  [HIR_UNARY_SIGMOID] = "1 / (1 + exp$f (-$x))",
  [HIR_UNARY_SIGNBIT] = "hir_signbit$f ($x)",
  [HIR_UNARY_SILU] = "$x / (1 + exp$f (-$x))",
  [HIR_UNARY_SIN] = "sin$f ($x)",
  [HIR_UNARY_SINH] = "sinh$f ($x)",
  [HIR_UNARY_SQRT] = "sqrt$f ($x)",
  [HIR_UNARY_TAN] = "tan$f ($x)",
  [HIR_UNARY_TANH] = "tanh$f ($x)",
  [HIR_UNARY_TRUNC] = "trunc$f ($x)",
  [HIR_UNARY_GELU] = "hir_gelu$f ($x)",
  [HIR_UNARY_ISFINITE] = "$x - $x == 0",
  [HIR_UNARY_ISINF] = "$x == $x && $x - $x != 0",
  [HIR_UNARY_ISNAN] = "$x != $x",
  [HIR_UNARY_ISNEGINF] = "$x < 0 && $x - $x != 0",
  [HIR_UNARY_ISPOSINF] = "$x > 0 && $x - $x != 0",
  [HIR_UNARY_ISREAL] = "1",
  [HIR_UNARY_CAST] = "$x",
};

static const char *const int_unary[HIR_N_UNARY_OPS] = {
  [HIR_UNARY_ABS] = "hir_abs_$k ($x)",
  [HIR_UNARY_NEG] = "0 - (unsigned long long) $x",
  [HIR_UNARY_CEIL] = "$x",
  [HIR_UNARY_FLOOR] = "$x",
  [HIR_UNARY_ROUND] = "$x",
  [HIR_UNARY_TRUNC] = "$x",
  [HIR_UNARY_CAST] = "$x",
  [HIR_UNARY_FRAC] = "0",
  [HIR_UNARY_RELU] = "hir_relu_$k ($x)",
  [HIR_UNARY_LOGICAL_NOT] = "$x == 0",
  [HIR_UNARY_BITWISE_NOT] = "~$x",
  [HIR_UNARY_SIGNBIT] = "hir_negative_$k ($x)",
  [HIR_UNARY_ISFINITE] = "1",
  [HIR_UNARY_ISREAL] = "1",
  [HIR_UNARY_ISINF] = "0",
  [HIR_UNARY_ISNAN] = "0",
  [HIR_UNARY_ISNEGINF] = "0",
  [HIR_UNARY_ISPOSINF] = "0",
};

#define COMPARISONS                                                                                \
  [HIR_BINARY_EQ] = "$x == $y", [HIR_BINARY_NE] = "$x != $y", [HIR_BINARY_LT] = "$x < $y",         \
  [HIR_BINARY_LE] = "$x <= $y", [HIR_BINARY_GT] = "$x > $y", [HIR_BINARY_GE] = "$x >= $y",         \
  [HIR_BINARY_LOGICAL_AND] = "$x != 0 && $y != 0", [HIR_BINARY_LOGICAL_OR] = "$x != 0 || $y != 0"

/* A NaN in either operand propagates. */
#define MAXIMUM "$x > $y || $x != $x ? $x : $y"
#define MINIMUM "$x < $y || $x != $x ? $x : $y"

static const char *const float_binary[HIR_N_BINARY_OPS] = {
  [HIR_BINARY_ADD] = "$x + $y",
  [HIR_BINARY_SUB] = "$x - $y",
  [HIR_BINARY_MUL] = "$x * $y",
  [HIR_BINARY_DIV] = "$x / $y",
  [HIR_BINARY_TRUEDIV] = "$x / $y",
  [HIR_BINARY_MOD] = "fmod$f ($x, $y)",
  [HIR_BINARY_FMOD] = "fmod$f ($x, $y)",
  [HIR_BINARY_REMAINDER] = "hir_remainder$f ($x, $y)",
  [HIR_BINARY_POW] = "pow$f ($x, $y)",
  [HIR_BINARY_ATAN2] = "atan2$f ($x, $y)",
  [HIR_BINARY_NEXTAFTER] = "nextafter$f ($x, $y)",
  [HIR_BINARY_MAX] = MAXIMUM,
  [HIR_BINARY_MIN] = MINIMUM,
  COMPARISONS,
};

static const char *const int_binary[HIR_N_BINARY_OPS] = {
  [HIR_BINARY_ADD] = "(unsigned long long) $x + (unsigned long long) $y",
  [HIR_BINARY_SUB] = "(unsigned long long) $x - (unsigned long long) $y",
  [HIR_BINARY_MUL] = "(unsigned long long) $x * (unsigned long long) $y",
  [HIR_BINARY_DIV] = "hir_div_$k ($x, $y)",
  [HIR_BINARY_MOD] = "hir_mod_$k ($x, $y)",
  [HIR_BINARY_FMOD] = "hir_mod_$k ($x, $y)",
  [HIR_BINARY_REMAINDER] = "hir_floor_mod_$k ($x, $y)",
  [HIR_BINARY_POW] = "hir_pow_$k ($x, $y)",
  [HIR_BINARY_MAX] = MAXIMUM,
  [HIR_BINARY_MIN] = MINIMUM,
  [HIR_BINARY_GCD] = "hir_gcd_$k ($x, $y)",
  COMPARISONS,
  [HIR_BINARY_BITWISE_AND] = "$x & $y",
  [HIR_BINARY_BITWISE_OR] = "$x | $y",
  [HIR_BINARY_BITWISE_XOR] = "$x ^ $y",
  [HIR_BINARY_LSHIFT] = "hir_shl_$k ($x, $y)",
  [HIR_BINARY_RSHIFT] = "hir_shr_$k ($x, $y)",
};

static const char *const float_ternary[HIR_N_TERNARY_OPS] = {
  [HIR_TERNARY_WHERE] = "$x != 0 ? $y : $z",         [HIR_TERNARY_LERP] = "$x + $z * ($y - $x)",
  [HIR_TERNARY_CLAMP] = "hir_clamp_$k ($x, $y, $z)", [HIR_TERNARY_THRESHOLD] = "$x <= $y ? $z : $x",
  [HIR_TERNARY_ADDCMUL] = "$x + ($w * $y) * $z",
};

/* Unsigned arithmetic, because integers wrap on overflow. */
#define U(x) "(unsigned long long) " x
static const char *const int_ternary[HIR_N_TERNARY_OPS] = {
  [HIR_TERNARY_WHERE] = "$x != 0 ? $y : $z",
  [HIR_TERNARY_LERP] = U ("$x") " + " U ("$z") " * (" U ("$y") " - " U ("$x") ")",
  [HIR_TERNARY_CLAMP] = "hir_clamp_$k ($x, $y, $z)",
  [HIR_TERNARY_THRESHOLD] = "$x <= $y ? $z : $x",
  [HIR_TERNARY_ADDCMUL] = U ("$x") " + " U ("$w") " * " U ("$y") " * " U ("$z"),
};

static gboolean
is_float (HirComputeClass klass)
{
  return klass == HIR_CLASS_F32 || klass == HIR_CLASS_F64;
}

/* Expands @pattern and casts it to the type of @klass. */
static char *
expand (HirComputeClass klass, const char *pattern, const char *const *operands)
{
  GString *text;

  if (pattern == NULL)
    return NULL;
  text = g_string_new (NULL);
  g_string_append_printf (text, "(%s) (", hir_gen_class_type (klass));
  for (const char *p = pattern; *p != '\0'; p++)
    if (*p != '$')
      g_string_append_c (text, *p);
    else if (*++p == 'f')
      g_string_append (text, klass == HIR_CLASS_F32 ? "f" : "");
    else if (*p == 'k')
      g_string_append (text, hir_gen_class_name (klass));
    else
      g_string_append (text, operands[*p == 'w' ? 3 : *p - 'x']);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

char *
hir_gen_unary (HirComputeClass klass, HirUnaryOp op, const char *x)
{
  return expand (klass, is_float (klass) ? float_unary[op] : int_unary[op], &x);
}

char *
hir_gen_binary (HirComputeClass klass, HirBinaryOp op, const char *x, const char *y)
{
  const char *const operands[] = { x, y };

  return expand (klass, is_float (klass) ? float_binary[op] : int_binary[op], operands);
}

char *
hir_gen_ternary (HirComputeClass klass, HirTernaryOp op, const char *const *operands)
{
  return expand (klass, is_float (klass) ? float_ternary[op] : int_ternary[op], operands);
}

char *
hir_gen_combine (HirComputeClass klass, HirBinaryOp op, const char *x, const char *y)
{
  switch (op)
    {
    case HIR_BINARY_ADD:
    case HIR_BINARY_MUL:
    case HIR_BINARY_MAX:
    case HIR_BINARY_MIN:
      return hir_gen_binary (klass, op, x, y);
    default:
      return NULL;
    }
}

const char *
hir_gen_neutral (HirComputeClass klass, HirBinaryOp op)
{
  switch (op)
    {
    case HIR_BINARY_MUL:
      return "1";
    case HIR_BINARY_MAX:
      return is_float (klass)         ? "-HIR_INF"
             : klass == HIR_CLASS_I64 ? "(-9223372036854775807LL - 1)"
                                      : "0";
    case HIR_BINARY_MIN:
      return is_float (klass)         ? "HIR_INF"
             : klass == HIR_CLASS_I64 ? "9223372036854775807LL"
                                      : "18446744073709551615ULL";
    default:
      return "0";
    }
}
