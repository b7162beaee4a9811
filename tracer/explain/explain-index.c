/* Collects the events of each rank by end, and splits the trace into repetitions. */
#include "explain/explain-private.h"
#include "trace/edge.h"
#include "trace/left-out.h"
#include "trace/track-gpu.h"

#include <string.h>

static void
rank_free (gpointer data)
{
  HirExplainRank *rank = data;

  g_array_unref (rank->ends);
  g_array_unref (rank->bounds);
  g_array_unref (rank->firsts);
  g_free (rank);
}

static guint
ensure_rank (HirExplainIndex *index, int number)
{
  HirExplainRank *rank;

  for (guint i = 0; i < index->ranks->len; i++)
    {
      rank = g_ptr_array_index (index->ranks, i);
      if (rank->rank == number)
        return i;
    }
  rank = g_new0 (HirExplainRank, 1);
  rank->rank = number;
  rank->ends = g_array_new (FALSE, FALSE, sizeof (HirExplainEnd));
  rank->bounds = g_array_new (FALSE, FALSE, sizeof (gint64));
  rank->firsts = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_ptr_array_add (index->ranks, rank);
  return index->ranks->len - 1;
}

HirExplainRank *
hir_explain_index_get_rank (const HirExplainIndex *index, guint track)
{
  return g_ptr_array_index (index->ranks, index->rank_numbers[track]);
}

gboolean
hir_explain_index_has (const HirExplainIndex *index, guint track, guint at, HirEvent *event)
{
  const HirTrack *info = hir_trace_get_track (index->trace, track);

  if (info->kind == HIR_TRACK_COUNTER || hir_trace_is_left_out (index->trace, track, at))
    return FALSE;
  hir_trace_get_event (index->trace, track, at, event);
  if (event->phase != HIR_PHASE_PROGRAM)
    return FALSE;
  return hir_track_is_of_device (info) ? event->kind <= HIR_EVENT_SYNC
                                       : event->kind == HIR_EVENT_ISSUE;
}

static int
compare_ends (gconstpointer a, gconstpointer b)
{
  const HirExplainEnd *x = a, *y = b;

  if (x->end_ns != y->end_ns)
    return x->end_ns < y->end_ns ? -1 : 1;
  return x->track != y->track ? (x->track < y->track ? -1 : 1)
                              : (x->index > y->index) - (x->index < y->index);
}

static gboolean
is_same_instance (const HirEvent *a, const HirEvent *b)
{
  return a->instruction == b->instruction && a->iteration == b->iteration && a->name == b->name &&
         a->kind == b->kind;
}

/* Finds the first work or issue of the rank. An issue is preferred, because each repetition has it.
 */
static gboolean
find_anchor (const HirExplainIndex *index, guint number, HirEvent *anchor)
{
  gboolean has_anchor = FALSE;

  for (guint t = 0; t < hir_trace_get_n_tracks (index->trace); t++)
    for (guint i = 0;
         index->rank_numbers[t] == number && i < hir_trace_get_track_n_events (index->trace, t);
         i++)
      {
        HirEvent event;
        gboolean is_issue;

        if (!hir_explain_index_has (index, t, i, &event) || event.kind == HIR_EVENT_SYNC)
          continue;
        is_issue = event.kind == HIR_EVENT_ISSUE;
        if (!has_anchor || (is_issue && anchor->kind != HIR_EVENT_ISSUE) ||
            (is_issue == (anchor->kind == HIR_EVENT_ISSUE) && event.start_ns < anchor->start_ns))
          *anchor = event;
        has_anchor = TRUE;
        break;
      }
  return has_anchor;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Returns the last end of the work that starts before @start_ns, at most @start_ns. A wait that
 * precedes the first work of a repetition starts after it. */
static gint64
find_bound (const HirExplainIndex *index, guint number, gint64 start_ns)
{
  gint64 bound_ns = G_MININT64;

  for (guint t = 0; t < hir_trace_get_n_tracks (index->trace); t++)
    {
      guint n = index->rank_numbers[t] == number &&
                        hir_track_is_of_device (hir_trace_get_track (index->trace, t))
                    ? hir_trace_get_track_n_events (index->trace, t)
                    : 0;

      for (guint i = MIN (hir_trace_find_first (index->trace, t, start_ns) + 1, n); i-- > 0;)
        {
          HirEvent event;

          if (!hir_explain_index_has (index, t, i, &event) || event.kind == HIR_EVENT_SYNC ||
              event.start_ns >= start_ns)
            continue;
          bound_ns = MAX (bound_ns, MIN (event.end_ns, start_ns));
          break;
        }
    }
  return bound_ns;
}

static GArray *
dup_starts (const HirExplainIndex *index, guint number, const HirEvent *anchor)
{
  GArray *starts = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint t = 0; t < hir_trace_get_n_tracks (index->trace); t++)
    for (guint i = 0;
         index->rank_numbers[t] == number && i < hir_trace_get_track_n_events (index->trace, t) &&
         !hir_explain_index_is_cancelled (index);
         i++)
      {
        HirEvent event;

        if (hir_explain_index_has (index, t, i, &event) && is_same_instance (&event, anchor))
          g_array_append_val (starts, event.start_ns);
      }
  g_array_sort (starts, compare_times);
  return starts;
}

