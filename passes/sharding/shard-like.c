#include "sharding/shard-like.h"

#include "logical-map.h"
#include "schedule/axis-index.h"
#include "schedule/schedule.h"
#include "transforms.h"

typedef struct
{
  const HirTensor *ref;
  HirTensor *target;
  /* domain that @expr maps: logical of an operand, root of an output */
  const HirDomain *ref_base;
  const HirDomain *target_base; /* likewise */
  HirIterDomain **ref_ids;
  HirIterDomain **target_ids; /* one per ref axis; NULL if not mapped */
  guint n;
} Relation;

static gboolean
is_operand (const HirExpr *expr, const HirTensor *tensor)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (expr->inputs[i] == HIR_VAL (tensor))
        return TRUE;
    }
  return FALSE;
}

static void
relation_init (Relation *r, const HirExpr *expr, const HirTensor *ref, HirTensor *target)
{
  gboolean is_forward = is_operand (expr, ref);

  r->ref = ref;
  r->target = target;
  r->ref_base = is_forward ? &ref->logical : hir_tensor_get_maybe_root (ref);
  r->target_base = is_forward ? hir_tensor_get_maybe_root (target) : &target->logical;
  if (is_forward)
    r->target_ids = hir_expr_dup_logical_map (expr, ref, target, &r->ref_ids, &r->n);
  else
    r->ref_ids = hir_expr_dup_logical_map (expr, target, ref, &r->target_ids, &r->n);
}

static void
relation_clear (Relation *r)
{
  g_free (r->ref_ids);
  g_free (r->target_ids);
}

static HirIterDomain *
find_related (const Relation *r, const HirIterDomain *ref_id)
{
  for (guint i = 0; i < r->n; i++)
    {
      if (r->ref_ids[i] != NULL && r->ref_ids[i] == ref_id)
        return r->target_ids[i];
    }
  return NULL;
}

/* Returns the transforms from an axis of @base to @id, in order; merges are followed to the outer
 * axis. Sets *@is_outermost to TRUE if every step is the outer result of a split or the result of a
 * merge. */
static GPtrArray *
dup_chain (const HirDomain *base, const HirIterDomain *id, gboolean *is_outermost)
{
  GPtrArray *chain = g_ptr_array_new ();

  *is_outermost = TRUE;
  while (hir_domain_find (base, id) < 0 && id->definition != NULL)
    {
      g_ptr_array_insert (chain, 0, id->definition);
      *is_outermost = *is_outermost && id == id->definition->out[0];
      id = id->definition->in[0];
    }
  return chain;
}

static HirTransform *
find_same_split (const HirTensor *tensor, const HirIterDomain *in, const HirTransform *split)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (&tensor->logical, &tensor->loop);

  for (guint i = 0; i < transforms->len; i++)
    {
      HirTransform *own = transforms->pdata[i];

      if (own->kind == HIR_TRANSFORM_SPLIT && own->in[0] == in &&
          own->inner_split == split->inner_split && hir_scalar_equal (own->factor, split->factor))
        return own;
    }
  return NULL;
}

/* Splits axis @id of the target like @split. Returns the outer or inner part (@outer), or NULL if
 * the split is not possible. */
static HirIterDomain *
replay_split (HirTensor *target, HirIterDomain *id, const HirTransform *split, gboolean outer)
{
  int position = hir_domain_find (&target->loop, id);
  const HirTransform *own = position < 0 ? find_same_split (target, id, split) : NULL;

  if (own != NULL)
    return own->out[outer ? 0 : 1];
  if (position < 0 || id->parallel_type != HIR_PARALLEL_SERIAL ||
      !hir_schedule_split (target, position, split->factor, split->inner_split, NULL))
    return NULL;
  id = target->loop.ids[position + (outer ? 0 : 1)];
  if (split->node.pos.line > 0)
    id->definition->node.pos = split->node.pos;
  return id;
}

/* Without a reshape in between: repeats the same splits on the other axis. */
static HirIterDomain *
replay_chain (const Relation *r, GPtrArray *chain, const HirIterDomain *ref_id, HirIterDomain *to)
{
  /* A broadcast has one element, which every device has. */
  if (chain->len > 0 && hir_iter_domain_is_broadcast (to) && to->expanded_extent == NULL)
    return NULL;
  for (guint i = 0; i < chain->len && to != NULL; i++)
    {
      const HirTransform *split = chain->pdata[i];
      const HirTransform *next = i + 1 < chain->len ? chain->pdata[i + 1] : NULL;
      const HirIterDomain *out = next != NULL ? next->in[0] : ref_id;

      to = replay_split (r->target, to, split, out == split->out[0]);
    }
  return to != NULL && hir_domain_find (&r->target->loop, to) >= 0 ? to : NULL;
}

/* Across a reshape: cuts the target's loop axis that starts where @base_id does into as many parts
 * as the extent of @ref_id. */
