/* A communicator that keeps what is posted, and who meets whom. */
#include "analysis/sync-trace-private.h"

struct _HirCommWork
{
  HirCommPost *post;
  guint first_post; /* in the log's posts; to the end of them then */
  guint n_posts;
};

static HirSyncLog *
log_of (HirCommunicator *communicator)
{
  return (HirSyncLog *) ((guint8 *) communicator - G_STRUCT_OFFSET (HirSyncLog, communicator));
}

/* How many were posted of that kind before this one. */
static guint
count (HirSyncLog *log, const char *team, char side)
{
  char *key = g_strdup_printf ("%c%s", side, team);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (log->counts, key));

  g_hash_table_insert (log->counts, key, GUINT_TO_POINTER (n + 1));
  return n;
}

static void
add (HirSyncLog *log, HirCommHeader *header, const HirExpr *expr, char side)
{
  HirSyncPost post = { header, expr, HIR_SYNC_NONE, HIR_SYNC_NONE };

  header->sequence = count (log, header->team, side);
  g_array_append_val (log->posts, post);
}

static gboolean
check_devices (const HirCommPost *post, const HirCommunicator *communicator, GError **error)
{
  gint64 wrong = -1;

  for (guint i = 0; post->messages == NULL && i < post->expr->u.comm.n_team; i++)
    if (post->expr->u.comm.team[i] >= communicator->n_ranks)
      wrong = post->expr->u.comm.team[i];
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      gint64 peer = g_array_index (post->messages, HirCommMessage, i).peer;

      if (peer < 0 || peer >= communicator->n_ranks)
        wrong = peer;
    }
  if (wrong == -1)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &post->expr->node.pos,
                 "%s names the device %" G_GINT64_FORMAT ", and there are %d; see -d",
                 hir_comm_post_get_where (post), wrong, communicator->n_ranks);
  return FALSE;
}

static HirCommWork *
keep_post (HirCommunicator *communicator, const HirCommPost *post, GError **error)
{
  HirSyncLog *log = log_of (communicator);
  HirCommWork *work;
  guint first = log->posts->len;

  if (!check_devices (post, communicator, error))
    return NULL;
  if (post->messages == NULL)
    {
      HirCommHeader *header = hir_comm_header_new_collective (post, log->rank, 0, 0, 0, error);

      if (header == NULL)
        return NULL;
      add (log, header, post->expr, 'c');
    }
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);

      add (log, hir_comm_header_new_message (post, message, log->rank, 0, 0, 0), post->expr,
           message->is_send ? 's' : 'r');
    }
  work = g_new0 (HirCommWork, 1);
  work->post = hir_comm_post_copy (post);
  work->first_post = first;
  work->n_posts = log->posts->len - first;
  log->posted = work;
  return work;
}

static gboolean
run (HirCommWork *work, GError **error)
{
  return TRUE;
}

static void
free_work (HirCommWork *work)
{
  hir_comm_post_free (work->post);
  g_free (work);
}

static void
begin (HirCommunicator *communicator)
{
}

static gboolean
end (HirCommunicator *communicator, GError **error)
{
  return TRUE;
}

static void
abort_all (HirCommunicator *communicator, const GError *error)
{
}

static const HirCommunicatorClass log_class = {
  .begin = begin,
  .post = keep_post,
  .run = run,
  .free_work = free_work,
  .end = end,
  .abort = abort_all,
  .free = begin,
};

static void
clear_post (gpointer data)
{
  hir_comm_header_free (((HirSyncPost *) data)->header);
}

void
hir_sync_log_init_communicator (HirSyncLog *log, int n_ranks)
{
  log->communicator = (HirCommunicator){ &log_class, log->rank, n_ranks };
  log->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  log->posts = g_array_new (FALSE, FALSE, sizeof (HirSyncPost));
  g_array_set_clear_func (log->posts, clear_post);
}

static void
name_channel (HirSyncLog *log, guint queue, const HirCommPost *post)
{
  HirSyncQueue *channel = &g_array_index (log->queues, HirSyncQueue, queue);
  GString *name;
  guint n;

  if (channel->name != NULL)
    return;
  name = g_string_new (post->messages != NULL ? "comm p2p" : "comm {");
  if (post->messages == NULL)
    {
      g_autofree gint64 *members = hir_comm_dup_members (post->expr, &n);

      for (guint i = 0; i < n; i++)
        g_string_append_printf (name, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", members[i]);
      g_string_append_c (name, '}');
    }
  channel->name = g_string_free (name, FALSE);
}

/* One half of @work; its step, or HIR_SYNC_NONE where this rank has none. */
static guint
add_half (HirSyncLog *log, guint queue, const HirCommPost *post, gboolean gives)
{
  const HirValue *value = gives ? post->in : post->out;
  gboolean any = post->messages == NULL && value != NULL;
  guint step;

  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    any |= g_array_index (post->messages, HirCommMessage, i).is_send == gives;
  if (!any)
    return HIR_SYNC_NONE;
  step = hir_sync_log_add_step (log, gives ? HIR_SYNC_GIVE : HIR_SYNC_TAKE, queue);
  if (post->messages == NULL)
    hir_sync_log_add_access (log, value,
                             gives ? post->expr->inputs[0]->name : post->expr->outputs[0]->name,
                             !gives);
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);
      const HirExpr *expr = message->expr;

      if (message->is_send == gives)
        hir_sync_log_add_access (log, message->value,
                                 expr->kind == HIR_EXPR_P2P ? expr->u.p2p.buffer->base.name
                                 : gives                    ? expr->inputs[0]->name
                                                            : expr->outputs[0]->name,
                                 !gives);
    }
  return step;
}

void
hir_sync_log_add_post (HirSyncLog *log, guint queue)
{
  const HirCommWork *work = g_steal_pointer (&log->posted);
  guint give, take;

  name_channel (log, queue, work->post);
  give = add_half (log, queue, work->post, TRUE);
  take = add_half (log, queue, work->post, FALSE);
  for (guint i = 0; i < work->n_posts; i++)
    {
      HirSyncPost *post = &g_array_index (log->posts, HirSyncPost, work->first_post + i);

      if (post->header->is_collective || post->header->is_send)
        post->give = give;
      if (post->header->is_collective || !post->header->is_send)
        post->take = take;
    }
}
