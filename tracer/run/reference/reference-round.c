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
  rounding->n_extra = 0;
  rounding->keeps_type = FALSE;
}

static gboolean
is_representable (HirDType dtype, double value)
{
  guint64 element;

  hir_element_set_double (dtype, &element, value);
  return hir_element_get_double (dtype, &element) == value;
}

double
hir_ref_get_unit (HirDType dtype)
{
  return get_float_type (dtype)->unit;
}

void
hir_ref_tighten (HirRefCell *cell)
{
  cell->e = fmin (cell->e, HIR_REF_LAMBDA * (cell->norm.own + cell->norm.shared));
}

/* Results that round beyond the largest value are infinite; near this limit both are correct. */
static void
limit (const HirRefRounding *rounding, HirRefCell *cell)
{
  double magnitude = fabs (cell->v), beyond = rounding->max_out * (1 + rounding->u_out);

  if (isnan (cell->e))
    cell->e = INFINITY;
  if (rounding->u_out > 0 && magnitude - cell->e >= beyond)
    {
      cell->v = copysign (INFINITY, cell->v);
      cell->e = 0;
      cell->norm = (HirRefNorm){ 0, 0 };
    }
  else if (rounding->u_out > 0 && magnitude + cell->e >= beyond)
    cell->e = INFINITY;
  if (isinf (cell->e))
    cell->norm.own = INFINITY;
}

/* Sets the error of a NaN or infinite value. Returns TRUE if @cell has one. An uncertain operand
 * may or may not have been outside of the domain. */
static gboolean
resolve_special (HirRefCell *cell)
{
  if (isfinite (cell->v))
    return FALSE;
  if (isnan (cell->v))
    cell->e = cell->e > 0 || isnan (cell->e) ? INFINITY : 0;
  else
    cell->e = isinf (cell->e) ? INFINITY : 0;
  cell->norm = (HirRefNorm){ cell->e, 0 };
  return TRUE;
}

void
hir_ref_round (const HirRefRounding *rounding, HirRefCell *cell, double k, double terms)
{
  if (resolve_special (cell))
    return;
  if (k < 0 &&
      (rounding->keeps_type || (cell->e == 0 && is_representable (rounding->out, cell->v))))
    return;
  if (k >= 0)
    cell->e += (k + 2) * (rounding->u_acc * terms + rounding->tiny_acc);
  cell->e += rounding->u_out * (fabs (cell->v) + cell->e) + rounding->tiny_out;
  limit (rounding, cell);
}

void
hir_ref_add_carried (const HirRefRounding *rounding,
                     HirRefCell *cell,
                     const HirRefCell *carried,
                     gboolean alike)
{
  double fresh = cell->e;

  cell->v = carried->v;
  cell->norm = carried->norm;
  cell->e = carried->e;
  if (resolve_special (cell))
    return;
  hir_ref_tighten (cell);
  cell->e += fresh + rounding->u_out * cell->e;
  if (alike)
    cell->norm.shared += HIR_REF_ROUNDING * fresh;
  else
    cell->norm.own = hypot (cell->norm.own, HIR_REF_ROUNDING * fresh);
  limit (rounding, cell);
}

void
hir_ref_round_sum (
    const HirRefRounding *rounding, HirRefCell *cell, double k, double terms, double path)
{
  double n_extra = rounding->n_extra, u_out = rounding->u_out;
  double worst = (k + 2) * (rounding->u_acc * terms + rounding->tiny_acc) +
                 n_extra * u_out * (1 + rounding->u_acc * (k + 2)) * terms;
  double out = u_out * fabs (cell->v) + rounding->tiny_out, fresh = worst;

  if (resolve_special (cell))
    return;
  hir_ref_tighten (cell);
  if (path >= 0)
    {
      /* The mean square of a partial sum is path^2 / k. */
      fresh = hypot (rounding->u_acc * path + rounding->tiny_acc * sqrt (k + 2),
                     u_out * path * sqrt (n_extra / fmax (k, 1)));
      worst = fmin (worst, HIR_REF_LAMBDA * fresh);
    }
  cell->e += worst;
  cell->e += out + u_out * cell->e;
  if (path >= 0)
    cell->norm.own = hypot (cell->norm.own, hypot (fresh, HIR_REF_ROUNDING * out));
  else
    {
      cell->norm.own = hypot (cell->norm.own, HIR_REF_ROUNDING * out);
      cell->norm.shared += fresh;
    }
  limit (rounding, cell);
}

void
hir_ref_enter (const HirRefRounding *rounding, HirDType dtype, HirRefCell *cell)
{
  gboolean is_int = !hir_dtype_is_floating_point (dtype);
  double added = 0;

  if (rounding->klass == HIR_CLASS_U64)
    cell->v = (double) (guint64) cell->i; /* negative scalars wrap */
  else if (rounding->klass == HIR_CLASS_F32 && isfinite (cell->v) &&
           (double) (float) cell->v != cell->v && (is_int || dtype == HIR_DTYPE_DOUBLE))
    added = 0x1p-24 * fabs (cell->v) + 0x1p-150;
  else if (rounding->klass == HIR_CLASS_F64 && is_int && fabs (cell->v) > 0x1p53)
    added = 0x1p-53 * fabs (cell->v);
  cell->e += added;
  cell->norm.own = hypot (cell->norm.own, added);
}
