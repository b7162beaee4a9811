/* Sharded event buffers, a table of names, and a thread that drains them into the sinks. A producer
 * whose shard is full drains them itself, and so does hir_recorder_flush(). */
#include "record/recorder.h"
#include "record/clock.h"
#include "record/replay-filter.h"

#include <gio/gio.h>
#include <pthread.h>
#include <string.h>

/* Events are sharded by thread to reduce lock contention. */
#define N_SHARDS 16
#define CHUNK_EVENTS 1024
#define MAX_CHUNKS_PENDING 256 /* per shard: 14 MB. Above this, the producer drains all shards. */
#define FLUSH_INTERVAL_NS (G_GINT64_CONSTANT (500) * 1000 * 1000)
#define DRAIN_INTERVAL_US (50 * 1000)

typedef struct _Chunk Chunk;
struct _Chunk
{
  Chunk *next;
  guint n;
  HirEvent events[CHUNK_EVENTS];
};

typedef struct
{
  GMutex lock;
  Chunk *first, *last;
  guint n_chunks;
  guint64 n_added, n_dropped;
} Shard;

typedef struct
{
  HirRecorderSink sink;
  guint n_tracks, n_strings, n_meetings, n_edges, n_values; /* passed to the sink so far */
  gboolean stopped;
} SinkState;

struct _HirRecorder
{
  Shard shards[N_SHARDS];

  GMutex names_lock;  /* guards names, records, edges and values; never held while a sink runs */
  GPtrArray *tracks;  /* HirTrack* */
  GPtrArray *strings; /* char* */
  GHashTable *string_indices;
  GArray *meetings; /* HirCommRecord */
  GArray *edges;    /* HirEdge */
  GArray *values;   /* HirTraceValue, data owned until the recorder is freed */

  GMutex drain_lock; /* guards sinks and error; held while sinks run */
  GArray *sinks;     /* SinkState */
  HirReplayFilter
      *once; /* nullable; records and edges are guarded by names_lock, events by drain_lock */
  GError *error;

  GMutex wake_lock;
  GCond wake;
  gboolean stopping;
  GThread *thread;
};

static void
track_free (gpointer data)
{
  HirTrack *track = data;

  g_free (track->name);
  g_free (track);
}

static void
stop_sink (HirRecorder *recorder, SinkState *state, GError *error)
{
  state->stopped = TRUE;
  if (recorder->error == NULL)
    recorder->error = error != NULL ? error
                                    : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED,
                                                           "a sink failed without a reason");
  else
    g_clear_error (&error);
}

/* Passes new tracks and strings to a sink. The arrays only grow and their elements do not move, so
 * each is looked up with the lock and used without it. */
static void
hand_names (HirRecorder *recorder, SinkState *state, guint n_tracks, guint n_strings)
{
  GError *error = NULL;

  while (!state->stopped && state->n_tracks < n_tracks)
    {
      const HirTrack *track;

      g_mutex_lock (&recorder->names_lock);
      track = g_ptr_array_index (recorder->tracks, state->n_tracks);
      g_mutex_unlock (&recorder->names_lock);
      if (!state->sink.track (state->n_tracks++, track, state->sink.user_data, &error))
        stop_sink (recorder, state, g_steal_pointer (&error));
    }
  while (!state->stopped && state->n_strings < n_strings)
    {
      const char *text;

      g_mutex_lock (&recorder->names_lock);
      text = g_ptr_array_index (recorder->strings, state->n_strings);
      g_mutex_unlock (&recorder->names_lock);
      if (!state->sink.string (state->n_strings++, text, state->sink.user_data, &error))
        stop_sink (recorder, state, g_steal_pointer (&error));
    }
}

