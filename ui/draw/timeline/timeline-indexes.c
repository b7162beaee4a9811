#include "draw/timeline/timeline-indexes.h"

#define WAIT_US (10 * G_TIME_SPAN_MILLISECOND)

typedef enum
{
  NOT_MADE,
  IN_MAKING,
} State;

struct _HirTimelineIndexes
{
  gatomicrefcount ref_count;
  HirTrace *trace;
  guint n_tracks, n_ranks;
  int *ranks;                 /* in the order of their first tracks */
  GHashTable *rank_indexes;   /* rank -> index in ranks + 1 */
  GArray **rank_tracks;       /* per rank: guint */
  HirTimelineIndex **made;    /* per track; atomic */
  HirCounterIndex **counters; /* per track; atomic; only for counters */
  HirRankCover **covers;      /* per rank; atomic */
  GMutex mutex;               /* guards states */
  GCond is_made;
  guint8 *states; /* State: of tracks, then of ranks */
};

static gboolean
find_rank_index (const HirTimelineIndexes *indexes, int rank, guint *rank_index)
{
  guint found =
      GPOINTER_TO_UINT (g_hash_table_lookup (indexes->rank_indexes, GINT_TO_POINTER (rank)));

  *rank_index = found - 1;
  return found > 0;
}

static void
add_to_rank (HirTimelineIndexes *indexes, guint track)
{
  int rank = hir_trace_get_track (indexes->trace, track)->rank;
  guint rank_index;

  if (!find_rank_index (indexes, rank, &rank_index))
    {
      rank_index = indexes->n_ranks++;
      indexes->ranks[rank_index] = rank;
      indexes->rank_tracks[rank_index] = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (indexes->rank_indexes, GINT_TO_POINTER (rank),
                           GUINT_TO_POINTER (rank_index + 1));
    }
  g_array_append_val (indexes->rank_tracks[rank_index], track);
}

HirTimelineIndexes *
hir_timeline_indexes_new (HirTrace *trace)
{
  HirTimelineIndexes *indexes = g_new0 (HirTimelineIndexes, 1);

  g_atomic_ref_count_init (&indexes->ref_count);
  indexes->trace = hir_trace_ref (trace);
  indexes->n_tracks = hir_trace_get_n_tracks (trace);
  indexes->ranks = g_new (int, indexes->n_tracks + 1);
  indexes->rank_indexes = g_hash_table_new (NULL, NULL);
  indexes->rank_tracks = g_new0 (GArray *, indexes->n_tracks + 1);
  for (guint t = 0; t < indexes->n_tracks; t++)
    add_to_rank (indexes, t);
  indexes->made = g_new0 (HirTimelineIndex *, indexes->n_tracks + 1);
  indexes->counters = g_new0 (HirCounterIndex *, indexes->n_tracks + 1);
  indexes->covers = g_new0 (HirRankCover *, indexes->n_ranks + 1);
  indexes->states = g_new0 (guint8, indexes->n_tracks + indexes->n_ranks + 1);
  g_mutex_init (&indexes->mutex);
  g_cond_init (&indexes->is_made);
  return indexes;
}

HirTimelineIndexes *
hir_timeline_indexes_ref (HirTimelineIndexes *indexes)
{
  g_atomic_ref_count_inc (&indexes->ref_count);
  return indexes;
}

void
hir_timeline_indexes_unref (HirTimelineIndexes *indexes)
{
  if (!g_atomic_ref_count_dec (&indexes->ref_count))
    return;
  for (guint t = 0; t < indexes->n_tracks; t++)
    {
      hir_timeline_index_free (indexes->made[t]);
      hir_counter_index_free (indexes->counters[t]);
    }
  for (guint r = 0; r < indexes->n_ranks; r++)
    {
      hir_rank_cover_free (indexes->covers[r]);
      g_array_unref (indexes->rank_tracks[r]);
    }
  g_free (indexes->rank_tracks);
  g_free (indexes->made);
  g_free (indexes->counters);
  g_free (indexes->covers);
  g_free (indexes->ranks);
  g_hash_table_unref (indexes->rank_indexes);
  g_free (indexes->states);
  g_mutex_clear (&indexes->mutex);
  g_cond_clear (&indexes->is_made);
  hir_trace_unref (indexes->trace);
  g_free (indexes);
}

HirTrace *
hir_timeline_indexes_get_trace (HirTimelineIndexes *indexes)
{
  return indexes->trace;
}

/* Returns TRUE if the caller must create the object stored at @slot. Returns FALSE if the object
 * exists, if @cancellable is cancelled, or if another thread creates the object; with @may_wait,
 * first waits for that thread. */
static gboolean
claim (HirTimelineIndexes *indexes,
       guint state,
       gpointer *slot,
       gboolean may_wait,
       GCancellable *cancellable)
{
  gboolean is_mine = FALSE;

  g_mutex_lock (&indexes->mutex);
  while (may_wait && indexes->states[state] == IN_MAKING && g_atomic_pointer_get (slot) == NULL &&
         !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&indexes->is_made, &indexes->mutex, g_get_monotonic_time () + WAIT_US);
  if (indexes->states[state] == NOT_MADE && !g_cancellable_is_cancelled (cancellable))
    {
      indexes->states[state] = IN_MAKING;
      is_mine = TRUE;
    }
  g_mutex_unlock (&indexes->mutex);
  return is_mine;
}

