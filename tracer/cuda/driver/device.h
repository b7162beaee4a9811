/* GPU on which a rank of this process runs. */
#pragma once

#include "cuda/driver/libs.h"

G_BEGIN_DECLS

/* Reference-counted, because a communicator may outlive the back end. Immutable after creation. */
typedef struct
{
  gatomicrefcount ref_count;
  gsize serial;            /* unique in this process, never reused */
  const HirCudaLibs *libs; /* borrowed */
  int ordinal;             /* number used by the driver, after CUDA_VISIBLE_DEVICES */
  HirCuDevice device;
  HirCuContext context; /* primary context, retained */
  char *name;           /* "NVIDIA H100 80GB HBM3" */
  int n_sms;
  int arch;                         /* 90: compute capability 9.0 */
  int least_priority, top_priority; /* of streams; the top priority is the smaller number */
} HirCudaDevice;

/* Returns the number of devices that the driver finds, or 0 and sets @error if the query fails. */
int hir_cuda_device_count (const HirCudaLibs *libs, GError **error);
/* Opens GPU @ordinal and makes its primary context current on this thread. @libs (borrowed) must
 * outlive the device. Returns NULL and sets @error as hir_cu_check() does if the GPU does not exist
 * or a driver call fails. */
HirCudaDevice *hir_cuda_device_new (const HirCudaLibs *libs, int ordinal, GError **error);
HirCudaDevice *hir_cuda_device_ref (HirCudaDevice *device);
/* Releases a reference. The last one releases the primary context. */
void hir_cuda_device_unref (HirCudaDevice *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCudaDevice, hir_cuda_device_unref)

/* Makes the context of @device current on this thread. Calls the driver unless @device is the
 * one that this function made current last. */
gboolean hir_cuda_device_make_current (HirCudaDevice *device, GError **error);
/* Call after the context of this thread was changed by other means. The next
 * hir_cuda_device_make_current() then calls the driver. */
void hir_cuda_device_forget_current (void);

G_END_DECLS
