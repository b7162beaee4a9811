#include "expr.h"

static const HirExprInfo infos[HIR_N_EXPR_KINDS] = {
  { HIR_EXPR_SET, "Set", "LoadStoreOp", TRUE },
  { HIR_EXPR_UNARY, "unary", "UnaryOp", TRUE },
  { HIR_EXPR_BINARY, "binary", "BinaryOp", TRUE },
  { HIR_EXPR_TERNARY, "ternary", "TernaryOp", TRUE },
  { HIR_EXPR_REDUCTION, "reduction", "ReductionOp", TRUE },
  { HIR_EXPR_BROADCAST, "broadcast", "BroadcastOp", TRUE },
  { HIR_EXPR_SQUEEZE, "squeeze", "SqueezeOp", TRUE },
  { HIR_EXPR_EXPAND, "expand", "ExpandOp", TRUE },
  { HIR_EXPR_RESHAPE, "view", "ViewOp", TRUE },
  { HIR_EXPR_SLICE, "slice", "SliceOp", TRUE },
  { HIR_EXPR_PAD, "pad", "PadOp", TRUE },
  { HIR_EXPR_CAT, "cat", "CatOp", TRUE },
  { HIR_EXPR_SELECT, "select", "SelectOp", TRUE },
  { HIR_EXPR_MATMUL, "matmul", "MatmulOp", TRUE },
  { HIR_EXPR_LINEAR, "linear", "LinearOp", TRUE },
  { HIR_EXPR_FULL, "full", "FullOp", TRUE },
  { HIR_EXPR_IOTA, "iota", "IotaOp", TRUE },
  { HIR_EXPR_OPAQUE, "opaque", "OpaqueOp", TRUE },
  { HIR_EXPR_ALLOCATE, "ALLOCATE", "Allocate", FALSE },
  { HIR_EXPR_DEALLOCATE, "Deallocate", "Deallocate", FALSE },
  { HIR_EXPR_ALIAS_SELECT, "HirAliasSelect", "HirAliasSelect", FALSE },
  { HIR_EXPR_FOR, "FOR", "ForLoop", FALSE },
  { HIR_EXPR_IF, "IF", "IfThenElse", FALSE },
  { HIR_EXPR_POST_ON_STREAM, "PostOnStream", "PostOnStream", FALSE },
  { HIR_EXPR_GET_CURRENT_STREAM, "GetCurrentStream", "GetCurrentStream", FALSE },
  { HIR_EXPR_SET_CURRENT_STREAM, "SetCurrentStream", "SetCurrentStream", FALSE },
  { HIR_EXPR_SYNCHRONIZE, "Synchronize", "Synchronize", FALSE },
  { HIR_EXPR_WAIT, "Wait", "Wait", FALSE },
  { HIR_EXPR_COMMUNICATION, "Communication", "Communication", FALSE },
  { HIR_EXPR_P2P, "P2PCommunication", "P2PCommunication", FALSE },
  { HIR_EXPR_START_COALESCING, "StartCoalescing", "StartCoalescing", FALSE },
  { HIR_EXPR_END_COALESCING, "EndCoalescing", "EndCoalescing", FALSE },
  { HIR_EXPR_SHARD_BY_STREAM, "ShardByStream", "ShardByStream", FALSE },
  { HIR_EXPR_COLLECTIVE_PERMUTE, "CollectivePermute", "CollectivePermute", FALSE },
  { HIR_EXPR_SCALAR, "scalar", "ScalarOp", FALSE },
  { HIR_EXPR_LAUNCH_KERNEL, "LaunchKernel", "LaunchKernel", FALSE },
  { HIR_EXPR_SHARE_MEM_HANDLES, "ShareMemHandles", "ShareMemHandles", FALSE },
  { HIR_EXPR_SYMMETRIC_VIEW, "SymmetricContiguousView", "SymmetricContiguousView", FALSE },
  { HIR_EXPR_DISPATCH, "Dispatch", "MoeDispatch", FALSE },
  { HIR_EXPR_COMBINE, "Combine", "MoeCombine", FALSE },
};

