/* An allocation of this process's GPU that others may open. It goes back to the driver once neither
 * its owner nor whoever lends it needs it: the driver forbids to free what others have open. */
#pragma once

#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* Immutable. */
typedef struct
{
  gatomicrefcount ref_count;
  HirCudaDevice *device;
  guint64 number;    /* which one of its owner's */
  HirCuAddress base; /* in this process */
  HirCuIpcMem handle;
} HirCudaShare;

/* Takes @base, an allocation of cuMemAlloc, where it succeeds. @device is referenced. */
HirCudaShare *
hir_cuda_share_new (HirCudaDevice *device, guint64 number, HirCuAddress base, GError **error);
HirCudaShare *hir_cuda_share_ref (HirCudaShare *share);
/* The last one gives the memory back: the GPU must be done with it. Any thread. */
void hir_cuda_share_unref (HirCudaShare *share);

G_END_DECLS
