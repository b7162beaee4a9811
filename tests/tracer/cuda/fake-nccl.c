/* Fake NCCL: functions of the library. */
#include "fake-nccl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake-cuda.h"

#define EXPORT __attribute__ ((visibility ("default")))

#define DECLARE(field, symbol, parameters) EXPORT HirNcclResult symbol parameters;
HIR_NCCL_FUNCTIONS (DECLARE)
EXPORT const char *ncclGetErrorString (HirNcclResult result);
EXPORT const char *ncclGetLastError (HirNcclComm comm);
#undef DECLARE

typedef struct
{
  GMutex lock;
  GHashTable *worlds;  /* id -> FakeWorld */
  GHashTable *n_calls; /* name -> count */
  guint n_ids;
  GPtrArray *comms; /* all communicators, so that leak checkers find them */
} FakeNccl;

static FakeNccl *
get_state (void)
{
  static gsize state;

  if (g_once_init_enter (&state))
    {
      FakeNccl *nccl = g_new0 (FakeNccl, 1);

      g_mutex_init (&nccl->lock);
      nccl->worlds = g_hash_table_new (g_str_hash, g_str_equal);
      nccl->n_calls = g_hash_table_new (g_str_hash, g_str_equal);
      nccl->comms = g_ptr_array_new ();
      g_once_init_leave (&state, (gsize) nccl);
    }
  return (FakeNccl *) state;
}

/* Open groups of a thread. */
typedef struct
{
  guint depth;         /* of nested groups */
  HirNcclResult error; /* of a call in the group */
  GArray *calls;       /* FakeCall */
  GPtrArray *worlds;   /* FakeWorld*, of communicators that the group creates */
} Group;

static void
group_free (gpointer data)
{
  Group *group = data;

  g_array_unref (group->calls);
  g_ptr_array_unref (group->worlds);
  g_free (group);
}

static Group *
get_group (void)
{
  static GPrivate key = G_PRIVATE_INIT (group_free);
  Group *group = g_private_get (&key);

  if (group == NULL)
    {
      group = g_new0 (Group, 1);
      group->calls = g_array_new (FALSE, FALSE, sizeof (FakeCall));
      group->worlds = g_ptr_array_new ();
      g_private_set (&key, group);
    }
  return group;
}

/* Returns the result that @variable sets for the @n-th call of @name, or success. */
static HirNcclResult
look_up (const char *variable, const char *name, guint n)
{
  const char *text = g_getenv (variable);
  g_auto (GStrv) parts = text != NULL ? g_strsplit (text, ":", 3) : NULL;

  if (parts == NULL || g_strv_length (parts) != 3 || strcmp (parts[0], name) != 0 ||
      (guint) atoi (parts[1]) != n)
    return HIR_NCCL_SUCCESS;
  return (HirNcclResult) atoi (parts[2]);
}

static HirNcclResult
enter (const char *name, int rank, gsize count, HirNcclResult *lost)
{
  FakeNccl *nccl = get_state ();
  const char *path = g_getenv ("FAKE_NCCL_LOG");
  guint n;

  g_mutex_lock (&nccl->lock);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (nccl->n_calls, name)) + 1;
  g_hash_table_insert (nccl->n_calls, (gpointer) name, GUINT_TO_POINTER (n));
  if (path != NULL)
    {
      FILE *file = fopen (path, "a");

      if (file != NULL)
        {
          fprintf (file, "%s %d %zu\n", name, rank, count);
          fclose (file);
        }
    }
  g_mutex_unlock (&nccl->lock);
  if (lost != NULL)
    *lost = look_up ("FAKE_NCCL_LOSE", name, n);
  return look_up ("FAKE_NCCL_FAIL", name, n);
}

const char *
ncclGetErrorString (HirNcclResult result)
{
  static const char *const texts[] = { "no error",
                                       "unhandled cuda error",
                                       "unhandled system error",
                                       "internal error",
                                       "invalid argument",
                                       "invalid usage",
                                       "remote process exited or there was a network error",
                                       "NCCL operation in progress" };

  return result < G_N_ELEMENTS (texts) ? texts[result] : "unknown result code";
}

const char *
ncclGetLastError (HirNcclComm comm)
{
  return "fake failure";
}

HirNcclResult
ncclGetVersion (int *version)
{
  *version = 22803;
  return HIR_NCCL_SUCCESS;
}

HirNcclResult
ncclGetUniqueId (HirNcclId *id)
{
  FakeNccl *nccl = get_state ();
  HirNcclResult result = enter (__func__, -1, 0, NULL);

  if (result != HIR_NCCL_SUCCESS)
    return result;
  g_mutex_lock (&nccl->lock);
  memset (id, 0, sizeof *id);
  g_snprintf (id->internal, sizeof id->internal, "fake-%d-%u", (int) getpid (), ++nccl->n_ids);
  g_mutex_unlock (&nccl->lock);
  return HIR_NCCL_SUCCESS;
}

