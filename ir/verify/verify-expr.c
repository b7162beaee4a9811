/* Rules for one Expr: operands and attributes. */
#include "verify/verify-internal.h"

typedef struct
{
  guint min_inputs, max_inputs, n_outputs;
} Arity;

/* For tensor ops. Operands of host Exprs are checked by kind. */
static const Arity arities[] = {
  [HIR_EXPR_SET] = { 1, 1, 1 },
  [HIR_EXPR_UNARY] = { 1, 1, 1 },
  [HIR_EXPR_BINARY] = { 2, 2, 1 },
  [HIR_EXPR_TERNARY] = { 3, 4, 1 },
  [HIR_EXPR_REDUCTION] = { 1, 1, 1 },
  [HIR_EXPR_BROADCAST] = { 1, 1, 1 },
  [HIR_EXPR_SQUEEZE] = { 1, 1, 1 },
  [HIR_EXPR_EXPAND] = { 1, G_MAXUINT, 1 },
  [HIR_EXPR_RESHAPE] = { 1, G_MAXUINT, 1 },
  [HIR_EXPR_SLICE] = { 1, G_MAXUINT, 1 },
  [HIR_EXPR_PAD] = { 1, G_MAXUINT, 1 },
  [HIR_EXPR_CAT] = { 1, G_MAXUINT, 1 },
  [HIR_EXPR_SELECT] = { 1, 2, 1 },
  [HIR_EXPR_MATMUL] = { 2, 2, 1 },
  [HIR_EXPR_LINEAR] = { 2, 3, 1 },
  [HIR_EXPR_FULL] = { 0, G_MAXUINT, 1 },
  [HIR_EXPR_IOTA] = { 0, G_MAXUINT, 1 },
  [HIR_EXPR_OPAQUE] = { 0, G_MAXUINT, 1 },
};

static gboolean
check_operand (HirVerifier *v, const HirExpr *expr, const char *what, HirVal *val)
{
  g_autofree char *name = hir_verifier_name_val (val);

  if (val == NULL)
    return hir_verifier_fail (v, &expr->node, what, "an operand is missing");
  if (HIR_IS_SCALAR (val))
    return hir_verifier_check_scalar (v, HIR_SCALAR (val), &expr->node, what);
  if (!HIR_IS_TENSOR (val))
    return TRUE;
  if (!g_hash_table_contains (v->tensors, val))
    return hir_verifier_fail (v, &expr->node, what, "operand %s belongs to another container",
                              name);
  return TRUE;
}

static gboolean
check_buffer (HirVerifier *v, const HirExpr *expr, const char *what, HirTensor *tensor)
{
  if (tensor == NULL || !HIR_IS_TENSOR (tensor))
    return hir_verifier_fail (v, &expr->node, what, "its tensor is missing");
  return check_operand (v, expr, what, HIR_VAL (tensor));
}

static gboolean
check_scalars (
    HirVerifier *v, const HirExpr *expr, const char *what, HirScalar *const *scalars, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!hir_verifier_check_scalar (v, scalars[i], &expr->node, what))
      return FALSE;
  return TRUE;
}

static guint
n_dims (const HirVal *val)
{
  g_autofree HirIterDomain **ids = NULL;
  guint n = 0;

  ids = hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n);
  return n;
}

static gboolean
check_count (HirVerifier *v, const HirExpr *expr, const char *what, guint n, guint wanted)
{
  if (n == wanted)
    return TRUE;
  return hir_verifier_fail (v, &expr->node, what, "it has values for %u axes, but there are %u", n,
                            wanted);
}

