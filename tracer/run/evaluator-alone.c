/* Baseline repetitions: each instruction that starts work runs alone, so that its events show what
 * it takes with nothing beside it. The order of the program stays. */
#include "run/evaluator-private.h"
#include "trace/comm-records.h"

/* Returns whether @expr is followed by a synchronization of the device. */
static gboolean
is_work (const HirEvaluator *evaluator, const HirExpr *expr)
{
  return evaluator->cache->launches || expr->kind == HIR_EXPR_WAIT ||
         expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE;
}

/* Messages end only after the peer has posted its side, which may need later instructions of this
 * rank. */
static gboolean
is_message (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_P2P || expr->kind == HIR_EXPR_START_COALESCING ||
         expr->kind == HIR_EXPR_END_COALESCING || expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE;
}

static gboolean
has_pending_messages (const HirEvaluator *evaluator)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    if (is_message (((const HirPending *) g_ptr_array_index (evaluator->pending, i))->expr))
      return TRUE;
  return evaluator->group != NULL;
}

/* Waits for all streams of this rank. Calls of the driver belong to the repetition. */
static gboolean
synchronize (HirEvaluator *evaluator, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  const HirEvent event = { .kind = HIR_EVENT_ISSUE,
                           .iteration = -1,
                           .phase = HIR_PHASE_BASELINE,
                           .track = (guint16) evaluator->host_track };
  gboolean is_traced = evaluator->options.recorder != NULL && evaluator->options.trace_issue &&
                       backend->klass->begin_instruction != NULL;
  gboolean done;

  if (is_traced)
    backend->klass->begin_instruction (backend, &event);
  done = backend->klass->synchronize (backend, error) || hir_evaluator_fail_located (evaluator);
  if (is_traced)
    backend->klass->end_instruction (backend);
  if (done && evaluator->options.model != NULL)
    hir_model_log_synchronize (evaluator->options.model);
  return done;
}

gboolean
hir_evaluator_begin_alone (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirTurns *turns = evaluator->options.turns;
  g_autofree gint64 *members = NULL;
  g_autofree char *key = NULL;
  guint n;

  evaluator->is_in_turn = FALSE;
  if (turns == NULL || !evaluator->cache->launches || is_message (expr))
    return TRUE;
  if (expr->kind != HIR_EXPR_COMMUNICATION)
    return evaluator->is_in_turn = hir_turns_begin (turns, error);
  if (!hir_comm_has_member (expr, evaluator->options.rank))
    return TRUE;
  members = hir_comm_dup_members (expr, &n);
  key = hir_comm_record_dup_team_key (members, n);
  return evaluator->is_in_turn =
             hir_turns_begin_together (turns, key, n, evaluator->options.rank, error);
}

gboolean
hir_evaluator_end_alone (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  gboolean done = !is_work (evaluator, expr) || has_pending_messages (evaluator) ||
                  synchronize (evaluator, error);

  if (evaluator->is_in_turn)
    hir_turns_end (evaluator->options.turns);
  evaluator->is_in_turn = FALSE;
  return done;
}
