/* The unlowered fusion evaluated directly in double (integers exactly), with a bound on what a
 * correct program may differ by.
 *
 * Each element has a value and an error bound. An op passes the bounds of its operands on (by
 * derivatives, or by evaluating at the ends of the interval) and adds its own, (K + 2) u_acc
 * sum|terms| + u_out |value|, where u_acc is half a unit in the last place of the type it is
 * computed in (float for half and bfloat16), u_out that of its result, K the number of terms. The
 * formula is applied op by op, so that it holds for chains of any length and for intermediates of
 * any type. Copies, casts to wider types, max, min and integer ops add nothing: where all that
 * leads to an element is exact, it must be bit-equal. */
#pragma once

#include <gio/gio.h>

#include "container.h"
#include "run/values/value.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  HirDType dtype;
  guint n_dims;
  gint64 sizes[HIR_MAX_DIMS];
  gint64 count;   /* elements, row-major */
  double *values; /* floating point */
  gint64 *ints;   /* integral and bool types; uint64 as its bits */
  double
      *errors; /* NULL: all 0; infinite: nothing can be said (a comparison of values too close) */
  gboolean is_copy;  /* only moved, never computed: zeros keep their sign */
  gboolean in_parts; /* a sum that devices add up, each rounding its part to the result's type */
} HirRefTensor;

HirRefTensor *hir_ref_tensor_ref (HirRefTensor *tensor);
void hir_ref_tensor_unref (HirRefTensor *tensor); /* nullable */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRefTensor, hir_ref_tensor_unref)

/* The outputs of @fusion (in order, HirRefTensor*; NULL for an output that is a scalar) for @inputs
 * in host memory. Errors: HIR_ERROR_UNSUPPORTED, HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED,
 * HIR_ERROR_RUN where sizes do not fit. Blocks; any thread. */
GPtrArray *hir_reference_evaluate (HirContainer *fusion,
                                   HirValue *const *inputs,
                                   guint n,
                                   GCancellable *cancellable,
                                   GError **error);

G_END_DECLS
