/* Reductions without NCCL's reductions. Each member collects the contributions to its chunk of the
 * result in scratch memory, and a kernel reduces them in the order of the members, as on the CPU.
 * The chunk is
 *
 *   ReduceScatter: the member's piece
 *   small Allreduce or Reduce: the whole result, only on members that have an output
 *   large Allreduce or Reduce: one part per member; afterwards, the parts are spread to the outputs
 *
 * The result often replaces the input of the same member. This is safe, because exchange() leaves
 * the stream after all reads of the input. */
#include "cuda/comm/comm-private.h"

/* Reduces the contributions @others and, if there is one, that of this rank, to @out. */
static gboolean
reduce (const HirCommCall *call,
        HirCuAddress others,
        gsize offset,
        gsize bytes,
        HirCuAddress out,
        GError **error)
{
  const HirCudaWork *work = call->work;
  const HirExpr *expr = work->post.expr;
  HirDType dtype = expr->outputs[0]->dtype;
  gint32 n_ranks = hir_comm_call_count_inputs (call, call->team->n);
  HirCudaReduction reduction = {
    .dtype = dtype,
    .op = expr->u.comm.op,
    .out = out,
    .own = call->in + (HirCuAddress) offset,
    .others = others,
    .n = (gint64) (bytes / hir_dtype_get_size_bytes (dtype)),
    .n_ranks = n_ranks,
    .place = call->in != 0 ? hir_comm_call_count_inputs (call, call->place) : n_ranks,
  };

  if (hir_cuda_backend_reduce (work->comm->backend, call->stream, &reduction, error))
    return TRUE;
  g_prefix_error (error, "%s: ", hir_cuda_work_get_where (work));
  return FALSE;
}

/* Allocates @n times @bytes. Returns TRUE without memory if that is 0. */
static gboolean
allocate (const HirCommCall *call, gsize n, gsize bytes, HirBuffer **buffer, GError **error)
{
  gsize size;

  if (!g_size_checked_mul (&size, n, bytes))
    {
      hir_set_error (error, HIR_ERROR_LIMIT, &call->work->post.expr->node.pos,
                     "%s: the contributions of %" G_GSIZE_FORMAT " ranks do not fit into memory",
                     hir_cuda_work_get_where (call->work), n);
      return FALSE;
    }
  if (size == 0)
    return TRUE;
  *buffer = hir_cuda_backend_allocate (call->work->comm->backend, call->stream, size, error);
  return *buffer != NULL;
}

static HirCuAddress
get_address (const HirBuffer *buffer)
{
  return buffer != NULL ? (HirCuAddress) (guintptr) buffer->data : 0;
}

/* Sends the chunk at @chunk in @source to all members that have an output. */
static gboolean
spread (const HirCommCall *whole,
        HirBuffer *source,
        HirCuAddress chunk,
        HirCommExchange exchange,
        GError **error)
{
  HirCommCall call = *whole;

  call.step = HIR_COMM_STEP_SPREAD;
  call.source = source;
  call.in = chunk;
  return exchange (&call, error);
}

gboolean
hir_comm_reduce_collective (const HirCommCall *whole, HirCommExchange exchange, GError **error)
{
  HirCommCall call = *whole;
  const HirValue *out = call.work->post.out;
  g_autoptr (HirBuffer) others = NULL;
  g_autoptr (HirBuffer) result = NULL;
  HirCuAddress to = call.out;
  gsize offset, bytes;
  gint32 n_others;

  call.is_split = hir_comm_call_is_split (&call);
  call.step = HIR_COMM_STEP_COLLECT;
  hir_comm_call_get_chunk (&call, call.place, &offset, &bytes);
  n_others = hir_comm_call_count_inputs (&call, call.team->n) - (call.in != 0);
  if (!allocate (&call, (gsize) MAX (n_others, 0), bytes, &others, error) ||
      (call.out == 0 && !allocate (&call, 1, bytes, &result, error)))
    return FALSE;
  if (call.out == 0)
    to = get_address (result);
  else if (call.is_split)
    to += (HirCuAddress) offset;
  call.out = get_address (others);
  if (!exchange (&call, error) ||
      (bytes > 0 && !reduce (&call, call.out, offset, bytes, to, error)))
    return FALSE;
  call.out = whole->out;
  return !call.is_split ||
         spread (&call, call.out != 0 ? out->buffer : result, to, exchange, error);
}
