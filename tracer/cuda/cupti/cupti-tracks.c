#include "cuda/cupti/cupti-tracks.h"

/* Streams that are not the program's are numbered from here, above its streams and channels. */
#define FOREIGN_STREAM 100000

typedef struct
{
  guint32 context;
  guint16 track;
} Stream;

/* Entry of a small direct-mapped cache of lookups: a program has few streams and threads. */
#define N_LAST 16u
typedef struct
{
  gboolean is_set;
  gint generation;
  guint64 key;
  int found;
} Last;

/* Kinds of host tracks. */
typedef enum
{
  HOST_CALLS,
  HOST_NOTES,
  HOST_OVERHEAD,
} Host;

struct _HirCuptiTracks
{
  HirRecorder *recorder;
  GMutex lock;          /* guards streams, ranks and contexts */
  GHashTable *streams;  /* context << 32 | stream -> Stream */
  GHashTable *ranks;    /* track -> rank + 1 */
  GHashTable *contexts; /* context -> rank + 1 */
  GHashTable *foreign;  /* track of a stream that is not the program's -> GUINT_TO_POINTER (1) */
  gint generation;      /* counts changes of streams and ranks; atomic */
  /* The fields below belong to the decoding thread. */
  GHashTable *hosts; /* guint64, see host_key() -> track + 1 */
  Last streams_last[N_LAST], ranks_last[N_LAST], hosts_last[N_LAST];
};

HirCuptiTracks *
hir_cupti_tracks_new (HirRecorder *recorder)
{
  HirCuptiTracks *self = g_new0 (HirCuptiTracks, 1);

  self->recorder = recorder;
  g_mutex_init (&self->lock);
  self->streams = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->ranks = g_hash_table_new (NULL, NULL);
  self->contexts = g_hash_table_new (NULL, NULL);
  self->foreign = g_hash_table_new (NULL, NULL);
  self->hosts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return self;
}