static gboolean
check_tensor_attributes (HirVerifier *v, const HirExpr *expr, const char *what)
{
  const HirTensor *in = expr->n_inputs > 0 ? HIR_TENSOR (expr->inputs[0]) : NULL;
  const HirTensor *out = HIR_TENSOR (expr->outputs[0]);

  switch (expr->kind)
    {
    case HIR_EXPR_REDUCTION:
      return hir_verifier_check_scalar (v, expr->u.reduction.init, &expr->node, what);
    case HIR_EXPR_BROADCAST:
      return check_count (v, expr, what, expr->u.broadcast.n, out->logical.n);
    case HIR_EXPR_SQUEEZE:
      return check_count (v, expr, what, expr->u.squeeze.n, n_dims (HIR_VAL (in)));
    case HIR_EXPR_EXPAND:
      return check_scalars (v, expr, what, expr->u.expand.extents, expr->u.expand.n);
    case HIR_EXPR_SLICE:
      return check_count (v, expr, what, expr->u.slice.n, n_dims (HIR_VAL (in))) &&
             check_scalars (v, expr, what, expr->u.slice.start, expr->u.slice.n) &&
             check_scalars (v, expr, what, expr->u.slice.stop, expr->u.slice.n) &&
             check_scalars (v, expr, what, expr->u.slice.step, expr->u.slice.n);
    case HIR_EXPR_PAD:
      return check_count (v, expr, what, expr->u.pad.n, 2 * n_dims (HIR_VAL (in))) &&
             check_scalars (v, expr, what, expr->u.pad.widths, expr->u.pad.n);
    case HIR_EXPR_CAT:
      if (expr->u.cat.dim < 0 || (guint) expr->u.cat.dim >= out->logical.n)
        return hir_verifier_fail (v, &expr->node, what, "axis %d is out of range", expr->u.cat.dim);
      return TRUE;
    case HIR_EXPR_SELECT:
      if (hir_domain_find (&in->logical, expr->u.select.axis) < 0)
        return hir_verifier_fail (v, &expr->node, what, "it selects an axis that T%d does not have",
                                  in->base.name);
      return hir_verifier_check_scalar (v, expr->u.select.index, &expr->node, what);
    case HIR_EXPR_FULL:
      return check_scalars (v, expr, what, expr->u.full.shape, expr->u.full.n) &&
             hir_verifier_check_scalar (v, expr->u.full.value, &expr->node, what);
    case HIR_EXPR_IOTA:
      return hir_verifier_check_scalar (v, expr->u.iota.length, &expr->node, what) &&
             hir_verifier_check_scalar (v, expr->u.iota.start, &expr->node, what) &&
             hir_verifier_check_scalar (v, expr->u.iota.step, &expr->node, what);
    default:
      return TRUE;
    }
}

/* Returns TRUE for ops whose first operand must be a tensor. The others may use only scalars, or
 * have no operands. */
static gboolean
needs_tensor_input (HirExprKind kind)
{
  return kind != HIR_EXPR_FULL && kind != HIR_EXPR_IOTA && kind != HIR_EXPR_OPAQUE &&
         kind != HIR_EXPR_UNARY && kind != HIR_EXPR_BINARY && kind != HIR_EXPR_TERNARY;
}

static gboolean
check_tensor_op (HirVerifier *v, const HirExpr *expr, const char *what)
{
  const Arity *arity = &arities[expr->kind];

  if (expr->n_inputs < arity->min_inputs || expr->n_inputs > arity->max_inputs)
    return hir_verifier_fail (v, &expr->node, what, "it has %u operands", expr->n_inputs);
  if (expr->n_outputs != arity->n_outputs)
    return hir_verifier_fail (v, &expr->node, what, "it has %u outputs but must have %u",
                              expr->n_outputs, arity->n_outputs);
  if (needs_tensor_input (expr->kind) && !HIR_IS_TENSOR (expr->inputs[0]))
    return hir_verifier_fail (v, &expr->node, what, "its first operand is not a tensor");
  if (!HIR_IS_TENSOR (expr->outputs[0]))
    return needs_tensor_input (expr->kind) || arity->min_inputs == 0
               ? hir_verifier_fail (v, &expr->node, what, "its output is not a tensor")
               : TRUE;
  return check_tensor_attributes (v, expr, what);
}

static gboolean
check_alias_select (HirVerifier *v, const HirExpr *expr, const char *what)
{
  const HirTensor *in, *out = expr->u.alias_select.out;
  int axis = expr->u.alias_select.axis;

  if (expr->n_inputs < 1 || !HIR_IS_TENSOR (expr->inputs[0]))
    return hir_verifier_fail (v, &expr->node, what, "it selects from nothing");
  if (expr->n_outputs > 0)
    return hir_verifier_fail (v, &expr->node, what,
                              "its result is registered as an output, which it does not define");
  if (!check_buffer (v, expr, what, expr->u.alias_select.out) ||
      !hir_verifier_check_scalar (v, expr->u.alias_select.index, &expr->node, what))
    return FALSE;
  in = HIR_TENSOR (expr->inputs[0]);
  if (axis < 0 || (guint) axis >= in->logical.n)
    return hir_verifier_fail (v, &expr->node, what, "axis %d is out of range: T%d has %u", axis,
                              in->base.name, in->logical.n);
  /* In early 2025, the slice had no reduction axes. */
  if (out->logical.n + 1 != in->logical.n &&
      (hir_iter_domain_is_reduction (in->logical.ids[axis]) ||
       out->logical.n + 1 != n_dims (HIR_VAL (in))))
    return hir_verifier_fail (v, &expr->node, what, "T%d must have one axis fewer than T%d",
                              out->base.name, in->base.name);
  if (out->base.dtype != in->base.dtype)
    return hir_verifier_fail (v, &expr->node, what, "slice T%d has another element type",
                              out->base.name);
  return TRUE;
}

