/* Collectives as copies and reductions between buffers. */
#include "run/comm/comm-collective.h"

#include <string.h>

#include "run/cpu/cpu-ops.h"

/* Number of pieces in the input of a part. A piece is what one device of the table of
 * docs/host-ir.md#communication sends or receives at once. */
static gint64
count_in_pieces (const HirExpr *communication, guint n_members)
{
  switch (communication->u.comm.type)
    {
    case HIR_COMM_SCATTER:
      return ((const HirTensor *) communication->outputs[0])->mesh->size;
    case HIR_COMM_REDUCE_SCATTER:
    case HIR_COMM_ALL_TO_ALL:
      return n_members;
    default:
      return 1;
    }
}

static gint64
count_out_pieces (const HirExpr *communication, guint n_members)
{
  switch (communication->u.comm.type)
    {
    case HIR_COMM_GATHER:
      return ((const HirTensor *) communication->inputs[0])->mesh->size;
    case HIR_COMM_ALLGATHER:
    case HIR_COMM_ALL_TO_ALL:
      return n_members;
    default:
      return 1;
    }
}

static gboolean
check_value (const HirExpr *communication,
             const HirValue *value,
             gint64 rank,
             gint64 n_pieces,
             gint64 *piece,
             GError **error)
{
  g_autofree char *text = NULL;
  HirDType dtype = communication->outputs[0]->dtype;
  gint64 count;

  if (value == NULL)
    return TRUE;
  count = hir_value_get_n_elements (value);
  if (value->dtype == dtype && count % n_pieces == 0 && (*piece < 0 || count / n_pieces == *piece))
    {
      *piece = count / n_pieces;
      return TRUE;
    }
  text = hir_value_describe (value);
  if (value->dtype != dtype)
    hir_set_error (error, HIR_ERROR_RUN, &communication->node.pos,
                   "rank %" G_GINT64_FORMAT " posts %s, but T%d has type %s", rank, text,
                   communication->outputs[0]->name, hir_dtype_get_short_name (dtype));
  else if (count % n_pieces != 0)
    hir_set_error (error, HIR_ERROR_RUN, &communication->node.pos,
                   "rank %" G_GINT64_FORMAT " posts %s, which cannot be split into "
                   "%" G_GINT64_FORMAT " equal pieces",
                   rank, text, n_pieces);
  else
    hir_set_error (error, HIR_ERROR_RUN, &communication->node.pos,
                   "rank %" G_GINT64_FORMAT " posts %s, %" G_GINT64_FORMAT
                   " pieces of %" G_GINT64_FORMAT
                   " elements, but the pieces of other ranks have %" G_GINT64_FORMAT,
                   rank, text, n_pieces, count / n_pieces, *piece);
  return FALSE;
}

gboolean
hir_comm_check_parts (const HirExpr *communication,
                      const HirCommPart *parts,
                      guint n,
                      GError **error)
{
  gint64 in_pieces = count_in_pieces (communication, n);
  gint64 out_pieces = count_out_pieces (communication, n);
  gint64 piece = -1;

  for (guint i = 0; i < n; i++)
    if (!check_value (communication, parts[i].in, parts[i].rank, in_pieces, &piece, error) ||
        !check_value (communication, parts[i].out, parts[i].rank, out_pieces, &piece, error))
      return FALSE;
  return TRUE;
}

gboolean
hir_comm_get_piece (const HirExpr *communication,
                    const HirCommPart *part,
                    guint n_members,
                    gint64 *piece,
                    GError **error)
{
  *piece = -1;
  return check_value (communication, part->in, part->rank,
                      count_in_pieces (communication, n_members), piece, error) &&
         check_value (communication, part->out, part->rank,
                      count_out_pieces (communication, n_members), piece, error);
}

/* Contiguous elements of a part: its own memory, or a copy. */
typedef struct
{
  HirValue *in, *out;   /* nullable; contiguous */
  const HirValue *back; /* nullable: destination of the copied output */
} Flat;

static void
flat_clear (gpointer data)
{
  Flat *flat = data;

  g_clear_pointer (&flat->in, hir_value_unref);
  g_clear_pointer (&flat->out, hir_value_unref);
}

