/* Internal declarations of the reference: elements, ops, tensors. */
#pragma once

#include <math.h>

#include "expr.h"
#include "run/cpu/cpu-lanes.h"
#include "run/env.h"
#include "run/reference/reference.h"

G_BEGIN_DECLS

/* An operand or result. For integral types @i is the value and @v the same as a double; @e is the
 * error bound, @norm its norms. */
typedef struct
{
  double v, e;
  gint64 i;
  HirRefNorm norm;
  gboolean is_inexact; /* of an operand: it has an error, which @e does not include */
} HirRefCell;

/* Returns sqrt (x^2 + y^2), like hypot(), which is slower. */
static inline double
hir_ref_hypot (double x, double y)
{
  double square = x * x + y * y;

  return square > 0x1p-900 && square < 0x1p900 ? sqrt (square) : hypot (x, y);
}

/* Norm of a rounding error over its bound. The variance is at most half the square of the bound: of
 * sums that lose one bit, half are exact and half are ties. */
#define HIR_REF_ROUNDING 0.70710678118654752440

/* Types in which an op is computed, and their rounding errors. */
typedef struct
{
  HirComputeClass klass;
  HirDType out;
  gboolean to_float;      /* out is a floating-point type */
  double u_acc, tiny_acc; /* relative and absolute rounding error of the class */
  double u_out, tiny_out; /* of the result type; 0 for integers */
  double max_out;         /* largest finite value of the result type */
  double normal;          /* smallest value that is normal in the class and the result type */
  guint n_extra;          /* partial sums that devices round to the result type */
  /* Of the pointwise op in evaluation: whether an operand has an error; both FALSE if unknown. A
   * run then rounds other values than the reference, which may be representable only here. */
  gboolean operands_are_exact, operands_are_inexact;
  gboolean keeps_type; /* the result's type has all values of the operands' types: exact ops round
                          nothing */
} HirRefRounding;

/* Initializes @rounding for ops that are computed in @klass with results of type @out. */
void hir_ref_rounding_init (HirRefRounding *rounding, HirComputeClass klass, HirDType out);

/* Like hir_ref_round(), for a sum of @k terms. @path: root of the sum of the squares of its partial
 * sums, or negative if rounding errors are not independent, because terms repeat. @terms may be
 * infinite if @path is not negative. */
void hir_ref_round_sum (
    const HirRefRounding *rounding, HirRefCell *cell, double k, double terms, double path);
/* Evaluates a unary op on @in, converted by hir_ref_enter(). Returns FALSE if the op does not
 * exist. */
gboolean hir_ref_unary (const HirRefRounding *rounding,
                        HirUnaryOp op,
                        HirDType in_type,
                        const HirRefCell *in,
                        HirRefCell *out);
/* Like hir_ref_unary(), for two operands. */
gboolean hir_ref_binary (const HirRefRounding *rounding,
                         HirBinaryOp op,
                         const HirRefCell *a,
                         const HirRefCell *b,
                         HirRefCell *out);
/* Like hir_ref_unary(), for three or four operands. */
gboolean hir_ref_ternary (const HirRefRounding *rounding,
                          HirTernaryOp op,
                          const HirRefCell *in,
                          HirRefCell *out);

/* Creates a tensor of zeros. */
HirRefTensor *
hir_ref_tensor_new (HirDType dtype, guint n_dims, const gint64 *sizes, GError **error);
/* Creates a tensor without elements; allocate or share them before use. */
HirRefTensor *hir_ref_tensor_new_empty (HirDType dtype, guint n_dims, const gint64 *sizes);
/* Allocates the elements of @tensor, all 0. Sets HIR_ERROR_LIMIT if memory is short. */
gboolean hir_ref_tensor_allocate (HirRefTensor *tensor, GError **error);
/* Lets @tensor have the elements and errors of @donor, which must forget them before either is
 * freed. */
