#include "draw/cards/value-scene.h"

#include <math.h>

#define HISTOGRAM_HEIGHT 40.0
#define LINE_HEIGHT 15.0
#define ROW_HEIGHT 16.0
#define GAP 8.0
#define MAX_CELL 14.0
#define MAX_MAP_HEIGHT 168.0
#define SMALL_PX 10.0
#define NUMBER_PX 11.0
#define COLUMN_GAP 10.0

/* Ends of the color scales, which colorblind people can distinguish. */
#define LOW_DARK 0xff4a8fe7u
#define HIGH_DARK 0xffe8843bu
#define MIDDLE_DARK 0xff2a2a2eu
#define LOW_LIGHT 0xff1f6fd0u
#define HIGH_LIGHT 0xffd2601au
#define MIDDLE_LIGHT 0xfff1f1f3u
#define BROKEN 0xffd635b6u

static guint
mix_channel (HirColor a, HirColor b, double part, guint shift)
{
  double from = (a >> shift) & 0xff, to = (b >> shift) & 0xff;

  return (guint) (from + (to - from) * part + 0.5) << shift;
}

static HirColor
mix (HirColor a, HirColor b, double part)
{
  return 0xff000000u | mix_channel (a, b, part, 16) | mix_channel (a, b, part, 8) |
         mix_channel (a, b, part, 0);
}

HirColor
hir_value_scene_get_color (const HirTheme *theme, double value, double min, double max)
{
  HirColor low = theme->dark ? LOW_DARK : LOW_LIGHT, high = theme->dark ? HIGH_DARK : HIGH_LIGHT;
  HirColor middle = theme->dark ? MIDDLE_DARK : MIDDLE_LIGHT;
  double largest = MAX (fabs (min), fabs (max));

  if (!isfinite (value))
    return BROKEN;
  if (min < 0 && max > 0)
    return mix (middle, value < 0 ? low : high, CLAMP (fabs (value) / largest, 0, 1));
  /* Uses halves, because the width of the largest range exceeds a double. */
  if (!(max > min))
    return mix (middle, low, 0.5);
  return mix (middle, low, 0.1 + 0.9 * CLAMP ((value / 2 - min / 2) / (max / 2 - min / 2), 0, 1));
}

/* Returns the range of the colors, taken from the map, because means of many elements are close
 * together. */
static void
get_range (const HirValueSummary *summary, double *min, double *max)
{
  guint n = summary->map_rows * summary->map_columns;
  gboolean is_first = TRUE;

  *min = summary->min;
  *max = summary->max;
  for (guint i = 0; i < n; i++)
    {
      if (!isfinite (summary->map[i]))
        continue;
      *min = is_first ? summary->map[i] : MIN (*min, summary->map[i]);
      *max = is_first ? summary->map[i] : MAX (*max, summary->map[i]);
      is_first = FALSE;
    }
}

static gboolean
has_histogram (const HirValueSummary *summary)
{
  return isfinite (summary->min) && summary->max > summary->min;
}

static double
get_cell_height (const HirValueScene *scene)
{
  const HirValueSummary *summary = scene->summary;

  return summary->map_rows == 0 ? 0
                                : MIN (MIN (scene->width / summary->map_columns, MAX_CELL),
                                       MAX_MAP_HEIGHT / summary->map_rows);
}

static double
get_map_top (const HirValueScene *scene)
{
  return has_histogram (scene->summary) ? HISTOGRAM_HEIGHT + LINE_HEIGHT + GAP : 0;
}

static double
get_page_top (const HirValueScene *scene)
{
  double map = get_cell_height (scene) * scene->summary->map_rows;

  return get_map_top (scene) + (map > 0 ? map + LINE_HEIGHT + GAP : 0);
}

double
hir_value_scene_get_height (const HirValueScene *scene)
{
  return get_page_top (scene) +
         (scene->summary->page_rows > 0 ? (scene->summary->page_rows + 1) * ROW_HEIGHT : 0);
}

static char *
format (const HirValueSummary *summary, double number)
{
  gboolean is_whole = !hir_dtype_is_floating_point (summary->dtype) && number == floor (number) &&
                      fabs (number) < 1e15;

  return g_strdup_printf (is_whole ? "%.0f" : "%.4g", number);
}