/* Passes new records below @n to a sink, as a copy: the array may move while the sink runs. */
static void
hand_meetings (HirRecorder *recorder, SinkState *state, guint n)
{
  g_autofree HirCommRecord *copy = NULL;
  GError *error = NULL;
  guint from = state->n_meetings;

  if (state->stopped || state->sink.meetings == NULL || from >= n)
    return;
  g_mutex_lock (&recorder->names_lock);
  copy = g_memdup2 (&g_array_index (recorder->meetings, HirCommRecord, from),
                    (n - from) * sizeof (HirCommRecord));
  g_mutex_unlock (&recorder->names_lock);
  state->n_meetings = n;
  if (!state->sink.meetings (copy, n - from, state->sink.user_data, &error))
    stop_sink (recorder, state, error);
}

static void
hand_edges (HirRecorder *recorder, SinkState *state, guint n)
{
  g_autofree HirEdge *copy = NULL;
  GError *error = NULL;
  guint from = state->n_edges;

  if (state->stopped || state->sink.edges == NULL || from >= n)
    return;
  g_mutex_lock (&recorder->names_lock);
  copy = g_memdup2 (&g_array_index (recorder->edges, HirEdge, from), (n - from) * sizeof (HirEdge));
  g_mutex_unlock (&recorder->names_lock);
  state->n_edges = n;
  if (!state->sink.edges (copy, n - from, state->sink.user_data, &error))
    stop_sink (recorder, state, error);
}

/* Removes duplicate events. */
static void
sift (HirRecorder *recorder, Chunk *chunks)
{
  for (Chunk *chunk = chunks; chunk != NULL && recorder->once != NULL; chunk = chunk->next)
    {
      guint n = 0;

      for (guint i = 0; i < chunk->n; i++)
        if (hir_replay_filter_accept_event (recorder->once, &chunk->events[i]))
          chunk->events[n++] = chunk->events[i];
      chunk->n = n;
    }
}

static void
hand_values (HirRecorder *recorder, SinkState *state, guint n)
{
  for (; !state->stopped && state->sink.value != NULL && state->n_values < n; state->n_values++)
    {
      GError *error = NULL;
      HirTraceValue value;

      g_mutex_lock (&recorder->names_lock);
      value = g_array_index (recorder->values, HirTraceValue, state->n_values);
      g_mutex_unlock (&recorder->names_lock);
      if (!state->sink.value (&value, state->sink.user_data, &error))
        stop_sink (recorder, state, error);
    }
}

static void
hand_events (HirRecorder *recorder, const Chunk *chunks)
{
  guint n_tracks, n_strings, n_meetings, n_edges, n_values;

  g_mutex_lock (&recorder->names_lock);
  n_tracks = recorder->tracks->len;
  n_strings = recorder->strings->len;
  n_meetings = recorder->meetings->len;
  n_edges = recorder->edges->len;
  n_values = recorder->values->len;
  g_mutex_unlock (&recorder->names_lock);
  for (guint i = 0; i < recorder->sinks->len; i++)
    {
      SinkState *state = &g_array_index (recorder->sinks, SinkState, i);

      hand_names (recorder, state, n_tracks, n_strings);
      hand_meetings (recorder, state, n_meetings);
      hand_edges (recorder, state, n_edges);
      hand_values (recorder, state, n_values);
      for (const Chunk *chunk = chunks; chunk != NULL && !state->stopped; chunk = chunk->next)
        {
          GError *error = NULL;

          if (!state->sink.events (chunk->events, chunk->n, state->sink.user_data, &error))
            stop_sink (recorder, state, error);
        }
    }
}

/* Passes all events to the sinks. Requires drain_lock. Chunks are taken before the number of
 * names is read, so that every name that an event uses is included. */
static void
drain (HirRecorder *recorder)
{
  for (guint s = 0; s < N_SHARDS; s++)
    {
      Shard *shard = &recorder->shards[s];
      Chunk *chunks;

      g_mutex_lock (&shard->lock);
      chunks = shard->first;
      shard->first = shard->last = NULL;
      shard->n_chunks = 0;
      g_mutex_unlock (&shard->lock);
      if (chunks == NULL)
        continue;
      sift (recorder, chunks);
      hand_events (recorder, chunks);
      while (chunks != NULL)
        {
          Chunk *next = chunks->next;

          g_free (chunks);
          chunks = next;
        }
    }
}

