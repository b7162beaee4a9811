/* Collectives and messages in the reference of host programs, as loops over arrays
 * (docs/host-ir.md#communication). Data is copied when it is posted and received at the Wait. */
#include <math.h>

#include "run/communicator.h"
#include "run/reference/reference-host-private.h"

static void
collective_free (gpointer data)
{
  HirRefCollective *collective = data;

  for (guint i = 0; i < collective->n; i++)
    {
      g_clear_pointer (&collective->in[i], hir_ref_tensor_unref);
      g_clear_pointer (&collective->out[i], hir_value_unref);
    }
  g_free (collective->in);
  g_free (collective->out);
  g_free (collective->members);
  g_free (collective);
}

HirRefWorld *
hir_ref_world_new (void)
{
  HirRefWorld *world = g_new0 (HirRefWorld, 1);

  world->teams =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  world->messages =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  world->received = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return world;
}

void
hir_ref_world_free (HirRefWorld *world)
{
  g_hash_table_unref (world->teams);
  g_hash_table_unref (world->messages);
  g_hash_table_unref (world->received);
  g_free (world);
}

static void
clear_receive (gpointer data)
{
  g_clear_pointer (&((HirRefReceive *) data)->value, hir_value_unref);
}

void
hir_ref_work_free (HirRefWork *work)
{
  g_clear_pointer (&work->receives, g_array_unref);
  g_free (work->receiver);
  g_free (work);
}

static HirRefWork *
work_new (const HirExpr *expr)
{
  HirRefWork *work = g_new0 (HirRefWork, 1);

  work->expr = expr;
  return work;
}

/* Returns the list of @key, which is created on first use. */
static GPtrArray *
get_list (GHashTable *table, const char *key, GDestroyNotify free_item)
{
  GPtrArray *list = g_hash_table_lookup (table, key);

  if (list != NULL)
    return list;
  list = g_ptr_array_new_with_free_func (free_item);
  g_hash_table_insert (table, g_strdup (key), list);
  return list;
}

/* Returns the number of earlier calls with @key. */
static guint
count_up (HirRefRank *rank, const char *key)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (rank->next, key));

  g_hash_table_replace (rank->next, g_strdup (key), GUINT_TO_POINTER (n + 1));
  return n;
}

static gboolean
misfit (const HirExpr *expr, GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                 "the sizes that the ranks send and receive in %s do not match",
                 hir_expr_kind_get_info (expr->kind)->name);
  return FALSE;
}

static HirRefCollective *
get_collective (HirRefRank *rank, const HirExpr *expr)
{
  g_autoptr (GString) key = g_string_new (NULL);
  guint n;
  g_autofree gint64 *members = hir_comm_dup_members (expr, &n);
  HirRefCollective *collective;
  GPtrArray *list;
  guint place;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (key, "%" G_GINT64_FORMAT " ", members[i]);
  list = get_list (rank->world->teams, key->str, collective_free);
  place = count_up (rank, key->str);
  if (place < list->len)
    return g_ptr_array_index (list, place);
  collective = g_new0 (HirRefCollective, 1);
  collective->expr = expr;
  collective->n = n;
  collective->members = g_steal_pointer (&members);
  collective->in = g_new0 (HirRefTensor *, n);
  collective->out = g_new0 (HirValue *, n);
  g_ptr_array_add (list, collective);
  return collective;
}

static int
find_member (const HirRefCollective *collective, gint64 rank)
{
  for (guint i = 0; i < collective->n; i++)
    if (collective->members[i] == rank)
      return (int) i;
  return -1;
}

static HirValue *
lookup (HirRefRank *rank, const HirExpr *expr, const HirVal *val, GError **error)
{
  HirValue *value = hir_env_lookup (rank->env, val);

  if (value == NULL)
    hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                   "T%d must be computed or allocated before it is communicated", val->name);
  return value;
}

