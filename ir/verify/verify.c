#include "verify/verify-internal.h"

#include "print/print.h"

/* Deeper than any program, shallower than the stack. */
#define MAX_NESTING 256

gboolean
hir_verifier_fail (HirVerifier *v, const HirNode *node, const char *what, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  hir_set_error (v->error, HIR_ERROR_INVALID_IR, node != NULL ? &node->pos : NULL, "%s: %s", what,
                 message);
  return FALSE;
}

char *
hir_verifier_name_val (const HirVal *val)
{
  if (val == NULL)
    return g_strdup ("a missing value");
  switch (val->kind)
    {
    case HIR_VAL_TENSOR:
      return g_strdup_printf ("T%d", val->name);
    case HIR_VAL_SCALAR:
      return hir_scalar_to_string ((const HirScalar *) val);
    case HIR_VAL_ITER_DOMAIN:
      return hir_iter_domain_to_string ((const HirIterDomain *) val);
    default:
      return g_strdup_printf ("Stream %d", val->name);
    }
}

char *
hir_verifier_name_expr (const HirExpr *expr)
{
  if (expr == NULL)
    return g_strdup ("a missing Expr");
  if ((guint) expr->kind >= HIR_N_EXPR_KINDS)
    return g_strdup_printf ("Expr %d", expr->name);
  return g_strdup_printf ("%s %d", hir_expr_kind_get_info (expr->kind)->name, expr->name);
}

gboolean
hir_verifier_check_node (HirVerifier *v, const HirNode *node, const char *what)
{
  if (node->id == 0)
    return hir_verifier_fail (v, node, what, "it has no identity; stamp it when it is made");
  if (node->n_origins > 0 && node->origins == NULL)
    return hir_verifier_fail (v, node, what, "it counts %u origins and lists none",
                              node->n_origins);
  for (guint i = 0; i < node->n_origins; i++)
    {
      if (node->origins[i] == 0)
        return hir_verifier_fail (v, node, what, "origin %u is no node", i);
      if (node->origins[i] == node->id)
        return hir_verifier_fail (v, node, what, "it lists itself as an origin");
    }
  return TRUE;
}

/* What HostUnits hide is not counted when nvFuser numbers what comes later
 * (docs/host-ir.md#name-collisions). */
gboolean
hir_verifier_may_share_names (const HirVerifier *v)
{
  return v->container->kind == HIR_CONTAINER_HOST && v->container->units.len > 0;
}

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
        return hir_verifier_fail (v, NULL, what, "the list of tensors holds something else");
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
    return hir_verifier_fail (v, NULL, what, "a scope has a hole");
  if (!g_hash_table_add (v->exprs, expr))
    return hir_verifier_fail (v, &expr->node, what, "it stands in two places of the program");
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

/* Names of Exprs are what a Wait prints: two of one name make a dump that reads back as another. */
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
        return hir_verifier_fail (v, NULL, what, "it holds no fusion");
      if (unit->fusion->kind != HIR_CONTAINER_FUSION || unit->fusion->units.len > 0)
        return hir_verifier_fail (v, &unit->node, what, "it holds something that is no fusion");
      if (v->container->kind != HIR_CONTAINER_HOST)
        return hir_verifier_fail (v, &unit->node, what, "only a host program has HostUnits");
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
