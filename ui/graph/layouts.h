/* The pictures of a program's steps, laid out: one union for all steps that fold the same, so that nothing
 * moves that did not change; what is compared or near by itself. All of it is made on worker threads and by a
 * worker process, kept, and said when ready. Where Graphviz keeps one waiting, simple rows come first. Main
 * thread. */
#pragma once

#include <glib-object.h>

#include "draw/graph/graph-picture.h"
#include "program/program.h"

G_BEGIN_DECLS

/* Nobody waits so long for anything to be seen: then come the rows, and word of what is under way. */
#define HIR_LAYOUTS_LATE_MS 300

#define HIR_TYPE_LAYOUTS (hir_layouts_get_type ())
G_DECLARE_FINAL_TYPE (HirLayouts, hir_layouts, HIR, LAYOUTS, GObject)

/* Signal `changed`, without arguments: a picture that was asked for has come, or hir_layouts_get_busy() says
 * something else. */
HirLayouts *hir_layouts_new (void);
/* Forgets the pictures of the program before; nullable. */
void hir_layouts_set_program (HirLayouts *self, HirProgram *program);
/* The picture of @choice, with its layout; NULL while it is being made, and then what was asked for before
 * and is not there yet is given up. Where it is a preview another one follows. @from: nullable; what is on show,
 * to place large graphs alike. Borrowed, until the next call. */
HirPicture *hir_layouts_get (HirLayouts *self, HirGraphChoice *choice, HirPicture *from);
/* TRUE while something is being made for longer than a blink; *@n_boxes: of how many boxes. */
gboolean hir_layouts_get_busy (HirLayouts *self, guint *n_boxes);
/* Ends that: rows stay, or where there are none yet, there is no picture of what was asked for last until
 * something else is, or hir_layouts_resume(). */
void hir_layouts_stop (HirLayouts *self);
gboolean hir_layouts_is_stopped (HirLayouts *self);
void hir_layouts_resume (HirLayouts *self);

G_END_DECLS
