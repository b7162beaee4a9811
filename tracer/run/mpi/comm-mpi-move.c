/* Moves the data of collectives and messages by transfers between pairs of ranks. */
#include <string.h>

#include "run/cpu/cpu-ops.h"
#include "run/mpi/comm-mpi-private.h"

/* Data of this rank in a collective, contiguous. */
typedef struct
{
  HirCommWork *work;
  const HirExpr *expr;
  gint64 until_us;
  guint n, me;        /* number of members, and the index of this one */
  HirValue *in, *out; /* nullable; contiguous */
  HirValue *back;     /* nullable: destination of the copied output; borrowed */
  gsize piece_bytes;
} Move;

static gint64
get_deadline (const HirMpi *mpi)
{
  return mpi->timeout_s > 0 ? g_get_monotonic_time () + (gint64) (mpi->timeout_s * G_USEC_PER_SEC)
                            : G_MAXINT64;
}

/* Adds a transfer of @size bytes from byte @at of @value to @batch, which keeps the memory. */
static void
add (HirMpiBatch *batch,
     gboolean is_send,
     gint64 peer,
     guint tag,
     HirValue *value,
     gsize at,
     gsize size)
{
  if (size == 0)
    return;
  g_ptr_array_add (batch->keep, hir_buffer_ref (value->buffer));
  hir_mpi_batch_add (batch, is_send, (int) peer, (int) (tag % (HIR_MPI_WIRE_MAX_TAG - 1)) + 1,
                     (guint8 *) hir_value_get_data (value) + at, size);
}

/* Returns the tag of the data of member @i. */
static guint
tag_of (const Move *move, guint i)
{
  HirMpi *mpi = move->work->comm->mpi;
  guint tag;

  g_mutex_lock (&mpi->lock);
  tag = ((const HirCommHeader *) g_ptr_array_index (move->work->team->posted[i],
                                                    move->work->sequence))
            ->tag;
  g_mutex_unlock (&mpi->lock);
  return tag;
}

static void
add_send (Move *move, HirMpiBatch *batch, guint to, gsize at, gsize size)
{
  add (batch, TRUE, move->work->team->members[to], tag_of (move, move->me), move->in, at, size);
}

static void
add_receive (Move *move, HirMpiBatch *batch, guint from, HirValue *into, gsize at, gsize size)
{
  add (batch, FALSE, move->work->team->members[from], tag_of (move, from), into, at, size);
}

static gboolean
await (Move *move, HirMpiBatch *batch, GError **error)
{
  return hir_mpi_await_batch (move->work, batch, move->until_us, error);
}

/* Returns the index of @rank in the team, or -1. */
static int
place_of (const Move *move, gint64 rank)
{
  const HirMpiTeam *team = move->work->team;

  for (guint i = 0; i < team->n; i++)
    if (team->members[i] == rank)
      return (int) i;
  return -1;
}

static guint8 *
bytes_at (HirValue *value, gsize at)
{
  return (guint8 *) hir_value_get_data (value) + at;
}

/* Moves the tensor of the root in pieces, one per device of @mesh, from or to the other members. */
static gboolean
move_pieces (Move *move, const HirMesh *mesh, gboolean to_root, GError **error)
{
  g_autoptr (HirMpiBatch) batch = hir_mpi_batch_new ();
  const gint64 *members = move->work->team->members;
  int root = place_of (move, move->expr->u.comm.root);
  HirValue *mine = to_root ? move->in : move->out;

  for (gint64 j = 0; j < mesh->size && (int) move->me == root; j++)
    {
      int i = place_of (move, mesh->devices[j]);
      gsize at = (gsize) j * move->piece_bytes;

      if (i < 0)
        continue;
      if (i != root && to_root)
        add_receive (move, batch, (guint) i, move->out, at, move->piece_bytes);
      else if (i != root)
        add_send (move, batch, (guint) i, at, move->piece_bytes);
      else if (to_root && move->in != NULL)
        memmove (bytes_at (move->out, at), bytes_at (move->in, 0), move->piece_bytes);
      else if (!to_root && move->out != NULL)
        memmove (bytes_at (move->out, 0), bytes_at (move->in, at), move->piece_bytes);
    }
  if ((int) move->me != root && mine != NULL && hir_mesh_has (mesh, members[move->me]))
    {
      if (to_root)
        add_send (move, batch, (guint) root, 0, move->piece_bytes);
      else
        add_receive (move, batch, (guint) root, move->out, 0, move->piece_bytes);
    }
  return await (move, batch, error);
}

