/* Parts of tensors on devices. */
#include "run/values/shard.h"

#include "label.h"

typedef struct
{
  const HirTensor *tensor;
  gint64 position; /* position in the flattened mesh */
  HirScalarLookup lookup;
  gpointer user_data;
} Walk;

static const HirDomain *
get_domain (const HirTensor *tensor)
{
  return tensor->has_allocation ? &tensor->allocation : &tensor->loop;
}

static gboolean
is_spread (const HirTensor *tensor, const HirIterDomain *id)
{
  return tensor->mesh != NULL && hir_iter_domain_is_device (id) &&
         !hir_iter_domain_is_reduction (id);
}

/* Returns TRUE if @leaf derives from @id. Sets *@step to the transform that splits @id on the path,
 * or NULL if @leaf is @id. */
static gboolean
derives_from (const HirIterDomain *leaf, const HirIterDomain *id, const HirTransform **step)
{
  *step = NULL;
  while (leaf != NULL && leaf != id)
    {
      *step = leaf->definition;
      if (*step == NULL)
        {
          leaf = NULL;
          break;
        }
      leaf = (*step)->kind == HIR_TRANSFORM_MERGE && (*step)->in[1] == id ? id : (*step)->in[0];
    }
  if (leaf == NULL)
    *step = NULL;
  return leaf == id;
}

gboolean
hir_shard_is_sharded (const HirTensor *tensor)
{
  const HirDomain *domain = get_domain (tensor);

  for (guint i = 0; i < domain->n; i++)
    if (is_spread (tensor, domain->ids[i]))
      return TRUE;
  return FALSE;
}

gint64
hir_shard_count (const HirTensor *tensor, const HirIterDomain *id)
{
  const HirDomain *domain = get_domain (tensor);
  const HirTransform *step;
  gint64 count = 1;

  if (hir_iter_domain_is_broadcast (id) && id->expanded_extent == NULL)
    return 1; /* one element, which every device has */
  for (guint i = 0; i < domain->n; i++)
    if (is_spread (tensor, domain->ids[i]) && derives_from (domain->ids[i], id, &step))
      count *= MAX (hir_mesh_get_axis_size (tensor->mesh, domain->ids[i]->parallel_type), 1);
  return count;
}

static void G_GNUC_PRINTF (4, 5)
    reject (const Walk *walk, HirErrorCode code, GError **error, const char *format, ...)
{
  g_autofree char *label = hir_tensor_dup_label (walk->tensor);
  g_autofree char *why = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  hir_set_error (error, code, &walk->tensor->base.node.pos, "%s %s", label, why);
}

/* Reduces @axis, a device axis, to the element of this device. */
static gboolean
select_device (const Walk *walk, const HirIterDomain *id, HirShardAxis *axis, GError **error)
{
  const HirMesh *mesh = walk->tensor->mesh;
  int dim = hir_mesh_get_axis (mesh, id->parallel_type);
  gint64 inner = 1;

  if (dim < 0)
    {
      reject (walk, HIR_ERROR_RUN, error, "is distributed over %s, which its mesh does not have",
              hir_parallel_type_get_text (id->parallel_type));
      return FALSE;
    }
  if (axis->size != mesh->shape[dim])
    {
      reject (walk, HIR_ERROR_RUN, error,
              "has an axis of %" G_GINT64_FORMAT " over %" G_GINT64_FORMAT
              " devices; one element per device is required",
              axis->size, mesh->shape[dim]);
      return FALSE;
    }
  for (int i = dim + 1; i < mesh->n_dims; i++)
    inner *= mesh->shape[i];
  axis->start += walk->position / inner % mesh->shape[dim] * axis->step;
  axis->size = 1;
  return TRUE;
}

/* Returns TRUE if @id is or contains an axis over devices. Sets *@step to the transform that splits
 * @id. */
static gboolean
leads_to_device (const Walk *walk, const HirIterDomain *id, const HirTransform **step)
{
  const HirDomain *domain = get_domain (walk->tensor);
  gboolean any = FALSE;

  *step = NULL;
  for (guint i = 0; i < domain->n && *step == NULL; i++)
    if (is_spread (walk->tensor, domain->ids[i]))
      any |= derives_from (domain->ids[i], id, step);
  return any;
}

static gboolean
walk_axis (const Walk *walk, const HirIterDomain *id, HirShardAxis *axis, GError **error);