/* Uses the square root of the counts, so that small bins stay visible. */
static void
draw_histogram (const HirValueScene *scene, HirDisplayList *list)
{
  const HirValueSummary *summary = scene->summary;
  double step = scene->width / HIR_VALUE_N_BINS;
  g_autofree char *min = format (summary, summary->min);
  g_autofree char *max = format (summary, summary->max);
  HirRect labels = hir_rect (0, HISTOGRAM_HEIGHT, scene->width, LINE_HEIGHT);
  double low, high;
  guint64 most = 1;

  get_range (summary, &low, &high);
  for (guint i = 0; i < HIR_VALUE_N_BINS; i++)
    most = MAX (most, summary->bins[i]);
  for (guint i = 0; i < HIR_VALUE_N_BINS; i++)
    {
      double part = (i + 0.5) / HIR_VALUE_N_BINS;
      double value = summary->min * (1 - part) + summary->max * part;
      double height = sqrt ((double) summary->bins[i] / (double) most) * (HISTOGRAM_HEIGHT - 2);
      HirColor color = hir_value_scene_get_color (scene->theme, value, low, high);

      if (summary->bins[i] > 0)
        hir_display_list_add_round_rect (list,
                                         hir_rect (i * step,
                                                   HISTOGRAM_HEIGHT - 1 - MAX (height, 1.5),
                                                   MAX (step - 1, 1), MAX (height, 1.5)),
                                         0, color, scene->theme->dim_text, 0.5, HIR_DASH_NONE);
    }
  hir_display_list_add_rect (list, hir_rect (0, HISTOGRAM_HEIGHT - 1, scene->width, 1),
                             scene->theme->line);
  hir_display_list_add_text (list, labels, min, HIR_FONT_SANS, SMALL_PX, scene->theme->dim_text,
                             HIR_ALIGN_START);
  hir_display_list_add_text (list, labels, max, HIR_FONT_SANS, SMALL_PX, scene->theme->dim_text,
                             HIR_ALIGN_END);
}

static HirRect
get_cell (const HirValueScene *scene, guint cell)
{
  const HirValueSummary *summary = scene->summary;
  double width = scene->width / summary->map_columns, height = get_cell_height (scene);

  width = MIN (width, MAX (MAX_CELL * 2, height));
  return hir_rect ((cell % summary->map_columns) * width,
                   get_map_top (scene) + (cell / summary->map_columns) * height, width, height);
}

static void
draw_map (const HirValueScene *scene, HirDisplayList *list)
{
  const HirValueSummary *summary = scene->summary;
  guint n = summary->map_rows * summary->map_columns;
  double low, high;
  HirRect last;

  if (n == 0)
    return;
  get_range (summary, &low, &high);
  for (guint i = 0; i < n; i++)
    {
      HirRect rect = get_cell (scene, i);

      hir_display_list_add_rect (list, rect,
                                 hir_value_scene_get_color (scene->theme, summary->map[i],
                                                            summary->min, summary->max));
      hir_display_list_add_hit (list, rect, i, 0);
    }
  last = get_cell (scene, n - 1);
  hir_display_list_add_round_rect (list,
                                   hir_rect (0, get_map_top (scene), last.x + last.width,
                                             last.y + last.height - get_map_top (scene)),
                                   0, 0, scene->theme->line, 1, HIR_DASH_NONE);
  if (scene->current >= 0 && (guint) scene->current < n)
    hir_display_list_add_round_rect (list, get_cell (scene, (guint) scene->current), 1, 0,
                                     scene->theme->text, 1.5, HIR_DASH_NONE);
  g_autofree char *text = hir_value_scene_dup_text (scene, scene->current);
  hir_display_list_add_text (list,
                             hir_rect (0, last.y + last.height + 2, scene->width, LINE_HEIGHT),
                             text, HIR_FONT_SANS, SMALL_PX, scene->theme->dim_text,
                             HIR_ALIGN_START);
}

/* Measures the widest number and index. The first column is the row index. */
static void
measure_columns (const HirValueScene *scene, double *index_width, double *number_width)
{
  const HirValueSummary *summary = scene->summary;
  g_autofree char *row =
      g_strdup_printf ("%" G_GINT64_FORMAT, summary->page_row + summary->page_rows);
  g_autofree char *column =
      g_strdup_printf ("%" G_GINT64_FORMAT, summary->page_column + summary->page_columns);

  *index_width = hir_measure_get_width (scene->measure, HIR_FONT_MONO, SMALL_PX, row) + 6;
  *number_width = hir_measure_get_width (scene->measure, HIR_FONT_MONO, SMALL_PX, column);
  for (char **text = summary->page; *text != NULL; text++)
    *number_width = MAX (*number_width,
                         hir_measure_get_width (scene->measure, HIR_FONT_MONO, NUMBER_PX, *text));
  *number_width += COLUMN_GAP;
}

guint
hir_value_scene_get_n_columns (const HirValueScene *scene)
{
  double index_width, number_width;

  if (scene->summary->page_columns == 0)
    return 0;
  measure_columns (scene, &index_width, &number_width);
  return (guint) CLAMP ((scene->width - index_width) / number_width, 1,
                        (double) scene->summary->page_columns);
}

