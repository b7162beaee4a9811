/* Change that a resharding op makes, and whether one communication can implement it
 * (docs/host-ir.md#sharding-changes). */
#include <string.h>

#include "label.h"
#include "logical-map.h"
#include "print/print.h"
#include "schedule/axis-index.h"
#include "schedule/sharding.h"

/* Returns TRUE for axes that a device iterates over in memory: device axes and broadcasts have size
 * 1 there, and reductions do not exist. */
static gboolean
is_counted (const HirIterDomain *id)
{
  return !hir_iter_domain_is_device (id) && !hir_iter_domain_is_reduction (id) &&
         !hir_iter_domain_is_broadcast (id);
}

/* Returns the loop axis over devices that is @axis of @base, or its outermost part; otherwise NULL.
 */
static HirIterDomain *
find_device_axis (const HirTensor *tensor, const HirDomain *base, const HirIterDomain *axis)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];

      if (hir_iter_domain_is_device (id) && hir_axis_find_outermost_base (base, id) == axis)
        return id;
    }
  return NULL;
}

static void
refuse_two_types (const HirShardingChange *pair,
                  const HirIterDomain *from,
                  const HirIterDomain *to,
                  GError **error)
{
  g_autofree char *producer = hir_tensor_dup_label (pair->producer);
  g_autofree char *consumer = hir_tensor_dup_label (pair->consumer);
  g_autofree char *from_text = hir_iter_domain_to_string (from);
  g_autofree char *to_text = hir_iter_domain_to_string (to);
  HirPos pos = hir_axis_get_pos (pair->consumer, to);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "axis %s of %s is %s, but the corresponding axis in %s, %s, is %s; no "
                 "communication goes from one mesh axis to another, so gather the axis first with "
                 "a set",
                 from_text, producer, hir_parallel_type_get_script_name (from->parallel_type),
                 consumer, to_text, hir_parallel_type_get_script_name (to->parallel_type));
}

static void
refuse_two_changes (const HirExpr *expr,
                    const HirShardingChange *first,
                    const HirShardingChange *second,
                    GError **error)
{
  g_autofree char *producer = hir_tensor_dup_label (first->producer);
  g_autofree char *consumer = hir_tensor_dup_label (first->consumer);
  g_autofree char *a = hir_iter_domain_to_string (first->device_axis);
  g_autofree char *b = hir_iter_domain_to_string (second->device_axis);
  HirPos pos = hir_axis_get_pos (second->is_gather ? second->producer : second->consumer,
                                 second->device_axis);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "%s changes the sharding of two axes at once, from %s to %s (%s %s, %s %s), but a "
                 "communication can change only one; insert a set that changes one axis",
                 hir_expr_get_op_name (expr), producer, consumer,
                 first->is_gather ? "gathers" : "scatters", a,
                 second->is_gather ? "gathers" : "scatters", b);
}

static gboolean
is_whole (const HirTensor *tensor, const HirIterDomain *id)
{
  return tensor->mesh != NULL && hir_mesh_get_axis_size (tensor->mesh, id->parallel_type) == 1;
}

/* Compares one pair of axes. Sets *@is_change and @change. */
static gboolean
find_axis_change (HirShardingChange *change, gboolean *is_change, GError **error)
{
  const HirDomain *producer_base = &change->producer->logical;
  const HirDomain *consumer_base = hir_tensor_get_maybe_root (change->consumer);
  gboolean is_broadcast = hir_iter_domain_is_broadcast (change->producer_axis);
  HirIterDomain *from, *to;

  *is_change = FALSE;
  if (is_broadcast != hir_iter_domain_is_broadcast (change->consumer_axis))
    return TRUE;
  from = find_device_axis (change->producer, producer_base, change->producer_axis);
  to = find_device_axis (change->consumer, consumer_base, change->consumer_axis);
  if (from != NULL && to != NULL && from->parallel_type != to->parallel_type)
    {
      refuse_two_types (change, from, to, error);
      return FALSE;
    }
  /* One device has the whole axis. */
  if (from != NULL && to != NULL &&
      is_whole (change->producer, from) != is_whole (change->consumer, to))
    {
      if (is_whole (change->producer, from))
        from = NULL;
      else
        to = NULL;
    }
  /* Sharded broadcasts and reductions are not visible in memory. */
  if (is_broadcast || (from == NULL) == (to == NULL) ||
      hir_iter_domain_is_reduction (change->consumer_axis))
    return TRUE;
  *is_change = TRUE;
  change->is_gather = from != NULL;
  change->device_axis = from != NULL ? from : to;
  return TRUE;
}

