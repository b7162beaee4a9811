#include "cuda/cupti-tracks.h"

/* Numbers of streams that are not the program's start above those of streams and channels. */
#define FOREIGN_STREAM 100000

typedef struct
{
  guint32 context;
  guint16 track;
} Stream;

struct _HirCuptiTracks
{
  HirRecorder *recorder;
  GMutex lock;          /* streams, ranks */
  GHashTable *streams;  /* context << 32 | stream -> Stream */
  GHashTable *ranks;    /* track -> rank + 1 */
  GHashTable *contexts; /* context -> rank + 1 */
  GHashTable *threads;  /* "calls 123 0" -> track + 1 */
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
  self->threads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

void
hir_cupti_tracks_free (HirCuptiTracks *self)
{
  g_hash_table_unref (self->streams);
  g_hash_table_unref (self->ranks);
  g_hash_table_unref (self->contexts);
  g_hash_table_unref (self->threads);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* With the lock held. */
static void
insert_stream (HirCuptiTracks *self, guint32 context, guint32 stream, guint track)
{
  gint64 *key = g_new (gint64, 1);
  Stream *value = g_new (Stream, 1);

  *key = (gint64) ((guint64) context << 32 | stream);
  *value = (Stream){ context, (guint16) track };
  g_hash_table_replace (self->streams, key, value);
}

void
hir_cupti_tracks_set_stream (
    HirCuptiTracks *self, guint32 context, guint32 stream, guint track, int rank)
{
  g_mutex_lock (&self->lock);
  insert_stream (self, context, stream, track);
  g_hash_table_insert (self->ranks, GUINT_TO_POINTER (track), GINT_TO_POINTER (rank + 1));
  g_hash_table_insert (self->contexts, GUINT_TO_POINTER (context), GINT_TO_POINTER (rank + 1));
  g_mutex_unlock (&self->lock);
}

gboolean
hir_cupti_tracks_lookup_stream (HirCuptiTracks *self,
                                guint32 context,
                                guint32 stream,
                                guint16 *track)
{
  guint64 key = (guint64) context << 32 | stream;
  const Stream *found;

  g_mutex_lock (&self->lock);
  found = g_hash_table_lookup (self->streams, &key);
  if (found != NULL)
    *track = found->track;
  g_mutex_unlock (&self->lock);
  return found != NULL;
}

guint16
hir_cupti_tracks_get_stream (HirCuptiTracks *self, guint32 context, guint32 stream, guint device)
{
  g_autofree char *name = g_strdup_printf ("GPU %u, stream %u", device, stream);
  HirTrack info = { .kind = HIR_TRACK_STREAM,
                    .device = (int) device,
                    .stream = FOREIGN_STREAM + (gint64) stream,
                    .name = name };
  guint16 track;
  int rank;

  if (hir_cupti_tracks_lookup_stream (self, context, stream, &track))
    return track;
  g_mutex_lock (&self->lock);
  rank = GPOINTER_TO_INT (g_hash_table_lookup (self->contexts, GUINT_TO_POINTER (context))) - 1;
  g_mutex_unlock (&self->lock);
  info.rank = rank >= 0 ? rank : (int) device;
  /* Devices of a trace are numbered as its ranks' are. */
  info.device = info.rank;
  track = (guint16) hir_recorder_add_track (self->recorder, &info);
  g_mutex_lock (&self->lock);
  insert_stream (self, context, stream, track);
  g_hash_table_insert (self->ranks, GUINT_TO_POINTER ((guint) track),
                       GINT_TO_POINTER (info.rank + 1));
  g_mutex_unlock (&self->lock);
  return track;
}

int
hir_cupti_tracks_get_rank (HirCuptiTracks *self, guint16 track)
{
  int rank;

  g_mutex_lock (&self->lock);
  rank = GPOINTER_TO_INT (g_hash_table_lookup (self->ranks, GUINT_TO_POINTER ((guint) track))) - 1;
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

/* A host track called @name for @rank; @key tells it from others. Takes @key. */
static guint16
get_host (HirCuptiTracks *self, char *key, int rank, const char *name)
{
  HirTrack info = {
    .kind = HIR_TRACK_HOST, .rank = rank, .device = rank, .stream = -1, .name = (char *) name
  };
  guint track = GPOINTER_TO_UINT (g_hash_table_lookup (self->threads, key));

  if (track > 0)
    {
      g_free (key);
      return (guint16) (track - 1);
    }
  track = hir_recorder_add_track (self->recorder, &info);
  g_hash_table_insert (self->threads, key, GUINT_TO_POINTER (track + 1));
  return (guint16) track;
}

guint16
hir_cupti_tracks_get_calls (HirCuptiTracks *self, guint32 thread, int rank)
{
  return get_host (self, g_strdup_printf ("calls %u %d", thread, rank), rank, "CUDA calls");
}

guint16
hir_cupti_tracks_get_notes (HirCuptiTracks *self, guint32 thread, int rank)
{
  return get_host (self, g_strdup_printf ("notes %u %d", thread, rank), rank, "annotations");
}

guint16
hir_cupti_tracks_get_overhead (HirCuptiTracks *self)
{
  return get_host (self, g_strdup ("overhead"), hir_cupti_tracks_get_first_rank (self),
                   "tracing overhead");
}