static gboolean
check_loop (HirVerifier *v, const HirExpr *expr, const char *what)
{
  if (expr->u.loop.index == NULL || expr->u.loop.index->kind == HIR_SCALAR_CONST ||
      expr->u.loop.index->kind == HIR_SCALAR_OP)
    return hir_verifier_fail (v, &expr->node, what, "its index is missing or is not a variable");
  return hir_verifier_check_scalar (v, expr->u.loop.index, &expr->node, what) &&
         hir_verifier_check_scalar (v, expr->u.loop.start, &expr->node, what) &&
         hir_verifier_check_scalar (v, expr->u.loop.stop, &expr->node, what) &&
         hir_verifier_check_scalar (v, expr->u.loop.step, &expr->node, what);
}

static gboolean
check_binding (
    HirVerifier *v, const HirExpr *expr, const char *what, const HirVal *outer, const HirVal *inner)
{
  g_autofree char *name = hir_verifier_name_val (outer);

  if (outer == NULL || inner == NULL || outer->kind != inner->kind || outer->dtype != inner->dtype)
    return hir_verifier_fail (v, &expr->node, what,
                              "%s does not match the parameter of its "
                              "HostUnit",
                              name);
  if (HIR_IS_TENSOR (outer) && n_dims (outer) != n_dims (inner))
    return hir_verifier_fail (v, &expr->node, what,
                              "%s has %u axes, but its HostUnit takes "
                              "%u",
                              name, n_dims (outer), n_dims (inner));
  return TRUE;
}

static gboolean
check_post (HirVerifier *v, const HirExpr *expr, const char *what)
{
  const HirHostUnit *unit = expr->u.post.unit;

  if (unit == NULL || hir_vec_find (&v->container->units, unit) < 0)
    return hir_verifier_fail (v, &expr->node, what,
                              "it posts a HostUnit that is not in the program");
  if (expr->n_inputs != unit->fusion->inputs.len || expr->n_outputs != unit->fusion->outputs.len)
    return hir_verifier_fail (v, &expr->node, what,
                              "it binds %u inputs and %u outputs, but its HostUnit has %u and %u",
                              expr->n_inputs, expr->n_outputs, unit->fusion->inputs.len,
                              unit->fusion->outputs.len);
  for (guint i = 0; i < expr->n_inputs; i++)
    if (!check_binding (v, expr, what, expr->inputs[i], unit->fusion->inputs.items[i]))
      return FALSE;
  for (guint i = 0; i < expr->n_outputs; i++)
    if (!check_binding (v, expr, what, expr->outputs[i], unit->fusion->outputs.items[i]))
      return FALSE;
  return TRUE;
}

static gboolean
is_in_team (const HirExpr *expr, gint64 device)
{
  for (guint i = 0; i < expr->u.comm.n_team; i++)
    {
      if (expr->u.comm.team[i] == device)
        return TRUE;
    }
  return FALSE;
}

