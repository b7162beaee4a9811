/* Communicator of one GPU rank. A matcher, local or over MPI, matches the posts. The selected
 * transport then puts each post on a stream. */
#include "cuda/comm/comm-private.h"

#include <string.h>

#include "run/mpi/comm-mpi-private.h"

/* Releases the values of the post, but keeps its list of messages. */
static void
drop_values (HirCudaWork *work)
{
  g_clear_pointer (&work->post.in, hir_value_unref);
  g_clear_pointer (&work->post.out, hir_value_unref);
  for (guint i = 0; work->post.messages != NULL && i < work->post.messages->len; i++)
    g_clear_pointer (&g_array_index (work->post.messages, HirCommMessage, i).value,
                     hir_value_unref);
}

static HirCudaWork *
new_work (HirCudaComm *comm, const HirCommPost *post)
{
  HirCudaWork *work = comm->spare->len > 0
                          ? g_ptr_array_steal_index_fast (comm->spare, comm->spare->len - 1)
                          : g_new0 (HirCudaWork, 1);

  work->comm = comm;
  hir_comm_post_assign (&work->post, post);
  return work;
}

static void
destroy_work (gpointer data)
{
  hir_comm_post_clear (&((HirCudaWork *) data)->post);
  g_free (data);
}

static void
cuda_free_work (HirCommWork *data)
{
  HirCudaWork *work = (HirCudaWork *) data;
  HirCudaComm *comm = work->comm;

  if (work->matched != NULL)
    comm->matcher->klass->free_work (work->matched);
  work->matched = NULL;
  drop_values (work);
  g_ptr_array_add (comm->spare, work);
}

static HirCommTeam *
get_team (HirCudaComm *comm, const HirExpr *expr)
{
  HirCommTeam *team = g_hash_table_lookup (comm->teams, expr);
  g_autofree gint64 *members = NULL;
  g_autofree char *key = NULL;
  guint n;

  if (team != NULL)
    return team;
  members = hir_comm_dup_members (expr, &n);
  key = hir_comm_header_dup_team (expr);
  team = hir_comm_hub_get_team (comm->hub, key, members, n);
  g_hash_table_insert (comm->teams, (gpointer) expr, team);
  return team;
}

/* The teams of this rank. Sorting the keys gives the same order on all ranks. */
typedef struct
{
  HirCudaComm *comm;
  GPtrArray *keys; /* char*, borrowed from `teams` */
  GHashTable *teams;
} Teams;

static gboolean
collect_team (HirExpr *expr, guint depth, gpointer user_data)
{
  Teams *teams = user_data;
  HirCommHub *hub = teams->comm->hub;

  hub->has_messages |= expr->kind == HIR_EXPR_P2P || expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE;
  if (expr->kind == HIR_EXPR_COMMUNICATION)
    g_hash_table_add (hub->known, hir_comm_header_dup_team (expr));
  if (expr->kind == HIR_EXPR_COMMUNICATION && hir_comm_has_member (expr, teams->comm->base.rank))
    {
      char *key = hir_comm_header_dup_team (expr);

      if (g_hash_table_insert (teams->teams, key, get_team (teams->comm, expr)))
        g_ptr_array_add (teams->keys, key);
    }
  return TRUE;
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Creates NCCL communicators before the run, because NCCL takes long to start. */
static gboolean
cuda_prepare (HirCommunicator *communicator, HirContainer *program, GError **error)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  HirCommHub *hub = comm->hub;
  g_autoptr (GHashTable) table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  Teams teams = { comm, keys, table };

  if (hub->n_ranks == 1)
    return TRUE;
  if (hub->settings.way == HIR_COMM_TRANSPORT_COPY && hub->mpi == NULL)
    return TRUE;
  if (!hir_comm_hub_start_watchdog (hub, error))
    return FALSE;
  if (hub->settings.way == HIR_COMM_TRANSPORT_COPY)
    return hir_comm_share_prepare (comm, error);
  if (hub->mpi != NULL && !hir_comm_nccl_make_world (hub, error))
    return FALSE;
  hir_container_foreach_expr (program, collect_team, &teams);
  g_ptr_array_sort (keys, compare_keys);
  for (guint i = 0; i < keys->len; i++)
    {
      HirCommTeam *team = g_hash_table_lookup (table, g_ptr_array_index (keys, i));
      gboolean fits = team->n > 1;

      for (guint k = 0; k < team->n; k++)
        fits &= team->members[k] >= 0 && team->members[k] < hub->n_ranks;
      if (fits && !hir_comm_nccl_make (hub, team, "the program's start", error))
        return FALSE;
    }
  return TRUE;
}

