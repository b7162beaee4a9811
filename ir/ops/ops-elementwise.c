/* Elementwise ops: set, broadcast, unary, binary, ternary, cast. */
#include "label.h"
#include "ops/ops-private.h"

/* Returns the axes of all operands that correspond to output axis @i of @rank, aligned from the
 * right. @items has room for @n. */
static HirOpAxisGroup
collect_axes (HirVal *const *operands, guint n, guint rank, guint i, HirOpAxis *items)
{
  HirOpAxisGroup group = { items, 0 };

  for (guint j = 0; j < n; j++)
    {
      g_autofree HirIterDomain **ids = NULL;
      guint own_rank;

      if (!HIR_IS_TENSOR (operands[j]))
        continue;
      ids = hir_tensor_dup_no_reductions (HIR_TENSOR (operands[j]), &own_rank);
      if (i + own_rank >= rank)
        {
          guint axis = i + own_rank - rank;

          items[group.n++] = (HirOpAxis){ HIR_TENSOR (operands[j]), axis, ids[axis] };
        }
    }
  return group;
}

static guint
get_highest_rank (HirVal *const *operands, guint n)
{
  guint rank = 0;

  for (guint i = 0; i < n; i++)
    {
      if (HIR_IS_TENSOR (operands[i]))
        rank = MAX (rank, hir_op_get_rank (HIR_TENSOR (operands[i])));
    }
  return rank;
}

HirTensor *
hir_op_broadcast (
    HirContainer *fusion, HirTensor *in, const gboolean *flags, guint n, GError **error)
{
  guint rank, n_new = 0;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (n, 1));
  HirVal *inputs[] = { HIR_VAL (in) };
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < n; i++)
    n_new += flags[i] != FALSE;
  if (n - n_new != rank)
    {
      g_autofree char *label = hir_tensor_dup_label (in);

      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "broadcast: %u of the %u flags are false, but %s has %u axes; exactly one "
                     "flag per axis must be false",
                     n - n_new, n, label, rank);
      return NULL;
    }
  if (n_new == 0)
    return hir_op_set (fusion, in, error);

  for (guint i = 0, axis = 0; i < n; i++)
    ids[i] = flags[i]
                 ? hir_iter_domain_new (fusion, hir_scalar_get_one (fusion), HIR_ITER_BROADCAST)
                 : hir_iter_domain_dup (fusion, axes[axis++], FALSE);
  out = hir_tensor_new (fusion, in->base.dtype, ids, n);
  hir_op_inherit (out, inputs, 1);
  expr = hir_op_add (fusion, HIR_EXPR_BROADCAST, inputs, 1, out);
  expr->u.broadcast.flags = hir_arena_array0 (fusion->arena, gboolean, n);
  expr->u.broadcast.n = n;
  for (guint i = 0; i < n; i++)
    expr->u.broadcast.flags[i] = flags[i] != FALSE;
  return out;
}

/* Adds leading axes by a separate Expr (docs/host-ir.md#op-outputs). */
static HirTensor *
broadcast_to_rank (HirContainer *fusion, HirTensor *in, guint rank, GError **error)
{
  guint own_rank = hir_op_get_rank (in);
  g_autofree gboolean *flags = g_new0 (gboolean, MAX (rank, 1));

  if (own_rank == rank)
    return in;
  for (guint i = 0; i < rank - own_rank; i++)
    flags[i] = TRUE;
  return hir_op_broadcast (fusion, in, flags, rank, error);
}

/* Returns @val converted to @dtype: casts a tensor by an Expr, replaces a constant, keeps a symbol.
 * Returns NULL on error. */
static HirVal *
cast_operand (HirContainer *fusion, HirVal *val, HirDType dtype, GError **error)
{
  if (!HIR_IS_TENSOR (val))
    return HIR_VAL (hir_op_cast_scalar (fusion, HIR_SCALAR (val), dtype));
  if (val->dtype == dtype)
    return val;
  return HIR_VAL (hir_op_cast (fusion, HIR_TENSOR (val), dtype, error));
}

