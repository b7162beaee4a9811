/* Implements ops of scalars. Constants are folded. Arithmetic gives a scalar expression; other ops
 * of scalars whose values are not known are computed as tensors without axes. */
#include "script/bindings-private.h"

#include <math.h>
#include <string.h>

/* Returns a tensor without axes that holds @scalar, or NULL and call->error. */
static HirTensor *
to_tensor (HirPyOpCall *call, HirScalar *scalar)
{
  return hir_op_full (call->fusion, NULL, 0, scalar, scalar->base.dtype, &call->error);
}

/* Returns `a op b` as a scalar of type @dtype. */
static HirPyValue
make (HirPyOpCall *call, HirScalarOp op, HirScalar *a, HirScalar *b, HirDType dtype)
{
  HirScalar *result;

  if (hir_dtype_is_integral (dtype))
    return hir_py_scalar (hir_scalar_new_op (call->fusion, op, a, b));
  result = hir_scalar_new_op_as_is (call->fusion, op, a, b);
  result->base.dtype = dtype;
  return hir_py_scalar (result);
}

static HirPyValue
constant (HirPyOpCall *call, double value, HirDType dtype)
{
  return hir_py_scalar (hir_scalar_new_double (call->fusion, value, dtype));
}

/* Returns FALSE if @op of a number is not computed here. */
static gboolean
fold_unary (HirUnaryOp op, double x, double *y)
{
  static const struct
  {
    HirUnaryOp op;
    double (*function) (double);
  } functions[] = {
    { HIR_UNARY_ABS, fabs },    { HIR_UNARY_CEIL, ceil },   { HIR_UNARY_COS, cos },
    { HIR_UNARY_EXP, exp },     { HIR_UNARY_EXP2, exp2 },   { HIR_UNARY_EXPM1, expm1 },
    { HIR_UNARY_ERF, erf },     { HIR_UNARY_FLOOR, floor }, { HIR_UNARY_LOG, log },
    { HIR_UNARY_LOG10, log10 }, { HIR_UNARY_LOG1P, log1p }, { HIR_UNARY_LOG2, log2 },
    { HIR_UNARY_ROUND, rint },  { HIR_UNARY_SIN, sin },     { HIR_UNARY_SQRT, sqrt },
    { HIR_UNARY_TAN, tan },     { HIR_UNARY_TANH, tanh },   { HIR_UNARY_TRUNC, trunc },
  };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (functions[i].op == op)
      {
        *y = functions[i].function (x);
        return TRUE;
      }
  return FALSE;
}

HirPyValue
hir_py_scalar_unary (HirPyOpCall *call, HirUnaryOp op, HirScalar *a)
{
  gboolean integral = !hir_dtype_is_floating_point (a->base.dtype);
  HirDType dtype = integral ? HIR_DTYPE_DOUBLE : a->base.dtype;
  HirTensor *tensor;
  double value;

  if (hir_dtype_is_complex (a->base.dtype))
    integral = FALSE;
  else if (op == HIR_UNARY_NEG)
    return make (call, HIR_SCALAR_OP_MUL, a,
                 integral ? hir_scalar_new_int (call->fusion, -1, a->base.dtype)
                          : hir_scalar_new_double (call->fusion, -1, dtype),
                 a->base.dtype);
  else if (op == HIR_UNARY_RECIPROCAL && hir_scalar_is_const (a))
    return constant (call, 1 / a->d, dtype);
  else if (op == HIR_UNARY_RECIPROCAL)
    return make (call, HIR_SCALAR_OP_DIV, hir_scalar_new_double (call->fusion, 1, dtype), a, dtype);
  else if (hir_scalar_is_const (a) && !integral && fold_unary (op, a->d, &value))
    return constant (call, value, dtype);
  else if (hir_scalar_is_const (a) && op == HIR_UNARY_SIGNBIT)
    return hir_py_scalar (hir_scalar_new_int (call->fusion,
                                              integral ? a->i < 0 : signbit (a->d) != 0,
                                              HIR_DTYPE_BOOL));
  tensor = to_tensor (call, a);
  return hir_py_op_result (call, tensor != NULL
                                     ? hir_op_unary (call->fusion, op, tensor, &call->error)
                                     : NULL);
}