/* Finds the start of each repetition on each rank. Returns FALSE if a rank has no such starts. */
static gboolean
find_bounds (HirExplainIndex *index)
{
  for (guint r = 0; r < index->ranks->len; r++)
    {
      HirExplainRank *rank = g_ptr_array_index (index->ranks, r);
      g_autoptr (GArray) starts = NULL;
      HirEvent anchor = { 0 };
      guint n_each;

      if (!find_anchor (index, r, &anchor))
        continue;
      starts = dup_starts (index, r, &anchor);
      /* After a cancellation, they are incomplete. */
      if (starts->len == 0 || starts->len % index->n_repetitions != 0)
        return FALSE;
      n_each = starts->len / index->n_repetitions;
      for (guint i = 1; i < index->n_repetitions; i++)
        {
          gint64 start_ns = g_array_index (starts, gint64, i * n_each);

          if (anchor.kind != HIR_EVENT_ISSUE)
            start_ns = find_bound (index, r, start_ns);
          g_array_append_val (rank->bounds, start_ns);
        }
    }
  return TRUE;
}

static void
split (HirExplainIndex *index)
{
  const gint64 lowest_ns = G_MININT64;

  for (guint r = 0; r < index->ranks->len; r++)
    g_array_append_val (((HirExplainRank *) g_ptr_array_index (index->ranks, r))->bounds,
                        lowest_ns);
  if (index->n_repetitions == 1 || find_bounds (index))
    return;
  index->n_repetitions = 1;
  for (guint r = 0; r < index->ranks->len; r++)
    g_array_set_size (((HirExplainRank *) g_ptr_array_index (index->ranks, r))->bounds, 1);
}

guint
hir_explain_index_get_repetition (const HirExplainIndex *index, guint track, gint64 start_ns)
{
  const GArray *bounds = hir_explain_index_get_rank (index, track)->bounds;
  guint low = 0, high = bounds->len;

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (bounds, gint64, middle) <= start_ns)
        low = middle;
      else
        high = middle;
    }
  return low;
}

gboolean
hir_explain_index_is_in (const HirExplainIndex *index,
                         guint track,
                         gint64 start_ns,
                         guint repetition)
{
  return hir_explain_index_get_repetition (index, track, start_ns) == repetition;
}

static void
add_first (HirExplainIndex *index, guint track, gint64 start_ns)
{
  HirExplainRank *rank = hir_explain_index_get_rank (index, track);
  gint64 *first_ns = &g_array_index (rank->firsts, gint64,
                                     hir_explain_index_get_repetition (index, track, start_ns));

  *first_ns = MIN (*first_ns, start_ns);
}

static void
collect (HirExplainIndex *index)
{
  const gint64 none_ns = G_MAXINT64;

  for (guint r = 0; r < index->ranks->len; r++)
    for (guint i = 0; i < index->n_repetitions; i++)
      g_array_append_val (((HirExplainRank *) g_ptr_array_index (index->ranks, r))->firsts,
                          none_ns);
  for (guint t = 0; t < hir_trace_get_n_tracks (index->trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (index->trace, t) &&
                      !hir_explain_index_is_cancelled (index);
         i++)
      {
        HirEvent event;
        HirExplainEnd end;

        if (!hir_explain_index_has (index, t, i, &event))
          continue;
        add_first (index, t, event.start_ns);
        index->has_issues |= event.kind == HIR_EVENT_ISSUE;
        end = (HirExplainEnd){ event.end_ns, t, i, event.correlation };
        if (event.kind != HIR_EVENT_ISSUE)
          g_array_append_val (hir_explain_index_get_rank (index, t)->ends, end);
      }
  for (guint r = 0; r < index->ranks->len; r++)
    g_array_sort (((HirExplainRank *) g_ptr_array_index (index->ranks, r))->ends, compare_ends);
}

static void
number_gpus (HirExplainIndex *index)
{
  guint n = hir_trace_get_n_tracks (index->trace);
  gboolean share = hir_run_may_share_gpus (hir_trace_get_meta (index->trace, "run"));
  g_autoptr (GArray) firsts = g_array_new (FALSE, FALSE, sizeof (guint));

  index->gpu_numbers = g_new0 (guint, n + 1);
  for (guint t = 0; t < n; t++)
    {
      const HirTrack *track = hir_trace_get_track (index->trace, t);
      guint i = 0;

      while (i < firsts->len &&
             !hir_track_is_on_same_gpu (hir_trace_get_track (index->trace,
                                                             g_array_index (firsts, guint, i)),
                                        track, share))
        i++;
      if (i == firsts->len)
        g_array_append_val (firsts, t);
      index->gpu_numbers[t] = g_array_index (firsts, guint, i);
    }
}

guint
hir_explain_index_get_gpu (const HirExplainIndex *index, guint track)
{
  return index->gpu_numbers[track];
}

HirExplainIndex *
hir_explain_index_new (const HirTrace *trace, GCancellable *cancellable, int *percent)
{
  HirExplainIndex *index = g_new0 (HirExplainIndex, 1);
  guint n_tracks = hir_trace_get_n_tracks (trace);

  index->trace = trace;
  index->cancellable = cancellable;
  index->percent = percent;
  index->launches = hir_launches_new (trace, NULL);
  index->ranks = g_ptr_array_new_with_free_func (rank_free);
  index->rank_numbers = g_new0 (guint, n_tracks + 1);
  index->is_recording = hir_trace_get_meta (trace, "clock") != NULL;
  index->has_contention =
      !index->is_recording || g_strcmp0 (hir_trace_get_meta (trace, "backend"), "cuda") == 0;
  index->has_edges = hir_trace_get_n_edges (trace) > 0;
  number_gpus (index);
  index->n_repetitions = hir_trace_get_n_repetitions (trace);
  for (guint t = 0; t < n_tracks; t++)
    index->rank_numbers[t] = ensure_rank (index, hir_trace_get_track (trace, t)->rank);
  split (index);
  collect (index);
  return index;
}

void
hir_explain_index_free (HirExplainIndex *index)
{
  hir_launches_free (index->launches);
  g_ptr_array_unref (index->ranks);
  g_free (index->rank_numbers);
  g_free (index->gpu_numbers);
  g_free (index);
}
