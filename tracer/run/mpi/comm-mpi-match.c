/* Matching of posts by their headers. If two posts do not match, only the lower rank (for a
 * message, the receiver) reports it. */
#include "run/mpi/comm-mpi-private.h"

void
hir_mpi_team_free (HirMpiTeam *team)
{
  for (guint i = 0; i < team->n; i++)
    g_ptr_array_unref (team->posted[i]);
  g_ptr_array_unref (team->works);
  g_free (team->posted);
  g_free (team->members);
  g_free (team);
}

void
hir_mpi_line_free (HirMpiLine *line)
{
  g_ptr_array_unref (line->sent);
  g_ptr_array_unref (line->received);
  g_array_unref (line->send_works);
  g_array_unref (line->receive_works);
  g_free (line);
}

static GPtrArray *
new_headers (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) hir_comm_header_free);
}

/* Returns the team with the name @key ("0,1,"), which is created on first use. */
static HirMpiTeam *
get_team (HirMpiComm *comm, const char *key)
{
  HirMpiTeam *team = g_hash_table_lookup (comm->teams, key);
  g_auto (GStrv) texts = NULL;

  if (team != NULL)
    return team;
  texts = g_strsplit (key, ",", -1);
  team = g_new0 (HirMpiTeam, 1);
  team->n = MAX (g_strv_length (texts), 1) - 1;
  team->members = g_new0 (gint64, team->n + 1);
  team->posted = g_new0 (GPtrArray *, team->n + 1);
  team->works = g_ptr_array_new ();
  for (guint i = 0; i < team->n; i++)
    {
      team->members[i] = g_ascii_strtoll (texts[i], NULL, 10);
      team->posted[i] = new_headers ();
    }
  g_hash_table_insert (comm->teams, g_strdup (key), team);
  return team;
}

static HirMpiLine *
get_line (HirMpiComm *comm, const char *key)
{
  HirMpiLine *line = g_hash_table_lookup (comm->lines, key);
  char *end;

  if (line != NULL)
    return line;
  line = g_new0 (HirMpiLine, 1);
  line->from = g_ascii_strtoll (key, &end, 10);
  line->to = *end == '>' ? g_ascii_strtoll (end + 1, NULL, 10) : -1;
  line->sent = new_headers ();
  line->received = new_headers ();
  line->send_works = g_array_new (FALSE, FALSE, sizeof (HirMpiMessage));
  line->receive_works = g_array_new (FALSE, FALSE, sizeof (HirMpiMessage));
  g_hash_table_insert (comm->lines, g_strdup (key), line);
  return line;
}

static guint
index_in (const HirMpiTeam *team, gint64 rank)
{
  guint i = 0;

  while (i < team->n && team->members[i] != rank)
    i++;
  return i;
}

/* Sends @header to @rank, unless it is this rank. */
static void
send_header (HirMpiComm *comm, gint64 rank, const HirCommHeader *header)
{
  if (rank != comm->base.rank)
    hir_mpi_send_locked (comm->mpi, (int) rank, HIR_MPI_COMM,
                         g_variant_new ("(uuv)", 1u, comm->epoch,
                                        hir_comm_header_to_variant (header)));
}

static gboolean
check_members (HirMpiComm *comm, const HirMpiTeam *team, const HirCommWork *work, GError **error)
{
  for (guint i = 0; i < team->n; i++)
    if (team->members[i] < 0 || team->members[i] >= comm->base.n_ranks)
      {
        hir_set_error (error, HIR_ERROR_RUN, &work->post->expr->node.pos,
                       "%s has device %" G_GINT64_FORMAT
                       " in its team, but there are %d ranks; start more",
                       hir_comm_post_get_where (work->post), team->members[i], comm->base.n_ranks);
        return FALSE;
      }
  return TRUE;
}

gboolean
hir_mpi_match_collective (HirMpiComm *comm, HirCommWork *work, GError **error)
{
  const HirExpr *expr = work->post->expr;
  g_autofree char *key = hir_comm_header_dup_team (expr);
  HirMpiTeam *team = get_team (comm, key);
  guint index = index_in (team, comm->base.rank);
  HirCommHeader *mine;

  g_return_val_if_fail (index < team->n, FALSE);
  if (!check_members (comm, team, work, error))
    return FALSE;
  work->team = team;
  work->sequence = team->posted[index]->len;
  mine = hir_comm_header_new_collective (work->post, comm->base.rank, comm->epoch, work->sequence,
                                         comm->mpi->next_tag++, error);
  if (mine == NULL)
    {
      g_prefix_error (error, "%s: ", hir_comm_post_get_where (work->post));
      return FALSE;
    }
  g_ptr_array_add (team->posted[index], mine);
  g_ptr_array_add (team->works, work);
  for (guint i = 0; i < team->n; i++)
    send_header (comm, team->members[i], mine);
  for (guint i = 0; i < team->n; i++)
    {
      gint64 rank = team->members[i];

      if (team->posted[i]->len > work->sequence)
        {
          if (rank > comm->base.rank &&
              !hir_comm_header_check_collective (mine,
                                                 g_ptr_array_index (team->posted[i],
                                                                    work->sequence),
                                                 expr, rank, error))
            return FALSE;
        }
      else if (comm->ended[rank])
        {
          hir_comm_post_set_ended_error (work->post, rank, "posting it", error);
          return FALSE;
        }
    }
  return TRUE;
}

