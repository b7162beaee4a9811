/* Kernels for one GPU: compiled once, kept in the user's cache folder, loaded once a device. */
#pragma once

#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* Compiles @source (without the prelude) for compute capability @arch, without the cache. Returns
 * an ELF image (transfer full). Any thread. @error: HIR_ERROR_UNSUPPORTED if NVRTC does not support
 * the GPU, HIR_ERROR_RUN with NVRTC's log if it rejects the source. */
GBytes *hir_nvrtc_compile_new (
    const HirCudaLibs *libs, const char *name, const char *source, int arch, GError **error);

/* What a device has loaded. One thread. */
typedef struct _HirKernelCache HirKernelCache;

HirKernelCache *hir_kernel_cache_new (HirCudaDevice *device);
/* The context is current; its functions are not used any more. */
void hir_kernel_cache_free (HirKernelCache *cache);
/* NULL and an error as above. */
HirCuFunction
hir_kernel_cache_get (HirKernelCache *cache, const char *name, const char *source, GError **error);

G_END_DECLS
