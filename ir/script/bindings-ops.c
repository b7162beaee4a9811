/* Implements fd.ops: every op of the IR (docs/host-ir.md#ops). Other ops of nvFuser are rejected.
 * */
#include "script/bindings-private.h"

#include <string.h>

/* Ops of nvFuser that are neither implemented nor opaque. */
static const char *const unimplemented[] = { "batch_norm", "instance_norm", NULL };

typedef struct
{
  const char *name;
  HirPyOp function;
} Op;

static HirPyValue
op_cast (HirPyOpCall *call)
{
  HirPyValue value = hir_py_none ();
  HirTensor *in = NULL;
  HirDType dtype =
      hir_py_to_dtype (call->py, hir_py_arg_required (call->py, call->args, 1, "dtype"), "cast");

  /* A cast to a narrower type would round like the types that the user replaces. */
  if (call->py->options->dtype == HIR_DTYPE_DOUBLE && hir_dtype_is_floating_point (dtype))
    dtype = HIR_DTYPE_DOUBLE;
  hir_py_arg (call->py, call->args, 0, "arg", &value);
  if (value.type != HIR_PY_SCALAR)
    in = hir_py_op_tensor (call, 0, "arg");
  if (!hir_py_op_begin (call, 2))
    return hir_py_none ();
  if (value.type == HIR_PY_SCALAR && dtype != HIR_DTYPE_NULL)
    return hir_py_scalar_cast (call, value.scalar, dtype);
  if (dtype == HIR_DTYPE_NULL)
    return hir_py_raise (call->py, "TypeError", "cast needs a DataType");
  return hir_py_op_result (call, hir_op_cast (call->fusion, in, dtype, &call->error));
}

static HirPyValue
copy_operand (HirPyOpCall *call, HirTensor *(*copy) (HirContainer *, HirTensor *, GError **) )
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");

  if (!hir_py_op_begin (call, 1))
    return hir_py_none ();
  return hir_py_op_result (call, copy (call->fusion, in, &call->error));
}

static HirPyValue
op_set (HirPyOpCall *call)
{
  return copy_operand (call, hir_op_set);
}

static HirPyValue
op_segment_set (HirPyOpCall *call)
{
  return copy_operand (call, hir_op_segment_set);
}

static HirPyValue
op_matmul (HirPyOpCall *call)
{
  HirTensor *a = hir_py_op_tensor (call, 0, "arg1"), *b = hir_py_op_tensor (call, 1, "arg2");

  if (!hir_py_op_begin (call, 2))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_matmul (call->fusion, a, b, &call->error));
}

static HirPyValue
op_linear (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg1"), *weight = hir_py_op_tensor (call, 1, "arg2"),
            *bias = NULL;
  HirPyValue value = hir_py_none ();

  if (hir_py_arg (call->py, call->args, 2, "bias", &value) && value.type != HIR_PY_NONE)
    bias = hir_py_op_to_tensor (call, value, "bias");
  if (!hir_py_op_begin (call, 3))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_linear (call->fusion, in, weight, bias, &call->error));
}

static HirPyValue
op_where (HirPyOpCall *call, HirTernaryOp op, const char *const *names, guint n)
{
  HirVal *operands[4];

  for (guint i = 0; i < n; i++)
    operands[i] = hir_py_op_operand (call, i, names[i]);
  if (!hir_py_op_begin (call, n))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_ternary (call->fusion, op, operands, n, &call->error));
}

static HirPyValue
call_ternary (HirPyOpCall *call, HirTernaryOp op)
{
  static const char *const names[HIR_N_TERNARY_OPS][4] = {
    [HIR_TERNARY_WHERE] = { "arg1", "arg2", "arg3" },
    [HIR_TERNARY_LERP] = { "start", "end", "weight" },
    [HIR_TERNARY_CLAMP] = { "arg", "min", "max" },
    [HIR_TERNARY_THRESHOLD] = { "arg", "threshold", "value" },
    [HIR_TERNARY_ADDCMUL] = { "arg1", "arg2", "arg3", "value" },
  };

  return op_where (call, op, names[op], op == HIR_TERNARY_ADDCMUL ? 4 : 3);
}

static HirPyValue
make_binary (HirPyOpCall *call, HirBinaryOp op, HirVal *a, HirVal *b)
{
  if (HIR_IS_SCALAR (a) && HIR_IS_SCALAR (b))
    return hir_py_scalar_binary (call, op, HIR_SCALAR (a), HIR_SCALAR (b));
  return hir_py_op_result (call, hir_op_binary (call->fusion, op, a, b, &call->error));
}

