#include <string.h>

#include "pass.h"
#include "sharding/shard-like.h"

static guint
count_device_axes (const HirTensor *tensor)
{
  guint n = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    n += hir_iter_domain_is_device (tensor->loop.ids[i]);
  return n;
}

static HirParallelSet
get_types (const HirTensor *tensor)
{
  HirParallelSet types = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (!hir_iter_domain_is_reduction (tensor->loop.ids[i]))
        types |= HIR_PARALLEL_BIT (tensor->loop.ids[i]->parallel_type);
    }
  return types & HIR_PARALLEL_DEVICES_AND_STREAM;
}

static gint
compare_inputs (gconstpointer a, gconstpointer b)
{
  const HirTensor *x = *(HirTensor *const *) a, *y = *(HirTensor *const *) b;
  guint n_x = count_device_axes (x), n_y = count_device_axes (y);

  if (n_x != n_y)
    return n_x > n_y ? -1 : 1;
  return (x->logical.n < y->logical.n) - (x->logical.n > y->logical.n);
}

static void
add_reference (GPtrArray *references, HirVal *val, gboolean with_streams)
{
  if (HIR_IS_TENSOR (val) && (HIR_TENSOR (val)->mesh != NULL || with_streams) &&
      !g_ptr_array_find (references, val, NULL))
    g_ptr_array_add (references, val);
}

/* Returns the operands of @expr that are on a mesh (@with_streams: all tensors), by precedence: for
 * a linear the weight, the bias, the input; for a matmul B, then A; otherwise those over most
 * devices, then those of highest rank. New array of HirTensor*. */
static GPtrArray *
dup_references (const HirExpr *expr, gboolean with_streams)
{
  GPtrArray *references = g_ptr_array_new ();

  if (expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR)
    {
      for (guint i = 1; i < expr->n_inputs; i++)
        add_reference (references, expr->inputs[i], with_streams);
      add_reference (references, expr->inputs[0], with_streams);
      return references;
    }
  for (guint i = 0; i < expr->n_inputs; i++)
    add_reference (references, expr->inputs[i], with_streams);
  /* g_ptr_array_sort() is stable: equal operands keep their order. */
  g_ptr_array_sort (references, compare_inputs);
  return references;
}

static void
shard_all (const HirExpr *expr, const HirTensor *ref, GPtrArray *targets)
{
  HirContainer *fusion = expr->container;
  HirParallelSet types = HIR_PARALLEL_DEVICES;

  for (guint i = 0; i < targets->len; i++)
    types &= ~get_types (targets->pdata[i]);
  for (guint i = 0; i < targets->len; i++)
    {
      HirTensor *target = targets->pdata[i];
      const HirNode *origins[] = { &target->base.node, &ref->base.node };

      hir_maker_set_origins (fusion, origins, 2);
      hir_shard_like (expr, ref, target, types);
      target->mesh = ref->mesh;
    }
}

static void
propagate_forward (const HirExpr *expr)
{
  g_autoptr (GPtrArray) targets = g_ptr_array_new ();
  g_autoptr (GPtrArray) references = NULL;

  for (guint i = 0; i < expr->n_outputs; i++)
    {
      if (HIR_IS_TENSOR (expr->outputs[i]) && HIR_TENSOR (expr->outputs[i])->mesh == NULL)
        g_ptr_array_add (targets, expr->outputs[i]);
    }
  if (targets->len == 0)
    return;
  references = dup_references (expr, FALSE);
  for (guint i = 0; i < references->len; i++)
    shard_all (expr, references->pdata[i], targets);
}

static const HirTensor *
find_most_sharded_output (const HirExpr *expr)
{
  const HirTensor *found = NULL;

  for (guint i = 0; i < expr->n_outputs; i++)
    {
      const HirTensor *out = HIR_TENSOR (expr->outputs[i]);

      if (HIR_IS_TENSOR (out) && out->mesh != NULL &&
          (found == NULL || count_device_axes (out) > count_device_axes (found)))
        found = out;
    }
  return found;
}

