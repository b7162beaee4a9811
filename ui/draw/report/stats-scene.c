#include "draw/report/stats-scene.h"

#include "draw/report/stats-heat.h"
#include "trace/duration.h"

#include <math.h>
#include <string.h>

#define TITLE_HEIGHT 30.0
#define HEAD_HEIGHT 20.0
#define ROW_HEIGHT 20.0
#define GAP 10.0
#define CHIP 9.0
#define SHARE_BAR 3.0
#define TITLE_PX 12.5
#define HEAD_PX 11.0
#define CELL_PX 11.0
#define NAME_PX 11.5
#define MIN_NUMBER 63.0 /* "187.3 us" */
#define MAX_NUMBER 84.0
#define MIN_RANGE 88.0 /* "32-256 MiB" */
#define MAX_RANGE 112.0
#define MIN_CHARS 16 /* of a short name */

static gboolean
has_head (HirStatsSection section)
{
  return section != HIR_STATS_NOTES && section != HIR_STATS_HEAT;
}

static double
get_section_height (const HirStatsScene *scene, HirStatsSection section)
{
  guint n = hir_stats_scene_get_n_rows (scene, section);
  double head = has_head (section) ? HEAD_HEIGHT : 0;

  return n > 0 ? TITLE_HEIGHT + head + n * ROW_HEIGHT + GAP : 0;
}

static double
get_first_row_y (HirStatsSection section)
{
  return TITLE_HEIGHT + (has_head (section) ? HEAD_HEIGHT : 0);
}

double
hir_stats_scene_get_height (const HirStatsScene *scene)
{
  double height = 0;

  for (guint section = 0; section < HIR_N_STATS_SECTIONS; section++)
    height += get_section_height (scene, (HirStatsSection) section);
  return height;
}

double
hir_stats_scene_get_kernel_y (const HirStatsScene *scene, guint i, double *row_height)
{
  double y = 0;

  for (guint section = 0; section < HIR_STATS_KERNELS; section++)
    y += get_section_height (scene, (HirStatsSection) section);
  *row_height = ROW_HEIGHT;
  return y + get_first_row_y (HIR_STATS_KERNELS) + i * ROW_HEIGHT;
}

/* Minimum width of the first column. Kernel names need more than "rank 0 / 0". */
static double
get_min_name (HirStatsSection section)
{
  return section == HIR_STATS_DEVICES || section == HIR_STATS_RANKS ? 68
         : section == HIR_STATS_QUEUE                               ? 130
                                                                    : 190;
}

/* Numbers of communications have ranges. */
static double
get_min_number (HirStatsSection section)
{
  return section == HIR_STATS_COLLECTIVES ? MIN_RANGE : MIN_NUMBER;
}

static double
get_max_number (HirStatsSection section)
{
  return section == HIR_STATS_COLLECTIVES ? MAX_RANGE : MAX_NUMBER;
}

/* Columns to hide if space is short, in this order; 0 ends the list. */
static const guint dispensable[HIR_N_STATS_SECTIONS][7] = {
  [HIR_STATS_DEVICES] = { 3, 7, 2, 4, 5, 1, 0 }, [HIR_STATS_COLLECTIVES] = { 3, 4, 7, 6, 1, 0 },
  [HIR_STATS_RANKS] = { 2, 6, 5, 7, 1, 0 },      [HIR_STATS_KERNELS] = { 4, 3, 5, 6, 0 },
  [HIR_STATS_STREAMS] = { 1, 3, 2, 0 },          [HIR_STATS_QUEUE] = { 4, 2, 5, 0 },
};

static guint
get_n_dropped (const HirStatsScene *scene, HirStatsSection section)
{
  double room = scene->width - 2 * HIR_STATS_EDGE - get_min_name (section);
  guint n = hir_stats_section_get_n_columns (section) - 1, dropped = 0;

  while ((n - dropped) * get_min_number (section) > room &&
         dropped < G_N_ELEMENTS (dispensable[0]) && dispensable[section][dropped] != 0)
    dropped++;
  return dropped;
}