/* Makes @change the all-to-all of @change and @other. Returns FALSE if they are none. */
static gboolean
join_all_to_all (const HirExpr *expr, HirShardingChange *change, const HirShardingChange *other)
{
  const HirShardingChange *gather = change->is_gather ? change : other;
  const HirShardingChange *scatter = change->is_gather ? other : change;
  HirShardingChange joined = *gather;

  if (expr->kind != HIR_EXPR_SET || change->scattered != NULL ||
      change->is_gather == other->is_gather || change->producer->mesh == NULL ||
      change->consumer->mesh == NULL ||
      !hir_mesh_equal (change->producer->mesh, change->consumer->mesh) ||
      gather->device_axis->parallel_type != scatter->device_axis->parallel_type)
    return FALSE;
  joined.scattered = scatter->consumer_axis;
  *change = joined;
  return TRUE;
}

/* Finds the change between one operand and one output. */
static gboolean
get_pair_change (const HirExpr *expr,
                 HirTensor *producer,
                 HirTensor *consumer,
                 gboolean *found,
                 HirShardingChange *change,
                 GError **error)
{
  g_autofree HirIterDomain **producer_ids = NULL;
  g_autofree HirIterDomain **consumer_ids = NULL;
  guint n;

  *found = FALSE;
  consumer_ids = hir_expr_dup_logical_map (expr, producer, consumer, &producer_ids, &n);
  for (guint i = 0; i < n; i++)
    {
      HirShardingChange one = { .producer = producer, .consumer = consumer };
      gboolean is_change;

      if (consumer_ids[i] == NULL)
        continue;
      one.producer_axis = producer_ids[i];
      one.consumer_axis = consumer_ids[i];
      if (!find_axis_change (&one, &is_change, error))
        return FALSE;
      if (is_change && *found && join_all_to_all (expr, change, &one))
        continue;
      if (is_change && *found)
        {
          refuse_two_changes (expr, change, &one, error);
          return FALSE;
        }
      if (is_change)
        *change = one;
      *found = *found || is_change;
    }
  return TRUE;
}

/* Called for each pair of tensors of an Expr until it returns FALSE. */
typedef gboolean (*PairVisitor) (const HirExpr *expr,
                                 HirTensor *producer,
                                 HirTensor *consumer,
                                 gpointer user_data,
                                 GError **error);

static gboolean
foreach_pair (const HirExpr *expr, PairVisitor visit, gpointer user_data, GError **error)
{
  if (!hir_expr_kind_get_info (expr->kind)->is_tensor_op)
    return TRUE;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      for (guint k = 0; k < expr->n_outputs; k++)
        {
          if (HIR_IS_TENSOR (expr->inputs[i]) && HIR_IS_TENSOR (expr->outputs[k]) &&
              !visit (expr, HIR_TENSOR (expr->inputs[i]), HIR_TENSOR (expr->outputs[k]), user_data,
                      error))
            return FALSE;
        }
    }
  return TRUE;
}

typedef struct
{
  gboolean found;
  HirShardingChange change;
} Found;

static gboolean
collect_change (const HirExpr *expr,
                HirTensor *producer,
                HirTensor *consumer,
                gpointer user_data,
                GError **error)
{
  Found *all = user_data;
  Found one;

  if (!get_pair_change (expr, producer, consumer, &one.found, &one.change, error))
    return FALSE;
  if (one.found && all->found && one.change.device_axis != all->change.device_axis)
    {
      refuse_two_changes (expr, &all->change, &one.change, error);
      return FALSE;
    }
  if (one.found)
    *all = one;
  return TRUE;
}

