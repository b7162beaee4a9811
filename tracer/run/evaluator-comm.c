/* Communications, messages, groups and waits (reference 2.6): what is posted runs on a channel of
 * the communicator, ordered after the current stream; a Wait orders the current stream after it. */
#include <string.h>

#include "print.h"
#include "run/evaluator-private.h"
#include "run/overlap.h"

typedef struct
{
  guint index; /* the back end's stream */
  guint16 track;
} Channel;

typedef struct
{
  HirCommunicator *communicator;
  HirCommWork *work;
} Box;

static gboolean
run_box (gpointer data, GError **error)
{
  Box *box = data;

  return box->communicator->klass->run (box->work, error);
}

static gboolean
issue_box (gpointer data, gpointer native_stream, GError **error)
{
  Box *box = data;

  return box->communicator->klass->issue (box->work, native_stream, error);
}

static void
free_box (gpointer data)
{
  Box *box = data;

  box->communicator->klass->free_work (box->work);
  g_free (box);
}

void
hir_evaluator_init_comm (HirEvaluator *evaluator)
{
  evaluator->channels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  evaluator->channel_by_expr = g_hash_table_new (NULL, NULL);
  evaluator->pending = g_ptr_array_new ();
}

void
hir_evaluator_reset_comm (HirEvaluator *evaluator)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    hir_pending_unref (evaluator, g_ptr_array_index (evaluator->pending, i));
  g_ptr_array_set_size (evaluator->pending, 0);
  g_clear_pointer (&evaluator->group, hir_comm_post_free);
  evaluator->group_start = NULL;
  evaluator->n_posts = 0;
}

void
hir_evaluator_clear_comm (HirEvaluator *evaluator)
{
  hir_evaluator_reset_comm (evaluator);
  g_clear_pointer (&evaluator->channel_by_expr, g_hash_table_unref);
  g_clear_pointer (&evaluator->channels, g_hash_table_unref);
  g_clear_pointer (&evaluator->pending, g_ptr_array_unref);
}

/* One is needed for each communication: printf would take longer than all the rest. */
static const char *
write_number (char *to, int number)
{
  char digits[12];
  guint n = 0;
  guint rest = number < 0 ? 0u - (guint) number : (guint) number;
  char *at = to;

  do
    digits[n++] = (char) ('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (number < 0)
    *at++ = '-';
  while (n > 0)
    *at++ = digits[--n];
  *at = '\0';
  return to;
}

static char *
dup_where (HirEvaluator *evaluator, const HirExpr *expr, const char *label)
{
  gint32 iteration = hir_evaluator_get_iteration (evaluator);
  char number[16], rank[16];

  if (label == NULL)
    label = hir_evaluator_get_label (evaluator, expr);
  write_number (rank, evaluator->options.rank);
  if (iteration < 0)
    return g_strconcat (label, " on rank ", rank, NULL);
  return g_strconcat (label, " in iteration ", write_number (number, iteration), " on rank ", rank,
                      NULL);
}

static gboolean
any_overlap (GPtrArray *values, const HirValue *value)
{
  for (guint i = 0; i < values->len; i++)
    if (hir_value_overlaps (g_ptr_array_index (values, i), value))
      return TRUE;
  return FALSE;
}

gboolean
hir_evaluator_check_use (HirEvaluator *evaluator,
                         const HirExpr *expr,
                         const HirValue *value,
                         const char *use,
                         gboolean is_write,
                         GError **error)
{
  if (value == NULL || value->is_scalar || evaluator->options.allow_missing_waits)
    return TRUE;
  for (guint i = 0; i < evaluator->pending->len; i++)
    {
      const HirPending *pending = g_ptr_array_index (evaluator->pending, i);
      gboolean fills = any_overlap (pending->writes, value);

      if (!fills && !(is_write && any_overlap (pending->reads, value)))
        continue;
      g_autofree char *where = dup_where (evaluator, expr, NULL);
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "%s %s what %s %s and was not waited for; put a Wait for it before", where,
                     use, pending->where, fills ? "fills" : "still sends");
      return FALSE;
    }
  return TRUE;
}

