/* Ops whose result is a view of the input, and the cost of ops. */
#include "run/op-call.h"

static HirValue *
misfit (const HirOpCall *call, GError **error)
{
  g_autofree char *in = hir_value_describe (call->inputs[0]);

  hir_set_error (error, HIR_ERROR_RUN, &call->expr->node.pos,
                 "%s of %s does not match its result T%d", hir_expr_get_op_name (call->expr), in,
                 call->expr->outputs[0]->name);
  return NULL;
}

static HirValue *
view_permuted (const HirOpCall *call, GError **error)
{
  const HirValue *in = call->inputs[0];
  guint order[HIR_MAX_DIMS];
  guint seen = 0;

  if (call->n_params == 0)
    return hir_value_ref (call->inputs[0]);
  if (call->n_params != in->n_dims)
    return misfit (call, error);
  for (guint i = 0; i < in->n_dims; i++)
    {
      order[i] = (guint) call->params[i];
      seen |= 1u << order[i];
    }
  if (seen != (1u << in->n_dims) - 1)
    return misfit (call, error);
  return hir_value_permute (in, order);
}

static HirValue *
view_broadcast (const HirOpCall *call, GError **error)
{
  g_autoptr (HirValue) view = hir_value_ref (call->inputs[0]);
  const gboolean *flags = call->expr->u.broadcast.flags;
  guint n = call->expr->u.broadcast.n, n_new = 0;

  for (guint i = 0; i < n; i++)
    n_new += flags[i] != 0;
  if (n > HIR_MAX_DIMS || view->n_dims + n_new != n)
    return misfit (call, error);
  for (guint i = 0; i < n; i++)
    if (flags[i])
      {
        HirValue *wider = hir_value_insert_axis (view, i);
        hir_value_unref (view);
        view = wider;
      }
  return g_steal_pointer (&view);
}

static HirValue *
view_squeezed (const HirOpCall *call, GError **error)
{
  g_autoptr (HirValue) view = hir_value_ref (call->inputs[0]);
  guint n = call->expr->u.squeeze.n;

  if (n != view->n_dims)
    return misfit (call, error);
  for (guint i = n; i-- > 0;)
    if (call->expr->u.squeeze.flags[i])
      {
        /* Only broadcast axes can be dropped, whose elements are all the same. */
        if (view->sizes[i] != 1 && view->strides[i] != 0)
          return misfit (call, error);
        HirValue *narrower = hir_value_drop_axis (view, i);
        hir_value_unref (view);
        view = narrower;
      }
  return g_steal_pointer (&view);
}

static HirValue *
view_sliced (const HirOpCall *call, GError **error)
{
  g_autoptr (HirValue) view = hir_value_ref (call->inputs[0]);

  if (call->n_params != 3 * view->n_dims)
    return misfit (call, error);
  for (guint i = 0; i < view->n_dims; i++)
    {
      gint64 size = view->sizes[i], step = call->params[3 * i + 2];
      gint64 start = call->params[3 * i], stop = call->params[3 * i + 1];

      if (step < 1)
        return misfit (call, error);
      start = CLAMP (start < 0 ? start + size : start, 0, size);
      stop = CLAMP (stop < 0 ? stop + size : stop, start, size);
      HirValue *part = hir_value_slice (view, i, start, (stop - start + step - 1) / step, step);
      hir_value_unref (view);
      view = part;
    }
  return g_steal_pointer (&view);
}

static HirValue *
view_selected (const HirOpCall *call, GError **error)
{
  const HirValue *in = call->inputs[0];
  gint64 axis = call->params[0], index = call->params[1];

  if (axis >= in->n_dims || index < 0 || index >= in->sizes[axis])
    {
      hir_set_error (error, HIR_ERROR_RUN, &call->expr->node.pos,
                     "select of index %" G_GINT64_FORMAT " from axis %" G_GINT64_FORMAT
                     " of T%d is out of range",
                     index, axis, call->expr->inputs[0]->name);
      return NULL;
    }
  return hir_value_select (in, (guint) axis, index);
}

HirValue *
hir_op_call_new_view (const HirOpCall *call, GError **error)
{
  HirValue *view;

  switch (call->expr->kind)
    {
    case HIR_EXPR_SET:
      return view_permuted (call, error);
    case HIR_EXPR_BROADCAST:
      return view_broadcast (call, error);
    case HIR_EXPR_SQUEEZE:
      return view_squeezed (call, error);
    case HIR_EXPR_SLICE:
      return view_sliced (call, error);
    case HIR_EXPR_SELECT:
      return view_selected (call, error);
    case HIR_EXPR_EXPAND:
      if (call->output == NULL || call->output->n_dims != call->inputs[0]->n_dims)
        return misfit (call, error);
      view = hir_value_expand (call->inputs[0], call->output->sizes);
      return view != NULL ? view : misfit (call, error);
    case HIR_EXPR_RESHAPE:
      if (call->output == NULL ||
          hir_value_get_n_elements (call->output) != hir_value_get_n_elements (call->inputs[0]))
        return misfit (call, error);
      return hir_value_reshape (call->inputs[0], call->output->n_dims, call->output->sizes);
    default:
      return NULL;
    }
}

static gint64
operand_bytes (const HirValue *value)
{
  gint64 count = 1;

  /* A broadcast axis (stride 0) is read once. */
  for (guint i = 0; i < value->n_dims; i++)
    if (value->strides[i] != 0)
      count *= value->sizes[i];
  return count * (gint64) hir_dtype_get_size_bytes (value->dtype);
}

void
hir_op_call_get_cost (const HirOpCall *call, gint64 *bytes, gint64 *flops)
{
  const HirValue *out = call->output;
  gint64 n = hir_value_get_n_elements (out);

  *bytes = operand_bytes (out);
  for (guint i = 0; i < call->n_inputs; i++)
    if (!call->inputs[i]->is_scalar)
      *bytes += operand_bytes (call->inputs[i]);
  switch (call->expr->kind)
    {
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
      *flops = call->inputs[0]->n_dims > 0
                   ? 2 * n * call->inputs[0]->sizes[call->inputs[0]->n_dims - 1]
                   : n;
      break;
    case HIR_EXPR_REDUCTION:
      *flops = hir_value_get_n_elements (call->inputs[0]);
      break;
    case HIR_EXPR_UNARY:
    case HIR_EXPR_BINARY:
      *flops = n;
      break;
    case HIR_EXPR_TERNARY:
      *flops = 2 * n;
      break;
    default:
      *flops = 0;
      /* A copy reads as much as it writes, not the whole input. */
      *bytes = 2 * operand_bytes (out);
      break;
    }
}
