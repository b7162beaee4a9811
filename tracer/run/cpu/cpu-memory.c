/* What the CPU back end does with memory itself: it is the host's. */
#include <string.h>

#include "run/cpu/cpu-memory.h"

#include "run/cpu/cpu-ops.h"

/* No one else knows the buffer yet, so that the host may write to it. */
gboolean
hir_cpu_memory_fill (HirBackend *base,
                     guint stream,
                     HirBuffer *buffer,
                     guint8 byte,
                     const HirEvent *event,
                     GError **error)
{
  if (buffer->data != NULL)
    memset (buffer->data, byte, buffer->size_bytes);
  return TRUE;
}

HirValue *
hir_cpu_memory_upload (HirBackend *base, HirValue *tensor, GError **error)
{
  return hir_value_ref (tensor);
}

gboolean
hir_cpu_memory_read (HirBackend *base, const HirValue *tensor, gpointer host, GError **error)
{
  HirBuffer target = { .data = host, .size_bytes = hir_value_get_size_bytes (tensor) };
  g_autoptr (HirValue) view = NULL;

  g_atomic_ref_count_init (&target.ref_count);
  view = hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, NULL, &target);
  if (!hir_buffer_ensure (tensor->buffer, error))
    return FALSE;
  return hir_cpu_copy (view, tensor);
}
