/* Progress and cancellation of an export that runs on another thread. Every exporter accepts a
 * HirExportProgress or NULL. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GCancellable *cancellable; /* nullable, borrowed */
  guint64 n_done, n_all;     /* steps; used by the writing thread only */
  int permille;              /* atomic */
  guint64 n_looks;           /* number of checks for cancellation; for tests, used by the writing
                              * thread only */
} HirExportProgress;

/* Initializes @progress. @cancellable: (nullable): borrowed until the export has ended */
void hir_export_progress_init (HirExportProgress *progress, GCancellable *cancellable);
/* Announces @n more steps. Call on the writing thread. */
void hir_export_progress_expect (HirExportProgress *progress, guint64 n);
/* Reports one finished step. Returns FALSE and sets HIR_ERROR_CANCELLED if the export was
 * cancelled. Call on the writing thread. */
gboolean
hir_export_progress_step (HirExportProgress *progress, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Checks for cancellation within a long step. Returns FALSE and sets HIR_ERROR_CANCELLED if the
 * export was cancelled. */
gboolean hir_export_progress_should_continue (HirExportProgress *progress,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the finished share, 0 to 1; 0 if no steps were announced. Any thread. */
double hir_export_progress_get_share (const HirExportProgress *progress);
/* Returns the cancellable (nullable, borrowed). */
GCancellable *hir_export_progress_get_cancellable (const HirExportProgress *progress);

G_END_DECLS
