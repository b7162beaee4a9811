/* Options, progress and cancellation of loading. A HirLoadProgress serves a file that one thread
 * loads into one builder. */
#pragma once

#include <gio/gio.h>

#include "trace/preview.h"
#include "trace/trace-rules.h"

G_BEGIN_DECLS

/* Options of hir_trace_open(). */
typedef struct
{
  GCancellable *cancellable;
  /* Nullable. Called periodically on the calling thread with the bytes read and the total; 0:
   * unknown, for example for a pipe. */
  void (*progress) (guint64 done, guint64 total, gpointer user_data);
  gpointer user_data;
  /* Nullable. Called periodically on a separate thread with a preview of the events read so far.
   * The thread ends before hir_trace_open() returns. @trace is borrowed and immutable; see
   * trace/preview.h. */
  void (*picture) (HirTrace *trace, gpointer user_data);
  /* Nullable. If cancelled, loading stops, the trace has the events read so far, and its account
   * says so. */
  GCancellable *enough;
  /* Nullable: the built-in rules. Classify device work by its name. */
  HirTraceRules *rules;
  guint n_threads;   /* 0: one per processor; the result does not depend on it */
  gsize block_bytes; /* text per thread and block; 0: default */
} HirImportOptions;

typedef struct
{
  const HirImportOptions *options; /* borrowed */
  const char *path;                /* borrowed */
  HirPreview *preview;             /* nullable */
  guint64 file_bytes;
  gboolean is_enough; /* loading was stopped; the events read so far count */
} HirLoadProgress;

/* Initializes @progress. @options: (nullable). */
void hir_load_progress_init (HirLoadProgress *progress,
                             const char *path,
                             const HirImportOptions *options);
/* Frees the contents. Call before the builder is finished, because previews read it. */
void hir_load_progress_clear (HirLoadProgress *progress);
/* Reports that @share (0 to 1) of the file has been read into @builder. Returns FALSE to stop:
 * either with HIR_ERROR_CANCELLED, or with is_enough set and no error, as at the end of the file.
 * @progress: (nullable). */
gboolean hir_load_progress_should_continue (HirLoadProgress *progress,
                                            const HirTraceBuilder *builder,
                                            double share,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds a line to the account if loading was stopped. */
void hir_load_progress_write_account (HirLoadProgress *progress, HirTraceBuilder *builder);

G_END_DECLS
