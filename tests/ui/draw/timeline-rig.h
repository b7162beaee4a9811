/* A trace, its rows, and a scene of them: what the tests of the timeline's pictures draw with. */
#pragma once

#include "draw/timeline/timeline-scene.h"

#define RIG_WIDTH 900

typedef struct
{
  HirTrace *trace;
  HirTimelineRows *rows;
  HirMeasure *measure;
  HirDisplayList *list;
  HirTimelineScene scene;
} TimelineRig;

/* The whole of @trace, which is taken, dark, RIG_WIDTH wide with room for all rows, of which
 * @header_width for their names. */
void timeline_rig_set_up (TimelineRig *rig, HirTrace *trace, double header_width);
void timeline_rig_tear_down (TimelineRig *rig);
/* Draws anew. */
void timeline_rig_draw (TimelineRig *rig);
/* Exactly @text is one of the texts of @list. */
gboolean list_has_text (const HirDisplayList *list, const char *text);