static gboolean
shows_column (const HirStatsScene *scene, HirStatsSection section, guint column)
{
  guint dropped = get_n_dropped (scene, section);

  for (guint i = 0; i < dropped; i++)
    if (dispensable[section][i] == column)
      return FALSE;
  return TRUE;
}

/* The name gets the space that the numbers leave. */
static double
get_number_width (const HirStatsScene *scene, HirStatsSection section, guint *n)
{
  *n = hir_stats_section_get_n_columns (section) - 1 - get_n_dropped (scene, section);
  return *n == 0 ? 0
                 : floor (CLAMP ((scene->width - 2 * HIR_STATS_EDGE - get_min_name (section)) / *n,
                                 get_min_number (section), get_max_number (section)));
}

static HirRect
get_cell (const HirStatsScene *scene, HirStatsSection section, guint column, double y)
{
  guint n, place = 0;
  double number = get_number_width (scene, section, &n);
  double name = MAX (scene->width - 2 * HIR_STATS_EDGE - n * number, 48);

  if (column == 0)
    return hir_rect (HIR_STATS_EDGE, y, name - (n > 0 ? 8 : 0), ROW_HEIGHT);
  for (guint i = 1; i < column; i++)
    place += shows_column (scene, section, i);
  return hir_rect (HIR_STATS_EDGE + name + place * number + 4, y, number - 4, ROW_HEIGHT);
}

guint
hir_stats_scene_get_name_chars (const HirStatsScene *scene)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz_<>";
  double width = hir_measure_get_width (scene->measure, HIR_FONT_SANS, NAME_PX, letters);
  double room = (double) get_cell (scene, HIR_STATS_KERNELS, 0, 0).width - CHIP - 6;

  return (guint) MAX (room / width * (double) strlen (letters), MIN_CHARS);
}

static void
draw_head (const HirStatsScene *scene, HirDisplayList *list, HirStatsSection section, double y)
{
  for (guint column = 0; column < hir_stats_section_get_n_columns (section); column++)
    {
      gboolean sorted = section == HIR_STATS_KERNELS && column == scene->sort_column;

      if (!shows_column (scene, section, column))
        continue;
      g_autofree char *head = hir_stats_scene_dup_cell (scene, section, -1, column);
      g_autofree char *text =
          sorted ? g_strdup_printf ("%s %s", head, scene->is_descending ? "\u25be" : "\u25b4")
                 : g_strdup (head);

      hir_display_list_add_text (list, get_cell (scene, section, column, y), text, HIR_FONT_SANS,
                                 HEAD_PX, sorted ? scene->theme->text : scene->theme->dim_text,
                                 column == 0 ? HIR_ALIGN_START : HIR_ALIGN_END);
    }
  hir_display_list_add_rect (list,
                             hir_rect (HIR_STATS_EDGE, y + HEAD_HEIGHT - 1,
                                       scene->width - 2 * HIR_STATS_EDGE, 1),
                             scene->theme->line);
}

/* Returns the color of the kernel's bars in the timeline. */
static HirColor
get_kernel_color (const HirStatsScene *scene, int row)
{
  const HirKernelStats *kernel = &g_array_index (scene->stats->kernels, HirKernelStats,
                                                 g_array_index (scene->order, guint, row));

  return hir_theme_get_event_color (scene->theme, kernel->kind, kernel->name);
}

static void
draw_chip (const HirStatsScene *scene, HirDisplayList *list, int row, HirRect *cell)
{
  hir_display_list_add_round_rect (list,
                                   hir_rect (cell->x, cell->y + (ROW_HEIGHT - CHIP) / 2, CHIP,
                                             CHIP),
                                   2, get_kernel_color (scene, row), 0, 0, HIR_DASH_NONE);
  cell->x += (float) CHIP + 6;
  cell->width -= (float) CHIP + 6;
}

/* Draws the share below the number, so that it stays readable. The unfilled part is the track of
 * the bar. */
