/* Which stream of the trace each stream of the program is: one to one, learned from an alignment
 * without streams. */
#include <string.h>

#include "join/join-private.h"

#define MAX_ROUNDS 4
#define SAME_COST 0.3 /* alignments of such a difference are equally good */

#define GOOD_FIT 0.4f

/* Returns whether each signature of the units is of work that the program has. */
static gboolean *
list_fits (const HirJoinExpected *expected, const HirJoinThread *thread)
{
  gboolean *fits = g_new0 (gboolean, thread->signatures->len + 1);

  for (guint k = 0; k < thread->signatures->len; k++)
    {
      guint u = g_array_index (thread->signatures, guint, k);

      for (guint s = 0; s < expected->signatures->len && !fits[k]; s++)
        fits[k] = hir_join_fit (&g_array_index (expected->steps, HirJoinStep,
                                                g_array_index (expected->signatures, guint, s)),
                                &g_array_index (thread->units, HirJoinUnit, u)) <= GOOD_FIT;
    }
  return fits;
}

guint
hir_join_find_sample (const HirJoinExpected *expected, const HirJoinThread *thread, guint n_units)
{
  g_autofree gboolean *fits = list_fits (expected, thread);
  const HirJoinUnit *units = (const HirJoinUnit *) (gconstpointer) thread->units->data;
  g_autofree gint64 *sums = g_new0 (gint64, thread->units->len + 1);
  gint64 most = G_MININT64;

  if (thread->units->len <= n_units)
    return 0;
  for (guint u = 0; u < thread->units->len; u++)
    sums[u + 1] = sums[u] + (units[u].kind != HIR_JOIN_OP ? 0 : fits[units[u].signature] ? 1 : -1);
  for (guint u = n_units; u <= thread->units->len; u++)
    most = MAX (most, sums[u] - sums[u - n_units]);
  for (guint u = n_units; u < thread->units->len; u++)
    if (sums[u] - sums[u - n_units] >= most - ABS (most) / 10)
      return u - n_units;
  return thread->units->len - n_units;
}

typedef struct
{
  guint key, stream, n;
} Vote;

static int
compare_votes (gconstpointer a, gconstpointer b)
{
  const Vote *x = a, *y = b;

  if (x->n != y->n)
    return x->n > y->n ? -1 : 1;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->stream < y->stream ? -1 : x->stream > y->stream;
}

/* Counts how often work of each key ran on each stream, most frequent first. */
static GArray *
count_votes (const HirJoinAlignment *alignment)
{
  GArray *votes = g_array_new (FALSE, FALSE, sizeof (Vote));
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint u = alignment->from; u < alignment->end; u++)
    {
      const HirJoinUnit *unit = &g_array_index (alignment->thread->units, HirJoinUnit, u);
      guint step = alignment->ties[u].step;
      Vote vote = { step != HIR_JOIN_NONE
                        ? g_array_index (alignment->expected->steps, HirJoinStep, step).key
                        : HIR_JOIN_NONE,
                    unit->stream, 1 };
      gint64 pair = (gint64) ((guint64) vote.key << 32 | vote.stream);
      guint place;

      if (vote.key == HIR_JOIN_NONE || vote.stream == HIR_JOIN_NONE)
        continue;
      place = GPOINTER_TO_UINT (g_hash_table_lookup (places, &pair));
      if (place > 0)
        g_array_index (votes, Vote, place - 1).n++;
      else
        {
          g_array_append_val (votes, vote);
          g_hash_table_insert (places, g_memdup2 (&pair, sizeof pair),
                               GUINT_TO_POINTER (votes->len));
        }
    }
  g_array_sort (votes, compare_votes);
  return votes;
}

