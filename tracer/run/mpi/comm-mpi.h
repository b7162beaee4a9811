/* Ranks that are processes. */
#pragma once

#include "run/communicator.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* This process's rank; one at a time. Borrows @mpi. It matches posts as the local one does, by
 * headers that each rank sends to the others of a team (or to its peer) when it posts; data moves
 * once they fit and both streams are there. So what can't fit is found when it is posted, and a
 * rank that ends without posting when it ends. Ranks that wait for each other in a circle, or for
 * one that hangs, are found by the module's time-out. The first error ends the run on all ranks.
 *
 * Reductions are those of the local one: element by element in the order of the team, so numbers
 * are equal. An Allreduce is spread over the team: each member reduces one part of it. */
HirCommunicator *hir_comm_mpi_new (HirMpiModule *mpi);

G_END_DECLS
