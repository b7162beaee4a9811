/* Draws the value of a tensor: a histogram, a heat map in the same colors, and a page of numbers.
 * Fits any width. Hits are cells of the map. */
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
  int current; /* hovered cell, or -1 */
} HirValueScene;

/* Returns the height in pixels. The theme and the hovered cell may be unset. */
double hir_value_scene_get_height (const HirValueScene *scene);
/* Draws the scene at (0, 0). */
void hir_value_scene_draw (const HirValueScene *scene, HirDisplayList *list);
/* Returns the cell next to @current (-1: none) in the direction of an arrow key, or @current if
 * there is none. */
int hir_value_scene_step (const HirValueScene *scene, int current, int dx, int dy);
/* Returns a text such as "rows 0 to 3, column 5: mean 0.25" (transfer full). */
char *hir_value_scene_dup_text (const HirValueScene *scene, int cell);
/* Returns the first row and column of the table in @cell. */
void hir_value_scene_get_place (const HirValueScene *scene, int cell, gint64 *row, gint64 *column);
/* Returns how many columns of the page fit completely and are drawn. */
guint hir_value_scene_get_n_columns (const HirValueScene *scene);
/* Returns the color of @value on the scale from @min to @max, with two hues if zero is between
 * them. NaN gives the color of values that are not finite. */
HirColor hir_value_scene_get_color (const HirTheme *theme, double value, double min, double max);

G_END_DECLS