static void
draw_share (const HirStatsScene *scene,
            HirDisplayList *list,
            HirStatsSection section,
            int row,
            guint column,
            HirRect cell)
{
  double share = hir_stats_scene_get_share (scene, section, row, column);
  double y = cell.y + ROW_HEIGHT - SHARE_BAR, width = MIN (cell.width, MIN_NUMBER - 10);
  HirRect groove = hir_rect (cell.x + cell.width - width, y, width, SHARE_BAR);

  if (share < 0)
    return;
  hir_display_list_add_rect (list, groove, scene->theme->line);
  groove.width = (float) (width * share);
  hir_display_list_add_rect (list, groove,
                             section == HIR_STATS_KERNELS ? get_kernel_color (scene, row)
                                                          : scene->theme->accent);
}

static char *
dup_short_name (const HirStatsScene *scene, int row)
{
  const HirKernelStats *kernel = &g_array_index (scene->stats->kernels, HirKernelStats,
                                                 g_array_index (scene->order, guint, row));

  return g_strdup (g_hash_table_lookup (scene->names, kernel->name));
}

static void
draw_row (
    const HirStatsScene *scene, HirDisplayList *list, HirStatsSection section, int row, double y)
{
  HirRect all =
      hir_rect (HIR_STATS_EDGE - 6, y, scene->width - 2 * HIR_STATS_EDGE + 12, ROW_HEIGHT);
  double strip = HIR_STATS_EDGE + HIR_STATS_HEAT_NAME;

  if (section == HIR_STATS_HEAT)
    hir_stats_heat_draw (scene, list, row,
                         hir_rect (strip, y + 1, MAX (scene->width - HIR_STATS_EDGE - strip, 1),
                                   ROW_HEIGHT - 2));

  if (section == HIR_STATS_KERNELS && row == scene->selected_kernel)
    hir_display_list_add_round_rect (list, all, 4, scene->theme->accent_fill, 0, 0, HIR_DASH_NONE);
  else if (section == HIR_STATS_KERNELS && row == scene->hovered_kernel)
    hir_display_list_add_round_rect (list, all, 4, scene->theme->panel, 0, 0, HIR_DASH_NONE);
  for (guint column = 0; column < hir_stats_section_get_n_columns (section); column++)
    {
      HirRect cell = get_cell (scene, section, column, y);
      g_autofree char *text = section == HIR_STATS_KERNELS && column == 0 && scene->names != NULL
                                  ? dup_short_name (scene, row)
                                  : hir_stats_scene_dup_cell (scene, section, row, column);

      if (!shows_column (scene, section, column))
        continue;

      if (section == HIR_STATS_KERNELS && column == 0)
        draw_chip (scene, list, row, &cell);
      draw_share (scene, list, section, row, column, cell);
      /* Digits of equal width align vertically. */
      hir_display_list_add_text (list, cell, text, column == 0 ? HIR_FONT_SANS : HIR_FONT_MONO,
                                 column == 0 ? NAME_PX : CELL_PX,
                                 section == HIR_STATS_NOTES ? scene->theme->dim_text
                                                            : scene->theme->text,
                                 column == 0 ? HIR_ALIGN_START : HIR_ALIGN_END);
    }
}

/* Names the columns of @section that are hidden, which a maximized pane has space for: "Ctrl+M also
 * shows idle, exp. copy". NULL if there are none. */
static char *
dup_hidden (const HirStatsScene *scene, HirStatsSection section)
{
  GString *text = NULL;

  for (guint column = 1; column < hir_stats_section_get_n_columns (section); column++)
    {
      g_autofree char *head = hir_stats_scene_dup_cell (scene, section, -1, column);

      if (shows_column (scene, section, column))
        continue;
      if (text == NULL)
        text = g_string_new ("Ctrl+M also shows ");
      else
        g_string_append (text, ", ");
      g_string_append (text, head);
    }
  return text != NULL ? g_string_free (text, FALSE) : NULL;
}

