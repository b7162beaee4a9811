/* Corrects the extents of axes that were split into constants. A dump shows the parts only: of 3,
 * split by 2, it shows 2 and 2, which look like 4. Another tensor may show the 3. */
#include "dump/read-dump-infer.h"
#include "transforms.h"

#define MAX_ROUNDS 8

static gint64
ceil_div (gint64 a, gint64 b)
{
  return (a - 1) / b + 1;
}

/* Sets the extent of @id to @extent if it was split into constants that fit it. Returns TRUE if
 * that changes it. */
static gboolean
correct (const HirTensor *tensor, HirIterDomain *id, gint64 extent)
{
  g_autoptr (GPtrArray) transforms = NULL;

  if (!hir_scalar_is_const (id->extent) || extent < 1 || extent >= id->extent->i)
    return FALSE;
  transforms = hir_domain_dup_transforms (&tensor->logical, &tensor->loop);
  for (guint i = 0; i < transforms->len; i++)
    {
      HirTransform *split = transforms->pdata[i];
      const HirScalar *outer = split->out[0]->extent;
      const HirScalar *inner = split->kind == HIR_TRANSFORM_SPLIT ? split->out[1]->extent : NULL;

      if (split->in[0] != id || inner == NULL || !hir_scalar_is_const (outer) ||
          !hir_scalar_is_const (inner) || outer->i < 1 || inner->i < 1)
        continue;
      split->inner_split = ceil_div (extent, outer->i) != inner->i;
      split->factor = split->out[split->inner_split]->extent;
      if (split->inner_split && ceil_div (extent, inner->i) != outer->i)
        return FALSE;
      id->extent = hir_scalar_new_int (id->base.container, extent, id->extent->base.dtype);
      return TRUE;
    }
  return FALSE;
}

/* Corrects the axes @ids of @tensor by those that another tensor shows. */
static gboolean
correct_all (const HirTensor *tensor, HirIterDomain *const *ids, guint n, const GArray *slots)
{
  gboolean any = FALSE;

  for (guint i = 0; slots != NULL && slots->len == n && i < n; i++)
    {
      const HirDumpSlot *slot = &g_array_index (slots, HirDumpSlot, i);

      if (slot->type != HIR_ITER_BROADCAST && hir_scalar_is_const (slot->extent))
        any |= correct (tensor, ids[i], slot->extent->i);
    }
  return any;
}

/* Returns the axes of a slice by its bounds. */
static GArray *
dup_sliced (HirDumpInference *inference, const HirExpr *expr)
{
  GArray *slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));

  for (guint i = 0; i < expr->u.slice.n; i++)
    {
      const HirScalar *start = expr->u.slice.start[i], *stop = expr->u.slice.stop[i];
      HirDumpSlot slot = { .extent = hir_scalar_get_one (inference->container),
                           .type = HIR_ITER_BROADCAST };

      if (hir_scalar_is_const (start) && hir_scalar_is_const (stop) && start->i >= 0 &&
          stop->i > start->i && hir_scalar_is_const_int (expr->u.slice.step[i], 1))
        slot = (HirDumpSlot){ .extent = hir_scalar_new_int (inference->container,
                                                            stop->i - start->i, HIR_DTYPE_INDEX),
                              .type = HIR_ITER_ITERATION };
      g_array_append_val (slots, slot);
    }
  return slots;
}

/* Corrects the operands and the result of @expr by each other. */
static gboolean
visit (HirDumpInference *inference, const HirExpr *expr)
{
  HirTensor *out = hir_expr_get_result (expr);
  const HirDomain *domain = out != NULL ? hir_tensor_get_maybe_root (out) : NULL;
  g_autoptr (GArray) after = NULL, before = NULL;
  gboolean any;

  if (out == NULL)
    return FALSE;
  after = expr->kind == HIR_EXPR_SLICE ? dup_sliced (inference, expr)
                                       : hir_dump_infer_output (inference, expr);
  any = correct_all (out, domain->ids, domain->n, after);
  before = hir_dump_infer_input (inference, expr, out);
  for (guint i = 0; before != NULL && i < expr->n_inputs; i++)
    if (HIR_IS_TENSOR (expr->inputs[i]))
      {
        guint n;
        g_autofree HirIterDomain **ids =
            hir_tensor_dup_no_reductions (HIR_TENSOR (expr->inputs[i]), &n);

        any |= correct_all (HIR_TENSOR (expr->inputs[i]), ids, n, before);
      }
  return any;
}

gboolean
hir_dump_correct_extents (HirDumpInference *inference)
{
  gboolean any = FALSE, again = TRUE;

  for (guint round = 0; round < MAX_ROUNDS && again; round++)
    {
      again = FALSE;
      for (guint i = 0; i < inference->exprs->len; i++)
        again |= visit (inference, g_ptr_array_index (inference->exprs, i));
      any |= again;
    }
  return any;
}

gboolean
hir_dump_correct_across (const HirTensor *tensor, const HirTensor *other)
{
  gboolean any = FALSE;
  guint n, n_other;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);
  g_autofree HirIterDomain **others = hir_tensor_dup_no_reductions (other, &n_other);

  for (guint i = 0; n == n_other && i < n; i++)
    if (hir_scalar_is_const (others[i]->extent) && ids[i]->iter_type == others[i]->iter_type)
      any |= correct (tensor, ids[i], others[i]->extent->i);
  return any;
}
