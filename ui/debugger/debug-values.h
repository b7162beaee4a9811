/* Values where the program stands: one of the tensors that have memory on the rank that is looked at, and what it holds. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_VALUES (hir_debug_values_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugValues, hir_debug_values, HIR, DEBUG_VALUES, GtkWidget)

GtkWidget *hir_debug_values_new (HirSelection *selection, HirDocument *document);
/* @state: NULL: nothing is being debugged. Borrowed for the call. */
void hir_debug_values_set (HirDebugValues *self, const HirDebugState *state);
/* As hir_value_panel_dup_text(). */
char *hir_debug_values_dup_text (HirDebugValues *self);

G_END_DECLS
