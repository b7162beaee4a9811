/* Communicator of ranks that are MPI processes. */
#pragma once

#include "run/communicator.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* Creates the communicator of this process (one at a time), which borrows @mpi. Posts are matched
 * like those of the local communicator, by headers that each rank sends to its team (or peer) when
 * it posts. The data moves once the posts match and all streams have arrived. Mismatches are
 * therefore found at the time of posting, and a rank that ends without posting when it ends.
 * Deadlocks and hanging ranks are found by the timeout of the module. The first error ends the run
 * on all ranks.
 *
 * Reductions give the same numbers as those of the local communicator: element by element in the
 * order of the team. An Allreduce is split over the team: each member reduces one part. */
HirCommunicator *hir_comm_mpi_new (HirMpiModule *mpi);

G_END_DECLS
