/* One file that the window writes, in a thread: what of, and in which form. */
#pragma once

#include "document/document.h"
#include "draw/timeline/timeline-rows.h"
#include "selection/selection.h"
#include "trace/export-progress.h"

G_BEGIN_DECLS

typedef struct
{
  const char *target; /* parameter of win.export; "save": win.save */
  const char *title;  /* of the dialog that asks for a name */
  const char *suffix;
  enum
  {
    HIR_EXPORT_OF_TRACE,
    HIR_EXPORT_OF_VIEW, /* of the program after the pass on show */
  } of;
} HirExportKind;

/* NULL where there is none of that name. Static. */
const HirExportKind *hir_export_kind_lookup (const char *target);

typedef struct _HirExportJob HirExportJob;

/* Of what is on show now: what is opened or chosen later does not change it. @kind is static, and there is what it is
 * of. Free with hir_export_job_free() once it is written. */
HirExportJob *hir_export_job_new (const HirExportKind *kind,
                                  const char *path,
                                  HirDocument *document,
                                  HirSelection *selection);
/* What the timeline shows, from @start_ns to @end_ns: its picture is of those rows, and of that stretch where no range is
 * selected. Before it is started. */
void hir_export_job_set_shown (HirExportJob *job, const HirTimelineRows *rows, gint64 start_ns, gint64 end_ns);
void hir_export_job_free (HirExportJob *job);
/* Writes in a thread, and calls @callback in this one. */
void hir_export_job_start (HirExportJob *job, GAsyncReadyCallback callback, gpointer user_data);
/* Errors: HIR_ERROR_CANCELLED; then, and after any other, what was at the path before is there as it was. */
gboolean
hir_export_job_finish (HirExportJob *job, GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The callback comes soon. */
void hir_export_job_cancel (HirExportJob *job);
const HirExportProgress *hir_export_job_get_progress (const HirExportJob *job);
const HirExportKind *hir_export_job_get_kind (const HirExportJob *job);
const char *hir_export_job_get_path (const HirExportJob *job);
/* What is to be said of the file that was written, besides that it is there; NULL: nothing. */
char *hir_export_job_dup_note (const HirExportJob *job);

G_END_DECLS
