/* Unary, binary and ternary ops, and copies. */
#include <string.h>

#include "run/cpu/cpu-iter.h"
#include "run/cpu/cpu-lanes.h"
#include "run/cpu/cpu-ops.h"

gboolean
hir_cpu_fail (const HirOpCall *call, const char *why, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < call->n_inputs; i++)
    {
      g_autofree char *in = hir_value_describe (call->inputs[i]);
      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", in);
    }
  g_autofree char *out = hir_value_describe (call->output);
  hir_set_error (error, HIR_ERROR_RUN, &call->expr->node.pos, "%s of %s into %s: %s",
                 hir_expr_get_op_name (call->expr), text->str, out, why);
  return FALSE;
}

#define MAX_IN (HIR_ITER_MAX_OPERANDS - 1)

typedef struct
{
  const HirExpr *expr;
  HirComputeClass klass;
  HirDType dtypes[HIR_ITER_MAX_OPERANDS]; /* [0] of the output, then of the tensors */
  gboolean direct[HIR_ITER_MAX_OPERANDS]; /* stored in the lane type: no conversion */
  guint n_in;
  /* index of operand i in the iteration, or -1: a scalar, already in its lanes */
  int tensor[MAX_IN];
  gdouble lanes[HIR_ITER_MAX_OPERANDS][HIR_LANE_COUNT]; /* large enough for any class */
} Pointwise;

static gboolean
is_direct (HirComputeClass klass, HirDType dtype)
{
  switch (klass)
    {
    case HIR_CLASS_F32:
      return dtype == HIR_DTYPE_FLOAT;
    case HIR_CLASS_F64:
      return dtype == HIR_DTYPE_DOUBLE;
    default:
      return dtype == HIR_DTYPE_INT || dtype == HIR_DTYPE_INDEX || dtype == HIR_DTYPE_UINT64;
    }
}

static gboolean
compute (Pointwise *op, gpointer out, const gconstpointer *in, gsize n)
{
  switch (op->expr->kind)
    {
    case HIR_EXPR_UNARY:
      return hir_lanes_unary (op->klass, op->expr->u.unary.op, out, in[0], n);
    case HIR_EXPR_BINARY:
      return hir_lanes_binary (op->klass, op->expr->u.binary.op, out, in[0], in[1], n);
    default:
      return hir_lanes_ternary (op->klass, op->expr->u.ternary.op, out, in, n);
    }
}

static gboolean
pointwise_row (guint8 *const *data, const gint64 *strides, gsize n, gpointer user_data)
{
  Pointwise *op = user_data;
  gconstpointer in[MAX_IN];
  gboolean store_direct = op->direct[0] && strides[0] == 1;
  gpointer out = store_direct ? (gpointer) data[0] : (gpointer) op->lanes[0];

  for (guint i = 0; i < op->n_in; i++)
    {
      int k = op->tensor[i];
      in[i] = op->lanes[i + 1];
      if (k >= 0 && op->direct[k] && strides[k] == 1)
        in[i] = data[k];
      else if (k >= 0)
        hir_lanes_load (op->klass, op->dtypes[k], data[k], strides[k], n, op->lanes[i + 1]);
    }
  if (!compute (op, out, in, n))
    return FALSE;
  if (!store_direct)
    hir_lanes_store (op->klass, op->dtypes[0], data[0], strides[0], n, out);
  return TRUE;
}

static void
fill_lanes (HirComputeClass klass, gpointer lanes, const HirValue *scalar)
{
  for (gsize i = 0; i < HIR_LANE_COUNT; i++)
    switch (klass)
      {
      case HIR_CLASS_F32:
        ((float *) lanes)[i] = (float) scalar->d;
        break;
      case HIR_CLASS_F64:
        ((double *) lanes)[i] = scalar->d;
        break;
      default:
        ((gint64 *) lanes)[i] = scalar->i;
        break;
      }
}

static gboolean
yields_bool (const HirExpr *expr)
{
  return expr->outputs[0]->dtype == HIR_DTYPE_BOOL &&
         !(expr->kind == HIR_EXPR_UNARY && expr->u.unary.op == HIR_UNARY_CAST);
}

