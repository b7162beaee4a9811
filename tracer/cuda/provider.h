/* Puts GPUs under a session: libraries, devices, back ends, and what NCCL and CUPTI add. One a run;
 * made before the session, freed after it. */
#pragma once

#include "cuda/backend-cuda.h"
#include "run/provider.h"

G_BEGIN_DECLS

typedef struct
{
  HirRecorder *recorder; /* nullable: nothing is recorded. Outlives the provider */
  gboolean trace_full;   /* host calls too */
  int first_device;      /* the GPU of this process's first rank: MPI's local rank; 0 */
} HirCudaProviderOptions;

/* Opens the libraries. HIR_ERROR_UNSUPPORTED where one is missing or there is no GPU. */
HirBackendProvider *hir_cuda_provider_new (const HirCudaProviderOptions *options, GError **error);
/* After the program, before the recorder is flushed: what the device recorded is all there. */
gboolean hir_cuda_provider_finish (HirBackendProvider *provider, GError **error);
/* Nullable; borrowed: why nothing is recorded although it was asked for. */
const char *hir_cuda_provider_get_untraced_reason (HirBackendProvider *provider);
void hir_cuda_provider_free (HirBackendProvider *provider);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBackendProvider, hir_cuda_provider_free)

G_END_DECLS
