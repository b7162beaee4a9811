/* One who looks on while a trace is written to a file, in another thread: shown how far it is, and free to end it.
 * All that write take one, or NULL. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GCancellable *cancellable; /* nullable, borrowed */
  guint64 n_done, n_all;     /* steps, of the one who writes */
  int permille;              /* atomic */
  guint64 n_looks;           /* how often the one who writes asked whether to go on: for tests, and of its thread alone */
} HirExportProgress;

/* @cancellable: nullable; borrowed until nobody writes any more. */
void hir_export_progress_init (HirExportProgress *watch, GCancellable *cancellable);
/* Whoever writes: @n steps are still to come, besides those that were told of before. */
void hir_export_progress_expect (HirExportProgress *watch, guint64 n);
/* Whoever writes: a step is done. FALSE with HIR_ERROR_CANCELLED: it is to end. */
gboolean hir_export_progress_step (HirExportProgress *watch, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of what is one long step: only whether to go on. */
gboolean hir_export_progress_should_continue (HirExportProgress *watch, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* 0 to 1; 0 where nobody told what is to come. Any thread. */
double hir_export_progress_get_share (const HirExportProgress *watch);
/* Borrowed; NULL where there is none. */
GCancellable *hir_export_progress_get_cancellable (const HirExportProgress *watch);

G_END_DECLS
