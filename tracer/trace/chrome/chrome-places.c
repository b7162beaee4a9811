#include "trace/chrome/chrome-places.h"

#include "trace/track-ids.h"

#define HOST_PID 100000 /* plus the rank; above all device numbers of one node */
#define FREE_PID (1 << 30)

typedef struct
{
  GHashTable *processes; /* text that identifies a process -> pid */
  GHashTable *taken;     /* set of used pids */
  GHashTable *threads;   /* set of used (host or device, pid, tid) */
  GHashTable *n_ranks;   /* device -> number of ranks that use it */
  GHashTable *counters;  /* rank and name -> number of counters */
  int next_free;
} Places;

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

/* Numbers counters of equal name and rank. They came from different processes or had different
 * ids. */
static guint
count_equal (GHashTable *counters, const HirTrack *track)
{
  char *key = g_strdup_printf ("%d %s", track->rank, track->name);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counters, key));

  g_hash_table_replace (counters, key, GUINT_TO_POINTER (n + 1));
  return n;
}

/* Returns how many ranks with a device of this number came before. */
static guint
count_rank (Places *self, int device)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->n_ranks, GINT_TO_POINTER (device)));

  g_hash_table_insert (self->n_ranks, GINT_TO_POINTER (device), GUINT_TO_POINTER (n + 1));
  return n;
}

static char *
dup_pid (Places *self, gint64 wanted)
{
  char *pid = g_strdup_printf ("%" G_GINT64_FORMAT, wanted);

  while (wanted != (int) wanted || g_hash_table_contains (self->taken, pid))
    {
      g_free (pid);
      wanted = self->next_free++;
      pid = g_strdup_printf ("%d", (int) wanted);
    }
  return pid;
}

/* Returns the pid of a process for which the file has none. */
static char *
dup_default_pid (Places *self, const HirTrack *track, gboolean is_host, gboolean *ranks_moved)
{
  guint n;

  if (is_host)
    return dup_pid (self, (gint64) HOST_PID + track->rank);
  n = count_rank (self, track->device);
  *ranks_moved |= n > 0;
  return dup_pid (self, track->device + (gint64) n * HIR_CHROME_PIDS_A_RANK);
}

static void
place_process (Places *self,
               const HirTrack *track,
               const HirTrackIds *ids,
               HirChromePlace *place,
               gboolean *ranks_moved)
{
  char *key = ids->pid != NULL ? g_strdup_printf ("%d %s", track->rank, ids->pid)
              : place->is_host ? g_strdup_printf ("host %d", track->rank)
                               : g_strdup_printf ("device %d %d", track->rank, track->device);

  place->pid = g_strdup (g_hash_table_lookup (self->processes, key));
  place->is_first = place->pid == NULL;
  if (place->is_first && ids->pid != NULL && !g_hash_table_contains (self->taken, ids->pid))
    {
      place->pid = g_strdup (ids->pid);
      if (!place->is_host)
        count_rank (self, track->device);
    }
  else if (place->is_first)
    place->pid = dup_default_pid (self, track, place->is_host, ranks_moved);
  g_hash_table_add (self->taken, g_strdup (place->pid));
  g_hash_table_replace (self->processes, key, g_strdup (place->pid));
}

/* Our own import distinguishes hosts and devices, so annotations may share the thread of their
 * stream. Other tracks whose thread is taken get an id that no stream has. */
static void
place_thread (
    Places *self, const HirTrack *track, guint t, const HirTrackIds *ids, HirChromePlace *place)
{
  gboolean is_device = hir_track_is_of_device (track);
  gint64 tid = place->is_host                                ? (gint64) t + 1
               : !is_device || track->kind == HIR_TRACK_LINK ? HOST_PID + (gint64) t
                                                             : track->stream;
  char *key;

  place->tid = ids->tid != NULL ? g_strdup (ids->tid) : g_strdup_printf ("%" G_GINT64_FORMAT, tid);
  key = g_strdup_printf ("%d %s %s", is_device, place->pid, place->tid);
  for (tid = HOST_PID + (gint64) t; g_hash_table_contains (self->threads, key); tid++)
    {
      g_free (place->tid);
      g_free (key);
      place->tid = g_strdup_printf ("%" G_GINT64_FORMAT, tid);
      key = g_strdup_printf ("%d %s %s", is_device, place->pid, place->tid);
    }
  g_hash_table_add (self->threads, key);
}

HirChromePlace *
hir_chrome_places_new (const HirTrace *trace, gboolean *ranks_moved)
{
  g_autoptr (GArray) ids = hir_trace_dup_track_ids (trace);
  guint n = hir_trace_get_n_tracks (trace);
  HirChromePlace *places = g_new0 (HirChromePlace, n + 1);
  Places self = {
    .processes = new_table (),
    .taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .threads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .n_ranks = g_hash_table_new (NULL, NULL),
    .counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .next_free = FREE_PID,
  };

  for (guint t = 0; t < n; t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);
      const HirTrackIds *own = &g_array_index (ids, HirTrackIds, t);

      places[t].is_host = !hir_track_is_of_device (track) && !hir_track_is_of_notes (track);
      place_process (&self, track, own, &places[t], ranks_moved);
      if (track->kind == HIR_TRACK_COUNTER)
        places[t].counter = count_equal (self.counters, track);
      else
        place_thread (&self, track, t, own, &places[t]);
    }
  g_hash_table_unref (self.processes);
  g_hash_table_unref (self.taken);
  g_hash_table_unref (self.threads);
  g_hash_table_unref (self.n_ranks);
  g_hash_table_unref (self.counters);
  return places;
}

void
hir_chrome_places_free (HirChromePlace *places, const HirTrace *trace)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      g_free (places[t].pid);
      g_free (places[t].tid);
    }
  g_free (places);
}