/* Copies piece @from of @n_in pieces of @in to piece @to of @n_out pieces of @out. */
static gboolean
copy_piece (const HirExpr *expr,
            const HirRefTensor *in,
            gint64 from,
            gint64 n_in,
            HirRefTensor *out,
            gint64 to,
            gint64 n_out,
            GError **error)
{
  gint64 piece = in->count / n_in;

  if (piece * n_in != in->count || piece * n_out != out->count || in->dtype != out->dtype)
    return misfit (expr, error);
  for (gint64 k = 0; k < piece; k++)
    {
      HirRefCell cell;

      hir_ref_tensor_get (in, from * piece + k, &cell);
      if (!hir_ref_tensor_set (out, to * piece + k, &cell))
        return hir_ref_tensor_need_errors (out, error);
    }
  out->is_copy = out->is_copy && in->is_copy;
  out->n_distinct = fmin (out->n_distinct, in->n_distinct);
  return TRUE;
}

/* Stacks piece @piece of all inputs and reduces the stack. */
static gboolean
reduce_piece (const HirRefCollective *collective,
              gint64 piece,
              gint64 n_pieces,
              HirRefTensor *out,
              GError **error)
{
  const HirExpr *expr = collective->expr;
  gint64 sizes[2] = { 0, out->count };
  const gboolean reduced[2] = { TRUE, FALSE };
  g_autoptr (HirRefTensor) stack = NULL;
  HirRefTensor flat = *out;
  gint64 row = 0;
  gboolean ok;

  if (expr->u.comm.op != HIR_BINARY_ADD && expr->u.comm.op != HIR_BINARY_MUL &&
      expr->u.comm.op != HIR_BINARY_MAX && expr->u.comm.op != HIR_BINARY_MIN)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                     "a collective that reduces by %s cannot be checked yet",
                     hir_binary_op_get_name (expr->u.comm.op));
      return FALSE;
    }
  for (guint i = 0; i < collective->n; i++)
    sizes[0] += collective->in[i] != NULL;
  if (sizes[0] == 0)
    return misfit (expr, error);
  stack = hir_ref_tensor_new (out->dtype, 2, sizes, error);
  if (stack == NULL)
    return FALSE;
  for (guint i = 0; i < collective->n; i++)
    if (collective->in[i] != NULL &&
        !copy_piece (expr, collective->in[i], piece, n_pieces, stack, row++, sizes[0], error))
      return FALSE;
  flat.n_dims = 1;
  flat.sizes[0] = out->count;
  flat.n_extra = (guint) MAX (sizes[0] - 2, 0); /* hops of a ring, without the last */
  ok = hir_ref_reduce_by (expr, expr->u.comm.op, stack, reduced, &flat, error);
  out->errors = flat.errors;
  out->norms = flat.norms;
  out->is_copy = FALSE;
  out->n_distinct = fmin (stack->n_distinct, hir_ref_tensor_count_distinct (out));
  return ok;
}

/* Computes the result of member @place. */
static gboolean
compute_result (const HirRefCollective *collective, guint place, HirRefTensor *out, GError **error)
{
  const HirExpr *expr = collective->expr;
  const HirMesh *mesh;
  int root = find_member (collective, expr->u.comm.root);

  out->is_copy = TRUE;
  switch (expr->u.comm.type)
    {
    case HIR_COMM_GATHER:
      mesh = HIR_TENSOR (expr->inputs[0])->mesh;
      for (gint64 j = 0; mesh != NULL && j < mesh->size; j++)
        {
          int from = find_member (collective, mesh->devices[j]);

          if (from >= 0 && collective->in[from] != NULL &&
              !copy_piece (expr, collective->in[from], 0, 1, out, j, mesh->size, error))
            return FALSE;
        }
      return TRUE;
    case HIR_COMM_ALLGATHER:
      for (guint j = 0; j < collective->n; j++)
        if (!copy_piece (expr, collective->in[j], 0, 1, out, j, collective->n, error))
          return FALSE;
      return TRUE;
    case HIR_COMM_SCATTER:
      mesh = HIR_TENSOR (expr->outputs[0])->mesh;
      return copy_piece (expr, collective->in[root],
                         hir_mesh_index_of (mesh, collective->members[place]), mesh->size, out, 0,
                         1, error);
    case HIR_COMM_REDUCE:
    case HIR_COMM_ALLREDUCE:
      return reduce_piece (collective, 0, 1, out, error);
    case HIR_COMM_ALL_TO_ALL:
      for (guint j = 0; j < collective->n; j++)
        if (!copy_piece (expr, collective->in[j], place, collective->n, out, j, collective->n,
                         error))
          return FALSE;
      return TRUE;
    case HIR_COMM_REDUCE_SCATTER:
      return reduce_piece (collective, place, collective->n, out, error);
    default:
      return copy_piece (expr, collective->in[root], 0, 1, out, 0, 1, error);
    }
}