static void
drain_and_flush (HirRecorder *recorder)
{
  g_mutex_lock (&recorder->drain_lock);
  drain (recorder);
  hand_events (recorder, NULL); /* names that are not used by an event yet */
  for (guint i = 0; i < recorder->sinks->len; i++)
    {
      SinkState *state = &g_array_index (recorder->sinks, SinkState, i);
      GError *error = NULL;

      if (!state->stopped && state->sink.flush != NULL &&
          !state->sink.flush (state->sink.user_data, &error))
        stop_sink (recorder, state, error);
    }
  g_mutex_unlock (&recorder->drain_lock);
}

static gpointer
run_writer (gpointer data)
{
  HirRecorder *recorder = data;
  gint64 last_flush = hir_clock_now_ns ();

  g_mutex_lock (&recorder->wake_lock);
  while (!recorder->stopping)
    {
      g_cond_wait_until (&recorder->wake, &recorder->wake_lock,
                         g_get_monotonic_time () + DRAIN_INTERVAL_US);
      if (recorder->stopping)
        break;
      g_mutex_unlock (&recorder->wake_lock);
      if (hir_clock_now_ns () - last_flush >= FLUSH_INTERVAL_NS)
        {
          drain_and_flush (recorder);
          last_flush = hir_clock_now_ns ();
        }
      else
        {
          g_mutex_lock (&recorder->drain_lock);
          drain (recorder);
          g_mutex_unlock (&recorder->drain_lock);
        }
      g_mutex_lock (&recorder->wake_lock);
    }
  g_mutex_unlock (&recorder->wake_lock);
  return NULL;
}

HirRecorder *
hir_recorder_new (void)
{
  HirRecorder *recorder = g_new0 (HirRecorder, 1);

  for (guint s = 0; s < N_SHARDS; s++)
    g_mutex_init (&recorder->shards[s].lock);
  g_mutex_init (&recorder->names_lock);
  g_mutex_init (&recorder->drain_lock);
  g_mutex_init (&recorder->wake_lock);
  g_cond_init (&recorder->wake);
  recorder->tracks = g_ptr_array_new_with_free_func (track_free);
  recorder->strings = g_ptr_array_new_with_free_func (g_free);
  recorder->string_indices = g_hash_table_new (g_str_hash, g_str_equal);
  recorder->meetings = g_array_new (FALSE, FALSE, sizeof (HirCommRecord));
  recorder->edges = g_array_new (FALSE, FALSE, sizeof (HirEdge));
  recorder->values = g_array_new (FALSE, FALSE, sizeof (HirTraceValue));
  recorder->sinks = g_array_new (FALSE, TRUE, sizeof (SinkState));
  hir_recorder_intern (recorder, "");
  recorder->thread = g_thread_new ("recorder", run_writer, recorder);
  return recorder;
}

void
hir_recorder_free (HirRecorder *recorder)
{
  if (recorder == NULL)
    return;
  g_mutex_lock (&recorder->wake_lock);
  recorder->stopping = TRUE;
  g_cond_signal (&recorder->wake);
  g_mutex_unlock (&recorder->wake_lock);
  g_thread_join (recorder->thread);
  drain_and_flush (recorder);
  for (guint s = 0; s < N_SHARDS; s++)
    g_mutex_clear (&recorder->shards[s].lock);
  g_mutex_clear (&recorder->names_lock);
  g_mutex_clear (&recorder->drain_lock);
  g_mutex_clear (&recorder->wake_lock);
  g_cond_clear (&recorder->wake);
  g_hash_table_unref (recorder->string_indices);
  g_ptr_array_unref (recorder->strings);
  g_ptr_array_unref (recorder->tracks);
  g_array_unref (recorder->meetings);
  g_array_unref (recorder->edges);
  for (guint i = 0; i < recorder->values->len; i++)
    g_bytes_unref (g_array_index (recorder->values, HirTraceValue, i).data);
  g_array_unref (recorder->values);
  g_array_unref (recorder->sinks);
  g_clear_error (&recorder->error);
  g_clear_pointer (&recorder->once, hir_replay_filter_free);
  g_free (recorder);
}

