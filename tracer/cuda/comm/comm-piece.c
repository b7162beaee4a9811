/* Which piece of a member's data each other member receives. All transports move these pieces. */
#include "cuda/comm/comm-private.h"

/* A reduction of at least this size is split between more than two members, so that each member
 * receives twice the data instead of the data of all others. */
#define SPLIT_BYTES ((gsize) 256 << 10)

/* Returns the index of member @place in @mesh, or -1. */
static gint64
find_device (const HirCommCall *call, const HirMesh *mesh, guint place)
{
  for (gint64 j = 0; j < mesh->size; j++)
    if (mesh->devices[j] == call->team->members[place])
      return j;
  return -1;
}

/* Returns the size of a piece, computed from the input if this rank sends the piece, otherwise from
 * the output. */
static gsize
get_bytes (const HirCommCall *call, gboolean is_sender)
{
  const HirExpr *expr = call->work->post.expr;
  gsize bytes = is_sender ? call->in_bytes : call->out_bytes;

  switch (expr->u.comm.type)
    {
    case HIR_COMM_ALLGATHER:
      return is_sender ? bytes : bytes / call->team->n;
    case HIR_COMM_GATHER:
      return is_sender ? bytes : bytes / (gsize) MAX (hir_comm_get_mesh (expr->inputs[0])->size, 1);
    case HIR_COMM_SCATTER:
      return is_sender ? bytes / (gsize) MAX (hir_comm_get_mesh (expr->outputs[0])->size, 1)
                       : bytes;
    case HIR_COMM_ALL_TO_ALL:
      return bytes / call->team->n;
    default:
      return bytes;
    }
}

static gboolean
get_moved (const HirCommCall *call, guint from, guint to, HirCommPiece *piece)
{
  const HirExpr *expr = call->work->post.expr;
  gint64 at = 0, offset = 0;
  gboolean moves;

  switch (expr->u.comm.type)
    {
    case HIR_COMM_ALLGATHER:
      at = from;
      moves = TRUE;
      break;
    case HIR_COMM_ALL_TO_ALL:
      at = from;
      offset = to;
      moves = TRUE;
      break;
    case HIR_COMM_GATHER:
      at = find_device (call, hir_comm_get_mesh (expr->inputs[0]), from);
      moves = at >= 0 && (int) to == call->root;
      break;
    case HIR_COMM_SCATTER:
      offset = find_device (call, hir_comm_get_mesh (expr->outputs[0]), to);
      moves = offset >= 0 && (int) from == call->root;
      break;
    default: /* broadcast, send and receive */
      moves = (int) from == call->root && hir_comm_writes (expr, call->team->members[to]);
    }
  if (!moves)
    return FALSE;
  piece->bytes = get_bytes (call, to != call->place);
  piece->at = (gsize) at * piece->bytes;
  piece->offset = (gsize) offset * piece->bytes;
  return piece->bytes > 0;
}

gboolean
hir_comm_call_is_split (const HirCommCall *call)
{
  return call->work->post.expr->u.comm.type != HIR_COMM_REDUCE_SCATTER && call->team->n > 2 &&
         MAX (call->in_bytes, call->out_bytes) >= SPLIT_BYTES;
}

void
hir_comm_call_get_chunk (const HirCommCall *call, guint place, gsize *offset, gsize *bytes)
{
  const HirExpr *expr = call->work->post.expr;
  gsize size = hir_dtype_get_size_bytes (expr->outputs[0]->dtype);
  gsize total = MAX (call->in_bytes, call->out_bytes) / size, n = call->team->n;
  gsize length = (total + n - 1) / n;

  if (expr->u.comm.type == HIR_COMM_REDUCE_SCATTER || call->is_split)
    {
      *offset = MIN (place * length, total) * size;
      *bytes = MIN ((place + 1) * length, total) * size - *offset;
      return;
    }
  *offset = 0;
  *bytes = hir_comm_writes (expr, call->team->members[place]) ? total * size : 0;
}

gint32
hir_comm_call_count_inputs (const HirCommCall *call, guint place)
{
  gint32 n = 0;

  for (guint i = 0; i < place; i++)
    n += hir_comm_reads (call->work->post.expr, call->team->members[i]);
  return n;
}

/* A contribution to the chunk of member @to. The contributions of other members are in the order of
 * the members, without gaps. */
static gboolean
get_collected (const HirCommCall *call, guint from, guint to, HirCommPiece *piece)
{
  const HirExpr *expr = call->work->post.expr;
  const gint64 *members = call->team->members;
  gboolean is_own_before = to < from && hir_comm_reads (expr, members[to]);

  if (from == to || !hir_comm_reads (expr, members[from]))
    return FALSE;
  hir_comm_call_get_chunk (call, to, &piece->offset, &piece->bytes);
  piece->at = (gsize) (hir_comm_call_count_inputs (call, from) - is_own_before) * piece->bytes;
  return piece->bytes > 0;
}

/* The reduced chunk of member @from. */
static gboolean
get_spread (const HirCommCall *call, guint from, guint to, HirCommPiece *piece)
{
  if (!hir_comm_writes (call->work->post.expr, call->team->members[to]))
    return FALSE;
  piece->offset = 0;
  hir_comm_call_get_chunk (call, from, &piece->at, &piece->bytes);
  return piece->bytes > 0;
}

gboolean
hir_comm_call_get_piece (const HirCommCall *call, guint from, guint to, HirCommPiece *piece)
{
  switch (call->step)
    {
    case HIR_COMM_STEP_COLLECT:
      return get_collected (call, from, to, piece);
    case HIR_COMM_STEP_SPREAD:
      return get_spread (call, from, to, piece);
    default:
      return get_moved (call, from, to, piece);
    }
}
