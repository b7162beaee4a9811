/* Waits of streams: for the posts of other ranks, then for data. */
#include <string.h>

#include "run/mpi/comm-mpi-private.h"

static gboolean
wait_locked (HirMpi *mpi, gint64 until_us)
{
  if (until_us != G_MAXINT64)
    return g_cond_wait_until (&mpi->changed, &mpi->lock, until_us);
  g_cond_wait (&mpi->changed, &mpi->lock);
  return TRUE;
}

/* Returns the first rank from index *@i on that has not posted its side, or -1. Sets *@i to its
 * index. */
static gint64
find_missing_locked (const HirCommWork *work, guint *i)
{
  const HirMpiTeam *team = work->team;

  for (; team != NULL && *i < team->n; ++*i)
    if (team->posted[*i]->len <= work->sequence)
      return team->members[*i];
  for (; team == NULL && *i < work->lines->len; ++*i)
    {
      const HirMpiLine *line = g_ptr_array_index (work->lines, *i);
      const HirCommMessage *message = &g_array_index (work->post->messages, HirCommMessage, *i);
      guint k = g_array_index (work->sequences, guint, *i);

      if ((message->is_send ? line->received : line->sent)->len <= k)
        return message->peer;
    }
  return -1;
}

/* Returns the ranks whose posts are missing: "rank 1 and rank 3". */
static char *
dup_missing_locked (const HirCommWork *work)
{
  GString *text = g_string_new (NULL);
  gint64 rank;

  for (guint i = 0; (rank = find_missing_locked (work, &i)) >= 0; i++)
    g_string_append_printf (text, "%srank %" G_GINT64_FORMAT, text->len > 0 ? " and " : "", rank);
  return g_string_free (text, FALSE);
}

gboolean
hir_mpi_await_posts (HirCommWork *work, gint64 until_us, GError **error)
{
  HirMpi *mpi = work->comm->mpi;
  gboolean ok, in_time = TRUE;
  guint i = 0;

  g_mutex_lock (&mpi->lock);
  while ((ok = hir_mpi_check_locked (mpi, error)) && find_missing_locked (work, &i) >= 0 && in_time)
    in_time = wait_locked (mpi, until_us);
  if (ok && find_missing_locked (work, &i) >= 0)
    {
      g_autofree char *missing = dup_missing_locked (work);

      hir_set_error (error, HIR_ERROR_RUN, &work->post->expr->node.pos,
                     "%s waits for %s, which did not post it within %.3g s; if this is not a hang, "
                     "increase --timeout",
                     hir_comm_post_get_where (work->post), missing, mpi->timeout_s);
      ok = FALSE;
    }
  g_mutex_unlock (&mpi->lock);
  return ok;
}

/* Appends @where unless @text contains it: a group may both send to a rank and receive from it. */
static void
append_once (GString *text, const char *where)
{
  if (strstr (text->str, where) == NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", where);
}

/* Appends the posts of the other sides of the transfers. */
static void
append_awaited_locked (const HirCommWork *work, GString *text)
{
  const HirMpiTeam *team = work->team;

  for (guint i = 0; team != NULL && i < team->n; i++)
    {
      const HirCommHeader *header = g_ptr_array_index (team->posted[i], work->sequence);

      if (team->members[i] != work->comm->base.rank)
        append_once (text, header->where);
    }
  for (guint i = 0; team == NULL && i < work->lines->len; i++)
    {
      const HirMpiLine *line = g_ptr_array_index (work->lines, i);
      const HirCommMessage *message = &g_array_index (work->post->messages, HirCommMessage, i);
      const HirCommHeader *header =
          g_ptr_array_index (message->is_send ? line->received : line->sent,
                             g_array_index (work->sequences, guint, i));

      append_once (text, header->where);
    }
}

/* Appends the likely reason for missing data: the silent ranks, which need not be the awaited ones,
 * or, if all ranks respond, the order of posts. */
static void
append_reason_locked (HirMpi *mpi, GString *text)
{
  guint n = text->len;

  hir_mpi_append_silent_locked (mpi, text);
  if (text->len == n)
    g_string_append (
        text,
        "their streams have not reached them; post communications in the same order on all ranks, group "
        "sends and receives, or increase --timeout");
}

gboolean
hir_mpi_await_batch (HirCommWork *work, HirMpiBatch *batch, gint64 until_us, GError **error)
{
  HirMpi *mpi = work->comm->mpi;
  gboolean ok, in_time = TRUE;

  hir_mpi_batch_submit (mpi, batch);
  g_mutex_lock (&mpi->lock);
  while ((ok = hir_mpi_check_locked (mpi, error)) && batch->n_left > 0 && !batch->failed && in_time)
    in_time = wait_locked (mpi, until_us);
  if (ok && batch->failed)
    {
      hir_set_error (error, HIR_ERROR_RUN, &work->post->expr->node.pos,
                     "%s: MPI failed to transfer its data", hir_comm_post_get_where (work->post));
      ok = FALSE;
    }
  else if (ok && batch->n_left > 0)
    {
      g_autoptr (GString) others = g_string_new (NULL);

      append_awaited_locked (work, others);
      g_string_append (others, "; ");
      append_reason_locked (mpi, others);
      hir_set_error (error, HIR_ERROR_RUN, &work->post->expr->node.pos,
                     "%s has waited for %.3g s for the data of: %s",
                     hir_comm_post_get_where (work->post), mpi->timeout_s, others->str);
      ok = FALSE;
    }
  g_mutex_unlock (&mpi->lock);
  if (!ok)
    hir_mpi_batch_cancel (mpi, batch);
  return ok;
}
