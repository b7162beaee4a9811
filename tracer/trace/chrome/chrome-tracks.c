#include "trace/chrome/chrome-tracks.h"

#include "trace/chrome/chrome-devices.h"
#include "trace/event-names.h"
#include "trace/json-out.h"
#include "trace/track-ids.h"

#include <string.h>

typedef enum
{
  GROUP_DEVICE,
  GROUP_NOTES, /* annotations of a device */
  GROUP_HOST,
  GROUP_OVERHEAD,
  GROUP_ASYNC,
  GROUP_COUNTER,
} Group;

typedef struct
{
  guint8 group; /* Group, KEY_PROCESS or KEY_THREAD */
  gint64 pid, tid;
  gint64 id; /* of asynchronous events */
} Key;

#define MAX_IDS                                                                                    \
  (1024 * 1024) /* limit for ids of asynchronous events; each has its own open                     \
                 * events */

#define KEY_PROCESS 255
#define KEY_THREAD 254

struct _HirChromeTracks
{
  HirTraceBuilder *builder;
  HirChromeNames *names;
  int rank;
  GHashTable *tracks; /* Key -> HirChromeTrack */
  GHashTable *labels; /* Key -> char* */
  guint64 n_shared;
  gboolean has_own; /* the file is our own export, whose metadata have the ids of its tracks */
  Key last_key;     /* consecutive events often have the same track */
  HirChromeTrack *last;
};

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;
  guint64 hash = (guint64) key->pid * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  hash = (hash ^ hash >> 29 ^ (guint64) key->tid) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 29 ^ (guint64) key->id) * G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53);
  return (guint) (hash >> 32) ^ key->group;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->group == y->group && x->pid == y->pid && x->tid == y->tid && x->id == y->id;
}

static void
track_free (gpointer data)
{
  HirChromeTrack *track = data;

  g_free (track->open);
  g_free (track);
}

gboolean
hir_chrome_track_push (HirChromeTrack *track, const HirChromeOpen *open)
{
  if (track->n_open == track->n_room)
    {
      guint n_room = MAX (16, track->n_room * 2);
      HirChromeOpen *bigger = g_try_realloc_n (track->open, n_room, sizeof *bigger);

      if (bigger == NULL)
        return FALSE;
      track->open = bigger;
      track->n_room = n_room;
    }
  track->open[track->n_open++] = *open;
  return TRUE;
}

void
hir_chrome_track_remove (HirChromeTrack *track, guint index)
{
  track->n_open--;
  memmove (track->open + index, track->open + index + 1,
           (track->n_open - index) * sizeof *track->open);
}

HirChromeTracks *
hir_chrome_tracks_new (HirTraceBuilder *builder, HirChromeNames *names, int rank)
{
  HirChromeTracks *tracks = g_new0 (HirChromeTracks, 1);

  tracks->builder = builder;
  tracks->names = names;
  tracks->rank = rank;
  tracks->tracks = g_hash_table_new_full (key_hash, key_equal, g_free, track_free);
  tracks->labels = g_hash_table_new_full (key_hash, key_equal, g_free, g_free);
  return tracks;
}

guint64
hir_chrome_tracks_get_n_shared (const HirChromeTracks *tracks)
{
  return tracks->n_shared;
}

void
hir_chrome_tracks_free (HirChromeTracks *tracks)
{
  g_hash_table_unref (tracks->tracks);
  g_hash_table_unref (tracks->labels);
  g_free (tracks);
}

/* Maps texts to the lowest numbers, which no pid uses. */
static gint64
id_to_number (HirChromeTracks *tracks, const HirChromeId *id)
{
  if (id->is_number)
    return id->number;
  return G_MININT64 + hir_chrome_names_intern (tracks->names, &id->text);
}