void hir_ref_tensor_share_elements (HirRefTensor *tensor, const HirRefTensor *donor);
/* Leaves the elements of @tensor to the tensor that shares them. */
void hir_ref_tensor_forget_elements (HirRefTensor *tensor);
/* Allocates the errors of @tensor, all 0. Sets HIR_ERROR_LIMIT if memory is short. */
gboolean hir_ref_tensor_need_errors (HirRefTensor *tensor, GError **error);
/* Reads element @at. */
static inline void
hir_ref_tensor_get (const HirRefTensor *tensor, gint64 at, HirRefCell *cell)
{
  cell->e = tensor->errors != NULL ? tensor->errors[at] : 0;
  cell->norm = tensor->norms != NULL ? tensor->norms[at] : (HirRefNorm){ 0, 0 };
  if (tensor->values != NULL)
    {
      cell->v = tensor->values[at];
      cell->i = 0;
      return;
    }
  cell->i = tensor->ints[at];
  cell->v = tensor->dtype == HIR_DTYPE_UINT64 ? (double) (guint64) cell->i : (double) cell->i;
}

/* Writes element @at. Returns FALSE if memory for errors is short. */
static inline gboolean
hir_ref_tensor_set (HirRefTensor *tensor, gint64 at, const HirRefCell *cell)
{
  if (tensor->values != NULL)
    tensor->values[at] = cell->v;
  else
    tensor->ints[at] = cell->i;
  if (cell->e != 0 && !hir_ref_tensor_need_errors (tensor, NULL))
    return FALSE;
  if (tensor->errors != NULL)
    {
      tensor->errors[at] = cell->e;
      tensor->norms[at] = cell->e > 0 ? cell->norm : (HirRefNorm){ 0, 0 };
    }
  return TRUE;
}

/* Copies @n elements with their errors, from index @from of @in to index @to of @out, which has
 * no errors there. Sets @error if memory for errors is short. */
gboolean hir_ref_tensor_copy (
    HirRefTensor *out, gint64 to, const HirRefTensor *in, gint64 from, gint64 n, GError **error);
/* Counts the errors of @tensor as shared if it has only few distinct elements, or repeats them
 * along an axis: equal operands have equal rounding errors. */
void hir_ref_tensor_share_repeated (HirRefTensor *tensor);
#define HIR_REF_SAMPLE 256
/* Sums of fewer distinct terms have the bound of the worst case. */
#define HIR_REF_MIN_TERMS 4
/* Returns the effective number of distinct elements of the population of @sample, without zeros:
 * the inverse of the probability that two elements are equal. Infinite if no two are. Sorts
 * @sample.
 * @n: at most HIR_REF_SAMPLE. */
double hir_ref_sample_count_distinct (double *sample, guint n);
/* Like hir_ref_sample_count_distinct(), for a sample of @n @values, @stride apart. */
double hir_ref_count_distinct (const double *values, gint64 n, gint64 stride);
/* Copies the elements of @value, in host memory and of equal count, into @tensor. */
void hir_ref_tensor_load (HirRefTensor *tensor, const HirValue *value);

/* State of an evaluation. */
typedef struct
{
  HirEnv *env;          /* scalars and extents */
  GHashTable *tensors;  /* const HirVal* -> HirRefTensor* */
  GHashTable *last_use; /* const HirVal* -> index of the last Expr that reads it, plus 1 */
  guint current;        /* index of the Expr that is evaluated, plus 1; 0: no tensor is reused */
  GHashTable *in_parts; /* HirTensor* -> roundings: see hir_ref_find_sums_in_parts(); nullable */
} HirReference;

/* Returns the sums and products of @fusion whose reduced axis may be split over devices, by the
 * script or by PropagateShardings, which copies a split to all mapped axes. Each device then rounds
 * its part to the result type (docs/host-ir.md#rfactor). A new table of HirTensor* with the number
 * of additional roundings, on the largest mesh: one per part, and one per hop but the last. */
GHashTable *hir_ref_find_sums_in_parts (HirContainer *fusion);

/* Evaluates a matmul or linear whose result has one sum per part of K, by rfactor. */
gboolean hir_ref_product_in_parts (const HirExpr *expr,
                                   const HirRefTensor *a,
                                   const HirRefTensor *b,
                                   HirRefTensor *out,
                                   GError **error);