/* Casts the operands and then broadcasts them, in place. */
static gboolean
prepare_operands (
    HirContainer *fusion, HirVal **operands, guint n, guint rank, HirDType dtype, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      if (dtype == HIR_DTYPE_NULL)
        continue;
      operands[i] = cast_operand (fusion, operands[i], dtype, error);
      if (operands[i] == NULL)
        return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      if (!HIR_IS_TENSOR (operands[i]))
        continue;
      operands[i] = HIR_VAL (broadcast_to_rank (fusion, HIR_TENSOR (operands[i]), rank, error));
      if (operands[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static HirTensor *
new_output (HirContainer *fusion,
            const char *op,
            HirVal *const *operands,
            guint n,
            guint rank,
            HirDType dtype,
            GError **error)
{
  g_autofree HirOpAxis *items = g_new (HirOpAxis, n);
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (rank, 1));
  HirTensor *out;

  for (guint i = 0; i < rank; i++)
    {
      HirOpAxisGroup group = collect_axes (operands, n, rank, i, items);

      if (!hir_op_check_parallel (fusion, op, &group, error))
        return NULL;
    }
  for (guint i = 0; i < rank; i++)
    {
      HirOpAxisGroup group = collect_axes (operands, n, rank, i, items);

      ids[i] = hir_op_join_axes (fusion, &group);
    }
  out = hir_tensor_new (fusion, dtype, ids, rank);
  hir_op_inherit (out, operands, n);
  return out;
}

static HirTensor *
new_elementwise (HirContainer *fusion,
                 HirExprKind kind,
                 const char *op,
                 HirVal *const *operands,
                 guint n,
                 HirDType dtype,
                 HirDType out_dtype,
                 GError **error)
{
  guint rank = get_highest_rank (operands, n);
  g_autofree HirOpAxis *items = g_new (HirOpAxis, n);
  g_autofree HirVal **prepared = g_memdup2 (operands, sizeof *operands * n);
  HirTensor *out;

  /* Checked before any node is created, so that the message names what the script wrote. */
  for (guint i = 0; i < rank; i++)
    {
      HirOpAxisGroup group = collect_axes (operands, n, rank, i, items);

      if (!hir_op_check_extents (fusion, op, NULL, &group, TRUE, error))
        return NULL;
    }
  if (!prepare_operands (fusion, prepared, n, rank, dtype, error))
    return NULL;
  out = new_output (fusion, op, prepared, n, rank, out_dtype, error);
  if (out == NULL)
    return NULL;
  hir_op_add (fusion, kind, prepared, n, out);
  return out;
}

static HirTensor *
new_set (HirContainer *fusion, HirTensor *in, HirSetKind kind, GError **error)
{
  const char *op = kind == HIR_SET_SET ? "set" : "segment_set";
  HirTensor *out = new_elementwise (fusion, HIR_EXPR_SET, op, (HirVal *[]){ HIR_VAL (in) }, 1,
                                    HIR_DTYPE_NULL, in->base.dtype, error);

  if (out == NULL)
    return NULL;
  out->definition->u.set.kind = kind;
  out->definition->u.set.streaming = kind == HIR_SET_SET;
  return out;
}

HirTensor *
hir_op_set (HirContainer *fusion, HirTensor *in, GError **error)
{
  return new_set (fusion, in, HIR_SET_SET, error);
}

HirTensor *
hir_op_concretize (HirContainer *fusion, HirTensor *in, const gboolean *flags)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (in, &n);
  HirVal *inputs[] = { HIR_VAL (in) };
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < n; i++)
    ids[i] = flags[i] && ids[i]->expanded_extent != NULL
                 ? hir_iter_domain_new (fusion, ids[i]->expanded_extent, HIR_ITER_ITERATION)
                 : hir_iter_domain_dup (fusion, ids[i], TRUE);
  out = hir_tensor_new (fusion, in->base.dtype, ids, n);
  hir_op_inherit (out, inputs, 1);
  expr = hir_op_add (fusion, HIR_EXPR_SET, inputs, 1, out);
  expr->u.set.kind = HIR_SET_SET;
  expr->u.set.streaming = TRUE;
  return out;
}