/* Checks message @k of @line, if both sides have posted it and this rank receives it. */
static gboolean
check_line (HirMpiComm *comm, const HirMpiLine *line, guint k, GError **error)
{
  if (line->to != comm->base.rank || k >= line->sent->len || k >= line->received->len)
    return TRUE;
  return hir_comm_header_check_message (g_ptr_array_index (line->sent, k),
                                        g_ptr_array_index (line->received, k),
                                        g_array_index (line->receive_works, HirMpiMessage, k)
                                            .message->expr,
                                        error);
}

static gboolean
match_message (HirMpiComm *comm, HirCommWork *work, const HirCommMessage *message, GError **error)
{
  gint64 me = comm->base.rank, peer = message->peer;
  g_autofree char *key =
      g_strdup_printf ("%" G_GINT64_FORMAT ">%" G_GINT64_FORMAT, message->is_send ? me : peer,
                       message->is_send ? peer : me);
  HirMpiMessage entry = { work, message };
  HirMpiLine *line;
  HirCommHeader *mine;
  GPtrArray *theirs;
  guint k;

  if (peer < 0 || peer >= comm->base.n_ranks)
    {
      hir_set_error (error, HIR_ERROR_RUN, &message->expr->node.pos,
                     "%s has peer %" G_GINT64_FORMAT ", but there are %d ranks",
                     hir_comm_post_get_where (work->post), peer, comm->base.n_ranks);
      return FALSE;
    }
  line = get_line (comm, key);
  theirs = message->is_send ? line->received : line->sent;
  k = message->is_send ? line->sent->len : line->received->len;
  mine = hir_comm_header_new_message (work->post, message, comm->base.rank, comm->epoch, k,
                                      comm->mpi->next_tag++);
  g_ptr_array_add (message->is_send ? line->sent : line->received, mine);
  g_array_append_val (message->is_send ? line->send_works : line->receive_works, entry);
  g_ptr_array_add (work->lines, line);
  g_array_append_val (work->sequences, k);
  send_header (comm, peer, mine);
  if (theirs->len <= k && peer != me && comm->ended[peer])
    {
      hir_comm_post_set_ended_error (work->post, peer,
                                     message->is_send ? "receiving it" : "sending it", error);
      return FALSE;
    }
  return check_line (comm, line, k, error);
}

gboolean
hir_mpi_match_messages (HirMpiComm *comm, HirCommWork *work, GError **error)
{
  work->lines = g_ptr_array_new ();
  work->sequences = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < work->post->messages->len; i++)
    if (!match_message (comm, work, &g_array_index (work->post->messages, HirCommMessage, i),
                        error))
      return FALSE;
  return TRUE;
}

gboolean
hir_mpi_match_header (HirMpiComm *comm, int from, HirCommHeader *header, GError **error)
{
  HirMpiTeam *team;
  guint me, they, k = header->sequence;

  if (!header->is_collective)
    {
      HirMpiLine *line = get_line (comm, header->team);

      g_ptr_array_add (header->is_send ? line->sent : line->received, header);
      return check_line (comm, line, k, error);
    }
  team = get_team (comm, header->team);
  me = index_in (team, comm->base.rank);
  they = index_in (team, from);
  if (me == team->n || they == team->n)
    {
      hir_comm_header_free (header);
      return TRUE;
    }
  g_ptr_array_add (team->posted[they], header);
  if (team->posted[me]->len <= k || from < comm->base.rank)
    return TRUE;
  return hir_comm_header_check_collective (g_ptr_array_index (team->posted[me], k), header,
                                           ((const HirCommWork *) g_ptr_array_index (team->works,
                                                                                     k))
                                               ->post->expr,
                                           from, error);
}

static gboolean
check_teams_end (HirMpiComm *comm, int rank, GError **error)
{
  GHashTableIter iter;
  HirMpiTeam *team;

  g_hash_table_iter_init (&iter, comm->teams);
  while (rank != comm->base.rank && g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    {
      guint they = index_in (team, rank);
      const HirCommWork *work;

      if (they == team->n || team->works->len <= team->posted[they]->len)
        continue;
      work = g_ptr_array_index (team->works, team->posted[they]->len);
      hir_comm_post_set_ended_error (work->post, rank, "posting it", error);
      return FALSE;
    }
  return TRUE;
}

gboolean
hir_mpi_match_end (HirMpiComm *comm, int rank, GError **error)
{
  GHashTableIter iter;
  HirMpiLine *line;

  if (!check_teams_end (comm, rank, error))
    return FALSE;
  g_hash_table_iter_init (&iter, comm->lines);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &line))
    {
      const HirMpiMessage *unmatched = NULL;
      guint n_sent = line->sent->len, n_received = line->received->len;

      if (line->from == comm->base.rank && line->to == rank && n_sent > n_received)
        unmatched = &g_array_index (line->send_works, HirMpiMessage, n_received);
      else if (line->to == comm->base.rank && line->from == rank && n_received > n_sent)
        unmatched = &g_array_index (line->receive_works, HirMpiMessage, n_sent);
      if (unmatched == NULL)
        continue;
      hir_comm_post_set_ended_error (unmatched->work->post, rank,
                                     unmatched->message->is_send ? "receiving it" : "sending it",
                                     error);
      return FALSE;
    }
  return TRUE;
}
