/* Puts GPUs under a session: libraries, devices, back ends, and what NCCL and CUPTI add. One a run;
 * made before the session, freed after it. */
#pragma once

#include "cuda/backend/backend-cuda.h"
#include "cuda/comm/comm-cuda.h"
#include "cuda/cupti/cupti-recorder.h"
#include "run/session/provider.h"

G_BEGIN_DECLS

typedef struct
{
  HirRecorder *recorder; /* nullable: nothing is recorded. Outlives the provider */
  gboolean trace_full;   /* host calls too */
  HirCommSettings comm;  /* how Communications are carried out */
  HirMpiModule *mpi;     /* nullable; borrowed: this process is one of its ranks */
  int first_device;      /* the GPU of this process's first rank: MPI's local rank; 0 */
} HirCudaProviderOptions;

/* Opens the libraries and, with a recorder, begins to trace. HIR_ERROR_UNSUPPORTED where one is
 * missing or there is no GPU. Where only the tracing can't be had it goes on without. Main thread.
 */
HirBackendProvider *hir_cuda_provider_new (const HirCudaProviderOptions *options, GError **error);
/* The recorder has its sinks: what is traced may be decoded. After the session is made. */
void hir_cuda_provider_begin (HirBackendProvider *provider);
/* After the program, before the recorder is flushed and the session freed: what the devices
 * recorded is all there. */
void hir_cuda_provider_finish (HirBackendProvider *provider);
/* Nullable; borrowed: why nothing is recorded although it was asked for. */
const char *hir_cuda_provider_get_untraced_reason (HirBackendProvider *provider);
/* Nullable: nothing is traced. Borrowed. */
HirCuptiRecorder *hir_cuda_provider_get_cupti (HirBackendProvider *provider);
/* Nullable before the session is made. Borrowed. */
HirCommHub *hir_cuda_provider_get_hub (HirBackendProvider *provider);
/* "NVIDIA H100 80GB HBM3, CUDA 13.0": for the recording. Newly allocated. */
char *hir_cuda_provider_dup_name (HirBackendProvider *provider);
/* The session must be gone. */
void hir_cuda_provider_free (HirBackendProvider *provider);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBackendProvider, hir_cuda_provider_free)

G_END_DECLS
