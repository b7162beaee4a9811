/* Values that depend on a loop index. Scalars are evaluated at each use, so only tensors that are
 * computed (through definitions) from the index matter. A slice by HirAliasSelect is not a
 * definition: its stale binding stays until it is bound again (docs/host-ir.md#in-place-or-bound).
 */
#include "run/evaluator-private.h"

typedef struct
{
  const HirScalar *index;
  GHashTable *vals; /* HirVal* -> itself */
  gboolean grew;
} Dependence;

gboolean
hir_loop_scalar_depends (const HirScalar *scalar, const HirScalar *index)
{
  if (scalar == NULL)
    return FALSE;
  if (scalar == index)
    return TRUE;
  if (scalar->kind == HIR_SCALAR_NAMED && index->kind == HIR_SCALAR_NAMED)
    return g_str_equal (scalar->named, index->named);
  return scalar->kind == HIR_SCALAR_OP &&
         (hir_loop_scalar_depends (scalar->a, index) || hir_loop_scalar_depends (scalar->b, index));
}

static gboolean
any_depends (HirScalar *const *scalars, guint n, const HirScalar *index)
{
  for (guint i = 0; i < n; i++)
    if (hir_loop_scalar_depends (scalars[i], index))
      return TRUE;
  return FALSE;
}

static gboolean
attribute_depends (const HirExpr *expr, const HirScalar *index)
{
  switch (expr->kind)
    {
    case HIR_EXPR_SELECT:
      return hir_loop_scalar_depends (expr->u.select.index, index);
    case HIR_EXPR_SLICE:
      return any_depends (expr->u.slice.start, expr->u.slice.n, index) ||
             any_depends (expr->u.slice.stop, expr->u.slice.n, index) ||
             any_depends (expr->u.slice.step, expr->u.slice.n, index);
    case HIR_EXPR_PAD:
      return any_depends (expr->u.pad.widths, expr->u.pad.n, index);
    default:
      return FALSE;
    }
}

static gboolean
expr_depends (const HirExpr *expr, const Dependence *dependence)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      HirVal *val = expr->inputs[i];
      if (HIR_IS_SCALAR (val) ? hir_loop_scalar_depends (HIR_SCALAR (val), dependence->index)
                              : g_hash_table_contains (dependence->vals, val))
        return TRUE;
    }
  return attribute_depends (expr, dependence->index);
}

static gboolean
visit (HirExpr *expr, guint depth, gpointer user_data)
{
  Dependence *dependence = user_data;

  /* ShardByStream (2026) defines a tensor that is not in its list of outputs. */
  if (expr->kind == HIR_EXPR_SHARD_BY_STREAM && expr_depends (expr, dependence))
    dependence->grew |= g_hash_table_add (dependence->vals, expr->u.shard.out);

  if (expr->n_outputs > 0 && expr_depends (expr, dependence))
    for (guint i = 0; i < expr->n_outputs; i++)
      if (HIR_IS_TENSOR (expr->outputs[i]))
        dependence->grew |= g_hash_table_add (dependence->vals, expr->outputs[i]);
  return TRUE;
}

GPtrArray *
hir_loop_dup_dependents (HirContainer *program, const HirExpr *loop)
{
  Dependence dependence = { .index = loop->u.loop.index, .vals = g_hash_table_new (NULL, NULL) };
  GPtrArray *list = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer val;

  do
    {
      dependence.grew = FALSE;
      hir_container_foreach_expr (program, visit, &dependence);
    }
  while (dependence.grew);
  g_hash_table_iter_init (&iter, dependence.vals);
  while (g_hash_table_iter_next (&iter, &val, NULL))
    g_ptr_array_add (list, val);
  g_hash_table_unref (dependence.vals);
  return list;
}