static gboolean
move_to_all (Move *move, GError **error)
{
  g_autoptr (HirMpiBatch) batch = hir_mpi_batch_new ();
  int root = place_of (move, move->expr->u.comm.root);
  gsize size = move->piece_bytes;

  if ((int) move->me == root)
    {
      for (guint i = 0; i < move->n; i++)
        if ((int) i != root && hir_comm_writes (move->expr, move->work->team->members[i]))
          add_send (move, batch, i, 0, size);
      if (move->out != NULL)
        memmove (bytes_at (move->out, 0), bytes_at (move->in, 0), size);
    }
  else if (move->out != NULL)
    add_receive (move, batch, (guint) root, move->out, 0, size);
  return await (move, batch, error);
}

static gboolean
move_allgather (Move *move, GError **error)
{
  g_autoptr (HirMpiBatch) batch = hir_mpi_batch_new ();
  gsize size = move->piece_bytes;

  for (guint i = 0; i < move->n; i++)
    {
      if (i == move->me)
        continue;
      add_send (move, batch, i, 0, size);
      add_receive (move, batch, i, move->out, i * size, size);
    }
  memmove (bytes_at (move->out, move->me * size), bytes_at (move->in, 0), size);
  return await (move, batch, error);
}

static gboolean
move_all_to_all (Move *move, GError **error)
{
  g_autoptr (HirMpiBatch) batch = hir_mpi_batch_new ();
  gsize size = move->piece_bytes;

  for (guint i = 0; i < move->n; i++)
    {
      if (i == move->me)
        continue;
      add_send (move, batch, i, i * size, size);
      add_receive (move, batch, i, move->out, i * size, size);
    }
  memmove (bytes_at (move->out, move->me * size), bytes_at (move->in, move->me * size), size);
  return await (move, batch, error);
}

/* Receives the part of this rank (if @receives) of all inputs and reduces them in the order of the
 * team into @out. Sends the other members their parts of this rank's input: part @i is [starts[i],
 * starts[i + 1]). */
static gboolean
reduce_parts (Move *move, const gsize *starts, gboolean receives, guint8 *out, GError **error)
{
  g_autoptr (HirMpiBatch) batch = hir_mpi_batch_new ();
  HirDType dtype = move->expr->outputs[0]->dtype;
  gsize size = receives ? starts[move->me + 1] - starts[move->me] : 0;
  g_autoptr (HirBuffer) others = hir_buffer_new (MAX (size * move->n, 1), error);
  g_autofree gconstpointer *in = g_new (gconstpointer, move->n);
  guint n_in = 0;

  if (others == NULL)
    return FALSE;
  for (guint i = 0; i < move->n; i++)
    {
      gsize part = starts[i + 1] - starts[i];

      if (i == move->me)
        {
          if (move->in != NULL && size > 0)
            in[n_in++] = bytes_at (move->in, starts[i]);
          continue;
        }
      if (move->in != NULL && part > 0)
        add_send (move, batch, i, starts[i], part);
      if (size == 0 || !hir_comm_reads (move->expr, move->work->team->members[i]))
        continue;
      g_ptr_array_add (batch->keep, hir_buffer_ref (others));
      hir_mpi_batch_add (batch, FALSE, (int) move->work->team->members[i],
                         (int) (tag_of (move, i) % (HIR_MPI_WIRE_MAX_TAG - 1)) + 1,
                         others->data + i * size, size);
      in[n_in++] = others->data + i * size;
    }
  if (!await (move, batch, error))
    return FALSE;
  if (n_in > 0 && size > 0)
    hir_comm_reduce (dtype, move->expr->u.comm.op, in, n_in,
                     size / hir_dtype_get_size_bytes (dtype), out);
  return TRUE;
}

