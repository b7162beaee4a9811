/* Axes of op outputs: promotion and inheritance (docs/host-ir.md#op-outputs). */
#include "label.h"
#include "ops/ops-private.h"
#include "print/print.h"

HirScalar *
hir_op_get_size (const HirIterDomain *id)
{
  return id->expanded_extent != NULL ? id->expanded_extent : id->extent;
}

/* A broadcast that is not expanded does not determine the size. */
static gboolean
has_fixed_size (const HirIterDomain *id)
{
  return (!hir_iter_domain_is_broadcast (id) || id->expanded_extent != NULL) &&
         hir_scalar_is_const (hir_op_get_size (id));
}

static void
set_extent_error (GError **error,
                  HirContainer *fusion,
                  const char *op,
                  const char *what,
                  const HirOpAxis *a,
                  const HirOpAxis *b,
                  gboolean allow_one)
{
  g_autofree char *label_a = hir_tensor_dup_label (a->tensor);
  g_autofree char *label_b = hir_tensor_dup_label (b->tensor);
  g_autofree char *size_a = hir_scalar_to_string (hir_op_get_size (a->id));
  g_autofree char *size_b = hir_scalar_to_string (hir_op_get_size (b->id));

  hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                 "%s: the %s%saxes differ: %s axis %u is %s, %s axis %u is %s; make them equal%s",
                 op, what != NULL ? what : "", what != NULL ? " " : "", label_a, a->axis, size_a,
                 label_b, b->axis, size_b, allow_one ? ", or one of them 1" : "");
}

/* An elementwise op ignores the size of an expanded broadcast if another operand has the axis
 * itself, as in nvFuser. Source: ops/utils.cpp newOutputDomain. */
static gboolean
is_ignored (const HirOpAxisGroup *group, const HirIterDomain *id)
{
  return hir_iter_domain_is_broadcast (id) && !hir_op_is_all_broadcast (group);
}

