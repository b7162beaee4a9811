/* Device memory: allocation, fills, upload of inputs and download of results. */
#include <string.h>

#include "cuda/backend/backend-private.h"
#include "run/cpu/cpu-ops.h"

HirBuffer *
hir_cuda_allocate (HirBackend *base, guint stream, gsize size_bytes, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;

  return hir_cuda_device_make_current (backend->device, error)
             ? hir_cuda_pool_allocate (backend->pool, stream, size_bytes, error)
             : NULL;
}

gboolean
hir_cuda_fill (HirBackend *base,
               guint stream,
               HirBuffer *buffer,
               guint8 byte,
               const HirEvent *event,
               GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  HirCuResult result;

  if (buffer->size_bytes == 0)
    return TRUE;
  if (event != NULL)
    hir_cuda_push (backend, event);
  backend->counts.n_memsets++;
  result = backend->cuda->memset_d8_async ((HirCuAddress) (guintptr) buffer->data, byte,
                                           buffer->size_bytes,
                                           hir_cuda_get_stream (backend, stream)->stream);
  if (event != NULL)
    hir_cuda_pop (backend);
  return hir_cu_check (backend->device->libs, result, error,
                       "filling a buffer of %" G_GSIZE_FORMAT " bytes on rank %d",
                       buffer->size_bytes, backend->options.rank);
}

static void
describe_copy (
    HirCudaBackend *backend, HirEvent *event, HirPhase phase, const char *name, gsize bytes)
{
  *event = (HirEvent){
    .kind = HIR_EVENT_MEMCPY,
    .iteration = -1,
    .phase = (guint8) phase,
    .bytes = (gint64) bytes,
    .track = backend->track,
  };
  if (backend->options.recorder != NULL)
    event->name = hir_recorder_intern (backend->options.recorder, name);
}

static gboolean
copy_in (HirCudaBackend *backend, HirBuffer *to, const HirBuffer *from, GError **error)
{
  HirEvent event;
  HirCuResult result;

  if (from->size_bytes == 0)
    return TRUE;
  describe_copy (backend, &event, HIR_PHASE_SETUP, "upload", from->size_bytes);
  hir_cuda_push (backend, &event);
  backend->counts.n_memcpys++;
  result = hir_cu_copy_in (backend->device->libs, (HirCuAddress) (guintptr) to->data, from->data,
                           from->size_bytes);
  hir_cuda_pop (backend);
  return hir_cu_check (backend->device->libs, result, error, "copying an input to GPU %d",
                       backend->device->ordinal);
}

HirValue *
hir_cuda_upload (HirBackend *base, HirValue *tensor, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  g_autoptr (HirBuffer) buffer = NULL;
  HirValue *value;

  if (!hir_buffer_ensure (tensor->buffer, error))
    return NULL;
  buffer = hir_cuda_allocate (base, 0, tensor->buffer->size_bytes, error);
  if (buffer == NULL || !copy_in (backend, buffer, tensor->buffer, error))
    return NULL;
  value =
      hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, tensor->strides, buffer);
  value->offset = tensor->offset;
  return value;
}

static gboolean
copy_out (HirCudaBackend *backend, gpointer to, HirCuAddress from, gsize bytes, GError **error)
{
  HirEvent event;
  HirCuResult result;

  describe_copy (backend, &event, HIR_PHASE_CHECK, "read", bytes);
  hir_cuda_push (backend, &event);
  backend->counts.n_memcpys++;
  result = backend->cuda->memcpy_dtoh (to, from, bytes);
  hir_cuda_pop (backend);
  return hir_cu_check (backend->device->libs, result, error, "reading memory of GPU %d",
                       backend->device->ordinal);
}

gboolean
hir_cuda_read (HirBackend *base, const HirValue *tensor, gpointer host, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  gsize size = hir_dtype_get_size_bytes (tensor->dtype);
  gint64 last = 0;
  HirBuffer target = { .data = host, .size_bytes = hir_value_get_size_bytes (tensor) };
  g_autoptr (HirBuffer) span = NULL;
  g_autoptr (HirValue) from = NULL;
  g_autoptr (HirValue) to = NULL;

  if (target.size_bytes == 0)
    return TRUE;
  if (tensor->buffer->data == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "a tensor on GPU %d has no memory to read",
                     backend->device->ordinal);
      return FALSE;
    }
  if (!hir_cuda_device_make_current (backend->device, error))
    return FALSE;
  if (hir_value_is_contiguous (tensor))
    return copy_out (backend, host, (HirCuAddress) (guintptr) hir_value_get_data (tensor),
                     target.size_bytes, error);
  /* Copy everything between the first and the last element; the CPU then picks the elements. */
  for (guint i = 0; i < tensor->n_dims; i++)
    last += (tensor->sizes[i] - 1) * tensor->strides[i];
  span = hir_buffer_new ((gsize) (last + 1) * size, error);
  if (span == NULL ||
      !copy_out (backend, span->data, (HirCuAddress) (guintptr) hir_value_get_data (tensor),
                 span->size_bytes, error))
    return FALSE;
  g_atomic_ref_count_init (&target.ref_count);
  from = hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, tensor->strides, span);
  to = hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, NULL, &target);
  if (hir_cpu_copy (to, from))
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, NULL, "cannot pick the elements of a tensor of GPU %d",
                 backend->device->ordinal);
  return FALSE;
}
