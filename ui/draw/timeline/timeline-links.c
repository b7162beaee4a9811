#include "draw/timeline/timeline-links.h"

#include "draw/timeline/timeline-summary.h"
#include "trace/comm-records.h"
#include "trace/edge.h"

#include <math.h>

/* Larger teams are truncated, because more lines are not readable. */
#define MAX_LINKS 256
#define STUB 36.0f /* length of an arrow with an invisible end */

static void
draw_curve (HirDisplayList *list, const HirPoint *curve, HirColor color)
{
  hir_display_list_add_bezier (list, curve, 4, color, 1.6, HIR_DASH_NONE);
  hir_display_list_add_arrow (list, curve[2], curve[3], 7, color);
}

static void
draw_link (const HirTimelineScene *scene, HirDisplayList *list, const HirTimelineLink *link)
{
  HirRect a, b;
  HirPoint curve[4];
  float bend;

  if (!hir_timeline_scene_get_rect (scene, link->from_track, link->from_index, &a) ||
      !hir_timeline_scene_get_rect (scene, link->to_track, link->to_index, &b))
    return;
  curve[0] = (HirPoint){ a.x + a.width, a.y + a.height / 2 };
  curve[3] = (HirPoint){ b.x, b.y + b.height / 2 };
  /* An arrow from far outside would cross the names of other rows and not show its origin. */
  if (curve[0].x < scene->header_width && curve[3].x > scene->header_width && !scene->exact)
    curve[0] = (HirPoint){ MAX (curve[3].x - STUB, (float) scene->header_width), curve[3].y };
  else if (curve[3].x > scene->width && curve[0].x < scene->width && !scene->exact)
    curve[3] = (HirPoint){ MIN (curve[0].x + STUB, (float) scene->width), curve[0].y };
  bend = CLAMP (fabsf (curve[3].x - curve[0].x) * 0.4f, 8, 60);
  curve[1] = (HirPoint){ curve[0].x + bend, curve[0].y };
  curve[2] = (HirPoint){ curve[3].x - bend, curve[3].y };
  draw_curve (list, curve, scene->theme->link);
}

static void
draw_flows (const HirTimelineScene *scene, HirDisplayList *list)
{
  g_autoptr (GArray) found = NULL;
  const GArray *flows = scene->flows;

  if (!scene->has_selection)
    return;
  if (flows == NULL)
    flows = found = hir_timeline_links_dup_flows (scene->rows->trace, scene->selected_track,
                                                  scene->selected_index);
  for (guint i = 0; i < flows->len; i++)
    draw_link (scene, list, &g_array_index (flows, HirTimelineLink, i));
}

/* Draws arrows from the work that the selected event waited for, and to the work that waited for
 * it. */
static void
draw_waits (const HirTimelineScene *scene, HirDisplayList *list)
{
  g_autoptr (GArray) links = NULL;

  if (!scene->has_selection)
    return;
  links = hir_trace_dup_edge_links (scene->rows->trace, scene->selected_track,
                                    scene->selected_index, MAX_LINKS);
  for (guint i = 0; i < links->len; i++)
    {
      const HirEdgeLink *wait = &g_array_index (links, HirEdgeLink, i);
      const HirTimelineLink link = { wait->from_track, wait->from_index, wait->to_track,
                                     wait->to_index };

      draw_link (scene, list, &link);
    }
}

gboolean
hir_timeline_links_get_place (const HirTimelineScene *scene,
                              guint track,
                              guint index,
                              HirRect *rect)
{
  const HirTimelineRow *row;
  double top, height, x0, x1;
  gint64 start_ns, end_ns;

  if (hir_timeline_scene_get_rect (scene, track, index, rect))
    return TRUE;
  row = hir_timeline_rows_get_header (scene->rows,
                                      hir_trace_get_track (scene->rows->trace, track)->rank);
  if (row == NULL)
    return FALSE;
  hir_trace_get_interval (scene->rows->trace, track, index, &start_ns, &end_ns);
  hir_timeline_summary_get_band (row, TRUE, hir_timeline_scene_get_row_y (scene, row), &top,
                                 &height);
  x0 = CLAMP (hir_timeline_scene_get_x (scene, start_ns), -1e5, 1e5);
  x1 = CLAMP (hir_timeline_scene_get_x (scene, end_ns), -1e5, 1e5);
  *rect = hir_rect (x0, top, MAX (x1 - x0, 1), height);
  return TRUE;
}

