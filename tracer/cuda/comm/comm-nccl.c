/* Collectives as NCCL collectives, and helpers for all NCCL calls. */
#include "cuda/comm/comm-private.h"

#include <math.h>

#include "run/mpi/comm-mpi-private.h"

gboolean
hir_comm_nccl_get_type (HirDType dtype, HirNcclType *type, gsize *n_units)
{
  *n_units = 1;
  switch (dtype)
    {
    case HIR_DTYPE_BOOL:
    case HIR_DTYPE_BYTE:
      *type = HIR_NCCL_UINT8;
      return TRUE;
    case HIR_DTYPE_CHAR:
      *type = HIR_NCCL_INT8;
      return TRUE;
    case HIR_DTYPE_INT32:
      *type = HIR_NCCL_INT32;
      return TRUE;
    case HIR_DTYPE_UINT32:
      *type = HIR_NCCL_UINT32;
      return TRUE;
    case HIR_DTYPE_INT:
    case HIR_DTYPE_INDEX:
      *type = HIR_NCCL_INT64;
      return TRUE;
    case HIR_DTYPE_UINT64:
      *type = HIR_NCCL_UINT64;
      return TRUE;
    case HIR_DTYPE_HALF:
      *type = HIR_NCCL_FLOAT16;
      return TRUE;
    case HIR_DTYPE_FLOAT:
      *type = HIR_NCCL_FLOAT32;
      return TRUE;
    case HIR_DTYPE_DOUBLE:
      *type = HIR_NCCL_FLOAT64;
      return TRUE;
    case HIR_DTYPE_BFLOAT16:
      *type = HIR_NCCL_BFLOAT16;
      return TRUE;
    default:
      /* NCCL can only move such elements, as bytes. */
      *type = HIR_NCCL_UINT8;
      *n_units = hir_dtype_get_size_bytes (dtype);
      return FALSE;
    }
}

/* Gets the NCCL operation of a reduction. NCCL has no bitwise operations and no 16-bit integers,
 * and its sum of bools is not a bool. */
static gboolean
get_op (const HirCommCall *call, HirNcclOp *op, GError **error)
{
  HirDType dtype = call->work->post.expr->outputs[0]->dtype;
  HirBinaryOp binary = call->work->post.expr->u.comm.op;
  HirNcclType type;
  gsize n_units;
  gboolean has_type = hir_comm_nccl_get_type (dtype, &type, &n_units);

  switch (binary)
    {
    case HIR_BINARY_ADD:
      *op = HIR_NCCL_SUM;
      has_type &= dtype != HIR_DTYPE_BOOL;
      break;
    case HIR_BINARY_MUL:
      *op = HIR_NCCL_PROD;
      break;
    case HIR_BINARY_MAX:
      *op = HIR_NCCL_MAX;
      break;
    case HIR_BINARY_MIN:
      *op = HIR_NCCL_MIN;
      break;
    default:
      has_type = FALSE;
    }
  if (!has_type)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, &call->work->post.expr->node.pos,
                   "%s reduces %s by %s, which NCCL does not support; use --comm copy",
                   hir_cuda_work_get_where (call->work), hir_dtype_get_short_name (dtype),
                   hir_binary_op_get_name (binary));
  return has_type;
}

gboolean
hir_comm_nccl_begin (const HirCudaWork *work, HirCommTeam *team, guint place, GError **error)
{
  HirCommHub *hub = work->comm->hub;

  /* Read without the lock, because only this thread writes the label. */
  if (team->labels[place] != work->post.label)
    {
      g_mutex_lock (&hub->lock);
      g_clear_pointer (&team->labels[place], g_ref_string_release);
      team->labels[place] = g_ref_string_acquire (work->post.label);
      g_mutex_unlock (&hub->lock);
    }
  g_atomic_int_set (&team->seats[place].iteration, work->post.iteration);
  g_atomic_int_inc (&team->seats[place].n_calls);
  if (g_atomic_int_get (&hub->failed) != 0)
    {
      g_atomic_int_add (&team->seats[place].n_calls, -1);
      hir_comm_hub_give_error (hub, error);
      return FALSE;
    }
  return TRUE;
}

void
hir_comm_nccl_end (HirCommTeam *team, guint place)
{
  g_atomic_int_add (&team->seats[place].n_calls, -1);
}

/* Returns the neutral element of @op. */
static double
get_neutral (HirBinaryOp op)
{
  switch (op)
    {
    case HIR_BINARY_MUL:
      return 1;
    case HIR_BINARY_MAX:
      return -INFINITY;
    case HIR_BINARY_MIN:
      return INFINITY;
    default:
      return 0;
    }
}

static gboolean
fill_neutral (HirCommCall *call, GError **error)
{
  const HirCudaLibs *libs = call->work->comm->hub->libs;
  HirDType dtype = call->work->post.expr->outputs[0]->dtype;
  gsize size = hir_dtype_get_size_bytes (dtype);
  g_autofree guint8 *host = g_try_malloc (call->out_bytes);

  if (host == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, &call->work->post.expr->node.pos,
                     "%s: out of memory for the neutral elements of the root",
                     hir_cuda_work_get_where (call->work));
      return FALSE;
    }
  for (gsize i = 0; i < call->out_bytes; i += size)
    hir_element_set_double (dtype, host + i, get_neutral (call->work->post.expr->u.comm.op));
  /* Cannot deadlock: all members have reached this call, so the work on the stream will finish. */
  return hir_cu_check (libs, libs->cuda.stream_synchronize (call->stream), error,
                       "cuStreamSynchronize for %s", hir_cuda_work_get_where (call->work)) &&
         hir_cu_check (libs, hir_cu_copy_in (libs, call->out, host, call->out_bytes), error,
                       "cuMemcpyHtoD for %s", hir_cuda_work_get_where (call->work));
}

