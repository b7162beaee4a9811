/* Creates and caches the layouts of a program's steps. Steps of one kind (fusion or host
 * program, small or large) with the same folds share one layout of their union, so that
 * unchanged boxes do not move; comparisons and neighborhoods are laid out separately. Work runs
 * on a worker thread and in a worker process; a signal reports results. If Graphviz takes long,
 * preliminary rows are available first. Call on the main thread. */
#pragma once

#include <glib-object.h>

#include "draw/graph/graph-picture.h"
#include "program/program.h"

G_BEGIN_DECLS

/* After this time the preliminary rows and the progress are displayed. */
#define HIR_LAYOUTS_LATE_MS 300

#define HIR_TYPE_LAYOUTS (hir_layouts_get_type ())
G_DECLARE_FINAL_TYPE (HirLayouts, hir_layouts, HIR, LAYOUTS, GObject)

/* Signal `changed`, without arguments: a requested picture is available, or the result of
 * hir_layouts_get_busy() changed. */
HirLayouts *hir_layouts_new (void);
/* Sets the program (nullable) and drops the cached pictures of the previous one. */
void hir_layouts_set_program (HirLayouts *self, HirProgram *program);
/**
 * hir_layouts_get:
 * @self: the layouts
 * @choice: what to show
 * @from: (nullable): the displayed picture; a large graph is laid out similarly
 *
 * Returns the picture of @choice. If it is not available, starts creating it and cancels a previous
 * request.
 *
 * Returns: (nullable): the picture with its layout, valid until the next call. It may be a preview
 * that is replaced later. NULL while it is being created.
 */
HirPicture *hir_layouts_get (HirLayouts *self, HirGraphChoice *choice, HirPicture *from);
/* Returns TRUE if a layout has been running for longer than HIR_LAYOUTS_LATE_MS; *@n_boxes is
 * its number of boxes. */
gboolean hir_layouts_get_busy (HirLayouts *self, guint *n_boxes);
/* Stops the running layout. The rows stay. If there are no rows yet, hir_layouts_get() returns
 * NULL for this choice until another choice is requested or hir_layouts_resume() is called. */
void hir_layouts_stop (HirLayouts *self);
/* Returns whether a layout was stopped before any picture was available. */
gboolean hir_layouts_is_stopped (HirLayouts *self);
/* Starts a stopped layout again. */
void hir_layouts_resume (HirLayouts *self);

G_END_DECLS