/* Checks what nvFuser checks at creation (docs/host-ir.md#communication). */
static gboolean
check_communication (HirVerifier *v, const HirExpr *expr, const char *what)
{
  if (expr->n_inputs < 1 || expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->inputs[0]) ||
      !HIR_IS_TENSOR (expr->outputs[0]))
    return hir_verifier_fail (v, &expr->node, what, "it needs one tensor in and one out");
  if ((guint) expr->u.comm.type > HIR_COMM_ALL_TO_ALL)
    return hir_verifier_fail (v, &expr->node, what, "its type is invalid");
  if (expr->u.comm.n_team == 0 || expr->u.comm.team == NULL)
    return hir_verifier_fail (v, &expr->node, what, "its team is empty");
  if ((expr->u.comm.root >= 0 || expr->u.comm.root_index != NULL) !=
      hir_comm_type_is_rooted (expr->u.comm.type))
    return hir_verifier_fail (v, &expr->node, what,
                              hir_comm_type_is_rooted (expr->u.comm.type) ? "its type needs a root"
                                                                          : "its type must not "
                                                                            "have a root");
  if (expr->u.comm.root >= 0 && !is_in_team (expr, expr->u.comm.root))
    return hir_verifier_fail (v, &expr->node, what,
                              "its root %" G_GINT64_FORMAT " is not in its team",
                              expr->u.comm.root);
  if (hir_comm_type_is_reduction (expr->u.comm.type) &&
      !hir_binary_op_is_collective (expr->u.comm.op))
    return hir_verifier_fail (v, &expr->node, what, "collectives do not support its reduction op");
  if (HIR_TENSOR (expr->inputs[0])->mesh == NULL || HIR_TENSOR (expr->outputs[0])->mesh == NULL)
    return hir_verifier_fail (v, &expr->node, what, "both its tensors must be on a mesh");
  return expr->u.comm.root_index == NULL ||
         hir_verifier_check_scalar (v, expr->u.comm.root_index, &expr->node, what);
}

static gboolean
check_handles (HirVerifier *v, const HirExpr *expr, const char *what)
{
  for (guint i = 0; i < expr->u.handles.n; i++)
    if (expr->u.handles.of[i] == NULL || expr->u.handles.of[i]->kind != HIR_EXPR_P2P ||
        !check_buffer (v, expr, what, expr->u.handles.of[i]->u.p2p.buffer))
      return hir_verifier_fail (v, &expr->node, what, "it shares the memory of no message");
  return TRUE;
}

/* As in nvFuser, which checks it at creation. */
static gboolean
check_symmetric_view (HirVerifier *v, const HirExpr *expr, const char *what)
{
  if (expr->n_inputs != 1 || expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->inputs[0]) ||
      !HIR_IS_TENSOR (expr->outputs[0]))
    return hir_verifier_fail (v, &expr->node, what, "it needs one tensor in and one out");
  return HIR_TENSOR (expr->inputs[0])->memory == HIR_MEMORY_SYMMETRIC ||
         hir_verifier_fail (v, &expr->node, what, "T%d is not in symmetric memory",
                            expr->inputs[0]->name);
}

static gboolean
check_moe (HirVerifier *v, const HirExpr *expr, const char *what)
{
  gboolean ok = expr->n_inputs == 3 && expr->n_outputs >= 1 &&
                (expr->kind == HIR_EXPR_COMBINE || expr->u.moe.n_experts > 0);

  for (guint i = 0; ok && i < 3; i++)
    ok = HIR_IS_TENSOR (expr->inputs[i]);
  return ok || hir_verifier_fail (v, &expr->node, what, "it needs three tensors and its experts");
}

static gboolean
check_wait (HirVerifier *v, const HirExpr *expr, const char *what)
{
  const HirExpr *of = expr->u.wait.of;

  if (of == NULL || !hir_expr_is_waitable (of))
    return hir_verifier_fail (v, &expr->node, what,
                              "it must wait for a communication or the end of a group");
  return TRUE;
}

/* The Stream axis of the output selects the axis to cut (docs/host-ir.md#memory). */
static gboolean
check_shard (HirVerifier *v, const HirExpr *expr, const char *what)
{
  const HirTensor *in, *out = expr->u.shard.out;
  gboolean has_stream = FALSE;

  if (expr->n_inputs < 1 || !HIR_IS_TENSOR (expr->inputs[0]))
    return hir_verifier_fail (v, &expr->node, what, "it has no tensor to shard");
  if (!check_buffer (v, expr, what, expr->u.shard.out) ||
      !hir_verifier_check_scalar (v, expr->u.shard.index, &expr->node, what))
    return FALSE;
  in = HIR_TENSOR (expr->inputs[0]);
  for (guint i = 0; i < out->loop.n; i++)
    has_stream = has_stream || hir_iter_domain_is_stream (out->loop.ids[i]);
  if (!has_stream)
    return hir_verifier_fail (v, &expr->node, what, "T%d has no Stream axis to shard along",
                              out->base.name);
  if (out->base.dtype != in->base.dtype)
    return hir_verifier_fail (v, &expr->node, what, "shard T%d has another element type",
                              out->base.name);
  return TRUE;
}

