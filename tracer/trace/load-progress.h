/* One who looks on while a file is loaded by one thread into one builder: told how far it is, shown what there is
 * by now, and asked whether to go on. */
#pragma once

#include <gio/gio.h>

#include "trace/preview.h"

G_BEGIN_DECLS

/* Options of hir_trace_open(). */
typedef struct
{
  GCancellable *cancellable;
  /* Nullable: told now and then, on the calling thread, how many bytes of the files were read, of how
   * many; 0: not known (a pipe is one of them). */
  void (*progress) (guint64 done, guint64 total, gpointer user_data);
  gpointer user_data;
  /* Nullable: shown now and then what was read by now, on a thread of its own, which goes before
   * hir_trace_open() returns. @trace is borrowed and immutable; see trace/preview.h. */
  void (*picture) (HirTrace *trace, gpointer user_data);
  /* Nullable. Once cancelled, what was read by then is the trace, and its account says so. */
  GCancellable *enough;
  guint n_threads;   /* 0: as many as there are processors. The trace is the same with any number */
  gsize block_bytes; /* of text that a thread takes at once; 0: what suits */
} HirImportOptions;

typedef struct
{
  const HirImportOptions *options; /* borrowed */
  const char *path;                /* borrowed */
  HirPreview *preview;             /* nullable */
  guint64 file_bytes;
  gboolean is_enough; /* no more is wanted; what was loaded counts */
} HirLoadProgress;

/* @options: nullable. */
void hir_load_progress_init (HirLoadProgress *watch, const char *path, const HirImportOptions *options);
/* Before the builder is finished: pictures are made of it. */
void hir_load_progress_clear (HirLoadProgress *watch);
/* @builder has @share, 0 to 1, of the file. FALSE: it is to end, either with HIR_ERROR_CANCELLED, or, with is_enough
 * set and no error, as if the file ended here. NULL is allowed for @watch. */
gboolean hir_load_progress_should_continue (HirLoadProgress *watch,
                               const HirTraceBuilder *builder,
                               double share,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Says in the account that loading was stopped, if it was. */
void hir_load_progress_write_account (HirLoadProgress *watch, HirTraceBuilder *builder);

G_END_DECLS