/* The internal stream of a team, or of messages. */
static Channel *
make_channel (HirEvaluator *evaluator, const HirExpr *communication, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  g_autoptr (GString) key = g_string_new ("comm p2p");
  HirTrack track = { .kind = HIR_TRACK_LINK,
                     .rank = evaluator->options.rank,
                     .device = evaluator->options.rank };
  Channel *channel;
  guint n;

  if (communication->kind == HIR_EXPR_COMMUNICATION)
    {
      g_autofree gint64 *members = hir_comm_dup_members (communication, &n);

      g_string_assign (key, "comm {");
      for (guint i = 0; i < n; i++)
        g_string_append_printf (key, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", members[i]);
      g_string_append_c (key, '}');
    }
  channel = g_hash_table_lookup (evaluator->channels, key->str);
  if (channel != NULL)
    return channel;
  channel = g_new0 (Channel, 1);
  if (!backend->klass->open_stream (backend, HIR_STREAM_CHANNEL, &channel->index, error))
    {
      g_free (channel);
      return NULL;
    }
  track.stream = 1000 + channel->index;
  track.name = key->str;
  if (evaluator->options.recorder != NULL)
    channel->track = (guint16) hir_backend_add_track (backend, channel->index,
                                                      evaluator->options.recorder, &track);
  g_hash_table_insert (evaluator->channels, g_strdup (key->str), channel);
  return channel;
}

static Channel *
get_channel (HirEvaluator *evaluator, const HirExpr *communication, GError **error)
{
  Channel *channel = g_hash_table_lookup (evaluator->channel_by_expr, communication);

  if (channel != NULL)
    return channel;
  channel = make_channel (evaluator, communication, error);
  if (channel != NULL)
    g_hash_table_insert (evaluator->channel_by_expr, (gpointer) communication, channel);
  return channel;
}

static int
find_pending (HirEvaluator *evaluator, const HirExpr *expr)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    if (((HirPending *) g_ptr_array_index (evaluator->pending, i))->expr == expr)
      return (int) i;
  return -1;
}

/* What is posted must not be posted again before it is waited for: the first would be lost. */
static gboolean
check_posted_once (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  int found = find_pending (evaluator, expr);

  if (found < 0)
    return TRUE;
  if (evaluator->options.allow_missing_waits)
    {
      hir_pending_unref (evaluator, g_ptr_array_steal_index (evaluator->pending, (guint) found));
      return TRUE;
    }
  g_autofree char *where = dup_where (evaluator, expr, NULL);
  const HirPending *pending = g_ptr_array_index (evaluator->pending, found);
  hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                 "%s posts it again, and %s was not waited for; put a Wait for it between", where,
                 pending->where);
  return FALSE;
}

static gboolean
check_values (HirEvaluator *evaluator, const HirExpr *expr, HirPending *pending, GError **error)
{
  for (guint i = 0; i < pending->reads->len; i++)
    if (!hir_evaluator_check_use (evaluator, expr, g_ptr_array_index (pending->reads, i), "sends",
                                  FALSE, error))
      return FALSE;
  for (guint i = 0; i < pending->writes->len; i++)
    if (!hir_evaluator_check_use (evaluator, expr, g_ptr_array_index (pending->writes, i),
                                  "receives into", TRUE, error))
      return FALSE;
  return TRUE;
}

/* What @post reads and writes, against what is pending already; then it is pending too. */
static HirPending *
enter_post (HirEvaluator *evaluator, const HirCommPost *post, GError **error)
{
  HirPending *pending = hir_pending_new (post->expr, post->where);

  if (post->in != NULL)
    g_ptr_array_add (pending->reads, hir_value_ref (post->in));
  if (post->out != NULL)
    g_ptr_array_add (pending->writes, hir_value_ref (post->out));
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);

      g_ptr_array_add (message->is_send ? pending->reads : pending->writes,
                       hir_value_ref (message->value));
    }
  if (check_values (evaluator, post->expr, pending, error))
    {
      for (guint i = 0; i < pending->writes->len; i++)
        hir_evaluator_note_write (evaluator, g_ptr_array_index (pending->writes, i));
      g_ptr_array_add (evaluator->pending, pending);
      return pending;
    }
  hir_pending_unref (evaluator, pending);
  return NULL;
}

/* Takes @post. */
static gboolean
submit_post (HirEvaluator *evaluator, HirCommPost *taken, const char *label, GError **error)
{
  g_autoptr (HirCommPost) post = taken;
  HirBackend *backend = evaluator->options.backend;
  HirCommunicator *communicator = evaluator->options.communicator;
  guint current = hir_evaluator_get_current_slot (evaluator)->index;
  Channel *channel = get_channel (evaluator, post->expr, error);
  HirPending *pending = channel != NULL ? enter_post (evaluator, post, error) : NULL;
  HirTask *task;
  HirCommWork *work;

  if (pending == NULL)
    return FALSE;
  task = hir_task_new (post->expr, label);
  pending->mark =
      hir_evaluator_trace_communication (evaluator, task, post, channel->track, channel->index);
  work = communicator->klass->post (communicator, g_steal_pointer (&post), error);
  if (work == NULL)
    {
      hir_task_free (task);
      return FALSE;
    }
  evaluator->n_posts++;
  hir_evaluator_note_writer (evaluator, task);
  task->work = g_new0 (Box, 1);
  *(Box *) task->work = (Box){ communicator, work };
  task->run = communicator->klass->run != NULL ? run_box : NULL;
  task->issue = communicator->klass->issue != NULL ? issue_box : NULL;
  task->free_work = free_box;
  if (!backend->klass->wait_event (backend, channel->index,
                                   backend->klass->record_event (backend, current), NULL, error))
    {
      hir_task_free (task);
      return FALSE;
    }
  if (!backend->klass->enqueue (backend, channel->index, task, error))
    return FALSE;
  pending->event = backend->klass->record_event (backend, channel->index);
  return TRUE;
}

