/* Rounding errors of types and compute classes. */
#include <float.h>
#include <math.h>

#include "run/reference/reference-round.h"

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
  rounding->to_float = hir_dtype_is_floating_point (out);
  /* Add the error of the reference, which is computed in double. */
  rounding->u_acc = acc == HIR_DTYPE_INT ? 0 : acc_type->unit + 0x1p-53;
  rounding->tiny_acc = acc_type->tiny;
  rounding->u_out = out_type->unit;
  rounding->tiny_out = out_type->tiny;
  rounding->max_out = out_type->largest;
  rounding->normal = fmax (acc_type->unit > 0 ? acc_type->tiny / acc_type->unit : 0,
                           out_type->unit > 0 ? out_type->tiny / out_type->unit : 0);
  rounding->n_extra = 0;
  rounding->operands_are_exact = rounding->operands_are_inexact = FALSE;
  rounding->keeps_type = FALSE;
}

double
hir_ref_get_unit (HirDType dtype)
{
  return get_float_type (dtype)->unit;
}

void
hir_ref_round_sum (
    const HirRefRounding *rounding, HirRefCell *cell, double k, double terms, double path)
{
  double n_extra = rounding->n_extra, u_out = rounding->u_out;
  double worst = (k + 2) * (rounding->u_acc * terms + rounding->tiny_acc) +
                 n_extra * u_out * (1 + rounding->u_acc * (k + 2)) * terms;
  double out = u_out * fabs (cell->v) + rounding->tiny_out, fresh = worst;

  if (hir_ref_resolve_special (cell))
    return;
  hir_ref_tighten (cell);
  if (path >= 0)
    {
      /* The mean square of a partial sum is path^2 / k. */
      fresh = hir_ref_hypot (rounding->u_acc * path + rounding->tiny_acc * sqrt (k + 2),
                             u_out * path * sqrt (n_extra / fmax (k, 1)));
      worst = fmin (worst, HIR_REF_LAMBDA * fresh);
    }
  cell->e += worst;
  cell->e += out + u_out * cell->e;
  if (path >= 0)
    cell->norm.own = hir_ref_hypot (cell->norm.own, hir_ref_hypot (fresh, HIR_REF_ROUNDING * out));
  else
    {
      cell->norm.own = hir_ref_hypot (cell->norm.own, HIR_REF_ROUNDING * out);
      cell->norm.shared += fresh;
    }
  hir_ref_limit (rounding, cell);
}
