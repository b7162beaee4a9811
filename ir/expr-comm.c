/* Exprs of programs for several devices: communication, and the IF that distinguishes a device from
 * its peers (docs/host-ir.md#control-flow, docs/host-ir.md#communication). */
#include "container.h"
#include "expr.h"

gboolean
hir_comm_type_is_rooted (HirCommType type)
{
  switch (type)
    {
    case HIR_COMM_GATHER:
    case HIR_COMM_SCATTER:
    case HIR_COMM_REDUCE:
    case HIR_COMM_BROADCAST:
    case HIR_COMM_SEND_RECV:
      return TRUE;
    case HIR_COMM_ALLGATHER:
    case HIR_COMM_ALLREDUCE:
    case HIR_COMM_REDUCE_SCATTER:
    case HIR_COMM_ALL_TO_ALL:
    default:
      return FALSE;
    }
}

gboolean
hir_comm_type_is_reduction (HirCommType type)
{
  return type == HIR_COMM_REDUCE || type == HIR_COMM_ALLREDUCE || type == HIR_COMM_REDUCE_SCATTER;
}

gboolean
hir_binary_op_is_collective (HirBinaryOp op)
{
  switch (op)
    {
    case HIR_BINARY_ADD:
    case HIR_BINARY_MUL:
    case HIR_BINARY_MIN:
    case HIR_BINARY_MAX:
    case HIR_BINARY_BITWISE_AND:
    case HIR_BINARY_BITWISE_OR:
    case HIR_BINARY_BITWISE_XOR:
      return TRUE;
    default:
      return FALSE;
    }
}

HirExpr *
hir_expr_new_communication (HirContainer *container,
                            HirCommType type,
                            HirTensor *out,
                            HirTensor *in,
                            const gint64 *team,
                            guint n_team,
                            gint64 root,
                            HirBinaryOp op)
{
  HirExpr *expr;

  g_assert (in->mesh != NULL && out->mesh != NULL && n_team > 0);
  g_assert ((root >= 0) == hir_comm_type_is_rooted (type));
  g_assert (!hir_comm_type_is_reduction (type) || hir_binary_op_is_collective (op));

  expr = hir_expr_new (container, HIR_EXPR_COMMUNICATION, (HirVal *[]){ HIR_VAL (in) }, 1,
                       (HirVal *[]){ HIR_VAL (out) }, 1);
  expr->u.comm.type = type;
  expr->u.comm.team = hir_arena_memdup (container->arena, team, sizeof *team * n_team);
  expr->u.comm.n_team = n_team;
  expr->u.comm.root = root;
  expr->u.comm.op = op;
  return expr;
}

void
hir_comm_set_root_index (HirExpr *communication, HirScalar *index)
{
  HirArena *arena = communication->container->arena;
  guint n = communication->u.comm.n_team;

  g_assert (hir_comm_type_is_rooted (communication->u.comm.type));

  communication->u.comm.root = -1;
  communication->u.comm.root_index = index;
  communication->u.comm.at_root = NULL;
  communication->u.comm.at_root = hir_arena_array0 (arena, HirExpr *, n);
  for (guint i = 0; i < n; i++)
    {
      HirExpr *copy = hir_arena_memdup (arena, communication, sizeof *communication);

      copy->u.comm.root = communication->u.comm.team[i];
      copy->u.comm.root_index = NULL;
      copy->u.comm.at_root = NULL;
      copy->u.comm.base = communication;
      communication->u.comm.at_root[i] = copy;
    }
}

const HirExpr *
hir_comm_at_root (const HirExpr *communication, guint position)
{
  if (communication->u.comm.root_index == NULL)
    return communication;
  g_return_val_if_fail (position < communication->u.comm.n_team, communication);
  return communication->u.comm.at_root[position];
}

const HirExpr *
hir_comm_get_base (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_COMMUNICATION && expr->u.comm.base != NULL ? expr->u.comm.base
                                                                           : expr;
}

const char *
hir_comm_backend_get_name (HirCommBackend backend)
{
  static const char *const names[] = { "NCCL", "UCC", "CUDA" };

  return (guint) backend < G_N_ELEMENTS (names) ? names[backend] : "?";
}

HirExpr *
hir_expr_new_p2p (HirContainer *container, gboolean is_send, HirTensor *buffer, HirScalar *peer)
{
  HirExpr *expr = hir_expr_new (container, HIR_EXPR_P2P, NULL, 0, NULL, 0);

  expr->u.p2p.is_send = is_send;
  expr->u.p2p.buffer = buffer;
  expr->u.p2p.peer = peer;
  return expr;
}

HirExpr *
hir_expr_new_start_coalescing (HirContainer *container)
{
  return hir_expr_new (container, HIR_EXPR_START_COALESCING, NULL, 0, NULL, 0);
}

HirExpr *
hir_expr_new_end_coalescing (HirContainer *container)
{
  return hir_expr_new (container, HIR_EXPR_END_COALESCING, NULL, 0, NULL, 0);
}

HirExpr *
hir_expr_new_wait (HirContainer *container, HirExpr *of)
{
  HirExpr *expr;

  g_assert (hir_expr_is_waitable (of));

  expr = hir_expr_new (container, HIR_EXPR_WAIT, NULL, 0, NULL, 0);
  expr->u.wait.of = of;
  return expr;
}

HirExpr *
hir_expr_new_if (HirContainer *container, HirScalar *condition)
{
  HirExpr *expr;

  g_assert (condition->base.dtype == HIR_DTYPE_BOOL);

  expr = hir_expr_new (container, HIR_EXPR_IF, NULL, 0, NULL, 0);
  expr->u.branch.condition = condition;
  return expr;
}

HirExpr *
hir_expr_new_deallocate (HirContainer *container, HirTensor *buffer)
{
  HirExpr *expr = hir_expr_new (container, HIR_EXPR_DEALLOCATE, NULL, 0, NULL, 0);

  expr->u.deallocate.buffer = buffer;
  return expr;
}
