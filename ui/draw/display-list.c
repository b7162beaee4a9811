#include "draw/display-list.h"

#include <math.h>
#include <string.h>

HirDisplayList *
hir_display_list_new (void)
{
  HirDisplayList *list = g_new0 (HirDisplayList, 1);

  list->items = g_array_new (FALSE, FALSE, sizeof (HirDrawItem));
  list->points = g_array_new (FALSE, FALSE, sizeof (HirPoint));
  list->colors = g_array_new (FALSE, FALSE, sizeof (HirColor));
  list->texts = g_byte_array_new ();
  list->hits = g_array_new (FALSE, FALSE, sizeof (HirHit));
  return list;
}

void
hir_display_list_clear (HirDisplayList *list)
{
  g_return_if_fail (list != NULL);

  g_array_set_size (list->items, 0);
  g_array_set_size (list->points, 0);
  g_array_set_size (list->colors, 0);
  g_byte_array_set_size (list->texts, 0);
  g_array_set_size (list->hits, 0);
}

void
hir_display_list_free (HirDisplayList *list)
{
  if (list == NULL)
    return;
  g_array_unref (list->items);
  g_array_unref (list->points);
  g_array_unref (list->colors);
  g_byte_array_unref (list->texts);
  g_array_unref (list->hits);
  g_free (list);
}

void
hir_display_list_add_rect (HirDisplayList *list, HirRect rect, HirColor fill)
{
  HirDrawItem item = { .rect = rect, .fill = fill, .kind = HIR_DRAW_RECT };

  if (rect.width > 0 && rect.height > 0 && fill >> 24 != 0)
    g_array_append_val (list->items, item);
}

void
hir_display_list_add_round_rect (HirDisplayList *list,
                                 HirRect rect,
                                 double radius,
                                 HirColor fill,
                                 HirColor stroke,
                                 double line_width,
                                 HirDash dash)
{
  HirDrawItem item = {
    .rect = rect,
    .fill = fill,
    .stroke = stroke,
    .radius = (float) MIN (radius, MIN (rect.width, rect.height) / 2),
    .line_width = (float) line_width,
    .kind = HIR_DRAW_ROUND_RECT,
    .dash = (guint8) dash,
  };

  if (rect.width > 0 && rect.height > 0)
    g_array_append_val (list->items, item);
}

static void
add_path (HirDisplayList *list,
          HirDrawKind kind,
          const HirPoint *points,
          guint n_points,
          HirColor color,
          double line_width,
          HirDash dash)
{
  HirDrawItem item = {
    .fill = kind == HIR_DRAW_POLYGON ? color : 0,
    .stroke = kind == HIR_DRAW_POLYGON ? 0 : color,
    .data = list->points->len,
    .n = n_points,
    .line_width = (float) line_width,
    .kind = (guint8) kind,
    .dash = (guint8) dash,
  };

  if (n_points < 2 || color >> 24 == 0)
    return;
  g_array_append_vals (list->points, points, n_points);
  g_array_append_val (list->items, item);
}

void
hir_display_list_add_polyline (HirDisplayList *list,
                               const HirPoint *points,
                               guint n_points,
                               HirColor stroke,
                               double line_width,
                               HirDash dash)
{
  add_path (list, HIR_DRAW_POLYLINE, points, n_points, stroke, line_width, dash);
}

void
hir_display_list_add_bezier (HirDisplayList *list,
                             const HirPoint *points,
                             guint n_points,
                             HirColor stroke,
                             double line_width,
                             HirDash dash)
{
  g_return_if_fail (n_points % 3 == 1);

  add_path (list, HIR_DRAW_BEZIER, points, n_points, stroke, line_width, dash);
}

void
hir_display_list_add_polygon (HirDisplayList *list,
                              const HirPoint *points,
                              guint n_points,
                              HirColor fill)
{
  add_path (list, HIR_DRAW_POLYGON, points, n_points, fill, 0, HIR_DASH_NONE);
}

void
hir_display_list_add_arrow (
    HirDisplayList *list, HirPoint from, HirPoint tip, double size, HirColor fill)
{
  float dx = tip.x - from.x, dy = tip.y - from.y, length = hypotf (dx, dy);
  float back = (float) size, half = (float) size * 0.42f;

  if (length < 1e-3f)
    return;
  dx /= length;
  dy /= length;
  HirPoint points[3] = {
    tip,
    { tip.x - dx * back - dy * half, tip.y - dy * back + dx * half },
    { tip.x - dx * back + dy * half, tip.y - dy * back - dx * half },
  };
  hir_display_list_add_polygon (list, points, 3, fill);
}

