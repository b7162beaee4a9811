/* Paints a display list with cairo: into PNG and PDF, and, item by item, what the pixel painter
 * leaves to it. */
#pragma once

#include "draw/display-list.h"
#include "draw/text-cache.h"
#include "trace/export-progress.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef struct
{
  cairo_t *cr;         /* borrowed */
  HirTextCache *texts; /* borrowed, or its own */
  gboolean owns_texts;
} HirCairoPainter;

/* For the time between init and finish the list's units are @cr's user units. @texts: nullable. */
void hir_cairo_painter_init (HirCairoPainter *painter, cairo_t *cr, HirTextCache *texts);
void hir_cairo_painter_item (HirCairoPainter *painter,
                             const HirDisplayList *list,
                             const HirDrawItem *item);
void hir_cairo_painter_finish (HirCairoPainter *painter);

/* The whole list, in @cr's user units. The state of @cr is as before afterwards. @watch: nullable; where it is cancelled a
 * part is painted. */
void hir_paint_cairo (const HirDisplayList *list, cairo_t *cr, HirExportProgress *watch);

G_END_DECLS
