/* Texts that are a plain row of glyphs, as nearly all labels are: one font, one direction, a glyph a character, and kerning
 * between two neighbours. Once a character and a pair have been shaped by Pango, a text of them is measured and painted
 * by adding up, a hundred times quicker than a layout; what is not such a text is said to be so, and is Pango's.
 * Belongs to the thread that made it. */
#pragma once

#include <cairo.h>
#include <pango/pango.h>

#include "draw/font.h"

G_BEGIN_DECLS

typedef struct _HirGlyphRows HirGlyphRows;

/* @context: as hir_font_prepare_context() made it; a reference is kept. */
HirGlyphRows *hir_glyph_rows_new (PangoContext *context);
void hir_glyph_rows_free (HirGlyphRows *rows);

/* The width of @text in pixels, and the height of its line. FALSE: no plain row, not UTF-8, with control characters, or
 * longer than HIR_TEXT_MAX bytes. */
gboolean hir_glyph_rows_measure (HirGlyphRows *rows,
                                 HirFont font,
                                 double size_px,
                                 const char *text,
                                 double *width,
                                 double *height);

/* A row laid out, valid until the next call. */
typedef struct
{
  cairo_scaled_font_t *font; /* borrowed; for cairo_set_scaled_font() */
  cairo_glyph_t *glyphs;     /* the first one at (0, 0) */
  int n_glyphs;
  double width, height; /* of the line */
  double baseline;      /* from its top */
} HirGlyphRow;

/* As much of @text as fits @max_width, then an ellipsis (0: all of it). FALSE: as above. */
gboolean hir_glyph_rows_lay_out (HirGlyphRows *rows,
                                 HirFont font,
                                 double size_px,
                                 const char *text,
                                 double max_width,
                                 HirGlyphRow *row);

G_END_DECLS
