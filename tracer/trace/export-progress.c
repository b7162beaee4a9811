#include "trace/export-progress.h"

#include "diagnostic.h"
#include "testing/hold.h"

#define STEPS_A_LOOK 1024

void
hir_export_progress_init (HirExportProgress *progress, GCancellable *cancellable)
{
  *progress = (HirExportProgress){ .cancellable = cancellable };
}

void
hir_export_progress_expect (HirExportProgress *progress, guint64 n)
{
  if (progress != NULL)
    progress->n_all += n;
}

gboolean
hir_export_progress_should_continue (HirExportProgress *progress, GError **error)
{
  if (progress == NULL)
    return TRUE;
  progress->n_looks++;
  if (!g_cancellable_is_cancelled (progress->cancellable))
    return TRUE;
  hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the export was cancelled");
  return FALSE;
}

gboolean
hir_export_progress_step (HirExportProgress *progress, GError **error)
{
  if (progress == NULL || ++progress->n_done % STEPS_A_LOOK != 0)
    return TRUE;
  if (progress->n_all > 0)
    g_atomic_int_set (&progress->permille,
                      (int) MIN (progress->n_done * 1000 / progress->n_all, 1000));
  if (progress->n_done >= progress->n_all / 2)
    hir_test_hold ("HIRSCOPE_TEST_EXPORT_HOLD", progress->cancellable);
  return hir_export_progress_should_continue (progress, error);
}

double
hir_export_progress_get_share (const HirExportProgress *progress)
{
  return g_atomic_int_get (&progress->permille) / 1000.0;
}

GCancellable *
hir_export_progress_get_cancellable (const HirExportProgress *progress)
{
  return progress != NULL ? progress->cancellable : NULL;
}
