/* Provides the GPU back ends of a session: libraries, devices, back ends, NCCL and CUPTI. One per
 * run. Create it before the session and free it after the session. */
#pragma once

#include "cuda/backend/backend-cuda.h"
#include "cuda/comm/comm-cuda.h"
#include "cuda/cupti/cupti-recorder.h"
#include "run/session/provider.h"

G_BEGIN_DECLS

typedef struct
{
  HirRecorder *recorder; /* must outlive the provider; NULL to record nothing */
  gboolean trace_full;   /* also record host calls */
  HirCommSettings comm;  /* transport of communications */
  HirMpiModule *mpi;     /* borrowed; NULL unless this process is an MPI rank */
  GArray *gpus;          /* gint: GPUs to use, in this order; NULL: all of the machine */
  gboolean share_gpus;   /* ranks may share GPUs */
} HirCudaProviderOptions;

/* Opens the libraries and, with a recorder, starts tracing. Returns NULL and sets
 * HIR_ERROR_UNSUPPORTED if a library is missing or there is no GPU. If only tracing is unavailable,
 * the provider works without it; see hir_cuda_provider_get_untraced_reason(). Call on the main
 * thread. */
HirBackendProvider *hir_cuda_provider_new (const HirCudaProviderOptions *options, GError **error);
/* Starts decoding of the trace. Call after the session is created and the recorder has its sinks.
 */
void hir_cuda_provider_begin (HirBackendProvider *provider);
/* Passes all remaining device events to the recorder. Call after the program has ended, before the
 * recorder is flushed and the session freed. */
void hir_cuda_provider_finish (HirBackendProvider *provider);
/* Returns why a requested trace is not recorded, or NULL (borrowed). */
const char *hir_cuda_provider_get_untraced_reason (HirBackendProvider *provider);
/* Returns the CUPTI recorder, or NULL if nothing is traced (borrowed). */
HirCuptiRecorder *hir_cuda_provider_get_cupti (HirBackendProvider *provider);
/* Returns the hub of the communicators, or NULL before the session is created (borrowed). */
HirCommHub *hir_cuda_provider_get_hub (HirBackendProvider *provider);
/* Returns the name of the GPU for the recording, such as "NVIDIA H100 80GB HBM3, CUDA 13.0"; newly
 * allocated. */
char *hir_cuda_provider_dup_name (HirBackendProvider *provider);
/* Returns "8 ranks on 1 GPU: they compete for it" if ranks share GPUs, otherwise NULL; newly
 * allocated. Over MPI only for rank 0. Call after the session is created. */
char *hir_cuda_provider_dup_sharing (HirBackendProvider *provider);
/* Frees @provider. The session must be freed before. */
void hir_cuda_provider_free (HirBackendProvider *provider);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBackendProvider, hir_cuda_provider_free)

G_END_DECLS
