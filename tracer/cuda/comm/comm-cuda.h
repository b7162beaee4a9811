/* GPU communicators (docs/host-ir.md#communication), based on NCCL's collectives, NCCL's sends and
 * receives, or copy engines.
 *
 * A matcher first matches the posts of all ranks, as for virtual devices or MPI ranks. The host
 * thread of a rank puts its part on the communicator's stream only after all members of the team
 * have reached the same communication, so that a mismatch is reported before anything is launched.
 */
#pragma once

#include "cuda/backend/backend-cuda.h"
#include "run/comm/comm-local.h"
#include "run/comm/comm-transport.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* State shared by the ranks of one process: rendezvous of host threads, NCCL communicators and the
 * watchdog thread. One per run. */
typedef struct _HirCommHub HirCommHub;

/* Creates a hub. @libs and @mpi are borrowed; @mpi is NULL if all ranks are in this process. Opens
 * NCCL if @settings require it and there is more than one rank. Returns NULL and sets
 * HIR_ERROR_UNSUPPORTED if NCCL is missing. */
HirCommHub *hir_comm_hub_new (HirCudaLibs *libs,
                              const HirCommSettings *settings,
                              int n_ranks,
                              HirMpiModule *mpi,
                              GError **error);
/* Frees @hub. All its communicators must be freed before. */
void hir_comm_hub_free (HirCommHub *hub);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommHub, hir_comm_hub_free)
/* Returns the name of the transport for the recording, such as "NCCL 2.28.3" or "copy engines"
 * (borrowed). */
const char *hir_comm_hub_get_name (HirCommHub *hub);

/* Creates the communicator of @rank on @backend, which hir_cuda_backend_new() created. @hub, @world
 * and @backend are borrowed. @world matches the posts; it is NULL over MPI. Call on the main
 * thread. */
HirCommunicator *hir_comm_cuda_new (
    HirCommHub *hub, HirCommWorld *world, int rank, HirBackend *backend, GError **error);

G_END_DECLS