/* Returns the note beside the title of @section, or NULL. */
static char *
dup_note (const HirStatsScene *scene, HirStatsSection section)
{
  gint64 largest_ns = hir_stats_heat_get_largest (scene->stats);
  g_autofree char *largest = hir_format_duration (largest_ns);
  g_autofree char *hidden = has_head (section) ? dup_hidden (scene, section) : NULL;
  guint n = scene->stats->iterations->len;
  const char *plural = n == 1 ? "" : "s";

  if (section == HIR_STATS_HEAT)
    return largest_ns > 0 ? g_strdup_printf ("%u column%s; red: %s late", n, plural, largest)
                          : g_strdup_printf ("%u column%s; no rank is late", n, plural);
  if (section == HIR_STATS_KERNELS)
    return g_strjoin ("; ", HIR_STATS_KERNELS_NOTE, hidden, NULL);
  return g_steal_pointer (&hidden);
}

static void
draw_title (const HirStatsScene *scene, HirDisplayList *list, HirStatsSection section, double top)
{
  HirRect box =
      hir_rect (HIR_STATS_EDGE, top + 6, scene->width - 2 * HIR_STATS_EDGE, TITLE_HEIGHT - 8);
  const char *title = hir_stats_section_get_title (section);
  double used = hir_measure_get_width (scene->measure, HIR_FONT_SANS_BOLD, TITLE_PX, title) + 12;
  g_autofree char *note = dup_note (scene, section);

  hir_display_list_add_text (list, box, title, HIR_FONT_SANS_BOLD, TITLE_PX, scene->theme->text,
                             HIR_ALIGN_START);
  box.x += (float) used;
  box.width = (float) MAX (box.width - used, 1);
  if (note != NULL)
    hir_display_list_add_text (list, box, note, HIR_FONT_SANS, HEAD_PX, scene->theme->dim_text,
                               HIR_ALIGN_END);
}

void
hir_stats_scene_draw (const HirStatsScene *scene, HirDisplayList *list)
{
  double top = -scene->scroll_y;

  hir_display_list_push_clip (list, hir_rect (0, 0, scene->width, scene->height));
  for (guint s = 0; s < HIR_N_STATS_SECTIONS; s++)
    {
      HirStatsSection section = (HirStatsSection) s;
      double height = get_section_height (scene, section);
      double rows_y = top + get_first_row_y (section);
      int n = (int) hir_stats_scene_get_n_rows (scene, section);
      int first = (int) CLAMP (floor (-rows_y / ROW_HEIGHT), 0, n);

      if (height > 0 && top < scene->height && top + height > 0)
        {
          draw_title (scene, list, section, top);
          if (has_head (section))
            draw_head (scene, list, section, top + TITLE_HEIGHT);
          for (int row = first; row < n && rows_y + row * ROW_HEIGHT < scene->height; row++)
            draw_row (scene, list, section, row, rows_y + row * ROW_HEIGHT);
        }
      top += height;
    }
  hir_display_list_pop_clip (list);
}

gboolean
hir_stats_scene_hit (const HirStatsScene *scene, double x, double y, HirStatsHit *hit)
{
  double top = -scene->scroll_y;

  for (guint s = 0; s < HIR_N_STATS_SECTIONS; s++)
    {
      HirStatsSection section = (HirStatsSection) s;
      double height = get_section_height (scene, section);
      double rows_y = top + get_first_row_y (section);

      if (y >= top + TITLE_HEIGHT && y < top + height - GAP)
        {
          hit->section = section;
          hit->row = y < rows_y ? -1 : (int) ((y - rows_y) / ROW_HEIGHT);
          hit->column = 0;
          for (guint column = 1; column < hir_stats_section_get_n_columns (section); column++)
            if (shows_column (scene, section, column) &&
                x >= get_cell (scene, section, column, 0).x)
              hit->column = column;
          return TRUE;
        }
      top += height;
    }
  return FALSE;
}
