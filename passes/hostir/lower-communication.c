/* Communications of a segment. */
#include "hostir/lower-private.h"
#include "label.h"
#include "sharding/convert-op-to-communication-private.h"

static void
make_global (HirTensor *tensor)
{
  if (tensor->memory != HIR_MEMORY_SYMMETRIC)
    tensor->memory = HIR_MEMORY_GLOBAL;
}

/* Emits the statement that computes @scalar again in each iteration. */
static void
emit_scalar (HirLowerSegments *lower, HirScalar *scalar)
{
  hir_lower_emit (lower, hir_expr_new_scalar (lower->host, scalar));
}

/* Emits a communication between the devices that hold the shards of @in. In iteration i, device t
 * receives shard (i + t) mod n and sends its own to device (t - i) mod n. */
static HirExpr *
permute_new (HirLowerSegments *lower,
             HirTensor *in,
             HirTensor *out,
             const gint64 *team,
             guint n,
             gint64 position)
{
  HirContainer *host = lower->host;
  HirScalar *index = lower->loop->u.loop.index;
  HirScalar *t = hir_scalar_new_int (host, position, HIR_DTYPE_INDEX);
  HirScalar *size = hir_scalar_new_int (host, n, HIR_DTYPE_INDEX);
  HirScalar *back = hir_scalar_new_op_as_is (host, HIR_SCALAR_OP_SUB, t, index);
  HirScalar *raised = hir_scalar_new_op_as_is (host, HIR_SCALAR_OP_ADD, size, back);
  HirScalar *send = hir_scalar_new_op_as_is (host, HIR_SCALAR_OP_MOD, raised, size);
  HirScalar *ahead = hir_scalar_new_op_as_is (host, HIR_SCALAR_OP_ADD, index, t);
  HirScalar *recv = hir_scalar_new_op_as_is (host, HIR_SCALAR_OP_MOD, ahead, size);

  emit_scalar (lower, back);
  emit_scalar (lower, raised);
  emit_scalar (lower, send);
  emit_scalar (lower, ahead);
  emit_scalar (lower, recv);
  return hir_expr_new_collective_permute (host, out, in, team, n, send, recv);
}

static gboolean
refuse_outside_loop (const HirExpr *expr, const HirTensor *out, GError **error)
{
  g_autofree char *axis = hir_comm_dup_axis_label (out, hir_lower_get_stream (out));

  hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                 "%s is over devices in the operand, but no stream loop runs here; parallelize the "
                 "result over streams of a constant number",
                 axis);
  return FALSE;
}

/* Emits the transfer of the shard of one device per iteration. */
static gboolean
emit_by_shards (HirLowerSegments *lower,
                HirExpr *expr,
                HirTensor *in,
                HirTensor *out,
                const HirCommInfo *info,
                GError **error)
{
  const HirMesh *mesh = HIR_TENSOR (expr->inputs[0])->mesh;
  gint64 rank = lower->context->rank;
  gint64 device = hir_mesh_has (mesh, rank) ? rank : mesh->devices[0];
  guint n = 0;
  g_autofree gint64 *team =
      hir_mesh_dup_slice (mesh, device, (int) info->type - HIR_PARALLEL_DIDX, &n);
  gint64 position = 0;
  HirExpr *made;

  if (lower->loop == NULL)
    return refuse_outside_loop (expr, HIR_TENSOR (expr->outputs[0]), error);
  for (guint i = 0; i < n; i++)
    {
      if (team[i] == device)
        position = i;
    }
  if (info->form == HIR_COMM_FORM_COLLECTIVE_PERMUTE)
    made = permute_new (lower, in, out, team, n, position);
  else
    {
      made = hir_expr_new_communication (lower->host, HIR_COMM_BROADCAST, out, in, team, n, team[0],
                                         HIR_BINARY_ADD);
      hir_comm_set_root_index (made, lower->loop->u.loop.index);
    }
  hir_lower_emit (lower, made);
  hir_lower_emit (lower, hir_expr_new_wait (lower->host, made));
  return TRUE;
}

static void
emit_all_to_all (HirLowerSegments *lower, HirTensor *in, HirTensor *out, const HirMesh *mesh)
{
  HirExpr *made =
      hir_expr_new_communication (lower->host, HIR_COMM_ALL_TO_ALL, out, in, mesh->devices,
                                  (guint) mesh->size, -1, HIR_BINARY_ADD);

  hir_lower_emit (lower, made);
  hir_lower_emit (lower, hir_expr_new_wait (lower->host, made));
}

