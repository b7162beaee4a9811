/* Evaluation of a fusion, op by op. */
#include "run/reference/reference.h"

#include <math.h>
#include <string.h>

#include "run/env.h"
#include "run/reference/reference-round.h"
#include "run/split-view.h"
#include "run/values/odometer.h"
#include "run/values/random.h"

#define MAX_OPERANDS 4

/* Operands of a pointwise op, including scalars. */
typedef struct
{
  guint n;
  const HirRefTensor *tensor[MAX_OPERANDS]; /* NULL for a scalar */
  HirRefCell scalar[MAX_OPERANDS];
  HirDType dtype[MAX_OPERANDS];
  HirRefWalk walk[MAX_OPERANDS];
  gboolean is_stretched[MAX_OPERANDS]; /* broadcast along an axis */
} Operands;

/* The size of an expanded broadcast may differ from that of the result (ops/op-domain.c). */
static gboolean
is_expanded (const HirVal *val, guint axis)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n);

  return axis < n && ids[axis]->expanded_extent != NULL;
}

/* Returns whether floating-point type @to has all values of @from. */
static gboolean
has_all_values (HirDType to, HirDType from)
{
  return to == from || (to == HIR_DTYPE_DOUBLE && hir_ref_get_unit (from) > 0) ||
         (to == HIR_DTYPE_FLOAT && (from == HIR_DTYPE_HALF || from == HIR_DTYPE_BFLOAT16));
}

static gboolean
collect_operands (HirReference *ref,
                  const HirExpr *expr,
                  const HirRefTensor *out,
                  Operands *ops,
                  HirRefRounding *rounding,
                  GError **error)
{
  HirDType types[MAX_OPERANDS];
  guint n_types = 0;
  gboolean scalar_is_float = FALSE, is_cast;

  if (expr->n_inputs > MAX_OPERANDS)
    return hir_ref_misfit (expr, error);
  ops->n = expr->n_inputs;
  for (guint i = 0; i < ops->n; i++)
    {
      HirVal *val = expr->inputs[i];
      gint64 strides[HIR_MAX_DIMS];

      ops->dtype[i] = val->dtype;
      ops->tensor[i] = hir_reference_lookup (ref, val);
      if (HIR_IS_SCALAR (val))
        {
          g_autoptr (HirValue) value = hir_env_evaluate (ref->env, HIR_SCALAR (val), error);
          if (value == NULL)
            return FALSE;
          ops->scalar[i] = (HirRefCell){ .v = value->d, .i = value->i };
          scalar_is_float |= hir_dtype_is_floating_point (value->dtype);
          if (hir_dtype_is_floating_point (value->dtype))
            ops->dtype[i] = HIR_DTYPE_DOUBLE; /* not rounded yet */
          continue;
        }
      types[n_types++] = val->dtype;
      if (ops->tensor[i] == NULL || ops->tensor[i]->n_dims != out->n_dims)
        return hir_ref_misfit (expr, error);
      hir_sizes_contiguous_strides (ops->tensor[i]->sizes, out->n_dims, strides);
      hir_ref_walk_init (&ops->walk[i], out->n_dims, out->sizes, 0);
      for (guint d = 0; d < out->n_dims; d++)
        if (ops->tensor[i]->sizes[d] == out->sizes[d])
          ops->walk[i].strides[d] = strides[d];
        else if (ops->tensor[i]->sizes[d] == 1 || is_expanded (val, d))
          ops->is_stretched[i] = TRUE;
        else
          return hir_ref_misfit (expr, error);
    }
  is_cast = expr->kind == HIR_EXPR_UNARY && expr->u.unary.op == HIR_UNARY_CAST;
  hir_ref_rounding_init (rounding,
                         hir_compute_class_for (types, n_types,
                                                out->dtype == HIR_DTYPE_BOOL && !is_cast
                                                    ? HIR_DTYPE_BOOL
                                                    : out->dtype,
                                                scalar_is_float),
                         out->dtype);
  /* A program converts a scalar to the type of the computation, as nvFuser does. An exact scalar
   * here would count as an error that all elements share. */
  for (guint i = 0; i < ops->n; i++)
    if (ops->tensor[i] == NULL && ops->dtype[i] == HIR_DTYPE_DOUBLE &&
        rounding->klass == HIR_CLASS_F32)
      ops->scalar[i].v = (float) ops->scalar[i].v;
  rounding->keeps_type = TRUE;
  for (guint i = 0; i < ops->n; i++)
    rounding->keeps_type =
        rounding->keeps_type && ops->tensor[i] != NULL &&
        (has_all_values (out->dtype, ops->dtype[i]) || ops->dtype[i] == HIR_DTYPE_BOOL);
  return TRUE;
}

