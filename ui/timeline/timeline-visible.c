/* The visible part of the timeline: its time range and scroll position, and the scene they give. */
#include "timeline/timeline-private.h"

#include <math.h>

#include "analysis/program-span.h"
#include "canvas/canvas.h"

#define MIN_SPAN_NS 20.0
#define MIN_RANGE_PX 24.0 /* of a range that is made visible */

void
hir_timeline_fill_scene (HirTimelineView *self, HirTimelineScene *scene)
{
  *scene = (HirTimelineScene){
    .rows = self->rows,
    .theme = hir_canvas_get_theme (),
    .measure = self->measure,
    .start_ns = self->start_ns,
    .end_ns = MAX (self->end_ns, self->start_ns + 1),
    .width = gtk_widget_get_width (GTK_WIDGET (self)),
    .height = gtk_widget_get_height (GTK_WIDGET (self)),
    .header_width = self->header_width,
    .scroll_y = self->scroll_y,
    .hurries = self->making != NULL,
    .has_hover = self->has_hover,
    .hovered_track = self->hovered_track,
    .hovered_index = self->hovered_index,
    .has_hovered_label = self->has_hovered_label,
    .hovered_label_is_header = self->hovered_label_is_header,
    .hovered_rank = self->hovered_rank,
    .hovered_label_track = self->hovered_label_track,
    .hovered_tool = self->hovered_tool,
    .has_cursor = self->has_cursor && gtk_widget_has_focus (GTK_WIDGET (self)),
    .cursor_is_header = self->cursor_is_header,
    .cursor_rank = self->cursor_rank,
    .cursor_track = self->cursor_track,
    .flows = self->flows,
    .marks = self->scene_marks,
    .has_pointer = self->has_debug_pos,
    .pointer_track = self->debug_track,
    .pointer_ns = self->debug_ns,
    .pair = self->has_pair ? &self->pair : NULL,
  };
  if (self->explaining != NULL)
    {
      scene->explain = hir_explaining_get (self->explaining);
      scene->shows_path = hir_explaining_get_shows_path (self->explaining);
      scene->shades = hir_explaining_get_shades (self->explaining);
    }
  hir_selection_get_range (self->selection, &scene->band_start_ns, &scene->band_end_ns);
  scene->tracks = hir_selection_get_tracks (self->selection);
  scene->has_selection =
      hir_selection_get_event (self->selection, &scene->selected_track, &scene->selected_index);
}

void
hir_timeline_set_range (HirTimelineView *self, double start_ns, double end_ns)
{
  gint64 first_ns, last_ns;
  double length, span, edge;

  if (self->trace == NULL)
    return;
  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  span = MAX ((double) (last_ns - first_ns), MIN_SPAN_NS);
  length = CLAMP (end_ns - start_ns, MIN_SPAN_NS, span * (1 + 2 * HIR_TIMELINE_FIT_MARGIN));
  /* At either end of the trace, only a margin is empty. */
  edge = length * HIR_TIMELINE_FIT_MARGIN / (1 + 2 * HIR_TIMELINE_FIT_MARGIN);
  start_ns = CLAMP (start_ns, (double) first_ns - edge, (double) first_ns + span + edge - length);
  self->start_ns = (gint64) floor (start_ns);
  self->end_ns = (gint64) ceil (start_ns + length);
  self->is_fitted = FALSE;
  g_signal_emit_by_name (self, "shown-changed");
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_timeline_view_show (HirTimelineView *self, gint64 start_ns, gint64 end_ns)
{
  hir_timeline_set_range (self, (double) start_ns, (double) end_ns);
}

void
hir_timeline_zoom_at (HirTimelineView *self, double factor, double x)
{
  HirTimelineScene scene;
  double time, length;

  if (self->rows == NULL)
    return;
  hir_timeline_fill_scene (self, &scene);
  time = (double) hir_timeline_scene_get_time (&scene, MAX (x, self->header_width));
  length = (double) (self->end_ns - self->start_ns);
  hir_timeline_set_range (self, time - (time - (double) self->start_ns) / factor,
                          time - (time - (double) self->start_ns) / factor + length / factor);
}

void
hir_timeline_view_zoom (HirTimelineView *self, double factor)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));

  hir_timeline_zoom_at (self, factor, self->header_width + (width - self->header_width) / 2);
}

void
hir_timeline_pan (HirTimelineView *self, double fraction)
{
  double shift = (double) (self->end_ns - self->start_ns) * fraction;

  hir_timeline_set_range (self, (double) self->start_ns + shift, (double) self->end_ns + shift);
}

