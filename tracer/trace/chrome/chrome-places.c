#include "trace/chrome/chrome-places.h"

#define HOST_PID 100000 /* plus the rank; above all device numbers of one node */
#define FREE_PID (1 << 30)

typedef struct
{
  GHashTable *pids;     /* Process -> pid */
  GHashTable *taken;    /* set of used pids */
  GHashTable *n_ranks;  /* device -> number of ranks that use it */
  GHashTable *counters; /* rank and name -> number of counters */
  int next_free;
} Places;

/* One process: a device of a rank, or the host of a rank. */
typedef struct
{
  gboolean is_host;
  int rank, device;
} Process;

static guint
process_hash (gconstpointer data)
{
  const Process *process = data;

  return (guint) process->rank * 0x9e3779b1u ^ (guint) process->device * 0x85ebca6bu ^
         (guint) process->is_host;
}

static gboolean
process_equal (gconstpointer a, gconstpointer b)
{
  const Process *x = a, *y = b;

  return x->is_host == y->is_host && x->rank == y->rank && x->device == y->device;
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

static int
take_pid (Places *self, gint64 wanted)
{
  int pid = (int) CLAMP (wanted, G_MININT, G_MAXINT);

  while (pid != wanted || g_hash_table_contains (self->taken, GINT_TO_POINTER (pid)))
    wanted = pid = self->next_free++;
  g_hash_table_add (self->taken, GINT_TO_POINTER (pid));
  return pid;
}

static void
place_process (Places *self, const Process *process, HirChromePlace *place, gboolean *ranks_moved)
{
  gpointer pid;

  place->is_first = !g_hash_table_lookup_extended (self->pids, process, NULL, &pid);
  if (!place->is_first)
    {
      place->pid = GPOINTER_TO_INT (pid);
      return;
    }
  if (process->is_host)
    place->pid = take_pid (self, (gint64) HOST_PID + process->rank);
  else
    {
      guint n = count_rank (self, process->device);

      place->pid = take_pid (self, process->device + (gint64) n * HIR_CHROME_PIDS_A_RANK);
      *ranks_moved |= n > 0;
    }
  g_hash_table_insert (self->pids, g_memdup2 (process, sizeof *process),
                       GINT_TO_POINTER (place->pid));
}

HirChromePlace *
hir_chrome_places_new (const HirTrace *trace, gboolean *ranks_moved)
{
  guint n = hir_trace_get_n_tracks (trace);
  HirChromePlace *places = g_new0 (HirChromePlace, n + 1);
  Places self = {
    .pids = g_hash_table_new_full (process_hash, process_equal, g_free, NULL),
    .taken = g_hash_table_new (NULL, NULL),
    .n_ranks = g_hash_table_new (NULL, NULL),
    .counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .next_free = FREE_PID,
  };

  for (guint t = 0; t < n; t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);
      gboolean is_host = !hir_track_is_of_device (track);
      const Process process = { is_host, track->rank, is_host ? 0 : track->device };

      place_process (&self, &process, &places[t], ranks_moved);
      if (track->kind == HIR_TRACK_COUNTER)
        places[t].counter = count_equal (self.counters, track);
      /* Links use thread ids that no stream has. */
      places[t].tid = is_host                         ? (gint64) t + 1
                      : track->kind == HIR_TRACK_LINK ? HOST_PID + (gint64) t
                                                      : track->stream;
    }
  g_hash_table_unref (self.pids);
  g_hash_table_unref (self.taken);
  g_hash_table_unref (self.n_ranks);
  g_hash_table_unref (self.counters);
  return places;
}
