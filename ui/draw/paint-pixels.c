#include "draw/paint-pixels.h"

#include "draw/paint-cairo.h"

#include <math.h>
#include <string.h>

/* Bars with corners up to this radius in pixels do not need cairo. */
#define MAX_HAND_RADIUS 16

/* The coverage of each pixel by the top left corner of a bar on whole pixels. */
typedef struct
{
  float radius; /* 0 if not computed yet */
  guint8 cover[MAX_HAND_RADIUS * MAX_HAND_RADIUS];
} Corner;

typedef struct
{
  guint8 *data;
  int width, height, stride;
  cairo_surface_t *surface;
  double scale, dx, dy;
  HirRect clip;  /* in device pixels; nothing outside is painted */
  GArray *clips; /* HirRect: enclosing clips */
  HirCairoPainter cairo;
  gboolean cairo_wrote; /* since the last flush */
  Corner corners[2];    /* most recently used: outline and interior */
  guint next_corner;
} Painter;

static inline guint32
scale_pixel (guint32 pixel, guint32 alpha)
{
  guint32 rb = (pixel & 0xff00ffu) * alpha + 0x800080u;
  guint32 ag = ((pixel >> 8) & 0xff00ffu) * alpha + 0x800080u;

  rb = ((rb + ((rb >> 8) & 0xff00ffu)) >> 8) & 0xff00ffu;
  ag = (ag + ((ag >> 8) & 0xff00ffu)) & 0xff00ff00u;
  return rb | ag;
}

/* Blends premultiplied @pixel over @below. */
static inline guint32
blend (guint32 below, guint32 pixel)
{
  return pixel + scale_pixel (below, 255 - (pixel >> 24));
}

static guint32
premultiply (HirColor color)
{
  return scale_pixel (color | 0xff000000u, color >> 24);
}

static void
fill_span (guint32 *row, int from, int to, guint32 pixel)
{
  if (pixel >> 24 == 255)
    for (int x = from; x < to; x++)
      row[x] = pixel;
  else
    for (int x = from; x < to; x++)
      row[x] = blend (row[x], pixel);
}

static guint32 *
get_row (Painter *painter, int y)
{
  return (guint32 *) (painter->data + (gsize) y * (gsize) painter->stride);
}

/* Returns the part of pixel @i that [from, to) covers, in 1/255. */
static inline double
get_cover (float from, float to, int i)
{
  return CLAMP (MIN (to, (float) i + 1) - MAX (from, (float) i), 0.0f, 1.0f);
}

static inline guint32
cover_pixel (guint32 pixel, double cover)
{
  return cover >= 1 ? pixel : scale_pixel (pixel, (guint32) (cover * 255 + 0.5));
}

static gboolean
is_whole (const HirRect *r)
{
  return r->x == floorf (r->x) && r->y == floorf (r->y) && r->width == floorf (r->width) &&
         r->height == floorf (r->height);
}

static void
fill_whole (Painter *painter, int x0, int x1, int y0, int y1, guint32 pixel)
{
  for (int y = y0; y < y1; y++)
    fill_span (get_row (painter, y), x0, x1, pixel);
}

/* Pixels at the edges are blended by coverage, as in cairo. */
static void
fill_rect (Painter *painter, HirRect rect, guint32 pixel)
{
  HirRect r = hir_rect_intersect (&rect, &painter->clip);
  float right = r.x + r.width, bottom = r.y + r.height;
  int x0 = (int) floorf (r.x), x1 = (int) ceilf (right);
  int y0 = (int) floorf (r.y), y1 = (int) ceilf (bottom);
  double cover_left, cover_right;
  gboolean soft_left, soft_right;

  if (r.width <= 0 || r.height <= 0)
    return;
  if (is_whole (&r))
    {
      fill_whole (painter, x0, x1, y0, y1, pixel);
      return;
    }
  cover_left = get_cover (r.x, right, x0);
  cover_right = get_cover (r.x, right, x1 - 1);
  soft_left = cover_left < 1;
  soft_right = cover_right < 1 && x1 - 1 > x0;
  for (int y = y0; y < y1; y++)
    {
      guint32 *row = get_row (painter, y);
      double cover_y = get_cover (r.y, bottom, y);

      if (soft_left)
        row[x0] = blend (row[x0], cover_pixel (pixel, cover_left * cover_y));
      if (soft_right)
        row[x1 - 1] = blend (row[x1 - 1], cover_pixel (pixel, cover_right * cover_y));
      fill_span (row, x0 + soft_left, x1 - soft_right, cover_pixel (pixel, cover_y));
    }
}

