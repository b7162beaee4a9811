/* Converts between times, rows and events and positions in the view. */
#include <math.h>

#include "draw/timeline/timeline-scene.h"

#define MAX_PINNED 0.6 /* share of the view; if pinned rows need more, they scroll too */

double
hir_timeline_scene_get_x (const HirTimelineScene *scene, gint64 time_ns)
{
  double scale = (scene->width - scene->header_width) / (double) (scene->end_ns - scene->start_ns);

  return scene->header_width + (double) (time_ns - scene->start_ns) * scale;
}

gint64
hir_timeline_scene_get_time (const HirTimelineScene *scene, double x)
{
  double plot = MAX (scene->width - scene->header_width, 1);

  return scene->start_ns + (gint64) floor ((x - scene->header_width) / plot *
                                           (double) (scene->end_ns - scene->start_ns));
}

double
hir_timeline_scene_get_pinned_height (const HirTimelineScene *scene)
{
  double room = scene->height - HIR_TIMELINE_RULER_HEIGHT;

  return scene->rows->pinned_height <= MAX_PINNED * room ? scene->rows->pinned_height : 0;
}

/* Returns the bottom of the last row of the header's rank. */
static double
get_rank_bottom (const HirTimelineRows *rows, const HirTimelineRow *header)
{
  const HirTimelineRow *row = header,
                       *end = &g_array_index (rows->rows, HirTimelineRow, 0) + rows->rows->len;

  while (row + 1 < end && !row[1].is_header)
    row++;
  return row->y + row->height;
}

/* A single rank needs no permanent header. */
static gboolean
has_sticky_header (const HirTimelineScene *scene)
{
  guint n = 0;

  for (guint i = 0; scene->scroll_y > 0 && !scene->exact && i < scene->rows->all->len && n < 2; i++)
    n += g_array_index (scene->rows->all, HirTimelineRow, i).is_header;
  return n > 1;
}

double
hir_timeline_scene_get_row_y (const HirTimelineScene *scene, const HirTimelineRow *row)
{
  double pinned = hir_timeline_scene_get_pinned_height (scene);
  gboolean stays = row->is_pinned && pinned > 0;
  double y = HIR_TIMELINE_RULER_HEIGHT + row->y - (stays ? 0 : scene->scroll_y);

  if (row->is_header && row->y - scene->scroll_y < pinned && has_sticky_header (scene))
    {
      double last = get_rank_bottom (scene->rows, row) - scene->scroll_y - row->height;

      y = HIR_TIMELINE_RULER_HEIGHT + MAX (row->y - scene->scroll_y, MIN (pinned, last));
    }
  /* On screen, rows start on whole pixels at every scroll position: they are sharp, and texts look
   * the same in each frame. */
  return scene->exact ? y : round (y);
}

const HirTimelineRow *
hir_timeline_scene_get_sticky (const HirTimelineScene *scene)
{
  double pinned = hir_timeline_scene_get_pinned_height (scene);

  if (!has_sticky_header (scene))
    return NULL;
  for (guint i = 0; i < scene->rows->rows->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (scene->rows->rows, HirTimelineRow, i);

      if (row->is_header && row->y - scene->scroll_y < pinned &&
          get_rank_bottom (scene->rows, row) - scene->scroll_y > pinned)
        return row;
    }
  return NULL;
}

const HirTimelineRow *
hir_timeline_scene_get_row_at (const HirTimelineScene *scene, double y)
{
  double pinned = hir_timeline_scene_get_pinned_height (scene);
  const HirTimelineRow *sticky = hir_timeline_scene_get_sticky (scene);

  if (sticky != NULL && y >= HIR_TIMELINE_RULER_HEIGHT + pinned &&
      y < hir_timeline_scene_get_row_y (scene, sticky) + sticky->height)
    return sticky;
  y -= HIR_TIMELINE_RULER_HEIGHT;
  if (y < 0)
    return NULL;
  return hir_timeline_rows_get_at (scene->rows, y < pinned ? y : y + scene->scroll_y);
}

void
hir_timeline_row_get_band (
    const HirTimelineRow *row, guint lane, double y, double *top, double *height)
{
  if (row->n_lanes == 1)
    {
      *top = y + 3;
      *height = row->height - 6;
      return;
    }
  double each = (row->height - 6) / row->n_lanes;
  *top = y + 3 + lane * each;
  *height = each > 4 ? each - 1 : each * 0.75;
}

gboolean
hir_timeline_scene_get_rect (const HirTimelineScene *scene, guint track, guint index, HirRect *rect)
{
  const HirTimelineRow *row = hir_timeline_rows_get_track (scene->rows, track);
  double top, height, x0, x1;
  HirEvent event;

  if (row == NULL || index >= hir_trace_get_track_n_events (scene->rows->trace, track))
    return FALSE;
  hir_trace_get_event (scene->rows->trace, track, index, &event);
  hir_timeline_row_get_band (row, hir_timeline_rows_get_lane (scene->rows, track, index),
                             hir_timeline_scene_get_row_y (scene, row), &top, &height);
  x0 = CLAMP (hir_timeline_scene_get_x (scene, event.start_ns), -1e5, 1e5);
  x1 = CLAMP (hir_timeline_scene_get_x (scene, event.end_ns), -1e5, 1e5);
  *rect = hir_rect (x0, top, MAX (x1 - x0, 1), height);
  return TRUE;
}