static gboolean
check_collective_permute (HirVerifier *v, const HirExpr *expr, const char *what)
{
  if (expr->n_inputs != 1 || expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->inputs[0]) ||
      !HIR_IS_TENSOR (expr->outputs[0]))
    return hir_verifier_fail (v, &expr->node, what, "it needs one tensor in and one out");
  if (expr->u.permute.n_team == 0 || expr->u.permute.team == NULL)
    return hir_verifier_fail (v, &expr->node, what, "its team is empty");
  return hir_verifier_check_scalar (v, expr->u.permute.send_peer, &expr->node, what) &&
         hir_verifier_check_scalar (v, expr->u.permute.recv_peer, &expr->node, what);
}

static gboolean
check_host_op (HirVerifier *v, HirExpr *expr, const char *what)
{
  if (v->container->kind != HIR_CONTAINER_HOST)
    return hir_verifier_fail (v, &expr->node, what, "a fusion cannot contain host Exprs");
  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
      if (!check_buffer (v, expr, what, expr->u.allocate.buffer) ||
          !hir_verifier_check_scalar (v, expr->u.allocate.size, &expr->node, what))
        return FALSE;
      if (expr->u.allocate.buffer->memory != expr->u.allocate.memory)
        return hir_verifier_fail (v, &expr->node, what, "T%d has another memory type",
                                  expr->u.allocate.buffer->base.name);
      return TRUE;
    case HIR_EXPR_DEALLOCATE:
      return check_buffer (v, expr, what, expr->u.deallocate.buffer);
    case HIR_EXPR_ALIAS_SELECT:
      return check_alias_select (v, expr, what);
    case HIR_EXPR_FOR:
      return check_loop (v, expr, what);
    case HIR_EXPR_IF:
      return hir_verifier_check_scalar (v, expr->u.branch.condition, &expr->node, what);
    case HIR_EXPR_SCALAR:
      return expr->n_outputs == 1 && HIR_IS_SCALAR (expr->outputs[0]) &&
                     HIR_SCALAR (expr->outputs[0])->kind == HIR_SCALAR_OP
                 ? TRUE
                 : hir_verifier_fail (v, &expr->node, what, "it computes no scalar");
    case HIR_EXPR_SHARE_MEM_HANDLES:
      return check_handles (v, expr, what);
    case HIR_EXPR_SYMMETRIC_VIEW:
      return check_symmetric_view (v, expr, what);
    case HIR_EXPR_DISPATCH:
    case HIR_EXPR_COMBINE:
      return check_moe (v, expr, what);
    case HIR_EXPR_LAUNCH_KERNEL:
      return expr->u.post.unit == NULL || check_post (v, expr, what);
    case HIR_EXPR_POST_ON_STREAM:
      return check_post (v, expr, what);
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      if (expr->u.stream.stream == NULL)
        return hir_verifier_fail (v, &expr->node, what, "its stream is missing");
      return expr->u.stream.stream->index == NULL ||
             hir_verifier_check_scalar (v, expr->u.stream.stream->index, &expr->node, what);
    case HIR_EXPR_WAIT:
      return check_wait (v, expr, what);
    case HIR_EXPR_COMMUNICATION:
      return check_communication (v, expr, what);
    case HIR_EXPR_SHARD_BY_STREAM:
      return check_shard (v, expr, what);
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      return check_collective_permute (v, expr, what);
    case HIR_EXPR_P2P:
      return check_buffer (v, expr, what, expr->u.p2p.buffer) &&
             hir_verifier_check_scalar (v, expr->u.p2p.peer, &expr->node, what);
    default:
      return TRUE;
    }
}

gboolean
hir_verifier_check_expr (HirVerifier *v, HirExpr *expr)
{
  g_autofree char *what = hir_verifier_name_expr (expr);

  if ((guint) expr->kind >= HIR_N_EXPR_KINDS)
    return hir_verifier_fail (v, &expr->node, what, "its kind is invalid");
  if (expr->container != v->container)
    return hir_verifier_fail (v, &expr->node, what, "it belongs to another container");
  if (!hir_verifier_check_node (v, &expr->node, what))
    return FALSE;
  for (guint i = 0; i < expr->n_inputs; i++)
    if (!check_operand (v, expr, what, expr->inputs[i]))
      return FALSE;
  for (guint i = 0; i < expr->n_outputs; i++)
    if (!check_operand (v, expr, what, expr->outputs[i]))
      return FALSE;
  return hir_expr_kind_get_info (expr->kind)->is_tensor_op ? check_tensor_op (v, expr, what)
                                                           : check_host_op (v, expr, what);
}
