/* Headers of posts. */
#include "run/comm/comm-header.h"

#include "run/comm/comm-collective.h"

#define VARIANT_TYPE "(bbuuuiiiibbxsss)"

char *
hir_comm_header_dup_team (const HirExpr *communication)
{
  GString *team = g_string_new (NULL);
  guint n;
  g_autofree gint64 *members = hir_comm_dup_members (communication, &n);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (team, "%" G_GINT64_FORMAT ",", members[i]);
  return g_string_free (team, FALSE);
}

HirCommHeader *
hir_comm_header_new_collective (
    const HirCommPost *post, int rank, guint epoch, guint sequence, guint tag, GError **error)
{
  const HirExpr *expr = post->expr;
  HirCommPart part = { rank, post->in, post->out };
  HirCommHeader *header;
  gint64 piece;
  guint n;

  g_free (hir_comm_dup_members (expr, &n));
  if (!hir_comm_get_piece (expr, &part, n, &piece, error))
    return NULL;
  header = g_new0 (HirCommHeader, 1);
  header->is_collective = TRUE;
  header->epoch = epoch;
  header->sequence = sequence;
  header->tag = tag;
  header->type = (gint32) expr->u.comm.type;
  header->root = (gint32) expr->u.comm.root;
  header->op = hir_comm_type_is_reduction (expr->u.comm.type) ? (gint32) expr->u.comm.op : 0;
  header->dtype = (gint32) expr->outputs[0]->dtype;
  header->gives = post->in != NULL;
  header->takes = post->out != NULL;
  header->count = piece;
  header->team = hir_comm_header_dup_team (expr);
  header->where = g_strdup (hir_comm_post_get_where (post));
  header->text = post->in != NULL    ? hir_value_describe (post->in)
                 : post->out != NULL ? hir_value_describe (post->out)
                                     : g_strdup ("nothing");
  return header;
}

HirCommHeader *
hir_comm_header_new_message (const HirCommPost *post,
                             const HirCommMessage *message,
                             int rank,
                             guint epoch,
                             guint sequence,
                             guint tag)
{
  HirCommHeader *header = g_new0 (HirCommHeader, 1);
  gint64 from = message->is_send ? rank : message->peer;
  gint64 to = message->is_send ? message->peer : rank;

  header->is_send = message->is_send;
  header->epoch = epoch;
  header->sequence = sequence;
  header->tag = tag;
  header->dtype = (gint32) message->value->dtype;
  header->gives = message->is_send;
  header->takes = !message->is_send;
  header->count = hir_value_get_n_elements (message->value);
  header->team = g_strdup_printf ("%" G_GINT64_FORMAT ">%" G_GINT64_FORMAT, from, to);
  header->where = g_strdup (hir_comm_post_get_where (post));
  header->text = hir_value_describe (message->value);
  return header;
}

void
hir_comm_header_free (HirCommHeader *header)
{
  g_free (header->team);
  g_free (header->where);
  g_free (header->text);
  g_free (header);
}

GVariant *
hir_comm_header_to_variant (const HirCommHeader *header)
{
  return g_variant_new (VARIANT_TYPE, header->is_collective, header->is_send, header->epoch,
                        header->sequence, header->tag, header->type, header->root, header->op,
                        header->dtype, header->gives, header->takes, header->count, header->team,
                        header->where, header->text);
}

HirCommHeader *
hir_comm_header_from_variant (GVariant *variant)
{
  HirCommHeader *header;

  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE (VARIANT_TYPE)))
    return NULL;
  header = g_new0 (HirCommHeader, 1);
  g_variant_get (variant, VARIANT_TYPE, &header->is_collective, &header->is_send, &header->epoch,
                 &header->sequence, &header->tag, &header->type, &header->root, &header->op,
                 &header->dtype, &header->gives, &header->takes, &header->count, &header->team,
                 &header->where, &header->text);
  return header;
}

gboolean
hir_comm_header_check_collective (const HirCommHeader *mine,
                                  const HirCommHeader *theirs,
                                  const HirExpr *communication,
                                  gint64 their_rank,
                                  GError **error)
{
  const HirPos *pos = &communication->node.pos;
  const char *what = NULL;

  if (mine->type != theirs->type)
    what = "are different collectives";
  else if (mine->root != theirs->root)
    what = "have different roots";
  else if (mine->op != theirs->op)
    what = "use different reduction ops";
  else if (mine->dtype != theirs->dtype)
    what = "have different types";
  else if (theirs->gives != hir_comm_reads (communication, their_rank) ||
           theirs->takes != hir_comm_writes (communication, their_rank))
    what = "do not agree on senders and receivers";
  if (what != NULL)
    hir_set_error (
        error, HIR_ERROR_RUN, pos,
        "%s does not match %s: they %s; post the same collectives in the same order on all "
        "ranks",
        mine->where, theirs->where, what);
  else if (mine->count >= 0 && theirs->count >= 0 && mine->count != theirs->count)
    hir_set_error (error, HIR_ERROR_RUN, pos,
                   "%s has %s, with pieces of %" G_GINT64_FORMAT
                   " elements, but %s has %s, with pieces of %" G_GINT64_FORMAT
                   "; they must be equal",
                   mine->where, mine->text, mine->count, theirs->where, theirs->text,
                   theirs->count);
  else
    return TRUE;
  return FALSE;
}

gboolean
hir_comm_header_check_message (const HirCommHeader *sent,
                               const HirCommHeader *received,
                               const HirExpr *expr,
                               GError **error)
{
  if (sent->dtype == received->dtype && sent->count == received->count)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                 "%s sends %s, but %s receives it into %s; sizes and types must be equal",
                 sent->where, sent->text, received->where, received->text);
  return FALSE;
}
