/* Where a session takes the engine of each of its ranks from: the CPU by itself, or a GPU by what
 * the top of tracer/ gives it. tracer/run knows of GPUs only through this table. */
#pragma once

#include "run/backend.h"
#include "run/comm/comm-local.h"

G_BEGIN_DECLS

typedef struct _HirBackendProvider HirBackendProvider;

typedef struct
{
  /* Before the first rank: @n_ranks of this process are to run. HIR_ERROR_UNSUPPORTED where the
   * machine has too few devices. */
  gboolean (*prepare) (HirBackendProvider *provider, guint n_ranks, GError **error);
  /* The engine of rank @options->rank. The provider adds its launch tracer to the options. Main
   * thread; one call a rank. */
  HirBackend *(*new_backend) (HirBackendProvider *provider,
                              const HirBackendOptions *options,
                              GError **error);
  /* Nullable: hir_comm_local_new(), whose work such a back end refuses. @world matches the posts of
   * this process's ranks, NULL over MPI; borrowed. One call a rank, after that of new_backend(). */
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