static gboolean
evaluate_once (const HirRefRounding *rounding,
               const HirExpr *expr,
               const Operands *ops,
               const HirRefCell *in,
               HirRefCell *out)
{
  *out = (HirRefCell){ 0 };
  if (expr->kind == HIR_EXPR_UNARY)
    return hir_ref_unary (rounding, expr->u.unary.op, ops->dtype[0], &in[0], out);
  if (expr->kind == HIR_EXPR_BINARY)
    return hir_ref_binary (rounding, expr->u.binary.op, &in[0], &in[1], out);
  return hir_ref_ternary (rounding, expr->u.ternary.op, in, out);
}

/* Returns the error of the result per norm if each operand has an error of @n_norms norms, without
 * the rounding of the result. */
static double
carry_norms (const HirRefRounding *exact,
             const HirExpr *expr,
             const Operands *ops,
             const HirRefCell *in,
             gboolean shared,
             double n_norms)
{
  HirRefCell cells[MAX_OPERANDS], out;
  gboolean any = FALSE;

  for (guint i = 0; i < ops->n; i++)
    {
      cells[i] = in[i];
      cells[i].e = n_norms * (shared ? in[i].norm.shared : in[i].norm.own);
      any |= cells[i].e > 0;
    }
  return any && evaluate_once (exact, expr, ops, cells, &out) ? out.e / n_norms : 0;
}

static double
norm_of (const HirRefCell *cell, gboolean shared)
{
  return shared ? cell->norm.shared : cell->norm.own;
}

/* Sets @norm to what carry_norm() computes, for ops whose errors are simple sums. */
static gboolean
carry_simply (const HirExpr *expr, const HirRefCell *in, gboolean shared, double *norm)
{
  double a = norm_of (&in[0], shared), b;

  if (expr->kind == HIR_EXPR_UNARY)
    {
      *norm = a;
      return expr->u.unary.op == HIR_UNARY_CAST || expr->u.unary.op == HIR_UNARY_NEG;
    }
  if (expr->kind != HIR_EXPR_BINARY)
    return FALSE;
  b = norm_of (&in[1], shared);
  if (expr->u.binary.op == HIR_BINARY_MUL && isfinite (in[0].v) && isfinite (in[1].v) &&
      isfinite (a) && isfinite (b))
    {
      *norm = fabs (in[0].v) * b + fabs (in[1].v) * a + HIR_REF_LAMBDA * a * b;
      return TRUE;
    }
  *norm = a + b;
  return expr->u.binary.op == HIR_BINARY_ADD || expr->u.binary.op == HIR_BINARY_SUB;
}

/* Returns the norm of the result without its own rounding, which is the largest error per norm of
 * the operands. Below 1.18 norms, P(|error| > x s) <= 2 exp(-x^2 / 2) states nothing. For bounded
 * functions, such as sin or tanh, the value at HIR_REF_LAMBDA norms alone would be too small.
 * @shared: which norm. */
static double
carry_norm (const HirRefRounding *exact,
            const HirExpr *expr,
            const Operands *ops,
            const HirRefCell *in,
            gboolean shared)
{
  double far, near, most;

  if (carry_simply (expr, in, shared, &most))
    return most;
  far = carry_norms (exact, expr, ops, in, shared, HIR_REF_LAMBDA);
  if (far == 0 || isinf (far))
    return far;
  near = carry_norms (exact, expr, ops, in, shared, 1.18);
  most = fmax (near, far);
  if (fmin (near, far) > 0.9 * most) /* almost linear */
    return most;
  return fmax (most, carry_norms (exact, expr, ops, in, shared, 2.78));
}

