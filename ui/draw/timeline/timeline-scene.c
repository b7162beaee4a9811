#include "draw/timeline/timeline-scene.h"

#include "draw/timeline/timeline-bars.h"
#include "draw/timeline/timeline-counter.h"
#include "draw/timeline/timeline-explain.h"
#include "draw/timeline/timeline-headers.h"
#include "draw/timeline/timeline-links.h"
#include "draw/timeline/timeline-marks.h"
#include "draw/timeline/timeline-pointer.h"
#include "draw/timeline/timeline-ruler.h"
#include "draw/timeline/timeline-tools.h"
#include "trace/duration.h"
#include "trace/track-set.h"

#include <math.h>
#include <string.h>

#define TICK_PX 11.0
#define FINGER_PX 3.0

static gboolean
get_band (const HirTimelineScene *scene, double *x0, double *x1)
{
  if (scene->band_end_ns == scene->band_start_ns)
    return FALSE;
  *x0 = hir_timeline_scene_get_x (scene, MIN (scene->band_start_ns, scene->band_end_ns));
  *x1 = hir_timeline_scene_get_x (scene, MAX (scene->band_start_ns, scene->band_end_ns));
  *x0 = CLAMP (*x0, scene->header_width, scene->width);
  *x1 = CLAMP (*x1, scene->header_width, scene->width);
  return TRUE;
}

/* A folded rank is selected if all its tracks are. */
static gboolean
is_selected (const HirTimelineScene *scene, const HirTimelineRow *row)
{
  if (scene->tracks == NULL)
    return FALSE;
  if (!row->is_header)
    return hir_track_set_has (scene->tracks, row->track);
  if (!hir_timeline_rows_get_collapsed (scene->rows, row->rank))
    return FALSE;
  for (guint i = 0; i < scene->rows->all->len; i++)
    {
      const HirTimelineRow *other = &g_array_index (scene->rows->all, HirTimelineRow, i);

      if (!other->is_header && other->rank == row->rank &&
          !hir_track_set_has (scene->tracks, other->track))
        return FALSE;
    }
  return TRUE;
}

/* Draws the background of a row with a selected track. */
static void
draw_selected (const HirTimelineScene *scene,
               HirDisplayList *list,
               const HirTimelineRow *row,
               double y)
{
  double x0, x1;

  if (!is_selected (scene, row))
    return;
  hir_display_list_add_rect (list, hir_rect (0, y, scene->header_width, row->height),
                             hir_color_fade (scene->theme->accent, 0.25));
  hir_display_list_add_rect (list, hir_rect (0, y, 3, row->height), scene->theme->accent);
  if (get_band (scene, &x0, &x1))
    hir_display_list_add_rect (list, hir_rect (x0, y, MAX (x1 - x0, 1), row->height),
                               scene->theme->band);
}

/* Draws the ends of the range over a row. Without selected tracks, the range is that of all rows.
 */
static void
draw_ends (const HirTimelineScene *scene, HirDisplayList *list, double y, double height)
{
  double x0, x1;

  if (!get_band (scene, &x0, &x1))
    return;
  hir_display_list_add_rect (list, hir_rect (floor (x0), y, 1, height), scene->theme->accent);
  hir_display_list_add_rect (list, hir_rect (ceil (x1) - 1, y, 1, height), scene->theme->accent);
}

static void
draw_band (const HirTimelineScene *scene, HirDisplayList *list)
{
  double x0, x1;

  if (scene->tracks == NULL && get_band (scene, &x0, &x1))
    hir_display_list_add_rect (list,
                               hir_rect (x0, HIR_TIMELINE_RULER_HEIGHT, MAX (x1 - x0, 1),
                                         scene->height - HIR_TIMELINE_RULER_HEIGHT),
                               scene->theme->band);
}

/* Returns a label such as "1 ms – 3 ms · 2 ms" for the selected range, or NULL if there is none.
 * The box of the label on the ruler is [*@x, *@x + *@width). */
static char *
dup_band_label (const HirTimelineScene *scene, double *x, double *width)
{
  gint64 zero, last;
  double x0, x1;
  char *label;

  if (!get_band (scene, &x0, &x1))
    return NULL;
  hir_trace_get_span (scene->rows->trace, &zero, &last);
  gint64 length_ns = ABS (scene->band_end_ns - scene->band_start_ns);
  g_autofree char *from =
      hir_format_range_end (MIN (scene->band_start_ns, scene->band_end_ns) - zero, length_ns);
  g_autofree char *to =
      hir_format_range_end (MAX (scene->band_start_ns, scene->band_end_ns) - zero, length_ns);
  g_autofree char *length = hir_format_duration (length_ns);
  g_autofree char *tracks = NULL;

  if (scene->tracks != NULL)
    tracks = g_strdup_printf ("  \u00b7  %u track%s", scene->tracks->len,
                              scene->tracks->len == 1 ? "" : "s");
  label = g_strdup_printf ("%s \u2013 %s  \u00b7  %s%s", from, to, length,
                           tracks != NULL ? tracks : "");
  *width = hir_measure_get_width (scene->measure, HIR_FONT_SANS_BOLD, TICK_PX, label) + 16;
  *x = CLAMP ((x0 + x1 - *width) / 2, scene->header_width, MAX (scene->width - *width, 0));
  return label;
}

