/* Kernels for one GPU: compiled once, kept in the user's cache folder, loaded once a device. */
#pragma once

#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* @source (without the prelude) as machine code for compute capability @arch: from the cache, or
 * compiled and put there. Newly allocated bytes, an ELF image. Errors: HIR_ERROR_UNSUPPORTED where
 * NVRTC does not know the GPU; HIR_ERROR_RUN with what NVRTC says of a text that it refuses. Any
 * thread. */
GBytes *hir_nvrtc_compile (
    const HirCudaLibs *libs, const char *name, const char *source, int arch, GError **error);
/* The same without the cache. */
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
