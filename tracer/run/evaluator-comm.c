/* Communications, messages, groups and waits (docs/host-ir.md#communication). Posts run on a
 * channel of the communicator, after the work of the current stream; a Wait orders the current
 * stream after them. */
#include <string.h>

#include "print/print.h"
#include "run/evaluator-private.h"

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
clear_box (Box *box)
{
  if (box->work != NULL)
    box->communicator->klass->free_work (box->work);
  box->work = NULL;
}

static void
free_box (gpointer data)
{
  clear_box (data);
  g_free (data);
}

void
hir_evaluator_init_comm (HirEvaluator *evaluator)
{
  evaluator->copies = g_hash_table_new_full (NULL, NULL, NULL, g_atomic_rc_box_release);
  evaluator->channels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  hir_evaluator_init_pending (evaluator);
}

void
hir_evaluator_reset_comm (HirEvaluator *evaluator)
{
  hir_evaluator_reset_pending (evaluator);
  g_clear_pointer (&evaluator->group, hir_comm_post_free);
  evaluator->group_start = NULL;
  evaluator->n_posts = 0;
}

void
hir_evaluator_clear_comm (HirEvaluator *evaluator)
{
  hir_evaluator_reset_comm (evaluator);
  g_clear_pointer (&evaluator->channels, g_hash_table_unref);
  g_clear_pointer (&evaluator->copies, g_hash_table_unref);
  hir_evaluator_clear_pending (evaluator);
}

static HirCommPost *
new_post (HirEvaluator *evaluator, const HirExpr *expr, char *label)
{
  return hir_comm_post_new (expr, label, hir_evaluator_get_iteration (evaluator),
                            evaluator->options.rank);
}

