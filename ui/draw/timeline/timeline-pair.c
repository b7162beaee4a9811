#include "draw/timeline/timeline-pair.h"

#include "draw/timeline/timeline-links.h"
#include "draw/timeline/timeline-scene.h"

#include <math.h>

#define FRAME 2.5
#define MIN_WIDTH 3.0 /* of a bar, for visibility */
#define LABEL_WIDTH 68.0
#define LABEL_HEIGHT 18.0
#define NOTE_SIZE 12.0

static void
get_interval (const HirTrace *trace, HirEventRef at, gint64 *start_ns, gint64 *end_ns)
{
  hir_trace_get_interval (trace, at.track, at.index, start_ns, end_ns);
}

/* Takes the nearest pair of events with equal indices. Both have the same number of events, for
 * example repetitions or kernels. */
static void
choose_nearest (HirTimelinePair *pair, const HirTrace *trace, GArray *const *found)
{
  gint64 nearest_ns = G_MAXINT64;

  for (guint i = 0; i < found[0]->len; i++)
    {
      HirEventRef a = g_array_index (found[0], HirEventRef, i);
      HirEventRef b = g_array_index (found[1], HirEventRef, i);
      gint64 a_start_ns, a_end_ns, b_start_ns, b_end_ns;

      get_interval (trace, a, &a_start_ns, &a_end_ns);
      get_interval (trace, b, &b_start_ns, &b_end_ns);
      if (b_start_ns - a_end_ns >= nearest_ns)
        continue;
      nearest_ns = b_start_ns - a_end_ns;
      pair->at[0] = a;
      pair->at[1] = b;
    }
}

gboolean
hir_timeline_pair_find (HirTimelinePair *pair,
                        const HirTrace *trace,
                        const HirTraceInstance *instances)
{
  GArray *found[2];

  *pair = (HirTimelinePair){ 0 };
  for (guint i = 0; i < 2; i++)
    {
      pair->is_asked_for[i] = instances[i].instruction != 0 && !instances[i].is_caller;
      found[i] = trace != NULL ? hir_trace_dup_instance_events (trace, &instances[i])
                               : g_array_new (FALSE, FALSE, sizeof (HirEventRef));
      pair->has[i] = found[i]->len > 0;
      if (pair->has[i])
        pair->at[i] = g_array_index (found[i], HirEventRef, 0);
    }
  if (pair->has[0] && found[0]->len == found[1]->len)
    choose_nearest (pair, trace, found);
  g_array_unref (found[0]);
  g_array_unref (found[1]);
  return pair->has[0] || pair->has[1];
}

const char *
hir_timeline_pair_get_note (const HirTimelinePair *pair)
{
  gboolean lacks[2];

  for (guint i = 0; i < 2; i++)
    lacks[i] = pair->is_asked_for[i] && !pair->has[i];
  if (lacks[0] && lacks[1])
    return "This recording contains neither of the two unordered operations";
  if (lacks[0])
    return "This recording does not contain the first of the two operations";
  return lacks[1] ? "This recording does not contain the second of the two operations" : NULL;
}

static void
draw_edge (const HirTimelineScene *scene, HirDisplayList *list, HirRect a, HirRect b)
{
  HirColor color = scene->theme->removed;
  HirPoint curve[4], middle;
  float bend, dx, dy;

  curve[0] = (HirPoint){ a.x + a.width, a.y + a.height / 2 };
  curve[3] = (HirPoint){ b.x, b.y + b.height / 2 };
  dx = fabsf (curve[3].x - curve[0].x);
  dy = fabsf (curve[3].y - curve[0].y);
  bend = CLAMP (dx * 0.4f, 12, 80);
  curve[1] = (HirPoint){ curve[0].x + bend, curve[0].y };
  curve[2] = (HirPoint){ curve[3].x - bend, curve[3].y };
  hir_display_list_add_bezier (list, curve, 4, color, 2.2, HIR_DASH_DASHED);
  hir_display_list_add_arrow (list, curve[2], curve[3], 9, color);
  /* Omit the label if it would hide a bar. */
  if (dx < LABEL_WIDTH + 24 && dy < 2 * LABEL_HEIGHT + a.height)
    return;
  middle = (HirPoint){ (curve[0].x + curve[3].x) / 2, (curve[0].y + curve[3].y) / 2 };
  hir_display_list_add_round_rect (list,
                                   hir_rect (middle.x - LABEL_WIDTH / 2,
                                             middle.y - LABEL_HEIGHT / 2, LABEL_WIDTH,
                                             LABEL_HEIGHT),
                                   LABEL_HEIGHT / 2, color, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_text (list,
                             hir_rect (middle.x - LABEL_WIDTH / 2, middle.y - LABEL_HEIGHT / 2,
                                       LABEL_WIDTH, LABEL_HEIGHT),
                             "no order", HIR_FONT_SANS_BOLD, 11, hir_theme_get_ink (color),
                             HIR_ALIGN_CENTER);
}

static void
draw_note (const HirTimelineScene *scene, HirDisplayList *list, const char *note)
{
  double width = hir_measure_get_width (scene->measure, HIR_FONT_SANS, NOTE_SIZE, note) + 24;
  HirRect rect = hir_rect (scene->width - width - 10, scene->height - 32, width, 24);

  hir_display_list_add_round_rect (list, rect, 12, scene->theme->panel, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_text (list, rect, note, HIR_FONT_SANS, NOTE_SIZE, scene->theme->dim_text,
                             HIR_ALIGN_CENTER);
}

void
hir_timeline_pair_draw (const HirTimelineScene *scene, HirDisplayList *list)
{
  const HirTimelinePair *pair = scene->pair;
  const char *note = pair != NULL ? hir_timeline_pair_get_note (pair) : NULL;
  gboolean is_shown[2] = { FALSE, FALSE };
  HirRect rects[2];

  for (guint i = 0; pair != NULL && i < 2; i++)
    {
      is_shown[i] = pair->has[i] && hir_timeline_links_get_place (scene, pair->at[i].track,
                                                                  pair->at[i].index, &rects[i]);
      if (!is_shown[i])
        continue;
      rects[i].width = MAX (rects[i].width, MIN_WIDTH);
      hir_display_list_add_round_rect (list,
                                       hir_rect (rects[i].x - FRAME, rects[i].y - FRAME,
                                                 rects[i].width + 2 * FRAME,
                                                 rects[i].height + 2 * FRAME),
                                       4, 0, scene->theme->removed, 2, HIR_DASH_NONE);
    }
  if (is_shown[0] && is_shown[1])
    draw_edge (scene, list, rects[0], rects[1]);
  if (note != NULL)
    draw_note (scene, list, note);
}