static Group
get_group (HirChromeClass class)
{
  switch (class)
    {
    case HIR_CHROME_KERNEL:
    case HIR_CHROME_MEMCPY:
    case HIR_CHROME_MEMSET:
    case HIR_CHROME_SYNC:
      return GROUP_DEVICE;

    case HIR_CHROME_DEVICE_NOTE:
      return GROUP_NOTES;

    case HIR_CHROME_OVERHEAD:
      return GROUP_OVERHEAD;

    case HIR_CHROME_HOST:
    case HIR_CHROME_LAUNCH:
    default:
      return GROUP_HOST;
    }
}

static char *
dup_id (const HirChromeId *id)
{
  if (id->is_number)
    return g_strdup_printf ("%" G_GINT64_FORMAT, id->number);
  return hir_json_text_dup (&id->text);
}

/* Returns the name of a track without metadata. */
static char *
dup_default_name (Group group, const HirChromeEvent *event)
{
  g_autofree char *pid = dup_id (&event->pid);
  g_autofree char *tid = dup_id (&event->tid);
  g_autofree char *category = NULL;

  switch (group)
    {
    case GROUP_DEVICE:
      return g_strdup_printf ("stream %s", tid);

    case GROUP_NOTES:
      return g_strdup_printf ("annotations of stream %s", tid);

    case GROUP_OVERHEAD:
      return g_strdup ("profiler overhead");

    case GROUP_ASYNC:
      category = hir_json_text_dup (&event->category);
      return g_strdup_printf ("%s (asynchronous)", *category != '\0' ? category : "events");

    case GROUP_HOST:
    default:
      return strcmp (pid, tid) == 0 || *tid == '\0' ? g_strdup_printf ("process %s", pid)
                                                    : g_strdup_printf ("thread %s of %s", tid, pid);
    }
}

static gboolean
has_id (const HirChromeId *id)
{
  return id->is_number || id->text.at != NULL;
}

static int
to_small (gint64 number)
{
  return (int) CLAMP (number, -1, G_MAXINT);
}

static HirChromeTrack *
add_track (HirChromeTracks *tracks, const Key *key, const HirChromeEvent *event)
{
  Group group = key->group;
  g_autofree char *name = dup_default_name (group, event);
  gboolean is_device = group == GROUP_DEVICE;
  gboolean has_device = is_device || group == GROUP_NOTES;
  HirTrack info = {
    .kind = is_device ? HIR_TRACK_STREAM : HIR_TRACK_HOST,
    .rank = event->rank >= 0 && event->kind.length > 0 ? to_small (event->rank) : tracks->rank,
    .device = to_small (!has_device            ? -1
                        : event->device >= 0   ? event->device
                        : event->pid.is_number ? event->pid.number
                                               : 0),
    .stream = !has_device            ? -1
              : event->tid.is_number ? event->tid.number
                                     : event->stream,
    .name = name,
  };
  HirChromeTrack *track = g_new0 (HirChromeTrack, 1);

  track->has_pid = has_id (&event->pid);
  track->has_tid = has_id (&event->tid);
  track->track = hir_trace_builder_add_track (tracks->builder, &info);
  g_hash_table_insert (tracks->tracks, g_memdup2 (key, sizeof *key), track);
  return track;
}

/* Our own exports have annotations of a device, and overhead, on threads of their own. */
static HirChromeTrack *
lookup_own_thread (HirChromeTracks *tracks, const Key *other)
{
  const Key key = { .group = GROUP_HOST, .pid = other->pid, .tid = other->tid };
  HirChromeTrack *track = g_hash_table_lookup (tracks->tracks, &key);

  return track != NULL && track->is_own ? track : NULL;
}

static HirChromeTrack *
ensure (HirChromeTracks *tracks, const Key *key, const HirChromeEvent *event)
{
  HirChromeTrack *track;

  if (tracks->last != NULL && key_equal (key, &tracks->last_key))
    return tracks->last;
  track = g_hash_table_lookup (tracks->tracks, key);
  if (track == NULL && (key->group == GROUP_NOTES || key->group == GROUP_OVERHEAD))
    track = lookup_own_thread (tracks, key);
  if (track == NULL)
    track = add_track (tracks, key, event);
  tracks->last_key = *key;
  tracks->last = track;
  return track;
}

