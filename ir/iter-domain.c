#include "iter-domain.h"

#include "container.h"

static const char iter_letters[] = { 'i', 'r', 'b', 's', 'n', 'v', '?' };

typedef struct
{
  const char *text;        /* as printed in 2025 */
  const char *script_name; /* docs/host-ir.md#enum-spellings; NULL if there is none */
} ParallelInfo;

static const ParallelInfo parallel_infos[HIR_N_PARALLEL_TYPES] = {
  [HIR_PARALLEL_DIDX] = { "deviceIdx.x", "mesh_x" },
  [HIR_PARALLEL_DIDY] = { "deviceIdx.y", "mesh_y" },
  [HIR_PARALLEL_DIDZ] = { "deviceIdx.z", "mesh_z" },
  [HIR_PARALLEL_BIDZ] = { "blockIdx.z", "grid_z" },
  [HIR_PARALLEL_BIDY] = { "blockIdx.y", "grid_y" },
  [HIR_PARALLEL_BIDX] = { "blockIdx.x", "grid_x" },
  [HIR_PARALLEL_TIDZ] = { "threadIdx.z", "block_z" },
  [HIR_PARALLEL_TIDY] = { "threadIdx.y", "block_y" },
  [HIR_PARALLEL_TIDX] = { "threadIdx.x", "block_x" },
  [HIR_PARALLEL_STREAM] = { "StreamIdx", "stream" },
  [HIR_PARALLEL_VECTORIZE] = { "V", "vectorize" },
  [HIR_PARALLEL_UNROLL] = { "UR", "unroll" },
  [HIR_PARALLEL_UNSWITCH] = { "US", "unswitch" },
  [HIR_PARALLEL_MMA] = { "MMA", "mma" },
  [HIR_PARALLEL_GROUP] = { "G", NULL },
  [HIR_PARALLEL_BULK] = { "B", "tma" },
  [HIR_PARALLEL_SERIAL] = { "S", "serial" },
};

HirIterDomain *
hir_iter_domain_new (HirContainer *container, HirScalar *extent, HirIterType iter_type)
{
  HirIterDomain *id = hir_arena_new0 (container->arena, HirIterDomain);

  id->base.kind = HIR_VAL_ITER_DOMAIN;
  id->base.dtype = HIR_DTYPE_INDEX;
  id->base.container = container;
  id->base.name = container->val_counter[HIR_VAL_ITER_DOMAIN]++;
  id->start = hir_scalar_get_zero (container);
  id->extent = extent;
  id->iter_type = iter_type;
  id->parallel_type = HIR_PARALLEL_SERIAL;
  hir_maker_stamp (container, &id->base.node, "iter_domain");
  return id;
}

HirIterDomain *
hir_iter_domain_dup (HirContainer *container, const HirIterDomain *source, gboolean keep_parallel)
{
  HirIterDomain *id = hir_iter_domain_new (container, source->extent, source->iter_type);

  id->start = source->start;
  id->expanded_extent = source->expanded_extent;
  if (keep_parallel)
    id->parallel_type = source->parallel_type;
  return id;
}

static HirTransform *
transform_new (HirContainer *container, HirTransformKind kind, const char *stamp)
{
  HirTransform *transform = hir_arena_new0 (container->arena, HirTransform);

  transform->kind = kind;
  hir_maker_stamp (container, &transform->node, stamp);
  return transform;
}

gboolean
hir_iter_domain_split (HirIterDomain *in,
                       HirScalar *factor,
                       gboolean inner_split,
                       HirIterDomain **outer,
                       HirIterDomain **inner,
                       GError **error)
{
  HirContainer *container = in->base.container;
  HirTransform *split;
  HirScalar *rest;

  if (in->parallel_type != HIR_PARALLEL_SERIAL)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &container->maker.pos,
                     "only a Serial axis can be split, but this axis is %s; split it before "
                     "parallelizing it",
                     hir_parallel_type_get_script_name (in->parallel_type));
      return FALSE;
    }
  if (hir_scalar_is_const (factor) && factor->i < 1)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &container->maker.pos,
                     "the split factor is %" G_GINT64_FORMAT "; it must be 1 or more", factor->i);
      return FALSE;
    }

  split = transform_new (container, HIR_TRANSFORM_SPLIT, "split");
  rest = hir_scalar_new_op (container, HIR_SCALAR_OP_CEIL_DIV, in->extent, factor);
  *outer = hir_iter_domain_new (container, inner_split ? rest : factor, in->iter_type);
  *inner = hir_iter_domain_new (container, inner_split ? factor : rest, in->iter_type);
  split->in[0] = in;
  split->out[0] = *outer;
  split->out[1] = *inner;
  split->factor = factor;
  split->inner_split = inner_split;
  (*outer)->definition = split;
  (*inner)->definition = split;
  return TRUE;
}

