/* A GPU that a rank of this process runs on. */
#pragma once

#include "cuda/driver/libs.h"

G_BEGIN_DECLS

/* Counted, for a communicator may outlive the back end. Immutable after it is made. */
typedef struct
{
  gatomicrefcount ref_count;
  gsize serial;            /* no other has it, nor had */
  const HirCudaLibs *libs; /* borrowed */
  int ordinal;             /* of the driver, after CUDA_VISIBLE_DEVICES */
  HirCuDevice device;
  HirCuContext context; /* the primary one, retained */
  char *name;           /* "NVIDIA H100 80GB HBM3" */
  int n_sms;
  int arch;                         /* 90: compute capability 9.0 */
  int least_priority, top_priority; /* of streams; the top one is the smaller number */
} HirCudaDevice;

/* Devices that the driver sees; 0 and an error where it can't say. */
int hir_cuda_device_count (const HirCudaLibs *libs, GError **error);
/* The context is retained and current on this thread. Errors: HIR_ERROR_UNSUPPORTED where there is
 * no such GPU, HIR_ERROR_RUN. */
HirCudaDevice *hir_cuda_device_new (const HirCudaLibs *libs, int ordinal, GError **error);
HirCudaDevice *hir_cuda_device_ref (HirCudaDevice *device);
void hir_cuda_device_unref (HirCudaDevice *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCudaDevice, hir_cuda_device_unref)

/* Its context becomes this thread's. The driver is called only where another one was: all that
 * change it go this way, or call the second. */
gboolean hir_cuda_device_make_current (HirCudaDevice *device, GError **error);
void hir_cuda_device_forget_current (void);

G_END_DECLS
