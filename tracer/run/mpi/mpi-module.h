/* The processes of a launcher (mpirun, srun), as the rest of the program sees them: who I am, who
 * is on my machine, and bytes between ranks. MPI itself is in a shared module of its own, which is
 * loaded only under a launcher (run/mpi-wire.h); nothing else links it. All calls of MPI are made
 * by one thread of this object, so those below may come from any thread. */
#pragma once

#include <gio/gio.h>

#include "diagnostic.h"

G_BEGIN_DECLS

typedef struct _HirMpiModule HirMpiModule;

/* Fields are constant once it is there. Functions block until the bytes are here, all ranks (of the
 * team) call the same ones in the same order, and one thread of a process at a time. They fail
 * (HIR_ERROR_RUN, naming the rank) where a rank's process is gone, where nothing was heard of it
 * for twice the time-out, and where another rank has aborted the run: then with that rank's error. @what
 * names the call: calls of one name are matched in their order. */
struct _HirMpiModule
{
  int rank, size;
  int local_rank, local_size; /* among the ranks of this machine (host name and boot id) */
  const char *host;           /* this machine's name, or what HIRSCOPE_HOST says */
};

/* How many processes the launcher says it started: 0 where this process was started by none. Looks
 * at the environment alone (Open MPI, MPICH and other users of PMI, PMIx, a step of Slurm).
 * *@rank, nullable: -1 where it does not say. */
int hir_mpi_launcher_get_size (int *rank);

/* Where the shared module is: beside the program, else where it is installed. Newly allocated; NULL:
 * it was not built. */
char *hir_mpi_module_dup_path (void);

/* Loads the module, starts MPI and meets the other ranks. Errors (HIR_ERROR_UNSUPPORTED): there is
 * no module beside the program or in its library folder, it can't be loaded, or it is for another
 * MPI than the launcher's. Once a process. Blocks SIGTERM, which then aborts the run in words. */
HirMpiModule *hir_mpi_module_new (GError **error);
/* Waits for the other ranks to come here too, unless one of them is gone or does not come; ends MPI
 * with them. FALSE where that could not be: then leave the process by _exit(), for MPI's own
 * handlers would wait for ever. */
gboolean hir_mpi_module_free (HirMpiModule *mpi);

/* @size bytes at @data of @root, to all. */
gboolean hir_mpi_module_bcast (HirMpiModule *mpi,
                   const char *what,
                   gpointer data,
                   gsize size,
                   int root,
                   GError **error);
/* @size bytes of each rank, to all: @all has room for mpi->size times @size, in rank order. */
gboolean hir_mpi_module_allgather (HirMpiModule *mpi,
                       const char *what,
                       gconstpointer mine,
                       gsize size,
                       gpointer all,
                       GError **error);
gboolean hir_mpi_module_barrier (HirMpiModule *mpi, const char *what, GError **error);
/* Any number of bytes of each rank, to @root: there *@all is an array of GBytes* in rank order
 * (owned by the caller, frees its elements), elsewhere NULL. */
gboolean hir_mpi_module_gather (HirMpiModule *mpi,
                    const char *what,
                    GBytes *mine,
                    int root,
                    GPtrArray **all,
                    GError **error);
/* As bcast, among the @n ranks @members (different ones; this rank is one of them). The root is
 * @members[0]. The order of calls counts for each team alone. */
gboolean hir_mpi_module_team_bcast (HirMpiModule *mpi,
                        const char *what,
                        const gint64 *members,
                        guint n,
                        gpointer data,
                        gsize size,
                        GError **error);

/* Ends the run on all ranks: their blocking calls and communications fail with @error, unless they
 * have one already. Any thread. */
void hir_mpi_module_abort (HirMpiModule *mpi, const GError *error);
/* A run begins: what its ranks abort from here on, and not what was agreed on before, which a slower
 * rank may still be reading. All ranks come here, in any order; each then ends it, too. */
void hir_mpi_module_begin_run (HirMpiModule *mpi);
/* The run is over on this rank, well or not; calls reach the others again, who all come here, too.
 * TRUE where it was this rank that aborted it. */
gboolean hir_mpi_module_end_run (HirMpiModule *mpi);

/* How long a rank is waited for; 0: for ever. 10 s until it is said. */
void hir_mpi_module_set_timeout (HirMpiModule *mpi, double timeout_s);
/* Whether @rank is on this machine. */
gboolean hir_mpi_module_is_local (HirMpiModule *mpi, int rank);

G_END_DECLS