static void
cuda_begin (HirCommunicator *communicator)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;

  g_atomic_int_set (&comm->hub->running, 1);
  hir_comm_hub_reset (comm->hub);
  for (int i = 0; i < comm->hub->n_ranks; i++)
    if (comm->hub->comms[i] != NULL)
      g_ptr_array_set_size (comm->hub->comms[i]->repeats, 0);
  comm->matcher->klass->begin (comm->matcher);
}

/* Matches @post with the posts of the other ranks. */
static gboolean
match (HirCudaComm *comm, HirCudaWork *work, const HirCommPost *post, GError **error)
{
  if (comm->world != NULL)
    return hir_comm_world_match (comm->world, comm->base.rank, post, error);
  work->matched = comm->matcher->klass->post (comm->matcher, post, error);
  return work->matched != NULL;
}

static HirCommWork *
cuda_post (HirCommunicator *communicator, const HirCommPost *post, GError **error)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  HirCudaWork *work = new_work (comm, post);
  g_autoptr (GError) local = NULL;

  if (match (comm, work, post, &local))
    return (HirCommWork *) work;
  hir_comm_hub_fail (comm->hub, local);
  g_propagate_error (error, g_steal_pointer (&local));
  cuda_free_work ((HirCommWork *) work);
  return NULL;
}

static gboolean
give_up (HirCudaComm *comm, GError *cause, GError **error)
{
  comm->matcher->klass->abort (comm->matcher, cause);
  hir_comm_hub_fail (comm->hub, cause);
  g_propagate_error (error, cause);
  return FALSE;
}

/* Gets the address and size of @value. Fails if it is not allocated or not contiguous. */
static gboolean
get_address (const HirCudaWork *work,
             const HirValue *value,
             HirCuAddress *address,
             gsize *bytes,
             GError **error)
{
  *address = 0;
  *bytes = 0;
  if (value == NULL)
    return TRUE;
  *bytes = hir_value_get_size_bytes (value);
  if (*bytes == 0)
    return TRUE;
  if (!hir_value_is_contiguous (value) || value->buffer->data == NULL)
    {
      g_autofree char *text = hir_value_describe (value);

      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &work->post.expr->node.pos,
                     "%s requires a contiguous tensor on a GPU and got %s; "
                     "insert a set that copies the tensor",
                     hir_cuda_work_get_where (work), text);
      return FALSE;
    }
  *address = (HirCuAddress) (gsize) hir_value_get_data (value);
  return TRUE;
}

static HirCommTeam *
find_team (HirCudaComm *comm, const HirExpr *expr, guint *place, int *root)
{
  HirCommTeam *team = get_team (comm, expr);

  *place = (guint) hir_comm_team_find (team, comm->base.rank);
  *root = hir_comm_team_find (team, expr->u.comm.root);
  return team;
}

static gboolean
issue_call (HirCommCall *call, GError **error)
{
  HirCommHub *hub = call->work->comm->hub;
  HirCommType type = call->work->post.expr->u.comm.type;
  HirCommExchange exchange = hir_comm_p2p_collective;

  if (call->team->n == 1)
    return hir_comm_copy_own (call->work, call->out, call->in, call->out_bytes, call->stream,
                              error);
  if (hub->settings.way == HIR_COMM_TRANSPORT_COPY)
    exchange = hub->sharing != NULL ? hir_comm_share_collective : hir_comm_copy_collective;
  if (hir_comm_type_is_reduction (type) && hub->settings.way != HIR_COMM_TRANSPORT_NCCL)
    return hir_comm_reduce_collective (call, exchange, error);
  return hub->settings.way != HIR_COMM_TRANSPORT_NCCL || type == HIR_COMM_GATHER ||
                 type == HIR_COMM_SCATTER || type == HIR_COMM_SEND_RECV ||
                 type == HIR_COMM_ALL_TO_ALL
             ? exchange (call, error)
             : hir_comm_nccl_collective (call, error);
}

