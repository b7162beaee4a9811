/* A recording, or traces of another profiler, read in a thread while others ask how far it is. */
#pragma once

#include "program/document-recording.h"

G_BEGIN_DECLS

typedef struct _HirOpenJob HirOpenJob;

/* @paths: NULL-terminated, at least one; several are one trace, a rank a file. */
HirOpenJob *hir_open_job_new (const char *const *paths);
/* @func is called in the thread's main context of this call's thread whenever there is more to see, until NULL is set
 * there. */
typedef void (*HirOpenJobFunc) (HirOpenJob *job, gpointer user_data);
void hir_open_job_set_func (HirOpenJob *job, HirOpenJobFunc func, gpointer user_data);
HirOpenJob *hir_open_job_ref (HirOpenJob *job);
void hir_open_job_unref (HirOpenJob *job);
/* Blocks; any thread, once. Errors: as hir_opened_new(). */
HirOpened *hir_open_job_run (HirOpenJob *job, GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* What was read by now, as immutable as what is returned at the end, with the same program and ranks: free it. NULL:
 * nothing, or nothing since the last call. Any thread. */
HirOpened *hir_open_job_take_picture (HirOpenJob *job);
/* What was read by now is enough: the job ends soon, and with that. Any thread. */
void hir_open_job_stop (HirOpenJob *job);
/* Bytes of the files read by now and in all; 0 in all: not known. Any thread. */
void hir_open_job_get_progress (HirOpenJob *job, guint64 *done, guint64 *total);
const char *const *hir_open_job_get_paths (HirOpenJob *job);
/* "1,321". Newly allocated. */
char *hir_count_to_string (guint64 n);
/* "1,321 events of 6 tracks; 2 notes". Newly allocated. */
char *hir_opened_describe (const HirOpened *opened);
/* The same of what was read by now: "Opening... 1,321 events of 6 tracks so far". */
char *hir_opened_describe_part (const HirOpened *opened);

G_END_DECLS