/* Draws an arrow from the start of a send to the end of its receive. */
static void
draw_message (HirDisplayList *list, HirRect from, HirRect to, HirColor color)
{
  gboolean down = to.y > from.y;
  HirPoint curve[4];
  float bend;

  curve[0] = (HirPoint){ from.x + MIN (from.width / 2, 6), down ? from.y + from.height : from.y };
  curve[3] = (HirPoint){ to.x + to.width - MIN (to.width / 2, 6), down ? to.y : to.y + to.height };
  bend = CLAMP (fabsf (curve[3].y - curve[0].y) * 0.5f, 8, 80) * (down ? 1 : -1);
  curve[1] = (HirPoint){ curve[0].x, curve[0].y + bend };
  curve[2] = (HirPoint){ curve[3].x, curve[3].y - bend };
  draw_curve (list, curve, color);
}

/* Draws a ribbon between two parts of a collective. Slanted sides show which rank was late. */
static void
draw_ribbon (HirDisplayList *list, HirRect a, HirRect b, HirColor color)
{
  HirRect top = a.y <= b.y ? a : b, bottom = a.y <= b.y ? b : a;
  const HirPoint shape[4] = {
    { top.x, top.y + top.height },
    { top.x + top.width, top.y + top.height },
    { bottom.x + bottom.width, bottom.y },
    { bottom.x, bottom.y },
  };
  const HirPoint left[2] = { shape[0], shape[3] }, right[2] = { shape[1], shape[2] };

  hir_display_list_add_polygon (list, shape, 4, hir_color_fade (color, 0.2));
  hir_display_list_add_polyline (list, left, 2, hir_color_fade (color, 0.9), 1, HIR_DASH_NONE);
  if (top.width > 3 || bottom.width > 3)
    hir_display_list_add_polyline (list, right, 2, hir_color_fade (color, 0.9), 1, HIR_DASH_NONE);
}

static void
draw_partners (
    const HirTimelineScene *scene, HirDisplayList *list, guint track, guint index, HirColor color)
{
  g_autoptr (GArray) refs = hir_trace_dup_partners (scene->rows->trace, track, index, MAX_LINKS);

  for (guint i = 0; i < refs->len; i++)
    {
      const HirEventRef *ref = &g_array_index (refs, HirEventRef, i);
      HirRect rect;

      if (hir_timeline_links_get_place (scene, ref->track, ref->index, &rect))
        hir_display_list_add_round_rect (list,
                                         hir_rect (rect.x - 1, rect.y - 1, MAX (rect.width, 2) + 2,
                                                   rect.height + 2),
                                         3, 0, color, 2, HIR_DASH_NONE);
    }
}

static void
draw_meeting (
    const HirTimelineScene *scene, HirDisplayList *list, guint track, guint index, HirColor color)
{
  g_autoptr (GArray) links = hir_trace_dup_comm_links (scene->rows->trace, track, index, MAX_LINKS);

  for (guint i = 0; i < links->len; i++)
    {
      const HirCommLink *link = &g_array_index (links, HirCommLink, i);
      HirRect from, to;

      if (!hir_timeline_links_get_place (scene, link->from_track, link->from_index, &from) ||
          !hir_timeline_links_get_place (scene, link->to_track, link->to_index, &to))
        continue;
      if (link->is_message)
        draw_message (list, from, to, color);
      else
        draw_ribbon (list, from, to, color);
    }
  draw_partners (scene, list, track, index, color);
}

void
hir_timeline_links_draw (const HirTimelineScene *scene, HirDisplayList *list)
{
  gboolean hovers_selected = scene->has_selection && scene->has_hover &&
                             scene->hovered_track == scene->selected_track &&
                             scene->hovered_index == scene->selected_index;

  draw_flows (scene, list);
  draw_waits (scene, list);
  for (guint i = 0; i < scene->n_links; i++)
    draw_link (scene, list, &scene->links[i]);
  if (scene->has_hover && !hovers_selected)
    draw_meeting (scene, list, scene->hovered_track, scene->hovered_index,
                  hir_color_fade (scene->theme->link, 0.55));
  if (scene->has_selection)
    draw_meeting (scene, list, scene->selected_track, scene->selected_index, scene->theme->link);
}
