#include "draw/timeline/timeline-pointer.h"

#define MAX_EVENTS 100000
#define HEAD 6.0

static gboolean
find_host (const HirTrace *trace, int rank, guint *track)
{
  for (*track = 0; *track < hir_trace_get_n_tracks (trace); (*track)++)
    {
      const HirTrack *one = hir_trace_get_track (trace, *track);

      if (one->kind == HIR_TRACK_HOST && one->rank == rank &&
          hir_trace_get_track_n_events (trace, *track) > 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
hir_timeline_find_pointer (const HirTrace *trace,
                           int rank,
                           guint64 instruction,
                           gint32 iteration,
                           gboolean is_behind,
                           guint *track,
                           gint64 *time_ns)
{
  guint n;
  HirEvent event;

  if (trace == NULL || !find_host (trace, rank, track))
    return FALSE;
  n = hir_trace_get_track_n_events (trace, *track);
  hir_trace_get_event (trace, *track, n - 1, &event);
  *time_ns = event.end_ns;
  for (guint i = n; is_behind && i-- > 0 && n - i < MAX_EVENTS;)
    {
      hir_trace_get_event (trace, *track, i, &event);
      if (event.instruction != instruction || event.iteration != iteration)
        continue;
      *time_ns = event.start_ns;
      return TRUE;
    }
  return TRUE;
}

void
hir_timeline_pointer_draw (const HirTimelineScene *scene, HirDisplayList *list)
{
  const HirTimelineRow *row =
      scene->has_pointer ? hir_timeline_rows_get_track (scene->rows, scene->pointer_track) : NULL;
  double x, y;
  HirPoint head[3];

  if (row == NULL)
    return;
  x = hir_timeline_scene_get_x (scene, scene->pointer_ns);
  y = hir_timeline_scene_get_row_y (scene, row);
  if (x < scene->header_width - HEAD || x > scene->width + HEAD)
    return;
  head[0] = (HirPoint){ (float) x, (float) (y + row->height / 2) };
  head[1] = (HirPoint){ (float) (x - HEAD - 2), (float) (y + row->height / 2 - HEAD) };
  head[2] = (HirPoint){ (float) (x - HEAD - 2), (float) (y + row->height / 2 + HEAD) };
  hir_display_list_add_rect (list, hir_rect (x, y, 2, row->height - 1), scene->theme->changed);
  hir_display_list_add_polygon (list, head, 3, scene->theme->changed);
}