/* Returns the tensor of @val (borrowed), or NULL. */
static inline HirRefTensor *
hir_reference_lookup (HirReference *ref, const HirVal *val)
{
  return g_hash_table_lookup (ref->tensors, val);
}

/* Evaluates @expr into @out, which has the shape of the result. The operands must be in the
 * table. */
gboolean
hir_reference_compute (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error);
/* Evaluates @expr and adds the result to the table. */
gboolean hir_reference_run_expr (HirReference *ref, const HirExpr *expr, GError **error);

/* Row-major iteration over @sizes that visits a tensor with other strides. */
typedef struct
{
  guint n;
  const gint64 *sizes; /* borrowed */
  gint64 index[HIR_MAX_DIMS];
  gint64 strides[HIR_MAX_DIMS];
  gint64 at;
} HirRefWalk;

/* Starts at offset @at, with strides of 0. */
void hir_ref_walk_init (HirRefWalk *walk, guint n, const gint64 *sizes, gint64 at);
/* Advances to the next element. */
static inline void
hir_ref_walk_next (HirRefWalk *walk)
{
  for (guint i = walk->n; i-- > 0;)
    {
      walk->at += walk->strides[i];
      if (++walk->index[i] < walk->sizes[i])
        return;
      walk->at -= walk->strides[i] * walk->sizes[i];
      walk->index[i] = 0;
    }
}

/* Evaluates a whole op, here and below; @out has the shape of the result. Returns FALSE and sets
 * @error if sizes do not match. */
gboolean hir_ref_reduce (const HirExpr *expr,
                         const HirRefTensor *in,
                         const gboolean *reduced,
                         HirRefTensor *out,
                         GError **error);
/* Like hir_ref_reduce(), with @op; @expr is only used in errors. */
gboolean hir_ref_reduce_by (const HirExpr *expr,
                            HirBinaryOp op,
                            const HirRefTensor *in,
                            const gboolean *reduced,
                            HirRefTensor *out,
                            GError **error);
/* Returns the neutral element of @op. */
HirRefCell hir_ref_neutral (HirBinaryOp op, HirComputeClass klass);
/* Evaluates a matmul. */
gboolean hir_ref_matmul (const HirExpr *expr,
                         const HirRefTensor *a,
                         const HirRefTensor *b,
                         HirRefTensor *out,
                         GError **error);
/* Evaluates a linear; @bias is nullable. */
gboolean hir_ref_linear (const HirExpr *expr,
                         const HirRefTensor *in,
                         const HirRefTensor *weight,
                         const HirRefTensor *bias,
                         HirRefTensor *out,
                         GError **error);
/* Copies the elements of @in that @walk visits, in order. */
gboolean hir_ref_move (const HirRefTensor *in, HirRefWalk *walk, HirRefTensor *out, GError **error);
gboolean
/* Evaluates a Set. */
hir_ref_permute (const HirExpr *expr, const HirRefTensor *in, HirRefTensor *out, GError **error);
/* Evaluates broadcast, squeeze, expand or select. */
gboolean hir_ref_move_axes (HirReference *ref,
                            const HirExpr *expr,
                            const HirRefTensor *in,
                            HirRefTensor *out,
                            GError **error);
/* Evaluates a slice. */
gboolean hir_ref_slice (HirReference *ref,
                        const HirExpr *expr,
                        const HirRefTensor *in,
                        HirRefTensor *out,
                        GError **error);
/* Evaluates a pad. */
gboolean hir_ref_pad (HirReference *ref,
                      const HirExpr *expr,
                      const HirRefTensor *in,
                      HirRefTensor *out,
                      GError **error);
/* Evaluates a gather, take_along_axis, index_select or scatter. */
gboolean hir_ref_index (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error);
/* Evaluates a cat. */
gboolean hir_ref_cat (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error);
/* Evaluates a full or iota. */
gboolean hir_ref_fill (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error);
/* Sets an error that names the op. Returns FALSE. */
gboolean hir_ref_misfit (const HirExpr *expr, GError **error);

G_END_DECLS
