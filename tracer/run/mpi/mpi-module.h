/* The processes of a launcher (mpirun, srun): ranks, machines, and exchange of bytes between ranks.
 * MPI is in a separate shared module, which is loaded only under a launcher (run/mpi/mpi-wire.h);
 * nothing else links it. All MPI calls are made by one thread of this object, so the functions
 * below can be called from any thread. */
#pragma once

#include <gio/gio.h>

#include "diagnostic.h"

G_BEGIN_DECLS

typedef struct _HirMpiModule HirMpiModule;

/* Fields are constant. The collective functions block until the bytes have arrived. All ranks (of
 * the team) must call the same ones in the same order, from one thread per process at a time; @what
 * names a call, and calls with the same name match in order. They fail with HIR_ERROR_RUN, naming
 * the rank, if a process has died or a rank has been silent for twice the timeout, and with the
 * error of another rank that aborted the run. */
struct _HirMpiModule
{
  int rank, size;
  int local_rank, local_size; /* among the ranks of this machine (same host name and boot id) */
  const char *host;           /* host name, or HIRSCOPE_HOST */
};

/* Returns the number of processes that the launcher started, or 0 without a launcher. Reads only
 * the environment (Open MPI, MPICH and other users of PMI, PMIx, Slurm steps). Sets *@rank
 * (nullable) to the rank, or to -1 if it is not known. */
int hir_mpi_launcher_get_size (int *rank);

/* Returns the path of the shared module, next to the program or in its installation; newly
 * allocated. NULL if it was not built. */
char *hir_mpi_module_dup_path (void);

/* Loads the module, starts MPI and connects to the other ranks. Sets HIR_ERROR_UNSUPPORTED if the
 * module is missing, cannot be loaded or is for another MPI than that of the launcher. Call once
 * per process. Blocks SIGTERM, which then aborts the run with an error message. */
HirMpiModule *hir_mpi_module_new (GError **error);
/* Waits for the other ranks to call this function, unless one of them died or does not answer, and
 * ends MPI. Returns FALSE if MPI could not be ended: leave the process with _exit() then, because
 * MPI's exit handlers would wait forever. */
gboolean hir_mpi_module_free (HirMpiModule *mpi);

/* Copies @size bytes at @data from @root to all ranks. */
gboolean hir_mpi_module_bcast (
    HirMpiModule *mpi, const char *what, gpointer data, gsize size, int root, GError **error);
/* Copies @size bytes from each rank to all ranks. @all has mpi->size times @size bytes, in rank
 * order. */
gboolean hir_mpi_module_allgather (HirMpiModule *mpi,
                                   const char *what,
                                   gconstpointer mine,
                                   gsize size,
                                   gpointer all,
                                   GError **error);
/* Waits until all ranks have called this function. */
gboolean hir_mpi_module_barrier (HirMpiModule *mpi, const char *what, GError **error);
/* Copies any number of bytes from each rank to @root, where *@all is set to an array of GBytes* in
 * rank order (owned by the caller). On other ranks it is NULL. */
gboolean hir_mpi_module_gather (
    HirMpiModule *mpi, const char *what, GBytes *mine, int root, GPtrArray **all, GError **error);
/* Like hir_mpi_module_bcast(), among @n distinct ranks @members, which include this rank. The root
 * is @members[0]. The order of calls matters only within each team. */
gboolean hir_mpi_module_team_bcast (HirMpiModule *mpi,
                                    const char *what,
                                    const gint64 *members,
                                    guint n,
                                    gpointer data,
                                    gsize size,
                                    GError **error);

/* Aborts the run on all ranks: their blocking calls and communications fail with @error, unless
 * they have an error already. Any thread. */
void hir_mpi_module_abort (HirMpiModule *mpi, const GError *error);
/* Starts a run, to which later aborts belong. Slower ranks can still finish earlier calls. All
 * ranks must call it, in any order, and end the run later. */
void hir_mpi_module_begin_run (HirMpiModule *mpi);
/* Ends the run on this rank, after success or failure. Later calls reach all ranks again once they
 * have ended the run too. Returns TRUE if this rank aborted it. */
gboolean hir_mpi_module_end_run (HirMpiModule *mpi);

/* Sets the timeout of waits for a rank; 0: no limit. The default is 10 s. */
void hir_mpi_module_set_timeout (HirMpiModule *mpi, double timeout_s);
/* Returns TRUE if @rank is on this machine. */
gboolean hir_mpi_module_is_local (HirMpiModule *mpi, int rank);

G_END_DECLS
