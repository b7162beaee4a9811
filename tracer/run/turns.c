#include "run/turns.h"

#include "diagnostic.h"

#define POLL_US 50000 /* interval of checks for cancellation */

/* A collective that waits for its turn. */
typedef struct
{
  guint n_arrived;
  gboolean is_open; /* all members have arrived, and it has its turn */
} Group;

struct _HirTurns
{
  GMutex lock;
  GCond changed;
  GCancellable *cancellable; /* nullable */
  gint64 timeout_us;
  HirComputations *computations;
  gboolean is_aborted;
  guint n_inside;     /* ranks in the current turn */
  GHashTable *groups; /* "KEY NUMBER" -> Group */
  GHashTable *counts; /* "KEY of RANK" -> number of calls */
};

HirTurns *
hir_turns_new (GCancellable *cancellable, gint64 timeout_us, HirComputations *computations)
{
  HirTurns *turns = g_new0 (HirTurns, 1);

  g_mutex_init (&turns->lock);
  g_cond_init (&turns->changed);
  g_set_object (&turns->cancellable, cancellable);
  turns->timeout_us = timeout_us;
  turns->computations = computations;
  turns->groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  turns->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return turns;
}

void
hir_turns_free (HirTurns *turns)
{
  g_hash_table_unref (turns->groups);
  g_hash_table_unref (turns->counts);
  g_clear_object (&turns->cancellable);
  g_cond_clear (&turns->changed);
  g_mutex_clear (&turns->lock);
  g_free (turns);
}

void
hir_turns_abort (HirTurns *turns)
{
  g_mutex_lock (&turns->lock);
  turns->is_aborted = TRUE;
  g_cond_broadcast (&turns->changed);
  g_mutex_unlock (&turns->lock);
}

void
hir_turns_reset (HirTurns *turns)
{
  g_mutex_lock (&turns->lock);
  turns->n_inside = 0;
  g_hash_table_remove_all (turns->groups);
  g_hash_table_remove_all (turns->counts);
  g_mutex_unlock (&turns->lock);
}

/* Waits a while for a change. Returns FALSE and sets @error if the wait is over. Requires the lock.
 */
static gboolean
wait_locked (HirTurns *turns, gint64 deadline_us, GError **error)
{
  gint64 now_us = g_get_monotonic_time ();

  if (turns->is_aborted || g_cancellable_is_cancelled (turns->cancellable))
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
  else if (now_us >= deadline_us)
    hir_set_error (error, HIR_ERROR_RUN, NULL,
                   "other ranks do not reach this communication if each instruction runs alone; "
                   "run it without --baseline");
  else
    {
      g_cond_wait_until (&turns->changed, &turns->lock, MIN (now_us + POLL_US, deadline_us));
      return TRUE;
    }
  return FALSE;
}

gboolean
hir_turns_begin (HirTurns *turns, GError **error)
{
  gboolean done = TRUE;

  g_mutex_lock (&turns->lock);
  /* The back end limits the time that a turn takes. */
  while (done && (turns->n_inside > 0 || turns->is_aborted))
    done = wait_locked (turns, G_MAXINT64, error);
  if (done)
    turns->n_inside = 1;
  g_mutex_unlock (&turns->lock);
  return done;
}

/* Returns the group of the next call of @rank with @key. Requires the lock. */
static Group *
join_group_locked (HirTurns *turns, const char *key, int rank)
{
  g_autofree char *counter = g_strdup_printf ("%s of %d", key, rank);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (turns->counts, counter));
  g_autofree char *name = g_strdup_printf ("%s %u", key, n);
  Group *group = g_hash_table_lookup (turns->groups, name);

  g_hash_table_insert (turns->counts, g_steal_pointer (&counter), GUINT_TO_POINTER (n + 1));
  if (group == NULL)
    {
      group = g_new0 (Group, 1);
      g_hash_table_insert (turns->groups, g_steal_pointer (&name), group);
    }
  group->n_arrived++;
  return group;
}

gboolean
hir_turns_begin_together (HirTurns *turns, const char *key, guint n, int rank, GError **error)
{
  gint64 deadline_us =
      turns->timeout_us > 0 ? g_get_monotonic_time () + turns->timeout_us : G_MAXINT64;
  gboolean done = TRUE;
  gint n_ended = g_atomic_int_get (&turns->computations->n_ended);
  Group *group;

  g_mutex_lock (&turns->lock);
  group = join_group_locked (turns, key, rank);
  while (done && !group->is_open)
    {
      if (group->n_arrived == n && turns->n_inside == 0 && !turns->is_aborted)
        {
          group->is_open = TRUE;
          turns->n_inside = n;
          g_cond_broadcast (&turns->changed);
        }
      else
        {
          if (g_get_monotonic_time () >= deadline_us &&
              hir_computations_have_progressed (turns->computations, &n_ended))
            deadline_us = g_get_monotonic_time () + turns->timeout_us;
          done = wait_locked (turns, deadline_us, error);
        }
    }
  g_mutex_unlock (&turns->lock);
  return done;
}

void
hir_turns_end (HirTurns *turns)
{
  g_mutex_lock (&turns->lock);
  if (turns->n_inside > 0)
    turns->n_inside--;
  g_cond_broadcast (&turns->changed);
  g_mutex_unlock (&turns->lock);
}
