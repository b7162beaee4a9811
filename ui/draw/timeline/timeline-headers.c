#include "draw/timeline/timeline-headers.h"

#include "draw/timeline/timeline-arrange.h"
#include "draw/timeline/timeline-counter.h"
#include "draw/timeline/timeline-summary.h"
#include "draw/timeline/timeline-tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_PX 11.5
#define NOTE_PX 10.0
#define LABEL_X 22.0

/* Returns a text such as "#18" if the name does not contain the stream number. */
static char *
dup_note (const HirTrack *track)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, track->stream);

  if (track->kind != HIR_TRACK_STREAM || track->stream < 0 || track->stream == HIR_DEFAULT_STREAM ||
      strstr (track->name, number) != NULL)
    return NULL;
  return g_strdup_printf ("#%s", number);
}

/* Returns the name of a rank; in a comparison of two traces (analysis/compare.h), with the
 * trace. */
static char *
dup_rank_name (const HirTimelineRows *rows, int rank)
{
  const char *ranks_of_a = hir_trace_get_meta (rows->trace, "ranks_of_a");
  int n = ranks_of_a != NULL ? atoi (ranks_of_a) : 0;
  const char *name;

  if (ranks_of_a == NULL)
    return g_strdup_printf ("rank %d", rank);
  name = hir_trace_get_meta (rows->trace, rank < n ? "name_of_a" : "name_of_b");
  return g_strdup_printf ("%s%s%s \302\267 rank %d", rank < n ? "A" : "B", name != NULL ? " " : "",
                          name != NULL ? name : "", rank < n ? rank : rank - n);
}

/* Returns a text such as "GPU 3" or "CPU", or NULL if the trace does not name the device. */
static char *
dup_device_name (const HirTimelineRows *rows, const HirTimelineRow *row)
{
  const char *backend = hir_trace_get_meta (rows->trace, "backend");

  if (g_strcmp0 (backend, "cpu") == 0)
    return g_strdup ("CPU");
  if (backend == NULL || *backend == '\0')
    return NULL;
  return g_strdup_printf ("GPU %d", row->device);
}

double
hir_timeline_scene_get_header_width (const HirTimelineRows *rows, HirMeasure *measure)
{
  double width = 90;

  for (guint i = 0; i < rows->all->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->all, HirTimelineRow, i);
      g_autofree char *name = NULL, *note = NULL;
      double label;

      if (row->is_header)
        {
          name = dup_rank_name (rows, row->rank);
          note = dup_device_name (rows, row);
          label = hir_measure_get_width (measure, HIR_FONT_SANS_BOLD, LABEL_PX, name);
        }
      else
        {
          const HirTrack *track = hir_trace_get_track (rows->trace, row->track);

          note = dup_note (track);
          label = hir_measure_get_width (measure, HIR_FONT_SANS, LABEL_PX, track->name);
          if (track->kind == HIR_TRACK_COUNTER)
            label += HIR_TIMELINE_COUNTER_NOTE;
        }
      if (note != NULL)
        label += 10 + hir_measure_get_width (measure, HIR_FONT_SANS, NOTE_PX, note);
      width = MAX (width, label + LABEL_X + 12);
    }
  return ceil (MIN (width, 220));
}

static void
draw_triangle (const HirTimelineScene *scene,
               HirDisplayList *list,
               double middle,
               gboolean folded,
               HirColor color)
{
  float x = 9, y = (float) middle;
  const HirPoint open[3] = { { x, y - 2.5f }, { x + 8, y - 2.5f }, { x + 4, y + 3 } };
  const HirPoint closed[3] = { { x + 1, y - 4 }, { x + 6.5f, y }, { x + 1, y + 4 } };

  hir_display_list_add_polygon (list, folded ? closed : open, 3, color);
}

