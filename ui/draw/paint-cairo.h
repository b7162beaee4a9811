/* Paints a display list with cairo: into PNG and PDF, and single items for the pixel painter. */
#pragma once

#include "draw/display-list.h"
#include "draw/text-cache.h"
#include "trace/export-progress.h"

#include <cairo.h>

G_BEGIN_DECLS

typedef struct
{
  cairo_t *cr;         /* borrowed */
  HirTextCache *texts; /* borrowed or owned */
  gboolean owns_texts;
} HirCairoPainter;

/* Initializes @painter. Until it is finished, the units of the list are the user units of @cr.
 * @texts is nullable. */
void hir_cairo_painter_init (HirCairoPainter *painter, cairo_t *cr, HirTextCache *texts);
void hir_cairo_painter_item (HirCairoPainter *painter,
                             const HirDisplayList *list,
                             const HirDrawItem *item);
void hir_cairo_painter_finish (HirCairoPainter *painter);

/* Paints the whole list in the user units of @cr and restores its state. @progress is nullable;
 * after cancellation, only a part is painted. */
void hir_paint_cairo (const HirDisplayList *list, cairo_t *cr, HirExportProgress *progress);

G_END_DECLS
