/* Layouts by Graphviz in a process of its own, so that it can be killed: when the user moved on, or
 * past its budget. This file has both ends. Whatever happens, a layout comes: where Graphviz does
 * not make one, it is the fallback, with a note that says why. */
#pragma once

#include "draw/graph/layout.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* The answer is to be there a second after it was asked for; the rest is for drawing it. */
#define HIR_LAYOUT_BUDGET_MS 850

/* The worker's end: `hirscope --layout-worker` calls it first thing in main() and exits with what
 * it returns. Reads a HirSizes from standard input, writes a HirLayout to standard output. */
int hir_layout_worker_main (void);

/* The client's end. One thread (whose main context the callbacks run in). */
typedef struct _HirLayouter HirLayouter;

/* @program: what to start with `--layout-worker`; NULL: this very program. @budget_ms: 0 for
 * HIR_LAYOUT_BUDGET_MS. */
HirLayouter *hir_layouter_new (const char *program, guint budget_ms);
/* Layouts under way finish all the same. */
void hir_layouter_unref (HirLayouter *layouter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLayouter, hir_layouter_unref)

/* @sizes is not kept. @fallback: nullable, kept by reference, what comes of it has its places; NULL: hir_lanes_new_layered(). A
 * graph that was laid out lately is answered from memory. Cancelled: the worker is killed. */
void hir_layouter_run_async (HirLayouter *layouter,
                             const HirSizes *sizes,
                             HirLayout *fallback,
                             GCancellable *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer user_data);
/* NULL only where it was cancelled (G_IO_ERROR_CANCELLED). Free with hir_layout_unref(). */
HirLayout *hir_layouter_run_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Waits; for commands, which have no main loop. */
HirLayout *hir_layouter_run (HirLayouter *layouter, const HirSizes *sizes, HirLayout *fallback);

G_END_DECLS
