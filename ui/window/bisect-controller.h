/* Finds the first pass that makes results incorrect, or the first whose program matches a pattern.
 * Bisection runs on a worker thread; everything else is called on the main thread. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Adds the bisection strip above the passes. Offers a bisection after a run with incorrect
 * results. */
HirBisectController *hir_bisect_controller_new (HirWindow *window);

/* Cancels a running bisection and frees @self. */
void hir_bisect_controller_free (HirBisectController *self);

/* `win.bisect`: finds the pass that makes results incorrect. */
void hir_window_bisect (HirWindow *self, GVariant *parameter, int argument);

/* `win.bisect-ask`: shows the entry for a pattern. */
void hir_window_bisect_ask (HirWindow *self, GVariant *parameter, int argument);

/* `win.bisect-text`: finds the first pass whose program matches the pattern @parameter. */
void hir_window_bisect_text (HirWindow *self, GVariant *parameter, int argument);

/* `win.bisect-stop`: cancels a bisection and hides its result. */
void hir_window_bisect_stop (HirWindow *self, GVariant *parameter, int argument);

/* `win.bisect-diff`: shows the changes of the pass that was found. */
void hir_window_bisect_diff (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
