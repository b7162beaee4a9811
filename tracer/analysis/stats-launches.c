/* Finds the launch of each piece of work. */
#include "analysis/stats-private.h"

struct _HirLaunches
{
  GArray *items; /* HirLaunch, by key, then start: issue spans, and calls of other profilers */
  GArray *calls; /* likewise: launch calls within issue spans, in recordings of GPU runs */
  GArray *works; /* likewise: the work of the keys of calls */
};

static guint64
make_key (int rank, guint32 correlation)
{
  return (guint64) (guint32) rank << 32 | correlation;
}

static int
compare_launches (gconstpointer a, gconstpointer b)
{
  const HirLaunch *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Returns whether a call with this name gives work to a stream. */
static gboolean
is_launch_call (const char *name)
{
  static const char *const prefixes[] = {
    "cudaLaunch", "cudaMemcpy", "cudaMemset", "cudaGraphLaunch",
    "cuLaunch",   "cuMemcpy",   "cuMemset",   "cuGraphLaunch",
  };

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;
  return FALSE;
}

typedef gboolean (*Filter) (const HirTrace *trace, const HirTrack *track, const HirEvent *event);

static gboolean
is_issue (const HirTrace *trace, const HirTrack *track, const HirEvent *event)
{
  return track->kind == HIR_TRACK_HOST && event->kind == HIR_EVENT_ISSUE;
}

/* In recordings, a call has the correlation of the instruction that makes it. */
static gboolean
is_call (const HirTrace *trace, const HirTrack *track, const HirEvent *event)
{
  return track->kind == HIR_TRACK_HOST && event->kind == HIR_EVENT_HOST &&
         is_launch_call (hir_trace_get_string (trace, event->name));
}

static gboolean
is_work (const HirTrace *trace, const HirTrack *track, const HirEvent *event)
{
  return hir_track_is_of_device (track) &&
         (event->kind == HIR_EVENT_KERNEL || event->kind == HIR_EVENT_COMMUNICATION ||
          event->kind == HIR_EVENT_MEMCPY || event->kind == HIR_EVENT_MEMSET);
}

/* Returns the events that @filter accepts and that have a correlation, sorted. */
static GArray *
find (const HirTrace *trace, gboolean of_device, Filter filter, HirStatsProgress *progress)
{
  GArray *items = g_array_new (FALSE, FALSE, sizeof (HirLaunch));

  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    {
      const HirTrack *info = hir_trace_get_track (trace, track);

      if (info->kind == HIR_TRACK_COUNTER || hir_track_is_of_device (info) != of_device)
        continue;
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, track); i++)
        {
          HirEvent event;
          HirLaunch item;

          if (progress != NULL && !hir_stats_progress_step (progress))
            return items;
          hir_trace_get_event (trace, track, i, &event);
          item = (HirLaunch){ make_key (info->rank, event.correlation), event.start_ns,
                              event.end_ns, track, i };
          if (event.correlation != 0 && filter (trace, info, &event))
            g_array_append_val (items, item);
        }
    }
  g_array_sort (items, compare_launches);
  return items;
}

/* Removes calls that another launch call makes: the runtime calls the driver. */
static void
remove_inner_calls (GArray *calls)
{
  HirLaunch *items = (HirLaunch *) calls->data;
  guint n = 0;

  for (guint i = 0; i < calls->len; i++)
    if (n == 0 || items[n - 1].key != items[i].key || items[i].start_ns >= items[n - 1].end_ns)
      items[n++] = items[i];
  g_array_set_size (calls, n);
}

HirLaunches *
hir_launches_new (const HirTrace *trace, HirStatsProgress *progress)
{
  HirLaunches *launches = g_new (HirLaunches, 1);

  launches->items = find (trace, FALSE, is_issue, progress);
  launches->calls = find (trace, FALSE, is_call, NULL);
  remove_inner_calls (launches->calls);
  launches->works = launches->calls->len > 0 ? find (trace, TRUE, is_work, NULL)
                                             : g_array_new (FALSE, FALSE, sizeof (HirLaunch));
  return launches;
}

void
hir_launches_free (HirLaunches *launches)
{
  g_array_unref (launches->items);
  g_array_unref (launches->calls);
  g_array_unref (launches->works);
  g_free (launches);
}

/* Returns the number of items before @wanted, or up to and with it. */
static guint
count_before (const GArray *items, const HirLaunch *wanted, gboolean with_equal)
{
  guint low = 0, high = items->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      int order = compare_launches (&g_array_index (items, HirLaunch, middle), wanted);

      if (order < 0 || (order == 0 && with_equal))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Sets @first and @end to the range of the items with @key. */
static void
find_range (const GArray *items, guint64 key, guint *first, guint *end)
{
  const HirLaunch lowest = { .key = key, .start_ns = G_MININT64 };
  const HirLaunch highest = { .key = key, .start_ns = G_MAXINT64 };

  *first = count_before (items, &lowest, FALSE);
  *end = count_before (items, &highest, TRUE);
}

/* Returns the last item that starts before @wanted, or the first one of its key: the clocks
 * disagree. */
static const HirLaunch *
lookup_before (const GArray *items, const HirLaunch *wanted)
{
  guint n = count_before (items, wanted, TRUE);

  for (guint i = n > 0 ? n - 1 : 0; i < items->len && i <= n; i++)
    if (g_array_index (items, HirLaunch, i).key == wanted->key)
      return &g_array_index (items, HirLaunch, i);
  return NULL;
}

/* Returns the call of the work: calls and work of an instruction have the same order. */
static const HirLaunch *
lookup_call (const HirLaunches *launches, const HirLaunch *wanted)
{
  guint first, end, first_work, end_work;

  find_range (launches->calls, wanted->key, &first, &end);
  if (first == end)
    return NULL;
  find_range (launches->works, wanted->key, &first_work, &end_work);
  if (end - first != end_work - first_work)
    return lookup_before (launches->calls, wanted);
  return &g_array_index (launches->calls, HirLaunch,
                         first + count_before (launches->works, wanted, FALSE) - first_work);
}

const HirLaunch *
hir_launches_lookup (const HirLaunches *launches, int rank, guint32 correlation, gint64 start_ns)
{
  const HirLaunch wanted = { .key = make_key (rank, correlation), .start_ns = start_ns };
  const HirLaunch *call;

  if (correlation == 0)
    return NULL;
  call = lookup_call (launches, &wanted);
  return call != NULL ? call : lookup_before (launches->items, &wanted);
}

const HirLaunch *
hir_launches_lookup_issue (const HirLaunches *launches,
                           int rank,
                           guint32 correlation,
                           gint64 start_ns)
{
  const HirLaunch wanted = { .key = make_key (rank, correlation), .start_ns = start_ns };

  return correlation != 0 ? lookup_before (launches->items, &wanted) : NULL;
}
