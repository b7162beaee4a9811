/* Reductions and squeeze. A reduction of a broadcast axis is a squeeze. */
#include <math.h>

#include "label.h"
#include "ops/ops-private.h"

static gint64
get_integral_limit (HirDType dtype, gboolean lowest)
{
  switch (dtype)
    {
    case HIR_DTYPE_BOOL:
      return !lowest;
    case HIR_DTYPE_CHAR:
      return lowest ? G_MININT8 : G_MAXINT8;
    case HIR_DTYPE_SHORT:
      return lowest ? G_MININT16 : G_MAXINT16;
    case HIR_DTYPE_INT32:
      return lowest ? G_MININT32 : G_MAXINT32;
    case HIR_DTYPE_BYTE:
      return lowest ? 0 : G_MAXUINT8;
    case HIR_DTYPE_UINT16:
      return lowest ? 0 : G_MAXUINT16;
    case HIR_DTYPE_UINT32:
      return lowest ? 0 : G_MAXUINT32;
    case HIR_DTYPE_UINT64: /* limit of a constant */
      return lowest ? 0 : G_MAXINT64;
    default:
      return lowest ? G_MININT64 : G_MAXINT64;
    }
}

/* Returns the initial value of a reduction: the neutral element of @op in the reduced type. */
static HirScalar *
new_init (HirContainer *fusion, HirBinaryOp op, HirDType dtype)
{
  gboolean is_sum_like = op == HIR_BINARY_ADD || op == HIR_BINARY_MUL;
  gboolean lowest = op == HIR_BINARY_MAX;

  if (hir_dtype_is_floating_point (dtype) || hir_dtype_is_complex (dtype))
    return hir_scalar_new_double (fusion,
                                  is_sum_like ? (op == HIR_BINARY_MUL ? 1.0 : 0.0)
                                              : (lowest ? -INFINITY : INFINITY),
                                  dtype);
  return hir_scalar_new_int (fusion,
                             is_sum_like ? op == HIR_BINARY_MUL
                                         : get_integral_limit (dtype, lowest),
                             dtype);
}

/* Returns one flag per axis, TRUE if it is reduced. Without @dims, all axes are. */
static gboolean *
dup_reduced_flags (HirContainer *fusion,
                   const char *op,
                   const HirTensor *in,
                   const gint64 *dims,
                   guint n_dims,
                   GError **error)
{
  guint rank = hir_op_get_rank (in);
  g_autofree gboolean *flags = g_new0 (gboolean, MAX (rank, 1));
  guint axis;

  for (guint i = 0; i < rank && n_dims == 0; i++)
    flags[i] = TRUE;
  for (guint i = 0; i < n_dims; i++)
    {
      /* A tensor without axes is treated as one with a single axis, as in torch. */
      if (rank == 0 && n_dims == 1 && (dims[i] == 0 || dims[i] == -1))
        break;
      if (!hir_op_normalize_axis (fusion, op, in, dims[i], &axis, error))
        return NULL;
      if (flags[axis])
        {
          g_autofree char *label = hir_tensor_dup_label (in);

          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "%s: axis %u of %s is given twice; name each axis once", op, axis, label);
          return NULL;
        }
      flags[axis] = TRUE;
    }
  return g_steal_pointer (&flags);
}

static gboolean
check_not_scheduled (HirContainer *fusion, const char *op, const HirTensor *in, GError **error)
{
  gboolean same = in->loop.n == in->logical.n;

  for (guint i = 0; same && i < in->loop.n; i++)
    same = in->loop.ids[i] == in->logical.ids[i];
  if (!same)
    {
      g_autofree char *label = hir_tensor_dup_label (in);

      hir_set_error (error, HIR_ERROR_REFUSED, HIR_OP_POS (fusion),
                     "%s: the loop domain of %s was split, merged or reordered; reduce it first, "
                     "then "
                     "schedule",
                     op, label);
    }
  return same;
}

/* The remaining axes keep their parallel type; reduced ones are Serial
 * (docs/host-ir.md#op-outputs). */
static HirTensor *
new_reduction (
    HirContainer *fusion, HirBinaryOp op, HirTensor *in, const gboolean *reduced, HirDType dtype)
{
  guint rank;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (rank, 1));
  HirVal *inputs[] = { HIR_VAL (in) };
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < rank; i++)
    ids[i] = reduced[i]
                 ? hir_iter_domain_new (fusion, hir_op_get_size (axes[i]), HIR_ITER_REDUCTION)
                 : hir_iter_domain_dup (fusion, axes[i], TRUE);
  out = hir_tensor_new (fusion, dtype, ids, rank);
  hir_op_inherit (out, inputs, 1);
  expr = hir_op_add (fusion, HIR_EXPR_REDUCTION, inputs, 1, out);
  expr->u.reduction.op = op;
  expr->u.reduction.init = new_init (fusion, op, in->base.dtype);
  return out;
}

/* Squeezes the broadcast axes of @reduced and reduces the others. ADD and MUL over an expanded axis
 * must count its elements; MAX and MIN need not. */
