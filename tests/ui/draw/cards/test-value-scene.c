/* Tests the drawing of a value: colors of the scale, cells of the map and their texts, arrow keys,
 * and the number of columns. */
#include "draw/cards/value-scene.h"

#include <math.h>
#include <string.h>

#include "draw/measure.h"

#define WIDTH 240.0

static HirValueSummary *
make_summary (guint rows, guint columns, guint map_rows, guint map_columns)
{
  HirValueSummary *summary = g_new0 (HirValueSummary, 1);
  guint n = map_rows * map_columns;

  summary->dtype = HIR_DTYPE_FLOAT;
  summary->n_dims = 2;
  summary->sizes[0] = summary->n_rows = rows;
  summary->sizes[1] = summary->n_columns = columns;
  summary->strides[0] = columns;
  summary->strides[1] = 1;
  summary->at[0] = summary->at[1] = -1;
  summary->min = -2;
  summary->max = 4;
  for (guint i = 0; i < HIR_VALUE_N_BINS; i++)
    summary->bins[i] = i;
  summary->map_rows = map_rows;
  summary->map_columns = map_columns;
  summary->map = g_new0 (double, n + 1);
  for (guint i = 0; i < n; i++)
    summary->map[i] = i % 7 == 3 ? NAN : -2 + 6.0 * i / n;
  summary->page_rows = MIN (rows, 4);
  summary->page_columns = MIN (columns, 8);
  summary->page = g_new0 (char *, summary->page_rows * summary->page_columns + 1);
  for (guint i = 0; i < summary->page_rows * summary->page_columns; i++)
    summary->page[i] = g_strdup (i == 1 ? "nan" : "-0.123456");
  return summary;
}

static double
get_green (HirColor color)
{
  return (color >> 8) & 0xff;
}

static void
test_colors (gconstpointer data)
{
  const HirTheme *theme = hir_theme_get (GPOINTER_TO_INT (data));
  HirColor zero = hir_value_scene_get_color (theme, 0, -2, 4);
  HirColor broken = hir_value_scene_get_color (theme, NAN, -2, 4);

  /* Positive and negative values have different hues. Values out of range have the color of the
   * end. */
  g_assert_cmphex (hir_value_scene_get_color (theme, -2, -2, 2), !=,
                   hir_value_scene_get_color (theme, 2, -2, 2));
  g_assert_cmphex (hir_value_scene_get_color (theme, 9, -2, 2), ==,
                   hir_value_scene_get_color (theme, 2, -2, 2));
  for (double v = 0.5; v <= 4; v += 0.5)
    {
      double near = hir_color_contrast (hir_value_scene_get_color (theme, v - 0.5, -2, 4), zero);

      g_assert_cmpfloat (hir_color_contrast (hir_value_scene_get_color (theme, v, -2, 4), zero), >=,
                         near);
    }
  g_assert_cmphex (broken, ==, hir_value_scene_get_color (theme, INFINITY, 0, 1));
  for (double v = -2; v <= 4; v += 0.25)
    g_assert_cmphex (hir_value_scene_get_color (theme, v, -2, 4), !=, broken);
  /* A single value, and the largest range of doubles. */
  g_assert_cmphex (hir_value_scene_get_color (theme, 3, 3, 3) >> 24, ==, 0xff);
  g_assert_cmpfloat (get_green (
                         hir_value_scene_get_color (theme, G_MAXDOUBLE, -G_MAXDOUBLE, G_MAXDOUBLE)),
                     <, 256);
  g_assert_cmphex (hir_value_scene_get_color (theme, 0, -G_MAXDOUBLE, G_MAXDOUBLE), ==, zero);
}

