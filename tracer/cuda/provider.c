#include "cuda/provider.h"

typedef struct
{
  HirBackendProvider base;
  HirCudaProviderOptions options;
  HirCudaLibs *libs;
  HirCuptiRecorder *cupti; /* nullable */
  char *untraced;          /* nullable: why cupti is NULL */
  HirCommHub *hub;         /* nullable: made with the session */
  int n_devices;           /* of the machine */
  int n_ranks;             /* of this process */
  int n_made;              /* back ends */
  gboolean is_shared;      /* several ranks use one GPU */
  GPtrArray *backends;     /* HirBackend*, the session's */
  gint64 zero_ns;          /* of the session's events */
} HirCudaProvider;

/* Returns the number of GPUs to choose from. */
static int
count_gpus (const HirCudaProvider *self)
{
  return self->options.gpus != NULL ? (int) self->options.gpus->len : self->n_devices;
}

/* Returns the driver's number of the GPU of rank @place of this machine. Ranks take turns. */
static int
get_ordinal (const HirCudaProvider *self, int place)
{
  int i = place % count_gpus (self);

  return self->options.gpus != NULL ? g_array_index (self->options.gpus, gint, i) : i;
}

static gboolean
check_gpus (const HirCudaProvider *self, GError **error)
{
  for (guint i = 0; self->options.gpus != NULL && i < self->options.gpus->len; i++)
    if (g_array_index (self->options.gpus, gint, i) >= self->n_devices)
      {
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "--gpus: there is no GPU %d: this machine has %d (0 to %d); see hirscope "
                       "doctor",
                       g_array_index (self->options.gpus, gint, i), self->n_devices,
                       self->n_devices - 1);
        return FALSE;
      }
  return TRUE;
}

/* Checks whether @n_ranks ranks of this machine can share its GPUs. NCCL allows one rank per GPU,
 * so copies are the default. */
static gboolean
check_shared (HirCudaProvider *self, int n_ranks, GError **error)
{
  const HirMpiModule *mpi = self->options.mpi;
  HirCommSettings *comm = &self->options.comm;
  int n_gpus = count_gpus (self);

  if (!self->options.share_gpus)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "%d devices need a GPU each, and %s %d; add --share-gpus to let them share "
                     "GPUs, use fewer, or use --backend cpu",
                     n_ranks, self->options.gpus != NULL ? "--gpus lists" : "this machine has",
                     n_gpus);
      return FALSE;
    }
  if (mpi != NULL && mpi->local_size < mpi->size)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "--share-gpus requires all ranks on one machine: %d of %d are on %s, which "
                     "has %d GPU%s to share, and NCCL allows one rank per GPU",
                     mpi->local_size, mpi->size, mpi->host, n_gpus, n_gpus == 1 ? "" : "s");
      return FALSE;
    }
  if (comm->way == HIR_COMM_TRANSPORT_DEFAULT)
    comm->way = HIR_COMM_TRANSPORT_COPY;
  if (comm->way == HIR_COMM_TRANSPORT_COPY)
    return TRUE;
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "--comm %s requires a GPU per device, because NCCL allows one rank per GPU, but "
                 "%d devices share %d GPU%s; use --comm copy",
                 hir_comm_transport_get_name (comm->way), n_ranks, n_gpus, n_gpus == 1 ? "" : "s");
  return FALSE;
}

static gboolean
prepare (HirBackendProvider *base, guint n_ranks, GError **error)
{
  HirCudaProvider *self = (HirCudaProvider *) base;
  const HirMpiModule *mpi = self->options.mpi;
  int n_local = mpi != NULL ? mpi->local_size : (int) n_ranks;

  self->is_shared = FALSE;
  if (!check_gpus (self, error))
    return FALSE;
  if (n_local > count_gpus (self))
    {
      if (!check_shared (self, n_local, error))
        return FALSE;
      self->is_shared = TRUE;
    }
  self->n_made = 0;
  g_ptr_array_set_size (self->backends, 0);
  self->n_ranks = (int) n_ranks;
  /* An aborted hub stays so: each session has its own. */
  g_clear_pointer (&self->hub, hir_comm_hub_free);
  self->hub = hir_comm_hub_new (self->libs, &self->options.comm,
                                mpi != NULL ? mpi->size : (int) n_ranks, self->options.mpi, error);
  return self->hub != NULL;
}

/* Returns the position of this process's first rank among the ranks of this machine. */
static int
get_first_place (const HirCudaProvider *self)
{
  return self->options.mpi != NULL ? self->options.mpi->local_rank : 0;
}

static HirBackend *
new_backend (HirBackendProvider *base, const HirBackendOptions *given, GError **error)
{
  HirCudaProvider *self = (HirCudaProvider *) base;
  HirBackendOptions options = *given;
  HirBackend *backend;
  HirCudaBackendOptions cuda = { .channels_high = self->options.comm.high_priority };
  g_autoptr (HirCudaDevice) device =
      hir_cuda_device_new (self->libs,
                           get_ordinal (self,
                                        get_first_place (self) + self->n_made % self->n_ranks),
                           error);

  if (device == NULL)
    return NULL;
  self->n_made++;
  if (self->cupti != NULL)
    {
      self->zero_ns = options.zero_ns;
      options.launch_tracer = hir_cupti_recorder_get_tracer ();
      options.tracer = self->cupti;
    }
  backend = hir_cuda_backend_new (device, &options, &cuda, error);
  if (backend != NULL)
    g_ptr_array_add (self->backends, backend);
  return backend;
}