/* Stores the created object. @value is NULL if its creation was cancelled; another thread may then
 * create it. */
static void
store (HirTimelineIndexes *indexes, guint state, gpointer *slot, gpointer value)
{
  g_mutex_lock (&indexes->mutex);
  if (value == NULL)
    indexes->states[state] = NOT_MADE;
  g_atomic_pointer_set (slot, value);
  g_cond_broadcast (&indexes->is_made);
  g_mutex_unlock (&indexes->mutex);
}

static gboolean
is_counter (const HirTimelineIndexes *indexes, guint track)
{
  return hir_trace_get_track (indexes->trace, track)->kind == HIR_TRACK_COUNTER;
}

static void
make_counter (HirTimelineIndexes *indexes,
              guint track,
              gboolean may_wait,
              GCancellable *cancellable)
{
  gpointer *slot = (gpointer *) &indexes->counters[track];

  if (g_atomic_pointer_get (slot) == NULL && claim (indexes, track, slot, may_wait, cancellable))
    store (indexes, track, slot, hir_counter_index_new (indexes->trace, track, cancellable));
}

static void
make_track (HirTimelineIndexes *indexes, guint track, gboolean may_wait, GCancellable *cancellable)
{
  gpointer *slot = (gpointer *) &indexes->made[track];

  if (g_atomic_pointer_get (slot) == NULL && claim (indexes, track, slot, may_wait, cancellable))
    store (indexes, track, slot,
           hir_timeline_index_new (indexes->trace, track,
                                   MIN (hir_trace_get_n_lanes (indexes->trace, track),
                                        HIR_TIMELINE_MAX_LANES),
                                   cancellable));
}

static void
make_cover (HirTimelineIndexes *indexes,
            guint rank_index,
            gboolean may_wait,
            GCancellable *cancellable)
{
  gpointer *slot = (gpointer *) &indexes->covers[rank_index];
  const GArray *tracks = indexes->rank_tracks[rank_index];
  guint state = indexes->n_tracks + rank_index;

  if (g_atomic_pointer_get (slot) == NULL && claim (indexes, state, slot, may_wait, cancellable))
    store (indexes, state, slot,
           hir_rank_cover_new (indexes->trace, (const guint *) (gpointer) tracks->data, tracks->len,
                               cancellable));
}

const HirTimelineIndex *
hir_timeline_indexes_peek (HirTimelineIndexes *indexes, guint track)
{
  return g_atomic_pointer_get (&indexes->made[track]);
}

const HirTimelineIndex *
hir_timeline_indexes_get (HirTimelineIndexes *indexes, guint track)
{
  make_track (indexes, track, TRUE, NULL);
  return hir_timeline_indexes_peek (indexes, track);
}

const HirCounterIndex *
hir_timeline_indexes_peek_counter (HirTimelineIndexes *indexes, guint track)
{
  return g_atomic_pointer_get (&indexes->counters[track]);
}

const HirCounterIndex *
hir_timeline_indexes_get_counter (HirTimelineIndexes *indexes, guint track)
{
  g_return_val_if_fail (is_counter (indexes, track), NULL);
  make_counter (indexes, track, TRUE, NULL);
  return hir_timeline_indexes_peek_counter (indexes, track);
}

const HirRankCover *
hir_timeline_indexes_peek_cover (HirTimelineIndexes *indexes, int rank)
{
  guint rank_index;

  return find_rank_index (indexes, rank, &rank_index)
             ? g_atomic_pointer_get (&indexes->covers[rank_index])
             : NULL;
}

const HirRankCover *
hir_timeline_indexes_get_cover (HirTimelineIndexes *indexes, int rank)
{
  guint rank_index;

  if (!find_rank_index (indexes, rank, &rank_index))
    return NULL;
  make_cover (indexes, rank_index, TRUE, NULL);
  return g_atomic_pointer_get (&indexes->covers[rank_index]);
}

void
hir_timeline_indexes_make_all (HirTimelineIndexes *indexes, GCancellable *cancellable)
{
  /* Waits for objects of other threads only in the second iteration, when there is no other
   * work. */
  for (guint round = 0; round < 2; round++)
    {
      for (guint t = 0; t < indexes->n_tracks && !g_cancellable_is_cancelled (cancellable); t++)
        if (is_counter (indexes, t))
          make_counter (indexes, t, round == 1, cancellable);
        else
          make_track (indexes, t, round == 1, cancellable);
      for (guint r = 0; r < indexes->n_ranks && !g_cancellable_is_cancelled (cancellable); r++)
        make_cover (indexes, r, round == 1, cancellable);
    }
}

gsize
hir_timeline_indexes_get_size_bytes (HirTimelineIndexes *indexes)
{
  gsize size = 0;

  for (guint t = 0; t < indexes->n_tracks; t++)
    {
      const HirTimelineIndex *index = hir_timeline_indexes_peek (indexes, t);
      const HirCounterIndex *counter = hir_timeline_indexes_peek_counter (indexes, t);

      size += index != NULL ? hir_timeline_index_get_size_bytes (index) : 0;
      size += counter != NULL ? hir_counter_index_get_size_bytes (counter) : 0;
    }
  for (guint r = 0; r < indexes->n_ranks; r++)
    {
      const HirRankCover *cover = g_atomic_pointer_get (&indexes->covers[r]);

      size += cover != NULL ? hir_rank_cover_get_size_bytes (cover) : 0;
    }
  return size;
}
