#include "sharding/convert-op-to-communication-private.h"

#include "label.h"
#include "pass.h"
#include "print/print.h"
#include "schedule/sharding.h"

typedef struct
{
  HirContainer *program;
  const HirPassContext *context;
} Conversion;

/* Communications use device buffers, not the private memory of a kernel. */
static void
make_global (HirTensor *tensor)
{
  if (tensor->memory != HIR_MEMORY_SYMMETRIC)
    tensor->memory = HIR_MEMORY_GLOBAL;
}

static void
emit (Conversion *conversion, HirVec *to, HirExpr *expr, const HirCommChoice *choice)
{
  HirContainer *program = conversion->program;
  HirTensor *in = HIR_TENSOR (expr->inputs[0]), *out = HIR_TENSOR (expr->outputs[0]);
  HirBinaryOp op = expr->kind == HIR_EXPR_REDUCTION ? expr->u.reduction.op : HIR_BINARY_ADD;
  HirExpr *communication;

  if (hir_mesh_has (out->mesh, conversion->context->rank))
    hir_vec_push (program->arena, to, hir_expr_new_allocate (program, out, out->memory));
  communication = hir_expr_new_communication (program, choice->type, out, in, choice->team,
                                              choice->n_team, choice->root, op);
  hir_vec_push (program->arena, to, communication);
  hir_vec_push (program->arena, to, hir_expr_new_wait (program, communication));
}

static gboolean
convert (Conversion *conversion, HirVec *to, HirExpr *expr, GError **error)
{
  g_autoptr (GPtrArray) choices = NULL;
  gboolean resharding;

  if (!hir_expr_is_resharding (expr, &resharding, error))
    return FALSE;
  if (!resharding)
    {
      hir_vec_push (conversion->program->arena, to, expr);
      return TRUE;
    }

  choices = hir_comm_choose (expr, conversion->context->rank, TRUE, error);
  if (choices == NULL)
    return FALSE;
  make_global (HIR_TENSOR (expr->inputs[0]));
  make_global (HIR_TENSOR (expr->outputs[0]));
  hir_maker_set_origin (conversion->program, &expr->node);
  for (guint i = 0; i < choices->len; i++)
    emit (conversion, to, expr, choices->pdata[i]);
  return TRUE;
}

/* In iteration j, rank j exchanges nothing and continues to a collective. The other ranks reach
 * that collective only after rank j has sent to them, which happens in its later iterations: a
 * deadlock. */
static gboolean
check_loop (const HirScope *body, GError **error)
{
  const HirExpr *exchange = NULL, *communication = NULL;
  g_autofree char *label = NULL;

  for (guint i = 0; i < body->exprs.len; i++)
    {
      const HirExpr *expr = body->exprs.items[i];

      if (expr->kind == HIR_EXPR_IF)
        exchange = expr;
      else if (expr->kind == HIR_EXPR_COMMUNICATION && expr->u.comm.n_team > 1)
        communication = expr;
    }
  if (exchange == NULL || communication == NULL)
    return TRUE;
  label = hir_tensor_dup_label (HIR_TENSOR (communication->outputs[0]));
  hir_set_error (error, HIR_ERROR_REFUSED, &communication->node.pos,
                 "the %s to %s is in the same loop as an exchange stream by stream, so the ranks "
                 "would block each other; insert a set without a stream axis between the two",
                 hir_comm_type_get_name (communication->u.comm.type), label);
  return FALSE;
}

static gboolean
convert_scope (Conversion *conversion, HirScope *scope, gboolean is_top, GError **error);

static gboolean
convert_expr (Conversion *conversion, HirVec *to, HirExpr *expr, gboolean is_top, GError **error)
{
  if (expr->kind == HIR_EXPR_FOR && is_top &&
      (!convert_scope (conversion, &expr->u.loop.body, FALSE, error) ||
       !check_loop (&expr->u.loop.body, error)))
    return FALSE;
  return convert (conversion, to, expr, error);
}

/* Converts the top level and the bodies of its loops, but nothing nested deeper. */
static gboolean
convert_scope (Conversion *conversion, HirScope *scope, gboolean is_top, GError **error)
{
  HirVec to = { 0 };

  for (guint i = 0; i < scope->exprs.len; i++)
    {
      if (hir_pass_context_is_cancelled (conversion->context, i, error) ||
          !convert_expr (conversion, &to, scope->exprs.items[i], is_top, error))
        return FALSE;
    }
  scope->exprs = to;
  return TRUE;
}

/* Without a host program nothing can run. Only ops that would have to communicate are rejected
 * (refusal 9 of docs/host-ir.md#refusals). */
static gboolean
check_fusion (HirContainer *fusion, GError **error)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);

  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = exprs->pdata[i];
      gboolean resharding;

      if (!hir_expr_is_resharding (expr, &resharding, error))
        return FALSE;
      if (!resharding)
        continue;
      hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                     "%s must become a communication, but ConvertOpToCommunication requires the "
                     "host program that SegmentFusion creates; enable SegmentFusion, or disable "
                     "this pass",
                     hir_expr_get_op_name (expr));
      return FALSE;
    }
  return TRUE;
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) program = taken;
  Conversion conversion = { program, context };

  if (program->kind != HIR_CONTAINER_HOST)
    return check_fusion (program, error) ? g_steal_pointer (&program) : NULL;
  if (!convert_scope (&conversion, &program->top, TRUE, error))
    return NULL;
  return g_steal_pointer (&program);
}

const HirPass hir_pass_convert_op_to_communication = {
  .name = "ConvertOpToCommunication",
  .summary = "Turns ops that change the sharding over devices into communications",
  .help =
      "Each set or reduction, at the top level or directly in a loop, whose result is sharded over "
      "devices differently from its operand becomes an Allocate of the result (on devices that "
      "hold it; redundant if the result is already allocated), a Communication and a Wait. Operand "
      "and result become Global.\n\nSet: from sharded to whole, an Allgather on one mesh, "
      "otherwise a Gather to each receiver; from whole to sharded, a Scatter from the first sender "
      "that is also a receiver; from sharded to sharded along another axis on the same mesh, an AllToAll; from sharded to sharded "
      "on another mesh, one SendRecv per pair; "
      "from whole to whole, a Broadcast from the first sender. Reduction of an axis over devices: "
      "a ReduceScatter if the result is sharded, otherwise an Allreduce on one mesh or a Reduce to "
      "each receiver. The team is the mesh, plus the root if the mesh does not contain it; for "
      "Allgather, Allreduce and ReduceScatter it is the devices along the mesh axis that changes. "
      "The programs of devices can therefore differ; --rank selects the displayed "
      "one.\n\nRejected: an op with several operands (InsertReshardings inserts sets for them), a "
      "change of an inner axis or of two axes, a reduction of a tensor that is whole on several "
      "devices, a ReduceScatter between meshes, a Scatter without a device in both meshes, a "
      "SendRecv between meshes of unequal size, meshes of several dimensions if a root or a pair "
      "is chosen from them, a reduction by an op that collectives do not support, and a "
      "communication in the same loop as an exchange stream by stream, because the ranks would "
      "block each other.\n\nDiffers from nvFuser, which takes every team along mesh_x: here the "
      "team is taken along the mesh axis whose sharding changes, because a tensor over mesh_y "
      "would otherwise be gathered from the wrong devices. A mesh of one device counts as "
      "one-dimensional, whatever its shape.",
  .options = NULL,
  .default_on = TRUE,
  .run = run,
};
