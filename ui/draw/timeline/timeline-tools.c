#include "draw/timeline/timeline-tools.h"

#define TOOL_WIDTH 20.0
#define END 3.0 /* distance from the last tool to the plot */
#define MOST_HEIGHT 22.0

static gboolean
is_hovered (const HirTimelineScene *scene, const HirTimelineRow *row)
{
  return scene->has_hovered_label && scene->hovered_label_is_header == row->is_header &&
         (row->is_header ? scene->hovered_rank == row->rank
                         : scene->hovered_label_track == row->track);
}

/* Returns the left edge of the @nth tool from the right. */
static double
get_left (const HirTimelineScene *scene, guint nth)
{
  return scene->header_width - END - TOOL_WIDTH * (nth + 1);
}

HirTimelineTool
hir_timeline_tools_get_at (const HirTimelineScene *scene, const HirTimelineRow *row, double x)
{
  if (x >= scene->header_width || x < get_left (scene, 1))
    return HIR_TIMELINE_NO_TOOL;
  if (x >= get_left (scene, 0))
    return HIR_TIMELINE_MENU_TOOL;
  return row->is_header ? HIR_TIMELINE_NO_TOOL : HIR_TIMELINE_PIN_TOOL;
}

double
hir_timeline_tools_get_width (const HirTimelineScene *scene, const HirTimelineRow *row)
{
  if (!is_hovered (scene, row))
    return 0;
  return scene->header_width - get_left (scene, row->is_header ? 0 : 1) + 2;
}

static void
draw_dots (HirDisplayList *list, double x, double y, HirColor color)
{
  for (int i = -1; i <= 1; i++)
    hir_display_list_add_round_rect (list, hir_rect (x - 1.5, y - 1.5 + 5 * i, 3, 3), 1.5, color, 0,
                                     0, HIR_DASH_NONE);
}

/* Draws a pin in side view. */
static void
draw_pin (HirDisplayList *list, double x, double y, HirColor color)
{
  hir_display_list_add_rect (list, hir_rect (x - 3, y - 6, 6, 2), color);
  hir_display_list_add_rect (list, hir_rect (x - 2, y - 4, 4, 4), color);
  hir_display_list_add_rect (list, hir_rect (x - 4, y, 8, 2), color);
  hir_display_list_add_rect (list, hir_rect (x - 0.5, y + 2, 1, 4), color);
}

void
hir_timeline_tools_draw (const HirTimelineScene *scene,
                         HirDisplayList *list,
                         const HirTimelineRow *row,
                         double y)
{
  const HirTheme *theme = scene->theme;
  double height = MIN (row->height, MOST_HEIGHT), middle = y + height / 2;

  if (!is_hovered (scene, row))
    return;
  for (guint nth = 0; nth < (row->is_header ? 1 : 2); nth++)
    {
      HirTimelineTool tool = nth == 0 ? HIR_TIMELINE_MENU_TOOL : HIR_TIMELINE_PIN_TOOL;
      double x = get_left (scene, nth);
      gboolean is_lit = scene->hovered_tool == (guint) tool;
      HirColor color = is_lit ? theme->text : theme->dim_text;

      /* Text of a rank header may continue below the tools. */
      if (row->is_header)
        hir_display_list_add_rect (list, hir_rect (x - 2, y + 1, TOOL_WIDTH + 2, height - 2),
                                   theme->panel);
      if (is_lit)
        hir_display_list_add_round_rect (list, hir_rect (x, y + 1, TOOL_WIDTH, height - 2), 4,
                                         hir_color_fade (theme->text, 0.14), 0, 0, HIR_DASH_NONE);
      if (tool == HIR_TIMELINE_MENU_TOOL)
        draw_dots (list, x + TOOL_WIDTH / 2, middle, color);
      else
        draw_pin (list, x + TOOL_WIDTH / 2, middle, row->is_pinned ? theme->accent : color);
    }
}