void
hir_recorder_add_sink (HirRecorder *recorder, const HirRecorderSink *sink)
{
  SinkState state = { .sink = *sink };

  g_return_if_fail (sink->track != NULL && sink->string != NULL && sink->events != NULL);
  g_mutex_lock (&recorder->drain_lock);
  g_array_append_val (recorder->sinks, state);
  g_mutex_unlock (&recorder->drain_lock);
}

void
hir_recorder_set_once (HirRecorder *recorder)
{
  g_return_if_fail (recorder->once == NULL && recorder->tracks->len == 0);
  recorder->once = hir_replay_filter_new ();
}

/* Returns the name without the device's number of a stream, which differs between sessions: "GPU 1,
 * stream 14 = Stream 2". */
static const char *
get_lasting_name (const char *name)
{
  const char *found = strstr (name, " = ");

  return found != NULL ? found : name;
}

static gboolean
is_same_track (const HirTrack *a, const HirTrack *b)
{
  return a->kind == b->kind && a->rank == b->rank && a->device == b->device &&
         g_str_equal (get_lasting_name (a->name), get_lasting_name (b->name));
}

guint
hir_recorder_add_track (HirRecorder *recorder, const HirTrack *track)
{
  HirTrack *copy = g_memdup2 (track, sizeof *track);
  guint index = 0;

  copy->name = g_strdup (track->name != NULL ? track->name : "");
  g_mutex_lock (&recorder->names_lock);
  while (index < recorder->tracks->len &&
         (recorder->once == NULL ||
          !is_same_track (g_ptr_array_index (recorder->tracks, index), copy)))
    index++;
  if (index == recorder->tracks->len)
    g_ptr_array_add (recorder->tracks, copy);
  else
    track_free (copy);
  g_mutex_unlock (&recorder->names_lock);
  return index;
}

void
hir_recorder_set_track_name (HirRecorder *recorder, guint track, const char *name)
{
  g_mutex_lock (&recorder->names_lock);
  if (track < recorder->tracks->len)
    {
      HirTrack *info = g_ptr_array_index (recorder->tracks, track);

      g_free (info->name);
      info->name = g_strdup (name);
    }
  g_mutex_unlock (&recorder->names_lock);
}

guint
hir_recorder_get_n_tracks (HirRecorder *recorder)
{
  guint n;

  g_mutex_lock (&recorder->names_lock);
  n = recorder->tracks->len;
  g_mutex_unlock (&recorder->names_lock);
  return n;
}

const HirTrack *
hir_recorder_get_track (HirRecorder *recorder, guint track)
{
  const HirTrack *info;

  g_mutex_lock (&recorder->names_lock);
  info = g_ptr_array_index (recorder->tracks, track);
  g_mutex_unlock (&recorder->names_lock);
  return info;
}

guint32
hir_recorder_intern (HirRecorder *recorder, const char *text)
{
  gpointer index;

  g_mutex_lock (&recorder->names_lock);
  if (!g_hash_table_lookup_extended (recorder->string_indices, text, NULL, &index))
    {
      char *copy = g_strdup (text);

      index = GUINT_TO_POINTER (recorder->strings->len);
      g_ptr_array_add (recorder->strings, copy);
      g_hash_table_insert (recorder->string_indices, copy, index);
    }
  g_mutex_unlock (&recorder->names_lock);
  return GPOINTER_TO_UINT (index);
}

