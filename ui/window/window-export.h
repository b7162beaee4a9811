/* Saving and exporting from the window: one file at a time, in a thread, with progress and a way to stop it. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Widget actions of HirWindow: `win.save`; `win.export` with a target of export-job.c; `win.cancel-export`. */
void hir_window_save (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_export (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_cancel_export (GtkWidget *widget, const char *name, GVariant *parameter);

/* Whoever closes the window while a file is written is asked. */
void hir_window_export_connect (HirWindow *self);

G_END_DECLS
