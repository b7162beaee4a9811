/* The debugger, a tab at the bottom of the window: buttons and the current position; below them
 * breakpoints, state and console. All requests are actions of the window (`win.debug-*`,
 * `win.break-*`). */
#pragma once

#include <gtk/gtk.h>

#include "debugger/break-list.h"
#include "debugger/debug-console.h"
#include "debugger/mismatch-strip.h"
#include "debugger/state.h"
#include "debugger/watch-list.h"
#include "document/document.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_PAGE (hir_debug_page_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugPage, hir_debug_page, HIR, DEBUG_PAGE, GtkWidget)

/* Creates the panel, without a debugged program. */
GtkWidget *hir_debug_page_new (HirSelection *selection, HirDocument *document);
/* Displays @state (borrowed for the call); NULL if no program is debugged. */
void hir_debug_page_set_state (HirDebugPage *self, const HirDebugState *state);
/* Returns the list of breakpoints (borrowed). */
HirBreakList *hir_debug_page_get_breaks (HirDebugPage *self);
/* Returns the list of watched expressions (borrowed). */
HirWatchList *hir_debug_page_get_watches (HirDebugPage *self);
/* Shows the list of watched expressions and moves the focus to its entry, see
 * hir_watch_list_focus(). */
void hir_debug_page_focus_watches (HirDebugPage *self, const char *text);
/* Returns the strip of the search for a mismatch (borrowed). */
HirMismatchStrip *hir_debug_page_get_mismatch (HirDebugPage *self);
/* Returns the console (borrowed). */
HirDebugConsole *hir_debug_page_get_console (HirDebugPage *self);
/* Returns the displayed position, for example "Rank 1, before program line 12, ... in iteration 5".
 * For tests. */
const char *hir_debug_page_get_place (HirDebugPage *self);
/* Returns the result of hir_debug_status_get_waits(). For tests. */
const char *hir_debug_page_get_waits (HirDebugPage *self);
/* Returns the result of hir_debug_values_dup_text(). For tests. */
char *hir_debug_page_dup_values (HirDebugPage *self);

G_END_DECLS