static gboolean
issue_collective (HirCudaWork *work, HirCuStream stream, GError **error)
{
  HirCommCall call = { .work = work, .stream = stream };

  if (!get_address (work, work->post.in, &call.in, &call.in_bytes, error) ||
      !get_address (work, work->post.out, &call.out, &call.out_bytes, error))
    return FALSE;
  if (work->post.in != NULL)
    call.source = work->post.in->buffer;
  call.team = find_team (work->comm, work->post.expr, &call.place, &call.root);
  return issue_call (&call, error);
}

static gboolean
issue_messages (HirCudaWork *work, HirCuStream stream, GError **error)
{
  HirCommHub *hub = work->comm->hub;
  HirCuAddress address;
  gsize bytes;

  for (guint i = 0; i < work->post.messages->len; i++)
    if (!get_address (work, g_array_index (work->post.messages, HirCommMessage, i).value, &address,
                      &bytes, error))
      return FALSE;
  if (hub->sharing != NULL)
    return hir_comm_share_messages (work, stream, error);
  return hub->settings.way == HIR_COMM_TRANSPORT_COPY || hub->n_ranks == 1
             ? hir_comm_copy_messages (work, stream, error)
             : hir_comm_nccl_messages (work, stream, error);
}

/* Marks the values as used by @stream, so that the pool does not reuse their memory on another
 * stream before @stream is done with it. */
static void
keep_values (const HirCudaWork *work, HirCuStream stream)
{
  HirBackend *backend = work->comm->backend;

  if (work->post.in != NULL)
    hir_cuda_backend_use (backend, work->post.in, stream);
  if (work->post.out != NULL)
    hir_cuda_backend_use (backend, work->post.out, stream);
  for (guint i = 0; work->post.messages != NULL && i < work->post.messages->len; i++)
    hir_cuda_backend_use (backend, g_array_index (work->post.messages, HirCommMessage, i).value,
                          stream);
}

static gboolean
cuda_issue (HirCommWork *data, gpointer native_stream, GError **error)
{
  HirCudaWork *work = (HirCudaWork *) data;
  HirCudaComm *comm = work->comm;
  GError *local = NULL;
  gboolean ok = hir_cuda_device_make_current (comm->device, &local) &&
                (work->post.messages != NULL ? issue_messages (work, native_stream, &local)
                                             : issue_collective (work, native_stream, &local));

  keep_values (work, native_stream);
  drop_values (work);
  return ok || give_up (comm, local, error);
}

struct _HirCommPersistent
{
  HirCudaComm *comm;
  HirLocalPersistent *matched; /* borrowed from the world */
  HirCommCall call;            /* everything except addresses, stream and work */
};

static HirCommPersistent *
cuda_get_repeat (HirCommunicator *communicator, const HirCommPost *post)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  HirCudaWork work = { .comm = comm, .post = *post };
  HirCommPersistent *repeat;
  HirCommCall call = { .root = -1 };
  HirLocalPersistent *matched;

  /* Over MPI, each post is sent to the other processes, so none can be persistent. */
  if (comm->world == NULL || post->messages != NULL ||
      !get_address (&work, post->in, &call.in, &call.in_bytes, NULL) ||
      !get_address (&work, post->out, &call.out, &call.out_bytes, NULL))
    return NULL;
  matched = hir_comm_world_get_persistent (comm->world, communicator->rank, post);
  if (matched == NULL)
    return NULL;
  call.team = find_team (comm, post->expr, &call.place, &call.root);
  repeat = g_new0 (HirCommPersistent, 1);
  *repeat = (HirCommPersistent){ comm, matched, call };
  g_ptr_array_add (comm->repeats, repeat);
  return repeat;
}