HirTensor *
hir_op_segment_set (HirContainer *fusion, HirTensor *in, GError **error)
{
  return new_set (fusion, in, HIR_SET_SEGMENTER, error);
}

HirTensor *
hir_op_cast (HirContainer *fusion, HirTensor *in, HirDType dtype, GError **error)
{
  HirTensor *out;

  if (in->base.dtype == dtype)
    return hir_op_set (fusion, in, error);
  if (hir_dtype_is_complex (in->base.dtype) && !hir_dtype_is_complex (dtype))
    {
      g_autofree char *label = hir_tensor_dup_label (in);

      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "cast: %s is complex, but %s is not; take the real part", label,
                     hir_dtype_get_script_name (dtype));
      return NULL;
    }

  out = new_elementwise (fusion, HIR_EXPR_UNARY, "cast", (HirVal *[]){ HIR_VAL (in) }, 1,
                         HIR_DTYPE_NULL, dtype, error);
  if (out != NULL)
    out->definition->u.unary.op = HIR_UNARY_CAST;
  return out;
}

/* How the type of a result depends on the types of the operands. */
typedef enum
{
  RULE_FLOAT,    /* integers are converted to Float: the default, because it fits most ops */
  RULE_SAME,     /* any type, unchanged */
  RULE_NUMBER,   /* any type except bool, unchanged */
  RULE_ROUND,    /* floating point; no effect on integers */
  RULE_BITS,     /* integers and bool, unchanged */
  RULE_INTEGER,  /* integers, unchanged */
  RULE_QUESTION, /* any type; the result is Bool */
} TypeRule;

static const TypeRule unary_rules[HIR_N_UNARY_OPS] = {
  [HIR_UNARY_ABS] = RULE_NUMBER,           [HIR_UNARY_NEG] = RULE_NUMBER,
  [HIR_UNARY_RELU] = RULE_NUMBER,          [HIR_UNARY_CEIL] = RULE_ROUND,
  [HIR_UNARY_FLOOR] = RULE_ROUND,          [HIR_UNARY_ROUND] = RULE_ROUND,
  [HIR_UNARY_TRUNC] = RULE_ROUND,          [HIR_UNARY_BITWISE_NOT] = RULE_BITS,
  [HIR_UNARY_LOGICAL_NOT] = RULE_QUESTION, [HIR_UNARY_SIGNBIT] = RULE_QUESTION,
  [HIR_UNARY_ISFINITE] = RULE_QUESTION,    [HIR_UNARY_ISINF] = RULE_QUESTION,
  [HIR_UNARY_ISNAN] = RULE_QUESTION,       [HIR_UNARY_ISNEGINF] = RULE_QUESTION,
  [HIR_UNARY_ISPOSINF] = RULE_QUESTION,    [HIR_UNARY_ISREAL] = RULE_QUESTION,
};

