/* The debugger's panel above the timeline: a bar of buttons with where the program stands; below it the
 * breakpoints, the state, and a line for the debugger's words. Everything it asks for is an action of the
 * window (`win.debug-*`, `win.break-*`). */
#pragma once

#include <gtk/gtk.h>

#include "debugger/break-list.h"
#include "debugger/debug-console.h"
#include "debugger/state.h"
#include "document/document.h"
#include "selection/selection.h"
#include "debugger/mismatch-strip.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_PAGE (hir_debug_page_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugPage, hir_debug_page, HIR, DEBUG_PAGE, GtkWidget)

GtkWidget *hir_debug_page_new (HirSelection *selection, HirDocument *document);
/* NULL: nothing is being debugged. Borrowed for the call. */
void hir_debug_page_set_state (HirDebugPage *self, const HirDebugState *state);
HirBreakList *hir_debug_page_get_breaks (HirDebugPage *self);
HirMismatchStrip *hir_debug_page_get_mismatch (HirDebugPage *self);
HirDebugConsole *hir_debug_page_get_console (HirDebugPage *self);
/* "Rank 1, before #12 ... in iteration 5": what the bar says. */
const char *hir_debug_page_get_place (HirDebugPage *self);
/* See hir_debug_status_get_waits(). */
const char *hir_debug_page_get_waits (HirDebugPage *self);
/* See hir_debug_values_dup_text(). */
char *hir_debug_page_dup_values (HirDebugPage *self);

G_END_DECLS