/* Inputs of the fusion only get a mesh. Tensors that the script put on another mesh keep it. */
static void
propagate_backward (const HirExpr *expr, GHashTable *inputs)
{
  const HirTensor *ref = find_most_sharded_output (expr);
  g_autoptr (GPtrArray) targets = g_ptr_array_new ();

  for (guint i = 0; i < expr->n_inputs && ref != NULL; i++)
    {
      HirTensor *in = HIR_TENSOR (expr->inputs[i]);

      if (!HIR_IS_TENSOR (in))
        continue;
      if (g_hash_table_contains (inputs, in))
        {
          if (in->mesh == NULL && !in->is_cpu_scalar)
            in->mesh = ref->mesh;
        }
      else if ((in->mesh == NULL ||
                (count_device_axes (in) == 0 && hir_mesh_equal (in->mesh, ref->mesh))) &&
               !g_ptr_array_find (targets, in, NULL))
        g_ptr_array_add (targets, in);
    }
  if (targets->len > 0)
    shard_all (expr, ref, targets);
}

/* The rules of October 2025 (docs/host-ir.md#stream-propagation). */
typedef struct
{
  HirContainer *fusion;
  GHashTable *fixed;  /* HirTensor* that the script put on a mesh */
  GHashTable *inputs; /* HirTensor* */
} Propagation;

/* An axis over devices needs a mesh axis with as many devices. */
static HirParallelSet
get_wanted (const Propagation *p, const HirTensor *ref, const HirTensor *target)
{
  HirParallelSet stream = HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM), wanted = 0;

  if (g_hash_table_contains (p->inputs, target))
    wanted = stream;
  else if (g_hash_table_contains (p->fixed, target))
    return 0;
  else
    wanted = HIR_PARALLEL_DEVICES_AND_STREAM;
  if (target->mesh != NULL && (ref->mesh == NULL || !hir_mesh_equal (target->mesh, ref->mesh)))
    wanted &= stream;
  return wanted & get_types (ref) & ~get_types (target);
}

static void
shard_with_streams (Propagation *p, const HirExpr *expr, const HirTensor *ref, HirTensor *target)
{
  const HirNode *origins[] = { &target->base.node, &ref->base.node };
  HirParallelSet wanted = get_wanted (p, ref, target);

  if (target->mesh == NULL && !target->is_cpu_scalar)
    target->mesh = ref->mesh;
  if (wanted == 0)
    return;
  hir_maker_set_origins (p->fusion, origins, 2);
  hir_shard_like (expr, ref, target, wanted);
}

static void
propagate_streams_forward (Propagation *p, const HirExpr *expr)
{
  g_autoptr (GPtrArray) references = dup_references (expr, TRUE);

  for (guint i = 0; i < references->len; i++)
    {
      for (guint k = 0; k < expr->n_outputs; k++)
        {
          if (HIR_IS_TENSOR (expr->outputs[k]) &&
              !g_hash_table_contains (p->fixed, expr->outputs[k]))
            shard_with_streams (p, expr, references->pdata[i], HIR_TENSOR (expr->outputs[k]));
        }
    }
}

static guint
count_types (const HirTensor *tensor)
{
  HirParallelSet types = get_types (tensor);
  guint n = 0;

  for (; types != 0; types &= types - 1)
    n++;
  return n;
}

static void
propagate_streams_backward (Propagation *p, const HirExpr *expr)
{
  const HirTensor *ref = NULL;

  for (guint i = 0; i < expr->n_outputs; i++)
    {
      const HirTensor *out = HIR_TENSOR (expr->outputs[i]);

      if (HIR_IS_TENSOR (out) && (ref == NULL || count_types (out) > count_types (ref)))
        ref = out;
    }
  for (guint i = 0; ref != NULL && i < expr->n_inputs; i++)
    {
      if (HIR_IS_TENSOR (expr->inputs[i]))
        shard_with_streams (p, expr, ref, HIR_TENSOR (expr->inputs[i]));
    }
}