gboolean
hir_cpu_pointwise (const HirOpCall *call, GError **error)
{
  g_autofree Pointwise *op = g_new (Pointwise, 1);
  const HirValue *walk[HIR_ITER_MAX_OPERANDS] = { call->output };
  HirDType operand_types[MAX_IN];
  guint n_walk = 1, n_types = 0;
  gboolean scalar_is_float = FALSE;
  HirCpuIter iter;

  if (call->n_inputs > MAX_IN)
    return hir_cpu_fail (call, "too many operands", error);
  op->expr = call->expr;
  op->n_in = call->n_inputs;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const HirValue *in = call->inputs[i];
      op->tensor[i] = in->is_scalar ? -1 : (int) n_walk;
      if (in->is_scalar)
        scalar_is_float |= hir_dtype_is_floating_point (in->dtype);
      else
        {
          operand_types[n_types++] = in->dtype;
          walk[n_walk++] = in;
        }
    }
  op->klass =
      hir_compute_class_for (operand_types, n_types,
                             yields_bool (call->expr) ? HIR_DTYPE_BOOL : call->output->dtype,
                             scalar_is_float);
  for (guint i = 0; i < call->n_inputs; i++)
    if (op->tensor[i] < 0)
      fill_lanes (op->klass, op->lanes[i + 1], call->inputs[i]);
  for (guint k = 0; k < n_walk; k++)
    {
      op->dtypes[k] = walk[k]->dtype;
      op->direct[k] = is_direct (op->klass, walk[k]->dtype);
    }
  if (!hir_cpu_iter_init (&iter, walk, n_walk))
    return hir_cpu_fail (call, "the shapes do not match", error);
  if (!hir_cpu_iter_run (&iter, HIR_LANE_COUNT, pointwise_row, op))
    return hir_cpu_fail (call, "the op does not support this type", error);
  return TRUE;
}

typedef struct
{
  HirComputeClass klass;
  HirDType from, to;
  gsize same_size; /* bytes per element if no conversion is needed; otherwise 0 */
  gdouble lanes[HIR_LANE_COUNT];
} Copy;

#define COPY_STRIDED(Type)                                                                         \
  for (gsize i = 0; i < n; i++)                                                                    \
    ((Type *) data[0])[(gint64) i * strides[0]] = ((const Type *) data[1])[(gint64) i * strides[1]];

static gboolean
copy_row (guint8 *const *data, const gint64 *strides, gsize n, gpointer user_data)
{
  Copy *copy = user_data;

  if (copy->same_size == 0)
    {
      hir_lanes_load (copy->klass, copy->from, data[1], strides[1], n, copy->lanes);
      hir_lanes_store (copy->klass, copy->to, data[0], strides[0], n, copy->lanes);
    }
  else if (strides[0] == 1 && strides[1] == 1)
    memmove (data[0], data[1], n * copy->same_size);
  else if (copy->same_size == 1)
    COPY_STRIDED (guint8)
  else if (copy->same_size == 2)
    COPY_STRIDED (guint16)
  else if (copy->same_size == 4)
    COPY_STRIDED (guint32)
  else
    COPY_STRIDED (guint64)
  return TRUE;
}

gboolean
hir_cpu_copy (const HirValue *out, const HirValue *in)
{
  const HirValue *walk[] = { out, in };
  HirCpuIter iter;
  Copy copy = { .from = in->dtype, .to = out->dtype };

  copy.klass = hir_compute_class_for (&in->dtype, 1, out->dtype, FALSE);
  copy.same_size = in->dtype == out->dtype ? hir_dtype_get_size_bytes (in->dtype) : 0;
  if (!hir_cpu_iter_init (&iter, walk, 2) || !hir_value_same_sizes (out, in))
    return FALSE;
  return hir_cpu_iter_run (&iter, copy.same_size > 0 ? G_MAXSIZE : HIR_LANE_COUNT, copy_row, &copy);
}

typedef struct
{
  gsize size;
  guint64 element; /* the bytes of one element */
} Fill;

static gboolean
fill_row (guint8 *const *data, const gint64 *strides, gsize n, gpointer user_data)
{
  const Fill *fill = user_data;

  for (gsize i = 0; i < n; i++)
    memcpy (data[0] + (gint64) i * strides[0] * (gint64) fill->size, &fill->element, fill->size);
  return TRUE;
}

gboolean
hir_cpu_fill (const HirValue *out, const HirValue *scalar)
{
  HirCpuIter iter;
  Fill fill = { .size = hir_dtype_get_size_bytes (out->dtype) };

  if (hir_dtype_is_floating_point (scalar->dtype))
    hir_element_set_double (out->dtype, &fill.element, scalar->d);
  else
    hir_element_set_int (out->dtype, &fill.element, scalar->i);
  return hir_cpu_iter_init (&iter, &out, 1) && hir_cpu_iter_run (&iter, G_MAXSIZE, fill_row, &fill);
}
