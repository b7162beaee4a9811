/* Finds the first instruction whose result is outside its error bound. The search runs on a worker
 * thread; its progress and result appear in the debugger panel. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Call after the debugger panel was created. */
HirMismatchController *hir_mismatch_controller_new (HirWindow *window);

/* Cancels a running search and frees @self. */
void hir_mismatch_controller_free (HirMismatchController *self);

/* `win.find-wrong`: starts a search. */
void hir_window_find_mismatch (HirWindow *self, GVariant *parameter, int argument);

/* `win.find-wrong-end`: cancels the search, or hides its result. */
void hir_window_find_mismatch_end (HirWindow *self, GVariant *parameter, int argument);

/* `win.find-wrong-show`: selects the instruction that was found. */
void hir_window_find_mismatch_show (HirWindow *self, GVariant *parameter, int argument);

/* `win.find-wrong-break`: adds a breakpoint before the instruction that was found. */
void hir_window_find_mismatch_break (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