static void
propagate_streams (HirContainer *fusion)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  g_autoptr (GHashTable) fixed = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) inputs = g_hash_table_new (NULL, NULL);
  Propagation p = { fusion, fixed, inputs };

  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (tensor->mesh != NULL)
        g_hash_table_add (fixed, tensor);
    }
  for (guint i = 0; i < fusion->inputs.len; i++)
    g_hash_table_add (inputs, fusion->inputs.items[i]);
  for (guint i = 0; i < exprs->len; i++)
    propagate_streams_forward (&p, exprs->pdata[i]);
  for (guint i = exprs->len; i > 0; i--)
    propagate_streams_backward (&p, exprs->pdata[i - 1]);
}

/* Applies if there is a mesh, or with streams=on if there is a stream axis. */
static gboolean
applies (const HirContainer *program, const HirPassContext *context)
{
  return hir_sharding_applies (program, context) ||
         (strcmp (hir_pass_context_get_option (context, "streams"), "on") == 0 &&
          hir_program_has_loop_axis (program, HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM)));
}

static const char *const off_on[] = { "off", "on", NULL };

static const HirPassOption options[] = {
  { .name = "streams",
    .summary = "Propagates stream axes too, as nvFuser has done since October 2025",
    .default_value = "off",
    .choices = off_on },
  { .name = NULL },
};

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  g_autoptr (GPtrArray) exprs = NULL;
  g_autoptr (GHashTable) inputs = NULL;

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;

  if (strcmp (hir_pass_context_get_option (context, "streams"), "on") == 0)
    {
      propagate_streams (fusion);
      return g_steal_pointer (&fusion);
    }
  exprs = hir_fusion_dup_exprs (fusion);
  inputs = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < fusion->inputs.len; i++)
    g_hash_table_add (inputs, fusion->inputs.items[i]);
  for (guint i = 0; i < exprs->len; i++)
    {
      if (hir_pass_context_is_cancelled (context, i, error))
        return NULL;
      propagate_forward (exprs->pdata[i]);
    }
  for (guint i = exprs->len; i > 0; i--)
    {
      if (hir_pass_context_is_cancelled (context, exprs->len - i, error))
        return NULL;
      propagate_backward (exprs->pdata[i - 1], inputs);
    }
  return g_steal_pointer (&fusion);
}

const HirPass hir_pass_propagate_shardings = {
  .name = "PropagateShardings",
  .summary = "Gives tensors that the schedule does not shard the mesh and sharding of their "
             "neighbors",
  .help =
      "Forward: the result of an op that is on no mesh takes the mesh of its operands. It also "
      "takes each device type that it does not have yet, on the axis that the op maps it to, with "
      "the splits that lead to it. Operands are considered in this order: for a linear the weight, "
      "the bias, then the input; for a matmul B, then A; otherwise those with most device axes "
      "first, then those of highest rank. Backward: an operand without a mesh, or on the same mesh "
      "without device axes, takes the mesh and device types of the result; inputs of the fusion "
      "take only a mesh. A device axis overwrites a stream axis at the same place. Across a "
      "reshape, only the outermost part of an axis is followed, and only if its size divides the "
      "axis.\n\nstreams=on selects the rules of October 2025, which propagate stream axes too. "
      "Tensors that the script put on a mesh are not changed, except that inputs of the fusion may "
      "receive stream axes (StreamParallelType of mid-2025 rejects these). Every other result "
      "takes the types that it does not have yet from its operands; then operands take those of "
      "the result with most such axes.\n\nThe pass does nothing if no tensor of the fusion has a "
      "mesh.\n\nDiffers from nvFuser of 2025: axes are related only by the op between the two "
      "tensors, not by all ops of the fusion, so unrelated ops do not shard an axis. A tensor "
      "without device axes that the script put on another mesh stays there; nvFuser would move it "
      "and the tensors that it is computed from. A sharding that cannot be propagated (an inner "
      "part across a reshape, a merge, a split of a stream axis) is skipped and becomes "
      "communication; nvFuser throws.",
  .options = options,
  .default_on = TRUE,
  .applies = applies,
  .run = run,
};
