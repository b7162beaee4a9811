/* Compiles and loads kernels. Compiled kernels are stored in the user's cache folder; each device
 * loads a kernel once. */
#pragma once

#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* Compiles @source (without the prelude) for compute capability @arch, without the cache. Returns
 * an ELF image (transfer full). Any thread. @error: HIR_ERROR_UNSUPPORTED if NVRTC does not support
 * the GPU, HIR_ERROR_RUN with NVRTC's log if it rejects the source. */
GBytes *hir_nvrtc_compile_new (
    const HirCudaLibs *libs, const char *name, const char *source, int arch, GError **error);

/* Kernels loaded on a device. Not thread-safe. */
typedef struct _HirKernelCache HirKernelCache;

/* Creates an empty cache. Takes a reference to @device. */
HirKernelCache *hir_kernel_cache_new (HirCudaDevice *device);
/* Unloads all kernels, which must no longer be in use. The context must be current. */
void hir_kernel_cache_free (HirKernelCache *cache);
/* Returns the kernel @name of @source, compiled and loaded at the first call; valid as long as
 * @cache. The context must be current. Returns NULL and sets @error as hir_nvrtc_compile_new()
 * does, or if the driver cannot load the kernel. */
HirCuFunction
hir_kernel_cache_get (HirKernelCache *cache, const char *name, const char *source, GError **error);

G_END_DECLS