static FakeWorld *
get_world (const char *id, int n_ranks)
{
  FakeNccl *nccl = get_state ();
  FakeWorld *world;

  g_mutex_lock (&nccl->lock);
  world = g_hash_table_lookup (nccl->worlds, id);
  if (world == NULL)
    {
      world = g_new0 (FakeWorld, 1);
      world->id = g_strdup (id);
      world->n_ranks = n_ranks;
      world->folder = g_getenv ("FAKE_NCCL_FOLDER");
      world->meetings = g_ptr_array_new ();
      g_mutex_init (&world->lock);
      g_cond_init (&world->changed);
      g_hash_table_insert (nccl->worlds, world->id, world);
    }
  g_mutex_unlock (&nccl->lock);
  return world;
}

static void
await_members (FakeWorld *world)
{
  g_mutex_lock (&world->lock);
  while (world->n_made < world->n_ranks && !world->aborted && world->folder == NULL)
    g_cond_wait (&world->changed, &world->lock);
  g_mutex_unlock (&world->lock);
}

HirNcclResult
ncclCommInitRankConfig (
    HirNcclComm *comm, int n_ranks, HirNcclId id, int rank, HirNcclConfigArgument *config)
{
  FakeNccl *nccl = get_state ();
  Group *group = get_group ();
  HirNcclResult result = enter (__func__, rank, (gsize) MAX (config->max_ctas, 0), NULL);
  FakeWorld *world;

  if (result != HIR_NCCL_SUCCESS)
    return group->error = result;
  if (config->magic != HIR_NCCL_CONFIG_MAGIC || config->size < sizeof (HirNcclConfig) ||
      config->min_ctas > config->max_ctas || n_ranks > FAKE_MAX_RANKS)
    return HIR_NCCL_INVALID_ARGUMENT;
  world = get_world (id.internal, n_ranks);
  *comm = g_new0 (struct ncclComm, 1);
  (*comm)->world = world;
  (*comm)->rank = rank;
  g_mutex_lock (&nccl->lock);
  g_ptr_array_add (nccl->comms, *comm);
  g_mutex_unlock (&nccl->lock);
  g_mutex_lock (&world->lock);
  world->n_made++;
  g_cond_broadcast (&world->changed);
  g_mutex_unlock (&world->lock);
  if (group->depth > 0)
    g_ptr_array_add (group->worlds, world);
  else
    await_members (world);
  return HIR_NCCL_SUCCESS;
}

HirNcclResult
ncclCommDestroy (HirNcclComm comm)
{
  return enter (__func__, comm->rank, 0, NULL);
}

HirNcclResult
ncclCommAbort (HirNcclComm comm)
{
  FakeWorld *world = comm->world;

  g_mutex_lock (&world->lock);
  world->aborted = TRUE;
  g_cond_broadcast (&world->changed);
  g_mutex_unlock (&world->lock);
  return enter (__func__, comm->rank, 0, NULL);
}

HirNcclResult
ncclCommGetAsyncError (HirNcclComm comm, HirNcclResult *error)
{
  *error = (HirNcclResult) g_atomic_int_get (&comm->error);
  return HIR_NCCL_SUCCESS;
}

typedef struct
{
  guint n;
  FakeCall calls[];
} Kernel;

static void
run_kernel (gpointer data)
{
  Kernel *kernel = data;

  fake_nccl_run (kernel->calls, kernel->n);
}

static HirNcclResult
launch (const FakeCall *calls, guint n)
{
  static const char *const names[] = { "ncclDevKernel_AllGather_RING_LL",
                                       "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                                       "ncclDevKernel_Reduce_Sum_f32_RING_LL",
                                       "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL",
                                       "ncclDevKernel_Broadcast_RING_LL",
                                       "ncclDevKernel_SendRecv",
                                       "ncclDevKernel_SendRecv" };
  gpointer driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  gpointer symbol = driver != NULL ? dlsym (driver, "fake_cuda_launch") : NULL;
  Kernel *kernel = g_malloc (sizeof (Kernel) + n * sizeof (FakeCall));
  FakeLaunch start;

  kernel->n = n;
  memcpy (kernel->calls, calls, n * sizeof (FakeCall));
  if (symbol == NULL)
    {
      g_free (kernel);
      return HIR_NCCL_UNHANDLED_CUDA_ERROR;
    }
  memcpy (&start, &symbol, sizeof start);
  return start (calls[0].stream, "cuLaunchKernelEx", names[calls[0].kind], run_kernel, kernel,
                g_free) == HIR_CU_SUCCESS
             ? HIR_NCCL_SUCCESS
             : HIR_NCCL_UNHANDLED_CUDA_ERROR;
}

