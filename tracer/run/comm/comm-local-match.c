/* Matching of posts, at the time of posting. */
#include <string.h>

#include "print/print.h"
#include "run/comm/comm-local-private.h"

const char *
hir_local_find_difference (const HirExpr *x, const HirExpr *y)
{
  if (x->u.comm.type != y->u.comm.type)
    return "are different collectives";
  if (x->u.comm.root != y->u.comm.root)
    return "have different roots";
  if (hir_comm_type_is_reduction (x->u.comm.type) && x->u.comm.op != y->u.comm.op)
    return "use different reduction ops";
  return x->outputs[0]->dtype != y->outputs[0]->dtype ? "have different types" : NULL;
}

/* Sets an error if @a and @b differ in type, root, reduction op or data type. They are posts of two
 * ranks with the same team and sequence number. */
static gboolean
check_same (const HirCommWork *a, const HirCommWork *b, GError **error)
{
  const char *what = hir_local_find_difference (a->post->expr, b->post->expr);

  if (what == NULL)
    return TRUE;
  hir_set_error (
      error, HIR_ERROR_RUN, &a->post->expr->node.pos,
      "%s does not match %s: they %s; post the same collectives in the same order on all "
      "ranks",
      hir_comm_post_get_where (a->post), hir_comm_post_get_where (b->post), what);
  return FALSE;
}

static gboolean
check_sizes (const HirLocalOp *op, GError **error)
{
  HirCommPart few[16];
  g_autofree HirCommPart *many = op->n > G_N_ELEMENTS (few) ? g_new0 (HirCommPart, op->n) : NULL;
  HirCommPart *parts = many != NULL ? many : few;
  g_autoptr (GError) local = NULL;
  const HirCommPost *first = op->works[0]->post;
  HirPos pos;

  for (guint i = 0; i < op->n; i++)
    parts[i] = (HirCommPart){ op->members[i], op->works[i]->post->in, op->works[i]->post->out };
  if (hir_comm_check_parts (first->expr, parts, op->n, &local))
    return TRUE;
  pos = hir_error_get_pos (local);
  hir_set_error (error, HIR_ERROR_RUN, &pos, "%s: %s", hir_comm_post_get_where (first),
                 local->message);
  return FALSE;
}

/* Returns collective @number of the team, or NULL if no member has posted it. */
static HirLocalOp *
lookup_op (const HirLocalTeam *team, guint number)
{
  guint at = number - team->n_before;

  return at < team->ops->len ? g_ptr_array_index (team->ops, at) : NULL;
}

static HirLocalOp *
get_op (HirCommWorld *world, HirLocalTeam *team, guint number)
{
  HirLocalOp *op = lookup_op (team, number);

  if (op != NULL)
    return op;
  op = world->spare_ops->len > 0
           ? g_ptr_array_steal_index_fast (world->spare_ops, world->spare_ops->len - 1)
           : g_new0 (HirLocalOp, 1);
  if (op->n_room < team->n)
    op->works = g_renew (HirCommWork *, op->works, team->n);
  op->n_room = MAX (op->n_room, team->n);
  memset (op->works, 0, team->n * sizeof *op->works);
  op->world = world;
  op->members = team->members;
  op->n = team->n;
  op->n_posted = 0;
  op->n_arrived = 0;
  op->done = FALSE;
  op->n_refs = 1;
  g_ptr_array_add (team->ops, op);
  return op;
}

/* Forgets @op, which all members have posted. */
static void
forget_op (HirLocalTeam *team, HirLocalOp *op)
{
  /* Members post in order, so it is the first remaining one. */
  g_assert (g_ptr_array_index (team->ops, team->n_gone) == op);
  g_ptr_array_index (team->ops, team->n_gone++) = NULL;
  if (team->n_gone == team->ops->len || team->n_gone >= 256)
    {
      g_ptr_array_remove_range (team->ops, 0, team->n_gone);
      team->n_before += team->n_gone;
      team->n_gone = 0;
    }
  hir_local_op_drop (op);
}

gboolean
hir_local_match_collective (HirCommWorld *world, HirCommWork *work, GError **error)
{
  HirLocalTeam *team = hir_local_lookup_team (world, work->post->expr);
  guint member = hir_local_find_member (team, work->rank);
  HirLocalOp *op;

  g_return_val_if_fail (member < team->n, FALSE);
  for (guint i = 0; i < team->n; i++)
    if (team->members[i] >= world->n_ranks)
      {
        hir_set_error (error, HIR_ERROR_RUN, &work->post->expr->node.pos,
                       "%s has device %" G_GINT64_FORMAT " in its team, but there are %d devices; "
                       "use a larger -d",
                       hir_comm_post_get_where (work->post), team->members[i], world->n_ranks);
        return FALSE;
      }
  op = get_op (world, team, team->n_posted[member]++);
  op->works[member] = work;
  work->n_refs++;
  work->op = op;
  op->n_refs++;
  op->n_posted++;
  for (guint i = 0; i < op->n; i++)
    {
      if (op->works[i] == NULL)
        {
          if (world->ended[op->members[i]])
            {
              hir_comm_post_set_ended_error (work->post, op->members[i], "posting it", error);
              return FALSE;
            }
        }
      else if (!check_same (work, op->works[i], error))
        return FALSE;
    }
  if (op->n_posted < op->n)
    return TRUE;
  if (!check_sizes (op, error))
    return FALSE;
  if (work->is_matched_only)
    forget_op (team, op);
  return TRUE;
}