HirPyValue
hir_py_scalar_cast (HirPyOpCall *call, HirScalar *a, HirDType dtype)
{
  gboolean from = hir_dtype_is_floating_point (a->base.dtype);
  HirTensor *tensor;

  gboolean is_real_const = hir_scalar_is_const (a) && !hir_dtype_is_complex (a->base.dtype);

  if (is_real_const && hir_dtype_is_floating_point (dtype))
    return constant (call, from ? a->d : (double) a->i, dtype);
  if (is_real_const && hir_dtype_is_integral (dtype) && fabs (a->d) < 9e15)
    return hir_py_scalar (hir_scalar_new_int (call->fusion, from ? (gint64) a->d : a->i, dtype));
  if (a->base.dtype == dtype)
    return hir_py_scalar (a);
  if (hir_dtype_is_floating_point (dtype) && !hir_dtype_is_complex (a->base.dtype))
    return make (call, HIR_SCALAR_OP_MUL, a, hir_scalar_new_double (call->fusion, 1, dtype), dtype);
  tensor = to_tensor (call, a);
  return hir_py_op_result (call, tensor != NULL
                                     ? hir_op_cast (call->fusion, tensor, dtype, &call->error)
                                     : NULL);
}

/* Returns FALSE if a scalar expression has no such op for values of @dtype. */
static gboolean
lookup_op (HirBinaryOp op, HirDType dtype, HirScalarOp *found)
{
  static const struct
  {
    HirBinaryOp op;
    HirScalarOp scalar;
    gboolean only_integral;
  } ops[] = {
    { HIR_BINARY_ADD, HIR_SCALAR_OP_ADD, FALSE }, { HIR_BINARY_SUB, HIR_SCALAR_OP_SUB, FALSE },
    { HIR_BINARY_MUL, HIR_SCALAR_OP_MUL, FALSE }, { HIR_BINARY_DIV, HIR_SCALAR_OP_DIV, FALSE },
    { HIR_BINARY_MAX, HIR_SCALAR_OP_MAX, FALSE }, { HIR_BINARY_MIN, HIR_SCALAR_OP_MIN, FALSE },
    { HIR_BINARY_MOD, HIR_SCALAR_OP_MOD, TRUE },  { HIR_BINARY_EQ, HIR_SCALAR_OP_EQ, TRUE },
    { HIR_BINARY_NE, HIR_SCALAR_OP_NE, TRUE },    { HIR_BINARY_LT, HIR_SCALAR_OP_LT, TRUE },
    { HIR_BINARY_LE, HIR_SCALAR_OP_LE, TRUE },    { HIR_BINARY_GT, HIR_SCALAR_OP_GT, TRUE },
    { HIR_BINARY_GE, HIR_SCALAR_OP_GE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (ops[i].op == op && (!ops[i].only_integral || hir_dtype_is_integral (dtype)))
      {
        *found = ops[i].scalar;
        return TRUE;
      }
  return FALSE;
}

/* Returns FALSE if @op of two numbers is not computed here. */
static gboolean
fold_binary (HirBinaryOp op, double a, double b, double *y)
{
  switch (op)
    {
    case HIR_BINARY_ADD:
      *y = a + b;
      return TRUE;
    case HIR_BINARY_SUB:
      *y = a - b;
      return TRUE;
    case HIR_BINARY_MUL:
      *y = a * b;
      return TRUE;
    case HIR_BINARY_DIV:
      *y = a / b;
      return TRUE;
    case HIR_BINARY_POW:
      *y = pow (a, b);
      return TRUE;
    case HIR_BINARY_MAX:
      *y = MAX (a, b);
      return TRUE;
    case HIR_BINARY_MIN:
      *y = MIN (a, b);
      return TRUE;
    default:
      return FALSE;
    }
}

/* Returns FALSE if @op of two integers or bools is not computed here. */
static gboolean
fold_ints (HirBinaryOp op, gint64 a, gint64 b, gint64 *y, gboolean *is_bool)
{
  *is_bool = TRUE;
  switch (op)
    {
    case HIR_BINARY_EQ:
      *y = a == b;
      return TRUE;
    case HIR_BINARY_NE:
      *y = a != b;
      return TRUE;
    case HIR_BINARY_LT:
      *y = a < b;
      return TRUE;
    case HIR_BINARY_LE:
      *y = a <= b;
      return TRUE;
    case HIR_BINARY_GT:
      *y = a > b;
      return TRUE;
    case HIR_BINARY_GE:
      *y = a >= b;
      return TRUE;
    case HIR_BINARY_LOGICAL_AND:
      *y = a != 0 && b != 0;
      return TRUE;
    case HIR_BINARY_LOGICAL_OR:
      *y = a != 0 || b != 0;
      return TRUE;
    default:
      break;
    }
  *is_bool = FALSE;
  switch (op)
    {
    case HIR_BINARY_BITWISE_AND:
      *y = a & b;
      return TRUE;
    case HIR_BINARY_BITWISE_OR:
      *y = a | b;
      return TRUE;
    case HIR_BINARY_BITWISE_XOR:
      *y = a ^ b;
      return TRUE;
    case HIR_BINARY_FMOD: /* C's remainder */
      *y = b > 0 ? a % b : 0;
      return b > 0;
    default:
      return FALSE;
    }
}

HirPyValue
hir_py_scalar_binary (HirPyOpCall *call, HirBinaryOp op, HirScalar *a, HirScalar *b)
{
  gint64 number;
  gboolean is_bool;

  HirDType dtype = hir_dtype_promote (a->base.dtype, FALSE, b->base.dtype, FALSE);
  gboolean is_real = !hir_dtype_is_complex (dtype) && dtype != HIR_DTYPE_BOOL, same;
  HirTensor *tensor;
  HirScalarOp scalar_op;
  double value;

  if (op == HIR_BINARY_TRUEDIV && is_real)
    {
      op = HIR_BINARY_DIV;
      if (!hir_dtype_is_floating_point (dtype))
        dtype = HIR_DTYPE_DOUBLE;
    }
  if (hir_dtype_is_integral (dtype) && hir_scalar_is_const_int (b, 0) &&
      (op == HIR_BINARY_DIV || op == HIR_BINARY_MOD))
    return hir_py_raise (call->py, "ZeroDivisionError", "division by zero");
  if (is_real && hir_dtype_is_floating_point (dtype) && hir_scalar_is_const (a) &&
      hir_scalar_is_const (b) && fold_binary (op, a->d, b->d, &value))
    return constant (call, value, dtype);
  if (!hir_dtype_is_floating_point (dtype) && !hir_dtype_is_complex (dtype) &&
      hir_scalar_is_const (a) && hir_scalar_is_const (b) &&
      fold_ints (op, a->i, b->i, &number, &is_bool))
    return hir_py_scalar (
        hir_scalar_new_int (call->fusion, number, is_bool ? HIR_DTYPE_BOOL : dtype));
  same = hir_dtype_is_integral (a->base.dtype) && hir_dtype_is_integral (b->base.dtype);
  if (is_real && lookup_op (op, same ? a->base.dtype : dtype, &scalar_op) &&
      (!hir_dtype_is_integral (dtype) || same))
    return make (call, scalar_op, a, b, dtype);
  tensor = to_tensor (call, a);
  return hir_py_op_result (call, tensor != NULL ? hir_op_binary (call->fusion, op, HIR_VAL (tensor),
                                                                 HIR_VAL (b), &call->error)
                                                : NULL);
}