gboolean
hir_expr_get_sharding_change (const HirExpr *expr,
                              gboolean *found,
                              HirShardingChange *change,
                              GError **error)
{
  Found all = { 0 };

  if (!foreach_pair (expr, collect_change, &all, error))
    return FALSE;
  *found = all.found;
  *change = all.change;
  return TRUE;
}

/* Returns TRUE if a device iterates over another axis before it finishes @axis, or if a counted
 * axis precedes @device_axis (nullable). */
static gboolean
is_inner_in (const HirTensor *tensor,
             const HirDomain *base,
             const HirIterDomain *axis,
             const HirIterDomain *device_axis)
{
  gboolean any = FALSE, other = FALSE;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];
      gboolean is_own = hir_axis_find_outermost_base (base, id) == axis;

      if ((id == device_axis && any) || (is_counted (id) && is_own && other))
        return TRUE;
      any = any || is_counted (id);
      other = other || (is_counted (id) && !is_own);
    }
  return FALSE;
}

static gboolean
is_inner_change (const HirShardingChange *change)
{
  const HirDomain *consumer_base = hir_tensor_get_maybe_root (change->consumer);

  return is_inner_in (change->producer, &change->producer->logical, change->producer_axis,
                      change->is_gather ? change->device_axis : NULL) ||
         is_inner_in (change->consumer, consumer_base, change->consumer_axis,
                      change->is_gather ? NULL : change->device_axis);
}

static gboolean
collect_inner (const HirExpr *expr,
               HirTensor *producer,
               HirTensor *consumer,
               gpointer user_data,
               GError **error)
{
  gboolean *inner = user_data;
  HirShardingChange change;
  gboolean found;

  if (!get_pair_change (expr, producer, consumer, &found, &change, error))
    return FALSE;
  *inner = *inner || (found && change.scattered == NULL && is_inner_change (&change));
  return TRUE;
}

gboolean
hir_expr_is_inner_resharding (const HirExpr *expr, gboolean *inner, GError **error)
{
  *inner = FALSE;
  return foreach_pair (expr, collect_inner, inner, error);
}

static gboolean
refuse_inner (const HirExpr *expr, const HirShardingChange *change, GError **error)
{
  const HirTensor *tensor = change->is_gather ? change->producer : change->consumer;
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *axis = hir_iter_domain_to_string (change->device_axis);
  HirPos pos = hir_axis_get_pos (tensor, change->device_axis);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "%s would %s axis %s of %s, which is not the outermost axis in memory, so the "
                 "shards are not contiguous; shard the outermost axis, make the axes before it "
                 "stream axes, or permute it to the front",
                 hir_expr_get_op_name (expr), change->is_gather ? "gather" : "scatter", axis,
                 label);
  return FALSE;
}

/* Returns the axes of the consumer in the order of @tensor's memory, without @skipped and, if
 * @only_long, without those that each device has one element of. @ids are axes of @base, @names the
 * corresponding axes of the consumer. */
static GPtrArray *
dup_order (const HirTensor *tensor,
           const HirDomain *base,
           HirIterDomain *const *ids,
           HirIterDomain *const *names,
           guint n,
           const HirIterDomain *skipped,
           gboolean only_long)
{
  GPtrArray *order = g_ptr_array_new ();

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];
      HirIterDomain *own = is_counted (id) ? hir_axis_find_outermost_base (base, id) : NULL;

      for (guint k = 0; k < n && own != NULL; k++)
        {
          if (ids[k] != own || names[k] == NULL || names[k] == skipped ||
              (only_long && hir_scalar_is_const_int (id->extent, 1)) ||
              (order->len > 0 && order->pdata[order->len - 1] == names[k]))
            continue;
          g_ptr_array_add (order, names[k]);
        }
    }
  return order;
}

/* A collective copies shards as they are in memory, so both tensors must have their axes in the
 * same order. */
