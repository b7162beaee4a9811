/* Where a debugged program stands: who waits for whom, where each rank is; streams, communications and memory of the
 * rank that is looked at. */
#pragma once

#include <gtk/gtk.h>

#include "debugger/state.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_STATUS (hir_debug_status_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugStatus, hir_debug_status, HIR, DEBUG_STATUS, GtkWidget)

GtkWidget *hir_debug_status_new (void);
/* @state: NULL: nothing is being debugged. Borrowed for the call. */
void hir_debug_status_set (HirDebugStatus *self, const HirDebugState *state);
/* What it says of ranks that wait for others, a line a communication: "" where nobody does. */
const char *hir_debug_status_get_waits (HirDebugStatus *self);

G_END_DECLS