static HirValue *
new_like (const HirValue *value, GError **error)
{
  g_autoptr (HirBuffer) buffer = hir_buffer_new (hir_value_get_size_bytes (value), error);

  return buffer != NULL
             ? hir_value_new_tensor (value->dtype, value->n_dims, value->sizes, NULL, buffer)
             : NULL;
}

HirValue *
hir_comm_flatten_input (HirValue *value, GError **error)
{
  g_autoptr (HirValue) copy = NULL;

  if (!hir_buffer_ensure (value->buffer, error))
    return NULL;
  if (hir_value_is_contiguous (value))
    return hir_value_ref (value);
  copy = new_like (value, error);
  return copy != NULL && hir_cpu_copy (copy, value) ? g_steal_pointer (&copy) : NULL;
}

HirValue *
hir_comm_flatten_output (HirValue *value, GError **error)
{
  if (!hir_buffer_ensure (value->buffer, error))
    return NULL;
  return hir_value_is_contiguous (value) ? hir_value_ref (value) : new_like (value, error);
}

static gboolean
flatten (const HirCommPart *part, Flat *flat, GError **error)
{
  if (part->in != NULL)
    flat->in = hir_comm_flatten_input (part->in, error);
  if (part->out != NULL)
    flat->out = hir_comm_flatten_output (part->out, error);
  if (flat->out != part->out)
    flat->back = part->out;
  return (part->in == NULL || flat->in != NULL) && (part->out == NULL || flat->out != NULL);
}

static guint8 *
piece_of (const HirValue *value, gsize index, gsize piece_bytes)
{
  return (guint8 *) hir_value_get_data (value) + index * piece_bytes;
}

/* Returns the index of @rank's part, or -1. */
static int
find_part (const HirCommPart *parts, guint n, gint64 rank)
{
  for (guint i = 0; i < n; i++)
    if (parts[i].rank == rank)
      return (int) i;
  return -1;
}

static void
gather (const HirExpr *communication,
        const HirCommPart *parts,
        const Flat *flats,
        guint n,
        gsize piece_bytes)
{
  const HirMesh *mesh = ((const HirTensor *) communication->inputs[0])->mesh;
  int root = find_part (parts, n, communication->u.comm.root);

  for (gint64 j = 0; j < mesh->size; j++)
    {
      int from = find_part (parts, n, mesh->devices[j]);

      if (from >= 0 && flats[from].in != NULL)
        memmove (piece_of (flats[root].out, (gsize) j, piece_bytes),
                 hir_value_get_data (flats[from].in), piece_bytes);
    }
}

static void
scatter (const HirExpr *communication,
         const HirCommPart *parts,
         const Flat *flats,
         guint n,
         gsize piece_bytes)
{
  const HirMesh *mesh = ((const HirTensor *) communication->outputs[0])->mesh;
  int root = find_part (parts, n, communication->u.comm.root);

  for (gint64 j = 0; j < mesh->size; j++)
    {
      int to = find_part (parts, n, mesh->devices[j]);

      if (to >= 0 && flats[to].out != NULL)
        memmove (hir_value_get_data (flats[to].out),
                 piece_of (flats[root].in, (gsize) j, piece_bytes), piece_bytes);
    }
}

static void
allgather (const Flat *flats, guint n, gsize piece_bytes)
{
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n; j++)
      memmove (piece_of (flats[i].out, j, piece_bytes), hir_value_get_data (flats[j].in),
               piece_bytes);
}

/* Piece j of input i becomes piece i of output j. */
static void
all_to_all (const Flat *flats, guint n, gsize piece_bytes)
{
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n; j++)
      memmove (piece_of (flats[j].out, i, piece_bytes), piece_of (flats[i].in, j, piece_bytes),
               piece_bytes);
}

