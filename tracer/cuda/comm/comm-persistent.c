/* A collective that is posted again and again: who meets, how much, and how it is matched is known.
 */
#include "cuda/comm/comm-private.h"

struct _HirCommPersistent
{
  HirCudaComm *comm;
  HirLocalPersistent *matched; /* the world's */
  HirCommCall call;            /* all but addresses, stream and work */
};

HirCommPersistent *
hir_comm_get_repeat (HirCommunicator *communicator, const HirCommPost *post)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  HirCudaWork work = { .comm = comm, .post = *post };
  HirCommPersistent *repeat;
  HirCommCall call = { .root = -1 };
  HirLocalPersistent *matched;

  /* Between processes posts are messages. */
  if (comm->world == NULL || post->messages != NULL ||
      !hir_comm_get_address (&work, post->in, &call.in, &call.in_bytes, NULL) ||
      !hir_comm_get_address (&work, post->out, &call.out, &call.out_bytes, NULL))
    return NULL;
  matched = hir_comm_world_get_persistent (comm->world, communicator->rank, post);
  if (matched == NULL)
    return NULL;
  call.team = hir_comm_find_team (comm, post->expr, &call.place, &call.root);
  repeat = g_new0 (HirCommPersistent, 1);
  *repeat = (HirCommPersistent){ comm, matched, call };
  g_ptr_array_add (comm->repeats, repeat);
  return repeat;
}

gboolean
hir_comm_post_repeat (HirCommPersistent *repeat, const HirCommPost *post, GError **error)
{
  GError *local = NULL;

  return hir_comm_world_match_persistent (repeat->comm->world, repeat->matched, post->iteration,
                                          &local) ||
         hir_comm_give_up (repeat->comm, local, error);
}

static HirCuAddress
use (HirCudaComm *comm, const HirValue *value, HirCuStream stream)
{
  if (value == NULL)
    return 0;
  hir_cuda_backend_use (comm->backend, value, stream);
  return (HirCuAddress) (gsize) hir_value_get_data (value);
}

gboolean
hir_comm_issue_repeat (HirCommPersistent *repeat,
                       const HirCommPost *post,
                       gpointer native_stream,
                       GError **error)
{
  HirCudaComm *comm = repeat->comm;
  HirCudaWork work = { .comm = comm, .post = *post };
  HirCommCall call = repeat->call;
  GError *local = NULL;
  gboolean ok;

  call.work = &work;
  call.stream = native_stream;
  call.in = call.in_bytes > 0 ? use (comm, post->in, native_stream) : 0;
  call.out = call.out_bytes > 0 ? use (comm, post->out, native_stream) : 0;
  ok = hir_cuda_device_make_current (comm->device, &local) && hir_comm_issue_call (&call, &local);
  /* Its name, where it was asked for. */
  if (work.post.where != post->where)
    g_free (work.post.where);
  return ok || hir_comm_give_up (comm, local, error);
}
