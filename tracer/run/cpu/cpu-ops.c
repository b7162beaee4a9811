/* Tensor ops of the CPU back end: dispatch, and ops that move elements. */
#include "run/cpu/cpu-ops.h"

#include "run/cpu/cpu-iter.h"
#include "run/values/odometer.h"
#include "run/values/random.h"
#include "run/values/shard.h"

/* Fills the output and copies the input into its middle; negative widths cut the input. */
static gboolean
execute_pad (const HirOpCall *call, GError **error)
{
  g_autoptr (HirValue) from = hir_value_ref (call->inputs[0]);
  g_autoptr (HirValue) to = hir_value_ref (call->output);

  if (call->n_params != 2 * from->n_dims || to->n_dims != from->n_dims)
    return hir_cpu_fail (call, "the widths do not match", error);
  if (!hir_cpu_fill (call->output, call->fill))
    return FALSE;
  for (guint i = 0; i < from->n_dims; i++)
    {
      gint64 left = call->params[2 * i];
      gint64 in_start = MAX (-left, 0), out_start = MAX (left, 0);
      gint64 count = MIN (from->sizes[i] - in_start, to->sizes[i] - out_start);

      if (count <= 0)
        return TRUE; /* nothing of the input remains */
      HirValue *part = hir_value_slice (from, i, in_start, count, 1);
      hir_value_unref (from);
      from = part;
      part = hir_value_slice (to, i, out_start, count, 1);
      hir_value_unref (to);
      to = part;
    }
  return hir_cpu_copy (to, from);
}

static gboolean
execute_cat (const HirOpCall *call, GError **error)
{
  guint axis = (guint) call->expr->u.cat.dim;
  gint64 at = 0;

  for (guint i = 0; i < call->n_inputs; i++)
    {
      const HirValue *in = call->inputs[i];

      if (axis >= in->n_dims || in->n_dims != call->output->n_dims ||
          at + in->sizes[axis] > call->output->sizes[axis])
        break;
      g_autoptr (HirValue) part = hir_value_slice (call->output, axis, at, in->sizes[axis], 1);
      if (!hir_cpu_copy (part, in))
        break;
      at += in->sizes[axis];
    }
  if (axis < call->output->n_dims && at == call->output->sizes[axis])
    return TRUE;
  return hir_cpu_fail (call, "the shapes do not match", error);
}

static gboolean
execute_iota (const HirOpCall *call, GError **error)
{
  const HirValue *out = call->output;
  guint8 *data = hir_value_get_data (out);
  gint64 size = (gint64) hir_dtype_get_size_bytes (out->dtype);

  if (out->n_dims != 1)
    return hir_cpu_fail (call, "the output must have one axis", error);
  for (gint64 i = 0; i < out->sizes[0]; i++)
    {
      gpointer element = data + i * out->strides[0] * size;
      if (hir_dtype_is_floating_point (out->dtype))
        hir_element_set_double (out->dtype, element, call->fill->d + (double) i * call->step->d);
      else
        hir_element_set_int (out->dtype, element,
                             (gint64) ((guint64) call->fill->i +
                                       (guint64) i * (guint64) call->step->i));
    }
  return TRUE;
}

static gboolean
execute_random (const HirOpCall *call, GError **error)
{
  const HirValue *out = call->output;
  g_autofree const HirValue **scalars = g_new (const HirValue *, MAX (call->n_inputs, 1));
  guint8 *data = hir_value_get_data (out);
  gint64 size = (gint64) hir_dtype_get_size_bytes (out->dtype);
  HirRandom random;
  guint n = 0;

  if (hir_shard_is_sharded (HIR_TENSOR (call->expr->outputs[0])))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &call->expr->node.pos,
                     "%s into T%d, which is distributed over devices, is not supported yet",
                     call->expr->u.opaque.name, call->expr->outputs[0]->name);
      return FALSE;
    }
  for (guint i = 0; i < call->n_inputs; i++)
    if (call->inputs[i]->is_scalar)
      scalars[n++] = call->inputs[i];
  hir_random_init (&random, call->expr, scalars, n);
  for (gint64 k = 0, count = hir_value_get_n_elements (out); k < count; k++)
    hir_element_set_double (out->dtype,
                            data + hir_odometer_locate (k, out->sizes, out->strides, out->n_dims) *
                                       size,
                            hir_random_get (&random, (guint64) k));
  return TRUE;
}

