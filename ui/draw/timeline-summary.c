#include "draw/timeline-summary.h"

#include <math.h>

#define MARGIN 4.0

typedef struct
{
  gint64 start_ns, end_ns;
} Span;

/* Waiting and issuing are no work of the device. */
static gboolean
is_work (guint8 kind)
{
  return kind != HIR_EVENT_SYNC && kind != HIR_EVENT_ISSUE;
}

static void
add_span (GArray **lanes, guint8 kind, gint64 start_ns, gint64 end_ns)
{
  Span span = { start_ns, end_ns };

  g_array_append_val (lanes[kind == HIR_EVENT_COMMUNICATION], span);
}

/* All of them, one by one; FALSE where there are more than @limit: then none was added. */
static gboolean
add_each (
    const HirTrace *trace, guint track, gint64 start_ns, gint64 end_ns, guint limit, GArray **lanes)
{
  guint n = hir_trace_get_track_n_events (trace, track);
  guint first = hir_trace_find_first (trace, track, start_ns - 1);
  HirEvent event;

  if (n - first > limit)
    {
      hir_trace_get_event (trace, track, first + limit, &event);
      if (event.start_ns < end_ns)
        return FALSE;
    }
  for (guint i = first; i < n; i++)
    {
      hir_trace_get_event (trace, track, i, &event);
      if (event.start_ns > end_ns)
        break;
      if (event.end_ns >= start_ns && is_work (event.kind))
        add_span (lanes, event.kind, MAX (event.start_ns, start_ns), MIN (event.end_ns, end_ns));
    }
  return TRUE;
}

/* A bin is its largest event's: exact to a pixel. */
static void
add_bins (const HirTrace *trace,
          guint track,
          gint64 start_ns,
          gint64 end_ns,
          guint n_bins,
          GArray **lanes)
{
  g_autofree HirTraceBin *bins = NULL;

  n_bins = (guint) MIN ((gint64) n_bins, end_ns - start_ns);
  bins = g_new (HirTraceBin, n_bins);
  if (!hir_trace_summarize (trace, track, start_ns, end_ns, n_bins, bins))
    return;
  for (guint i = 0; i < n_bins; i++)
    {
      HirEvent event;

      if (bins[i].event == HIR_NO_EVENT)
        continue;
      hir_trace_get_event (trace, track, bins[i].event, &event);
      if (is_work (event.kind))
        add_span (lanes, event.kind, bins[i].start_ns, bins[i].start_ns + bins[i].busy_ns);
    }
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Sorted, and no two of them touch. */
static void
merge (GArray *spans)
{
  guint n = 0;

  g_array_sort (spans, compare_spans);
  for (guint i = 0; i < spans->len; i++)
    {
      const Span span = g_array_index (spans, Span, i);
      Span *last = n > 0 ? &g_array_index (spans, Span, n - 1) : NULL;

      if (last != NULL && span.start_ns <= last->end_ns)
        last->end_ns = MAX (last->end_ns, span.end_ns);
      else
        g_array_index (spans, Span, n++) = span;
    }
  g_array_set_size (spans, n);
}

/* lanes[0]: computation, lanes[1]: communication. */
static void
collect (const HirTimelineRows *rows,
         int rank,
         gint64 start_ns,
         gint64 end_ns,
         guint n_bins,
         GArray **lanes)
{
  for (guint lane = 0; lane < 2; lane++)
    lanes[lane] = g_array_new (FALSE, FALSE, sizeof (Span));
  for (guint i = 0; i < rows->all->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->all, HirTimelineRow, i);

      if (row->is_header || row->rank != rank ||
          hir_trace_get_track (rows->trace, row->track)->kind == HIR_TRACK_HOST)
        continue;
      if (!add_each (rows->trace, row->track, start_ns, end_ns, n_bins + n_bins / 2 + 16, lanes))
        add_bins (rows->trace, row->track, start_ns, end_ns, n_bins, lanes);
    }
  for (guint lane = 0; lane < 2; lane++)
    merge (lanes[lane]);
}

void
hir_timeline_summary_get_band (
    const HirTimelineRow *row, gboolean is_communication, double y, double *top, double *height)
{
  double each = (row->height - 2 * MARGIN) / 2;

  *top = y + MARGIN + (is_communication ? each + 0.5 : 0);
  *height = each - 0.5;
}