const char *
hir_recorder_get_string (HirRecorder *recorder, guint32 index)
{
  const char *text = "";

  g_mutex_lock (&recorder->names_lock);
  if (index < recorder->strings->len)
    text = g_ptr_array_index (recorder->strings, index);
  g_mutex_unlock (&recorder->names_lock);
  return text;
}

void
hir_recorder_add_meeting (HirRecorder *recorder, const HirCommRecord *record)
{
  g_mutex_lock (&recorder->names_lock);
  if (recorder->once == NULL || hir_replay_filter_accept_comm_record (recorder->once, record))
    g_array_append_val (recorder->meetings, *record);
  g_mutex_unlock (&recorder->names_lock);
}

void
hir_recorder_add_edge (HirRecorder *recorder, const HirEdge *edge)
{
  g_mutex_lock (&recorder->names_lock);
  if (recorder->once == NULL || hir_replay_filter_accept_edge (recorder->once, edge))
    g_array_append_val (recorder->edges, *edge);
  g_mutex_unlock (&recorder->names_lock);
}

void
hir_recorder_add_value (HirRecorder *recorder, guint64 tensor_id, int rank, GBytes *data)
{
  HirTraceValue value = { tensor_id, rank, g_bytes_ref (data) };

  g_mutex_lock (&recorder->names_lock);
  g_array_append_val (recorder->values, value);
  g_mutex_unlock (&recorder->names_lock);
}

static Shard *
get_shard (HirRecorder *recorder)
{
  guint64 self = (guint64) (gsize) pthread_self ();

  return &recorder->shards[(self * 0x9e3779b97f4a7c15u) >> 60];
}

/* Returns a chunk with free space at the end of @shard, or NULL if memory is short. */
static Chunk *
get_room (Shard *shard)
{
  Chunk *chunk = shard->last;

  if (chunk != NULL && chunk->n < CHUNK_EVENTS)
    return chunk;
  chunk = g_try_new (Chunk, 1);
  if (chunk == NULL)
    return NULL;
  chunk->next = NULL;
  chunk->n = 0;
  if (shard->last != NULL)
    shard->last->next = chunk;
  else
    shard->first = chunk;
  shard->last = chunk;
  shard->n_chunks++;
  return chunk;
}

void
hir_recorder_add (HirRecorder *recorder, const HirEvent *event)
{
  Shard *shard = get_shard (recorder);
  Chunk *chunk;
  gboolean is_full;

  g_mutex_lock (&shard->lock);
  chunk = get_room (shard);
  if (chunk != NULL)
    {
      chunk->events[chunk->n++] = *event;
      shard->n_added++;
    }
  else
    shard->n_dropped++;
  is_full = chunk == NULL || shard->n_chunks > MAX_CHUNKS_PENDING;
  g_mutex_unlock (&shard->lock);
  if (is_full)
    {
      g_mutex_lock (&recorder->drain_lock);
      drain (recorder);
      g_mutex_unlock (&recorder->drain_lock);
    }
}

void
hir_recorder_flush (HirRecorder *recorder)
{
  drain_and_flush (recorder);
}

const GError *
hir_recorder_get_error (HirRecorder *recorder)
{
  const GError *error;

  g_mutex_lock (&recorder->drain_lock);
  error = recorder->error;
  g_mutex_unlock (&recorder->drain_lock);
  return error;
}

void
hir_recorder_get_counts (HirRecorder *recorder, guint64 *n_added, guint64 *n_dropped)
{
  *n_added = *n_dropped = 0;
  for (guint s = 0; s < N_SHARDS; s++)
    {
      Shard *shard = &recorder->shards[s];

      g_mutex_lock (&shard->lock);
      *n_added += shard->n_added;
      *n_dropped += shard->n_dropped;
      g_mutex_unlock (&shard->lock);
    }
}
