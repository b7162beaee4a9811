/* Points, rectangles and colors for all drawing code, in pixels with y pointing down. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  float x, y;
} HirPoint;

typedef struct
{
  float x, y, width, height;
} HirRect;

/* 0xAARRGGBB, not premultiplied; 0 is fully transparent. */
typedef guint32 HirColor;

static inline HirRect
hir_rect (double x, double y, double width, double height)
{
  return (HirRect){ (float) x, (float) y, (float) width, (float) height };
}

static inline gboolean
hir_rect_contains (const HirRect *rect, double x, double y)
{
  return x >= rect->x && y >= rect->y && x < rect->x + rect->width && y < rect->y + rect->height;
}

static inline gboolean
hir_rect_overlaps (const HirRect *a, const HirRect *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

/* Returns the intersection, of zero size if it is empty. */
static inline HirRect
hir_rect_intersect (const HirRect *a, const HirRect *b)
{
  float left = MAX (a->x, b->x), top = MAX (a->y, b->y);
  float right = MIN (a->x + a->width, b->x + b->width);
  float bottom = MIN (a->y + a->height, b->y + b->height);

  return (HirRect){ left, top, MAX (right - left, 0), MAX (bottom - top, 0) };
}

/* Returns the smallest rectangle around both. */
static inline HirRect
hir_rect_union (const HirRect *a, const HirRect *b)
{
  float left = MIN (a->x, b->x), top = MIN (a->y, b->y);
  float right = MAX (a->x + a->width, b->x + b->width);
  float bottom = MAX (a->y + a->height, b->y + b->height);

  return (HirRect){ left, top, right - left, bottom - top };
}

/* Returns @color with its opacity multiplied by @alpha (0 to 1). */
static inline HirColor
hir_color_fade (HirColor color, double alpha)
{
  guint32 a = (guint32) ((color >> 24) * CLAMP (alpha, 0.0, 1.0) + 0.5);

  return (color & 0xffffffu) | (a << 24);
}

/* Returns the opaque color of @color over @ground, because transparent colors take longer to paint.
 * @share (0 to 1) scales the opacity of @color. */
static inline HirColor
hir_color_mix (HirColor ground, HirColor color, double share)
{
  guint32 part = (guint32) (CLAMP (share, 0.0, 1.0) * (color >> 24) * 256 / 255 + 0.5);
  HirColor mixed = 0xff000000u;

  for (guint shift = 0; shift < 24; shift += 8)
    {
      guint32 below = (ground >> shift) & 0xff, above = (color >> shift) & 0xff;

      mixed |= ((below * (256 - part) + above * part + 128) >> 8) << shift;
    }
  return mixed;
}

/* Returns the smallest rectangle around the @n points (@n > 0), extended by @margin on each
 * side. */
static inline HirRect
hir_points_get_bounds (const HirPoint *points, guint n, float margin)
{
  float left = points[0].x, right = left, top = points[0].y, bottom = top;

  for (guint i = 1; i < n; i++)
    {
      left = MIN (left, points[i].x);
      right = MAX (right, points[i].x);
      top = MIN (top, points[i].y);
      bottom = MAX (bottom, points[i].y);
    }
  return (HirRect){ left - margin, top - margin, right - left + 2 * margin,
                    bottom - top + 2 * margin };
}

G_END_DECLS
