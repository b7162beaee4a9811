/* A device allocation that other processes can open through CUDA IPC. It is freed with its last
 * reference, because the driver forbids freeing memory that another process has open. */
#pragma once

#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* Immutable after creation. */
typedef struct
{
  gatomicrefcount ref_count;
  HirCudaDevice *device;
  guint64 number;    /* unique within the owner's pool */
  HirCuAddress base; /* address in this process */
  HirCuIpcMem handle;
} HirCudaShare;

/* Creates a share for @base, an allocation made by cuMemAlloc. Takes ownership of @base on success
 * and a reference to @device. Returns NULL and sets @error if the driver gives no IPC handle. */
HirCudaShare *
hir_cuda_share_new (HirCudaDevice *device, guint64 number, HirCuAddress base, GError **error);
HirCudaShare *hir_cuda_share_ref (HirCudaShare *share);
/* Releases a reference. The last one frees the memory, so the GPU must no longer use it. Any
 * thread. */
void hir_cuda_share_unref (HirCudaShare *share);

G_END_DECLS
