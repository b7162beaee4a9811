#include <string.h>

#include "draw/report/explain-private.h"

#define SHARE_BAR 3.0
#define CHIP 9.0
#define PREDICT 58.0 /* width of "Predict" in the row of a gain */

/* Draws time and share of a loss or a gain. */
static void
draw_times (const HirExplainScene *scene, HirDisplayList *list, const HirExplainRow *row, double y)
{
  const HirTheme *theme = scene->theme;
  HirEvent event;
  HirColor color = row->gain != NULL ? theme->created : theme->dim_text;
  double width = TIMES - 22;
  HirRect bar = hir_rect (EDGE + CHIP + 3, y + PAD + 2 * LINE, width, SHARE_BAR);

  if (row->loss != NULL && row->loss->name != 0)
    {
      hir_trace_get_event (scene->trace, row->loss->track, row->loss->index, &event);
      color = hir_theme_get_event_color (theme, (HirEventKind) event.kind,
                                         hir_trace_get_string (scene->trace, event.name));
    }
  hir_display_list_add_round_rect (list, hir_rect (EDGE, y + PAD + (LINE - CHIP) / 2, CHIP, CHIP),
                                   2, color, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_text (list, hir_rect (bar.x, y + PAD, width, LINE), row->time, HIR_FONT_MONO,
                             TEXT_PX, theme->text, HIR_ALIGN_END);
  hir_display_list_add_text (list, hir_rect (bar.x, y + PAD + LINE, width, LINE), row->percent,
                             HIR_FONT_MONO, DETAIL_PX, theme->dim_text, HIR_ALIGN_END);
  hir_display_list_add_rect (list, bar, theme->line);
  bar.width = (float) (width * MIN (row->share, 1));
  hir_display_list_add_rect (list, bar,
                             row->gain != NULL                      ? theme->created
                             : row->loss->cause == HIR_LOSS_COMPUTE ? theme->accent
                                                                    : theme->removed);
}

/* Draws @line of row @i with its links in @box. */
static void
draw_line (const HirExplainScene *scene,
           HirDisplayList *list,
           int i,
           guint line,
           const char *text,
           HirRect box)
{
  const HirExplainRow *row = &g_array_index (scene->layout->rows, HirExplainRow, i);
  const HirTheme *theme = scene->theme;
  gboolean is_detail = row->lines[line] == NULL;
  HirFont font = row->is_title ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS;
  double size_px = is_detail ? DETAIL_PX : row->is_title ? TITLE_PX : TEXT_PX;
  gboolean is_dim = is_detail || (!row->is_title && !hir_explain_row_is_selectable (row));
  double right = box.x + box.width, left = box.x, x = box.x;
  guint at = 0;

  for (guint k = 0; k <= row->links->len; k++)
    {
      const HirExplainLink *link =
          k < row->links->len ? &g_array_index (row->links, HirExplainLink, k) : NULL;
      g_autofree char *before = NULL, *words = NULL;

      if (link != NULL && link->line != line)
        continue;
      if (x > right - 2) /* a word that is too long */
        break;
      before = link != NULL ? g_strndup (text + at, link->start - at) : g_strdup (text + at);
      hir_display_list_add_text (list, hir_rect (x, box.y, MAX (right - x, 1), LINE), before, font,
                                 size_px, is_dim ? theme->dim_text : theme->text, HIR_ALIGN_START);
      if (link == NULL)
        break;
      words = g_strndup (text + link->start, link->end - link->start);
      x = left + link->x;
      hir_display_list_add_text (list, hir_rect (x, box.y, MAX (right - x, 1), LINE), words, font,
                                 size_px, theme->accent, HIR_ALIGN_START);
      if ((i == scene->hovered.row && (int) k == scene->hovered.link) ||
          (i == scene->selected.row && (int) k == scene->selected.link))
        hir_display_list_add_rect (list,
                                   hir_rect (x, box.y + LINE - 2, CLAMP (right - x, 1, link->width),
                                             1),
                                   theme->accent);
      x += link->width;
      at = link->end;
    }
}

/* Returns "in 15 intervals" of row @i, or "interval 2 of 15 (Shift+J, Shift+K)" if it is selected
 * and one of its pieces is. Returns NULL if it has no pieces. */
static char *
dup_piece (const HirExplainScene *scene, int i)
{
  const HirLoss *loss = g_array_index (scene->layout->rows, HirExplainRow, i).loss;

  if (loss == NULL || loss->pieces->len <= 1)
    return NULL;
  return i == scene->selected.row && scene->piece > 0
             ? g_strdup_printf ("interval %u of %u (Shift+J, Shift+K)", scene->piece,
                                loss->pieces->len)
             : g_strdup_printf ("in %u intervals", loss->pieces->len);
}

static void
draw_row (const HirExplainScene *scene, HirDisplayList *list, int i, double y)
{
  const HirExplainRow *row = &g_array_index (scene->layout->rows, HirExplainRow, i);
  const HirTheme *theme = scene->theme;
  gboolean is_selectable = hir_explain_row_is_selectable (row);
  g_autofree char *piece = dup_piece (scene, i);
  double right = row->can_predict ? PREDICT : piece != NULL && !row->has_piece_line ? PIECE : 0;
  double x = hir_explain_row_get_text_x (row), width = MAX (scene->width - EDGE - x, 1);
  guint n = 0;

  if (is_selectable && (i == scene->selected.row || i == scene->hovered.row))
    hir_display_list_add_round_rect (list,
                                     hir_rect (EDGE - 6, y + 1, scene->width - 2 * EDGE + 12,
                                               row->height - 2),
                                     4,
                                     i == scene->selected.row ? theme->accent_fill : theme->panel,
                                     0, 0, HIR_DASH_NONE);
  if (is_selectable)
    draw_times (scene, list, row, y);
  for (; row->lines[n] != NULL; n++)
    draw_line (scene, list, i, n, row->lines[n], hir_rect (x, y + PAD + n * LINE, width, LINE));
  if (row->detail != NULL)
    draw_line (scene, list, i, n, row->detail,
               hir_rect (x, y + PAD + n * LINE, MAX (width - right, 1), LINE));
  if (piece != NULL)
    hir_display_list_add_text (list,
                               row->has_piece_line
                                   ? hir_rect (x, y + PAD + (n + 1) * LINE, width, LINE)
                                   : hir_rect (scene->width - EDGE - PIECE, y + PAD + n * LINE,
                                               PIECE, LINE),
                               piece, HIR_FONT_SANS, DETAIL_PX,
                               i == scene->selected.row ? theme->text : theme->dim_text,
                               row->has_piece_line ? HIR_ALIGN_START : HIR_ALIGN_END);
  if (row->can_predict)
    hir_display_list_add_text (list,
                               hir_rect (scene->width - EDGE - PREDICT, y + PAD + n * LINE, PREDICT,
                                         LINE),
                               "Predict\u2026", HIR_FONT_SANS, DETAIL_PX, theme->accent,
                               HIR_ALIGN_END);
}

gboolean
hir_explain_scene_hits_predict (const HirExplainScene *scene, int i, double x, double y)
{
  const HirExplainRow *row = &g_array_index (scene->layout->rows, HirExplainRow, i);
  double top = row->y + PAD + g_strv_length (row->lines) * LINE - scene->scroll_y;

  return row->can_predict && x >= scene->width - EDGE - PREDICT && y >= top;
}

/* Returns the first row that ends below @y of the layout. */
static int
find_row (const HirExplainLayout *layout, double y)
{
  guint low = 0, high = layout->rows->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const HirExplainRow *row = &g_array_index (layout->rows, HirExplainRow, middle);

      if (row->y + row->height <= y)
        low = middle + 1;
      else
        high = middle;
    }
  return (int) low;
}

