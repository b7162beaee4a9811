#include "verify/verify-internal.h"

#include "print/print.h"

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
    return hir_verifier_fail (v, node, what, "it has no id; stamp it when it is created");
  if (node->n_origins > 0 && node->origins == NULL)
    return hir_verifier_fail (v, node, what, "it counts %u origins but lists none",
                              node->n_origins);
  for (guint i = 0; i < node->n_origins; i++)
    {
      if (node->origins[i] == 0)
        return hir_verifier_fail (v, node, what, "origin %u is not a node", i);
      if (node->origins[i] == node->id)
        return hir_verifier_fail (v, node, what, "it lists itself as an origin");
    }
  return TRUE;
}

/* nvFuser does not count values inside HostUnits when it numbers later ones
 * (docs/host-ir.md#name-collisions). */
gboolean
hir_verifier_may_share_names (const HirVerifier *v)
{
  return v->container->kind == HIR_CONTAINER_HOST && v->container->units.len > 0;
}
