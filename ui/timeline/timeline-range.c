/* Selection of a time range on the timeline. The ends snap to edges of events, so that the time
 * between two edges is measured exactly. */
#include "timeline/timeline-private.h"

#include <math.h>

#define SNAP_PX 4.0
#define GRAB_PX 5.0
/* Number of events inspected per track. If more start within 4 pixels, they cannot be
 * distinguished, so any of them will do. */
#define MAX_INSPECTED 256

typedef struct
{
  gint64 wanted_ns;
  gint64 slack_ns;
  gint64 nearest_ns;
  gboolean found;
} Snap;

static void
consider (Snap *snap, gint64 edge_ns)
{
  gint64 distance_ns = ABS (edge_ns - snap->wanted_ns);

  if (distance_ns > snap->slack_ns ||
      (snap->found && distance_ns >= ABS (snap->nearest_ns - snap->wanted_ns)))
    return;
  snap->nearest_ns = edge_ns;
  snap->found = TRUE;
}

static void
snap_to_track (Snap *snap, const HirTrace *trace, guint track)
{
  guint n = hir_trace_get_track_n_events (trace, track);
  guint first = hir_trace_find_first (trace, track, snap->wanted_ns - snap->slack_ns - 1);

  for (guint i = first; i < n && i - first < MAX_INSPECTED; i++)
    {
      gint64 start_ns, end_ns;

      hir_trace_get_interval (trace, track, i, &start_ns, &end_ns);
      if (start_ns > snap->wanted_ns + snap->slack_ns)
        break;
      consider (snap, start_ns);
      consider (snap, end_ns);
    }
}

gint64
hir_timeline_get_snapped (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *at;
  Snap snap = { 0 };
  gint64 first_ns, last_ns;

  hir_timeline_fill_scene (self, &scene);
  at = hir_timeline_scene_get_row_at (&scene, y);
  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  snap.wanted_ns =
      CLAMP (hir_timeline_scene_get_time (&scene, MAX (x, self->header_width)), first_ns, last_ns);
  snap.slack_ns = (gint64) ceil (SNAP_PX * (double) (scene.end_ns - scene.start_ns) /
                                 MAX (scene.width - scene.header_width, 1));
  if (at != NULL && !at->is_header)
    {
      snap_to_track (&snap, self->trace, at->track);
      return snap.found ? snap.nearest_ns : snap.wanted_ns;
    }
  for (guint i = 0; i < self->rows->rows->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (self->rows->rows, HirTimelineRow, i);

      double row_y = hir_timeline_scene_get_row_y (&scene, row);

      if (!row->is_header && row_y + row->height > HIR_TIMELINE_RULER_HEIGHT &&
          row_y < scene.height)
        snap_to_track (&snap, self->trace, row->track);
    }
  return snap.found ? snap.nearest_ns : snap.wanted_ns;
}

void
hir_timeline_begin_range (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  gint64 start_ns, end_ns;

  if (self->rows == NULL)
    return;
  self->band_ns = hir_timeline_get_snapped (self, x, y);
  self->band_row = hir_timeline_find_row (self, y);
  if (y >= HIR_TIMELINE_RULER_HEIGHT ||
      !hir_selection_get_range (self->selection, &start_ns, &end_ns))
    return;
  /* Dragging an end of the existing range at the ruler moves this end. */
  hir_timeline_fill_scene (self, &scene);
  if (fabs (hir_timeline_scene_get_x (&scene, start_ns) - x) <= GRAB_PX)
    self->band_ns = end_ns;
  else if (fabs (hir_timeline_scene_get_x (&scene, end_ns) - x) <= GRAB_PX)
    self->band_ns = start_ns;
}

void
hir_timeline_drag_range (HirTimelineView *self, double x, double y)
{
  if (self->rows == NULL)
    return;
  hir_timeline_drag_tracks (self, y);
  hir_selection_set_range (self->selection, self->band_ns, hir_timeline_get_snapped (self, x, y));
}

void
hir_timeline_set_range_end (HirTimelineView *self, gboolean is_start)
{
  gint64 start_ns, end_ns, time_ns;
  guint track, index;

  if (self->rows == NULL)
    return;
  if (self->has_pointer && self->pointer_x >= self->header_width)
    {
      time_ns = hir_timeline_get_snapped (self, self->pointer_x, self->pointer_y);
    }
  else if (hir_selection_get_event (self->selection, &track, &index))
    {
      gint64 from_ns, to_ns;
      gboolean has_range = hir_selection_get_range (self->selection, &from_ns, &to_ns);

      hir_trace_get_interval (self->trace, track, index, &start_ns, &end_ns);
      time_ns = is_start ? start_ns : end_ns;
      /* Second call for the same edge: use the other edge. This way a gap between two events can
       * be measured with keys. */
      if (has_range && (is_start ? from_ns : to_ns) == time_ns)
        time_ns = is_start ? end_ns : start_ns;
    }
  else
    {
      return;
    }
  /* The other end stays. If there is no range yet, or if the ends would be swapped, it is the
   * end of the trace. */
  if (!hir_selection_get_range (self->selection, &start_ns, &end_ns) ||
      (is_start ? time_ns >= end_ns : time_ns <= start_ns))
    hir_trace_get_span (self->trace, &start_ns, &end_ns);
  if (is_start)
    hir_selection_set_range (self->selection, time_ns, end_ns);
  else
    hir_selection_set_range (self->selection, start_ns, time_ns);
}

void
hir_timeline_fit_selection (HirTimelineView *self)
{
  gint64 start_ns, end_ns;
  guint track, index;
  double margin;

  if (self->rows == NULL)
    return;
  if (!hir_selection_get_range (self->selection, &start_ns, &end_ns))
    {
      if (!hir_selection_get_event (self->selection, &track, &index))
        {
          hir_timeline_view_fit (self);
          return;
        }
      hir_trace_get_interval (self->trace, track, index, &start_ns, &end_ns);
    }
  margin = (double) (end_ns - start_ns) * 0.05;
  hir_timeline_set_range (self, (double) start_ns - margin, (double) end_ns + margin);
}
