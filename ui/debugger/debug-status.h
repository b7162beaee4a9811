/* State of a debugged program: blocked communications and position of each rank; streams,
 * communications and memory of the displayed rank. */
#pragma once

#include <gtk/gtk.h>

#include "debugger/state.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_STATUS (hir_debug_status_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugStatus, hir_debug_status, HIR, DEBUG_STATUS, GtkWidget)

/* Creates the page, without a debugged program. */
GtkWidget *hir_debug_status_new (void);
/* Displays @state (borrowed for the call); NULL if no program is debugged. */
void hir_debug_status_set (HirDebugStatus *self, const HirDebugState *state);
/* Returns the displayed text about blocked ranks, one line per communication; "" if none is
 * blocked. For tests. */
const char *hir_debug_status_get_waits (HirDebugStatus *self);

G_END_DECLS