HirChromeTrack *
hir_chrome_tracks_ensure (HirChromeTracks *tracks, const HirChromeEvent *event)
{
  Key key = { .group = get_group (event->class),
              .pid = id_to_number (tracks, &event->pid),
              .tid = id_to_number (tracks, &event->tid) };

  return ensure (tracks, &key, event);
}

HirChromeTrack *
hir_chrome_tracks_ensure_async (HirChromeTracks *tracks, const HirChromeEvent *event)
{
  Key key = { .group = GROUP_ASYNC,
              .pid = id_to_number (tracks, &event->pid),
              .tid = hir_chrome_names_intern (tracks->names, &event->category),
              .id = 0 };
  Key own = key;
  HirChromeTrack *shared = ensure (tracks, &key, event), *track;

  /* All ids of a category share one row of the timeline. Open events are stored per id. */
  own.id = id_to_number (tracks, &event->id);
  if (own.id == 0)
    return shared;
  track = g_hash_table_lookup (tracks->tracks, &own);
  if (track == NULL && g_hash_table_size (tracks->tracks) > MAX_IDS)
    {
      tracks->n_shared++;
      return shared;
    }
  if (track == NULL)
    {
      track = g_new0 (HirChromeTrack, 1);
      track->track = shared->track;
      g_hash_table_insert (tracks->tracks, g_memdup2 (&own, sizeof own), track);
    }
  return track;
}

HirChromeTrack *
hir_chrome_tracks_ensure_counter (HirChromeTracks *tracks,
                                  const HirChromeEvent *event,
                                  guint32 name,
                                  guint32 series)
{
  Key key = { .group = GROUP_COUNTER,
              .pid = id_to_number (tracks, &event->pid),
              .tid = (gint64) ((guint64) name << 32 | series),
              .id = event->has_id ? id_to_number (tracks, &event->id) : -1 };
  HirChromeTrack *track = g_hash_table_lookup (tracks->tracks, &key);

  tracks->has_own = tracks->has_own || event->is_foreign;
  if (track == NULL)
    {
      g_autofree char *full =
          hir_counter_dup_track_name (hir_trace_builder_get_string (tracks->builder, name),
                                      hir_trace_builder_get_string (tracks->builder, series));
      HirTrack info = { .kind = HIR_TRACK_COUNTER,
                        .rank = event->is_foreign && event->rank >= 0 ? to_small (event->rank)
                                                                      : tracks->rank,
                        .device = to_small (event->device),
                        .stream = -1,
                        .name = full };

      track = g_new0 (HirChromeTrack, 1);
      track->is_own = TRUE;
      track->has_pid = has_id (&event->pid);
      track->track = hir_trace_builder_add_track (tracks->builder, &info);
      g_hash_table_insert (tracks->tracks, g_memdup2 (&key, sizeof key), track);
    }
  return track;
}

/* Adds a thread of our own export as the track it was, even if it has no events. */
static void
add_own_track (HirChromeTracks *tracks, Key key, const HirChromeEvent *event)
{
  gboolean is_host = hir_json_text_is (&event->kind, "host");
  g_autofree char *name = hir_json_text_dup (&event->arg_name);
  HirTrack info = {
    .kind = is_host                                   ? HIR_TRACK_HOST
            : hir_json_text_is (&event->kind, "link") ? HIR_TRACK_LINK
                                                      : HIR_TRACK_STREAM,
    .rank = to_small (event->rank),
    .device = to_small (event->device),
    .stream = event->stream,
    .name = name,
  };
  HirChromeTrack *track;

  tracks->has_own = TRUE;
  key.group = is_host ? GROUP_HOST : GROUP_DEVICE;
  if (g_hash_table_contains (tracks->tracks, &key))
    return;
  track = g_new0 (HirChromeTrack, 1);
  track->is_own = TRUE;
  track->track = hir_trace_builder_add_track (tracks->builder, &info);
  g_hash_table_insert (tracks->tracks, g_memdup2 (&key, sizeof key), track);
}

