/* Communicators of GPUs (docs/host-ir.md#communication): NCCL's collectives, its sends and
 * receives, or copy engines. What is posted is matched first, as between virtual devices or MPI
 * ranks; a rank's host thread puts its part on the communicator's stream once all others of the
 * team have come to the same place, so that what does not fit is named before anything is
 * launched. */
#pragma once

#include "cuda/backend/backend-cuda.h"
#include "run/comm/comm-local.h"
#include "run/comm/comm-transport.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* What the ranks of one process share: where their host threads meet, NCCL's communicators, the
 * thread that looks for NCCL's errors. One a run. */
typedef struct _HirCommHub HirCommHub;

/* Borrows @libs and @mpi (nullable: all ranks are of this process). Opens NCCL where @settings ask
 * for it and there is more than one rank. HIR_ERROR_UNSUPPORTED where it is missing. */
HirCommHub *hir_comm_hub_new (HirCudaLibs *libs,
                              const HirCommSettings *settings,
                              int n_ranks,
                              HirMpiModule *mpi,
                              GError **error);
/* Its communicators must be gone. */
void hir_comm_hub_free (HirCommHub *hub);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommHub, hir_comm_hub_free)
/* "NCCL 2.28.3", "copy engines": for the recording. Static or owned by @hub. */
const char *hir_comm_hub_get_name (HirCommHub *hub);

/* Of rank @rank, on @backend, one of hir_cuda_backend_new(); borrows both. @world matches the
 * posts; NULL over MPI. Main thread. */
HirCommunicator *hir_comm_cuda_new (
    HirCommHub *hub, HirCommWorld *world, int rank, HirBackend *backend, GError **error);

G_END_DECLS