static const TypeRule binary_rules[HIR_N_BINARY_OPS] = {
  [HIR_BINARY_ADD] = RULE_SAME,
  [HIR_BINARY_SUB] = RULE_NUMBER,
  [HIR_BINARY_MUL] = RULE_SAME,
  [HIR_BINARY_DIV] = RULE_NUMBER,
  [HIR_BINARY_MOD] = RULE_INTEGER,
  [HIR_BINARY_FMOD] = RULE_NUMBER,
  [HIR_BINARY_REMAINDER] = RULE_NUMBER,
  [HIR_BINARY_POW] = RULE_NUMBER,
  [HIR_BINARY_MAX] = RULE_SAME,
  [HIR_BINARY_MIN] = RULE_SAME,
  [HIR_BINARY_GCD] = RULE_INTEGER,
  [HIR_BINARY_EQ] = RULE_QUESTION,
  [HIR_BINARY_NE] = RULE_QUESTION,
  [HIR_BINARY_LT] = RULE_QUESTION,
  [HIR_BINARY_LE] = RULE_QUESTION,
  [HIR_BINARY_GT] = RULE_QUESTION,
  [HIR_BINARY_GE] = RULE_QUESTION,
  [HIR_BINARY_LOGICAL_AND] = RULE_QUESTION,
  [HIR_BINARY_LOGICAL_OR] = RULE_QUESTION,
  [HIR_BINARY_BITWISE_AND] = RULE_BITS,
  [HIR_BINARY_BITWISE_OR] = RULE_BITS,
  [HIR_BINARY_BITWISE_XOR] = RULE_BITS,
  [HIR_BINARY_LSHIFT] = RULE_INTEGER,
  [HIR_BINARY_RSHIFT] = RULE_INTEGER,
};

static const char *
get_wanted_type (TypeRule rule)
{
  switch (rule)
    {
    case RULE_NUMBER:
      return "numbers, not bool";
    case RULE_BITS:
      return "integers or bool";
    case RULE_INTEGER:
      return "integers";
    default:
      return NULL;
    }
}

/* Sets *@in to the type to cast operands of type @common to, and *@out to the type of the output.
 */
static gboolean
apply_rule (HirContainer *fusion,
            const char *op,
            TypeRule rule,
            HirDType common,
            HirDType *in,
            HirDType *out,
            GError **error)
{
  gboolean is_bool = common == HIR_DTYPE_BOOL;
  gboolean is_integral = hir_dtype_is_integral (common);

  *in = *out = common;
  if (rule == RULE_FLOAT && (is_bool || is_integral))
    *in = *out = HIR_DTYPE_FLOAT;
  if (rule == RULE_QUESTION)
    *out = HIR_DTYPE_BOOL;
  if ((rule == RULE_NUMBER && is_bool) || (rule == RULE_BITS && !is_bool && !is_integral) ||
      (rule == RULE_INTEGER && !is_integral))
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "%s: the operands must be %s, but they are %s; cast them first", op,
                     get_wanted_type (rule), hir_dtype_get_script_name (common));
      return FALSE;
    }
  return TRUE;
}

HirTensor *
hir_op_unary (HirContainer *fusion, HirUnaryOp op, HirTensor *in, GError **error)
{
  const char *name = hir_unary_op_get_name (op);
  TypeRule rule = unary_rules[op];
  HirDType in_dtype, out_dtype;
  HirTensor *out;

  g_return_val_if_fail (op != HIR_UNARY_CAST, NULL);

  if (rule == RULE_ROUND)
    {
      if (!hir_dtype_is_floating_point (in->base.dtype))
        return hir_op_set (fusion, in, error);
      rule = RULE_SAME;
    }
  if (!apply_rule (fusion, name, rule, in->base.dtype, &in_dtype, &out_dtype, error))
    return NULL;
  if (op == HIR_UNARY_ABS && hir_dtype_is_complex (out_dtype))
    out_dtype = out_dtype == HIR_DTYPE_COMPLEX_DOUBLE ? HIR_DTYPE_DOUBLE : HIR_DTYPE_FLOAT;
  out = new_elementwise (fusion, HIR_EXPR_UNARY, name, (HirVal *[]){ HIR_VAL (in) }, 1, in_dtype,
                         out_dtype, error);
  if (out != NULL)
    out->definition->u.unary.op = op;
  return out;
}

static gboolean
check_any_tensor (
    HirContainer *fusion, const char *op, HirVal *const *operands, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      if (HIR_IS_TENSOR (operands[i]))
        return TRUE;
    }
  hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                 "%s: all operands are scalars; one must be a tensor", op);
  return FALSE;
}