gboolean
hir_op_check_extents (HirContainer *fusion,
                      const char *op,
                      const char *what,
                      const HirOpAxisGroup *group,
                      gboolean allow_one,
                      GError **error)
{
  const HirOpAxis *fixed = NULL;

  for (guint i = 0; i < group->n; i++)
    {
      const HirOpAxis *axis = &group->items[i];

      if ((allow_one && what == NULL && is_ignored (group, axis->id)) ||
          (!has_fixed_size (axis->id) &&
           (allow_one || !hir_scalar_is_const (hir_op_get_size (axis->id)))))
        continue;
      if (fixed == NULL)
        fixed = axis;
      else if (hir_op_get_size (fixed->id)->i != hir_op_get_size (axis->id)->i)
        {
          set_extent_error (error, fusion, op, what, fixed, axis, allow_one);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
hir_op_check_parallel (HirContainer *fusion,
                       const char *op,
                       const HirOpAxisGroup *group,
                       GError **error)
{
  const HirOpAxis *device = NULL;

  for (guint i = 0; i < group->n; i++)
    {
      const HirOpAxis *axis = &group->items[i];
      g_autofree char *label = NULL;

      if (!hir_iter_domain_is_parallelized (axis->id))
        continue;
      label = hir_tensor_dup_label (axis->tensor);
      if (!hir_iter_domain_is_device (axis->id))
        {
          hir_set_error (error, HIR_ERROR_REFUSED, HIR_OP_POS (fusion),
                         "%s: %s axis %u is already %s-parallel; define all ops first, then "
                         "schedule",
                         op, label, axis->axis,
                         hir_parallel_type_get_script_name (axis->id->parallel_type));
          return FALSE;
        }
      if (device != NULL && device->id->parallel_type != axis->id->parallel_type)
        {
          g_autofree char *other = hir_tensor_dup_label (device->tensor);

          hir_set_error (error, HIR_ERROR_REFUSED, HIR_OP_POS (fusion),
                         "%s: %s axis %u is %s, but %s axis %u is %s, so the output has no valid "
                         "sharding; shard both in the same way",
                         op, other, device->axis,
                         hir_parallel_type_get_script_name (device->id->parallel_type), label,
                         axis->axis, hir_parallel_type_get_script_name (axis->id->parallel_type));
          return FALSE;
        }
      device = axis;
    }
  return TRUE;
}

gboolean
hir_op_is_all_broadcast (const HirOpAxisGroup *group)
{
  for (guint i = 0; i < group->n; i++)
    {
      if (!hir_iter_domain_is_broadcast (group->items[i].id))
        return FALSE;
    }
  return TRUE;
}

/* Returns a constant rather than a symbol, otherwise the first one. Either may be NULL. */
static HirScalar *
promote_extent (HirScalar *a, HirScalar *b)
{
  if (a == NULL)
    return b;
  if (b == NULL || hir_scalar_is_const (a))
    return a;
  return hir_scalar_is_const (b) ? b : a;
}

static HirScalar *
get_joined_extent (const HirOpAxisGroup *group)
{
  HirScalar *extent = NULL;

  for (guint i = 0; i < group->n; i++)
    {
      if (!hir_iter_domain_is_broadcast (group->items[i].id))
        extent = promote_extent (extent, group->items[i].id->extent);
    }
  return extent;
}

HirIterDomain *
hir_op_join_reduced (HirContainer *fusion, const HirOpAxisGroup *group)
{
  return hir_iter_domain_new (fusion, get_joined_extent (group), HIR_ITER_REDUCTION);
}

HirIterDomain *
hir_op_join_axes (HirContainer *fusion, const HirOpAxisGroup *group)
{
  HirScalar *extent = get_joined_extent (group);
  HirIterDomain *id;

  if (extent != NULL)
    id = hir_iter_domain_new (fusion, extent, HIR_ITER_ITERATION);
  else
    {
      id = hir_iter_domain_new (fusion, hir_scalar_get_one (fusion), HIR_ITER_BROADCAST);
      for (guint i = 0; i < group->n; i++)
        id->expanded_extent =
            promote_extent (id->expanded_extent, group->items[i].id->expanded_extent);
    }

  for (guint i = 0; i < group->n; i++)
    {
      if (hir_iter_domain_is_device (group->items[i].id))
        id->parallel_type = group->items[i].id->parallel_type;
    }
  return id;
}

guint
hir_op_get_rank (const HirTensor *tensor)
{
  guint n = 0;

  for (guint i = 0; i < tensor->logical.n; i++)
    n += !hir_iter_domain_is_reduction (tensor->logical.ids[i]);
  return n;
}

gboolean
hir_op_normalize_axis (HirContainer *fusion,
                       const char *op,
                       const HirTensor *tensor,
                       gint64 axis,
                       guint *normalized,
                       GError **error)
{
  gint64 rank = hir_op_get_rank (tensor);

  if (axis < -rank || axis >= rank)
    {
      g_autofree char *label = hir_tensor_dup_label (tensor);

      if (rank == 0)
        hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                       "%s: %s has no axes, so there is no axis %" G_GINT64_FORMAT, op, label,
                       axis);
      else
        hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                       "%s: %s has no axis %" G_GINT64_FORMAT "; use %" G_GINT64_FORMAT
                       " to %" G_GINT64_FORMAT,
                       op, label, axis, -rank, rank - 1);
      return FALSE;
    }
  *normalized = (guint) (axis < 0 ? axis + rank : axis);
  return TRUE;
}

void
hir_op_inherit (HirTensor *out, HirVal *const *inputs, guint n_inputs)
{
  gboolean any_tensor = FALSE;
  gboolean all_cpu = TRUE;

  for (guint i = 0; i < n_inputs; i++)
    {
      const HirTensor *in;

      if (!HIR_IS_TENSOR (inputs[i]))
        continue;
      in = HIR_TENSOR (inputs[i]);
      any_tensor = TRUE;
      all_cpu = all_cpu && in->is_cpu_scalar;
      if (out->mesh == NULL)
        out->mesh = in->mesh;
    }
  out->is_cpu_scalar = any_tensor && all_cpu && out->logical.n == 0;
}

HirExpr *
hir_op_add (
    HirContainer *fusion, HirExprKind kind, HirVal *const *inputs, guint n_inputs, HirTensor *out)
{
  HirExpr *expr = hir_expr_new (fusion, kind, inputs, n_inputs, (HirVal *[]){ HIR_VAL (out) }, 1);

  hir_container_add_expr (fusion, expr);
  return expr;
}

HirScalar **
hir_op_dup_scalars (HirContainer *fusion, HirScalar *const *scalars, guint n)
{
  HirScalar **copy = hir_arena_array0 (fusion->arena, HirScalar *, n);

  for (guint i = 0; i < n; i++)
    copy[i] = scalars[i];
  return copy;
}