static gboolean
check_order (const HirExpr *expr, const HirIterDomain *changed, GError **error)
{
  const HirTensor *producer = HIR_TENSOR (expr->inputs[0]);
  const HirTensor *consumer = HIR_TENSOR (expr->outputs[0]);
  const HirDomain *consumer_base = hir_tensor_get_maybe_root (consumer);
  g_autofree HirIterDomain **producer_ids = NULL;
  g_autofree HirIterDomain **consumer_ids = NULL;
  g_autoptr (GPtrArray) from = NULL;
  g_autoptr (GPtrArray) to = NULL;
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  guint n;

  consumer_ids = hir_expr_dup_logical_map (expr, producer, consumer, &producer_ids, &n);
  from = dup_order (producer, &producer->logical, producer_ids, consumer_ids, n, changed, FALSE);
  to = dup_order (consumer, consumer_base, consumer_ids, consumer_ids, n, changed, FALSE);
  if (from->len == to->len &&
      (to->len == 0 || memcmp (from->pdata, to->pdata, sizeof *to->pdata * to->len) == 0))
    return TRUE;

  a = hir_tensor_dup_label (producer);
  b = hir_tensor_dup_label (consumer);
  hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                 "%s communicates from %s to %s, whose axes have different orders in memory, but a "
                 "communication does not reorder data; give both the same order",
                 hir_expr_get_op_name (expr), a, b);
  return FALSE;
}

/* Replaces the first axis of @order, which is cut into one piece per device, by what is left of it
 * in a piece: nothing unless @is_long. Returns FALSE if another axis is first. */
static gboolean
enter_piece (GPtrArray *order, const HirIterDomain *cut, gboolean is_long)
{
  if (order->len == 0 || order->pdata[0] != cut)
    return FALSE;
  if (!is_long)
    g_ptr_array_remove_index (order, 0);
  return TRUE;
}

/* Device j sends piece k of its data to device k, which stores it as piece j. So the scattered axis
 * must be outermost in the operand and the gathered axis in the result, and both must have the same
 * order within a piece: one of the two axes then has one element per device. */
static gboolean
check_all_to_all (const HirExpr *expr, const HirShardingChange *change, GError **error)
{
  const HirTensor *producer = change->producer, *consumer = change->consumer;
  const HirDomain *base = hir_tensor_get_maybe_root (consumer);
  HirIterDomain *gathered = change->consumer_axis, *scattered = change->scattered;
  g_autofree HirIterDomain **producer_ids = NULL;
  g_autofree HirIterDomain **ids = NULL;
  g_autoptr (GPtrArray) from = NULL;
  g_autoptr (GPtrArray) to = NULL;
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  gboolean gathered_is_long, scattered_is_long;
  guint n;

  ids = hir_expr_dup_logical_map (expr, producer, consumer, &producer_ids, &n);
  from = dup_order (producer, &producer->logical, producer_ids, ids, n, NULL, TRUE);
  to = dup_order (consumer, base, ids, ids, n, NULL, TRUE);
  gathered_is_long = g_ptr_array_find (from, gathered, NULL);
  scattered_is_long = g_ptr_array_find (to, scattered, NULL);
  if (enter_piece (from, scattered, scattered_is_long) &&
      enter_piece (to, gathered, gathered_is_long) && from->len == to->len &&
      (to->len == 0 || memcmp (from->pdata, to->pdata, sizeof *to->pdata * to->len) == 0))
    return TRUE;
  a = hir_tensor_dup_label (producer);
  b = hir_tensor_dup_label (consumer);
  hir_set_error (
      error, HIR_ERROR_REFUSED, &expr->node.pos,
      "%s goes from %s to %s, which are over the same devices along different axes, but "
      "an AllToAll sends contiguous pieces: the axis that %s is cut along must be "
      "outermost in %s, the one that %s is cut along outermost in %s, and one of them "
      "must have one element per device; bring the pieces together with reshape and permute first",
      hir_expr_get_op_name (expr), a, b, b, a, a, b);
  return FALSE;
}

/* Returns whether the outermost part of axis @id of @tensor, or all of it, is over devices. */
static gboolean
has_device_part (const HirTensor *tensor, const HirIterDomain *id)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *at = tensor->loop.ids[i];

      if (!hir_iter_domain_is_device (at))
        continue;
      while (at != id && at->definition != NULL)
        at = at->definition->in[0];
      if (at == id)
        return TRUE;
    }
  return FALSE;
}

