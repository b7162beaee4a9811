/* A linear with a bias whose K axis is over devices (docs/host-ir.md#row-parallel-bias). Each
 * device would add the bias, so it is added to the sum of all devices instead.
 *
 *   before:  T3[i{m}, i{n}, rDID{d}, r{k/d}] = linear (T0, T1, T2)
 *   after:   T3[i{m}, i{n}, rDID{d}, r{k/d}] = linear (T0, T1)
 *            T4[b{1}, i{n}]                  = broadcast (T2)
 *            T5[i{m}, i{n}]                  = T3 + T4 */
#include "ops/ops.h"
#include "sharding/insert-reshardings-private.h"
#include "sharding/shard-like.h"
#include "usage.h"

static gboolean
adds_bias_on_each_device (const HirTensor *tensor)
{
  const HirExpr *expr = tensor->definition;

  if (expr == NULL || expr->kind != HIR_EXPR_LINEAR || expr->n_inputs < 3)
    return FALSE;
  for (guint i = 0; i < tensor->loop.n; i++)
    if (hir_iter_domain_is_reduction (tensor->loop.ids[i]) &&
        hir_iter_domain_is_device (tensor->loop.ids[i]))
      return TRUE;
  return FALSE;
}

/* Makes the axes of @tensor Serial, because ops reject operands with a schedule. Returns the types
 * to restore; newly allocated. */
static HirParallelType *
steal_types (HirTensor *tensor)
{
  HirParallelType *types = g_new (HirParallelType, tensor->logical.n + 1);

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      types[i] = tensor->logical.ids[i]->parallel_type;
      tensor->logical.ids[i]->parallel_type = HIR_PARALLEL_SERIAL;
    }
  return types;
}

static void
restore_types (HirTensor *tensor, const HirParallelType *types)
{
  for (guint i = 0; i < tensor->logical.n; i++)
    tensor->logical.ids[i]->parallel_type = types[i];
}

/* Computes @product plus @bias. A bias has the batch axes of the weight and N; between them are the
 * axes of the input. */
static HirTensor *
add_bias (HirContainer *fusion, HirTensor *product, HirTensor *bias, GError **error)
{
  guint n, n_bias;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (product, &n);
  g_autofree HirIterDomain **bias_axes = hir_tensor_dup_no_reductions (bias, &n_bias);
  g_autofree gboolean *flags = g_new (gboolean, MAX (n, 1));
  HirTensor *wide, *sum;

  for (guint i = 0; i < n; i++)
    flags[i] = n_bias == 0 || (i + 1 >= n_bias && i + 1 < n);
  wide = hir_op_broadcast (fusion, bias, flags, n, error);
  if (wide == NULL)
    return NULL;
  sum = hir_op_binary (fusion, HIR_BINARY_ADD, HIR_VAL (product), HIR_VAL (wide), error);
  if (sum != NULL && sum->base.dtype != product->base.dtype)
    sum = hir_op_cast (fusion, sum, product->base.dtype, error);
  return sum;
}

/* Shards the tensors from number @first on: those computed from @product like it, then the
 * operands of these, which are computed from the bias. */
static void
shard_new (HirContainer *fusion, guint first, HirTensor *product)
{
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);

  g_hash_table_add (done, product);
  for (guint i = first; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];
      const HirExpr *expr = tensor->definition;

      hir_unshard (tensor);
      tensor->mesh = product->mesh;
      for (guint k = 0; k < expr->n_inputs; k++)
        if (g_hash_table_contains (done, expr->inputs[k]) && g_hash_table_add (done, tensor))
          hir_shard_like (expr, HIR_TENSOR (expr->inputs[k]), tensor,
                          HIR_PARALLEL_DEVICES_AND_STREAM);
    }
  for (guint i = fusion->tensors.len; i > first; i--)
    {
      HirTensor *tensor = fusion->tensors.items[i - 1];
      const HirExpr *expr = tensor->definition;

      for (guint k = 0; k < expr->n_inputs; k++)
        if (hir_vec_find (&fusion->tensors, expr->inputs[k]) >= (int) first &&
            g_hash_table_add (done, expr->inputs[k]))
          hir_shard_like (expr, tensor, HIR_TENSOR (expr->inputs[k]),
                          HIR_PARALLEL_DEVICES_AND_STREAM);
    }
}

/* Lets readers and outputs use @sum instead of @product, which only @sum's own Exprs read. */
static void
replace_product (HirContainer *fusion, guint n_exprs, HirTensor *product, HirTensor *sum)
{
  for (guint i = 0; i < n_exprs; i++)
    hir_expr_replace_input (fusion->exprs.items[i], product, sum);
  for (guint i = 0; i < fusion->outputs.len; i++)
    if (fusion->outputs.items[i] == product)
      {
        fusion->outputs.items[i] = sum;
        sum->memory = product->memory;
      }
  product->memory = HIR_MEMORY_LOCAL;
  sum->script_name = product->script_name;
  product->script_name = NULL;
}

static gboolean
move_bias (HirContainer *fusion, HirTensor *product, GError **error)
{
  HirExpr *expr = product->definition;
  HirTensor *bias = HIR_TENSOR (expr->inputs[2]), *sum;
  guint n_tensors = fusion->tensors.len, n_exprs = fusion->exprs.len;
  g_autofree HirParallelType *types = steal_types (product);
  g_autofree HirParallelType *bias_types = steal_types (bias);

  hir_maker_set_origins (fusion, (const HirNode *[]){ &expr->node, &product->base.node }, 2);
  hir_maker_set_pos (fusion, expr->node.pos);
  sum = add_bias (fusion, product, bias, error);
  restore_types (product, types);
  restore_types (bias, bias_types);
  if (sum == NULL)
    return FALSE;
  expr->n_inputs = 2;
  shard_new (fusion, n_tensors, product);
  replace_product (fusion, n_exprs, product, sum);
  return TRUE;
}

gboolean
hir_reshard_bias (HirContainer *fusion, GError **error)
{
  guint n = fusion->tensors.len;

  for (guint i = 0; i < n; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (adds_bias_on_each_device (tensor) && !move_bias (fusion, tensor, error))
        return FALSE;
    }
  return TRUE;
}
