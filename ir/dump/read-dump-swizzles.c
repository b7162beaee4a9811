/* Finds rotated stream axes by axis numbers: swizzle1d rotates the outer axis of a split, and its
 * result has the number after the inner axis (docs/host-ir.md#reading-dumps). */
#include "dump/read-dump-infer.h"

static gboolean
has_permute (const HirDumpInference *inference)
{
  for (guint i = 0; i < inference->exprs->len; i++)
    if (((const HirExpr *) inference->exprs->pdata[i])->kind == HIR_EXPR_COLLECTIVE_PERMUTE)
      return TRUE;
  return FALSE;
}

static GHashTable *
dup_numbers (const HirContainer *container)
{
  GHashTable *numbers = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < container->tensors.len; i++)
    {
      const HirTensor *tensor = container->tensors.items[i];

      for (guint k = 0; k < tensor->loop.n; k++)
        g_hash_table_add (numbers, GINT_TO_POINTER (tensor->loop.ids[k]->base.name));
    }
  return numbers;
}

/* Returns the inner axis of the split whose outer axis @stream rotates, or NULL. */
static HirIterDomain *
find_inner (const HirTensor *tensor, const HirIterDomain *stream, GHashTable *numbers)
{
  if (!hir_iter_domain_is_stream (stream) || hir_iter_domain_is_reduction (stream) ||
      tensor->mesh == NULL || tensor->mesh->n_dims != 1)
    return NULL;
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *inner = tensor->loop.ids[i];

      if (inner->base.name + 1 == stream->base.name && inner->base.name > 0 &&
          !hir_iter_domain_is_parallelized (inner) && !hir_iter_domain_is_reduction (inner) &&
          !g_hash_table_contains (numbers, GINT_TO_POINTER (inner->base.name - 1)) &&
          hir_dump_unsplit (tensor->base.container, stream, inner) != NULL)
        return inner;
    }
  return NULL;
}

/* Returns the axis that @stream rotates. */
static HirIterDomain *
outer_new (const HirTensor *tensor, const HirIterDomain *stream, const HirIterDomain *inner)
{
  HirContainer *container = tensor->base.container;
  HirIterDomain *outer;

  hir_maker_begin (container, "swizzle", tensor->base.node.id);
  hir_maker_set_pos (container, tensor->base.node.pos);
  outer = hir_iter_domain_new (container, stream->extent, stream->iter_type);
  outer->parallel_type = stream->parallel_type;
  outer->base.name = inner->base.name - 1;
  return outer;
}

GArray *
hir_dump_hide_swizzles (HirDumpInference *inference)
{
  GArray *swizzles = g_array_new (FALSE, FALSE, sizeof (HirDumpSwizzle));
  const HirVec *tensors = &inference->container->tensors;
  g_autoptr (GHashTable) numbers = NULL;

  if (!has_permute (inference))
    return swizzles;
  numbers = dup_numbers (inference->container);
  for (guint i = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = tensors->items[i];

      for (guint k = 0; k < tensor->loop.n; k++)
        {
          HirDumpSwizzle swizzle = { tensor, k, tensor->loop.ids[k], NULL };
          const HirIterDomain *inner = find_inner (tensor, swizzle.stream, numbers);

          if (inner == NULL)
            continue;
          swizzle.outer = outer_new (tensor, swizzle.stream, inner);
          tensor->loop.ids[k] = swizzle.outer;
          g_array_append_val (swizzles, swizzle);
        }
    }
  return swizzles;
}

void
hir_dump_restore_swizzles (GArray *swizzles)
{
  for (guint i = 0; i < swizzles->len; i++)
    {
      const HirDumpSwizzle *it = &g_array_index (swizzles, HirDumpSwizzle, i);
      HirContainer *container = it->tensor->base.container;
      HirTransform *transform;

      it->tensor->loop.ids[it->position] = it->stream;
      if (it->outer->definition == NULL)
        continue;
      hir_maker_begin (container, "swizzle", it->outer->base.node.id);
      transform = hir_arena_new0 (container->arena, HirTransform);
      transform->kind = HIR_TRANSFORM_SWIZZLE;
      transform->in[0] = it->outer;
      transform->out[0] = it->stream;
      transform->mesh_axis = HIR_PARALLEL_DIDX;
      hir_maker_stamp (container, &transform->node, "swizzle");
      it->stream->definition = transform;
      it->outer->parallel_type = HIR_PARALLEL_SERIAL;
    }
  g_array_unref (swizzles);
}