/* Returns whether the results round alike. A sum with the same number keeps the distance of the
 * elements from the next representable value if they are multiples of one power of two, as numbers
 * of one binade are. */
static gboolean
rounds_alike (const HirExpr *expr, const Operands *ops)
{
  if (expr->kind != HIR_EXPR_BINARY ||
      (expr->u.binary.op != HIR_BINARY_ADD && expr->u.binary.op != HIR_BINARY_SUB))
    return FALSE;
  for (guint i = 0; i < ops->n; i++)
    if (ops->tensor[i] == NULL || ops->is_stretched[i])
      return TRUE;
  return FALSE;
}

/* Roundings of a pointwise op. */
typedef struct
{
  HirRefRounding all;      /* of operands with errors */
  HirRefRounding of_exact; /* of operands without errors */
  HirRefRounding none;     /* no rounding */
  gboolean alike;
} Roundings;

static void
roundings_init (Roundings *roundings, const HirExpr *expr, const Operands *ops)
{
  roundings->of_exact = roundings->none = roundings->all;
  roundings->of_exact.operands_are_exact = TRUE;
  roundings->all.operands_are_inexact = TRUE;
  roundings->none.u_acc = roundings->none.tiny_acc = 0;
  roundings->none.u_out = roundings->none.tiny_out = 0;
  roundings->none.max_out = INFINITY;
  roundings->alike = rounds_alike (expr, ops);
}

/* Evaluates the op on one element: first its value and the errors of its operands, then the error
 * of the rounding of the result. */
static gboolean
evaluate (const Roundings *roundings,
          const HirExpr *expr,
          const Operands *ops,
          HirRefCell *in,
          HirRefCell *out)
{
  gboolean alike = roundings->alike;
  HirRefCell carried;
  double e = 0;

  for (guint i = 0; i < ops->n; i++)
    e = in[i].e > e ? in[i].e : e;
  if (e == 0 || !roundings->all.to_float)
    {
      if (!evaluate_once (e == 0 ? &roundings->of_exact : &roundings->all, expr, ops, in, out))
        return FALSE;
      /* A result that is not rounded is uncertain only near a step. */
      out->norm = e > 0   ? (HirRefNorm){ 0, out->e }
                  : alike ? (HirRefNorm){ 0, HIR_REF_ROUNDING * out->e }
                          : (HirRefNorm){ HIR_REF_ROUNDING * out->e, 0 };
      return TRUE;
    }
  if (!evaluate_once (&roundings->none, expr, ops, in, &carried))
    return FALSE;
  carried.norm.own = carry_norm (&roundings->none, expr, ops, in, FALSE);
  carried.norm.shared = carry_norm (&roundings->none, expr, ops, in, TRUE);
  for (guint i = 0; i < ops->n; i++)
    {
      in[i].is_inexact = in[i].e > 0;
      in[i].e = 0;
    }
  evaluate_once (&roundings->all, expr, ops, in, out);
  hir_ref_add_carried (&roundings->all, out, &carried, alike);
  return TRUE;
}

/* Returns TRUE if @expr casts exact values to a type that has all of them. */
static gboolean
keeps_values (const HirExpr *expr, const HirRefTensor *in, HirDType to)
{
  HirDType from = in != NULL ? in->dtype : HIR_DTYPE_NULL;

  return expr->kind == HIR_EXPR_UNARY && expr->u.unary.op == HIR_UNARY_CAST && in != NULL &&
         in->values != NULL && in->errors == NULL && has_all_values (to, from);
}

