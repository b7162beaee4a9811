/* The picture of a tensor's value: a histogram whose bars have the colours of the map below it, the map, and a
 * page of numbers. Fits any width. Hits are cells of the map. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"
#include "run/values/value-summary.h"

G_BEGIN_DECLS

typedef struct
{
  const HirValueSummary *summary;
  const HirTheme *theme;
  HirMeasure *measure;
  double width;
  int current; /* a cell that is pointed at, or -1 */
} HirValueScene;

/* In pixels. Theme and current may be unset. */
double hir_value_scene_get_height (const HirValueScene *scene);
/* From (0, 0) downwards. */
void hir_value_scene_draw (const HirValueScene *scene, HirDisplayList *list);
/* The cell beside @current (-1: none) in the direction of an arrow key; @current where there is none. */
int hir_value_scene_step (const HirValueScene *scene, int current, int dx, int dy);
/* "rows 0 to 3, column 5: mean 0.25". Newly allocated. */
char *hir_value_scene_dup_text (const HirValueScene *scene, int cell);
/* The first row and column of the table that are in @cell. */
void hir_value_scene_get_place (const HirValueScene *scene, int cell, gint64 *row, gint64 *column);
/* How many columns of the page are whole in the width: those that are drawn. */
guint hir_value_scene_get_n_columns (const HirValueScene *scene);
/* The colour of @value on the scale from @min to @max: from both sides of zero where it lies between, else of one hue.
 * NaN: that of what is not finite. */
HirColor hir_value_scene_get_color (const HirTheme *theme, double value, double min, double max);

G_END_DECLS
