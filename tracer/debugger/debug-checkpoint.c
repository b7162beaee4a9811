/* Checkpoints: saved states from which a replay can start. They use at most half of the bound of
 * the undo log, and are sparser the older they are. */
#include "debugger/debug-run-private.h"
#include "run/evaluator-state.h"

#define MAX_CHECKPOINTS 32
#define FIRST_US (100 * 1000)
#define MIN_ROUNDS 256            /* replaying fewer is fast ... */
#define LONG_US (3 * 1000 * 1000) /* ... unless they took this long */
#define GO_PAUSE_US 200           /* pause of a go if checkpoints are counted in rounds */
#define COST_SHARE 40             /* run at least this many times the cost of one before the next */

typedef struct
{
  guint64 round;
  GPtrArray *states; /* HirEvaluatorState*, one per rank */
  gboolean *ended;   /* one per rank */
} Checkpoint;

static void
checkpoint_free (gpointer data)
{
  Checkpoint *checkpoint = data;

  g_ptr_array_unref (checkpoint->states);
  g_free (checkpoint->ended);
  g_free (checkpoint);
}

void
hir_debug_run_init_checkpoints (HirDebugRun *run)
{
  run->checkpoints = g_ptr_array_new_with_free_func (checkpoint_free);
}

static Checkpoint *
get_checkpoint (const HirDebugRun *run, guint i)
{
  return g_ptr_array_index (run->checkpoints, i);
}

static guint64
get_last_round (const HirDebugRun *run)
{
  return run->checkpoints->len > 0 ? get_checkpoint (run, run->checkpoints->len - 1)->round : 0;
}

static gsize
count_bytes (const HirDebugRun *run)
{
  g_autoptr (GHashTable) counted = g_hash_table_new (NULL, NULL);
  gsize n_bytes = 0;

  for (guint i = 0; i < run->checkpoints->len; i++)
    for (guint k = 0; k < run->workers->len; k++)
      n_bytes +=
          hir_evaluator_state_count_bytes (g_ptr_array_index (get_checkpoint (run, i)->states, k),
                                           counted);
  return n_bytes;
}

/* Returns the checkpoint that is least useful: the fewest rounds between its neighbors, relative to
 * its age. */
static guint
find_spare (const HirDebugRun *run)
{
  guint n = run->checkpoints->len, spare = n - 1;
  double least = G_MAXDOUBLE;

  for (guint i = 0; i + 1 < n; i++)
    {
      guint64 before = i > 0 ? get_checkpoint (run, i - 1)->round : 0;
      guint64 after = get_checkpoint (run, i + 1)->round;
      double worth =
          (double) (after - before) / (double) (run->round - get_checkpoint (run, i)->round + 1);

      if (worth >= least)
        continue;
      least = worth;
      spare = i;
    }
  return spare;
}

static void
note_bytes (HirDebugRun *run)
{
  hir_undo_log_set_others (run->log, count_bytes (run));
}

/* Drops checkpoints until they fit into half of the bound. */
static void
thin_out (HirDebugRun *run)
{
  gsize max_bytes = hir_undo_log_get_max_bytes (run->log) / 2;

  while (run->checkpoints->len > 0 &&
         (run->checkpoints->len > MAX_CHECKPOINTS || count_bytes (run) > max_bytes))
    g_ptr_array_remove_index (run->checkpoints, find_spare (run));
  note_bytes (run);
}

void
hir_debug_run_drop_checkpoints (HirDebugRun *run, guint64 after)
{
  guint n = run->checkpoints->len;

  while (run->checkpoints->len > 0 && get_last_round (run) > after)
    g_ptr_array_remove_index (run->checkpoints, run->checkpoints->len - 1);
  if (run->checkpoints->len < n)
    note_bytes (run);
}

static gboolean
can_keep (HirDebugRun *run)
{
  if (!run->has_checkpoints || run->session == NULL || run->has_failed || run->has_threads ||
      hir_undo_log_get_max_bytes (run->log) == 0)
    return FALSE;
  for (guint i = 0; i < run->workers->len; i++)
    if (!hir_evaluator_can_save (hir_debug_run_get_worker (run, i)->rank->evaluator))
      return FALSE;
  return TRUE;
}

/* Stores a checkpoint. All streams must be idle. Returns FALSE if there is no memory, or if ranks
 * wait for each other on the modelled clock. */
static gboolean
keep (HirDebugRun *run)
{
  const Checkpoint *before =
      run->checkpoints->len > 0 ? get_checkpoint (run, run->checkpoints->len - 1) : NULL;
  Checkpoint *checkpoint = g_new0 (Checkpoint, 1);

  checkpoint->round = run->round;
  checkpoint->ended = g_new0 (gboolean, run->workers->len);
  checkpoint->states = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_evaluator_state_free);
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = hir_debug_run_get_worker (run, i);
      HirEvaluatorState *state =
          hir_evaluator_save (worker->rank->evaluator,
                              before != NULL ? g_ptr_array_index (before->states, i) : NULL);

      if (state == NULL)
        {
          checkpoint_free (checkpoint);
          return FALSE;
        }
      checkpoint->ended[i] = worker->ended;
      g_ptr_array_add (checkpoint->states, state);
    }
  g_ptr_array_add (run->checkpoints, checkpoint);
  thin_out (run);
  return TRUE;
}