static HirPyValue
call_binary (HirPyOpCall *call, HirBinaryOp op)
{
  HirVal *a = hir_py_op_operand (call, 0, "arg1"), *b = hir_py_op_operand (call, 1, "arg2");

  if (!hir_py_op_begin (call, 2))
    return hir_py_none ();
  return make_binary (call, op, a, b);
}

static HirPyValue
call_unary (HirPyOpCall *call, HirUnaryOp op)
{
  HirPyValue value = hir_py_arg_required (call->py, call->args, 0, "arg");
  HirTensor *in;

  if (value.type == HIR_PY_SCALAR || hir_py_is_number (value))
    {
      HirScalar *scalar = hir_py_to_scalar (call->py, call->fusion, value, call->name);

      return hir_py_op_begin (call, 1) ? hir_py_scalar_unary (call, op, scalar) : hir_py_none ();
    }
  in = hir_py_op_tensor (call, 0, "arg");
  if (!hir_py_op_begin (call, 1))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_unary (call->fusion, op, in, &call->error));
}

static const Op ops[] = {
  { "cast", op_cast },
  { "set", op_set },
  { "segment_set", op_segment_set },
  { "matmul", op_matmul },
  { "linear", op_linear },
  { "broadcast", hir_py_op_broadcast },
  { "broadcast_in_dim", hir_py_op_broadcast_in_dim },
  { "reshape", hir_py_op_reshape },
  { "permute", hir_py_op_permute },
  { "expand", hir_py_op_expand },
  { "squeeze", hir_py_op_squeeze },
  { "slice", hir_py_op_slice },
  { "size", hir_py_op_size },
  { "shape", hir_py_op_shape },
  { "select", hir_py_op_select },
  { "pad", hir_py_op_pad },
  { "cat", hir_py_op_cat },
  { "iota", hir_py_op_iota },
  { "full", hir_py_op_full },
  { "var", hir_py_op_var },
  { "var_mean", hir_py_op_var_mean },
  { "welford", hir_py_op_welford },
  { "stride_order", hir_py_op_stride_order },
};

static const struct
{
  const char *name;
  HirBinaryOp op;
} reductions[] = {
  { "sum", HIR_BINARY_ADD },
  { "prod", HIR_BINARY_MUL },
  { "max", HIR_BINARY_MAX },
  { "min", HIR_BINARY_MIN },
};

static HirPyValue
unknown_op (HirPy *py, const char *name)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    g_ptr_array_add (known, (gpointer) ops[i].name);
  for (guint i = 0; i < G_N_ELEMENTS (reductions); i++)
    g_ptr_array_add (known, (gpointer) reductions[i].name);
  for (guint i = 0; i < HIR_N_UNARY_OPS; i++)
    g_ptr_array_add (known, (gpointer) hir_unary_op_get_name (i));
  for (guint i = 0; i < HIR_N_BINARY_OPS; i++)
    g_ptr_array_add (known, (gpointer) hir_binary_op_get_name (i));
  for (guint i = 0; i < HIR_N_TERNARY_OPS; i++)
    g_ptr_array_add (known, (gpointer) hir_ternary_op_get_name (i));
  return hir_py_fail (py, HIR_ERROR_INPUT, "fd.ops has no '%s'%s", name,
                      hir_py_suggest (py, name, (const char *const *) known->pdata, known->len));
}

HirPyValue
hir_py_call_op (HirPy *py, HirPyDefinition *definition, const char *name, HirPyArgs *args)
{
  HirPyOpCall call = { .py = py, .fusion = definition->container, .name = name, .args = args };
  HirTernaryOp ternary;
  HirBinaryOp binary;
  HirUnaryOp unary;

  hir_py_begin_node (py, definition->container);
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (strcmp (ops[i].name, name) == 0)
      return ops[i].function (&call);
  for (guint i = 0; i < G_N_ELEMENTS (reductions); i++)
    if (strcmp (reductions[i].name, name) == 0)
      return hir_py_op_reduction (&call, reductions[i].op);
  if (hir_py_op_is_opaque (name))
    return hir_py_op_opaque (&call);
  if (g_strv_contains (unimplemented, name))
    return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                        "fd.ops.%s is not implemented; build it from other ops, or "
                        "define its result as an input with define_tensor",
                        name);
  if (hir_unary_op_lookup (name, &unary))
    return call_unary (&call, unary);
  if (hir_binary_op_lookup (name, &binary))
    return call_binary (&call, binary);
  if (hir_ternary_op_lookup (name, &ternary))
    return call_ternary (&call, ternary);
  return unknown_op (py, name);
}

