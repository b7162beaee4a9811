/* How large a text is, by Pango. A HirMeasure belongs to the thread that made it (Pango's font maps
 * do); each worker makes its own. Sizes are those of unhinted glyphs, so that a label fits at every
 * zoom, on the screen and on paper. */
#pragma once

#include "draw/font.h"

G_BEGIN_DECLS

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

G_END_DECLS