void
hir_chrome_tracks_take_metadata (HirChromeTracks *tracks, const HirChromeEvent *event)
{
  Key key = { .pid = id_to_number (tracks, &event->pid),
              .tid = id_to_number (tracks, &event->tid) };

  if (event->kind.length > 0 && hir_json_text_is (&event->name, "thread_name"))
    {
      add_own_track (tracks, key, event);
      return;
    }
  if (event->arg_name.length == 0)
    return;
  if (hir_json_text_is (&event->name, "thread_name"))
    key.group = KEY_THREAD;
  else if (hir_json_text_is (&event->name, "process_name"))
    {
      key.group = KEY_PROCESS;
      key.tid = 0;
    }
  else
    return;
  g_hash_table_replace (tracks->labels, g_memdup2 (&key, sizeof key),
                        g_strstrip (hir_json_text_dup (&event->arg_name)));
}

/* Names a track after its thread, with the name of the process if that adds information. */
static void
name_track (HirChromeTracks *tracks, const Key *key, const HirChromeTrack *track)
{
  Key thread = { .group = KEY_THREAD, .pid = key->pid, .tid = key->tid };
  Key process = { .group = KEY_PROCESS, .pid = key->pid };
  const char *thread_name = g_hash_table_lookup (tracks->labels, &thread);
  const char *process_name = g_hash_table_lookup (tracks->labels, &process);
  g_autofree char *both = NULL;

  if (track->is_own || (key->group != GROUP_HOST && key->group != GROUP_DEVICE))
    return;
  if (key->group == GROUP_HOST && thread_name != NULL && process_name != NULL &&
      strstr (thread_name, process_name) == NULL)
    both = g_strdup_printf ("%s: %s", process_name, thread_name);
  if (both != NULL || thread_name != NULL)
    hir_trace_builder_set_track_name (tracks->builder, track->track,
                                      both != NULL ? both : thread_name);
  else if (key->group == GROUP_HOST && process_name != NULL)
    hir_trace_builder_set_track_name (tracks->builder, track->track, process_name);
}

/* Returns the place of @process among the devices without a number. */
static int
count_devices_before (HirChromeTracks *tracks, const char *process)
{
  g_autoptr (GHashTable) before = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer key, label;

  g_hash_table_iter_init (&iter, tracks->labels);
  while (g_hash_table_iter_next (&iter, &key, &label))
    if (((const Key *) key)->group == KEY_PROCESS && hir_chrome_device_is_unnumbered (label) &&
        strcmp (label, process) < 0)
      g_hash_table_add (before, label);
  return (int) g_hash_table_size (before);
}

/* Turns the track of a thread that carries the work of a device into a stream. */
static void
find_device (HirChromeTracks *tracks, const Key *key, const HirChromeTrack *track)
{
  Key thread = { .group = KEY_THREAD, .pid = key->pid, .tid = key->tid };
  Key process = { .group = KEY_PROCESS, .pid = key->pid };
  const char *thread_name = g_hash_table_lookup (tracks->labels, &thread);
  const char *process_name = g_hash_table_lookup (tracks->labels, &process);
  gint64 stream;
  int device;

  if (track->is_own || key->group != GROUP_HOST)
    return;
  if (thread_name == NULL)
    thread_name = "";
  if (process_name == NULL &&
      hir_trace_builder_is_named_like (tracks->builder, track->track, "hcom_"))
    process_name = "HCCL", thread_name = "Group";
  if (process_name == NULL)
    process_name = "";
  if (!hir_chrome_device_find (process_name, thread_name, key->tid, &device, &stream))
    return;
  if (device < 0)
    device = count_devices_before (tracks, process_name);
  hir_trace_builder_make_stream (tracks->builder, track->track, device, stream);
}

