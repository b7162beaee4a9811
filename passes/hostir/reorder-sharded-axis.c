/* ReorderShardedAxis as of 2026 (docs/hostir.md#reordershardedaxis). */
#include "hostir/communication-info.h"
#include "hostir/hostir-copy.h"
#include "hostir/layout.h"
#include "label.h"
#include "logical-map.h"
#include "pass.h"
#include "print/print.h"
#include "sharding/shard-like.h"
#include "usage.h"

/* Returns TRUE if each device has one element of @id, so that its place in memory is free. Of a
 * stream axis, only one element is communicated in a loop (@in_loop). */
static gboolean
is_local_one (const HirIterDomain *id, gboolean in_loop)
{
  return (hir_iter_domain_is_parallelized (id) && (in_loop || !hir_iter_domain_is_stream (id))) ||
         hir_iter_domain_is_broadcast (id) || hir_iter_domain_is_reduction (id);
}

/* Moves @axis to the front unless only axes with one element precede it. @split (nullable): an axis
 * of which each device has one element. */
static void
move_to_front (GPtrArray *order, HirIterDomain *axis, const HirIterDomain *split, gboolean in_loop)
{
  gboolean is_inner = FALSE;
  guint at;

  if (axis == NULL || is_local_one (axis, in_loop) || !g_ptr_array_find (order, axis, &at))
    return;
  for (guint i = 0; i < at; i++)
    is_inner = is_inner || (order->pdata[i] != split && !is_local_one (order->pdata[i], in_loop));
  if (!is_inner)
    return;
  g_ptr_array_remove_index (order, at);
  g_ptr_array_insert (order, 0, axis);
}

static gboolean
is_in_loop (const HirExpr *expr)
{
  return hir_domain_lookup_type (&HIR_TENSOR (expr->outputs[0])->loop, HIR_PARALLEL_STREAM) != NULL;
}

/* Returns the axis of the operand that @expr relates to @axis of its result (@of_operand), or the
 * reverse; NULL if there is none. */
static HirIterDomain *
find_counterpart (const HirExpr *expr, const HirIterDomain *axis, gboolean of_operand)
{
  g_autofree HirIterDomain **in_ids = NULL;
  g_autofree HirIterDomain **out_ids = NULL;
  guint n;

  out_ids = hir_expr_dup_logical_map (expr, HIR_TENSOR (expr->inputs[0]),
                                      HIR_TENSOR (expr->outputs[0]), &in_ids, &n);
  for (guint i = 0; i < n; i++)
    {
      if ((of_operand ? out_ids[i] : in_ids[i]) == axis)
        return of_operand ? in_ids[i] : out_ids[i];
    }
  return NULL;
}

/* In an AllToAll, the axis that is cut into pieces must be outermost on the sending side, the axis
 * that is put together from pieces on the receiving side. */
static void
order_operand (const HirExpr *expr, const HirCommInfo *info, GPtrArray *order, gboolean needed)
{
  gboolean in_loop = is_in_loop (expr);
  const HirIterDomain *one = NULL;
  gint64 size;

  if (info->form == HIR_COMM_FORM_ALL_TO_ALL)
    {
      size = hir_mesh_get_axis_size (HIR_TENSOR (expr->inputs[0])->mesh, info->type);
      if (hir_scalar_is_const_int (info->in_axis->extent, size))
        one = info->in_axis;
      else
        move_to_front (order, info->in_axis, NULL, in_loop);
      move_to_front (order, find_counterpart (expr, info->out_axis, TRUE), one, in_loop);
    }
  else if (needed)
    move_to_front (order, info->in_axis, NULL, in_loop);
}

static void
order_output (const HirExpr *expr, const HirCommInfo *info, GPtrArray *order, gboolean needed)
{
  gboolean in_loop = is_in_loop (expr);
  const HirIterDomain *one = NULL;
  gint64 size;

  if (info->form == HIR_COMM_FORM_ALL_TO_ALL)
    {
      size = hir_mesh_get_axis_size (HIR_TENSOR (expr->inputs[0])->mesh, info->type);
      if (hir_scalar_is_const_int (info->out_axis->extent, size))
        one = info->out_axis;
      move_to_front (order, find_counterpart (expr, info->in_axis, FALSE), one, in_loop);
    }
  else if (needed)
    move_to_front (order, info->out_axis, NULL, in_loop);
}

static gboolean
is_sharded (const HirTensor *tensor, HirParallelType type)
{
  return tensor->mesh->size > 1 && hir_domain_lookup_type (&tensor->loop, type) != NULL;
}

/* Returns TRUE if the shards of the whole tensor must follow each other in memory. A broadcast,
 * Allreduce, Reduce or SendRecv moves whole local tensors. */
static gboolean
needs_order (const HirExpr *expr, const HirCommInfo *info)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]), *out = HIR_TENSOR (expr->outputs[0]);
  gboolean in_sharded = is_sharded (in, info->type), out_sharded = is_sharded (out, info->type);

  if (info->form != HIR_COMM_FORM_OTHER)
    return FALSE;
  return expr->kind == HIR_EXPR_SET ? in_sharded != out_sharded : out_sharded;
}

static gboolean
is_contiguous (const HirTensor *tensor)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (tensor);

  for (guint i = 0; i < domain->n; i++)
    {
      if (tensor->contiguity[i] == HIR_CONTIGUITY_FALSE)
        return FALSE;
    }
  return TRUE;
}