/* Reduces piece @piece of all inputs into @out. */
static void
reduce_into (const HirExpr *communication,
             const Flat *flats,
             guint n,
             gsize piece,
             gsize piece_bytes,
             HirValue *out)
{
  g_autofree gconstpointer *in = g_new (gconstpointer, n);
  guint n_in = 0;

  for (guint i = 0; i < n; i++)
    if (flats[i].in != NULL)
      in[n_in++] = piece_of (flats[i].in, piece, piece_bytes);
  if (n_in > 0)
    hir_comm_reduce (out->dtype, communication->u.comm.op, in, n_in,
                     piece_bytes / hir_dtype_get_size_bytes (out->dtype), hir_value_get_data (out));
}

/* Copies @from to every other output. */
static void
spread (const Flat *flats, guint n, const HirValue *from)
{
  for (guint i = 0; i < n; i++)
    if (flats[i].out != NULL && flats[i].out != from)
      memmove (hir_value_get_data (flats[i].out), hir_value_get_data (from),
               hir_value_get_size_bytes (from));
}

static void
move (const HirExpr *communication, const HirCommPart *parts, const Flat *flats, guint n)
{
  int root = MAX (find_part (parts, n, communication->u.comm.root), 0);
  gint64 n_in = count_in_pieces (communication, n), n_out = count_out_pieces (communication, n);
  gsize piece_bytes = 0;

  for (guint i = 0; i < n; i++)
    if (flats[i].in != NULL)
      piece_bytes = hir_value_get_size_bytes (flats[i].in) / (gsize) n_in;
    else if (flats[i].out != NULL)
      piece_bytes = hir_value_get_size_bytes (flats[i].out) / (gsize) n_out;
  switch (communication->u.comm.type)
    {
    case HIR_COMM_GATHER:
      gather (communication, parts, flats, n, piece_bytes);
      break;
    case HIR_COMM_ALLGATHER:
      allgather (flats, n, piece_bytes);
      break;
    case HIR_COMM_SCATTER:
      scatter (communication, parts, flats, n, piece_bytes);
      break;
    case HIR_COMM_REDUCE:
      reduce_into (communication, flats, n, 0, piece_bytes, flats[root].out);
      break;
    case HIR_COMM_ALLREDUCE:
      reduce_into (communication, flats, n, 0, piece_bytes, flats[0].out);
      spread (flats, n, flats[0].out);
      break;
    case HIR_COMM_REDUCE_SCATTER:
      for (guint j = 0; j < n; j++)
        reduce_into (communication, flats, n, j, piece_bytes, flats[j].out);
      break;
    case HIR_COMM_ALL_TO_ALL:
      all_to_all (flats, n, piece_bytes);
      break;
    case HIR_COMM_BROADCAST:
    case HIR_COMM_SEND_RECV:
      spread (flats, n, flats[root].in);
      break;
    }
}

gboolean
hir_comm_execute (const HirExpr *communication, const HirCommPart *parts, guint n, GError **error)
{
  g_autoptr (GArray) flats = g_array_sized_new (FALSE, TRUE, sizeof (Flat), n);

  g_array_set_clear_func (flats, flat_clear);
  g_array_set_size (flats, n);
  for (guint i = 0; i < n; i++)
    if (!flatten (&parts[i], &g_array_index (flats, Flat, i), error))
      return FALSE;
  move (communication, parts, (const Flat *) flats->data, n);
  for (guint i = 0; i < n; i++)
    {
      const Flat *flat = &g_array_index (flats, Flat, i);

      if (flat->back != NULL)
        hir_cpu_copy (flat->back, flat->out);
    }
  return TRUE;
}

gboolean
hir_comm_copy (const HirValue *out, const HirValue *in, GError **error)
{
  g_autoptr (HirValue) flat_in = NULL;
  g_autoptr (HirValue) shaped = NULL;

  if (!hir_buffer_ensure (out->buffer, error) || !hir_buffer_ensure (in->buffer, error))
    return FALSE;
  if (hir_value_same_sizes (out, in))
    return hir_cpu_copy (out, in);
  flat_in = hir_comm_flatten_input ((HirValue *) in, error);
  if (flat_in == NULL)
    return FALSE;
  shaped = hir_value_reshape (flat_in, out->n_dims, out->sizes);
  g_assert (shaped != NULL); /* the counts are equal, and it is contiguous */
  return hir_cpu_copy (out, shaped);
}
