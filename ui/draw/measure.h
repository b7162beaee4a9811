/* How large a text is, by Pango. A HirMeasure belongs to the thread that made it (Pango's font maps
 * do); each worker makes its own. Sizes are those of unhinted glyphs, so that a label fits at every
 * zoom, on the screen and on paper. */
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

typedef struct _HirMeasure HirMeasure;

HirMeasure *hir_measure_new (void);
void hir_measure_free (HirMeasure *measure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirMeasure, hir_measure_free)

/* Size of @text as one line, in pixels at zoom 1. Remembered by text. */
void hir_measure_text (HirMeasure *measure,
                       HirFont font,
                       double size_px,
                       const char *text,
                       double *width,
                       double *height);
double hir_measure_get_width (HirMeasure *measure, HirFont font, double size_px, const char *text);
/* From the top of a line to its baseline, and its height. */
void hir_measure_get_line (
    HirMeasure *measure, HirFont font, double size_px, double *baseline, double *height);
/* @text, or its longest beginning that fits with an ellipsis. Newly allocated. */
char *hir_measure_dup_fitted (
    HirMeasure *measure, HirFont font, double size_px, const char *text, double width);

/* @text as one safe line: see hir_display_list_add_text(). */
char *hir_text_dup_line (const char *text);
/* @text, whole, as the content of an XML element or a quoted attribute. Bytes that are not UTF-8, and characters that
 * XML 1.0 can't hold even as references (section 2.2), become U+FFFD. Newly allocated. */
char *hir_text_dup_xml (const char *text);
/* CSS family list of @font: "Cantarell, ...". Static. */
const char *hir_font_get_family (HirFont font);
gboolean hir_font_is_bold (HirFont font);
/* For painters: @size_px in absolute units, whatever the resolution of the context. Free with
 * pango_font_description_free(). */
PangoFontDescription *hir_font_dup_description (HirFont font, double size_px);
/* Turns hinting of glyphs and metrics off in @context. */
void hir_font_prepare_context (PangoContext *context);

G_END_DECLS