void
hir_chrome_tracks_read_flow (HirChromeTracks *tracks,
                             const HirChromeEvent *event,
                             HirChromeFlowPoint *point)
{
  *point = (HirChromeFlowPoint){
    .point = { .id = (guint64) id_to_number (tracks, &event->id),
               .category = hir_chrome_names_intern (tracks->names, &event->category),
               .name = hir_chrome_names_intern (tracks->names, &event->name),
               .phase = event->phase,
               .is_enclosed = event->is_enclosed },
    .pid = id_to_number (tracks, &event->pid),
    .tid = id_to_number (tracks, &event->tid),
  };
}

gboolean
hir_chrome_tracks_find_flow (HirChromeTracks *tracks, HirChromeFlowPoint *point)
{
  static const Group groups[] = { GROUP_DEVICE, GROUP_HOST, GROUP_NOTES };

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      const Key key = { .group = groups[i], .pid = point->pid, .tid = point->tid };
      const HirChromeTrack *track = g_hash_table_lookup (tracks->tracks, &key);

      if (track == NULL)
        continue;
      point->point.track = (guint16) track->track;
      return TRUE;
    }
  return FALSE;
}

/* --- ids -------------------------------------------------------------------------------------- */

static char *
dup_json_string (const char *text)
{
  GString *json = g_string_new (NULL);

  hir_json_append_string (json, text);
  return g_string_free (json, FALSE);
}

/* Returns the id as JSON; the opposite of id_to_number(). */
static char *
dup_json_id (HirChromeTracks *tracks, gint64 number)
{
  guint64 index = (guint64) number - (guint64) G_MININT64;

  if (index <= G_MAXUINT32)
    return dup_json_string (hir_trace_builder_get_string (tracks->builder, (guint32) index));
  return g_strdup_printf ("%" G_GINT64_FORMAT, number);
}

static char *
dup_json_label (HirChromeTracks *tracks, guint8 group, gint64 pid, gint64 tid)
{
  const Key key = { .group = group, .pid = pid, .tid = tid };
  const char *label = g_hash_table_lookup (tracks->labels, &key);

  return label != NULL ? dup_json_string (label) : NULL;
}

/* Asynchronous events and counters have no thread. */
static void
read_ids (HirChromeTracks *tracks, const Key *key, const HirChromeTrack *track, HirTrackIds *ids)
{
  if (ids->pid != NULL || !track->has_pid)
    return;
  ids->pid = dup_json_id (tracks, key->pid);
  ids->process = dup_json_label (tracks, KEY_PROCESS, key->pid, 0);
  if (key->group == GROUP_ASYNC || key->group == GROUP_COUNTER || !track->has_tid)
    return;
  ids->tid = dup_json_id (tracks, key->tid);
  ids->thread = dup_json_label (tracks, KEY_THREAD, key->pid, key->tid);
}

static void
store_ids (HirChromeTracks *tracks)
{
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (HirTrackIds));
  GHashTableIter iter;
  gpointer key, value;

  g_array_set_clear_func (all, (GDestroyNotify) hir_track_ids_clear);
  g_hash_table_iter_init (&iter, tracks->tracks);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const HirChromeTrack *track = value;

      if (track->track >= G_MAXUINT16)
        continue;
      if (track->track >= all->len)
        g_array_set_size (all, track->track + 1);
      read_ids (tracks, key, track, &g_array_index (all, HirTrackIds, track->track));
    }
  hir_track_ids_set (tracks->builder, (const HirTrackIds *) (gpointer) all->data, all->len);
}

void
hir_chrome_tracks_finish (HirChromeTracks *tracks, HirChromeOpenFunc func, gpointer user_data)
{
  GHashTableIter iter;
  gpointer key, track;

  g_hash_table_iter_init (&iter, tracks->tracks);
  while (g_hash_table_iter_next (&iter, &key, &track))
    {
      find_device (tracks, key, track);
      name_track (tracks, key, track);
      if (((HirChromeTrack *) track)->n_open > 0)
        func (track, user_data);
    }
  if (!tracks->has_own)
    store_ids (tracks);
}