/* Returns the channel of a team or of messages, which is created on first use. */
static HirChannel *
make_channel (HirEvaluator *evaluator, const HirExpr *communication, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  g_autoptr (GString) key = g_string_new ("comm p2p");
  HirTrack track = { .kind = HIR_TRACK_LINK,
                     .rank = evaluator->options.rank,
                     .device = evaluator->options.rank };
  HirChannel *channel;
  guint n;

  if (communication->kind == HIR_EXPR_COMMUNICATION)
    {
      g_autofree gint64 *members = hir_comm_dup_members (communication, &n);

      g_string_assign (key, "comm {");
      for (guint i = 0; i < n; i++)
        g_string_append_printf (key, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", members[i]);
      g_string_append_c (key, '}');
    }
  /* The messages of nvFuser's own back end do not share a communicator. */
  if (communication->kind == HIR_EXPR_P2P && communication->backend == HIR_COMM_BACKEND_CUDA)
    g_string_append_printf (key, " %d", communication->name);
  channel = g_hash_table_lookup (evaluator->channels, key->str);
  if (channel != NULL)
    return channel;
  channel = g_new0 (HirChannel, 1);
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

static HirChannel *
get_channel (HirEvaluator *evaluator, const HirExpr *communication, GError **error)
{
  HirInstructionCache *cache = evaluator->cache;

  if (cache->channel == NULL)
    cache->channel = make_channel (evaluator, communication, error);
  return cache->channel;
}

/* Returns the task that executes @post: the reusable task of this instruction if @reuse, see
 * hir_evaluator_reuse_task(). */
static HirTask *
get_task (HirEvaluator *evaluator, const HirCommPost *post, gboolean reuse)
{
  HirCommunicator *communicator = evaluator->options.communicator;
  HirTask *task = reuse ? hir_evaluator_reuse_task (evaluator, post->expr)
                        : hir_task_new (post->expr, post->label);

  if (task->work == NULL)
    {
      task->work = g_new0 (Box, 1);
      task->free_work = free_box;
      task->run = communicator->klass->run != NULL ? run_box : NULL;
      task->issue = communicator->klass->issue != NULL ? issue_box : NULL;
    }
  return task;
}

/* Queues @task on @channel, after the work of the current stream. */
static gboolean
queue (HirEvaluator *evaluator, guint channel, HirTask *task, gboolean reuse, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  guint current = hir_evaluator_get_current_slot (evaluator)->index;
  gboolean ok =
      backend->klass->wait_event (backend, channel, backend->klass->record_event (backend, current),
                                  NULL, error);

  if (reuse)
    {
      ok = ok && backend->klass->issue (backend, channel, task, error);
      clear_box (task->work);
    }
  else if (ok)
    ok = backend->klass->enqueue (backend, channel, task, error);
  else
    hir_task_free (task);
  return ok || hir_evaluator_fail_located (evaluator);
}

/* @reuse: this instruction has one post, so its task can be reused. */
static gboolean
submit_post (HirEvaluator *evaluator, const HirCommPost *post, gboolean reuse, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  HirCommunicator *communicator = evaluator->options.communicator;
  HirChannel *channel = get_channel (evaluator, post->expr, error);
  HirPending *pending = channel != NULL ? hir_evaluator_enter_post (evaluator, post, error) : NULL;
  HirTask *task;
  Box *box;

  if (pending == NULL)
    return FALSE;
  for (guint i = 0; i < pending->writes->len; i++)
    hir_evaluator_note_write (evaluator, g_ptr_array_index (pending->writes, i));
  task = get_task (evaluator, post, reuse);
  pending->mark =
      hir_evaluator_trace_communication (evaluator, task, post, channel->track, channel->index);
  box = task->work;
  box->communicator = communicator;
  box->work = communicator->klass->post (communicator, post, error);
  if (box->work == NULL)
    {
      if (!reuse)
        hir_task_free (task);
      return hir_evaluator_fail_located (evaluator);
    }
  evaluator->n_posts++;
  hir_evaluator_note_writer (evaluator, task);
  if (!queue (evaluator, channel->index, task, reuse, error))
    return FALSE;
  pending->event = backend->klass->record_event (backend, channel->index);
  return TRUE;
}

/* Looks up a tensor that this rank sends or receives. */
static HirValue *
lookup_part (HirEvaluator *evaluator, const HirExpr *expr, const HirVal *val, GError **error)
{
  HirValue *value = hir_env_lookup (evaluator->env, val);

  if (value == NULL)
    hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                   "T%d must be computed or allocated before it is communicated", val->name);
  return value;
}

static void
set_part (const HirVal *tensor, HirValue *value, HirValue **part)
{
  g_clear_pointer (part, hir_value_unref);
  if (value != NULL)
    *part = hir_env_view_as_allocated ((const HirTensor *) tensor, value);
}

/* Returns the cached post of this instruction, with label and iteration set. */
static HirCommPost *
get_post (HirEvaluator *evaluator, const HirExpr *expr)
{
  HirInstructionCache *cache = evaluator->cache;

  if (cache->post == NULL)
    cache->post = new_post (evaluator, expr, hir_evaluator_get_label (evaluator, expr));
  cache->post->iteration = hir_evaluator_get_iteration (evaluator);
  g_clear_pointer (&cache->post->where, g_free);
  return cache->post;
}

/* Copies the input of @post to its output if it has both, in the order of memory. Sets *@has_copied
 * to FALSE if the layouts do not allow that. */
static gboolean
copy_input (HirEvaluator *evaluator,
            const HirCommPost *post,
            gboolean is_free,
            gboolean *has_copied,
            GError **error)
{
  g_autoptr (HirValue) in = post->in != NULL ? hir_value_ref (post->in) : NULL;
  g_autoptr (HirValue) out = post->out != NULL ? hir_value_ref (post->out) : NULL;

  *has_copied = in == NULL || out == NULL;
  if (*has_copied)
    return TRUE;
  if (!hir_value_same_sizes (in, out) && hir_value_is_contiguous (out))
    {
      hir_value_unref (out);
      out = hir_value_reshape (post->out, in->n_dims, in->sizes);
    }
  else if (!hir_value_same_sizes (in, out) && hir_value_is_contiguous (in))
    {
      hir_value_unref (in);
      in = hir_value_reshape (post->in, out->n_dims, out->sizes);
    }
  *has_copied =
      in != NULL && out != NULL && in->dtype == out->dtype && hir_value_same_sizes (in, out);
  return !*has_copied || (in->buffer == out->buffer && in->offset == out->offset) ||
         hir_evaluator_submit_copy (evaluator, post->expr, in, out, is_free, error);
}

/* Posts a collective of this rank. A team of one only copies, which takes no time on the modelled
 * clock. */
static gboolean
submit_collective (HirEvaluator *evaluator, HirCommPost *post, GError **error)
{
  guint n;
  gboolean is_alone, has_copied = FALSE;

  g_free (hir_comm_dup_members (post->expr, &n));
  is_alone = n == 1;
  if ((is_alone || hir_comm_copies_first (post->expr, evaluator->options.rank)) &&
      !copy_input (evaluator, post, is_alone, &has_copied, error))
    return FALSE;
  if (has_copied && is_alone)
    return hir_evaluator_add_pending (evaluator, hir_comm_get_base (post->expr), post->label);
  if (has_copied && post->in != NULL && post->out != NULL)
    {
      hir_value_unref (post->in);
      post->in = hir_value_ref (post->out);
    }
  return submit_post (evaluator, post,
                      hir_evaluator_can_reuse (evaluator) &&
                          hir_comm_get_base (post->expr) == post->expr,
                      error);
}

/* Returns the cached post of this instruction for @expr, which may be a copy with the current root.
 */
static HirCommPost *
get_post_at_root (HirEvaluator *evaluator, const HirExpr *posted, const HirExpr *expr)
{
  HirCommPost *post = get_post (evaluator, posted);

  post->expr = expr;
  return post;
}

static gboolean
run_communication (HirEvaluator *evaluator, const HirExpr *posted, GError **error)
{
  HirInstructionCache *cache = evaluator->cache;
  const HirExpr *expr = hir_env_resolve_root (evaluator->env, posted, error);
  gint64 rank = evaluator->options.rank;
  HirCommPost *post;
  HirValue *in = NULL, *out = NULL;
  gboolean ok;

  if (expr == NULL || !hir_evaluator_check_posted_once (evaluator, posted, error))
    return FALSE;
  if (!cache->has_part || posted->u.comm.root_index != NULL)
    {
      cache->is_member = hir_comm_has_member (expr, rank);
      cache->reads = hir_comm_reads (expr, rank);
      cache->writes = hir_comm_writes (expr, rank);
      cache->has_part = TRUE;
    }
  if (!cache->is_member)
    return hir_evaluator_add_pending (evaluator, posted,
                                      hir_evaluator_get_label (evaluator, posted));
  if (cache->reads)
    {
      in = lookup_part (evaluator, expr, expr->inputs[0], error);
      if (in == NULL)
        return FALSE;
    }
  if (cache->writes)
    {
      out = lookup_part (evaluator, expr, expr->outputs[0], error);
      if (out == NULL)
        return FALSE;
    }
  post = get_post_at_root (evaluator, posted, expr);
  set_part (expr->inputs[0], in, &post->in);
  set_part (expr->outputs[0], out, &post->out);
  ok = submit_collective (evaluator, post, error);
  /* Lets the memory be reused. */
  g_clear_pointer (&post->in, hir_value_unref);
  g_clear_pointer (&post->out, hir_value_unref);
  return ok;
}

static gboolean
run_p2p (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirValue *value = lookup_part (evaluator, expr, HIR_VAL (expr->u.p2p.buffer), error);
  g_autofree char *text = NULL;
  g_autoptr (GRefString) label = NULL;
  g_autoptr (HirCommPost) post = NULL;
  gint64 peer;

  if (value == NULL || !hir_env_evaluate_int (evaluator->env, expr->u.p2p.peer, &peer, error) ||
      !hir_evaluator_check_posted_once (evaluator, expr, error))
    return FALSE;
  if (evaluator->group != NULL)
    {
      hir_comm_post_add_message (evaluator->group, expr, expr->u.p2p.is_send, peer, value);
      return TRUE;
    }
  text = g_strdup_printf ("%s %s %" G_GINT64_FORMAT, hir_evaluator_get_label (evaluator, expr),
                          expr->u.p2p.is_send ? "to" : "from", peer);
  label = g_ref_string_new (text);
  post = new_post (evaluator, expr, label);
  hir_comm_post_add_message (post, expr, expr->u.p2p.is_send, peer, value);
  return submit_post (evaluator, post, FALSE, error);
}

/* Evaluates a position in the team of a CollectivePermute as a device. */
static gboolean
evaluate_peer (HirEvaluator *evaluator,
               const HirExpr *expr,
               const HirScalar *scalar,
               gint64 *peer,
               GError **error)
{
  gint64 position;

  if (!hir_env_evaluate_int (evaluator->env, scalar, &position, error))
    return FALSE;
  if (position < 0 || position >= expr->u.permute.n_team)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "the peer is %" G_GINT64_FORMAT ", but the team has %u members", position,
                     expr->u.permute.n_team);
      return FALSE;
    }
  *peer = expr->u.permute.team[position];
  return TRUE;
}

