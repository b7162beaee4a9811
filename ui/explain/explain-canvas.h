/* Widget that draws the causes of an explanation as a list, whose rows go to their interval. */
#pragma once

#include <gtk/gtk.h>

#include "draw/report/explain-scene.h"
#include "selection/explaining.h"

G_BEGIN_DECLS

#define HIR_TYPE_EXPLAIN_CANVAS (hir_explain_canvas_get_type ())
G_DECLARE_FINAL_TYPE (HirExplainCanvas, hir_explain_canvas, HIR, EXPLAIN_CANVAS, GtkWidget)

GtkWidget *hir_explain_canvas_new (HirExplaining *explaining);
/* Returns the vertical adjustment (borrowed). */
GtkAdjustment *hir_explain_canvas_get_adjustment (HirExplainCanvas *self);
/* Returns the gain whose row is selected, or NULL. Borrowed until the explanation changes. */
const HirGain *hir_explain_canvas_get_gain (HirExplainCanvas *self);
/* Fills @scene as it is drawn now. Returns FALSE without an explanation. Valid until the next
 * change. For tests. */
gboolean hir_explain_canvas_get_scene (HirExplainCanvas *self, HirExplainScene *scene);

G_END_DECLS