void
hir_timeline_summary_get_busy (const HirTimelineRows *rows,
                               int rank,
                               gint64 start_ns,
                               gint64 end_ns,
                               gint64 *computation_ns,
                               gint64 *communication_ns)
{
  gint64 *const sums[2] = { computation_ns, communication_ns };
  GArray *lanes[2];

  collect (rows, rank, start_ns, end_ns, 4096, lanes);
  for (guint lane = 0; lane < 2; lane++)
    {
      *sums[lane] = 0;
      for (guint i = 0; i < lanes[lane]->len; i++)
        {
          const Span *span = &g_array_index (lanes[lane], Span, i);

          *sums[lane] += span->end_ns - span->start_ns;
        }
      g_array_unref (lanes[lane]);
    }
}

static void
draw_spans (const HirTimelineScene *scene,
            HirDisplayList *list,
            const GArray *spans,
            HirRect band,
            HirColor color)
{
  for (guint i = 0; i < spans->len; i++)
    {
      const Span *span = &g_array_index (spans, Span, i);
      double x0 = MAX (hir_timeline_scene_get_x (scene, span->start_ns), band.x);
      double x1 = MIN (hir_timeline_scene_get_x (scene, span->end_ns), band.x + band.width);

      if (!scene->exact)
        {
          x0 = round (x0);
          x1 = round (x1);
        }
      hir_display_list_add_rect (list,
                                 hir_rect (x0, band.y, MAX (x1 - x0, scene->exact ? 0.5 : 1),
                                           band.height),
                                 color);
    }
}

/* More spans than pixels: each column as strong as it is busy, and never so faint that it is not
 * seen. */
static void
draw_columns (const HirTimelineScene *scene,
              HirDisplayList *list,
              const GArray *spans,
              HirRect band,
              HirColor color)
{
  guint n = (guint) MAX (band.width, 1);
  g_autofree double *cover = g_new0 (double, n + 1);

  for (guint i = 0; i < spans->len; i++)
    {
      const Span *span = &g_array_index (spans, Span, i);
      double x0 = CLAMP (hir_timeline_scene_get_x (scene, span->start_ns) - band.x, 0, n);
      double x1 = CLAMP (hir_timeline_scene_get_x (scene, span->end_ns) - band.x, x0, n);

      for (guint at = (guint) x0; at < n && at <= x1; at++)
        cover[at] += MAX (MIN (x1, at + 1.0) - MAX (x0, at), 0.02);
    }
  for (guint at = 0; at < n; at++)
    if (cover[at] > 0)
      hir_display_list_add_rect (list, hir_rect (band.x + at, band.y, 1, band.height),
                                 hir_color_fade (color, 0.35 + 0.65 * MIN (cover[at], 1)));
}

void
hir_timeline_summary_draw (const HirTimelineScene *scene,
                           HirDisplayList *list,
                           const HirTimelineRow *row,
                           double y)
{
  const HirColor colors[2] = {
    hir_theme_get_event_color (scene->theme, HIR_EVENT_KERNEL, "matmul"),
    hir_theme_get_event_color (scene->theme, HIR_EVENT_COMMUNICATION, "Allgather"),
  };
  double plot = scene->width - scene->header_width;
  GArray *lanes[2];

  if (plot < 1)
    return;
  collect (scene->rows, row->rank, scene->start_ns, scene->end_ns, (guint) plot, lanes);
  hir_display_list_push_clip (list, hir_rect (scene->header_width, y, plot, row->height));
  for (guint lane = 0; lane < 2; lane++)
    {
      double top, height;
      HirRect band;

      hir_timeline_summary_get_band (row, lane == 1, y, &top, &height);
      if (!scene->exact)
        {
          height = round (top + height) - round (top);
          top = round (top);
        }
      band = hir_rect (scene->header_width, top, plot, height);
      if (lanes[lane]->len <= (guint) plot)
        draw_spans (scene, list, lanes[lane], band, colors[lane]);
      else
        draw_columns (scene, list, lanes[lane], band, colors[lane]);
      g_array_unref (lanes[lane]);
    }
  hir_display_list_pop_clip (list);
}
