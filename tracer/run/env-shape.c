/* Shapes of run-time tensors: sizes, parts of devices, and the order in memory. */
#include "run/env-private.h"
#include "run/stream-piece.h"

/* Returns the logical axis from which @id derives, following splits, and merges on the outer side.
 */
static const HirIterDomain *
logical_source (const HirDomain *logical, const HirIterDomain *id)
{
  while (id != NULL && hir_domain_find (logical, id) < 0)
    id = id->definition != NULL ? id->definition->in[0] : NULL;
  return id;
}

/* Sorts the axes of a tensor from the outermost in memory to the innermost. For a tiled allocation,
 * an axis counts where it first occurs; results do not depend on the tiling. Device axes take no
 * memory. */
static void
memory_order (const HirTensor *tensor, HirIterDomain **ids, guint n, guint *order)
{
  const HirDomain *allocation = hir_tensor_get_maybe_allocation (tensor);
  gboolean placed[HIR_MAX_DIMS] = { FALSE };
  guint count = 0;

  for (guint k = 0; k < allocation->n; k++)
    {
      const HirIterDomain *source = logical_source (&tensor->logical, allocation->ids[k]);
      for (guint i = 0; i < n; i++)
        if (ids[i] == source && !placed[i] && !hir_iter_domain_is_device (allocation->ids[k]))
          {
            placed[i] = TRUE;
            order[count++] = i;
          }
    }
  for (guint i = 0; i < n; i++)
    if (!placed[i])
      order[count++] = i;
}

HirValue *
hir_env_view_as_allocated (const HirTensor *tensor, HirValue *value)
{
  guint n, order[HIR_MAX_DIMS];
  g_autofree HirIterDomain **ids = NULL;

  if (!tensor->has_allocation)
    return hir_value_ref (value);
  ids = hir_tensor_dup_no_reductions (tensor, &n);
  if (n != value->n_dims || n > HIR_MAX_DIMS)
    return hir_value_ref (value);
  memory_order (tensor, ids, n, order);
  return hir_value_permute (value, order);
}

/* If only one piece of @tensor is in memory, reduces @axis to the size of a piece. */
static gboolean
cut_axis (HirEnv *env,
          const HirTensor *tensor,
          const HirIterDomain *id,
          HirShardAxis *axis,
          GError **error)
{
  guint n, cut;
  const HirScalar *extent;
  GHashTable *slices = hir_env_get_pieces (env);
  gint64 n_pieces;
  g_autofree HirIterDomain **ids = NULL;

  if (slices == NULL || !g_hash_table_contains (slices, tensor) ||
      !hir_stream_piece_find (tensor, &cut, &extent))
    return TRUE;
  ids = hir_tensor_dup_no_reductions (tensor, &n);
  if (ids[cut] != id)
    return TRUE;
  if (!hir_env_evaluate_int (env, extent, &n_pieces, error))
    return FALSE;
  if (n_pieces < 1 || axis->size % n_pieces != 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, &tensor->base.node.pos,
                     "axis %u of T%d has the size %" G_GINT64_FORMAT
                     ", which cannot be split into %" G_GINT64_FORMAT " pieces, one per stream",
                     cut, tensor->base.name, axis->size, n_pieces);
      return FALSE;
    }
  axis->size /= n_pieces;
  return TRUE;
}

static gboolean
get_axis (HirEnv *env,
          const HirTensor *tensor,
          const HirIterDomain *id,
          HirShardAxis *axis,
          GError **error)
{
  gint64 whole, device = hir_env_get_device (env);

  if (!hir_env_evaluate_int (env, hir_env_get_extent (id), &whole, error))
    return FALSE;
  *axis = (HirShardAxis){ 0, 1, whole };
  return (device < 0 ||
          hir_shard_axis (tensor, id, device, whole, hir_env_lookup_leaf, env, axis, error)) &&
         cut_axis (env, tensor, id, axis, error);
}

static gboolean
get_local_size (
    HirEnv *env, const HirTensor *tensor, const HirIterDomain *id, gint64 *size, GError **error)
{
  HirShardAxis axis;

  if (!get_axis (env, tensor, id, &axis, error))
    return FALSE;
  *size = axis.size;
  return TRUE;
}

