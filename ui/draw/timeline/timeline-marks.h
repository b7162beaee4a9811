/* Named marks of times on the ruler. */
#pragma once

#include "draw/timeline/timeline-scene.h"

G_BEGIN_DECLS

/* In the lower half of the ruler. */
#define HIR_TIMELINE_FLAG_HEIGHT 13.0

/* Draws a line through all tracks and a flag with the name for each of the scene's marks. */
void hir_timeline_marks_draw (const HirTimelineScene *scene, HirDisplayList *list);
/* Returns the index of the mark whose flag is at pixel (@x, @y), or -1. */
int hir_timeline_marks_find (const HirTimelineScene *scene, double x, double y);

/* Returns whether a flag covers a part of the pixels [@from, @to) of the ruler. */
gboolean hir_timeline_marks_cover (const HirTimelineScene *scene, double from, double to);

G_END_DECLS
