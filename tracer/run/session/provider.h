/* Source of the back ends of a session: the CPU by default, or GPUs through this table, which code
 * at the top of tracer/ provides. tracer/run knows GPUs only through it. */
#pragma once

#include "run/backend.h"
#include "run/comm/comm-local.h"

G_BEGIN_DECLS

typedef struct _HirBackendProvider HirBackendProvider;

typedef struct
{
  /* Prepares @n_ranks ranks of this process. Called before the first rank. Sets
   * HIR_ERROR_UNSUPPORTED if the machine has too few devices. */
  gboolean (*prepare) (HirBackendProvider *provider, guint n_ranks, GError **error);
  /* Creates the back end of rank @options->rank, with the launch tracer of the provider. Called
   * once per rank on the main thread. */
  HirBackend *(*new_backend) (HirBackendProvider *provider,
                              const HirBackendOptions *options,
                              GError **error);
  /* Optional; the default is hir_comm_local_new(), whose work such a back end rejects. Creates the
   * communicator of @rank. @world (borrowed) matches the posts of this process's ranks; NULL over
   * MPI. Called once per rank, after new_backend(). */
  HirCommunicator *(*new_communicator) (HirBackendProvider *provider,
                                        HirCommWorld *world,
                                        int rank,
                                        HirBackend *backend,
                                        GError **error);
} HirBackendProviderClass;

struct _HirBackendProvider
{
  const HirBackendProviderClass *klass;
};

G_END_DECLS
