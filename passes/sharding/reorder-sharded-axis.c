/* nvFuser's pass from before May 2025 (docs/host-ir.md#reordershardedaxis). Collectives copy
 * contiguous shards, so a tensor that is gathered or scattered along an inner axis is permuted
 * first. */
#include "label.h"
#include "logical-map.h"
#include "ops/ops.h"
#include "pass.h"
#include "print/print.h"
#include "schedule/schedule.h"
#include "schedule/sharding.h"

/* An op that gathers or scatters along an inner axis. */
typedef struct
{
  HirContainer *fusion;
  HirExpr *expr;
  HirTensor *in;
  HirTensor *out;
  HirShardingChange change;
  /* position of the changed axis among the operand's axes, not counting reductions */
  guint in_place;
  guint n_in;
  guint out_place; /* likewise in the result */
  guint n_out;
} Reorder;

static gboolean
has_stream (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (hir_iter_domain_is_stream (tensor->loop.ids[i]))
        return TRUE;
    }
  return FALSE;
}

/* Returns the position of @axis in @domain, not counting reductions, or -1. */
static int
find_position (const HirDomain *domain, const HirIterDomain *axis, guint *n)
{
  int place = -1;

  *n = 0;
  for (guint i = 0; i < domain->n; i++)
    {
      if (hir_iter_domain_is_reduction (domain->ids[i]))
        continue;
      if (domain->ids[i] == axis)
        place = (int) *n;
      (*n)++;
    }
  return place;
}

static gboolean
find_places (Reorder *r, GError **error)
{
  const HirShardingChange *change = &r->change;
  const HirTensor *tensor = change->is_gather ? r->in : r->out;
  int in_place = find_position (&r->in->logical, change->producer_axis, &r->n_in);
  int out_place = find_position (&r->out->logical, change->consumer_axis, &r->n_out);
  gboolean is_whole =
      change->device_axis == (change->is_gather ? change->producer_axis : change->consumer_axis);
  g_autofree char *label = NULL;
  g_autofree char *axis = NULL;
  HirPos pos;

  if (in_place >= 0 && out_place >= 0 && is_whole)
    {
      r->in_place = (guint) in_place;
      r->out_place = (guint) out_place;
      return TRUE;
    }
  label = hir_tensor_dup_label (tensor);
  axis = hir_iter_domain_to_string (change->device_axis);
  pos = hir_axis_get_pos (tensor, change->device_axis);
  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "axis %s of %s cannot be permuted to the front, because it results from a split "
                 "and is not an axis of the tensor's own shape; parallelize a whole axis, or "
                 "disable ReorderShardedAxis",
                 axis, label);
  return FALSE;
}

/* Returns the permutation that moves axis @place of @n to the front, or back. Newly allocated. */
static gint64 *
dup_permutation (guint n, guint place, gboolean back)
{
  gint64 *dims = g_new (gint64, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      if (i == (back ? place : 0))
        dims[i] = back ? 0 : place;
      else if (back)
        dims[i] = i < place ? i + 1 : i;
      else
        dims[i] = i <= place ? i - 1 : i;
    }
  return dims;
}

/* Returns the position of the reduced axis after axis `in_place` moved to the front. */
static gint64
find_reduced (const Reorder *r)
{
  g_autofree HirIterDomain **in = NULL;
  g_autofree HirIterDomain **out = NULL;
  guint n = 0;

  out = hir_expr_dup_logical_map (r->expr, r->in, r->out, &in, &n);
  for (guint i = 0; i < n; i++)
    {
      if (out[i] != NULL && hir_iter_domain_is_reduction (out[i]))
        return i < r->in_place ? i + 1 : i;
    }
  g_return_val_if_reached (0);
}

/* Creates the op on the permuted operand. */
static HirTensor *
communicate (const Reorder *r, HirTensor *in, GError **error)
{
  gint64 reduced;

  if (r->expr->kind != HIR_EXPR_REDUCTION)
    return hir_op_set (r->fusion, in, error);
  reduced = find_reduced (r);
  return hir_op_reduction (r->fusion, r->expr->u.reduction.op, in, &reduced, 1, FALSE,
                           in->base.dtype, error);
}

static void
replace (HirVal **vals, guint n, const HirTensor *from, HirTensor *to)
{
  for (guint i = 0; i < n; i++)
    {
      if (vals[i] == HIR_VAL (from))
        vals[i] = HIR_VAL (to);
    }
}