static void
test_cells (void)
{
  g_autoptr (HirValueSummary) summary = make_summary (100, 30, 12, 10);
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  HirMeasure *measure = hir_measure_new ();
  HirValueScene scene = { summary, hir_theme_get (TRUE), measure, WIDTH, -1 };
  double height = hir_value_scene_get_height (&scene);
  gint64 row, column;

  hir_value_scene_draw (&scene, list);
  g_assert_cmpuint (list->hits->len, ==, 120);
  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      g_assert_cmpfloat (item->rect.y + item->rect.height, <=, height + 1);
      g_assert_cmpfloat (item->rect.x + item->rect.width, <=, WIDTH + 1);
    }
  /* The positions of the cells cover the table row by row without a gap. */
  for (int cell = 0; cell < 120; cell++)
    {
      const HirHit *hit = &g_array_index (list->hits, HirHit, cell);

      g_assert_true (hir_display_list_get_hit (list, hit->rect.x + hit->rect.width / 2,
                                               hit->rect.y + hit->rect.height / 2) == hit);
      hir_value_scene_get_place (&scene, cell, &row, &column);
      g_assert_cmpint (row * 12 / 100, ==, cell / 10);
      g_assert_cmpint (column * 10 / 30, ==, cell % 10);
      g_assert_true (row == 0 || (row - 1) * 12 / 100 == cell / 10 - 1);
    }
  hir_measure_free (measure);
}

static void
test_words (void)
{
  g_autoptr (HirValueSummary) summary = make_summary (100, 30, 12, 10);
  g_autoptr (HirValueSummary) small = make_summary (2, 3, 2, 3);
  HirValueScene scene = { summary, NULL, NULL, WIDTH, -1 };
  HirValueScene each = { small, NULL, NULL, WIDTH, -1 };
  g_autofree char *first = hir_value_scene_dup_text (&scene, 0);
  g_autofree char *none = hir_value_scene_dup_text (&scene, -1);
  g_autofree char *beyond = hir_value_scene_dup_text (&scene, 120);
  g_autofree char *one = hir_value_scene_dup_text (&each, 4);
  g_autofree char *all = hir_value_scene_dup_text (&each, -1);

  g_assert_true (g_str_has_prefix (first, "rows 0 to 8, columns 0 to 2"));
  g_assert_nonnull (strstr (first, "-2"));
  g_assert_cmpstr (none, ==, "each cell shows a mean");
  g_assert_cmpstr (beyond, ==, none);
  g_assert_true (g_str_has_prefix (one, "row 1, column 1"));
  g_assert_cmpstr (all, ==, "each element");
}

static void
test_steps (void)
{
  g_autoptr (HirValueSummary) summary = make_summary (6, 4, 6, 4);
  g_autoptr (HirValueSummary) none = make_summary (0, 4, 0, 0);
  HirValueScene scene = { summary, NULL, NULL, WIDTH, -1 };
  HirValueScene empty = { none, NULL, NULL, WIDTH, -1 };

  g_assert_cmpint (hir_value_scene_step (&scene, -1, 1, 0), ==, 0);
  g_assert_cmpint (hir_value_scene_step (&scene, 0, 1, 0), ==, 1);
  g_assert_cmpint (hir_value_scene_step (&scene, 0, 0, 1), ==, 4);
  g_assert_cmpint (hir_value_scene_step (&scene, 3, 1, 0), ==, 3);
  g_assert_cmpint (hir_value_scene_step (&scene, 0, 0, -1), ==, 0);
  g_assert_cmpint (hir_value_scene_step (&scene, 23, 0, 1), ==, 23);
  g_assert_cmpint (hir_value_scene_step (&empty, -1, 1, 0), ==, -1);
}

/* As many columns of numbers as fit completely, but at least one and not more than exist. */
static void
test_columns (void)
{
  g_autoptr (HirValueSummary) summary = make_summary (10, 30, 10, 30);
  HirMeasure *measure = hir_measure_new ();
  guint before = 0;

  for (double width = 20; width < 1500; width += 40)
    {
      HirValueScene scene = { summary, hir_theme_get (TRUE), measure, width, -1 };
      guint n = hir_value_scene_get_n_columns (&scene);

      g_assert_cmpuint (n, >=, MAX (before, 1));
      g_assert_cmpuint (n, <=, summary->page_columns);
      before = n;
    }
  g_assert_cmpuint (before, ==, summary->page_columns);
  hir_measure_free (measure);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/value-scene/colors-dark", GINT_TO_POINTER (TRUE), test_colors);
  g_test_add_data_func ("/value-scene/colors-light", GINT_TO_POINTER (FALSE), test_colors);
  g_test_add_func ("/value-scene/cells", test_cells);
  g_test_add_func ("/value-scene/words", test_words);
  g_test_add_func ("/value-scene/steps", test_steps);
  g_test_add_func ("/value-scene/columns", test_columns);
  return g_test_run ();
}