HirTensor *
hir_op_binary (HirContainer *fusion, HirBinaryOp op, HirVal *a, HirVal *b, GError **error)
{
  const char *name = hir_binary_op_get_name (op);
  HirVal *operands[] = { a, b };
  HirDType in_dtype, out_dtype;
  HirTensor *out;

  if (!check_any_tensor (fusion, name, operands, 2, error) ||
      !apply_rule (fusion, name, binary_rules[op], hir_op_get_common_dtype (operands, 2), &in_dtype,
                   &out_dtype, error))
    return NULL;
  out = new_elementwise (fusion, HIR_EXPR_BINARY, name, operands, 2, in_dtype, out_dtype, error);
  if (out != NULL)
    out->definition->u.binary.op = op;
  return out;
}

static HirTensor *
new_ternary (HirContainer *fusion,
             HirTernaryOp op,
             HirVal *const *operands,
             HirDType in_dtype,
             HirDType out_dtype,
             GError **error)
{
  HirTensor *out = new_elementwise (fusion, HIR_EXPR_TERNARY, hir_ternary_op_get_name (op),
                                    operands, 3, in_dtype, out_dtype, error);

  if (out != NULL)
    out->definition->u.ternary.op = op;
  return out;
}

/* Converts the condition to Bool and both choices to one type. */
static HirTensor *
new_where (HirContainer *fusion, HirVal *const *operands, GError **error)
{
  /* Two scalars keep their own types: two doubles give a double. */
  HirDType dtype = !HIR_IS_TENSOR (operands[1]) && !HIR_IS_TENSOR (operands[2])
                       ? hir_dtype_promote (operands[1]->dtype, FALSE, operands[2]->dtype, FALSE)
                       : hir_op_get_common_dtype (operands + 1, 2);
  HirVal *cast[3];

  for (guint i = 0; i < 3; i++)
    {
      cast[i] = cast_operand (fusion, operands[i], i == 0 ? HIR_DTYPE_BOOL : dtype, error);
      if (cast[i] == NULL)
        return NULL;
    }
  return new_ternary (fusion, HIR_TERNARY_WHERE, cast, HIR_DTYPE_NULL, dtype, error);
}

/* Computes a + b * (c * value) by binary ops, as nvFuser does. */
static HirTensor *
new_addcmul (HirContainer *fusion, HirVal *const *operands, GError **error)
{
  HirTensor *scaled = hir_op_binary (fusion, HIR_BINARY_MUL, operands[2], operands[3], error);
  HirTensor *product;

  if (scaled == NULL)
    return NULL;
  product = hir_op_binary (fusion, HIR_BINARY_MUL, operands[1], HIR_VAL (scaled), error);
  if (product == NULL)
    return NULL;
  return hir_op_binary (fusion, HIR_BINARY_ADD, operands[0], HIR_VAL (product), error);
}

HirTensor *
hir_op_ternary (HirContainer *fusion,
                HirTernaryOp op,
                HirVal *const *operands,
                guint n_operands,
                GError **error)
{
  const char *name = hir_ternary_op_get_name (op);
  TypeRule rule = op == HIR_TERNARY_LERP ? RULE_FLOAT : RULE_SAME;
  HirDType in_dtype, out_dtype;

  g_return_val_if_fail (n_operands == (op == HIR_TERNARY_ADDCMUL ? 4 : 3), NULL);

  if (!check_any_tensor (fusion, name, operands, n_operands, error))
    return NULL;
  if (op == HIR_TERNARY_WHERE)
    return new_where (fusion, operands, error);
  if (op == HIR_TERNARY_ADDCMUL)
    return new_addcmul (fusion, operands, error);
  if (!apply_rule (fusion, name, rule, hir_op_get_common_dtype (operands, n_operands), &in_dtype,
                   &out_dtype, error))
    return NULL;
  return new_ternary (fusion, op, operands, in_dtype, out_dtype, error);
}