/* Requires exactly one reduced axis, which is over devices in the operand. */
static gboolean
check_reduction (const HirExpr *expr, GError **error)
{
  const HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  const HirTensor *out = HIR_TENSOR (expr->outputs[0]);
  g_autofree HirIterDomain **producer_ids = NULL;
  g_autofree HirIterDomain **consumer_ids = NULL;
  g_autofree char *label = NULL;
  g_autofree char *result = NULL;
  g_autofree char *advice = NULL;
  gboolean is_split = FALSE;
  guint n, n_reduced = 0, n_device = 0;

  consumer_ids = hir_expr_dup_logical_map (expr, in, out, &producer_ids, &n);
  for (guint i = 0; i < out->logical.n; i++)
    n_reduced += hir_iter_domain_is_reduction (out->logical.ids[i]);
  for (guint i = 0; i < n; i++)
    if (consumer_ids[i] != NULL && hir_iter_domain_is_reduction (consumer_ids[i]) &&
        hir_domain_find (&out->logical, consumer_ids[i]) >= 0)
      {
        n_device += hir_iter_domain_is_device (producer_ids[i]);
        is_split |= has_device_part (in, producer_ids[i]);
      }
  if (n_reduced == 1 && n_device == 1)
    return TRUE;

  label = hir_tensor_dup_label (in);
  result = hir_tensor_dup_label (out);
  advice =
      n_device > 0 ? g_strdup_printf ("first reduce the other axes of %s, and then the one over "
                                      "devices, in another %s",
                                      label, hir_expr_get_op_name (expr))
      : is_split ? g_strdup_printf ("split and parallelize the reduced axis of %s like that of %s",
                                    result, label)
                 : g_strdup_printf ("reduce a set of %s that is sharded like %s", label, result);
  hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                 "%s of %s changes its sharding, but is a communication only if it reduces exactly "
                 "one axis and that axis is over devices (it reduces %u, of which %u are over "
                 "devices); %s",
                 hir_expr_get_op_name (expr), label, n_reduced, n_device, advice);
  return FALSE;
}

/* nvFuser treats a permute as a set, and fuses it. */
static gboolean
is_permute (const HirExpr *expr)
{
  return HIR_IS_TENSOR (expr->outputs[0]) && HIR_TENSOR (expr->outputs[0])->has_root;
}

static gboolean
check_kind (const HirExpr *expr, GError **error)
{
  g_autofree char *label = NULL;

  if (expr->kind == HIR_EXPR_SET && expr->u.set.kind == HIR_SET_SET && !is_permute (expr))
    return TRUE;
  if (expr->kind == HIR_EXPR_REDUCTION)
    return check_reduction (expr, error);
  label = expr->n_outputs > 0 && HIR_IS_TENSOR (expr->outputs[0])
              ? hir_tensor_dup_label (HIR_TENSOR (expr->outputs[0]))
              : g_strdup ("its result");
  hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                 "%s gives %s a different sharding than its operands have, but only sets and "
                 "reductions are communications; enable InsertReshardings, or insert a set",
                 hir_expr_get_op_name (expr), label);
  return FALSE;
}

gboolean
hir_expr_can_lower (const HirExpr *expr, gboolean ignore_inner, GError **why)
{
  gboolean resharding, found;
  HirShardingChange change = { NULL };

  if (!hir_expr_is_resharding (expr, &resharding, why))
    return FALSE;
  if (!resharding)
    return TRUE;
  if (!check_kind (expr, why))
    return FALSE;
  if (ignore_inner)
    return TRUE;
  if (!hir_expr_get_sharding_change (expr, &found, &change, why))
    return FALSE;
  if (found && change.scattered != NULL && change.producer->mesh->size > 1)
    return check_all_to_all (expr, &change, why);
  if (found && change.scattered == NULL && is_inner_change (&change))
    return refuse_inner (expr, &change, why);
  return check_order (expr, found && change.scattered == NULL ? change.consumer_axis : NULL, why);
}
