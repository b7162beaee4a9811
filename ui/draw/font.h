/* Provides the fonts of all drawings. */
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

/* Maximum length of a label. A longer text costs no more time than this. */
#define HIR_TEXT_MAX 240

/* Returns the CSS family list of @font, for example "Cantarell, ..." (static). The window's style
 * sheet repeats the list of HIR_FONT_SANS for all widgets. */
const char *hir_font_get_family (HirFont font);
/* Returns a description for painters. @size_px is in absolute units, independent of the resolution
 * of the context. Free with pango_font_description_free(). */
PangoFontDescription *hir_font_dup_description (HirFont font, double size_px);
/* Turns off the hinting of glyphs and metrics in @context. */
void hir_font_prepare_context (PangoContext *context);
/* Gives all digits of @layout one width, so that numbers in columns are aligned. */
void hir_font_prepare_layout (PangoLayout *layout);

G_END_DECLS
