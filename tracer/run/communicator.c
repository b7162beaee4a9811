#include "run/communicator.h"

static void
clear_message (gpointer data)
{
  HirCommMessage *message = data;

  g_clear_pointer (&message->value, hir_value_unref);
}

HirCommPost *
hir_comm_post_new (const HirExpr *expr, const char *where)
{
  HirCommPost *post = g_new0 (HirCommPost, 1);

  post->expr = expr;
  post->where = g_strdup (where);
  return post;
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
  g_clear_pointer (&post->in, hir_value_unref);
  g_clear_pointer (&post->out, hir_value_unref);
  g_clear_pointer (&post->messages, g_array_unref);
  g_free (post->where);
  g_free (post);
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
    case HIR_COMM_REDUCE: /* a root outside of the senders gives nothing */
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
    case HIR_COMM_BROADCAST: /* a root outside of the receivers keeps nothing */
      return in_mesh (communication->outputs[0], rank);
    case HIR_COMM_SEND_RECV:
      g_free (hir_comm_dup_members (communication, &n));
      return n == 1 || rank != root;
    default:
      return TRUE;
    }
}