/* A tensor that this rank gives or gets. */
static HirValue *
lookup_part (HirEvaluator *evaluator, const HirExpr *expr, const HirVal *val, GError **error)
{
  HirValue *value = hir_env_lookup (evaluator->env, val);

  if (value == NULL)
    hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                   "T%d must be computed or allocated before it takes part", val->name);
  return value;
}

static gboolean
run_communication (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  gint64 rank = evaluator->options.rank;
  g_autofree char *where = dup_where (evaluator, expr, NULL);
  g_autoptr (HirCommPost) post = NULL;
  HirValue *in = NULL, *out = NULL;

  if (!check_posted_once (evaluator, expr, error))
    return FALSE;
  if (!hir_comm_has_member (expr, rank))
    {
      g_ptr_array_add (evaluator->pending, hir_pending_new (expr, where));
      return TRUE;
    }
  if (hir_comm_reads (expr, rank))
    {
      in = lookup_part (evaluator, expr, expr->inputs[0], error);
      if (in == NULL)
        return FALSE;
    }
  if (hir_comm_writes (expr, rank))
    {
      out = lookup_part (evaluator, expr, expr->outputs[0], error);
      if (out == NULL)
        return FALSE;
    }
  post = hir_comm_post_new (expr, where);
  post->in = in != NULL ? hir_env_view_as_allocated (HIR_TENSOR (expr->inputs[0]), in) : NULL;
  post->out = out != NULL ? hir_env_view_as_allocated (HIR_TENSOR (expr->outputs[0]), out) : NULL;
  return submit_post (evaluator, g_steal_pointer (&post), hir_evaluator_get_label (evaluator, expr),
                      error);
}

static gboolean
run_p2p (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirValue *value = lookup_part (evaluator, expr, HIR_VAL (expr->u.p2p.buffer), error);
  g_autofree char *where = NULL;
  g_autofree char *label = NULL;
  g_autoptr (HirCommPost) post = NULL;
  gint64 peer;

  if (value == NULL || !hir_env_evaluate_int (evaluator->env, expr->u.p2p.peer, &peer, error) ||
      !check_posted_once (evaluator, expr, error))
    return FALSE;
  if (evaluator->group != NULL)
    {
      hir_comm_post_add_message (evaluator->group, expr, expr->u.p2p.is_send, peer, value);
      return TRUE;
    }
  label = g_strdup_printf ("%s %s %" G_GINT64_FORMAT, hir_evaluator_get_label (evaluator, expr),
                           expr->u.p2p.is_send ? "to" : "from", peer);
  where = dup_where (evaluator, expr, label);
  post = hir_comm_post_new (expr, where);
  hir_comm_post_add_message (post, expr, expr->u.p2p.is_send, peer, value);
  return submit_post (evaluator, g_steal_pointer (&post), label, error);
}

/* A place in the team of a CollectivePermute, as a device. */
static gboolean
evaluate_peer (HirEvaluator *evaluator,
               const HirExpr *expr,
               const HirScalar *scalar,
               gint64 *peer,
               GError **error)
{
  gint64 place;

  if (!hir_env_evaluate_int (evaluator->env, scalar, &place, error))
    return FALSE;
  if (place < 0 || place >= expr->u.permute.n_team)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "the peer is %" G_GINT64_FORMAT ", and the team has %u places", place,
                     expr->u.permute.n_team);
      return FALSE;
    }
  *peer = expr->u.permute.team[place];
  return TRUE;
}

