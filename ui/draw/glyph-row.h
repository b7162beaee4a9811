/* Lays out simple texts as rows of glyphs: one font, one direction, one glyph per character, and
 * kerning between neighbors.
 *
 * Nearly all labels are simple. Pango shapes each character and each pair once; afterwards, texts
 * are measured and painted by addition, which is about 100 times faster than a layout. Other texts
 * are reported as such and need Pango. An object belongs to the thread that created it. */
#pragma once

#include <cairo.h>
#include <pango/pango.h>

#include "draw/font.h"

G_BEGIN_DECLS

typedef struct _HirGlyphRows HirGlyphRows;

/* Creates an empty cache. @context must have been prepared by hir_font_prepare_context(); takes a
 * reference. */
HirGlyphRows *hir_glyph_rows_new (PangoContext *context);
/* Frees @rows. */
void hir_glyph_rows_free (HirGlyphRows *rows);

/* Measures the width of @text and the height of its line in pixels. Returns FALSE if @text is not
 * simple, is not UTF-8, has control characters or is longer than HIR_TEXT_MAX bytes. */
gboolean hir_glyph_rows_measure (HirGlyphRows *rows,
                                 HirFont font,
                                 double size_px,
                                 const char *text,
                                 double *width,
                                 double *height);

/* A row after layout, valid until the next call. */
typedef struct
{
  cairo_scaled_font_t *font; /* borrowed; for cairo_set_scaled_font() */
  cairo_glyph_t *glyphs;     /* relative to the first one at (0, 0) */
  int n_glyphs;
  double width, height; /* size of the line */
  double baseline;      /* from the top of the line */
} HirGlyphRow;

/* Lays out as much of @text as fits into @max_width with an ellipsis (0: no limit). Returns FALSE
 * as hir_glyph_rows_measure() does. */
gboolean hir_glyph_rows_lay_out (HirGlyphRows *rows,
                                 HirFont font,
                                 double size_px,
                                 const char *text,
                                 double max_width,
                                 HirGlyphRow *row);

G_END_DECLS
