/* Loads a recording or traces of another profiler on a worker thread, with progress and partial
 * results. */
#pragma once

#include "program/document-recording.h"

G_BEGIN_DECLS

typedef struct _HirOpenJob HirOpenJob;

/* Creates a job. @paths is NULL-terminated; several files are one trace, one file per rank. */
HirOpenJob *hir_open_job_new (const char *const *paths);
/* Sets the function that is called for each partial result, in the thread-default main context
 * of the caller; NULL disables it. Call before hir_open_job_run(). */
typedef void (*HirOpenJobFunc) (HirOpenJob *job, gpointer user_data);
void hir_open_job_set_func (HirOpenJob *job, HirOpenJobFunc func, gpointer user_data);
/* Sets the rules that classify the work of a trace (nullable: the built-in ones). Call before
 * hir_open_job_run(). */
void hir_open_job_set_rules (HirOpenJob *job, HirTraceRules *rules);
HirOpenJob *hir_open_job_ref (HirOpenJob *job);
void hir_open_job_unref (HirOpenJob *job);
/* Loads the files. Blocks; any thread; call once. Sets the errors of hir_opened_new(). */
HirOpened *hir_open_job_run (HirOpenJob *job,
                             GCancellable *cancellable,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the latest partial result (transfer full), with the final program and ranks, or NULL if
 * there is none since the last call. Any thread. */
HirOpened *hir_open_job_take_picture (HirOpenJob *job);
/* Ends the job soon; its result is the part read so far. Any thread. */
void hir_open_job_stop (HirOpenJob *job);
/* Gets the number of bytes read and in total; the total is 0 if it is not known. Any thread. */
void hir_open_job_get_progress (HirOpenJob *job, guint64 *done, guint64 *total);
/* Returns the paths (borrowed). */
const char *const *hir_open_job_get_paths (HirOpenJob *job);
/* Formats a number (transfer full): "1,321". */
char *hir_count_to_string (guint64 n);
/* Describes a result (transfer full): "1,321 events of 6 tracks; 2 notes". */
char *hir_opened_describe (const HirOpened *opened);
/* Describes a partial result (transfer full): "Opening… 1,321 events of 6 tracks so far". */
char *hir_opened_describe_part (const HirOpened *opened);

G_END_DECLS
