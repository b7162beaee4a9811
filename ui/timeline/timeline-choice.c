/* The selected tracks: by a rectangle over rows, by clicks on labels, and by keys. */
#include "draw/timeline/timeline-arrange.h"
#include "timeline/timeline-private.h"
#include "trace/track-set.h"

/* Adds the track of a row; of a rank, the tracks that are not hidden. */
static void
add_row (HirTimelineView *self, const HirTimelineRow *row, GArray *tracks)
{
  if (!row->is_header)
    g_array_append_val (tracks, row->track);
  for (guint i = 0; row->is_header && i < self->rows->all->len; i++)
    {
      const HirTimelineRow *other = &g_array_index (self->rows->all, HirTimelineRow, i);

      if (!other->is_header && other->rank == row->rank &&
          !hir_timeline_rows_get_flag (self->rows, other->track, HIR_TRACK_HIDDEN))
        g_array_append_val (tracks, other->track);
    }
}

/* Adds the rows from index @first to @last, in any order. The header of a rank adds its tracks if
 * they have no rows, or if no other row is given. */
static void
add_rows (HirTimelineView *self, guint first, guint last, GArray *tracks)
{
  HirTimelineScene scene;
  double top;

  hir_timeline_fill_scene (self, &scene);
  top = HIR_TIMELINE_RULER_HEIGHT + hir_timeline_scene_get_pinned_height (&scene);
  for (guint i = MIN (first, last); i <= MAX (first, last) && i < self->rows->rows->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (self->rows->rows, HirTimelineRow, i);
      gboolean is_end = i == first || i == last;

      /* Rows below the pinned ones are not in the rectangle. */
      if (!is_end && !row->is_pinned && hir_timeline_scene_get_row_y (&scene, row) < top)
        continue;
      if (!row->is_header || first == last ||
          hir_timeline_rows_get_collapsed (self->rows, row->rank))
        add_row (self, row, tracks);
    }
}

int
hir_timeline_find_row (HirTimelineView *self, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;

  if (y < HIR_TIMELINE_RULER_HEIGHT)
    return -1;
  hir_timeline_fill_scene (self, &scene);
  row = hir_timeline_scene_get_row_at (&scene, y);
  return row != NULL ? (int) (row - &g_array_index (self->rows->rows, HirTimelineRow, 0)) : -1;
}

void
hir_timeline_drag_tracks (HirTimelineView *self, double y)
{
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (guint));
  int last;

  if (self->band_row < 0)
    return;
  /* Above and below the rows, the rectangle ends at the first or last one. */
  last = hir_timeline_find_row (self, MAX (y, HIR_TIMELINE_RULER_HEIGHT));
  add_rows (self, (guint) self->band_row,
            last >= 0 ? (guint) last : MAX (self->rows->rows->len, 1) - 1, tracks);
  hir_selection_set_tracks (self->selection, hir_track_set_new_take (tracks));
}

/* Returns the selected tracks, to be changed. */
static GArray *
dup_tracks (HirTimelineView *self)
{
  GArray *tracks = hir_selection_get_tracks (self->selection);

  return tracks != NULL ? g_array_copy (tracks) : g_array_new (FALSE, FALSE, sizeof (guint));
}

gboolean
hir_timeline_is_chosen (HirTimelineView *self, const HirTimelineRow *row)
{
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (guint));
  const GArray *chosen = hir_selection_get_tracks (self->selection);

  add_row (self, row, tracks);
  for (guint i = 0; i < tracks->len; i++)
    if (chosen == NULL || !hir_track_set_has (chosen, g_array_index (tracks, guint, i)))
      return FALSE;
  return tracks->len > 0;
}

void
hir_timeline_toggle_chosen (HirTimelineView *self, const HirTimelineRow *row)
{
  g_autoptr (GArray) of_row = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) before = dup_tracks (self);
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (guint));

  add_row (self, row, of_row);
  hir_track_set_new_take (of_row);
  for (guint i = 0; i < before->len; i++)
    if (!hir_track_set_has (of_row, g_array_index (before, guint, i)))
      g_array_append_val (tracks, g_array_index (before, guint, i));
  if (!hir_timeline_is_chosen (self, row))
    g_array_append_vals (tracks, of_row->data, of_row->len);
  hir_selection_set_tracks (self->selection, hir_track_set_new_take (tracks));
}

void
hir_timeline_choose_to (HirTimelineView *self, guint from, guint to)
{
  g_autoptr (GArray) tracks = dup_tracks (self);

  add_rows (self, from, to, tracks);
  hir_selection_set_tracks (self->selection, hir_track_set_new_take (tracks));
}
