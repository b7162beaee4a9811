#include "draw/graph/group-titles.h"

#define N_SAMPLES 16
#define CLEARANCE 4.0f  /* between a title and an edge */
#define MIN_WIDTH 40.0f /* a narrower title would be illegible */

/* Distance of the area from the upper edge of the group, and its height. It is not higher than the
 * letters, so that arrow heads of boxes below stay visible. */
#define TOP 7.0
#define HEIGHT 13.0

typedef struct
{
  float start, end;
} Span;

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  return (x->start > y->start) - (x->start < y->start);
}

static HirPoint
get_point (const HirPoint *p, float t)
{
  float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;

  return (HirPoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                     a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

/* Appends where the curve @p of four points crosses @line. */
static void
add_crossings (GArray *spans, const HirPoint *p, const HirRect *line)
{
  HirRect bounds = hir_points_get_bounds (p, 4, CLEARANCE);
  HirPoint before = p[0];

  if (!hir_rect_overlaps (&bounds, line))
    return;
  for (guint i = 1; i <= N_SAMPLES; i++)
    {
      HirPoint at = get_point (p, (float) i / N_SAMPLES);

      if (MAX (before.y, at.y) > line->y && MIN (before.y, at.y) < line->y + line->height)
        {
          Span span = { MIN (before.x, at.x) - CLEARANCE, MAX (before.x, at.x) + CLEARANCE };

          g_array_append_val (spans, span);
        }
      before = at;
    }
}

/* Returns where edges cross @line, from left to right. */
static GArray *
find_crossings (const HirLayout *layout, const HirRect *line)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Span));
  const HirPoint *points = (const HirPoint *) (gpointer) layout->points->data;

  for (guint i = 0; i < layout->edges->len; i++)
    {
      const HirLayoutEdge *edge = &g_array_index (layout->edges, HirLayoutEdge, i);

      for (guint k = 0; k + 3 < edge->n_points; k += 3)
        add_crossings (spans, points + edge->first_point + k, line);
    }
  g_array_sort (spans, compare_spans);
  return spans;
}

/* Returns the first gap of @line between @spans that is at least @width wide, otherwise the widest
 * one. */
static Span
find_gap (const GArray *spans, const HirRect *line, float width)
{
  Span best = { line->x, line->x };
  float start = line->x, end = line->x + line->width;

  for (guint i = 0; i <= spans->len && best.end - best.start < width; i++)
    {
      float next = i < spans->len ? g_array_index (spans, Span, i).start : end;
      Span gap = { start, MIN (next, end) };

      if (gap.end - gap.start > best.end - best.start)
        best = gap;
      if (i < spans->len)
        start = MAX (start, g_array_index (spans, Span, i).end);
    }
  return best;
}

/* Returns the area of a title that is @width wide, in the group @rect. */
static HirRect
place_title (const HirLayout *layout, const HirRect *rect, float width)
{
  HirRect line = hir_rect (rect->x + HIR_GROUP_PADDING, rect->y + TOP,
                           rect->width - 2 * HIR_GROUP_PADDING, HEIGHT);
  g_autoptr (GArray) spans = NULL;
  Span gap;

  if (rect->width <= 0)
    return hir_rect (0, 0, 0, 0);
  width = MIN (width, line.width);
  spans = find_crossings (layout, &line);
  gap = find_gap (spans, &line, width);
  if (gap.end - gap.start < MIN (width, MIN_WIDTH))
    gap = (Span){ line.x, line.x + line.width };
  return hir_rect (gap.start, line.y, MIN (width, gap.end - gap.start), HEIGHT);
}

GArray *
hir_group_title_dup_rects (const HirLayout *layout, const HirSizes *sizes)
{
  GArray *rects = g_array_new (FALSE, FALSE, sizeof (HirRect));

  for (guint i = 0; i < sizes->groups->len; i++)
    {
      HirRect rect = place_title (layout, &g_array_index (layout->groups, HirRect, i),
                                  g_array_index (sizes->groups, HirSizesGroup, i).title_width);

      g_array_append_val (rects, rect);
    }
  return rects;
}

HirRect
hir_group_title_get_rect (const HirGraph *graph,
                          const HirLayout *layout,
                          guint group,
                          gboolean can_fold)
{
  float indent = can_fold ? (float) HIR_FOLD_MARK : 0;
  /* A monospaced glyph is 0.6 of its size wide. */
  const float glyph = (float) (HIR_GROUP_TITLE_PX * 0.605);
  g_autofree char *title =
      hir_text_dup_line (g_array_index (graph->groups, HirGraphGroup, group).title);
  HirRect rect = place_title (layout, &g_array_index (layout->groups, HirRect, group),
                              indent + glyph * (float) g_utf8_strlen (title, -1));

  if (rect.width > 0)
    rect = hir_rect (rect.x + indent, rect.y, rect.width - indent, rect.height);
  return rect;
}