static inline void
put_covered (Painter *painter, int x, int y, guint32 pixel, double cover)
{
  guint32 *row = get_row (painter, y);

  row[x] = blend (row[x], scale_pixel (pixel, (guint32) (cover * 255 + 0.5)));
}

/* Returns the part of pixel (@x, @y) that a rounded rectangle covers, from 4 x 4 samples. */
static double
sample_pixel (int x, int y, const HirRect *r, float radius)
{
  float left = r->x + radius, right = r->x + r->width - radius;
  float top = r->y + radius, bottom = r->y + r->height - radius;
  guint n = 0;

  for (int i = 0; i < 16; i++)
    {
      float px = (float) x + ((float) (i & 3) + 0.5f) / 4;
      float py = (float) y + ((float) (i >> 2) + 0.5f) / 4;
      float dx = MAX (MAX (left - px, px - right), 0), dy = MAX (MAX (top - py, py - bottom), 0);

      n += hir_rect_contains (r, px, py) && dx * dx + dy * dy <= radius * radius;
    }
  return n / 16.0;
}

static void
fill_corners (
    Painter *painter, const HirRect *r, float radius, int x0, int x1, int y0, int y1, guint32 pixel)
{
  for (int y = MAX (y0, 0); y < MIN (y1, painter->height); y++)
    for (int x = MAX (x0, 0); x < MIN (x1, painter->width); x++)
      put_covered (painter, x, y, pixel, sample_pixel (x, y, r, radius));
}

static const guint8 *
get_corner (Painter *painter, float radius, int size)
{
  HirRect large = { 0, 0, 4 * MAX_HAND_RADIUS, 4 * MAX_HAND_RADIUS };
  Corner *corner;

  for (guint i = 0; i < G_N_ELEMENTS (painter->corners); i++)
    if (painter->corners[i].radius == radius)
      return painter->corners[i].cover;
  corner = &painter->corners[painter->next_corner];
  painter->next_corner = (painter->next_corner + 1) % G_N_ELEMENTS (painter->corners);
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++)
      corner->cover[y * size + x] = (guint8) (sample_pixel (x, y, &large, radius) * 255 + 0.5);
  corner->radius = radius;
  return corner->cover;
}

/* Fills a bar on whole pixels that is large enough for its corners. */
static void
fill_whole_bar (Painter *painter, const HirRect *r, float radius, guint32 pixel)
{
  int size = (int) ceilf (radius);
  int x0 = (int) r->x, x1 = (int) (r->x + r->width), y0 = (int) r->y, y1 = (int) (r->y + r->height);
  const guint8 *corner = get_corner (painter, radius, size);

  for (int y = 0; y < size; y++)
    {
      guint32 *top = get_row (painter, y0 + y), *bottom = get_row (painter, y1 - 1 - y);

      for (int x = 0; x < size; x++)
        {
          guint32 covered = scale_pixel (pixel, corner[y * size + x]);

          top[x0 + x] = blend (top[x0 + x], covered);
          top[x1 - 1 - x] = blend (top[x1 - 1 - x], covered);
          bottom[x0 + x] = blend (bottom[x0 + x], covered);
          bottom[x1 - 1 - x] = blend (bottom[x1 - 1 - x], covered);
        }
      fill_span (top, x0 + size, x1 - size, pixel);
      fill_span (bottom, x0 + size, x1 - size, pixel);
    }
  fill_whole (painter, x0, x1, y0 + size, y1 - size, pixel);
}

