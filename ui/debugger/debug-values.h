/* Values at the current position of a debugged program: one of the tensors that have memory on
 * the displayed rank. Unless it is pinned, it is a tensor of the instruction that has just been
 * executed or is next. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_VALUES (hir_debug_values_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugValues, hir_debug_values, HIR, DEBUG_VALUES, GtkWidget)

/* Creates the page, without a debugged program. */
GtkWidget *hir_debug_values_new (HirSelection *selection, HirDocument *document);
/* Displays @state (borrowed for the call); NULL if no program is debugged. */
void hir_debug_values_set (HirDebugValues *self, const HirDebugState *state);
/* Returns the result of hir_value_panel_dup_text(). For tests. */
char *hir_debug_values_dup_text (HirDebugValues *self);

G_END_DECLS
