/* Posts, and the members of collectives. */
#include "run/communicator.h"

static void
clear_message (gpointer data)
{
  HirCommMessage *message = data;

  g_clear_pointer (&message->value, hir_value_unref);
}

HirCommPost *
hir_comm_post_new (const HirExpr *expr, char *label, gint32 iteration, int rank)
{
  HirCommPost *post = g_new0 (HirCommPost, 1);

  post->expr = expr;
  post->label = label != NULL ? g_ref_string_acquire (label) : NULL;
  post->iteration = iteration;
  post->rank = rank;
  return post;
}

void
hir_comm_post_clear (HirCommPost *post)
{
  g_clear_pointer (&post->in, hir_value_unref);
  g_clear_pointer (&post->out, hir_value_unref);
  g_clear_pointer (&post->messages, g_array_unref);
  g_clear_pointer (&post->where, g_free);
  g_clear_pointer (&post->label, g_ref_string_release);
}

static GArray *
dup_messages (GArray *messages)
{
  GArray *copy = g_array_copy (messages);

  g_array_set_clear_func (copy, clear_message);
  for (guint i = 0; i < copy->len; i++)
    hir_value_ref (g_array_index (copy, HirCommMessage, i).value);
  return copy;
}

void
hir_comm_post_assign (HirCommPost *to, const HirCommPost *from)
{
  char *label = to->label;

  to->label = NULL;
  hir_comm_post_clear (to);
  if (label == from->label)
    to->label = label;
  else
    {
      g_clear_pointer (&label, g_ref_string_release);
      to->label = from->label != NULL ? g_ref_string_acquire (from->label) : NULL;
    }
  to->expr = from->expr;
  to->iteration = from->iteration;
  to->rank = from->rank;
  to->in = from->in != NULL ? hir_value_ref (from->in) : NULL;
  to->out = from->out != NULL ? hir_value_ref (from->out) : NULL;
  to->messages = from->messages != NULL ? dup_messages (from->messages) : NULL;
}

HirCommPost *
hir_comm_post_copy (const HirCommPost *post)
{
  HirCommPost *copy = g_new0 (HirCommPost, 1);

  hir_comm_post_assign (copy, post);
  return copy;
}

char *
hir_comm_dup_where (const char *label, gint32 iteration, int rank)
{
  return iteration < 0 ? g_strdup_printf ("%s on rank %d", label, rank)
                       : g_strdup_printf ("%s in iteration %d on rank %d", label, iteration, rank);
}

const char *
hir_comm_post_get_where (const HirCommPost *post)
{
  HirCommPost *writable = (HirCommPost *) post;

  if (post->where == NULL)
    writable->where = hir_comm_dup_where (post->label, post->iteration, post->rank);
  return post->where;
}

void
hir_comm_post_set_ended_error (const HirCommPost *post,
                               gint64 rank,
                               const char *what,
                               GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, &post->expr->node.pos,
                 "%s waits for rank %" G_GINT64_FORMAT ", which ends without %s",
                 hir_comm_post_get_where (post), rank, what);
}

void
hir_comm_post_add_message (
    HirCommPost *post, const HirExpr *expr, gboolean is_send, gint64 peer, HirValue *value)
{
  HirCommMessage message = { expr, is_send, peer, hir_value_ref (value) };

  if (post->messages == NULL)
    {
      post->messages = g_array_new (FALSE, TRUE, sizeof (HirCommMessage));
      g_array_set_clear_func (post->messages, clear_message);
    }
  g_array_append_val (post->messages, message);
}

void
hir_comm_post_free (HirCommPost *post)
{
  if (post == NULL)
    return;
  hir_comm_post_clear (post);
  g_free (post);
}

void
hir_comm_lock (GMutex *lock)
{
  for (guint i = 0; i < 100; i++)
    if (g_mutex_trylock (lock))
      return;
  g_mutex_lock (lock);
}

void
hir_communicator_free (HirCommunicator *communicator)
{
  communicator->klass->free (communicator);
}

gint64 *
hir_comm_dup_members (const HirExpr *communication, guint *n)
{
  const gint64 *team = communication->u.comm.team;
  gint64 *members = g_new (gint64, MAX (communication->u.comm.n_team, 1));

  *n = 0;
  for (guint i = 0; i < communication->u.comm.n_team; i++)
    {
      guint k = 0;

      while (k < *n && members[k] != team[i])
        k++;
      if (k == *n)
        members[(*n)++] = team[i];
    }
  return members;
}

gboolean
hir_comm_has_member (const HirExpr *communication, gint64 rank)
{
  for (guint i = 0; i < communication->u.comm.n_team; i++)
    if (communication->u.comm.team[i] == rank)
      return TRUE;
  return FALSE;
}

static gboolean
in_mesh (const HirVal *val, gint64 rank)
{
  return hir_mesh_has (((const HirTensor *) val)->mesh, rank);
}

gboolean
hir_comm_reads (const HirExpr *communication, gint64 rank)
{
  gint64 root = communication->u.comm.root;

  if (!hir_comm_has_member (communication, rank))
    return FALSE;
  switch (communication->u.comm.type)
    {
    case HIR_COMM_GATHER:
    case HIR_COMM_REDUCE: /* a root that is not a sender provides no data */
      return in_mesh (communication->inputs[0], rank);
    case HIR_COMM_SCATTER:
    case HIR_COMM_BROADCAST:
    case HIR_COMM_SEND_RECV:
      return rank == root;
    default:
      return TRUE;
    }
}

gboolean
hir_comm_writes (const HirExpr *communication, gint64 rank)
{
  gint64 root = communication->u.comm.root;
  guint n;

  if (!hir_comm_has_member (communication, rank))
    return FALSE;
  switch (communication->u.comm.type)
    {
    case HIR_COMM_GATHER:
    case HIR_COMM_REDUCE:
      return rank == root;
    case HIR_COMM_SCATTER:
    case HIR_COMM_BROADCAST: /* a root that is not a receiver gets no data */
      return in_mesh (communication->outputs[0], rank);
    case HIR_COMM_SEND_RECV:
      g_free (hir_comm_dup_members (communication, &n));
      return n == 1 || rank != root;
    default:
      return TRUE;
    }
}

gboolean
hir_comm_copies_first (const HirExpr *communication, gint64 rank)
{
  switch (communication->u.comm.type)
    {
    case HIR_COMM_ALLREDUCE:
      return TRUE;
    case HIR_COMM_REDUCE:
    case HIR_COMM_BROADCAST:
      return communication->u.comm.root == rank;
    default:
      return FALSE;
    }
}