void
hir_explain_scene_draw (const HirExplainScene *scene, HirDisplayList *list)
{
  int n = (int) scene->layout->rows->len;

  hir_display_list_push_clip (list, hir_rect (0, 0, scene->width, scene->height));
  for (int i = find_row (scene->layout, scene->scroll_y); i < n; i++)
    {
      double y = g_array_index (scene->layout->rows, HirExplainRow, i).y - scene->scroll_y;

      if (y >= scene->height)
        break;
      draw_row (scene, list, i, y);
    }
  hir_display_list_pop_clip (list);
}

/* Returns the link at (@x, @y) of the row, or -1. */
static int
find_link (const HirExplainRow *row, double x, double y)
{
  for (guint i = 0; i < row->links->len; i++)
    {
      HirRect rect = hir_explain_row_get_link_rect (row, i);

      if (x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height)
        return (int) i;
    }
  return -1;
}

HirExplainSpot
hir_explain_scene_hit (const HirExplainScene *scene, double x, double y)
{
  HirExplainSpot spot = { find_row (scene->layout, y + scene->scroll_y), -1 };
  const HirExplainRow *row;

  if (y < 0 || spot.row >= (int) scene->layout->rows->len)
    return (HirExplainSpot){ -1, -1 };
  row = &g_array_index (scene->layout->rows, HirExplainRow, spot.row);
  if (!hir_explain_scene_hits_predict (scene, spot.row, x, y))
    spot.link = find_link (row, x, y + scene->scroll_y - row->y);
  if (spot.link < 0 && !hir_explain_row_is_selectable (row))
    spot.row = -1;
  return spot;
}