/* Like fill_whole_bar(), for a partly clipped bar, as in the first row of a scrolled view. */
static void
fill_cut_bar (Painter *painter, const HirRect *r, float radius, guint32 pixel)
{
  int size = (int) ceilf (radius);
  int x0 = (int) r->x, x1 = (int) (r->x + r->width), y0 = (int) r->y, y1 = (int) (r->y + r->height);
  HirRect seen = hir_rect_intersect (r, &painter->clip);
  int left = (int) seen.x, right = (int) (seen.x + seen.width);
  int top = (int) seen.y, bottom = (int) (seen.y + seen.height);
  const guint8 *corner = size > 0 ? get_corner (painter, radius, size) : NULL;

  for (int y = top; y < bottom; y++)
    {
      int from_edge = MIN (y - y0, y1 - 1 - y);
      guint32 *row = get_row (painter, y);

      if (from_edge >= size)
        {
          fill_span (row, left, right, pixel);
          continue;
        }
      for (int x = left; x < MIN (right, x0 + size); x++)
        row[x] = blend (row[x], scale_pixel (pixel, corner[from_edge * size + x - x0]));
      for (int x = MAX (left, x1 - size); x < right; x++)
        row[x] = blend (row[x], scale_pixel (pixel, corner[from_edge * size + x1 - 1 - x]));
      fill_span (row, MAX (left, x0 + size), MIN (right, x1 - size), pixel);
    }
}

static gboolean
is_inside (const HirRect *inner, const HirRect *outer)
{
  return inner->x >= outer->x && inner->y >= outer->y &&
         inner->x + inner->width <= outer->x + outer->width &&
         inner->y + inner->height <= outer->y + outer->height;
}

/* Returns whether the bar is on whole pixels and large enough for its corners. */
static gboolean
is_whole_bar (const HirRect *r, float radius)
{
  return is_whole (r) && r->width >= 2 * ceilf (radius) && r->height >= 2 * ceilf (radius);
}

/* The parts must meet on whole pixels. Otherwise pixels on a seam would be blended twice. */
static void
fill_bar (Painter *painter, HirRect r, float radius, guint32 pixel)
{
  float right = r.x + r.width, bottom = r.y + r.height;
  int x0 = (int) floorf (r.x), x1 = (int) ceilf (right);
  int y0 = (int) floorf (r.y), y1 = (int) ceilf (bottom);
  int in_x0 = (int) ceilf (r.x + radius), in_x1 = (int) floorf (right - radius);
  int in_y0 = (int) ceilf (r.y + radius), in_y1 = (int) floorf (bottom - radius);

  if (is_whole_bar (&r, radius))
    {
      if (!is_inside (&r, &painter->clip))
        fill_cut_bar (painter, &r, radius, pixel);
      else if (radius > 0)
        fill_whole_bar (painter, &r, radius, pixel);
      else
        fill_whole (painter, x0, x1, y0, y1, pixel);
      return;
    }
  /* Too small for an interior: the bar consists of corners. */
  if (in_x0 > in_x1)
    in_x0 = in_x1 = x1;
  if (in_y0 > in_y1)
    in_y0 = in_y1 = y1;
  fill_corners (painter, &r, radius, x0, in_x0, y0, in_y0, pixel);
  fill_corners (painter, &r, radius, in_x1, x1, y0, in_y0, pixel);
  fill_corners (painter, &r, radius, x0, in_x0, in_y1, y1, pixel);
  fill_corners (painter, &r, radius, in_x1, x1, in_y1, y1, pixel);
  fill_rect (painter, hir_rect (in_x0, r.y, in_x1 - in_x0, r.height), pixel);
  fill_rect (painter, hir_rect (r.x, in_y0, (float) in_x0 - r.x, in_y1 - in_y0), pixel);
  fill_rect (painter, hir_rect (in_x1, in_y0, right - (float) in_x1, in_y1 - in_y0), pixel);
}

