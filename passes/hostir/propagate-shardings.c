/* PropagateShardings as of 2026 (docs/hostir.md#propagateshardings). */
#include "hostir/shard-loop-like.h"
#include "pass.h"
#include "sharding/shard-like.h"

typedef struct
{
  HirContainer *fusion;
  GHashTable *fixed;  /* HirTensor* that the script put on a mesh */
  GHashTable *inputs; /* HirVal*: inputs of the fusion */
} Propagation;

static guint
count_types (const HirTensor *tensor)
{
  guint n = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    n += !hir_iter_domain_is_reduction (tensor->loop.ids[i]) &&
         (hir_iter_domain_is_device (tensor->loop.ids[i]) ||
          hir_iter_domain_is_stream (tensor->loop.ids[i]));
  return n;
}

static int
get_mesh_rank (const HirTensor *tensor)
{
  return tensor->mesh != NULL ? tensor->mesh->n_dims : 0;
}

static gint
compare_tensors (gconstpointer a, gconstpointer b)
{
  const HirTensor *x = *(HirTensor *const *) a, *y = *(HirTensor *const *) b;
  guint n_x = count_types (x), n_y = count_types (y);

  if (n_x != n_y)
    return n_x > n_y ? -1 : 1;
  return get_mesh_rank (y) - get_mesh_rank (x);
}

static void
add_tensor (GPtrArray *tensors, HirVal *val)
{
  if (HIR_IS_TENSOR (val))
    g_ptr_array_add (tensors, val);
}

/* Returns the operands of @expr by precedence: for a linear the weight, the bias, the input; for a
 * matmul B, then A; otherwise those with most device and stream axes, then those on the mesh of
 * highest rank. */
static GPtrArray *
dup_references (const HirExpr *expr)
{
  GPtrArray *references = g_ptr_array_new ();
  gboolean is_product = expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR;

  for (guint i = is_product ? 1 : 0; i < expr->n_inputs; i++)
    add_tensor (references, expr->inputs[i]);
  if (is_product)
    add_tensor (references, expr->inputs[0]);
  else
    g_ptr_array_sort (references, compare_tensors); /* stable */
  return references;
}

/* Inputs of the fusion have no producer, so a stream axis changes nothing there; it helps to see
 * which axes are streamed. */
static gboolean
shard (Propagation *p, const HirExpr *expr, const HirTensor *ref, HirTensor *target, GError **error)
{
  const HirNode *origins[] = { &target->base.node, &ref->base.node };
  HirParallelSet types = g_hash_table_contains (p->inputs, target)
                             ? HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM)
                             : HIR_PARALLEL_DEVICES_AND_STREAM;

  /* A reduced device axis does not count: the result of a row-parallel linear may still be
   * scattered. */
  types &= ~hir_get_loop_types (target, FALSE);
  types &= ~(hir_get_loop_types (target, TRUE) & HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM));
  hir_maker_set_origins (p->fusion, origins, 2);
  return hir_shard_loop_like (expr, ref, target, types, error);
}

static gboolean
propagate_forward (Propagation *p, const HirExpr *expr, GError **error)
{
  g_autoptr (GPtrArray) references = dup_references (expr);

  for (guint i = 0; i < references->len; i++)
    {
      for (guint k = 0; k < expr->n_outputs; k++)
        {
          if (HIR_IS_TENSOR (expr->outputs[k]) &&
              !g_hash_table_contains (p->fixed, expr->outputs[k]) &&
              !shard (p, expr, references->pdata[i], HIR_TENSOR (expr->outputs[k]), error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
propagate_backward (Propagation *p, const HirExpr *expr, GError **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();

  for (guint i = 0; i < expr->n_outputs; i++)
    add_tensor (outputs, expr->outputs[i]);
  g_ptr_array_sort (outputs, compare_tensors);
  for (guint i = 0; outputs->len > 0 && i < expr->n_inputs; i++)
    {
      HirTensor *in = HIR_TENSOR (expr->inputs[i]);

      if (!HIR_IS_TENSOR (in) || in->is_cpu_scalar ||
          (g_hash_table_contains (p->fixed, in) && !g_hash_table_contains (p->inputs, in)))
        continue;
      if (!shard (p, expr, outputs->pdata[0], in, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
propagate (Propagation *p, const HirPassContext *context, GError **error)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (p->fusion);

  for (guint i = 0; i < exprs->len; i++)
    {
      if (hir_pass_context_is_cancelled (context, i, error) ||
          !propagate_forward (p, exprs->pdata[i], error))
        return FALSE;
    }
  for (guint i = exprs->len; i > 0; i--)
    {
      if (hir_pass_context_is_cancelled (context, exprs->len - i, error) ||
          !propagate_backward (p, exprs->pdata[i - 1], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
applies (const HirContainer *program, const HirPassContext *context)
{
  return hir_sharding_applies (program, context) ||
         hir_program_has_loop_axis (program, HIR_PARALLEL_DEVICES_AND_STREAM);
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  g_autoptr (GHashTable) fixed = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) inputs = g_hash_table_new (NULL, NULL);
  Propagation p = { fusion, fixed, inputs };

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (tensor->mesh != NULL)
        g_hash_table_add (fixed, tensor);
    }
  for (guint i = 0; i < fusion->inputs.len; i++)
    g_hash_table_add (inputs, fusion->inputs.items[i]);
  return propagate (&p, context, error) ? g_steal_pointer (&fusion) : NULL;
}

const HirPass hir_pass_hostir_propagate_shardings = {
  .name = "PropagateShardings",
  .summary = "Gives tensors that the schedule does not shard the mesh and sharding of their "
             "neighbors",
  .help =
      "Tensors that the script put on a mesh are not changed, except that inputs of the fusion may "
      "receive a stream axis. Forward: every other result takes from each operand the mesh, if it "
      "has none, and the device and stream types that it does not have yet, on the axis that the "
      "op relates, with the splits and swizzles that lead to it. Operands are considered in this "
      "order: for a linear the weight, the bias, then the input; for a matmul B, then A; otherwise "
      "those with most device and stream axes first, then those on the mesh of highest rank. "
      "Backward: operands take types from the result with most such axes; inputs of the fusion "
      "take only streams.\n\nA device axis needs a mesh axis of the same size. An axis that is "
      "parallelized or transformed already is skipped. Rejected: an axis that derives from a "
      "merge, and across a reshape everything except an outer split by a constant that divides "
      "both axes.",
  .options = NULL,
  .default_on = TRUE,
  .applies = applies,
  .run = run,
};