static gboolean
cuda_post_repeat (HirCommPersistent *repeat, const HirCommPost *post, GError **error)
{
  GError *local = NULL;

  return hir_comm_world_match_persistent (repeat->comm->world, repeat->matched, post->iteration,
                                          &local) ||
         give_up (repeat->comm, local, error);
}

static HirCuAddress
use (HirCudaComm *comm, const HirValue *value, HirCuStream stream)
{
  if (value == NULL)
    return 0;
  hir_cuda_backend_use (comm->backend, value, stream);
  return (HirCuAddress) (gsize) hir_value_get_data (value);
}

static gboolean
cuda_issue_repeat (HirCommPersistent *repeat,
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
  ok = hir_cuda_device_make_current (comm->device, &local) && issue_call (&call, &local);
  /* The call may have created the text of hir_comm_post_get_where(). */
  if (work.post.where != post->where)
    g_free (work.post.where);
  return ok || give_up (comm, local, error);
}

static gboolean
cuda_end (HirCommunicator *communicator, GError **error)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  g_autoptr (GError) local = NULL;

  hir_comm_hub_set_ended (comm->hub, communicator->rank);
  if (comm->matcher->klass->end (comm->matcher, &local))
    return TRUE;
  hir_comm_hub_fail (comm->hub, local);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
cuda_finish (HirCommunicator *communicator, GError **error)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;

  /* Checked first, because aborted kernels look finished. */
  if (g_atomic_int_get (&comm->hub->failed) != 0)
    {
      hir_comm_hub_give_error (comm->hub, error);
      return FALSE;
    }
  if (comm->matcher->klass->finish != NULL && !comm->matcher->klass->finish (comm->matcher, error))
    return FALSE;
  g_atomic_int_set (&comm->hub->running, 0);
  return TRUE;
}

static void
cuda_abort (HirCommunicator *communicator, const GError *error)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;

  /* Between runs there is nothing to stop. */
  if (g_atomic_int_get (&comm->hub->running) == 0)
    return;
  comm->matcher->klass->abort (comm->matcher, error);
  hir_comm_hub_fail (comm->hub, error);
}

static GError *
cuda_dup_error (HirCommunicator *communicator)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  GError *error = NULL;

  if (comm->matcher->klass->dup_error != NULL)
    error = comm->matcher->klass->dup_error (comm->matcher);
  else if (comm->world != NULL)
    error = hir_comm_world_dup_error (comm->world);
  if (error == NULL && g_atomic_int_get (&comm->hub->failed) != 0)
    hir_comm_hub_give_error (comm->hub, &error);
  return error;
}

static void
cuda_free (HirCommunicator *communicator)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  const HirCudaApi *cuda = &comm->hub->libs->cuda;

  hir_comm_hub_reset (comm->hub);
  hir_comm_share_leave (comm->hub);
  g_mutex_lock (&comm->hub->lock);
  comm->hub->comms[communicator->rank] = NULL;
  g_mutex_unlock (&comm->hub->lock);
  if (hir_cuda_device_make_current (comm->device, NULL))
    for (guint i = 0; i < comm->events->len; i++)
      cuda->event_destroy (g_ptr_array_index (comm->events, i));
  g_ptr_array_unref (comm->events);
  g_ptr_array_unref (comm->spare);
  g_ptr_array_unref (comm->repeats);
  g_hash_table_unref (comm->teams);
  hir_communicator_free (comm->matcher);
  hir_cuda_device_unref (comm->device);
  g_free (comm);
}

static void
cuda_set_may_be_held (HirCommunicator *base)
{
  ((HirCudaComm *) base)->hub->always_meets = TRUE;
}

static guint64
cuda_get_wait (HirCommunicator *base)
{
  HirCudaComm *comm = (HirCudaComm *) base;

  return hir_comm_hub_get_wait (comm->hub, comm);
}

