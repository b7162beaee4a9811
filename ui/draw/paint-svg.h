/* Paints a display list as SVG 1.1 with real text, which can be searched, selected and edited.
 * cairo's SVG surface writes glyph outlines instead. */
#pragma once

#include "draw/display-list.h"
#include "trace/export-progress.h"

G_BEGIN_DECLS

/* Returns the whole document (transfer full), or NULL if it was cancelled. The units of the list
 * are pixels of the viewBox. Numbers have the same format in every locale.
 *
 * @width, @height: size of the viewBox
 * @width_mm: if > 0, the width on paper
 * @background: 0 for none
 * @title: (nullable): title of the document
 * @progress: (nullable) */
char *hir_paint_svg (const HirDisplayList *list,
                     double width,
                     double height,
                     double width_mm,
                     HirColor background,
                     const char *title,
                     HirExportProgress *progress);

G_END_DECLS