static HirRect
to_device (const Painter *painter, const HirRect *r)
{
  return hir_rect (r->x * painter->scale + painter->dx, r->y * painter->scale + painter->dy,
                   r->width * painter->scale, r->height * painter->scale);
}

/* Returns whether a box can be drawn as one bar inside another. cairo draws transparent, dashed and
 * hollow boxes. */
static gboolean
is_solid_box (const HirDrawItem *item)
{
  return item->stroke >> 24 == 255 && item->fill >> 24 == 255 && item->dash == HIR_DASH_NONE &&
         2 * item->line_width < MIN (item->rect.width, item->rect.height);
}

static void
fill_box (Painter *painter, const HirDrawItem *item, HirRect r, float radius)
{
  float line = (float) (item->line_width * painter->scale);
  HirRect inner = { r.x + line, r.y + line, r.width - 2 * line, r.height - 2 * line };

  fill_bar (painter, r, radius, item->stroke);
  fill_bar (painter, inner, MAX (radius - line, 0), item->fill);
}

/* Paints opaque or empty columns on whole pixels: one line, which is then copied. */
static void
fill_sharp_columns (
    Painter *painter, const HirColor *colors, int left, int each, const HirRect *seen)
{
  int x0 = (int) seen->x, x1 = (int) (seen->x + seen->width);
  int y0 = (int) seen->y, y1 = (int) (seen->y + seen->height);
  g_autofree guint32 *line = g_new (guint32, MAX (x1 - x0, 1));

  for (int x = x0; x < x1; x++)
    line[x - x0] = colors[(x - left) / each];
  for (int from = 0, to; from < x1 - x0; from = to)
    {
      gboolean is_empty = line[from] == 0;

      for (to = from + 1; to < x1 - x0 && (line[to] == 0) == is_empty; to++)
        ;
      for (int y = y0; y < y1 && !is_empty; y++)
        memcpy (get_row (painter, y) + x0 + from, line + from, (gsize) (to - from) * sizeof *line);
    }
}

static void
fill_columns (Painter *painter, const HirDisplayList *list, const HirDrawItem *item, HirRect device)
{
  const HirColor *colors = hir_display_list_get_columns (list, item);
  float each = device.width / (float) item->n;
  HirRect seen = hir_rect_intersect (&device, &painter->clip);
  gboolean is_sharp = each == floorf (each) && is_whole (&device) && is_whole (&seen);

  for (guint i = 0; i < item->n && is_sharp; i++)
    is_sharp = colors[i] == 0 || colors[i] >> 24 == 255;
  if (is_sharp)
    {
      fill_sharp_columns (painter, colors, (int) device.x, (int) each, &seen);
      return;
    }
  for (guint from = 0, to; from < item->n; from = to)
    {
      HirRect run = { device.x + (float) from * each, device.y, 0, device.height };

      to = hir_display_list_get_run (list, item, from);
      run.width = (float) (to - from) * each;
      if (colors[from] >> 24 != 0)
        fill_rect (painter, run, premultiply (colors[from]));
    }
}

/* Returns whether the clipped item can be painted without cairo. The interior of a box is on whole
 * pixels if the box and its line are. */
static gboolean
can_be_cut (const Painter *painter, const HirDrawItem *item, const HirRect *device, double radius)
{
  double line = item->stroke >> 24 != 0 ? item->line_width * painter->scale : 0;

  return is_inside (device, &painter->clip) ||
         (is_whole (&painter->clip) && is_whole_bar (device, (float) radius) &&
          line == floor (line));
}

