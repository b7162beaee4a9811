/* Shows its child larger, drawn as sharp as at its own size: for canvases, whose text is measured in pixels and does
 * not follow the text size of the toolkit. The child knows nothing of it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_SCALER (hir_scaler_get_type ())
G_DECLARE_FINAL_TYPE (HirScaler, hir_scaler, HIR, SCALER, GtkWidget)

/* Takes @child. It follows hir_scaler_set_all(). */
GtkWidget *hir_scaler_new (GtkWidget *child);
/* For all scalers of @display: 1 is the child's own size. */
void hir_scaler_set_all (GdkDisplay *display, double scale);
/* How much larger @widget is shown; 1 where it is in no scaler. */
double hir_scaler_get (GtkWidget *widget);

G_END_DECLS
