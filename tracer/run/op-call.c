/* Evaluation of the operands and attributes of tensor ops. */
#include "run/op-call.h"

#include <string.h>

static HirValue *
resolve_input (HirEnv *env, const HirExpr *expr, const HirVal *val, GError **error)
{
  if (HIR_IS_SCALAR (val))
    return hir_env_evaluate (env, (const HirScalar *) val, error);

  HirValue *known = HIR_IS_TENSOR (val) ? hir_env_lookup (env, val) : NULL;
  if (known == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "T%d must be computed before it is read by %s", val->name,
                     hir_expr_get_op_name (expr));
      return NULL;
    }
  return hir_value_ref (known);
}

/* Returns @value with size 1 along each expanded broadcast, whose size may differ from that of the
 * result: nvFuser ignores it, and the result may be distributed over devices. */
static HirValue *
drop_expansion (const HirTensor *tensor, HirValue *value)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; n == value->n_dims && i < n; i++)
    if (ids[i]->expanded_extent != NULL && value->sizes[i] > 1)
      {
        HirValue *narrow = hir_value_slice (value, i, 0, 1, 1);

        hir_value_unref (value);
        value = narrow;
      }
  return value;
}

static gboolean
resolve_inputs (HirOpCall *call, HirEnv *env, GError **error)
{
  const HirExpr *expr = call->expr;
  gboolean is_pointwise = expr->kind == HIR_EXPR_UNARY || expr->kind == HIR_EXPR_BINARY ||
                          expr->kind == HIR_EXPR_TERNARY;
  gboolean with_scalars =
      is_pointwise || hir_expr_takes_by_index (expr) || hir_expr_is_random (expr);

  if (call->inputs == NULL)
    call->inputs = g_new0 (HirValue *, MAX (expr->n_inputs, 1));
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (!with_scalars && !HIR_IS_TENSOR (expr->inputs[i]))
        continue; /* an attribute: see evaluate_attributes() */
      HirValue *value = resolve_input (env, expr, expr->inputs[i], error);
      if (value == NULL)
        return FALSE;
      if (is_pointwise && HIR_IS_TENSOR (expr->inputs[i]))
        value = drop_expansion (HIR_TENSOR (expr->inputs[i]), value);
      call->inputs[call->n_inputs++] = value;
    }
  return TRUE;
}

static gboolean
evaluate_list (HirOpCall *call,
               HirEnv *env,
               HirScalar *const *scalars,
               guint n,
               guint offset,
               guint step,
               GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!hir_env_evaluate_int (env, scalars[i], &call->params[i * step + offset], error))
      return FALSE;
  return TRUE;
}

static void
allocate_params (HirOpCall *call, guint n)
{
  if (call->params != NULL && call->n_params == n)
    {
      memset (call->params, 0, n * sizeof *call->params);
      return;
    }
  g_free (call->params);
  call->n_params = n;
  call->params = g_new0 (gint64, MAX (n, 1));
}

/* Returns the run-time axis of @id, not counting reduction axes before it, or -1. */
static int
position_among (const HirDomain *domain, const HirIterDomain *id)
{
  int position = 0;

  for (guint i = 0; i < domain->n; i++)
    {
      if (domain->ids[i] == id)
        return position;
      position += !hir_iter_domain_is_reduction (domain->ids[i]);
    }
  return -1;
}

gboolean
hir_alias_select_find_axis (const HirExpr *expr, guint *axis)
{
  const HirDomain *logical = &HIR_TENSOR (expr->inputs[0])->logical;
  const HirIterDomain *cut = logical->ids[expr->u.alias_select.axis];

  *axis = (guint) position_among (logical, cut);
  return !hir_iter_domain_is_reduction (cut);
}

static gboolean
evaluate_select (HirOpCall *call, HirEnv *env, GError **error)
{
  const HirExpr *expr = call->expr;
  const HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  int axis = position_among (&in->logical, expr->u.select.axis);

  if (axis < 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "select from T%d uses an axis that it does not have", in->base.name);
      return FALSE;
    }
  allocate_params (call, 2);
  call->params[0] = axis;
  return hir_env_evaluate_int (env, expr->u.select.index, &call->params[1], error);
}

