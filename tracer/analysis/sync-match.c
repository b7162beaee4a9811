/* Matches communications of all ranks: the n-th collective of a team, and the n-th message
 * between two ranks. Reports the first mismatch of each team. */
#include "analysis/sync-trace-private.h"

typedef struct
{
  int rank;
  const HirSyncPost *post;
} Side;

typedef struct
{
  guint take, give; /* indices in steps */
} Need;

typedef struct
{
  HirSyncTrace *trace;
  GPtrArray *logs; /* HirSyncLog* */
  const guint *bases;
  GHashTable *groups; /* char* -> GArray of Side */
  GPtrArray *order;   /* these arrays, in order of creation */
  GHashTable *broken; /* set of char*: teams with a mismatch */
  GArray *needs;      /* Need */
  GArray *meetings;   /* HirSyncMeeting */
} Matching;

static void
enter (Matching *matching, int rank, const HirSyncPost *post)
{
  const HirCommHeader *header = post->header;
  g_autofree char *key = g_strdup_printf ("%s %u", header->team, header->sequence);
  GArray *sides = g_hash_table_lookup (matching->groups, key);
  Side side = { rank, post };

  if (sides == NULL)
    {
      sides = g_array_new (FALSE, FALSE, sizeof (Side));
      g_hash_table_insert (matching->groups, g_steal_pointer (&key), sides);
      g_ptr_array_add (matching->order, sides);
    }
  g_array_append_val (sides, side);
}

static void
add_mismatch (HirSyncTrace *trace, const GArray *sides, const GError *error)
{
  HirSyncFault *fault = hir_sync_faults_add (trace->faults, HIR_SYNC_FAULT_MISMATCH,
                                             hir_error_get_pos (error), -1, error->message);

  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);

      hir_sync_fault_add_place (fault, side->rank, side->post->expr, side->post->iteration,
                                side->post->header->text);
    }
}

/* Returns the first rank of the team or pair that is not in @sides, or -1. */
static gint64
find_absent (const GArray *sides, const HirSyncPost *post)
{
  const HirCommHeader *header = post->header;
  g_auto (GStrv) names = g_strsplit_set (header->team, ",>", -1);

  for (guint i = 0; names[i] != NULL; i++)
    {
      gint64 rank = g_ascii_strtoll (names[i], NULL, 10);
      gboolean is_there = *names[i] == '\0';

      for (guint k = 0; k < sides->len; k++)
        is_there |= g_array_index (sides, Side, k).rank == rank;
      if (!is_there)
        return rank;
    }
  return -1;
}

/* Returns TRUE for half of a message that a rank sends to itself: both sides have the same rank. */
static gboolean
is_half (const GArray *sides, const HirSyncPost *post)
{
  return !post->header->is_collective && sides->len < 2;
}

static gboolean
check (const GArray *sides, GError **error)
{
  const Side *first = &g_array_index (sides, Side, 0);
  const HirCommHeader *mine = first->post->header;
  gint64 absent = find_absent (sides, first->post);

  for (guint i = 1; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);
      const HirCommHeader *sent = mine->is_send ? mine : side->post->header;

      if (mine->is_collective
              ? !hir_comm_header_check_collective (mine, side->post->header, first->post->expr,
                                                   side->rank, error)
              : !hir_comm_header_check_message (sent, sent == mine ? side->post->header : mine,
                                                first->post->expr, error))
        return FALSE;
    }
  if (absent < 0 && is_half (sides, first->post))
    absent = first->rank;
  if (absent < 0)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &first->post->expr->node.pos,
                 "%s waits for rank %" G_GINT64_FORMAT ", which ends without %s", mine->where,
                 absent,
                 mine->is_collective ? "posting it"
                 : mine->is_send     ? "receiving it"
                                     : "sending it");
  return FALSE;
}

/* A side waits for all others; a message of a rank to itself has two sides on it. */
static void
add_meetings (Matching *matching, const GArray *sides)
{
  for (guint i = 0; i < sides->len; i++)
    for (guint k = 0; k < sides->len; k++)
      {
        const Side *side = &g_array_index (sides, Side, i),
                   *other = &g_array_index (sides, Side, k);
        HirSyncMeeting meeting = { matching->bases[side->rank] + side->post->last,
                                   matching->bases[other->rank] + other->post->post,
                                   side->rank,
                                   other->rank,
                                   side->post,
                                   other->post };

        if (i != k)
          g_array_append_val (matching->meetings, meeting);
      }
}

static void
connect (Matching *matching, const GArray *sides)
{
  for (guint i = 0; i < sides->len; i++)
    for (guint k = 0; k < sides->len; k++)
      {
        const Side *taker = &g_array_index (sides, Side, i);
        const Side *giver = &g_array_index (sides, Side, k);
        Need need;

        if (taker == giver || taker->post->take == HIR_SYNC_NONE ||
            giver->post->give == HIR_SYNC_NONE)
          continue;
        need.take = matching->bases[taker->rank] + taker->post->take;
        need.give = matching->bases[giver->rank] + giver->post->give;
        g_array_append_val (matching->needs, need);
      }
}

static void
match_group (Matching *matching, const GArray *sides)
{
  const HirSyncPost *post = g_array_index (sides, Side, 0).post;
  char *team = post->header->team;
  g_autoptr (GError) error = NULL;

  if (g_hash_table_contains (matching->broken, team))
    return;
  if (check (sides, &error))
    {
      connect (matching, sides);
      add_meetings (matching, sides);
      return;
    }
  g_hash_table_add (matching->broken, team);
  add_mismatch (matching->trace, sides, error);
}

static int
compare_needs (gconstpointer a, gconstpointer b)
{
  const Need *x = a, *y = b;

  if (x->take != y->take)
    return x->take < y->take ? -1 : 1;
  return x->give < y->give ? -1 : x->give > y->give;
}

static void
store_needs (HirSyncTrace *trace, GArray *needs)
{
  g_array_sort (needs, compare_needs);
  for (guint i = 0; i < needs->len; i++)
    {
      const Need *need = &g_array_index (needs, Need, i);
      HirSyncStep *take = hir_sync_trace_get_step (trace, need->take);

      if (take->n_needs++ == 0)
        take->first_need = trace->needs->len;
      g_array_append_val (trace->needs, need->give);
    }
}

void
hir_sync_match (HirSyncTrace *trace, GPtrArray *logs, const guint *bases, GArray *meetings)
{
  Matching matching = { .trace = trace, .logs = logs, .bases = bases, .meetings = meetings };
  const HirSyncLog *log;

  matching.groups =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  matching.order = g_ptr_array_new ();
  matching.broken = g_hash_table_new (g_str_hash, g_str_equal);
  matching.needs = g_array_new (FALSE, FALSE, sizeof (Need));
  for (guint i = 0; i < logs->len; i++)
    {
      log = g_ptr_array_index (logs, i);
      for (guint k = 0; k < log->posts->len; k++)
        enter (&matching, (int) i, &g_array_index (log->posts, HirSyncPost, k));
    }
  for (guint i = 0; i < matching.order->len; i++)
    match_group (&matching, g_ptr_array_index (matching.order, i));
  store_needs (trace, matching.needs);
  g_array_unref (matching.needs);
  g_hash_table_unref (matching.broken);
  g_ptr_array_unref (matching.order);
  g_hash_table_unref (matching.groups);
}