gboolean
hir_env_get_shard (HirEnv *env, const HirTensor *tensor, HirShardAxis *shard, GError **error)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; i < n && i < HIR_MAX_DIMS; i++)
    if (!get_axis (env, tensor, ids[i], &shard[i], error))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if @extent gets its value from the tensor: a symbol, or an expression of sizes that
 * only the producer of the tensor knows. */
static gboolean
is_unknown (HirEnv *env, const HirScalar *extent)
{
  gint64 value;

  if (extent->kind == HIR_SCALAR_SYMBOL)
    return hir_env_lookup (env, HIR_VAL (extent)) == NULL;
  return extent->kind == HIR_SCALAR_OP && !hir_env_evaluate_int (env, extent, &value, NULL);
}

gboolean
hir_env_bind_input (HirEnv *env, const HirTensor *tensor, HirValue *value, GError **error)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  if (value->is_scalar || value->n_dims != n || value->dtype != tensor->base.dtype)
    {
      g_autofree char *got = hir_value_describe (value);
      hir_set_error (error, HIR_ERROR_RUN, &tensor->base.node.pos,
                     "T%d is given %s, but needs a tensor of %s with %u axes", tensor->base.name,
                     got, hir_dtype_get_short_name (tensor->base.dtype), n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      const HirScalar *extent = hir_env_get_extent (ids[i]);
      gint64 expected;

      if (is_unknown (env, extent))
        {
          gint64 n_parts = hir_env_get_device (env) < 0 ? 1 : hir_shard_count (tensor, ids[i]);
          gint64 whole = value->sizes[i] * n_parts;
          g_autoptr (HirValue) size = hir_value_new_int (whole, extent->base.dtype);
          hir_env_bind (env, HIR_VAL (extent), size);
          continue;
        }
      if (!get_local_size (env, tensor, ids[i], &expected, error))
        return FALSE;
      if (expected == value->sizes[i])
        continue;
      hir_set_error (error, HIR_ERROR_RUN, &tensor->base.node.pos,
                     "axis %u of T%d has the size %" G_GINT64_FORMAT
                     ", but needs %" G_GINT64_FORMAT,
                     i, tensor->base.name, value->sizes[i], expected);
      return FALSE;
    }
  hir_env_bind (env, HIR_VAL (tensor), value);
  return TRUE;
}

gboolean
hir_env_infer (
    HirEnv *env, const HirTensor *tensor, guint *n, gint64 *sizes, gint64 *strides, GError **error)
{
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, n);
  guint order[HIR_MAX_DIMS];
  gint64 stride = 1;
  gsize size_bytes;

  if (*n > HIR_MAX_DIMS)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, &tensor->base.node.pos,
                     "T%d has %u axes; at most %d are supported", tensor->base.name, *n,
                     HIR_MAX_DIMS);
      return FALSE;
    }
  for (guint i = 0; i < *n; i++)
    if (!get_local_size (env, tensor, ids[i], &sizes[i], error))
      {
        g_prefix_error (error, "axis %u of T%d: ", i, tensor->base.name);
        return FALSE;
      }
  if (!hir_sizes_check (sizes, *n, tensor->base.dtype, &size_bytes, error))
    {
      g_prefix_error (error, "T%d: ", tensor->base.name);
      return FALSE;
    }
  memory_order (tensor, ids, *n, order);
  for (guint k = *n; k-- > 0;)
    {
      strides[order[k]] = stride;
      stride *= MAX (sizes[order[k]], 1);
    }
  return TRUE;
}

HirValue *
hir_env_new_tensor (HirEnv *env, const HirTensor *tensor, HirBuffer *buffer, GError **error)
{
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS];
  gsize size_bytes;
  guint n;

  if (!hir_env_infer (env, tensor, &n, sizes, strides, error) ||
      !hir_sizes_check (sizes, n, tensor->base.dtype, &size_bytes, error))
    return NULL;

  g_autoptr (HirBuffer) storage =
      buffer != NULL ? hir_buffer_ref (buffer) : hir_buffer_new_deferred (size_bytes);
  return hir_value_new_tensor (tensor->base.dtype, n, sizes, strides, storage);
}