void
hir_cupti_tracks_free (HirCuptiTracks *self)
{
  g_hash_table_unref (self->streams);
  g_hash_table_unref (self->ranks);
  g_hash_table_unref (self->contexts);
  g_hash_table_unref (self->foreign);
  g_hash_table_unref (self->hosts);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gboolean
is_last (HirCuptiTracks *self, const Last *last, guint64 key)
{
  return last->is_set && last->key == key &&
         last->generation == g_atomic_int_get (&self->generation);
}

/* Call with the lock held. */
static void
insert_stream (HirCuptiTracks *self, guint32 context, guint32 stream, guint track)
{
  gint64 *key = g_new (gint64, 1);
  Stream *value = g_new (Stream, 1);

  *key = (gint64) ((guint64) context << 32 | stream);
  *value = (Stream){ context, (guint16) track };
  g_hash_table_replace (self->streams, key, value);
  g_atomic_int_inc (&self->generation);
}

void
hir_cupti_tracks_set_stream (
    HirCuptiTracks *self, guint32 context, guint32 stream, guint track, int rank)
{
  g_mutex_lock (&self->lock);
  insert_stream (self, context, stream, track);
  g_hash_table_insert (self->ranks, GUINT_TO_POINTER (track), GINT_TO_POINTER (rank + 1));
  g_hash_table_insert (self->contexts, GUINT_TO_POINTER (context), GINT_TO_POINTER (rank + 1));
  g_atomic_int_inc (&self->generation);
  g_mutex_unlock (&self->lock);
}

gboolean
hir_cupti_tracks_lookup_stream (HirCuptiTracks *self,
                                guint32 context,
                                guint32 stream,
                                guint16 *track)
{
  guint64 key = (guint64) context << 32 | stream;
  Last *last = &self->streams_last[(context + stream) % N_LAST];
  const Stream *found;

  if (is_last (self, last, key))
    {
      *track = (guint16) last->found;
      return TRUE;
    }
  g_mutex_lock (&self->lock);
  found = g_hash_table_lookup (self->streams, &key);
  if (found != NULL)
    {
      *track = found->track;
      *last = (Last){ TRUE, g_atomic_int_get (&self->generation), key, found->track };
    }
  g_mutex_unlock (&self->lock);
  return found != NULL;
}

/* Returns TRUE if @track is that of a foreign stream for another rank than @rank. */
static gboolean
is_of_other (HirCuptiTracks *self, guint16 track, int rank)
{
  gboolean is_foreign;

  if (rank < 0 || hir_cupti_tracks_get_rank (self, track) == rank)
    return FALSE;
  g_mutex_lock (&self->lock);
  is_foreign = g_hash_table_contains (self->foreign, GUINT_TO_POINTER ((guint) track));
  g_mutex_unlock (&self->lock);
  return is_foreign;
}

/* Contexts have small numbers, so that a rank fits above them in the key of a stream. */
static guint32
of_rank (guint32 context, int rank)
{
  return context ^ ((guint32) rank + 1) << 16;
}

static guint16
add_foreign (HirCuptiTracks *self,
             guint32 context,
             guint32 key_context,
             guint32 stream,
             guint device,
             int rank)
{
  g_autofree char *name = g_strdup_printf ("GPU %u, stream %u", device, stream);
  HirTrack info = {
    .kind = HIR_TRACK_STREAM, .stream = FOREIGN_STREAM + (gint64) stream, .name = name, .rank = rank
  };
  guint track;

  if (rank < 0)
    {
      g_mutex_lock (&self->lock);
      info.rank =
          GPOINTER_TO_INT (g_hash_table_lookup (self->contexts, GUINT_TO_POINTER (context))) - 1;
      g_mutex_unlock (&self->lock);
      info.rank = info.rank >= 0 ? info.rank : (int) device;
    }
  /* In a trace, the device number of a rank is its rank. */
  info.device = info.rank;
  track = hir_recorder_add_track (self->recorder, &info);
  g_mutex_lock (&self->lock);
  insert_stream (self, key_context, stream, track);
  g_hash_table_add (self->foreign, GUINT_TO_POINTER (track));
  g_hash_table_insert (self->ranks, GUINT_TO_POINTER (track), GINT_TO_POINTER (info.rank + 1));
  g_atomic_int_inc (&self->generation);
  g_mutex_unlock (&self->lock);
  return (guint16) track;
}

guint16
hir_cupti_tracks_get_stream (
    HirCuptiTracks *self, guint32 context, guint32 stream, guint device, int rank)
{
  guint16 track;

  if (!hir_cupti_tracks_lookup_stream (self, context, stream, &track))
    return add_foreign (self, context, context, stream, device, rank);
  if (!is_of_other (self, track, rank) ||
      hir_cupti_tracks_lookup_stream (self, of_rank (context, rank), stream, &track))
    return track;
  return add_foreign (self, context, of_rank (context, rank), stream, device, rank);
}

int
hir_cupti_tracks_get_rank (HirCuptiTracks *self, guint16 track)
{
  Last *last = &self->ranks_last[track % N_LAST];
  int rank;

  if (is_last (self, last, track))
    return last->found;
  g_mutex_lock (&self->lock);
  rank = GPOINTER_TO_INT (g_hash_table_lookup (self->ranks, GUINT_TO_POINTER ((guint) track))) - 1;
  *last = (Last){ TRUE, g_atomic_int_get (&self->generation), track, rank };
  g_mutex_unlock (&self->lock);
  return rank;
}

int
hir_cupti_tracks_get_first_rank (HirCuptiTracks *self)
{
  GHashTableIter iter;
  gpointer value;
  int first = G_MAXINT;

  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->ranks);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    first = MIN (first, GPOINTER_TO_INT (value) - 1);
  g_mutex_unlock (&self->lock);
  return first != G_MAXINT ? first : 0;
}

/* Returns the host track @name of @rank and @thread. Creates it if it does not exist. */
static guint16
get_host (HirCuptiTracks *self, Host host, guint32 thread, int rank, const char *name)
{
  HirTrack info = {
    .kind = HIR_TRACK_HOST, .rank = rank, .device = rank, .stream = -1, .name = (char *) name
  };
  guint64 key = (guint64) thread << 32 | (guint64) (guint16) rank << 8 | (guint64) host;
  Last *last = &self->hosts_last[(thread + (guint) host) % N_LAST];
  guint track;

  if (is_last (self, last, key))
    return (guint16) last->found;
  track = GPOINTER_TO_UINT (g_hash_table_lookup (self->hosts, &key));
  if (track == 0)
    {
      track = hir_recorder_add_track (self->recorder, &info) + 1;
      g_hash_table_insert (self->hosts, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (track));
    }
  *last = (Last){ TRUE, g_atomic_int_get (&self->generation), key, (int) track - 1 };
  return (guint16) (track - 1);
}

guint16
hir_cupti_tracks_get_calls (HirCuptiTracks *self, guint32 thread, int rank)
{
  return get_host (self, HOST_CALLS, thread, rank, "CUDA calls");
}

guint16
hir_cupti_tracks_get_notes (HirCuptiTracks *self, guint32 thread, int rank)
{
  return get_host (self, HOST_NOTES, thread, rank, "annotations");
}

guint16
hir_cupti_tracks_get_overhead (HirCuptiTracks *self)
{
  return get_host (self, HOST_OVERHEAD, 0, hir_cupti_tracks_get_first_rank (self),
                   "tracing overhead");
}
