/* Shared by the reference's files: one element, one op. */
#pragma once

#include "expr.h"
#include "run/cpu/cpu-lanes.h"
#include "run/env.h"
#include "run/reference/reference.h"

G_BEGIN_DECLS

/* One operand or result. Of an integral type @i holds the value, and @v the same as a double. */
typedef struct
{
  double v, e;
  gint64 i;
} HirRefCell;

/* What an op is computed in. */
typedef struct
{
  HirComputeClass klass;
  HirDType out;
  double u_acc, tiny_acc; /* relative and absolute rounding of the class */
  double u_out, tiny_out; /* of the result's type; 0 for integers */
  double max_out;         /* largest finite value of it */
  double u_partial;       /* of sums that several devices make and round before they are added */
} HirRefRounding;

void hir_ref_rounding_init (HirRefRounding *rounding, HirComputeClass klass, HirDType out);

/* Adds the op's own error for @k terms whose magnitudes sum to @terms, and rounds to the result's
 * type: a value beyond it becomes infinite. @k < 0: the op only rounds, and what its result type
 * holds is exact. */
void hir_ref_round (const HirRefRounding *rounding, HirRefCell *cell, double k, double terms);
/* An operand as the class holds it: what it can't hold exactly gets an error. */
void hir_ref_enter (const HirRefRounding *rounding, HirDType dtype, HirRefCell *cell);

/* @in: as entered. FALSE where there is no such op. */
gboolean hir_ref_unary (const HirRefRounding *rounding,
                        HirUnaryOp op,
                        HirDType in_type,
                        const HirRefCell *in,
                        HirRefCell *out);
gboolean hir_ref_binary (const HirRefRounding *rounding,
                         HirBinaryOp op,
                         const HirRefCell *a,
                         const HirRefCell *b,
                         HirRefCell *out);
gboolean hir_ref_ternary (const HirRefRounding *rounding,
                          HirTernaryOp op,
                          const HirRefCell *in,
                          HirRefCell *out);

/* Tensors */
HirRefTensor *
hir_ref_tensor_new (HirDType dtype, guint n_dims, const gint64 *sizes, GError **error);
/* Makes room for errors, all 0. */
gboolean hir_ref_tensor_need_errors (HirRefTensor *tensor, GError **error);
void hir_ref_tensor_get (const HirRefTensor *tensor, gint64 at, HirRefCell *cell);
gboolean hir_ref_tensor_set (HirRefTensor *tensor, gint64 at, const HirRefCell *cell);
/* Copies the elements of @value, in host memory, into @tensor, which has as many. */
void hir_ref_tensor_load (HirRefTensor *tensor, const HirValue *value);

/* One evaluation. */
typedef struct
{
  HirEnv *env;          /* scalars and extents */
  GHashTable *tensors;  /* const HirVal* -> HirRefTensor* */
  GHashTable *last_use; /* const HirVal* -> index of the last Expr that reads it, + 1 */
  GHashTable *in_parts; /* set of HirTensor*: see hir_ref_find_sums_in_parts(); nullable */
} HirReference;

/* Sums, and products, of @fusion whose reduced axis may be split over devices by the script or by
 * PropagateShardings, which spreads a split to all axes that are mapped to its own: each device
 * then rounds its part to the result's type (docs/host-ir.md#rfactor). A new set of HirTensor*. */
GHashTable *hir_ref_find_sums_in_parts (HirContainer *fusion);

/* Returns the tensor of @val (borrowed), or NULL. */
static inline HirRefTensor *
hir_reference_lookup (HirReference *ref, const HirVal *val)
{
  return g_hash_table_lookup (ref->tensors, val);
}

/* One Expr into @out, which has the op's shape; its operands are in the table. */
gboolean hir_reference_compute (HirReference *ref,
                                const HirExpr *expr,
                                HirRefTensor *out,
                                GError **error);
/* The same, and the result goes into the table. */
gboolean hir_reference_run_expr (HirReference *ref, const HirExpr *expr, GError **error);

/* A row-major walk of one tensor that visits another, whose axes have these strides. */
typedef struct
{
  guint n;
  const gint64 *sizes; /* borrowed */
  gint64 index[HIR_MAX_DIMS];
  gint64 strides[HIR_MAX_DIMS];
  gint64 at;
} HirRefWalk;

void hir_ref_walk_init (HirRefWalk *walk, guint n, const gint64 *sizes, gint64 at);
void hir_ref_walk_next (HirRefWalk *walk);

/* Whole ops; the result has its shape already. FALSE and an error where sizes do not fit. */
gboolean hir_ref_reduce (const HirExpr *expr,
                         const HirRefTensor *in,
                         const gboolean *reduced,
                         HirRefTensor *out,
                         GError **error);
/* The same by @op; @expr is for errors only. */
gboolean hir_ref_reduce_by (const HirExpr *expr,
                            HirBinaryOp op,
                            const HirRefTensor *in,
                            const gboolean *reduced,
                            HirRefTensor *out,
                            GError **error);
gboolean hir_ref_matmul (const HirExpr *expr,
                         const HirRefTensor *a,
                         const HirRefTensor *b,
                         HirRefTensor *out,
                         GError **error);
gboolean hir_ref_linear (const HirExpr *expr,
                         const HirRefTensor *in,
                         const HirRefTensor *weight,
                         const HirRefTensor *bias,
                         HirRefTensor *out,
                         GError **error);
gboolean hir_ref_move (const HirRefTensor *in, HirRefWalk *walk, HirRefTensor *out, GError **error);
gboolean
hir_ref_permute (const HirExpr *expr, const HirRefTensor *in, HirRefTensor *out, GError **error);
gboolean hir_ref_move_axes (HirReference *ref,
                            const HirExpr *expr,
                            const HirRefTensor *in,
                            HirRefTensor *out,
                            GError **error);
gboolean hir_ref_slice (HirReference *ref,
                        const HirExpr *expr,
                        const HirRefTensor *in,
                        HirRefTensor *out,
                        GError **error);
gboolean hir_ref_pad (HirReference *ref,
                      const HirExpr *expr,
                      const HirRefTensor *in,
                      HirRefTensor *out,
                      GError **error);
gboolean hir_ref_cat (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error);
gboolean hir_ref_fill (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error);
/* FALSE, and an error that names the op. */
gboolean hir_ref_misfit (const HirExpr *expr, GError **error);

G_END_DECLS
