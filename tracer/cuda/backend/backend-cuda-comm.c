/* Memory and reductions for the communicators. */
#include "cuda/backend/backend-private.h"

/* Returns TRUE and the index of @stream if it belongs to @backend. */
static gboolean
find_stream (HirCudaBackend *backend, HirCuStream stream, guint *index)
{
  if (backend->last_used < backend->streams->len &&
      hir_cuda_get_stream (backend, backend->last_used)->stream == stream)
    {
      *index = backend->last_used;
      return TRUE;
    }
  for (guint i = 0; i < backend->streams->len; i++)
    if (hir_cuda_get_stream (backend, i)->stream == stream)
      {
        *index = backend->last_used = i;
        return TRUE;
      }
  return FALSE;
}

void
hir_cuda_backend_use (HirBackend *base, const HirValue *value, HirCuStream stream)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  guint index;

  if (find_stream (backend, stream, &index))
    hir_cuda_pool_use (backend->pool, value->buffer, index);
}

HirBuffer *
hir_cuda_backend_allocate (HirBackend *base, HirCuStream stream, gsize size_bytes, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  guint index;

  g_return_val_if_fail (find_stream (backend, stream, &index), NULL);
  return hir_cuda_pool_allocate (backend->pool, index, size_bytes, error);
}

void
hir_cuda_backend_set_shareable (HirBackend *base)
{
  hir_cuda_pool_set_shareable (((HirCudaBackend *) base)->pool);
}

HirCudaShare *
hir_cuda_backend_share (HirBackend *base, HirBuffer *buffer, GError **error)
{
  return hir_cuda_pool_share (((HirCudaBackend *) base)->pool, buffer, error);
}

/* Returns the kernel of @reduction, which is compiled at its first use. */
static HirCuFunction
get_kernel (HirCudaBackend *backend, const HirCudaReduction *reduction, GError **error)
{
  gpointer key = GUINT_TO_POINTER ((guint) reduction->dtype << 8 | (guint) reduction->op);
  HirCuFunction function = g_hash_table_lookup (backend->reductions, key);
  g_autofree char *name = NULL;
  g_autofree char *source = NULL;

  if (function != NULL)
    return function;
  name = g_strdup_printf ("reduce_ranks_%s_%s", hir_binary_op_get_name (reduction->op),
                          hir_dtype_get_short_name (reduction->dtype));
  source = hir_codegen_rank_reduction (reduction->dtype, reduction->op, name);
  if (source == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL, "there is no kernel to reduce %s by %s",
                     hir_dtype_get_short_name (reduction->dtype),
                     hir_binary_op_get_name (reduction->op));
      return NULL;
    }
  function = hir_kernel_cache_get (backend->kernels, name, source, error);
  if (function != NULL)
    g_hash_table_insert (backend->reductions, key, function);
  return function;
}

gboolean
hir_cuda_backend_reduce (HirBackend *base,
                         HirCuStream stream,
                         const HirCudaReduction *reduction,
                         GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  HirCudaReduction values = *reduction;
  HirCuFunction kernel;
  gpointer arguments[] = { &values.out, &values.own,     &values.others,
                           &values.n,   &values.n_ranks, &values.place };
  gint64 n_blocks = (values.n + HIR_RANKS_BLOCK_THREADS - 1) / HIR_RANKS_BLOCK_THREADS;

  if (values.n == 0)
    return TRUE;
  kernel = get_kernel (backend, reduction, error);
  if (kernel == NULL)
    return FALSE;
  return hir_cu_check (backend->device->libs,
                       backend->cuda->launch_kernel (kernel,
                                                     (guint) MIN (n_blocks,
                                                                  hir_cuda_get_max_blocks (
                                                                      backend)),
                                                     1, 1, HIR_RANKS_BLOCK_THREADS, 1, 1, 0, stream,
                                                     arguments, NULL),
                       error, "launching a reduction");
}
