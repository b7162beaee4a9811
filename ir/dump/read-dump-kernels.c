/* Finds the math of compiled kernels in a fusion that the same log contains
 * (docs/host-ir.md#index-definitions): the ops between the inputs and outputs of a LaunchKernel. */
#include "dump/read-dump-internal.h"

#include "clone.h"
#include "verify/verify.h"

typedef struct
{
  HirContainer *fusion, *program;
} Kernels;

static HirTensor *
lookup_tensor (const HirContainer *fusion, const HirVal *val)
{
  for (guint i = 0; HIR_IS_TENSOR (val) && i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (tensor->base.name == val->name)
        return tensor;
    }
  return NULL;
}

/* Adds what computes the outputs of @launch from its inputs to @exprs. Returns FALSE if the fusion
 * does not have it. */
static gboolean
collect (const HirContainer *fusion, const HirExpr *launch, GHashTable *exprs)
{
  g_autoptr (GHashTable) given = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  for (guint i = 0; i < launch->n_inputs; i++)
    {
      HirTensor *tensor = lookup_tensor (fusion, launch->inputs[i]);

      if (tensor == NULL)
        return FALSE;
      g_hash_table_add (given, tensor);
    }
  for (guint i = 0; i < launch->n_outputs; i++)
    g_ptr_array_add (stack, lookup_tensor (fusion, launch->outputs[i]));
  while (stack->len > 0)
    {
      HirTensor *tensor = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (tensor == NULL || (tensor->definition == NULL && !g_hash_table_contains (given, tensor)))
        return FALSE;
      if (g_hash_table_contains (given, tensor) || !g_hash_table_add (exprs, tensor->definition))
        continue;
      for (guint i = 0; i < tensor->definition->n_inputs; i++)
        if (HIR_IS_TENSOR (tensor->definition->inputs[i]))
          g_ptr_array_add (stack, tensor->definition->inputs[i]);
    }
  return TRUE;
}

static void
copy_vals (HirCloner *cloner,
           const HirContainer *fusion,
           HirContainer *to,
           HirVec *vals,
           HirVal *const *from,
           guint n)
{
  for (guint i = 0; i < n; i++)
    hir_vec_push (to->arena, vals, hir_cloner_tensor (cloner, lookup_tensor (fusion, from[i])));
}

static gboolean
attach (HirExpr *expr, guint depth, gpointer user_data)
{
  const Kernels *kernels = user_data;
  g_autoptr (GHashTable) exprs = g_hash_table_new (NULL, NULL);
  g_autoptr (HirCloner) cloner = NULL;
  HirHostUnit *unit;

  if (expr->kind != HIR_EXPR_LAUNCH_KERNEL || expr->u.post.unit != NULL ||
      !collect (kernels->fusion, expr, exprs))
    return TRUE;
  unit = hir_container_add_unit (kernels->program);
  unit->index = expr->u.post.group;
  unit->is_kernel = TRUE;
  for (int i = 0; i < HIR_N_VAL_KINDS; i++)
    unit->fusion->val_counter[i] = kernels->fusion->val_counter[i];
  cloner = hir_cloner_new (unit->fusion);
  copy_vals (cloner, kernels->fusion, unit->fusion, &unit->fusion->inputs, expr->inputs,
             expr->n_inputs);
  for (guint i = 0; i < kernels->fusion->exprs.len; i++)
    if (g_hash_table_contains (exprs, kernels->fusion->exprs.items[i]))
      hir_container_add_expr (unit->fusion,
                              hir_cloner_expr (cloner, kernels->fusion->exprs.items[i]));
  copy_vals (cloner, kernels->fusion, unit->fusion, &unit->fusion->outputs, expr->outputs,
             expr->n_outputs);
  expr->u.post.unit = unit;
  return TRUE;
}

static gboolean
detach (HirExpr *expr, guint depth, gpointer user_data)
{
  if (expr->kind == HIR_EXPR_LAUNCH_KERNEL)
    expr->u.post.unit = NULL;
  return TRUE;
}

void
hir_dump_attach_kernels (HirContainer *program, HirContainer *fusion)
{
  Kernels kernels = { fusion, program };
  guint n_units = program->units.len;

  hir_container_foreach_expr (program, attach, &kernels);
  if (program->units.len == n_units || hir_container_verify (program, NULL))
    return;
  /* It is another fusion: the kernels stay opaque. */
  hir_container_foreach_expr (program, detach, NULL);
  program->units.len = n_units;
}
