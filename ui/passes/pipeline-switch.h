/* A row above the passes that selects the pipeline. Hidden if the program has no script. */
#pragma once

#include <gtk/gtk.h>

#include "document/document-edit.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_PIPELINE_SWITCH (hir_pipeline_switch_get_type ())
G_DECLARE_FINAL_TYPE (HirPipelineSwitch, hir_pipeline_switch, HIR, PIPELINE_SWITCH, GtkWidget)

/* Creates the row. Its buttons activate `win.pipeline` (s) with the name of a pipeline. */
GtkWidget *hir_pipeline_switch_new (HirSelection *selection, HirDocument *document);

G_END_DECLS
