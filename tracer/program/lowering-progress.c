#include "program/lowering-progress.h"

struct _HirLoweringProgress
{
  gatomicrefcount ref_count;
  const char *what; /* this and the members below are atomic */
  guint n_begun;
  guint n_steps;
};

HirLoweringProgress *
hir_lowering_progress_new (void)
{
  HirLoweringProgress *self = g_new0 (HirLoweringProgress, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->what = "";
  return self;
}

HirLoweringProgress *
hir_lowering_progress_ref (HirLoweringProgress *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
hir_lowering_progress_unref (HirLoweringProgress *self)
{
  if (self != NULL && g_atomic_ref_count_dec (&self->ref_count))
    g_free (self);
}

void
hir_lowering_progress_begin (HirLoweringProgress *self, guint n_steps)
{
  if (self != NULL)
    g_atomic_int_set (&self->n_steps, n_steps);
}

void
hir_lowering_progress_step (HirLoweringProgress *self, const char *what)
{
  if (self == NULL)
    return;
  g_atomic_pointer_set (&self->what, what);
  g_atomic_int_inc (&self->n_begun);
}

const char *
hir_lowering_progress_get (HirLoweringProgress *self, guint *n_done, guint *n_steps)
{
  guint n_begun = g_atomic_int_get (&self->n_begun);

  *n_steps = g_atomic_int_get (&self->n_steps);
  *n_done = MIN (n_begun > 0 ? n_begun - 1 : 0, *n_steps);
  return g_atomic_pointer_get (&self->what);
}
