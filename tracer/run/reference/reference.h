/* Direct evaluation of an unlowered fusion in double (integers exactly), with bounds for the error
 * of correct programs (docs/check.md#bounds).
 *
 * Each element has a value, an error bound, and two norms of its error. A norm s bounds the tail:
 * P(|error| > x s) <= 2 exp(-x^2 / 2). An op propagates bounds and norms by the slopes of its
 * operands and adds its own rounding errors: u |value| per rounding, and for a sum of K terms with
 * partial sums s_k the norm u_acc sqrt(sum s_k^2), because rounding errors are independent and have
 * a mean of zero (Azuma's inequality; N. Higham and T. Mary, "Sharper probabilistic backward error
 * analysis for basic linear algebra kernels with random data", SIAM J. Sci. Comput. 42, 2020). The
 * bound is the smaller of the worst case and HIR_REF_LAMBDA times the norm.
 *
 * Here u_acc is half a unit in the last place of the type in which an op is computed (float for
 * half and bfloat16). Copies, casts to wider types, max, min and integer ops add no error: an
 * element that is computed only by exact ops must be bit-equal. */
#pragma once

#include <gio/gio.h>

#include "container.h"
#include "run/values/value.h"

G_BEGIN_DECLS

/* The factor of norms in bounds: 2 exp(-lambda^2 / 2) is one false alarm in 10^9 elements. */
#define HIR_REF_LAMBDA 6.55

/* Norms of the error of an element. */
typedef struct
{
  double own;    /* of errors that are independent of those of other elements; their
                  * squares are added */
  double shared; /* of errors that other elements may have too; added without squaring */
} HirRefNorm;

typedef struct
{
  gatomicrefcount ref_count;
  HirDType dtype;
  guint n_dims;
  gint64 sizes[HIR_MAX_DIMS];
  gint64 count;   /* number of elements, row-major */
  double *values; /* for floating-point types */
  gint64 *ints;   /* for integral and bool types; uint64 as bits */
  /* NULL: all 0; infinite: cannot be decided, like a comparison of values that are too close */
  double *errors;
  HirRefNorm *norms; /* NULL where @errors is */
  double n_distinct; /* number of distinct elements, here or in a tensor that errors come from */
  gboolean is_copy;  /* only moved, never computed: zeros keep their sign */
  guint n_extra;     /* partial sums that devices round to the result type, in a split sum */
} HirRefTensor;

/* Returns a new reference. */
HirRefTensor *hir_ref_tensor_ref (HirRefTensor *tensor);
void hir_ref_tensor_unref (HirRefTensor *tensor); /* nullable */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRefTensor, hir_ref_tensor_unref)

/* Returns the effective number of distinct elements of @tensor, rounded to its type: the inverse of
 * the probability that two elements are equal, in a sample. */
double hir_ref_tensor_count_distinct (const HirRefTensor *tensor);

/* Returns half a unit in the last place of 1 in @dtype, or 0 for integers. */
double hir_ref_get_unit (HirDType dtype);

/* Returns FALSE and sets HIR_ERROR_UNSUPPORTED at the first opaque op of @fusion, whose numbers
 * hir_reference_evaluate() cannot compute. */
gboolean hir_reference_check_ops (HirContainer *fusion, GError **error);

/* Returns the outputs of @fusion for @inputs in host memory: HirRefTensor* in order, NULL for
 * scalar outputs. Errors: HIR_ERROR_UNSUPPORTED, HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED,
 * HIR_ERROR_RUN if sizes do not match. Blocks; any thread. */
GPtrArray *hir_reference_evaluate (HirContainer *fusion,
                                   HirValue *const *inputs,
                                   guint n,
                                   GCancellable *cancellable,
                                   GError **error);

G_END_DECLS
