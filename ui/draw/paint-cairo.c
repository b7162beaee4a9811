#include "draw/paint-cairo.h"

#include <math.h>
#include <pango/pangocairo.h>

#define ITEMS_A_LOOK 1024

static void
set_color (cairo_t *cr, HirColor color)
{
  cairo_set_source_rgba (cr, ((color >> 16) & 255) / 255.0, ((color >> 8) & 255) / 255.0,
                         (color & 255) / 255.0, (color >> 24) / 255.0);
}

static void
set_stroke (cairo_t *cr, const HirDrawItem *item)
{
  static const double dashed[] = { 5, 4 }, dotted[] = { 2, 3 };

  set_color (cr, item->stroke);
  cairo_set_line_width (cr, item->line_width);
  if (item->dash == HIR_DASH_DASHED)
    cairo_set_dash (cr, dashed, 2, 0);
  else if (item->dash == HIR_DASH_DOTTED)
    cairo_set_dash (cr, dotted, 2, 0);
  else
    cairo_set_dash (cr, NULL, 0, 0);
}

static void
trace_round_rect (cairo_t *cr, HirRect r, double radius)
{
  if (radius <= 0)
    {
      cairo_rectangle (cr, r.x, r.y, r.width, r.height);
      return;
    }
  cairo_new_sub_path (cr);
  cairo_arc (cr, r.x + r.width - radius, r.y + radius, radius, -G_PI_2, 0);
  cairo_arc (cr, r.x + r.width - radius, r.y + r.height - radius, radius, 0, G_PI_2);
  cairo_arc (cr, r.x + radius, r.y + r.height - radius, radius, G_PI_2, G_PI);
  cairo_arc (cr, r.x + radius, r.y + radius, radius, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

static void
paint_round_rect (cairo_t *cr, const HirDrawItem *item)
{
  HirRect r = item->rect;
  double inset = item->line_width / 2;

  if (item->fill >> 24 != 0)
    {
      trace_round_rect (cr, r, item->radius);
      set_color (cr, item->fill);
      cairo_fill (cr);
    }
  if (item->stroke >> 24 != 0 && item->line_width > 0)
    {
      r = hir_rect (r.x + inset, r.y + inset, MAX (r.width - 2 * inset, 0.01),
                    MAX (r.height - 2 * inset, 0.01));
      trace_round_rect (cr, r, MAX (item->radius - inset, 0));
      set_stroke (cr, item);
      cairo_stroke (cr);
    }
}

static void
paint_path (cairo_t *cr, const HirDisplayList *list, const HirDrawItem *item)
{
  const HirPoint *p = hir_display_list_get_points (list, item);

  cairo_move_to (cr, p[0].x, p[0].y);
  if (item->kind == HIR_DRAW_BEZIER)
    for (guint i = 1; i + 2 < item->n; i += 3)
      cairo_curve_to (cr, p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
  else
    for (guint i = 1; i < item->n; i++)
      cairo_line_to (cr, p[i].x, p[i].y);

  if (item->kind == HIR_DRAW_POLYGON)
    {
      cairo_close_path (cr);
      set_color (cr, item->fill);
      cairo_fill (cr);
    }
  else
    {
      set_stroke (cr, item);
      cairo_stroke (cr);
    }
}

/* Returns the distance of a line from the left side of its box. */
static double
get_shift (const HirDrawItem *item, double width)
{
  double room = item->rect.width > 0 ? item->rect.width - width : -width;

  return item->align == HIR_ALIGN_CENTER ? room / 2 : item->align == HIR_ALIGN_END ? room : 0;
}

/* Paints glyphs as pixels. Documents get texts with characters instead, so that they can be
 * searched. */
static gboolean
paint_glyphs (HirCairoPainter *painter, const HirDisplayList *list, const HirDrawItem *item)
{
  cairo_t *cr = painter->cr;
  HirGlyphRow row;
  double x, y;

  if (cairo_surface_get_type (cairo_get_target (cr)) != CAIRO_SURFACE_TYPE_IMAGE ||
      !hir_glyph_rows_lay_out (hir_text_cache_get_rows (painter->texts), (HirFont) item->font,
                               item->radius, hir_display_list_get_text (list, item),
                               item->rect.width, &row))
    return FALSE;
  x = item->rect.x + get_shift (item, row.width);
  y = item->rect.y + (item->rect.height - row.height) / 2 + row.baseline;
  for (int i = 0; i < row.n_glyphs; i++)
    {
      row.glyphs[i].x += x;
      row.glyphs[i].y += y;
    }
  set_color (cr, item->fill);
  cairo_set_scaled_font (cr, row.font);
  cairo_show_glyphs (cr, row.glyphs, row.n_glyphs);
  return TRUE;
}

static void
paint_text (HirCairoPainter *painter, const HirDisplayList *list, const HirDrawItem *item)
{
  PangoRectangle logical;
  PangoLayout *layout;
  double dx = 0, dy = item->radius;

  /* Text below two pixels is unreadable and takes most of the time. */
  cairo_user_to_device_distance (painter->cr, &dx, &dy);
  if (fabs (dy) + fabs (dx) < 2 || paint_glyphs (painter, list, item))
    return;
  layout = hir_text_cache_get (painter->texts, (HirFont) item->font, item->radius, item->rect.width,
                               hir_display_list_get_text (list, item));
  pango_layout_get_extents (layout, NULL, &logical);
  cairo_move_to (painter->cr,
                 item->rect.x + get_shift (item, (double) logical.width / PANGO_SCALE) -
                     (double) logical.x / PANGO_SCALE,
                 item->rect.y + (item->rect.height - (double) logical.height / PANGO_SCALE) / 2);
  set_color (painter->cr, item->fill);
  pango_cairo_show_layout (painter->cr, layout);
  cairo_new_path (painter->cr);
}

static gboolean
is_whole (double value)
{
  return fabs (value - round (value)) < 1e-4;
}

/* Returns whether each column covers whole pixels, so that edges are sharp. */
static gboolean
are_whole_columns (cairo_t *cr, const HirRect *r, guint n)
{
  double x = r->x, y = r->y, width = (double) r->width / n, height = r->height;
  cairo_matrix_t matrix;

  cairo_get_matrix (cr, &matrix);
  if (cairo_surface_get_type (cairo_get_target (cr)) != CAIRO_SURFACE_TYPE_IMAGE ||
      matrix.xy != 0 || matrix.yx != 0)
    return FALSE;
  cairo_user_to_device (cr, &x, &y);
  cairo_user_to_device_distance (cr, &width, &height);
  return is_whole (x) && is_whole (y) && is_whole (width) && is_whole (height) && width >= 1;
}

/* Paints all columns as one stretched image of one pixel in height, which saves thousands of
 * fills. */
static void
paint_whole_columns (cairo_t *cr, const HirDrawItem *item, const HirColor *colors)
{
  cairo_surface_t *line = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) item->n, 1);
  guint32 *pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (line);
  cairo_matrix_t matrix;

  for (guint i = 0; pixels != NULL && i < item->n; i++)
    {
      guint32 alpha = colors[i] >> 24, pixel = alpha << 24;

      for (guint shift = 0; shift < 24; shift += 8)
        pixel |= (((colors[i] >> shift) & 0xff) * alpha + 127) / 255 << shift;
      pixels[i] = pixel;
    }
  cairo_surface_mark_dirty (line);
  cairo_set_source_surface (cr, line, 0, 0);
  cairo_matrix_init (&matrix, item->n / (double) item->rect.width, 0, 0,
                     1 / (double) item->rect.height,
                     -item->rect.x * item->n / (double) item->rect.width,
                     -item->rect.y / (double) item->rect.height);
  cairo_pattern_set_matrix (cairo_get_source (cr), &matrix);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle (cr, item->rect.x, item->rect.y, item->rect.width, item->rect.height);
  cairo_fill (cr);
  cairo_surface_destroy (line);
}

static void
paint_columns (cairo_t *cr, const HirDisplayList *list, const HirDrawItem *item)
{
  const HirColor *colors = hir_display_list_get_columns (list, item);
  double each = (double) item->rect.width / item->n;

  if (are_whole_columns (cr, &item->rect, item->n))
    {
      paint_whole_columns (cr, item, colors);
      return;
    }
  for (guint from = 0, to; from < item->n; from = to)
    {
      to = hir_display_list_get_run (list, item, from);
      if (colors[from] >> 24 == 0)
        continue;
      cairo_rectangle (cr, item->rect.x + from * each, item->rect.y, (to - from) * each,
                       item->rect.height);
      set_color (cr, colors[from]);
      cairo_fill (cr);
    }
}

void
hir_cairo_painter_init (HirCairoPainter *painter, cairo_t *cr, HirTextCache *texts)
{
  *painter = (HirCairoPainter){ .cr = cr, .texts = texts, .owns_texts = texts == NULL };
  if (texts == NULL)
    painter->texts = hir_text_cache_new ();
}

void
hir_cairo_painter_item (HirCairoPainter *painter,
                        const HirDisplayList *list,
                        const HirDrawItem *item)
{
  cairo_t *cr = painter->cr;
  const HirRect *r = &item->rect;

  switch ((HirDrawKind) item->kind)
    {
    case HIR_DRAW_RECT:
      cairo_rectangle (cr, r->x, r->y, r->width, r->height);
      set_color (cr, item->fill);
      cairo_fill (cr);
      break;
    case HIR_DRAW_ROUND_RECT:
      paint_round_rect (cr, item);
      break;
    case HIR_DRAW_POLYLINE:
    case HIR_DRAW_BEZIER:
    case HIR_DRAW_POLYGON:
      paint_path (cr, list, item);
      break;
    case HIR_DRAW_TEXT:
      paint_text (painter, list, item);
      break;
    case HIR_DRAW_COLUMNS:
      paint_columns (cr, list, item);
      break;
    case HIR_DRAW_PUSH_CLIP:
      cairo_save (cr);
      cairo_rectangle (cr, r->x, r->y, r->width, r->height);
      cairo_clip (cr);
      break;
    case HIR_DRAW_POP_CLIP:
      cairo_restore (cr);
      break;
    }
}

void
hir_cairo_painter_finish (HirCairoPainter *painter)
{
  if (painter->owns_texts)
    hir_text_cache_free (painter->texts);
  painter->texts = NULL;
}

void
hir_paint_cairo (const HirDisplayList *list, cairo_t *cr, HirExportProgress *progress)
{
  HirCairoPainter painter;

  g_return_if_fail (list != NULL && cr != NULL);

  cairo_save (cr);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  hir_cairo_painter_init (&painter, cr, NULL);
  for (guint i = 0; i < list->items->len; i++)
    {
      if (i % ITEMS_A_LOOK == 0 && !hir_export_progress_should_continue (progress, NULL))
        break;
      hir_cairo_painter_item (&painter, list, hir_display_list_get_item (list, i));
    }
  hir_cairo_painter_finish (&painter);
  cairo_restore (cr);
}