static gboolean
compute_pointwise (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error)
{
  Operands ops = { 0 };
  Roundings roundings;

  if (!collect_operands (ref, expr, out, &ops, &roundings.all, error))
    return FALSE;
  if (keeps_values (expr, ops.tensor[0], out->dtype) && ops.tensor[0]->count == out->count)
    {
      if (out->values != ops.tensor[0]->values)
        memcpy (out->values, ops.tensor[0]->values, (gsize) out->count * sizeof *out->values);
      return TRUE;
    }
  roundings_init (&roundings, expr, &ops);
  for (gint64 k = 0; k < out->count; k++)
    {
      HirRefCell in[MAX_OPERANDS], cell;

      for (guint i = 0; i < ops.n; i++)
        {
          in[i] = ops.scalar[i];
          if (ops.tensor[i] != NULL)
            {
              hir_ref_tensor_get (ops.tensor[i], ops.walk[i].at, &in[i]);
              hir_ref_walk_next (&ops.walk[i]);
            }
          if (ops.is_stretched[i]) /* all elements along an axis have the error of one */
            in[i].norm = (HirRefNorm){ 0, in[i].norm.own + in[i].norm.shared };
          hir_ref_enter (&roundings.all, ops.dtype[i], &in[i]);
        }
      if (!evaluate (&roundings, expr, &ops, in, &cell))
        {
          hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                         "%s of %s cannot be checked yet", hir_expr_get_op_name (expr),
                         hir_dtype_get_short_name (ops.dtype[0]));
          return FALSE;
        }
      if (!hir_ref_tensor_set (out, k, &cell))
        return hir_ref_tensor_need_errors (out, error);
    }
  return TRUE;
}

/* Returns the elements of @in with the axes of @view; those that do not exist are neutral. */
static HirRefTensor *
dup_padded (const HirExpr *expr,
            const HirRefTensor *in,
            const HirSplitView *view,
            const HirRefTensor *out,
            GError **error)
{
  g_autoptr (HirRefTensor) padded =
      hir_ref_tensor_new (in->dtype, view->n_dims, view->sizes, error);
  HirRefCell neutral = hir_ref_neutral (expr->u.reduction.op,
                                        hir_compute_class_for (&in->dtype, 1, out->dtype, FALSE));
  gint64 index[HIR_MAX_DIMS] = { 0 };

  for (gint64 k = 0; padded != NULL && k < padded->count; k++)
    {
      HirRefCell cell = neutral;

      if (hir_split_view_contains (view, index))
        hir_ref_tensor_get (in, hir_odometer_offset (index, view->strides, view->n_dims), &cell);
      if (!hir_ref_tensor_set (padded, k, &cell))
        {
          hir_ref_tensor_need_errors (padded, error);
          return NULL;
        }
      hir_odometer_next (index, view->sizes, view->n_dims);
    }
  if (padded != NULL)
    padded->n_distinct = in->n_distinct;
  return g_steal_pointer (&padded);
}

static gboolean
compute_reduction (HirReference *ref,
                   const HirExpr *expr,
                   const HirRefTensor *in,
                   HirRefTensor *out,
                   GError **error)
{
  const HirTensor *tensor = HIR_TENSOR (expr->outputs[0]);
  HirRefTensor pieces = *in; /* the same elements with other axes */
  HirSplitView view = { .n_dims = in->n_dims };
  g_autoptr (HirRefTensor) padded = NULL;
  gboolean reduced[HIR_MAX_DIMS];

  memcpy (view.sizes, in->sizes, sizeof view.sizes);
  hir_sizes_contiguous_strides (view.sizes, view.n_dims, view.strides);
  if (tensor->has_root && !hir_split_view (ref->env, expr, tensor, &view, error))
    return FALSE;
  pieces.n_dims = view.n_dims;
  memcpy (pieces.sizes, view.sizes, sizeof view.sizes);
  padded = view.n_bounds > 0 ? dup_padded (expr, in, &view, out, error) : NULL;
  if (view.n_bounds > 0 && padded == NULL)
    return FALSE;
  in = padded != NULL ? padded : &pieces;

  if (tensor->logical.n != in->n_dims)
    return hir_ref_misfit (expr, error);
  for (guint i = 0; i < in->n_dims; i++)
    reduced[i] = hir_iter_domain_is_reduction (tensor->logical.ids[i]);
  return hir_ref_reduce (expr, in, reduced, out, error);
}

/* Returns the number of axes, those over devices included. */
static guint
count_parts_and_axes (const HirTensor *tensor)
{
  guint n;

  g_free (hir_tensor_dup_no_reductions (tensor, &n));
  return n;
}

