/* Container that scales its child up without loss of sharpness. For canvases: they measure text
 * in pixels and ignore the toolkit's text size. The child needs no code for this. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_SCALER (hir_scaler_get_type ())
G_DECLARE_FINAL_TYPE (HirScaler, hir_scaler, HIR, SCALER, GtkWidget)

/* Creates a scaler of @child (transfer full). hir_scaler_set_all() sets its scale. */
GtkWidget *hir_scaler_new (GtkWidget *child);
/* Sets the scale of all scalers of @display; 1 is the child's normal size. */
void hir_scaler_set_all (GdkDisplay *display, double scale);
/* Returns the scale of @widget; 1 if it is not inside a scaler. */
double hir_scaler_get (GtkWidget *widget);

G_END_DECLS