static gboolean
run_permute (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GRefString) label = NULL;
  g_autoptr (HirCommPost) post = NULL;
  HirValue *in, *out;
  gint64 to, from;
  gboolean is_member = FALSE;

  if (!hir_evaluator_check_posted_once (evaluator, expr, error))
    return FALSE;
  for (guint i = 0; i < expr->u.permute.n_team; i++)
    is_member |= expr->u.permute.team[i] == evaluator->options.rank;
  if (!is_member)
    return hir_evaluator_add_pending (evaluator, expr, hir_evaluator_get_label (evaluator, expr));
  in = lookup_part (evaluator, expr, expr->inputs[0], error);
  out = in != NULL ? lookup_part (evaluator, expr, expr->outputs[0], error) : NULL;
  if (out == NULL || !evaluate_peer (evaluator, expr, expr->u.permute.send_peer, &to, error) ||
      !evaluate_peer (evaluator, expr, expr->u.permute.recv_peer, &from, error))
    return FALSE;
  text = g_strdup_printf ("%s to %" G_GINT64_FORMAT ", from %" G_GINT64_FORMAT,
                          hir_evaluator_get_label (evaluator, expr), to, from);
  label = g_ref_string_new (text);
  post = new_post (evaluator, expr, label);
  hir_comm_post_add_message (post, expr, TRUE, to, in);
  hir_comm_post_add_message (post, expr, FALSE, from, out);
  return submit_post (evaluator, post, FALSE, error);
}

