#include "hostir/layout.h"

#include "logical-map.h"
#include "schedule/axis-index.h"

GPtrArray *
hir_layout_dup (const HirTensor *tensor)
{
  const HirDomain *allocation = hir_tensor_get_maybe_allocation (tensor);
  GPtrArray *order = g_ptr_array_new ();

  /* From the innermost axis on: the last part of a split axis determines its place. */
  for (guint i = allocation->n; i > 0; i--)
    {
      HirIterDomain *id = hir_axis_find_outermost_base (&tensor->logical, allocation->ids[i - 1]);

      if (id != NULL && !g_ptr_array_find (order, id, NULL))
        g_ptr_array_insert (order, 0, id);
    }
  return order;
}

GPtrArray *
hir_layout_dup_mapped (const HirExpr *expr, const HirTensor *in, GPtrArray *order)
{
  const HirTensor *out = HIR_TENSOR (expr->outputs[0]);
  GPtrArray *mapped = g_ptr_array_new ();
  g_autofree HirIterDomain **in_ids = NULL;
  g_autofree HirIterDomain **out_ids = NULL;
  guint n;

  out_ids = hir_expr_dup_logical_map (expr, in, out, &in_ids, &n);
  for (guint i = 0; i < order->len; i++)
    {
      for (guint k = 0; k < n; k++)
        {
          if (in_ids[k] == order->pdata[i] && out_ids[k] != NULL &&
              hir_domain_find (&out->logical, out_ids[k]) >= 0)
            g_ptr_array_add (mapped, out_ids[k]);
        }
    }
  for (guint i = out->logical.n; i > 0; i--)
    {
      if (!g_ptr_array_find (mapped, out->logical.ids[i - 1], NULL))
        g_ptr_array_insert (mapped, 0, out->logical.ids[i - 1]);
    }
  return mapped;
}

gboolean
hir_layout_equal (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      if (a->pdata[i] != b->pdata[i])
        return FALSE;
    }
  return TRUE;
}
