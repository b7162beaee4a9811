#include "trace/export-progress.h"

#include "diagnostic.h"
#include "testing/hold.h"

#define STEPS_A_LOOK 1024

void
hir_export_progress_init (HirExportProgress *watch, GCancellable *cancellable)
{
  *watch = (HirExportProgress){ .cancellable = cancellable };
}

void
hir_export_progress_expect (HirExportProgress *watch, guint64 n)
{
  if (watch != NULL)
    watch->n_all += n;
}

gboolean
hir_export_progress_should_continue (HirExportProgress *watch, GError **error)
{
  if (watch == NULL)
    return TRUE;
  watch->n_looks++;
  if (!g_cancellable_is_cancelled (watch->cancellable))
    return TRUE;
  hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the export was cancelled");
  return FALSE;
}

gboolean
hir_export_progress_step (HirExportProgress *watch, GError **error)
{
  if (watch == NULL || ++watch->n_done % STEPS_A_LOOK != 0)
    return TRUE;
  if (watch->n_all > 0)
    g_atomic_int_set (&watch->permille, (int) MIN (watch->n_done * 1000 / watch->n_all, 1000));
  if (watch->n_done >= watch->n_all / 2)
    hir_test_hold ("HIRSCOPE_TEST_EXPORT_HOLD", watch->cancellable);
  return hir_export_progress_should_continue (watch, error);
}

double
hir_export_progress_get_share (const HirExportProgress *watch)
{
  return g_atomic_int_get (&watch->permille) / 1000.0;
}

GCancellable *
hir_export_progress_get_cancellable (const HirExportProgress *watch)
{
  return watch != NULL ? watch->cancellable : NULL;
}