static void
draw_page (const HirValueScene *scene, HirDisplayList *list)
{
  const HirValueSummary *summary = scene->summary;
  guint n_columns = hir_value_scene_get_n_columns (scene);
  double top = get_page_top (scene), index_width, width;

  if (summary->page_rows == 0)
    return;
  measure_columns (scene, &index_width, &width);
  for (guint c = 0; c < n_columns; c++)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, summary->page_column + c);

      hir_display_list_add_text (list, hir_rect (index_width + c * width, top, width, ROW_HEIGHT),
                                 text, HIR_FONT_MONO, SMALL_PX, scene->theme->dim_text,
                                 HIR_ALIGN_END);
    }
  for (guint r = 0; r < summary->page_rows; r++)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, summary->page_row + r);
      double y = top + (r + 1) * ROW_HEIGHT;

      hir_display_list_add_text (list, hir_rect (0, y, index_width - 6, ROW_HEIGHT), text,
                                 HIR_FONT_MONO, SMALL_PX, scene->theme->dim_text, HIR_ALIGN_END);
      for (guint c = 0; c < n_columns; c++)
        {
          const char *number = summary->page[r * summary->page_columns + c];
          gboolean is_broken = g_str_has_suffix (number, "nan") || g_str_has_suffix (number, "inf");

          hir_display_list_add_text (list, hir_rect (index_width + c * width, y, width, ROW_HEIGHT),
                                     number, HIR_FONT_MONO, NUMBER_PX,
                                     is_broken ? BROKEN : scene->theme->text, HIR_ALIGN_END);
        }
    }
}

void
hir_value_scene_draw (const HirValueScene *scene, HirDisplayList *list)
{
  if (has_histogram (scene->summary))
    draw_histogram (scene, list);
  draw_map (scene, list);
  draw_page (scene, list);
}

int
hir_value_scene_step (const HirValueScene *scene, int current, int dx, int dy)
{
  int columns = (int) scene->summary->map_columns, rows = (int) scene->summary->map_rows;
  int x, y;

  if (columns == 0)
    return -1;
  if (current < 0)
    return 0;
  x = current % columns + dx;
  y = current / columns + dy;
  return x < 0 || x >= columns || y < 0 || y >= rows ? current : y * columns + x;
}

/* Returns the first of @n indices that the map assigns to @cell of @n_cells. */
static gint64
get_first (gint64 n, guint n_cells, guint cell)
{
  return (gint64) ceil ((double) cell * (double) n / n_cells);
}

void
hir_value_scene_get_place (const HirValueScene *scene, int cell, gint64 *row, gint64 *column)
{
  const HirValueSummary *summary = scene->summary;
  guint y = (guint) cell / summary->map_columns, x = (guint) cell % summary->map_columns;

  *row = get_first (summary->n_rows, summary->map_rows, y);
  *column = get_first (summary->n_columns, summary->map_columns, x);
}

static void
append_range (GString *text, const char *what, gint64 n, guint n_cells, guint cell)
{
  gint64 first = get_first (n, n_cells, cell), last = get_first (n, n_cells, cell + 1) - 1;

  g_string_append_printf (text, last > first ? "%ss %" G_GINT64_FORMAT : "%s %" G_GINT64_FORMAT,
                          what, first);
  if (last > first)
    g_string_append_printf (text, " to %" G_GINT64_FORMAT, last);
}

char *
hir_value_scene_dup_text (const HirValueScene *scene, int cell)
{
  const HirValueSummary *summary = scene->summary;
  guint n = summary->map_rows * summary->map_columns;
  GString *text;
  gboolean is_one =
      summary->map_rows == summary->n_rows && summary->map_columns == summary->n_columns;
  g_autofree char *number = NULL;

  if (n == 0)
    return g_strdup ("");
  if (cell < 0 || (guint) cell >= n)
    return g_strdup (is_one ? "each element" : "each cell shows a mean");
  text = g_string_new (NULL);
  append_range (text, "row", summary->n_rows, summary->map_rows,
                (guint) cell / summary->map_columns);
  g_string_append (text, ", ");
  append_range (text, "column", summary->n_columns, summary->map_columns,
                (guint) cell % summary->map_columns);
  number = format (summary, summary->map[cell]);
  if (isnan (summary->map[cell]))
    g_string_append (text, is_one ? ": not finite" : ": not all finite");
  else
    g_string_append_printf (text, is_one ? ": %s" : ": mean %s", number);
  return g_string_free (text, FALSE);
}
