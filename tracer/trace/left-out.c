#include "trace/left-out.h"

#include <stdlib.h>

#include "trace/headroom.h"
#include "trace/trace-private.h"

/* An overflow of a 32-bit counter of ns or us is longer. A stream may run kernels of a graph at the
 * same time, but not for so long. */
#define MIN_IMPOSSIBLE_NS (100 * G_GINT64_CONSTANT (1000000))
#define MIN_CONTAINED 2
#define MAX_LOOKED_AT 1000
#define IMPOSSIBLE_FACTOR 50
/* Events are far away if the gap is longer than this and much longer than all others take. */
#define MIN_GAP_NS (3600 * G_GINT64_CONSTANT (1000000000))
#define GAP_FACTOR 100
#define MAX_DESCRIBED 3

static gboolean
is_work (HirEventKind kind)
{
  return kind == HIR_EVENT_KERNEL || kind == HIR_EVENT_MEMCPY || kind == HIR_EVENT_MEMSET ||
         kind == HIR_EVENT_COMMUNICATION;
}

static void
leave_out (HirTrace *trace, guint track, guint index)
{
  const HirEventRef event = { track, index };

  if (hir_has_headroom ())
    g_array_append_val (trace->left_out, event);
}

static int
compare_events (gconstpointer a, gconstpointer b)
{
  const HirEventRef *x = a, *y = b;

  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

gboolean
hir_trace_is_left_out (const HirTrace *trace, guint track, guint index)
{
  const HirEventRef event = { track, index };

  return trace->left_out->len > 0 && bsearch (&event, trace->left_out->data, trace->left_out->len,
                                              sizeof event, compare_events) != NULL;
}

/* --- impossible durations --------------------------------------------------------------------- */

/* Returns whether a stream ran other work from start to end within the event, which is much longer
 * than that work. */
static gboolean
is_impossible (const HirTrace *trace, guint track, guint index)
{
  guint n = MIN (hir_trace_get_track_n_events (trace, track), index + 1 + MAX_LOOKED_AT);
  guint n_contained = 0;
  gint64 longest_ns = 0;
  HirEventBrief event, other;

  hir_trace_get_brief (trace, track, index, &event);
  if (!is_work (event.kind))
    return FALSE;
  for (guint i = index + 1; i < n; i++)
    {
      hir_trace_get_brief (trace, track, i, &other);
      if (other.start_ns >= event.end_ns)
        break;
      if (!is_work (other.kind) || other.end_ns > event.end_ns)
        continue;
      n_contained++;
      longest_ns = MAX (longest_ns, other.end_ns - other.start_ns);
    }
  return n_contained >= MIN_CONTAINED &&
         event.end_ns - event.start_ns >= IMPOSSIBLE_FACTOR * longest_ns;
}

static void
find_impossible (HirTrace *trace)
{
  for (guint t = 0; t < trace->tracks->len; t++)
    {
      guint n = hir_trace_get_track_n_events (trace, t);

      if (hir_trace_get_track (trace, t)->kind != HIR_TRACK_STREAM)
        continue;
      for (guint i = 0; i < n; i++)
        {
          gint64 start_ns, end_ns;

          hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
          if (end_ns - start_ns >= MIN_IMPOSSIBLE_NS && is_impossible (trace, t, i))
            leave_out (trace, t, i);
        }
    }
}

/* --- events far away -------------------------------------------------------------------------- */

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Returns the sorted starts of all events, or NULL if memory is short. */
static gint64 *
dup_starts (const HirTrace *trace)
{
  gint64 *starts = g_try_new (gint64, trace->n_events), end_ns;
  guint64 n = 0;

  if (starts == NULL)
    return NULL;
  for (guint t = 0; t < trace->tracks->len; t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      hir_trace_get_interval (trace, t, i, &starts[n++], &end_ns);
  qsort (starts, n, sizeof *starts, compare_ns);
  return starts;
}

/* Finds the group of most events without a long gap between them. Returns FALSE if it does not have
 * the majority, or if all events are in it. */
static gboolean
find_main (const HirTrace *trace, const gint64 *starts, gint64 *first_ns, gint64 *last_ns)
{
  guint64 n_main = 0;

  for (guint64 from = 0, to; from < trace->n_events; from = to)
    {
      for (to = from + 1; to < trace->n_events && starts[to] - starts[to - 1] < MIN_GAP_NS;)
        to++;
      if (to - from <= n_main)
        continue;
      n_main = to - from;
      *first_ns = starts[from];
      *last_ns = starts[to - 1];
    }
  return n_main > trace->n_events / 2 && n_main < trace->n_events;
}

static void
find_far (HirTrace *trace)
{
  g_autofree gint64 *starts = NULL;
  gint64 first_ns = 0, last_ns = 0, gap_ns;

  if (trace->end_ns - trace->start_ns < MIN_GAP_NS)
    return;
  starts = dup_starts (trace);
  if (starts == NULL || !find_main (trace, starts, &first_ns, &last_ns))
    return;
  gap_ns = MAX (MIN_GAP_NS, MIN (last_ns - first_ns, G_MAXINT64 / 4 / GAP_FACTOR) * GAP_FACTOR);
  for (guint t = 0; t < trace->tracks->len; t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        gint64 start_ns, end_ns;

        hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
        if (start_ns <= first_ns - gap_ns || start_ns >= last_ns + gap_ns)
          leave_out (trace, t, i);
      }
}

/* --- span ------------------------------------------------------------------------------------- */

/* Computes the span one event at a time. */
static void
measure_without (HirTrace *trace)
{
  for (guint t = 0; t < trace->tracks->len; t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        gint64 start_ns, end_ns;

        if (hir_trace_is_left_out (trace, t, i))
          continue;
        hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
        trace->start_ns = MIN (trace->start_ns, start_ns);
        trace->end_ns = MAX (trace->end_ns, end_ns);
      }
}

void
hir_trace_measure_span (HirTrace *trace)
{
  trace->start_ns = trace->n_events > 0 ? G_MAXINT64 : 0;
  trace->end_ns = trace->n_events > 0 ? G_MININT64 : 0;
  if (trace->left_out->len > 0)
    {
      measure_without (trace);
      return;
    }
  for (guint t = 0; t < trace->tracks->len; t++)
    {
      const HirTrackData *track = g_ptr_array_index (trace->tracks, t);

      if (track->columns.n == 0)
        continue;
      trace->start_ns = MIN (trace->start_ns, hir_columns_get_start (&track->columns, 0));
      trace->end_ns =
          MAX (trace->end_ns, hir_pyramid_max_end (&track->pyramid, 0, track->columns.n));
    }
}

/* --- account ---------------------------------------------------------------------------------- */

/* A file that Hirscope exported may contain the line. */
static void
add_line (HirTrace *trace, char *line)
{
  if (g_ptr_array_find_with_equal_func (trace->account, line, g_str_equal, NULL))
    g_free (line);
  else
    g_ptr_array_add (trace->account, line);
}

/* Describes the first events of [@from, left_out->len), before they are sorted. */
static void
describe (HirTrace *trace, guint from, const char *what)
{
  guint n = trace->left_out->len - from;
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < MIN (n, MAX_DESCRIBED); i++)
    {
      const HirEventRef *at = &g_array_index (trace->left_out, HirEventRef, from + i);
      const HirTrack *track = hir_trace_get_track (trace, at->track);
      HirEventBrief event;

      hir_trace_get_brief (trace, at->track, at->index, &event);
      g_string_append_printf (list, "%s%.80s of rank %d, %s, at %.6f s for %.6f s",
                              i > 0 ? "; " : "", hir_trace_get_string (trace, event.name),
                              track->rank, track->name, (double) event.start_ns / 1e9,
                              (double) (event.end_ns - event.start_ns) / 1e9);
    }
  if (n > 0)
    add_line (trace, g_strdup_printf ("%u %s %s; left out of the span and of statistics without a "
                                      "range: %s%s",
                                      n, n == 1 ? "event" : "events", what, list->str,
                                      n > MAX_DESCRIBED ? "; and others" : ""));
}

void
hir_trace_find_left_out (HirTrace *trace)
{
  guint n_impossible;

  hir_trace_measure_span (trace);
  find_impossible (trace);
  n_impossible = trace->left_out->len;
  describe (trace, 0, "with an impossible duration, because the stream ran other work meanwhile");
  find_far (trace);
  describe (trace, n_impossible, "far away from all others, as if the clock was lost");
  g_array_sort (trace->left_out, compare_events);
  if (trace->left_out->len > 0)
    hir_trace_measure_span (trace);
}
