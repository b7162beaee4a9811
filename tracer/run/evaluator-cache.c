/* Per-instruction caches. */
#include "run/evaluator-private.h"

typedef struct
{
  guint n;
  HirInstructionCache sites[];
} HirInstructionCaches;

static void
sites_free (gpointer data)
{
  HirInstructionCaches *sites = data;

  for (guint i = 0; i < sites->n; i++)
    {
      g_clear_pointer (&sites->sites[i].task, hir_task_free);
      g_clear_pointer (&sites->sites[i].post, hir_comm_post_free);
    }
  g_free (sites);
}

void
hir_evaluator_init_caches (HirEvaluator *evaluator)
{
  evaluator->sites = g_hash_table_new_full (NULL, NULL, NULL, sites_free);
}

void
hir_evaluator_clear_caches (HirEvaluator *evaluator)
{
  g_clear_pointer (&evaluator->sites, g_hash_table_unref);
}

static gboolean
launches (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_POST_ON_STREAM:
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_END_COALESCING:
      return TRUE;
    default:
      return hir_expr_kind_get_info (expr->kind)->is_tensor_op;
    }
}

static gboolean
calls_device (const HirExpr *expr)
{
  return launches (expr) || expr->kind == HIR_EXPR_SYNCHRONIZE || expr->kind == HIR_EXPR_WAIT ||
         expr->kind == HIR_EXPR_ALLOCATE;
}

HirInstructionCache *
hir_evaluator_get_caches (HirEvaluator *evaluator, const HirScope *scope)
{
  HirInstructionCaches *sites = g_hash_table_lookup (evaluator->sites, scope);

  if (sites != NULL)
    return sites->sites;
  sites = g_malloc0 (sizeof (HirInstructionCaches) + scope->exprs.len * sizeof (HirInstructionCache));
  sites->n = scope->exprs.len;
  for (guint i = 0; i < sites->n; i++)
    {
      sites->sites[i].expr = scope->exprs.items[i];
      sites->sites[i].launches = launches (scope->exprs.items[i]);
      sites->sites[i].calls_device = calls_device (scope->exprs.items[i]);
    }
  g_hash_table_insert (evaluator->sites, (gpointer) scope, sites);
  return sites->sites;
}

gboolean
hir_evaluator_can_reuse (const HirEvaluator *evaluator)
{
  return evaluator->options.backend->klass->issue != NULL && evaluator->undo == NULL;
}

HirTask *
hir_evaluator_reuse_task (HirEvaluator *evaluator, const HirExpr *expr)
{
  HirInstructionCache *site = evaluator->site;

  g_return_val_if_fail (hir_evaluator_can_reuse (evaluator) && site->expr == expr, NULL);
  if (site->task == NULL)
    site->task = hir_task_new (expr, hir_evaluator_get_label (evaluator, expr));
  site->task->event = (HirEvent){ .instruction = expr->node.id, .iteration = -1 };
  return site->task;
}
