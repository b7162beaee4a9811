/* Named marks of times on the ruler. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* Draws a line through all tracks and a flag with the name for each of the scene's marks. */
void hir_timeline_marks_draw (const HirTimelineScene *scene, HirDisplayList *list);
/* Returns the index of the mark whose flag is at pixel (@x, @y), or -1. */
int hir_timeline_marks_find (const HirTimelineScene *scene, double x, double y);

G_END_DECLS
