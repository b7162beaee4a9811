/* Element types of op outputs, promoted as in torch. */
#include "ops/ops-private.h"

/* bool < integral < floating point < complex; a missing category is below all others. */
static int
get_category (HirDType dtype)
{
  if (dtype == HIR_DTYPE_NULL)
    return -1;
  if (hir_dtype_is_complex (dtype))
    return 3;
  if (hir_dtype_is_floating_point (dtype))
    return 2;
  return dtype == HIR_DTYPE_BOOL ? 0 : 1;
}

static HirDType
promote_within (HirDType a, HirDType b)
{
  if (a == HIR_DTYPE_NULL || b == HIR_DTYPE_NULL)
    return a == HIR_DTYPE_NULL ? b : a;
  return hir_dtype_promote (a, FALSE, b, FALSE);
}

/* Returns the type of a scalar operand: the default type of its category. */
static HirDType
get_default_dtype (HirDType dtype)
{
  switch (get_category (dtype))
    {
    case 3:
      return HIR_DTYPE_COMPLEX_FLOAT;
    case 2:
      return HIR_DTYPE_FLOAT;
    case 1:
      return HIR_DTYPE_INT;
    default:
      return dtype;
    }
}

/* Ignores @lower unless its category is above @higher's. */
static HirDType
combine (HirDType higher, HirDType lower)
{
  return get_category (lower) > get_category (higher) ? promote_within (higher, lower) : higher;
}

HirDType
hir_op_get_common_dtype (HirVal *const *vals, guint n)
{
  HirDType with_axes = HIR_DTYPE_NULL, without_axes = HIR_DTYPE_NULL, scalars = HIR_DTYPE_NULL;

  for (guint i = 0; i < n; i++)
    {
      if (!HIR_IS_TENSOR (vals[i]))
        scalars = promote_within (scalars, get_default_dtype (vals[i]->dtype));
      else if (hir_op_get_rank (HIR_TENSOR (vals[i])) > 0)
        with_axes = promote_within (with_axes, vals[i]->dtype);
      else
        without_axes = promote_within (without_axes, vals[i]->dtype);
    }
  return combine (combine (with_axes, without_axes), scalars);
}

HirScalar *
hir_op_cast_scalar (HirContainer *fusion, HirScalar *scalar, HirDType dtype)
{
  gboolean was_floating = hir_dtype_is_floating_point (scalar->base.dtype);

  /* A complex number keeps its imaginary part; no back end computes with it. */
  if (get_category (scalar->base.dtype) == get_category (dtype) || !hir_scalar_is_const (scalar) ||
      hir_dtype_is_complex (dtype) || hir_dtype_is_complex (scalar->base.dtype))
    return scalar;
  if (hir_dtype_is_floating_point (dtype))
    return hir_scalar_new_double (fusion, was_floating ? scalar->d : (double) scalar->i, dtype);
  if (dtype == HIR_DTYPE_BOOL)
    return hir_scalar_new_int (fusion, was_floating ? scalar->d != 0 : scalar->i != 0, dtype);
  /* An out-of-range conversion is undefined in C, and its result in torch is arbitrary. */
  if (was_floating && !(scalar->d > -9.2e18 && scalar->d < 9.2e18))
    return hir_scalar_new_int (fusion, scalar->d > 0 ? G_MAXINT64 : G_MININT64, dtype);
  return hir_scalar_new_int (fusion, was_floating ? (gint64) scalar->d : scalar->i, dtype);
}
