/* Progress of a lowering: written by the lowering thread, read by any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirLoweringProgress HirLoweringProgress;

HirLoweringProgress *hir_lowering_progress_new (void);
HirLoweringProgress *hir_lowering_progress_ref (HirLoweringProgress *self);
void hir_lowering_progress_unref (HirLoweringProgress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLoweringProgress, hir_lowering_progress_unref)

/* Sets the total number of steps. @self is nullable. */
void hir_lowering_progress_begin (HirLoweringProgress *self, guint n_steps);
/* Marks a step as done and starts step @what, a static string. @self is nullable. */
void hir_lowering_progress_step (HirLoweringProgress *self, const char *what);

/* Returns the current step, "" before the first one. @n_steps is 0 if the total is not known
 * yet. */
const char *hir_lowering_progress_get (HirLoweringProgress *self, guint *n_done, guint *n_steps);

G_END_DECLS