/* Returns TRUE if the item was painted or is outside the clip. */
static gboolean
paint_by_hand (Painter *painter, const HirDisplayList *list, const HirDrawItem *item)
{
  HirRect device = to_device (painter, &item->rect);
  double radius = item->radius * painter->scale;
  gboolean is_bar = item->kind == HIR_DRAW_ROUND_RECT;

  if (item->kind != HIR_DRAW_RECT && item->kind != HIR_DRAW_COLUMNS && !is_bar)
    return FALSE;
  if (!hir_rect_overlaps (&device, &painter->clip))
    return TRUE;
  if (is_bar && item->stroke >> 24 != 0 && !is_solid_box (item))
    return FALSE;
  if (is_bar && (radius > MAX_HAND_RADIUS || !can_be_cut (painter, item, &device, radius)))
    return FALSE;

  if (painter->cairo_wrote)
    {
      cairo_surface_flush (painter->surface);
      painter->cairo_wrote = FALSE;
    }
  if (item->kind == HIR_DRAW_COLUMNS)
    fill_columns (painter, list, item, device);
  else if (is_bar && item->stroke >> 24 != 0)
    fill_box (painter, item, device, (float) radius);
  else if (is_bar && radius > 0.25)
    fill_bar (painter, device, (float) radius, premultiply (item->fill));
  else
    fill_rect (painter, device, premultiply (item->fill));
  return TRUE;
}

static void
change_clip (Painter *painter, const HirDrawItem *item)
{
  if (item->kind == HIR_DRAW_PUSH_CLIP)
    {
      HirRect device = to_device (painter, &item->rect);

      g_array_append_val (painter->clips, painter->clip);
      painter->clip = hir_rect_intersect (&painter->clip, &device);
    }
  else if (painter->clips->len > 0)
    {
      painter->clip = g_array_index (painter->clips, HirRect, painter->clips->len - 1);
      g_array_set_size (painter->clips, painter->clips->len - 1);
    }
}

static void
paint_by_cairo (Painter *painter, const HirDisplayList *list, const HirDrawItem *item)
{
  gboolean is_clip = item->kind == HIR_DRAW_PUSH_CLIP || item->kind == HIR_DRAW_POP_CLIP;

  if (!is_clip && !painter->cairo_wrote)
    {
      cairo_surface_mark_dirty (painter->surface);
      painter->cairo_wrote = TRUE;
    }
  hir_cairo_painter_item (&painter->cairo, list, item);
}

/* Hidden text is not even shaped. */
static gboolean
is_hidden (const Painter *painter, const HirDrawItem *item)
{
  HirRect device;

  if (item->kind != HIR_DRAW_TEXT || item->rect.width <= 0)
    return FALSE;
  device = to_device (painter, &item->rect);
  return !hir_rect_overlaps (&device, &painter->clip);
}

void
hir_paint_pixels (const HirDisplayList *list,
                  cairo_surface_t *surface,
                  double scale,
                  double dx,
                  double dy,
                  HirTextCache *texts)
{
  Painter painter = { .surface = surface, .scale = scale, .dx = dx, .dy = dy };
  cairo_t *cr;

  g_return_if_fail (list != NULL && surface != NULL);
  g_return_if_fail (cairo_surface_get_type (surface) == CAIRO_SURFACE_TYPE_IMAGE);

  cairo_surface_flush (surface);
  painter.data = cairo_image_surface_get_data (surface);
  painter.width = cairo_image_surface_get_width (surface);
  painter.height = cairo_image_surface_get_height (surface);
  painter.stride = cairo_image_surface_get_stride (surface);
  if (painter.data == NULL)
    return;
  painter.clip = hir_rect (0, 0, painter.width, painter.height);
  painter.clips = g_array_new (FALSE, FALSE, sizeof (HirRect));

  cr = cairo_create (surface);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_translate (cr, dx, dy);
  cairo_scale (cr, scale, scale);
  hir_cairo_painter_init (&painter.cairo, cr, texts);
  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      if (item->kind == HIR_DRAW_PUSH_CLIP || item->kind == HIR_DRAW_POP_CLIP)
        change_clip (&painter, item);
      else if (is_hidden (&painter, item) || paint_by_hand (&painter, list, item))
        continue;
      paint_by_cairo (&painter, list, item);
    }
  hir_cairo_painter_finish (&painter.cairo);
  cairo_destroy (cr);
  cairo_surface_mark_dirty (surface);
  g_array_unref (painter.clips);
}