static gboolean
cuda_copy (HirCommunicator *communicator,
           const char *label,
           gint32 iteration,
           const HirValue *out,
           const HirValue *in,
           gpointer native_stream,
           GError **error)
{
  HirCudaComm *comm = (HirCudaComm *) communicator;
  const HirCudaLibs *libs = comm->hub->libs;
  HirCuAddress from = use (comm, in, native_stream), to = use (comm, out, native_stream);
  HirCuResult result;
  g_autofree char *where = NULL;

  if (!hir_cuda_device_make_current (comm->device, error))
    return FALSE;
  result = libs->cuda.memcpy_async (to, from, hir_value_get_size_bytes (out), native_stream);
  if (result == HIR_CU_SUCCESS)
    return TRUE;
  where = hir_comm_dup_where (label, iteration, communicator->rank);
  return hir_cu_check (libs, result, error, "cuMemcpyAsync for %s", where);
}

static const HirCommunicatorClass cuda_class = {
  .prepare = cuda_prepare,
  .begin = cuda_begin,
  .post = cuda_post,
  .issue = cuda_issue,
  .copy = cuda_copy,
  .get_repeat = cuda_get_repeat,
  .post_repeat = cuda_post_repeat,
  .issue_repeat = cuda_issue_repeat,
  .set_may_be_held = cuda_set_may_be_held,
  .get_wait = cuda_get_wait,
  .free_work = cuda_free_work,
  .end = cuda_end,
  .finish = cuda_finish,
  .abort = cuda_abort,
  .dup_error = cuda_dup_error,
  .free = cuda_free,
};

/* Gives @reader access to the memory of @owner. */
static gboolean
enable_peer (HirCudaComm *reader, HirCudaComm *owner)
{
  const HirCudaApi *cuda = &reader->hub->libs->cuda;
  HirCuResult result;
  int can = 0;

  if (cuda->device_can_access_peer (&can, reader->device->device, owner->device->device) !=
          HIR_CU_SUCCESS ||
      can == 0 || !hir_cuda_device_make_current (reader->device, NULL))
    return FALSE;
  result = cuda->ctx_enable_peer_access (owner->device->context, 0);
  return result == HIR_CU_SUCCESS || result == HIR_CU_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

/* Enables direct copies over NVLink or PCIe. Without peer access, copies go through the host, which
 * is slower but correct. */
static void
enable_peers (HirCudaComm *comm)
{
  for (int i = 0; i < comm->hub->n_ranks; i++)
    {
      HirCudaComm *other = comm->hub->comms[i];

      if (other == NULL || other->device->context == comm->device->context)
        continue;
      comm->hub->has_no_peers |= !enable_peer (other, comm) || !enable_peer (comm, other);
    }
  (void) hir_cuda_device_make_current (comm->device, NULL);
}

HirCommunicator *
hir_comm_cuda_new (
    HirCommHub *hub, HirCommWorld *world, int rank, HirBackend *backend, GError **error)
{
  HirCudaComm *comm = g_new0 (HirCudaComm, 1);

  comm->base.klass = &cuda_class;
  comm->base.rank = rank;
  comm->base.n_ranks = hub->n_ranks;
  comm->hub = hub;
  comm->world = world;
  comm->backend = backend;
  comm->device = hir_cuda_device_ref (hir_cuda_backend_get_device (backend));
  comm->matcher = hub->mpi != NULL ? hir_comm_mpi_new (hub->mpi) : hir_comm_local_new (world, rank);
  comm->events = g_ptr_array_new ();
  comm->teams = g_hash_table_new (NULL, NULL);
  comm->spare = g_ptr_array_new_with_free_func (destroy_work);
  comm->repeats = g_ptr_array_new_with_free_func (g_free);
  g_mutex_lock (&hub->lock);
  hub->comms[rank] = comm;
  g_mutex_unlock (&hub->lock);
  if (hub->settings.way == HIR_COMM_TRANSPORT_COPY && hub->mpi == NULL)
    enable_peers (comm);
  else if (hub->settings.way == HIR_COMM_TRANSPORT_COPY)
    hir_cuda_backend_set_shareable (backend);
  return &comm->base;
}
