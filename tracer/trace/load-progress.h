/* One who looks on while a file is loaded by one thread into one builder: told how far it is, shown what there is
 * by now, and asked whether to go on. */
#pragma once

#include "trace/load/import.h"
#include "trace/preview.h"

G_BEGIN_DECLS

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
