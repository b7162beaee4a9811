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

HirExpr *
hir_expr_new_scalar (HirContainer *container, HirScalar *scalar)
{
  g_assert (scalar->kind == HIR_SCALAR_OP);

  return hir_expr_new (container, HIR_EXPR_SCALAR,
                       (HirVal *[]){ HIR_VAL (scalar->a), HIR_VAL (scalar->b) }, 2,
                       (HirVal *[]){ HIR_VAL (scalar) }, 1);
}

HirExpr *
hir_expr_new_launch_kernel (HirContainer *container,
                            int group,
                            HirHostUnit *unit,
                            HirVal *const *inputs,
                            guint n_inputs,
                            HirVal *const *outputs,
                            guint n_outputs)
{
  HirExpr *expr =
      hir_expr_new (container, HIR_EXPR_LAUNCH_KERNEL, inputs, n_inputs, outputs, n_outputs);

  expr->u.post.unit = unit;
  expr->u.post.group = group;
  if (unit != NULL)
    unit->is_kernel = TRUE;
  return expr;
}

HirExpr *
hir_expr_new_share_mem_handles (HirContainer *container, HirExpr *const *messages, guint n_messages)
{
  HirExpr *expr = hir_expr_new (container, HIR_EXPR_SHARE_MEM_HANDLES, NULL, 0, NULL, 0);

  expr->u.handles.of = hir_arena_memdup (container->arena, messages, sizeof *messages * n_messages);
  expr->u.handles.n = n_messages;
  return expr;
}

HirExpr *
hir_expr_new_symmetric_view (HirContainer *container, HirTensor *in, HirTensor *out)
{
  return hir_expr_new (container, HIR_EXPR_SYMMETRIC_VIEW, (HirVal *[]){ HIR_VAL (in) }, 1,
                       (HirVal *[]){ HIR_VAL (out) }, 1);
}

HirExpr *
hir_expr_new_moe (HirContainer *container,
                  gint64 n_experts,
                  HirTensor *const inputs[3],
                  HirTensor *out)
{
  HirExpr *expr =
      hir_expr_new (container, n_experts > 0 ? HIR_EXPR_DISPATCH : HIR_EXPR_COMBINE,
                    (HirVal *[]){ HIR_VAL (inputs[0]), HIR_VAL (inputs[1]), HIR_VAL (inputs[2]) },
                    3, (HirVal *[]){ HIR_VAL (out) }, 1);

  expr->u.moe.n_experts = n_experts;
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
