/* Saving and exporting from the window. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Widget actions of HirWindow: `win.save`; `win.export` with "chrome", "timeline", "graph" or "text". */
void hir_window_save (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_export (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
