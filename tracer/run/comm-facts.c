/* Sizes and types of a post. */
#include "run/comm-facts.h"

#include "trace/collective.h"

/* The calls' names as PyTorch records them (docs/host-ir.md#communication). */
static const char *const op_names[] = {
  [HIR_COMM_GATHER] = "gather",       [HIR_COMM_ALLGATHER] = "_allgather_base",
  [HIR_COMM_SCATTER] = "scatter",     [HIR_COMM_REDUCE] = "reduce",
  [HIR_COMM_ALLREDUCE] = "allreduce", [HIR_COMM_REDUCE_SCATTER] = "_reduce_scatter_base",
  [HIR_COMM_BROADCAST] = "broadcast", [HIR_COMM_ALL_TO_ALL] = "all_to_all",
};

static guint
count_pieces (const HirExpr *communication)
{
  const HirVal *val = communication->u.comm.type == HIR_COMM_GATHER ? communication->inputs[0]
                                                                    : communication->outputs[0];
  const HirMesh *mesh = ((const HirTensor *) val)->mesh;

  return mesh != NULL ? (guint) mesh->size : 1;
}

static void
fill_message (const HirCommMessage *message, HirCommRecord *record)
{
  gint64 n = hir_value_get_n_elements (message->value);

  record->dtype = (guint8) message->value->dtype;
  record->message_bytes = (gint64) hir_value_get_size_bytes (message->value);
  record->in_elements = message->is_send ? n : 0;
  record->out_elements = message->is_send ? 0 : n;
}

const char *
hir_comm_fill_facts (const HirCommPost *post, guint part, int rank, HirCommRecord *record)
{
  const HirExpr *expr = post->expr;
  const HirCommMessage *message;
  gint64 size;
  const char *op;

  record->root = -1;
  if (post->messages != NULL)
    {
      message = &g_array_index (post->messages, HirCommMessage, part);
      fill_message (message, record);
      return message->is_send ? "send" : "recv";
    }
  if (expr->u.comm.type == HIR_COMM_SEND_RECV)
    op = rank == expr->u.comm.root ? "send" : "recv";
  else
    op = op_names[expr->u.comm.type];
  record->dtype = (guint8) expr->outputs[0]->dtype;
  size = (gint64) hir_dtype_get_size_bytes (record->dtype);
  record->in_elements = post->in != NULL ? hir_value_get_n_elements (post->in) : 0;
  record->out_elements = post->out != NULL ? hir_value_get_n_elements (post->out) : 0;
  record->message_bytes =
      hir_collective_count_bytes (op, record->in_elements * size, record->out_elements * size,
                                  count_pieces (expr));
  if (hir_comm_type_is_rooted (expr->u.comm.type))
    record->root = (gint32) expr->u.comm.root;
  return op;
}