/* Executes a view op as a copy of the view. Data that cannot be viewed in the new shape is made
 * contiguous first. */
static gboolean
execute_view (const HirOpCall *call, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (HirValue) view = hir_op_call_new_view (call, &local);

  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (view == NULL) /* a reshape of strided data */
    {
      const HirValue *in = call->inputs[0];
      g_autoptr (HirBuffer) buffer = NULL;
      g_autoptr (HirValue) dense = NULL;

      buffer = hir_buffer_new (hir_value_get_size_bytes (in), error);
      if (buffer == NULL)
        return FALSE;
      dense = hir_value_new_tensor (in->dtype, in->n_dims, in->sizes, NULL, buffer);
      if (!hir_cpu_copy (dense, in))
        return FALSE;
      view = hir_value_reshape (dense, call->output->n_dims, call->output->sizes);
    }
  if (view != NULL && hir_cpu_copy (call->output, view))
    return TRUE;
  return hir_cpu_fail (call, "the shapes do not match", error);
}

static gboolean
dispatch (const HirOpCall *call, GError **error)
{
  switch (call->expr->kind)
    {
    case HIR_EXPR_UNARY:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_TERNARY:
      return hir_cpu_pointwise (call, error);
    case HIR_EXPR_REDUCTION:
      return hir_cpu_reduction (call, error);
    case HIR_EXPR_MATMUL:
      return hir_cpu_matmul (call, error);
    case HIR_EXPR_LINEAR:
      return hir_cpu_linear (call, error);
    case HIR_EXPR_PAD:
      return execute_pad (call, error);
    case HIR_EXPR_CAT:
      return execute_cat (call, error);
    case HIR_EXPR_FULL:
      return hir_cpu_fill (call->output, call->fill);
    case HIR_EXPR_IOTA:
      return execute_iota (call, error);
    case HIR_EXPR_OPAQUE:
      if (hir_expr_takes_by_index (call->expr))
        return hir_cpu_index (call, error);
      if (hir_expr_is_random (call->expr))
        return execute_random (call, error);
      hir_set_error (
          error, HIR_ERROR_UNSUPPORTED, &call->expr->node.pos,
          "%s is opaque: its numbers are not computed; hirscope check gives its modelled time",
          call->expr->u.opaque.name);
      return FALSE;
    default:
      return execute_view (call, error);
    }
}

typedef struct
{
  HirDType dtype;
  double relative;
} Plant;

static gboolean
plant_row (guint8 *const *data, const gint64 *strides, gsize n, gpointer user_data)
{
  const Plant *plant = user_data;
  gint64 size = (gint64) hir_dtype_get_size_bytes (plant->dtype);

  for (gsize i = 0; i < n; i++)
    {
      gpointer element = data[0] + (gint64) i * strides[0] * size;
      if (hir_dtype_is_floating_point (plant->dtype))
        {
          double x = hir_element_get_double (plant->dtype, element);
          hir_element_set_double (plant->dtype, element,
                                  x + plant->relative * (x < 0 ? x - 1 : x + 1));
        }
      else
        hir_element_set_int (plant->dtype, element,
                             hir_element_get_int (plant->dtype, element) ^ 1);
    }
  return TRUE;
}

gboolean
hir_cpu_execute (const HirOpCall *call, GError **error)
{
  if (!hir_buffer_ensure (call->output->buffer, error))
    return FALSE;
  for (guint i = 0; i < call->n_inputs; i++)
    if (!call->inputs[i]->is_scalar && !hir_buffer_ensure (call->inputs[i]->buffer, error))
      return FALSE;
  if (!dispatch (call, error))
    return FALSE;
  if (call->planted > 0)
    {
      HirCpuIter iter;
      const HirValue *out = call->output;
      Plant plant = { out->dtype, call->planted };

      return hir_cpu_iter_init (&iter, &out, 1) &&
             hir_cpu_iter_run (&iter, G_MAXSIZE, plant_row, &plant);
    }
  return TRUE;
}
