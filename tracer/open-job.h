/* A recording, or traces of another profiler, read in a thread while others ask how far it is. */
#pragma once

#include "document-recording.h"

G_BEGIN_DECLS

typedef struct _HirOpenJob HirOpenJob;

/* @paths: NULL-terminated, at least one; several are one trace, a rank a file. */
HirOpenJob *hir_open_job_new (const char *const *paths);
HirOpenJob *hir_open_job_ref (HirOpenJob *job);
void hir_open_job_unref (HirOpenJob *job);
/* Blocks; any thread, once. Errors: as hir_opened_new(). */
HirOpened *hir_open_job_run (HirOpenJob *job, GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Bytes of the files read by now and in all; 0 in all: not known. Any thread. */
void hir_open_job_get_progress (HirOpenJob *job, guint64 *done, guint64 *total);
const char *const *hir_open_job_get_paths (HirOpenJob *job);
/* "1,321". Newly allocated. */
char *hir_count_to_string (guint64 n);
/* "1,321 events of 6 tracks; 2 notes". Newly allocated. */
char *hir_opened_describe (const HirOpened *opened);

G_END_DECLS