static gboolean
move_reduce (Move *move, GError **error)
{
  g_autofree gsize *starts = g_new0 (gsize, move->n + 1);
  int root = place_of (move, move->expr->u.comm.root);

  /* The whole tensor is the part of the root. */
  for (guint i = (guint) root + 1; i <= move->n; i++)
    starts[i] = move->piece_bytes;
  return reduce_parts (move, starts, move->out != NULL,
                       move->out != NULL ? bytes_at (move->out, 0) : NULL, error);
}

static gboolean
move_reduce_scatter (Move *move, GError **error)
{
  g_autofree gsize *starts = g_new0 (gsize, move->n + 1);

  for (guint i = 0; i <= move->n; i++)
    starts[i] = i * move->piece_bytes;
  return reduce_parts (move, starts, TRUE, bytes_at (move->out, 0), error);
}

/* Each member reduces one part and sends it to the others. */
static gboolean
move_allreduce (Move *move, GError **error)
{
  g_autoptr (HirMpiBatch) batch = hir_mpi_batch_new ();
  g_autofree gsize *starts = g_new0 (gsize, move->n + 1);
  gsize element = hir_dtype_get_size_bytes (move->expr->outputs[0]->dtype);
  gsize count = move->piece_bytes / element;

  for (guint i = 0; i <= move->n; i++)
    starts[i] = count * i / move->n * element;
  if (!reduce_parts (move, starts, TRUE, bytes_at (move->out, starts[move->me]), error))
    return FALSE;
  for (guint i = 0; i < move->n; i++)
    {
      gint64 rank = move->work->team->members[i];

      if (i == move->me)
        continue;
      add (batch, TRUE, rank, tag_of (move, move->me), move->out, starts[move->me],
           starts[move->me + 1] - starts[move->me]);
      add (batch, FALSE, rank, tag_of (move, i), move->out, starts[i], starts[i + 1] - starts[i]);
    }
  return await (move, batch, error);
}

static gboolean
move_data (Move *move, GError **error)
{
  const HirExpr *expr = move->expr;

  switch (expr->u.comm.type)
    {
    case HIR_COMM_GATHER:
      return move_pieces (move, ((const HirTensor *) expr->inputs[0])->mesh, TRUE, error);
    case HIR_COMM_SCATTER:
      return move_pieces (move, ((const HirTensor *) expr->outputs[0])->mesh, FALSE, error);
    case HIR_COMM_ALLGATHER:
      return move_allgather (move, error);
    case HIR_COMM_REDUCE:
      return move_reduce (move, error);
    case HIR_COMM_ALLREDUCE:
      return move_allreduce (move, error);
    case HIR_COMM_REDUCE_SCATTER:
      return move_reduce_scatter (move, error);
    case HIR_COMM_ALL_TO_ALL:
      return move_all_to_all (move, error);
    case HIR_COMM_BROADCAST:
    case HIR_COMM_SEND_RECV:
      return move_to_all (move, error);
    }
  return TRUE;
}

