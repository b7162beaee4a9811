/* Rounding errors of types and compute classes. */
#include <float.h>
#include <math.h>

#include "run/reference/reference-private.h"

/* Half a unit in the last place of 1, half of the smallest positive value, and the largest finite
 * value. */
typedef struct
{
  HirDType dtype;
  double unit, tiny, largest;
} FloatType;

static const FloatType float_types[] = {
  { HIR_DTYPE_DOUBLE, 0x1p-53, 0x1p-1074, DBL_MAX },
  { HIR_DTYPE_FLOAT, 0x1p-24, 0x1p-150, FLT_MAX },
  { HIR_DTYPE_HALF, 0x1p-11, 0x1p-25, 65504 },
  { HIR_DTYPE_BFLOAT16, 0x1p-8, 0x1p-134, 0x1.fep127 },
};

static const FloatType *
get_float_type (HirDType dtype)
{
  static const FloatType none = { HIR_DTYPE_INT, 0, 0, DBL_MAX };

  for (guint i = 0; i < G_N_ELEMENTS (float_types); i++)
    if (float_types[i].dtype == dtype)
      return &float_types[i];
  return &none;
}

void
hir_ref_rounding_init (HirRefRounding *rounding, HirComputeClass klass, HirDType out)
{
  HirDType acc = klass == HIR_CLASS_F32   ? HIR_DTYPE_FLOAT
                 : klass == HIR_CLASS_F64 ? HIR_DTYPE_DOUBLE
                                          : HIR_DTYPE_INT;
  const FloatType *acc_type = get_float_type (acc), *out_type = get_float_type (out);

  rounding->klass = klass;
  rounding->out = out;
  /* Add the error of the reference, which is computed in double. */
  rounding->u_acc = acc == HIR_DTYPE_INT ? 0 : acc_type->unit + 0x1p-53;
  rounding->tiny_acc = acc_type->tiny;
  rounding->u_out = out_type->unit;
  rounding->tiny_out = out_type->tiny;
  rounding->max_out = out_type->largest;
  rounding->u_partial = 0;
}

static gboolean
is_representable (HirDType dtype, double value)
{
  guint64 element;

  hir_element_set_double (dtype, &element, value);
  return hir_element_get_double (dtype, &element) == value;
}

void
hir_ref_round (const HirRefRounding *rounding, HirRefCell *cell, double k, double terms)
{
  double magnitude, beyond;

  if (isnan (cell->v)) /* an uncertain operand may or may not have been outside of the domain */
    {
      cell->e = cell->e > 0 || isnan (cell->e) ? INFINITY : 0;
      return;
    }
  if (isinf (cell->v))
    {
      cell->e = isinf (cell->e) ? INFINITY : 0;
      return;
    }
  if (k < 0 && cell->e == 0 && is_representable (rounding->out, cell->v))
    return;
  if (k >= 0)
    cell->e += (k + 2) * (rounding->u_acc * terms + rounding->tiny_acc) +
               rounding->u_partial * (1 + rounding->u_acc * (k + 2)) * terms;
  cell->e += rounding->u_out * (fabs (cell->v) + cell->e) + rounding->tiny_out;
  if (isnan (cell->e))
    cell->e = INFINITY;
  /* Results that round beyond the largest value are infinite; near this limit both are correct. */
  magnitude = fabs (cell->v);
  beyond = rounding->max_out * (1 + rounding->u_out);
  if (rounding->u_out > 0 && magnitude - cell->e >= beyond)
    {
      cell->v = copysign (INFINITY, cell->v);
      cell->e = 0;
    }
  else if (rounding->u_out > 0 && magnitude + cell->e >= beyond)
    cell->e = INFINITY;
}

void
hir_ref_enter (const HirRefRounding *rounding, HirDType dtype, HirRefCell *cell)
{
  gboolean is_int = !hir_dtype_is_floating_point (dtype);

  if (rounding->klass == HIR_CLASS_U64)
    cell->v = (double) (guint64) cell->i; /* negative scalars wrap */
  else if (rounding->klass == HIR_CLASS_F32 && isfinite (cell->v) &&
           (double) (float) cell->v != cell->v && (is_int || dtype == HIR_DTYPE_DOUBLE))
    cell->e += 0x1p-24 * fabs (cell->v) + 0x1p-150;
  else if (rounding->klass == HIR_CLASS_F64 && is_int && fabs (cell->v) > 0x1p53)
    cell->e += 0x1p-53 * fabs (cell->v);
}
