/* Names instructions. */
#include "analysis/sync-check.h"

#include "brief.h"
#include "print/print.h"

char *
hir_sync_dup_label (const HirExpr *expr)
{
  if (expr->kind == HIR_EXPR_COMMUNICATION)
    return g_strdup_printf ("%s T%d", hir_comm_type_get_name (expr->u.comm.type),
                            expr->outputs[0]->name);
  if (expr->kind == HIR_EXPR_WAIT && expr->u.wait.of != NULL &&
      expr->u.wait.of->kind == HIR_EXPR_COMMUNICATION)
    {
      g_autofree char *of = hir_sync_dup_label (expr->u.wait.of);

      return g_strdup_printf ("Wait for %s", of);
    }
  return hir_brief_expr_label (expr);
}