static gboolean
run_permute (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  g_autofree char *label = NULL;
  g_autofree char *where = NULL;
  g_autoptr (HirCommPost) post = NULL;
  HirValue *in, *out;
  gint64 to, from;
  gboolean is_member = FALSE;

  if (!check_posted_once (evaluator, expr, error))
    return FALSE;
  for (guint i = 0; i < expr->u.permute.n_team; i++)
    is_member |= expr->u.permute.team[i] == evaluator->options.rank;
  if (!is_member)
    {
      where = dup_where (evaluator, expr, NULL);
      g_ptr_array_add (evaluator->pending, hir_pending_new (expr, where));
      return TRUE;
    }
  in = lookup_part (evaluator, expr, expr->inputs[0], error);
  out = in != NULL ? lookup_part (evaluator, expr, expr->outputs[0], error) : NULL;
  if (out == NULL ||
      !evaluate_peer (evaluator, expr, expr->u.permute.send_peer, &to, error) ||
      !evaluate_peer (evaluator, expr, expr->u.permute.recv_peer, &from, error))
    return FALSE;
  label = g_strdup_printf ("%s to %" G_GINT64_FORMAT ", from %" G_GINT64_FORMAT,
                           hir_evaluator_get_label (evaluator, expr), to, from);
  where = dup_where (evaluator, expr, label);
  post = hir_comm_post_new (expr, where);
  hir_comm_post_add_message (post, expr, TRUE, to, in);
  hir_comm_post_add_message (post, expr, FALSE, from, out);
  return submit_post (evaluator, g_steal_pointer (&post), label, error);
}

static gboolean
start_group (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  if (evaluator->group != NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "a group of messages begins inside another; end that first");
      return FALSE;
    }
  evaluator->group = hir_comm_post_new (NULL, NULL);
  evaluator->group_start = expr;
  return TRUE;
}

static gboolean
end_group (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  g_autoptr (HirCommPost) group = g_steal_pointer (&evaluator->group);
  g_autoptr (GString) label = g_string_new (NULL);

  if (group == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "a group of messages ends that has not begun");
      return FALSE;
    }
  if (!check_posted_once (evaluator, expr, error))
    return FALSE;
  for (guint i = 0; group->messages != NULL && i < group->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (group->messages, HirCommMessage, i);

      g_string_append_printf (label, "%s%s %s %" G_GINT64_FORMAT, i > 0 ? ", " : "",
                              hir_evaluator_get_label (evaluator, message->expr),
                              message->is_send ? "to" : "from", message->peer);
    }
  group->expr = expr;
  group->where = dup_where (evaluator, expr, label->str);
  if (group->messages == NULL)
    {
      g_ptr_array_add (evaluator->pending, hir_pending_new (expr, group->where));
      return TRUE;
    }
  return submit_post (evaluator, g_steal_pointer (&group), label->str, error);
}

static gboolean
run_wait (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  int found = expr->u.wait.of != NULL ? find_pending (evaluator, expr->u.wait.of) : -1;
  HirPending *pending;
  HirTask *task;
  gboolean ok = TRUE;

  if (found < 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "there is nothing to wait for: %s was not posted, or was waited for already",
                     expr->u.wait.of != NULL ? hir_evaluator_get_label (evaluator, expr->u.wait.of)
                                             : "the communication");
      return FALSE;
    }
  pending = g_ptr_array_steal_index (evaluator->pending, (guint) found);
  if (pending->event != NULL)
    {
      task = hir_evaluator_new_wait (evaluator, expr,
                                     hir_evaluator_get_shared_label (evaluator, expr),
                                     pending->mark);
      ok = backend->klass->wait_event (backend, hir_evaluator_get_current_slot (evaluator)->index,
                                       hir_pending_take_event (evaluator, pending), task, error);
    }
  hir_pending_unref (evaluator, pending);
  return ok;
}

gboolean
hir_evaluator_run_comm (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  switch (expr->kind)
    {
    case HIR_EXPR_COMMUNICATION:
      return run_communication (evaluator, expr, error);
    case HIR_EXPR_P2P:
      return run_p2p (evaluator, expr, error);
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      return run_permute (evaluator, expr, error);
    case HIR_EXPR_START_COALESCING:
      return start_group (evaluator, expr, error);
    case HIR_EXPR_END_COALESCING:
      return end_group (evaluator, expr, error);
    default:
      return run_wait (evaluator, expr, error);
    }
}

gboolean
hir_evaluator_end_comm (HirEvaluator *evaluator, GError **error)
{
  HirCommunicator *communicator = evaluator->options.communicator;

  if (communicator == NULL)
    return TRUE;
  for (guint i = 0; i < evaluator->pending->len; i++)
    {
      const HirPending *pending = g_ptr_array_index (evaluator->pending, i);

      if (pending->event == NULL || evaluator->options.allow_missing_waits)
        continue;
      hir_set_error (error, HIR_ERROR_RUN, &pending->expr->node.pos,
                     "the program ends, and %s was not waited for; put a Wait for it",
                     pending->where);
      return FALSE;
    }
  if (evaluator->group != NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &evaluator->group_start->node.pos,
                     "the program ends in a group of messages on rank %d; put an EndCoalescing",
                     evaluator->options.rank);
      return FALSE;
    }
  return communicator->klass->end (communicator, error);
}