static gboolean
prepare (Move *move, GError **error)
{
  HirCommPost *post = move->work->post;
  HirMpi *mpi = move->work->comm->mpi;
  gint64 piece;

  if (post->in != NULL)
    {
      move->in = hir_comm_flatten_input (post->in, error);
      if (move->in == NULL)
        return FALSE;
    }
  if (post->out != NULL)
    {
      move->out = hir_comm_flatten_output (post->out, error);
      if (move->out == NULL)
        return FALSE;
      move->back = move->out != post->out ? post->out : NULL;
    }
  g_mutex_lock (&mpi->lock);
  piece = ((const HirCommHeader *) g_ptr_array_index (move->work->team->posted[move->me],
                                                      move->work->sequence))
              ->count;
  g_mutex_unlock (&mpi->lock);
  move->piece_bytes =
      (gsize) MAX (piece, 0) * hir_dtype_get_size_bytes (move->expr->outputs[0]->dtype);
  return TRUE;
}

/* Runs a collective of a team with one member. */
static gboolean
run_alone (HirCommWork *work, GError **error)
{
  HirCommPart part = { work->comm->base.rank, work->post->in, work->post->out };

  return hir_comm_execute (work->post->expr, &part, 1, error);
}

gboolean
hir_mpi_run_collective (HirCommWork *work, GError **error)
{
  HirMpi *mpi = work->comm->mpi;
  Move move = { .work = work, .expr = work->post->expr, .n = work->team->n };
  gboolean ok;

  if (move.n == 1)
    return run_alone (work, error);
  move.until_us = get_deadline (mpi);
  if (!hir_mpi_await_posts (work, move.until_us, error))
    return FALSE;
  move.me = (guint) place_of (&move, work->comm->base.rank);
  ok = prepare (&move, error) && move_data (&move, error);
  if (ok && move.back != NULL)
    ok = hir_cpu_copy (move.back, move.out);
  g_clear_pointer (&move.in, hir_value_unref);
  g_clear_pointer (&move.out, hir_value_unref);
  /* Release the buffers early. */
  g_clear_pointer (&work->post->in, hir_value_unref);
  g_clear_pointer (&work->post->out, hir_value_unref);
  return ok;
}

static guint
tag_of_sent (const HirCommWork *work, guint i)
{
  HirMpi *mpi = work->comm->mpi;
  const HirMpiLine *line = g_ptr_array_index (work->lines, i);
  guint tag;

  g_mutex_lock (&mpi->lock);
  tag = ((const HirCommHeader *) g_ptr_array_index (line->sent,
                                                    g_array_index (work->sequences, guint, i)))
            ->tag;
  g_mutex_unlock (&mpi->lock);
  return tag;
}

static gboolean
add_message (HirCommWork *work, guint i, HirMpiBatch *batch, GPtrArray *flats, GError **error)
{
  const HirCommMessage *message = &g_array_index (work->post->messages, HirCommMessage, i);
  HirValue *flat = message->is_send ? hir_comm_flatten_input (message->value, error)
                                    : hir_comm_flatten_output (message->value, error);

  if (flat == NULL)
    return FALSE;
  g_ptr_array_add (flats, flat);
  add (batch, message->is_send, message->peer, tag_of_sent (work, i), flat, 0,
       hir_value_get_size_bytes (flat));
  return TRUE;
}

gboolean
hir_mpi_run_messages (HirCommWork *work, GError **error)
{
  g_autoptr (HirMpiBatch) batch = hir_mpi_batch_new ();
  g_autoptr (GPtrArray) flats = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  gint64 until_us = get_deadline (work->comm->mpi);

  if (!hir_mpi_await_posts (work, until_us, error))
    return FALSE;
  for (guint i = 0; i < work->post->messages->len; i++)
    if (!add_message (work, i, batch, flats, error))
      return FALSE;
  if (!hir_mpi_await_batch (work, batch, until_us, error))
    return FALSE;
  for (guint i = 0; i < flats->len; i++)
    {
      const HirCommMessage *message = &g_array_index (work->post->messages, HirCommMessage, i);
      HirValue *flat = g_ptr_array_index (flats, i);

      if (!message->is_send && flat != message->value && !hir_cpu_copy (message->value, flat))
        return FALSE;
    }
  return TRUE;
}