/* Fills the output of a root that sends nothing with the neutral element, because NCCL reads it as
 * the root's input. */
static gboolean
fill_output (HirCommCall *call, GError **error)
{
  const HirCudaLibs *libs = call->work->comm->hub->libs;

  /* The neutral element of a sum is zero in every byte, for all types. */
  if (call->work->post.expr->u.comm.op != HIR_BINARY_ADD)
    return fill_neutral (call, error);
  return hir_cu_check (libs,
                       libs->cuda.memset_d8_async (call->out, 0, call->out_bytes, call->stream),
                       error, "cuMemsetD8Async for %s", hir_cuda_work_get_where (call->work));
}

static gconstpointer
pointer (HirCuAddress address)
{
  return GSIZE_TO_POINTER ((gsize) address);
}

static HirNcclResult
call_nccl (HirCommCall *call, HirNcclOp op, const char **name)
{
  const HirNcclApi *nccl = &call->work->comm->hub->libs->nccl;
  HirNcclComm comm = call->team->nccl[call->place];
  HirDType dtype = call->work->post.expr->outputs[0]->dtype;
  gconstpointer in = pointer (call->in);
  gpointer out = (gpointer) pointer (call->out);
  gsize size = hir_dtype_get_size_bytes (dtype), n_units, n_in, n_out;
  HirNcclType type;

  hir_comm_nccl_get_type (dtype, &type, &n_units);
  n_in = call->in_bytes / size * n_units;
  n_out = call->out_bytes / size * n_units;
  switch (call->work->post.expr->u.comm.type)
    {
    case HIR_COMM_ALLGATHER:
      *name = "ncclAllGather";
      return nccl->all_gather (in, out, n_in, type, comm, call->stream);
    case HIR_COMM_ALLREDUCE:
      *name = "ncclAllReduce";
      return nccl->all_reduce (in, out, n_in, type, op, comm, call->stream);
    case HIR_COMM_REDUCE_SCATTER:
      *name = "ncclReduceScatter";
      return nccl->reduce_scatter (in, out, n_out, type, op, comm, call->stream);
    case HIR_COMM_REDUCE:
      *name = "ncclReduce";
      return nccl->reduce (in != NULL ? in : out, out, MAX (n_in, n_out), type, op, call->root,
                           comm, call->stream);
    default:
      /* A root without an output sends in place. */
      *name = "ncclBroadcast";
      return nccl->broadcast (in, out != NULL ? out : (gpointer) in, MAX (n_in, n_out), type,
                              call->root, comm, call->stream);
    }
}

gboolean
hir_comm_await_posts (HirCudaWork *work, GError **error)
{
  double timeout_s = hir_mpi_from_module (work->comm->hub->mpi)->timeout_s;

  return hir_mpi_await_posts (work->matched,
                              timeout_s > 0
                                  ? g_get_monotonic_time () + (gint64) (timeout_s * G_USEC_PER_SEC)
                                  : G_MAXINT64,
                              error);
}

gboolean
hir_comm_meet_team (HirCommCall *call, GError **error)
{
  HirCommHub *hub = call->work->comm->hub;
  HirCommRendezvous *place;
  guint side;
  gboolean ok;

  if (hub->mpi != NULL)
    return hir_comm_await_posts (call->work, error);
  if (!hub->always_meets && !hub->has_messages && g_hash_table_size (hub->known) == 1)
    return TRUE;
  g_mutex_lock (&hub->lock);
  place = hir_comm_hub_enter_locked (hub, call->team, call->work->comm->base.rank, FALSE, &side);
  g_mutex_unlock (&hub->lock);
  ok = hir_comm_hub_rendezvous (hub, &(HirCommWait){ call->work, &place, &side, 1, 1 }, error);
  if (ok)
    hir_comm_hub_leave (hub, call->team, place);
  return ok;
}

gboolean
hir_comm_nccl_collective (HirCommCall *call, GError **error)
{
  HirCudaWork *work = call->work;
  HirCommType type = work->post.expr->u.comm.type;
  HirNcclOp op = HIR_NCCL_SUM;
  const char *name = NULL;
  HirNcclResult result;

  if ((hir_comm_type_is_reduction (type) && !get_op (call, &op, error)) ||
      !hir_comm_meet_team (call, error) || !hir_comm_nccl_ensure (work, call->team, error))
    return FALSE;
  if (type == HIR_COMM_REDUCE && call->in == 0 && call->out != 0 && !fill_output (call, error))
    return FALSE;
  if (!hir_comm_nccl_begin (work, call->team, call->place, error))
    return FALSE;
  result = call_nccl (call, op, &name);
  hir_comm_nccl_end (call->team, call->place);
  return hir_comm_nccl_done (work, result, call->team->nccl[call->place], name, error);
}