static HirTensor *
squeeze_and_reduce (
    HirContainer *fusion, HirBinaryOp op, HirTensor *in, const gboolean *reduced, HirDType dtype)
{
  guint rank, n_left = 0, n_squeezed = 0, n_reduced = 0;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree gboolean *squeezed = g_new0 (gboolean, MAX (rank, 1));
  g_autofree gboolean *left = g_new0 (gboolean, MAX (rank, 1));
  gboolean counts = op == HIR_BINARY_ADD || op == HIR_BINARY_MUL;

  for (guint i = 0; i < rank; i++)
    {
      squeezed[i] = reduced[i] && hir_iter_domain_is_broadcast (axes[i]) &&
                    (axes[i]->expanded_extent == NULL || !counts);
      if (squeezed[i])
        n_squeezed++;
      else
        {
          left[n_left++] = reduced[i];
          n_reduced += reduced[i];
        }
    }
  if (n_squeezed > 0)
    in = hir_op_squeeze_flags (fusion, in, squeezed);
  return n_reduced > 0 ? new_reduction (fusion, op, in, left, dtype) : in;
}

/* Sets the type of the reduction and its result. */
static gboolean
get_reduced_dtype (HirContainer *fusion,
                   HirBinaryOp op,
                   const HirTensor *in,
                   HirDType asked,
                   HirDType *dtype,
                   GError **error)
{
  HirDType own = in->base.dtype;

  if (op == HIR_BINARY_MAX || op == HIR_BINARY_MIN)
    {
      *dtype = own;
      if (asked == HIR_DTYPE_NULL || asked == own)
        return TRUE;
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "%s: the result has the type of the operand, so dtype=%s is not possible; "
                     "cast the result",
                     hir_binary_op_get_reduction_name (op), hir_dtype_get_script_name (asked));
      return FALSE;
    }
  *dtype = asked != HIR_DTYPE_NULL ? asked : own;
  if (asked == HIR_DTYPE_NULL && (own == HIR_DTYPE_BOOL || hir_dtype_is_integral (own)))
    *dtype = HIR_DTYPE_INT;
  return TRUE;
}

HirTensor *
hir_op_reduction (HirContainer *fusion,
                  HirBinaryOp op,
                  HirTensor *in,
                  const gint64 *dims,
                  guint n_dims,
                  gboolean keepdim,
                  HirDType dtype,
                  GError **error)
{
  const char *name = hir_binary_op_get_reduction_name (op);
  guint rank = hir_op_get_rank (in);
  g_autofree gboolean *reduced = dup_reduced_flags (fusion, name, in, dims, n_dims, error);
  HirTensor *out;

  if (reduced == NULL || !check_not_scheduled (fusion, name, in, error) ||
      !get_reduced_dtype (fusion, op, in, dtype, &dtype, error))
    return NULL;
  if (in->base.dtype != dtype)
    {
      in = hir_op_cast (fusion, in, dtype, error);
      if (in == NULL)
        return NULL;
    }
  if (rank == 0)
    return hir_op_set (fusion, in, error);

  out = squeeze_and_reduce (fusion, op, in, reduced, dtype);
  return keepdim ? hir_op_broadcast (fusion, out, reduced, rank, error) : out;
}

HirTensor *
hir_op_squeeze_flags (HirContainer *fusion, HirTensor *in, const gboolean *flags)
{
  guint rank, n = 0;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (rank, 1));
  HirVal *inputs[] = { HIR_VAL (in) };
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < rank; i++)
    {
      if (!flags[i])
        ids[n++] = hir_iter_domain_dup (fusion, axes[i], TRUE);
    }
  out = hir_tensor_new (fusion, in->base.dtype, ids, n);
  hir_op_inherit (out, inputs, 1);
  expr = hir_op_add (fusion, HIR_EXPR_SQUEEZE, inputs, 1, out);
  expr->u.squeeze.flags = hir_arena_memdup (fusion->arena, flags, sizeof *flags * rank);
  expr->u.squeeze.n = rank;
  return out;
}

HirTensor *
hir_op_squeeze (HirContainer *fusion,
                HirTensor *in,
                const gint64 *dims,
                guint n_dims,
                gboolean squeeze_expanded,
                GError **error)
{
  guint rank;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree gboolean *flags = NULL;

  /* Unlike for a reduction, no @dims means no axes. */
  if (n_dims == 0)
    return hir_op_set (fusion, in, error);
  flags = dup_reduced_flags (fusion, "squeeze", in, dims, n_dims, error);
  if (flags == NULL)
    return NULL;
  for (guint i = 0; i < rank; i++)
    {
      g_autofree char *label = NULL;
      g_autofree char *shape = NULL;

      if (!flags[i] || (hir_iter_domain_is_broadcast (axes[i]) &&
                        (axes[i]->expanded_extent == NULL || squeeze_expanded)))
        continue;
      label = hir_tensor_dup_label (in);
      shape = hir_tensor_dup_shape_text (in);
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "squeeze: axis %u of %s %s is %s; only an axis of size 1 can be "
                     "removed",
                     i, label, shape,
                     axes[i]->expanded_extent != NULL ? "an expanded broadcast"
                                                      : "not a "
                                                        "broadcast");
      return NULL;
    }
  return hir_op_squeeze_flags (fusion, in, flags);
}
