/* Copies in schedules (docs/host-ir.md#schedules): cache_after, cache_before, cache_fork. */
#include "label.h"
#include "schedule/replay.h"
#include "schedule/schedule.h"
#include "usage.h"

static HirTensor *
refuse (HirTensor *tensor, const char *verb, const char *why, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);

  hir_set_error (error, HIR_ERROR_REFUSED, &tensor->base.container->maker.pos, "%s: %s %s", verb,
                 label, why);
  return NULL;
}

/* Creates new axes for the axes of @tensor that are not reduced; adds old -> new to @map. */
static HirIterDomain **
dup_axes (HirTensor *tensor, GHashTable *map, guint *n)
{
  HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, n);

  for (guint i = 0; i < *n; i++)
    {
      HirIterDomain *copy = hir_iter_domain_dup (tensor->base.container, ids[i], TRUE);

      copy->base.node.pos = ids[i]->base.node.pos;
      g_hash_table_insert (map, ids[i], copy);
      ids[i] = copy;
    }
  return ids;
}

static HirExpr *
add_set (HirTensor *in, HirTensor *out)
{
  HirContainer *fusion = in->base.container;
  HirExpr *set = hir_expr_new (fusion, HIR_EXPR_SET, (HirVal *[]){ HIR_VAL (in) }, 1,
                               (HirVal *[]){ HIR_VAL (out) }, 1);

  set->u.set.kind = HIR_SET_SET;
  hir_container_add_expr (fusion, set);
  return set;
}

/* Creates a tensor like @tensor, without its reduction axes. */
static HirTensor *
copy_new (HirTensor *tensor, gboolean with_loop, GHashTable *map)
{
  guint n;
  g_autofree HirIterDomain **ids = dup_axes (tensor, map, &n);
  HirTensor *copy = hir_tensor_new (tensor->base.container, tensor->base.dtype, ids, n);

  copy->mesh = tensor->mesh;
  copy->is_cpu_scalar = tensor->is_cpu_scalar;
  if (with_loop)
    hir_replay_copy (tensor, copy, map);
  return copy;
}

/* Returns the Exprs that read @tensor. New array. */
static GPtrArray *
dup_uses (HirTensor *tensor)
{
  HirContainer *fusion = tensor->base.container;
  GPtrArray *uses = g_ptr_array_new ();

  for (guint i = 0; i < fusion->exprs.len; i++)
    {
      HirExpr *expr = fusion->exprs.items[i];
      gboolean reads = FALSE;

      for (guint k = 0; k < expr->n_inputs; k++)
        reads = reads || expr->inputs[k] == HIR_VAL (tensor);
      if (reads)
        g_ptr_array_add (uses, expr);
    }
  return uses;
}

HirTensor *
hir_schedule_cache_after (HirTensor *tensor,
                          gboolean streaming,
                          gboolean propagate_allocation_domain,
                          GError **error)
{
  g_autoptr (GPtrArray) uses = dup_uses (tensor);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  HirTensor *copy;

  if (uses->len == 0)
    return refuse (tensor, "cache_after", "is not read by any op, so a copy would have no use",
                   error);
  copy = copy_new (tensor, propagate_allocation_domain, map);
  for (guint i = 0; i < uses->len; i++)
    hir_expr_replace_input (uses->pdata[i], tensor, copy);
  add_set (tensor, copy)->u.set.streaming = streaming;
  return copy;
}

/* Creates a tensor that takes over the definition and the axes of @tensor. */
static HirTensor *
take_over (HirTensor *tensor)
{
  HirTensor *before = hir_tensor_new (tensor->base.container, tensor->base.dtype,
                                      tensor->logical.ids, tensor->logical.n);
  HirExpr *definition = tensor->definition;

  before->root = tensor->root;
  before->logical = tensor->logical;
  before->allocation = tensor->allocation;
  before->loop = tensor->loop;
  before->contiguity = tensor->contiguity;
  before->has_root = tensor->has_root;
  before->has_allocation = tensor->has_allocation;
  before->is_cpu_scalar = tensor->is_cpu_scalar;
  before->mesh = tensor->mesh;
  for (guint i = 0; i < definition->n_outputs; i++)
    {
      if (definition->outputs[i] == HIR_VAL (tensor))
        definition->outputs[i] = HIR_VAL (before);
    }
  before->definition = definition;
  return before;
}

/* Gives @tensor new axes, without those that its definition reduced. */
static void
renew (HirTensor *tensor, GHashTable *map)
{
  guint n;
  g_autofree HirIterDomain **ids = dup_axes (tensor, map, &n);

  /* Uses the allocation domain because it sets the default contiguity. */
  hir_tensor_set_allocation (tensor, ids, n);
  tensor->logical = tensor->allocation;
  tensor->loop = tensor->allocation;
  tensor->allocation = (HirDomain){ NULL, 0 };
  tensor->has_allocation = FALSE;
  tensor->root = (HirDomain){ NULL, 0 };
  tensor->has_root = FALSE;
}

/* Replaces references to axes of @tensor by the new axes. */
static void
rename_axes (HirTensor *tensor, GHashTable *map)
{
  g_autoptr (GPtrArray) uses = dup_uses (tensor);

  for (guint i = 0; i < uses->len; i++)
    {
      HirExpr *expr = uses->pdata[i];
      HirIterDomain *axis =
          expr->kind == HIR_EXPR_SELECT ? g_hash_table_lookup (map, expr->u.select.axis) : NULL;

      if (axis != NULL)
        expr->u.select.axis = axis;
    }
}

HirTensor *
hir_schedule_cache_before (HirTensor *tensor, GError **error)
{
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  HirTensor *before;

  if (tensor->definition == NULL ||
      hir_container_is_input (tensor->base.container, HIR_VAL (tensor)))
    return refuse (tensor, "cache_before",
                   "is an input of the fusion, so no op computes it; use cache_after", error);
  before = take_over (tensor);
  renew (tensor, map);
  hir_replay_copy (before, tensor, map);
  rename_axes (tensor, map);
  add_set (before, tensor);
  return before;
}

HirTensor *
hir_schedule_cache_fork (HirTensor *tensor, GError **error)
{
  HirContainer *fusion = tensor->base.container;
  int place = hir_vec_find (&fusion->outputs, tensor);
  g_autoptr (GPtrArray) uses = dup_uses (tensor);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  HirTensor *copy;

  if (place < 0)
    return refuse (tensor, "cache_fork",
                   "is not an output of the fusion; call add_output first, or use "
                   "cache_after",
                   error);
  if (uses->len == 0)
    return refuse (tensor, "cache_fork",
                   "is not read by any op, so there is nothing to fork; use cache_before", error);
  copy = copy_new (tensor, TRUE, map);
  add_set (tensor, copy);
  copy->memory = tensor->memory;
  fusion->outputs.items[place] = copy;
  if (!hir_container_is_input (fusion, HIR_VAL (tensor)))
    tensor->memory = HIR_MEMORY_LOCAL;
  return copy;
}
