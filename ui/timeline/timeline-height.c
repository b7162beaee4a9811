/* Heights of tracks with stacks: the lower edge of such a track's label can be dragged. */
#include "draw/timeline/timeline-arrange.h"
#include "timeline/timeline-private.h"

#define EDGE_PX 4.0 /* on both sides of the edge */

const HirTimelineRow *
hir_timeline_find_edge (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;
  double bottom;

  if (self->rows == NULL || x < 0 || x >= self->header_width)
    return NULL;
  hir_timeline_fill_scene (self, &scene);
  row = hir_timeline_scene_get_row_at (&scene, y - EDGE_PX);
  if (row == NULL || row->is_header || row->is_folded || row->n_lanes < 2)
    return NULL;
  bottom = hir_timeline_scene_get_row_y (&scene, row) + row->height;
  return ABS (y - bottom) <= EDGE_PX ? row : NULL;
}

gboolean
hir_timeline_begin_resize (HirTimelineView *self, double x, double y)
{
  const HirTimelineRow *row = hir_timeline_find_edge (self, x, y);

  self->is_resizing = row != NULL;
  if (row == NULL)
    return FALSE;
  self->moved_track = row->track;
  self->resize_height = row->height;
  return TRUE;
}

void
hir_timeline_drag_resize (HirTimelineView *self, double by)
{
  hir_timeline_rows_set_height (self->rows, self->moved_track, MAX (self->resize_height + by, 1));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
hir_timeline_end_resize (HirTimelineView *self)
{
  gboolean was_resizing = self->is_resizing;

  self->is_resizing = FALSE;
  return was_resizing;
}

gboolean
hir_timeline_is_full_height (HirTimelineView *self, const HirTimelineRow *row)
{
  return row->height >= hir_timeline_rows_get_full_height (self->rows, row->track);
}

void
hir_timeline_toggle_height (HirTimelineView *self, guint track)
{
  const HirTimelineRow *row = hir_timeline_rows_get_track (self->rows, track);

  if (row == NULL || row->n_lanes < 2)
    return;
  hir_timeline_rows_set_height (self->rows, track,
                                hir_timeline_is_full_height (self, row)
                                    ? HIR_TIMELINE_SMALL_HEIGHT
                                    : hir_timeline_rows_get_full_height (self->rows, track));
}
