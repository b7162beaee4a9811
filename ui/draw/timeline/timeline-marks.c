#include "draw/timeline/timeline-marks.h"

#include <math.h>

#define TEXT_PX 10.0
#define PADDING 4.0
#define MAX_FLAG_PX 120.0

/* Sets *@flag to the flag of mark @i, and *@line_x to the place of its time. The flag is on the
 * left of a time without room on the right. Returns FALSE if the time is not visible. */
static gboolean
get_flag (const HirTimelineScene *scene, guint i, HirRect *flag, float *line_x)
{
  const HirTimelineMark *mark = &g_array_index (scene->marks, HirTimelineMark, i);
  double x = floor (hir_timeline_scene_get_x (scene, mark->time_ns));
  double width =
      MIN (hir_measure_get_width (scene->measure, HIR_FONT_SANS, TEXT_PX, mark->name) + 2 * PADDING,
           MAX_FLAG_PX);

  if (x < scene->header_width || x >= scene->width)
    return FALSE;
  *line_x = (float) x;
  if (x + width > scene->width)
    x = MAX (x + 1 - width, scene->header_width);
  *flag = hir_rect (x, HIR_TIMELINE_RULER_HEIGHT - HIR_TIMELINE_FLAG_HEIGHT, width,
                    HIR_TIMELINE_FLAG_HEIGHT);
  return TRUE;
}

void
hir_timeline_marks_draw (const HirTimelineScene *scene, HirDisplayList *list)
{
  HirRect flag;
  float x;

  for (guint i = 0; scene->marks != NULL && i < scene->marks->len; i++)
    {
      if (!get_flag (scene, i, &flag, &x))
        continue;
      hir_display_list_add_rect (list, hir_rect (x, flag.y, 1, scene->height - flag.y),
                                 scene->theme->changed);
      hir_display_list_add_round_rect (list, flag, 3, scene->theme->background,
                                       scene->theme->changed, 1, HIR_DASH_NONE);
      hir_display_list_add_text (list,
                                 hir_rect (flag.x + PADDING, flag.y, flag.width - 2 * PADDING,
                                           HIR_TIMELINE_FLAG_HEIGHT),
                                 g_array_index (scene->marks, HirTimelineMark, i).name,
                                 HIR_FONT_SANS, TEXT_PX, scene->theme->text, HIR_ALIGN_START);
    }
}

int
hir_timeline_marks_find (const HirTimelineScene *scene, double x, double y)
{
  HirRect flag;
  float line_x;

  /* The last one drawn is on top. */
  for (guint i = scene->marks != NULL ? scene->marks->len : 0; i-- > 0;)
    if (get_flag (scene, i, &flag, &line_x) && x >= flag.x && x < flag.x + flag.width &&
        y >= flag.y && y < flag.y + flag.height)
      return (int) i;
  return -1;
}

gboolean
hir_timeline_marks_cover (const HirTimelineScene *scene, double from, double to)
{
  HirRect flag;
  float line_x;

  for (guint i = 0; scene->marks != NULL && i < scene->marks->len; i++)
    if (get_flag (scene, i, &flag, &line_x) && from < flag.x + flag.width && flag.x < to)
      return TRUE;
  return FALSE;
}