/* Assigns streams to keys. Returns TRUE if the map changes. */
static gboolean
assign (HirJoinAlignment *alignment)
{
  g_autoptr (GArray) votes = count_votes (alignment);
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  guint n = alignment->expected->n_keys;
  g_autofree guint *map = g_new (guint, n + 1);
  gboolean changes;

  for (guint i = 0; i < n; i++)
    map[i] = HIR_JOIN_NONE;
  for (guint i = 0; i < votes->len; i++)
    {
      const Vote *vote = &g_array_index (votes, Vote, i);

      if (map[vote->key] != HIR_JOIN_NONE ||
          !g_hash_table_add (taken, GUINT_TO_POINTER (vote->stream)))
        continue;
      map[vote->key] = vote->stream;
    }
  changes = memcmp (map, alignment->stream_of, n * sizeof *map) != 0;
  memcpy (alignment->stream_of, map, n * sizeof *map);
  g_hash_table_remove_all (alignment->owned);
  for (guint i = 0; i < n; i++)
    if (map[i] != HIR_JOIN_NONE)
      g_hash_table_add (alignment->owned, GUINT_TO_POINTER (map[i]));
  return changes;
}

/* Turns the streams of all keys except the first, the caller's stream, by @by. Returns FALSE if
 * there are too few. */
static gboolean
turn (const guint *from, guint *to, guint n, guint by)
{
  g_autofree guint *keys = g_new (guint, n + 1);
  guint n_known = 0;

  memcpy (to, from, n * sizeof *to);
  for (guint i = 1; i < n; i++)
    if (from[i] != HIR_JOIN_NONE)
      keys[n_known++] = i;
  if (by >= n_known)
    return FALSE;
  for (guint i = 0; i < n_known; i++)
    to[keys[i]] = from[keys[(i + by) % n_known]];
  return TRUE;
}

/* Returns how many keys have a stream with a lower number than the key before: programs take their
 * streams from a pool in order, so that there are few. */
static guint
count_descents (const HirJoinAlignment *alignment)
{
  gint64 last = G_MININT64;
  guint n = 0;

  for (guint i = 1; i < alignment->expected->n_keys; i++)
    {
      guint track = alignment->stream_of[i];
      gint64 number;

      if (track == HIR_JOIN_NONE)
        continue;
      number = hir_trace_get_track (alignment->thread->trace, track)->stream;
      n += number < last;
      last = number;
    }
  return n;
}

/* Tries the other turns of the streams. Keeps the best one, of equal ones that with the fewest
 * descents, and returns its cost in alignment->cost; *@second is the cost of the best other one. */
static void
try_turns (HirJoinAlignment *alignment, guint max_units, double *second)
{
  guint n = alignment->expected->n_keys;
  g_autofree guint *first = g_memdup2 (alignment->stream_of, n * sizeof (guint));
  g_autofree guint *best = g_memdup2 (alignment->stream_of, n * sizeof (guint));
  double least = alignment->cost;
  guint descents = count_descents (alignment);

  *second = HIR_JOIN_NEVER;
  for (guint by = 1; turn (first, alignment->stream_of, n, by); by++)
    {
      guint k = count_descents (alignment);

      hir_join_alignment_run (alignment, max_units, FALSE);
      if (alignment->cost < least - SAME_COST ||
          (alignment->cost <= least + SAME_COST && k < descents))
        {
          *second = MIN (*second, least);
          least = alignment->cost;
          descents = k;
          memcpy (best, alignment->stream_of, n * sizeof *best);
        }
      else
        *second = MIN (*second, alignment->cost);
    }
  memcpy (alignment->stream_of, best, n * sizeof *best);
  alignment->cost = least;
}

void
hir_join_align_streams (HirJoinAlignment *alignment, guint max_units, gboolean tries_turns)
{
  double second;

  hir_join_alignment_run (alignment, max_units, FALSE);
  for (guint i = 0; i < MAX_ROUNDS && alignment->cost < G_MAXDOUBLE && assign (alignment); i++)
    hir_join_alignment_run (alignment, max_units, FALSE);
  if (!tries_turns)
    return;
  try_turns (alignment, max_units, &second);
  alignment->turns = second <= alignment->cost + SAME_COST;
  hir_join_alignment_run (alignment, max_units, FALSE);
}
