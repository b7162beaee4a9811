/* Draws the tools of a row's label while the pointer is over it: a pin and a menu, at its right
 * end. Internal to the timeline and its input. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_TIMELINE_NO_TOOL,
  HIR_TIMELINE_PIN_TOOL, /* pins the track above all ranks, or unpins it; not for ranks */
  HIR_TIMELINE_MENU_TOOL,
} HirTimelineTool;

/* Returns the tool of the label of @row at @x of the view. */
HirTimelineTool
hir_timeline_tools_get_at (const HirTimelineScene *scene, const HirTimelineRow *row, double x);
/* Returns the width that the tools take from the label; 0 if the pointer is not over @row. */
double hir_timeline_tools_get_width (const HirTimelineScene *scene, const HirTimelineRow *row);
/* Draws the tools of the row at @y of the view, if the pointer is over it. */
void hir_timeline_tools_draw (const HirTimelineScene *scene,
                              HirDisplayList *list,
                              const HirTimelineRow *row,
                              double y);

G_END_DECLS