/* The pieces that an AllToAll exchanges must be contiguous. */
static gboolean
check_all_to_all (const HirExpr *expr, const HirCommInfo *info, GError **error)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]), *out = HIR_TENSOR (expr->outputs[0]);
  const HirIterDomain *axis = hir_domain_lookup_type (&in->loop, info->type);
  gint64 size = hir_mesh_get_axis_size (in->mesh, info->type);
  g_autofree char *label = NULL;
  g_autofree char *text = NULL;
  HirPos pos;

  if (hir_scalar_is_const_int (info->in_axis->extent, size) ||
      hir_scalar_is_const_int (info->out_axis->extent, size))
    return TRUE;
  label = hir_tensor_dup_label (out);
  text = hir_iter_domain_to_string (axis);
  pos = hir_axis_get_pos (in, axis);
  hir_set_error (
      error, HIR_ERROR_REFUSED, &pos,
      "%s is sharded along another axis than its operand, axis %s, and both axes have more "
      "than one element per device, so the pieces of an AllToAll are not contiguous; "
      "reshape so that one of the axes has as many elements as there are devices, or "
      "gather the tensor in between",
      label, text);
  return FALSE;
}

/* Replaces the operand of @expr by a copy in memory order @order. */
static HirTensor *
copy_operand (HirExpr *expr, HirTensor *in, GPtrArray **order)
{
  const HirNode *origins[] = { &expr->node, &in->base.node };
  GPtrArray *mapped;
  HirTensor *copy;

  hir_maker_set_origins (expr->container, origins, 2);
  copy = hir_copy_new (in, HIR_SET_SET);
  hir_copy_schedule (in, copy);
  if (!is_in_loop (expr))
    hir_unshard_types (copy, HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM));
  hir_expr_replace_input (expr, in, copy);
  mapped = hir_layout_dup_mapped (copy->definition, in, *order);
  g_ptr_array_unref (*order);
  *order = mapped;
  return copy;
}

static void
set_layout (HirTensor *tensor, GPtrArray *order)
{
  hir_tensor_set_allocation (tensor, (HirIterDomain *const *) order->pdata, order->len);
}

/* The communication writes its result in the order of its operand; a set restores the order that
 * the script asked for. */
static void
order_result (HirExpr *expr, GPtrArray *in_order, const HirCommInfo *info, GPtrArray *exprs)
{
  HirTensor *out = HIR_TENSOR (expr->outputs[0]);
  g_autoptr (GPtrArray) order =
      hir_layout_dup_mapped (expr, HIR_TENSOR (expr->inputs[0]), in_order);
  g_autoptr (GPtrArray) wanted = hir_layout_dup (out);

  order_output (expr, info, order, needs_order (expr, info));
  if (out->has_allocation && !hir_layout_equal (order, wanted))
    {
      const HirNode *origins[] = { &expr->node, &out->base.node };
      HirTensor *copy;

      hir_maker_set_origins (expr->container, origins, 2);
      copy = hir_copy_new (out, HIR_SET_SET);
      hir_copy_schedule (out, copy);
      hir_copy_take_readers (out, copy, exprs);
    }
  set_layout (out, order);
}

static gboolean
reorder (HirExpr *expr, GPtrArray *exprs, GError **error)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  g_autoptr (GPtrArray) order = NULL;
  g_autoptr (GPtrArray) given = NULL;
  HirCommInfo info;
  gboolean found;

  if (!hir_comm_info_get (expr, &found, &info, error))
    return FALSE;
  if (!found)
    return TRUE;
  if (info.form == HIR_COMM_FORM_ALL_TO_ALL && !check_all_to_all (expr, &info, error))
    return FALSE;
  given = hir_layout_dup (in);
  order = hir_layout_dup (in);
  order_operand (expr, &info, order, needs_order (expr, &info));
  if (!is_contiguous (in) || !hir_layout_equal (given, order))
    {
      in = copy_operand (expr, in, &order);
      if (!hir_comm_info_get (expr, &found, &info, error))
        return FALSE;
    }
  set_layout (in, order);
  order_result (expr, order, &info, exprs);
  return TRUE;
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  g_autoptr (GPtrArray) exprs = NULL;

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  exprs = hir_fusion_dup_exprs (fusion);
  for (guint i = exprs->len; i > 0; i--)
    {
      HirExpr *expr = exprs->pdata[i - 1];
      gboolean resharding;

      if (hir_pass_context_is_cancelled (context, exprs->len - i, error) ||
          !hir_expr_is_resharding (expr, &resharding, error) ||
          (resharding && !reorder (expr, exprs, error)))
        return NULL;
    }
  return g_steal_pointer (&fusion);
}

const HirPass hir_pass_hostir_reorder_sharded_axis = {
  .name = "ReorderShardedAxis",
  .summary = "Chooses the memory order of the operands and results of communications",
  .help =
      "A communication copies contiguous blocks. For a gather, scatter or reduce-scatter, the axis "
      "that is cut must be the outermost one in memory that has more than one element on a device; "
      "if it is not, it moves to the front. An operand that lies in another order, or is not "
      "contiguous, is copied by a set first. A result whose order the script has set is copied by "
      "a set behind the communication. Only allocation domains change.\n\nRejected: an exchange "
      "of all with all (AllToAll) between two axes that both have more than one element per "
      "device; nvFuser mixes up their elements.\n\nDiffers from nvFuser: a result lies in the "
      "order of its operand, also if the communication permutes axes.",
  .options = NULL,
  .default_on = TRUE,
  .applies = hir_sharding_applies,
  .run = run,
};
