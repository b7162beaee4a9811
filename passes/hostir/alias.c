#include "hostir/alias.h"

#include "hostir/layout.h"

static gboolean
is_contiguous (const HirTensor *tensor)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (tensor);

  for (guint i = 0; i < domain->n; i++)
    {
      if (tensor->contiguity[i] == HIR_CONTIGUITY_FALSE)
        return FALSE;
    }
  return TRUE;
}

/* Merging two axes into one keeps the memory only if they follow each other. */
static gboolean
can_reshape (const HirTensor *in, GPtrArray *order)
{
  guint next = 0;

  for (guint i = 0; i < in->logical.n; i++)
    {
      if (hir_iter_domain_is_reduction (in->logical.ids[i]))
        continue;
      while (next < order->len &&
             hir_iter_domain_is_reduction (HIR_ITER_DOMAIN (order->pdata[next])))
        next++;
      if (next == order->len || order->pdata[next++] != in->logical.ids[i])
        return FALSE;
    }
  return is_contiguous (in);
}

gboolean
hir_expr_is_alias (const HirExpr *expr)
{
  const HirTensor *in, *out;
  g_autoptr (GPtrArray) order = NULL;
  g_autoptr (GPtrArray) mapped = NULL;
  g_autoptr (GPtrArray) own = NULL;

  if (expr->kind != HIR_EXPR_SET && expr->kind != HIR_EXPR_BROADCAST &&
      expr->kind != HIR_EXPR_SQUEEZE && expr->kind != HIR_EXPR_EXPAND &&
      expr->kind != HIR_EXPR_RESHAPE && expr->kind != HIR_EXPR_SLICE)
    return FALSE;
  in = HIR_TENSOR (expr->inputs[0]);
  out = HIR_TENSOR (expr->outputs[0]);
  if (in->is_cpu_scalar != out->is_cpu_scalar)
    return FALSE;
  order = hir_layout_dup (in);
  if (expr->kind == HIR_EXPR_RESHAPE)
    return can_reshape (in, order);
  if (!out->has_allocation)
    return TRUE;
  mapped = hir_layout_dup_mapped (expr, in, order);
  own = hir_layout_dup (out);
  return hir_layout_equal (mapped, own) && is_contiguous (in) >= is_contiguous (out);
}
