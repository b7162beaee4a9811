/* What the label of a row offers to a pointer that is over it: a pin and a menu, drawn at its right
 * end. Internal to the timeline's picture and its input. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_TIMELINE_NO_TOOL,
  HIR_TIMELINE_PIN_TOOL, /* pins the track above all, or takes it down; ranks have none */
  HIR_TIMELINE_MENU_TOOL,
} HirTimelineTool;

/* Of the label of @row, at @x pixels from the view's left. */
HirTimelineTool
hir_timeline_tools_get_at (const HirTimelineScene *scene, const HirTimelineRow *row, double x);
/* What they take of the label's room; 0 where @row is not the one that the pointer is over. */
double hir_timeline_tools_get_width (const HirTimelineScene *scene, const HirTimelineRow *row);
/* @y: of the row, in the view. Nothing where the pointer is elsewhere. */
void hir_timeline_tools_draw (const HirTimelineScene *scene,
                              HirDisplayList *list,
                              const HirTimelineRow *row,
                              double y);

G_END_DECLS
