/* Where a debugged program stands: who waits for whom, where each rank is; streams, communications and memory of the
 * rank that is looked at. */
#pragma once

#include <gtk/gtk.h>

#include "debug/state.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_LOOK (hir_debug_look_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugLook, hir_debug_look, HIR, DEBUG_LOOK, GtkWidget)

GtkWidget *hir_debug_look_new (void);
/* @state: NULL: nothing is being debugged. Borrowed for the call. */
void hir_debug_look_set (HirDebugLook *self, const HirDebugState *state);
/* What it says of ranks that wait for others, a line a communication: "" where nobody does. */
const char *hir_debug_look_get_waits (HirDebugLook *self);

G_END_DECLS
