/* How far a lowering is: written by the thread that lowers, read by the one that tells. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirLoweringProgress HirLoweringProgress;

HirLoweringProgress *hir_lowering_progress_new (void);
HirLoweringProgress *hir_lowering_progress_ref (HirLoweringProgress *self);
void hir_lowering_progress_unref (HirLoweringProgress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLoweringProgress, hir_lowering_progress_unref)

/* For who lowers. @self is nullable in both. @n_steps: in all. */
void hir_lowering_progress_begin (HirLoweringProgress *self, guint n_steps);
/* One more step is done, and @what begins: the name of a pass, or words; it must live as long as the program does. */
void hir_lowering_progress_step (HirLoweringProgress *self, const char *what);

/* What is being done; "" before the first step. @n_steps: 0 where it is not known yet. */
const char *hir_lowering_progress_get (HirLoweringProgress *self, guint *n_done, guint *n_steps);

G_END_DECLS
