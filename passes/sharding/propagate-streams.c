/* Propagation of shardings and stream axes by the rules of October 2025. */
#include "sharding/propagate-private.h"
#include "sharding/shard-like.h"

typedef struct
{
  HirContainer *fusion;
  GHashTable *fixed;  /* HirTensor* that the script put on a mesh */
  GHashTable *inputs; /* HirTensor* */
} Propagation;

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

/* An axis over devices needs a mesh that has as many of them. */
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
shard (Propagation *p, const HirExpr *expr, const HirTensor *ref, HirTensor *target)
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
propagate_forward (Propagation *p, const HirExpr *expr)
{
  g_autoptr (GPtrArray) references = hir_propagate_dup_references (expr, TRUE);

  for (guint i = 0; i < references->len; i++)
    {
      for (guint k = 0; k < expr->n_outputs; k++)
        {
          if (HIR_IS_TENSOR (expr->outputs[k]) &&
              !g_hash_table_contains (p->fixed, expr->outputs[k]))
            shard (p, expr, references->pdata[i], HIR_TENSOR (expr->outputs[k]));
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
propagate_backward (Propagation *p, const HirExpr *expr)
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
        shard (p, expr, ref, HIR_TENSOR (expr->inputs[i]));
    }
}

void
hir_propagate_streams (HirContainer *fusion)
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
    propagate_forward (&p, exprs->pdata[i]);
  for (guint i = exprs->len; i > 0; i--)
    propagate_backward (&p, exprs->pdata[i - 1]);
}
