/* Communications that were posted and not waited for. */
#include "run/evaluator-private.h"

HirPending *
hir_pending_new (const HirExpr *expr, const char *where)
{
  HirPending *pending = g_new0 (HirPending, 1);

  pending->n_refs = 1;
  pending->expr = expr;
  pending->where = g_strdup (where);
  pending->reads = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  pending->writes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  return pending;
}

HirPending *
hir_pending_ref (HirPending *pending)
{
  pending->n_refs++;
  return pending;
}

void
hir_pending_unref (HirEvaluator *evaluator, HirPending *pending)
{
  HirBackend *backend = evaluator->options.backend;

  if (--pending->n_refs > 0)
    return;
  if (pending->event != NULL)
    backend->klass->drop_event (backend, pending->event);
  g_clear_pointer (&pending->mark, hir_model_mark_unref);
  g_ptr_array_unref (pending->reads);
  g_ptr_array_unref (pending->writes);
  g_free (pending->where);
  g_free (pending);
}

HirBackendEvent *
hir_pending_take_event (HirEvaluator *evaluator, HirPending *pending)
{
  HirBackend *backend = evaluator->options.backend;

  return pending->n_refs > 1 ? backend->klass->ref_event (backend, pending->event)
                             : g_steal_pointer (&pending->event);
}
