/* The pictures of a program's steps, laid out: one union for all steps that fold the same, so that nothing
 * moves that did not change; what is compared or near by itself. All of it is made on worker threads and by a
 * worker process, kept, and said when ready. Main thread. */
#pragma once

#include <glib-object.h>

#include "draw/graph-picture.h"
#include "draw/layout-worker.h"
#include "program.h"

G_BEGIN_DECLS

/* Graphviz needs more than its budget for more boxes than these; the picture comes at once without it. */
#define HIR_LAYOUTS_MAX_DOT_NODES 3000

#define HIR_TYPE_LAYOUTS (hir_layouts_get_type ())
G_DECLARE_FINAL_TYPE (HirLayouts, hir_layouts, HIR, LAYOUTS, GObject)

/* Signal `ready`, without arguments: a picture that was asked for has come. */
HirLayouts *hir_layouts_new (void);
/* Forgets the pictures of the program before; nullable. */
void hir_layouts_set_program (HirLayouts *self, HirProgram *program);
/* The picture of @choice, with its layout; NULL while it is being made, and then what was asked for before
 * and is not there yet is given up. @from: nullable; what is on show, to place large graphs alike. Borrowed,
 * until the next call. */
HirPicture *hir_layouts_get (HirLayouts *self, HirGraphChoice *choice, HirPicture *from);

G_END_DECLS
