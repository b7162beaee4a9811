/* Paints a display list as SVG 1.1 whose texts are text: to be searched, selected and edited, which
 * cairo's SVG surface (glyph outlines) does not allow. */
#pragma once

#include "draw/display-list.h"
#include "trace/export-progress.h"

G_BEGIN_DECLS

/* The whole document. The list's units are pixels of the viewBox, @width by @height of them;
 * @width_mm > 0 gives the size on paper. @background: 0 for none. @title: nullable, for readers of
 * the file. Numbers are written the same in every locale. Free with g_free(). @watch: nullable; NULL where it was
 * cancelled. */
char *hir_paint_svg (const HirDisplayList *list,
                     double width,
                     double height,
                     double width_mm,
                     HirColor background,
                     const char *title,
                     HirExportProgress *watch);

G_END_DECLS
