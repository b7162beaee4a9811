/* Execution of posts on streams: they wait for each other, and the last one moves the data. */
#include "run/comm/comm-local-private.h"

/* Below the 1 s within which a hang must be reported. */
#define IDLE_LIMIT_US (600 * 1000)
#define CHECK_US (100 * 1000)

typedef struct
{
  gint64 since_us; /* time of the last progress */
  guint64 n_moved;
} Watchdog;

/* Sums finished and running tasks over all ranks. */
static void
count_work (HirCommWorld *world, guint64 *n_done, guint *n_running)
{
  *n_done = world->n_moved;
  *n_running = 0;
  for (int i = 0; i < world->n_ranks; i++)
    {
      HirBackend *backend = world->backends[i];
      guint64 done = 0;
      guint running = 0;

      if (backend != NULL)
        backend->klass->get_progress (backend, &done, &running);
      *n_done += done;
      *n_running += running;
    }
}

static gboolean
all_ended (const HirCommWorld *world)
{
  for (int i = 0; i < world->n_ranks; i++)
    if (!world->ended[i])
      return FALSE;
  return TRUE;
}

static void
append_awaited (const HirCommWork *work, GString *text)
{
  const char *separator = " waits for rank ";

  for (guint i = 0; work->op != NULL && i < work->op->n; i++)
    {
      const HirCommWork *other = work->op->works[i];

      if (g_ptr_array_find (work->world->waiting, other, NULL))
        continue;
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, separator, work->op->members[i]);
      separator = " and rank ";
    }
  for (guint i = 0; work->op == NULL && i < work->messages->len; i++)
    {
      const HirLocalMessage *message = g_ptr_array_index (work->messages, i);

      if (message->done)
        continue;
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, separator,
                              message->from == work->rank ? message->to : message->from);
      separator = " and rank ";
    }
}

static void
set_deadlock_error (HirCommWorld *world, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const HirCommWork *first = g_ptr_array_index (world->waiting, 0);

  for (guint i = 0; i < world->waiting->len; i++)
    {
      const HirCommWork *work = g_ptr_array_index (world->waiting, i);

      g_string_append_printf (text, "%s%s", i > 0 ? "; " : "",
                              hir_comm_post_get_where (work->post));
      append_awaited (work, text);
    }
  hir_set_error (error, HIR_ERROR_RUN, &first->post->expr->node.pos,
                 "deadlock: %s; post communications in the same order on all ranks, or group "
                 "sends "
                 "and receives",
                 text->str);
}

/* Checks for progress. Returns FALSE and sets @error in a deadlock. */
static gboolean
check_progress (HirCommWorld *world, Watchdog *watchdog, GError **error)
{
  gint64 now_us = g_get_monotonic_time ();
  guint64 n_moved;
  guint n_running;

  count_work (world, &n_moved, &n_running);
  if (n_moved != watchdog->n_moved || n_running != world->waiting->len || !all_ended (world))
    {
      watchdog->n_moved = n_moved;
      watchdog->since_us = now_us;
      return TRUE;
    }
  if (now_us - watchdog->since_us < IDLE_LIMIT_US)
    return TRUE;
  set_deadlock_error (world, error);
  return FALSE;
}

static gboolean
await (HirCommWorld *world, HirCommWork *work, const gboolean *done, GError **error)
{
  Watchdog watchdog = { g_get_monotonic_time (), 0 };
  gboolean ok = TRUE;

  g_ptr_array_add (world->waiting, work);
  while (!*done && world->error == NULL && ok)
    {
      gint64 until_us = g_get_monotonic_time () + CHECK_US;

      if (!g_cond_wait_until (&world->moved_cond, &world->lock, until_us) && !*done &&
          world->error == NULL)
        ok = check_progress (world, &watchdog, error);
    }
  g_ptr_array_remove_fast (world->waiting, work);
  if (ok && !*done)
    {
      hir_local_set_error (world, error);
      ok = FALSE;
    }
  return ok;
}

static gboolean
execute (HirCommWorld *world, HirLocalOp *op, GError **error)
{
  g_autofree HirCommPart *parts = g_new0 (HirCommPart, op->n);
  const HirExpr *expr = op->works[0]->post->expr;
  gboolean ok;

  /* Take references: waiting ranks release theirs when another rank fails. */
  for (guint i = 0; i < op->n; i++)
    {
      const HirCommPost *post = op->works[i]->post;

      parts[i].rank = op->members[i];
      parts[i].in = post->in != NULL ? hir_value_ref (post->in) : NULL;
      parts[i].out = post->out != NULL ? hir_value_ref (post->out) : NULL;
    }
  g_mutex_unlock (&world->lock);
  ok = hir_comm_execute (expr, parts, op->n, error);
  for (guint i = 0; i < op->n; i++)
    {
      g_clear_pointer (&parts[i].in, hir_value_unref);
      g_clear_pointer (&parts[i].out, hir_value_unref);
    }
  g_mutex_lock (&world->lock);
  return ok;
}

gboolean
hir_local_run_collective (HirCommWorld *world, HirCommWork *work, GError **error)
{
  HirLocalOp *op = work->op;
  gboolean ok;

  if (world->error != NULL)
    {
      hir_local_set_error (world, error);
      return FALSE;
    }
  op->n_arrived++;
  if (op->n_arrived == op->n)
    {
      ok = execute (world, op, error);
      op->done = ok;
      world->n_moved++;
      g_cond_broadcast (&world->moved_cond);
    }
  else
    ok = await (world, work, &op->done, error);
  /* Release the buffers early. */
  g_clear_pointer (&work->post->in, hir_value_unref);
  g_clear_pointer (&work->post->out, hir_value_unref);
  return ok;
}

static gboolean
move_message (HirCommWorld *world, HirLocalMessage *message, GError **error)
{
  gboolean ok;

  g_mutex_unlock (&world->lock);
  ok = hir_comm_copy (message->values[1], message->values[0], error);
  g_mutex_lock (&world->lock);
  g_clear_pointer (&message->values[0], hir_value_unref);
  g_clear_pointer (&message->values[1], hir_value_unref);
  message->done = ok;
  world->n_moved++;
  g_cond_broadcast (&world->moved_cond);
  return ok;
}

gboolean
hir_local_run_messages (HirCommWorld *world, HirCommWork *work, GError **error)
{
  if (world->error != NULL)
    {
      hir_local_set_error (world, error);
      return FALSE;
    }
  for (guint i = 0; i < work->messages->len; i++)
    {
      HirLocalMessage *message = g_ptr_array_index (work->messages, i);

      for (guint side = 0; side < 2; side++)
        if (message->works[side] == work)
          message->arrived[side] = TRUE;
    }
  for (guint i = 0; i < work->messages->len; i++)
    {
      HirLocalMessage *message = g_ptr_array_index (work->messages, i);
      gboolean is_mine = message->works[1] == work || message->works[0] == work;

      /* The stream that first finds both sides ready moves the data. */
      if (!is_mine || !message->arrived[0] || !message->arrived[1] || message->values[0] == NULL ||
          message->done)
        continue;
      message->arrived[0] = FALSE;
      if (!move_message (world, message, error))
        return FALSE;
    }
  for (guint i = 0; i < work->messages->len; i++)
    {
      HirLocalMessage *message = g_ptr_array_index (work->messages, i);

      if (!message->done && !await (world, work, &message->done, error))
        return FALSE;
    }
  return TRUE;
}