/* Draws the ruler with the selected range highlighted. Omits tick labels that the label of the
 * range would cover. */
static void
draw_ruler (const HirTimelineScene *scene, HirDisplayList *list)
{
  double x0, x1, x = 0, width = 0;
  g_autofree char *label = dup_band_label (scene, &x, &width);

  if (get_band (scene, &x0, &x1))
    hir_display_list_add_rect (list, hir_rect (x0, 0, x1 - x0, HIR_TIMELINE_RULER_HEIGHT),
                               scene->theme->accent_fill);
  hir_timeline_ruler_draw (scene, x, x + width, list);
}

/* Draws the edges of the selected range over the bars, and its label. */
static void
draw_band_label (const HirTimelineScene *scene, HirDisplayList *list)
{
  double width, x;
  g_autofree char *label = dup_band_label (scene, &x, &width);
  HirRect box;

  if (label == NULL)
    return;
  /* Above the flags of marks. */
  box = hir_timeline_marks_cover (scene, x, x + width)
            ? hir_rect (x, 0, width, HIR_TIMELINE_RULER_HEIGHT - HIR_TIMELINE_FLAG_HEIGHT)
            : hir_rect (x, 3, width, HIR_TIMELINE_RULER_HEIGHT - 6);
  draw_ends (scene, list, 0, scene->tracks != NULL ? HIR_TIMELINE_RULER_HEIGHT : scene->height);
  hir_display_list_add_round_rect (list, box, 4, scene->theme->accent_fill, scene->theme->accent, 1,
                                   HIR_DASH_NONE);
  hir_display_list_add_text (list, hir_rect (x + 8, box.y, width - 16, box.height), label,
                             HIR_FONT_SANS_BOLD, TICK_PX, scene->theme->text, HIR_ALIGN_CENTER);
}

static void
draw_cursor (const HirTimelineScene *scene,
             HirDisplayList *list,
             const HirTimelineRow *row,
             double y)
{
  if (!scene->has_cursor || scene->cursor_is_header != row->is_header ||
      (row->is_header ? row->rank != scene->cursor_rank : row->track != scene->cursor_track))
    return;
  hir_display_list_add_round_rect (list,
                                   hir_rect (3, y + 1, scene->header_width - 7, row->height - 3), 4,
                                   0, scene->theme->accent, 1.5, HIR_DASH_NONE);
}

static gboolean
is_counter (const HirTimelineScene *scene, const HirTimelineRow *row)
{
  return !row->is_header &&
         hir_trace_get_track (scene->rows->trace, row->track)->kind == HIR_TRACK_COUNTER;
}

static void
draw_row (const HirTimelineScene *scene, HirDisplayList *list, const HirTimelineRow *row, double y)
{
  double plot = scene->width - scene->header_width;

  if (row->is_header)
    {
      hir_timeline_headers_draw_rank (scene, list, row, y);
      draw_selected (scene, list, row, y);
      hir_timeline_spans_draw (scene, list, row, y);
    }
  else
    {
      draw_selected (scene, list, row, y);
      hir_timeline_headers_draw_track (scene, list, row, y);
      hir_display_list_add_rect (list, hir_rect (22, y + row->height - 1, scene->width - 22, 1),
                                 hir_color_fade (scene->theme->line, 0.5));
      hir_display_list_push_clip (list, hir_rect (scene->header_width, y, plot, row->height));
      hir_timeline_spans_draw (scene, list, row, y);
      if (is_counter (scene, row))
        hir_timeline_counter_draw (scene, list, row, y);
      else
        hir_timeline_bars_draw (scene, list, row, y);
      hir_display_list_pop_clip (list);
    }
  if (is_selected (scene, row))
    draw_ends (scene, list, y, row->height);
  draw_cursor (scene, list, row, y);
  hir_timeline_tools_draw (scene, list, row, y);
}

static void
draw_rows (const HirTimelineScene *scene, HirDisplayList *list, gboolean are_pinned)
{
  double pinned = hir_timeline_scene_get_pinned_height (scene);
  double from = HIR_TIMELINE_RULER_HEIGHT + (are_pinned ? 0 : pinned);
  double to = are_pinned ? HIR_TIMELINE_RULER_HEIGHT + pinned : scene->height;
  const HirTimelineRow *sticky = are_pinned ? NULL : hir_timeline_scene_get_sticky (scene);

  if (to <= from)
    return;
  hir_display_list_push_clip (list, hir_rect (0, from, scene->width, to - from));
  for (guint i = 0;
       i < scene->rows->rows->len && hir_export_progress_should_continue (scene->progress, NULL);
       i++)
    {
      const HirTimelineRow *row = &g_array_index (scene->rows->rows, HirTimelineRow, i);
      double y = hir_timeline_scene_get_row_y (scene, row);

      if ((row->is_pinned && pinned > 0) == are_pinned && row != sticky && y + row->height > from &&
          y < to)
        draw_row (scene, list, row, y);
    }
  if (sticky != NULL)
    {
      double y = hir_timeline_scene_get_row_y (scene, sticky);

      hir_display_list_add_rect (list, hir_rect (0, y, scene->width, sticky->height),
                                 scene->theme->background);
      draw_row (scene, list, sticky, y);
    }
  if (are_pinned)
    hir_display_list_add_rect (list, hir_rect (0, to - 2, scene->width, 2), scene->theme->line);
  hir_display_list_pop_clip (list);
}