/* Writes the result to the memory of the member. */
static gboolean
deliver (HirRefCollective *collective, guint place, GError **error)
{
  HirValue *value = collective->out[place];
  g_autoptr (HirRefTensor) out = NULL;

  if (value == NULL)
    return TRUE;
  if (hir_comm_type_is_rooted (collective->expr->u.comm.type))
    {
      int root = find_member (collective, collective->expr->u.comm.root);

      if (root < 0 ||
          (collective->in[root] == NULL && collective->expr->u.comm.type != HIR_COMM_GATHER &&
           collective->expr->u.comm.type != HIR_COMM_REDUCE))
        return misfit (collective->expr, error);
    }
  out = hir_ref_host_gather (value, error);
  return out != NULL && compute_result (collective, place, out, error) &&
         hir_ref_host_scatter (value, out, error);
}

static gboolean
post_collective (HirRefRank *rank, const HirExpr *posted, GError **error)
{
  const HirExpr *expr = hir_env_resolve_root (rank->env, posted, error);
  HirRefWork *work = work_new (posted);
  HirRefCollective *collective;
  HirValue *in = NULL, *out = NULL;

  g_ptr_array_add (rank->works, work);
  if (expr == NULL)
    return FALSE;
  if (!hir_comm_has_member (expr, rank->rank))
    return TRUE;
  if ((hir_comm_reads (expr, rank->rank) &&
       (in = lookup (rank, expr, expr->inputs[0], error)) == NULL) ||
      (hir_comm_writes (expr, rank->rank) &&
       (out = lookup (rank, expr, expr->outputs[0], error)) == NULL))
    return FALSE;
  collective = get_collective (rank, expr);
  if (collective->expr->u.comm.type != expr->u.comm.type)
    return misfit (expr, error);
  work->collective = collective;
  work->place = (guint) find_member (collective, rank->rank);
  if (in != NULL && (collective->in[work->place] = hir_ref_host_gather (in, error)) == NULL)
    return FALSE;
  if (out != NULL)
    collective->out[work->place] = hir_value_ref (out);
  collective->n_posted++;
  return TRUE;
}

static gboolean
send_to (HirRefRank *rank, gint64 peer, const HirValue *value, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%d>%" G_GINT64_FORMAT, rank->rank, peer);
  HirRefTensor *copy = hir_ref_host_gather (value, error);

  if (copy != NULL)
    g_ptr_array_add (get_list (rank->world->messages, key, (GDestroyNotify) hir_ref_tensor_unref),
                     copy);
  return copy != NULL;
}

/* Returns the number of messages to @peer. */
static guint
count_messages (HirRefRank *rank, gint64 peer)
{
  g_autofree char *key = g_strdup_printf ("%d>%" G_GINT64_FORMAT, rank->rank, peer);
  const GPtrArray *list = g_hash_table_lookup (rank->world->messages, key);

  return list != NULL ? list->len : 0;
}

static void
receive_from (HirRefRank *rank, HirRefWork *work, const HirExpr *expr, gint64 peer, HirValue *value)
{
  g_autofree char *key = g_strdup_printf ("%d<%" G_GINT64_FORMAT, rank->rank, peer);
  HirRefReceive receive = { expr, peer, count_up (rank, key), hir_value_ref (value) };

  g_hash_table_replace (rank->world->received, g_strdup (key),
                        GUINT_TO_POINTER (receive.number + 1));
  if (work->receives == NULL)
    {
      work->receives = g_array_new (FALSE, TRUE, sizeof (HirRefReceive));
      g_array_set_clear_func (work->receives, clear_receive);
    }
  g_array_append_val (work->receives, receive);
}

static gboolean
post_p2p (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  HirValue *value = lookup (rank, expr, HIR_VAL (expr->u.p2p.buffer), error);
  HirRefWork *work = rank->group;
  gint64 peer;

  if (value == NULL || !hir_env_evaluate_int (rank->env, expr->u.p2p.peer, &peer, error))
    return FALSE;
  if (work == NULL)
    {
      work = work_new (expr);
      g_ptr_array_add (rank->works, work);
    }
  if (expr->u.p2p.is_send)
    return send_to (rank, peer, value, error);
  receive_from (rank, work, expr, peer, value);
  return TRUE;
}