void
hir_display_list_add_text (HirDisplayList *list,
                           HirRect box,
                           const char *text,
                           HirFont font,
                           double size_px,
                           HirColor color,
                           HirAlign align)
{
  g_autofree char *line = NULL;
  HirDrawItem item = {
    .rect = box,
    .fill = color,
    .radius = (float) size_px,
    .data = list->texts->len,
    .kind = HIR_DRAW_TEXT,
    .font = (guint8) font,
    .align = (guint8) align,
  };

  if (text == NULL || *text == '\0' || box.width < 0)
    return;
  line = hir_text_dup_line (text);
  item.n = (guint32) strlen (line);
  g_byte_array_append (list->texts, (const guint8 *) line, item.n + 1);
  g_array_append_val (list->items, item);
}

void
hir_display_list_add_columns (HirDisplayList *list, HirRect rect, const HirColor *colors, guint n)
{
  HirDrawItem item = { .rect = rect, .data = list->colors->len, .n = n, .kind = HIR_DRAW_COLUMNS };
  guint first = 0, end = n;

  /* Transparent columns at the ends are not stored. */
  while (first < end && colors[first] >> 24 == 0)
    first++;
  while (end > first && colors[end - 1] >> 24 == 0)
    end--;
  if (first == end || rect.width <= 0 || rect.height <= 0)
    return;
  item.rect.x += rect.width * (float) first / (float) n;
  item.rect.width = rect.width * (float) (end - first) / (float) n;
  item.n = end - first;
  g_array_append_vals (list->colors, colors + first, item.n);
  g_array_append_val (list->items, item);
}

const HirColor *
hir_display_list_get_columns (const HirDisplayList *list, const HirDrawItem *item)
{
  return &g_array_index (list->colors, HirColor, item->data);
}

guint
hir_display_list_get_run (const HirDisplayList *list, const HirDrawItem *item, guint from)
{
  const HirColor *colors = hir_display_list_get_columns (list, item);
  guint to = from + 1;

  while (to < item->n && colors[to] == colors[from])
    to++;
  return to;
}

void
hir_display_list_push_clip (HirDisplayList *list, HirRect rect)
{
  HirDrawItem item = { .rect = rect, .kind = HIR_DRAW_PUSH_CLIP };

  g_array_append_val (list->items, item);
}

void
hir_display_list_pop_clip (HirDisplayList *list)
{
  HirDrawItem item = { .kind = HIR_DRAW_POP_CLIP };

  g_array_append_val (list->items, item);
}

void
hir_display_list_add_hit (HirDisplayList *list, HirRect rect, guint64 id, guint32 tag)
{
  HirHit hit = { rect, id, tag };

  g_array_append_val (list->hits, hit);
}

const HirHit *
hir_display_list_get_hit (const HirDisplayList *list, double x, double y)
{
  for (guint i = list->hits->len; i > 0; i--)
    {
      const HirHit *hit = &g_array_index (list->hits, HirHit, i - 1);

      if (hir_rect_contains (&hit->rect, x, y))
        return hit;
    }
  return NULL;
}

static void
move_rect (HirRect *rect, double dx, double dy)
{
  rect->x += (float) dx;
  rect->y += (float) dy;
}

HirDisplayList *
hir_display_list_new_moved (const HirDisplayList *list, double dx, double dy)
{
  HirDisplayList *moved = hir_display_list_new ();

  g_array_append_vals (moved->items, list->items->data, list->items->len);
  g_array_append_vals (moved->points, list->points->data, list->points->len);
  g_array_append_vals (moved->colors, list->colors->data, list->colors->len);
  g_array_append_vals (moved->hits, list->hits->data, list->hits->len);
  g_byte_array_append (moved->texts, list->texts->data, list->texts->len);
  for (guint i = 0; i < moved->items->len; i++)
    move_rect (&g_array_index (moved->items, HirDrawItem, i).rect, dx, dy);
  for (guint i = 0; i < moved->hits->len; i++)
    move_rect (&g_array_index (moved->hits, HirHit, i).rect, dx, dy);
  for (guint i = 0; i < moved->points->len; i++)
    {
      g_array_index (moved->points, HirPoint, i).x += (float) dx;
      g_array_index (moved->points, HirPoint, i).y += (float) dy;
    }
  return moved;
}