/* For a Set with a root domain: params[i] is the input axis of output axis i. */
static gboolean
evaluate_permute (HirOpCall *call, GError **error)
{
  const HirTensor *out = HIR_TENSOR (call->expr->outputs[0]);
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (out, &n);

  if (!out->has_root)
    return TRUE;
  allocate_params (call, n);
  for (guint i = 0; i < n; i++)
    {
      int from = position_among (&out->root, ids[i]);
      if (from < 0)
        {
          hir_set_error (
              error, HIR_ERROR_RUN, &call->expr->node.pos,
              "T%d is a Set whose logical domain is not a permutation of its root domain",
              out->base.name);
          return FALSE;
        }
      call->params[i] = from;
    }
  return TRUE;
}

/* Returns TRUE if the reduction was split before (rFactor) and every device has one element of each
 * split axis. The whole axis of the operand is then reduced. */
static gboolean
is_rfactored_over_devices (const HirTensor *out)
{
  gboolean any = FALSE;

  for (guint i = 0; out->has_root && i < out->logical.n; i++)
    {
      const HirIterDomain *id = out->logical.ids[i];

      if (!id->is_rfactor || hir_iter_domain_is_reduction (id))
        continue;
      if (!hir_iter_domain_is_device (id))
        return FALSE;
      any = TRUE;
    }
  return any;
}

/* Replaces the operand by a view with the split axes of the result, or sets them beside it if some
 * elements of the axes do not exist. */
static gboolean
split_operand (HirOpCall *call, HirEnv *env, GError **error)
{
  HirValue *in = call->inputs[0];
  HirValue *value;
  HirSplitView view = { .n_dims = in->n_dims };

  memcpy (view.sizes, in->sizes, sizeof view.sizes);
  memcpy (view.strides, in->strides, sizeof view.strides);
  if (!hir_split_view (env, call->expr, HIR_TENSOR (call->expr->outputs[0]), &view, error))
    return FALSE;
  if (view.n_bounds > 0)
    {
      call->split = g_memdup2 (&view, sizeof view);
      return TRUE;
    }
  value = hir_value_new_tensor (in->dtype, view.n_dims, view.sizes, view.strides, in->buffer);
  value->offset = in->offset;
  hir_value_unref (in);
  call->inputs[0] = value;
  return TRUE;
}

static gboolean
evaluate_reduction (HirOpCall *call, HirEnv *env, GError **error)
{
  const HirTensor *out = HIR_TENSOR (call->expr->outputs[0]);

  if (is_rfactored_over_devices (out))
    {
      allocate_params (call, out->root.n);
      for (guint i = 0; i < out->root.n; i++)
        call->params[i] = hir_domain_find (&out->logical, out->root.ids[i]) < 0 ||
                          hir_iter_domain_is_reduction (out->root.ids[i]);
      return TRUE;
    }
  if (out->has_root && !split_operand (call, env, error))
    return FALSE;
  allocate_params (call, out->logical.n);
  for (guint i = 0; i < out->logical.n; i++)
    call->params[i] = hir_iter_domain_is_reduction (out->logical.ids[i]);
  return TRUE;
}

static gboolean
evaluate_attributes (HirOpCall *call, HirEnv *env, GError **error)
{
  const HirExpr *expr = call->expr;
  guint n;

  switch (expr->kind)
    {
    case HIR_EXPR_SET:
      return evaluate_permute (call, error);
    case HIR_EXPR_REDUCTION:
      return evaluate_reduction (call, env, error);
    case HIR_EXPR_SELECT:
      return evaluate_select (call, env, error);
    case HIR_EXPR_SLICE:
      n = expr->u.slice.n;
      allocate_params (call, 3 * n);
      return evaluate_list (call, env, expr->u.slice.start, n, 0, 3, error) &&
             evaluate_list (call, env, expr->u.slice.stop, n, 1, 3, error) &&
             evaluate_list (call, env, expr->u.slice.step, n, 2, 3, error);
    case HIR_EXPR_PAD:
      allocate_params (call, expr->u.pad.n);
      call->fill = expr->u.pad.value != NULL ? hir_env_evaluate (env, expr->u.pad.value, error)
                                             : hir_value_new_int (0, HIR_DTYPE_INT);
      return call->fill != NULL &&
             evaluate_list (call, env, expr->u.pad.widths, expr->u.pad.n, 0, 1, error);
    case HIR_EXPR_FULL:
      call->fill = hir_env_evaluate (env, expr->u.full.value, error);
      return call->fill != NULL;
    case HIR_EXPR_IOTA:
      if (hir_shard_is_sharded (HIR_TENSOR (expr->outputs[0])))
        {
          hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                         "iota into T%d, which is distributed over devices, is not supported yet",
                         expr->outputs[0]->name);
          return FALSE;
        }
      call->fill = hir_env_evaluate (env, expr->u.iota.start, error);
      call->step = call->fill != NULL ? hir_env_evaluate (env, expr->u.iota.step, error) : NULL;
      return call->step != NULL;
    default:
      return TRUE;
    }
}

