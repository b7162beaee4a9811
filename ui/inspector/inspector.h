/* Pane with details of the selected node: facts, origin, and times of its events. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_INSPECTOR (hir_inspector_get_type ())
G_DECLARE_FINAL_TYPE (HirInspector, hir_inspector, HIR, INSPECTOR, GtkWidget)

/* Creates the inspector. */
GtkWidget *hir_inspector_new (HirSelection *selection, HirDocument *document);

G_END_DECLS