/* Sets @axis to the parts of a split. Returns FALSE if they form blocks of blocks. */
static gboolean
join (const HirShardAxis *outer, const HirShardAxis *inner, HirShardAxis *axis)
{
  gint64 start = outer->start + inner->start;

  if (outer->size == 1)
    *axis = *inner;
  else if (inner->size == 1)
    *axis = *outer;
  else if (inner->block != 0)
    return FALSE;
  else if (outer->step == inner->size * inner->step)
    {
      *axis = *outer;
      axis->step = inner->step;
      axis->block *= inner->size;
    }
  else if (outer->block == 0)
    *axis = (HirShardAxis){ .step = inner->step, .block = inner->size, .block_step = outer->step };
  else
    return FALSE;
  axis->start = start;
  axis->size = outer->size * inner->size;
  return TRUE;
}

static gboolean
walk_split (const Walk *walk, const HirTransform *split, HirShardAxis *axis, GError **error)
{
  HirShardAxis outer, inner;
  gint64 factor, n_outer, n_inner;

  if (!hir_scalar_evaluate (split->factor, walk->lookup, walk->user_data, &factor, error))
    return FALSE;
  if (factor < 1 || axis->size % factor != 0)
    {
      reject (walk, HIR_ERROR_RUN, error,
              "has an axis of %" G_GINT64_FORMAT " that is split by %" G_GINT64_FORMAT
              " and distributed over devices; the factor must divide it",
              axis->size, factor);
      return FALSE;
    }
  n_inner = split->inner_split ? factor : axis->size / factor;
  n_outer = axis->size / n_inner;
  outer = (HirShardAxis){ axis->start, axis->step * n_inner, n_outer };
  inner = (HirShardAxis){ 0, axis->step, n_inner };
  if (!walk_axis (walk, split->out[0], &outer, error) ||
      !walk_axis (walk, split->out[1], &inner, error))
    return FALSE;
  if (!join (&outer, &inner, axis))
    {
      reject (walk, HIR_ERROR_UNSUPPORTED, error,
              "is distributed over devices in blocks of blocks, which is not supported yet; split "
              "the outer side for devices");
      return FALSE;
    }
  return TRUE;
}

static gboolean
walk_axis (const Walk *walk, const HirIterDomain *id, HirShardAxis *axis, GError **error)
{
  const HirTransform *step;

  if (!leads_to_device (walk, id, &step))
    return TRUE;
  if (step == NULL)
    return select_device (walk, id, axis, error);
  if (step->kind == HIR_TRANSFORM_SPLIT)
    return walk_split (walk, step, axis, error);
  reject (
      walk, HIR_ERROR_UNSUPPORTED, error,
      "is distributed over devices through a merge or resize of axes, which is not supported yet");
  return FALSE;
}

gboolean
hir_shard_axis (const HirTensor *tensor,
                const HirIterDomain *id,
                gint64 device,
                gint64 global,
                HirScalarLookup lookup,
                gpointer user_data,
                HirShardAxis *axis,
                GError **error)
{
  Walk walk = { tensor, 0, lookup, user_data };

  *axis = (HirShardAxis){ 0, 1, global };
  if (tensor->mesh == NULL || (hir_iter_domain_is_broadcast (id) && id->expanded_extent == NULL))
    return TRUE;
  walk.position = MAX (hir_mesh_index_of (tensor->mesh, device), 0);
  return walk_axis (&walk, id, axis, error);
}

static gboolean
visit_blocks (HirValue *whole,
              HirValue *part,
              const HirShardAxis *shard,
              guint axis,
              gboolean (*func) (HirValue *whole, HirValue *part))
{
  gint64 block, n_blocks;

  if (axis == whole->n_dims)
    return func (whole, part);
  block = shard[axis].block != 0 ? shard[axis].block : MAX (shard[axis].size, 1);
  n_blocks = MAX (shard[axis].size / block, 1);
  for (gint64 i = 0; i < n_blocks; i++)
    {
      gint64 size = MIN (block, shard[axis].size);
      g_autoptr (HirValue) from =
          hir_value_slice (whole, axis, hir_shard_axis_at (&shard[axis], i * block), size,
                           shard[axis].step);
      g_autoptr (HirValue) to = hir_value_slice (part, axis, i * block, size, 1);

      if (!visit_blocks (from, to, shard, axis + 1, func))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_shard_foreach_block (HirValue *whole,
                         HirValue *part,
                         const HirShardAxis *shard,
                         gboolean (*func) (HirValue *whole, HirValue *part))
{
  return visit_blocks (whole, part, shard, 0, func);
}
