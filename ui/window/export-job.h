/* Writes one file on a worker thread: a recording, an exported trace, a report, a picture or the
 * program text. */
#pragma once

#include "base/figure-dialog.h"
#include "document/document.h"
#include "draw/timeline/timeline-rows.h"
#include "graph/graph-view.h"
#include "selection/selection.h"
#include "trace/export-progress.h"

G_BEGIN_DECLS

typedef struct
{
  const char *target; /* parameter of win.export, or "save" */
  const char *title;  /* of the file chooser */
  const char *suffix;
  enum
  {
    HIR_EXPORT_OF_TRACE,
    HIR_EXPORT_OF_VIEW, /* exports the displayed step */
  } of;
} HirExportKind;

/* Returns the kind with this target (static), or NULL. */
const HirExportKind *hir_export_kind_lookup (const char *target);

typedef struct _HirExportJob HirExportJob;

/**
 * hir_export_job_new:
 * @kind: static; the document must have the trace or the snapshot that is exported
 *
 * Creates a job for the current document and selection. Later changes do not affect it.
 *
 * Returns: (transfer full): the job; free with hir_export_job_free() when it has finished
 */
HirExportJob *hir_export_job_new (const HirExportKind *kind,
                                  const char *path,
                                  HirDocument *document,
                                  HirSelection *selection);

/* Restricts the timeline of a picture or a report to @rows (nullable: all), and that of a picture
 * to the visible range unless a range is selected. Call before hir_export_job_start(). */
void hir_export_job_set_shown (HirExportJob *job,
                               const HirTimelineRows *rows,
                               gint64 start_ns,
                               gint64 end_ns);

/* Draws the critical path over a timeline. Call before hir_export_job_start(). */
void hir_export_job_set_shows_path (HirExportJob *job, gboolean shows_path);
/* Sets width, font, background and legend of a figure. Call before hir_export_job_start(). */
void hir_export_job_set_look (HirExportJob *job, const HirFigureLook *look, gboolean dark);
/* Sets the displayed graph (nullable), which is written as displayed. Without it, a graph is laid
 * out again. Call before hir_export_job_start(). */
void hir_export_job_set_picture (HirExportJob *job, HirPicture *picture);

/* Sets what a report folds: groups of the graph (set of gint64*), and lines of the text
 * (HirHtmlFold). Takes both. Call before hir_export_job_start(). */
void hir_export_job_set_folds (HirExportJob *job, GHashTable *folded, GArray *folds);

/* Frees @job. */
void hir_export_job_free (HirExportJob *job);

/* Writes the file on a worker thread, and calls @callback on this thread. */
void hir_export_job_start (HirExportJob *job, GAsyncReadyCallback callback, gpointer user_data);

/* Returns FALSE with @error, for example HIR_ERROR_CANCELLED, if the file was not written. An
 * existing file is then unchanged. */
gboolean hir_export_job_finish (HirExportJob *job,
                                GAsyncResult *result,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Cancels the job. The callback follows shortly. */
void hir_export_job_cancel (HirExportJob *job);

/* Returns the progress (borrowed). */
const HirExportProgress *hir_export_job_get_progress (const HirExportJob *job);

/* Returns the kind (static). */
const HirExportKind *hir_export_job_get_kind (const HirExportJob *job);

/* Returns the path (borrowed). */
const char *hir_export_job_get_path (const HirExportJob *job);

/* Returns a note on the file that was written (transfer full), or NULL. */
char *hir_export_job_dup_note (const HirExportJob *job);

G_END_DECLS
