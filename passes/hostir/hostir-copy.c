#include "hostir/hostir-copy.h"

#include "schedule/replay.h"
#include "usage.h"

HirTensor *
hir_copy_new (HirTensor *in, HirSetKind kind)
{
  HirContainer *fusion = in->base.container;
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < in->logical.n; i++)
    {
      if (!hir_iter_domain_is_reduction (in->logical.ids[i]))
        g_ptr_array_add (ids, hir_iter_domain_dup (fusion, in->logical.ids[i], FALSE));
    }
  out = hir_tensor_new (fusion, in->base.dtype, (HirIterDomain *const *) ids->pdata, ids->len);
  out->mesh = in->mesh;
  out->is_cpu_scalar = in->is_cpu_scalar;
  expr = hir_expr_new (fusion, HIR_EXPR_SET, (HirVal *[]){ HIR_VAL (in) }, 1,
                       (HirVal *[]){ HIR_VAL (out) }, 1);
  expr->u.set.kind = kind;
  expr->u.set.streaming = kind == HIR_SET_SET;
  hir_container_add_expr (fusion, expr);
  return out;
}

void
hir_copy_schedule (const HirTensor *in, HirTensor *copy)
{
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  guint n = 0;

  for (guint i = 0; i < in->logical.n; i++)
    {
      if (!hir_iter_domain_is_reduction (in->logical.ids[i]))
        g_hash_table_insert (map, in->logical.ids[i], copy->logical.ids[n++]);
    }
  hir_replay_copy (in, copy, map);
}

void
hir_copy_take_readers (HirTensor *in, HirTensor *copy, GPtrArray *exprs)
{
  HirContainer *fusion = in->base.container;
  int output = hir_vec_find (&fusion->outputs, in);

  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->pdata[i];

      if (expr != copy->definition)
        hir_expr_replace_input (expr, in, copy);
    }
  if (output < 0)
    return;
  fusion->outputs.items[output] = copy;
  copy->memory = in->memory;
  in->memory = HIR_MEMORY_LOCAL;
}