void
hir_timeline_scene_draw (const HirTimelineScene *scene, HirDisplayList *list)
{
  HirRect all = hir_rect (0, 0, scene->width, scene->height);

  g_return_if_fail (scene->end_ns > scene->start_ns);

  hir_display_list_push_clip (list, all);
  draw_ruler (scene, list);
  hir_display_list_push_clip (list, hir_rect (0, HIR_TIMELINE_RULER_HEIGHT, scene->width,
                                              scene->height - HIR_TIMELINE_RULER_HEIGHT));
  draw_band (scene, list);
  draw_rows (scene, list, FALSE);
  draw_rows (scene, list, TRUE);
  hir_display_list_push_clip (list, hir_rect (scene->header_width, 0,
                                              scene->width - scene->header_width, scene->height));
  hir_timeline_path_draw (scene, list);
  hir_timeline_links_draw (scene, list);
  hir_timeline_pointer_draw (scene, list);
  hir_timeline_pair_draw (scene, list);
  hir_display_list_pop_clip (list);
  hir_display_list_pop_clip (list);
  hir_timeline_marks_draw (scene, list);
  draw_band_label (scene, list);
  if (hir_trace_get_n_events (scene->rows->trace) == 0)
    hir_display_list_add_text (list, all, "no events were recorded", HIR_FONT_SANS, 13,
                               scene->theme->dim_text, HIR_ALIGN_CENTER);
  hir_display_list_pop_clip (list);
}

/* Finds the event at @time_ns in the lane at @y of the row. */
static gboolean
find_in_lane (const HirTimelineScene *scene,
              const HirTimelineRow *row,
              double y,
              gint64 time_ns,
              gint64 slack_ns,
              guint *index)
{
  const HirTrace *trace = scene->rows->trace;
  guint n = hir_trace_get_track_n_events (trace, row->track);
  guint first = hir_trace_find_first (trace, row->track, time_ns - slack_ns - 1);
  double each = (row->height - 6) / row->n_lanes;
  guint lane = (guint) CLAMP ((y - 3) / each, 0, row->n_lanes - 1);

  for (guint i = first; i < n && i < first + 4096; i++)
    {
      HirEvent event;

      hir_trace_get_event (trace, row->track, i, &event);
      if (event.start_ns > time_ns + slack_ns)
        break;
      if (event.end_ns >= time_ns - slack_ns &&
          hir_timeline_rows_get_lane (scene->rows, row->track, i) == lane)
        {
          *index = i;
          return TRUE;
        }
    }
  return FALSE;
}

void
hir_timeline_scene_hit (const HirTimelineScene *scene, double x, double y, HirTimelineHit *hit)
{
  const HirTimelineRow *row;
  gint64 slack = (gint64) (FINGER_PX / MAX (scene->width - scene->header_width, 1) *
                           (double) (scene->end_ns - scene->start_ns));

  *hit = (HirTimelineHit){ .part = HIR_TIMELINE_NOTHING,
                           .time_ns = hir_timeline_scene_get_time (scene, x) };
  if (x < 0 || y < 0 || x >= scene->width || y >= scene->height)
    return;
  if (y < HIR_TIMELINE_RULER_HEIGHT)
    {
      hit->part = HIR_TIMELINE_RULER;
      return;
    }
  row = hir_timeline_scene_get_row_at (scene, y);
  if (row == NULL)
    return;
  hit->rank = row->rank;
  hit->part = row->is_header ? HIR_TIMELINE_RANK : HIR_TIMELINE_TRACK;
  hit->track = row->track;
  if (row->is_header || x < scene->header_width)
    return;
  if (is_counter (scene, row))
    {
      if (hir_timeline_counter_find (scene->rows->trace, row->track, hit->time_ns, &hit->index))
        hit->part = HIR_TIMELINE_EVENT;
      return;
    }
  if (row->n_lanes > 1
          ? find_in_lane (scene, row, y - hir_timeline_scene_get_row_y (scene, row), hit->time_ns,
                          slack, &hit->index)
          : hir_trace_lookup_at (scene->rows->trace, row->track, hit->time_ns, slack, &hit->index))
    hit->part = HIR_TIMELINE_EVENT;
}