static GQueue *
get_queue (HirCommWorld *world, gint64 from, gint64 to)
{
  char *key = g_strdup_printf ("%" G_GINT64_FORMAT ">%" G_GINT64_FORMAT, from, to);
  GQueue *queue = g_hash_table_lookup (world->unmatched, key);

  if (queue != NULL)
    {
      g_free (key);
      return queue;
    }
  queue = g_queue_new ();
  g_hash_table_insert (world->unmatched, key, queue);
  return queue;
}

static gboolean
check_message (const HirLocalMessage *message, GError **error)
{
  const HirValue *sent = message->values[0], *received = message->values[1];
  g_autofree char *give = NULL;
  g_autofree char *take = NULL;

  if (sent->dtype == received->dtype &&
      hir_value_get_n_elements (sent) == hir_value_get_n_elements (received))
    return TRUE;
  give = hir_value_describe (sent);
  take = hir_value_describe (received);
  hir_set_error (error, HIR_ERROR_RUN, &message->works[1]->post->expr->node.pos,
                 "%s sends %s, but %s receives it into %s; sizes and types must be equal",
                 hir_comm_post_get_where (message->works[0]->post), give,
                 hir_comm_post_get_where (message->works[1]->post), take);
  return FALSE;
}

static gboolean
match_message (HirCommWorld *world, HirCommWork *work, const HirCommMessage *post, GError **error)
{
  gint64 from = post->is_send ? work->rank : post->peer;
  gint64 to = post->is_send ? post->peer : work->rank;
  guint side = post->is_send ? 0 : 1;
  GQueue *queue;
  HirLocalMessage *message;

  if (post->peer < 0 || post->peer >= world->n_ranks)
    {
      hir_set_error (error, HIR_ERROR_RUN, &post->expr->node.pos,
                     "%s has peer %" G_GINT64_FORMAT ", but there are %d devices",
                     hir_comm_post_get_where (work->post), post->peer, world->n_ranks);
      return FALSE;
    }
  queue = get_queue (world, from, to);
  message = g_queue_peek_head (queue);
  if (message != NULL && message->works[side] == NULL)
    g_queue_pop_head (queue);
  else
    {
      message = g_new0 (HirLocalMessage, 1);
      message->from = from;
      message->to = to;
      g_ptr_array_add (world->messages, message);
      g_queue_push_tail (queue, message);
    }
  message->works[side] = work;
  work->n_refs++;
  message->values[side] = hir_value_ref (post->value);
  g_ptr_array_add (work->messages, message);
  if (message->works[1 - side] != NULL)
    return check_message (message, error);
  if (post->peer != work->rank && world->ended[post->peer])
    {
      hir_comm_post_set_ended_error (work->post, post->peer,
                                     post->is_send ? "receiving it" : "sending it", error);
      return FALSE;
    }
  return TRUE;
}

gboolean
hir_local_match_messages (HirCommWorld *world, HirCommWork *work, GError **error)
{
  work->messages = g_ptr_array_new ();
  for (guint i = 0; i < work->post->messages->len; i++)
    if (!match_message (world, work, &g_array_index (work->post->messages, HirCommMessage, i),
                        error))
      return FALSE;
  return TRUE;
}

static gboolean
check_teams (HirCommWorld *world, int rank, GError **error)
{
  GHashTableIter iter;
  HirLocalTeam *team;

  g_hash_table_iter_init (&iter, world->teams);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    {
      guint member = hir_local_find_member (team, rank);
      const HirLocalOp *op = member < team->n ? lookup_op (team, team->n_posted[member]) : NULL;

      if (op == NULL)
        continue;
      for (guint i = 0; i < op->n; i++)
        if (op->works[i] != NULL)
          {
            hir_comm_post_set_ended_error (op->works[i]->post, rank, "posting it", error);
            return FALSE;
          }
    }
  return TRUE;
}

gboolean
hir_local_check_end (HirCommWorld *world, int rank, GError **error)
{
  if (!check_teams (world, rank, error))
    return FALSE;
  for (guint i = 0; i < world->messages->len; i++)
    {
      const HirLocalMessage *message = g_ptr_array_index (world->messages, i);
      gboolean is_sent = message->works[0] != NULL;
      const HirCommWork *work = message->works[is_sent ? 0 : 1];
      gint64 peer = is_sent ? message->to : message->from;

      if ((is_sent && message->works[1] != NULL) || (peer != rank && !world->ended[peer]))
        continue;
      hir_comm_post_set_ended_error (work->post, peer, is_sent ? "receiving it" : "sending it",
                                     error);
      return FALSE;
    }
  return TRUE;
}
