/* Direct evaluation of an unlowered fusion in double (integers exactly), with bounds for the error
 * of correct programs.
 *
 * Each element has a value and an error bound. An op propagates the bounds of its operands (by
 * derivatives, or by evaluation at the ends of the interval) and adds its own error, (K + 2) u_acc
 * sum|terms| + u_out |value|. Here u_acc is half a unit in the last place of the type in which it
 * is computed (float for half and bfloat16), u_out that of its result, and K the number of terms.
 * The formula is applied op by op, so it holds for chains of any length and for intermediates of
 * any type. Copies, casts to wider types, max, min and integer ops add no error: an element that is
 * computed only by exact ops must be bit-equal. */
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
  gint64 count;   /* number of elements, row-major */
  double *values; /* for floating-point types */
  gint64 *ints;   /* for integral and bool types; uint64 as bits */
  double
      /* NULL: all 0; infinite: cannot be decided, like a comparison of values that are too close */
      *errors;
  gboolean is_copy;  /* only moved, never computed: zeros keep their sign */
  gboolean in_parts; /* a sum of parts that devices round to the result type */
} HirRefTensor;

/* Returns a new reference. */
HirRefTensor *hir_ref_tensor_ref (HirRefTensor *tensor);
void hir_ref_tensor_unref (HirRefTensor *tensor); /* nullable */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRefTensor, hir_ref_tensor_unref)

/* Returns the outputs of @fusion for @inputs in host memory: HirRefTensor* in order, NULL for
 * scalar outputs. Errors: HIR_ERROR_UNSUPPORTED, HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED,
 * HIR_ERROR_RUN if sizes do not match. Blocks; any thread. */
GPtrArray *hir_reference_evaluate (HirContainer *fusion,
                                   HirValue *const *inputs,
                                   guint n,
                                   GCancellable *cancellable,
                                   GError **error);

G_END_DECLS
