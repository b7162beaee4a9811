/* Where a debugged program stands, as a table: streams, communications under way, and memory of the rank
 * that is looked at. */
#pragma once

#include <gtk/gtk.h>

#include "debug/state.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_LOOK (hir_debug_look_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugLook, hir_debug_look, HIR, DEBUG_LOOK, GtkWidget)

GtkWidget *hir_debug_look_new (void);
/* @state: NULL: nothing is being debugged. Borrowed for the call. */
void hir_debug_look_set (HirDebugLook *self, const HirDebugState *state);

G_END_DECLS
