/* Draws the critical path through the bars, and shades lost time behind them. The cost depends on
 * the pixels, not on the length of the path. */
#pragma once

#include "draw/timeline/timeline-scene.h"
#include "explain/explain.h"

G_BEGIN_DECLS

/* Returns the color of the shades of @kind, for legends. */
HirColor hir_timeline_span_get_color (const HirTheme *theme, HirSpanKind kind);
/* Shades lost time in the row of a track at @y of the view; in the header of a rank, as a strip. */
void hir_timeline_spans_draw (const HirTimelineScene *scene,
                              HirDisplayList *list,
                              const HirTimelineRow *row,
                              double y);
/* Draws a piece of the path in the middle of @rect, for legends. */
void hir_timeline_path_draw_sample (const HirTheme *theme, HirDisplayList *list, HirRect rect);
/* Draws the path over all rows, with gaps at the labels that it would cross. Call after the rows
 * and their labels are drawn. */
void hir_timeline_path_draw (const HirTimelineScene *scene, HirDisplayList *list);

G_END_DECLS