static gboolean
lookup_operator (guint token, HirBinaryOp *op)
{
  static const struct
  {
    HirTokenKind token;
    HirBinaryOp op;
  } operators[] = {
    { HIR_TOKEN_PLUS, HIR_BINARY_ADD },
    { HIR_TOKEN_MINUS, HIR_BINARY_SUB },
    { HIR_TOKEN_STAR, HIR_BINARY_MUL },
    { HIR_TOKEN_SLASH, HIR_BINARY_TRUEDIV },
    { HIR_TOKEN_PERCENT, HIR_BINARY_REMAINDER },
    { HIR_TOKEN_DOUBLE_STAR, HIR_BINARY_POW },
    { HIR_TOKEN_AMPERSAND, HIR_BINARY_BITWISE_AND },
    { HIR_TOKEN_BAR, HIR_BINARY_BITWISE_OR },
    { HIR_TOKEN_CARET, HIR_BINARY_BITWISE_XOR },
    { HIR_TOKEN_LSHIFT, HIR_BINARY_LSHIFT },
    { HIR_TOKEN_RSHIFT, HIR_BINARY_RSHIFT },
    { HIR_TOKEN_EQ, HIR_BINARY_EQ },
    { HIR_TOKEN_NE, HIR_BINARY_NE },
    { HIR_TOKEN_LT, HIR_BINARY_LT },
    { HIR_TOKEN_LE, HIR_BINARY_LE },
    { HIR_TOKEN_GT, HIR_BINARY_GT },
    { HIR_TOKEN_GE, HIR_BINARY_GE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (operators[i].token == token)
      {
        *op = operators[i].op;
        return TRUE;
      }
  return FALSE;
}

/* Evaluates `-x`, `~x` or `+x`. */
static HirPyValue
unary_operator (HirPyOpCall *call, guint op, HirPyValue value)
{
  if (op == HIR_TOKEN_PLUS)
    return value;
  if (value.type == HIR_PY_SCALAR)
    return hir_py_scalar_unary (call, op == HIR_TOKEN_MINUS ? HIR_UNARY_NEG : HIR_UNARY_BITWISE_NOT,
                                value.scalar);
  return hir_py_op_result (call, hir_op_unary (call->fusion,
                                               op == HIR_TOKEN_MINUS ? HIR_UNARY_NEG
                                                                     : HIR_UNARY_BITWISE_NOT,
                                               value.tensor, &call->error));
}

HirPyValue
hir_py_tensor_operator (HirPy *py, guint op, HirPyValue a, HirPyValue b)
{
  HirPyValue first = a.type == HIR_PY_TENSOR || a.type == HIR_PY_SCALAR ? a : b;
  HirContainer *fusion =
      first.type == HIR_PY_TENSOR ? first.tensor->base.container : first.scalar->base.container;
  HirPyOpCall call = { .py = py, .fusion = fusion, .name = hir_token_kind_get_text (op) };
  HirVal *left, *right;
  HirBinaryOp binary;

  hir_py_begin_node (py, fusion);
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (b.type == HIR_PY_NONE && a.type == first.type &&
      (op == HIR_TOKEN_MINUS || op == HIR_TOKEN_PLUS || op == HIR_TOKEN_TILDE))
    return unary_operator (&call, op, a);
  if (op == HIR_TOKEN_AT)
    {
      HirTensor *x = hir_py_op_to_tensor (&call, a, "the left side of '@'");
      HirTensor *y = hir_py_op_to_tensor (&call, b, "the right side of '@'");

      return x != NULL && y != NULL
                 ? hir_py_op_result (&call, hir_op_matmul (fusion, x, y, &call.error))
                 : hir_py_none ();
    }
  if (!lookup_operator (op, &binary))
    {
      if (op == HIR_TOKEN_DOUBLE_SLASH && a.type != HIR_PY_TENSOR && b.type != HIR_PY_TENSOR)
        binary = HIR_BINARY_DIV; /* sizes are not negative */
      else
        return hir_py_raise (py, "TypeError", "'%s' does not work on a %s", call.name,
                             hir_py_type_name (first));
    }
  left = hir_py_op_to_operand (&call, a, "the left side");
  right = hir_py_op_to_operand (&call, b, "the right side");
  return left != NULL && right != NULL ? make_binary (&call, binary, left, right) : hir_py_none ();
}
