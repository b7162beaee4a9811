#include "trace/load-progress.h"

#include <glib/gstdio.h>

#include "diagnostic.h"
#include "testing/hold.h"

static void
show (HirTrace *trace, gpointer user_data)
{
  const HirImportOptions *options = user_data;

  options->picture (trace, options->user_data);
}

void
hir_load_progress_init (HirLoadProgress *progress,
                        const char *path,
                        const HirImportOptions *options)
{
  GStatBuf info;

  *progress = (HirLoadProgress){ .options = options, .path = path };
  if (g_stat (path, &info) == 0)
    progress->file_bytes = (guint64) info.st_size;
  if (options != NULL && options->picture != NULL)
    progress->preview = hir_preview_new (
        &(const HirPreviewClass){ .n_parts = 1, .show = show, .user_data = (gpointer) options });
}

void
hir_load_progress_clear (HirLoadProgress *progress)
{
  g_clear_pointer (&progress->preview, hir_preview_free);
}

gboolean
hir_load_progress_should_continue (HirLoadProgress *progress,
                                   const HirTraceBuilder *builder,
                                   double share,
                                   GError **error)
{
  const HirImportOptions *options = progress != NULL ? progress->options : NULL;
  guint64 done;

  if (options == NULL)
    return TRUE;
  done = (guint64) (CLAMP (share, 0, 1) * (double) progress->file_bytes);
  if (options->progress != NULL)
    options->progress (done, progress->file_bytes, options->user_data);
  hir_preview_offer (progress->preview, 0, builder, NULL);
  if (hir_test_hold_load (options->cancellable, options->enough, done, progress->file_bytes))
    {
      hir_preview_force (progress->preview, 0, builder, NULL);
      while (hir_test_hold_load (options->cancellable, options->enough, done, progress->file_bytes))
        ;
    }
  if (g_cancellable_is_cancelled (options->cancellable))
    {
      hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "loading %s was cancelled", progress->path);
      return FALSE;
    }
  progress->is_enough = g_cancellable_is_cancelled (options->enough);
  return !progress->is_enough;
}

void
hir_load_progress_write_account (HirLoadProgress *progress, HirTraceBuilder *builder)
{
  if (progress != NULL && progress->is_enough)
    hir_trace_builder_add_account (builder,
                                   "%s: loading was stopped; the %" G_GUINT64_FORMAT
                                   " events before are shown",
                                   progress->path, hir_trace_builder_get_n_events (builder));
}
