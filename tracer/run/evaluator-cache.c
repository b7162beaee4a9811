/* Per-instruction caches. */
#include "run/evaluator-private.h"

typedef struct
{
  guint n;
  HirInstructionCache caches[];
} HirInstructionCaches;

static void
caches_free (gpointer data)
{
  HirInstructionCaches *caches = data;

  for (guint i = 0; i < caches->n; i++)
    {
      g_clear_pointer (&caches->caches[i].task, hir_task_free);
      g_clear_pointer (&caches->caches[i].post, hir_comm_post_free);
    }
  g_free (caches);
}

void
hir_evaluator_init_caches (HirEvaluator *evaluator)
{
  evaluator->caches = g_hash_table_new_full (NULL, NULL, NULL, caches_free);
}

void
hir_evaluator_clear_caches (HirEvaluator *evaluator)
{
  g_clear_pointer (&evaluator->caches, g_hash_table_unref);
}

static gboolean
launches (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_POST_ON_STREAM:
    case HIR_EXPR_LAUNCH_KERNEL:
    case HIR_EXPR_DISPATCH:
    case HIR_EXPR_COMBINE:
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
  HirInstructionCaches *caches = g_hash_table_lookup (evaluator->caches, scope);

  if (caches != NULL)
    return caches->caches;
  caches =
      g_malloc0 (sizeof (HirInstructionCaches) + scope->exprs.len * sizeof (HirInstructionCache));
  caches->n = scope->exprs.len;
  for (guint i = 0; i < caches->n; i++)
    {
      caches->caches[i].expr = scope->exprs.items[i];
      caches->caches[i].launches = launches (scope->exprs.items[i]);
      caches->caches[i].calls_device = calls_device (scope->exprs.items[i]);
    }
  g_hash_table_insert (evaluator->caches, (gpointer) scope, caches);
  return caches->caches;
}

gboolean
hir_evaluator_can_reuse (const HirEvaluator *evaluator)
{
  return evaluator->options.backend->klass->issue != NULL && evaluator->undo == NULL;
}

HirTask *
hir_evaluator_reuse_task (HirEvaluator *evaluator, const HirExpr *expr)
{
  HirInstructionCache *cache = evaluator->cache;

  g_return_val_if_fail (hir_evaluator_can_reuse (evaluator) && cache->expr == expr, NULL);
  if (cache->task == NULL)
    cache->task = hir_task_new (expr, hir_evaluator_get_label (evaluator, expr));
  cache->task->event = (HirEvent){ .instruction = expr->node.id, .iteration = -1 };
  return cache->task;
}