/* Replaces the result by @tensor in the whole fusion. */
static void
replace_result (const Reorder *r, HirTensor *tensor)
{
  HirContainer *fusion = r->fusion;
  int place = hir_vec_find (&fusion->exprs, r->expr);

  if (place >= 0)
    hir_vec_remove (&fusion->exprs, (guint) place);
  for (guint i = 0; i < fusion->exprs.len; i++)
    {
      HirExpr *expr = fusion->exprs.items[i];

      replace (expr->inputs, expr->n_inputs, r->out, tensor);
    }
  replace ((HirVal **) fusion->outputs.items, fusion->outputs.len, r->out, tensor);
  tensor->memory = r->out->memory;
  tensor->script_name = r->out->script_name;
  r->out->definition = NULL;
}

static gboolean
reorder (Reorder *r, GError **error)
{
  g_autofree gint64 *to_front = NULL;
  g_autofree gint64 *back = NULL;
  HirTensor *a, *b, *c;

  if (!find_places (r, error))
    return FALSE;
  to_front = dup_permutation (r->n_in, r->in_place, FALSE);
  back = dup_permutation (r->n_out, r->out_place, TRUE);

  hir_maker_set_origins (r->fusion, (const HirNode *[]){ &r->in->base.node, &r->expr->node }, 2);
  hir_maker_set_pos (r->fusion, r->expr->node.pos);
  a = hir_op_permute (r->fusion, r->in, to_front, r->n_in, error);
  if (a == NULL)
    return FALSE;
  /* The loop of the operand does not affect the permuted copy. */
  for (guint i = 0; i < a->loop.n; i++)
    {
      if (hir_iter_domain_is_stream (a->loop.ids[i]))
        a->loop.ids[i]->parallel_type = HIR_PARALLEL_SERIAL;
    }
  hir_schedule_set_allocation_as_loop (a);

  hir_maker_set_origins (r->fusion, (const HirNode *[]){ &r->out->base.node, &r->expr->node }, 2);
  hir_maker_set_pos (r->fusion, r->expr->node.pos);
  b = communicate (r, a, error);
  if (b == NULL)
    return FALSE;
  b->mesh = r->out->mesh;
  b->loop.ids[0]->parallel_type =
      r->change.is_gather ? HIR_PARALLEL_SERIAL : r->change.device_axis->parallel_type;
  hir_schedule_set_allocation_as_loop (b);
  c = hir_op_permute (r->fusion, b, back, r->n_out, error);
  if (c == NULL)
    return FALSE;
  replace_result (r, c);
  return TRUE;
}

/* Sets *@found if a permutation helps @expr. */
static gboolean
check_expr (HirExpr *expr, gboolean *found, HirShardingChange *change, GError **error)
{
  gboolean resharding, is_change;

  *found = FALSE;
  if (!hir_expr_is_resharding (expr, &resharding, error))
    return FALSE;
  /* A stream loop removes its axis; the remaining changed axis may then be outermost. */
  if (!resharding || has_stream (HIR_TENSOR (expr->outputs[0])))
    return TRUE;
  if (!hir_expr_can_lower (expr, TRUE, error) ||
      !hir_expr_get_sharding_change (expr, &is_change, change, error))
    return FALSE;
  return !is_change || hir_expr_is_inner_resharding (expr, found, error);
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
      Reorder r = { .fusion = fusion, .expr = exprs->pdata[i - 1] };
      gboolean found;

      if (hir_pass_context_is_cancelled (context, exprs->len - i, error) ||
          !check_expr (r.expr, &found, &r.change, error))
        return NULL;
      if (!found)
        continue;
      r.in = HIR_TENSOR (r.expr->inputs[0]);
      r.out = HIR_TENSOR (r.expr->outputs[0]);
      if (!reorder (&r, error))
        return NULL;
    }
  return g_steal_pointer (&fusion);
}

const HirPass hir_pass_reorder_sharded_axis = {
  .name = "ReorderShardedAxis",
  .summary = "Moves the axis of an inner gather or scatter to the front for the communication",
  .help =
      "A communication copies the data of each device as one contiguous block, so the axis that it "
      "gathers or scatters must be the outermost axis in memory. If it is not, the pass permutes "
      "the operand to put that axis first, applies the set or reduction to the permuted tensor, "
      "and permutes the result back. The permuted tensors are allocated in their new order.\n\nOff "
      "by default: nvFuser removed this pass from the MultiDeviceExecutor's list in May 2025, "
      "because StreamParallelType removes the stream axes in front of an inner axis. Rejected: an "
      "axis that results from a split, and an op that InsertReshardings would have to divide "
      "first.\n\nDiffers from nvFuser: an op whose result has a stream axis is not changed, "
      "because the stream loop may make its axis the outermost one, and a permutation cannot be in "
      "such a loop. ConvertOpToCommunication rejects an axis that is still inner then.",
  .options = NULL,
  .default_on = FALSE,
  .run = run,
};