/* The numbers are defined, not approximated, so that they must be equal. */
static gboolean
compute_random (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error)
{
  g_autoptr (GPtrArray) scalars = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  HirRandom random;

  for (guint i = 0; i < expr->n_inputs; i++)
    if (HIR_IS_SCALAR (expr->inputs[i]))
      {
        HirValue *value = hir_env_evaluate (ref->env, HIR_SCALAR (expr->inputs[i]), error);

        if (value == NULL)
          return FALSE;
        g_ptr_array_add (scalars, value);
      }
  hir_random_init (&random, expr, (const HirValue *const *) scalars->pdata, scalars->len);
  for (gint64 k = 0; k < out->count; k++)
    {
      HirRefCell cell = { .v = hir_random_get (&random, (guint64) k) };

      if (!hir_ref_tensor_set (out, k, &cell))
        return hir_ref_tensor_need_errors (out, error);
    }
  return TRUE;
}

static gboolean
refuse_opaque (const HirExpr *expr, GError **error)
{
  hir_set_error (
      error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
      "%s is opaque: its numbers are not computed; hirscope check gives its modelled time",
      expr->u.opaque.name);
  return FALSE;
}

gboolean
hir_reference_check_ops (HirContainer *fusion, GError **error)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);

  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (exprs, i);

      if (expr->kind == HIR_EXPR_OPAQUE && !hir_expr_takes_by_index (expr) &&
          !hir_expr_is_random (expr))
        return refuse_opaque (expr, error);
    }
  return TRUE;
}

static gboolean
compute_op (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error)
{
  const HirRefTensor *in[3] = { NULL, NULL, NULL };
  HirRefWalk walk;

  for (guint i = 0; i < MIN (expr->n_inputs, 3); i++)
    in[i] = hir_reference_lookup (ref, expr->inputs[i]);
  switch (expr->kind)
    {
    case HIR_EXPR_UNARY:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_TERNARY:
      return compute_pointwise (ref, expr, out, error);
    case HIR_EXPR_FULL:
    case HIR_EXPR_IOTA:
      return hir_ref_fill (ref, expr, out, error);
    case HIR_EXPR_CAT:
      return hir_ref_cat (ref, expr, out, error);
    case HIR_EXPR_OPAQUE:
      if (hir_expr_takes_by_index (expr))
        return hir_ref_index (ref, expr, out, error);
      if (hir_expr_is_random (expr))
        return compute_random (ref, expr, out, error);
      return refuse_opaque (expr, error);
    default:
      break;
    }
  if (in[0] == NULL)
    return hir_ref_misfit (expr, error);
  if ((expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR) &&
      HIR_TENSOR (expr->outputs[0])->has_root && out->n_dims > 0 &&
      out->n_dims == count_parts_and_axes (HIR_TENSOR (expr->outputs[0])))
    return hir_ref_product_in_parts (expr, in[0], in[1], out, error);
  switch (expr->kind)
    {
    case HIR_EXPR_SET:
      return hir_ref_permute (expr, in[0], out, error);
    case HIR_EXPR_BROADCAST:
    case HIR_EXPR_SQUEEZE:
    case HIR_EXPR_EXPAND:
    case HIR_EXPR_SELECT:
      return hir_ref_move_axes (ref, expr, in[0], out, error);
    case HIR_EXPR_SLICE:
      return hir_ref_slice (ref, expr, in[0], out, error);
    case HIR_EXPR_PAD:
      return hir_ref_pad (ref, expr, in[0], out, error);
    case HIR_EXPR_RESHAPE:
      if (in[0]->count != out->count)
        return hir_ref_misfit (expr, error);
      hir_ref_walk_init (&walk, 1, &out->count, 0);
      walk.strides[0] = 1;
      return hir_ref_move (in[0], &walk, out, error);
    case HIR_EXPR_REDUCTION:
      return compute_reduction (ref, expr, in[0], out, error);
    case HIR_EXPR_MATMUL:
      return in[1] != NULL ? hir_ref_matmul (expr, in[0], in[1], out, error)
                           : hir_ref_misfit (expr, error);
    case HIR_EXPR_LINEAR:
      return in[1] != NULL ? hir_ref_linear (expr, in[0], in[1], in[2], out, error)
                           : hir_ref_misfit (expr, error);
    default:
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos, "%s cannot be checked yet",
                     hir_expr_kind_get_info (expr->kind)->cpp_name);
      return FALSE;
    }
}

