/* Measures texts with Pango. Sizes are those of unhinted glyphs, so that a label fits at every
 * zoom, on screen and on paper.
 *
 * A HirMeasure belongs to the thread that created it, like Pango's font maps. Each worker thread
 * creates its own. */
#pragma once

#include "draw/font.h"

G_BEGIN_DECLS

typedef struct _HirMeasure HirMeasure;

/* Creates an object for the calling thread. */
HirMeasure *hir_measure_new (void);
/* Frees @measure. */
void hir_measure_free (HirMeasure *measure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirMeasure, hir_measure_free)

/* Measures @text as one line, in pixels at zoom 1. Results are cached. */
void hir_measure_text (HirMeasure *measure,
                       HirFont font,
                       double size_px,
                       const char *text,
                       double *width,
                       double *height);
double hir_measure_get_width (HirMeasure *measure, HirFont font, double size_px, const char *text);
/* Returns the distance from the top of a line to its baseline, and the height of the line. */
void hir_measure_get_line (
    HirMeasure *measure, HirFont font, double size_px, double *baseline, double *height);
/* Returns @text, or its longest prefix that fits with an ellipsis (transfer full). */
char *hir_measure_dup_fitted (
    HirMeasure *measure, HirFont font, double size_px, const char *text, double width);

/* Returns @text as one safe line (transfer full); see hir_display_list_add_text(). */
char *hir_text_dup_line (const char *text);
/* Returns @text as the content of an XML element or a quoted attribute (transfer full). Bytes that
 * are not UTF-8, and characters that XML 1.0 does not allow even as references (section 2.2),
 * become U+FFFD. */
char *hir_text_dup_xml (const char *text);

G_END_DECLS