HirOpCall *
hir_op_call_new (const HirExpr *expr, HirEnv *env, GError **error)
{
  g_autoptr (HirOpCall) call = g_new0 (HirOpCall, 1);

  call->expr = expr;
  if (!hir_expr_kind_get_info (expr->kind)->is_tensor_op || expr->n_outputs != 1 ||
      !HIR_IS_TENSOR (expr->outputs[0]))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos, "%s is not supported yet",
                     hir_expr_kind_get_info (expr->kind)->cpp_name);
      return NULL;
    }
  if (!hir_op_call_renew (call, env, error))
    return NULL;
  return g_steal_pointer (&call);
}

gboolean
hir_op_call_renew (HirOpCall *call, HirEnv *env, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    hir_value_unref (call->inputs[i]);
  call->n_inputs = 0;
  g_clear_pointer (&call->split, g_free);
  g_clear_pointer (&call->fill, hir_value_unref);
  g_clear_pointer (&call->step, hir_value_unref);
  return resolve_inputs (call, env, error) && evaluate_attributes (call, env, error);
}

void
hir_op_call_release (HirOpCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    hir_value_unref (call->inputs[i]);
  call->n_inputs = 0;
  g_clear_pointer (&call->output, hir_value_unref);
  g_clear_pointer (&call->split, g_free);
  g_clear_pointer (&call->fill, hir_value_unref);
  g_clear_pointer (&call->step, hir_value_unref);
}

HirOpCall *
hir_op_call_new_copy (HirExpr *set, HirValue *in, HirValue *out)
{
  HirOpCall *call = g_new0 (HirOpCall, 1);

  call->own_expr = g_atomic_rc_box_acquire (set);
  call->expr = set;
  call->inputs = g_new0 (HirValue *, 1);
  call->inputs[0] = hir_value_ref (in);
  call->n_inputs = 1;
  call->output = hir_value_ref (out);
  return call;
}

HirOpCall *
hir_op_call_new_opaque (HirExpr *expr, HirValue *const *inputs, guint n_inputs, HirValue *out)
{
  HirOpCall *call = g_new0 (HirOpCall, 1);

  call->own_expr = g_atomic_rc_box_acquire (expr);
  call->expr = expr;
  call->inputs = g_new0 (HirValue *, MAX (n_inputs, 1));
  for (guint i = 0; i < n_inputs; i++)
    call->inputs[i] = hir_value_ref (inputs[i]);
  call->n_inputs = n_inputs;
  call->output = hir_value_ref (out);
  return call;
}

void
hir_op_call_free (HirOpCall *call)
{
  g_clear_pointer (&call->own_expr, g_atomic_rc_box_release);
  hir_op_call_release (call);
  g_free (call->inputs);
  g_free (call->params);
  g_free (call);
}

void
hir_op_call_set_output (HirOpCall *call, HirValue *output)
{
  HirValue *before = call->output;

  call->output = output != NULL ? hir_value_ref (output) : NULL;
  g_clear_pointer (&before, hir_value_unref);
}

guint32
hir_op_find_device_axes (const HirExpr *expr)
{
  guint n;
  g_autofree HirIterDomain **ids = NULL;
  guint32 axes = 0;

  if (expr->kind != HIR_EXPR_LINEAR && expr->kind != HIR_EXPR_MATMUL &&
      expr->kind != HIR_EXPR_REDUCTION)
    return 0;
  ids = hir_tensor_dup_no_reductions (HIR_TENSOR (expr->outputs[0]), &n);
  for (guint i = 0; i < MIN (n, HIR_MAX_DIMS); i++)
    if (ids[i]->is_rfactor && hir_iter_domain_is_device (ids[i]))
      axes |= 1u << i;
  return axes;
}

void
hir_op_call_set_output_without (HirOpCall *call, HirValue *value, guint32 axes)
{
  g_autoptr (HirValue) view = hir_value_ref (value);

  for (guint i = axes != 0 ? value->n_dims : 0; i-- > 0;)
    if ((axes >> i & 1) != 0 && value->sizes[i] == 1)
      {
        HirValue *next = hir_value_drop_axis (view, i);
        hir_value_unref (view);
        view = next;
      }
  hir_op_call_set_output (call, view);
}
