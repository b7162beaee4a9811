/* Panel with the value of a tensor after a run, or at the current position of a debugged
 * program: device, slice, numbers, histogram, map, and a page of elements. Requests values from
 * the document; without values it says what to do. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_VALUE_PANEL (hir_value_panel_get_type ())
G_DECLARE_FINAL_TYPE (HirValuePanel, hir_value_panel, HIR, VALUE_PANEL, GtkWidget)

/* Creates the panel, without a tensor. */
GtkWidget *hir_value_panel_new (HirSelection *selection, HirDocument *document);
/* Displays tensor @id of the host program. For the same tensor the options stay. */
void hir_value_panel_set_tensor (HirValuePanel *self, guint64 id);
/* Places numbers next to drawings if @is_wide, for a wide and low space, otherwise above them. */
void hir_value_panel_set_wide (HirValuePanel *self, gboolean is_wide);
/* Selects the device of later requests. */
void hir_value_panel_set_rank (HirValuePanel *self, int rank);
/* Returns the displayed text: the message, or facts and page (transfer full). For tests. */
char *hir_value_panel_dup_text (HirValuePanel *self);

G_END_DECLS