static gboolean
post_permute (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  HirRefWork *work = work_new (expr);
  gint64 to, from, n = expr->u.permute.n_team;
  gboolean is_member = FALSE;
  HirValue *in, *out;

  g_ptr_array_add (rank->works, work);
  for (gint64 i = 0; i < n; i++)
    is_member |= expr->u.permute.team[i] == rank->rank;
  if (!is_member)
    return TRUE;
  if (!hir_env_evaluate_int (rank->env, expr->u.permute.send_peer, &to, error) ||
      !hir_env_evaluate_int (rank->env, expr->u.permute.recv_peer, &from, error) ||
      (in = lookup (rank, expr, expr->inputs[0], error)) == NULL ||
      (out = lookup (rank, expr, expr->outputs[0], error)) == NULL)
    return FALSE;
  if (to < 0 || to >= n || from < 0 || from >= n)
    return misfit (expr, error);
  receive_from (rank, work, expr, expr->u.permute.team[from], out);
  if (!send_to (rank, expr->u.permute.team[to], in, error))
    return FALSE;
  work->receiver =
      g_strdup_printf ("%" G_GINT64_FORMAT "<%d", expr->u.permute.team[to], rank->rank);
  work->n_received = count_messages (rank, expr->u.permute.team[to]);
  return TRUE;
}

gboolean
hir_ref_host_post (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  switch (expr->kind)
    {
    case HIR_EXPR_COMMUNICATION:
      return post_collective (rank, expr, error);
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      return post_permute (rank, expr, error);
    case HIR_EXPR_P2P:
      return post_p2p (rank, expr, error);
    case HIR_EXPR_START_COALESCING:
      if (rank->group != NULL)
        return misfit (expr, error);
      rank->group = work_new (expr);
      return TRUE;
    default: /* EndCoalescing */
      if (rank->group == NULL)
        return misfit (expr, error);
      rank->group->expr = expr;
      g_ptr_array_add (rank->works, g_steal_pointer (&rank->group));
      return TRUE;
    }
}

/* Returns the message, or NULL if it was not sent yet. */
static const HirRefTensor *
find_message (HirRefRank *rank, const HirRefReceive *receive)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT ">%d", receive->from, rank->rank);
  GPtrArray *list = g_hash_table_lookup (rank->world->messages, key);

  return list != NULL && receive->number < list->len ? g_ptr_array_index (list, receive->number)
                                                     : NULL;
}

static gboolean
is_ready (HirRefRank *rank, const HirRefWork *work)
{
  if (work->collective != NULL)
    return work->collective->n_posted == work->collective->n;
  for (guint i = 0; work->receives != NULL && i < work->receives->len; i++)
    if (find_message (rank, &g_array_index (work->receives, HirRefReceive, i)) == NULL)
      return FALSE;
  return work->receiver == NULL ||
         GPOINTER_TO_UINT (g_hash_table_lookup (rank->world->received, work->receiver)) >=
             work->n_received;
}

static gboolean
finish (HirRefRank *rank, const HirRefWork *work, GError **error)
{
  if (work->collective != NULL)
    return deliver (work->collective, work->place, error);
  for (guint i = 0; work->receives != NULL && i < work->receives->len; i++)
    {
      const HirRefReceive *receive = &g_array_index (work->receives, HirRefReceive, i);
      const HirRefTensor *message = find_message (rank, receive);

      if (message->count != hir_value_get_n_elements (receive->value) ||
          message->dtype != receive->value->dtype)
        return misfit (receive->expr, error);
      if (!hir_ref_host_scatter (receive->value, message, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_ref_host_wait (HirRefRank *rank, const HirExpr *wait, gboolean *ready, GError **error)
{
  for (guint i = 0; i < rank->works->len; i++)
    {
      HirRefWork *work = g_ptr_array_index (rank->works, i);

      if (work->expr != wait->u.wait.of)
        continue;
      *ready = is_ready (rank, work);
      if (!*ready)
        return TRUE;
      if (!finish (rank, work, error))
        return FALSE;
      g_ptr_array_remove_index (rank->works, i);
      return TRUE;
    }
  *ready = TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &wait->node.pos, "nothing to wait for");
  return FALSE;
}