HirIterDomain *
hir_iter_domain_merge (HirIterDomain *outer, HirIterDomain *inner, GError **error)
{
  HirContainer *container = outer->base.container;
  HirTransform *merge;
  HirIterDomain *out;
  HirIterType iter_type = outer->iter_type;

  if (outer->parallel_type != HIR_PARALLEL_SERIAL && inner->parallel_type != HIR_PARALLEL_SERIAL)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &container->maker.pos,
                     "two parallelized axes (%s, %s) cannot be merged; one must be Serial",
                     hir_parallel_type_get_script_name (outer->parallel_type),
                     hir_parallel_type_get_script_name (inner->parallel_type));
      return NULL;
    }
  if (hir_iter_domain_is_reduction (outer) != hir_iter_domain_is_reduction (inner))
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &container->maker.pos,
                     "a reduced axis cannot be merged with an axis that is not reduced");
      return NULL;
    }
  /* Broadcast merged with iteration gives iteration (docs/host-ir.md#splits-and-merges). */
  if (iter_type == HIR_ITER_BROADCAST)
    iter_type = inner->iter_type;

  merge = transform_new (container, HIR_TRANSFORM_MERGE, "merge");
  out = hir_iter_domain_new (container,
                             hir_scalar_new_op (container, HIR_SCALAR_OP_MUL, outer->extent,
                                                inner->extent),
                             iter_type);
  out->parallel_type = outer->parallel_type;
  out->definition = merge;
  merge->in[0] = outer;
  merge->in[1] = inner;
  merge->out[0] = out;
  return out;
}

HirIterDomain *
hir_iter_domain_resize (HirIterDomain *in, HirScalar *left, HirScalar *right)
{
  HirContainer *container = in->base.container;
  HirTransform *resize = transform_new (container, HIR_TRANSFORM_RESIZE, "resize");
  HirScalar *extent = hir_scalar_new_op (container, HIR_SCALAR_OP_ADD, in->extent, left);
  HirIterDomain *out;

  extent = hir_scalar_new_op (container, HIR_SCALAR_OP_ADD, extent, right);
  out = hir_iter_domain_new (container, extent,
                             in->iter_type == HIR_ITER_BROADCAST &&
                                     !hir_scalar_is_const_int (extent, 1)
                                 ? HIR_ITER_ITERATION
                                 : in->iter_type);
  out->is_rfactor = TRUE;
  out->definition = resize;
  resize->in[0] = in;
  resize->out[0] = out;
  resize->left = left;
  resize->right = right;
  return out;
}

HirIterDomain *
hir_iter_domain_swizzle (HirIterDomain *in, HirParallelType mesh_axis)
{
  HirContainer *container = in->base.container;
  HirTransform *swizzle = transform_new (container, HIR_TRANSFORM_SWIZZLE, "swizzle");
  HirIterDomain *out = hir_iter_domain_new (container, in->extent, in->iter_type);

  out->definition = swizzle;
  swizzle->in[0] = in;
  swizzle->out[0] = out;
  swizzle->mesh_axis = mesh_axis;
  return out;
}

gboolean
hir_iter_domain_is_reduction (const HirIterDomain *id)
{
  return id->iter_type == HIR_ITER_REDUCTION;
}

gboolean
hir_iter_domain_is_broadcast (const HirIterDomain *id)
{
  return id->iter_type == HIR_ITER_BROADCAST;
}

gboolean
hir_iter_domain_is_stream (const HirIterDomain *id)
{
  return id->parallel_type == HIR_PARALLEL_STREAM;
}

gboolean
hir_iter_domain_is_device (const HirIterDomain *id)
{
  return id->parallel_type <= HIR_PARALLEL_DIDZ;
}

gboolean
hir_iter_domain_is_parallelized (const HirIterDomain *id)
{
  return id->parallel_type != HIR_PARALLEL_SERIAL;
}

char
hir_iter_type_get_letter (HirIterType type)
{
  g_return_val_if_fail ((guint) type < G_N_ELEMENTS (iter_letters), '?');
  return iter_letters[type];
}

const char *
hir_parallel_type_get_text (HirParallelType type)
{
  g_return_val_if_fail ((guint) type < HIR_N_PARALLEL_TYPES, "S");
  return parallel_infos[type].text;
}

const char *
hir_parallel_type_get_script_name (HirParallelType type)
{
  g_return_val_if_fail ((guint) type < HIR_N_PARALLEL_TYPES, "serial");
  return parallel_infos[type].script_name != NULL ? parallel_infos[type].script_name
                                                  : parallel_infos[type].text;
}

gboolean
hir_parallel_type_lookup_script_name (const char *name, HirParallelType *type)
{
  for (int i = 0; i < HIR_N_PARALLEL_TYPES; i++)
    {
      if (parallel_infos[i].script_name != NULL &&
          g_str_equal (parallel_infos[i].script_name, name))
        {
          *type = (HirParallelType) i;
          return TRUE;
        }
    }
  return FALSE;
}
