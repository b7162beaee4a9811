#include "cuda/driver/share.h"

HirCudaShare *
hir_cuda_share_new (HirCudaDevice *device, guint64 number, HirCuAddress base, GError **error)
{
  HirCudaShare *share = g_new0 (HirCudaShare, 1);

  if (!hir_cu_check (device->libs, device->libs->cuda.ipc_get_mem_handle (&share->handle, base),
                     error, "sharing memory of GPU %d with other processes", device->ordinal))
    {
      g_free (share);
      return NULL;
    }
  g_atomic_ref_count_init (&share->ref_count);
  share->device = hir_cuda_device_ref (device);
  share->number = number;
  share->base = base;
  return share;
}

HirCudaShare *
hir_cuda_share_ref (HirCudaShare *share)
{
  g_atomic_ref_count_inc (&share->ref_count);
  return share;
}

void
hir_cuda_share_unref (HirCudaShare *share)
{
  if (!g_atomic_ref_count_dec (&share->ref_count))
    return;
  if (hir_cuda_device_make_current (share->device, NULL))
    (void) share->device->libs->cuda.mem_free (share->base);
  hir_cuda_device_unref (share->device);
  g_free (share);
}