static const char *const unary_names[HIR_N_UNARY_OPS] = {
  [HIR_UNARY_ABS] = "abs",
  [HIR_UNARY_ACOS] = "acos",
  [HIR_UNARY_ACOSH] = "acosh",
  [HIR_UNARY_ASIN] = "asin",
  [HIR_UNARY_ASINH] = "asinh",
  [HIR_UNARY_ATAN] = "atan",
  [HIR_UNARY_ATANH] = "atanh",
  [HIR_UNARY_CEIL] = "ceil",
  [HIR_UNARY_COS] = "cos",
  [HIR_UNARY_COSH] = "cosh",
  [HIR_UNARY_EXP] = "exp",
  [HIR_UNARY_EXP2] = "exp2",
  [HIR_UNARY_EXPM1] = "expm1",
  [HIR_UNARY_ERF] = "erf",
  [HIR_UNARY_ERFC] = "erfc",
  [HIR_UNARY_ERFINV] = "erfinv",
  [HIR_UNARY_ERFCINV] = "erfcinv",
  [HIR_UNARY_FLOOR] = "floor",
  [HIR_UNARY_FRAC] = "frac",
  [HIR_UNARY_LGAMMA] = "lgamma",
  [HIR_UNARY_LOG] = "log",
  [HIR_UNARY_LOG10] = "log10",
  [HIR_UNARY_LOG1P] = "log1p",
  [HIR_UNARY_LOG2] = "log2",
  [HIR_UNARY_NEG] = "neg",
  [HIR_UNARY_LOGICAL_NOT] = "logical_not",
  [HIR_UNARY_BITWISE_NOT] = "bitwise_not",
  [HIR_UNARY_RELU] = "relu",
  [HIR_UNARY_RECIPROCAL] = "reciprocal",
  [HIR_UNARY_ROUND] = "round",
  [HIR_UNARY_RSQRT] = "rsqrt",
  [HIR_UNARY_SIGMOID] = "sigmoid",
  [HIR_UNARY_SIGNBIT] = "signbit",
  [HIR_UNARY_SILU] = "silu",
  [HIR_UNARY_SIN] = "sin",
  [HIR_UNARY_SINH] = "sinh",
  [HIR_UNARY_SQRT] = "sqrt",
  [HIR_UNARY_TAN] = "tan",
  [HIR_UNARY_TANH] = "tanh",
  [HIR_UNARY_TRUNC] = "trunc",
  [HIR_UNARY_GELU] = "gelu",
  [HIR_UNARY_ISFINITE] = "isfinite",
  [HIR_UNARY_ISINF] = "isinf",
  [HIR_UNARY_ISNAN] = "isnan",
  [HIR_UNARY_ISNEGINF] = "isneginf",
  [HIR_UNARY_ISPOSINF] = "isposinf",
  [HIR_UNARY_ISREAL] = "isreal",
  [HIR_UNARY_CAST] = "cast",
};

typedef struct
{
  const char *name;  /* script name */
  const char *token; /* NULL if it prints as a function */
} BinaryInfo;

static const BinaryInfo binary_infos[HIR_N_BINARY_OPS] = {
  [HIR_BINARY_ADD] = { "add", "+" },
  [HIR_BINARY_SUB] = { "sub", "-" },
  [HIR_BINARY_MUL] = { "mul", "*" },
  [HIR_BINARY_DIV] = { "div", "/" },
  [HIR_BINARY_TRUEDIV] = { "truediv", "/" },
  [HIR_BINARY_MOD] = { "mod", "%" },
  [HIR_BINARY_FMOD] = { "fmod", NULL },
  [HIR_BINARY_REMAINDER] = { "remainder", NULL },
  [HIR_BINARY_POW] = { "pow", NULL },
  [HIR_BINARY_ATAN2] = { "atan2", NULL },
  [HIR_BINARY_NEXTAFTER] = { "nextafter", NULL },
  [HIR_BINARY_MAX] = { "maximum", NULL },
  [HIR_BINARY_MIN] = { "minimum", NULL },
  [HIR_BINARY_GCD] = { "gcd", NULL },
  [HIR_BINARY_EQ] = { "eq", "==" },
  [HIR_BINARY_NE] = { "ne", "!=" },
  [HIR_BINARY_LT] = { "lt", "<" },
  [HIR_BINARY_LE] = { "le", "<=" },
  [HIR_BINARY_GT] = { "gt", ">" },
  [HIR_BINARY_GE] = { "ge", ">=" },
  [HIR_BINARY_LOGICAL_AND] = { "logical_and", "&&" },
  [HIR_BINARY_LOGICAL_OR] = { "logical_or", "||" },
  [HIR_BINARY_BITWISE_AND] = { "bitwise_and", "&" },
  [HIR_BINARY_BITWISE_OR] = { "bitwise_or", "|" },
  [HIR_BINARY_BITWISE_XOR] = { "bitwise_xor", "^" },
  [HIR_BINARY_LSHIFT] = { "bitwise_left_shift", "<<" },
  [HIR_BINARY_RSHIFT] = { "bitwise_right_shift", ">>" },
};