static HirIterDomain *
cut_outermost (const Relation *r, const HirIterDomain *ref_id, const HirIterDomain *base_id)
{
  HirTensor *target = r->target;

  for (guint i = 0; i < target->loop.n; i++)
    {
      HirIterDomain *id = target->loop.ids[i];
      gboolean is_outermost;
      g_autoptr (GPtrArray) chain = dup_chain (r->target_base, id, &is_outermost);

      if (!is_outermost || hir_axis_find_outermost_base (r->target_base, id) != base_id)
        continue;
      if (id->parallel_type != HIR_PARALLEL_SERIAL || !hir_scalar_is_const (id->extent) ||
          !hir_scalar_is_const (ref_id->extent) || ref_id->extent->i < 1 ||
          id->extent->i % ref_id->extent->i != 0)
        return NULL;
      if (id->extent->i == ref_id->extent->i)
        return id;
      return hir_schedule_split (target, i, ref_id->extent, FALSE, NULL) ? target->loop.ids[i]
                                                                         : NULL;
    }
  return NULL;
}

static gboolean
has_only_splits (GPtrArray *chain)
{
  for (guint i = 0; i < chain->len; i++)
    {
      if (((const HirTransform *) chain->pdata[i])->kind != HIR_TRANSFORM_SPLIT)
        return FALSE;
    }
  return TRUE;
}

/* Returns the loop axis of the target that corresponds to @ref_id, or NULL. */
static HirIterDomain *
find_counterpart (const Relation *r, HirIterDomain *ref_id)
{
  HirIterDomain *ref_base_id = hir_axis_find_outermost_base (r->ref_base, ref_id);
  HirIterDomain *target_id = ref_base_id != NULL ? find_related (r, ref_base_id) : NULL;
  g_autoptr (GPtrArray) chain = NULL;
  gboolean is_outermost;

  if (target_id == NULL)
    return NULL;
  if (hir_iter_domain_is_stream (ref_id) &&
      hir_iter_domain_is_broadcast (ref_base_id) != hir_iter_domain_is_broadcast (target_id))
    return NULL;
  chain = dup_chain (r->ref_base, ref_id, &is_outermost);
  if (hir_domain_find (&r->ref->logical, ref_base_id) >= 0 &&
      hir_domain_find (&r->target->logical, target_id) >= 0)
    return has_only_splits (chain) ? replay_chain (r, chain, ref_id, target_id) : NULL;
  return is_outermost ? cut_outermost (r, ref_id, target_id) : NULL;
}

static gboolean
has_type (const HirTensor *tensor, HirParallelType type)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (tensor->loop.ids[i]->parallel_type == type &&
          !hir_iter_domain_is_reduction (tensor->loop.ids[i]))
        return TRUE;
    }
  return FALSE;
}

static void
copy_type (const Relation *r, HirIterDomain *ref_id)
{
  HirIterDomain *id;

  if (has_type (r->target, ref_id->parallel_type))
    return;
  id = find_counterpart (r, ref_id);
  if (id == NULL)
    return;
  id->parallel_type = ref_id->parallel_type;
  /* Later errors refer to the script line that requested this sharding. */
  if (ref_id->base.node.pos.line > 0)
    id->base.node.pos = ref_id->base.node.pos;
}

/* Reduced axes last: axes that remain take precedence for a type. */
static void
copy_types (const Relation *r, HirParallelSet types, gboolean reductions)
{
  for (guint i = 0; i < r->ref->loop.n; i++)
    {
      HirIterDomain *id = r->ref->loop.ids[i];

      if ((types & HIR_PARALLEL_BIT (id->parallel_type)) != 0 &&
          hir_iter_domain_is_reduction (id) == reductions)
        copy_type (r, id);
    }
}

void
hir_shard_like (const HirExpr *expr, const HirTensor *ref, HirTensor *target, HirParallelSet types)
{
  Relation relation;

  relation_init (&relation, expr, ref, target);
  copy_types (&relation, types, FALSE);
  copy_types (&relation, types, TRUE);
  relation_clear (&relation);
}

void
hir_unshard (HirTensor *tensor)
{
  for (guint i = 0; i < tensor->logical.n; i++)
    tensor->logical.ids[i]->parallel_type = HIR_PARALLEL_SERIAL;
  hir_tensor_set_loop (tensor, tensor->logical.ids, tensor->logical.n);
}

gboolean
hir_sharding_applies (const HirContainer *program, const HirPassContext *context)
{
  if (program->kind != HIR_CONTAINER_FUSION)
    return TRUE;
  for (guint i = 0; i < program->tensors.len; i++)
    {
      if (((const HirTensor *) program->tensors.items[i])->mesh != NULL)
        return TRUE;
    }
  return FALSE;
}

gboolean
hir_program_has_loop_axis (const HirContainer *program, HirParallelSet types)
{
  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];

      for (guint k = 0; k < tensor->loop.n; k++)
        {
          if ((types & HIR_PARALLEL_BIT (tensor->loop.ids[k]->parallel_type)) != 0)
            return TRUE;
        }
    }
  return FALSE;
}
