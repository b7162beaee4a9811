/* Exprs of host programs of 2026 (docs/host-ir.md#memory, docs/host-ir.md#messages). */
#include "container.h"
#include "expr.h"

HirExpr *
hir_expr_new_shard_by_stream (HirContainer *container,
                              HirTensor *in,
                              HirTensor *out,
                              HirScalar *index)
{
  HirExpr *expr = hir_expr_new (container, HIR_EXPR_SHARD_BY_STREAM,
                                (HirVal *[]){ HIR_VAL (in), HIR_VAL (index) }, 2, NULL, 0);

  expr->u.shard.out = out;
  expr->u.shard.index = index;
  return expr;
}

HirExpr *
hir_expr_new_collective_permute (HirContainer *container,
                                 HirTensor *out,
                                 HirTensor *in,
                                 const gint64 *team,
                                 guint n_team,
                                 HirScalar *send_peer,
                                 HirScalar *recv_peer)
{
  HirExpr *expr = hir_expr_new (container, HIR_EXPR_COLLECTIVE_PERMUTE,
                                (HirVal *[]){ HIR_VAL (in) }, 1, (HirVal *[]){ HIR_VAL (out) }, 1);

  expr->u.permute.team = hir_arena_memdup (container->arena, team, sizeof *team * n_team);
  expr->u.permute.n_team = n_team;
  expr->u.permute.send_peer = send_peer;
  expr->u.permute.recv_peer = recv_peer;
  return expr;
}

gboolean
hir_expr_is_waitable (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_END_COALESCING:
      return TRUE;
    default:
      return FALSE;
    }
}