static gboolean
emit_chosen (HirLowerSegments *lower, HirExpr *expr, HirTensor *in, HirTensor *out, GError **error)
{
  HirBinaryOp op = expr->kind == HIR_EXPR_REDUCTION ? expr->u.reduction.op : HIR_BINARY_ADD;
  g_autoptr (GPtrArray) choices = hir_comm_choose (expr, lower->context->rank, FALSE, error);

  if (choices == NULL)
    return FALSE;
  for (guint i = 0; i < choices->len; i++)
    {
      const HirCommChoice *choice = choices->pdata[i];
      HirExpr *made = hir_expr_new_communication (lower->host, choice->type, out, in, choice->team,
                                                  choice->n_team, choice->root, op);

      hir_lower_emit (lower, made);
      hir_lower_emit (lower, hir_expr_new_wait (lower->host, made));
    }
  return TRUE;
}

/* Allocates the result, in the loop or in front of it, and cuts operand and result if they lie in
 * memory whole. */
static gboolean
prepare (HirLowerSegments *lower, HirExpr *expr, HirTensor **in, HirTensor **out, GError **error)
{
  HirTensor *view;
  gboolean different;

  /* A device outside the mesh of the operand does not have it. */
  if (lower->loop != NULL && hir_mesh_has ((*in)->mesh, lower->context->rank))
    {
      if (!hir_lower_needs_shard (lower, expr, *in, *out, &different, error) ||
          (different && !hir_lower_shard (lower, *in, expr, &view, error)))
        return FALSE;
      if (different && view != NULL)
        *in = view;
    }
  if (lower->loop == NULL || hir_lower_get_stream (*out) == NULL ||
      g_hash_table_contains (lower->pieces, *out))
    {
      hir_lower_emit (lower, hir_lower_new_allocate (lower, *out));
      return TRUE;
    }
  hir_lower_emit_before_loop (lower, hir_lower_new_allocate (lower, *out));
  if (!hir_lower_shard (lower, *out, expr, &view, error))
    return FALSE;
  g_assert (view != NULL);
  *out = view;
  return TRUE;
}

static gboolean
refuse_other_op (const HirExpr *expr, GError **error)
{
  const HirTensor *in = HIR_TENSOR (expr->inputs[0]), *out = HIR_TENSOR (expr->outputs[0]);
  g_autofree char *label = hir_tensor_dup_label (out);
  g_autofree char *axis = NULL;
  const HirIterDomain *id = NULL;

  for (int type = HIR_PARALLEL_DIDX; id == NULL && type <= HIR_PARALLEL_DIDZ; type++)
    id = hir_domain_lookup_type (&in->loop, (HirParallelType) type);
  axis = hir_comm_dup_axis_label (in, id);
  hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                 "the %s that computes %s changes the sharding over devices of %s, but is no "
                 "communication; enable DecomposeReshardings",
                 hir_expr_get_op_name (expr), label, axis);
  return FALSE;
}

gboolean
hir_lower_communication (HirLowerSegments *lower, HirExpr *expr, GError **error)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]), *out = HIR_TENSOR (expr->outputs[0]);
  const HirMesh *mesh = in->mesh;
  HirCommInfo info;
  gboolean found;

  make_global (in);
  make_global (out);
  if (!hir_comm_info_get (expr, &found, &info, error))
    return FALSE;
  if (!found)
    return refuse_other_op (expr, error);
  hir_maker_set_origin (lower->host, &expr->node);
  if (!prepare (lower, expr, &in, &out, error))
    return FALSE;
  hir_maker_set_origin (lower->host, &expr->node);
  switch (info.form)
    {
    case HIR_COMM_FORM_BROADCAST:
    case HIR_COMM_FORM_COLLECTIVE_PERMUTE:
      return emit_by_shards (lower, expr, in, out, &info, error);
    case HIR_COMM_FORM_ALL_TO_ALL:
      emit_all_to_all (lower, in, out, mesh);
      return TRUE;
    case HIR_COMM_FORM_OTHER:
    default:
      return emit_chosen (lower, expr, in, out, error);
    }
}
