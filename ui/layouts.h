/* The layouts of a program's steps: one union for all of them, so that nothing moves that did not change;
 * made in a worker process, kept, and said when ready. */
#pragma once

#include <glib-object.h>

#include "draw/layout-worker.h"
#include "program.h"

G_BEGIN_DECLS

#define HIR_TYPE_LAYOUTS (hir_layouts_get_type ())
G_DECLARE_FINAL_TYPE (HirLayouts, hir_layouts, HIR, LAYOUTS, GObject)

/* Signal `ready`, without arguments: a layout that was asked for has come. */
HirLayouts *hir_layouts_new (void);
/* Forgets the layouts of the program before; nullable. */
void hir_layouts_set_program (HirLayouts *self, HirProgram *program);
/* The layout of snapshot @step; NULL while it is being made. Borrowed. With @lanes, the lane view. */
HirLayout *hir_layouts_get (HirLayouts *self, guint step, gboolean lanes);

G_END_DECLS
