#include "verify/verify-internal.h"

/* More than any program needs, and safe for the stack. */
#define MAX_NESTING 256

static gboolean
check_tensors (HirVerifier *v)
{
  const HirVec *tensors = &v->container->tensors;
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) ids = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = tensors->items[i];
      g_autofree char *what = hir_verifier_name_val (HIR_VAL (tensor));

      if (tensor == NULL || !HIR_IS_TENSOR (tensor))
        return hir_verifier_fail (v, NULL, what,
                                  "the list of tensors contains another kind of "
                                  "node");
      if (!g_hash_table_add (v->tensors, tensor))
        return hir_verifier_fail (v, &tensor->base.node, what, "it is listed twice");
      if (!hir_verifier_may_share_names (v) &&
          !g_hash_table_add (names, GINT_TO_POINTER (tensor->base.name + 1)))
        return hir_verifier_fail (v, &tensor->base.node, what, "another tensor has the same name");
      if (!g_hash_table_add (ids, &tensor->base.node.id))
        return hir_verifier_fail (v, &tensor->base.node, what, "another tensor has the same id");
      if (!hir_verifier_check_tensor (v, tensor))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_boundary (HirVerifier *v, const HirVec *vals, const char *role)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < vals->len; i++)
    {
      HirVal *val = vals->items[i];
      g_autofree char *what = hir_verifier_name_val (val);

      if (val == NULL || (!HIR_IS_TENSOR (val) && !HIR_IS_SCALAR (val)))
        return hir_verifier_fail (v, NULL, what, "%s %u is neither a tensor nor a scalar", role, i);
      if (!g_hash_table_add (seen, val))
        return hir_verifier_fail (v, &val->node, what, "it is %s twice", role);
      if (HIR_IS_TENSOR (val) && !g_hash_table_contains (v->tensors, val))
        return hir_verifier_fail (v, &val->node, what, "it is %s and belongs to another container",
                                  role);
      if (HIR_IS_SCALAR (val) && !hir_verifier_check_scalar (v, HIR_SCALAR (val), NULL, what))
        return FALSE;
    }
  return TRUE;
}

static gboolean
enter_expr (HirVerifier *v, HirExpr *expr)
{
  g_autofree char *what = hir_verifier_name_expr (expr);
  HirExpr *other;

  if (expr == NULL)
    return hir_verifier_fail (v, NULL, what, "a scope contains a NULL entry");
  if (!g_hash_table_add (v->exprs, expr))
    return hir_verifier_fail (v, &expr->node, what, "it is in the program twice");
  other = g_hash_table_lookup (v->expr_ids, &expr->node.id);
  if (other != NULL)
    return hir_verifier_fail (v, &expr->node, what, "%s %d has the same id",
                              hir_expr_kind_get_info (other->kind)->name, other->name);
  g_hash_table_insert (v->expr_ids, &expr->node.id, expr);
  return hir_verifier_check_expr (v, expr);
}

static gboolean
check_scope (HirVerifier *v, HirScope *scope, guint depth)
{
  if (depth > MAX_NESTING)
    return hir_verifier_fail (v, NULL, "the program", "scopes are nested deeper than %d",
                              MAX_NESTING);
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      HirScope *inner;

      if (!enter_expr (v, expr))
        return FALSE;
      for (guint k = 0; (inner = hir_expr_get_scope (expr, k)) != NULL; k++)
        if (!check_scope (v, inner, depth + 1))
          return FALSE;
    }
  return TRUE;
}

static gboolean
check_exprs (HirVerifier *v)
{
  HirContainer *container = v->container;

  if (container->kind == HIR_CONTAINER_HOST)
    return check_scope (v, &container->top, 0);
  for (guint i = 0; i < container->exprs.len; i++)
    if (!enter_expr (v, container->exprs.items[i]))
      return FALSE;
  return TRUE;
}

/* Expr names must be unique: a printed Wait refers to its communication by name, so a duplicate
 * would parse back as a different program. */
static gboolean
check_expr_names (HirVerifier *v)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer expr;

  g_hash_table_iter_init (&iter, v->exprs);
  while (g_hash_table_iter_next (&iter, &expr, NULL))
    {
      g_autofree char *what = hir_verifier_name_expr (expr);

      if (!g_hash_table_add (names, GINT_TO_POINTER (((HirExpr *) expr)->name + 1)))
        return hir_verifier_fail (v, &((HirExpr *) expr)->node, what,
                                  "another Expr has the same number");
    }
  return TRUE;
}

static gboolean verify_container (HirContainer *container, GError **error);

static gboolean
check_units (HirVerifier *v)
{
  for (guint i = 0; i < v->container->units.len; i++)
    {
      HirHostUnit *unit = v->container->units.items[i];
      g_autofree char *what = g_strdup_printf ("HostUnit%d", unit != NULL ? unit->index : -1);

      if (unit == NULL || unit->fusion == NULL)
        return hir_verifier_fail (v, NULL, what, "it has no fusion");
      if (unit->fusion->kind != HIR_CONTAINER_FUSION || unit->fusion->units.len > 0)
        return hir_verifier_fail (v, &unit->node, what, "its fusion is not a fusion container");
      if (v->container->kind != HIR_CONTAINER_HOST)
        return hir_verifier_fail (v, &unit->node, what, "only a host program can have HostUnits");
      if (!hir_verifier_check_node (v, &unit->node, what))
        return FALSE;
      if (!verify_container (unit->fusion, v->error))
        {
          if (v->error != NULL)
            g_prefix_error (v->error, "%s: ", what);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
verify_container (HirContainer *container, GError **error)
{
  g_autoptr (GHashTable) tensors = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) axes = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) scalars = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) axis_names = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) exprs = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) expr_ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  HirVerifier v = { container, error, tensors, axes, scalars, axis_names, exprs, expr_ids };

  return check_units (&v) && check_tensors (&v) &&
         check_boundary (&v, &container->inputs, "an input") &&
         check_boundary (&v, &container->outputs, "an output") && check_exprs (&v) &&
         check_expr_names (&v) &&
         (container->kind == HIR_CONTAINER_HOST ? hir_verifier_check_host_order (&v)
                                                : hir_verifier_check_fusion_order (&v));
}

gboolean
hir_container_verify (HirContainer *container, GError **error)
{
  return verify_container (container, error);
}