gint64
hir_debug_run_get_checkpoint_us (HirDebugRun *run)
{
  if (!can_keep (run))
    return G_MAXINT64;
  return run->every == 0 ? run->next_us : g_get_monotonic_time () + GO_PAUSE_US;
}

static gboolean
is_due (HirDebugRun *run, gboolean after_go)
{
  guint64 since = run->round - get_last_round (run);
  gint64 now_us;

  if (since == 0)
    return FALSE;
  if (run->every > 0)
    return since >= run->every;
  /* Do not read the clock in each round. */
  if (!after_go && run->round % 16 != 0)
    return FALSE;
  now_us = g_get_monotonic_time ();
  if (now_us < run->next_us)
    return FALSE;
  if (since >= MIN_ROUNDS || now_us - run->kept_us >= LONG_US)
    return TRUE;
  run->next_us = now_us + FIRST_US;
  return FALSE;
}

void
hir_debug_run_keep_checkpoint (HirDebugRun *run, gboolean after_go)
{
  gint64 begin_us, rest_us, now_us;
  gboolean all_rest, rests;

  if (!is_due (run, after_go) || !can_keep (run))
    return;
  begin_us = g_get_monotonic_time ();
  rests = hir_debug_run_quiesce (run) && hir_debug_run_is_quiescent (run, &all_rest) && all_rest;
  rest_us = g_get_monotonic_time ();
  if (rests && keep (run))
    run->kept_us = rest_us;
  now_us = g_get_monotonic_time ();
  /* Waiting for the streams costs less than its duration, because they work meanwhile. */
  run->next_us =
      now_us + MAX (FIRST_US, COST_SHARE * (now_us - rest_us + (rest_us - begin_us) / 8));
}

void
hir_debug_run_await_checkpoint (HirDebugRun *run)
{
  run->kept_us = g_get_monotonic_time ();
  run->next_us = run->kept_us + FIRST_US;
}

/* Returns the last checkpoint at or before @round, or NULL. */
static Checkpoint *
lookup (const HirDebugRun *run, guint64 round)
{
  for (guint i = run->checkpoints->len; i-- > 0;)
    if (get_checkpoint (run, i)->round <= round)
      return get_checkpoint (run, i);
  return NULL;
}

static gboolean
forget_posts (HirDebugRun *run, const Checkpoint *checkpoint)
{
  HirCommWorld *world = hir_debug_run_get_world (run);
  g_autofree guint *n_posts = g_new0 (guint, run->workers->len + 1);

  for (guint i = 0; i < run->workers->len; i++)
    n_posts[i] =
        hir_evaluator_count_posts_since (hir_debug_run_get_worker (run, i)->rank->evaluator,
                                         g_ptr_array_index (checkpoint->states, i));
  return world == NULL || hir_comm_world_forget (world, n_posts);
}

gboolean
hir_debug_run_restore_checkpoint (HirDebugRun *run, guint64 round)
{
  const Checkpoint *checkpoint = lookup (run, round);
  HirCommWorld *world = hir_debug_run_get_world (run);
  gboolean all_rest;

  if (checkpoint == NULL || run->session == NULL || run->has_failed ||
      !hir_debug_run_quiesce (run) || !hir_debug_run_is_quiescent (run, &all_rest) || !all_rest ||
      !forget_posts (run, checkpoint))
    return FALSE;
  hir_undo_log_clear (run->log);
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = hir_debug_run_get_worker (run, i);

      hir_evaluator_restore (worker->rank->evaluator, g_ptr_array_index (checkpoint->states, i));
      worker->ended = checkpoint->ended[i];
      if (world != NULL)
        hir_comm_world_set_ended (world, worker->rank->rank, worker->ended);
    }
  hir_debug_run_cut_to (run, checkpoint->round);
  hir_debug_run_drop_checkpoints (run, checkpoint->round);
  return TRUE;
}

void
hir_debug_run_set_checkpoints (HirDebugRun *run, gboolean wanted, guint64 every)
{
  run->has_checkpoints = wanted;
  run->every = every;
  if (wanted)
    thin_out (run);
  else
    hir_debug_run_drop_all_checkpoints (run);
}

void
hir_debug_run_drop_all_checkpoints (HirDebugRun *run)
{
  g_ptr_array_set_size (run->checkpoints, 0);
  hir_undo_log_set_others (run->log, 0);
}

guint
hir_debug_run_get_n_checkpoints (const HirDebugRun *run,
                                 guint64 *first,
                                 guint64 *last,
                                 gsize *n_bytes)
{
  guint n = run->checkpoints->len;

  *first = n > 0 ? get_checkpoint (run, 0)->round : 0;
  *last = get_last_round (run);
  *n_bytes = count_bytes (run);
  return n;
}
