#include "timeline/event-find.h"

#include <string.h>

#define CANCEL_EVERY 65536

static int
compare_found (gconstpointer a, gconstpointer b)
{
  const HirFoundEvent *x = a, *y = b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Returns the index of the first event of @track that starts at or after @time_ns. */
static guint
find_start (const HirTrace *trace, guint track, gint64 time_ns)
{
  guint low = 0, high = hir_trace_get_track_n_events (trace, track);

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      gint64 start_ns, end_ns;

      hir_trace_get_interval (trace, track, middle, &start_ns, &end_ns);
      if (start_ns < time_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

typedef struct
{
  HirEventMatchFunc matches;
  gpointer user_data;
  gint64 start_ns, end_ns;
} Search;

/* Finds the next matching event on @track. Returns FALSE if there is none or if @best is
 * earlier. */
static gboolean
find_on_track (const HirTrace *trace,
               guint track,
               const Search *search,
               const HirFoundEvent *from,
               HirFoundEvent *best,
               gboolean has_best)
{
  guint n = hir_trace_get_track_n_events (trace, track);
  gint64 before_ns = search->start_ns > G_MININT64 ? search->start_ns - 1 : G_MININT64;
  guint first = hir_trace_find_first (trace, track, before_ns);

  for (guint i = from != NULL ? MAX (first, find_start (trace, track, from->start_ns)) : first;
       i < n; i++)
    {
      HirFoundEvent event_at = { .track = track, .index = i };
      HirEvent event;

      hir_trace_get_event (trace, track, i, &event);
      event_at.start_ns = event.start_ns;
      if (event.start_ns >= search->end_ns || (has_best && compare_found (&event_at, best) > 0))
        return FALSE;
      if (event.phase != HIR_PHASE_PROGRAM ||
          (event.end_ns <= search->start_ns && event.start_ns < search->start_ns) ||
          (from != NULL && compare_found (&event_at, from) <= 0) ||
          !search->matches (track, &event, search->user_data))
        continue;
      *best = event_at;
      return TRUE;
    }
  return FALSE;
}

/* Finds the first event after @from, or the first of all if @from is NULL. */
static gboolean
find_next (const HirTrace *trace,
           const Search *search,
           const HirFoundEvent *from,
           HirFoundEvent *found)
{
  gboolean has_best = FALSE;

  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    if (hir_track_is_of_device (hir_trace_get_track (trace, track)))
      has_best |= find_on_track (trace, track, search, from, found, has_best);
  return has_best;
}

void
hir_event_select_next_match (HirSelection *selection,
                             HirEventMatchFunc matches,
                             gpointer user_data,
                             gint64 start_ns,
                             gint64 end_ns)
{
  const Search search = { matches, user_data, start_ns, end_ns };
  const HirTrace *trace = hir_selection_get_trace (selection);
  HirFoundEvent from = { 0 }, found;
  gboolean has_from = hir_selection_get_event (selection, &from.track, &from.index);
  gint64 from_end_ns;

  if (has_from)
    hir_trace_get_interval (trace, from.track, from.index, &from.start_ns, &from_end_ns);
  if ((has_from && find_next (trace, &search, &from, &found)) ||
      find_next (trace, &search, NULL, &found))
    hir_selection_set_event (selection, found.track, found.index);
}

typedef struct
{
  guint32 name;
  HirEventKind kind;
} Named;

static gboolean
is_named (guint track, const HirEvent *event, gpointer user_data)
{
  const Named *named = user_data;

  return event->name == named->name && event->kind == named->kind;
}

void
hir_event_select_next (
    HirSelection *selection, const char *name, HirEventKind kind, gint64 start_ns, gint64 end_ns)
{
  const HirTrace *trace = hir_selection_get_trace (selection);
  guint32 n_strings = hir_trace_get_n_strings (trace);
  Named named = { 0, kind };

  while (named.name < n_strings && !g_str_equal (hir_trace_get_string (trace, named.name), name))
    named.name++;
  if (named.name < n_strings)
    hir_event_select_next_match (selection, is_named, &named, start_ns, end_ns);
}

/* Returns, for each string of the trace, whether it contains @words, ignoring case. */
static guint8 *
dup_matches (const HirTrace *trace, const char *words)
{
  guint32 n = hir_trace_get_n_strings (trace);
  guint8 *matches = g_new0 (guint8, (gsize) n + 1);
  g_autofree char *wanted = g_utf8_casefold (words, -1);

  for (guint32 i = 0; i < n; i++)
    {
      g_autofree char *name = g_utf8_casefold (hir_trace_get_string (trace, i), -1);

      matches[i] = strstr (name, wanted) != NULL;
    }
  return matches;
}

GArray *
hir_event_find_all (
    const HirTrace *trace, const char *words, guint max, GCancellable *cancellable, guint64 *n)
{
  g_autofree guint8 *matches = dup_matches (trace, words);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (HirFoundEvent));

  *n = 0;
  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    for (guint i = 0; hir_trace_get_track (trace, track)->kind != HIR_TRACK_COUNTER &&
                      i < hir_trace_get_track_n_events (trace, track);
         i++)
      {
        HirFoundEvent event_at = { .track = track, .index = i };
        HirEvent event;

        if (i % CANCEL_EVERY == 0 && g_cancellable_is_cancelled (cancellable))
          return NULL;
        hir_trace_get_event (trace, track, i, &event);
        if (!matches[event.name])
          continue;
        event_at.start_ns = event.start_ns;
        if ((*n)++ < max)
          g_array_append_val (found, event_at);
      }
  g_array_sort (found, compare_found);
  return g_steal_pointer (&found);
}

guint
hir_event_find_step (const GArray *found, const HirFoundEvent *from, gboolean forward)
{
  guint low = 0, high = found->len;

  if (from == NULL)
    return forward ? 0 : found->len - 1;
  /* Find the first event at or after @from. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (compare_found (&g_array_index (found, HirFoundEvent, middle), from) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  if (!forward)
    return (low + found->len - 1) % found->len;
  if (low < found->len && compare_found (&g_array_index (found, HirFoundEvent, low), from) == 0)
    low++;
  return low % found->len;
}