static HirCommunicator *
new_communicator (
    HirBackendProvider *base, HirCommWorld *world, int rank, HirBackend *backend, GError **error)
{
  return hir_comm_cuda_new (((HirCudaProvider *) base)->hub, world, rank, backend, error);
}

static const HirBackendProviderClass provider_class = {
  .prepare = prepare,
  .new_backend = new_backend,
  .new_communicator = new_communicator,
};

/* What can't be traced is run all the same. */
static void
start_tracing (HirCudaProvider *self)
{
  g_autoptr (GError) why = NULL;

  self->cupti = hir_cupti_recorder_new (self->libs, self->options.recorder,
                                        self->options.trace_full ? HIR_CUPTI_LEVEL_FULL
                                                                 : HIR_CUPTI_LEVEL_KERNELS,
                                        &why);
  if (self->cupti == NULL)
    self->untraced = g_strdup (why != NULL ? why->message : "CUPTI does not start");
}

HirBackendProvider *
hir_cuda_provider_new (const HirCudaProviderOptions *options, GError **error)
{
  HirCudaProvider *self = g_new0 (HirCudaProvider, 1);

  self->base.klass = &provider_class;
  self->options = *options;
  if (options->gpus != NULL)
    g_array_ref (options->gpus);
  self->backends = g_ptr_array_new ();
  self->libs = hir_cuda_libs_new ();
  if (hir_cuda_libs_open_backend (self->libs, error))
    {
      self->n_devices = hir_cuda_device_count (self->libs, error);
      if (self->n_devices > 0)
        {
          if (options->recorder != NULL)
            start_tracing (self);
          return &self->base;
        }
      if (error != NULL && *error == NULL)
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                       "there is no GPU on this machine; use --backend cpu");
    }
  hir_cuda_provider_free (&self->base);
  return NULL;
}

void
hir_cuda_provider_begin (HirBackendProvider *base)
{
  HirCudaProvider *self = (HirCudaProvider *) base;

  if (self->cupti != NULL)
    hir_cupti_recorder_set_zero (self->cupti, self->zero_ns);
}

/* What the back ends launched must be among what was recorded. */
static void
tell_launched (HirCudaProvider *self)
{
  HirCuptiLaunched launched = { 0 };

  for (guint i = 0; i < self->backends->len; i++)
    {
      HirCudaCounts counts;

      hir_cuda_backend_get_counts (g_ptr_array_index (self->backends, i), &counts);
      launched.n_kernels += counts.n_kernels + counts.n_matmuls;
      launched.n_copies += counts.n_memcpys;
      launched.n_fills += counts.n_memsets;
    }
  hir_cupti_recorder_set_launched (self->cupti, &launched);
}

void
hir_cuda_provider_finish (HirBackendProvider *base)
{
  HirCudaProvider *self = (HirCudaProvider *) base;

  if (self->cupti == NULL)
    return;
  hir_cupti_recorder_finish (self->cupti);
  tell_launched (self);
}

const char *
hir_cuda_provider_get_untraced_reason (HirBackendProvider *base)
{
  return ((HirCudaProvider *) base)->untraced;
}

HirCuptiRecorder *
hir_cuda_provider_get_cupti (HirBackendProvider *base)
{
  return ((HirCudaProvider *) base)->cupti;
}

HirCommHub *
hir_cuda_provider_get_hub (HirBackendProvider *base)
{
  return ((HirCudaProvider *) base)->hub;
}

char *
hir_cuda_provider_dup_name (HirBackendProvider *base)
{
  HirCudaProvider *self = (HirCudaProvider *) base;
  HirCuDevice device;
  char name[256] = "a GPU";

  if (self->libs->cuda.device_get (&device, get_ordinal (self, get_first_place (self))) ==
      HIR_CU_SUCCESS)
    (void) self->libs->cuda.device_get_name (name, sizeof name, device);
  return g_strdup_printf ("%s, CUDA %d.%d", name, self->libs->driver_version / 1000,
                          self->libs->driver_version % 1000 / 10);
}

char *
hir_cuda_provider_dup_sharing (HirBackendProvider *base)
{
  HirCudaProvider *self = (HirCudaProvider *) base;
  const HirMpiModule *mpi = self->options.mpi;
  int n = count_gpus (self);

  if (!self->is_shared || (mpi != NULL && mpi->rank > 0))
    return NULL;
  return g_strdup_printf ("%d ranks on %d GPU%s: they compete for %s",
                          mpi != NULL ? mpi->size : self->n_ranks, n, n == 1 ? "" : "s",
                          n == 1 ? "it" : "them");
}

void
hir_cuda_provider_free (HirBackendProvider *base)
{
  HirCudaProvider *self = (HirCudaProvider *) base;

  g_clear_pointer (&self->cupti, hir_cupti_recorder_free);
  g_clear_pointer (&self->hub, hir_comm_hub_free);
  g_ptr_array_unref (self->backends);
  g_clear_pointer (&self->options.gpus, g_array_unref);
  g_free (self->untraced);
  g_clear_pointer (&self->libs, hir_cuda_libs_free);
  g_free (self);
}