void
hir_timeline_headers_draw_rank (const HirTimelineScene *scene,
                                HirDisplayList *list,
                                const HirTimelineRow *row,
                                double y)
{
  const HirTheme *theme = scene->theme;
  gboolean folded = hir_timeline_rows_get_collapsed (scene->rows, row->rank);
  guint n_hidden = hir_timeline_rows_get_n_hidden (scene->rows, row->rank);
  const char *device = hir_trace_get_meta (scene->rows->trace, "device_name");
  g_autofree char *name = dup_rank_name (scene->rows, row->rank);
  g_autofree char *note = dup_device_name (scene->rows, row);
  double x = scene->exact ? 9 : LABEL_X;
  double tools = hir_timeline_tools_get_width (scene, row);
  double end = folded ? scene->header_width - MAX (tools, 6) : scene->width - 8;
  double width = hir_measure_get_width (scene->measure, HIR_FONT_SANS_BOLD, LABEL_PX, name) + 1;

  hir_display_list_add_rect (list, hir_rect (0, y + 1, scene->width, row->height - 2),
                             theme->panel);
  if (!scene->exact)
    draw_triangle (scene, list, y + row->height / 2, folded, theme->text);
  hir_display_list_add_text (list, hir_rect (x, y, MIN (width, end - x), row->height), name,
                             HIR_FONT_SANS_BOLD, LABEL_PX, theme->text, HIR_ALIGN_START);
  x += width + 8;
  if (note != NULL && device != NULL && !folded)
    {
      char *longer = g_strdup_printf ("%s · %s", note, device);

      g_free (note);
      note = longer;
    }
  if (n_hidden > 0 && !folded)
    {
      char *longer = g_strdup_printf ("%s%s%u hidden", note != NULL ? note : "",
                                      note != NULL ? " · " : "", n_hidden);

      g_free (note);
      note = longer;
    }
  if (note != NULL && end - x > 12)
    hir_display_list_add_text (list, hir_rect (x, y, end - x, row->height), note, HIR_FONT_SANS,
                               NOTE_PX, theme->dim_text, HIR_ALIGN_START);
  if (folded)
    hir_timeline_summary_draw (scene, list, row, y);
}

/* Includes the rank in the name of a pinned track. */
static char *
dup_track_name (const HirTimelineScene *scene, const HirTimelineRow *row, const HirTrack *track)
{
  if (!row->is_pinned || hir_timeline_rows_get_n_ranks (scene->rows) < 2)
    return g_strdup (track->name);
  return g_strdup_printf ("r%d %s", row->rank, track->name);
}

void
hir_timeline_headers_draw_track (const HirTimelineScene *scene,
                                 HirDisplayList *list,
                                 const HirTimelineRow *row,
                                 double y)
{
  const HirTrack *track = hir_trace_get_track (scene->rows->trace, row->track);
  g_autofree char *note = row->is_folded ? NULL : dup_note (track);
  g_autofree char *name = dup_track_name (scene, row, track);
  double tools = hir_timeline_tools_get_width (scene, row);
  double room = scene->header_width - LABEL_X - 8;

  if (row->is_pinned)
    hir_display_list_add_round_rect (list, hir_rect (10, y + row->height / 2 - 3, 6, 6), 3,
                                     scene->theme->accent, 0, 0, HIR_DASH_NONE);
  else if (!scene->exact &&
           (row->is_folded || hir_trace_get_n_lanes (scene->rows->trace, row->track) > 1))
    draw_triangle (scene, list, y + MIN (row->height, 22) / 2, row->is_folded,
                   scene->theme->dim_text);
  if (note != NULL && tools == 0)
    {
      double width = hir_measure_get_width (scene->measure, HIR_FONT_SANS, NOTE_PX, note) + 1;

      hir_display_list_add_text (list,
                                 hir_rect (scene->header_width - 8 - width, y, width, row->height),
                                 note, HIR_FONT_SANS, NOTE_PX, scene->theme->dim_text,
                                 HIR_ALIGN_END);
      room -= width + 8;
    }
  if (track->kind == HIR_TRACK_COUNTER && tools == 0)
    {
      hir_timeline_counter_draw_scale (scene, list, row, y);
      room -= row->is_folded ? 0 : HIR_TIMELINE_COUNTER_NOTE;
    }
  /* The tools need space while the pointer is over the label. The tooltip has the full name. */
  room = MIN (room, scene->header_width - LABEL_X - tools);
  hir_display_list_add_text (list, hir_rect (LABEL_X, y, room, row->height), name, HIR_FONT_SANS,
                             row->is_folded ? NOTE_PX : LABEL_PX,
                             row->is_folded ? scene->theme->dim_text : scene->theme->text,
                             HIR_ALIGN_START);
}
