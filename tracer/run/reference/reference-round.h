/* Rounding of single elements; inline, because each op rounds each element several times. */
#pragma once

#include <math.h>

#include "run/reference/reference-private.h"
#include "run/values/half.h"

G_BEGIN_DECLS

/* Returns whether @dtype has the finite @value. */
static inline gboolean
hir_ref_is_representable (HirDType dtype, double value)
{
  switch (dtype)
    {
    case HIR_DTYPE_FLOAT:
      return (double) (float) value == value;
    case HIR_DTYPE_HALF:
      return (double) hir_half_to_float (hir_half_from_float ((float) value)) == value;
    case HIR_DTYPE_BFLOAT16:
      return (double) hir_bfloat16_to_float (hir_bfloat16_from_float ((float) value)) == value;
    default:
      return TRUE;
    }
}

/* Lowers the bound of @cell to HIR_REF_LAMBDA times its norms. */
static inline void
hir_ref_tighten (HirRefCell *cell)
{
  cell->e = fmin (cell->e, HIR_REF_LAMBDA * (cell->norm.own + cell->norm.shared));
}

/* Results that round beyond the largest value are infinite; near this limit both are correct. */
static inline void
hir_ref_limit (const HirRefRounding *rounding, HirRefCell *cell)
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
static inline gboolean
hir_ref_resolve_special (HirRefCell *cell)
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

/* Adds the error of the op for @k terms with magnitudes that sum to @terms, and rounds to the
 * result type; a value beyond its range becomes infinite. @k < 0: the op only rounds, and
 * representable results of exact operands are exact. */
static inline void
hir_ref_round (const HirRefRounding *rounding, HirRefCell *cell, double k, double terms)
{
  if (hir_ref_resolve_special (cell))
    return;
  if (k < 0 && (rounding->keeps_type || (cell->e == 0 && !rounding->operands_are_inexact &&
                                         hir_ref_is_representable (rounding->out, cell->v))))
    return;
  if (k >= 0)
    cell->e += (k + 2) * (rounding->u_acc * terms + rounding->tiny_acc);
  cell->e += rounding->u_out * (fabs (cell->v) + cell->e) + rounding->tiny_out;
  hir_ref_limit (rounding, cell);
}

/* Adds the errors of the operands to @cell, a result with the error of its rounding only.
 * @carried: the same result, not rounded, with the bound and norms that come from the operands;
 * @alike: all elements may have the same rounding error. */
static inline void
hir_ref_add_carried (const HirRefRounding *rounding,
                     HirRefCell *cell,
                     const HirRefCell *carried,
                     gboolean alike)
{
  double fresh = cell->e;

  cell->v = carried->v;
  cell->norm = carried->norm;
  cell->e = carried->e;
  if (hir_ref_resolve_special (cell))
    return;
  hir_ref_tighten (cell);
  cell->e += fresh + rounding->u_out * cell->e;
  if (alike)
    cell->norm.shared += HIR_REF_ROUNDING * fresh;
  else
    cell->norm.own = hir_ref_hypot (cell->norm.own, HIR_REF_ROUNDING * fresh);
  hir_ref_limit (rounding, cell);
}

/* Converts an operand to the class; values that it cannot represent get an error. */
static inline void
hir_ref_enter (const HirRefRounding *rounding, HirDType dtype, HirRefCell *cell)
{
  double added = 0;

  if (rounding->klass == HIR_CLASS_U64)
    cell->v = (double) (guint64) cell->i; /* negative scalars wrap */
  else if (rounding->klass == HIR_CLASS_F32 && isfinite (cell->v) &&
           (double) (float) cell->v != cell->v &&
           (dtype == HIR_DTYPE_DOUBLE || !hir_dtype_is_floating_point (dtype)))
    added = 0x1p-24 * fabs (cell->v) + 0x1p-150;
  else if (rounding->klass == HIR_CLASS_F64 && fabs (cell->v) > 0x1p53 &&
           !hir_dtype_is_floating_point (dtype))
    added = 0x1p-53 * fabs (cell->v);
  if (added == 0)
    return;
  cell->e += added;
  cell->norm.own = hir_ref_hypot (cell->norm.own, added);
}

G_END_DECLS