/* Equal elements have equal rounding errors, and so have results that are computed from them. */
static void
count_distinct (HirReference *ref, const HirExpr *expr, HirRefTensor *out)
{
  out->n_distinct = hir_ref_tensor_count_distinct (out);
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      const HirRefTensor *in = hir_reference_lookup (ref, expr->inputs[i]);

      if (in != NULL && in->norms != NULL)
        out->n_distinct = fmin (out->n_distinct, in->n_distinct);
    }
}

/* Returns TRUE if @expr moves all elements of an operand with as many elements in order. */
static gboolean
keeps_order (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_RESHAPE || expr->kind == HIR_EXPR_BROADCAST ||
         expr->kind == HIR_EXPR_SQUEEZE ||
         (expr->kind == HIR_EXPR_SET && !HIR_TENSOR (expr->outputs[0])->has_root);
}

static gboolean
is_pointwise (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_UNARY || expr->kind == HIR_EXPR_BINARY ||
         expr->kind == HIR_EXPR_TERNARY;
}

/* Returns an operand that is not needed after @expr and whose memory the result @out can have, as
 * element i of the result needs only element i of it; NULL if there is none. Large tensors are
 * therefore not copied, and new memory, which costs page faults, is rarely needed. */
static HirRefTensor *
find_donor (HirReference *ref, const HirExpr *expr, const HirRefTensor *out)
{
  gsize size = sizeof *out->sizes * out->n_dims;

  if (ref->current == 0 || (!is_pointwise (expr) && !keeps_order (expr)))
    return NULL;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      HirRefTensor *in = hir_reference_lookup (ref, expr->inputs[i]);

      if (in != NULL && in->count == out->count &&
          GPOINTER_TO_UINT (g_hash_table_lookup (ref->last_use, expr->inputs[i])) == ref->current &&
          !hir_container_is_output (expr->inputs[i]->container, expr->inputs[i]) &&
          (in->values != NULL) == hir_dtype_is_floating_point (out->dtype) &&
          (!is_pointwise (expr) ||
           (in->n_dims == out->n_dims && memcmp (in->sizes, out->sizes, size) == 0)))
        return in;
    }
  return NULL;
}

static gboolean
has_errors (const HirRefTensor *tensor)
{
  for (gint64 i = 0; tensor->errors != NULL && i < tensor->count; i++)
    if (tensor->errors[i] != 0)
      return TRUE;
  return FALSE;
}

gboolean
hir_reference_compute (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error)
{
  HirRefTensor *in = expr->n_inputs > 0 ? hir_reference_lookup (ref, expr->inputs[0]) : NULL;

  if (keeps_order (expr) && in != NULL && out->count == in->count &&
      (out->values != NULL ? out->values == in->values : out->ints == in->ints))
    out->is_copy = in->is_copy;
  else if (!compute_op (ref, expr, out, error))
    return FALSE;
  if (!has_errors (out))
    {
      g_clear_pointer (&out->errors, g_free);
      g_clear_pointer (&out->norms, g_free);
    }
  hir_ref_tensor_share_repeated (out);
  count_distinct (ref, expr, out);
  return TRUE;
}

static gboolean
take_input (HirReference *ref, const HirVal *val, HirValue *value, GError **error)
{
  HirRefTensor *tensor;

  if (!HIR_IS_TENSOR (val))
    {
      hir_env_bind (ref->env, val, value);
      return TRUE;
    }
  if (!hir_env_bind_input (ref->env, (const HirTensor *) val, value, error))
    return FALSE;
  tensor = hir_ref_tensor_new (value->dtype, value->n_dims, value->sizes, error);
  if (tensor == NULL)
    return FALSE;
  tensor->is_copy = TRUE;
  hir_ref_tensor_load (tensor, value);
  g_hash_table_insert (ref->tensors, (gpointer) val, tensor);
  return TRUE;
}