/* Launches one kernel for all messages and one per collective. */
static HirNcclResult
launch_all (GArray *calls)
{
  g_autoptr (GArray) messages = g_array_new (FALSE, FALSE, sizeof (FakeCall));
  HirNcclResult result = HIR_NCCL_SUCCESS;

  for (guint i = 0; i < calls->len && result == HIR_NCCL_SUCCESS; i++)
    {
      const FakeCall *call = &g_array_index (calls, FakeCall, i);

      if (call->kind == FAKE_SEND || call->kind == FAKE_RECV)
        g_array_append_val (messages, *call);
      else
        result = launch (call, 1);
    }
  if (messages->len > 0 && result == HIR_NCCL_SUCCESS)
    result = launch ((const FakeCall *) messages->data, messages->len);
  return result;
}

static HirNcclResult
take (const char *name, FakeCall *call)
{
  Group *group;
  HirNcclResult result;

  if (fake_cuda_is_idle ())
    return HIR_NCCL_SUCCESS;
  group = get_group ();
  if (call->comm == NULL)
    return HIR_NCCL_INVALID_ARGUMENT;
  result = enter (name, call->comm->rank, call->count, &call->lost);
  if (result != HIR_NCCL_SUCCESS)
    return group->error = result;
  if (group->depth == 0)
    return launch (call, 1);
  g_array_append_val (group->calls, *call);
  return HIR_NCCL_SUCCESS;
}

HirNcclResult
ncclGroupStart (void)
{
  get_group ()->depth++;
  return HIR_NCCL_SUCCESS;
}

HirNcclResult
ncclGroupEnd (void)
{
  Group *group = get_group ();
  HirNcclResult result;

  if (group->depth == 0)
    return HIR_NCCL_INVALID_USAGE;
  if (--group->depth > 0)
    return HIR_NCCL_SUCCESS;
  result = enter (__func__, -1, group->calls->len, NULL);
  if (result == HIR_NCCL_SUCCESS)
    result = group->error;
  group->error = HIR_NCCL_SUCCESS;
  for (guint i = 0; i < group->worlds->len && result == HIR_NCCL_SUCCESS; i++)
    await_members (g_ptr_array_index (group->worlds, i));
  if (result == HIR_NCCL_SUCCESS)
    result = launch_all (group->calls);
  g_array_set_size (group->calls, 0);
  g_ptr_array_set_size (group->worlds, 0);
  return result;
}

HirNcclResult
ncclAllGather (const void *in,
               void *out,
               size_t in_count,
               HirNcclType type,
               HirNcclComm comm,
               HirCuStream stream)
{
  return take (__func__,
               &(FakeCall){ FAKE_ALL_GATHER, in, out, in_count, type, 0, 0, comm, stream });
}

HirNcclResult
ncclAllReduce (const void *in,
               void *out,
               size_t count,
               HirNcclType type,
               HirNcclOp op,
               HirNcclComm comm,
               HirCuStream stream)
{
  return take (__func__, &(FakeCall){ FAKE_ALL_REDUCE, in, out, count, type, op, 0, comm, stream });
}

HirNcclResult
ncclReduce (const void *in,
            void *out,
            size_t count,
            HirNcclType type,
            HirNcclOp op,
            int root,
            HirNcclComm comm,
            HirCuStream stream)
{
  return take (__func__, &(FakeCall){ FAKE_REDUCE, in, out, count, type, op, root, comm, stream });
}

HirNcclResult
ncclReduceScatter (const void *in,
                   void *out,
                   size_t out_count,
                   HirNcclType type,
                   HirNcclOp op,
                   HirNcclComm comm,
                   HirCuStream stream)
{
  return take (__func__,
               &(FakeCall){ FAKE_REDUCE_SCATTER, in, out, out_count, type, op, 0, comm, stream });
}

HirNcclResult
ncclBroadcast (const void *in,
               void *out,
               size_t count,
               HirNcclType type,
               int root,
               HirNcclComm comm,
               HirCuStream stream)
{
  return take (__func__,
               &(FakeCall){ FAKE_BROADCAST, in, out, count, type, 0, root, comm, stream });
}

HirNcclResult
ncclSend (const void *data,
          size_t count,
          HirNcclType type,
          int peer,
          HirNcclComm comm,
          HirCuStream stream)
{
  return take (__func__, &(FakeCall){ FAKE_SEND, data, NULL, count, type, 0, peer, comm, stream });
}

HirNcclResult
ncclRecv (
    void *data, size_t count, HirNcclType type, int peer, HirNcclComm comm, HirCuStream stream)
{
  return take (__func__, &(FakeCall){ FAKE_RECV, NULL, data, count, type, 0, peer, comm, stream });
}
