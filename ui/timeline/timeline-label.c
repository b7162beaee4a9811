/* The labels of the rows under the pointer: what they offer, and how a track is dragged to another
 * place. */
#include "draw/timeline/ticks.h"
#include "draw/timeline/timeline-arrange.h"
#include "draw/timeline/timeline-tools.h"
#include "base/names.h"
#include "timeline/timeline-private.h"

#define EDGE_PX 5.0 /* of a range, at the ruler: it can be taken there */

/* The whole name, which the label may have no room for, and what can be done. */
static char *
dup_words (HirTimelineView *self, const HirTimelineRow *row, HirTimelineTool tool)
{
  const HirTrack *track;
  guint n;

  if (tool == HIR_TIMELINE_MENU_TOOL)
    return g_strdup (row->is_header ? "Fold, move, show what is hidden"
                                    : "Pin, fold, hide, move (right click)");
  if (tool == HIR_TIMELINE_PIN_TOOL)
    return g_strdup (row->is_pinned ? "No longer above all (p)" : "Pin above all (p)");
  n = hir_timeline_rows_get_n_hidden (self->rows, row->rank);
  if (row->is_header && n > 0)
    return g_strdup_printf ("Click to fold or unfold the rank (t)\n%u hidden: Shift+H shows what is", n);
  if (row->is_header)
    return g_strdup ("Click to fold or unfold the rank (t)");
  track = hir_trace_get_track (self->trace, row->track);
  n = hir_trace_get_track_n_events (self->trace, row->track);
  return g_strdup_printf ("%s\n%u event%s\nDrag to move it; right click for more", track->name, n,
                          n == 1 ? "" : "s");
}

/* The row whose label is at the pointer; NULL: none. */
static const HirTimelineRow *
get_row (HirTimelineView *self, const HirTimelineScene *scene)
{
  if (!self->has_pointer || self->pointer_x >= self->header_width || self->pointer_x < 0)
    return NULL;
  return hir_timeline_scene_get_row_at (scene, self->pointer_y);
}

static const char *
choose_cursor (HirTimelineView *self, const HirTimelineScene *scene)
{
  gint64 start_ns, end_ns;

  if (self->is_moving_track)
    return "grabbing";
  if (!self->has_pointer || self->pointer_x < self->header_width ||
      self->pointer_y >= HIR_TIMELINE_RULER_HEIGHT)
    return NULL;
  if (hir_selection_get_range (self->selection, &start_ns, &end_ns) &&
      (ABS (hir_timeline_scene_get_x (scene, start_ns) - self->pointer_x) <= EDGE_PX ||
       ABS (hir_timeline_scene_get_x (scene, end_ns) - self->pointer_x) <= EDGE_PX))
    return "ew-resize";
  return "crosshair";
}

void
hir_timeline_hover (HirTimelineView *self)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;
  HirTimelineTool tool = HIR_TIMELINE_NO_TOOL;
  g_autofree char *words = NULL;

  hir_timeline_fill_scene (self, &scene);
  row = get_row (self, &scene);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), choose_cursor (self, &scene));
  if (row != NULL)
    tool = hir_timeline_tools_get_at (&scene, row, self->pointer_x);
  if (row != NULL && !self->is_moving_track)
    words = dup_words (self, row, tool);
  else if (self->has_pointer && self->pointer_y < HIR_TIMELINE_RULER_HEIGHT &&
           self->pointer_x >= self->header_width)
    words = g_strdup ("Drag to measure: the statistics are of that range then.\n"
                      "z zooms to it, Escape takes it away");
  self->has_hovered_label = row != NULL;
  self->hovered_tool = tool;
  if (row != NULL)
    {
      self->hovered_label_is_header = row->is_header;
      self->hovered_rank = row->rank;
      self->hovered_label_track = row->track;
    }
  if (words != NULL || !self->has_hover)
    hir_names_set_tooltip (GTK_WIDGET (self), words);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
hir_timeline_click_tool (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;
  HirTimelineTool tool;

  hir_timeline_fill_scene (self, &scene);
  row = hir_timeline_scene_get_row_at (&scene, y);
  tool = row != NULL ? hir_timeline_tools_get_at (&scene, row, x) : HIR_TIMELINE_NO_TOOL;
  if (tool == HIR_TIMELINE_NO_TOOL)
    return FALSE;
  if (tool == HIR_TIMELINE_MENU_TOOL)
    {
      hir_timeline_show_menu_at (self, x, y);
      return TRUE;
    }
  hir_timeline_set_cursor (self, row);
  hir_timeline_change_track (self, HIR_TRACK_PIN);
  return TRUE;
}

/* --- a track that is dragged ----------------------------------------------------------------- */

gboolean
hir_timeline_begin_move (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;

  self->is_moving_track = FALSE;
  self->may_move_track = FALSE;
  if (self->rows == NULL || x >= self->header_width)
    return FALSE;
  hir_timeline_fill_scene (self, &scene);
  row = hir_timeline_scene_get_row_at (&scene, y);
  if (row == NULL || row->is_header)
    return FALSE;
  self->may_move_track = TRUE;
  self->moved_track = row->track;
  return TRUE;
}

/* The row of the same rank and state that is seen next above (-1) or below (1) @row; NULL: none. */
static const HirTimelineRow *
get_neighbour (HirTimelineView *self, const HirTimelineRow *row, int by)
{
  const HirTimelineRow *first = &g_array_index (self->rows->rows, HirTimelineRow, 0);
  gint64 i = row - first + by;

  if (i < 0 || i >= self->rows->rows->len || first[i].is_header ||
      first[i].is_pinned != row->is_pinned || (!row->is_pinned && first[i].rank != row->rank))
    return NULL;
  return &first[i];
}

/* Whether the track, past the next one, would be where the pointer is: else it would come back at
 * once. */
static int
get_step (HirTimelineView *self, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row = hir_timeline_rows_get_track (self->rows, self->moved_track);
  const HirTimelineRow *next;
  double top;

  if (row == NULL)
    return 0;
  hir_timeline_fill_scene (self, &scene);
  top = hir_timeline_scene_get_row_y (&scene, row);
  if (y < top && (next = get_neighbour (self, row, -1)) != NULL)
    return y < top - next->height + row->height ? -1 : 0;
  if (y >= top + row->height && (next = get_neighbour (self, row, 1)) != NULL)
    return y >= top + next->height ? 1 : 0;
  return 0;
}

void
hir_timeline_drag_move (HirTimelineView *self, double y)
{
  const HirTimelineRow *row;
  int by;
  guint n = self->rows->rows->len;

  self->is_moving_track = TRUE;
  while (n-- > 0 && (by = get_step (self, y)) != 0 &&
         hir_timeline_rows_move_track (self->rows, self->moved_track, by))
    continue;
  row = hir_timeline_rows_get_track (self->rows, self->moved_track);
  if (row != NULL)
    hir_timeline_set_cursor (self, row);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_timeline_end_move (HirTimelineView *self)
{
  if (!self->is_moving_track)
    return;
  self->is_moving_track = FALSE;
  self->may_move_track = FALSE;
  hir_timeline_remember_tracks (self);
  hir_timeline_hover (self);
}