gboolean
hir_reference_run_expr (HirReference *ref, const HirExpr *expr, GError **error)
{
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS];
  g_autoptr (HirRefTensor) out = NULL;
  HirRefTensor *donor;
  gboolean ok;
  guint n;

  if (expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->outputs[0]))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos, "%s cannot be checked yet",
                     hir_expr_kind_get_info (expr->kind)->cpp_name);
      return FALSE;
    }
  if (!hir_env_infer (ref->env, HIR_TENSOR (expr->outputs[0]), &n, sizes, strides, error))
    return FALSE;
  out = hir_ref_tensor_new_empty (expr->outputs[0]->dtype, n, sizes);
  donor = find_donor (ref, expr, out);
  if (donor != NULL)
    hir_ref_tensor_share_elements (out, donor);
  else if (!hir_ref_tensor_allocate (out, error))
    return FALSE;
  if (ref->in_parts != NULL)
    out->n_extra = GPOINTER_TO_UINT (g_hash_table_lookup (ref->in_parts, expr->outputs[0]));
  ok = hir_reference_compute (ref, expr, out, error);
  if (donor != NULL)
    hir_ref_tensor_forget_elements (donor);
  if (!ok)
    return FALSE;
  g_hash_table_insert (ref->tensors, expr->outputs[0], g_steal_pointer (&out));
  return TRUE;
}

/* Frees tensors that no later Expr reads and that are not outputs: a long chain needs memory for a
 * few tensors only. */
static void
drop_unused (HirReference *ref, HirContainer *fusion, const HirExpr *expr, guint index)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    if (GPOINTER_TO_UINT (g_hash_table_lookup (ref->last_use, expr->inputs[i])) == index + 1 &&
        !hir_container_is_output (fusion, expr->inputs[i]))
      g_hash_table_remove (ref->tensors, expr->inputs[i]);
}

static gboolean
run_all (HirReference *ref,
         HirContainer *fusion,
         HirValue *const *inputs,
         guint n,
         GCancellable *cancellable,
         GError **error)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);

  if (n != fusion->inputs.len)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "the fusion takes %u inputs, but %u are given",
                     fusion->inputs.len, n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (!take_input (ref, fusion->inputs.items[i], inputs[i], error))
      return FALSE;
  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (exprs, i);
      for (guint k = 0; k < expr->n_inputs; k++)
        g_hash_table_insert (ref->last_use, expr->inputs[k], GUINT_TO_POINTER (i + 1));
    }
  for (guint i = 0; i < exprs->len; i++)
    {
      if (g_cancellable_is_cancelled (cancellable))
        {
          hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the check was stopped");
          return FALSE;
        }
      ref->current = i + 1;
      if (!hir_reference_run_expr (ref, g_ptr_array_index (exprs, i), error))
        return FALSE;
      drop_unused (ref, fusion, g_ptr_array_index (exprs, i), i);
    }
  return TRUE;
}

GPtrArray *
hir_reference_evaluate (HirContainer *fusion,
                        HirValue *const *inputs,
                        guint n,
                        GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (HirEnv) env = hir_env_new ();
  GPtrArray *outputs = NULL;
  HirReference ref = { .env = env,
                       .tensors = g_hash_table_new_full (NULL, NULL, NULL,
                                                         (GDestroyNotify) hir_ref_tensor_unref),
                       .last_use = g_hash_table_new (NULL, NULL),
                       .in_parts = hir_ref_find_sums_in_parts (fusion) };

  if (run_all (&ref, fusion, inputs, n, cancellable, error))
    {
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_ref_tensor_unref);
      for (guint i = 0; i < fusion->outputs.len; i++)
        {
          HirRefTensor *tensor = hir_reference_lookup (&ref, fusion->outputs.items[i]);
          g_ptr_array_add (outputs, tensor != NULL ? hir_ref_tensor_ref (tensor) : NULL);
        }
    }
  g_hash_table_unref (ref.tensors);
  g_hash_table_unref (ref.last_use);
  g_hash_table_unref (ref.in_parts);
  return outputs;
}