void
hir_timeline_scroll_to (HirTimelineView *self, double y)
{
  double height = gtk_widget_get_height (GTK_WIDGET (self)) - HIR_TIMELINE_RULER_HEIGHT;

  self->scroll_y = self->rows != NULL ? CLAMP (y, 0, MAX (self->rows->height - height, 0)) : 0;
  gtk_adjustment_configure (self->adjustment, self->scroll_y, 0,
                            MAX (self->rows != NULL ? self->rows->height : 0, height), 40,
                            MAX (height * 0.9, 1), MAX (height, 1));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_timeline_scroll_to_row (HirTimelineView *self, const HirTimelineRow *row)
{
  const HirTimelineRow *header = hir_timeline_rows_get_header (self->rows, row->rank);
  HirTimelineScene scene;
  double space, pinned, above;

  hir_timeline_fill_scene (self, &scene);
  pinned = hir_timeline_scene_get_pinned_height (&scene);
  space = scene.height - HIR_TIMELINE_RULER_HEIGHT;
  if (row->is_pinned && pinned > 0)
    return;
  above = pinned;
  /* The header of the row's rank stays visible and must not cover the row. */
  if (!row->is_header && !row->is_pinned && header != NULL &&
      hir_timeline_rows_get_n_ranks (self->rows) > 1)
    above += header->height;
  if (row->y - above < self->scroll_y)
    hir_timeline_scroll_to (self, row->y - above);
  else if (row->y + row->height > self->scroll_y + space)
    hir_timeline_scroll_to (self, row->y + row->height - space);
}

void
hir_timeline_reveal_range (HirTimelineView *self)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)) - self->header_width, 1);
  double length = (double) (self->end_ns - self->start_ns), middle_ns;
  gint64 start_ns, end_ns;

  if (self->rows == NULL || !hir_selection_get_range (self->selection, &start_ns, &end_ns))
    return;
  middle_ns = (double) start_ns + (double) (end_ns - start_ns) / 2;
  if ((double) (end_ns - start_ns) * width < MIN_RANGE_PX * length)
    length = (double) (end_ns - start_ns) * width / MIN_RANGE_PX;
  else if (end_ns - start_ns > self->end_ns - self->start_ns)
    length = (double) (end_ns - start_ns) * 1.1;
  else if (start_ns >= self->start_ns && end_ns <= self->end_ns)
    return;
  hir_timeline_set_range (self, middle_ns - length / 2, middle_ns + length / 2);
}

void
hir_timeline_reveal (HirTimelineView *self)
{
  HirEvent event;
  guint track, index;
  const HirTimelineRow *row;
  double length = (double) (self->end_ns - self->start_ns);

  if (self->rows == NULL || !hir_selection_get_event (self->selection, &track, &index))
    return;
  hir_trace_get_event (self->trace, track, index, &event);
  if (event.end_ns < self->start_ns || event.start_ns > self->end_ns)
    hir_timeline_set_range (self, (double) event.start_ns - length / 2,
                            (double) event.start_ns + length / 2);
  row = hir_timeline_rows_get_track (self->rows, track);
  if (row == NULL)
    row = hir_timeline_rows_get_header (self->rows, hir_trace_get_track (self->trace, track)->rank);
  if (row != NULL)
    hir_timeline_scroll_to_row (self, row);
}

void
hir_timeline_view_go_to_time (HirTimelineView *self, gint64 time_ns)
{
  double length = (double) (self->end_ns - self->start_ns);

  if (time_ns < self->start_ns || time_ns > self->end_ns)
    hir_timeline_set_range (self, (double) time_ns - length / 2, (double) time_ns + length / 2);
}

static void
show_span (HirTimelineView *self, gint64 first_ns, gint64 last_ns)
{
  double margin = (double) (last_ns - first_ns) * HIR_TIMELINE_FIT_MARGIN;

  hir_timeline_set_range (self, (double) first_ns - margin, (double) last_ns + margin);
  self->is_fitted = TRUE;
}

void
hir_timeline_view_fit (HirTimelineView *self)
{
  gint64 first_ns, last_ns;

  if (self->trace == NULL)
    return;
  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  show_span (self, first_ns, last_ns);
  self->fits_all = TRUE;
}

void
hir_timeline_refit (HirTimelineView *self)
{
  gint64 first_ns, last_ns, from_ns, to_ns;

  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  if (!self->fits_all && hir_trace_find_short_program (self->trace, &from_ns, &to_ns))
    show_span (self, from_ns, to_ns);
  else
    show_span (self, first_ns, last_ns);
}