static const char *const ternary_names[HIR_N_TERNARY_OPS] = {
  [HIR_TERNARY_WHERE] = "where",     [HIR_TERNARY_LERP] = "lerp",
  [HIR_TERNARY_CLAMP] = "clamp",     [HIR_TERNARY_THRESHOLD] = "threshold",
  [HIR_TERNARY_ADDCMUL] = "addcmul",
};

const HirExprInfo *
hir_expr_kind_get_info (HirExprKind kind)
{
  g_return_val_if_fail ((guint) kind < HIR_N_EXPR_KINDS, &infos[0]);
  g_assert (infos[kind].kind == kind);
  return &infos[kind];
}

const char *
hir_binary_op_get_reduction_name (HirBinaryOp op)
{
  switch (op)
    {
    case HIR_BINARY_ADD:
      return "sum";
    case HIR_BINARY_MUL:
      return "prod";
    case HIR_BINARY_MAX:
      return "max";
    case HIR_BINARY_MIN:
      return "min";
    default:
      return "reduction";
    }
}

gboolean
hir_expr_takes_by_index (const HirExpr *expr)
{
  static const char *const names[] = { "gather", "take_along_axis", "index_select", "scatter",
                                       NULL };

  return expr->kind == HIR_EXPR_OPAQUE && g_strv_contains (names, expr->u.opaque.name);
}

gboolean
hir_expr_is_random (const HirExpr *expr)
{
  static const char *const names[] = { "uniform", "normal", "rand_like", "randn_like", NULL };

  return expr->kind == HIR_EXPR_OPAQUE && g_strv_contains (names, expr->u.opaque.name);
}

const char *
hir_expr_get_op_name (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_UNARY:
      return hir_unary_op_get_name (expr->u.unary.op);
    case HIR_EXPR_BINARY:
      return hir_binary_op_get_name (expr->u.binary.op);
    case HIR_EXPR_TERNARY:
      return hir_ternary_op_get_name (expr->u.ternary.op);
    case HIR_EXPR_REDUCTION:
      return hir_binary_op_get_reduction_name (expr->u.reduction.op);
    case HIR_EXPR_OPAQUE:
      return expr->u.opaque.name;
    case HIR_EXPR_SET:
      return expr->n_outputs == 1 && HIR_IS_TENSOR (expr->outputs[0]) &&
                     HIR_TENSOR (expr->outputs[0])->has_root
                 ? "permute"
                 : "Set";
    default:
      return hir_expr_kind_get_info (expr->kind)->name;
    }
}

const char *
hir_unary_op_get_name (HirUnaryOp op)
{
  g_return_val_if_fail ((guint) op < HIR_N_UNARY_OPS, "?");
  return unary_names[op];
}

const char *
hir_binary_op_get_name (HirBinaryOp op)
{
  g_return_val_if_fail ((guint) op < HIR_N_BINARY_OPS, "?");
  return binary_infos[op].name;
}

const char *
hir_binary_op_get_token (HirBinaryOp op)
{
  g_return_val_if_fail ((guint) op < HIR_N_BINARY_OPS, NULL);
  return binary_infos[op].token;
}

const char *
hir_ternary_op_get_name (HirTernaryOp op)
{
  g_return_val_if_fail ((guint) op < HIR_N_TERNARY_OPS, "?");
  return ternary_names[op];
}

gboolean
hir_unary_op_lookup (const char *name, HirUnaryOp *op)
{
  for (int i = 0; i < HIR_N_UNARY_OPS; i++)
    {
      if (g_str_equal (unary_names[i], name))
        {
          *op = (HirUnaryOp) i;
          return TRUE;
        }
    }
  return FALSE;
}

gboolean
hir_binary_op_lookup (const char *name, HirBinaryOp *op)
{
  for (int i = 0; i < HIR_N_BINARY_OPS; i++)
    {
      if (g_str_equal (binary_infos[i].name, name))
        {
          *op = (HirBinaryOp) i;
          return TRUE;
        }
    }
  return FALSE;
}

gboolean
hir_ternary_op_lookup (const char *name, HirTernaryOp *op)
{
  for (int i = 0; i < HIR_N_TERNARY_OPS; i++)
    {
      if (g_str_equal (ternary_names[i], name))
        {
          *op = (HirTernaryOp) i;
          return TRUE;
        }
    }
  return FALSE;
}