static gboolean
start_group (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  if (evaluator->group != NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "a group of messages starts inside another; end the other one first");
      return FALSE;
    }
  evaluator->group = hir_comm_post_new (NULL, NULL, -1, evaluator->options.rank);
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
                     "a group of messages ends that was not started");
      return FALSE;
    }
  if (!hir_evaluator_check_posted_once (evaluator, expr, error))
    return FALSE;
  for (guint i = 0; group->messages != NULL && i < group->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (group->messages, HirCommMessage, i);

      g_string_append_printf (label, "%s%s %s %" G_GINT64_FORMAT, i > 0 ? ", " : "",
                              hir_evaluator_get_label (evaluator, message->expr),
                              message->is_send ? "to" : "from", message->peer);
    }
  group->expr = expr;
  group->label = g_ref_string_new (label->str);
  group->iteration = hir_evaluator_get_iteration (evaluator);
  return group->messages == NULL ? hir_evaluator_add_pending (evaluator, expr, group->label)
                                 : submit_post (evaluator, group, FALSE, error);
}

static gboolean
run_wait (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  int found =
      expr->u.wait.of != NULL ? hir_evaluator_find_pending (evaluator, expr->u.wait.of) : -1;
  HirPending *pending;
  HirTask *task;
  gboolean ok = TRUE;

  if (found < 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "nothing to wait for: %s was not posted, or was waited for already",
                     expr->u.wait.of != NULL ? hir_evaluator_get_label (evaluator, expr->u.wait.of)
                                             : "the communication");
      return FALSE;
    }
  pending = g_ptr_array_steal_index (evaluator->pending, (guint) found);
  if (pending->event != NULL)
    {
      task = hir_evaluator_new_wait (evaluator, expr, hir_evaluator_get_label (evaluator, expr),
                                     pending->mark);
      ok = backend->klass->wait_event (backend, hir_evaluator_get_current_slot (evaluator)->index,
                                       hir_pending_take_event (evaluator, pending), task, error);
    }
  hir_pending_unref (evaluator, pending);
  return ok || hir_evaluator_fail_located (evaluator);
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
  if (!hir_evaluator_check_all_waited (evaluator, error))
    return FALSE;
  if (evaluator->group != NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &evaluator->group_start->node.pos,
                     "the program ends in a group of messages on rank %d; insert an EndCoalescing",
                     evaluator->options.rank);
      return FALSE;
    }
  return communicator->klass->end (communicator, error);
}
