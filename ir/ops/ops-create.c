/* Tensors and scalars without operands: inputs of a program (docs/host-ir.md#definitions), full,
 * iota. */
#include "label.h"
#include "ops/ops-private.h"

static gboolean
check_shape (HirContainer *fusion,
             const gint64 *shape,
             guint n,
             const gint8 *contiguity, /* in axis order */
             gboolean is_cpu,
             GError **error)
{
  if (is_cpu && n > 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "define_tensor: is_cpu requires a tensor without axes, but this one has "
                     "%u",
                     n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      if (shape[i] < -1)
        {
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "define_tensor: axis %u has size %" G_GINT64_FORMAT
                         "; give 0 or more, or -1 if the size is known only at run time",
                         i, shape[i]);
          return FALSE;
        }
      if (shape[i] == 1 && contiguity[i] != HIR_CONTIGUITY_NONE)
        {
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "define_tensor: axis %u has size 1, so it is a broadcast; its contiguity "
                         "must be None",
                         i);
          return FALSE;
        }
      if (shape[i] == 0 && contiguity[i] == HIR_CONTIGUITY_NONE)
        {
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "define_tensor: axis %u has size 0, so it is not a broadcast; its "
                         "contiguity must be True or False",
                         i);
          return FALSE;
        }
    }
  return TRUE;
}

/* @position: position of each axis in memory, 0 is outermost. */
static gboolean
get_positions (
    HirContainer *fusion, const int *stride_order, guint n, guint *position, GError **error)
{
  g_autofree gboolean *seen = g_new0 (gboolean, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      int order = stride_order != NULL ? stride_order[i] : (int) (n - 1 - i);

      if (order < 0 || order >= (int) n || seen[order])
        {
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "define_tensor: stride_order has %d for axis %u; it must contain each "
                         "number from 0 to %u once, with 0 for the fastest axis",
                         order, i, n - 1);
          return FALSE;
        }
      seen[order] = TRUE;
      position[i] = n - 1 - (guint) order;
    }
  return TRUE;
}

static HirScalar *
new_extent (HirContainer *fusion, gint64 size)
{
  return size < 0 ? hir_scalar_new_symbol (fusion, HIR_DTYPE_INDEX)
                  : hir_scalar_new_int (fusion, size, HIR_DTYPE_INDEX);
}

static HirIterDomain *
new_input_axis (HirContainer *fusion, gint64 size, gboolean is_broadcast)
{
  HirScalar *expanded;
  HirIterDomain *id;

  if (!is_broadcast)
    return hir_iter_domain_new (fusion, new_extent (fusion, size), HIR_ITER_ITERATION);
  expanded = size != 1 ? new_extent (fusion, size) : NULL;
  id = hir_iter_domain_new (fusion, hir_scalar_get_one (fusion), HIR_ITER_BROADCAST);
  id->expanded_extent = expanded;
  return id;
}

/* @contiguity: in memory order, as in scripts. */
static void
set_layout (HirTensor *tensor, const guint *position, const gint8 *contiguity)
{
  guint n = tensor->logical.n;
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (n, 1));
  gboolean in_order = TRUE;

  for (guint i = 0; i < n; i++)
    {
      ids[position[i]] = tensor->logical.ids[i];
      in_order = in_order && position[i] == i;
    }
  if (!in_order)
    hir_tensor_set_allocation (tensor, ids, n);
  for (guint i = 0; i < n; i++)
    tensor->contiguity[i] = contiguity[i];
}

HirTensor *
hir_define_tensor (HirContainer *fusion,
                   const gint64 *shape,
                   guint n,
                   const gint8 *contiguity,
                   HirDType dtype,
                   gboolean is_cpu,
                   const int *stride_order,
                   GError **error)
{
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (n, 1));
  g_autofree guint *position = g_new (guint, MAX (n, 1));
  g_autofree gint8 *by_axis = g_new (gint8, MAX (n, 1));
  HirTensor *tensor;

  if (!get_positions (fusion, stride_order, n, position, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    by_axis[i] = contiguity[position[i]];
  if (!check_shape (fusion, shape, n, by_axis, is_cpu, error))
    return NULL;

  for (guint i = 0; i < n; i++)
    ids[i] = new_input_axis (fusion, shape[i], by_axis[i] == HIR_CONTIGUITY_NONE);
  tensor = hir_tensor_new (fusion, dtype, ids, n);
  tensor->is_cpu_scalar = is_cpu;
  set_layout (tensor, position, contiguity);
  hir_container_add_input (fusion, HIR_VAL (tensor));
  return tensor;
}

HirScalar *
hir_define_scalar (HirContainer *fusion, HirDType dtype)
{
  HirScalar *scalar = hir_scalar_new_symbol (fusion, dtype);

  hir_container_add_input (fusion, HIR_VAL (scalar));
  return scalar;
}

/* Creates an axis; a broadcast if its size is 1. */
static HirIterDomain *
new_axis (HirContainer *fusion, HirScalar *size)
{
  return hir_iter_domain_new (fusion, size,
                              hir_scalar_is_const_int (size, 1) ? HIR_ITER_BROADCAST
                                                                : HIR_ITER_ITERATION);
}

static gboolean
check_size (HirContainer *fusion, const char *op, const HirScalar *size, guint axis, GError **error)
{
  if (!hir_scalar_is_const (size) ||
      (size->i >= 0 && !hir_dtype_is_floating_point (size->base.dtype)))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                 "%s: axis %u would have size %" G_GINT64_FORMAT "; give a whole number, 0 or more",
                 op, axis, size->i);
  return FALSE;
}

HirTensor *
hir_op_full (HirContainer *fusion,
             HirScalar *const *shape,
             guint n,
             HirScalar *value,
             HirDType dtype,
             GError **error)
{
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (n, 1));
  g_autofree HirVal **inputs = g_new (HirVal *, n + 1);
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < n; i++)
    {
      if (!check_size (fusion, "full", shape[i], i, error))
        return NULL;
    }
  value = hir_op_cast_scalar (fusion, value, dtype);
  for (guint i = 0; i < n; i++)
    {
      ids[i] = new_axis (fusion, shape[i]);
      inputs[i] = HIR_VAL (shape[i]);
    }
  inputs[n] = HIR_VAL (value);
  out = hir_tensor_new (fusion, dtype, ids, n);
  expr = hir_op_add (fusion, HIR_EXPR_FULL, inputs, n + 1, out);
  expr->u.full.shape = hir_op_dup_scalars (fusion, shape, n);
  expr->u.full.n = n;
  expr->u.full.value = value;
  return out;
}

HirTensor *
hir_op_iota (HirContainer *fusion,
             HirScalar *length,
             HirScalar *start,
             HirScalar *step,
             HirDType dtype,
             GError **error)
{
  HirVal *inputs[3];
  HirIterDomain *id;
  HirTensor *out;
  HirExpr *expr;

  if (!check_size (fusion, "iota", length, 0, error))
    return NULL;
  start = hir_op_cast_scalar (fusion, start, dtype);
  step = hir_op_cast_scalar (fusion, step, dtype);
  id = new_axis (fusion, length);
  out = hir_tensor_new (fusion, dtype, &id, 1);
  inputs[0] = HIR_VAL (length);
  inputs[1] = HIR_VAL (start);
  inputs[2] = HIR_VAL (step);
  expr = hir_op_add (fusion, HIR_EXPR_IOTA, inputs, 3, out);
  expr->u.iota.length = length;
  expr->u.iota.start = start;
  expr->u.iota.step = step;
  return out;
}
