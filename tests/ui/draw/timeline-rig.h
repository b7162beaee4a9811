/* Creates a trace, its rows and a scene for tests of timeline drawings. */
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

/* Shows all of @trace (taken) in the dark theme, RIG_WIDTH wide, high enough for all rows, with
 * @header_width for names. */
void timeline_rig_set_up (TimelineRig *rig, HirTrace *trace, double header_width);
void timeline_rig_tear_down (TimelineRig *rig);
/* Draws the scene again. */
void timeline_rig_draw (TimelineRig *rig);
/* Returns whether one of the texts of @list equals @text. */
gboolean list_has_text (const HirDisplayList *list, const char *text);
