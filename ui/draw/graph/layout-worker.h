/* Runs Graphviz in a separate process, which is killed on cancellation or after a time limit. This
 * file has both ends. There is always a layout: if Graphviz gives none, the fallback with a note
 * about the reason. */
#pragma once

#include "draw/graph/layout.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* The result must be displayed within 1 s; the remaining time is for drawing. */
#define HIR_LAYOUT_BUDGET_MS 850

/* The worker's end. `hirscope --layout-worker` calls this function first in main() and exits with
 * its result. Reads a HirSizes from standard input and writes a HirLayout to standard output. */
int hir_layout_worker_main (void);

/* The client's end. Use from one thread, whose main context runs the callbacks. */
typedef struct _HirLayouter HirLayouter;

/* Creates a client. @program is started with `--layout-worker`; NULL means the running program.
 * @budget_ms of 0 means HIR_LAYOUT_BUDGET_MS. */
HirLayouter *hir_layouter_new (const char *program, guint budget_ms);
/* Releases a reference. Layouts in progress are completed. */
void hir_layouter_unref (HirLayouter *layouter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLayouter, hir_layouter_unref)

/* Starts a layout; @sizes is copied. A recent layout of the same graph is returned from the cache.
 * Cancellation kills the worker.
 *
 * @fallback: (nullable): layout to return if Graphviz fails; NULL means hir_lanes_new_layered() */
void hir_layouter_run_async (HirLayouter *layouter,
                             const HirSizes *sizes,
                             HirLayout *fallback,
                             GCancellable *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer user_data);
/* Returns the layout (transfer full), or NULL if the call was cancelled (G_IO_ERROR_CANCELLED). */
HirLayout *hir_layouter_run_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Waits for the layout. For commands without a main loop. */
HirLayout *hir_layouter_run (HirLayouter *layouter, const HirSizes *sizes, HirLayout *fallback);

G_END_DECLS
