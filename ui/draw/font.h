/* The fonts of all drawings. */
#pragma once

#include <pango/pango.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_FONT_SANS,
  HIR_FONT_SANS_BOLD,
  HIR_FONT_MONO,
  HIR_N_FONTS,
} HirFont;

/* No label is read beyond this; a name of 10 kB costs no more than one of this length. */
#define HIR_TEXT_MAX 240

/* CSS family list of @font: "Cantarell, ...". Static. */
const char *hir_font_get_family (HirFont font);
/* For painters: @size_px in absolute units, whatever the resolution of the context. Free with
 * pango_font_description_free(). */
PangoFontDescription *hir_font_dup_description (HirFont font, double size_px);
/* Turns hinting of glyphs and metrics off in @context. */
void hir_font_prepare_context (PangoContext *context);

G_END_DECLS
