/* Ops that the IR knows only by name, operands and shape of the result. */
#include "ops/ops-private.h"

/* Returns axis @axis of the output: new, or joined from the axes of the operands. */
static HirIterDomain *
make_axis (HirContainer *fusion, const HirOpaqueSpec *spec, guint axis, GError **error)
{
  g_autofree HirOpAxis *items = g_new (HirOpAxis, MAX (spec->n_inputs, 1) * HIR_OPAQUE_MAX_AXES);
  HirOpAxisGroup group = { items, 0 };

  for (guint i = 0; i < spec->n_inputs; i++)
    {
      g_autofree HirIterDomain **ids = NULL;
      guint n;

      if (!HIR_IS_TENSOR (spec->inputs[i]))
        continue;
      ids = hir_tensor_dup_no_reductions (HIR_TENSOR (spec->inputs[i]), &n);
      for (guint j = 0; j < MIN (n, HIR_OPAQUE_MAX_AXES); j++)
        if (spec->map[i * HIR_OPAQUE_MAX_AXES + j] == (gint8) axis)
          items[group.n++] = (HirOpAxis){ HIR_TENSOR (spec->inputs[i]), j, ids[j] };
    }
  if (group.n == 0 || spec->extents[axis] != NULL)
    return hir_iter_domain_new (fusion, spec->extents[axis],
                                hir_scalar_is_const_int (spec->extents[axis], 1)
                                    ? HIR_ITER_BROADCAST
                                    : HIR_ITER_ITERATION);
  if (!hir_op_check_extents (fusion, spec->name, NULL, &group, TRUE, error) ||
      !hir_op_check_parallel (fusion, spec->name, &group, error))
    return NULL;
  return hir_op_join_axes (fusion, &group);
}

HirTensor *
hir_op_opaque (HirContainer *fusion, const HirOpaqueSpec *spec, GError **error)
{
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (spec->n_axes, 1));
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < spec->n_axes; i++)
    {
      ids[i] = make_axis (fusion, spec, i, error);
      if (ids[i] == NULL)
        return NULL;
    }
  out = hir_tensor_new (fusion, spec->dtype, ids, spec->n_axes);
  hir_op_inherit (out, spec->inputs, spec->n_inputs);
  expr = hir_op_add (fusion, HIR_EXPR_OPAQUE, spec->inputs, spec->n_inputs, out);
  expr->u.opaque.name = hir_arena_strdup (fusion->arena, spec->name);
  expr->u.opaque.output = spec->output;
  expr->u.opaque.dim = spec->dim;
  expr->u.opaque.map =
      hir_arena_memdup (fusion->arena, spec->map, MAX (spec->n_inputs, 1) * HIR_OPAQUE_MAX_AXES);
  return out;
}
